package study

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"golang.org/x/sync/errgroup"
)

// Conduct runs a study and notes how long it took, with what it had done before it was stopped.
func (o Options) Conduct(run func() (*Study, error)) (*Study, error) {
	if _, err := ParseScale(string(o.Scale)); err != nil {
		return nil, err
	}
	since := o.clock()
	s, err := run()
	if err != nil {
		return nil, err
	}
	s.Seconds = since().Seconds()
	return s, nil
}

// clock returns the time since now, with that of cases that are found.
func (o Options) clock() func() time.Duration {
	begin, earlier := time.Now(), func() time.Duration { return 0 }
	if o.Keeper != nil {
		earlier = func() time.Duration { return o.Keeper.Earlier(0) }
	}
	before := earlier()
	return func() time.Duration { return time.Since(begin) + earlier() - before }
}

// Each calls do for 0 to n−1 on as many threads as o allows, and announces how far
// that has come. After an error or the end of ctx no more are called.
func (o Options) Each(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers())
	count := o.Counter(what, n)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			defer count()
			return do(ctx, i)
		})
	}
	return g.Wait()
}

// Threshold returns a correction of swaps, between e^low and e^high, at which about a share
// of them is made, by bisection of so many steps: the smaller it is, the fewer are made.
func Threshold(low, high, share float64, steps int, rate func(correction float64) (float64, error)) (float64, error) {
	for range steps {
		middle := (low + high) / 2
		made, err := rate(math.Exp(middle))
		switch {
		case err != nil:
			return 0, err
		case made < share:
			low = middle
		default:
			high = middle
		}
	}
	return math.Exp((low + high) / 2), nil
}

// SeedOf is the seed of a part of a study by its name.
func SeedOf(study uint64, name string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", study, name)
	return h.Sum64() >> 12 // exact in any reader of YAML
}

// A Spell is how long a part of a study took, and how much was done in it.
type Spell struct {
	Part    string
	Seconds float64
	Amount  int64
}

// Rate is how much was done in a second.
func (s Spell) Rate() float64 { return float64(s.Amount) / s.Seconds }

// Spells are the parts of a study, one after the other.
type Spells []Spell

// Time announces a part of the study of a name, runs it and notes how long it took.
func (s *Spells) Time(o Options, name, part string, run func() (amount int64, err error)) error {
	since := o.clock()
	o.Announce("%s: %s", name, part)
	amount, err := run()
	*s = append(*s, Spell{part, since().Seconds(), amount})
	return err
}
