package vector

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A function of the package as a test sees it: what it writes, and what of a lane.
type function struct {
	name string
	in   int
	run  func(dst []float64, x [4][]float64)
	of   func(x [4]float64) float64
}

func one(name string, run func(dst, a []float64), of func(float64) float64) function {
	return function{name, 1, func(dst []float64, x [4][]float64) { run(dst, x[0]) },
		func(x [4]float64) float64 { return of(x[0]) }}
}

func two(name string, run func(dst, a, b []float64), of func(a, b float64) float64) function {
	return function{name, 2, func(dst []float64, x [4][]float64) { run(dst, x[0], x[1]) },
		func(x [4]float64) float64 { return of(x[0], x[1]) }}
}

func three(name string, run func(dst, a, b, c []float64), of func(a, b, c float64) float64) function {
	return function{name, 3, func(dst []float64, x [4][]float64) { run(dst, x[0], x[1], x[2]) },
		func(x [4]float64) float64 { return of(x[0], x[1], x[2]) }}
}

func four(name string, run func(dst, a, b, c, d []float64), of func(a, b, c, d float64) float64) function {
	return function{name, 4, func(dst []float64, x [4][]float64) { run(dst, x[0], x[1], x[2], x[3]) },
		func(x [4]float64) float64 { return of(x[0], x[1], x[2], x[3]) }}
}

var functions = []function{
	two("Add", Add, func(a, b float64) float64 { return a + b }),
	two("Sub", Sub, func(a, b float64) float64 { return a - b }),
	two("Mul", Mul, func(a, b float64) float64 { return a * b }),
	two("Div", Div, func(a, b float64) float64 { return a / b }),
	two("Min", Min, func(a, b float64) float64 { return min(a, b) }),
	two("Max", Max, func(a, b float64) float64 { return max(a, b) }),
	three("MulAdd", MulAdd, func(a, b, c float64) float64 { return float64(a*b) + c }),
	three("MulSub", MulSub, func(a, b, c float64) float64 { return float64(a*b) - c }),
	three("SubMul", SubMul, func(a, b, c float64) float64 { return c - float64(a*b) }),
	four("MulMulAdd", MulMulAdd, func(a, b, c, d float64) float64 { return float64(a*b) + float64(c*d) }),
	four("Select", Select, func(a, b, c, d float64) float64 {
		if a <= b {
			return c
		}
		return d
	}),
	one("Neg", Neg, func(a float64) float64 { return -a }),
	one("Abs", Abs, math.Abs), one("Sqrt", Sqrt, math.Sqrt),
	one("Exp", Exp, lane.Exp), one("Expm1", Expm1, lane.Expm1), one("Sigmoid", Sigmoid, lane.Sigmoid),
	one("Softplus", Softplus, lane.Softplus), one("Tanh", Tanh, lane.Tanh),
	one("Log", Log, lane.Log), one("Log1p", Log1p, lane.Log1p),
	one("Sin", Sin, lane.Sin), one("Cos", Cos, lane.Cos), one("Tan", Tan, lane.Tan),
	one("Erf", Erf, lane.Erf), one("Erfc", Erfc, lane.Erfc), one("Phi", Phi, lane.Phi),
	one("sine of SinCos", func(dst, a []float64) { SinCos(dst, make([]float64, len(dst)), a) }, lane.Sin),
	one("cosine of SinCos", func(dst, a []float64) { SinCos(make([]float64, len(dst)), dst, a) }, lane.Cos),
	one("softplus of SoftplusSigmoid", func(dst, a []float64) { SoftplusSigmoid(dst, make([]float64, len(dst)), a) }, lane.Softplus),
	one("sigmoid of SoftplusSigmoid", func(dst, a []float64) { SoftplusSigmoid(make([]float64, len(dst)), dst, a) }, lane.Sigmoid),
}

// alone are the functions with one result.
var alone = functions[:len(functions)-4]

// edges are arguments at which something begins or ends.
func edges() []float64 {
	e := []float64{0, 0x1p-1074, 0x1p-1023, 0x1p-1022, 0x1p-60, lane.Tiny, 0.25, 0.5, lane.TanhEdge, math.Sqrt2 / 2, 1,
		math.Ln2, math.Ln2 / 2, math.Pi / 4, math.Pi / 2, math.Pi, 2, 18, 36.7, 40, 355, 708, 709.7827128933841,
		lane.Expm1High, 60, 0.84375, 1.25, 1 / 0.35, 28, lane.PhiEdge,
		744.4400719213812, 745.1332191019412, lane.ExpEdge, 1e5, lane.SinRange, 1e22, 0x1p52, 0x1p1023, math.MaxFloat64,
		math.Inf(1), math.NaN()}
	for _, x := range e {
		e = append(e, -x, math.Nextafter(x, 0), -math.Nextafter(x, 0), math.Nextafter(x, 1e308), -math.Nextafter(x, 1e308))
	}
	return e
}

// argument draws any number, or one of moderate size.
func argument(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return math.Float64frombits(r.Uint64())
	case 1:
		return r.NormFloat64() * 1000
	case 2:
		return (r.Float64() - 0.5) * 3 * lane.SinRange
	case 3:
		return math.Ldexp(r.Float64()-0.5, -r.IntN(70))
	}
	return r.NormFloat64() * 3
}

// each runs a test for the plain path and every instruction set of this processor.
func each(t *testing.T, test func(t *testing.T)) {
	was := kernels
	defer func() { kernels = was }()
	for name, k := range tables() {
		kernels = k
		t.Run(name, test)
	}
}

// same says that two numbers have the same bits or are both NaN.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }

func (f function) check(t *testing.T, dst []float64, x, given [4][]float64) {
	t.Helper()
	f.run(dst, x)
	for i, y := range dst {
		var at [4]float64
		for k := range f.in {
			at[k] = given[k][i]
		}
		if want := f.of(at); !same(y, want) {
			t.Fatalf("%s of %v: %v (%x), want %v (%x)", f.name, at[:f.in], y, math.Float64bits(y), want, math.Float64bits(want))
		}
	}
}

func TestSameBits(t *testing.T) {
	pace.Slow(t)
	const n = 1000
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		var x [4][]float64
		for k := range x {
			x[k] = make([]float64, n)
		}
		dst := make([]float64, n)
		for range pace.Soak(100, 10000) {
			for k := range x {
				for i := range x[k] {
					x[k][i] = argument(r)
				}
			}
			for _, f := range functions {
				f.check(t, dst, x, x)
			}
		}
	})
}

func TestSameBitsAtEdges(t *testing.T) {
	each(t, func(t *testing.T) {
		var x [4][]float64
		e := edges()
		for i := range e {
			for j := range e {
				for k, v := range [4]float64{e[i], e[j], e[(i+j)%len(e)], e[(i+2*j)%len(e)]} {
					x[k] = append(x[k], v)
				}
			}
		}
		dst := make([]float64, len(x[0]))
		for _, f := range functions {
			f.check(t, dst, x, x)
		}
	})
}

// Every length from any place, the result apart or where an argument is; nothing beside
// it is touched.
func TestLengths(t *testing.T) {
	const guard = 12345.678
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 68 {
			for _, f := range functions {
				var x, given [4][]float64
				for k := range x {
					from := r.IntN(9)
					x[k] = make([]float64, 80)[from : from+n]
					for i := range x[k] {
						x[k][i] = argument(r)
					}
					given[k] = append([]float64{}, x[k]...)
				}
				whole := make([]float64, n+16)
				for i := range whole {
					whole[i] = guard
				}
				from := 1 + r.IntN(8)
				dst := whole[from : from+n]
				if r.IntN(2) == 0 {
					k := r.IntN(f.in)
					x[k] = dst
					copy(dst, given[k])
				}
				f.check(t, dst, x, given)
				for i, v := range whole {
					if (i < from || i >= from+n) && v != guard {
						t.Fatalf("%s of %d lanes wrote beside them", f.name, n)
					}
				}
			}
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	var x [4][]float64
	for k := range x {
		x[k] = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e300, 11}
	}
	dst, dst2 := make([]float64, 11), make([]float64, 11)
	each(t, func(t *testing.T) {
		for _, f := range alone {
			if a := testing.AllocsPerRun(10, func() { f.run(dst, x) }); a != 0 {
				t.Errorf("%s allocates %v times", f.name, a)
			}
		}
		if a := testing.AllocsPerRun(10, func() { SinCos(dst, dst2, x[0]); SoftplusSigmoid(dst, dst2, x[0]) }); a != 0 {
			t.Errorf("functions with two results allocate %v times", a)
		}
	})
}

func FuzzSameBits(f *testing.F) {
	for _, x := range edges() {
		f.Add(x, 1.0, x, 0.5)
	}
	f.Fuzz(func(t *testing.T, a, b, c, d float64) {
		x := [4][]float64{{a, 1, a}, {b, b, 1}, {c, a, b}, {d, 1, 2}}
		each(t, func(t *testing.T) {
			for _, f := range functions {
				f.check(t, make([]float64, 3), x, x)
			}
		})
	})
}

// BenchmarkFunctions tells the time of 64 lanes, of the quickest of 200 short runs as
// bench/c/vector does.
func BenchmarkFunctions(b *testing.B) {
	const n, calls = 64, 50
	r := rand.New(rand.NewPCG(5, 6))
	var x [4][]float64
	for k := range x {
		for range n {
			x[k] = append(x[k], r.ExpFloat64())
		}
	}
	dst, dst2 := make([]float64, n), make([]float64, n)
	measure := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			least := math.Inf(1)
			for b.Loop() {
				for range 200 {
					from := time.Now()
					for range calls {
						f()
					}
					least = min(least, float64(time.Since(from).Nanoseconds())/calls/n)
				}
			}
			b.ReportMetric(least, "ns/lane")
		})
	}
	was := kernels
	defer func() { kernels = was }()
	for kind, k := range tables() {
		kernels = k
		for _, f := range alone {
			measure(kind+"/"+f.name, func() { f.run(dst, x) })
		}
		measure(kind+"/SinCos", func() { SinCos(dst, dst2, x[0]) })
	}
}

func TestRandomNumbers(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for run := range pace.Soak(2000, 100000) {
			n := run % 68
			keys, x, y := make([]uint64, n), make([]float64, n+1), make([]float64, n+1)
			for i := range keys {
				keys[i] = r.Uint64()
			}
			low, high := r.Uint64(), r.Uint64()
			check := func(write func(dst, dst2 []float64, keys []uint64, low, high uint64),
				of func(a, b uint64) (x, y float64)) {
				write(x[:n], y[:n], keys, low, high)
				for i, k := range keys {
					if a, b := of(lane.Philox(k, low, high)); x[i] != a || y[i] != b {
						t.Fatalf("key %x, counter %x %x: %v %v, want %v %v", k, low, high, x[i], y[i], a, b)
					}
				}
				if x[n] != 0 || y[n] != 0 {
					t.Fatalf("%d lanes: wrote beside them", n)
				}
			}
			check(Normals, lane.Normals)
			check(Uniforms, func(a, b uint64) (x, y float64) { return lane.Uniform(a), lane.Uniform(b) })
		}
	})
}
