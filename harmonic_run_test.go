package r2sgld_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// leaning is a Gaussian that leans on the walls of a box, on a ladder from τ = 1 to the
// uniform law, whose third rung is so hot that its paths are shortened.
func leaning() (r2sgld.Problem, r2sgld.Settings) {
	box := must(domain.NewBox([]float64{0, -1, 0}, []float64{1, 1, 2}))
	u := quadratic([]float64{-1, 0.5, 3}, [][]float64{{4, 1, 0}, {1, 2, 0.5}, {0, 0.5, 3}})
	return r2sgld.Problem{Potential: u, Domain: box},
		r2sgld.Settings{Seed: 4, Ladders: 4, Iterations: 1500, BurnIn: 200, Temperature: []float64{1, 5, 1e5, infinity},
			Kernel: kernel.Harmonic{}}
}

// Every rung of a ladder of kernel Harmonic has its law: means and mean squares of the
// coordinates over 48 independent ladders against a lattice (|t| < 6.3, 1e-7 for each
// of 24), whitened and not. It kills: hot rungs with the velocities of the coldest,
// walls in the coordinates of draws where the kernel moves in others.
func TestHarmonicRuns(t *testing.T) {
	pace.Slow(t)
	p, s := leaning()
	want := lattice3(p, 300_000, s.Temperature)
	s.Ladders, s.Iterations, s.StepSize = 48, 2000, []float64{0.1}
	for name, w := range map[string]*r2sgld.Whitening{
		"plain":    nil,
		"whitened": {Center: []float64{0.5, 0, 1}, L: [][]float64{{1, 0.1, 0}, {0.3, 0.8, 0}, {0, 0.2, 2}}},
	} {
		s.Whitening = w
		res := sample(t, p, s)
		if z, what := want.score(res); !(z < 6.3) {
			t.Errorf("%s: %s is off by %.1f standard errors", name, what, z)
		}
		if n := res.Tally(0); n.Reflections == 0 || n.Fallbacks > 0 || n.Outside > 0 {
			t.Errorf("%s: the cold rung counts %+v", name, n)
		}
		if res.Acceptance() != nil || !s.Unbiased() {
			t.Errorf("%s: acceptance %v of a kernel that has none", name, res.Acceptance())
		}
	}
}

// lattice3 is [lattice] in three dimensions.
func lattice3(p r2sgld.Problem, n int, temperature []float64) law {
	lo, hi := domain.BoundsOf(p.Domain, 3)
	u := p.Potential.Evaluator(1, nil)
	l := law{p: p}
	x, energy, grad := make([]float64, 3), make([]float64, 1), make([]float64, 3)
	sums, mass := make([][6]float64, len(temperature)), make([]float64, len(temperature))
	for k := range n {
		for j, a := range []float64{0.8191725133961645, 0.6710436067037893, 0.5497004779019703} {
			_, f := math.Modf(float64(k) * a)
			x[j] = lo[j] + f*(hi[j]-lo[j])
		}
		u.Eval(energy, grad, x)
		for r, tau := range temperature {
			w := math.Exp(-energy[0] / tau)
			mass[r] += w
			for j, v := range x {
				sums[r][j] += w * v
				sums[r][3+j] += w * v * v
			}
		}
	}
	for r := range temperature {
		var fs []functional
		for j := range 3 {
			fs = append(fs, functional{"x", func(x []float64, _ float64) float64 { return x[j] }, sums[r][j] / mass[r]},
				functional{"x²", func(x []float64, _ float64) float64 { return x[j] * x[j] }, sums[r][3+j] / mass[r]})
		}
		l.rungs = append(l.rungs, fs)
	}
	return l
}

// A run of kernel Harmonic that is stopped and resumed again and again, on any
// number of threads, has the draws of the whole run, times of travel included.
func TestHarmonicResumes(t *testing.T) {
	p, s := leaning()
	want := sample(t, p, s)
	for _, at := range []int{1, 150, 200, 900} {
		var states [][]byte
		s.Resume, s.Recorder = nil, func(int) r2sgld.Recorder { return stopper(at) }
		s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, b [][]byte) error { states = b; return nil }}
		if _, err := r2sgld.Sample(t.Context(), p, s); err == nil {
			t.Fatal("the run did not stop")
		}
		s.Resume, s.Recorder, s.Checkpoint, s.Threads = states, nil, nil, 1+at%3
		got := sample(t, p, s)
		for i, l := range got.Ladders {
			if !reflect.DeepEqual(l.X, want.Ladders[i].X) || !reflect.DeepEqual(l.Energy, want.Ladders[i].Energy) {
				t.Errorf("stopped at %d: ladder %d has other draws", at, i+1)
			}
		}
		states[0] = states[0][:len(states[0])-9]
		if _, err := r2sgld.Sample(t.Context(), p, s); err == nil {
			t.Error("a state cut short was taken")
		}
	}
}

// What kernel Harmonic cannot do is said.
// TestHarmonicNoticesSlits runs the harmonic kernel on Gaussians with a narrow slit, which
// none of the points meets that it is held against before the run, but draws do: 40 of them
// at least are expected in the narrowest. It kills: energies that no draw is held against.
func TestHarmonicNoticesSlits(t *testing.T) {
	for _, slit := range []string{
		"-7*(sign(x-1) - sign(x-1.01))/2",   // a jump: no slope differs
		"0.01*(sign(x-1) - sign(x-1.01))/2", // hardly any
		"-6*exp(-((x-1)/0.001)^2)",          // a smooth well
	} {
		u, err := potential.Formula("x^2/2 + "+slit, "x")
		if err != nil {
			t.Fatal(err)
		}
		p := r2sgld.Problem{Potential: u}
		s := r2sgld.Settings{Seed: 4, Ladders: 2, Iterations: 20_000, Temperature: []float64{1, 5}, Start: []float64{0},
			Kernel: kernel.Harmonic{}}
		if err := r2sgld.Check(t.Context(), p, s); err != nil {
			t.Fatalf("%s is seen before the run: %v", slit, err)
		}
		if _, err := r2sgld.Sample(t.Context(), p, s); err == nil || !strings.Contains(err.Error(), "not quadratic") {
			t.Errorf("%s: %v", slit, err)
		}
	}
}

func TestHarmonicRefuses(t *testing.T) {
	for want, change := range map[string]func(*r2sgld.Problem, *r2sgld.Settings){
		"not quadratic": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Potential, p.Domain = multimodal, flower
		},
		"no set of linear inequalities and convex quadratic ones": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Potential, p.Domain = quadratic([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), flower
		},
		"exclude each other":            func(p *r2sgld.Problem, s *r2sgld.Settings) { s.Mirror = true },
		"boundary refuse is not for it": func(p *r2sgld.Problem, s *r2sgld.Settings) { s.Boundary = domain.Refuse },
		"exact kernels have none":       func(p *r2sgld.Problem, s *r2sgld.Settings) { s.Certificate = true },
		"below π":                       func(p *r2sgld.Problem, s *r2sgld.Settings) { s.Kernel = kernel.Harmonic{Time: 4} },
	} {
		p, s := leaning()
		change(&p, &s)
		if err := r2sgld.Check(t.Context(), p, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
