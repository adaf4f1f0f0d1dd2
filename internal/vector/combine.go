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
