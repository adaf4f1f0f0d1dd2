package cases

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// TestEachOnce: every case is done once, those that were begun first, however many hands there
// are.
func TestEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "cases")
		begun := rapid.IntRange(0, n).Draw(t, "begun")
		var mu sync.Mutex
		var done []int
		l := &List{Hands: rapid.IntRange(0, 5).Draw(t, "hands"), Do: func(_ context.Context, i int) error {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, i)
			return nil
		}}
		for i := range n {
			if i < begun {
				l.Begun = append(l.Begun, i)
			} else {
				l.Left = append(l.Left, i)
			}
		}
		if err := l.Work(context.Background()); err != nil {
			t.Fatal(err)
		}
		if l.Hands < 2 && !slices.IsSorted(done) {
			t.Fatalf("one hand does %v", done)
		}
		slices.Sort(done)
		for i := range n {
			if len(done) != n || done[i] != i {
				t.Fatalf("of %d cases %v are done", n, done)
			}
		}
	})
}

// TestErrorEnds: after an error no hand takes another case, and the error is told; so is the
// end of the context.
func TestErrorEnds(t *testing.T) {
	bad := errors.New("bad")
	did := 0
	l := &List{Hands: 1, Left: []int{0, 1, 2, 3}, Do: func(_ context.Context, i int) error {
		did++
		if i == 1 {
			return bad
		}
		return nil
	}}
	if err := l.Work(t.Context()); !errors.Is(err, bad) || did != 2 {
		t.Errorf("%v after %d cases", err, did)
	}
	ctx, stop := context.WithCancel(t.Context())
	did = 0
	l.Do = func(context.Context, int) error { did++; stop(); return nil }
	if err := l.Work(ctx); !errors.Is(err, context.Canceled) || did != 1 {
		t.Errorf("%v after %d cases", err, did)
	}
}

// Halves are others that do the even cases of a list, of which they fail to bring case 2 home.
type halves struct{ queue }

func (h *halves) Offer(_ context.Context, l *List) (Source, error) {
	for _, i := range l.Left {
		if i%2 > 0 || l.Home(i, "", "a half") != nil {
			h.left = append(h.left, i)
		}
	}
	return h, nil
}

// A tally counts every case once, by who did it, over the lists that follow each other.
func TestTally(t *testing.T) {
	tally := new(Tally)
	l := &List{Hands: 2, Left: []int{1, 2, 3, 4, 5, 6}, Begun: []int{7}, Tally: tally, Others: new(halves),
		Do: func(context.Context, int) error { return nil },
		Home: func(i int, _, _ string) error {
			if i == 2 {
				return errors.New("lost")
			}
			return nil
		}}
	for round := 1; round <= 2; round++ {
		tally.Begin("list", 9, 2)
		if err := l.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := tally.Now()
		if now.List != "list" || now.Of != 9 || now.Done != 2+6 || len(now.By) != 2 || now.By[0].Who != "a half" ||
			now.By[0].Done != 2*round || now.By[1].Who != "" || now.By[1].Done != 4*round || now.By[1].Last.IsZero() {
			t.Errorf("round %d: %+v", round, now)
		}
	}
	l.Do = func(context.Context, int) error { return errors.New("bad") }
	tally.Begin("list", 7, 0)
	if err := l.Work(t.Context()); err == nil || tally.Now().Done != 2 {
		t.Errorf("%v, %+v", err, tally.Now())
	}
}
