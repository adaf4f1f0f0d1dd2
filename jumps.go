package r2sgld

import (
	"math"

	"github.com/r2sgld/r2sgld/internal/jump"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// Jumps counts the steps that do not see the potential. Along some it jumps: where the energy changes, within
// a small part of the step, by what the slopes at both ends of that part do not promise.
// Where slopes rise or fall steadily, the change lies between the two promises. Steps of
// SGLD do not see a jump, and its two sides get wrong shares. Others are too long for a
// smooth feature: the slopes at both ends of the whole step are off by so much that an
// exact kernel would refuse many such steps. Those that a wall mirrors are too long where the
// slope towards it is: next to the wall the density then lacks as large a part.
type Jumps struct {
	Looked  int64   // steps looked at
	Seen    int64   // of them, those with a jump
	Largest float64 // jump, in units of the rung's temperature
	Refused float64 // steps too long, each by the part 1 − exp(−|e|) for an error of e temperatures
}

// add adds what another ladder counted.
func (j *Jumps) add(k Jumps) {
	j.Looked, j.Seen, j.Largest, j.Refused = j.Looked+k.Looked, j.Seen+k.Seen, max(j.Largest, k.Largest), j.Refused+k.Refused
}

// Certain reports whether there are enough jumps to speak of.
func (j Jumps) Certain() bool { return j.Seen >= fewestJumps }

// Coarse reports whether steps are too long for what the potential does: whether more
// of them would be refused than an exact kernel refuses of the steps of a Gaussian whose
// variance they widen by bias, relative. For such a step, of θ = 2·bias variances, the
// logarithm of the acceptance is θ^(3/2)xξ/√2 with x and ξ standard normal, and the mean
// refusal θ^(3/2)/(√2π), which comes of small errors at all steps: where errors are large
// as often as that, the law is off by more. The chance of a false alarm is 1e-6 at most
// (Chernoff's bound of a sum of independent parts).
func (j Jumps) Coarse(bias float64) bool {
	admitted := float64(j.Looked) * math.Pow(2*bias, 1.5) / (math.Sqrt2 * math.Pi)
	return j.Refused > admitted && j.Refused*math.Log(j.Refused/admitted)-j.Refused+admitted > 6*math.Ln10
}

const (
	// leastError, in units of the temperature, is the error of the energy from which a step
	// counts as too long: −log 0.574. A single step that is off by it would be accepted as
	// rarely as those of MALA are on average where these are as long as pays (Roberts &
	// Rosenthal 1998), and steps of SGLD are to be much shorter: those of a Gaussian that
	// they widen by a tenth are off by as much less than once in ten thousand.
	leastError = 0.555
	// leastLean is the same of what the slope at its start makes of the part of a mirrored step
	// that goes to the wall and back. A wall on which a density like exp(−kx) leans lacks 0.58kσ
	// of the density next to it for steps of standard deviation σ, and θ/2 of all the mass, where
	// θ = (kσ)²/2 is to be at most 2·bias. For θ = 0.01 the most that a step makes is 7σ away.
	leastLean   = 1.0
	fewestJumps = 3
	lookEvery   = 7 // iterations, odd: both kinds of sweeps are seen
)

// Jumps is what was counted along the steps of a rung, of all ladders, or of all rungs if
// rung < 0. Nothing is looked at where energies or gradients have noise, and with exact
// kernels, to which jumps do no harm.
func (r *Result) Jumps(rung int) Jumps {
	var sum Jumps
	for _, l := range r.Ladders {
		for i, j := range l.Jumps {
			if rung < 0 || rung == i {
				sum.add(j)
			}
		}
	}
	return sum
}

// A watch looks for jumps along the steps of replicas that share lanes.
type watch struct {
	from, to knots               // the ends of the steps
	probe    potential.Evaluator // of one place; nil takes that of the lanes
	looking  bool                // at the steps of this iteration

	x, grad, energy []float64 // places along the steps, slopes and energies there
}

// knots are energies, and slopes along the step, at one place of each replica's step.
type knots struct{ energy, slope []float64 }

// watches reports whether jumps are looked for: not where energies and slopes are not
// those of one function, or jumps do no harm.
func (r *run) watches() bool {
	_, noisy := potential.Exact(r.potential)
	return !noisy && !r.traits.Exact && (r.settings.Penalty == nil || r.settings.Penalty.Distance)
}

// watch returns what looks at the steps of a block.
func (r *run) watch(b *kernel.Block) *watch {
	room := func(n int) []float64 { return make([]float64, n) }
	w := &watch{from: knots{room(b.R), room(b.R)}, to: knots{room(b.R), room(b.R)}}
	replicas := b.R
	if potential.Lanewise(r.potential) {
		replicas = 1
		w.probe = r.potential.Evaluator(1, nil)
	}
	w.x, w.grad, w.energy = room(replicas*b.D), room(replicas*b.D), room(replicas)
	return w
}

// looks reports whether the steps of iteration k are looked at.
func (w *watch) looks(k int) bool {
	if w == nil {
		return false
	}
	w.looking = k%lookEvery == 0
	return w.looking
}

// lean looks at the step of replica i, on rung r, that a wall has mirrored: from h.from to
// h.to, to where the block has it without the wall.
func (w *watch) lean(l *replicas, h *hand, i, r int) {
	tau := l.at.Temperature[r]
	if w == nil || !w.looking || l.ends || math.IsInf(tau, 1) {
		return
	}
	b, square, way, slope := l.block, 0.0, 0.0, 0.0
	for j, to := range h.to {
		k := j*b.Stride + i
		out := b.X[k] - to // along the normal of the wall
		square, way, slope = square+out*out, way+out*(b.X[k]-h.from[j]), slope+out*b.Grad[k]
		if b.BaseGrad != nil {
			slope += out * tau * b.BaseGrad[k]
		}
	}
	l.jumps[r].Looked++
	if e := math.Abs(slope * way / square / tau); e > leastLean {
		l.jumps[r].Refused -= math.Expm1(-e)
	}
}

// land looks along the steps of l, whose ends are noted.
func (w *watch) land(l *replicas) {
	for i, r := range l.block.Rung {
		tau := l.at.Temperature[r]
		if r == l.fresh || l.block.Hits[i] > 0 || math.IsInf(tau, 1) {
			continue
		}
		at, seen := l.first+i, &l.jumps[r]
		seen.Looked++
		s := jump.Segment{At: [2]float64{0, 1}, Energy: [2]float64{w.from.energy[at], w.to.energy[at]},
			Slope: [2]float64{w.from.slope[at], w.to.slope[at]}}
		off := math.Abs(s.Off())
		if off > leastError*tau {
			seen.Refused -= math.Expm1(-off / tau)
		}
		if s.Strays(tau) {
			if s = w.narrow(l.lanes, s, at); s.Strays(tau) {
				seen.add(Jumps{Seen: 1, Largest: math.Abs(s.Off()) / tau})
			}
		}
	}
}

// note takes the energies of the block, and by how much they would rise along the whole
// step at its slopes.
func (n knots) note(b *kernel.Block) {
	copy(n.energy, b.Energy)
	clear(n.slope)
	for j := 0; j < len(b.X); j += b.Stride {
		grad, x, from := b.Grad[j:][:b.R], b.X[j:][:b.R], b.From[j:][:b.R]
		for i, s := range n.slope[:b.R] {
			n.slope[i] = s + grad[i]*(x[i]-from[i])
		}
	}
}

// narrow halves the segment of the step of replica i of the lanes.
func (w *watch) narrow(l *lanes, s jump.Segment, i int) jump.Segment {
	b, eval, stride, at := l.block, w.probe, 1, 0
	if eval == nil {
		eval, stride, at = l.potential, b.Stride, i
	}
	return s.Narrow(func(t float64) (energy, slope float64) {
		if w.probe == nil {
			copy(w.x, b.X)
		}
		for j := range b.D {
			from := b.From[j*b.Stride+i]
			w.x[j*stride+at] = from + t*(b.X[j*b.Stride+i]-from)
		}
		eval.Eval(w.energy, w.grad, w.x)
		for j := range b.D {
			slope += w.grad[j*stride+at] * (b.X[j*b.Stride+i] - b.From[j*b.Stride+i])
		}
		return w.energy[at], slope
	})
}
