//go:build !nohub

package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A line is the network between a program and its broker, as bad as it is made.
type line struct {
	net.Listener
	to    string
	worse atomic.Bool  // what is sent takes a while, and some of it is lost and sent again
	down  atomic.Int64 // until then, in nanoseconds of the clock, nothing passes
}

const (
	retry = 200 * time.Millisecond
	loss  = 0.05
)

// delay is half of the way there and back.
func delay() time.Duration { return pace.Soak(time.Millisecond, 100*time.Millisecond) }

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &line{Listener: l, to: to}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go x.join(c)
		}
	}()
	return x
}

// join connects a program to the broker.
func (x *line) join(a net.Conn) {
	defer a.Close()
	b, err := net.Dial("tcp", x.to)
	if err != nil {
		return
	}
	defer b.Close()
	var both sync.WaitGroup
	for _, way := range [2][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			x.carry(way[0], way[1])
			_, _ = a.Close(), b.Close()
		})
	}
	both.Wait()
}

// carry passes on what comes, in its order.
func (x *line) carry(from, to net.Conn) {
	type bundle struct {
		bytes []byte
		due   time.Time
	}
	sent := make(chan bundle, 1024)
	go func() {
		defer close(sent)
		for {
			b := make([]byte, 1<<14)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			due := time.Now()
			if x.worse.Load() {
				if due = due.Add(delay()); rand.Float64() < loss {
					due = due.Add(retry)
				}
			}
			sent <- bundle{b[:n], due}
		}
	}()
	broken := false
	for p := range sent {
		time.Sleep(time.Until(p.due))
		for time.Now().UnixNano() < x.down.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if broken {
			continue
		}
		if _, err := to.Write(p.bytes); err != nil {
			broken = true
			_ = from.Close()
		}
	}
}

// A campaign is runs with workers that something happens to.
type campaign struct {
	*yard
	rng   *rand.Rand
	whole map[string]string
	lines []*line // of the workers
	hands []*hand // these
	hub   *hand
	hubs  int   // started so far
	own   *line // of the run
	run   *hand
	out   string
	n     int
}

func (c *campaign) token() string {
	return strings.Split(strings.TrimPrefix(c.url(), "nats://"), "@")[0]
}

// hire starts a worker at a line.
func (c *campaign) hire(i int) *hand {
	url := "nats://" + c.token() + "@" + c.lines[i].Addr().String()
	return c.start(fmt.Sprintf("worker-%d.log", i), "work", url, "--allow", "command", "--slots", "2", "--dir", filepath.Join(c.dir, fmt.Sprint("files-", i)))
}

// openHub starts a hub, with a log of its own: what one before it said does not count.
func (c *campaign) openHub() {
	c.hubs++
	c.hub = c.start(fmt.Sprintf("hub-%d.log", c.hubs), "hub", filepath.Join(c.dir, "r2sgld"), "--listen", c.port)
}

// begin starts a run, or goes on with the one that was killed.
func (c *campaign) begin() {
	hub := "nats://" + c.token() + "@" + c.own.Addr().String()
	args := []string{"sample", c.config, "--out", c.out, "--hub", hub, "--checkpoint", "50ms", "--force"}
	if there(c.out, "run.json") {
		args = []string{"resume", c.out, "--hub", hub, "--checkpoint", "50ms"}
	}
	c.own.down.Store(0)                                                             // else it is refused
	c.run = c.start(filepath.Base(c.out)+".log", append(args, "--threads", "1")...) // two blocks, of half of the states each
}

// over reports whether the run ends within a while.
func (c *campaign) over(after time.Duration) bool {
	select {
	case <-c.run.ended:
		return true
	case <-time.After(after):
		return false
	}
}

func (c *campaign) soon(most time.Duration) time.Duration {
	return time.Duration(c.rng.Int64N(int64(most)))
}

// events are what happens to a run, some times until it ends.
var events = map[string]struct {
	most  int // runs of a long campaign
	wait  string
	event func(c *campaign)
}{
	"workers killed": {40, pace.Soak("1ms", "3ms"), func(c *campaign) {
		i := c.rng.IntN(len(c.hands))
		c.hands[i].end(syscall.SIGKILL)
		c.over(c.soon(300 * time.Millisecond))
		c.hands[i] = c.hire(i)
	}},
	"hub killed": {20, pace.Soak("1ms", "3ms"), func(c *campaign) {
		c.hub.end(syscall.SIGKILL)
		c.over(c.soon(time.Second))
		c.openHub()
	}},
	"run killed": {20, pace.Soak("1ms", "3ms"), func(c *campaign) {
		if c.run.end(syscall.SIGKILL) == -1 {
			c.begin()
		}
	}},
	"partitions": {20, pace.Soak("1ms", "3ms"), func(c *campaign) {
		l := append([]*line{c.own}, c.lines...)[c.rng.IntN(1+len(c.lines))]
		l.down.Store(time.Now().Add(time.Second + c.soon(pace.Soak(time.Second, 29*time.Second))).UnixNano())
	}},
	"delay and loss": {5, pace.Soak("2ms", "20ms"), func(c *campaign) {
		for _, l := range append([]*line{c.own}, c.lines...) {
			l.worse.Store(true)
		}
	}},
}

// TestMachines: whatever is killed or cut off while workers help a run, its bytes are those of
// one machine, and it ends.
func TestMachines(t *testing.T) {
	if !pace.Soaking() {
		t.Skip("takes hours: R2SGLD_SOAK=1 runs the campaign, script/soak-machines as well; TestWorkersOfARun is its short form")
	}
	y := newYard(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	t.Setenv(slowness, "0")
	whole := filepath.Join(y.dir, "whole")
	y.start("whole.log", "sample", y.config, "--out", whole).done(exitDone)
	want := foldertest.Results(t, whole)
	for name, e := range events {
		t.Run(name, func(t *testing.T) {
			t.Setenv(slowness, e.wait)
			yard := *y
			yard.t = t
			c := &campaign{yard: &yard, rng: rand.New(rand.NewPCG(seed, uint64(len(name)))), whole: want}
			c.openHub()
			for range 3 {
				c.lines = append(c.lines, newLine(t, c.port))
				c.hands = append(c.hands, c.hire(len(c.hands)))
			}
			c.own = newLine(t, c.port)
			happened := 0
			for c.n = range pace.Soak(1, e.most) {
				c.hub.says("runs:", 1)
				c.out = filepath.Join(c.dir, fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), c.n))
				c.begin()
				for k := 0; k < pace.Soak(2, 8) && !c.over(200*time.Millisecond+c.soon(1500*time.Millisecond)); k++ {
					e.event(c)
					happened++
				}
				c.run.done(exitDone)
				same(t, fmt.Sprintf("%s, seed %d, run %d", name, seed, c.n+1), want, foldertest.Results(t, c.out))
				if t.Failed() {
					t.FailNow()
				}
				for _, h := range append(c.hands, c.hub) {
					select {
					case <-h.ended:
						t.Fatalf("%v has ended by itself: %s", h.Args[1:], h.said())
					default:
					}
				}
				said := c.run.said()
				t.Logf("run %d: the same bytes;%s", c.n+1, said[max(0, strings.LastIndex(said, " workers evaluated ")):])
			}
			t.Logf("%d runs; it happened %d times", c.n+1, happened)
			for _, h := range append(c.hands, c.hub) {
				h.end(syscall.SIGKILL)
			}
		})
	}
}
