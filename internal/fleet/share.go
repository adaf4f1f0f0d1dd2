package fleet

import (
	"container/heap"
	"fmt"
	"time"
)

// A part is some states of a block that one worker has been asked for.
type part struct {
	id        uint64
	states    []int // of the block
	worker    *worker
	variant   string
	d         int
	sent, due time.Time
	to        *inbox    // nil once nobody waits, and of a probe
	proof     *probe    // what the answer to a probe must be
	taken     *taken    // what was taken of others instead
	values    []float64 // once answered; nil of a part that is lost with its worker
}

// taken is the values of states that a worker was asked for, which others answered first: by[k]
// is nil where this machine did.
type taken struct {
	values []float64
	by     []*worker
}

// An inbox is the parts of a block that are answered or lost. The crew's lock guards it.
type inbox struct {
	parts []*part
	ready chan struct{} // has room for one
	since time.Time     // when this machine began to wait; zero while it computes
}

// sure reports whether what comes now, of what was sent then, has not lain while this machine computed:
// that has waited for a good part of the time that it computed before.
func (b *inbox) sure(sent, now time.Time) bool {
	return b != nil && !b.since.IsZero() && now.Sub(b.since) > b.since.Sub(sent)/8
}

// put adds a part. It is of no use where nobody waits.
func (b *inbox) put(p *part) {
	if b == nil {
		return
	}
	b.parts = append(b.parts, p)
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

const (
	leastPatience = 100 * time.Millisecond
	lateness      = 4.0 // times what was expected, from which a part is late
)

// share parts n states among this machine, which takes the first, and the workers that are
// not busy, so that all are done at the same time by what is known of them. Those of this machine are
// noted as owed.
func (c *Crew) share(variant string, n, d int, busy map[*worker]bool) (mine int, parts []*part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	defer func() { c.self.owes(mine, now) }()
	own, most := c.self.trades[variant], c.fits(d)
	if own == nil || most < 1 {
		return n, nil
	}
	here := desk{step: own.pace.mean, slots: 1}
	if c.Threads == 1 { // else there are no more bands than threads
		here.way = c.self.reach(own.pace.mean, now)
	}
	late := map[*worker]bool{}
	for _, p := range c.asked {
		late[p.worker] = late[p.worker] || now.After(p.due)
	}
	q := &queue{desks: []desk{here}}
	for _, w := range c.workers {
		if !w.proven(variant) || w.overdue > 0 || late[w] || busy[w] {
			continue
		}
		step := w.trades[variant].pace.or(own.pace.mean)
		if way := w.reach(step, now); way+step < here.with(n) {
			q.desks = append(q.desks, desk{worker: w, way: way, step: step, slots: w.slots})
		}
	}
	q.part(n, own.vectors())
	for _, t := range q.desks {
		if t.worker == nil {
			mine += t.states
			continue
		}
		for left := t.states; left > 0; left -= most {
			parts = append(parts, &part{states: make([]int, min(left, most)), worker: t.worker, variant: variant, d: d})
		}
	}
	return mine, parts
}

// A desk is where states may be evaluated: what it takes to get there, and how long one takes.
type desk struct {
	worker    *worker // nil is here
	way, step float64
	slots     int
	states    int
}

// with is when the desk is done if it has so many states more.
func (t *desk) with(more int) float64 {
	return t.way + float64((t.states+more+t.slots-1)/t.slots)*t.step
}

// A queue has the desk first that is done first with so many states more.
type queue struct {
	desks []desk
	more  int
}

func (q *queue) Len() int           { return len(q.desks) }
func (q *queue) Less(i, j int) bool { return q.desks[i].with(q.more) < q.desks[j].with(q.more) }
func (q *queue) Swap(i, j int)      { q.desks[i], q.desks[j] = q.desks[j], q.desks[i] }
func (q *queue) Push(any)           { panic("fleet: desks do not come") }
func (q *queue) Pop() any           { panic("fleet: desks do not go") }

const (
	group = 8    // states that vectors take at the price of one
	slack = 1.08 // times as long a block may take so that groups stay whole
)

// part parts n states among the desks so that all are done at the same time: in whole groups, or
// halves or quarters of them, where vectors may take those at once and that hardly takes longer by what is
// known of single states.
func (q *queue) part(n int, vectors bool) {
	best := q.deal(n, 1)
	if !vectors {
		return
	}
	for size := group; q.deal(n, size) > slack*best; size /= 2 { // of single states not more
	}
}

// deal gives n states to the desks, so many at once, and returns when the last is done.
func (q *queue) deal(n, size int) (over float64) {
	for i := range q.desks {
		q.desks[i].states = 0
	}
	q.more = size
	heap.Init(q)
	for left := n; left > 0; left -= size {
		t := &q.desks[0]
		t.states += min(size, left)
		over = max(over, t.with(0))
		heap.Fix(q, 0)
	}
	return over
}

// ask sends a block to a worker. c.mu is held.
func (c *Crew) ask(p *part, b *block) {
	w := p.worker
	if c.workers[w.name] != w { // gone since
		p.to.put(p)
		return
	}
	c.blocks++
	p.id, p.sent = c.blocks, time.Now()
	w.asked = p.sent
	w.owes(b.n, p.sent)
	m := (&block{p.id, b.variant, b.n, b.d, b.x}).append(nil)
	c.asked[p.id] = p
	step := w.trades[p.variant].pace.or(c.self.trades[p.variant].pace.mean)
	waves := float64((w.load + w.slots - 1) / w.slots)
	p.due = p.sent.Add(max(leastPatience, time.Duration(lateness*(w.way.mean+waves*step)*float64(time.Second))))
	if err := c.conn.Publish(blocksOf(c.id, w.name), m); err != nil {
		c.dismiss(w, farewell{fmt.Sprintf("cannot be reached: %v", unsent(err)), true})
		return
	}
	c.count(m)
}

// count counts a message. c.mu is held.
func (c *Crew) count(m []byte) {
	c.tally.Messages++
	c.tally.Bytes += int64(len(m))
}

// answered takes an answer in. One to a block that nobody has asked for, or that is answered
// already, is of no use.
func (c *Crew) answered(m []byte) {
	a, err := readAnswer(m)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(m)
	p := c.asked[a.id]
	if p == nil {
		return
	}
	w := p.worker
	switch {
	case a.failed != "":
		c.dismiss(w, farewell{Why: "fails: " + below(a.failed)})
		return
	case a.n != len(p.states) || a.d != p.d:
		c.dismiss(w, farewell{Why: "answers another question than it was asked"})
		return
	}
	delete(c.asked, a.id)
	w.seen = time.Now()
	w.did(a.n, w.seen)
	w.trades[p.variant].pace.note(a.took)
	if p.to == nil && p.proof == nil { // whatever held it up does so once
		w.overdue--
		c.compare(p, a.values)
		return
	}
	w.noteWay(time.Since(p.sent)-a.held, p.to.sure(p.sent, time.Now()))
	if p.proof != nil {
		c.prove(p, a.values)
		return
	}
	p.values = a.values
	w.answered += int64(a.n)
	p.to.put(p)
}

// compare holds that a late answer is what others gave. Of two workers that differ nobody
// knows which is right. c.mu is held.
func (c *Crew) compare(p *part, values []float64) {
	if p.taken == nil {
		return
	}
	m := len(p.states)
	for k := range p.states {
		one := func(v []float64) []float64 { return append([]float64{v[k]}, v[m+k*p.d:][:p.d]...) }
		if c.agree(one(values), one(p.taken.values)) {
			continue
		}
		if by := p.taken.by[k]; by != nil {
			c.doubts = append(c.doubts, fmt.Sprintf("workers %v and %v gave a state other numbers, and those of the first were taken: "+
				"one of the two is wrong, and the draws may be. Run again without either.", by, p.worker))
			c.dismiss(by, farewell{Why: fmt.Sprintf("gave a state other numbers than %v, and its were taken: one of the two is wrong, and the "+
				"draws may be; both are sent away", p.worker)})
		}
		c.dismiss(p.worker, farewell{Why: "gave a state other numbers than another machine, and is sent away"})
		return
	}
}
