package deep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/training"
)

// An outcome is what the repetitions of an item found.
type outcome struct {
	item
	runs []*run
}

// A run is what one training found.
type run struct {
	Single, Average bnn.Scores
	Epochs          []bnn.Epoch
	Index           bnn.Index
	RoundTrips      int64
	Kept            int
	Fault           string // why there are no scores, if there are none: a loss or outputs that are not finite
}

// An overflow is outputs of a model that are not finite.
type overflow struct{}

func (overflow) Error() string { return "the model's outputs are not finite" }

// watched is an engine whose predictions are looked at.
type watched struct{ bnn.Engine }

func (w watched) Predict(replica, set int) ([]float32, error) {
	out, err := w.Engine.Predict(replica, set)
	if err == nil && slices.ContainsFunc(out, func(x float32) bool { return x-x != 0 }) {
		return nil, overflow{}
	}
	return out, err
}

// train makes all repetitions of all items, one on each device at a time, the longest
// first.
func (m *inquiry) train(ctx context.Context, what string, all []*outcome) error {
	type job struct {
		o      *outcome
		repeat int
	}
	var jobs []job
	for _, o := range all {
		for r := range o.runs {
			jobs = append(jobs, job{o, r})
		}
	}
	n := m.source.data.Train.Len()
	slices.SortStableFunc(jobs, func(a, b job) int { return int(b.o.cost(n) - a.o.cost(n)) })
	images, free := int64(0), make(chan string, len(m.devices))
	for _, j := range jobs {
		images += j.o.cost(n)
	}
	for _, device := range m.devices {
		free <- device
	}
	o := m.Options
	o.Threads = len(m.devices)
	return m.spent.Time(m.Options, "cifar", fmt.Sprintf("%s: %d trainings", what, len(jobs)), func() (int64, error) {
		found, err := study.Gather(ctx, o, "cifar: "+what, len(jobs), func(ctx context.Context, i int) (*run, error) {
			j, device := jobs[i], <-free
			defer func() { free <- device }()
			r, err := m.once(ctx, j.o.item, j.repeat, device)
			if err != nil {
				return nil, fmt.Errorf("%s, repetition %d: %w", j.o.name(), j.repeat+1, err)
			}
			return r, nil
		})
		for i, r := range found {
			jobs[i].o.runs[jobs[i].repeat] = r
		}
		return images, err
	})
}

// once makes one repetition, from where it was stopped before.
func (m *inquiry) once(ctx context.Context, c item, repeat int, device string) (r *run, err error) {
	s := c.settings
	s.Ladder = repeat
	e, err := m.open(ctx, m.setup(c.network, s), device)
	if err != nil {
		return nil, refusal(err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	r = &run{}
	at := &bookmark{keeper: m.Keeper, name: fmt.Sprintf("%s, repetition %d, under way", c.name(), repeat+1)}
	from := at.find()
	if from != nil {
		r.Epochs = slices.Clone(from.Epochs)
	}
	found, err := bnn.Train(ctx, watched{e}, m.source.data, s, bnn.Observer{Resume: from, Due: at.due, Save: at.save,
		Epoch: func(e bnn.Epoch) error {
			r.Epochs = append(r.Epochs, e)
			return nil
		}})
	var broken *bnn.NotFinite
	switch {
	case errors.As(err, &broken), errors.As(err, &overflow{}):
		r.Fault = err.Error()
		return r, at.clear()
	case err != nil:
		return nil, err
	}
	r.Index, r.RoundTrips, r.Kept = found.Index, found.Swaps.RoundTrips, found.Kept
	for _, x := range []struct {
		of *bnn.Scores
		p  bnn.Predictions
	}{{&r.Single, found.Single}, {&r.Average, found.Average}} {
		s, err := x.p.Scores(m.source.data.Test)
		if err != nil {
			return nil, err
		}
		*x.of = *s
	}
	return r, at.clear()
}

// setup is that of the engine of a training.
func (m *inquiry) setup(w bnn.Network, s bnn.Settings) bnn.Setup {
	u := s.Setup(w)
	u.Precision = m.precision
	return u
}

// plan measures in a few iterations what a ladder would do by rule metropolis.
func (m *inquiry) plan(ctx context.Context, c item) (p *bnn.Plan, err error) {
	e, err := m.open(ctx, m.setup(c.network, c.settings), m.devices[0])
	if err != nil {
		return nil, refusal(err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return bnn.Forecast(ctx, e, m.source.data, c.settings, pilot)
}

// pilot is how many iterations a forecast measures: 2 at least.
const pilot = 4

// complete are the runs with scores.
func (o *outcome) complete() (out []*run) {
	for _, r := range o.runs {
		if r.Fault == "" {
			out = append(out, r)
		}
	}
	return out
}

// last is the record of the last epoch.
func (r *run) last() bnn.Epoch { return r.Epochs[len(r.Epochs)-1] }

// trips are the round trips of all replicas in a training.
func (r *run) trips() float64 { return float64(r.RoundTrips) }

// level is 𝒞 at the end of a training.
func (r *run) level() float64 { return r.last().Level }

// swaps are those of a training, and traded those that were made, of all pairs.
func (r *run) swaps() (attempts, traded int64) {
	for _, p := range training.Traded(r.last().Pairs) {
		attempts, traded = attempts+p.Attempts, traded+p.Accepted
	}
	return attempts, traded
}

// pairs are the swaps of every run with scores.
func (o *outcome) pairs() (all [][]exchange.Pair) {
	for _, r := range o.complete() {
		all = append(all, r.last().Pairs)
	}
	return all
}

// broken counts the runs without scores.
func (o *outcome) broken() int { return len(o.runs) - len(o.complete()) }

// column is a number of every run with scores.
func (o *outcome) column(of func(*run) float64) []float64 {
	var v []float64
	for _, r := range o.complete() {
		v = append(v, of(r))
	}
	return v
}

// reflected is the largest share of coordinates that met a wall in an epoch, on any rung,
// and of all runs.
func (o *outcome) reflected() (most float64) {
	for _, r := range o.runs {
		for _, e := range r.Epochs {
			most = max(most, slices.Max(e.Reflected))
		}
	}
	return most
}
