package vector

// A Sum is a weighted sum of vectors of the same length.
type Sum struct {
	weights []float64
	terms   [][]float64
	at      []*float64 // where they begin
}

// NewSum returns the sum of terms with weights, of as many as there are weights, without
// those of weight 0.
func NewSum(weights []float64, terms [][]float64) (s Sum) {
	for j, w := range weights {
		if w != 0 && len(terms[j]) > 0 {
			s.weights, s.terms, s.at = append(s.weights, w), append(s.terms, terms[j]), append(s.at, &terms[j][0])
		}
	}
	return s
}

// Into writes y + d·(w₀k₀ + w₁k₁ + …), every product and every sum rounded, from left to
// right. The result is none of the terms.
func (s *Sum) Into(dst, y, d []float64) {
	n := len(dst)
	y, d = y[:n], d[:n]
	for _, k := range s.terms {
		_ = k[:n]
	}
	if kernels.combine != nil && n >= fewest && len(s.at) > 0 {
		kernels.combine(&dst[0], &y[0], &d[0], &s.weights[0], &s.at[0], len(s.at), n)
		return
	}
	for i := range dst {
		sum := 0.0
		for j, w := range s.weights {
			if v := float64(w * s.terms[j][i]); j > 0 {
				sum += v
			} else {
				sum = v
			}
		}
		dst[i] = float64(d[i]*sum) + y[i]
	}
}

// fewest are as many lanes as are worth the call of a kernel.
const fewest = 2

// A Block is columns of which some rows, the same of all, are multiplied at once.
type Block struct {
	columns [][]float64
	rows    Sum
	n       int
	zero    []float64
	one     []float64
}

// NewBlock returns a block of columns, one or more of the same length, for most rows at once.
func NewBlock(columns [][]float64, most int) *Block {
	b := &Block{columns: columns, zero: make([]float64, most), one: make([]float64, most),
		rows: Sum{terms: make([][]float64, len(columns)), at: make([]*float64, len(columns))}}
	for i := range b.one {
		b.one[i] = 1
	}
	return b
}

// Rows takes n ≥ 1 rows from one on.
func (b *Block) Rows(from, n int) {
	b.n = n
	for j, c := range b.columns {
		b.rows.terms[j] = c[from : from+n]
		b.rows.at[j] = &c[from]
	}
}

// Times writes the rows times the weights, one of each column, as [Sum.Into] adds.
func (b *Block) Times(dst, weights []float64) {
	b.rows.weights = weights[:len(b.columns)]
	b.rows.Into(dst[:b.n], b.zero, b.one)
}

// partial is how many sums the scalar product of a column is added up from.
const partial = 16

// Dots adds to dst, of each column, its scalar product with a, of as many numbers as there are
// rows. Every product and every sum is rounded: 16 sums of every 16th row are added, the
// upper half to the lower one until one is left, then dst, then the products of the rows left
// over.
func (b *Block) Dots(dst, a []float64) {
	whole := b.n / partial * partial
	dst, a = dst[:len(b.columns)], a[:b.n]
	switch {
	case whole == 0:
	case kernels.dots != nil:
		kernels.dots(&dst[0], &a[0], &b.rows.at[0], len(dst), whole)
	default:
		for j, c := range b.rows.terms {
			dst[j] += dot(a[:whole], c)
		}
	}
	if whole < b.n {
		for j, c := range b.rows.terms {
			for i := whole; i < b.n; i++ {
				dst[j] += float64(a[i] * c[i])
			}
		}
	}
}

// dot is the scalar product of a multiple of 16 numbers.
func dot(a, c []float64) float64 {
	var s [partial]float64
	for ; len(a) > 0; a, c = a[partial:], c[partial:] {
		for i := range s {
			s[i] += float64(a[i] * c[i])
		}
	}
	for half := partial / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}
