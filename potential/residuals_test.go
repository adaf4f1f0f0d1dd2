package potential

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/stream"
)

// asResiduals writes linear columns as nonlinear ones, with a scale of 2 that
// the curve takes out again.
func asResiduals(columns []Column) []ResidualColumn {
	var out []ResidualColumn
	for _, c := range columns {
		n := len(c.Index)
		d := ResidualColumn{Index: c.Index, Response: c.Response, Weight: c.Weight}
		for k := range n + 1 {
			v := make([]float64, len(c.Response))
			for t := range v {
				if k < n {
					v[t] = c.Design[t*n+k]
				} else if c.Offset != nil {
					v[t] = c.Offset[t]
				}
			}
			d.Data = append(d.Data, v)
		}
		for range c.Response {
			d.Scale = append(d.Scale, 2)
		}
		d.Curve = func(lanes int) func(value, grad, x []float64) {
			return func(value, grad, x []float64) {
				for i := range lanes {
					value[i] = x[n*lanes+i] / 2
					for k := range n {
						value[i] += x[k*lanes+i] * x[(n+1+k)*lanes+i] / 2
						grad[k*lanes+i] = x[k*lanes+i] / 2
					}
				}
			}
		}
		out = append(out, d)
	}
	return out
}

// The tolerance 1e-10 kills rows lost or counted twice at the end of the lanes
// (150 rows are two full sets of lanes and a rest) and a scale left out of the
// gradient.
func TestResidualsAgreeWithRegression(t *testing.T) {
	columns := lopsided(150, 4)
	for _, batch := range []int{0, 100, 40} {
		lin := must(NewRegression(3, columns, batch)).Evaluator(3, stream.New(2, 0))
		non := must(NewResiduals(3, asResiduals(columns), batch)).Evaluator(3, stream.New(2, 0))
		rng := rand.New(rand.NewPCG(1, 2))
		x, e1, g1, e2, g2 := make([]float64, 9), make([]float64, 3), make([]float64, 9), make([]float64, 3), make([]float64, 9)
		for range 50 {
			for i := range x {
				x[i] = 4 * rng.NormFloat64()
			}
			lin.Eval(e1, g1, x)
			non.Eval(e2, g2, x)
			for i := range e1 {
				if math.Abs(e1[i]-e2[i]) > 1e-10*e1[i] {
					t.Fatalf("batch %d: energy %v and %v", batch, e1[i], e2[i])
				}
			}
			for i := range g1 {
				if math.Abs(g1[i]-g2[i]) > 1e-10*(e1[i%3]+math.Abs(g1[i])) {
					t.Fatalf("batch %d: gradient %v and %v", batch, g1[i], g2[i])
				}
			}
		}
	}
	lin, non := must(NewRegression(3, columns, 0)), must(NewResiduals(3, asResiduals(columns), 0))
	x, _ := lin.LeastSquares()
	for i, g := range non.Gram(x) {
		if w := lin.Gram()[i]; math.Abs(g-w) > 1e-10*math.Abs(w) {
			t.Errorf("Gram matrix at %d: %v and %v", i, g, w)
		}
	}
	if a, b := lin.Fit(1, x), non.Fit(1, x); math.Abs(a.R2-b.R2) > 1e-12 || math.Abs(a.SD-b.SD) > 1e-12 {
		t.Errorf("fits %+v and %+v", a, b)
	}
}

// The threshold and its mutants are those of TestMinibatchIsUnbiased.
func TestResidualMinibatchIsUnbiased(t *testing.T) {
	const n, batch, calls = 50, 30, 20000
	columns := lopsided(n, 11)
	full := must(NewRegression(3, columns, 0))
	terms := make([]float64, n)
	for i := range terms {
		terms[i] = direct(columns, []float64{1.5, -0.25, 6}, []int{i})
	}
	z, ratio := minibatchMoments(must(NewResiduals(3, asResiduals(columns), batch)), full, terms, batch, calls)
	for i, v := range z {
		if math.Abs(v) > 5.3 {
			t.Errorf("component %d: z = %.2f", i, v)
		}
	}
	if math.Abs(ratio-1) > 0.06 {
		t.Errorf("variance of the energy is %.3f of that without replacement", ratio)
	}
}

// logistic is growth p·x·(1 − x/q): nonlinear in q.
func logistic(n int) ResidualColumn {
	c := ResidualColumn{Index: []int{1, 0}, Weight: 2, Data: [][]float64{nil}}
	for t := range n {
		x := 1 + 0.1*float64(t)
		c.Data[0] = append(c.Data[0], x)
		c.Response = append(c.Response, 0.5*x*(1-x/8))
	}
	c.Curve = func(lanes int) func(value, grad, x []float64) {
		return func(value, grad, x []float64) {
			for i := range lanes {
				x, p, q := x[i], x[lanes+i], x[2*lanes+i]
				value[i] = p * x * (1 - x/q)
				grad[i] = x * (1 - x/q)
				grad[lanes+i] = p * x * x / (q * q)
			}
		}
	}
	return c
}

func TestResidualGradient(t *testing.T) {
	p := must(NewResiduals(2, []ResidualColumn{logistic(70)}, 0))
	e := p.Evaluator(1, nil)
	grad, energy, scratch := make([]float64, 2), make([]float64, 1), make([]float64, 2)
	x := []float64{9, 0.7}
	e.Eval(energy, grad, x)
	u := func(j int, h float64) float64 {
		y := []float64{x[0], x[1]}
		y[j] += h
		var u [1]float64
		e.Eval(u[:], scratch, y)
		return u[0]
	}
	for j, g := range grad {
		const h = 1e-5 // error h²U‴/6 + 1e-16·U/h, both below 1e-8 of the gradient
		if d := (u(j, h) - u(j, -h)) / (2 * h); math.Abs(g-d) > 1e-7*math.Abs(d) {
			t.Errorf("gradient %d: %v, by differences %v", j, g, d)
		}
	}
	e.Eval(energy, grad, []float64{8, 0.5})
	if energy[0] > 1e-25 {
		t.Errorf("energy at the truth: %v", energy[0])
	}
	e = must(NewResiduals(2, []ResidualColumn{logistic(70)}, 20)).Evaluator(1, stream.New(1, 0))
	if n := testing.AllocsPerRun(100, func() { e.Eval(energy, grad, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSum(t *testing.T) {
	a := must(NewRegression(3, lopsided(20, 1), 0))
	s := must(Sum(a, a, a))
	x := []float64{1, 2, 3, 4, 5, 6}
	e1, g1, e2, g2 := make([]float64, 2), make([]float64, 6), make([]float64, 2), make([]float64, 6)
	a.Evaluator(2, nil).Eval(e1, g1, x)
	e := s.Evaluator(2, nil)
	e.Eval(e2, g2, x)
	for i := range g1 {
		if math.Abs(g2[i]-3*g1[i]) > 1e-12*math.Abs(g1[i]) || math.Abs(e2[i%2]-3*e1[i%2]) > 1e-12*e1[i%2] {
			t.Errorf("sum %v %v of %v %v", e2, g2, e1, g1)
		}
	}
	if n := testing.AllocsPerRun(100, func() { e.Eval(e2, g2, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if _, err := Sum(a, must(NewResiduals(2, []ResidualColumn{logistic(9)}, 0))); err == nil {
		t.Error("potentials of two dimensions have a sum")
	}
	if _, err := Sum(); err == nil {
		t.Error("nothing has a sum")
	}
}

func BenchmarkResiduals(b *testing.B) {
	e := must(NewResiduals(2, []ResidualColumn{logistic(10001)}, 4096)).Evaluator(2, stream.New(1, 0))
	x, energy, grad := []float64{8, 8, 1, 1}, make([]float64, 2), make([]float64, 4)
	for b.Loop() {
		e.Eval(energy, grad, x)
	}
}
