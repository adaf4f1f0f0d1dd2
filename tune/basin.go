package tune

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/modes"
)

const (
	descentTakes = 30  // gradients, about
	fewFollowed  = 16  // draws near a mode that tell to whose basin those near it belong
	mostFollowed = 512 // of each
)

// near are draws of every ladder, and which mode each lies near by the normal laws there.
type near struct {
	of   [][]int // of the modes, [ladder][draw]
	step []int   // every which draw of a ladder these are, from the one before that on
}

// any reports whether a draw lies near mode k.
func (d near) any(k int) bool {
	return slices.ContainsFunc(d.of, func(l []int) bool { return slices.Contains(l, k) })
}

// indicators are 1 where a draw lies near one of some modes, and the share of those that do.
func (d near) indicators(some ...int) (chains [][]float64, share float64) {
	for _, l := range d.of {
		c := make([]float64, len(l))
		for i, of := range l {
			if slices.Contains(some, of) {
				c[i] = 1
				share++
			}
		}
		chains = append(chains, c)
	}
	return chains, share / float64(len(d.of)*max(1, len(d.of[0])))
}

// passages is how often indicators go from 0 to 1.
func passages(chains [][]float64) (n int) {
	for _, c := range chains {
		for i := 1; i < len(c); i++ {
			if c[i] > c[i-1] {
				n++
			}
		}
	}
	return n
}

// A sharing tells how what lies near each mode is shared among the basins of all.
type sharing struct {
	part     [][]float64 // part[j][k] of what lies near j belongs to k
	followed []float64   // draws that tell part[j]; 0 where all of it is taken to belong to j
}

// ownBasins has what lies near each of n modes belong to it.
func ownBasins(n int) *sharing {
	s := &sharing{make([][]float64, n), make([]float64, n)}
	for j := range n {
		s.part[j] = make([]float64, n)
		s.part[j][j] = 1
	}
	return s
}

// follow has draws near every mode go down to the minimum whose basin they lie in.
func (m *Modes) follow(ctx context.Context, p r2sgld.Problem, threads int, res *r2sgld.Result, draws near) (*sharing, error) {
	n, spend := len(m.Search.Modes), freshly*float64(m.gradients())
	s := ownBasins(n)
	quota := min(mostFollowed, int(spend)/descentTakes/n)
	if slices.Max(modes.Valleys(m.Search.Modes)) == 0 || quota < fewFollowed {
		return s, nil
	}
	u, err := quiet(p)
	if err != nil {
		return nil, err
	}
	some, begun := draws.some(n, quota)
	var at []float64
	for _, x := range some {
		at = append(at, stateOf(p, res.Ladders[x[0]], x[1])...)
	}
	target := modes.Target{Energy: u, Domain: p.Domain, Threads: cmp.Or(threads, runtime.GOMAXPROCS(0))}
	ends, asked, err := target.Lead(ctx, m.Search.Modes, at, begun, int64(spend))
	if err != nil {
		return nil, err
	}
	m.Search.Gradients += asked
	s.count(begun, ends)
	return s, nil
}

// count notes where descents ended, -1 for one that tells nothing, that began near modes.
func (s *sharing) count(begun, ends []int) {
	led := make([][]float64, len(s.part))
	for j := range led {
		led[j] = make([]float64, len(s.part))
	}
	for i, j := range begun {
		s.followed[j]++
		k := ends[i]
		if k < 0 {
			k = j
		}
		led[j][k]++
	}
	for j, n := range s.followed {
		for k := range led[j] {
			if n >= fewFollowed { // fewer tell nothing
				s.part[j][k] = led[j][k] / n
			}
		}
	}
}

// some are so many draws near each of n modes, or all where there are fewer, evenly taken, and
// near which each is: their ladders and numbers there.
func (d near) some(n, quota int) (at [][2]int, of []int) {
	count, seen := make([]int, n), make([]int, n)
	for _, l := range d.of {
		for _, k := range l {
			count[k]++
		}
	}
	for i, l := range d.of {
		for j, k := range l {
			take := min(quota, count[k])
			before := seen[k] * take / count[k]
			if seen[k]++; seen[k]*take/count[k] > before {
				at, of = append(at, [2]int{i, (j+1)*d.step[i] - 1}), append(of, k)
			}
		}
	}
	return at, of
}

// joined is s where basins whose valleys begin at the same one are one, there.
func (s *sharing) joined(valley []int) *sharing {
	out := &sharing{make([][]float64, len(s.part)), s.followed}
	for j, row := range s.part {
		out.part[j] = make([]float64, len(row))
		for k, p := range row {
			out.part[j][valley[k]] += p
		}
	}
	return out
}

// share is the weight of basin k and its standard error, NaN of one without a draw: by chains of
// draws, and by the chance of which were followed.
func (s *sharing) share(of [][]int, k int) (weight, se float64) {
	chains, count, all := make([][]float64, len(of)), make([]float64, len(s.part)), 0.0
	for i, l := range of {
		chains[i] = make([]float64, len(l))
		for t, j := range l {
			chains[i][t] = s.part[j][k]
			weight += s.part[j][k]
			count[j]++
		}
		all += float64(len(l))
	}
	for j := range count {
		count[j] /= all
	}
	chance := s.chance(count, k)
	switch weight {
	case 0:
		return 0, math.NaN()
	case all:
		return 1, 0
	}
	if len(of) > 0 && !slices.ContainsFunc(chains, func(c []float64) bool {
		return slices.ContainsFunc(c, func(v float64) bool { return v != chains[0][0] })
	}) { // all near modes that share alike
		return weight / all, chance
	}
	return weight / all, math.Hypot(diag.MCSEMean(chains), chance)
}

// chance is the standard error of the share of basin k by which draws were followed, where those near
// the modes have such shares.
func (s *sharing) chance(near []float64, k int) float64 {
	sum := 0.0
	for j, w := range near {
		if p := s.part[j][k]; s.followed[j] > 0 {
			sum += w * w * p * (1 - p) / s.followed[j]
		}
	}
	return math.Sqrt(sum)
}

// to is what of that near each mode belongs to basin k.
func (s *sharing) to(k int) []float64 {
	out := make([]float64, len(s.part))
	for j, row := range s.part {
		out[j] = row[k]
	}
	return out
}

// basins are the shares of the basins where those near the modes are known.
func (s *sharing) basins(near []float64) []float64 {
	out := make([]float64, len(near))
	for j, w := range near {
		for k, p := range s.part[j] {
			out[k] += w * p
		}
	}
	return out
}
