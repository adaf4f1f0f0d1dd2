package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// uniformIn draws from the uniform law on a plane domain by rejection.
func uniformIn(d Domain, rng *rand.Rand, x, lo, hi []float64) {
	for {
		for k := range x {
			x[k] = lo[k] + (hi[k]-lo[k])*rng.Float64()
		}
		if d.Contains(x) {
			return
		}
	}
}

// features are functions whose mean the uniform law fixes: coordinates, squares
// and closeness to the wall.
func features(d Domain, tr Tracer, x []float64, f *[7]float64) {
	var p, n [2]float64
	tr.Nearest(p[:], n[:], x)
	gap := math.Hypot(p[0]-x[0], p[1]-x[1])
	*f = [7]float64{x[0], x[1], x[0] * x[0], x[1] * x[1], x[0] * x[1], 0, 0}
	if gap < 0.05 {
		f[5] = 1
	}
	if gap < 0.2 {
		f[6] = 1
	}
}

// drift runs replicas from uniform starts for some steps and returns the z
// scores of E[f(end) − f(start)], which is 0 for every f when the rule keeps
// the uniform law, and of E r² at the end against its exact value.
func drift(t *testing.T, s shape, rule Rule, sd float64, replicas, steps int, seed uint64) (z [8]float64, bias float64) {
	r, err := NewReflector(s.d, rule, 0)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 17))
	tr := s.d.Tracer()
	var lo, hi, from, to [2]float64
	s.d.Bounds(lo[:], hi[:])
	var sum, square [8]float64
	exact := s.second[0] + s.second[1]
	fallbacks := 0
	for range replicas {
		uniformIn(s.d, rng, from[:], lo[:], hi[:])
		var a, b [7]float64
		features(s.d, tr, from[:], &a)
		for range steps {
			to[0], to[1] = from[0]+sd*rng.NormFloat64(), from[1]+sd*rng.NormFloat64()
			if _, ok := r.Reflect(from[:], to[:], nil); !ok {
				fallbacks++
			}
			from = to
		}
		features(s.d, tr, from[:], &b)
		for k := range z {
			v := b[2] + b[3] - exact
			if k < 7 {
				v = b[k] - a[k]
			}
			sum[k] += v
			square[k] += v * v
		}
	}
	n := float64(replicas)
	for k := range z {
		mean := sum[k] / n
		z[k] = mean / math.Sqrt((square[k]/n-mean*mean)/n)
	}
	if fallbacks > 0 && rule == Specular {
		t.Errorf("%s: %d fallbacks in %d steps", s.name, fallbacks, replicas*steps)
	}
	return z, sum[7] / n
}

// Specular reflection keeps the uniform law on every plane shape, convex or
// not. |z| < 5.8 for 8·7·2 scores keeps the false alarm below 1e-6; it kills a
// missed short excursion, a normal of a neighbouring edge, and the rule
// nearest.
func TestPlaneSpecularKeepsTheUniformLaw(t *testing.T) {
	pace.Slow(t)
	replicas := pace.Soak(25000, 1000000)
	for _, s := range planeShapes(t) {
		for i, sd := range []float64{0.17, 0.35} {
			z, bias := drift(t, s, Specular, sd, replicas, 5, uint64(11+i))
			t.Logf("%-14s sd %.2f: bias of E r² %+.4f, z %+.1f", s.name, sd, bias, z)
			for k, v := range z {
				if !(math.Abs(v) < 5.8) {
					t.Errorf("%s, step sd %v: z[%d] = %.2f", s.name, sd, k, v)
				}
			}
		}
	}
}

// The rules nearest and project do not keep it: nearest is off by about +0.048
// in E r² on the flower at this step size, project puts atoms on every wall. The
// test that specular passes must be able to tell.
func TestPlaneOtherRulesDoNot(t *testing.T) {
	for _, s := range planeShapes(t) {
		z, bias := drift(t, s, Project, 0.17, 4000, 5, 21)
		if !(z[5] > 8) {
			t.Errorf("%s: project passes for unbiased: z %v, bias %v", s.name, z, bias)
		}
		if s.name != "flower" {
			continue
		}
		z, bias = drift(t, s, Nearest, 0.1732, pace.Soak(30000, 1000000), 60, 22)
		t.Logf("%s: nearest: bias of E r² %+.4f, z %+.1f", s.name, bias, z)
		if !(z[7] > 4.9) || math.Abs(bias-0.048) > 0.03 {
			t.Errorf("%s: nearest: bias of E r² %+.4f, z %.1f; want about +0.048", s.name, bias, z[7])
		}
	}
}
