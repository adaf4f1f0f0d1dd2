package potential

import (
	"math"
	"testing"
)

// sketchy is a potential that may be taken for half of itself.
type sketchy struct{ Potential }

func (p sketchy) Few() (Potential, float64) {
	return Func(p.Dim(), func(grad, x []float64) float64 {
		u := []float64{0}
		p.Evaluator(1, nil).Eval(u, grad, x)
		for j := range grad {
			grad[j] /= 2
		}
		return u[0] / 2
	}), 0.1
}

// What a potential may be taken for is in the coordinates of what wraps it, beside terms that have none:
// energies are those of the same wrapped around it.
func TestFew(t *testing.T) {
	l := [][]float64{{1, 2, 0}, {0, 1, 3}, {1, 0, 1}}
	wrap := func(p Potential) []Potential {
		return []Potential{must(Sum(uneven, p)), Affine(p, []float64{1, 2, 3}, l), Charted(must(Sum(p, uneven)), bent{})}
	}
	p := sketchy{uneven}
	half, _ := p.Few()
	want := wrap(half)
	for i, q := range wrap(p) {
		few, part := Few(q)
		if part != 0.1 {
			t.Errorf("wrapper %d: a part of %g", i, part)
		}
		a, b, g, x := []float64{0}, []float64{0}, make([]float64, 3), []float64{0.3, -0.4, 0.2}
		few.Evaluator(1, nil).Eval(a, g, x)
		if want[i].Evaluator(1, nil).Eval(b, g, x); math.Abs(a[0]-b[0]) > 1e-12 {
			t.Errorf("wrapper %d: energy %g, want %g", i, a[0], b[0])
		}
	}
	if q, part := Few(uneven); part != 1 || q == nil {
		t.Errorf("a part of %g of a potential that has none", part)
	}
}
