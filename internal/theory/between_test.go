package theory_test

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// A barrier or a well that no point of the grid meets is told; the error of the grid, from
// grids that miss it alike, is not. What the grid follows is not told, nor what stops
// nothing: a wall without mass, a point of the plane without mass, a well without mass.
func TestBetweenThePoints(t *testing.T) {
	pace.Slow(t)
	energy := func(dim int, u func(x []float64) float64) potential.Potential {
		return potential.Func(dim, func(_, x []float64) float64 { return u(x) })
	}
	hump := func(h, at, sd float64) func(x []float64) float64 {
		return func(x []float64) float64 { return h * math.Exp(-(x[0]-at)*(x[0]-at)/(sd*sd)) }
	}
	line, square := interval(t, 0, 1), box(t, []float64{0, 0}, []float64{1, 1})
	round := func(x []float64) float64 { return -math.Log(math.Hypot(x[0]-0.5, x[1]-0.5)) / 2 }
	for name, c := range map[string]struct {
		domain domain.Domain
		u      func(x []float64) float64
		grid   int
		want   string
	}{
		"barrier":                 {line, hump(9, 0.5019, 3e-4), 400, "a barrier is missing"},
		"well":                    {line, hump(-6, 0.5019, 3e-4), 400, "a well with mass is missing"},
		"barrier of the plane":    {square, hump(9, 0.5055, 1e-3), 60, "a barrier is missing"},
		"well of the plane":       {square, hump(-6, 0.5055, 1e-3), 60, "a well with mass is missing"},
		"barrier of 1/500 cell":   {line, hump(20, 0.66655, 5e-6), 400, "a barrier is missing"},
		"well of 1/500 cell":      {line, hump(-16, 0.66655, 5e-6), 400, "a well with mass is missing"},
		"plane barrier of 1/5000": {square, hump(20, 0.66655, 3e-6), 60, "a barrier is missing"},
		"barrier on finer cells":  {line, hump(9, 0.5019, 3e-4), 20000, ""},
		"low barrier":             {line, hump(0.9, 0.5019, 3e-4), 400, ""},
		"light well":              {line, hump(-2, 0.5019, 3e-4), 400, ""},
		"no mass at a wall":       {line, func(x []float64) float64 { return -math.Log(x[0]) / 2 }, 400, ""},
		"infinite at a wall":      {line, func(x []float64) float64 { return math.Log(x[0]) / 2 }, 400, ""},
		"no mass at a point":      {square, round, 60, ""},
		"oblique":                 {square, func(x []float64) float64 { return 55*x[0] + 50*x[1] }, 60, ""},
	} {
		p := theory.Problem{Potential: energy(c.domain.Dim(), c.u), Domain: c.domain}
		r := measure(t, p, theory.Settings{Grid: c.grid, Eigenvalues: 1})
		if got := hasNote(r, "is missing in the numbers"); got != (c.want != "") || !hasNote(r, c.want) && got {
			t.Errorf("%s: notes %q, want %q", name, r.Notes, c.want)
		}
		if math.IsNaN(r.GapError) != (c.want != "") {
			t.Errorf("%s: the error of the gap is %g", name, r.GapError)
		}
	}
}
