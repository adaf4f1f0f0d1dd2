package fleet

import (
	"container/heap"
	"fmt"
	"time"
)

// A part is some states of a block that one worker has been asked for.
type part struct {
	states  []int // of the block
	worker  *worker
	variant string
	d       int
	sent    time.Time
	to      *inbox
	values  []float64 // once answered; nil of a part that is lost with its worker
}

// An inbox is the parts of a block that are answered or lost. The crew's lock guards it.
type inbox struct {
	parts []*part
	ready chan struct{} // has room for one
}

func (b *inbox) put(p *part) {
	b.parts = append(b.parts, p)
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// opened empties an inbox.
func (c *Crew) opened(b *inbox) []*part {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := b.parts
	b.parts = nil
	return parts
}

const (
	leastPatience = 100 * time.Millisecond
	lateness      = 4.0 // times what was expected, from which a part is late
)

// evaluate evaluates a block here and by the workers.
func (c *Crew) evaluate(e *evaluator, energy, grad, x []float64) error {
	n, d := len(energy), e.p.Dim()
	mine, parts := c.share(e.p.variant, n, d, nil)
	if len(parts) == 0 {
		begun := time.Now()
		e.whole.Eval(energy, grad, x)
		c.alone(e, time.Since(begun), energy, grad, x)
		return nil
	}
	turn(e.x, x, d, n)
	clear(e.done)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	w := &work{crew: c, evaluator: e, n: n, d: d, left: n, inbox: inbox{ready: make(chan struct{}, 1)}}
	if err := w.send(all, mine, parts); err != nil {
		return err
	}
	if err := w.await(); err != nil {
		return err
	}
	copy(energy, e.values[:n])
	turn(grad, e.grads, n, d)
	return nil
}

// work is a block being evaluated.
type work struct {
	*evaluator
	crew  *Crew
	n, d  int
	left  int // states that nobody has answered
	inbox inbox
	open  []*part   // not yet answered
	late  time.Time // when these are
}

// send asks workers for states, and evaluates the first of them, so many, here meanwhile.
func (w *work) send(states []int, mine int, parts []*part) error {
	c, from, longest := w.crew, mine, leastPatience
	for _, p := range parts {
		m := len(p.states)
		copy(p.states, states[from:])
		from += m
		b := &block{variant: p.variant, n: m, d: w.d, x: make([]float64, 0, m*w.d)}
		for _, i := range p.states {
			b.x = append(b.x, w.x[i*w.d:(i+1)*w.d]...)
		}
		p.to = &w.inbox
		longest = max(longest, c.ask(p, b))
		w.open = append(w.open, p)
	}
	w.late = time.Now().Add(longest)
	return w.here(states[:mine])
}

// here evaluates states on this machine.
func (w *work) here(states []int) error {
	m := len(states)
	if m == 0 {
		return nil
	}
	x, values := make([]float64, 0, m*w.d), make([]float64, m*(w.d+1))
	for _, i := range states {
		x = append(x, w.x[i*w.d:(i+1)*w.d]...)
	}
	begun := time.Now()
	if err := w.parts.evaluate(values[:m], values[m:], x); err != nil {
		return err
	}
	w.crew.noteOwn(w.p.variant, time.Since(begun)/time.Duration(m))
	w.fill(states, values, nil)
	return nil
}

// fill takes the values of states in. Those that are known already must be the same: else
// they are evaluated here, and whoever differs is dismissed.
func (w *work) fill(states []int, values []float64, by *worker) {
	m, differs := len(states), false
	for k, i := range states {
		u, g := values[k], values[m+k*w.d:][:w.d]
		if w.done[i] {
			differs = differs || !same([]float64{u}, w.values[i:i+1]) || !same(g, w.grads[i*w.d:][:w.d])
			continue
		}
		w.done[i] = true
		w.left--
		w.values[i] = u
		copy(w.grads[i*w.d:], g)
	}
	if differs && by != nil {
		w.crew.mu.Lock()
		w.crew.dismiss(by, "gives a state other numbers than another machine did, and is sent away")
		w.crew.mu.Unlock()
	}
}

// await waits for all states. Those that are late, or lost, are given to others too; once
// the run is to end this machine evaluates them.
func (w *work) await() error {
	ended := w.crew.ctx.Done()
	for w.left > 0 {
		timer := time.NewTimer(time.Until(w.late))
		select {
		case <-ended:
			ended, w.late = nil, time.Now()
		case <-w.inbox.ready:
		case <-timer.C:
		}
		timer.Stop()
		for _, p := range w.crew.opened(&w.inbox) {
			w.drop(p)
			if p.values != nil {
				w.fill(p.states, p.values, p.worker)
			}
		}
		if err := w.again(); err != nil {
			return err
		}
	}
	w.crew.forget(w.open)
	return nil
}

func (w *work) drop(p *part) {
	for i, o := range w.open {
		if o == p {
			w.open = append(w.open[:i], w.open[i+1:]...)
			return
		}
	}
}

// again gives the states that nobody has, and those that are late, to those who are not asked
// for them.
func (w *work) again() error {
	waited, now := map[int]bool{}, time.Now()
	busy := map[*worker]bool{}
	for _, p := range w.open {
		busy[p.worker] = true
		for _, i := range p.states {
			waited[i] = waited[i] || now.Before(w.late)
		}
	}
	var states []int
	for i, done := range w.done {
		if !done && !waited[i] {
			states = append(states, i)
		}
	}
	if len(states) == 0 {
		return nil
	}
	mine, parts := w.crew.share(w.p.variant, len(states), w.d, busy)
	return w.send(states, mine, parts)
}

// share parts n states among this machine, which takes the first, and the workers that are
// not busy, so that all are done at the same time by what is known of them.
func (c *Crew) share(variant string, n, d int, busy map[*worker]bool) (mine int, parts []*part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.own[variant]
	if own == nil || len(c.workers) == 0 || c.ctx.Err() != nil {
		return n, nil
	}
	q := queue{{done: own.mean, step: own.mean, slots: 1}}
	for _, w := range c.workers {
		if !w.taken || busy[w] {
			continue
		}
		step := own.mean
		if p := w.paces[variant]; p != nil {
			step = p.mean
		}
		way := w.way.mean + float64(w.load/w.slots)*step
		if way+step < float64(n)*own.mean {
			q = append(q, desk{worker: w, done: way + step, step: step, slots: w.slots})
		}
	}
	heap.Init(&q)
	for range n {
		t := &q[0]
		if t.states++; t.states%t.slots == 0 {
			t.done += t.step
		}
		heap.Fix(&q, 0)
	}
	most := max(1, (int(c.conn.MaxPayload())-blockHead-64)/8/(d+1))
	for _, t := range q {
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

// A desk is where states may be evaluated: when the next of them is done, and how long one
// takes.
type desk struct {
	worker     *worker // nil is here
	done, step float64
	slots      int
	states     int
}

// A queue has the desk first whose next state is done first.
type queue []desk

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].done < q[j].done }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(any)          { panic("fleet: desks do not come") }
func (q *queue) Pop() any          { panic("fleet: desks do not go") }

// ask sends a block to a worker, and returns how long to wait for the answer.
func (c *Crew) ask(p *part, b *block) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers[p.worker.name] != p.worker { // gone since
		p.to.put(p)
		return leastPatience
	}
	c.blocks++
	b.id = c.blocks
	c.asked[b.id] = p
	p.worker.load += b.n
	p.sent = time.Now()
	m := b.append(nil)
	c.sent, c.bytes = c.sent+1, c.bytes+int64(len(m))
	step := c.own[p.variant].mean
	if known := p.worker.paces[p.variant]; known != nil {
		step = known.mean
	}
	if err := c.conn.Publish(blocksOf(c.run, p.worker.name), m); err != nil {
		c.dismiss(p.worker, fmt.Sprintf("cannot be reached: %v", err))
	}
	waves := float64((p.worker.load + p.worker.slots - 1) / p.worker.slots)
	return max(leastPatience, time.Duration(lateness*(p.worker.way.mean+waves*step)*float64(time.Second)))
}

// answered takes an answer in. One to a block that nobody waits for is of no use.
func (c *Crew) answered(m []byte) {
	a, err := readAnswer(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return
	}
	p := c.asked[a.id]
	if p == nil {
		return
	}
	w := p.worker
	switch {
	case a.failed != "":
		c.dismiss(w, "fails: "+a.failed)
		return
	case a.n != len(p.states) || a.d != p.d:
		c.dismiss(w, "answers another question than it was asked")
		return
	}
	delete(c.asked, a.id)
	w.load -= a.n
	w.seen, w.answered = time.Now(), w.answered+int64(a.n)
	if w.paces[p.variant] == nil {
		w.paces[p.variant] = &pace{}
	}
	waves := (a.n + w.slots - 1) / w.slots
	w.paces[p.variant].note(a.took / time.Duration(waves))
	w.way.note(time.Since(p.sent) - a.took)
	p.values = a.values
	p.to.put(p)
}

// forget stops waiting for parts.
func (c *Crew) forget(parts []*part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.asked {
		for _, o := range parts {
			if o == p {
				p.worker.load -= len(p.states)
				delete(c.asked, id)
			}
		}
	}
}

// alone notes what a block took here, and keeps some of it as a probe.
func (c *Crew) alone(e *evaluator, took time.Duration, energy, grad, x []float64) {
	n, d := len(energy), e.p.Dim()
	c.noteOwn(e.p.variant, took/time.Duration(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probe != nil || e.Err() != nil {
		return
	}
	m := min(n, mostProbes)
	b := &block{variant: e.p.variant, n: m, d: d, x: make([]float64, n*d)}
	turn(b.x, x, d, n)
	b.x = b.x[:m*d]
	g := make([]float64, n*d)
	turn(g, grad, d, n)
	c.probe = &probe{b, append(append([]float64{}, energy[:m]...), g[:m*d]...)}
}

// noteOwn notes what a state took here.
func (c *Crew) noteOwn(variant string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own[variant] == nil {
		c.own[variant] = &pace{}
	}
	c.own[variant].note(took)
}
