package tune

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
)

// toldWall is a constraint that tells many states, all of one block in the same company.
type toldWall struct {
	g       func(x, grad []float64) float64
	company float64 // what is added in a block of several states
	fails   error
}

func (c toldWall) Dim() int                                     { return 2 }
func (c toldWall) Bind() domain.SurfaceEval                     { return c }
func (c toldWall) Err() error                                   { return c.fails }
func (c toldWall) Value(x []float64) float64                    { return c.g(x, make([]float64, 2)) }
func (c toldWall) Gradient(grad []float64, x []float64) float64 { return c.g(x, grad) }

func (c toldWall) Block(v, grad, x []float64) {
	n, g := len(v), make([]float64, 2)
	for i := range v {
		v[i] = c.g([]float64{x[i], x[n+i]}, g)
		grad[i], grad[n+i] = g[0], g[1]
		if n > 1 && i == 0 {
			v[i] += c.company
		}
	}
}

// disc is |x|² − 1 by a power, its gradient times a factor.
func disc(power, times float64) func(x, grad []float64) float64 {
	return func(x, grad []float64) float64 {
		s := x[0]*x[0] + x[1]*x[1] - 1
		v := math.Copysign(math.Pow(math.Abs(s), power), s)
		slope := power * math.Pow(math.Abs(s), power-1) * times
		grad[0], grad[1] = slope*2*x[0], slope*2*x[1]
		return v
	}
}

// Constraints whose gradients are those of their values pass, kinks and walls elsewhere included; what
// a reflection cannot do with is told.
//
// Mutants it kills: each of the checks left out, walls of other constraints.
func TestCheckConstraint(t *testing.T) {
	dead := errors.New("dead")
	stairs := func(x, grad []float64) float64 { // flat within, and at its wall
		v := disc(1, 1)(x, grad)
		if v <= 0 {
			clear(grad)
			return 0
		}
		return v
	}
	square := func(x, grad []float64) float64 {
		j := 0
		if math.Abs(x[1]) > math.Abs(x[0]) {
			j = 1
		}
		clear(grad)
		grad[j] = math.Copysign(1, x[j])
		return math.Abs(x[j]) - 1
	}
	for name, c := range map[string]struct {
		toldWall
		want string
	}{
		"a disc":         {toldWall{g: disc(1, 1)}, ""},
		"a square":       {toldWall{g: square}, ""},
		"nowhere a wall": {toldWall{g: func(_, grad []float64) float64 { clear(grad); return -1 }}, ""},
		"a rough root":   {toldWall{g: disc(3, 1)}, "its gradient is "},
		"the other way":  {toldWall{g: disc(1, -1)}, "its gradient is not that of its values: at ["},
		"a third":        {toldWall{g: disc(1, 1./3)}, "its gradient is not that of its values: at ["},
		"stairs":         {toldWall{g: stairs}, "its gradient is [0 0] at its wall, at ["},
		"company":        {toldWall{g: disc(1, 1), company: 1e-13}, "more states are asked for at the same time"},
		"failed":         {toldWall{g: disc(1, 1), fails: dead}, "dead"},
	} {
		for _, wide := range []float64{3, math.Inf(1)} {
			lo, hi := []float64{-wide, -wide}, []float64{wide, wide}
			set, err := domain.NewImplicit([]domain.Surface{c.toldWall}, []string{"g"}, lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			err = CheckConstraint(t.Context(), set, []float64{0.1, 0.2}, "g", c.toldWall)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %v wide: %v, want %q", name, wide, err, c.want)
			}
			if c.fails == nil {
				if err := CheckConstraint(t.Context(), set, []float64{0.1, 0.2}, "another", c.toldWall); err != nil {
					t.Errorf("%s: another wall: %v", name, err)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	box, _ := domain.NewBox([]float64{-1, -1}, []float64{1, 1})
	if err := CheckConstraint(ctx, box, []float64{0, 0}, "g", toldWall{g: disc(1, 1)}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
