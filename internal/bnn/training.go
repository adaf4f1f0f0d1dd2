package bnn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// A training is a run of Train.
type training struct {
	engine   Engine
	data     Data
	set      Settings // with defaults
	obs      Observer
	layout   Layout
	n        int // training examples
	steps    int // iterations of an epoch
	size     int // examples of a minibatch
	schedule kernel.Schedule
	exchange *exchange.Exchange // nil where nobody trades
	streams  *stream.Set
	deck     *deck
	whole    []Batch // all training data, once wanted
	moves    []Move
	energy   []float64 // per replica, of the last iteration
	square   []float64 // likewise, Σθ²
	progress Progress
	at       *kernel.At
	arranged int         // the epoch that at is for
	last     *Checkpoint // the newest
	saved    *Checkpoint // the newest that was given to Save
	current  *outputs    // of the cold rung's model as it is, once evaluated
	place
}

// place is where a training is, and all that it has gathered.
type place struct {
	Iteration int
	Rung      []int     // of each replica
	Momenta   []resting // per replica
	Cards     []int32   // of the deck
	Next      int       // card
	Loss      []float64 // per rung, sum over the iterations of this epoch
	Met       []int64   // per rung, coordinates that met a wall in this epoch
	Kept      int       // models, averaged or, by swag, fitted to
	Number    int       // of the last draw
	Average   mixture   // of predictions
	SWAG      gaussian  // of iterates
	Index     Index     // of sweeps
	Seconds   float64   // of complete epochs
	Elapsed   float64   // of this epoch
	Epochs    []Epoch
}

// resting is the equilibrium that a replica's momentum belongs to.
type resting struct {
	Spread, Temperature float64
}

// Train moves the replicas of an engine that was made by the [Settings.Setup] of s,
// and averages the models of the cold rung. Equal engines, data and settings give
// equal results, times apart, also when a training is interrupted at any iteration and
// goes on from its checkpoint. When ctx is cancelled it stops between two
// iterations, gives a checkpoint to Save and returns the cause.
func Train(ctx context.Context, engine Engine, data Data, s Settings, o Observer) (*Result, error) {
	t, err := newTraining(engine, data, s, o)
	if err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	for t.Iteration < t.set.Epochs*t.steps {
		if ctx.Err() != nil {
			// the newest in memory first: states of other machines may be gone, or long on their way
			return nil, errors.Join(context.Cause(ctx), t.give(t.last), t.save())
		}
		if err := t.iterate(); err != nil {
			return nil, errors.Join(err, t.give(t.last))
		}
		if t.obs.Due != nil && t.obs.Due() {
			if err := t.save(); err != nil {
				return nil, err
			}
		}
	}
	if err := t.save(); err != nil {
		return nil, err
	}
	return t.result()
}

// newTraining returns a training before its first iteration, or every fault of what
// it is given.
func newTraining(engine Engine, data Data, s Settings, o Observer) (*training, error) {
	if data.Train == nil || data.Train.Len() == 0 {
		return nil, fmt.Errorf("there are no training examples")
	}
	n := data.Train.Len()
	if err := s.Validate(n); err != nil {
		return nil, err
	}
	s = s.WithDefaults().perReplica()
	if r := engine.Replicas(); r != s.Replicas() {
		return nil, fmt.Errorf("the engine has %d replicas, method %s needs %d: make it by Settings.Setup", r, s.Method, s.Replicas())
	}
	t := &training{engine: engine, data: data, set: s, obs: o, layout: engine.Layout(), n: n, steps: s.Steps(n), size: s.Batch}
	if s.Order != "independent" {
		t.size = share(n, s.Batch)
	}
	if t.layout.BufferSize() > 0 && min(t.size, n/t.steps) < 2 {
		return nil, fmt.Errorf("batch %d of %d examples makes a minibatch of one, of which batch norm knows no variance: take a batch of 3 or "+
			"more, or norm frn", s.Batch, n)
	}
	t.schedule = t.newSchedule()
	t.streams = stream.New(s.Seed, s.Ladder)
	t.deck = newDeck(n, s.Batch, s.Order == "independent")
	replicas := s.Replicas()
	t.moves, t.energy, t.square = make([]Move, replicas), make([]float64, replicas), make([]float64, replicas)
	t.progress = Progress{Iterations: s.Epochs * t.steps, Loss: make([]float64, replicas)}
	t.Rung, t.Momenta = make([]int, replicas), make([]resting, replicas)
	t.Loss, t.Met = make([]float64, replicas), make([]int64, replicas)
	t.Index.Stride, t.Average.Of = 1, score.Of(s.Average.Of)
	for i := range t.Rung {
		t.Rung[i] = i
	}
	if o.Seconds == nil {
		began := time.Now()
		t.obs.Seconds = func() float64 { return time.Since(began).Seconds() }
	}
	if Exchanges(s.Method) {
		e, err := exchange.New(replicas, s.Swap)
		if err != nil {
			return nil, err
		}
		t.exchange = e
	}
	return t, nil
}

// newSchedule is the schedule of the step sizes of a move, by iterations for cosine
// cycles and by epochs else. Its temperatures are set in every epoch.
func (t *training) newSchedule() kernel.Schedule {
	s := kernel.Schedule{StepSize: make([]float64, len(t.set.StepSize)), Temperature: slices.Clone(t.set.Temperature),
		Iterations: t.set.Epochs, Decay: t.set.Decay,
		Momentum: kernel.Momentum{Mu: t.set.Momentum, NoiseEstimate: t.set.NoiseEstimate}}
	for r, eta := range t.set.StepSize {
		s.StepSize[r] = eta / float64(t.n)
	}
	if t.set.Decay.Kind == kernel.Cosine {
		s.Iterations *= t.steps
	}
	return s
}

// begin hands over the data and evaluates the first place, or goes to that of a
// checkpoint.
func (t *training) begin() error {
	mean, sd := t.data.Mean, t.data.SD
	for set, s := range []*images.Set{trainSet: t.data.Train, testSet: t.data.Test, outsideSet: t.data.Outside} {
		if s == nil {
			continue
		}
		if mean == nil {
			mean = make([]float64, s.Channels)
		}
		if sd == nil {
			sd = slices.Repeat([]float64{1}, s.Channels)
		}
		if err := t.engine.Load(set, s, mean, sd); err != nil {
			return fmt.Errorf("load %s: %w", s.Name, err)
		}
	}
	if t.obs.Resume != nil {
		return t.restore(t.obs.Resume)
	}
	out, err := t.engine.Start(t.batch(newDeck(t.n, t.size, true), stream.Start))
	if err != nil {
		return fmt.Errorf("first evaluation: %w", err)
	}
	return t.look(out, 1, 0)
}

// iterate moves every replica once, lets them trade, and does what is due then.
func (t *training) iterate() error {
	began := t.obs.Seconds()
	k := t.Iteration + 1
	epoch, step := (k-1)/t.steps+1, (k-1)%t.steps+1
	t.streams.Begin(k)
	t.arrange(k, epoch)
	for i := range t.moves {
		t.moves[i] = t.move(i)
	}
	batch := t.batch(t.deck, stream.Batch)
	out, err := t.engine.Advance(t.moves, batch)
	if err != nil {
		return fmt.Errorf("epoch %d, iteration %d: %w", epoch, k, err)
	}
	if err := t.look(out, epoch, k); err != nil {
		return err
	}
	if err := t.trade(k); err != nil {
		return err
	}
	t.Iteration, t.current = k, nil
	t.Elapsed += t.obs.Seconds() - began
	t.tell(epoch, len(batch.Indices))
	if err := t.keep(epoch, step); err != nil {
		return fmt.Errorf("epoch %d, iteration %d: %w", epoch, k, err)
	}
	if step == t.steps {
		return t.endEpoch(epoch)
	}
	return nil
}

// arrange sets the step sizes and temperatures of iteration k.
func (t *training) arrange(k, epoch int) {
	if epoch != t.arranged {
		t.arranged, t.at = epoch, kernel.NewAt(len(t.Rung))
		cooled := math.Pow(t.set.Anneal.Divide, float64(min(epoch-1, t.set.Anneal.Until)))
		for r, tau := range t.set.Temperature {
			t.schedule.Temperature[r] = tau / cooled
		}
	}
	if t.set.Decay.Kind == kernel.Cosine {
		t.schedule.Set(t.at, k)
	} else {
		t.schedule.Set(t.at, epoch)
	}
}

// resting is the equilibrium of a rung as it is.
func (t *training) resting(rung int) resting {
	return resting{t.at.Spread[rung], t.at.Temperature[rung]}
}

// rescale says what takes the momentum of replica i, by v ← scale·v + lean·∇Ũ, to the
// equilibrium of the rung, step size and temperature that it has now, as
// [kernel.Block.Rescale] does.
func (t *training) rescale(i int) (scale, lean float64) {
	was, now := t.Momenta[i], t.resting(t.Rung[i])
	if t.set.AsReleased || !(was.Spread > 0 && now.Spread > 0) || was == now {
		return 1, 0
	}
	scale = now.Spread / was.Spread
	return scale, now.Spread*now.Spread/(2*now.Temperature) - scale*was.Spread*was.Spread/(2*was.Temperature)
}

// noiseEstimate is β̂ at a step size η divided by N.
func (s *Settings) noiseEstimate(eta float64) float64 {
	if s.AsReleased {
		return s.NoiseEstimate + eta/20
	}
	return s.NoiseEstimate
}

// move is what replica i shall do, from a momentum that belongs to its rung.
func (t *training) move(i int) Move {
	r := t.Rung[i]
	eta, tau := t.at.StepSize[r], t.at.Temperature[r]
	m := Move{Weight: float64(t.n), Decay: t.set.WeightDecay, StepSize: eta, Noise: t.at.Noise[r],
		Momentum: t.set.Momentum, Bound: t.set.Bound, AsReleased: t.set.AsReleased}
	m.Scale, m.Lean = t.rescale(i)
	t.Momenta[i] = t.resting(r)
	if t.set.AsReleased {
		m.Noise = math.Sqrt(2 * eta * max(0, 1-t.set.Momentum-t.set.noiseEstimate(eta)) * tau)
	}
	return m
}

// look takes note of losses and makes energies of them: Ũ, of rule indicator Ũ/N.
func (t *training) look(out []Outcome, epoch, k int) error {
	if len(out) != len(t.Rung) {
		return fmt.Errorf("epoch %d, iteration %d: the engine answers for %d replicas instead of %d", epoch, k, len(out), len(t.Rung))
	}
	for i, o := range out {
		r := t.Rung[i]
		if x := o.Loss + o.Square; x-x != 0 {
			return &NotFinite{Rung: r, Epoch: epoch, Iteration: k, StepSize: t.set.StepSize[r], Loss: o.Loss, Last: t.last}
		}
		t.progress.Loss[r] = o.Loss
		if k > 0 {
			t.Loss[r] += o.Loss
			t.Met[r] += o.Reflected
		}
		t.square[i] = o.Square
		t.energy[i] = t.energyOf(o.Loss, o.Square)
	}
	return nil
}

// energyOf is Ũ = N·loss + ½λ Σθ², of rule indicator Ũ/N.
func (t *training) energyOf(loss, square float64) float64 {
	u := float64(t.n)*loss + t.set.WeightDecay*square/2
	if t.set.Swap.Rule == "indicator" {
		u /= float64(t.n)
	}
	return u
}

// trade lets neighbouring rungs exchange their replicas.
func (t *training) trade(k int) error {
	if t.exchange == nil {
		return nil
	}
	if wanted := t.exchange.Wanted(k); wanted > 0 {
		energies := make([][]float64, wanted)
		for b := range energies {
			losses, err := t.engine.Losses(t.batch(newDeck(t.n, t.size, true), fresh))
			if err != nil {
				return fmt.Errorf("iteration %d, noise of the energies: %w", k, err)
			}
			for i, loss := range losses { // Σθ² is the same on all
				losses[i] = t.energyOf(loss, 0)
			}
			energies[b] = losses
		}
		t.exchange.Observe(t.Rung, energies)
	}
	if t.set.FullEnergies && t.exchange.Looks(k) {
		if err := t.exactEnergies(); err != nil {
			return fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	t.exchange.Sweep(k, t.Rung, t.energy, t.at.Temperature, &t.streams.Of(0, stream.Swap).Rand)
	if t.exchange.Due(k) {
		t.Index.note(k, t.Rung)
	}
	return nil
}

// tell reports progress after an iteration on so many examples.
func (t *training) tell(epoch, examples int) {
	p := &t.progress
	p.Epoch, p.Iteration = epoch, t.Iteration
	p.Images += int64(len(t.Rung)) * int64(examples)
	if t.obs.Step != nil {
		t.obs.Step(*p)
	}
}

// cold returns the replica that holds the coldest rung.
func (t *training) cold() int { return slices.Index(t.Rung, 0) }

// endEpoch makes the record of an epoch.
func (t *training) endEpoch(epoch int) error {
	e := Epoch{Epoch: epoch, Iteration: t.Iteration, StepSize: slices.Clone(t.at.StepSize), Temperature: slices.Clone(t.at.Temperature),
		Loss: make([]float64, len(t.Loss)), Reflected: make([]float64, len(t.Loss)), Rung: slices.Clone(t.Rung), Seconds: t.Elapsed}
	for r := range t.Loss {
		e.Loss[r] = t.Loss[r] / float64(t.steps)
		e.Reflected[r] = float64(t.Met[r]) / float64(t.steps) / float64(t.layout.Size())
	}
	if t.exchange != nil {
		s := t.exchange.Statistics()
		e.Pairs, e.RoundTrips, e.Level = s.Pairs, s.RoundTrips, t.exchange.Level()
	}
	if t.Elapsed > 0 {
		e.Rate = float64(t.images()) / t.Elapsed
	}
	if err := t.assess(&e); err != nil {
		return fmt.Errorf("evaluation after epoch %d: %w", epoch, err)
	}
	clear(t.Loss)
	clear(t.Met)
	t.Seconds, t.Elapsed = t.Seconds+t.Elapsed, 0
	t.Epochs = append(t.Epochs, e)
	if _, err := t.checkpoint(); err != nil {
		return fmt.Errorf("state after epoch %d: %w", epoch, err)
	}
	if t.obs.Epoch != nil {
		return t.obs.Epoch(e)
	}
	return nil
}

// images is how many examples all replicas see in an epoch.
func (t *training) images() int {
	each := t.n
	if t.deck.independent {
		each = t.steps * t.deck.size
	}
	return each * len(t.Rung)
}

// result is what a training has found at its end.
func (t *training) result() (*Result, error) {
	r := &Result{Epochs: t.Epochs, Kept: t.Kept, Index: t.Index, Seconds: t.Seconds}
	if t.Seconds > 0 {
		r.Rate = float64(t.images()) * float64(len(t.Epochs)) / t.Seconds
	}
	if t.exchange != nil {
		r.Swaps = t.exchange.Statistics()
	}
	single := t.current
	var err error
	if single == nil { // after a resume at the end
		if single, err = t.model(t.cold(), nil); err != nil {
			return nil, fmt.Errorf("evaluation of the last model: %w", err)
		}
	}
	if r.Single, err = single.predictions(t.data); err != nil {
		return nil, fmt.Errorf("predictions of the last model: %w", err)
	}
	if r.Average, err = t.Average.predictions(); err != nil {
		return nil, fmt.Errorf("predictions of the average: %w", err)
	}
	if r.Usage, err = t.engine.Usage(); err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	return r, nil
}
