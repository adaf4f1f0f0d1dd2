package r2sgld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

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

	frame       frame // what these coordinates are
	independent bool  // whether the hottest rung, at infinite temperature, is drawn afresh
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
			return nil, errors.New("this potential does not know its energies without noise: let swaps see the noisy ones, with their variance " +
				"estimated (swap: {variance: online})")
		}
	}
	if err = r.frame.invert(); err != nil {
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
	r.independent = law.Tries <= costly || r.problem.normal() != nil
	return nil
}

// prepare finds what makes the movers.
func (r *run) prepare(ctx context.Context) (err error) {
	point := func(z []float64) error { return r.somewhere(ctx, z) }
	r.mover, err = r.settings.Kernel.Prepare(kernel.Target{Potential: r.potential, Domain: r.domain, Cap: r.settings.Cap, Point: point,
		Widths: r.problem.Guide.Widths(r.frame.whitening)})
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
	r.frame.inverse(z, x)
	return nil
}

// ladder sets up ladder i, its block still at the origin.
func (r *run) ladder(ctx context.Context, i int) (*ladder, error) {
	s, rungs := r.settings, len(r.schedule.Temperature)
	l := &ladder{index: i, names: r.problem.ReportedNames(), replicas: r.replicas(&r.schedule, stream.New(s.Seed, i)),
		collection: collection{draws: newDraws(rungs, r.problem.Guide != nil), stride: 1, max: s.MaxDraws, inside: s.Inside}}
	if r.watches() {
		l.jumps = make([]Jumps, rungs)
	}
	if r.independent {
		drawer, err := r.problem.drawer(ctx, nil)
		if err != nil {
			return nil, err
		}
		l.fresh, l.source = rungs-1, lawSource{drawer}
	}
	var err error
	if l.trading, err = r.trading(l.streams); err != nil {
		return nil, err
	}
	if err = r.join(&l.replicas); err != nil {
		return nil, err
	}
	l.membership(r)
	r.workspace(&l.trading, &l.replicas)
	l.jump = r.independence(&l.replicas)
	if s.Certificate {
		if err = r.certify(l); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	l.collection.own(rungs, len(l.names))
	if c := r.problem.Chart; c != nil && l.shadow == nil {
		l.symmetry, l.hot, l.rng = c.Symmetry, r.problem.Guide == nil, l.streams.Of(0, stream.Symmetry)
	}
	if s.Recorder != nil {
		l.recorder = s.Recorder(i)
	}
	if s.Keeper != nil {
		l.keeper = s.Keeper(i)
	}
	return l, nil
}

// replicas sets up replicas at the origin, without a workspace.
func (r *run) replicas(schedule *kernel.Schedule, streams *stream.Set) replicas {
	rungs := len(schedule.Temperature)
	block := kernel.NewBlock(rungs, r.problem.Potential.Dim())
	return replicas{lanes: &lanes{schedule: schedule}, block: block, frame: r.frame,
		streams: streams, fresh: -1, tally: make([]domain.Tally, rungs), corners: newCorners(rungs)}
}

// trading sets up the trade of rungs, without a workspace.
func (r *run) trading(streams *stream.Set) (t trading, err error) {
	t.uniform = streams.Of(0, stream.Swap)
	t.exchange, err = exchange.New(len(r.schedule.Temperature), r.settings.Swap)
	return t, err
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
	if r.frame, err = newFrame(r.problem, s); err != nil {
		return nil, nil, err
	}
	if s.Boundary == domain.Free {
		d = nil
	}
	d, err = r.frame.domain(d)
	return r.frame.potential(u, r.schedule.Temperature[0]), d, err
}

// join gives ladders that stand at one iteration lanes in common, and each a workspace for
// what it does by itself.
func (r *run) join(all ...*replicas) error {
	n, first := r.problem.Potential.Dim(), all[0]
	rungs := first.block.R
	block := kernel.NewBlocks(len(all), rungs, n)
	if r.problem.normal() != nil {
		block.WithBase()
	}
	if first.block.V != nil {
		block.V = make([]float64, len(block.X))
	}
	w := &lanes{schedule: first.schedule, at: kernel.NewAt(rungs), block: block, traits: r.traits, mover: r.mover(block),
		spread: make([]float64, rungs), told: make([]float64, block.R), more: make([]float64, block.R), may: make([]bool, block.R)}
	for i := range w.may {
		w.may[i] = true
	}
	if r.domain != nil && !r.traits.Paths {
		w.glance, w.ends = domain.GlanceOf(r.domain), r.rule() != domain.Specular
	}
	if first.at != nil { // momenta belong to it
		copy(w.at.Spread, first.at.Spread)
	}
	var sets []*stream.Set
	for m, l := range all {
		sets = append(sets, l.streams)
		part := block.Ladder(m)
		part.Copy(l.block)
		if l.mover != nil {
			l.handOver(w, m*rungs)
		}
		l.lanes, l.block, l.first = w, part, m*rungs
		if err := r.equip(l); err != nil {
			return err
		}
	}
	if err := r.herd(w, all); err != nil {
		return err
	}
	if first.jumps != nil {
		w.watch = r.watch(block)
	}
	if b := r.problem.Base; b != nil {
		w.base = r.frame.potential(b.Potential, math.NaN()).Evaluator(block.R, nil)
	}
	if g := r.problem.Guide; g != nil {
		w.guide = newGuide(r.frame.potential(g.Potential, math.NaN()), block.R)
	}
	streams := first.streams
	if len(all) > 1 {
		streams = stream.Beside(rungs, sets...)
	}
	w.noise = streams.Lanes(block.R, stream.Kernel)
	w.potential = r.potential.Evaluator(block.R, streams) // last: what is open is closed with the lanes
	return nil
}

// equip gives l a workspace of its own.
func (r *run) equip(l *replicas) (err error) {
	l.tally, l.corners = slices.Clone(l.tally), slices.Clone(l.corners)
	l.frame = l.frame.own(l.block.D, len(r.problem.ReportedNames()))
	l.hand, err = r.hand(l, r.domain)
	return err
}

// rule is what becomes of steps that leave the domain.
func (r *run) rule() domain.Rule { return cmp.Or(r.settings.Boundary, domain.Specular) }

// workspace gives the trade of l all that it works with.
func (r *run) workspace(t *trading, l *replicas) {
	t.own(l.block.R, l.block.D)
	if r.full != nil {
		t.full = r.full.Evaluator(l.block.R, l.streams)
	}
}
