package modes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// mixture of round normals.
func round(mean [][]float64, sd, weight []float64) potential.Potential {
	d := len(mean[0])
	return potential.Func(d, func(grad, x []float64) float64 {
		logs := make([]float64, len(mean))
		top := math.Inf(-1)
		for k, m := range mean {
			q := 0.0
			for j := range x {
				q += (x[j] - m[j]) * (x[j] - m[j])
			}
			logs[k] = math.Log(weight[k]) - q/(2*sd[k]*sd[k]) - float64(d)*math.Log(sd[k]*math.Sqrt(2*math.Pi))
			top = max(top, logs[k])
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		clear(grad)
		for k, m := range mean {
			r := math.Exp(logs[k]-top) / sum
			for j := range x {
				grad[j] += r * (x[j] - m[j]) / (sd[k] * sd[k])
			}
		}
		return -top - math.Log(sum)
	})
}

// What a fit says of the share of every mode is what the mode has, by quadrature, though parts
// of weak modes move to where the density is: as near as a binomial law of the effective draws
// allows (Bernstein's inequality, 1e-7).
//
// Mutants: what parts have in place of what modes have.
func TestFitTellsOfModes(t *testing.T) {
	u := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = x[0] + 5*math.Cos(5*x[0])
		return x[0]*x[0]/2 + math.Sin(5*x[0])
	})
	rng := rand.New(rand.NewPCG(1, 2))
	target := Target{Energy: u, Width: []float64{1}, Threads: 1, Flat: 1}
	s, err := Find(t.Context(), target, func(x []float64) error { x[0] = 10*rng.Float64() - 5; return nil }, 400, 400, 0)
	if err != nil || len(s.Modes) < 6 {
		t.Fatalf("%+v, %v", s, err)
	}
	f, err := s.Fit(t.Context(), target, rng)
	if err != nil {
		t.Fatal(err)
	}
	var laws Mixture
	for _, m := range s.Modes[:len(f.Basin)] {
		laws.Parts = append(laws.Parts, Part{Weight: math.Exp(m.Log - s.Modes[0].Log), Center: m.X, L: m.L})
	}
	want, sum := make([]float64, len(f.Basin)), 0.0
	for x := -10.0; x < 10; x += 1e-3 {
		p := math.Exp(-x*x/2 - math.Sin(5*x))
		want[laws.Owner([]float64{x})] += p
		sum += p
	}
	effective := fitDraws * f.Share
	for k, p := range want {
		p /= sum
		if off := math.Abs(f.Basin[k] - p); !(off < 6*math.Sqrt(p/effective)+6/effective) {
			t.Errorf("the mode at %.3f has %.4f of the density, and is told to have %.4f", s.Modes[k].X[0], p, f.Basin[k])
		}
	}
}

// A law that is skewed in 40 coordinates has little in common with the normal law at its mode, of
// whose draws a few have nearly all of the weight. In the geometric mean of 16 fits a draw is worth
// 0.4 of what one of the normal law is with the means of the density, and its variances as much wider
// as those of parts are; log Z is within six errors; both by quadrature. Where draws cannot be
// trusted there are as many as may be.
//
// Mutants: parts that few draws tell of are moved by these; rounds have no more draws.
func TestFitFarFromItsMode(t *testing.T) {
	const d = 40
	u := potential.Func(d, func(grad, x []float64) (e float64) {
		for j, v := range x {
			grad[j] = math.Exp(v) - 2 + v*v*v/10
			e += math.Exp(v) - 2*v + v*v*v*v/40
		}
		return e
	})
	var mass, first, second, over float64
	for x := -8.0; x < 8; x += 1e-3 {
		p := math.Exp(2*x-math.Exp(x)-x*x*x*x/40) * 1e-3
		mass, first, second = mass+p, first+p*x, second+p*x*x
	}
	mean := first / mass
	variance := (second/mass - mean*mean) * wider(d) * wider(d)
	for x := -8.0; x < 8; x += 1e-3 {
		p := math.Exp(2*x-math.Exp(x)-x*x*x*x/40) / mass
		over += p * p * math.Exp((x-mean)*(x-mean)/2/variance) * math.Sqrt(2*math.Pi*variance) * 1e-3
	}
	best := math.Pow(over, -d)
	target := Target{Energy: u, Width: slices.Repeat([]float64{1}, d), Threads: 1, Flat: 1}
	mostly := 0.0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s, err := Find(t.Context(), target, func(x []float64) error {
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			return nil
		}, 20, 20, 0)
		if err != nil || len(s.Modes) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
		f, err := s.Fit(t.Context(), target, rng)
		if err != nil || f == nil {
			t.Fatalf("%+v, %v", f, err)
		}
		if off := f.LogZ - d*math.Log(mass); !(math.Abs(off) < 6*f.SE) {
			t.Errorf("log Z is off by %.3f ± %.3f", off, f.SE)
		}
		if !(f.K < trusted) && f.draws < mostDraws {
			t.Errorf("a fit by %d draws has a Pareto shape of %.2f", f.draws, f.K)
		}
		mostly += math.Log(f.Share) / 16
	}
	if share := math.Exp(mostly); !(share > 0.4*best) {
		t.Errorf("%.4f of a draw is effective, of at best %.4f", share, best)
	} else {
		t.Logf("%.4f of a draw is effective, of at best %.4f", share, best)
	}
}

// From starts that fill a box, both modes of a mixture of a narrow and a wide normal law are
// found in 2 to 20 dimensions, at the places that they have, and with their masses by normal
// laws that the box narrows by 4 % a coordinate; the fitted law tells log Z, 0 but for the cut tails, within 6 standard errors.
//
// Mutants: a determinant left out, directions at walls that are not projected.
func TestFindTwo(t *testing.T) {
	pace.Slow(t)
	for _, d := range []int{2, 5, 10, 20} {
		a, b, lo, hi, w := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for j := range d {
			a[j], b[j], lo[j], hi[j], w[j] = 2, -2, -6, 6, 12/math.Sqrt(12)
		}
		box, err := domain.NewBox(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		target := Target{Energy: round([][]float64{a, b}, []float64{0.5, 1}, []float64{0.7, 0.3}), Domain: box, Width: w, Threads: 2, Flat: 1}
		s, err := Find(t.Context(), target, func(x []float64) error {
			for j := range x {
				x[j] = 12*rng.Float64() - 6
			}
			return nil
		}, 64, 1<<15, 90_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Modes) != 2 || math.Abs(s.Modes[0].X[0]-2) > 0.01 || math.Abs(s.Modes[1].X[0]+2) > 0.01 ||
			math.Abs(s.Modes[0].Log-math.Log(0.7)) > 0.05*float64(d) || math.Abs(s.Modes[1].Log-math.Log(0.3)) > 0.05*float64(d) {
			t.Fatalf("%d dimensions: %+v", d, s.Modes)
		}
		f, err := s.Fit(t.Context(), target, rng)
		if err != nil || !(math.Abs(f.LogZ) < 6*f.SE+1e-3) {
			t.Errorf("%d dimensions: log Z %.4f ± %.4f, %v", d, f.LogZ, f.SE, err)
		}
	}
}
