package deep_test

import (
	"context"
	"fmt"
	"os"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/deep"
)

// A report on Fashion-MNIST, in about a minute on two processor cores, and which
// claims of the paper it found to hold. It needs the program r2sgld-torch.
func ExampleRun() {
	s, err := deep.Run(context.Background(), study.Options{Scale: study.Smoke, Seed: 1, Progress: os.Stderr})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range s.Claims {
		fmt.Println(c.Text, c.Verdict)
	}
}
