package r2sgld

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

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

	traits    kernel.Traits // of the kernel
	mover     func(*kernel.Block) kernel.Mover
	potential potential.Potential // in the kernel's coordinates
	full      potential.Potential // likewise, over all data, for swaps; nil where potential will do
	domain    domain.Domain       // likewise; nil lets steps go

	toKernel    func(z, x []float64) // from the user's coordinates to the kernel's
	mirror      *domain.Mirror       // of the domain; nil is none
	independent bool                 // whether the hottest rung, at infinite temperature, is drawn afresh
}

// newRun checks p and s, every fault at once, and sets up the ladders.
func newRun(ctx context.Context, p Problem, s Settings) (*run, error) {
	if p.Potential == nil {
		return nil, errors.New("r2sgld: the problem has no potential")
	}
	s.Kernel = kernel.Or(s.Kernel)
	r := &run{problem: p, settings: s, traits: s.Traits(), threads: s.Threads}
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
	if s.FullEnergies {
		var noisy bool
		if r.full, noisy = potential.Exact(r.potential); !noisy || potential.EnergyNoise(r.potential) == 0 {
			r.full = nil
		} else if r.full == nil {
			return nil, errors.New("this potential does not know its energies without noise: let swaps see the noisy ones, with their variance estimated (swap: {variance: online})")
		}
	}
	if r.toKernel, err = r.kernelCoordinates(); err != nil {
		return nil, err
	}
	if err = errors.Join(r.reference(ctx), r.prepare(ctx)); err != nil {
		return nil, err
	}
	for i := range max(1, s.Ladders) {
		l, err := r.ladder(ctx, i)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("ladder %d: %w", i+1, err), r.close())
		}
		r.all = append(r.all, l)
	}
	if s.Resume != nil {
		err = r.restore(s.Resume)
	} else {
		err = r.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// close ends what evaluators keep outside of this program.
func (r *run) close() error {
	var errs []error
	for _, l := range r.all {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// costly is the number of points above which a uniform draw costs too much to be
// made in every iteration.
const costly = 20

// reference sees whether the rung at infinite temperature, if there is one, can be
// drawn afresh in every iteration. If not, it moves as the others do.
func (r *run) reference(ctx context.Context) error {
	tau := r.schedule.Temperature
	if !math.IsInf(tau[len(tau)-1], 1) {
		return nil
	}
	law, err := r.problem.Reference(ctx)
	if err != nil {
		return fmt.Errorf("the law of the hottest rung: %w", err)
	}
	r.independent = law.Tries() <= costly || r.problem.Base != nil
	return nil
}

// prepare finds what makes the movers.
func (r *run) prepare(ctx context.Context) (err error) {
	point := func(z []float64) error { return r.somewhere(ctx, z) }
	r.mover, err = r.settings.Kernel.Prepare(kernel.Target{Potential: r.potential, Domain: r.domain, Cap: r.settings.Cap, Point: point})
	return err
}

// somewhere writes a point at which a state may be, in the coordinates of the kernel.
func (r *run) somewhere(ctx context.Context, z []float64) error {
	x := make([]float64, len(z))
	switch s := r.settings; {
	case s.States != nil:
		copy(x, s.States[0][0])
	case s.Start != nil:
		copy(x, s.Start)
	default:
		if law, err := r.problem.Reference(ctx); err == nil { // else the origin
			if err := law.Draw(ctx, x, rand.New(rand.NewPCG(1, 1))); err != nil {
				return err
			}
		}
	}
	r.toKernel(z, x)
	return nil
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
	if n := len(p.ReportedNames()); n < d {
		return fmt.Errorf("the chart names %d coordinates of draws for %d of the potential", n, d)
	}
	if p.Domain != nil && p.Domain.Dim() != d {
		return fmt.Errorf("the domain has dimension %d, the potential %d", p.Domain.Dim(), d)
	}
	if s := r.settings.Start; s != nil && len(s) != d {
		return fmt.Errorf("the start has %d coordinates, the potential %d", len(s), d)
	}
	if s := r.settings.States; s != nil {
		if len(s) != max(1, r.settings.Ladders) {
			return fmt.Errorf("the states are those of %d ladders", len(s))
		}
		for i, l := range s {
			if len(l) != max(1, len(r.settings.Temperature)) {
				return fmt.Errorf("the states of ladder %d are those of %d rungs", i+1, len(l))
			}
			for _, x := range l {
				if len(x) != d {
					return fmt.Errorf("a state of ladder %d has %d coordinates, the potential %d", i+1, len(x), d)
				}
			}
		}
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
		if !(v > 0) || i > 0 && v <= tau[i-1] {
			errs = append(errs, fmt.Errorf("temperature %g of rung %d: temperatures must be positive and increase", v, i+1))
		}
	}
	if p := r.problem; math.IsInf(tau[len(tau)-1], 1) && (len(tau) == 1 || !p.HasReference() || p.Domain != nil && r.settings.Boundary == domain.Free) {
		errs = append(errs, errors.New("an infinite temperature, the uniform law, needs colder rungs and a bounded domain that reflects"))
	}
	r.schedule.StepSize, r.schedule.Temperature, r.schedule.Momentum = eta, tau, r.traits.Momentum
	return errors.Join(append(errs, r.kernel(), r.settings.Kernel.Validate())...)
}

// kernel checks that the kernel and what it is to work with go together.
func (r *run) kernel() error {
	s, base := r.settings, r.problem.Base != nil
	force := s.Penalty != nil && !s.Penalty.Distance
	if err := s.Kernel.Suits(kernel.Conditions{Rule: s.Boundary, Base: base, Force: force, Mirror: s.Mirror}); err != nil {
		return err
	}
	switch {
	case s.Mirror && (len(s.Temperature) > 1 || s.Whitening != nil || s.Penalty != nil || s.Inside):
		return errors.New("a mirror map goes with one rung, and without a whitening, a penalty and draws to leave out")
	case base && s.Mirror:
		return errors.New("a base law goes with SGLD and HMC")
	case s.Inside && (s.Boundary != domain.Free || r.problem.Domain == nil):
		return errors.New("only where steps leave a domain can draws outside it be left out: boundary rule free")
	}
	return nil
}

// lengths fills in the rest of the schedule.
func (r *run) lengths() error {
	s, c := r.settings, &r.schedule
	c.Iterations, c.BurnIn, c.Thin, c.Decay = s.Iterations, s.BurnIn, max(1, s.Thin), s.Decay
	if c.Iterations == 0 {
		c.Iterations = 10_000
	}
	switch {
	case s.Iterations < 0 || s.BurnIn < 0 || s.Thin < 0 || s.Ladders < 0 || s.MaxDraws < 0:
		return errors.New("iterations, burn-in, thinning, ladders and draws must not be negative")
	case c.BurnIn >= c.Iterations:
		return fmt.Errorf("a burn-in of %d leaves no draw of %d iterations", c.BurnIn, c.Iterations)
	}
	return errors.Join(c.Decay.Validate(), r.certifiable())
}

// boundary checks what concerns the wall.
func (r *run) boundary() error {
	s := r.settings
	if s.Penalty != nil && (!(s.Penalty.Strength > 0) || math.IsInf(s.Penalty.Strength, 0)) {
		return fmt.Errorf("penalty %g must be positive", s.Penalty.Strength)
	}
	if s.Penalty != nil && (s.Boundary != domain.Free || r.problem.Domain == nil) {
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
	if r.problem.Domain == nil || s.Boundary == domain.Free {
		return nil
	}
	if s.Start != nil && !r.problem.Domain.Contains(s.Start) {
		return fmt.Errorf("the start %v lies outside the domain", s.Start)
	}
	for i, l := range s.States {
		for _, x := range l {
			if !r.problem.Domain.Contains(x) {
				return fmt.Errorf("the state %v of ladder %d lies outside the domain", x, i+1)
			}
		}
	}
	return nil
}

// ladder sets up ladder i, its block still at the origin.
func (r *run) ladder(ctx context.Context, i int) (*ladder, error) {
	d, rungs := r.problem.Potential.Dim(), len(r.schedule.Temperature)
	l := &ladder{index: i, schedule: &r.schedule, block: kernel.NewBlock(rungs, d),
		streams: stream.New(r.settings.Seed, i), whitening: r.settings.Whitening, chart: r.problem.Chart, domain: r.problem.Reported(),
		draws: Draws{X: make([][]float64, rungs), Energy: make([][]float64, rungs)}, stride: 1, max: r.settings.MaxDraws,
		tally: make([]domain.Tally, rungs), corners: newCorners(rungs)}
	for j := range rungs {
		l.noise = append(l.noise, l.streams.Of(j, stream.Kernel))
	}
	l.toKernel, l.fresh, l.names = r.toKernel, -1, r.problem.ReportedNames()
	l.mirror, l.inside, l.traits = r.mirror, r.settings.Inside, r.traits
	if r.independent {
		var err error
		if l.law, err = r.problem.Reference(ctx); err != nil {
			return nil, err
		}
		l.fresh = rungs - 1
	}
	if r.problem.Base != nil {
		l.block.WithBase()
	}
	l.uniform, l.watch = l.streams.Of(0, stream.Swap), r.watch(rungs, d)
	var err error
	if l.exchange, err = exchange.New(rungs, r.settings.Swap); err != nil {
		return nil, err
	}
	if err = r.workspace(l); err != nil {
		return nil, err
	}
	if r.settings.Certificate {
		if err = r.certify(l); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	if r.settings.Recorder != nil {
		l.recorder = r.settings.Recorder(i)
	}
	if r.settings.Keeper != nil {
		l.keeper = r.settings.Keeper(i)
	}
	return l, nil
}

// target is what the kernel moves on: potential and domain (nil lets steps go) in
// its coordinates.
func (r *run) target() (u potential.Potential, d domain.Domain, err error) {
	s := r.settings
	u, d = r.problem.Potential, r.problem.Domain
	switch {
	case s.Penalty == nil:
	case s.Penalty.Distance:
		project, err := domain.Projection(d)
		if err != nil {
			return nil, nil, err
		}
		u = potential.Distance(u, s.Penalty.Strength, project)
	default:
		inside := d.Contains
		u = potential.Penalised(u, s.Penalty.Strength, func(x []float64) bool { return !inside(x) })
	}
	if s.Mirror {
		if d == nil {
			return nil, nil, errors.New("a mirror map needs a domain")
		}
		if r.mirror, err = domain.NewMirror(d); err != nil {
			return nil, nil, err
		}
		u, d = potential.Mirrored(u, r.mirror, r.schedule.Temperature[0]), nil
	}
	if s.Boundary == domain.Free {
		d = nil
	}
	if w := s.Whitening; w != nil {
		u = potential.Affine(u, w.Center, w.L)
		if d != nil {
			d, err = domain.Affine(d, w.Center, w.Matrix())
		}
	}
	return u, d, err
}

// own gives the ladder a workspace of its own, once: the goroutine that first
// runs it asks for it anew, so that no two ladders write to one cache line.
func (l *ladder) own(r *run) error {
	if l.owned {
		return nil
	}
	l.owned = true
	err := errors.Join(l.close(), r.workspace(l))
	for s := l.shadow; s != nil; s = s.shadow {
		err = errors.Join(err, r.workspace(&s.ladder))
	}
	return err
}

// workspace gives l all that it works with.
func (r *run) workspace(l *ladder) (err error) {
	n, rungs := r.problem.Potential.Dim(), l.block.R
	l.block = l.block.Clone()
	at := kernel.NewAt(rungs)
	if l.at != nil { // momenta belong to it
		copy(at.Spread, l.at.Spread)
	}
	l.at = at
	l.tally = slices.Clone(l.tally)
	l.corners = slices.Clone(l.corners)
	shown := len(r.problem.ReportedNames())
	l.from, l.to, l.point = make([]float64, n), make([]float64, n), make([]float64, shown)
	mover := r.mover(l.block)
	if l.mover != nil {
		for i, v := range l.mover.Numbers() {
			*mover.Numbers()[i] = slices.Clone(*v)
		}
		copy(mover.Moves(), l.mover.Moves())
	}
	l.mover = mover
	if l.block.V != nil {
		l.v = make([]float64, n)
	}
	l.spread, l.rung = make([]float64, rungs), make([]int, rungs)
	l.rows, l.energies = make([][]float64, rungs), make([]float64, rungs)
	for i := range l.rows {
		l.rows[i] = make([]float64, shown)
	}
	l.slope = make([]float64, rungs*n)
	if r.domain != nil {
		rule := r.settings.Boundary
		if rule == "" {
			rule = domain.Specular
		}
		if l.reflector, err = domain.NewReflector(r.domain, rule, r.settings.Cap); err != nil {
			return err
		}
	}
	if b := r.problem.Base; b != nil {
		u := b.Potential
		if w := r.settings.Whitening; w != nil {
			u = potential.Affine(u, w.Center, w.L)
		}
		l.base = u.Evaluator(rungs, nil)
	}
	l.potential = r.potential.Evaluator(rungs, l.streams) // last: what is open is closed with the ladder
	if r.full != nil {
		l.full = r.full.Evaluator(rungs, l.streams)
	}
	return nil
}

// Matrix is L.
func (w *Whitening) Matrix() *mat.Dense {
	l := mat.NewDense(len(w.L), len(w.L), nil)
	for i, row := range w.L {
		l.SetRow(i, row)
	}
	return l
}

// Inverse returns the map from x to z = L⁻¹(x − Center). It fails if L is
// singular.
func (w *Whitening) Inverse() (func(z, x []float64), error) {
	var inverse mat.Dense
	// A warning of a large condition number is no fault: units may differ widely.
	var condition mat.Condition
	if err := inverse.Inverse(w.Matrix()); err != nil && (!errors.As(err, &condition) || math.IsInf(float64(condition), 1)) {
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

// kernelCoordinates returns the map from x to the coordinates that the kernel
// moves in.
func (r *run) kernelCoordinates() (func(z, x []float64), error) {
	if r.mirror != nil {
		return r.mirror.Dual, nil
	}
	if w := r.settings.Whitening; w != nil {
		return w.Inverse()
	}
	return func(z, x []float64) { copy(z, x) }, nil
}
