package r2sgld

import (
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/stream"
)

// A collection is the kept draws of a ladder.
type collection struct {
	draws  Draws
	kept   int           // draws so far
	stride int           // of them, every stride-th is held
	max    int           // draws held at most; 0 is all
	inside bool          // whether draws outside the domain are dropped
	domain domain.Domain // of the draws, to count those outside; nil counts none
	keeper Keeper        // takes every draw; nil is none

	symmetry Symmetry // of the chart; nil leaves draws
	hot      bool     // whether those of all rungs go through it
	rng      *stream.Rand

	rows     [][]float64 // one state per rung, for the keeper
	energies []float64   // likewise
}

// own gives c a workspace for states that are told by so many numbers.
func (c *collection) own(rungs, told int) {
	c.rows, c.energies = make([][]float64, rungs), make([]float64, rungs)
	for i := range c.rows {
		c.rows[i] = make([]float64, told)
	}
}

// membership chooses what tells which draws are outside: a crowd remembers what it was asked of
// its lanes.
func (l *ladder) membership(r *run) {
	l.collection.domain = r.problem.Reported()
	if l.crowd != nil && r.problem.Chart == nil {
		l.collection.domain = l.crowd.Domain()
	}
}

// keepDraw keeps the states and energies of all rungs.
func (l *ladder) keepDraw() error {
	b, c := l.block, &l.collection
	if c.inside && !c.domain.Contains(l.frame.shown(b.State(l.from, b.Replica(0)))) {
		return l.outside()
	}
	if c.kept++; c.max > 0 && c.draws.X[0] == nil {
		l.room()
	}
	held := c.kept%c.stride == 0
	energy, more := l.told[l.first:], l.more[l.first:]
	for i, r := range b.Rung {
		x := l.frame.shown(b.State(l.from, i))
		if c.symmetry != nil && (r == 0 || c.hot) {
			c.symmetry.Shuffle(x, &c.rng.Rand)
		}
		if r == 0 && c.domain != nil && !c.domain.Contains(x) {
			if err := l.outside(); err != nil {
				return err
			}
		}
		if held {
			c.draws.add(r, x, energy[i], more[i])
		}
		if c.keeper != nil {
			copy(c.rows[r], x)
			c.energies[r] = energy[i]
		}
	}
	if held {
		l.shadow.keep()
	}
	if held && c.max > 0 && len(c.draws.Energy[0]) > c.max {
		c.draws.halve()
		l.shadow.halve()
		c.stride *= 2
	}
	if c.keeper == nil {
		return nil
	}
	err := c.keeper.Keep(c.rows, c.energies)
	l.torn = err != nil
	return err
}

// outside counts a draw outside the domain, unless that cannot be told any more.
func (l *ladder) outside() error {
	if err := domain.Err(l.collection.domain); err != nil {
		l.torn = true
		return err
	}
	l.tally[0].Outside++
	return nil
}

// room makes room for as many draws as will be held, so that memory does not
// depend on how slices grow.
func (l *ladder) room() {
	n := min((l.schedule.Iterations-l.schedule.BurnIn)/l.schedule.Thin, l.max) + 1
	l.draws.room(n, len(l.names))
	l.shadow.room(n)
}
