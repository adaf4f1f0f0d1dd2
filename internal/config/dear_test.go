package config

import (
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/potential"
)

// The first round of method auto is shorter where gradients are dear.
//
// Mutants: as long as others; as long with programs as with models; as long without bias as with.
func TestDearGradients(t *testing.T) {
	curved, linear := &dynamics.Problem{}, &dynamics.Problem{Linear: true}
	for name, c := range map[string]struct {
		run                Run
		langevin, unbiased int
	}{
		"a formula":         {Run{Resolved: Resolved{Potential: "x^2"}}, 100_000, 1000},
		"another program":   {Run{Resolved: Resolved{Potential: &Command{}}}, 20_000, 2000},
		"a Stan program":    {Run{Resolved: Resolved{Potential: &Stan{}}}, 20_000, 2000},
		"a model":           {Run{Model: curved}, 20_000, 500},
		"of linear systems": {Run{Model: linear}, 100_000, 1000},
	} {
		if l, u := c.run.firstRound(false), c.run.firstRound(true); l != c.langevin || u != c.unbiased {
			t.Errorf("%s: %d and %d iterations, want %d and %d", name, l, u, c.langevin, c.unbiased)
		}
	}
}

// Method auto moves by kernel hmc where another program computes energies, unless these carry noise or walls
// are sought, or a kernel or a certificate is asked for.
//
// Mutants: hmc for every formula; for no program; for one whose energies carry noise; between walls that
// are sought; in place of sgld that is asked for; where a certificate is.
func TestKernelOfPrograms(t *testing.T) {
	quartic, err := potential.Formula("x^4 + y^4", "x", "y")
	if err != nil {
		t.Fatal(err)
	}
	square, err := domain.NewBox([]float64{-1, -1}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	sought := struct{ domain.Domain }{square} // which does not say that it knows its walls exactly
	for name, c := range map[string]struct {
		of   any
		p    r2sgld.Problem
		s    sampler.Sampler
		want string
	}{
		"a formula":             {"x^4 + y^4", r2sgld.Problem{Potential: quartic, Domain: square}, sampler.Sampler{}, ""},
		"a Stan program":        {&Stan{}, r2sgld.Problem{Potential: quartic}, sampler.Sampler{}, sampler.Exact},
		"another program":       {&Command{}, r2sgld.Problem{Potential: quartic, Domain: square}, sampler.Sampler{}, sampler.Exact},
		"one with noise":        {&Command{}, r2sgld.Problem{Potential: potential.Noisy(quartic, 0.1, 0.1)}, sampler.Sampler{}, ""},
		"walls that are sought": {&Stan{}, r2sgld.Problem{Potential: quartic, Domain: sought}, sampler.Sampler{}, ""},
		"sgld":                  {&Stan{}, r2sgld.Problem{Potential: quartic}, sampler.Sampler{Kernel: sampler.Langevin}, sampler.Langevin},
		"a certificate":         {&Stan{}, r2sgld.Problem{Potential: quartic}, sampler.Sampler{Certificate: true}, ""},
	} {
		methods := sampler.Methods()
		l := &loader{Choice: &sampler.Choice{Method: methods[slices.IndexFunc(methods, sampler.Method.Auto)], Sampler: c.s}}
		run := &Run{Problem: c.p, Resolved: Resolved{Potential: c.of}}
		if l.chooseKernel(run); l.Sampler.Kernel != c.want || len(run.Warnings) > 0 {
			t.Errorf("%s: kernel %q, want %q; %v", name, l.Sampler.Kernel, c.want, run.Warnings)
		}
	}
}
