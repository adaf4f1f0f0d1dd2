package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/quadrature"
	"github.com/r2sgld/r2sgld/potential"
)

// point is the k-th of some points of a box about the origin.
func point(d, k int) []float64 {
	rng := rand.New(rand.NewPCG(7, uint64(k)))
	x := make([]float64, d)
	for i := range x {
		x[i] = 8*rng.Float64() - 4
	}
	return x
}

// energy is U at a point.
func energy(u potential.Potential, x []float64) float64 {
	out, grad := make([]float64, 1), make([]float64, len(x))
	u.Evaluator(1, nil).Eval(out, grad, x)
	return out[0]
}

// The exact values are those known from elsewhere, to their digits. Kills: a Gaussian
// without its constant, one shell for two, a volume of another region.
func TestExactValuesAreTheKnownOnes(t *testing.T) {
	want := map[string]float64{"E1": 235.85594, "E2": 1.29507, "E3": -11.51293, "E4-2": -1.74564, "E4-10": -14.59049}
	for _, x := range tasks() {
		if math.Abs(x.exact-want[x.id]) > 5.1e-6 {
			t.Errorf("%s: %.8f, not %.5f", x.id, x.exact, want[x.id])
		}
		delete(want, x.id)
	}
	if len(want) > 0 {
		t.Errorf("no problems %v", want)
	}
}

// In the plane quadrature over the domain and the potential of the configuration gives
// the same, and the volume. Kills: another constant in a potential, another domain.
func TestPlaneProblemsByQuadrature(t *testing.T) {
	pace.Slow(t)
	for _, x := range tasks() {
		if x.dim != 2 {
			continue
		}
		run, err := config.Parse("sample", x.file, []byte(x.text(target)), nil)
		if err != nil {
			t.Fatal(err)
		}
		q, err := quadrature.New(run.Problem.Potential, run.Problem.Domain)
		if err != nil {
			t.Fatal(err)
		}
		got := q.Moments(1).LogZ
		if err := q.Err(); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-x.logVolume-x.exact) > 1e-6 || math.Abs(math.Log(q.Area())-x.logVolume) > 1e-9 {
			t.Errorf("%s: log Z %.8f, log area %.8f; not %.8f, %.8f", x.id, got-x.logVolume, math.Log(q.Area()), x.exact, x.logVolume)
		}
	}
}

// The ordered Gaussian by five nested integrals, of which each is one sweep of the
// trapezoidal rule: the number of orders is in them, not divided out. Kills: 1/120 in
// one of density and volume alone.
func TestOrderedGaussianByNestedIntegrals(t *testing.T) {
	const n = 20000
	h := 10.0 / n
	inner := make([]float64, n+1)
	for i := range inner {
		inner[i] = 1
	}
	for range 5 {
		sum, last := 0.0, 0.0
		for i := range inner {
			x := -5 + h*float64(i)
			f := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * inner[i]
			if i > 0 {
				sum += h * (f + last) / 2
			}
			inner[i], last = sum, f
		}
	}
	for _, x := range tasks() {
		if got := math.Log(inner[n]) - x.logVolume; x.id == "E3" && math.Abs(got-x.exact) > 1e-6 {
			t.Errorf("%.8f, not %.8f", got, x.exact)
		}
	}
}

// The shells in ten dimensions by importance sampling: points at uniform directions
// about either centre and radii 2 + 0.1·t, t normal, weighed by the whole likelihood of
// the configuration. Five standard errors; false alarm 6e-7. Kills: another exponent of
// the radius, an area of the sphere of another dimension.
func TestShellsByImportanceSampling(t *testing.T) {
	const n, d = 20000, 10
	x := tasks()[4]
	run, err := config.Parse("sample", x.file, []byte(x.text(target)), nil)
	if err != nil {
		t.Fatal(err)
	}
	eval := run.Problem.Potential.Evaluator(1, nil)
	rng := rand.New(rand.NewPCG(11, 13))
	gamma, _ := math.Lgamma(float64(d) / 2)
	sphere := math.Log(2) + d/2*math.Log(math.Pi) - gamma
	at, grad, u := make([]float64, d), make([]float64, d), make([]float64, 1)
	sum, squares := 0.0, 0.0
	for range n {
		length := 0.0
		for i := range at {
			at[i] = rng.NormFloat64()
			length += at[i] * at[i]
		}
		r := 2 + 0.1*rng.NormFloat64()
		for i := range at {
			at[i] *= r / math.Sqrt(length)
		}
		centre := 3.5
		if rng.Uint64()&1 == 0 {
			centre = -3.5
		}
		at[0] += centre
		density := 0.0 // of the proposal, from both centres
		for _, c := range []float64{-3.5, 3.5} {
			s := 0.0
			for i, v := range at {
				if i == 0 {
					v -= c
				}
				s += v * v
			}
			s = math.Sqrt(s)
			density += math.Exp(-50*(s-2)*(s-2)-sphere-(d-1)*math.Log(s)) / math.Sqrt(2*math.Pi*0.01) / 2
		}
		eval.Eval(u, grad, at)
		w := math.Exp(-u[0]) / density
		sum, squares = sum+w, squares+w*w
	}
	m := sum / n
	se := math.Sqrt((squares/n-m*m)/n) / m
	if got := math.Log(m) - x.logVolume; !(math.Abs(got-x.exact) < 5*se) || se > 0.01 {
		t.Errorf("%.5f ± %.5f, not %.5f", got, se, x.exact)
	}
}
