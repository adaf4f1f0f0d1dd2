package domain

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// An ending context ends when it was asked n times.
type ending struct {
	context.Context
	n, asked int
}

func (e *ending) Err() error {
	if e.asked++; e.asked > e.n {
		return context.Canceled
	}
	return nil
}

// What may take long ends with its context, however far it has come, and does not go on
// asking; a polytope does not keep what was stopped.
func TestSearchesHearTheirContext(t *testing.T) {
	pace.Slow(t)
	needle, _, _ := turnedBox(t, rand.New(rand.NewPCG(1, 1)), 6, 1e-4)
	ball := must[*ball](t)(NewBall(make([]float64, 6), 2))
	thin := must[*implicit](t)(NewImplicit([]Surface{sphere(6, 1, 1), sphere(6, 0.999, -1)}, []string{"out", "in"},
		[]float64{-2, -2, -2, -2, -2, -2}, []float64{2, 2, 2, 2, 2, 2}))
	rng := rand.New(rand.NewPCG(1, 2))
	for name, d := range map[string]Domain{"needle": needle, "ball and needle": must[Domain](t)(NewIntersection(ball, needle)),
		"shell": thin} {
		for what, search := range map[string]func(ctx context.Context) error{
			"uniform": func(ctx context.Context) error {
				law, err := Uniform(ctx, d)
				for k := 0; k < 3 && err == nil; k++ {
					err = law.Draw(ctx, make([]float64, d.Dim()), rng)
				}
				return err
			},
			"volume":   func(ctx context.Context) error { _, _, err := Volume(ctx, d, rng); return err },
			"interior": func(ctx context.Context) error { _, err := Interior(ctx, d, rng); return err },
		} {
			for n := 0; n < 400; n = 2*n + 1 {
				ctx := &ending{Context: t.Context(), n: n}
				err := search(ctx) // asked once more, it may have found all that it looks for
				if ctx.asked > n+1 && !errors.Is(err, context.Canceled) || ctx.asked > n+20 {
					t.Errorf("%s of the %s, ended when asked %d times: asked %d times, %v", what, name, n, ctx.asked, err)
				}
			}
			if err := search(t.Context()); errors.Is(err, context.Canceled) {
				t.Errorf("%s of the %s: what was stopped is kept: %v", what, name, err)
			}
		}
	}
}
