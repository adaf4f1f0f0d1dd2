package r2sgld

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A run is a problem and its settings with every default filled in.
type run struct {
	problem  Problem
	settings Settings
	schedule kernel.Schedule
	threads  int
	all      []*ladder

	potential potential.Potential // in the kernel's coordinates
	domain    domain.Domain       // likewise; nil lets steps go
}

// newRun checks p and s, every fault at once, and sets up the ladders.
func newRun(p Problem, s Settings) (*run, error) {
	if p.Potential == nil {
		return nil, errors.New("r2sgld: the problem has no potential")
	}
	r := &run{problem: p, settings: s, threads: s.Threads}
	if r.threads <= 0 {
		r.threads = runtime.GOMAXPROCS(0)
	}
	shape := r.names()
	err := errors.Join(shape, r.rungs(), r.lengths())
	if shape == nil {
		err = errors.Join(err, r.boundary())
	}
	if err != nil {
		return nil, err
	}
	if r.potential, r.domain, err = r.target(); err != nil {
		return nil, err
	}
	for i := range max(1, s.Ladders) {
		l, err := r.ladder(i)
		if err != nil {
			return nil, fmt.Errorf("ladder %d: %w", i+1, err)
		}
		r.all = append(r.all, l)
	}
	if s.Resume != nil {
		return r, r.restore(s.Resume)
	}
	return r, r.start()
}

// names checks the dimensions of the problem and names its coordinates.
func (r *run) names() error {
	p := &r.problem
	d := p.Potential.Dim()
	if p.Names == nil {
		for j := range d {
			p.Names = append(p.Names, fmt.Sprintf("x%d", j+1))
		}
	}
	if len(p.Names) != d {
		return fmt.Errorf("%d names for %d coordinates", len(p.Names), d)
	}
	if p.Domain != nil && p.Domain.Dim() != d {
		return fmt.Errorf("the domain has dimension %d, the potential %d", p.Domain.Dim(), d)
	}
	if s := r.settings.Start; s != nil && len(s) != d {
		return fmt.Errorf("the start has %d coordinates, the potential %d", len(s), d)
	}
	return nil
}

// rungs fills in step sizes and temperatures.
func (r *run) rungs() error {
	tau, eta := r.settings.Temperature, r.settings.StepSize
	if tau == nil {
		tau = []float64{1}
	}
	if eta == nil {
		eta = []float64{1e-3}
	}
	if len(eta) == 1 {
		for range len(tau) - 1 {
			eta = append(eta, eta[0])
		}
	}
	var errs []error
	if len(eta) != len(tau) {
		errs = append(errs, fmt.Errorf("%d step sizes for %d temperatures", len(eta), len(tau)))
	}
	for i, v := range eta {
		if !(v > 0) || math.IsInf(v, 0) {
			errs = append(errs, fmt.Errorf("step size %g of rung %d must be positive", v, i+1))
		}
	}
	for i, v := range tau {
		if !(v > 0) || math.IsInf(v, 0) || i > 0 && v <= tau[i-1] {
			errs = append(errs, fmt.Errorf("temperature %g of rung %d: temperatures must be positive and increase", v, i+1))
		}
	}
	r.schedule.StepSize, r.schedule.Temperature = eta, tau
	return errors.Join(errs...)
}

// lengths fills in the rest of the schedule.
func (r *run) lengths() error {
	s, c := r.settings, &r.schedule
	c.Iterations, c.BurnIn, c.Thin, c.Decay = s.Iterations, s.BurnIn, max(1, s.Thin), s.Decay
	if c.Iterations == 0 {
		c.Iterations = 10_000
	}
	switch {
	case s.Iterations < 0 || s.BurnIn < 0 || s.Thin < 0 || s.Ladders < 0:
		return errors.New("iterations, burn-in, thinning and ladders must not be negative")
	case c.BurnIn >= c.Iterations:
		return fmt.Errorf("a burn-in of %d leaves no draw of %d iterations", c.BurnIn, c.Iterations)
	}
	return c.Decay.Validate()
}

// boundary checks what concerns the wall.
func (r *run) boundary() error {
	s := r.settings
	if !(s.Penalty >= 0) || math.IsInf(s.Penalty, 0) {
		return fmt.Errorf("penalty %g must not be negative", s.Penalty)
	}
	if s.Penalty > 0 && (s.Boundary != domain.Free || r.problem.Domain == nil) {
		return errors.New("a penalty needs a domain and the boundary rule free")
	}
	if w := s.Whitening; w != nil {
		d := r.problem.Potential.Dim()
		square := len(w.Center) == d && len(w.L) == d
		for _, row := range w.L {
			square = square && len(row) == d
		}
		if !square {
			return fmt.Errorf("the whitening is not of dimension %d", d)
		}
	}
	if s.Start != nil && r.problem.Domain != nil && s.Boundary != domain.Free && !r.problem.Domain.Contains(s.Start) {
		return fmt.Errorf("the start %v lies outside the domain", s.Start)
	}
	return nil
}

// ladder sets up ladder i, its block still at the origin.
func (r *run) ladder(i int) (*ladder, error) {
	d, rungs := r.problem.Potential.Dim(), len(r.schedule.Temperature)
	l := &ladder{index: i, schedule: &r.schedule, block: kernel.NewBlock(rungs, d),
		streams: stream.New(r.settings.Seed, i), whitening: r.settings.Whitening, domain: r.problem.Domain,
		draws: Draws{X: make([][]float64, rungs), Energy: make([][]float64, rungs)},
		tally: make([]domain.Tally, rungs)}
	for j := range rungs {
		l.noise = append(l.noise, l.streams.Of(j, stream.Kernel))
	}
	l.uniform = l.streams.Of(0, stream.Swap)
	var err error
	if l.exchange, err = exchange.New(rungs, r.settings.Swap); err != nil {
		return nil, err
	}
	if err = r.workspace(l); err != nil {
		return nil, err
	}
	if r.settings.Recorder != nil {
		l.recorder = r.settings.Recorder(i)
	}
	return l, nil
}

// target is what the kernel moves on: potential and domain (nil lets steps go) in
// its coordinates.
func (r *run) target() (u potential.Potential, d domain.Domain, err error) {
	s := r.settings
	u, d = r.problem.Potential, r.problem.Domain
	if s.Penalty > 0 {
		inside := d.Contains
		u = potential.Penalised(u, s.Penalty, func(x []float64) bool { return !inside(x) })
	}
	if s.Boundary == domain.Free {
		d = nil
	}
	if w := s.Whitening; w != nil {
		u = potential.Affine(u, w.Center, w.L)
		if d != nil {
			d, err = domain.Affine(d, w.Center, w.matrix())
		}
	}
	return u, d, err
}

// workspace gives l all that it works with, of its own. The goroutine that runs
// a ladder asks for it anew, so that no two of them write to one cache line.
func (r *run) workspace(l *ladder) (err error) {
	n := r.problem.Potential.Dim()
	l.block = l.block.Clone()
	l.at = kernel.NewAt(l.block.R)
	l.tally = append([]domain.Tally(nil), l.tally...)
	l.from, l.to = make([]float64, n), make([]float64, n)
	l.potential = r.potential.Evaluator(l.block.R, l.streams)
	if r.domain != nil {
		rule := r.settings.Boundary
		if rule == "" {
			rule = domain.Specular
		}
		l.reflector, err = domain.NewReflector(r.domain, rule, r.settings.Cap)
	}
	return err
}

// start puts every replica of every ladder where it begins and evaluates it.
func (r *run) start() error {
	fill := func(x []float64, _ *rand.Rand) error { copy(x, r.settings.Start); return nil }
	if r.settings.Start == nil {
		d := r.problem.Domain
		if d == nil {
			return errors.New("the domain is all of R^d: give a starting point")
		}
		uniform, err := domain.Uniform(d)
		if err != nil {
			return fmt.Errorf("no uniform start: %w", err)
		}
		fill = uniform.Draw
	}
	toKernel, err := r.kernelCoordinates()
	if err != nil {
		return err
	}
	for _, l := range r.all {
		if err := l.start(fill, toKernel); err != nil {
			return fmt.Errorf("ladder %d: %w", l.index+1, err)
		}
	}
	return nil
}

// start draws the replicas' states, anew (at most 1000 times) as long as an
// energy is not finite, and evaluates them.
func (l *ladder) start(fill func([]float64, *rand.Rand) error, toKernel func(z, x []float64)) error {
	b := l.block
	z := make([]float64, b.D)
	place := func(i int) error {
		if err := fill(l.from, &l.streams.Of(i, stream.Start).Rand); err != nil {
			return err
		}
		toKernel(z, l.from)
		for j, v := range z {
			b.X[j*b.R+i] = v
		}
		return nil
	}
	for i := range b.R {
		if err := place(i); err != nil {
			return err
		}
	}
	for range 1000 {
		l.potential.Eval(b.Energy, b.Grad, b.X)
		i := b.NotFinite()
		if i < 0 {
			return nil
		}
		if err := place(i); err != nil {
			return err
		}
	}
	i := b.NotFinite()
	return fmt.Errorf("the energy or its gradient is not finite at the start %v: start elsewhere (sampler.init), or keep the domain away from there", append([]float64(nil), l.original(b.State(z, i))...))
}

// matrix is L.
func (w *Whitening) matrix() *mat.Dense {
	l := mat.NewDense(len(w.L), len(w.L), nil)
	for i, row := range w.L {
		l.SetRow(i, row)
	}
	return l
}

// kernelCoordinates returns the map from x to the coordinates that the kernel
// moves in.
func (r *run) kernelCoordinates() (func(z, x []float64), error) {
	w := r.settings.Whitening
	if w == nil {
		return func(z, x []float64) { copy(z, x) }, nil
	}
	var inverse mat.Dense
	// A warning of a large condition number is no fault: units may differ widely.
	var condition mat.Condition
	if err := inverse.Inverse(w.matrix()); err != nil && (!errors.As(err, &condition) || math.IsInf(float64(condition), 1)) {
		return nil, fmt.Errorf("the whitening is singular: %w", err)
	}
	return func(z, x []float64) {
		for i := range z {
			z[i] = 0
			for j := range x {
				z[i] += inverse.At(i, j) * (x[j] - w.Center[j])
			}
		}
	}, nil
}

func (r *run) result() *Result {
	res := &Result{Names: r.problem.Names}
	for _, l := range r.all {
		res.Ladders = append(res.Ladders, Ladder{Draws: l.draws, Iterations: l.done, Resumed: l.begun, Swaps: l.exchange.Statistics(), Tally: l.tally})
	}
	return res
}
