package spread

import (
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// A deed is a call that changes replicas, so that it can be done again.
type deed interface {
	// do has an engine do it, whose replicas have these numbers.
	do(engine bnn.Engine, replicas []int) ([]bnn.Outcome, error)
	size() int // bytes that it takes
}

// advance moves all replicas.
type advance struct {
	moves []bnn.Move // by replica
	batch bnn.Batch
}

func (a *advance) do(engine bnn.Engine, replicas []int) ([]bnn.Outcome, error) {
	moves := make([]bnn.Move, len(replicas))
	for k, r := range replicas {
		moves[k] = a.moves[r]
	}
	return engine.Advance(moves, a.batch)
}

func (a *advance) size() int { return 80*len(a.moves) + 4*len(a.batch.Indices) }

// start evaluates all replicas where they are.
type start struct{ batch bnn.Batch }

func (s *start) do(engine bnn.Engine, _ []int) ([]bnn.Outcome, error) { return engine.Start(s.batch) }

func (s *start) size() int { return 4 * len(s.batch.Indices) }

// recompute takes the buffers of one replica anew.
type recompute struct {
	replica int
	batches []bnn.Batch
}

func (c *recompute) do(engine bnn.Engine, replicas []int) ([]bnn.Outcome, error) {
	k := slices.Index(replicas, c.replica)
	if k < 0 {
		return nil, nil
	}
	return nil, engine.Recompute(k, c.batches)
}

func (c *recompute) size() int {
	n := 0
	for _, b := range c.batches {
		n += 4 * len(b.Indices)
	}
	return n
}

// A base is a state of a replica, and how many deeds lie before it; nil is as it was made.
type base struct {
	state *bnn.State
	at    int
}

// A journal is the deeds since the oldest base.
type journal struct {
	first int // number of deeds before them
	deeds []deed
	bytes int
}

// end is the number of all deeds so far.
func (j *journal) end() int { return j.first + len(j.deeds) }

func (j *journal) add(d deed) {
	j.deeds = append(j.deeds, d)
	j.bytes += d.size()
}

// since are the deeds after so many.
func (j *journal) since(at int) []deed { return j.deeds[at-j.first:] }

// forget leaves out what lies before so many deeds.
func (j *journal) forget(at int) {
	for _, d := range j.deeds[:at-j.first] {
		j.bytes -= d.size()
	}
	j.deeds = slices.Clone(j.deeds[at-j.first:])
	j.first = at
}

// based notes the state of a replica as it is now.
func (e *Engine) based(r int, s *bnn.State) {
	e.bases[r] = base{s, e.journal.end()}
	oldest := e.journal.end()
	for _, b := range e.bases {
		oldest = min(oldest, b.at)
	}
	e.journal.forget(oldest)
}
