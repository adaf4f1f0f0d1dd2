package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A Crew is the workers of a run.
type Crew struct {
	ctx   context.Context
	stop  context.CancelFunc
	conn  *nats.Conn
	run   string
	offer []byte
	brief Brief
	tell  func(string)

	mu      sync.Mutex
	workers map[string]*worker
	asked   map[uint64]*part // by the number of the block
	blocks  uint64           // numbers given
	own     map[string]*pace // of this machine, by variant
	probe   *probe
	sent    int64 // blocks, and bytes of them
	bytes   int64
	gone    []Member
	over    sync.WaitGroup
}

// A worker is one that has been taken, or has been told the brief and is to prove itself.
type worker struct {
	name, host string
	slots      int
	taken      bool
	probe      *probe
	seen       time.Time
	way        pace             // of a message, there and back
	paces      map[string]*pace // of a state, by variant
	load       int              // states that it has yet to answer
	answered   int64
}

func (w *worker) String() string { return fmt.Sprintf("%s on %s", w.name, w.host) }

// A pace is a mean of seconds in which later ones count more.
type pace struct {
	mean  float64
	known bool
}

const paceMemory = 0.8

func (p *pace) note(d time.Duration) {
	s := max(d.Seconds(), 0)
	if p.known {
		s = paceMemory*p.mean + (1-paceMemory)*s
	}
	p.mean, p.known = s, true
}

// A probe is states and what they are here.
type probe struct {
	block  *block
	values []float64
}

const mostProbes = 8 // states

// Open has the workers of a broker join the run of a name: the version is that of both. tell
// hears of those that come and go. It ends with the context.
func Open(ctx context.Context, conn *nats.Conn, name, version string, brief Brief, tell func(string)) (*Crew, error) {
	c := &Crew{conn: conn, run: NewToken()[:12], brief: brief, tell: tell, workers: map[string]*worker{},
		asked: map[uint64]*part{}, own: map[string]*pace{}}
	c.ctx, c.stop = context.WithCancel(ctx)
	c.offer, _ = json.Marshal(offer{c.run, name, version})
	for subject, heard := range map[string]nats.MsgHandler{
		offers:         func(m *nats.Msg) { _ = m.Respond(c.offer) },
		joining(c.run): func(m *nats.Msg) { reply(m, c.join(m.Data, version)) },
		files(c.run):   func(m *nats.Msg) { _ = m.Respond(c.file(m.Data)) },
		taking(c.run):  func(m *nats.Msg) { reply(m, c.take(m.Data)) },
		answers(c.run): func(m *nats.Msg) { c.answered(m.Data) },
		beats(c.run):   func(m *nats.Msg) { c.beat(string(m.Data)) },
	} {
		if _, err := conn.Subscribe(subject, heard); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	c.over.Go(c.watch)
	return c, conn.Flush()
}

// reply answers with JSON.
func reply(m *nats.Msg, v any) {
	if b, err := json.Marshal(v); err == nil {
		_ = m.Respond(b)
	}
}

// Close sends the workers away.
func (c *Crew) Close() error {
	c.stop()
	c.over.Wait()
	_ = c.conn.Publish(pulse(c.run), []byte("end"))
	err := c.conn.FlushTimeout(patience)
	if errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrTimeout) {
		err = nil // the broker is gone, and workers go by themselves
	}
	c.conn.Close()
	return err
}

// watch tells workers that the run is there, and forgets those that do not say so.
func (c *Crew) watch() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		_ = c.conn.Publish(pulse(c.run), nil)
		c.mu.Lock()
		for _, w := range c.workers {
			if time.Since(w.seen) > silence {
				c.dismiss(w, "has not been heard of for "+silence.String())
			}
		}
		c.mu.Unlock()
	}
}

// dismiss forgets a worker; what it has not answered is lost. c.mu is held.
func (c *Crew) dismiss(w *worker, why string) {
	if c.workers[w.name] != w {
		return
	}
	delete(c.workers, w.name)
	for id, p := range c.asked {
		if p.worker == w {
			delete(c.asked, id)
			p.to.put(p)
		}
	}
	if w.taken {
		c.remember(w, why)
		c.tell(fmt.Sprintf("worker %v %s; %s", w, why, c.crowd()))
	}
}

// crowd says how many workers there are. c.mu is held.
func (c *Crew) crowd() string {
	n, slots := 0, 0
	for _, w := range c.workers {
		if w.taken {
			n, slots = n+1, slots+w.slots
		}
	}
	switch n {
	case 0:
		return "the run goes on alone"
	case 1:
		return fmt.Sprintf("1 worker, %d at once", slots)
	}
	return fmt.Sprintf("%d workers, %d at once", n, slots)
}

// join tells a worker the brief and the probe.
func (c *Crew) join(m []byte, version string) welcome {
	var h hello
	if err := json.Unmarshal(m, &h); err != nil || h.Worker == "" || len(h.Worker) > 100 || h.Slots < 1 || h.Slots > 1<<16 {
		return welcome{Error: "a hello that is none"}
	}
	if h.Version != version {
		return welcome{Error: fmt.Sprintf("the run is of version %s, this worker of %s: take the same program on both sides", version, h.Version)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probe == nil {
		return welcome{Wait: true}
	}
	if old := c.workers[h.Worker]; old != nil {
		c.dismiss(old, "began anew")
	}
	w := &worker{name: h.Worker, host: h.Host, slots: h.Slots, probe: c.probe, seen: time.Now(), paces: map[string]*pace{}}
	c.workers[w.name] = w
	return welcome{Brief: c.brief, Probe: c.probe.block.append(nil)}
}

// file reads a piece of a file of the brief: nothing where there is none.
func (c *Crew) file(m []byte) []byte {
	var p pieceOf
	if err := json.Unmarshal(m, &p); err != nil || p.File < 0 || p.File >= len(c.brief.Files) || p.At < 0 {
		return nil
	}
	f, err := os.Open(c.brief.Files[p.File].Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, piece)
	n, err := f.ReadAt(b, p.At)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return b[:n]
}

// take judges the answer of a worker to its probe.
func (c *Crew) take(m []byte) verdict {
	var p proof
	if err := json.Unmarshal(m, &p); err != nil {
		return verdict{"a proof that is none"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.workers[p.Worker]
	if w == nil || w.taken {
		return verdict{"the run does not know this worker: join anew"}
	}
	a, err := readAnswer(p.Answer)
	switch {
	case err == nil && a.failed != "":
		err = errors.New(a.failed)
	case err == nil && !same(a.values, w.probe.values):
		err = fmt.Errorf("its numbers have other bits than those of this machine (%s): another processor or other libraries compute them",
			runtime.GOARCH)
	}
	if err != nil {
		delete(c.workers, w.name)
		c.remember(w, fmt.Sprintf("is not taken: %v", err))
		c.tell(fmt.Sprintf("worker %v is not taken: %v", w, err))
		return verdict{err.Error()}
	}
	w.taken, w.seen = true, time.Now()
	c.tell(fmt.Sprintf("worker %v joins; %s", w, c.crowd()))
	return verdict{}
}

// beat notes that a worker is there.
func (c *Crew) beat(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.workers[name]; w != nil {
		w.seen = time.Now()
	}
}

// Describe says what a file is.
func Describe(path string) (File, error) {
	sum, err := hashOf(path)
	if err != nil {
		return File{}, err
	}
	i, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, SHA256: sum, Size: i.Size()}, nil
}
