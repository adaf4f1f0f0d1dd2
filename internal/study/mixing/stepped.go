package mixing

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// Stepped compares swaps at random times with those of the algorithm, which tries one
// after every iteration.
type Stepped struct {
	Name string     `json:"name"`
	Tau  [2]float64 `json:"temperature"`
	Step []float64  `json:"step_size"` // η, of both rungs
	// Rate is −log λ/η, λ the second largest eigenvalue of an iteration: a step of each
	// rung and an attempt to swap.
	Rate []float64 `json:"rate"`
	// Seldom is the same where an attempt is made in one of ten iterations, at random.
	Seldom []float64 `json:"rate_seldom"`
	// Gap and GapSeldom are those of the diffusions that swap at rate min(1, S)/η and a
	// tenth of it.
	Gap       []float64 `json:"gap"`
	GapSeldom []float64 `json:"gap_seldom"`
	Alone     float64   `json:"gap_without_swaps"`
}

// seldom is the share of iterations with an attempt, where not every one has one.
const seldom = 0.1

// stepped compares both kinds of swaps.
func (e effort) stepped(ctx context.Context, o study.Options) ([]Stepped, error) {
	narrow, err := interval(-2, 2)
	if err != nil {
		return nil, err
	}
	all := []problem{{"double well on [−2, 2]", well(), narrow, []float64{1, 10}, 0},
		{"25 modes, a slice on [−2, 2]", modes(1), narrow, []float64{1, 10}, 0}}
	return each(ctx, o, "iterations", len(all), func(ctx context.Context, i int) (s Stepped, err error) {
		p := all[i]
		process, err := p.process(ctx, e.sweepPair)
		if err != nil {
			return s, err
		}
		s = Stepped{Name: p.name, Tau: [2]float64(p.tau)}
		if s.Alone, err = process.Gap(ctx); err != nil {
			return s, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, step := range logarithmic(e.leastPair, 0.03, e.pairSteps) {
			if err := s.add(ctx, process, p.potential, step); err != nil {
				return s, fmt.Errorf("%s, step %g: %w", p.name, step, err)
			}
		}
		return s, nil
	})
}

// add computes the rates with a step.
func (s *Stepped) add(ctx context.Context, p *theory.Process, u potential.Potential, step float64) error {
	for _, x := range []struct {
		attempt   float64
		rate, gap *[]float64
	}{{1, &s.Rate, &s.Gap}, {seldom, &s.Seldom, &s.GapSeldom}} {
		pair, err := scheme.NewPair(scheme.PairStep{U: u, Lo: -2, Hi: 2, Temperature: s.Tau,
			StepSize: [2]float64{step, step}, Attempt: x.attempt})
		if err != nil {
			return err
		}
		rate, err := pair.Rate()
		if err != nil {
			return err
		}
		with, err := p.With(x.attempt / step)
		if err != nil {
			return err
		}
		gap, err := with.Gap(ctx)
		if err != nil {
			return err
		}
		*x.rate, *x.gap = append(*x.rate, rate), append(*x.gap, gap)
	}
	s.Step = append(s.Step, step)
	return nil
}
