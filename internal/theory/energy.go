package theory

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/potential"
)

// lanes is the number of points whose energies are asked for at once.
const lanes = 256

// energies returns U without noise at n points; point writes coordinates into x. U
// may be +∞: no mass is there.
func (p Problem) energies(n int, point func(x []float64, i int)) ([]float64, error) {
	out := make([]float64, n)
	if p.Potential == nil {
		return out, nil
	}
	exact, _ := potential.Exact(p.Potential)
	d := exact.Dim()
	e := exact.Evaluator(lanes, nil)
	block, grad, u, x := make([]float64, d*lanes), make([]float64, d*lanes), make([]float64, lanes), make([]float64, d)
	for from := 0; from < n; from += lanes {
		for l := range lanes {
			point(x, min(from+l, n-1))
			for j, v := range x {
				block[j*lanes+l] = v
			}
		}
		e.Eval(u, grad, block)
		copy(out[from:], u)
	}
	err := potential.Err(e)
	if closing := potential.Close(e); err == nil {
		err = closing
	}
	if err != nil {
		return nil, fmt.Errorf("theory: energies on the grid: %w", err)
	}
	for i, v := range out {
		if math.IsNaN(v) || math.IsInf(v, -1) {
			point(x, i)
			return nil, fmt.Errorf("theory: the energy is %g at %s; give a potential that is finite, or +∞, all over the domain", v, p.at(x))
		}
	}
	return out, nil
}

// at names a point, as in "x = 0.5, y = 2".
func (p Problem) at(x []float64) string {
	names := p.Names
	if len(names) < len(x) {
		names = []string{"x", "y"}
	}
	words := make([]string, len(x))
	for j, v := range x {
		words[j] = fmt.Sprintf("%s = %.4g", names[j], v)
	}
	return strings.Join(words, ", ")
}
