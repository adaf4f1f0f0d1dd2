package vector

import (
	"math"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A Block is columns of which some rows, the same of all, are multiplied at once, for one state
// or several. What a state gets has the same bits whatever others there are.
type Block struct {
	parts []alike
	n     int
}

// An alike is columns side by side that are kept in the same form.
type alike interface {
	join(next alike) bool // reports whether that is of the same form, and adds it
	size() int
	rows(from, n int)
	times(dst, weights []float64, r int)
	dots(dst, a []float64, r int)
}

// NewBlock returns a block of columns of the same length.
func NewBlock(columns []Column) *Block {
	b := &Block{}
	for _, c := range columns {
		next := c.alone()
		if k := len(b.parts); k == 0 || !b.parts[k-1].join(next) {
			b.parts = append(b.parts, next)
		}
	}
	return b
}

// Rows takes n ≥ 1 rows from one on.
func (b *Block) Rows(from, n int) {
	b.n = n
	for _, p := range b.parts {
		p.rows(from, n)
	}
}

// Times adds to dst, n numbers of each of r states, the rows times weights: that of column c for
// state i is weights[c*r+i]. Products are fused with the sum, column by column.
func (b *Block) Times(dst, weights []float64, r int) {
	for _, p := range b.parts {
		k := p.size() * r
		p.times(dst[:r*b.n], weights[:k], r)
		weights = weights[k:]
	}
}

// partial is how many sums the scalar product of a column is added up from.
const partial = 8

// Dots adds to dst[c*r+i] the scalar product of column c with the n numbers of a of state i of r.
// Eight sums of every eighth row, with fused products, are added, the upper half to the lower one
// until one is left, then dst, then the fused products of the rows left over.
func (b *Block) Dots(dst, a []float64, r int) {
	for _, p := range b.parts {
		k := p.size() * r
		p.dots(dst[:k], a[:r*b.n], r)
		dst = dst[k:]
	}
}

// products are the kernels of a form of columns; nil where there are none.
type products[T float32 | float64] struct {
	times1, times4 func(dst, w *float64, k **T, by *float64, columns, n, r int) int
	dots1, dots    func(dst, a *float64, k **T, by *float64, columns, n, stride, r int)
	states         int // that dots takes
	rows           func(dst *float64, a *T, by *float64, n int) int
}

// widen writes numbers of 64 bits and returns how many it has done.
func (p *products[T]) widen(dst []float64, a []T, by *float64) int {
	if a = a[:len(dst)]; p.rows == nil || len(dst) == 0 {
		return 0
	}
	return p.rows(&dst[0], &a[0], by, len(dst))
}

// kept are columns of a form.
type kept[T float32 | float64] struct {
	form    func() *products[T]
	columns []Column
	numbers [][]T
	by      []float64 // what those of each are scaled by
	at      []*T      // where the rows begin
	from, n int
	room    []float64
}

func (k *kept[T]) join(next alike) bool {
	o, ok := next.(*kept[T])
	if !ok || k.form() != o.form() {
		return false
	}
	k.columns, k.numbers, k.by = append(k.columns, o.columns...), append(k.numbers, o.numbers...), append(k.by, o.by...)
	return true
}

func (k *kept[T]) size() int { return len(k.columns) }

func (k *kept[T]) rows(from, n int) {
	if k.from, k.n = from, n; len(k.room) < n {
		k.room = make([]float64, n)
	}
	k.at = k.at[:0]
	for _, c := range k.numbers {
		k.at = append(k.at, &c[from : from+n][0])
	}
}

// scale is where the numbers stand that columns are scaled by.
func (k *kept[T]) scale() *float64 {
	if k.by == nil {
		return nil
	}
	return &k.by[0]
}

func (k *kept[T]) times(dst, weights []float64, r int) {
	p, columns, n := k.form(), len(k.columns), k.n
	for i := 0; i < r; {
		some, done := r-i, 0
		switch {
		case p.times4 != nil && some >= 4:
			some, done = 4, p.times4(&dst[i*n], &weights[i], &k.at[0], k.scale(), columns, n, r)
		case p.times1 != nil:
			some, done = 1, p.times1(&dst[i*n], &weights[i], &k.at[0], k.scale(), columns, n, r)
		}
		for c := 0; done < n && c < columns; c++ {
			x := k.columns[c].Rows(k.room[:n-done], k.from+done)
			for s := i; s < i+some; s++ {
				y, w := dst[s*n+done:(s+1)*n], weights[c*r+s]
				for t, v := range x {
					y[t] = math.FMA(v, w, y[t])
				}
			}
		}
		i += some
	}
}

func (k *kept[T]) dots(dst, a []float64, r int) {
	p, columns, n := k.form(), len(k.columns), k.n
	whole, done := n/partial*partial, 0
	if p.dots1 != nil && whole > 0 {
		done = whole
		for i := 0; i < r; {
			if r-i >= p.states {
				p.dots(&dst[i], &a[i*n], &k.at[0], k.scale(), columns, whole, n, r)
				i += p.states
			} else {
				p.dots1(&dst[i], &a[i*n], &k.at[0], k.scale(), columns, whole, n, r)
				i++
			}
		}
	}
	for c := 0; done < n && c < columns; c++ {
		x := k.columns[c].Rows(k.room[:n-done], k.from+done)
		for i := range r {
			of, sum := a[i*n+done:(i+1)*n], &dst[c*r+i]
			if done < whole {
				*sum += dot(of[:whole], x)
			}
			for t := whole - done; t < len(x); t++ {
				*sum = math.FMA(of[t], x[t], *sum)
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
