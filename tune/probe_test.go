package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// quadratic is U = xᵀQx/2.
func quadratic(q *mat.SymDense) potential.Potential {
	d := q.SymmetricDim()
	return potential.Func(d, func(grad, x []float64) float64 {
		g := mat.NewVecDense(d, grad)
		g.MulVec(q, mat.NewVecDense(d, x))
		return mat.Dot(g, mat.NewVecDense(d, x)) / 2
	})
}

// Four power iterations find the largest eigenvalue of a quadratic from below: the
// rest of the others, a tenth each time, leaves 1 %. Mutants: one iteration; the
// whitening left out; the step of the difference not divided out.
func TestCurvatureOfAQuadratic(t *testing.T) {
	// Q = R diag(100, 10, 1) Rᵀ with a rotation R
	r := mat.NewDense(3, 3, []float64{2. / 3, -2. / 3, 1. / 3, 1. / 3, 2. / 3, 2. / 3, 2. / 3, 1. / 3, -2. / 3})
	var q mat.Dense
	q.Mul(r, mat.NewDiagDense(3, []float64{100, 10, 1}))
	q.Mul(&q, r.T())
	sym := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			sym.SetSym(i, j, q.At(i, j))
		}
	}
	p := newProbe(quadratic(sym), 1)
	x := make([]float64, 3*64)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = 3 * rng.NormFloat64()
	}
	w := &r2sgld.Whitening{Center: []float64{1, 1, 1}, L: make([][]float64, 3)}
	for i := range w.L { // L = R diag(1/5, 1/√10, 1): Lᵀ Q L = diag(4, 1, 1)
		w.L[i] = []float64{r.At(i, 0) / 5, r.At(i, 1) / math.Sqrt(10), r.At(i, 2)}
	}
	for _, c := range []struct {
		w    *r2sgld.Whitening
		want float64
	}{{nil, 100}, {w, 4}} {
		seen := p.around(x, 3, c.w)
		if len(seen) != 64 {
			t.Fatalf("%d points", len(seen))
		}
		close := 0
		for _, s := range seen {
			if s.curvature > c.want*(1+1e-6) {
				t.Errorf("curvature %g above the largest, %g", s.curvature, c.want)
			}
			if s.curvature > 0.99*c.want {
				close++
			}
		}
		if close < 57 { // directions that begin within 1:100 of the small ones take longer
			t.Errorf("whitening %v: %d of 64 within 1 %% of %g", c.w != nil, close, c.want)
		}
		unit := make([]float64, len(seen))
		for i := range unit {
			unit[i] = 1
		}
		if k := quantile(seen, unit); math.Abs(k/c.want-1) > 0.01 {
			t.Errorf("quantile %g, want %g", k, c.want)
		}
	}
}

// wellAtAMillion is U = (x − 10⁶)⁴.
func wellAtAMillion() potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		d := x[0] - 1e6
		grad[0] = 4 * d * d * d
		return d * d * d * d
	})
}

// Where the origin is tells no width: the curvature of (x − 10⁶)⁴ at half a unit from its
// minimum is 12/4, to the square of the difference, 4·10⁻⁴, and what rounding leaves, 10⁻⁷.
//
// Mutant: differences as long as the way to the origin.
func TestCurvatureFarFromTheOrigin(t *testing.T) {
	if seen := newProbe(wellAtAMillion(), 1).around([]float64{1e6 + 0.5}, 1, nil); len(seen) != 1 || math.Abs(seen[0].curvature-3) > 1e-3 {
		t.Errorf("curvature %+v, want 3", seen)
	}
}

// Points where the potential or its slope is not finite are left out; a curvature
// that is not finite counts as infinite. Mutant: NaN taken for a number.
func TestPointsThatAreNotFinite(t *testing.T) {
	p := newProbe(potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = -1 / x[0]
		return -math.Log(x[0])
	}), 1)
	seen := p.around([]float64{-1, 0, 1, 2}, 1, nil)
	if len(seen) != 2 || math.Abs(seen[0].curvature-1) > 1e-6 || math.Abs(seen[1].curvature-0.25) > 1e-6 {
		t.Errorf("saw %+v", seen)
	}
	// differences within the distance overrate 1/x², and are finite
	if seen = p.around([]float64{1e-9}, 1, nil); len(seen) != 1 || !(seen[0].curvature > 1e18 && seen[0].curvature < 1e20) {
		t.Errorf("next to a pole: %+v", seen)
	}
}

// On a wall the mean square of slopes sets the scale: exp(−1000x) on [0, 1] lives in
// a layer of 1/1000, and curvature is 0 there. Away from walls it is below the mean
// curvature: for a Gaussian 1/σ² times the mean of z² where |z| < 1.96. Next to a
// pole, where that of −log x and a density x has no mean, it is steady. Mutants: β
// squared or left out; the mean of the partial derivatives in place of the largest;
// no demand on the mass; nothing left out.
func TestSteepness(t *testing.T) {
	wall := newProbe(potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 1000, 0
		return 1000 * x[0]
	}), 1)
	var x []float64
	for i := range 20_000 {
		x = append(x, (float64(i)+0.5)/20_000, 0.5)
	}
	seen := wall.around(x, 2, nil)
	for _, beta := range []float64{1, 0.3} {
		if s := stiffness(seen, beta, 0, true); math.Abs(s/(1e6*beta)-1) > 1e-9 {
			t.Errorf("β = %g: stiffness %g, want %g", beta, s, 1e6*beta)
		}
	}
	few := wall.around([]float64{0.1, 0, 0.1, 0.5, 0.1, 0.9, 0.9, 0}, 2, nil)
	if s := steepness(few, weights(few, 1), 1); s != 0 {
		t.Errorf("from three points in the mass: %g", s)
	}
	// σ = 0.5 and 2, weighted uniform points
	bowl := newProbe(quadratic(mat.NewSymDense(2, []float64{4, 0, 0, 0.25})), 1)
	x = x[:0]
	for i := range 300 {
		for j := range 300 {
			x = append(x, -8+16*(float64(i)+0.5)/300, -16+32*(float64(j)+0.5)/300)
		}
	}
	probe := *bowl
	probe.exact = nil // slopes only
	seen = probe.around(x, 2, nil)
	for _, beta := range []float64{1, 2.5} {
		const want = 4 * 0.758833 // 1 − 2·1.96 φ(1.96)/0.95
		if s := steepness(seen, weights(seen, beta), beta); math.Abs(s/want-1) > 1e-2 {
			t.Errorf("Gaussian at β = %g: %g, want %g", beta, s, want)
		}
	}
	x = x[:0]
	for i := range 1000 {
		x = append(x, math.Sqrt((float64(i)+0.5)/1000)) // of density 2x
	}
	pole := newProbe(potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = -1 / x[0]
		return -math.Log(x[0])
	}), 1)
	unit := make([]float64, 1000)
	for i := range unit {
		unit[i] = 1
	}
	a := steepness(pole.around(x, 1, nil), unit, 1)
	x[0] = 1e-9
	if b := steepness(pole.around(x, 1, nil), unit, 1); a != b || math.Abs(a/(math.Log(20)/0.95)-1) > 0.01 { // ∫ 2/x over x² > 1/20
		t.Errorf("next to a pole: %g and %g, want %g", a, b, math.Log(20)/0.95)
	}
}

// The noise of a gradient is its variance over minibatches or that of the noise put
// on. The mean over n points of sample variances of 8 normal terms is within
// √(2/(7n)) relative of the variance. Mutants: divided by 8; the mean not taken
// off (by rounding: around the wrong centre); √ of it.
func TestNoiseOfGradients(t *testing.T) {
	const n = 2000
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i%20) / 10
	}
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
	}
	flat := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})
	seen := newProbe(potential.Noisy(flat, 0.3, 0), 7).around(x, 1, nil)
	if v, tol := noise(seen, unit), 4.9*0.09*math.Sqrt(2.0/7/n); math.Abs(v-0.09) > tol {
		t.Errorf("noise %g, want 0.09 ± %g", v, tol)
	}
	if math.Abs(seen[0].curvature-1) > 1e-6 {
		t.Errorf("curvature %g, without noise it is 1", seen[0].curvature)
	}
	// y = θ z + noise: the gradient's terms at θ are −z(y − θz); a batch of m of N
	// without replacement has variance N²/m · S² · (1 − m/N).
	const rows, m = 50, 10
	rng := rand.New(rand.NewPCG(5, 6))
	c := potential.Column{Index: []int{0}, Weight: 4}
	for range rows {
		z := rng.NormFloat64()
		c.Design = append(c.Design, z)
		c.Response = append(c.Response, 0.5*z+0.5*rng.NormFloat64())
	}
	r, err := potential.NewRegression(1, []potential.Column{c}, m)
	if err != nil {
		t.Fatal(err)
	}
	theta := 0.8
	mean, squares := 0.0, 0.0
	for i, z := range c.Design {
		g := -4 * z * (c.Response[i] - theta*z)
		mean += g / rows
		squares += g * g / rows
	}
	want := rows * rows / float64(m) * (squares - mean*mean) * rows / (rows - 1) * (1 - m/float64(rows))
	for i := range x {
		x[i] = theta
	}
	seen = newProbe(r, 7).around(x, 1, nil)
	if v := noise(seen, unit); math.Abs(v/want-1) > 4.9*math.Sqrt(2.0/7/n)*1.2 { // the terms' tails add less than 1.2
		t.Errorf("minibatches: noise %g, want %g", v, want)
	}
	if s, without := stiffness(seen, 0.5, 0.5, true), stiffness(seen, 0.5, 0.5, true)-noise(seen, unit)*0.5; !(without > 0) || s < want*0.45 {
		t.Errorf("stiffness %g, noise's share %g", s, want*0.5)
	}
}

// Given steps widen the variance of a normal law by 1/(1 − ηκ/2), and with momentum μ by
// 1/(1 − ηκ/(2(1 + μ))), on average where they vary, of which [StepBias] knows without looking at variances. The run
// itself has that variance, within 5 standard errors (chance: 6e-7).
func TestStepBiasOfGivenSteps(t *testing.T) {
	p := r2sgld.Problem{Potential: quadratic(mat.NewSymDense(2, []float64{1, 0, 0, 0.1}))}
	for _, c := range []struct {
		eta      float64
		momentum kernel.Kernel
		decay    kernel.Decay
		want     float64
	}{{1.9, nil, kernel.Decay{}, 20}, {0.5, nil, kernel.Decay{}, 4. / 3}, {1.5, kernel.Momentum{Mu: 0.5}, kernel.Decay{}, 2},
		{0.5, nil, kernel.Decay{Kind: kernel.Cosine, Cycles: 20}, 1 / math.Sqrt(0.75)}} { // the mean of 1/(1 − (1 + cos θ)/8)
		s := r2sgld.Settings{Seed: 1, Ladders: 4, Iterations: 20_000, BurnIn: 1000, StepSize: []float64{c.eta}, Kernel: c.momentum,
			Decay: c.decay, Start: []float64{0, 0}}
		res, err := r2sgld.Sample(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		bias, rung := StepBias(p, s, res)
		if math.Abs(1+bias-c.want) > 1e-3*c.want*c.want || rung != 0 { // as curvatures are differences
			t.Errorf("η %g: variances are said to be %g times too large, rung %d; want %g", c.eta, 1+bias, rung, c.want)
		}
		x := res.Chains(0)
		if sd, se := diag.SD(slices.Concat(x...)), diag.MCSESd(x); math.Abs(sd-math.Sqrt(c.want)) > 5*se {
			t.Errorf("η %g: sd %g ± %g, want %g", c.eta, sd, se, math.Sqrt(c.want))
		}
	}
	bias, _ := StepBias(p, r2sgld.Settings{StepSize: []float64{2.1}}, resultAt(t, p))
	if !math.IsInf(bias, 1) {
		t.Errorf("a step beyond stability: %g", bias)
	}
}

// resultAt is a short run of p.
func resultAt(t *testing.T, p r2sgld.Problem) *r2sgld.Result {
	t.Helper()
	res, err := r2sgld.Sample(t.Context(), p, r2sgld.Settings{Iterations: 500, Start: make([]float64, p.Potential.Dim())})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Starts leave out points where the potential is not finite, and are those of old
// where it is finite everywhere.
func TestStartsAreFinite(t *testing.T) {
	u := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = -1 / x[0]
		return -math.Log(x[0])
	})
	tuner := &tuner{s: r2sgld.Settings{Ladders: 2}, d: 1, bounded: true, probe: newProbe(u, 1)}
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{3, 1, 2, 4, 5}, []float64{3, 1, 2, 4, 5, 3}},
		{[]float64{-1, 1, -2, 2, 3}, []float64{1, 2, 3, 1, 2, 3}},
		{[]float64{-1, -2}, []float64{-2, -2, -2, -2, -2, -2}},
		{[]float64{-1}, []float64{-1, -1, -1, -1, -1, -1}},
	} {
		got := slices.Concat(slices.Concat(tuner.starts(c.x, 3)...)...)
		if !slices.Equal(got, c.want) {
			t.Errorf("starts among %v: %v, want %v", c.x, got, c.want)
		}
	}
	p := r2sgld.Problem{Potential: u}
	if x := Start(p, []float64{7}, nil); x[0] != 7 {
		t.Errorf("a finite start moved to %v", x)
	}
	if x := Start(p, []float64{-1}, nil); !(x[0] > 0) {
		t.Errorf("start %v", x)
	}
	if x := Start(p, []float64{-1e9}, nil); x[0] != -1e9 {
		t.Errorf("no finite start, yet %v", x)
	}
}

// A corner beyond whose walls the potential is infinite is no start: most of what lies about it is
// outside, and nothing tells a curvature there.
func TestStartsAreOffWalls(t *testing.T) {
	const d = 8
	sum := func(beyond float64) r2sgld.Problem {
		return r2sgld.Problem{Potential: potential.Func(d, func(grad, x []float64) float64 {
			u := 0.0
			for j, v := range x {
				if u, grad[j] = u+v, 1; v < 0 {
					u = beyond
				}
			}
			return u
		})}
	}
	corner, inside := make([]float64, d), slices.Repeat([]float64{2}, d)
	for _, c := range []struct {
		beyond       float64
		inside, want []float64
	}{
		{math.Inf(1), inside, inside},
		{math.Inf(1), nil, corner},
		{math.Inf(1), corner, corner},
		{5, inside, corner},
	} {
		if x := Start(sum(c.beyond), corner, c.inside); !slices.Equal(x, c.want) {
			t.Errorf("beyond the walls %g, inside %v: the start is %v, want %v", c.beyond, c.inside, x, c.want)
		}
	}
}

// alone hides that its states do not depend on each other.
type alone struct{ potential.Potential }

// Points that are looked at side by side are those that are looked at one by one, also where some of
// them are at walls or poles, begin at a law, or have noise.
func TestPlacesSideBySide(t *testing.T) {
	logs := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = -1/x[0]+x[1], 3*x[1]+x[0]
		return -math.Log(x[0]) + 1.5*x[1]*x[1] + x[0]*x[1]
	})
	bowl := quadratic(mat.NewSymDense(2, []float64{4, 1, 1, 2}))
	rng, x := rand.New(rand.NewPCG(1, 1)), []float64(nil)
	for i := range 80 {
		x = append(x, math.Exp(-float64(i%40))-float64(i/60)*1e-3, rng.NormFloat64())
	}
	w := &r2sgld.Whitening{Center: []float64{1, 0}, L: [][]float64{{0.5, 0}, {0.2, 2}}}
	for name, of := range map[string]func(p potential.Potential) *probe{
		"plain": func(p potential.Potential) *probe { return newProbe(p, 3) },
		"guide": func(p potential.Potential) *probe {
			q := newProbe(p, 3)
			if q.guide = bowl; !potential.Lanewise(p) {
				q.guide = alone{bowl}
			}
			return q
		},
		"noise":  func(p potential.Potential) *probe { return newProbe(potential.Noisy(p, 0.3, 0), 3) },
		"slopes": func(p potential.Potential) *probe { return newProbe(p, 3).slopes() },
	} {
		together, one := of(logs), of(alone{logs})
		if a, b := together.places(80), one.places(80); a != 27 || b != 1 {
			t.Fatalf("%s: at %d and %d places", name, a, b)
		}
		for _, w := range []*r2sgld.Whitening{nil, w} {
			got, want := fmt.Sprintf("%x", together.around(x, 2, w)), fmt.Sprintf("%x", one.around(x, 2, w))
			if got != want || together.holes != one.holes || len(want) < 1000 {
				t.Errorf("%s: side by side\n%.600s\none by one\n%.600s", name, got, want)
			}
		}
	}
}

// Where U is infinite it may take long to find that out: such places are looked at once.
func TestInfinitePlacesAreLookedAtOnce(t *testing.T) {
	var infinite int
	u := potential.Func(1, func(grad, x []float64) float64 {
		if x[0] > 0 {
			infinite++
			return math.Inf(1)
		}
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})
	for _, of := range [][2]int{{1, 2}, {1, 3}, {2, 3}, {1, 8}, {7, 8}} { // so many are infinite
		x := make([]float64, 256)
		for i := range x {
			if x[i] = 1 + float64(i); i%of[1] >= of[0] {
				x[i] = -x[i]
			}
		}
		infinite = 0
		want := 256 - len(newProbe(u, 3).around(x, 1, nil))
		if infinite != want {
			t.Errorf("%d evaluations at %d places", infinite, want)
		}
	}
}
