package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
)

// either is the symmetry of two numbers that may change places.
type either struct{}

func (either) Shuffle([]float64, *rand.Rand) {}

func (either) Images([]float64) [][]float64 { return nil }

func (either) Agree(draws [][]float64) [][]float64 {
	var all [][]float64
	for _, x := range draws {
		all = append(all, []float64{min(x[0], x[1]), max(x[0], x[1])})
	}
	return all
}

// Hot draws of two ladders that differ by a symmetry of the density alone are of one law.
func TestHotRungsUpToASymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	charted := r2sgld.Problem{Chart: &r2sgld.Chart{Symmetry: either{}}}
	for _, c := range []struct {
		p    r2sgld.Problem
		off  float64 // of the second ladder
		want string
	}{{r2sgld.Problem{}, 0, " of b."}, {charted, 0, ""}, {charted, 3, "rung 2"}} {
		res := &r2sgld.Result{Names: []string{"a", "b"}}
		for l := range 2 {
			const n = 400
			d := r2sgld.Draws{X: make([][]float64, 2), Energy: [][]float64{make([]float64, n), make([]float64, n)}}
			for range n {
				d.X[0] = append(d.X[0], rng.NormFloat64(), rng.NormFloat64())
				a, b := -10+rng.NormFloat64(), 10+rng.NormFloat64()+c.off*float64(l)
				if l == 1 {
					a, b = b, a
				}
				d.X[1] = append(d.X[1], a, b)
			}
			res.Ladders = append(res.Ladders, r2sgld.Ladder{Draws: d, Stride: 1, Iterations: n})
		}
		got := new(Summary).unreached(c.p, r2sgld.Settings{Temperature: []float64{1, 4}}, res)
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%v: told %q, want one %q", c, got, c.want)
		}
	}
}
