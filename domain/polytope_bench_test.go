package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
)

// manyFacets is {x : u_i·x ≤ 1} for m random unit vectors u_i of R^d.
func manyFacets(t testing.TB, m, d int, seed uint64) *polytope {
	rng := rand.New(rand.NewPCG(seed, 1))
	a, b := make([][]float64, m), make([]float64, m)
	for i := range a {
		a[i] = make([]float64, d)
		for j := range a[i] {
			a[i][j] = rng.NormFloat64()
		}
		l := norm(a[i])
		for j := range a[i] {
			a[i][j] /= l
		}
		b[i] = 1
	}
	return must[*polytope](t)(NewPolytope(a, b, nil))
}

// noise is n vectors of d normal numbers.
func noise(n, d int) []float64 {
	rng := rand.New(rand.NewPCG(3, 3))
	e := make([]float64, n*d)
	for i := range e {
		e[i] = rng.NormFloat64()
	}
	return e
}

// processor is the processor time of this process in nanoseconds: the machine may be shared.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPolytope takes normal steps of sd s in each of 50 coordinates between
// 500 facets, and steps of a Langevin chain on a normal law of sd 0.5, η = 0.01
// and, small, 1e-4.
func BenchmarkPolytope(b *testing.B) {
	const d, n = 50, 1024
	p := manyFacets(b, 500, d, 1)
	e := noise(n, d)
	walk := func(b *testing.B, keep, sd float64) {
		r := must[Reflector](b)(NewReflector(p, Specular, 0))
		from, to := make([]float64, d), make([]float64, d)
		hits, inside, lost := 0, 0, 0
		rng := rand.New(rand.NewPCG(4, 4))
		b.ResetTimer()
		begun := processor(b)
		for range b.N {
			bits := rng.Uint64()
			z := e[int(bits%n)*d:][:d]
			s := math.Copysign(sd, float64(int64(bits))) // no drift in the long run
			for i, x := range from {
				to[i] = keep*x + s*z[i]
			}
			h, ok := r.Reflect(from, to, nil)
			hits += h
			if h == 0 {
				inside++
			}
			if !ok {
				lost++
			}
			from, to = to, from
		}
		spent := processor(b) - begun
		b.ReportMetric(spent/float64(b.N), "cpu-ns/step")
		b.ReportMetric(spent/float64(hits), "cpu-ns/hit")
		b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
		b.ReportMetric(float64(inside)/float64(b.N), "inside/op")
		b.ReportMetric(float64(lost), "lost")
	}
	b.Run("langevin", func(b *testing.B) { walk(b, 1-0.01/0.25, 0.1414213562) })
	b.Run("small", func(b *testing.B) { walk(b, 1-1e-4/0.25, 0.01414213562) })
	b.Run("tiny", func(b *testing.B) { walk(b, 1-1e-5/0.25, 0.01414213562/math.Sqrt(10)) })
	for _, sd := range []float64{0.5, 4} {
		b.Run(fmt.Sprintf("sd=%.2f", sd), func(b *testing.B) { walk(b, 1, sd) })
	}
}

// BenchmarkCube takes normal steps of sd 0.5 in each of 50 coordinates of [−1, 1]^50.
func BenchmarkCube(b *testing.B) {
	const d, n = 50, 1024
	e := noise(n, d)
	lo, hi := make([]float64, d), make([]float64, d)
	for i := range lo {
		lo[i], hi[i] = -1, 1
	}
	r := must[Reflector](b)(NewReflector(must[*box](b)(NewBox(lo, hi)), Specular, 0))
	from, to := make([]float64, d), make([]float64, d)
	hits := 0
	b.ResetTimer()
	begun := processor(b)
	for k := range b.N {
		z := e[k%n*d:][:d]
		for i, x := range from {
			to[i] = x + 0.5*z[i]
		}
		h, _ := r.Reflect(from, to, nil)
		hits += h
		from, to = to, from
	}
	b.ReportMetric((processor(b)-begun)/float64(b.N), "cpu-ns/step")
	b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
}
