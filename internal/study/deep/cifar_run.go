package deep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// An outcome is what the repetitions of an item found.
type outcome struct {
	item
	runs []*run
}

// A run is what one training found.
type run struct {
	single, average bnn.Scores
	epochs          []bnn.Epoch
	index           bnn.Index
	roundTrips      int64
	kept            int
	fault           error // nil, or why there are no scores: a loss or outputs that are not finite
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
	images := int64(0)
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
		images += j.o.cost(n)
	}
	close(queue)
	count := m.Counter("cifar: "+what, len(jobs))
	return m.spent.Time(m.Options, "cifar", fmt.Sprintf("%s: %d trainings", what, len(jobs)), func() (int64, error) {
		g, ctx := errgroup.WithContext(ctx)
		for _, device := range m.devices {
			g.Go(func() error {
				for j := range queue {
					r, err := m.once(ctx, j.o.item, j.repeat, device)
					if err != nil {
						return fmt.Errorf("%s, repetition %d: %w", j.o.name(), j.repeat+1, err)
					}
					j.o.runs[j.repeat] = r
					count()
				}
				return nil
			})
		}
		return images, g.Wait()
	})
}

// once makes one repetition.
func (m *inquiry) once(ctx context.Context, c item, repeat int, device string) (r *run, err error) {
	s := c.settings
	s.Ladder = repeat
	e, err := m.open(ctx, s.Setup(c.network), device)
	if err != nil {
		return nil, refusal(err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	r = &run{}
	found, err := bnn.Train(ctx, watched{e}, m.source.data, s, bnn.Observer{Epoch: func(e bnn.Epoch) error {
		r.epochs = append(r.epochs, e)
		return nil
	}})
	var broken *bnn.NotFinite
	switch {
	case errors.As(err, &broken), errors.As(err, &overflow{}):
		r.fault = err
		return r, nil
	case err != nil:
		return nil, err
	}
	r.index, r.roundTrips, r.kept = found.Index, found.Swaps.RoundTrips, found.Kept
	for _, x := range []struct {
		of *bnn.Scores
		p  bnn.Predictions
	}{{&r.single, found.Single}, {&r.average, found.Average}} {
		s, err := x.p.Scores(m.source.data.Test)
		if err != nil {
			return nil, err
		}
		*x.of = *s
	}
	return r, nil
}

// plan measures in a few iterations what a ladder would do by rule metropolis.
func (m *inquiry) plan(ctx context.Context, c item) (p *bnn.Plan, err error) {
	e, err := m.open(ctx, c.settings.Setup(c.network), m.devices[0])
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
		if r.fault == nil {
			out = append(out, r)
		}
	}
	return out
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
		for _, e := range r.epochs {
			most = max(most, slices.Max(e.Reflected))
		}
	}
	return most
}
