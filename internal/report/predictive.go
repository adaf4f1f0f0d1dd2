package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A Prediction compares what was observed of an outcome with draws of as many values from the
// model.
type Prediction struct {
	Outcome    string      `json:"outcome"`
	Statistics []Statistic `json:"statistics"`
	draws      int
}

// A Statistic is a number of all values of an outcome, and in which share of the draws it is as
// large as observed or larger, ties counted half: near 0 or 1 the model does not predict it.
type Statistic struct {
	Name     string  `json:"name"`
	Observed float64 `json:"observed"`
	P        float64 `json:"p"`
}

// statisticOf are those that there are; zeros is the share of values that are 0.
var statisticOf = map[string]func(v []float64) float64{"sd": diag.SD, "min": slices.Min[[]float64], "max": slices.Max[[]float64],
	"zeros": zeros,
	"mean":  func(v []float64) float64 { return stat.Mean(v, nil) }} // of whole numbers exact, whatever their order

// Check compares statistics of values with those of draws of them. Values that are not known,
// NaN, are left out of both.
func Check(outcome string, observed []float64, drawn [][]float64, statistics ...string) Prediction {
	known := func(v []float64) []float64 {
		out := make([]float64, 0, len(v))
		for i, y := range v {
			if !math.IsNaN(observed[i]) {
				out = append(out, y)
			}
		}
		return out
	}
	p, own := Prediction{Outcome: outcome, draws: len(drawn)}, known(observed)
	if len(own) < 2 {
		return p
	}
	of := make([][]float64, len(drawn))
	for i, d := range drawn {
		of[i] = known(d)
	}
	for _, name := range statistics {
		value := statisticOf[name]
		at, above, n := value(own), 0.0, 0.0
		for _, d := range of {
			switch v := value(d); {
			case math.IsNaN(v):
				continue
			case v > at:
				above++
			case v == at:
				above += 0.5
			}
			n++
		}
		p.Statistics = append(p.Statistics, Statistic{name, at, above / n})
	}
	return p
}

// zeros is the share of values that are 0.
func zeros(v []float64) (share float64) {
	for _, x := range v {
		if x == 0 {
			share += 1 / float64(len(v))
		}
	}
	return share
}

// predictions is a line for each outcome: in which share of the draws a statistic is as large
// as observed.
func (s *Summary) predictions() string {
	var b strings.Builder
	for _, p := range s.Predictive {
		if len(p.Statistics) == 0 {
			continue
		}
		fmt.Fprintf(&b, " %s, share of draws as large as observed:", p.Outcome)
		var shares []string
		for _, s := range p.Statistics {
			shares = append(shares, s.Name+" "+text.Number(s.P, 2))
		}
		b.WriteString(" " + strings.Join(shares, " · ") + "\n")
	}
	return b.String()
}

// leastForMisfit are draws of which none is beyond what was observed once in 250 times where the
// model holds.
const leastForMisfit = 500

// Misfits say which statistics of outcomes none of the draws predict, if there are many.
func (s *Summary) Misfits() (said []string) {
	for _, p := range s.Predictive {
		if p.draws < leastForMisfit {
			continue
		}
		var less, more []string
		for _, of := range p.Statistics {
			switch of.P {
			case 0:
				less = append(less, of.Name)
			case 1:
				more = append(more, of.Name)
			}
		}
		for _, side := range []struct {
			names []string
			far   string
		}{{less, "less"}, {more, "more"}} {
			if len(side.names) > 0 {
				said = append(said, fmt.Sprintf("the model does not predict %s of %s: in all draws it is %s than observed",
					strings.Join(side.names, ", "), p.Outcome, side.far))
			}
		}
	}
	return said
}
