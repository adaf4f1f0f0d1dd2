package theory

import (
	"context"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// entropyTimes are the times at which the decay of entropy is looked at: from 1/50 to 4
// relaxation times, from where a start is spread over many cells.
func entropyTimes(gap float64) []float64 {
	const n, from, to = 12, 0.02, 4.0
	times := make([]float64, n)
	for i := range times {
		times[i] = from / gap * math.Pow(to/from, float64(i)/(n-1))
	}
	return times
}

// An entropy watches −d/dt log KL of laws. Their limit is 2λ₁.
type entropy struct {
	chain      *reversible.Chain
	rate       float64 // the least
	flow, logs []float64
}

func newEntropy(c *reversible.Chain, gap float64) *entropy {
	return &entropy{c, 2 * gap, make([]float64, c.Len()), make([]float64, c.Len())}
}

// see looks at density h: −d/dt KL = −⟨Lh, log h⟩.
func (e *entropy) see(h []float64) {
	pi := e.chain.Mass()
	if Chi2(h, pi) < spent {
		return
	}
	for i, v := range h {
		e.logs[i] = math.Log(max(v, 1e-100))
	}
	e.chain.Apply(e.flow, h)
	s := 0.0
	for i, p := range pi {
		s -= p * e.flow[i] * e.logs[i]
	}
	e.rate = min(e.rate, s/KL(h, pi))
}

// logSobolev estimates the log-Sobolev constant of the rungs without swaps, the larger
// of theirs, by the decay of entropy from several starts, cell at among them. slow is
// the slowest mode of the process.
func (p *Process) logSobolev(ctx context.Context, at int, slow *reversible.Spectrum) (float64, error) {
	most := 0.0
	for _, r := range p.Rungs {
		if len(p.Rungs) == 2 {
			var err error
			if slow, err = spectrum(ctx, r.Chain, 1); err != nil {
				return 0, err
			}
		}
		e := newEntropy(r.Chain, slow.Values[0])
		for _, s := range r.starts(slow.Functions[0], at) {
			h := make([]float64, r.Chain.Len())
			h[s] = 1 / r.Chain.Mass()[s]
			err := follow(ctx, r.Chain, h, entropyTimes(slow.Values[0]), func(_ float64, h []float64) error {
				e.see(h)
				return nil
			})
			if err != nil {
				return 0, err
			}
		}
		most = max(most, 4/e.rate)
	}
	return most, nil
}

// starts are the states of a rung whose laws are followed: that of cell at, the
// heaviest, and the ends of its slowest mode f, those that are too light left out.
func (r *Rung) starts(f []float64, at int) []int {
	heaviest, low, high := 0, -1, -1
	for i, m := range r.Chain.Mass() {
		if m > r.mass[heaviest] {
			heaviest = i
		}
		if m < lightStart {
			continue
		}
		if low < 0 || f[i] < f[low] {
			low = i
		}
		if high < 0 || f[i] > f[high] {
			high = i
		}
	}
	out := []int{int(r.state[at]), heaviest, low, high}
	slices.Sort(out)
	return slices.Compact(out)
}
