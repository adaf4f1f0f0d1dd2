//go:build !nohub

package fleet

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// TestBrokerStaysAway: the rest is done here.
func TestBrokerStaysAway(t *testing.T) {
	t.Parallel()
	y := newYard(t, 4)
	y.list.Do = func(_ context.Context, i int) error {
		if y.by("here") == 0 {
			y.broker.Close()
		}
		y.note(i, "here")
		return nil
	}
	y.work()
}

// TestBrokerIsAwayAtFirst: a list is begun while the broker is away, and offered once it is back; if it
// stays away all is done here. That it is away is not that it refuses.
func TestBrokerIsAwayAtFirst(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{true, false} {
		y := newYard(t, 4)
		y.worker("w1", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
		url, address := y.broker.URL(), y.broker.server.Addr().String()
		y.broker.Close()
		y.board.Connect = func() (*nats.Conn, error) { return Connect(url, nats.RetryOnFailedConnect(true)) }
		y.list.Do = func(ctx context.Context, i int) error {
			if back {
				y.listen(address)
			}
			for back && y.by("w1") < 3 && ctx.Err() == nil {
				pause(ctx, watchEvery)
			}
			y.note(i, "here")
			return nil
		}
		y.work()
		if here := y.by("here"); back && here > 1 || !back && here != 4 {
			t.Errorf("back: %v, and %d are done here", back, here)
		}
		if told := strings.Join(y.told, "\n"); strings.Contains(told, "cannot be offered") {
			t.Errorf("of a broker that is away: %s", told)
		}
	}
}
