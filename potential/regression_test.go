package potential

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/stream"
)

// lopsided returns two columns of n rows that share parameter 1 of three, with
// scales far apart, offsets and different weights.
func lopsided(n int, seed uint64) []Column {
	rng := rand.New(rand.NewPCG(seed, 1))
	a := Column{Index: []int{0, 1}, Weight: 3}
	b := Column{Index: []int{2, 1}, Weight: 0.2, Offset: make([]float64, n)}
	for t := range n {
		x, y := rng.NormFloat64(), rng.ExpFloat64()
		a.Design = append(a.Design, x, 20+10*y)
		b.Design = append(b.Design, 1, x*y)
		b.Offset[t] = 5 * x
		a.Response = append(a.Response, 2*x-0.3*(20+10*y)+rng.NormFloat64())
		b.Response = append(b.Response, 5*x+7-0.3*x*y+rng.NormFloat64())
	}
	return []Column{a, b}
}

// direct is U of the given rows, by its definition.
func direct(columns []Column, x []float64, rows []int) float64 {
	u := 0.0
	for _, c := range columns {
		n := len(c.Index)
		for _, t := range rows {
			e := -c.Response[t]
			if c.Offset != nil {
				e += c.Offset[t]
			}
			for k, j := range c.Index {
				e += c.Design[t*n+k] * x[j]
			}
			u += c.Weight / 2 * e * e
		}
	}
	return u
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The tolerance 1e-12 of the energies kills the textbook form ½xᵀGx − hᵀx + c,
// which loses its digits where the terms cancel.
func TestRegressionIsItsDefinition(t *testing.T) {
	columns := lopsided(200, 3)
	p := must(NewRegression(3, columns, 0))
	rapid.Check(t, func(rt *rapid.T) {
		r := rapid.IntRange(1, 5).Draw(rt, "r")
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), 3*r, 3*r).Draw(rt, "x")
		energy, grad := make([]float64, r), make([]float64, 3*r)
		p.Evaluator(r, nil).Eval(energy, grad, x)
		for i := range r {
			at := func(j int, h float64) float64 {
				y := []float64{x[i], x[r+i], x[2*r+i]}
				y[j] += h
				return direct(columns, y, seq(200))
			}
			if u := at(0, 0); math.Abs(energy[i]-u) > 1e-12*u {
				rt.Fatalf("energy %v, by definition %v", energy[i], u)
			}
			for j := range 3 {
				// U is quadratic: a central difference with h = 1 has no
				// truncation error.
				d := (at(j, 1) - at(j, -1)) / 2
				if math.Abs(grad[j*r+i]-d) > 1e-11*(1+at(0, 0)) {
					rt.Fatalf("gradient %d: %v, by differences %v", j, grad[j*r+i], d)
				}
			}
		}
	})
}

func TestLeastSquaresAgreesWithQR(t *testing.T) {
	columns := lopsided(100, 5)
	p := must(NewRegression(3, columns, 0))
	a := mat.NewDense(200, 3, nil)
	y := mat.NewVecDense(200, nil)
	for i, c := range columns {
		s := math.Sqrt(c.Weight)
		for row := range 100 {
			for k, j := range c.Index {
				a.Set(i*100+row, j, s*c.Design[row*2+k])
			}
			v := c.Response[row]
			if c.Offset != nil {
				v -= c.Offset[row]
			}
			y.SetVec(i*100+row, s*v)
		}
	}
	var want mat.VecDense
	if err := want.SolveVec(a, y); err != nil {
		t.Fatal(err)
	}
	got, rank := p.LeastSquares()
	for j, v := range got {
		if rank != 3 || math.Abs(v-want.AtVec(j)) > 1e-13*(1+math.Abs(v)) {
			t.Errorf("parameter %d: %.17g, QR %.17g, rank %d", j, v, want.AtVec(j), rank)
		}
	}
	var gram mat.Dense
	gram.Mul(a.T(), a)
	for jk, g := range p.Gram() {
		if w := gram.At(jk/3, jk%3); math.Abs(g-w) > 1e-12*math.Abs(w) {
			t.Errorf("Gram matrix at %d: %v, want %v", jk, g, w)
		}
	}
	fit := p.Fit(0, got)
	if want := math.Sqrt(fit.RSS / 98); fit.SD != want || fit.Rows != 100 || !(fit.R2 > 0.9 && fit.R2 < 1) {
		t.Errorf("fit %+v, want sd %v", fit, want)
	}
}

func TestRankDeficientRegression(t *testing.T) {
	c := Column{Index: []int{0, 1}, Weight: 1}
	for i := range 10 {
		v := float64(i)
		c.Design = append(c.Design, v, 2*v)
		c.Response = append(c.Response, 5*v)
	}
	p := must(NewRegression(3, []Column{c}, 0))
	x, rank := p.LeastSquares()
	if rank != 1 || math.Abs(x[0]+2*x[1]-5) > 1e-12 || x[2] != 0 {
		t.Errorf("estimate %v, rank %d", x, rank)
	}
	energy, grad := make([]float64, 1), make([]float64, 3)
	p.Evaluator(1, nil).Eval(energy, grad, []float64{1, 2, 9})
	if math.Abs(energy[0]) > 1e-18 || grad[2] != 0 {
		t.Errorf("on the flat: energy %v, gradient %v", energy, grad)
	}
}

// minibatchMoments returns the z-scores of the means of energy and gradient
// over calls draws against the full data, and the ratio of the energy's sample
// variance to the exact one of sampling without replacement.
func minibatchMoments(p, full Potential, terms []float64, batch, calls int) (z []float64, ratio float64) {
	const d = 3
	x := []float64{1.5, -0.25, 6}
	s := stream.New(7, 0)
	e := p.Evaluator(1, s)
	want := make([]float64, d+1)
	full.Evaluator(1, nil).Eval(want[:1], want[1:], x)
	sum, square := make([]float64, d+1), make([]float64, d+1)
	got := make([]float64, d+1)
	for range calls {
		e.Eval(got[:1], got[1:], x)
		for i, v := range got {
			sum[i] += v - want[i]
			square[i] += (v - want[i]) * (v - want[i])
		}
	}
	k := float64(calls)
	for i := range sum {
		mean := sum[i] / k
		z = append(z, mean/math.Sqrt((square[i]/k-mean*mean)/(k-1)))
	}
	n, m := float64(len(terms)), float64(batch)
	mean, v := 0.0, 0.0
	for _, u := range terms {
		mean += u / n
	}
	for _, u := range terms {
		v += (u - mean) * (u - mean) / (n - 1)
	}
	return z, square[0] / k / (n * n * (1 - m/n) * v / m)
}

// |z| < 5.3 for four components: a false alarm in 1e-6 draws of seeds. It kills
// the gradient and the energy without N/batch (both are off by a factor of 5/3)
// and rows drawn from the first N−1 only. The variance ratio, whose standard
// error is about √(2/20000) = 0.01 (the energy's kurtosis is near 3), kills
// sampling with replacement, where it is 1/(1−m/N) = 2.5.
func TestMinibatchIsUnbiased(t *testing.T) {
	const n, batch, calls = 50, 30, 20000
	columns := lopsided(n, 11)
	full := must(NewRegression(3, columns, 0))
	p := must(NewRegression(3, columns, batch))
	terms := make([]float64, n)
	for i := range terms {
		terms[i] = direct(columns, []float64{1.5, -0.25, 6}, []int{i})
	}
	z, ratio := minibatchMoments(p, full, terms, batch, calls)
	for i, v := range z {
		if math.Abs(v) > 5.3 {
			t.Errorf("component %d: z = %.2f", i, v)
		}
	}
	if math.Abs(ratio-1) > 0.06 {
		t.Errorf("variance of the energy is %.3f of that without replacement", ratio)
	}
	// The mutant: columns without N/batch in their weight.
	mutant := lopsided(n, 11)
	for i := range mutant {
		mutant[i].Weight *= float64(batch) / n
	}
	z, _ = minibatchMoments(must(NewRegression(3, mutant, batch)), full, terms, batch, calls)
	for i, v := range z {
		if math.Abs(v) < 5.3 {
			t.Errorf("component %d of the mutant without N/batch lives: z = %.2f", i, v)
		}
	}
}

func TestMinibatchSharesRowsAndStream(t *testing.T) {
	columns := lopsided(40, 2)
	p := must(NewRegression(3, columns, 7))
	a, b := p.Evaluator(2, stream.New(1, 0)), p.Evaluator(1, stream.New(1, 0))
	ea, ga, eb, gb := make([]float64, 2), make([]float64, 6), make([]float64, 1), make([]float64, 3)
	last := 0.0
	for range 10 {
		a.Eval(ea, ga, []float64{1, 1, 2, 2, 3, 3})
		b.Eval(eb, gb, []float64{1, 2, 3})
		if ea[0] != ea[1] || ea[0] != eb[0] || ga[3] != gb[1] {
			t.Fatalf("states of a call see different rows: %v %v", ea, eb)
		}
		if ea[0] == last {
			t.Fatal("two calls saw the same rows")
		}
		last = ea[0]
	}
	// Its whole state is that of the stream: a fresh evaluator in the same iteration
	// goes on with the same rows.
	s := stream.New(1, 0)
	b = p.Evaluator(1, s)
	b.Eval(eb, gb, []float64{1, 2, 3})
	s.Begin(1)
	b.Eval(eb, gb, []float64{1, 2, 3})
	u := stream.New(1, 0)
	c := p.Evaluator(1, u)
	u.Begin(1)
	ec, gc := make([]float64, 1), make([]float64, 3)
	c.Eval(ec, gc, []float64{1, 2, 3})
	if ec[0] != eb[0] {
		t.Errorf("after resuming %v, without interruption %v", ec, eb)
	}
}

func TestRegressionAllocatesNothing(t *testing.T) {
	for _, batch := range []int{0, 20} {
		e := must(NewRegression(3, lopsided(100, 1), batch)).Evaluator(4, stream.New(1, 0))
		x, energy, grad := make([]float64, 12), make([]float64, 4), make([]float64, 12)
		if n := testing.AllocsPerRun(100, func() { e.Eval(energy, grad, x) }); n != 0 {
			t.Errorf("batch %d: %v allocations", batch, n)
		}
	}
}

func TestRegressionRefusesNonsense(t *testing.T) {
	good := func() Column {
		return Column{Index: []int{0}, Design: []float64{1, 2}, Response: []float64{1, 2}, Weight: 1}
	}
	for name, spoil := range map[string]func(*Column){
		"weight":   func(c *Column) { c.Weight = 0 },
		"infinite": func(c *Column) { c.Weight = math.Inf(1) },
		"index":    func(c *Column) { c.Index[0] = 1 },
		"rows":     func(c *Column) { c.Design = c.Design[:1] },
		"nan":      func(c *Column) { c.Response[1] = math.NaN() },
	} {
		c := good()
		spoil(&c)
		if _, err := NewRegression(1, []Column{c}, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewRegression(1, []Column{good()}, -1); err == nil {
		t.Error("negative batch: no error")
	}
}

func BenchmarkRegressionGram(b *testing.B) {
	// Two columns of two parameters each, two rungs: lynx and hare.
	columns := lopsided(1000, 1)
	columns[1].Index = []int{2, 3}
	e := must(NewRegression(4, columns, 0)).Evaluator(2, nil)
	x, energy, grad := make([]float64, 8), make([]float64, 2), make([]float64, 8)
	for b.Loop() {
		e.Eval(energy, grad, x)
	}
}

func BenchmarkRegressionMinibatch(b *testing.B) {
	columns := lopsided(10001, 1)
	columns[1].Index = []int{2, 3}
	e := must(NewRegression(4, columns, 4096)).Evaluator(2, stream.New(1, 0))
	x, energy, grad := make([]float64, 8), make([]float64, 2), make([]float64, 8)
	for b.Loop() {
		e.Eval(energy, grad, x)
	}
}
