package r2sgld_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// N(−1, 0.5²) on [0, 1] has the mean 0.185317 (of a normal variable Z beyond 2 and
// below 4: −1 + ½ (φ(2) − φ(4))/(Φ(4) − Φ(2))), which reflected MALA finds within 0.001
// at steps of 0.1 to 1.5, at the longest of which most proposals cross both walls: five
// standard errors, 6e-7. The density of the way back at the folded displacement is off
// by up to 0.029, no acceptance by more.
func TestMALAOfATruncatedNormal(t *testing.T) {
	pace.Slow(t)
	phi := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	want := -1 + 0.5*(phi(2)-phi(4))/(cdf(4)-cdf(2))
	if math.Abs(want-0.185317) > 1e-6 {
		t.Fatal(want)
	}
	p := r2sgld.Problem{Potential: quadratic([]float64{-1}, [][]float64{{4}}), Domain: must(domain.NewBox([]float64{0}, []float64{1}))}
	const ladders, burn = 48, 200
	for _, run := range []struct {
		step float64
		n    int
	}{{0.1, 45_000}, {0.3, 190_000}, {0.7, 210_000}, {1.5, 230_000}} {
		n := longer(run.n)
		means := make([]float64, ladders)
		res := sample(t, p, r2sgld.Settings{Seed: 9, Ladders: ladders, Iterations: burn + n, BurnIn: burn + n - 1, StepSize: []float64{run.step},
			Kernel: kernel.HMC{Leapfrog: 1},
			Hooks: r2sgld.Hooks{Recorder: func(l int) r2sgld.Recorder {
				return watch(func(k int, b *kernel.Block) {
					if k > burn {
						means[l] += b.X[0] / float64(n)
					}
				})
			}}})
		mean, se := meanOf(means)
		t.Logf("step %g: mean %.6f ± %.6f (4 standard errors), %.2f accepted", run.step, mean, 4*se, res.Acceptance())
		if !(5*se < 0.001) {
			t.Errorf("step %g: the standard error %.6f is too large for the tolerance", run.step, se)
		}
		if !(math.Abs(mean-want) < 0.001) || !(math.Abs(mean-want) < student(ladders)*se) {
			t.Errorf("step %g: mean %.6f ± %.6f, want %.6f", run.step, mean, se, want)
		}
	}
}

// A square counts draws on [−1, 1]²: the mean of x² over both coordinates, and how often
// a coordinate is beyond 0.99.
type square struct{ n, sum, beyond float64 }

func (s *square) add(x, y float64) {
	s.n++
	s.sum += (x*x + y*y) / 2
	if math.Abs(x) > 0.99 {
		s.beyond += 0.5
	}
	if math.Abs(y) > 0.99 {
		s.beyond += 0.5
	}
}

// holds reports whether E x² is that of the uniform law within 4e-4 and P(|x| > 0.99)
// within 3 %. Draws that are independent have standard errors of sqrt(2/45/n) and, of
// the share, sqrt(0.99/0.02/n): with n = 7·10⁶ these are 5.0 and 11 of them, 6e-7.
func (s *square) holds() bool {
	return math.Abs(s.sum/s.n-1./3) < 4e-4 && math.Abs(s.beyond/s.n-0.01) < 0.03*0.01
}

// The uniform law on [−1, 1]² as a box, which folds, and turned as a polytope, which
// follows the path, with steps of standard deviation 1. A billiard that turns at 0.995 of the way to
// the wall does not keep it by far: neither number, with a tenth of the draws.
func TestUniformSquareToTheWall(t *testing.T) {
	pace.Slow(t)
	const ladders = 7
	for name, angle := range map[string]float64{"box": 0, "polytope": 0.3} {
		sin, cos := math.Sincos(angle)
		d := must(domain.NewBox([]float64{-1, -1}, []float64{1, 1}))
		if angle != 0 {
			d = must(domain.NewPolytope([][]float64{{cos, sin}, {-cos, -sin}, {-sin, cos}, {sin, -cos}}, []float64{1, 1, 1, 1}, nil))
		}
		var each [ladders]square
		n := longer(1_000_000)
		res := sample(t, r2sgld.Problem{Potential: flat(2), Domain: d}, r2sgld.Settings{Seed: 2, Ladders: ladders, Iterations: n, BurnIn: n - 1,
			StepSize: []float64{0.5}, Kernel: kernel.HMC{Leapfrog: 1},
			Hooks: r2sgld.Hooks{Recorder: func(l int) r2sgld.Recorder {
				return watch(func(_ int, b *kernel.Block) { each[l].add(cos*b.X[0]+sin*b.X[b.Stride], cos*b.X[b.Stride]-sin*b.X[0]) })
			}}})
		var all square
		for _, s := range each {
			all = square{all.n + s.n, all.sum + s.sum, all.beyond + s.beyond}
		}
		t.Logf("%s: E x² − 1/3 is %+.6f, P(|x| > 0.99) is %.6f, %d mirrorings", name, all.sum/all.n-1./3, all.beyond/all.n,
			res.Tally(0).Reflections)
		if !all.holds() || all.n != float64(ladders*n) {
			t.Errorf("%s: E x² is %.6f, P(|x| > 0.99) %.6f, of %g draws", name, all.sum/all.n, all.beyond/all.n, all.n)
		}
	}
	short := shortOfTheWall(700_000)
	t.Logf("turning at 0.995: E x² − 1/3 is %+.6f, P(|x| > 0.99) is %.6f", short.sum/short.n-1./3, short.beyond/short.n)
	if math.Abs(short.sum/short.n-1./3) < 2*4e-4 || math.Abs(short.beyond/short.n-0.01) < 2*0.03*0.01 {
		t.Error("a billiard that turns short of the wall passes")
	}
}

// shortOfTheWall are n draws of a billiard with exponential lengths of mean 2√2, which
// turns at 0.995 of the way to each wall.
func shortOfTheWall(n int) square {
	rng := rand.New(rand.NewPCG(3, 5))
	var s square
	x := [2]float64{}
	for range n {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		v, left := [2]float64{cos, sin}, 2*math.Sqrt2*rng.ExpFloat64()
		for {
			wall, way := -1, left
			for j := range x {
				if t := (math.Copysign(1, v[j]) - x[j]) / v[j]; t < way {
					wall, way = j, t
				}
			}
			if wall < 0 {
				break
			}
			way *= 0.995
			for j := range x {
				x[j] += way * v[j]
			}
			left -= way
			v[wall] = -v[wall]
		}
		for j := range x {
			x[j] += left * v[j]
		}
		s.add(x[0], x[1])
	}
	return s
}
