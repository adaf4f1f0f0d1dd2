package fleet

import (
	"testing"
	"time"
)

// TestSure: what comes while this machine computes may have lain, and so what comes as soon as it waits.
func TestSure(t *testing.T) {
	t.Parallel()
	sent := time.Now()
	since := sent.Add(80 * time.Millisecond)
	for _, c := range []struct {
		box  *inbox
		at   time.Duration
		sure bool
	}{
		{nil, time.Second, false}, {&inbox{}, time.Second, false},
		{&inbox{since: since}, 85 * time.Millisecond, false}, {&inbox{since: since}, 95 * time.Millisecond, true},
		{&inbox{since: sent}, time.Millisecond, true}, // sent while it waits
	} {
		if got := c.box.sure(sent, sent.Add(c.at)); got != c.sure {
			t.Errorf("after %v: %v", c.at, got)
		}
	}
}

// TestNoteWay: a time that is not sure is one at most, and a delay counts as little more than was known.
func TestNoteWay(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, c := range []struct {
		before, took time.Duration
		sure         bool
		least, most  time.Duration
	}{
		{-1, 5 * ms, true, 5 * ms, 5 * ms}, {-1, 5 * ms, false, -1, -1},
		{2 * ms, 80 * ms, false, 2 * ms, 2 * ms}, {2 * ms, ms, false, ms, 2*ms - 1},
		{2 * ms, 80 * ms, true, 2*ms + 1, 3 * ms}, {2 * ms, ms, true, ms, 2*ms - 1},
	} {
		w := &worker{}
		if c.before >= 0 {
			w.noteWay(c.before, true)
		}
		w.noteWay(c.took, c.sure)
		got := time.Duration(w.way.mean * float64(time.Second))
		if !w.way.known {
			got = -1
		}
		if got < c.least || got > c.most {
			t.Errorf("%v after %v, sure %v: %v", c.took, c.before, c.sure, got)
		}
	}
}
