package fleet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// A Run is what workers are told of a run, and who may work for it.
type Run struct {
	Name    string
	Version string // of the program, on both sides
	Brief   Brief
	AnyBits bool         // also those whose numbers are only near
	Threads int          // blocks evaluated at once on this machine; 0 is GOMAXPROCS
	Tell    func(string) // hears of workers that come and go
}

// A Crew is the workers of a run.
type Crew struct {
	Run
	conn *nats.Conn
	id   string        // of the run in subjects
	over chan struct{} // closed once no worker is asked any more
	room chan struct{} // of threads of this machine
	done sync.WaitGroup

	mu      sync.Mutex
	lost    uint64 // times that the connection was
	workers map[string]*worker
	asked   map[uint64]*part  // by the number of the block
	blocks  uint64            // numbers given
	self    worker            // this machine, which nobody asks
	probes  map[string]*probe // by variant
	tally   Tally
	gone    []Member
	doubts  []string // why draws may be wrong
	gifts   gifts
}

// A Tally is how many states a run had evaluated, or how often its networks were moved, how much of
// that its workers did, and the messages to and from them with the bytes of both.
type Tally struct{ States, Elsewhere, Messages, Bytes int64 }

// A worker is one that has joined.
type worker struct {
	name, host string
	slots      int
	ready      bool // has made the potential
	taken      bool // has proved itself
	seen       time.Time
	way        pace                // of a message, there and back
	trades     map[string]*dealing // by variant
	load       int                 // states that it has yet to answer, or networks that it has
	since      time.Time           // when it began with those, or was last done with one
	answered   int64               // states that were waited for, or moves of networks
	overdue    int                 // parts of blocks that are over without its answer
	asked      time.Time           // last
	reconnects uint64              // times that its connection was lost
	kit        Kit                 // that it lends
	lines      []*Line             // to its programs
	held       map[string]int      // replicas by its devices
}

// A dealing is what is known of a worker and a variant.
type dealing struct {
	proven    bool
	pace      pace // of a state
	few, many pace // on this machine, of one of which there were few or many in a block
}

// note takes in what each of n states took.
func (t *dealing) note(d time.Duration, n int) {
	t.pace.note(d)
	switch {
	case n >= group:
		t.many.note(d)
	case n <= group/4:
		t.few.note(d)
	}
}

// vectors reports whether groups of states are to stay whole: unless each of many is known to take
// more than half as long as each of few.
func (t *dealing) vectors() bool { return !t.many.known || !t.few.known || t.many.mean < t.few.mean/2 }

func (w *worker) String() string { return fmt.Sprintf("%s on %s", w.name, w.host) }

// owes notes that it is to evaluate n states more.
func (w *worker) owes(n int, now time.Time) {
	if w.load == 0 {
		w.since = now
	}
	w.load += n
}

// did notes that n of its states are done, or need not be any more.
func (w *worker) did(n int, now time.Time) {
	if n > 0 {
		w.load, w.since = w.load-n, now
	}
}

// reach is in how many seconds it could begin one more state, by what is known. The way there overlaps
// with the wait for states of others.
func (w *worker) reach(step float64, now time.Time) float64 {
	before := 0.0
	if w.load > 0 {
		before = float64(w.load/w.slots)*step - now.Sub(w.since).Seconds()
	}
	return w.way.mean/2 + max(w.way.mean/2, before)
}

// proven reports whether the worker has the numbers of this machine.
func (w *worker) proven(variant string) bool {
	return w.trades[variant] != nil && w.trades[variant].proven
}

// A pace is a mean of seconds in which later ones count more.
type pace struct {
	mean  float64
	known bool
}

// note takes a time in. What is quicker counts more: delays come and go.
func (p *pace) note(d time.Duration) {
	s, weight := max(d.Seconds(), 0), 0.2
	if s < p.mean {
		weight = 0.5
	}
	if p.known {
		s = (1-weight)*p.mean + weight*s
	}
	p.mean, p.known = s, true
}

// noteWay takes in what a message took, there and back. What came while this machine computed may have
// lain until then, and is not sure: it says how long at most. Answers to probes are never sure, so
// that the way of a worker counts as none until a block has waited for it. A delay counts as twice what is known at
// most, as it may not come again: a worker that is not asked is hardly measured.
func (w *worker) noteWay(took time.Duration, sure bool) {
	const short = 100 * time.Microsecond
	mean := time.Duration(w.way.mean * float64(time.Second))
	if w.way.known {
		took = min(took, 2*mean+short)
	}
	if sure || took < mean {
		w.way.note(took)
	}
}

// or is the mean, or another one where there is none yet.
func (p *pace) or(other float64) float64 {
	if p.known {
		return p.mean
	}
	return other
}

// A probe is states and what they are here.
type probe struct {
	block  *block
	values []float64
}

const (
	mostProbes  = 8                // states of a probe
	probingTime = 10 * time.Second // that they take at most, if one does not
)

// Open has the workers of a broker join a run.
func Open(conn *nats.Conn, r Run) (*Crew, error) {
	r.Threads = cmp.Or(r.Threads, runtime.GOMAXPROCS(0))
	c := &Crew{Run: r, conn: conn, room: make(chan struct{}, r.Threads), id: NewToken()[:12], over: make(chan struct{}), workers: map[string]*worker{},
		asked: map[uint64]*part{}, probes: map[string]*probe{},
		self: worker{slots: r.Threads, trades: map[string]*dealing{}}}
	for subject, heard := range map[string]nats.MsgHandler{
		offers:        func(m *nats.Msg) { reply(m, c.offer()) },
		joining(c.id): func(m *nats.Msg) { reply(m, c.join(m.Data)) },
		files(c.id):   func(m *nats.Msg) { _ = m.Respond(c.Brief.read(m.Data)) },
		answers(c.id): func(m *nats.Msg) { c.answered(m.Data) },
		beats(c.id):   func(m *nats.Msg) { c.beat(m.Data) },
		leaving(c.id): func(m *nats.Msg) { c.left(m.Data) },
		giftsOf(c.id): func(m *nats.Msg) { _ = m.Respond(c.gifts.read(m.Data)) },
	} {
		if _, err := conn.Subscribe(subject, heard); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	c.done.Go(c.watch)
	if err := conn.Flush(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// reply answers with JSON.
func reply(m *nats.Msg, v any) {
	if b, err := json.Marshal(v); err == nil {
		_ = m.Respond(b)
	}
}

// Close sends the workers away.
func (c *Crew) Close() error {
	close(c.over)
	c.done.Wait()
	c.mu.Lock()
	for _, w := range c.workers {
		w.hangUp(errNotNeeded)
	}
	c.mu.Unlock()
	_ = c.conn.Publish(pulse(c.id), []byte("end"))
	err := c.conn.FlushTimeout(patience)
	if errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrConnectionClosed) {
		err = nil // the broker is gone, and workers go by themselves
	}
	c.conn.Close()
	return errors.Join(err, c.gifts.close())
}

// Tally is what has been evaluated so far.
func (c *Crew) Tally() Tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tally
}

// watch tells workers that the run is there, and sends those away that do not say so or owe
// an answer for too long.
func (c *Crew) watch() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.over:
			return
		case <-tick.C:
		}
		_ = c.conn.Publish(pulse(c.id), nil)
		c.mu.Lock()
		c.review(time.Now())
		c.mu.Unlock()
	}
}

// review sends workers away that are silent or too late. They may join again: a hung one does not.
// Those that were not asked for long, as they are too slow, are measured anew. c.mu is held.
func (c *Crew) review(now time.Time) {
	if lost := c.conn.Stats().Reconnects; lost != c.lost {
		c.lost = lost
		for _, w := range c.workers {
			c.lose(w)
		}
	}
	for _, p := range c.asked {
		if p.to == nil && now.After(p.due.Add(max(2*silence, 4*p.due.Sub(p.sent)))) {
			c.dismiss(p.worker, farewell{"has not answered for " + now.Sub(p.sent).Round(time.Second).String(), true})
		}
	}
	for _, w := range c.workers {
		if now.Sub(w.seen) > silence {
			c.dismiss(w, farewell{"has not been heard of for " + silence.String(), true})
		} else if w.load == 0 {
			c.measure(w, now)
		}
	}
}

// measure asks a worker for a probe that it has answered before, once it has not been asked for
// longer than that takes by far. c.mu is held.
func (c *Crew) measure(w *worker, now time.Time) {
	for variant, t := range w.trades {
		known := c.probes[variant]
		takes := time.Duration(t.pace.or(c.self.trades[variant].pace.mean) * float64(known.block.n) * float64(time.Second))
		if t.proven && now.Sub(w.asked) > max(measureEvery, 20*takes) {
			c.demand(w, known)
			return
		}
	}
}

const measureEvery = 5 * time.Second

// lose gives up what a worker has not answered, as a connection was lost. c.mu is held.
func (c *Crew) lose(w *worker) {
	w.load, w.overdue, w.held = 0, 0, nil
	w.hangUp(errAway)
	for id, p := range c.asked {
		if p.worker == w {
			delete(c.asked, id)
			p.to.put(p)
		}
	}
	for variant, t := range w.trades {
		if !t.proven {
			delete(w.trades, variant) // and is probed again
		}
	}
}

// dismiss forgets a worker and lets it know. c.mu is held.
func (c *Crew) dismiss(w *worker, f farewell) {
	if c.workers[w.name] != w {
		return
	}
	c.send(farewellOf(c.id, w.name), f)
	c.forget(w, f)
}

// forget forgets a worker; what it has not answered is lost. c.mu is held.
func (c *Crew) forget(w *worker, f farewell) {
	delete(c.workers, w.name)
	c.lose(w)
	switch {
	case w.taken:
		c.remember(w, f.Why)
		c.Tell(fmt.Sprintf("worker %v %s; %s", w, f.Why, c.crowd()))
	case !f.Again:
		c.remember(w, "is not taken: it "+f.Why)
		c.Tell(fmt.Sprintf("worker %v is not taken: it %s", w, f.Why))
	}
}

// send publishes JSON. What is lost with the connection is said again in answer to the next beat.
func (c *Crew) send(subject string, v any) {
	if b, err := json.Marshal(v); err == nil {
		_ = c.conn.Publish(subject, b)
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

// Doubts are what came up that nobody could decide: why the draws may be wrong.
func (c *Crew) Doubts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.doubts)
}

func (c *Crew) offer() offer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return offer{c.id, c.Name, len(c.workers)}
}

// join tells a worker the brief.
func (c *Crew) join(m []byte) welcome {
	var h hello
	if err := json.Unmarshal(m, &h); err != nil || !h.sound() {
		return welcome{Error: "a hello that is none"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if why := c.unfit(&h); why != "" {
		w := &worker{name: h.Worker, host: h.Host, slots: h.Slots}
		c.remember(w, "is not taken: "+why)
		c.Tell(fmt.Sprintf("worker %v is not taken: %s", w, why))
		return welcome{Error: why}
	}
	if old := c.workers[h.Worker]; old != nil { // the same process, which would take a farewell for its new work's
		c.forget(old, farewell{"began anew", true})
	}
	c.workers[h.Worker] = &worker{name: h.Worker, host: h.Host, slots: h.Slots, seen: time.Now(), trades: map[string]*dealing{}}
	return welcome{Brief: c.Brief}
}

// unfit says why a worker cannot join. c.mu is held.
func (c *Crew) unfit(h *hello) string {
	switch {
	case h.Version != c.Version:
		return fmt.Sprintf("the run is of version %s, the worker of %s: take the same program on both sides", c.Version, h.Version)
	case h.Arch != runtime.GOARCH && !c.AnyBits:
		return fmt.Sprintf("the run is on %s, the worker on %s, whose numbers may have other bits: a run with --any-bits takes it",
			runtime.GOARCH, h.Arch)
	case len(c.workers) >= mostWorkers:
		return fmt.Sprintf("the run has %d workers and takes no more", mostWorkers)
	}
	return ""
}

// beat notes that a worker is there. One that is not known is sent away, to join again; one
// that has become ready is put to the proof.
func (c *Crew) beat(m []byte) {
	var b beat
	if err := json.Unmarshal(m, &b); err != nil || !plainName(b.Worker, mostName) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.workers[b.Worker]
	if w == nil { // as after a pause, or of a run of before
		c.send(farewellOf(c.id, b.Worker), farewell{"is not known here", true})
		return
	}
	w.seen = time.Now()
	w.ready = w.ready || b.Ready
	if b.Kit.sound() {
		w.kit = b.Kit
	}
	if b.Reconnects != w.reconnects {
		w.reconnects = b.Reconnects
		c.lose(w)
	}
	for variant := range c.probes {
		c.probe(w, variant)
	}
}

// left forgets a worker that goes by itself.
func (c *Crew) left(m []byte) {
	var l leave
	if json.Unmarshal(m, &l) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.workers[l.Worker]; w != nil {
		w.taken = true // so that all hear why
		c.dismiss(w, farewell{Why: "leaves: " + below(l.Why[:min(len(l.Why), mostText)])})
	}
}

// below is what somebody else says, whose further lines are not taken for lines of ours.
func below(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") }

// probe asks a worker that is ready for states of a variant that are known here, unless it has
// been asked for them. c.mu is held.
func (c *Crew) probe(w *worker, variant string) {
	if known := c.probes[variant]; known != nil && w.ready && w.trades[variant] == nil {
		w.trades[variant] = &dealing{}
		c.demand(w, known)
	}
}

// demand asks a worker for a probe. c.mu is held.
func (c *Crew) demand(w *worker, known *probe) {
	b := known.block
	c.ask(&part{worker: w, variant: b.variant, d: b.d, states: make([]int, b.n), proof: known}, b)
}

// prove judges the answer of a worker to a probe. c.mu is held.
func (c *Crew) prove(p *part, values []float64) {
	w := p.worker
	if !c.agree(values, p.proof.values) {
		c.dismiss(w, farewell{Why: fmt.Sprintf("has other bits than this machine (%s): another processor or other libraries compute its numbers",
			runtime.GOARCH)})
		return
	}
	if t := w.trades[p.variant]; !t.proven {
		*t = dealing{proven: true} // the first time is that of a start, too
	}
	if !w.taken {
		w.taken = true
		c.Tell(fmt.Sprintf("worker %v joins; %s", w, c.crowd()))
	}
}

// agree reports whether numbers of two machines are the same.
func (c *Crew) agree(a, b []float64) bool { return vector.Same(a, b) || c.AnyBits && near(a, b) }

// here has this machine evaluate n states of a variant by eval, once a thread is free.
func (c *Crew) here(variant string, n int, eval func() error) (each time.Duration, err error) {
	c.room <- struct{}{}
	begun := time.Now()
	err = eval()
	each = time.Since(begun) / time.Duration(n)
	<-c.room
	c.mu.Lock()
	defer c.mu.Unlock()
	c.self.did(n, time.Now())
	if t := c.self.trades[variant]; t != nil {
		t.note(each, n)
	} else { // a start counts, too
		c.self.trades[variant] = &dealing{pace: pace{each.Seconds(), true}}
	}
	c.tally.States += int64(n)
	return each, err
}

// keep notes that this machine is to evaluate n states.
func (c *Crew) keep(n int) {
	c.mu.Lock()
	c.self.owes(n, time.Now())
	c.mu.Unlock()
}

// relieve notes that this machine need not evaluate n states any more.
func (c *Crew) relieve(n int) {
	c.mu.Lock()
	c.self.did(n, time.Now())
	c.mu.Unlock()
}

// alone evaluates a block here, and keeps some of it as a probe.
func (c *Crew) alone(e *evaluator, energy, grad, x []float64) {
	n, d := len(energy), e.p.Dim()
	each, _ := c.here(e.p.variant, n, func() error {
		e.whole.Eval(energy, grad, x)
		return nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probes[e.p.variant] != nil || e.Err() != nil {
		return
	}
	m := min(n, mostProbes, c.fits(d), max(1, int(probingTime/max(each, 1))))
	if m < 1 {
		return
	}
	b := &block{variant: e.p.variant, n: m, d: d, x: make([]float64, n*d)}
	turn(b.x, x, d, n)
	g := make([]float64, n*d)
	turn(g, grad, d, n)
	b.x = slices.Clone(b.x[:m*d])
	c.probes[e.p.variant] = &probe{b, slices.Concat(energy[:m], g[:m*d])}
	for _, w := range c.workers {
		c.probe(w, e.p.variant)
	}
}

// fits is how many states of d coordinates a message may have. 0 before the broker has said so.
func (c *Crew) fits(d int) int { return (int(c.conn.MaxPayload()) - answerHead) / 8 / (d + 1) }
