package fleet

import (
	"runtime"
	"time"
)

// evaluate evaluates a block here and by the workers.
func (c *Crew) evaluate(e *evaluator, energy, grad, x []float64) error {
	n, d := len(energy), e.p.Dim()
	mine, parts := c.share(e.p.variant, n, d, nil)
	if len(parts) == 0 {
		c.alone(e, energy, grad, x)
		return nil
	}
	turn(e.x, x, d, n)
	clear(e.done)
	clear(e.by)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	w := &work{crew: c, evaluator: e, n: n, d: d, left: n, inbox: inbox{ready: make(chan struct{}, 1)}}
	defer w.forget()
	w.send(all[mine:], parts)
	if err := w.here(all[:mine], mine); err != nil {
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
	open  []*part // not yet answered
	given int     // times that states were given to others than those first asked
}

// mostGiven is how often states are given to others before this machine evaluates them.
const mostGiven = 8

// send asks workers for states.
func (w *work) send(states []int, parts []*part) {
	c, d := w.crew, w.d
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range parts {
		m := copy(p.states, states)
		states = states[m:]
		b := &block{variant: p.variant, n: m, d: d, x: make([]float64, 0, m*d)}
		for _, i := range p.states {
			b.x = append(b.x, w.x[i*d:(i+1)*d]...)
		}
		p.to = &w.inbox
		w.open = append(w.open, p)
		c.ask(p, b)
	}
}

// here evaluates states on this machine, some at once. Those that are answered meanwhile are
// left out.
func (w *work) here(states []int, atOnce int) error {
	d := w.d
	defer func() { w.crew.relieve(len(states)) }()
	runtime.Gosched() // for what was asked of others to leave
	for len(states) > 0 && w.left > 0 {
		some := states[:min(atOnce, len(states))]
		states = states[len(some):]
		m := len(some)
		if atOnce == 1 && w.done[some[0]] {
			w.crew.relieve(m)
			continue
		}
		x, values := make([]float64, 0, m*d), make([]float64, m*(d+1))
		for _, i := range some {
			x = append(x, w.x[i*d:(i+1)*d]...)
		}
		if _, err := w.crew.here(w.p.variant, m, func() error { return w.parts.evaluate(values[:m], values[m:], x) }); err != nil {
			return err
		}
		w.fill(some, values, nil)
		if err := w.collect(); err != nil {
			return err
		}
	}
	return nil
}

// collect takes in what has come.
func (w *work) collect() error {
	w.crew.mu.Lock()
	parts := w.inbox.parts
	w.inbox.parts = nil
	w.crew.mu.Unlock()
	for _, p := range parts {
		w.drop(p)
		if p.values == nil {
			continue
		}
		if doubted := w.fill(p.states, p.values, p.worker); len(doubted) > 0 {
			w.waits(time.Time{})
			if err := w.settle(doubted, p); err != nil {
				return err
			}
		}
	}
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

// fill takes the values of states in that somebody gives, nil being this machine. It returns
// the places of those that are known already, and are other numbers.
func (w *work) fill(states []int, values []float64, by *worker) (doubted []int) {
	m, d := len(states), w.d
	for k, i := range states {
		u, g := values[k:k+1], values[m+k*d:][:d]
		if w.done[i] {
			if !w.crew.agree(u, w.values[i:i+1]) || !w.crew.agree(g, w.grads[i*d:][:d]) {
				doubted = append(doubted, k)
			}
			continue
		}
		w.done[i], w.by[i] = true, by
		w.left--
		w.values[i] = u[0]
		copy(w.grads[i*d:], g)
	}
	return doubted
}

// settle evaluates states here of which two machines gave different numbers, takes these, and
// sends away whoever gave others.
func (w *work) settle(doubted []int, p *part) error {
	c, d, m := w.crew, w.d, len(p.states)
	for _, k := range doubted {
		i := p.states[k]
		u, g := make([]float64, 1), make([]float64, d)
		if err := w.parts.evaluate(u, g, w.x[i*d:(i+1)*d]); err != nil {
			return err
		}
		c.mu.Lock()
		for by, wrong := range map[*worker]bool{
			w.by[i]:  !c.agree(u, w.values[i:i+1]) || !c.agree(g, w.grads[i*d:][:d]),
			p.worker: !c.agree(u, p.values[k:k+1]) || !c.agree(g, p.values[m+k*d:][:d]),
		} {
			if wrong && by != nil {
				c.dismiss(by, farewell{Why: "gave a state other numbers than this machine, and is sent away"})
			}
		}
		c.mu.Unlock()
		w.values[i], w.by[i] = u[0], nil
		copy(w.grads[i*d:], g)
	}
	return nil
}

// await waits for all states. Those that are late, or lost, are given to others too.
func (w *work) await() error {
	for w.left > 0 {
		if states := w.idle(time.Now()); len(states) > 0 {
			w.waits(time.Time{})
			if err := w.again(states); err != nil {
				return err
			}
			continue
		}
		w.waits(time.Now())
		timer := time.NewTimer(time.Until(w.due()))
		select {
		case <-w.inbox.ready:
		case <-timer.C:
		}
		timer.Stop()
		if err := w.collect(); err != nil {
			return err
		}
	}
	return nil
}

// waits notes since when this machine waits, if it did not before; a zero time ends that.
func (w *work) waits(since time.Time) {
	w.crew.mu.Lock()
	defer w.crew.mu.Unlock()
	if since.IsZero() || w.inbox.since.IsZero() {
		w.inbox.since = since
	}
}

// idle are the states that nobody works at, or not in time.
func (w *work) idle(now time.Time) (states []int) {
	waited := make([]bool, w.n)
	for _, p := range w.open {
		for _, i := range p.states {
			waited[i] = waited[i] || now.Before(p.due)
		}
	}
	for i, done := range w.done[:w.n] {
		if !done && !waited[i] {
			states = append(states, i)
		}
	}
	return states
}

// due is when the next of the open parts is late that is not so yet.
func (w *work) due() time.Time {
	now := time.Now()
	var next time.Time
	for _, p := range w.open {
		if p.due.After(now) && (next.IsZero() || p.due.Before(next)) {
			next = p.due
		}
	}
	return next
}

// again gives states to those who are not asked for any of this block, and to this machine;
// in the end to this machine alone.
func (w *work) again(states []int) error {
	busy := map[*worker]bool{}
	for _, p := range w.open {
		busy[p.worker] = true
	}
	mine := len(states)
	if w.given++; w.given <= mostGiven {
		var parts []*part
		mine, parts = w.crew.share(w.p.variant, len(states), w.d, busy)
		w.send(states[mine:], parts)
	} else {
		w.crew.keep(mine)
	}
	return w.here(states[:mine], 1)
}

// forget ends the waiting. What is still to come is compared with what was taken.
func (w *work) forget() {
	c, d := w.crew, w.d
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, by := range w.by[:w.n] {
		if by != nil {
			c.tally.Elsewhere++
			c.tally.States++
		}
	}
	for _, p := range w.open {
		if c.asked[p.id] != p {
			continue
		}
		p.to = nil
		p.worker.overdue++
		if w.left > 0 { // the run fails
			continue
		}
		t := &taken{values: make([]float64, 0, len(p.states)*(d+1))}
		for _, i := range p.states {
			t.values, t.by = append(t.values, w.values[i]), append(t.by, w.by[i])
		}
		for _, i := range p.states {
			t.values = append(t.values, w.grads[i*d:(i+1)*d]...)
		}
		p.taken = t
	}
}
