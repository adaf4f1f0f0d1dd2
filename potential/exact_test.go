package potential

import (
	"errors"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/stream"
)

// guess is a potential whose noise nobody knows.
type guess struct{ Potential }

func (guess) EnergyNoise() float64 { return math.NaN() }

// Without noise every kind of potential is the one that was made without, its
// streams untouched; what has no noise stays itself. A term or a wrapper that is
// forgotten differs by the synthetic noise, or by a minibatch.
func TestExact(t *testing.T) {
	m := must(domain.NewMirror(must(domain.NewSimplex(3, 2))))
	plain := func(noise bool, batch int) []Potential {
		n := func(p Potential) Potential {
			if noise {
				return Noisy(p, 0.5, 0.5)
			}
			return p
		}
		columns := []Column{{Index: []int{0, 1, 2}, Design: []float64{1, 2, 3, 4, 5, 7, 8, 8, 9, 1, 0, 2},
			Response: []float64{1, 3, 2, 5}, Weight: 2}}
		regression, err := NewRegression(3, columns, batch)
		if err != nil {
			t.Fatal(err)
		}
		residuals, err := NewResiduals(3, []ResidualColumn{{Index: []int{0, 1, 2},
			Curve: func(lanes int) func(value, grad, x []float64) {
				return uneven.Evaluator(lanes, nil).Eval
			}, Response: []float64{1, 3, 2, 5}, Weight: 2}}, batch)
		if err != nil {
			t.Fatal(err)
		}
		total, err := Sum(uneven, regression, n(residuals))
		if err != nil {
			t.Fatal(err)
		}
		l := [][]float64{{1, 2, 0}, {0, 1, 3}, {1, 0, 1}}
		return []Potential{n(uneven), regression, n(regression), total, n(residuals),
			Distance(n(regression), 3, corner()), Mirrored(n(residuals), m, 0.7),
			Affine(n(regression), []float64{1, 2, 3}, l),
			Penalised(Affine(total, []float64{1, 2, 3}, l), 3, func(x []float64) bool { return x[0] > 0 })}
	}
	const r = 2
	x := []float64{0.3, -0.4, 0.5, 0.1, -0.2, 0.7}
	whole := plain(false, 0)
	for i, p := range plain(true, 2) {
		if EnergyNoise(p) == 0 {
			t.Errorf("%d: its noise is not known", i)
		}
		exact, noisy := Exact(p)
		if !noisy || EnergyNoise(exact) != 0 {
			t.Fatalf("%d: Exact says %v, %v", i, exact, noisy)
		}
		u, g, v, h := make([]float64, r), make([]float64, 3*r), make([]float64, r), make([]float64, 3*r)
		exact.Evaluator(r, nil).Eval(u, g, x)
		whole[i].Evaluator(r, nil).Eval(v, h, x)
		for k := range g {
			if g[k] != h[k] || u[k%r] != v[k%r] {
				t.Fatalf("%d: %v %v, want %v %v", i, u, g, v, h)
			}
		}
		if again, noisy := Exact(whole[i]); noisy || again == nil || EnergyNoise(again) != 0 {
			t.Errorf("%d: exact, but noisy to Exact", i)
		}
	}
	unknown := guess{uneven}
	total, _ := Sum(uneven, unknown)
	for i, p := range []Potential{unknown, total, Noisy(unknown, 1, 0), Affine(unknown, nil, nil), Penalised(total, 1, nil),
		Distance(total, 1, nil), Mirrored(total, nil, 1)} {
		if exact, noisy := Exact(p); exact != nil || !noisy || !math.IsNaN(EnergyNoise(p)) {
			t.Errorf("%d: Exact of an unknown noise is %v, %v; noise %v", i, exact, noisy, EnergyNoise(p))
		}
	}
}

// broken is a potential whose evaluators fail and count how often they are
// closed.
type broken struct {
	Potential
	err    error
	closed *int
}

func (p broken) Evaluator(int, *stream.Set) Evaluator { return brokenEvaluator{p} }

type brokenEvaluator struct{ p broken }

func (e brokenEvaluator) Eval(energy, grad, x []float64) { energy[0] = math.NaN() }
func (e brokenEvaluator) Err() error                     { return e.p.err }
func (e brokenEvaluator) Close() error {
	*e.p.closed++
	return e.p.err
}

// Failures and ends pass through every wrapper.
func TestCloseAndErr(t *testing.T) {
	first, second, closed := errors.New("first"), errors.New("second"), 0
	p := broken{uneven, first, &closed}
	total, err := Sum(uneven, p, broken{uneven, second, &closed})
	if err != nil {
		t.Fatal(err)
	}
	wrapped := []Potential{p, Noisy(p, 1, 1), Affine(p, nil, nil), Penalised(p, 1, nil), total,
		Penalised(Affine(Noisy(total, 1, 0), nil, nil), 1, nil), Mirrored(Distance(p, 1, corner()), nil, 1)}
	times := []int{1, 1, 1, 1, 2, 2, 1}
	for i, p := range wrapped {
		closed = 0
		e := p.Evaluator(1, stream.New(1, 0))
		if err := Err(e); err != first {
			t.Errorf("%d: Err is %v", i, err)
		}
		if err := Close(e); !errors.Is(err, first) || errors.Is(err, second) != (times[i] == 2) || closed != times[i] {
			t.Errorf("%d: Close is %v, %d closed", i, err, closed)
		}
	}
	e := Noisy(Affine(uneven, nil, nil), 1, 1).Evaluator(1, stream.New(1, 0))
	if Err(e) != nil || Close(e) != nil {
		t.Error("a potential in memory fails")
	}
}
