package stream

import (
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Frozen draws, as those of TestFrozen.
func TestLanesFrozen(t *testing.T) {
	var normal, uniform [6]float64
	l := NewLanes(1, 0, 2, Kernel)
	l.Normals(normal[:], 3)
	l.Uniforms(uniform[:], 3)
	if normal != [6]float64{0.8023203181841425, -0.41724951975759494, 0.31680153627957647, -0.7882922446032373,
		-0.7042438744957815, 0.913654739566813} ||
		uniform != [6]float64{0.6893262875843061, 0.6718293512366295, 0.18485254496194925, 0.7975204600735476,
			0.5917265486744517, 0.5384893251573594} {
		t.Errorf("first numbers %v, %v", normal, uniform)
	}
}

// Number (replica, coordinate, iteration) does not depend on how many there are.
func TestLanesDoNotDependOnEachOther(t *testing.T) {
	const replicas, coordinates = 37, 9
	all := make([]float64, replicas*coordinates)
	NewLanes(4, 2, replicas, Kernel).Normals(all, 11)
	for n := 1; n <= replicas; n++ {
		for d := range coordinates + 1 {
			l, few := NewLanes(4, 2, n, Kernel), make([]float64, n*d)
			l.Normals(few, 10)
			l.Normals(few, 11)
			for j := range d {
				for i := range n {
					if few[j*n+i] != all[j*replicas+i] {
						t.Fatalf("%d replicas, %d coordinates: number (%d, %d) is another", n, d, i, j)
					}
				}
			}
		}
	}
}

// Moments of n normal numbers, and products of neighbours, are within 5.5 standard errors:
// a false alarm has less than 4e-8 each.
func TestLanesMoments(t *testing.T) {
	const replicas, coordinates = 1000, 1000
	n := replicas * coordinates
	l, x, next := NewLanes(8, 1, replicas, Kernel), make([]float64, n), make([]float64, n)
	others := map[string][]float64{"iteration": next}
	l.Normals(x, 0)
	l.Normals(next, 1)
	for name, o := range map[string]*Lanes{"seed": NewLanes(9, 1, replicas, Kernel),
		"ladder": NewLanes(8, 2, replicas, Kernel), "purpose": NewLanes(8, 1, replicas, Swap)} {
		others[name] = make([]float64, n)
		o.Normals(others[name], 0)
	}
	others["replica"] = append(slices.Clone(x[1:]), 0)
	others["coordinate"] = append(slices.Clone(x[replicas:]), make([]float64, replicas)...)
	hold := func(name string, variance float64, f func(i int) float64) {
		sum := 0.0
		for i := range n {
			sum += f(i)
		}
		if z := sum / math.Sqrt(variance*float64(n)); !(math.Abs(z) < 5.5) {
			t.Errorf("%s is off by %.1f standard errors", name, z)
		}
	}
	hold("mean", 1, func(i int) float64 { return x[i] })
	hold("second moment", 2, func(i int) float64 { return x[i]*x[i] - 1 })
	hold("third moment", 15, func(i int) float64 { return x[i] * x[i] * x[i] })
	hold("fourth moment", 96, func(i int) float64 { return math.Pow(x[i], 4) - 3 })
	for name, y := range others {
		hold("product with another "+name, 1, func(i int) float64 { return x[i] * y[i] })
		hold("product of squares with another "+name, 4, func(i int) float64 {
			if y[i] == 0 {
				return 0
			}
			return (x[i]*x[i] - 1) * (y[i]*y[i] - 1)
		})
	}
}

// The statistic of Anderson and Darling for a known law is Σ Z²/(j(j+1)), Z standard
// normal: above z its probability is √3 P(|Z| > √(2z)), 1e-6 at 12.5 (Zolotarev 1961), and
// falls by e for every 1 more.
func TestLanesLaw(t *testing.T) {
	const replicas, n = 1000, 1_000_000
	l, x := NewLanes(8, 3, replicas, Kernel), make([]float64, n)
	runs := pace.Soak(1, 1000)
	for run := range runs {
		for name, law := range map[string]struct {
			draw        func(dst []float64, iteration uint64)
			below, over func(x float64) float64
		}{
			"normal": {l.Normals, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
				func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }},
			"uniform": {l.Uniforms, func(x float64) float64 { return x }, func(x float64) float64 { return 1 - x }},
		} {
			law.draw(x, uint64(run))
			slices.Sort(x)
			sum := 0.0
			for i, v := range x {
				sum += (2*float64(i) + 1) * math.Log(law.below(v)*law.over(x[n-1-i]))
			}
			if a := -n - sum/n; !(a < 12.5+math.Log(float64(runs))) {
				t.Errorf("%s, run %d: Anderson and Darling's statistic is %.1f", name, run, a)
			}
		}
	}
}

func TestLanesAllocateNothing(t *testing.T) {
	l, x := NewLanes(1, 1, 10, Kernel), make([]float64, 70)
	if a := testing.AllocsPerRun(10, func() { l.Normals(x, 5); l.Uniforms(x, 6) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// BenchmarkNormals tells the time of a normal number of 64 lanes beside that of a stream.
func BenchmarkNormals(b *testing.B) {
	x := make([]float64, 640)
	l, r := NewLanes(1, 1, 64, Kernel), New(1, 1).Of(0, Kernel)
	for name, f := range map[string]func(i uint64){
		"lanes": func(i uint64) { l.Normals(x, i) },
		"stream": func(uint64) {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := uint64(0); b.Loop(); i++ {
				f(i)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/number")
		})
	}
}
