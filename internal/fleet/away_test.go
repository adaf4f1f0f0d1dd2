//go:build !nohub

package fleet

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// TestRefusesInTheMiddle: where a broker takes some cases and then no more, as one that is full, what
// workers do of these comes home, the others are done here, and nothing is left behind.
func TestRefusesInTheMiddle(t *testing.T) {
	t.Parallel()
	const n = 2 * mostAtOnce
	y := newYard(t, n)
	plain := y.list.Case
	y.list.Case = func(i int) (cases.Case, error) {
		c, err := plain(i)
		if i == n-1 { // more than a message may have
			c.Title = strings.Repeat("x", 2*mostPayload)
		}
		return c, err
	}
	y.list.Do = func(ctx context.Context, i int) error {
		for (y.by("w1") < 2 || !y.saidOf("cannot be offered")) && ctx.Err() == nil {
			pause(ctx, watchEvery/10)
		}
		y.note(i, "here")
		return nil
	}
	y.worker("w1", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
	y.work()
	if told := strings.Join(y.told, "\n"); strings.Count(told, "cannot be offered") != 1 {
		t.Errorf("told: %.1000s", told)
	}
	js, err := jetstream.New(y.conn())
	if err != nil {
		t.Fatal(err)
	}
	for left := range js.StreamNames(t.Context()).Name() {
		t.Errorf("%s is left", left)
	}
}

// TestFewQuestions: while hands have work the broker is hardly asked for news: seven questions make the list, two
// every second look at it, and two each time that the hand had to wait for a case.
func TestFewQuestions(t *testing.T) {
	t.Parallel()
	y := newYard(t, 24)
	var asked, busy atomic.Int64
	if _, err := y.conn().Subscribe("$JS.API.*.INFO.>", func(*nats.Msg) { asked.Add(busy.Load()) }); err != nil {
		t.Fatal(err)
	}
	y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
		time.Sleep(watchEvery)
		return leaves(c, dir)
	})
	begun := time.Now()
	waits, last := int64(0), begun
	y.list.Do = func(_ context.Context, i int) error {
		if time.Since(last) > moment/2 {
			waits++
		}
		busy.Store(1)
		time.Sleep(watchEvery)
		y.note(i, "here")
		busy.Store(0)
		last = time.Now()
		return nil
	}
	y.work()
	took := time.Since(begun)
	if most := 7 + 2*(1+int64(took/askEvery)+waits); asked.Load() > most {
		t.Errorf("asked %d times in %v with %d waits, want at most %d", asked.Load(), took, waits, most)
	}
}

// TestEndIsHeard: a hand that waits hears that the last case is done elsewhere before it would ask again.
// How long it may take follows from what the broker takes for a shelf that comes and goes.
func TestEndIsHeard(t *testing.T) {
	t.Parallel()
	least, shelves := time.Hour, time.Hour
	for range 5 {
		y := newYard(t, 2)
		taken, waits, told := make(chan struct{}), make(chan struct{}), make(chan time.Time, 1)
		conn := y.conn()
		if _, err := conn.Subscribe(toldOf("*"), func(*nats.Msg) { told <- time.Now() }); err != nil {
			t.Fatal(err)
		}
		_, leave := y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
			close(taken)
			<-waits
			time.Sleep(5 * moment)
			return leaves(c, dir)
		})
		y.list.Do = func(_ context.Context, i int) error { <-taken; y.note(i, "here"); close(waits); return nil }
		y.work()
		least = min(least, time.Since(<-told))
		leave()
		begun := time.Now()
		js, _ := jetstream.New(conn)
		if _, err := declare(t.Context(), js, "other", nil); err != nil {
			t.Fatal(err)
		}
		if err := clearShelf(t.Context(), js, "other"); err != nil {
			t.Fatal(err)
		}
		shelves = min(shelves, time.Since(begun))
	}
	if least > glance/4+4*shelves {
		t.Errorf("it hears of the last case after %v; a shelf takes %v", least, shelves)
	}
}

// TestLastCaseWakes: who waits for a case waits no longer once the last one is over.
func TestLastCaseWakes(t *testing.T) {
	p := &posting{stage: map[int]stage{}, left: 2}
	p.all, p.rest = context.WithCancel(t.Context())
	if p.finish(0); p.all.Err() != nil {
		t.Error("woken with a case left")
	}
	if p.finish(0); p.all.Err() != nil {
		t.Error("woken by a case that was over")
	}
	if p.finish(1); p.all.Err() == nil {
		t.Error("not woken by the last case")
	}
}
