package stream

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Frozen draws, as those of TestFrozen.
func TestLanesFrozen(t *testing.T) {
	var normal, uniform [6]float64
	s := New(1, 0)
	s.Begin(3)
	l := s.Lanes(2, Kernel)
	copy(normal[:], l.Normals(3))
	copy(uniform[:], l.Uniforms(3))
	if normal != [6]float64{-0.24953798780698677, -1.7537989625356853, 1.5153908301897423, -0.4362208683229417,
		-1.0230200297400873, -0.651330637997811} ||
		uniform != [6]float64{0.3156141633969659, 0.056452750985121036, 0.8470080184177057, 0.9917117609087566,
			0.37170607762410934, 0.07551222065175456} {
		t.Errorf("first numbers %v, %v", normal, uniform)
	}
}

// Numbers of a replica depend neither on how many replicas there are, nor on which
// ladders stand beside, nor on what was drawn in other iterations or by its stream alone.
func TestLanesDoNotDependOnEachOther(t *testing.T) {
	const replicas, most, fills = 37, 9, 5
	for d := range most + 1 {
		s := New(4, 2)
		all := map[int][]float64{}
		for _, k := range []int{64, 40, 12, 11} {
			s.Begin(k)
			lanes := s.Lanes(replicas, Kernel)
			for range fills {
				all[k] = append(all[k], lanes.Normals(d)...)
			}
		}
		for n := 1; n <= replicas; n++ {
			own, other := New(4, 2), New(4, 3)
			l := Beside(n, other, own).Lanes(2*n, Kernel)
			l.Normals(most)
			l.Uniforms(d)
			for _, k := range []int{11, 12, 40, 64} {
				own.Begin(k)
				other.Begin(k)
				l.Of(n).NormFloat64()
				for fill := range fills {
					few := l.Normals(d)
					for j := range d {
						for i := range n {
							if few[j*2*n+n+i] != all[k][(fill*d+j)*replicas+i] {
								t.Fatalf("%d replicas, %d coordinates: number (%d, %d) of fill %d of iteration %d is another", n, d, i, j, fill, k)
							}
						}
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
	set := New(8, 1)
	lanes := func(s *Set) []float64 { return s.Lanes(replicas, Kernel).Normals(coordinates) }
	l := set.Lanes(replicas, Kernel)
	x := slices.Clone(l.Normals(coordinates))
	others := map[string][]float64{"fill": slices.Clone(l.Normals(coordinates)), "seed": lanes(New(9, 1)), "ladder": lanes(New(8, 2)),
		"purpose": New(8, 1).Lanes(replicas, Swap).Normals(coordinates)}
	set.Begin(1)
	others["iteration"] = slices.Clone(l.Normals(coordinates))
	set.Begin(ahead)
	others["block of iterations"] = slices.Clone(l.Normals(coordinates))
	set.Begin(2)
	var pairs, alone []float64
	for range n / 2 / replicas {
		pairs = append(pairs, l.Normals(2)...)
		for i := range 2 * replicas {
			alone = append(alone, l.Of(i%replicas).NormFloat64())
		}
	}
	others["replica"] = append(slices.Clone(x[1:]), 0)
	others["coordinate"] = append(slices.Clone(x[replicas:]), make([]float64, replicas)...)
	others["coordinate of the pair"] = append(slices.Clone(x[n/2:]), make([]float64, n/2)...)
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
	hold("product with a stream alone", 1, func(i int) float64 { return pairs[i] * alone[i] })
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
	l, x := New(8, 3).Lanes(replicas, Kernel), make([]float64, n)
	runs := pace.Soak(1, 1000)
	for run := range runs {
		for name, law := range map[string]struct {
			draw        func(d int) []float64
			below, over func(x float64) float64
		}{
			"normal": {l.Normals, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
				func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }},
			"uniform": {l.Uniforms, func(x float64) float64 { return x }, func(x float64) float64 { return 1 - x }},
		} {
			copy(x, law.draw(n/replicas))
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
	s := New(1, 1)
	l, k := s.Lanes(10, Kernel), 0
	if a := testing.AllocsPerRun(100, func() { k++; s.Begin(k); l.Uniforms(1); l.Normals(7); l.Uniforms(6) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// BenchmarkNormals tells the time of a normal number of lanes, and of a stream by itself.
func BenchmarkNormals(b *testing.B) {
	for _, size := range [][2]int{{1, 1}, {1, 2}, {4, 2}, {8, 3}, {64, 10}} {
		s := New(1, 1)
		l, k := s.Lanes(size[0], Kernel), 0
		for name, f := range map[string]func(){
			"lanes": func() { k++; s.Begin(k); l.Normals(size[1]) },
			"stream": func() {
				for i := range size[0] * size[1] {
					l.Of(i % size[0]).NormFloat64()
				}
			},
		} {
			b.Run(fmt.Sprintf("%s %d×%d", name, size[0], size[1]), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size[0]*size[1]), "ns/number")
			})
		}
	}
}
