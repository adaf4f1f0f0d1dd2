package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/vector/lane"
	"github.com/r2sgld/r2sgld/stream"
)

// HMC is the kernel Hamiltonian Monte Carlo: in every iteration each replica
// follows a trajectory of leapfrog steps of length sqrt(2η) with a fresh momentum,
// specularly reflected at walls, and accepts its end by the rule of Metropolis.
// It keeps exp(−U/τ) on the domain exactly, whatever the step size, if energies,
// gradients and reflections are exact (Neal 2011, section 5.5.1; Afshar & Domke
// 2015). One leapfrog step is the Metropolis-adjusted Langevin step of step size η.
// The lengths of several vary, by a fifth, or down to an eighth in one of 16 trajectories and in more where
// the potential is steep for them. A single step has one length. Where [Target.Widths] are told, steps are
// longer by one of them.
type HMC struct {
	Leapfrog int // steps of a trajectory, each of one gradient; at least 1
}

// Validate reports what is wrong with h, or nil.
func (h HMC) Validate() error {
	if h.Leapfrog < 1 {
		return fmt.Errorf("%d leapfrog steps: a trajectory needs one or more", h.Leapfrog)
	}
	return nil
}

// Suits reports what about c the kernel cannot do with, or nil.
func (h HMC) Suits(c Conditions) error {
	switch {
	case c.Rule == domain.Nearest || c.Rule == domain.Project:
		return fmt.Errorf("HMC with boundary %s keeps no law: use %s or %s", c.Rule, domain.Specular, domain.Refuse)
	case c.Force:
		return errors.New("HMC needs a penalty that is an energy: that of the distance")
	}
	return c.notMirrored(h)
}

// Traits are those of trajectories that are accepted or not.
func (h HMC) Traits() Traits {
	return Traits{Name: "HMC", Exact: true, Metropolis: true, Steps: h.Leapfrog, GivenUp: "trajectories turned back there"}
}

// WithSteps returns trajectories of so many steps.
func (h HMC) WithSteps(n int) Kernel {
	h.Leapfrog = n
	return h
}

// Prepare returns the maker of a mover by a trajectory.
func (h HMC) Prepare(t Target) (func(*Block) Mover, error) {
	return func(b *Block) Mover {
		return &trajectories{path: newTrajectory(b, h.Leapfrog, t.Widths), moves: make([]Moves, b.R)}
	}, nil
}

// trajectories are those of a block, and what became of them.
type trajectories struct {
	stateless
	path  *trajectory
	moves []Moves
}

func (t *trajectories) Step(b *Block, at *At, noise *stream.Lanes) { t.path.Leapfrog(b, at, noise) }

func (t *trajectories) End(b *Block, at *At, noise *stream.Lanes) {
	t.path.Accept(b, at, noise, t.moves)
}

func (t *trajectories) Moves() []Moves { return t.moves }

// jitter is the half-width of the factor, uniform about 1, of the length of a
// trajectory's steps: trajectories of one length come back to where they began
// where the density has a period (Neal 2011, section 5.4.2.2).
const jitter = 0.2

// A trajectory may have steps that are shorter, by up to so many halvings: in a place narrower than
// others all trajectories of a length beyond what is stable there are rejected, and a replica that
// came in would not leave. An eighth of the length is stable where the density is an eighth as wide.
const halvings = 3

// The probability of shorter steps is seldom at least, mostly at most, and (u/steep)² in between, u being
// the kick that [oddsOf] tells: where a normal density is w wide, that of steps of length h is h/2w times a
// normal number, and steps beyond h = 2w are unstable.
const (
	seldom = 1. / 16
	mostly = 0.9
	steep  = 2
)

// factor is that of the length of a trajectory's steps, from a uniform number, and whether they are
// shorter, with probability odds: then its logarithm is uniform, else itself in 1 ± jitter.
func factor(u, odds float64) (f float64, short bool) {
	if u < odds {
		return lane.Exp(-halvings * math.Ln2 * (u / odds)), true
	}
	return 1 + jitter*(2*(u-odds)/(1-odds)-1), false
}

// Moves counts the trajectories of one rung.
type Moves struct {
	Proposed int64
	Accepted int64
	// Undefined are those that came to a state of finite energy, within reach of a draw, whose
	// gradient is NaN: they are rejected though the density is not 0 there.
	Undefined int64
}

// reach is how far above H/τ of the beginning U/τ may be: a trajectory that ends there is accepted
// with the probability e^−reach at most.
const reach = 50

// trajectory is what a block needs to remember of the beginnings of its
// trajectories. Block.V holds momenta times the length of a step: displacements.
type trajectory struct {
	x, grad, energy []float64 // where it began
	base, baseGrad  []float64 // likewise, of a base law; nil without
	hamiltonian     []float64 // H/τ there
	widths          *choices
	factor          []float64 // of the step's length, per replica
	odds            []float64 // of shorter steps where it began
	short           []bool    // whether it has them
	undefined       []bool    // whether it came to a state of finite energy whose gradient is NaN
	begun           bool
	steady          bool // steps of one length
}

// newTrajectory returns the workspace for blocks as b, which gets momenta, and
// trajectories of so many steps; nil widths are [Alike].
func newTrajectory(b *Block, leapfrog int, widths Widths) *trajectory {
	b.V = make([]float64, len(b.X))
	return &trajectory{steady: leapfrog == 1, x: slices.Clone(b.X), grad: slices.Clone(b.Grad), energy: slices.Clone(b.Energy),
		base: slices.Clone(b.Base), baseGrad: slices.Clone(b.BaseGrad),
		hamiltonian: make([]float64, b.R), widths: newChoices(widths, b.R), factor: make([]float64, b.R),
		odds: make([]float64, b.R), short: make([]bool, b.R), undefined: make([]bool, b.R)}
}

// Leapfrog makes one leapfrog step of every replica, walls aside: from the second
// on with both half-kicks between two drifts at once. The first draws the
// momenta. The block must be evaluated at its states.
func (t *trajectory) Leapfrog(b *Block, at *At, noise *stream.Lanes) {
	kicks := 2.0
	if !t.begun {
		kicks = 1
		t.begin(b, at, noise)
	}
	t.kick(b, at, kicks)
	copy(b.From, b.X)
	for j, x := range b.From {
		b.X[j] = x + b.V[j]
	}
}

func (t *trajectory) begin(b *Block, at *At, noise *stream.Lanes) {
	t.begun = true
	copy(t.x, b.X)
	copy(t.grad, b.Grad)
	copy(t.energy, b.Energy)
	copy(t.base, b.Base)
	copy(t.baseGrad, b.BaseGrad)
	t.widths.draw(t.factor, b, at, noise)
	if !t.steady {
		for i, u := range noise.Uniforms(1) {
			t.odds[i] = t.oddsOf(b, at, i)
			f, short := factor(u, t.odds[i])
			t.factor[i], t.short[i] = t.factor[i]*f, short
		}
	}
	xi := noise.Normals(b.D)
	for i := range b.R {
		sd := at.Noise[b.Rung[i]] * t.factor[i]
		for j := i; j < len(b.V); j += b.Stride {
			b.V[j] = sd * xi[j]
		}
	}
	for i := range t.hamiltonian {
		t.hamiltonian[i] = t.over(b, at, i)
	}
}

// oddsOf is the probability that the steps of a trajectory of replica i from its state are shorter. It grows
// with the steepness: by how many standard deviations of its momentum a coordinate is kicked in half a step
// of the width that was drawn.
func (t *trajectory) oddsOf(b *Block, at *At, i int) float64 {
	r, most := b.Rung[i], 0.0
	if at.Drift[r] == 0 { // an infinite gradient is of no concern then
		return seldom
	}
	for j := i; j < len(b.Grad); j += b.Stride {
		g := b.Grad[j]
		if b.Base != nil {
			g += at.Temperature[r] * b.BaseGrad[j]
		}
		most = max(most, math.Abs(g))
	}
	u := t.widths.factors[t.widths.chosen[i]] * at.Drift[r] * most / (steep * at.Noise[r])
	if u *= u; u > seldom { // false if it is NaN
		return min(u, mostly)
	}
	return seldom
}

// turn is the logarithm of the probability that the way back has such steps over that of the way that was
// taken: which they are is drawn by where a trajectory begins.
func (t *trajectory) turn(b *Block, at *At, i int) float64 {
	if t.steady {
		return t.widths.back(i)
	}
	back, there := t.oddsOf(b, at, i), t.odds[i]
	if !t.short[i] {
		back, there = 1-back, 1-there
	}
	return lane.Log(back/there) + t.widths.back(i)
}

// over is H/τ = U/τ + U₀ + |v|²/(2τ) of replica i, the energies left out at
// infinite τ.
func (t *trajectory) over(b *Block, at *At, i int) float64 {
	sum, sd := 0.0, at.Noise[b.Rung[i]]*t.factor[i]
	for j := i; j < len(b.V); j += b.Stride {
		sum += b.V[j] * b.V[j]
	}
	h := sum / (2 * sd * sd)
	if tau := at.Temperature[b.Rung[i]]; !math.IsInf(tau, 1) {
		h += b.Energy[i] / tau
		if b.Base != nil {
			h += b.Base[i]
		}
	}
	return h
}

// height is U/τ + U₀ of replica i at a finite τ.
func (t *trajectory) height(b *Block, at *At, i int) float64 {
	h := b.Energy[i] / at.Temperature[b.Rung[i]]
	if b.Base != nil {
		h += b.Base[i]
	}
	return h
}

func (t *trajectory) kick(b *Block, at *At, kicks float64) {
	for i, r := range b.Rung {
		c := kicks * at.Drift[r] * t.factor[i] * t.factor[i]
		if c == 0 { // an infinite gradient is of no concern then
			continue
		}
		nan := false
		for j := i; j < len(b.V); j += b.Stride {
			nan = nan || b.Grad[j] != b.Grad[j]
			b.V[j] -= c * b.Grad[j]
		}
		if nan && b.Energy[i] >= -math.MaxFloat64 && t.height(b, at, i) < t.hamiltonian[i]+reach {
			t.undefined[i] = true
		}
		if b.Base != nil {
			c *= at.Temperature[r]
			for j := i; j < len(b.V); j += b.Stride {
				b.V[j] -= c * b.BaseGrad[j]
			}
		}
	}
}

// Accept ends the trajectories: each replica stays at the end of its own with
// probability min(1, q exp(−ΔH/τ)), log q being what [trajectory.turn] tells, else it
// goes back to its beginning, also if the end has no finite energy. moves, per
// [Block.Slot], are counted. The block must be evaluated at its states, and is when
// Accept returns.
func (t *trajectory) Accept(b *Block, at *At, noise *stream.Lanes, moves []Moves) {
	t.begun = false
	t.kick(b, at, 1)
	t.widths.look(b)
	for i, u := range noise.Uniforms(1) {
		count := &moves[b.Slot(i)]
		count.Proposed++
		if t.undefined[i] {
			t.undefined[i] = false
			count.Undefined++
		}
		gain := t.hamiltonian[i] - t.over(b, at, i) + t.turn(b, at, i)
		if lane.Log(u) < gain && gain <= math.MaxFloat64 { // false if it is NaN, and at an energy of −Inf
			count.Accepted++
			continue
		}
		b.Energy[i] = t.energy[i]
		for j := i; j < len(b.X); j += b.Stride {
			b.X[j], b.Grad[j] = t.x[j], t.grad[j]
		}
		if b.Base != nil {
			b.Base[i] = t.base[i]
			for j := i; j < len(b.X); j += b.Stride {
				b.BaseGrad[j] = t.baseGrad[j]
			}
		}
	}
}
