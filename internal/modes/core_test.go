package modes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/potential"
)

// A normal law of a standard deviation of 0.001 and one of 1 of the same centre have a half of
// the density each. Draws that know the wide one alone agree with each other; that a share of
// erf(1/√2)/2 = 0.34 of the density lies within a standard deviation of the narrow one is told.
// Independent draws of both are told nothing of (by chance in 6e-7 of seeds). Nor are draws
// that are right in a density whose mass is in needles that uniform draws miss: there the
// draws' energies are others.
//
// Mutant: energies around the minimum that nobody looks at.
func TestCores(t *testing.T) {
	const sd = 1e-3
	normal := func(x, s float64) float64 { return math.Exp(-x*x/(2*s*s)) / s }
	law := func(needles float64) Target {
		return Target{Energy: potential.Func(1, func(grad, x []float64) float64 {
			clear(grad)
			u := normal(x[0], sd) + normal(x[0], 1)
			for _, at := range []float64{-1, -0.5, 0.5, 1} {
				u += needles * normal(x[0]-at, 1e-6)
			}
			return -math.Log(u)
		})}
	}
	at := []Mode{{X: []float64{0}, L: [][]float64{{sd}}}}
	rng := rand.New(rand.NewPCG(1, 2))
	draws := func(narrow, needles float64) [][]float64 {
		all := make([][]float64, 4)
		for i := range all {
			for range 2000 {
				x := rng.NormFloat64()
				switch u := rng.Float64(); {
				case u < narrow:
					x *= sd
				case u < narrow+needles:
					x = []float64{-1, -0.5, 0.5, 1}[rng.IntN(4)] + 1e-6*x
				}
				all[i] = append(all[i], x)
			}
		}
		return all
	}
	within := math.Erf(1 / math.Sqrt2)
	want := within / (within + math.Erf(math.Sqrt(1.5))) // the draws around go as far as √3 standard deviations
	for _, c := range []struct {
		name    string
		target  Target
		draws   [][]float64
		told    bool
		between float64
	}{
		{"wide alone", law(0), draws(0, 0), true, 0.003},
		{"a tenth in the narrow one", law(0), draws(0.1, 0), true, 0.15},
		{"both", law(0), draws(0.5, 0), false, 0},
		{"needles", law(5), draws(1.0/22, 20.0/22), false, 0},
	} {
		got, asked, err := c.target.Cores(t.Context(), at, c.draws, rng)
		if err != nil || asked == 0 || (len(got) == 1) != c.told {
			t.Errorf("%s: %+v after %d gradients, %v", c.name, got, asked, err)
			continue
		}
		if c.told && (math.Abs(got[0].Expected-want) > 0.01 || got[0].Share > c.between) {
			t.Errorf("%s: %+v, want %.3f of the density", c.name, got, want)
		}
	}
	if got, asked, err := (&Target{Energy: law(0).Energy}).Cores(t.Context(), []Mode{{X: []float64{0}, L: [][]float64{{1}}}}, draws(0, 0),
		rng); err != nil ||
		got != nil || asked != 0 {
		t.Errorf("one normal law: %+v after %d gradients, %v", got, asked, err)
	}
}
