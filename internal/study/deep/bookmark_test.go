package deep

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// A memory keeps what it is given.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (m *memory) Find(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[name]
}

func (m *memory) Keep(name string, text []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[name] = text
	return nil
}

func (m *memory) Earlier(time.Duration) time.Duration { return 0 }

// counted is an engine that counts its iterations, and stops the training after some.
type counted struct {
	bnn.Engine
	n    *int
	stop int
	end  func()
}

func (e counted) Advance(moves []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	if *e.n++; *e.n == e.stop {
		e.end()
	}
	return e.Engine.Advance(moves, b)
}

// A training that is stopped goes on where it was, with the numbers of one that was not, and
// leaves no checkpoint behind. One whose checkpoint is damaged begins anew.
func TestTrainingsGoOn(t *testing.T) {
	from, e := tiny()
	in := &memory{kept: map[string][]byte{}}
	made := func(k study.Keeper, stop int) (*run, int, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := 0
		m := &inquiry{Options: study.Options{Scale: study.Smoke, Seed: 1, Keeper: k}, effort: e, source: from, machine: on("cpu"),
			open: func(_ context.Context, s bnn.Setup, _ string) (bnn.Engine, error) {
				e, err := bnntest.Open(s)
				return counted{e, &n, stop, cancel}, err
			}}
		c, err := m.caseOf("mlp", "r2sghmc", 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.once(ctx, c, 0, "cpu")
		return r, n, err
	}
	whole, all, err := made(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(r *run) string { // times apart
		for i := range r.Epochs {
			r.Epochs[i].Seconds, r.Epochs[i].Rate = 0, 0
		}
		return studytest.JSON(t, r)
	}
	half := all/2 + 1
	if _, n, err := made(in, half); !errors.Is(err, context.Canceled) || n != half {
		t.Fatalf("%d iterations, then %v", n, err)
	}
	r, n, err := made(in, 0)
	if err != nil || n != all-half || numbers(r) != numbers(whole) {
		t.Errorf("%v: %d more iterations of %d, stopped after %d\n%s\nwant\n%s", err, n, all, half, numbers(r), numbers(whole))
	}
	for name, text := range in.kept {
		if len(text) > 0 {
			t.Errorf("%d bytes of %q are left", len(text), name)
		}
		in.kept[name] = []byte("damaged")
	}
	if r, n, err := made(in, 0); err != nil || n != all || numbers(r) != numbers(whole) {
		t.Errorf("a damaged checkpoint: %v, %d iterations of %d", err, n, all)
	}
}

// Checkpoints are due once a minute, and never where nothing is kept.
func TestBookmarkIsDue(t *testing.T) {
	long := time.Now().Add(-2 * pause)
	in := &memory{}
	if (&bookmark{last: long}).due() || !(&bookmark{keeper: in, last: long}).due() ||
		(&bookmark{keeper: in, last: time.Now().Add(pause)}).due() {
		t.Error("checkpoints are due at the wrong times")
	}
}
