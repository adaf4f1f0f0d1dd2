package command

import (
	"sync"
	"time"
)

// linger is how long processes that serve all evaluators wait for more questions when no evaluator of
// energies is open: between two parts of a run, starting them again takes longer.
const linger = 10 * time.Second

// A pool is the processes of a program that nobody asks at the moment, where one serves all evaluators:
// energies and constraints are asked of whichever is free. It may be used by several goroutines.
type pool struct {
	linger time.Duration
	mu     sync.Mutex
	idle   []*process  // the last one used is the first to be used again
	open   int         // evaluators of energies
	rest   *time.Timer // after which the idle ones end
	err    error       // the first failure of a constraint
}

// take returns a process that is free, or a new one.
func (p *Potential) take(states int) (*process, error) {
	l := &p.pool
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		q := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return q, nil
	}
	l.mu.Unlock()
	return p.start(states)
}

// give takes a process back.
func (l *pool) give(p *process) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, p)
	l.wait()
}

// wait lets idle processes rest after a while, where no evaluator is open.
func (l *pool) wait() {
	switch {
	case l.open > 0 || len(l.idle) == 0:
	case l.rest == nil:
		l.rest = time.AfterFunc(l.linger, l.end)
	default:
		l.rest.Reset(l.linger)
	}
}

// end ends the processes that are idle, unless an evaluator is open.
func (l *pool) end() {
	l.mu.Lock()
	all := l.idle
	if l.open > 0 {
		all = nil
	} else {
		l.idle = nil
	}
	l.mu.Unlock()
	for _, p := range all {
		p.stop(grace)
	}
}

// opened hears of a new evaluator of energies.
func (l *pool) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
}

// closed hears that one is closed.
func (l *pool) closed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	l.wait()
}

// fail keeps the first failure of a constraint.
func (l *pool) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// failure is the first one.
func (l *pool) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
