package expression

import (
	"math"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// together are the operations on several numbers whose exponentials and logarithms are
// taken for all lanes at once; the numbers are those of apply. w is workspace.
var together = [...]func(dst, a, b, c, d []float64, w *workspace){
	opLogAddExp: logAddExps, opXLogY: xLogYs, opLogSum: logSums, opWeight: weights, opTimesExp: timesExps,
	opNegBinomial: shapes(negBinomialOf), opNegBinomialLog: shapes(negBinomialOfLog), opNegBinomialPhi: shapes(shape.slope),
}

// A workspace has as many lanes as a machine.
type workspace [4][]float64

func newWorkspace(n int) *workspace {
	memory := make([]float64, 4*n)
	return &workspace{memory[:n], memory[n : 2*n], memory[2*n : 3*n], memory[3*n:]}
}

func logAddExps(dst, a, b, _, _ []float64, w *workspace) {
	t := w[0]
	for i, v := range a {
		t[i] = -math.Abs(v - b[i])
	}
	vector.Exp(t, t)
	vector.Log1p(t, t)
	for i, v := range a {
		if v == b[i] {
			dst[i] = v + math.Ln2
		} else {
			dst[i] = max(v, b[i]) + t[i]
		}
	}
}

func xLogYs(dst, a, b, _, _ []float64, w *workspace) {
	vector.Log(w[0], b)
	for i, v := range w[0] {
		if a[i] == 0 && b[i] == b[i] {
			dst[i] = 0
		} else {
			dst[i] = a[i] * v
		}
	}
}

// rises writes what rise says of exponents l and m into w[0]; it uses w[1] and w[2].
func rises(l, m []float64, w *workspace) {
	e, r, less := w[0], w[1], w[2]
	for i, v := range l {
		r[i] = below(v, m[i])
	}
	vector.Exp(e, r)
	vector.Expm1(less, r)
	for i, v := range r {
		if v > nearby {
			e[i] = less[i]
		}
	}
}

func logSums(dst, c, l, d, m []float64, w *workspace) {
	rises(l, m, w)
	s, rest := w[0], w[1]
	for i, e := range w[0] {
		one, other := c[i], d[i]
		if m[i] > l[i] {
			one, other = other, one
		}
		s[i], rest[i] = nearOne(one, other, below(l[i], m[i]), e)
	}
	vector.Log(w[2], s)
	vector.Log1p(w[3], rest)
	for i, v := range l {
		top := v
		if m[i] > v {
			top = m[i]
		}
		switch {
		case math.Abs(rest[i]) < 0.5:
			dst[i] = top + w[3][i]
		case math.Abs(s[i]) > 1e-280 || s[i] != s[i]:
			dst[i] = top + w[2][i]
		default:
			dst[i] = logSum(c[i], v, d[i], m[i])
		}
	}
}

func weights(dst, c, l, d, m []float64, w *workspace) {
	rises(l, m, w)
	exp := w[2]
	for i, v := range l {
		exp[i] = v - m[i]
	}
	vector.Exp(exp, exp)
	for i, e := range w[0] {
		r := below(l[i], m[i])
		if m[i] > l[i] {
			s, _ := nearOne(d[i], c[i], r, e)
			dst[i] = exp[i] / s
		} else {
			s, _ := nearOne(c[i], d[i], r, e)
			dst[i] = 1 / s
		}
	}
}

func timesExps(dst, c, l, _, _ []float64, w *workspace) {
	vector.Exp(w[0], l)
	for i, e := range w[0] {
		if a := math.Abs(l[i]); c[i] == 0 || a > 700 {
			dst[i] = timesExp(c[i], l[i])
		} else {
			dst[i] = c[i] * e
		}
	}
}
