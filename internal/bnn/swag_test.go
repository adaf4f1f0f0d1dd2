package bnn

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/stream"
)

// iterates are n points of d coordinates.
func iterates(n, d int) [][]float64 {
	rng := stream.New(3, 0).Of(0, stream.Start)
	x := make([][]float64, n)
	for t := range x {
		x[t] = make([]float64, d)
		for i := range x[t] {
			x[t][i] = float64(i) + float64(i+1)*rng.NormFloat64()
		}
	}
	return x
}

// SWAG's moments are those of all iterates, its columns the last deviations from the
// mean at their time. The 1e-12 kill moments with another divisor.
func TestSWAGMoments(t *testing.T) {
	const n, d, rank = 9, 4, 5
	x := iterates(n, d)
	var g gaussian
	for _, theta := range x {
		g.add(theta, rank)
	}
	for i := range d {
		sum, squares := 0.0, 0.0
		for step, theta := range x {
			sum += theta[i]
			squares += theta[i] * theta[i]
			if k := step - (n - rank); k >= 0 {
				if want := theta[i] - sum/float64(step+1); math.Abs(g.Columns[k][i]-want) > 1e-12 {
					t.Errorf("deviation %d of parameter %d is %g instead of %g", k, i, g.Columns[k][i], want)
				}
			}
		}
		if math.Abs(g.Mean[i]-sum/n) > 1e-12 || math.Abs(g.Square[i]-squares/n) > 1e-11 {
			t.Errorf("moments of parameter %d are %g and %g instead of %g and %g", i, g.Mean[i], g.Square[i], sum/n, squares/n)
		}
	}
	if g.Count != n || len(g.Columns) != rank {
		t.Errorf("%d iterates, %d columns", g.Count, len(g.Columns))
	}
}

// Draws have mean and covariance scale·(½ Σ_diag + D Dᵀ/(2(K−1))): the covariance of m
// draws is estimated with standard deviation sqrt((c_ii c_jj + c_ij²)/m), so that |z| <
// 5.3 has a false alarm below 1.2e-7 for each of 14 numbers. Kills a divisor K, which is
// off by 12 % at z ≈ 8 for K = 5, and a covariance without its half.
func TestSWAGDraws(t *testing.T) {
	const n, d, rank, m, scale = 9, 4, 5, 40_000, 0.7
	var g gaussian
	for _, theta := range iterates(n, d) {
		g.add(theta, rank)
	}
	var want, second [d][d]float64
	for i := range d {
		want[i][i] = scale / 2 * (g.Square[i] - g.Mean[i]*g.Mean[i])
		for j := range d {
			for _, column := range g.Columns {
				want[i][j] += scale * column[i] * column[j] / (2 * (rank - 1))
			}
		}
	}
	rng := stream.New(4, 0).Of(0, fitted)
	theta, mean := make([]float64, d), make([]float64, d)
	for range m {
		g.draw(theta, scale, rng)
		for i := range d {
			mean[i] += (theta[i] - g.Mean[i]) / m
			for j := range d {
				second[i][j] += (theta[i] - g.Mean[i]) * (theta[j] - g.Mean[j]) / m
			}
		}
	}
	for i := range d {
		if z := mean[i] / math.Sqrt(want[i][i]/m); math.Abs(z) > 5.3 {
			t.Errorf("mean of parameter %d is off by z = %.1f", i, z)
		}
		for j := range i + 1 {
			sd := math.Sqrt((want[i][i]*want[j][j] + want[i][j]*want[i][j]) / m)
			if z := (second[i][j] - want[i][j]) / sd; math.Abs(z) > 5.3 {
				t.Errorf("covariance of %d and %d is %g instead of %g: z = %.1f", i, j, second[i][j], want[i][j], z)
			}
		}
	}
}

// An index holds at most so many sweeps, evenly spread from the first on.
func TestIndexIsBounded(t *testing.T) {
	x := Index{Stride: 1}
	for k := 1; k <= 5*mostNotes; k++ {
		x.note(3*k, []int{k, 0})
		if len(x.Iteration) > mostNotes || len(x.Iteration) != len(x.Rung) {
			t.Fatalf("%d sweeps are held", len(x.Iteration))
		}
	}
	if x.Stride != 8 || x.Sweeps != 5*mostNotes {
		t.Errorf("stride %d after %d sweeps", x.Stride, x.Sweeps)
	}
	for i, k := range x.Iteration {
		if k != 3*(1+i*x.Stride) || x.Rung[i][0] != k/3 {
			t.Fatalf("entry %d is that of iteration %d, replica on %d", i, k, x.Rung[i][0])
		}
	}
}
