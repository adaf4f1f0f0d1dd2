package multimodal

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/stream"
)

// ofTwoWells is a law of two unequal wells at x = ±1 on [-2, 2]², uniform in y, with its
// exact mean of x.
func ofTwoWells(t *testing.T) (p plan, mean float64) {
	t.Helper()
	s := shape{name: "wells", yaml: "{box: {x: [-2, 2], y: [-2, 2]}}"}
	p = plan{scene: &scene{shape: s}, method: "r-sgld", quiet: true, runs: 1, protocol: protocol{name: "law", iterations: 100, thin: 1},
		potential: "1.5*cos(pi*x) + 0.5*x"}
	var z float64
	const n = 100_000
	for i := range n {
		x := -2 + 4*(float64(i)+0.5)/n
		w := math.Exp(-1.5*math.Cos(math.Pi*x) - 0.5*x)
		z, mean = z+w, mean+w*x
	}
	return p, mean / z
}

// The weighted draws of contour SGLD and the cold draws of tempering have the exact law.
// Steps so small bias the mean by less than its error: both wells have nearly one curvature.
func TestWalkersHaveTheLaw(t *testing.T) {
	p, exact := ofTwoWells(t)
	run, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]func() walker{
		"contour":   func() walker { return newContour(0.002, -2.01, 2.5, 0.5, 0.1) },
		"tempering": func() walker { return &tempering{size: [2]float64{0.001, 0.001}} },
	} {
		const runs, iterations = 30, 60_000
		var means []float64
		for i := range runs {
			c, err := newChain(run, stream.New(7, i))
			if err != nil {
				t.Fatal(err)
			}
			x, weights, err := c.follow(t.Context(), of(), iterations)
			if err != nil {
				t.Fatal(err)
			}
			if share := float64(len(weights)) / iterations; name == "tempering" && math.Abs(share-0.5) > 0.1 {
				t.Errorf("tempering: a share of %g is cold, where the weights learnt keep it at a half", share)
			}
			from := len(weights) / 5
			var sum, total float64
			for j := from; j < len(weights); j++ {
				sum, total = sum+weights[j]*x[2*j], total+weights[j]
			}
			means = append(means, sum/total)
			if math.Abs(x[len(x)-1]) > 2 {
				t.Fatalf("%s: a draw outside", name)
			}
			again := resampled(x[2*from:], weights[from:], 0.5)
			mean := 0.0
			for j := 0; j < len(again); j += 2 {
				mean += again[j] / float64(len(again)/2)
			}
			if math.Abs(mean-sum/total) > 0.005 || len(again) < len(x[2*from:])-2 {
				t.Errorf("%s: mean %g of %d draws resampled, %g of %d weighted", name, mean, len(again)/2, sum/total, len(weights)-from)
			}
		}
		m := significance.MeanSEOf(means)
		// t of 29 degrees of freedom beyond 6.1: once in a million.
		if math.Abs(m.Mean-exact) > 6.1*m.SE || m.SE > 0.1 {
			t.Errorf("%s: mean %g ± %g, exactly %g", name, m.Mean, m.SE, exact)
		}
	}
}

// A contour learns Ψ with which the law exp(−U)/Ψ(U) has equal masses in all bins, and
// draws weighted by Ψ have the law exp(−U).
func TestContourLearns(t *testing.T) {
	p, _ := ofTwoWells(t)
	p.potential = "(x^2 + y^2)/2"
	run, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	w := newContour(0.005, 0, 4, 0.5, 1)
	c, err := newChain(run, stream.New(9, 0))
	if err != nil {
		t.Fatal(err)
	}
	x, weights, err := c.follow(t.Context(), w, 300_000)
	if err != nil {
		t.Fatal(err)
	}
	masses := make([]float64, len(w.theta))
	const n = 1000
	var z, exact, total float64
	for i := range n {
		for j := range n {
			x, y := -2+4*(float64(i)+0.5)/n, -2+4*(float64(j)+0.5)/n
			u := (x*x + y*y) / 2
			m := math.Exp(-u) / w.psi(u)
			masses[w.bin(u)] += m
			total += m
			z, exact = z+math.Exp(-u), exact+u*math.Exp(-u)
		}
	}
	for i, m := range masses {
		if share := m / total * float64(len(masses)); share < 0.7 || share > 1.3 {
			t.Errorf("bin %d has %g times its share, θ %.3g", i, share, w.theta)
		}
	}
	var sum, all, bare float64
	for i, weight := range weights {
		u := (x[2*i]*x[2*i] + x[2*i+1]*x[2*i+1]) / 2
		sum, all, bare = sum+weight*u, all+weight, bare+u/float64(len(weights))
	}
	// 300,000 steps of 0.005 are 1,500 relaxation times: the mean of U, about 0.73, is known
	// to 0.03; draws that weigh alike have about 1.9.
	if mean := sum / all; math.Abs(mean-exact/z) > 0.15 || bare < 1.2 {
		t.Errorf("mean U %g weighted, %g not, exactly %g", mean, bare, exact/z)
	}
}
