package tune

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// quartic is a potential that is a hundred thousand times steeper where it starts
// than where its mass is.
func quartic() potential.Potential {
	return potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 4e4*x[0]*x[0]*x[0], x[1]
		return 1e4*x[0]*x[0]*x[0]*x[0] + x[1]*x[1]/2
	})
}

// From a start far out on a quartic the rungs come down to the mass, and the
// steps with them. Mutants: slopes count while energies fall (all rungs freeze);
// whitening by slopes on the way.
func TestTuneFromFarOut(t *testing.T) {
	f := tuned(t, r2sgld.Problem{Potential: quartic()}, r2sgld.Settings{Seed: 1, Ladders: 2, Start: []float64{20, 3}})
	r := f.Rounds[len(f.Rounds)-1]
	if len(f.Rounds) == mostRounds || slices.Max(r.Rejection)-slices.Min(r.Rejection) > 0.1 || r.RoundTrips < 100 {
		t.Errorf("%d rounds, rejections %v, %d round trips", len(f.Rounds), r.Rejection, r.RoundTrips)
	}
	for _, l := range f.States {
		if !(math.Abs(l[0][0]) < 0.3) { // 1e4·0.3⁴ = 81
			t.Errorf("cold state %v", l[0])
		}
	}
}

// Steps that are too large are tried again ten times smaller, until all stays
// finite, and twelve times at most. Mutants: the blow-up returned; steps not made
// smaller; no end.
func TestTuneRecoversFromBlowUps(t *testing.T) {
	p := r2sgld.Problem{Potential: quartic()}
	s := r2sgld.Settings{Seed: 1, Ladders: 2, Start: []float64{0.01, 0}}
	tn, err := newTuner(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := tn.first()
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Diffusion {
		f.Diffusion[i] = 1
	}
	g, err := tn.round(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Rounds[0].BlowUps; n < 1 || n > 6 {
		t.Errorf("%d blow-ups", n)
	}
	for i := range f.Diffusion {
		f.Diffusion[i] = 1e30
	}
	var blown *r2sgld.BlowUp
	if _, err = tn.round(t.Context(), f); !errors.As(err, &blown) || !strings.Contains(err.Error(), "warm-up, round 1") {
		t.Errorf("%v", err)
	}
}

// gauss is U = Σ (x_i − m_i)²/(2 s_i²).
func gauss(m, s []float64) potential.Potential {
	return potential.Func(len(m), func(grad, x []float64) float64 {
		u := 0.0
		for i, v := range x {
			z := (v - m[i]) / s[i]
			grad[i] = z / s[i]
			u += z * z / 2
		}
		return u
	})
}

// Fifty dimensions, in a box ten standard deviations wide, some cut by it, are
// tuned in seconds, with steps along the axes. Mutant: whitening by what slopes at
// walls have in common (dense maps cost twenty times the time).
func TestTuneInFiftyDimensions(t *testing.T) {
	pace.Slow(t)
	const d = 50
	m, s, lo, hi := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for i := range m {
		s[i] = 0.5 + float64(i%5)/4
		lo[i], hi[i] = -5*s[i], 5*s[i]
		if i%7 == 0 {
			m[i] = hi[i]
		}
	}
	box, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	f := tuned(t, r2sgld.Problem{Potential: gauss(m, s), Domain: box}, r2sgld.Settings{Seed: 2, Ladders: 4})
	r := f.Rounds[len(f.Rounds)-1].Rejection
	if slices.Max(r)-slices.Min(r) > 0.1 || len(f.Beta) < 8 {
		t.Errorf("rejections %v", r)
	}
	if effort(f.Whitening) > 1 {
		t.Error("whitened in all directions, where axes will do")
	}
}

// A box with sides of 1e-3, 1 and 1000 around a Gaussian as lopsided: steps are
// those of the whitened law.
// Mutant: the first ladder not whitened (its step sizes are a millionth of what
// the widest side needs, and no round trips are made).
func TestTuneInALopsidedBox(t *testing.T) {
	m, s := []float64{2e-4, 0.5, -100}, []float64{1e-4, 0.08, 90}
	box, err := domain.NewBox([]float64{0, 0, -500}, []float64{1e-3, 1, 500})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Potential: gauss(m, s), Domain: box}
	f := tuned(t, p, r2sgld.Settings{Seed: 2, Ladders: 4})
	w := f.Whitening
	if w == nil {
		t.Fatal("not whitened")
	}
	for i := range s { // all alike suffices
		if r := w.L[i][i] / s[i] / (w.L[0][0] / s[0]); r < 0.5 || r > 2 {
			t.Errorf("coordinate %d: scale %g, sd %g", i, w.L[i][i], s[i])
		}
	}
	last := f.Rounds[len(f.Rounds)-1]
	if slices.Max(last.Rejection)-slices.Min(last.Rejection) > 0.1 || last.RoundTrips < 100 {
		t.Errorf("rejections %v, %d round trips", last.Rejection, last.RoundTrips)
	}
}

// A temperature that is no number is told as what it is: a potential that is too large.
func TestOverflowingEnergies(t *testing.T) {
	if err := overflowing([]float64{1, 1e-300, 0}); err != nil {
		t.Error(err)
	}
	for _, beta := range [][]float64{{1, 1e-310, 0}, {1, 0, 0}} {
		if err := overflowing(beta); err == nil || !strings.Contains(err.Error(), "energies are too large for numbers: rung 2") {
			t.Errorf("%v: %v", beta, err)
		}
	}
}

// A density so narrow that rungs of the ladder to the uniform law have the same temperature as
// numbers go is told as that.
func TestNarrowerThanAnyLadder(t *testing.T) {
	box, err := domain.NewBox([]float64{-1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	tn, err := newTuner(t.Context(), r2sgld.Problem{Potential: gauss([]float64{0}, []float64{1e-150}), Domain: box},
		r2sgld.Settings{Seed: 1, Kernel: kernel.Harmonic{}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := tn.first()
	for range mostRounds {
		if err == nil {
			f, err = tn.round(t.Context(), f)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "apart: bound the domain more closely") {
		t.Errorf("%v", err)
	}
	if merged([]float64{1, 0.5, 0}) != 0 || merged([]float64{1, 0.5, 0.5, 0}) != 2 {
		t.Error("rungs of one temperature are not told from others")
	}
}
