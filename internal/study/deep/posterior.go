package deep

import (
	"context"
	"errors"
	"fmt"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
)

// PosteriorTitle is that of the study that [Posterior] runs.
const PosteriorTitle = "The posterior of 1,210 weights: samplers, ensembles and SWAG against Hamiltonian Monte Carlo (section 5.3)"

// Posterior runs a study of what the methods of section 5.3 make of a posterior that is
// known: predictions of a small network given 1,000 pictures of Fashion-MNIST, held
// against Hamiltonian Monte Carlo over all data, at equal numbers of gradients. Scale
// smoke takes a frozen reference, the others make it again. It fails if the data or the
// worker program are missing, a loss is not finite, or ctx ends.
func Posterior(ctx context.Context, o study.Options) (*study.Study, error) {
	data, err := pictures()
	if err != nil {
		return nil, err
	}
	effort := posteriorEffort{epochs: 300, repeats: 2}
	switch o.Scale {
	case study.Small:
		effort = posteriorEffort{epochs: 4000, repeats: 5, iterations: 1000}
	case study.Paper:
		effort = posteriorEffort{epochs: 20000, repeats: 10, iterations: 6000}
	}
	if o, err = depending(o, data, machine{devices: []string{"cpu"}, precision: "float32"}); err != nil {
		return nil, err
	}
	return comparePosteriors(ctx, o, effort, data, openTorch)
}

// PosteriorReady is [Ready] of the study that [Posterior] runs.
func PosteriorReady(o study.Options) error {
	_, err := pictures()
	return errors.Join(err, worker())
}

// pictures are the data.
func pictures() (bnn.Data, error) {
	data, err := posteriorData(fashion)
	if err != nil {
		err = &job.Refused{Err: fmt.Errorf("%w\nscript/setup torch installs Fashion-MNIST", err)}
	}
	return data, err
}

// posteriorEffort is how much is run.
type posteriorEffort struct {
	epochs     int // over the training images, of all replicas of a method together
	repeats    int
	iterations int // of a chain of the reference; 0 takes the frozen one
}

// An appraisal is the study of a known posterior while it runs.
type appraisal struct {
	study.Options
	posteriorEffort
	data      bnn.Data
	open      opener
	yard      *yardstick
	known     *score.Predictions // of the reference
	plan      *bnn.Plan
	rivals    []*rival
	table     study.Tidy
	reference marks // of the reference itself, against labels
	floor     marks // of one half of its chains against the other
}

func comparePosteriors(ctx context.Context, o study.Options, effort posteriorEffort, data bnn.Data, open opener) (*study.Study, error) {
	a := &appraisal{Options: o, posteriorEffort: effort, data: data, open: open}
	return o.Conduct(func() (*study.Study, error) {
		for _, step := range []func(context.Context) error{a.reckon, a.methods, a.run} {
			if err := step(ctx); err != nil {
				return nil, refusal(err)
			}
		}
		return a.study()
	})
}

// reckon makes the reference or takes the frozen one.
func (a *appraisal) reckon(ctx context.Context) (err error) {
	if a.iterations == 0 {
		a.yard, err = thaw(frozenFacts, frozenHalves)
	} else {
		a.Announce("posterior: Hamiltonian Monte Carlo, 4 chains of %d trajectories", a.iterations)
		a.yard, err = measure(ctx, a.data, a.open, a.Seed, a.iterations, a.Workers())
	}
	if err != nil {
		return err
	}
	if a.known, err = a.yard.predictions(); err != nil {
		return err
	}
	if a.reference, err = a.mark(a.known, a.known); err != nil {
		return err
	}
	var halves [2]*score.Predictions
	for h := range halves {
		if halves[h], err = score.FromProbabilities(a.yard.halves[h], 10); err != nil {
			return err
		}
	}
	a.floor, err = a.mark(halves[0], halves[1])
	return err
}

// marks are what is thought of predictions.
type marks struct {
	Agreement float64 // share of the test images with the same likeliest class as the reference
	Variation float64 // mean total variation to the reference
	Accuracy  float64
	NLL       float64
}

func (a *appraisal) mark(p, known *score.Predictions) (m marks, err error) {
	if m.Agreement, err = score.Agreement(p, known); err != nil {
		return m, err
	}
	if m.Variation, err = score.TotalVariation(p, known); err != nil {
		return m, err
	}
	s, err := score.Score(p, a.data.Test.Labels, nil)
	if err != nil {
		return m, err
	}
	m.Accuracy, m.NLL = s.Accuracy, s.NLL
	return m, nil
}

// run runs all repetitions of all methods.
func (a *appraisal) run(ctx context.Context) error {
	all, err := study.Gather(ctx, a.Options, "posterior: trainings", len(a.rivals)*a.repeats, func(ctx context.Context, i int) (trained, error) {
		r := a.rivals[i/a.repeats]
		t, err := a.once(ctx, r, i%a.repeats)
		if err != nil {
			return t, fmt.Errorf("%s: %w", r.name, err)
		}
		return t, nil
	})
	for i, t := range all {
		r := a.rivals[i/a.repeats]
		r.marks, r.trips = append(r.marks, t.Marks), append(r.trips, t.Trips)
		if i%a.repeats == 0 {
			r.swaps, r.kept = t.Swaps, t.Kept
		}
		r.walls = r.walls || t.Walls
	}
	return err
}

// trained is what comes of a training.
type trained struct {
	Marks marks
	Trips float64
	Swaps []exchange.Pair
	Kept  int  // models averaged
	Walls bool // whether any coordinate met a wall
}

// once makes a repetition of a method.
func (a *appraisal) once(ctx context.Context, r *rival, repeat int) (t trained, err error) {
	s := r.settings
	s.Ladder = repeat
	e, err := a.open(ctx, s.Setup(posteriorNetwork()), "cpu")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	found, err := bnn.Train(ctx, e, a.data, s, bnn.Observer{})
	if err != nil {
		return t, err
	}
	p := found.Average.Test
	if r.single {
		p = found.Single.Test
	}
	t.Trips, t.Swaps, t.Kept = float64(found.Swaps.RoundTrips), found.Swaps.Pairs, found.Kept
	for _, e := range found.Epochs {
		for _, share := range e.Reflected {
			t.Walls = t.Walls || share > 0
		}
	}
	t.Marks, err = a.mark(p, a.known)
	return t, err
}
