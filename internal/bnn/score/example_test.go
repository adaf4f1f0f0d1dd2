package score_test

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn/score"
)

// Two models that are sure of different things, and their average.
func Example() {
	labels := []int32{0, 1, 1, 0}
	first := []float32{4, 0, 0, 4, 4, 0, 4, 0}
	second := []float32{4, 0, 0, 4, 0, 4, 0, 4}
	average, err := score.NewAverage(score.Probabilities, 4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, logits := range [][]float32{first, second} {
		p, err := score.FromLogits(logits, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := score.Score(p, labels, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("one model: accuracy %.2f, NLL %.3f\n", s.Accuracy, s.NLL)
		if err := average.Add(logits); err != nil {
			fmt.Println(err)
			return
		}
	}
	p, err := average.Predictions()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := score.Score(p, labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("average: NLL %.3f, entropy %.3f\n", s.NLL, s.Entropy)
	// Output:
	// one model: accuracy 0.75, NLL 1.018
	// one model: accuracy 0.75, NLL 1.018
	// average: NLL 0.356, entropy 0.392
}
