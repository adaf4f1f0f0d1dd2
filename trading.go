package r2sgld

import (
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A trading is how replicas trade rungs: labels trade, states stay.
type trading struct {
	exchange *exchange.Exchange
	uniform  *stream.Rand
	full     potential.Evaluator // over all data; nil where that of the replicas will do

	// the workspace
	energies []float64   // one per replica
	slope    []float64   // a gradient that nobody asks for
	batches  [][]float64 // energies on fresh minibatches
	rung     []int       // labels before a sweep
}

// own gives t a workspace for r replicas of dimension d.
func (t *trading) own(r, d int) {
	t.energies, t.slope, t.rung = make([]float64, r), make([]float64, r*d), make([]int, r)
}

// trade lets the rungs of iteration k trade. The momentum of a replica that
// changed its rung is taken to the equilibrium of its new one. It fails where the full
// potential does.
func (t *trading) trade(l *replicas, k int) error {
	b := l.block
	if n := t.exchange.Wanted(k); n > 0 {
		for len(t.batches) < n {
			t.batches = append(t.batches, make([]float64, b.R))
		}
		for _, energy := range t.batches[:n] {
			l.potential.Eval(energy, t.slope, b.X)
		}
		t.exchange.Observe(b.Rung, t.batches[:n])
	}
	if k == l.schedule.BurnIn+1 {
		t.exchange.Reset() // what it tells is that of the draws
	}
	energy := b.Energy
	if t.full != nil {
		if !t.exchange.Due(k) {
			return nil
		}
		energy = t.energies
		t.full.Eval(energy, t.slope, b.X)
		if err := potential.Err(t.full); err != nil {
			return err
		}
	}
	if l.traits.Carries {
		copy(t.rung, b.Rung)
	}
	t.exchange.Sweep(k, b.Rung, energy, l.at.Temperature, &t.uniform.Rand)
	if !l.traits.Carries {
		return nil
	}
	for i, r := range b.Rung {
		if was := t.rung[i]; r != was {
			b.Rescale(i, l.at.Spread[was], l.at.Temperature[was], l.at.Spread[r], l.at.Temperature[r])
		}
	}
	return nil
}
