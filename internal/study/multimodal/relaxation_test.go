package multimodal

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// farT is the two-sided threshold of false alarm 1e-6 for a t statistic.
func farT(df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - 5e-7)
}

// walks are n runs of frames values that step makes of one another.
func walks(seed uint64, n, frames int, start func(*rand.Rand) float64, step func(*rand.Rand, float64) float64,
	fill func(dst []float64, x float64), k int) *features {
	f := &features{k: k}
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		v, x := make([]float64, frames*k), start(rng)
		for t := range frames {
			x = step(rng, x)
			fill(v[t*k:t*k+k], x)
		}
		f.runs = append(f.runs, [][]float64{v})
	}
	return f
}

// checkTime fails unless r agrees with the exact relaxation time.
func checkTime(t *testing.T, r Relaxation, exact, within float64) {
	t.Helper()
	z := math.Log(r.Time/exact) / r.LogError
	t.Logf("%.4g [%.4g, %.4g], exactly %.4g: z = %.2f; at twice the lag %.4g", r.Time, r.Low, r.High, exact, z, r.AtTwice)
	if math.Abs(z) > farT(float64(r.Runs-1)) {
		t.Errorf("relaxation time %g ± %.2g, exactly %g", r.Time, r.Time*r.LogError, exact)
	}
	if r.LogError > within {
		t.Errorf("relative error %.2g, wanted %g at most", r.LogError, within)
	}
	if math.Abs(math.Log(r.AtTwice/r.Time)) > 0.25 {
		t.Errorf("at twice the lag %g, %g before", r.AtTwice, r.Time)
	}
}

// An Ornstein-Uhlenbeck process of rate λ, seen every dt, is an AR(1) process of
// autocorrelation exp(-λ dt). Kills: a time that forgets the lag, the logarithm or
// the factor of a frame (each off by 2 or more, at an error below 3 %).
func TestRelaxationOrnsteinUhlenbeck(t *testing.T) {
	const lambda, dt = 0.7, 0.05
	rho := math.Exp(-lambda * dt)
	spread := math.Sqrt(1 - rho*rho)
	f := walks(1, 20, 20_000, (*rand.Rand).NormFloat64,
		func(g *rand.Rand, x float64) float64 { return rho*x + spread*g.NormFloat64() },
		func(d []float64, x float64) { d[0] = x }, 1)
	r, err := f.relaxation(dt)
	if err != nil {
		t.Fatal(err)
	}
	checkTime(t, r, 1/lambda, 0.03)
}

// The slowest of two independent processes is found though it carries a hundredth
// of the variance of either feature. Kills: the slowest single feature in place of
// the slowest combination (0.2 in place of 2), a wrong whitening.
func TestRelaxationHidden(t *testing.T) {
	const dt = 0.05
	slow, fast := math.Exp(-dt/2), math.Exp(-dt/0.2)
	f := &features{k: 2}
	for i := range 20 {
		g := rand.New(rand.NewPCG(2, uint64(i)))
		x, y := g.NormFloat64(), g.NormFloat64()
		var v []float64
		for range 20_000 {
			x = slow*x + math.Sqrt(1-slow*slow)*g.NormFloat64()
			y = fast*y + math.Sqrt(1-fast*fast)*g.NormFloat64()
			v = append(v, y+x/10, y-x/10)
		}
		f.runs = append(f.runs, [][]float64{v})
	}
	r, err := f.relaxation(dt)
	if err != nil {
		t.Fatal(err)
	}
	checkTime(t, r, 2, 0.04)
}

// Brownian motion of diffusion τ = 1 between walls at 0 and L forgets at the rate
// π²/L², whatever the steps are that are seen: folding a Gaussian step is its
// exact heat kernel. The place alone is no eigenfunction, but is found out by a lag
// that is long enough. Kills: a lag of one frame (0.82 of the time, at an error of
// 2 %), diffusion ½, a wall that is left out.
func TestRelaxationInterval(t *testing.T) {
	const length, dt = 1.7, 0.004
	fold := func(x float64) float64 {
		x = math.Mod(math.Abs(x), 2*length)
		return min(x, 2*length-x)
	}
	for k, fill := range map[int]func(d []float64, x float64){
		1: func(d []float64, x float64) { d[0] = x - length/2 },
		2: func(d []float64, x float64) { d[0], d[1] = x-length/2, math.Pow(x-length/2, 3) },
	} {
		f := walks(3, 20, 30_000, func(g *rand.Rand) float64 { return length * g.Float64() },
			func(g *rand.Rand, x float64) float64 { return fold(x + math.Sqrt(2*dt)*g.NormFloat64()) }, fill, k)
		r, err := f.relaxation(dt)
		if err != nil {
			t.Fatal(err)
		}
		checkTime(t, r, length*length/(math.Pi*math.Pi), 0.04)
	}
}

func TestRelaxationRefuses(t *testing.T) {
	white := func(g *rand.Rand, _ float64) float64 { return g.NormFloat64() }
	one := func(d []float64, x float64) { d[0] = x }
	if _, err := walks(4, 1, 100, (*rand.Rand).NormFloat64, white, one, 1).relaxation(1); err == nil {
		t.Error("one run was taken")
	}
	stiff := func(_ *rand.Rand, x float64) float64 { return x + 1e-4 }
	if _, err := walks(4, 5, 100, (*rand.Rand).NormFloat64, stiff, one, 1).relaxation(1); err == nil {
		t.Error("runs that do not move were taken")
	}
	alternating := func(_ *rand.Rand, x float64) float64 { return -x }
	if _, err := walks(4, 5, 100, (*rand.Rand).NormFloat64, alternating, one, 1).relaxation(1); err != errFast {
		t.Errorf("alternating: %v", err)
	}
}

// An exact power is found, and errors are those of weighted least squares: of two
// points far better known than the third, the power is theirs. Kills: weights 1/se,
// plain logarithms to base 10, an error that ignores the spread of r.
func TestFitPower(t *testing.T) {
	r := []float64{1, 2, 4}
	p := fitPower(r, []float64{3, 12, 48}, []float64{0.1, 0.1, 0.1}, 9)
	if math.Abs(p.Power-2) > 1e-12 || math.Abs(p.Factor-3) > 1e-12 || p.Misfit > 1e-20 {
		t.Errorf("%+v, not 3 r²", p)
	}
	if want := 0.1 / (math.Ln2 * math.Sqrt2); math.Abs(p.Error-want) > 1e-12 {
		t.Errorf("error %g, not %g", p.Error, want)
	}
	if math.Abs(p.DF-18) > 1e-9 { // two points matter, equally
		t.Errorf("%g degrees of freedom, not 18", p.DF)
	}
	p = fitPower(r, []float64{3, 12, 1000}, []float64{1e-3, 1e-3, 10}, 9)
	if math.Abs(p.Power-2) > 1e-3 {
		t.Errorf("power %g of two good points", p.Power)
	}
	p = fitPower(r, []float64{3, 13, 48}, []float64{1e-3, 1e-3, 1e-3}, 9)
	if p.Error < 0.03 {
		t.Errorf("error %g of a law that does not fit", p.Error)
	}
}

// Rectangles are known exactly; the octagon lies between the bounds of Payne and
// Weinberger and of Szegő and Weinberger, and close to the latter, that of the disc
// of equal area. Kills: a weight of Duffy's map left out, a slope not divided by
// the size, the constant taken for an eigenfunction.
func TestNeumannGap(t *testing.T) {
	box := [][2]float64{{-1, -0.5}, {2, -0.5}, {2, 0.75}, {-1, 0.75}}
	if got, want := neumannGap(box, 12), math.Pi*math.Pi/9; math.Abs(got/want-1) > 1e-8 {
		t.Errorf("rectangle: %.10g, not %.10g", got, want)
	}
	const radius = 1.5
	v := octagonCorners(radius)
	gap, coarse := neumannGap(v, 16), neumannGap(v, 12)
	j := 1.8411837813406593 // first zero of J₁'
	area := 2 * math.Sqrt2 * radius * radius
	low, high := math.Pi*math.Pi/(4*radius*radius), j*j*math.Pi/area
	t.Logf("octagon of circumradius 1: λ₁ = %.8f, from polynomials of degree 12 %.8f; bounds %.6f and %.6f",
		gap*radius*radius, coarse*radius*radius, low*radius*radius, high*radius*radius)
	if !(gap > low && gap < high && gap > 0.98*high) {
		t.Errorf("octagon: %g, not within [%g, %g]", gap, low, high)
	}
	if !(coarse >= gap && coarse/gap-1 < 2e-4) {
		t.Errorf("octagon: %g with degree 12, %g with 16: not converged", coarse, gap)
	}
}
