package bnn

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/stream"
)

// A Plan is what a short measurement says of a training to come. Equilibrium is that of
// a nearly Gaussian law, whose energy has mean dτ/2 above its least and standard
// deviation τ sqrt(d/2), whatever the network.
type Plan struct {
	Parameters  int       // d
	Temperature []float64 // per rung
	Expected    []float64 // per rung, sd of U in equilibrium
	Energy      []float64 // per rung, mean of Ũ over the pilot's second half
	Noise       []float64 // per rung, sd of Ũ − U of a minibatch
	PairNoise   []float64 // per pair, sd of the difference of their Ũ − U on a shared minibatch
	// LogAcceptance is per pair, ln of the mean probability of a swap by rule metropolis in
	// equilibrium, energies on minibatches corrected for their noise; Exact is the same
	// with energies over all data.
	LogAcceptance, Exact []float64
	Barrier              float64 // Λ = sqrt(d/2π) ln(τ_P/τ_1)
	Needed               int     // rungs between the same ends of which one swap in two succeeds, energies exact
	Ratio                float64 // of neighbouring temperatures then
	FullEvery            int     // iterations between sweeps with energies over all data that double the time
	// RoundTrips of all replicas in all epochs are those of rule metropolis and the scheme of
	// the settings, were energies independent from sweep to sweep: at most that many. NaN of
	// schemes without a formula, see [exchange.Settings.RoundTrips].
	RoundTrips float64
	Iterations int     // of the training
	Rate       float64 // images times replicas per second
	Seconds    float64 // that the training will take, energies for swaps included, evaluation apart
	Usage      Usage   // after the pilot
}

// A forecast looks at passes models of each rung, on at most partsOfPass fresh minibatches
// each, drawn as those of a training.
const (
	passes      = 3
	partsOfPass = 8
)

// Forecast measures for pilot ≥ 2 iterations, at the first step sizes and temperatures of
// s and without swaps, what a training will do. It moves the replicas of engine, which
// is of no further use for training.
func Forecast(ctx context.Context, engine Engine, data Data, s Settings, pilot int) (*Plan, error) {
	if pilot < 2 {
		return nil, fmt.Errorf("a pilot of %d iterations: needs at least 2", pilot)
	}
	data.Test, data.Outside = nil, nil
	t, err := newTraining(engine, data, s, Observer{})
	if err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	m := newMeter(len(t.Rung))
	for k := 1; k <= pilot; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.step(t, k); err != nil {
			return nil, err
		}
		second := k - pilot/2 // of the iterations of the second half
		if half := pilot - pilot/2; second > 0 && second*passes/half > (second-1)*passes/half {
			if err := m.pass(t); err != nil {
				return nil, err
			}
		}
	}
	p := m.plan(t)
	if p.Usage, err = engine.Usage(); err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	return p, nil
}

// A meter gathers what a pilot shows.
type meter struct {
	energy          []diag.Running // per rung, Ũ
	noise, pair     []float64      // per rung and per pair, sums of variances over passes
	passes          int
	moving, reading float64 // seconds; reading of whole passes
	images          int     // moved through
	steps           int
}

func newMeter(rungs int) *meter {
	return &meter{energy: make([]diag.Running, rungs), noise: make([]float64, rungs), pair: make([]float64, rungs-1)}
}

// step moves every replica once.
func (m *meter) step(t *training, k int) error {
	began := t.obs.Seconds()
	t.arrange(1, 1)
	for i := range t.moves {
		t.moves[i] = t.move(i)
	}
	b := t.batch(t.deck, stream.Batch)
	out, err := t.engine.Advance(t.moves, b)
	if err != nil {
		return fmt.Errorf("pilot, iteration %d: %w", k, err)
	}
	if err := t.look(out, 1, k); err != nil {
		return fmt.Errorf("pilot: %w", err)
	}
	m.moving += t.obs.Seconds() - began
	m.images += len(b.Indices)
	m.steps++
	return nil
}

// pass takes energies on some minibatches, and the noise of one.
func (m *meter) pass(t *training) error {
	began := t.obs.Seconds()
	rungs := len(t.Rung)
	losses, single, pair := make([]float64, rungs), make([]diag.Running, rungs), make([]diag.Running, rungs-1)
	some, deck := min(t.steps, partsOfPass), newDeck(t.n, t.size, true)
	for range some {
		batch, err := t.engine.Losses(t.batch(deck, fresh))
		if err != nil {
			return fmt.Errorf("pilot, energies: %w", err)
		}
		for r, loss := range batch {
			losses[r] += loss / float64(some)
			single[r].Add(loss)
			if r > 0 {
				pair[r-1].Add(batch[r-1] - loss)
			}
		}
	}
	n := float64(t.n)
	for r := range single {
		m.energy[r].Add(n*losses[r] + t.set.WeightDecay*t.square[r]/2)
		if some > 1 { // else all data are one minibatch, without noise
			m.noise[r] += n * n * single[r].Variance()
		}
	}
	for p := range pair {
		if some > 1 {
			m.pair[p] += n * n * pair[p].Variance()
		}
	}
	m.passes++
	m.reading += (t.obs.Seconds() - began) * float64(t.n) / float64(some*t.size)
	return nil
}

// plan is what the measurements come to.
func (m *meter) plan(t *training) *Plan {
	d, rungs := float64(t.layout.Size()), len(t.Rung)
	ladder := t.set.Temperature
	if !Exchanges(t.set.Method) {
		ladder = ladder[:1]
	}
	p := &Plan{Parameters: t.layout.Size(), Temperature: ladder, Needed: 1, Ratio: 1, Iterations: t.set.Epochs * t.steps}
	for r, tau := range ladder {
		p.Expected = append(p.Expected, tau*math.Sqrt(d/2))
		p.Energy = append(p.Energy, m.energy[r].Mean())
		p.Noise = append(p.Noise, math.Sqrt(m.noise[r]/float64(m.passes)))
	}
	if m.moving > 0 {
		p.Rate = float64(m.images*rungs) / m.moving
		pass := m.reading / float64(m.passes)
		p.Seconds = float64(t.images()*t.set.Epochs)/p.Rate + pass*t.passes()
		p.FullEvery = max(1, int(math.Ceil(pass/(m.moving/float64(m.steps)))))
	}
	if !Exchanges(t.set.Method) {
		return p
	}
	rejection := make([]float64, rungs-1)
	for i := range rejection {
		cold, hot := t.set.Temperature[i], t.set.Temperature[i+1]
		variance := m.pair[i] / float64(m.passes)
		p.PairNoise = append(p.PairNoise, math.Sqrt(variance))
		p.Exact = append(p.Exact, logAcceptance(d, cold, hot, 0))
		p.LogAcceptance = append(p.LogAcceptance, logAcceptance(d, cold, hot, variance))
		rejection[i] = -math.Expm1(p.LogAcceptance[i])
		if t.set.FullEnergies {
			rejection[i] = -math.Expm1(p.Exact[i])
		}
	}
	span := math.Log(t.set.Temperature[rungs-1] / t.set.Temperature[0])
	p.Barrier = math.Sqrt(d/(2*math.Pi)) * span
	pairs := math.Max(1, math.Ceil(2*p.Barrier))
	p.Needed, p.Ratio = int(pairs)+1, math.Exp(span/pairs)
	p.RoundTrips = t.sweeps() * t.set.Swap.RoundTrips(rejection)
	return p
}

// sweeps is how many a whole training has.
func (t *training) sweeps() float64 {
	return float64(t.set.Epochs * t.steps / max(1, t.set.Swap.Every))
}

// passes is how often energies for swaps go over all training data in a whole training.
func (t *training) passes() float64 {
	s := t.set.Swap
	switch {
	case t.exchange == nil:
		return 0
	case t.set.FullEnergies:
		return t.sweeps() * s.Looks(len(t.Rung))
	case s.Estimate.Every > 0:
		s = s.WithDefaults(len(t.Rung))
		estimates := 1 + t.set.Epochs*t.steps/s.Estimate.Every
		return float64(estimates*s.Estimate.Batches*t.size) / float64(t.n)
	}
	return 0
}

// logAcceptance is ln E min(1, S̃) of two rungs of a d-dimensional Gaussian law in
// equilibrium, whose energies' difference has noise of the given variance, corrected by
// half of it. There log S̃ is nearly normal with mean −s²/2 and variance s²,
//
//	s² = d (τ_h − τ_c)²/(τ_c τ_h) + Δβ² σ̃²,
//
// and E min(1, S̃) = erfc(s/√8).
func logAcceptance(d, cold, hot, variance float64) float64 {
	delta := 1/cold - 1/hot
	x := math.Sqrt((d*(hot-cold)*(hot-cold)/(cold*hot) + delta*delta*variance) / 8)
	if x < 20 {
		return math.Log(math.Erfc(x))
	}
	return -x*x - math.Log(x*math.Sqrt(math.Pi)) - 1/(2*x*x)
}
