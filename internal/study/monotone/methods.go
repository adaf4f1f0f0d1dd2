package monotone

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/tune"
)

// The methods, as tables name them.
const (
	exact          = "exact"
	reflected      = "r2SGLD"
	reparametrised = "reparametrised"
	projected      = "projected"
	clipped        = "clipped"
	freeExact      = "free, exact"
	freeChain      = "free"
	exactEach      = "exact, each" // the last two of nets that are told the dose of each chemical
	freeEach       = "free, exact, each"
)

// methods are all of them, in the order of tables.
func methods() []string {
	return []string{exact, reflected, reparametrised, projected, clipped, freeChain, freeExact, exactEach, freeEach}
}

// colour is what draws a method in figures.
func colour(method string) string {
	return map[string]string{exact: "r-hmc", reflected: "r2sgld", reparametrised: "mirror-sgld", projected: "projected-sgld",
		clipped: "rejection-sgld", freeExact: "sghmc", freeChain: "resgld", exactEach: "r-sgdm", freeEach: "sgdm"}[method]
}

// holds reports whether the draws of a method meet the constraint.
func holds(method string) bool { return !strings.HasPrefix(method, freeChain) }

// ladders is how many independent ones a method runs, for R̂.
const ladders = 4

// share is a step of Langevin dynamics times the largest mean curvature: twice the relative bias
// that it gives to the variance of the stiffest direction.
const share = 0.1

// A gait is the steps of Langevin dynamics on a law: in coordinates divided by Scale, of which
// each has the mean curvature 1 at temperature 1, Diffusion of a rung is ητ, share over the
// largest mean curvature there.
type gait struct {
	Scale, Diffusion []float64
}

// gaitOf finds the gait of a law at draws of rungs of inverse temperatures beta, by the mean
// product of slopes, which is the mean curvature and knows of walls.
func gaitOf(l *law, beta []float64, draws [][][]float64) (p gait, err error) {
	eval, prior := l.Potential.Evaluator(1, nil), l.Base.Potential.Evaluator(1, nil)
	g, g0, u := make([]float64, dim), make([]float64, dim), make([]float64, 1)
	for r, b := range beta {
		f := mat.NewSymDense(dim, nil)
		for _, x := range draws[r] {
			eval.Eval(u, g, x)
			prior.Eval(u, g0, x)
			for i := range g {
				g[i] = b*g[i] + g0[i]
			}
			f.SymRankOne(f, 1/float64(len(draws[r])), mat.NewVecDense(dim, g))
		}
		if r == 0 {
			for i := range dim {
				p.Scale = append(p.Scale, 1/math.Sqrt(f.At(i, i)))
			}
		}
		for i := range dim {
			for j := range i + 1 {
				f.SetSym(i, j, f.At(i, j)*p.Scale[i]*p.Scale[j])
			}
		}
		var e mat.EigenSym
		if !e.Factorize(f, false) {
			return p, fmt.Errorf("the curvature of rung %d has no eigenvalues", r+1)
		}
		p.Diffusion = append(p.Diffusion, share/slices.Max(e.Values(nil)))
	}
	return p, nil
}

// A reference is what exact kernels made of one law of a repetition.
type reference struct {
	Beta  []float64       // of the ladder, cold first
	Paces map[string]gait // of Langevin dynamics, by method
	Marks map[string]outcome
}

// repetition draws the rows of a repetition.
func (e effort) repetition(of form, seed uint64, k int) *split {
	return splitOf(of, rand.New(rand.NewPCG(study.SeedOf(seed, "monotone rows"), uint64(k))), e.learn)
}

// A posing is a law that exact kernels sample.
type posing struct {
	method string
	form   form
	free   bool
}

// posings are all of them.
func posings() []posing {
	return []posing{{exact, mixture, false}, {freeExact, mixture, true}, {exactEach, each, false}, {freeEach, each, true}}
}

// refer runs exact kernels on a law of a repetition. Of nets that are told of mixtures it finds what
// Langevin dynamics needs, and clips the draws of the free law.
func (e effort) refer(ctx context.Context, seed uint64, k int, p posing) (out reference, err error) {
	s := e.repetition(p.form, seed, k)
	l := free(p.form, s.train)
	if p.free {
		e.exact *= e.longer
	} else if l, err = constrained(p.form, s.train); err != nil {
		return out, err
	}
	res, beta, err := l.exactly(ctx, study.SeedOf(seed, fmt.Sprint("monotone ", p.method, k)), e)
	if err != nil {
		return out, fmt.Errorf("%s, repetition %d: %w", p.method, k+1, err)
	}
	out = reference{beta, map[string]gait{}, map[string]outcome{}}
	chains := chainsOf(l, res)
	out.Marks[p.method] = e.judge(s, chains, k)
	if p.form == each {
		return out, nil
	}
	from, end := p.form.walls()
	if !p.free {
		if out.Paces[reflected], err = gaitOf(l, beta, rungDraws(res, 0, 0)); err == nil {
			out.Paces[reparametrised], err = gaitOf(logarithmic(p.form, s.train), beta, rungDraws(res, from, end))
		}
		return out, err
	}
	out.Paces[freeChain], err = gaitOf(l, beta, rungDraws(res, 0, 0))
	for _, c := range chains {
		for _, x := range c {
			clip(p.form, x)
		}
	}
	out.Marks[clipped] = e.judge(s, chains, k)
	return out, err
}

// clip takes negative weights to 0.
func clip(of form, x []float64) {
	from, end := of.walls()
	for i := from; i < end; i++ {
		x[i] = max(x[i], 0)
	}
}

// errWarm ends a warm-up.
var errWarm = errors.New("the warm-up has had its rounds")

// exactly samples a law by reflected Hamiltonian Monte Carlo with swaps, on a ladder from the
// priors that the warm-up finds.
func (l *law) exactly(ctx context.Context, seed uint64, e effort) (*r2sgld.Result, []float64, error) {
	s := r2sgld.Settings{Seed: seed, Ladders: ladders, Threads: 1, Kernel: kernel.HMC{Leapfrog: 10}}
	var f *tune.Found
	_, err := tune.Tune(ctx, l.Problem, s, nil, func(found *tune.Found) error {
		if f = found; len(f.Rounds) == e.rounds {
			return errWarm
		}
		return nil
	})
	if err != nil && !errors.Is(err, errWarm) {
		return nil, nil, err
	}
	s.Temperature, s.StepSize = onLadder(f.Beta, f.Diffusion)
	s.Whitening, s.States, s.Kernel = f.Whitening, f.States, kernel.WithSteps(s.Kernel, f.Leapfrog)
	s.BurnIn = e.exact / 5
	s.Iterations, s.Thin = e.exact+s.BurnIn, max(1, e.exact/e.keep)
	res, err := r2sgld.Sample(ctx, l.Problem, s)
	return res, f.Beta, err
}

// onLadder are temperatures and step sizes of rungs of inverse temperatures beta, the last of
// which may be 0.
func onLadder(beta, diffusion []float64) (temperature, step []float64) {
	for i, b := range beta {
		temperature = append(temperature, 1/b)
		if b == 0 {
			b = 1
		}
		step = append(step, diffusion[i]*b)
	}
	return temperature, step
}

// rungDraws are draws of every rung, the parameters from and before which in logarithms.
func rungDraws(res *r2sgld.Result, from, end int) [][][]float64 {
	out := make([][][]float64, len(res.Ladders[0].X))
	for _, l := range res.Ladders {
		for r := range l.X {
			for x := range slices.Chunk(l.X[r], dim) {
				x = slices.Clone(x)
				for i := from; i < end; i++ {
					x[i] = math.Log(x[i])
				}
				out[r] = append(out[r], x)
			}
		}
	}
	return out
}

// chainsOf are the parameters of the cold draws of every ladder.
func chainsOf(l *law, res *r2sgld.Result) [][][]float64 {
	out := make([][][]float64, len(res.Ladders))
	for k, d := range res.Ladders {
		for x := range slices.Chunk(slices.Clone(d.X[0]), dim) {
			out[k] = append(out[k], l.parameters(x))
		}
	}
	return out
}

// A walk is Langevin dynamics with swaps.
type walk struct {
	method string
	paced  string // whose gait it has
	free   bool
	rule   domain.Rule
}

// walks are all of them.
func walks() []walk {
	return []walk{{reflected, reflected, false, domain.Specular}, {projected, reflected, false, domain.Project},
		{reparametrised, reparametrised, false, domain.Specular}, {freeChain, freeChain, true, domain.Specular}}
}

// run runs a walk on the ladder of a reference, from draws of the priors.
func (e effort) run(ctx context.Context, seed uint64, k int, w walk, of *reference) (out outcome, err error) {
	s := e.repetition(mixture, seed, k)
	var l *law
	switch {
	case w.free:
		l = free(mixture, s.train)
		e.walk *= e.further
	case w.method == reparametrised:
		l = logarithmic(mixture, s.train)
	default:
		if l, err = constrained(mixture, s.train); err != nil {
			return out, err
		}
	}
	p := of.Paces[w.paced]
	set := r2sgld.Settings{Seed: study.SeedOf(seed, fmt.Sprint("monotone ", w.paced, k)), Ladders: ladders, Threads: 1, Boundary: w.rule,
		Kernel: kernel.Langevin{}, Iterations: e.walk, BurnIn: e.walk / 5, Thin: max(1, (e.walk-e.walk/5)/e.keep)}
	set.Temperature, set.StepSize = onLadder(of.Beta, p.Diffusion)
	set.Whitening = &r2sgld.Whitening{Center: make([]float64, dim), L: make([][]float64, dim)}
	for i, v := range p.Scale {
		set.Whitening.L[i] = make([]float64, dim)
		set.Whitening.L[i][i] = v
	}
	res, err := r2sgld.Sample(ctx, l.Problem, set)
	if err != nil {
		return out, fmt.Errorf("%s, repetition %d: %w", w.method, k+1, err)
	}
	return e.judge(s, chainsOf(l, res), k), nil
}
