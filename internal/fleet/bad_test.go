//go:build !nohub

package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// TestBadWorkers: one that lies when it joins is not taken; one that fails, or cannot make the
// potential, is sent away; the numbers stay right.
func TestBadWorkers(t *testing.T) {
	made := func(u potential.Potential, err error) func(*Worker) {
		return func(w *Worker) {
			w.Make = func(context.Context, Brief, func(string) string) (potential.Potential, error) { return u, err }
		}
	}
	liar := potential.Func(3, func(_, x []float64) float64 { return x[0] })
	for told, bad := range map[string]func(*Worker){
		"other bits than this machine": made(liar, nil),
		"fails: out of order":          made(failing{quartic(0), new(atomic.Int64)}, nil),
		"leaves: no compiler":          made(nil, errors.New("no compiler")),
	} {
		t.Run(told, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, quartic(time.Millisecond))
			b := s.trial(12, quartic(0))
			s.worker(1, nil, bad)
			for range 2000 {
				if b.blocks(1); strings.Contains(s.said(), told) {
					break
				}
			}
			s.hears(told)
			s.taken(0)
			b.blocks(3)
		})
	}
}

// TestJoinsAgain: a worker that asks again, as after a file that did not come, is taken, and hears no
// farewell, which would end its new work for the one of before. Kills: a farewell on the way in.
func TestJoinsAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(0))
	conn, err := Connect(s.broker.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	farewells, err := conn.SubscribeSync(farewellOf(s.crew.id, "again"))
	if err != nil {
		t.Fatal(err)
	}
	question, err := json.Marshal(hello{"again", "here", s.crew.Version, runtime.GOARCH, 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		m, err := conn.Request(joining(s.crew.id), question, patience)
		if err != nil {
			t.Fatal(err)
		}
		var hi welcome
		if err := json.Unmarshal(m.Data, &hi); err != nil || hi.Error != "" {
			t.Errorf("%s: %v", m.Data, err)
		}
		if err := conn.FlushTimeout(patience); err != nil { // what was sent before has come
			t.Fatal(err)
		}
		if n, _, err := farewells.Pending(); n != 0 || err != nil {
			t.Errorf("%d farewells: %v", n, err)
		}
	}
}

// TestBrokersFolder: a folder is one broker's, and why a broker cannot begin is told at once. Kills: no lock,
// complaints that are not heard.
func TestBrokersFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := Listen("127.0.0.1:0", NewToken(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Listen("127.0.0.1:0", NewToken(), dir, nil); err == nil || !strings.Contains(err.Error(), "another broker keeps its cases in "+dir) {
		if err == nil {
			other.Close()
		}
		t.Errorf("two brokers: %v", err)
	}
	b.Close()
	if b, err = Listen("127.0.0.1:0", NewToken(), dir, nil); err != nil {
		t.Fatal(err)
	}
	b.Close()
	in := t.TempDir()
	if err := os.WriteFile(filepath.Join(in, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Listen("127.0.0.1:0", NewToken(), in, nil); err == nil || !strings.Contains(err.Error(), "JetStream") {
		if err == nil {
			b.Close()
		}
		t.Errorf("a folder that is a file: %v", err)
	}
}

// TestHungWorkers: one that hangs is passed over, and not asked again.
func TestHungWorkers(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	t.Cleanup(func() { close(hung) })
	var asked atomic.Int64
	good := quartic(0).Evaluator(1, nil)
	u := potential.Func(3, func(grad, x []float64) float64 {
		if asked.Add(1) > mostProbes {
			<-hung
		}
		var u [1]float64
		good.Eval(u[:], grad, x)
		return u[0]
	})
	s := newSite(t, quartic(time.Millisecond))
	b := s.trial(12, quartic(0))
	conn, err := Connect(s.broker.URL())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); conn.Close() })
	w := &Worker{Name: "hangs", Host: "here", Version: "1", Slots: 1, Dir: t.TempDir(), Tell: func(string) {},
		Make: func(context.Context, Brief, func(string) string) (potential.Potential, error) { return u, nil }}
	go func() { _ = w.Work(ctx, conn) }() // which does not end before the test
	s.taken(1)
	b.blocks(30)
	if n := s.crew.Tally(); n.Messages > 4 { // a probe, its answer, and one block
		t.Errorf("a worker that hangs is asked again: %+v", n)
	}
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

// TestTheRunFails: where this machine cannot evaluate a state the run fails, as without workers.
func TestTheRunFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, failing{quartic(quick), new(atomic.Int64)})
	e := s.shared.Evaluator(9, nil)
	s.worker(1, quartic(quick))
	for k := range uint64(100) {
		if evaluated(e, states(k, 9, 3), 9); potential.Err(e) != nil {
			return
		}
	}
	t.Error("nothing fails")
}

// A puppet is a worker that does what a test says.
type puppet struct {
	t    *testing.T
	conn *nats.Conn
	run  string
	name string
}

// puppet joins a run by hand; heard gets each block and its right answer.
func (s *site) puppet(name string, heard func(p *puppet, b *block, right *answer)) *puppet {
	t := s.t.(*testing.T)
	conn, err := Connect(s.broker.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := &puppet{t, conn, s.crew.id, name}
	d := &dock{ctx: context.Background(), worker: &Worker{Slots: 1}, potential: quartic(0), tasks: make(chan task)}
	d.hands.Go(d.hand)
	var mu sync.Mutex
	over := false
	_, err = conn.Subscribe(blocksOf(p.run, name), func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		b, err := readBlock(m.Data)
		if err != nil || over {
			return
		}
		heard(p, b, d.evaluate(b))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		mu.Lock()
		over = true
		mu.Unlock()
		d.close()
	})
	p.request(joining(p.run), hello{name, "here", "1", runtime.GOARCH, 1})
	p.say(beats(p.run), beat{Worker: name, Ready: true})
	return p
}

func (p *puppet) request(subject string, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := p.conn.Request(subject, b, patience)
	if err != nil {
		p.t.Fatal(err)
	}
	return m.Data
}

func (p *puppet) say(subject string, v any) {
	if b, err := json.Marshal(v); err == nil {
		_ = p.conn.Publish(subject, b)
	}
}

func (p *puppet) answer(a *answer) { _ = p.conn.Publish(answers(p.run), a.append(nil)) }

// TestOldAnswers: answers that come twice, and such of older blocks with whatever numbers, change
// nothing; what was answered is counted once.
func TestOldAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	b := s.trial(12, quartic(0))
	var last *answer
	s.puppet("echo", func(p *puppet, _ *block, right *answer) {
		if last != nil {
			old := *last
			for range 2 {
				p.answer(&old) // of the block before
				old.values = append([]float64(nil), old.values...)
				for i := range old.values {
					old.values[i]++
				}
			}
		}
		p.answer(right)
		p.answer(right)
		last = right
	})
	s.taken(1)
	b.blocks(100)
	s.taken(1)
	if n := s.crew.Tally(); n.States != 101*12 || n.Elsewhere < 100 {
		t.Errorf("%+v", n)
	}
	s.crew.mu.Lock()
	defer s.crew.mu.Unlock()
	if w := s.crew.workers["echo"]; w.load != 0 || len(s.crew.asked) != 0 {
		t.Errorf("it owes %d states, of %d blocks", w.load, len(s.crew.asked))
	}
}

// TestLateAnswers: an answer that comes after others were taken is compared with these.
func TestLateAnswers(t *testing.T) {
	for name, wrong := range map[string]bool{"right": false, "wrong": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, quartic(quick))
			b := s.trial(12, quartic(0))
			late := make(chan func(), 1)
			n := 0
			s.puppet("late", func(p *puppet, _ *block, right *answer) {
				if n++; n != 3 {
					p.answer(right)
					return
				}
				late <- func() {
					if wrong {
						right.values[right.n-1]++
					}
					p.answer(right)
				}
			})
			s.taken(1)
			b.blocks(5)
			(<-late)()
			if wrong {
				s.hears("other numbers than another machine")
				s.taken(0)
				b.blocks(5)
				return
			}
			before := s.crew.Tally().Elsewhere
			for range 500 {
				if b.blocks(1); s.crew.Tally().Elsewhere > before {
					return
				}
			}
			t.Error("a worker that has answered late is asked no more")
		})
	}
}

// TestDoubts: where two workers differ this machine decides.
func TestDoubts(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	b := s.trial(1, quartic(0))
	b.e = s.shared.Evaluator(12, nil)
	b.plain, b.r = quartic(0).Evaluator(12, nil), 12
	e := b.e.(*evaluator)
	x := states(5, 12, 3)
	want := evaluated(b.plain, x, 12)
	w := &work{crew: s.crew, evaluator: e, n: 12, d: 3, left: 12, inbox: inbox{ready: make(chan struct{}, 1)}}
	turn(e.x, x, 3, 12)
	liar, honest := &worker{name: "liar", taken: true}, &worker{name: "honest", taken: true}
	s.crew.mu.Lock()
	s.crew.workers["liar"], s.crew.workers["honest"] = liar, honest
	liar.seen, honest.seen = time.Now().Add(time.Hour), time.Now().Add(time.Hour)
	s.crew.mu.Unlock()
	right := []float64{want[4], want[12+4], want[24+4], want[36+4]}
	lie := []float64{want[4], want[12+4], want[24+4], want[36+4] + 1}
	w.fill([]int{4}, lie, liar)
	p := &part{states: []int{4}, worker: honest, values: right}
	doubted := w.fill(p.states, p.values, p.worker)
	if len(doubted) != 1 || w.left != 11 {
		t.Fatalf("doubted %v, %d left", doubted, w.left)
	}
	if err := w.settle(doubted, p); err != nil {
		t.Fatal(err)
	}
	if !same(w.grads[4*3:][:3], right[1:]) {
		t.Errorf("%v taken, %v is right", w.grads[4*3:][:3], right[1:])
	}
	s.crew.mu.Lock()
	defer s.crew.mu.Unlock()
	if s.crew.workers["liar"] != nil || s.crew.workers["honest"] == nil {
		t.Errorf("left are %v", s.crew.workers)
	}
	if s.crew.doubts != nil {
		t.Errorf("this machine decided, and yet %q", s.crew.doubts)
	}
	p.d, p.taken = 3, &taken{values: right, by: []*worker{nil}}
	s.crew.compare(p, lie) // of what this machine computed
	if s.crew.doubts != nil {
		t.Errorf("nothing to doubt: %q", s.crew.doubts)
	}
	s.crew.workers["honest"], p.taken.by[0] = honest, liar
	s.crew.compare(p, right)
	if s.crew.doubts != nil {
		t.Errorf("two that agree: %q", s.crew.doubts)
	}
	s.crew.compare(p, lie)
	if len(s.crew.doubts) != 1 || !strings.Contains(s.crew.doubts[0], "the draws may be") {
		t.Errorf("two that differ: %q", s.crew.doubts)
	}
	delete(s.crew.workers, "honest")
}

// TestOwed: what others answer first is not owed, nor what is evaluated here in the end.
func TestOwed(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(0))
	b := s.trial(12, quartic(0))
	x := states(5, 12, 3)
	want := evaluated(b.plain, x, 12)
	e := b.e.(*evaluator)
	turn(e.x, x, 3, 12)
	w := &work{crew: s.crew, evaluator: e, n: 12, d: 3, left: 12, inbox: inbox{ready: make(chan struct{}, 1)}}
	owes := func(n int) {
		t.Helper()
		s.crew.mu.Lock()
		defer s.crew.mu.Unlock()
		if s.crew.self.load != n {
			t.Errorf("this machine owes %d states, want %d", s.crew.self.load, n)
		}
	}
	w.fill([]int{4}, []float64{want[4], want[16], want[28], want[40]}, &worker{})
	s.crew.keep(5)
	owes(5)
	if err := w.here([]int{3, 4, 5}, 1); err != nil {
		t.Fatal(err)
	}
	owes(2)
	s.crew.relieve(2)
	w.given = mostGiven
	if err := w.again([]int{6, 7}); err != nil {
		t.Fatal(err)
	}
	owes(0)
	w.left = 0 // as if others had answered all
	s.crew.keep(3)
	if err := w.here([]int{8, 9, 10}, 3); err != nil {
		t.Fatal(err)
	}
	owes(0)
}

// TestAnyBits: a worker whose numbers are off by rounding is taken where the run says so, one
// that is off by more is not.
func TestAnyBits(t *testing.T) {
	off := func(by float64) potential.Potential {
		good := quartic(quick).Evaluator(1, nil)
		return potential.Func(3, func(grad, x []float64) float64 {
			var u [1]float64
			good.Eval(u[:], grad, x)
			return u[0] * (1 + by)
		})
	}
	for _, c := range []struct {
		by    float64
		any   bool
		taken bool
	}{{1e-12, false, false}, {1e-12, true, true}, {1e-3, true, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, quartic(quick), func(r *Run) { r.AnyBits = c.any })
			s.trial(12, quartic(0))
			s.worker(1, off(c.by))
			if c.taken {
				s.hears("joins")
			} else {
				s.hears("other bits than this machine")
			}
		})
	}
}

// TestUnfit: others than those that can help are told why, on both sides.
func TestUnfit(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(0))
	conn, err := Connect(s.broker.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := &puppet{t: t, conn: conn, run: s.crew.id}
	for _, c := range []struct {
		h    hello
		want string
	}{
		{hello{"w", "h", "0.9", runtime.GOARCH, 1}, "version 1, the worker of 0.9"},
		{hello{"w", "h", "1", "vax", 1}, "the worker on vax"},
		{hello{"w", "h", "1", runtime.GOARCH, 1 << 30}, "none"},
		{hello{"w.>", "h", "1", runtime.GOARCH, 1}, "none"},
		{hello{"*", "h", "1", runtime.GOARCH, 1}, "none"},
		{hello{"w", "h\x1b[2J", "1", runtime.GOARCH, 1}, "none"},
		{hello{strings.Repeat("w", 1000), "h", "1", runtime.GOARCH, 1}, "none"},
	} {
		var hi welcome
		if err := json.Unmarshal(p.request(joining(p.run), c.h), &hi); err != nil || !strings.Contains(hi.Error, c.want) {
			t.Errorf("%+v: %+v, %v", c.h, hi, err)
		}
	}
	s.hears("version 1, the worker of 0.9")
	s.hears("the worker on vax")
	for _, name := range []string{"", "a b", "Ürdingen", strings.Repeat("x", 999), "node-1.site.org", "_x"} {
		if h := hostName(name); !plainName(h, 4*mostName) {
			t.Errorf("%q is called %q", name, h)
		}
	}
}

// TestGarbage: whoever knows the token can send what they like: nothing panics, grows or changes.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(quick))
	b := s.trial(12, quartic(0))
	s.worker(1, quartic(quick))
	s.taken(1)
	conn, err := Connect(s.broker.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	huge := (&answer{id: 1 << 60, n: 1 << 31, d: 1 << 31}).append(nil)
	for _, subject := range []string{joining(s.crew.id), files(s.crew.id), answers(s.crew.id), beats(s.crew.id), leaving(s.crew.id), offers} {
		for _, m := range [][]byte{nil, []byte("{}"), []byte("[1,2"), []byte(`{"worker":"x.>","slots":-1}`), []byte(`{"file":-1,"at":-5}`),
			[]byte(`{"file":1000000,"at":9223372036854775807}`), huge, make([]byte, 1<<20)} {
			if err := conn.Publish(subject, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.crew.mu.Lock()
	var name string
	for name = range s.crew.workers {
	}
	s.crew.mu.Unlock()
	for _, m := range [][]byte{nil, huge, (&block{id: 1 << 50, variant: "zzz", n: 1, d: 3, x: make([]float64, 3)}).append(nil),
		(&block{id: 1<<50 + 1, n: 1, d: 7, x: make([]float64, 7)}).append(nil), make([]byte, 1<<20)} {
		if err := conn.Publish(blocksOf(s.crew.id, name), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	b.blocks(50)
	s.taken(1)
}

// TestOnlyWithTheToken: who does not know it gets nothing but the broker's greeting.
func TestOnlyWithTheToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, quartic(0))
	address := strings.Split(s.broker.URL(), "@")[1]
	for _, url := range []string{"nats://" + address, "nats://" + NewToken() + "@" + address, "nats://a:b@" + address} {
		conn, err := Connect(url)
		if err == nil {
			conn.Close()
			t.Fatalf("%s is let in", url)
		}
		if strings.Contains(err.Error(), "a:b") || !strings.Contains(err.Error(), "refuses the token") {
			t.Error(err)
		}
	}
	for _, greeting := range []string{"", "CONNECT {}\r\n", `CONNECT {"auth_token":""}` + "\r\n", "GET / HTTP/1.1\r\n\r\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(greeting + "SUB r2sgld.> 1\r\nPUB " + offers + " 2\r\nhi\r\nPING\r\n"))
		_ = c.SetReadDeadline(time.Now().Add(patience))
		var got strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if got.Write(buf[:n]); err != nil {
				break
			}
		}
		_ = c.Close()
		if strings.Contains(got.String(), "MSG") || strings.Contains(got.String(), "PONG") {
			t.Errorf("after %q: %q", greeting, got.String())
		}
	}
}

// What a worker says cannot be taken for a line of the run.
func TestBelow(t *testing.T) {
	for said, want := range map[string]string{"it was stopped": "it was stopped", "a\nworker w joins\n": "a\n    worker w joins", "\n\nb": "b"} {
		if got := below(said); got != want {
			t.Errorf("%q is told as %q", said, got)
		}
	}
}
