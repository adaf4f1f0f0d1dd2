package theory_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// A double well on an interval with two rungs.
func twoWells(t testing.TB) theory.Problem {
	return theory.Problem{Potential: wells(2), Domain: interval(t, -1.8, 2)}
}

func modes25() potential.Potential {
	return potential.Func(2, func(grad, x []float64) float64 {
		u := 0.0
		for j, v := range x {
			u += 2 * (v*v/10 - math.Cos(2*math.Pi*v))
			grad[j] = 2 * (v/5 + 2*math.Pi*math.Sin(2*math.Pi*v))
		}
		return u
	})
}

// Detailed balance to 1e-12. Mutant: swaps of weight r·π(a).
func TestTwoRungsAreReversible(t *testing.T) {
	square := box(t, []float64{-1, -1}, []float64{1, 1.2})
	for _, p := range []*theory.Process{
		process(t, twoWells(t), []float64{0.3, 2}, 5, 60),
		process(t, theory.Problem{Potential: modes25(), Domain: square}, []float64{1, 10}, 3, 10),
	} {
		if d := p.Chain.Defect(); d > 1e-12 {
			t.Errorf("%d states: defect %g", p.Chain.Len(), d)
		}
		a, b := p.Chain.Mass(), p.Alone.Mass()
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("swaps change the law: state %d has %g, without %g", i, a[i], b[i])
			}
		}
	}
}

// The law of two rungs is exp(−U(x₁)/τ₁ − U(x₂)/τ₂). Mutant: rungs the wrong way round.
func TestLawOfTwoRungs(t *testing.T) {
	p := process(t, twoWells(t), []float64{0.3, 2}, 1, 40)
	u := func(x float64) float64 { return 2 * (x*x - 1) * (x*x - 1) }
	pi, n := p.Chain.Mass(), p.Rungs[1].Chain.Len()
	for _, s := range [][2]int{{3, 30}, {30, 3}, {20, 12}} {
		x, y := p.Mesh.Centroid[s[0]], p.Mesh.Centroid[s[1]]
		want := -(u(x)-u(p.Mesh.Centroid[10]))/0.3 - (u(y)-u(p.Mesh.Centroid[10]))/2
		if got := math.Log(pi[s[0]*n+s[1]] / pi[10*n+10]); math.Abs(got-want) > 1e-9 {
			t.Errorf("log mass of %v is %g, want %g", s, got, want)
		}
	}
}

// Without swaps the gap is the smaller of the two; it never falls with r, is concave
// and stays below its limit. Mutant: no factor r; pairs of states counted twice.
func TestGapRisesWithIntensity(t *testing.T) {
	pace.Slow(t)
	p := twoWells(t)
	tau := []float64{0.3, 2}
	cold, hot := gap(t, p, tau[:1], 0, 60), gap(t, p, tau[1:], 0, 60)
	r := []float64{0, 0.01, 0.1, 1, 10, 100, 1000}
	both := process(t, p, tau, 0, 60)
	s, err := both.Saturate(t.Context(), r, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Gap[0]/min(cold, hot) - 1; math.Abs(e) > 1e-8 {
		t.Errorf("gap %g at r = 0, of the rungs %g and %g", s.Gap[0], cold, hot)
	}
	for i := 1; i < len(r); i++ {
		if s.Gap[i] < s.Gap[i-1]*(1-1e-9) {
			t.Errorf("gap falls from %g to %g at r = %g", s.Gap[i-1], s.Gap[i], r[i])
		}
		if i > 1 && (s.Gap[i]-s.Gap[i-1])/(r[i]-r[i-1]) > (s.Gap[i-1]-s.Gap[i-2])/(r[i-1]-r[i-2])*(1+1e-6) {
			t.Errorf("the gap is not concave at r = %g: %v", r[i], s.Gap)
		}
	}
	if last := s.Gap[len(r)-1]; last > s.Limit || last < 0.95*s.Limit {
		t.Errorf("gap %g at r = 1000, limit %g", last, s.Limit)
	}
	at, before := gapAt(t, both, s.Enough), gapAt(t, both, 0.98*s.Enough)
	if at < 0.9*s.Limit || before > 0.9*s.Limit {
		t.Errorf("r = %g gives %g, a little less %g; 90 %% of the limit is %g", s.Enough, at, before, 0.9*s.Limit)
	}
	t.Logf("rungs %.4g %.4g, gaps %.4g, limit %.4g, enough %.3g", cold, hot, s.Gap, s.Limit, s.Enough)
}

func gapAt(t *testing.T, p *theory.Process, r float64) float64 {
	t.Helper()
	q, err := p.With(r)
	if err != nil {
		t.Fatal(err)
	}
	g, err := q.Gap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Swaps go from (x₁, x₂) to (x₂, x₁) at rate r·min(1, S). Mutants: max for min; 1/S.
func TestSwapRate(t *testing.T) {
	const r = 7.0
	tau := []float64{0.3, 2}
	p := process(t, twoWells(t), tau, r, 20)
	n := p.Rungs[1].Chain.Len()
	f, lf := make([]float64, n*n), make([]float64, n*n)
	for _, s := range [][2]int{{3, 11}, {11, 3}, {5, 16}, {16, 5}} {
		a, b := s[0]*n+s[1], s[1]*n+s[0]
		f[b] = 1
		p.Chain.Apply(lf, f)
		f[b] = 0
		want := r * min(1, math.Exp((1/tau[0]-1/tau[1])*(p.Rungs[0].Energy[s[0]]-p.Rungs[0].Energy[s[1]])))
		if e := lf[a]/want - 1; math.Abs(e) > 1e-9 {
			t.Errorf("states %v swap at rate %g, want %g", s, lf[a], want)
		}
	}
}

// The acceleration is what swaps add to the Dirichlet form. Mutant: twice or half.
func TestAccelerationIsOfTheForm(t *testing.T) {
	p := process(t, twoWells(t), []float64{0.3, 2}, 7, 20)
	slow, err := p.Alone.Spectrum(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := measure(t, twoWells(t), theory.Settings{Temperature: p.Temperature, Intensity: 7, Grid: 20})
	want := p.Chain.Form(slow.Functions[0])/p.Alone.Form(slow.Functions[0]) - 1
	if math.Abs(r.Acceleration/want-1) > 1e-6 {
		t.Errorf("acceleration %g, by the forms %g", r.Acceleration, want)
	}
}

// For U = 0 the modes are known: (f(x₁) − f(x₂)) feels the swaps, f(x₁) + f(x₂) does
// not, and λ₁ is the smaller eigenvalue of the matrix (τ₁k + r/… ) of these two.
// Mutant: weight r/2 or 2r; one factor ½ more or less in the swaps' form.
func TestSwapsOfUniformLaw(t *testing.T) {
	const a, b = 0.5, 3.0
	rapid.Check(t, func(rt *rapid.T) {
		r := math.Exp(rapid.Float64Range(-4, 5).Draw(rt, "log r"))
		n := rapid.IntRange(5, 40).Draw(rt, "grid")
		p := process(t, theory.Problem{Domain: interval(t, 0, 1)}, []float64{a, b}, r, n)
		got, err := p.Gap(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		side := 1 / float64(n)
		k := 2 / (side * side) * (1 - math.Cos(math.Pi*side)) // of the grid with τ = 1
		// −L on span{f(x₁), f(x₂)}: swaps exchange the two at rate r.
		m, d := 0.5*(a+b)*k+r, 0.5*(b-a)*k
		want := m - math.Sqrt(d*d+r*r)
		if math.Abs(got/want-1) > 1e-8 {
			rt.Errorf("gap %.12g at r = %g, want %.12g", got, r, want)
		}
	})
}

// The gap of two rungs agrees with that of another method, which expands in the modes
// of each rung: grids extrapolated to 1e-4. Mutant: any factor in rungs or swaps.
func TestGapAgreesWithModes(t *testing.T) {
	const r, lo, hi = 2.0, -1.8, 2.0
	tau := []float64{0.5, 2}
	rungs := make([]*scheme.Diffusion, 2)
	for k, v := range tau {
		var err error
		if rungs[k], err = scheme.NewDiffusion(wells(2), lo, hi, v); err != nil {
			t.Fatal(err)
		}
	}
	want, err := scheme.Gap(rungs[0], rungs[1], r, 16)
	if err != nil {
		t.Fatal(err)
	}
	coarse, fine := gap(t, twoWells(t), tau, r, 45), gap(t, twoWells(t), tau, r, 90)
	if got := fine + (fine-coarse)/3; math.Abs(got/want-1) > 1e-4 {
		t.Errorf("gap %.8g on grids, %.8g by modes", got, want)
	}
}
