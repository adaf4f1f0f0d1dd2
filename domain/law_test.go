package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A verdict holds the scores of a sample against the exact uniform law.
type verdict struct {
	worst     float64 // largest |z| of the means and second moments
	ks        float64 // √n times the Kolmogorov–Smirnov distance of coordinate 0
	fallbacks int
}

// fails applies the thresholds: 5.6 for each z (2e-8; some thousand scores in
// all) and 3.1 for √n·KS (1e-8).
func (v verdict) fails() bool { return !(v.worst < 5.6) || !(v.ks < 3.1) }

// keepsUniform starts n replicas from exact uniform draws, moves each by
// several Gaussian steps of the given sd, and judges the ends.
func keepsUniform(t testing.TB, s shape, d Domain, rule Rule, sd float64, n, steps int) verdict {
	t.Helper()
	r := must[Reflector](t)(NewReflector(d, rule, 0))
	law := must[*Law](t)(Uniform(t.Context(), s.d))
	rng := rand.New(rand.NewPCG(7, uint64(1e6*sd)))
	dim := s.d.Dim()
	from, to := make([]float64, dim), make([]float64, dim)
	first, second := make([]float64, 2*dim), make([]float64, 2*dim)
	var ends []float64
	var v verdict
	for range n {
		if err := law.Draw(t.Context(), from, rng); err != nil {
			t.Fatal(err)
		}
		for range steps {
			for i, x := range from {
				to[i] = x + sd*rng.NormFloat64()
			}
			if _, ok := r.Reflect(from, to, nil); !ok {
				v.fallbacks++
			}
			copy(from, to)
		}
		for i, x := range from {
			for k, f := range [2]float64{x, x * x} {
				first[2*i+k] += f
				second[2*i+k] += f * f
			}
		}
		if s.cdf != nil {
			ends = append(ends, s.cdf(from[0]))
		}
	}
	m := float64(n)
	for i := range dim {
		for k, exact := range [2]float64{s.mean[i], s.second[i]} {
			mean := first[2*i+k] / m
			se := math.Sqrt((second[2*i+k]/m - mean*mean) / m)
			v.worst = math.Max(v.worst, math.Abs(mean-exact)/se)
		}
	}
	if len(ends) > 0 {
		v.ks = math.Sqrt(m) * diag.KS(ends, func(u float64) float64 { return u })
	}
	return v
}

// Specular reflection keeps the uniform law on every bounded shape; project
// fails the same test on every one, nearest on the curved ones. The thresholds
// kill these two rules used in its place.
func TestSpecularKeepsTheUniformLaw(t *testing.T) {
	pace.Slow(t)
	n := pace.Soak(12_000, 1_000_000)
	for _, s := range testShapes(t) {
		if s.mean == nil {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			for _, sd := range []float64{0.2 * s.inradius, s.inradius, s.size} {
				v := keepsUniform(t, s, s.d, Specular, sd, n, 3)
				if v.fails() {
					t.Errorf("sd %.3g: |z| %.2f, KS %.2f: the uniform law is lost", sd, v.worst, v.ks)
				}
				if v.fallbacks > 0 {
					t.Errorf("sd %.3g: %d fallbacks", sd, v.fallbacks)
				}
			}
			if v := keepsUniform(t, s, s.d, Refuse, s.inradius, n, 3); v.fails() {
				t.Errorf("refuse loses the uniform law: |z| %.2f, KS %.2f", v.worst, v.ks)
			}
			if s.far {
				return
			}
			if v := keepsUniform(t, s, s.d, Project, s.inradius, n, 8); !v.fails() {
				t.Errorf("project passes (|z| %.2f, KS %.2f): the test is blind", v.worst, v.ks)
			}
			if !s.curved {
				return
			}
			if v := keepsUniform(t, s, s.d, Nearest, 1.5*s.inradius, n, 8); !v.fails() {
				t.Errorf("nearest passes (|z| %.2f, KS %.2f): the test is blind", v.worst, v.ks)
			}
		})
	}
}

// faulty is a domain with one fault in its tracer.
type faulty struct {
	Domain
	share float64 // Exit stops at this share of the way
	skew  float64 // Normal is turned by this angle (plane)
}

func (b faulty) Tracer() Tracer { return faultyTracer{b.Domain.Tracer(), b} }

type faultyTracer struct {
	Tracer
	b faulty
}

func (b faultyTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	t, w := b.Tracer.Exit(x, dir, on)
	if w != None {
		t *= b.b.share
	}
	return t, w
}

func (b faultyTracer) Normal(n, x []float64, w Wall) {
	b.Tracer.Normal(n, x, w)
	s, c := math.Sincos(b.b.skew)
	n[0], n[1] = c*n[0]-s*n[1], s*n[0]+c*n[1]
}

// The law test kills reflecting short of the wall, the wrong normal, and walls
// that are not seen at all, in the plane and by the generic tracer of the box.
func TestUniformLawKillsMutants(t *testing.T) {
	pace.Slow(t)
	square := boxShape(t, "square", []float64{-1, -1}, []float64{1, 1})
	disk := ballShape(t, "disk", []float64{0, 0}, 1, nil)
	n := pace.Soak(10_000, 400_000)
	for _, s := range []shape{square, disk} {
		for _, skew := range []float64{0, 0.5} {
			v := keepsUniform(t, s, faulty{s.d, 1, skew}, Specular, 0.5, n, 10)
			if v.fails() != (skew > 0) {
				t.Errorf("%s, normals turned by %g: |z| %.2f, KS %.2f", s.name, skew, v.worst, v.ks)
			}
		}
	}
	// E x² on the square in a long run. A reflection at 0.995 of the way makes it
	// off by 0.003 at these steps; the tolerance of 0.0012 kills it, and is 5 standard
	// errors (batch means) or more.
	for _, share := range []float64{1, 0.995} {
		mean, se := longRun(t, faulty{square.d, share, 0}, 2, pace.Soak(1_000_000, 20_000_000))
		off := mean - 1./3
		if 5*se > 0.0012 {
			t.Errorf("the standard error %.5f is too large to judge", se)
		}
		if (math.Abs(off) < 0.0012) != (share == 1) {
			t.Errorf("share %g: E x² off by %.5f ± %.5f", share, off, se)
		}
	}
}

// longRun returns E of the mean of x_i² along one path in the plane, with its
// standard error from 100 batches.
func longRun(t *testing.T, d Domain, sd float64, steps int) (mean, se float64) {
	r := must[Reflector](t)(NewReflector(d, Specular, 0))
	rng := rand.New(rand.NewPCG(3, 9))
	from, to := []float64{0.1, 0.2}, []float64{0, 0}
	var sum, squares float64
	for range 100 {
		b := 0.0
		for range steps / 100 {
			to[0], to[1] = from[0]+sd*rng.NormFloat64(), from[1]+sd*rng.NormFloat64()
			r.Reflect(from, to, nil)
			from, to = to, from
			b += (from[0]*from[0] + from[1]*from[1]) / 2
		}
		b /= float64(steps / 100)
		sum += b
		squares += b * b
	}
	mean = sum / 100
	return mean, math.Sqrt((squares/100 - mean*mean) / 99)
}

// Steps of all sizes under all rules end inside, exactly, with finite numbers
// and |v| kept; an untouched step is untouched bit for bit. Specular gives up
// no step of up to a tenth of the inradius: n of them without one put the rate
// below 3/n with confidence 95 %, 14/n with 1 − 1e-6.
func TestRandomStepsStayInside(t *testing.T) {
	pace.Slow(t)
	small := 0
	steps := pace.Soak(500, 120_000)
	rng := rand.New(rand.NewPCG(4, 4))
	for _, s := range testShapes(t) {
		for _, rule := range []Rule{Specular, Nearest, Refuse, Project} {
			if s.far && (rule == Nearest || rule == Project) {
				continue
			}
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			w := stepper{s: s, r: r, from: append([]float64(nil), s.inside...)}
			for e := -6; e <= 6; e++ {
				scale := s.size * math.Pow(10, float64(e))
				n := steps
				if e >= 3 { // a thousand mirrorings each
					n = steps / 40
				}
				fallbacks := w.walk(t, rng, scale, n)
				if rule == Specular && e <= 0 && fallbacks > 0 {
					t.Errorf("%s: specular gave up %d of %d steps at scale 1e%d", s.name, fallbacks, n, e)
				}
			}
			if rule == Specular {
				n := pace.Soak(20_000, 3_500_000)
				small += n
				if f := w.walk(t, rng, s.inradius/10/math.Sqrt(float64(s.d.Dim())), n); f > 0 {
					t.Errorf("%s: %d fallbacks in %d steps of a tenth of the inradius", s.name, f, n)
				}
			}
		}
	}
	t.Logf("0 fallbacks in %d small steps: rate below %.1e (95 %%)", small, 3/float64(small))
}

// stepper walks at random and checks every step.
type stepper struct {
	s    shape
	r    Reflector
	from []float64
}

func (w *stepper) walk(t *testing.T, rng *rand.Rand, scale float64, n int) (fallbacks int) {
	t.Helper()
	d := len(w.from)
	to, end, v, from := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for range n {
		for i, x := range w.from {
			to[i] = x + scale*rng.NormFloat64()
			v[i] = rng.NormFloat64()
		}
		copy(end, to)
		copy(from, w.from)
		energy := dot(v, v)
		hits, ok := w.r.Reflect(w.from, end, v)
		if !ok {
			fallbacks++
		}
		switch {
		case !w.s.d.Contains(end) || !finite(end):
			t.Fatalf("%s, scale %g: %v → %v ends outside at %v", w.s.name, scale, from, to, end)
		case !ok && distance(end, from) != 0:
			t.Fatalf("%s: the fallback of %v → %v moved to %v", w.s.name, from, to, end)
		case ok && hits == 0 && !same(end, to):
			t.Fatalf("%s: the untouched step to %v became %v", w.s.name, to, end)
		case !same(from, w.from):
			t.Fatalf("%s: from was written to", w.s.name)
		case math.Abs(dot(v, v)-energy) > 1e-12*energy*float64(1+min(hits, 1000)): // kills a mirror by a normal off unit length
			t.Fatalf("%s: v² %g became %g", w.s.name, energy, dot(v, v))
		}
		copy(w.from, end)
	}
	return fallbacks
}

// same reports equality bit for bit.
func same(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// Steps that are not finite are given up under every rule, with v reversed.
func TestNonFiniteStepsFallBack(t *testing.T) {
	for _, s := range testShapes(t) {
		for _, rule := range []Rule{Specular, Nearest, Refuse, Project} {
			if s.far && (rule == Nearest || rule == Project) {
				continue
			}
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for k := range s.inside {
					to := append([]float64(nil), s.inside...)
					v := append([]float64(nil), s.inside...)
					to[k] = bad
					if _, ok := r.Reflect(s.inside, to, v); ok || !same(to, s.inside) || v[0] != -s.inside[0] {
						t.Errorf("%s, %s: step to %g in coordinate %d: ok %v, end %v, v %v", s.name, rule, bad, k, ok, to, v)
					}
				}
			}
		}
	}
}

// Reflecting allocates nothing.
func TestReflectAllocatesNothing(t *testing.T) {
	for _, s := range testShapes(t) {
		for _, rule := range []Rule{Specular, Nearest, Refuse, Project} {
			if s.far && (rule == Nearest || rule == Project) {
				continue
			}
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			rng := rand.New(rand.NewPCG(1, 2))
			from, to, v := append([]float64(nil), s.inside...), make([]float64, len(s.inside)), make([]float64, len(s.inside))
			step := func() {
				for i, x := range from {
					to[i] = x + s.size*rng.NormFloat64()
				}
				r.Reflect(from, to, v)
				copy(from, to)
			}
			for range 50 { // workspaces that are made at their first use
				step()
			}
			if n := testing.AllocsPerRun(200, step); n != 0 {
				t.Errorf("%s, %s: %g allocations a step", s.name, rule, n)
			}
		}
	}
}

func BenchmarkReflect(b *testing.B) {
	for _, s := range testShapes(b) {
		for _, share := range []float64{0.1, 1} {
			b.Run(fmt.Sprintf("%s/%g", s.name, share), func(b *testing.B) {
				r := must[Reflector](b)(NewReflector(s.d, Specular, 0))
				rng := rand.New(rand.NewPCG(1, 2))
				d := len(s.inside)
				const n = 4096
				noise := make([]float64, n*d)
				for i := range noise {
					noise[i] = share * s.inradius * rng.NormFloat64()
				}
				from, to := append([]float64(nil), s.inside...), make([]float64, d)
				hits := 0
				b.ReportAllocs()
				b.ResetTimer()
				for k := range b.N {
					e := noise[k%n*d:]
					for i, x := range from {
						to[i] = x + e[i]
					}
					h, _ := r.Reflect(from, to, nil)
					hits += h
					from, to = to, from
				}
				b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
			})
		}
	}
}
