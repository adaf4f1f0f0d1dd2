//go:build !nohub

package fleet

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// TestDemand: a shelf has what workers take in three seconds, at least sixteen cases, and is short where it has
// less than half of that.
func TestDemand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taken := rapid.Uint64Range(0, 1000).Draw(t, "taken")
		more := rapid.Uint64Range(0, 1000).Draw(t, "more")
		left := rapid.IntRange(0, 4000).Draw(t, "left")
		ms := rapid.IntRange(10, 2000).Draw(t, "ms")
		at := time.Unix(0, 0)
		d, want := demand{taken: taken, at: at}.next(taken+more, left, at.Add(time.Duration(ms)*time.Millisecond))
		exact := 3000 * float64(more) / float64(ms)
		if float64(want) > max(16, exact*(1+1e-9)) || float64(want) < max(16, exact*(1-1e-9)-1) {
			t.Errorf("%d more in %d ms: %d are wanted, not %g", more, ms, want, exact)
		}
		if d.short != (left < want/2) || d.taken != taken+more {
			t.Errorf("%d of %d are left: %+v", left, want, d)
		}
	})
	if _, want := (demand{taken: 1000, at: time.Unix(0, 0)}).next(3, 0, time.Unix(1, 0)); want != fewest {
		t.Errorf("of a broker that has begun anew %d are wanted", want)
	}
	if _, want := (demand{at: time.Unix(0, 0)}).next(3, 0, time.Unix(0, 0)); want != greatest {
		t.Errorf("of workers that took them at once %d are wanted", want)
	}
}

// put is how many cases were put on the shelf of the yard's list.
func (y *yard) put(ctx context.Context) uint64 {
	js, _ := jetstream.New(y.conn())
	queue, err := js.Stream(ctx, shelfPrefix+"a1")
	if err != nil {
		y.t.Error(err)
		return 0
	}
	return queue.CachedInfo().State.LastSeq
}

// TestReserve: cases that nobody else asks for are done here without the broker's help.
func TestReserve(t *testing.T) {
	const n = 3 * fewest
	for range 20 {
		y := newYard(t, n)
		put := uint64(0)
		y.list.Do = func(ctx context.Context, i int) error {
			y.note(i, "here")
			if y.by("here") == n-fewest/2 {
				put = y.put(ctx)
			}
			return nil
		}
		begun := time.Now()
		y.work()
		if time.Since(begun) > longCase { // this machine has other things to do
			continue
		}
		if put != fewest {
			t.Errorf("%d cases are offered of which nobody takes any", put)
		}
		return
	}
	t.Error("no list was done in time")
}

// TestReserveOfWhatNobodyHas: what was done here before the broker came is not kept in reserve.
func TestReserveOfWhatNobodyHas(t *testing.T) {
	p := &posting{list: &cases.List{}, stage: map[int]stage{1: ours, fewest + 1: ours, fewest + 2: over, fewest + 3: kept}}
	for i := range fewest + 5 {
		p.list.Left = append(p.list.Left, i)
	}
	p.reserve()
	if !slices.Equal(p.spare, []int{fewest, fewest + 3, fewest + 4}) || p.stage[fewest+1] != ours || p.stage[fewest+2] != over || p.stage[0] != offered {
		t.Errorf("%v are in reserve; %v", p.spare, p.stage)
	}
}

// TestReserveOfLongCases: all cases are offered while hands are at one that takes long, and while workers
// take them.
func TestReserveOfLongCases(t *testing.T) {
	t.Parallel()
	const n = 3 * fewest
	y := newYard(t, n)
	y.list.Do = func(ctx context.Context, i int) error {
		for y.by("worker w") < n-1 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		y.note(i, "here")
		return ctx.Err()
	}
	y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
	y.work()
}

// TestNoReserveOfKnownLists: what a run before has offered, and what came of it, is not done again by the next.
func TestNoReserveOfKnownLists(t *testing.T) {
	t.Parallel()
	const n = 3 * fewest
	y := newYard(t, n)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ended := errors.New("ended")
	y.list.Do = func(ctx context.Context, i int) error {
		for y.put(ctx) < n-1 && ctx.Err() == nil { // which takes long
			time.Sleep(10 * time.Millisecond)
		}
		return ended
	}
	if err := y.list.Work(ctx); !errors.Is(err, ended) {
		t.Fatal(err)
	}
	_, leave := y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
		y.note(numberOf(c).Number, "worker w")
		return leaves(c, dir)
	})
	for y.by("worker w") < n/2 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	leave()
	done := y.by("worker w")
	y.list.Do = func(_ context.Context, i int) error { y.note(i, "here"); return nil }
	if err := y.list.Work(ctx); err != nil {
		t.Fatal(err)
	}
	if again := y.by("here") + done - n; again > 2 { // that were in the worker's hands when it left: one done, one being told
		t.Errorf("%d of the %d cases that a worker had done are done again", again, done)
	}
}
