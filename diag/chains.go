package diag

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// alike reports whether draws between two values do not vary: their spread is below the
// spacing of numbers of their size. Where posterior and ArviZ compare with the spacing at 1,
// this asks the same of x and of any multiple of x: units may be small.
func alike(least, largest float64) bool {
	return largest-least <= 0x1p-52*max(math.Abs(least), math.Abs(largest))
}

// draws holds m chains of n draws, chain after chain, and what several
// diagnostics share: the sorted order, normal scores and autocovariances.
type draws struct {
	m, n   int
	x      []float64
	sorted []keyed   // by value, then index; nil until order is called
	scores []float64 // normal score of half-rank k, 0 until asked for
	split  []float64 // scratch: 2m chains of half the length
	acov   *autocovariance
}

// keyed is a draw and its index in draws.x.
type keyed struct {
	v float64
	i int
}

// gather copies chains; it returns nil if there are none, they are empty, of
// unequal length, or hold a value that is not finite.
func gather(chains [][]float64) *draws {
	if len(chains) == 0 || len(chains[0]) == 0 {
		return nil
	}
	d := &draws{m: len(chains), n: len(chains[0])}
	d.x = make([]float64, 0, d.m*d.n)
	for _, c := range chains {
		if len(c) != d.n || !finite(c) {
			return nil
		}
		d.x = append(d.x, c...)
	}
	k, h := d.halves()
	d.split = make([]float64, k*h)
	d.acov = newAutocovariance(k, h)
	return d
}

// halves returns the number and length of the split chains. A single draw per
// chain is not split.
func (d *draws) halves() (k, h int) {
	if d.n == 1 {
		return d.m, 1
	}
	return 2 * d.m, d.n / 2
}

// slot maps an index of x to one of split, or to -1 for the middle draw of a
// chain of odd length, which splitting drops.
func (d *draws) slot(i int) int {
	if d.n%2 == 0 || d.n == 1 {
		return i
	}
	c, j := i/d.n, i%d.n
	switch h := d.n / 2; {
	case j < h:
		return i - c
	case j > h:
		return i - c - 1
	default:
		return -1
	}
}

// halve fills split with f of every kept draw.
func (d *draws) halve(f func(float64) float64) []float64 {
	for i, v := range d.x {
		if s := d.slot(i); s >= 0 {
			d.split[s] = f(v)
		}
	}
	return d.split
}

func (d *draws) order() []keyed {
	if d.sorted == nil {
		d.sorted = sortedKeyed(d.x)
	}
	return d.sorted
}

// increasing are the draws in order.
func (d *draws) increasing() []float64 {
	x := make([]float64, len(d.x))
	for i, k := range d.order() {
		x[i] = k.v
	}
	return x
}

// sortedKeyed sorts finite x by value, equal values by index: a stable radix
// sort on the bytes of the bit pattern, turned so that it orders as the values
// do (-0 before 0). It is several times as fast as comparing.
func sortedKeyed(x []float64) []keyed {
	type entry struct {
		key uint64
		i   int
	}
	from, to := make([]entry, len(x)), make([]entry, len(x))
	var count [8][256]int
	for i, v := range x {
		key := math.Float64bits(v)
		key ^= uint64(int64(key)>>63) | 1<<63
		from[i] = entry{key, i}
		for b := range count {
			count[b][byte(key>>(8*b))]++
		}
	}
	for b := range count {
		at := 0
		for v, c := range count[b] {
			count[b][v], at = at, at+c
		}
		for _, e := range from {
			slot := &count[b][byte(e.key>>(8*b))]
			to[*slot] = e
			*slot++
		}
		from, to = to, from
	}
	s := make([]keyed, len(x))
	for i, e := range from {
		s[i] = keyed{x[e.i], e.i}
	}
	return s
}

// folded returns |x - median| in increasing order, merged from the two sides
// of the median.
func (d *draws) folded() []keyed {
	s := d.order()
	n := len(s)
	median := s[n/2].v
	if n%2 == 0 {
		median = (s[n/2-1].v + s[n/2].v) / 2
	}
	f := make([]keyed, 0, n)
	for l, r := n/2-1, n/2; len(f) < n; {
		if l < 0 || r < n && s[r].v-median <= median-s[l].v {
			f = append(f, keyed{math.Abs(s[r].v - median), s[r].i})
			r++
		} else {
			f = append(f, keyed{math.Abs(s[l].v - median), s[l].i})
			l--
		}
	}
	return f
}

// normalScores fills split with Φ⁻¹((rank - 3/8)/(S + 1/4)), where rank runs
// over the S kept draws of the sorted s and ties share their average rank.
func (d *draws) normalScores(s []keyed) []float64 {
	for i, rank := 0, 0; i < len(s); {
		j, first := i, rank+1
		for ; j < len(s) && s[j].v == s[i].v; j++ {
			if d.slot(s[j].i) >= 0 {
				rank++
			}
		}
		if rank >= first {
			z := d.score(first + rank)
			for ; i < j; i++ {
				if at := d.slot(s[i].i); at >= 0 {
					d.split[at] = z
				}
			}
		}
		i = j
	}
	return d.split
}

// score returns the normal score of rank half/2. Scores are odd about the
// middle rank, so half of them are worked out, once each.
func (d *draws) score(half int) float64 {
	size := len(d.split)
	if mirror := 2*(size+1) - half; mirror < half {
		return -d.score(mirror)
	}
	if d.scores == nil {
		d.scores = make([]float64, size+2)
	}
	if d.scores[half] == 0 {
		d.scores[half] = mathext.NormalQuantile((float64(half)/2 - 0.375) / (float64(size) + 0.25))
	}
	return d.scores[half]
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func constant(x []float64) bool {
	least, largest := x[0], x[0]
	for _, v := range x {
		if v < least {
			least = v
		} else if v > largest {
			largest = v
		}
	}
	return alike(least, largest)
}
