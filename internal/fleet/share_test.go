//go:build !nohub

package fleet

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/potential"
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

// TestReach: a state that waits for others has no way, and what is done of those counts.
func TestReach(t *testing.T) {
	t.Parallel()
	const step, way, ms = 10e-3, 4e-3, time.Millisecond
	for _, c := range []struct {
		load  int
		after time.Duration
		want  float64
	}{
		{0, 3 * ms, way}, {1, 0, way/2 + step}, {1, 3 * ms, way/2 + 7e-3}, {1, 9 * ms, way}, {1, 50 * ms, way}, {2, 3 * ms, way/2 + 17e-3},
	} {
		begun := time.Now()
		w := &worker{slots: 1, way: pace{way, true}}
		w.owes(c.load, begun.Add(-time.Hour))
		w.since = begun
		if got := w.reach(step, begun.Add(c.after)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d states, %v ago: %g, want %g", c.load, c.after, got, c.want)
		}
	}
	now := time.Now()
	w := &worker{slots: 2}
	w.owes(3, now)
	w.did(0, now.Add(ms))  // which is nothing
	w.owes(2, now.Add(ms)) // while it works, which it has since before
	if got := w.reach(step, now.Add(ms)); math.Abs(got-(2*step-1e-3)) > 1e-12 {
		t.Errorf("5 states at 2 slots: %g", got)
	}
	w.did(3, now.Add(7*ms))
	if got := w.reach(step, now.Add(8*ms)); math.Abs(got-(step-1e-3)) > 1e-12 {
		t.Errorf("2 states left at 2 slots: %g", got)
	}
}

// TestDealing: groups are of use until states are known to take as long in large blocks as in small ones.
func TestDealing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       []int
		each    []time.Duration
		vectors bool
	}{
		{nil, nil, true}, {[]int{1, 2}, []time.Duration{8, 4}, true}, {[]int{32, 8}, []time.Duration{8, 8}, true},
		{[]int{1, 32}, []time.Duration{8, 1}, true}, {[]int{16, 2}, []time.Duration{1, 4}, true}, {[]int{5, 32}, []time.Duration{8, 8}, true},
		{[]int{1, 8}, []time.Duration{8, 7}, false}, {[]int{16, 2}, []time.Duration{8, 9}, false},
	} {
		d := &dealing{}
		for i, n := range c.n {
			d.note(c.each[i]*time.Millisecond, n)
		}
		if d.vectors() != c.vectors || d.pace.known != (len(c.n) > 0) {
			t.Errorf("%v states, each %v: vectors %v", c.n, c.each, d.vectors())
		}
	}
}

// TestBandsInTurn: of two bands the one's states wait behind those of the other, a state a worker, so
// that no worker waits for the next block: none has two while others have what is half done.
func TestBandsInTurn(t *testing.T) {
	t.Parallel()
	const step, way = 10e-3, 1e-3
	s := newSite(t, quartic(0), func(r *Run) { r.Threads = 1 })
	s.trial(16, quartic(0))
	c := s.crew
	c.mu.Lock()
	of := func() *dealing {
		return &dealing{proven: true, pace: pace{step, true}, few: pace{step, true}, many: pace{step, true}}
	}
	c.self.trades[""] = of()
	for i := range 16 {
		w := &worker{name: fmt.Sprint(i), slots: 1, taken: true, seen: time.Now(), way: pace{way, true}, trades: map[string]*dealing{"": of()}}
		if i%2 == 0 {
			w.owes(1, time.Now().Add(-5*time.Millisecond))
		}
		c.workers[w.name] = w
	}
	c.mu.Unlock()
	mine, parts := c.share("", 16, 3, nil)
	if mine != 1 || len(parts) != 15 {
		t.Errorf("%d states here, %d workers have some", mine, len(parts))
	}
	c.mu.Lock()
	if c.self.load != 1 {
		t.Errorf("this machine owes %d states, has %d", c.self.load, mine)
	}
	for _, w := range c.workers {
		w.load = 0
	}
	c.asked[1<<40] = &part{worker: c.workers["3"], due: time.Now().Add(-time.Second)}
	c.asked[1<<41] = &part{worker: c.workers["4"], due: time.Now().Add(time.Hour)}
	c.mu.Unlock()
	asked := map[string]bool{}
	_, parts = c.share("", 16, 3, nil)
	for _, p := range parts {
		asked[p.worker.name] = true
	}
	if asked["3"] || !asked["4"] {
		t.Errorf("of one that is late and one that is not were asked %v", asked)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.workers)
	clear(c.asked)
}

// TestParts: all states have a desk, groups stay whole where that costs little, and no block takes
// longer than it may.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		steps []float64
		want  []int
		slots int // of the first
	}{
		{32, []float64{1, 1.1}, []int{16, 16}, 1}, {32, []float64{1, 3}, []int{24, 8}, 1}, {8, []float64{1, 1}, []int{4, 4}, 1},
		{30, []float64{1, 1, 1}, []int{10, 10, 10}, 1}, {40, []float64{1, 1}, []int{20, 20}, 1}, {4, []float64{1, 1, 1, 1}, []int{1, 1, 1, 1}, 1},
		{7, []float64{1}, []int{7}, 1}, {32, []float64{1, 1}, []int{24, 8}, 3},
	} {
		q := &queue{}
		for _, step := range c.steps {
			q.desks = append(q.desks, desk{step: step, slots: 1})
		}
		q.desks[0].slots = c.slots
		q.part(c.n, true)
		for _, want := range c.want {
			i := 0
			for i < len(q.desks) && q.desks[i].states != want {
				i++
			}
			if i == len(q.desks) {
				t.Errorf("%d states, steps %v: %+v, want %v", c.n, c.steps, q.desks, c.want)
				break
			}
			q.desks[i].states = -1
		}
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		q := &queue{}
		for range rapid.IntRange(1, 20).Draw(t, "desks") {
			q.desks = append(q.desks, desk{way: rapid.Float64Range(0, 5).Draw(t, "way"), step: rapid.Float64Range(0.1, 3).Draw(t, "step"),
				slots: rapid.IntRange(1, 9).Draw(t, "slots")})
		}
		best := q.deal(n, 1)
		q.part(n, true)
		all, over := 0, 0.0
		for i := range q.desks {
			if d := &q.desks[i]; d.states > 0 {
				all, over = all+d.states, max(over, d.with(0))
			}
		}
		if all != n || over > slack*best*(1+1e-12) {
			t.Fatalf("%d of %d states in %g, the best is %g: %+v", all, n, over, best, q.desks)
		}
	})
}

// TestSizes: states beyond a power of two are taken together where that is known to take less.
func TestSizes(t *testing.T) {
	t.Parallel()
	takes := func(of ...float64) *sizes {
		s := &sizes{of: make([]potential.Evaluator, len(of))}
		for _, v := range of {
			s.takes = append(s.takes, pace{v, v > 0})
		}
		return s
	}
	vectors, plain := []float64{1, 1, 1, 1, 2}, []float64{1, 2, 4, 8, 16}
	for _, c := range []struct {
		s       *sizes
		n, want int
	}{
		{takes(vectors...), 8, 3}, {takes(vectors...), 7, 3}, {takes(vectors...), 11, 4}, {takes(vectors...), 17, 4},
		{takes(vectors...), 27, 5}, {takes(vectors[:4]...), 11, 4}, {takes(0, 1, 1, 1), 11, 3}, {takes(1, 0, 1, 1), 11, 3},
		{takes(plain...), 11, 3}, {takes(plain...), 15, 3}, {takes(), 5, 2}, {takes(1), 1, 0}, {takes(1, 0.5), 1, 0},
	} {
		if got := c.s.next(c.n); got != c.want {
			t.Errorf("%d states of %v: 2^%d, want 2^%d", c.n, c.s.takes, got, c.want)
		}
	}
	u := quartic(0)
	const d = 3
	for n := range 20 {
		s := takes(vectors...)
		s.potential = u
		x := states(uint64(n), n+1, d)
		in := make([]float64, len(x))
		turn(in, x, d, n+1)
		energy, grad := make([]float64, n+1), make([]float64, len(x))
		if err := s.evaluate(energy, grad, in); err != nil {
			t.Fatal(err)
		}
		e, want, slopes := u.Evaluator(n+1, nil), make([]float64, n+1), make([]float64, len(x))
		e.Eval(want, slopes, x)
		turn(in, slopes, d, n+1)
		if !slices.Equal(energy, want) || !slices.Equal(grad, in) {
			t.Errorf("%d states: %v, want %v", n+1, energy, want)
		}
	}
}
