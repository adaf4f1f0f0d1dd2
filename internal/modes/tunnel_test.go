package modes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/potential"
)

// wideAndNarrow is the mixture of a normal law of sd 0.25 and weight 0.7 at 2 … 2 and one of
// sd 1 at −2 … −2, and log of the ratio of their densities.
func wideAndNarrow(d int) (potential.Potential, func(x []float64) float64) {
	at := [][]float64{slices.Repeat([]float64{2}, d), slices.Repeat([]float64{-2}, d)}
	return round(at, []float64{0.25, 1}, []float64{0.7, 0.3}), func(x []float64) float64 {
		log := math.Log(0.7/0.3) + float64(d)*math.Log(4)
		for _, v := range x {
			log += (v+2)*(v+2)/2 - 8*(v-2)*(v-2)
		}
		return log
	}
}

// One start where a narrow mode has exp(−20) of the density leads to it, through what the
// density is more than the law at the wide one, and counts once; one where it has exp(−45),
// less than rounding leaves, does not. The laws are then those of the mixture: masses to
// 1e-9, where differences of slopes leave about 1e-13 of a second derivative.
//
// Mutants: no way through; slopes of the wrong law; one law that holds what the other does.
func TestTunnel(t *testing.T) {
	const d = 10
	energy, ratio := wideAndNarrow(d)
	for log, want := range map[float64]int{-20: 2, -45: 1} {
		at := 0.0 // on the diagonal
		for low, high := -2.0, 2.0; high-low > 1e-12; {
			if at = (low + high) / 2; ratio(slices.Repeat([]float64{at}, d)) < log {
				low = at
			} else {
				high = at
			}
		}
		target, draw := boxed(t, energy, -6, 6, 1)
		i := 0
		s, err := Find(t.Context(), target, func(x []float64) error {
			if err := draw(x); err != nil {
				return err
			}
			for j, v := range x {
				x[j] = (v - 6) / 2 // near the wide mode
				if i == 64 {
					x[j] = at
				}
			}
			i++
			return nil
		}, 64, 128, 1e6)
		if err != nil || len(s.Modes) != want {
			t.Fatalf("ratio exp(%g): %d modes, %v", log, len(s.Modes), err)
		}
		if want == 1 {
			continue
		}
		if m := s.Modes[0]; m.Starts != 1 || math.Abs(m.X[0]-2) > 0.01 {
			t.Errorf("%d starts lead to %v", m.Starts, m.X)
		}
		for k, mass := range []float64{0.3, 0.7} { // as they were found
			if p := s.cover[k]; !(math.Abs(p.log-math.Log(mass)) < 1e-9) || p.error > 1e-12 {
				t.Errorf("law %d: log mass %g, want %g; error %g", k, p.log, math.Log(mass), p.error)
			}
		}
	}
}

// Laws that overlap are parted: centres, covariances and masses are those of the mixture to
// 1e-8, though each minimum and its second derivatives feel the other law.
//
// Mutants: laws that are not parted.
func TestLawsAreParted(t *testing.T) {
	law := &Mixture{Parts: []Part{
		{Weight: 0.3, Center: []float64{-1.5, 1}, L: [][]float64{{0.4, 0}, {0.3, 0.6}}},
		{Weight: 0.7, Center: []float64{2, -1}, L: [][]float64{{0.8, 0}, {-0.3, 0.3}}},
	}}
	target, draw := boxed(t, law, -6, 6, 1)
	s, err := Find(t.Context(), target, draw, 100, 200, 1e6)
	if err != nil || len(s.Modes) != 2 || len(s.cover) != 2 {
		t.Fatalf("%d modes, %v", len(s.Modes), err)
	}
	for _, p := range s.cover {
		want := law.Parts[law.Owner(p.center)]
		off := math.Abs(p.log - math.Log(want.Weight))
		for i := range p.l {
			off = max(off, math.Abs(p.center[i]-want.Center[i]))
			for j := range i + 1 {
				off = max(off, math.Abs(p.l[i][j]-want.L[i][j]))
			}
		}
		if !(off < 1e-8) || p.error > 1e-10 {
			t.Errorf("the law at %v is off by %g, error %g", want.Center, off, p.error)
		}
	}
}

// A mode has as many starts as it can be seen from, known or not: those where it has more of
// the density than about exp(−30), and all where it has more than exp(−20).
//
// Mutant: starts that see a mode do not count.
func TestStartsSee(t *testing.T) {
	const d, few = 4, 64
	energy, ratio := wideAndNarrow(d)
	target, draw := boxed(t, energy, -6, 6, 1)
	plain, faintly, n := 0, 0, 0
	s, err := Find(t.Context(), target, func(x []float64) error {
		err := draw(x)
		if n++; n > few && ratio(x) > -20 {
			plain++
		}
		if n <= few || ratio(x) > -36 {
			faintly++
		}
		return err
	}, few, 2000, 1e6)
	if err != nil || len(s.Modes) != 2 {
		t.Fatalf("%d modes, %v", len(s.Modes), err)
	}
	if got := s.Modes[0].Starts; plain < 50 || got < plain || got > faintly {
		t.Errorf("%d starts, want %d to %d", got, plain, faintly)
	}
}

// Where a mode is not normal, the law at it tells nothing that is worth going after: of a law
// that is normal up to 4 standard deviations and falls off exponentially from there, nearly all
// starts see more than the normal law says, and the search takes no more than a tenth beyond
// what its descents of E take.
//
// Mutant: points that led to no mode teach next to nothing.
func TestHeavyTails(t *testing.T) {
	const d, n, core = 2, 2000, 4
	energy := potential.Func(d, func(grad, x []float64) float64 {
		r := math.Hypot(x[0], x[1])
		part := min(1, core/r)
		grad[0], grad[1] = part*x[0], part*x[1]
		return min(r, core) * (r - min(r, core)/2)
	})
	target, draw := boxed(t, energy, -60, 60, 1)
	var all []*descent
	s, err := Find(t.Context(), target, func(x []float64) error {
		err := draw(x)
		all = append(all, newDescent(&target, x))
		return err
	}, 64, n, 1e6)
	if err != nil || len(s.Modes) != 1 || s.Starts != len(all) {
		t.Fatalf("%d modes, %d starts, %v", len(s.Modes), s.Starts, err)
	}
	alone := &Search{}
	target.idle = &idle{}
	defer target.idle.close()
	for len(all) > 0 {
		part := all[:min(len(all), 100)]
		if _, err := alone.down(t.Context(), &target, part); err != nil {
			t.Fatal(err)
		}
		all = all[len(part):]
	}

	if s.Gradients > alone.Gradients*11/10 {
		t.Errorf("%d gradients, %d without", s.Gradients, alone.Gradients)
	}
}

// Of two normal laws, of which one is known, W is −log of the other with its weight and log of
// the known one with its, and where nothing is left it is that of rounding or +Inf.
//
// Mutants: slopes that know nothing of what is left; the weight of the law.
func TestResidual(t *testing.T) {
	whole := &Mixture{Parts: []Part{
		{Weight: 0.6, Center: []float64{-1, 1}, L: [][]float64{{0.8, 0}, {0.3, 0.6}}},
		{Weight: 0.4, Center: []float64{1, -1}, L: [][]float64{{0.5, 0}, {-0.3, 0.3}}},
	}}
	known, rest := whole.Parts[0], &Mixture{Parts: []Part{whole.Parts[1]}}
	rest.Parts[0].Weight = 1
	p := &normal{center: known.Center, l: known.L, log: math.Log(known.Weight)}
	w, r := (cover{p}).residual(whole).Evaluator(1, nil), rest.Evaluator(1, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	e, g, f, slope := make([]float64, 1), make([]float64, 2), make([]float64, 1), make([]float64, 2)
	for range 200 {
		x := []float64{3*rng.Float64() - 1, 3*rng.Float64() - 2}
		w.Eval(e, g, x)
		r.Eval(f, slope, x)
		// less the known law: −log(0.4 rest) + log(0.6 known)
		var of, by [1]float64
		back := make([]float64, 2)
		(&Mixture{Parts: []Part{{Weight: 1, Center: known.Center, L: known.L}}}).Evaluator(1, nil).Eval(by[:], back, x)
		of[0] = f[0] - math.Log(0.4) - by[0] + math.Log(0.6)
		if of[0] > 15 { // of which rounding leaves 1e-9
			continue
		}
		if !(math.Abs(e[0]-of[0]) < 1e-7) {
			t.Fatalf("at %v W is %g, want %g", x, e[0], of[0])
		}
		for j := range g {
			if want := slope[j] - back[j]; !(math.Abs(g[j]-want) < 1e-6*(1+math.Abs(want))) {
				t.Fatalf("at %v slope %d is %g, want %g", x, j, g[j], want)
			}
		}
	}
	w = (cover{p}).residual(&Mixture{Parts: []Part{known}}).Evaluator(1, nil)
	if w.Eval(e, g, []float64{3, 3}); e[0] < 20 {
		t.Errorf("of nothing W is %g", e[0])
	}
}
