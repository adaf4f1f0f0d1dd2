package kernel

import (
	"errors"
	"fmt"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A Kernel is a way to move, with its settings: [Langevin], [Momentum], [HMC] or
// [Harmonic].
type Kernel interface {
	// Validate reports what is wrong with the settings, or nil.
	Validate() error
	// Suits reports what about c the kernel cannot do with, or nil.
	Suits(c Conditions) error
	// Traits are what others need to know of the kernel.
	Traits() Traits
	// Prepare returns what makes the movers of a run on t. A mover's blocks are as the one
	// that it is made for, which gets momenta if it needs them.
	Prepare(t Target) (func(b *Block) Mover, error)
}

// Traits are what a kernel does, in the words of those who work with any.
type Traits struct {
	Name       string   // in messages
	Exact      bool     // keeps the law of every rung, whatever the step size
	Metropolis bool     // takes or refuses the end of an iteration: steps suit if most are taken
	Paths      bool     // follows paths, with walls, in closed form: steps are for infinite temperature alone
	Coupled    bool     // steps of half the size can be coupled to those of the kernel, for a certificate
	Carries    bool     // momenta go on from one iteration to the next: swaps rescale them
	Momentum   Momentum // of its steps; the zero value without
	Steps      int      // of an iteration, each of one gradient
	GivenUp    string   // what became of steps that could not be ended inside the domain
}

// Conditions are what a kernel is to work with.
type Conditions struct {
	Rule   domain.Rule // what becomes of a step that leaves the domain; "" is domain.Specular
	Base   bool        // a base law beside the potential, or a guide
	Force  bool        // a penalty that pulls states back, and is no energy
	Mirror bool        // the dual coordinates of a mirror map
}

// A Target is what replicas move on, in the coordinates of the kernel.
type Target struct {
	Potential potential.Potential
	Domain    domain.Domain           // nil is all of space, or lets steps go
	Cap       int                     // mirrorings of a step at most; 0 is the default
	Widths    Widths                  // of the density, for kernels whose steps may differ in length; nil is [Alike]
	Point     func(z []float64) error // writes a point at which states may be
}

// A Mover moves the replicas of a block, of one ladder or several: one goroutine at a
// time. How a replica moves depends on no other.
type Mover interface {
	// Step makes a step of every replica of b, walls aside but for [Traits.Paths].
	// Replica i draws from lane i of noise. The states before are left in b.From; Grad and
	// Energy belong to From until they are evaluated anew. It allocates nothing after
	// its first call.
	Step(b *Block, at *At, noise *stream.Lanes)
	// Warm hears of the steps of the warm-up, and may change those to come.
	Warm(b *Block)
	// End ends an iteration of [Traits.Steps] steps. The block must be evaluated at its
	// states, and is when End returns.
	End(b *Block, at *At, noise *stream.Lanes)
	// Stuck reports whether the last path of replica i was given up.
	Stuck(i int) bool
	// Check reports where the energies and gradients of b are not as the mover takes them
	// to be, or nil.
	Check(b *Block) error
	// Numbers are those that steps to come depend on, beside those of the block: each
	// none at all, or one per [Block.Slot].
	Numbers() []*[]float64
	// Moves counts the ends taken and refused, per [Block.Slot]; nil where there is no
	// choice.
	Moves() []Moves
}

// Or returns k, or Langevin steps if k is nil.
func Or(k Kernel) Kernel {
	if k == nil {
		return Langevin{}
	}
	return k
}

// WithSteps returns k with so many steps in an iteration, or k as it is if their number
// is none of its settings: if it has no method WithSteps(n int) Kernel.
func WithSteps(k Kernel, n int) Kernel {
	if h, ok := k.(interface{ WithSteps(n int) Kernel }); ok {
		return h.WithSteps(n)
	}
	return k
}

// stateless is a mover whose steps depend on nothing but the block, and end where they
// end.
type stateless struct{}

func (stateless) Warm(*Block)                    {}
func (stateless) End(*Block, *At, *stream.Lanes) {}
func (stateless) Stuck(int) bool                 { return false }
func (stateless) Check(*Block) error             { return nil }
func (stateless) Numbers() []*[]float64          { return nil }
func (stateless) Moves() []Moves                 { return nil }

// notMirrored is an error if states are to move in dual coordinates, where k is unknown.
func (c Conditions) notMirrored(k Kernel) error {
	if c.Mirror {
		return fmt.Errorf("%s and a mirror map exclude each other", k.Traits().Name)
	}
	return nil
}

// noBase is an error if there is a base law, which not all kernels know.
func (c Conditions) noBase() error {
	if c.Base {
		return errors.New("a base law goes with SGLD and HMC, a guide too")
	}
	return nil
}
