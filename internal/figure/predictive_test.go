package figure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// predictions are of n rows and m draws, by a model that is right about counts and numbers, and
// too sure of ones.
func predictions(n, m int) []Predicted {
	rng := rand.New(rand.NewPCG(5, 6))
	out := []Predicted{{Axis: Axis{"height", "cm"}}, {Axis: Axis{"visits", ""}, Of: Counted}, {Axis: Axis{"ill", ""}, Of: Binary}}
	probability := func(i int) float64 { return (float64(i) + 0.5) / float64(n) }
	row := func(k, i int, true bool) float64 {
		switch k {
		case 0:
			return 170 + 8*rng.NormFloat64()
		case 1:
			return math.Floor(3 * rng.ExpFloat64())
		}
		p := probability(i)
		if true {
			p = 0.5 + (p-0.5)/3
		}
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for k := range out {
		for i := range n {
			out[k].Observed = append(out[k].Observed, row(k, i, true))
		}
		for range m {
			var d []float64
			for i := range n {
				d = append(d, row(k, i, false))
			}
			out[k].Drawn = append(out[k].Drawn, d)
		}
	}
	out[0].Drawn[0][0], out[1].Drawn[0][0] = math.NaN(), math.Inf(1) // which are left out
	return out
}

// A density integrates to one where all values lie within its places.
func TestSmoothedMass(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var v []float64
	for range 400 {
		v = append(v, rng.NormFloat64())
	}
	mass := 0.0
	const width = 16.0 / (densityPlaces - 1)
	for _, f := range smoothed(v, -8, width, 0.3) {
		mass += f * width
	}
	if math.Abs(mass-1) > 1e-9 {
		t.Errorf("the mass is %v", mass)
	}
}

// Draws without a finite value are drawn around.
func TestPredictionsWithoutNumbers(t *testing.T) {
	q := predictions(20, 5)
	for i := range q {
		for _, d := range q[i].Drawn {
			for k := range d {
				d[k] = math.NaN()
			}
		}
		if _, err := Predictive(q[i:i+1], 90); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultyPredictions(t *testing.T) {
	q := predictions(20, 5)
	short := predictions(20, 5)
	short[1].Drawn[2] = short[1].Drawn[2][:19]
	bare := predictions(20, 5)
	bare[0].Drawn = nil
	for want, f := range map[string]func() (*Figure, error){
		"nothing to draw":     func() (*Figure, error) { return Predictive(nil, 90) },
		"a level of 100":      func() (*Figure, error) { return Predictive(q, 100) },
		"19 values beside 20": func() (*Figure, error) { return Predictive(short, 90) },
		"no draws":            func() (*Figure, error) { return Predictive(bare, 90) },
		"there must be two":   func() (*Figure, error) { return Predictive(predictions(1, 5), 90) },
	} {
		refused(t, want, f)
	}
}
