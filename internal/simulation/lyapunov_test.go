package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/ode"
)

// lorenz is the system of 1963, with its Jacobian if asked for.
func lorenz(jacobian bool) ode.System {
	const sigma, rho, beta = 10, 28, 8.0 / 3
	s := ode.System{Dim: 3, F: func(dy []float64, _ float64, y []float64) {
		dy[0], dy[1], dy[2] = sigma*(y[1]-y[0]), y[0]*(rho-y[2])-y[1], y[0]*y[1]-beta*y[2]
	}}
	if jacobian {
		s.Jacobian = func(j []float64, _ float64, y []float64) {
			copy(j, []float64{-sigma, sigma, 0, rho - y[2], -1, -y[0], y[1], y[0], -beta})
		}
	}
	return s
}

// The largest exponent of the Lorenz system is 0.9056 (J. C. Sprott, Chaos and
// Time-Series Analysis, 2003). 4.9 standard errors of 0.02 kill logarithms to
// another base, a vector that is not made short again or not turned before
// counting begins, and the exponent of the flow itself, which is 0. The standard
// error is checked by the spread of independent stretches.
func TestLyapunovOfLorenz(t *testing.T) {
	span := 400.0
	if pace.Soaking() {
		span = 20000
	}
	for _, jacobian := range []bool{true, false} {
		e, err := Lyapunov(context.Background(), lorenz(jacobian), 0, []float64{-8, 7, 27}, LyapunovOptions{Settle: 20, Span: span})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.4f ± %.4f", e.Value, e.SE)
		if math.Abs(e.Value-0.9056) > 4.9*e.SE || e.SE > 0.6/math.Sqrt(span) || e.SE < 0.1/math.Sqrt(span) {
			t.Errorf("exponent %.4f ± %.4f", e.Value, e.SE)
		}
		if !e.positive() || math.Abs(e.Time()*e.Value-1) > 1e-12 {
			t.Errorf("%+v: time %g", e, e.Time())
		}
	}
}

// Of a linear system the largest exponent is the largest real part of an
// eigenvalue, 0.3 of a lopsided matrix. 1e-6 kills growth that is counted while
// the vector still turns and a Jacobian by columns.
func TestLyapunovOfLinearSystem(t *testing.T) {
	a := []float64{0.3, 5, 0, 0, -1, 0.1, 0, 0, -2}
	f := func(dy []float64, _ float64, y []float64) {
		for i := range dy {
			dy[i] = a[3*i]*y[0] + a[3*i+1]*y[1] + a[3*i+2]*y[2]
		}
	}
	for name, s := range map[string]ode.System{
		"with":    {Dim: 3, F: f, Jacobian: func(j []float64, _ float64, _ []float64) { copy(j, a) }},
		"without": {Dim: 3, F: f},
	} {
		e, err := Lyapunov(context.Background(), s, 0, []float64{1e-3, 0, 0},
			LyapunovOptions{Settle: 15, Span: 20, Solver: ode.Options{RTol: 1e-10}})
		if err != nil || math.Abs(e.Value-0.3) > 1e-6 {
			t.Errorf("%s a Jacobian: %+v, %v", name, e, err)
		}
	}
}

// What oscillates for ever has the exponent 0 and no Lyapunov time.
func TestLyapunovOfOscillator(t *testing.T) {
	s := ode.System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = y[1], -4*y[0] }}
	e, err := Lyapunov(context.Background(), s, 0, []float64{1, 0}, LyapunovOptions{Settle: 10, Span: 500, Solver: ode.Options{RTol: 1e-9}})
	if err != nil || math.Abs(e.Value) > 0.01 || e.positive() || e.Time() == e.Time() {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestLyapunovRefuses(t *testing.T) {
	run := func(s ode.System, o LyapunovOptions) error {
		_, err := Lyapunov(context.Background(), s, 0, []float64{1, 1, 1}[:s.Dim], o)
		return err
	}
	for want, o := range map[string]LyapunovOptions{
		"over a time of 0": {}, "after -1": {Settle: -1, Span: 1}, "one block": {Span: 1, Blocks: 1}, "no method": {Span: 1,
			Solver: ode.Options{Method: "rk4"}},
	} {
		if err := run(lorenz(false), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	var blown *ode.BlowUp
	square := ode.System{Dim: 1, F: func(dy []float64, _ float64, y []float64) { dy[0] = y[0] * y[0] }}
	if err := run(square, LyapunovOptions{Span: 3}); !errors.As(err, &blown) {
		t.Errorf("a blow-up: %v", err)
	}
}

// How fast neighbours part on the Lorenz attractor.
func ExampleLyapunov() {
	e, err := Lyapunov(context.Background(), lorenz(true), 0, []float64{-8, 7, 27}, LyapunovOptions{Settle: 20, Span: 400})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the distance grows by e in a time of %.1f\n", e.Time())
	// Output: the distance grows by e in a time of 1.1
}

// Two draws of the rate of a decay, simulated to time 1.
func ExampleRun() {
	m := &Model{
		States: []string{"x"},
		System: func(p []float64) ode.System {
			return ode.System{Dim: 1, F: func(dy []float64, _ float64, y []float64) { dy[0] = -p[0] * y[0] }}
		},
		Initial: func(dst, _ []float64) { dst[0] = 8 },
	}
	r, err := Run(context.Background(), m, [][]float64{{1}, {2}}, Options{Times: []float64{0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := r.Bands(context.Background(), 90, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at %g: mean %.3f\n", r.Times[1], b[0].Mean[1])
	// Output: at 1: mean 2.013
}
