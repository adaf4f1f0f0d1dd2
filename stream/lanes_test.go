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
	if normal != [6]float64{-0.5310349208059241, 0.4348038678845102, 0.07759479550850619, 0.10631211537678839,
		-1.1960701773666653, 0.716196045237563} ||
		uniform != [6]float64{0.3009462001413895, 0.4403045602104604, 0.974671770264259, 0.5902821074234333,
			0.6437791760031909, 0.07856998478177124} {
		t.Errorf("first numbers %v, %v", normal, uniform)
	}
}

// Numbers of a replica depend neither on how many replicas there are, nor on which
// ladders stand beside, nor on what was drawn in other iterations or by its stream alone.
func TestLanesDoNotDependOnEachOther(t *testing.T) {
	const replicas, most, fills = 37, 9, 18
	for d := range most + 1 {
		s := New(4, 2)
		all := map[int][]float64{}
		for _, k := range []int{32, 27, 13, 12, 11} {
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
			for _, k := range []int{11, 12, 13, 27, 32} {
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
	pace.Slow(t)
	const replicas, coordinates = 1000, 1000
	n := replicas * coordinates
	set := New(8, 1)
	lanes := func(s *Set) []float64 { return s.Lanes(replicas, Kernel).Normals(coordinates) }
	l := set.Lanes(replicas, Kernel)
	x := slices.Clone(l.Normals(coordinates))
	others := map[string][]float64{"fill": slices.Clone(l.Normals(coordinates)), "seed": lanes(New(9, 1)), "ladder": lanes(New(8, 2)),
		"purpose": New(8, 1).Lanes(replicas, Swap).Normals(coordinates)}
	for _, k := range []int{1, 2, 2 * ahead} {
		set.Begin(k)
		others[fmt.Sprint("iteration ", k)] = slices.Clone(l.Normals(coordinates))
	}
	var filled, alone []float64
	set.Begin(0)
	for range coordinates {
		filled = append(filled, l.Normals(1)...)
		for i := range replicas {
			alone = append(alone, l.Of(i).NormFloat64())
			l.Of(i).NormFloat64()
		}
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
	hold("product with a stream alone", 1, func(i int) float64 { return filled[i] * alone[i] })
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
