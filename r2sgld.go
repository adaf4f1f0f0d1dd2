// Package r2sgld samples densities on constrained domains, several modes
// included, by reflected replica exchange stochastic gradient Langevin dynamics
// (r2SGLD, ICML 2024): replicas at several temperatures move by Langevin steps,
// are reflected at the wall of the domain, and trade temperatures.
//
// Start with tune.Sample of package tune, which finds its settings itself, or with [Sample]:
//
//	p := r2sgld.Problem{Potential: u, Domain: d}
//	res, _, err := tune.Sample(ctx, p, r2sgld.Settings{Ladders: 4}, tune.Until{})
package r2sgld

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// Version is the version of the program. Equal versions give equal draws.
const Version = "0.1.0"

// A Problem is the law exp(-U/τ) on a domain, or exp(−U/τ − U₀) with a base law.
type Problem struct {
	Potential potential.Potential // U and its gradient for a whole block; required
	Domain    domain.Domain       // where a state may be; nil is all of R^d
	Names     []string            // of the coordinates; nil is x1, x2, …
	Base      *Base               // what temperatures do not touch; nil is the Lebesgue measure
	Guide     *Guide              // where ladders begin; nil is the law of Base, or the uniform law
	Chart     *Chart              // what draws are told in; nil is the coordinates of Potential and Domain
}

// Settings say how to sample. The zero value runs one chain of 10,000
// iterations at temperature 1.
type Settings struct {
	Seed       uint64
	Ladders    int // independent ladders, for R̂ and intervals; 0 is 1
	Iterations int // per ladder, burn-in included; 0 is 10,000
	BurnIn     int // iterations whose draws are not kept
	Thin       int // keep every Thin-th draw after burn-in; 0 is 1
	// StepSize is η > 0, per rung, cold first, or one for all; nil is 1e-3. For a
	// rung at infinite temperature it is ητ, half the variance of a step.
	StepSize []float64
	// Temperature is τ > 0, per rung, increasing; nil is {1}: no swaps. The last
	// may be +Inf: the uniform law on a bounded domain, or the base law.
	Temperature []float64
	Decay       kernel.Decay
	// Kernel is how replicas move: kernel.Momentum, kernel.HMC (exact where energies and
	// reflections are), kernel.Harmonic (exact for a Gaussian U between linear and
	// quadratic walls), or kernel.Langevin, SGLD; nil is kernel.Langevin, and
	// lets tune.Run choose.
	Kernel kernel.Kernel
	Swap   exchange.Settings
	// FullEnergies lets swaps and evidence see energies without noise, over all
	// data, evaluated once more for every sweep.
	FullEnergies bool
	Boundary     domain.Rule // what becomes of a step that leaves the domain; "" is domain.Specular
	Cap          int         // mirrorings a step at most; 0 is 1000, for domain.Nearest 20
	Penalty      *Penalty    // pulls states outside the domain back, with domain.Free only; nil is none
	Mirror       bool        // move in the dual coordinates of the domain's entropic mirror map: a box or simplex, one rung, no walls
	Inside       bool        // keep only draws inside the domain, with domain.Free: ladders may keep differing numbers
	Start        []float64   // where every replica starts; nil draws uniformly from a bounded domain
	// MoreStarts are places beside Start: ladders start at these and there by turns, and
	// modes are looked for from all of them.
	MoreStarts [][]float64
	// States, if not nil, says where each replica starts instead: States[ladder]
	// holds the state of every rung, the coldest first.
	States    [][][]float64
	Whitening *Whitening // move in z of x = c + L z; nil moves in x
	Threads   int        // ladders that run at once; 0 is GOMAXPROCS. Changes no draw.
	// MaxDraws bounds the draws of each ladder that are held in memory: when there
	// are more, every second one is dropped. 0 holds all.
	MaxDraws int
	// Certificate estimates the bias that the step gives to every mean, [Result.Bias],
	// from two more sets of replicas, with half the step and a quarter, that are coupled to
	// the first. It changes no draw and takes six gradients more for each, for kernel SGLD
	// with the boundary rules Specular, Refuse and Free.
	Certificate bool

	Hooks
}

// Hooks are who takes part in a run while it goes on, and the states that it goes on from.
// They are the [Settings] that belong to one run alone.
type Hooks struct {
	Recorder func(ladder int) Recorder // one for each ladder; nil is none
	Keeper   func(ladder int) Keeper   // takes every kept draw, one for each ladder; nil is none
	// Review is shown the result when all ladders have done their iterations, and
	// says how many each shall do in all; the run ends if that is not more. It may
	// depend on the draws only, and must not keep them. nil ends the run.
	Review     func(*Result) (iterations int, err error)
	Most       int         // iterations that no round of a run with Review goes beyond; 0 is any number
	Checkpoint *Checkpoint // where states are saved; nil is nowhere
	Resume     [][]byte    // the states of a checkpoint, one per ladder; nil starts anew
}

// A Penalty pulls states outside the domain back, at strength ξ > 0.
type Penalty struct {
	Strength float64
	// Distance pulls to the nearest point of the domain, by the gradient of
	// ½ξ·dist(x, Ω)², which also counts as energy: at ξ = 1/λ the Moreau–Yosida
	// envelope of proximal Langevin dynamics (Durmus, Moulines & Pereyra 2018).
	// Without it the force is the paper's ξx, to the origin, and no energy.
	Distance bool
}

// A Recorder watches a ladder: Record is called after every iteration k = 1,
// 2, … with the block of the ladder, in the kernel's coordinates z if there is a
// whitening. Other ladders may stand beside it in memory: coordinate j of replica i is
// b.X[j*b.Stride+i]. It must neither change nor keep b. A recorder whose state belongs into
// checkpoints implements encoding.BinaryAppender and encoding.BinaryUnmarshaler.
type Recorder interface {
	Record(k int, b *kernel.Block) error
}

// A Keeper takes the kept draws of a ladder as they come, and so belongs into
// checkpoints.
type Keeper interface {
	// Keep takes one draw of every rung, the coldest first: x[rung] is of length d,
	// in the user's coordinates, energy[rung] its U. It must keep neither.
	Keep(x [][]float64, energy []float64) error
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// A Checkpoint saves the states of all ladders every now and then and at the
// end of a run, whatever ended it.
type Checkpoint struct {
	Every time.Duration // between saves; 0 saves at the end only
	// Save stores one state per ladder; iterations is the sum over the ladders of
	// those done. It is never called twice at once.
	Save func(iterations int, states [][]byte) error
}

// Sample runs every ladder of s on p. Equal p and s give equal draws, whatever
// the number of threads and however often the run was interrupted and resumed.
// If a run stops early (the context ends, an energy is not finite), Result
// holds the draws made, beside the error.
func Sample(ctx context.Context, p Problem, s Settings) (*Result, error) {
	r, err := newRun(ctx, p, s) // every fault of p and s at once
	if err != nil {
		return nil, err
	}
	saver := r.startSaver()
	err = r.rounds(ctx)
	err = errors.Join(err, saver.finish(), r.close())
	return r.result(), err // merged in ladder order
}

// rounds runs the ladders to the iterations asked for, and on for as long as
// Review wants more.
func (r *run) rounds(ctx context.Context) error {
	for {
		err := r.ladders(ctx)
		if err != nil || r.settings.Review == nil {
			return err
		}
		n, err := r.settings.Review(r.result())
		if err != nil || n <= r.schedule.Iterations {
			return err
		}
		if r.settings.Checkpoint != nil { // no checkpoint may mix states of a round and of one before
			for _, l := range r.all {
				l.snapshot()
			}
		}
		r.schedule.Iterations = n
	}
}

// ladders runs every ladder to its last iteration, at most Threads at once. The
// first failure stops the others at their next iteration.
func (r *run) ladders(parent context.Context) error {
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	var g errgroup.Group
	g.SetLimit(r.threads)
	unhook := context.AfterFunc(ctx, func() {
		for _, l := range r.all {
			l.signal.Store(stop)
		}
	})
	defer unhook()
	for _, b := range r.bands() {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			err := b.own(r)
			if err == nil {
				err = b.run()
			}
			if err != nil {
				fail(err)
			}
			return err
		})
	}
	err := g.Wait()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled) && parent.Err() != nil:
		return fmt.Errorf("stopped: %w", context.Cause(parent))
	}
	return context.Cause(ctx) // the others end because of it
}

// Check reports every fault that [Sample] would find before its first
// iteration, those of s.Resume aside, or nil.
func Check(ctx context.Context, p Problem, s Settings) error {
	certificate := s.Certificate
	s = s.Alone()
	s.Certificate = certificate
	if s.States == nil {
		s.Ladders = min(s.Ladders, 1) // they differ by chance alone
	}
	r, err := newRun(ctx, p, s)
	if err != nil {
		return err
	}
	return r.close()
}

// Traits are those of the kernel.
func (s Settings) Traits() kernel.Traits { return kernel.Or(s.Kernel).Traits() }

// Unbiased reports whether the kernel has no bias from its step.
func (s Settings) Unbiased() bool { return s.Traits().Exact }

// Coldest is the temperature of the coldest rung.
func (s Settings) Coldest() float64 {
	if len(s.Temperature) == 0 {
		return 1
	}
	return s.Temperature[0]
}

// Alone returns s without hooks and certificate: the settings of another run on the same
// target.
func (s Settings) Alone() Settings {
	s.Hooks, s.Certificate = Hooks{}, false
	return s
}
