package r2sgld

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// start puts every replica of every ladder where it begins and evaluates it.
func (r *run) start(ctx context.Context) error {
	place, err := r.places(ctx)
	if err != nil {
		return err
	}
	for _, l := range r.all {
		if err := l.start(place, r.settings.States == nil && r.settings.Start == nil); err != nil {
			return fmt.Errorf("ladder %d: %w", l.index+1, err)
		}
		l.shadow.join()
	}
	return nil
}

// Points are Start and MoreStarts; none where Start is nil.
func (s Settings) Points() [][]float64 {
	if s.Start == nil {
		return nil
	}
	return append([][]float64{s.Start}, s.MoreStarts...)
}

// places returns what writes the start of the replica that holds a rung of a
// ladder.
func (r *run) places(ctx context.Context) (func(x []float64, l *ladder, rung int) error, error) {
	switch s := r.settings; {
	case s.States != nil:
		return func(x []float64, l *ladder, rung int) error { copy(x, s.States[l.index][rung]); return nil }, nil
	case s.Start != nil:
		points := s.Points()
		return func(x []float64, l *ladder, _ int) error { copy(x, points[l.index%len(points)]); return nil }, nil
	case r.problem.Domain == nil && r.problem.normal() == nil:
		return nil, errors.New("the domain is all of R^d: give a starting point")
	}
	drawer, err := r.problem.Drawer(ctx)
	if err != nil {
		return nil, fmt.Errorf("no uniform start: %w", err)
	}
	return func(x []float64, l *ladder, rung int) error {
		return drawer.Draw(ctx, x, l.streams.Of(rung, stream.Start))
	}, nil
}

// redraws is how many starts of a ladder are drawn again, for each of its
// replicas but for 10 at least, where the energy is not finite.
const redraws = 100

// start places the replicas, replica i on rung i, and evaluates them; places
// that are drawn are drawn again where an energy is not finite.
func (l *ladder) start(place func([]float64, *ladder, int) error, drawn bool) error {
	b := l.block
	z := make([]float64, b.D)
	put := func(i int) error {
		if err := place(l.from, l, i); err != nil {
			return err
		}
		l.frame.inverse(z, l.from)
		for j, v := range z {
			b.X[j*b.Stride+i] = v
		}
		return nil
	}
	for i := range b.R {
		if err := put(i); err != nil {
			return err
		}
	}
	l.schedule.Set(l.at, 1)
	for i := range b.R {
		rng := l.random(i)
		for j := i; j < len(b.V); j += b.Stride {
			b.V[j] = l.at.Spread[i] * rng.NormFloat64()
		}
	}
	draws := b.R
	for {
		l.evaluate()
		i := l.notFinite()
		if i < 0 {
			return nil
		}
		if err := potential.Err(l.potential); err != nil {
			return err
		}
		if !drawn || draws == b.R+redraws*max(10, b.R) {
			return l.noStart(i, drawn, draws)
		}
		if err := put(i); err != nil {
			return err
		}
		draws++
	}
}

// noStart says that the energy is not finite where replica i starts, the first
// such of those that came of so many draws.
func (l *ladder) noStart(i int, drawn bool, draws int) error {
	at := make([]string, l.block.D)
	for j, v := range l.state(i) {
		at[j] = fmt.Sprintf("%s = %.4g", l.names[j], v)
	}
	share := ""
	if drawn {
		finite := 0
		for k, u := range l.block.Energy {
			if u-u == 0 && !l.block.SlopeNotFinite(k) {
				finite++
			}
		}
		share = fmt.Sprintf(" (of %d draws %d have one that is)", draws, finite)
	}
	advice := "start elsewhere (sampler.init), or keep the domain away from there"
	if l.base != nil {
		advice = "trajectories blow up or cannot be computed where the priors lead: narrow them, or constrain the parameters (rates are per unit of the data's time)"
	}
	return fmt.Errorf("the energy or its gradient is not finite at the start, %s%s: %s", strings.Join(at, ", "), share, advice)
}
