package training

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/text"
)

// summaryOf is a summary of repetitions with these NLLs of the average.
func summaryOf(seed uint64, nll ...float64) *Summary {
	s := &Summary{Method: "sghmc", Network: "lenet", Seed: seed}
	for _, v := range nll {
		s.Repeats = append(s.Repeats, Repetition{Metrics: Metrics{Average: &Scores{Accuracy: v / 4, NLL: v, RMSE: math.NaN()}}})
	}
	s.Metrics, s.SD, s.Interval = over(s.Repeats)
	return s
}

// Differences are paired repetition by repetition, to the training with the lowest NLL,
// and where repetitions are no pairs there are none.
//
// Mutants it kills: differences to the first argument, of means without pairs, their sign,
// pairs of other seeds, examples or numbers of repetitions.
func TestCompare(t *testing.T) {
	good, bad := summaryOf(1, 0.5, 0.7, 0.6), summaryOf(1, 0.7, 0.8, 0.9)
	c, err := Compare([]Compared{{"bad", bad, "x"}, {"good", good, "x"}, {"seed", summaryOf(2, 1, 2, 3), "x"},
		{"fewer", summaryOf(1, 4, 5), "x"}, {"images", summaryOf(1, 7, 8, 9), "y"}})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range c.Trainings {
		order = append(order, r.Name)
		if paired := r.Less != nil; paired != (r.Name == "bad") {
			t.Errorf("%s is paired: %v", r.Name, paired)
		}
	}
	if got := strings.Join(order, " "); got != "good bad seed fewer images" {
		t.Errorf("the order is %s", got)
	}
	want := significance.TInterval([]float64{0.7 - 0.5, 0.8 - 0.7, 0.9 - 0.6}, 0.95)
	if d := c.Trainings[1].Less.NLL; math.Abs(d.Mean-want.Mean) > 1e-12 || math.Abs(d.Half-(want.Hi-want.Lo)/2) > 1e-12 {
		t.Errorf("the difference is %+v, want %v", d, want)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "images") {
		t.Errorf("warnings %q, want one of other images", c.Warnings)
	}
	if text := c.Text(text.Style{}); !strings.Contains(text, "0.2000 ± 0.2484") || strings.Contains(text, "RMSE") {
		t.Errorf("the table is\n%s", text)
	}
	if _, err := Compare([]Compared{{"none", &Summary{}, "x"}}); err == nil {
		t.Error("a training without scores was compared")
	}
}

// What is null in summary.json is not known, not zero.
func TestScoresReadNull(t *testing.T) {
	var s Scores
	if err := json.Unmarshal([]byte(`{"accuracy": 0.5, "auroc": null}`), &s); err != nil {
		t.Fatal(err)
	}
	if s.Accuracy != 0.5 || !math.IsNaN(s.AUROC) || !math.IsNaN(s.RMSE) {
		t.Errorf("read as %+v", s)
	}
}
