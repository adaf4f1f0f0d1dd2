package tune

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A plan whose context ends says what had not ended, and how far the warm-up came: the later it ends, the more.
// Mutants: an end that tells nothing; rounds that are not heard of.
func TestUnplanned(t *testing.T) {
	box, err := domain.NewBox([]float64{-3, -3}, []float64{3, 3})
	if err != nil {
		t.Fatal(err)
	}
	var most atomic.Int64 // gradients until the context ends
	var cancel context.CancelFunc
	patient := false // gradients after that end wait, so that no run is over before it hears of the end
	u := potential.Func(2, func(grad, x []float64) float64 {
		if n := most.Add(-1); n == 0 {
			cancel()
		} else if n < 0 && patient {
			time.Sleep(time.Millisecond)
		}
		w := x[0]*x[0] + x[1]*x[1] - 1
		grad[0], grad[1] = 32*w*x[0]-1, 32*w*x[1]
		return 8*w*w - x[0]
	})
	p := r2sgld.Problem{Potential: u, Domain: box}
	plan := func(n int64) error {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		most.Store(n)
		_, err := ForecastAuto(ctx, p, r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 1000}, Until{}.WithDefaults(1000))
		return err
	}
	if err := plan(-1); err != nil {
		t.Fatal(err)
	}
	all := -1 - most.Load()
	seen := map[string]bool{}
	rounds := 0
	for k := range int64(60) {
		n := 1 + k*all/60
		if k >= 30 { // the short run has the last few
			n = all - (60-k)*all/1000
		}
		err := plan(n)
		if err == nil && k >= 30 { // which may be over before it hears of an end
			continue
		}
		end, ok := errors.AsType[*Unplanned](err)
		if !ok || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), end.At+" had not ended") {
			t.Fatalf("after %d of %d gradients: %v", n, all, err)
		}
		if seen[end.At] = true; end.Found != nil {
			if rounds = max(rounds, len(end.Found.Rounds)); !strings.Contains(err.Error(), "iterations of each ladder") {
				t.Errorf("rounds untold: %v", err)
			}
		}
	}
	for _, at := range []string{"the search for modes", "the warm-up", "the short run of the ladder that the warm-up found"} {
		if !seen[at] {
			t.Errorf("%s is never said to be what had not ended: %v", at, seen)
		}
	}
	if rounds < 2 {
		t.Errorf("%d rounds of warm-up are told at most", rounds)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	cancel, patient = end, true
	most.Store(10)
	if _, err := Forecast(ctx, p, r2sgld.Settings{Seed: 1, StepSize: []float64{1e-3}, Start: []float64{1, 0},
		Iterations: 10_000_000}); err == nil ||
		!strings.Contains(err.Error(), "the short run had not ended") {
		t.Errorf("a run with settings of its own: %v", err)
	}
}
