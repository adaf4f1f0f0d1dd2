//go:build !nohub

package fleet

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// quartic is a potential whose numbers depend on the order of operations, and whose states take
// a while.
func quartic(wait time.Duration) potential.Potential {
	return potential.Func(3, func(grad, x []float64) float64 {
		if wait > 0 {
			sleep(wait)
		}
		u := 0.0
		for j, v := range x {
			u += math.Sin(v)*v*v + v/3
			grad[j] = math.Cos(v)*v*v + 2*v*math.Sin(v) + 1./3
		}
		return u
	})
}

// quick is as long as states take in most tests: less than a message does.
const quick = 300 * time.Microsecond

// A site is a broker, and a run that is open to workers.
type site struct {
	t      testing.TB
	broker *Broker
	crew   *Crew
	shared potential.Potential
	mu     sync.Mutex
	told   []string
}

// newSite opens a run whose potential is u, as some change it.
func newSite(t testing.TB, u potential.Potential, with ...func(*Run)) *site {
	b, err := Listen("127.0.0.1:0", NewToken(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, broker: b}
	t.Cleanup(func() { s.broker.Close() })
	s.open(u, with...)
	return s
}

// open opens a run.
func (s *site) open(u potential.Potential, with ...func(*Run)) {
	s.t.Helper()
	conn, err := Connect(s.broker.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	r := Run{Name: "test", Version: "1", Brief: Brief{Command: "sample", Config: []byte("{}")}, Tell: s.tell}
	for _, change := range with {
		change(&r)
	}
	crew, err := Open(conn, r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.crew, s.shared = crew, crew.Potential(u)
	s.t.Cleanup(func() {
		if err := crew.Close(); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *site) tell(m string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, m)
}

// said is what the run told, a line each.
func (s *site) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.told, "\n")
}

// hears waits until the run has told a text.
func (s *site) hears(text string) {
	s.t.Helper()
	for range 6000 {
		if strings.Contains(s.said(), text) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("nothing is told of %q, but %q", text, s.said())
}

// worker starts a worker with a potential, and returns what ends it.
func (s *site) worker(slots int, u potential.Potential, with ...func(*Worker)) (kill func()) {
	ctx, stop := context.WithCancel(context.Background())
	conn, err := Connect(s.broker.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	w := &Worker{Name: NewToken()[:8], Host: "here", Version: "1", Slots: slots, Dir: s.t.TempDir(), Tell: func(string) {},
		Make: func(context.Context, Brief, func(string) string) (potential.Potential, error) { return u, nil }}
	for _, change := range with {
		change(w)
	}
	var over sync.WaitGroup
	over.Go(func() { _ = w.Work(ctx, conn) })
	kill = sync.OnceFunc(func() { conn.Close(); stop(); over.Wait() })
	s.t.Cleanup(kill)
	return kill
}

// taken waits until there are so many workers.
func (s *site) taken(n int) {
	s.t.Helper()
	for range 6000 {
		s.crew.mu.Lock()
		have := 0
		for _, w := range s.crew.workers {
			if w.taken {
				have++
			}
		}
		s.crew.mu.Unlock()
		if have == n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("%d workers do not come: %q", n, s.said())
}

// states are a block of r states in lanes.
func states(seed uint64, r, d int) []float64 {
	return slices.Clone(stream.New(seed, 0).Lanes(r, stream.Kernel).Normals(d))
}

// evaluated is what an evaluator makes of a block.
func evaluated(e potential.Evaluator, x []float64, r int) []float64 {
	out := make([]float64, r+len(x))
	e.Eval(out[:r], out[r:], x)
	return out
}

// A trial is an evaluator of a site beside one of a single machine.
type trial struct {
	*site
	e, plain potential.Evaluator
	r, d     int
	k        uint64 // blocks so far
}

func (s *site) trial(r int, plain potential.Potential) *trial {
	t := &trial{site: s, e: s.shared.Evaluator(r, nil), plain: plain.Evaluator(r, nil), r: r, d: plain.Dim()}
	s.t.Cleanup(func() { _ = potential.Close(t.e) })
	t.blocks(1) // which becomes a probe
	return t
}

// blocks evaluates blocks, whose numbers must be those of one machine.
func (t *trial) blocks(n int) {
	t.t.Helper()
	for range n {
		t.k++
		x := states(t.k, t.r, t.d)
		if got := evaluated(t.e, x, t.r); !same(got, evaluated(t.plain, x, t.r)) {
			t.t.Fatalf("block %d differs: %v, told %q", t.k, potential.Err(t.e), t.said())
		}
	}
	if err := potential.Err(t.e); err != nil {
		t.t.Fatal(err)
	}
}

// TestSameBits: whoever evaluates the states, and whoever comes and goes meanwhile, the numbers
// are those of one machine, and workers are asked.
func TestSameBits(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, quartic(quick))
			b := s.trial(13, quartic(0))
			var kills []func()
			for range workers {
				kills = append(kills, s.worker(2, quartic(quick)))
			}
			s.taken(workers)
			b.blocks(60)
			if workers > 1 {
				go kills[0]()
			}
			b.blocks(60)
			tally := s.crew.Tally()
			if tally.States != 121*13 {
				t.Errorf("%d states of 121 blocks of 13", tally.States)
			}
			if (tally.Elsewhere > 13*30) != (workers > 0) || (tally.Messages > 60) != (workers > 0) {
				t.Errorf("%d workers: %+v", workers, tally)
			}
		})
	}
}

// TestSameBitsAtOnce: several bands of a run ask the same workers.
func TestSameBitsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	s.trial(7, quartic(0))
	for range 3 {
		s.worker(2, quartic(quick))
	}
	s.taken(3)
	s.bands(7, 50)
}

// bands evaluates so many blocks of r states in each of four bands at once.
func (s *site) bands(r, blocks int) {
	var wait sync.WaitGroup
	for band := range 4 {
		b := s.trial(r, quartic(0))
		b.k = uint64(1000 * band)
		wait.Go(func() { b.blocks(blocks) })
	}
	wait.Wait()
}

// crowded tells the most of its evaluators that were at work at once.
type crowded struct {
	potential.Potential
	now, most *atomic.Int64
}

func (p crowded) Lanewise() bool { return true }

func (p crowded) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return crowdedEvaluator{p.Potential.Evaluator(r, s), p}
}

type crowdedEvaluator struct {
	potential.Evaluator
	p crowded
}

func (e crowdedEvaluator) Eval(energy, grad, x []float64) {
	n := e.p.now.Add(1)
	for m := e.p.most.Load(); n > m && !e.p.most.CompareAndSwap(m, n); m = e.p.most.Load() {
	}
	e.Evaluator.Eval(energy, grad, x)
	e.p.now.Add(-1)
}

// TestThreads: bands ask at once, but so many threads evaluate here; and what this machine owes is done or
// given up in the end.
func TestThreads(t *testing.T) {
	t.Parallel()
	for _, threads := range []int64{1, 2} {
		u := crowded{quartic(quick), &atomic.Int64{}, &atomic.Int64{}}
		s := newSite(t, u, func(r *Run) { r.Threads = int(threads) })
		s.trial(9, quartic(0))
		s.worker(1, quartic(quick))
		s.taken(1)
		s.bands(9, 30)
		if u.most.Load() != threads {
			t.Errorf("%d threads were at work, of %d", u.most.Load(), threads)
		}
		s.crew.mu.Lock()
		if n := s.crew.self.load; n != 0 {
			t.Errorf("this machine owes %d states in the end", n)
		}
		s.crew.mu.Unlock()
	}
}

// TestVariants: exact, few and rough variants of a potential are evaluated as such by workers, a
// worker proves itself for each, and one with noise is not given away.
func TestVariants(t *testing.T) {
	t.Parallel()
	u := layered{quartic(quick), 1}
	s := newSite(t, u)
	exactly, _ := potential.Exact(s.shared)
	few, _ := potential.Few(exactly)
	of := []struct{ shared, plain potential.Potential }{
		{exactly, layered{quartic(0), 2}.Potential2()}, {few, layered{quartic(0), 3}.Potential2()},
		{potential.Rough(exactly), layered{quartic(0), 4}.Potential2()},
	}
	var trials []*trial
	for _, v := range of {
		s.shared = v.shared
		trials = append(trials, s.trial(8, v.plain))
	}
	s.worker(4, u)
	s.taken(1)
	for range 20 {
		for _, b := range trials {
			b.blocks(1)
		}
	}
	for _, variant := range []string{"x", "xf", "xr"} {
		s.crew.mu.Lock()
		for _, w := range s.crew.workers {
			if !w.proven(variant) {
				t.Errorf("the worker has not proved itself for %q", variant)
			}
		}
		s.crew.mu.Unlock()
	}
	if n := s.crew.Tally().Elsewhere; n < 100 {
		t.Errorf("workers evaluated %d states", n)
	}
	noise := potential.Noisy(quartic(0), 1, 1)
	if Shareable(potential.Noisy(unknown{quartic(0)}, 1, 1)) || !Shareable(noise) || !Shareable(quartic(0)) {
		t.Error("what can be shared is mistaken")
	}
	set := stream.New(7, 0)
	x := states(3, 8, 3)
	if got := evaluated(s.crew.Potential(noise).Evaluator(8, set), x, 8); !same(got, evaluated(noise.Evaluator(8, stream.New(7, 0)), x, 8)) {
		t.Error("noise is not that of the run")
	}
}

// unknown does not say whether states depend on each other.
type unknown struct{ potential.Potential }

// layered says that it is noisy; each variant of it adds another number to the energy.
type layered struct {
	potential.Potential
	plus float64
}

func (p layered) Lanewise() bool                     { return true }
func (p layered) Exact() (potential.Potential, bool) { return layer{p.Potential, 2}, true }
func (p layered) Potential2() potential.Potential    { return layer(p) }

// layer is an exact variant.
type layer struct {
	potential.Potential
	plus float64
}

func (p layer) Lanewise() bool                      { return true }
func (p layer) Few() (potential.Potential, float64) { return layer{p.Potential, 3}, 0.5 }
func (p layer) Rough() potential.Potential          { return layer{p.Potential, 4} }

func (p layer) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return layerEvaluator{p.Potential.Evaluator(r, s), p.plus}
}

type layerEvaluator struct {
	potential.Evaluator
	plus float64
}

func (e layerEvaluator) Eval(energy, grad, x []float64) {
	e.Evaluator.Eval(energy, grad, x)
	for i := range energy {
		energy[i] += e.plus
	}
}

// TestTheRunEnds: workers hear of the end of a run, and work for the next.
func TestTheRunEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	s.worker(1, quartic(quick))
	s.trial(6, quartic(0)).blocks(5)
	s.taken(1)
	s.crew.conn.Close() // as of a run that is killed: nothing is said
	s.open(quartic(quick))
	b := s.trial(6, quartic(0))
	s.taken(1)
	b.blocks(10)
}

// TestTheBrokerRestarts: a run goes on alone meanwhile, and workers come back.
func TestTheBrokerRestarts(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	for range 2 {
		s.worker(1, quartic(quick))
	}
	b := s.trial(6, quartic(0))
	s.taken(2)
	for range 2 {
		b.blocks(20)
		address, token := strings.Split(s.broker.URL(), "@")[1], s.broker.token
		s.broker.Close()
		b.blocks(20)
		var err error
		if s.broker, err = Listen(address, token, "", nil); err != nil {
			t.Fatal(err)
		}
		b.blocks(20)
		s.taken(2)
	}
	before := s.crew.Tally().Elsewhere
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // however busy the machine is
		if b.blocks(1); s.crew.Tally().Elsewhere > before {
			return
		}
	}
	t.Errorf("workers that came back evaluate nothing: %q", s.said())
}

// TestLostWithAConnection: what a worker has not answered is not waited for once the connection of the run, or its
// own, was lost.
func TestLostWithAConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	s.worker(1, quartic(quick))
	s.trial(6, quartic(0)).blocks(5)
	s.taken(1)
	c := s.crew
	mark := func(lost func(w *worker)) (name string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, w := range c.workers {
			name, w.overdue = w.name, 1000
			lost(w)
		}
		return name
	}
	waits := func() (n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, w := range c.workers {
			if w.overdue >= 1000 {
				n++
			}
		}
		return n
	}
	if mark(func(*worker) { c.lost++; c.review(time.Now()) }); waits() > 0 {
		t.Error("that of the run")
	}
	name := mark(func(w *worker) { w.reconnects++ })
	c.beat(fmt.Appendf(nil, `{"worker": %q, "ready": true}`, name))
	if waits() > 0 {
		t.Error("that of the worker")
	}
}

// TestTooLargeForAMessage: blocks of more than a message are sent in several, and states of more
// than one are not sent.
func TestTooLargeForAMessage(t *testing.T) {
	t.Parallel()
	for _, d := range []int{mostPayload / 8 / 3, mostPayload / 8} {
		u := potential.Func(d, func(grad, x []float64) float64 {
			time.Sleep(20 * time.Millisecond)
			copy(grad, x)
			return x[0]
		})
		s := newSite(t, u)
		s.worker(4, u)
		b := s.trial(7, u)
		if d > mostPayload/16 {
			b.blocks(2)
			if m := s.crew.Tally().Messages; m != 0 {
				t.Errorf("%d messages", m)
			}
			continue
		}
		s.taken(1)
		b.blocks(2)
	}
}
