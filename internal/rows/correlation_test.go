package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
)

// correlations is a posterior of a Cholesky factor of k rows alone, but for a, with a flat likelihood.
func correlations(t *testing.T, k int, eta float64) *Posterior {
	t.Helper()
	return build(t, model([]Parameter{{Name: "a", Prior: "normal(0, 1)"},
		{Name: "L", Shape: fmt.Sprintf("cholesky_corr(%d)", k), Prior: fmt.Sprintf("lkj_corr_cholesky(%g)", eta)}},
		"deaths ~ normal(a, 1)"), trial)
}

// below is L, of its free entries by rows, and Ω = L Lᵀ.
func lower(k int, x []float64) (l *mat.TriDense, omega *mat.SymDense) {
	l, omega = mat.NewTriDense(k, mat.Lower, nil), mat.NewSymDense(k, nil)
	at := 0
	for i := range k {
		square := 1.0
		for j := range i {
			l.SetTri(i, j, x[at])
			square -= x[at] * x[at]
			at++
		}
		l.SetTri(i, i, math.Sqrt(square))
	}
	var of mat.Dense
	of.Mul(l, l.T())
	for i := range k {
		for j := range i + 1 {
			omega.SetSym(i, j, of.At(i, j))
		}
	}
	return l, omega
}

// inBall draws the free entries of a Cholesky factor of k rows.
func inBall(t *rapid.T, k int) (x []float64) {
	for i := 1; i < k; i++ {
		for range i {
			x = append(x, rapid.Float64Range(-0.9, 0.9).Draw(t, "r")/math.Sqrt(float64(i)))
		}
	}
	return x
}

// The density by the entries of L is det(Ω)^(η − 1) times the determinant of the slopes of Ω by them, but for
// a constant: slopes are by differences, and the constant drops out between two points.
// Mutants: powers without the determinant.
func TestCorrelationDensity(t *testing.T) {
	for _, c := range []struct {
		k   int
		eta float64
	}{{2, 0.5}, {2, 1}, {3, 1}, {3, 2.5}, {4, 1}, {5, 0.7}} {
		p := correlations(t, c.k, c.eta)
		n := c.k * (c.k - 1) / 2
		want := func(x []float64) float64 {
			_, omega := lower(c.k, x)
			slopes := mat.NewDense(n, n, nil)
			for e := range n {
				const h = 1e-6
				at := x[e]
				x[e] = at + h
				_, up := lower(c.k, x)
				x[e] = at - h
				_, down := lower(c.k, x)
				x[e] = at
				row := 0
				for i := range c.k {
					for j := range i {
						slopes.Set(row, e, (up.At(i, j)-down.At(i, j))/(2*h))
						row++
					}
				}
			}
			log, _ := mat.LogDet(slopes)
			return (c.eta-1)*math.Log(mat.Det(omega)) + log
		}
		rapid.Check(t, func(t *rapid.T) {
			x, y := inBall(t, c.k), inBall(t, c.k)
			u, _ := energy(p, append([]float64{0}, x...))
			v, g := energy(p, append([]float64{0}, y...))
			if d := want(x) - want(y); math.Abs(v-u-d) > 1e-6*(1+math.Abs(d)) {
				t.Fatalf("k = %d, η = %g: log densities differ by %v, want %v", c.k, c.eta, v-u, d)
			}
			for j := range y {
				const h = 1e-6
				z := append([]float64{0}, y...)
				z[1+j] += h
				up, _ := energy(p, z)
				z[1+j] -= 2 * h
				down, _ := energy(p, z)
				if d := (up - down) / (2 * h); math.Abs(d-g[1+j]) > 1e-5*(1+math.Abs(d)) {
					t.Fatalf("slope %d is %v, by differences %v", j, g[1+j], d)
				}
			}
		})
	}
}

// The density integrates to 1 over the product of the balls: of an interval and a disc by the midpoint rule, in
// an angle of which its square is smooth.
// Mutants: a constant of another dimension.
func TestCorrelationsAreNormalised(t *testing.T) {
	for _, eta := range []float64{1, 1.7, 3} {
		p := correlations(t, 3, eta)
		eval, u, g := p.Priors.Evaluator(1, nil), make([]float64, 1), make([]float64, 4)
		const n = 60
		sum := 0.0
		for a := range n {
			for b := range n {
				for c := range 8 { // the density does not depend on it
					v, w, angle := math.Pi*(float64(a)+0.5)/n, math.Pi/2*(float64(b)+0.5)/n, 2*math.Pi*float64(c)/8
					eval.Eval(u, g, []float64{0, math.Cos(v), math.Sin(w) * math.Cos(angle), math.Sin(w) * math.Sin(angle)})
					sum += math.Exp(-u[0]) * math.Sin(v) * math.Sin(w) * math.Cos(w) * (math.Pi / n) * (math.Pi / 2 / n) * 2 * math.Pi / 8
				}
			}
		}
		if sum *= math.Sqrt(2 * math.Pi); math.Abs(sum-1) > 2e-3 { // a is 0
			t.Errorf("η = %g: the mass is %v", eta, sum)
		}
	}
}

// Every correlation of draws has the law Beta(η − 1 + k/2, η − 1 + k/2) on (−1, 1) (Lewandowski, Kurowicka
// and Joe 2009, section 1), and the determinant the product of k − 1 beta laws that its mean of logarithms
// tells: Kolmogorov's law gives p below 1e-8 each, and a mean off by 6 standard errors 2e-9.
// Mutants: squares of another law.
func TestCorrelationDraws(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		k   int
		eta float64
	}{{2, 1}, {2, 0.6}, {3, 1}, {4, 2.5}} {
		p := correlations(t, c.k, c.eta)
		b, _ := p.Base(p.Prior.Lower, p.Prior.Upper)
		if b == nil || b.LogMass != 0 || p.Peaked() != (c.eta < 1) {
			t.Fatalf("k = %d: base %v", c.k, b)
		}
		rng, x := rand.New(rand.NewPCG(3, uint64(c.k))), make([]float64, len(p.Names))
		all := make([][]float64, c.k*(c.k-1)/2)
		var logs []float64
		for range n {
			b.Draw(x, rng)
			_, omega := lower(c.k, x[1:])
			at := 0
			for i := range c.k {
				for j := range i {
					all[at] = append(all[at], omega.At(i, j))
					at++
				}
			}
			logs = append(logs, math.Log(mat.Det(omega)))
		}
		shape := c.eta - 1 + float64(c.k)/2
		for e, v := range all {
			of := distuv.Beta{Alpha: shape, Beta: shape}
			if q := diag.KSPValue(diag.KS(v, func(r float64) float64 { return of.CDF((1 + r) / 2) }), n); q < 1e-8 {
				t.Errorf("k = %d, η = %g, correlation %d: p = %.1g", c.k, c.eta, e, q)
			}
		}
		mean, square := 0.0, 0.0
		for _, v := range logs {
			mean += v / n
			square += v * v / n
		}
		// by canonical vines det Ω = ∏(1 − p²) of partial correlations, k − l of which at level l have
		// p ~ Beta(b, b) on (−1, 1), b = η + (k − 1 − l)/2; E log(1 − p²) = 2·log 2 + 2(ψ(b) − ψ(2b))
		want := 0.0
		for l := 1; l < c.k; l++ {
			v := c.eta + float64(c.k-1-l)/2
			want += float64(c.k-l) * (2*math.Ln2 + 2*(digamma(v)-digamma(2*v)))
		}
		if se := math.Sqrt((square - mean*mean) / n); math.Abs(mean-want) > 6*se {
			t.Errorf("k = %d, η = %g: the mean of log det is %v ± %v, want %v", c.k, c.eta, mean, se, want)
		}
	}
}

// digamma is the slope of the logarithm of the gamma function, by differences.
func digamma(x float64) float64 {
	up, _ := math.Lgamma(x + 1e-5)
	down, _ := math.Lgamma(x - 1e-5)
	return (up - down) / 2e-5
}

// Entries that are no coordinates stand for what they are.
func TestDerivedCorrelations(t *testing.T) {
	m := model([]Parameter{{Name: "L", Shape: "cholesky_corr(3)"}},
		"deaths ~ normal(L[1,1] + 10*L[1, 3] + 100*L[2,2] + 1000*L[3,3] + 1e4*L[3,1], 1)")
	p := build(t, m, trial)
	if got := fmt.Sprint(p.Names, p.Balls); got != "[L[2,1] L[3,1] L[3,2]] [[1 2]]" {
		t.Fatal(got)
	}
	x := []float64{0.6, 0.48, 0.64}
	mean, want := 1+100*0.8+1000*0.6+1e4*0.48, 0.0
	for _, y := range []float64{1, 3, 4, 8, 9} {
		want -= normalLog(y, mean, 1)
	}
	u, _ := energy(p, x)
	v, _ := energy(p, []float64{0, 0, 0})
	w := 0.0
	for _, y := range []float64{1, 3, 4, 8, 9} {
		w -= normalLog(y, 1101, 1)
	}
	if d := u - v + math.Log(0.8); math.Abs(d-want+w) > 1e-9*want { // η = 1 leaves a density of L_22
		t.Errorf("energies differ by %v, want %v", d, want-w)
	}
	for name, says := range map[string]string{"L[2,1]": "", "K[1,2]": "", "L[4,1]": "",
		"L[1,2]": "L[1,2] is fixed: it is 0 in every cholesky_corr(3)",
		"L[1,1]": "L[1,1] is fixed: it is 1", "L[2,2]": "L[2,2] is fixed by its row, which has length 1: write sqrt(1 - (L[2,1]^2))"} {
		if got := p.Fixed(name); got != says && (says == "" || len(got) < len(says) || got[:len(says)] != says) {
			t.Errorf("%s: %q, want %q", name, got, says)
		}
	}
}
