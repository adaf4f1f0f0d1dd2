package vector

import (
	"math"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A Block is columns of which some rows, the same of all, are multiplied at once, for one state
// or several. What a state gets has the same bits whatever others there are.
type Block struct {
	columns [][]float64
	rows    [][]float64 // of each column
	at      []*float64  // where they begin
	n       int
}

// NewBlock returns a block of columns of the same length.
func NewBlock(columns [][]float64) *Block {
	return &Block{columns: columns, rows: make([][]float64, len(columns)), at: make([]*float64, len(columns))}
}

// Rows takes n ≥ 1 rows from one on.
func (b *Block) Rows(from, n int) {
	b.n = n
	for j, c := range b.columns {
		b.rows[j], b.at[j] = c[from:from+n], &c[from]
	}
}

// Times adds to dst, n numbers of each of r states, the rows times weights: that of column c for
// state i is weights[c*r+i]. Products are fused with the sum, column by column.
func (b *Block) Times(dst, weights []float64, r int) {
	n, k := b.n, len(b.columns)
	if dst, weights = dst[:r*n], weights[:k*r]; k == 0 {
		return
	}
	for i := 0; i < r; {
		some, done := 1, 0
		switch {
		case kernels.times4 != nil && r-i >= 4:
			some, done = 4, kernels.times4(&dst[i*n], &weights[i], &b.at[0], k, n, r)
		case kernels.times1 != nil:
			done = kernels.times1(&dst[i*n], &weights[i], &b.at[0], k, n, r)
		}
		for ; some > 0; some-- {
			for t := done; t < n; t++ {
				y := dst[i*n+t]
				for c, x := range b.rows {
					y = math.FMA(x[t], weights[c*r+i], y)
				}
				dst[i*n+t] = y
			}
			i++
		}
	}
}

// partial is how many sums the scalar product of a column is added up from.
const partial = 8

// Dots adds to dst[c*r+i] the scalar product of column c with the n numbers of a of state i of r.
// Eight sums of every eighth row, with fused products, are added, the upper half to the lower one
// until one is left, then dst, then the fused products of the rows left over.
func (b *Block) Dots(dst, a []float64, r int) {
	n, k := b.n, len(b.columns)
	if dst, a = dst[:k*r], a[:r*n]; k == 0 {
		return
	}
	whole := n / partial * partial
	for i := 0; i < r && whole > 0; {
		switch {
		case kernels.dots2 != nil && r-i >= 2:
			kernels.dots2(&dst[i], &a[i*n], &b.at[0], k, whole, n, r)
			i += 2
		case kernels.dots1 != nil:
			kernels.dots1(&dst[i], &a[i*n], &b.at[0], k, whole, n, r)
			i++
		default:
			for c, x := range b.rows {
				dst[c*r+i] += dot(a[i*n:i*n+whole], x)
			}
			i++
		}
	}
	for c, x := range b.rows {
		for i := range r {
			for t := whole; t < n; t++ {
				dst[c*r+i] = math.FMA(a[i*n+t], x[t], dst[c*r+i])
			}
		}
	}
}

// dot is the scalar product of a multiple of eight numbers.
func dot(a, c []float64) float64 {
	var s [partial]float64
	for ; len(a) > 0; a, c = a[partial:], c[partial:] {
		for i := range s {
			s[i] = math.FMA(a[i], c[i], s[i])
		}
	}
	return folded(&s, func(a, b float64) float64 { return a + b })
}

// folded joins the upper half of eight numbers with the lower one until one is left.
func folded(s *[partial]float64, join func(a, b float64) float64) float64 {
	for half := partial / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] = join(s[i], s[i+half])
		}
	}
	return s[0]
}

// MostOutcomes is how many outcomes [Outcomes.Energy] takes at most: a product of so many factors
// of at most 2 is below the largest number.
const MostOutcomes = 1000

// Outcomes are room to add up −log probabilities of outcomes that are 0 or 1.
type Outcomes struct{ parts [2 * partial]float64 }

// Energy returns the sum of log(1 + e^z), z being the log odds a where y is 0 and −a where it is 1,
// and writes its derivatives by a, which may be where a is: eight products of 1 + e^−|z| of every
// eighth row, whose logarithm is that of their product, and eight sums of max(z, 0).
func (s *Outcomes) Energy(dst, a, y []float64) float64 {
	n := len(dst)
	a, y = a[:n], y[:n]
	product, sum := (*[partial]float64)(s.parts[:]), (*[partial]float64)(s.parts[partial:])
	for i := range partial {
		product[i], sum[i] = 1, 0
	}
	whole := 0
	if kernels.softplusSum != nil && n >= partial {
		whole = n / partial * partial
		kernels.softplusSum(&dst[0], &a[0], &y[0], &s.parts[0], whole)
	}
	for t := whole; t < n; t++ {
		side := math.FMA(-2, y[t], 1)
		z := a[t] * side
		e := lane.Exp(-math.Abs(z))
		above := e
		if z >= 0 {
			above = 1
		}
		i := t % partial
		product[i] *= 1 + e
		if !(z <= 0) {
			sum[i] += z
		}
		dst[t] = above / (1 + e) * side
	}
	multiply := func(a, b float64) float64 { return a * b }
	add := func(a, b float64) float64 { return a + b }
	return folded(sum, add) + lane.Log(folded(product, multiply))
}
