package ode

import "math"

// A family is a sequence of multistep formulas by order q.
type family struct {
	orders int
	// l[q] are the coefficients of the correction: z_j += l_j·c, where c is
	// the correction to z_1 (hence l_1 = 1).
	l [][]float64
	// constant[q] is |C|, where the formula's local error is C·h^(q+1)·y^(q+1).
	constant []float64
	// error[q] times |c| is the local error; up[q] times the difference of
	// two corrections is that of order q+1; down[q] times |z_q| that of q-1.
	error, up, down []float64
}

// stable[q] bounds h times the Lipschitz constant for the formula of Adams of
// order q as it is used here (Petzold 1983).
var stable = [adamsOrder + 1]float64{0, 0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025}

// adams are the formulas of Adams and Moulton: the polynomial of l is
// ∫ from -1 to x of Π_{i<q}(u+i)/(q-1)! du.
func adams() family {
	return newFamily(adamsOrder, func(q int) (l []float64, constant float64) {
		p := []float64{1}
		for i := 1; i < q; i++ {
			p = times(p, float64(i))
		}
		l = make([]float64, q+1)
		scale := 1 / factorial(q-1)
		sign := 1.0
		for i, c := range p { // ∫ x^i over [-1,0] is (-1)^i/(i+1), ∫ x^(i+1) is -(-1)^i/(i+2)
			l[i+1] = scale * c / float64(i+1)
			l[0] += scale * sign * c / float64(i+1)
			constant += sign * c / float64(i+2)
			sign = -sign
		}
		return l, math.Abs(constant) / factorial(q)
	})
}

// bdf are the backward differentiation formulas: the polynomial of l is
// Π_{i≤q}(x+i), scaled so that l_1 = 1.
func bdf() family {
	return newFamily(bdfOrder, func(q int) (l []float64, constant float64) {
		l = []float64{1}
		for i := 1; i <= q; i++ {
			l = times(l, float64(i))
		}
		linear := l[1]
		for i := range l {
			l[i] /= linear
		}
		return l, 1 / float64(q+1)
	})
}

func newFamily(orders int, formula func(q int) ([]float64, float64)) family {
	f := family{orders: orders, l: make([][]float64, orders+1)}
	for _, v := range []*[]float64{&f.constant, &f.error, &f.up, &f.down} {
		*v = make([]float64, orders+1)
	}
	for q := 1; q <= orders; q++ {
		f.l[q], f.constant[q] = formula(q)
	}
	for q := 1; q <= orders; q++ {
		high := f.l[q][q] * factorial(q) // times c: h^(q+1)·y^(q+1)
		f.error[q] = f.constant[q] * high
		if q < orders {
			f.up[q] = f.constant[q+1] * high
		}
		if q > 1 {
			f.down[q] = f.constant[q-1] * factorial(q)
		}
	}
	return f
}

// times is the polynomial p (lowest power first) times x+a.
func times(p []float64, a float64) []float64 {
	r := make([]float64, len(p)+1)
	for i, c := range p {
		r[i] += a * c
		r[i+1] += c
	}
	return r
}

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}
