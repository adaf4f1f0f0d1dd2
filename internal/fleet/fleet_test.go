package fleet

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// quartic is a potential whose numbers depend on the order of operations.
func quartic(wait time.Duration) potential.Potential {
	return potential.Func(3, func(grad, x []float64) float64 {
		if wait > 0 {
			time.Sleep(wait)
		}
		u := 0.0
		for j, v := range x {
			u += math.Sin(v)*v*v + v/3
			grad[j] = math.Cos(v)*v*v + 2*v*math.Sin(v) + 1./3
		}
		return u
	})
}

// A site is a broker, and a run that is open to workers.
type site struct {
	t      testing.TB
	broker *Broker
	crew   *Crew
	shared potential.Potential
	mu     sync.Mutex
	told   []string
}

// newSite opens a run whose potential is u.
func newSite(t testing.TB, u potential.Potential) *site {
	b, err := Listen("127.0.0.1:0", NewToken(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	s := &site{t: t, broker: b}
	conn, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	s.crew, err = Open(t.Context(), conn, "test", "1", Brief{Command: "sample", Config: []byte("{}")}, func(m string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = append(s.told, m)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.crew.Close(); err != nil {
			t.Error(err)
		}
	})
	s.shared = s.crew.Potential(u)
	return s
}

// worker starts a worker with a potential, and returns what ends it.
func (s *site) worker(slots int, u potential.Potential) (kill func()) {
	ctx, stop := context.WithCancel(context.Background())
	conn, err := Connect(s.broker.local())
	if err != nil {
		s.t.Fatal(err)
	}
	w := &Worker{Name: NewToken()[:8], Host: "here", Version: "1", Slots: slots, Dir: s.t.TempDir(), Tell: func(string) {},
		Make: func(context.Context, Brief, func(string) string) (potential.Potential, error) { return u, nil }}
	var over sync.WaitGroup
	over.Go(func() { _ = w.Work(ctx, conn) })
	kill = sync.OnceFunc(func() { stop(); conn.Close(); over.Wait() })
	s.t.Cleanup(kill)
	return kill
}

// taken waits until there are so many workers.
func (s *site) taken(n int) {
	s.t.Helper()
	for range 2000 {
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
	s.t.Fatalf("%d workers do not come: %q", n, s.told)
}

// states are a block of r states in lanes.
func states(seed uint64, r, d int) []float64 {
	return append([]float64(nil), stream.New(seed, 0).Lanes(r, stream.Kernel).Normals(d)...)
}

// evaluated is what an evaluator makes of a block.
func evaluated(e potential.Evaluator, x []float64, r int) []float64 {
	out := make([]float64, r+len(x))
	e.Eval(out[:r], out[r:], x)
	return out
}

// TestSameBits: whoever evaluates the states, and whoever comes and goes meanwhile, the numbers
// are those of one machine, and workers are asked.
func TestSameBits(t *testing.T) {
	const r, d, blocks = 13, 3, 120
	for _, workers := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			plain := quartic(0).Evaluator(r, nil)
			s := newSite(t, quartic(300*time.Microsecond))
			e := s.shared.Evaluator(r, nil)
			defer func() { _ = potential.Close(e) }()
			evaluated(e, states(1, r, d), r) // a probe
			var kills []func()
			for range workers {
				kills = append(kills, s.worker(2, quartic(300*time.Microsecond)))
			}
			s.taken(workers)
			for k := range uint64(blocks) {
				if k == blocks/2 && workers > 1 {
					go kills[0]()
				}
				x := states(k, r, d)
				if got := evaluated(e, x, r); !same(got, evaluated(plain, x, r)) {
					t.Fatalf("block %d differs", k)
				}
			}
			if err := potential.Err(e); err != nil {
				t.Fatal(err)
			}
			if sent := s.crew.sent; (sent > blocks/2) != (workers > 0) {
				t.Errorf("%d blocks sent to %d workers", sent, workers)
			}
		})
	}
}

// TestBadWorkers: one that lies when it joins is not taken; one that lies later, fails or is silent is sent
// away or passed over; the numbers stay right.
func TestBadWorkers(t *testing.T) {
	const r, d = 12, 3
	for name, bad := range map[string]func(asked *atomic.Int64) potential.Potential{
		"lies at once": func(*atomic.Int64) potential.Potential {
			return potential.Func(d, func(_, x []float64) float64 { return x[0] })
		},
		"fails": func(asked *atomic.Int64) potential.Potential { return failing{quartic(0), asked} },
		"hangs": func(asked *atomic.Int64) potential.Potential {
			good := quartic(0).Evaluator(1, nil)
			return potential.Func(d, func(grad, x []float64) float64 {
				if asked.Add(1) > mostProbes {
					time.Sleep(2 * time.Second)
				}
				var u [1]float64
				good.Eval(u[:], grad, x)
				return u[0]
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, quartic(time.Millisecond))
			e, plain := s.shared.Evaluator(r, nil), quartic(0).Evaluator(r, nil)
			evaluated(e, states(1, r, d), r)
			s.worker(1, bad(new(atomic.Int64)))
			if name == "lies at once" {
				for len(s.said()) == 0 {
					time.Sleep(time.Millisecond)
				}
			} else {
				s.taken(1)
			}
			for k := range uint64(30) {
				x := states(k, r, d)
				if !same(evaluated(e, x, r), evaluated(plain, x, r)) {
					t.Fatalf("block %d differs", k)
				}
			}
			if name == "lies at once" {
				s.taken(0)
			}
		})
	}
}

func (s *site) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.told...)
}

// failing fails after some states.
type failing struct {
	potential.Potential
	asked *atomic.Int64
}

func (f failing) Lanewise() bool { return true }

func (f failing) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return &failingEvaluator{f.Potential.Evaluator(r, s), f.asked}
}

type failingEvaluator struct {
	potential.Evaluator
	asked *atomic.Int64
}

func (e *failingEvaluator) Err() error {
	if e.asked.Add(1) > 4 {
		return fmt.Errorf("out of order")
	}
	return nil
}

// BenchmarkScaling is a block of 32 states of so many milliseconds by so many workers: the
// efficiency is the time of the states by the workers, this machine too, over what it takes.
func BenchmarkScaling(b *testing.B) {
	for _, ms := range []int{1, 10, 100} {
		for _, workers := range []int{1, 2, 4, 8, 16} {
			b.Run(fmt.Sprintf("%dms/%d", ms, workers), func(b *testing.B) {
				wait := time.Duration(ms) * time.Millisecond
				s := newSite(b, quartic(wait))
				const r, d = 32, 3
				e, x := s.shared.Evaluator(r, nil), states(1, r, d)
				evaluated(e, x, r)
				for range workers {
					s.worker(1, quartic(wait))
				}
				s.taken(workers)
				for range 10 {
					evaluated(e, x, r)
				}
				sent := s.crew.sent
				for b.Loop() {
					evaluated(e, x, r)
				}
				each := float64(b.Elapsed()) / float64(b.N)
				most := math.Ceil(float64(r) / float64(workers+1))
				b.ReportMetric(float64(r)*float64(wait)/float64(workers+1)/each, "efficiency")
				b.ReportMetric(most*float64(wait)/each, "of-whole-states")
				b.ReportMetric(float64(s.crew.sent-sent)/float64(b.N), "messages/block")
			})
		}
	}
}
