package slope

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// unevenTimes are n times from 0 with gaps between 0.2 and 2.
func unevenTimes(rng *rand.Rand, n int) []float64 {
	times := make([]float64, n)
	for t := 1; t < n; t++ {
		times[t] = times[t-1] + 0.2 + 1.8*rng.Float64()
	}
	return times
}

// denseSpline is the smoothing spline's values and slopes at the interior knots,
// and the trace of its smoother, from dense matrices (Green and Silverman 1994,
// section 2.2): S = (I + λQR⁻¹Qᵀ)⁻¹.
func denseSpline(times []float64, lambda float64) (slopes *mat.Dense, trace float64) {
	n := len(times)
	q, r := mat.NewDense(n, n-2, nil), mat.NewDense(n-2, n-2, nil)
	for j := range n - 2 {
		h, k := times[j+1]-times[j], times[j+2]-times[j+1]
		q.Set(j, j, 1/h)
		q.Set(j+1, j, -1/h-1/k)
		q.Set(j+2, j, 1/k)
		r.Set(j, j, (h+k)/3)
		if j+1 < n-2 {
			r.Set(j, j+1, k/6)
			r.Set(j+1, j, k/6)
		}
	}
	var curve, a, s, gamma mat.Dense
	if err := curve.Solve(r, q.T()); err != nil {
		panic(err)
	}
	a.Mul(q, &curve)
	a.Scale(lambda, &a)
	for t := range n {
		a.Set(t, t, a.At(t, t)+1)
	}
	if err := s.Inverse(&a); err != nil {
		panic(err)
	}
	gamma.Mul(&curve, &s)
	slopes = mat.NewDense(n-2, n, nil)
	for t := 1; t < n-1; t++ {
		h := times[t+1] - times[t]
		for k := range n {
			v := (s.At(t+1, k)-s.At(t, k))/h - h*gamma.At(t-1, k)/3
			if t < n-2 {
				v -= h * gamma.At(t, k) / 6
			}
			slopes.Set(t-1, k, v)
		}
	}
	return slopes, mat.Trace(&s)
}

// The banded spline, its stencils, their standard deviations and covariance
// against dense matrices on uneven times. 2e-7 of the largest weight, of which 1e-7 are left out, kills a
// stencil that ends too early, a row of Q taken for its neighbour, a penalty in
// other units, and a covariance that lacks a diagonal.
func TestSplineAgainstDenseMatrices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n := rapid.IntRange(5, 60).Draw(rt, "n")
		lambda := math.Pow(10, rapid.Float64Range(-3, 3).Draw(rt, "log λ"))
		times := unevenTimes(rng, n)
		y := make([]float64, n)
		for k := range y {
			y[k] = rng.NormFloat64()
		}
		w, trace := denseSpline(times, lambda)
		e, err := Spline(times, y, lambda)
		if err != nil || e.First != 1 || len(e.Value) != n-2 {
			rt.Fatalf("%+v, %v", e, err)
		}
		largest := mat.Max(w) - mat.Min(w)
		c := Covariance(e.Made)
		var dense mat.Dense
		dense.Mul(w, w.T())
		for i, s := range e.Made {
			want, row := 0.0, make([]float64, n)
			for k := range n {
				want += w.At(i, k) * y[k]
			}
			copy(row[s.From:], s.Weight)
			for k, v := range row {
				if math.Abs(v-w.At(i, k)) > 2e-7*largest {
					rt.Fatalf("slope %d: weight %d is %v, want %v", i, k, v, w.At(i, k))
				}
			}
			if math.Abs(e.Value[i]-want) > 1e-8*largest*float64(n) {
				rt.Fatalf("slope %d is %v, want %v", i, e.Value[i], want)
			}
			for j := i; j < n-2; j++ {
				got := 0.0
				if j-i <= c.K {
					got = c.Data[i*c.Stride+j-i]
				}
				if math.Abs(got-dense.At(i, j)) > 1e-6*largest*largest {
					rt.Fatalf("covariance %d %d: %v, want %v", i, j, got, dense.At(i, j))
				}
			}
		}
		// The score, by its definition from the dense smoother.
		unit := (times[n-1] - times[0]) / float64(n-1)
		s := newSpline(times, unit)
		p := s.penalise(lambda / unit / unit / unit)
		rss := 0.0
		for _, r := range p.rough(p.curvatures(y)) {
			rss += r * r
		}
		free := float64(n) - trace
		if got, want := s.score(p.lambda, y), float64(n)*rss/free/free; math.Abs(got/want-1) > 1e-6 {
			rt.Fatalf("score %v, want %v", got, want)
		}
	})
}

// Straight lines are splines of any smoothing; and a sine with noise of 0.1 at 200
// uneven times has slopes within a fifth of the noise of central differences.
// Kills a cross-validation that keeps all noise or smooths all away: the slopes'
// root mean square is 0.7.
func TestSplineChoosesItsSmoothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	times := unevenTimes(rng, 200)
	line, sine := make([]float64, 200), make([]float64, 200)
	for k, at := range times {
		times[k] = at / 8
		line[k], sine[k] = 3-2*times[k], math.Sin(times[k])+0.1*rng.NormFloat64()
	}
	for _, smoothing := range []float64{0, 1e-3, 1e3} {
		for _, v := range must(Spline(times, line, smoothing)).Value {
			if math.Abs(v+2) > 1e-7 {
				t.Fatalf("slope %v of a line", v)
			}
		}
	}
	rough := func(e *Estimate) (rms float64) {
		for k, v := range e.Value {
			rms += (v - math.Cos(times[k+1])) * (v - math.Cos(times[k+1])) / float64(len(e.Value))
		}
		return math.Sqrt(rms)
	}
	got, differences := rough(must(Spline(times, sine, 0))), rough(Central(times, sine))
	if got > differences/5 || got > 0.15 {
		t.Errorf("error %v of the slopes, %v of central differences", got, differences)
	}
	for _, c := range []struct {
		n         int
		smoothing float64
	}{{4, 0}, {10, -1}, {10, math.NaN()}, {10, math.Inf(1)}} {
		if _, err := Spline(times[:c.n], sine[:c.n], c.smoothing); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// Slopes of the polynomial through all values of a window are those of QR, on even times
// and uneven ones; times next to each other are left to QR.
func TestSlopesOfInterpolation(t *testing.T) {
	for _, c := range []struct {
		times []float64
		quick bool
	}{
		{[]float64{2, 3, 4, 5, 6}, true},
		{[]float64{10000.02, 10000.04, 10000.06, 10000.08, 10000.1}, true},
		{[]float64{0, 0.3, 1, 1.5, 2, 3.5, 4}, true},
		{[]float64{0, 1, 1.001, 3, 4}, false},
	} {
		n := len(c.times)
		at := c.times[n/2]
		unit := math.Max(at-c.times[0], c.times[n-1]-at)
		weight := make([]float64, n)
		if got := interpolated(weight, c.times, at, unit); got != c.quick {
			t.Errorf("%v: quick %v", c.times, got)
		}
		if err := slopeWeights(weight, c.times, at, n-1); err != nil {
			t.Fatal(err)
		}
		for power := range n {
			got, size, want := 0.0, 0.0, 0.0
			for k, w := range weight {
				v := math.Pow((c.times[k]-at)/unit, float64(power))
				got, size = got+w*v, size+math.Abs(w*v)
			}
			if power == 1 {
				want = 1 / unit
			}
			if c.quick && math.Abs(got-want) > 1e-12*size || math.Abs(got-want) > 1e-10/unit {
				t.Errorf("%v: the slope of power %d is %g, want %g", c.times, power, got, want)
			}
		}
	}
}
