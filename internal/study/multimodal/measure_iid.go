package multimodal

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/r2sgld/r2sgld/domain"
)

// independent returns n independent draws (n × 2, draw by draw) of the
// multi-modal target on d at temperature 1. Where the wall beyond r² = 20 is not
// reached the density is a product, f(x) f(y) with f(x) = exp(−x²/5 + 2 cos 2πx):
// both are drawn from it, and kept if they fall into Ω.
func independent(n int, d domain.Domain, rng *rand.Rand) []float64 {
	lo, hi := domain.BoundsOf(d, 2)
	x, y := newFactor(lo[0], hi[0]), newFactor(lo[1], hi[1])
	out := make([]float64, 0, 2*n)
	p := make([]float64, 2)
	for len(out) < 2*n {
		p[0], p[1] = x.draw(rng), y.draw(rng)
		if d.Contains(p) {
			out = append(out, p...)
		}
	}
	return out
}

// A factor is the law of one coordinate, constant on short intervals.
type factor struct {
	low, width float64
	cumulative []float64
}

func newFactor(low, high float64) *factor {
	const n = 1 << 14
	f := &factor{low, (high - low) / n, make([]float64, n)}
	sum := 0.0
	for i := range n {
		x := low + (float64(i)+0.5)*f.width
		sum += math.Exp(-x*x/5 + 2*math.Cos(2*math.Pi*x))
		f.cumulative[i] = sum
	}
	return f
}

func (f *factor) draw(rng *rand.Rand) float64 {
	i := sort.SearchFloat64s(f.cumulative, rng.Float64()*f.cumulative[len(f.cumulative)-1])
	return f.low + (float64(i)+rng.Float64())*f.width
}

// independence is the case of independent draws.
func (s *scene) independence(p protocol, runs int, seed uint64) plan {
	return plan{scene: s, group: groupIID, label: "iid", method: "iid", protocol: p, runs: runs, seed: seed}
}

// floor returns the outcome of independent draws: the KL that no sampler of so
// many draws is expected to fall below.
func (s *scene) floor(p protocol, runs int, seed uint64) *outcome {
	o := newOutcome(s.independence(p, runs, seed))
	rng := rand.New(rand.NewPCG(o.own(), 1))
	m := s.own()
	for range runs {
		o.addDraws(m, independent(p.draws(), s.domain, rng))
	}
	return o
}
