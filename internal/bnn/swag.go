package bnn

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/stream"
)

// A gaussian is SWAG's: fitted to iterates by their mean, their variances and their
// last deviations (Maddox et al. 2019, section 3.2).
type gaussian struct {
	Count        int
	Mean, Square []float64   // of iterates and of their squares, per parameter
	Columns      [][]float64 // iterates less the mean at their time, the last K
}

// add takes note of an iterate.
func (g *gaussian) add(theta []float64, rank int) {
	if g.Count == 0 {
		g.Mean, g.Square = make([]float64, len(theta)), make([]float64, len(theta))
	}
	g.Count++
	w := 1 / float64(g.Count)
	column := make([]float64, len(theta))
	for i, x := range theta {
		g.Mean[i] += w * (x - g.Mean[i])
		g.Square[i] += w * (x*x - g.Square[i])
		column[i] = x - g.Mean[i]
	}
	if len(g.Columns) == rank {
		g.Columns = slices.Delete(g.Columns, 0, 1)
	}
	g.Columns = append(g.Columns, column)
}

// draw writes a draw of N(mean, scale·(½ Σ_diag + D Dᵀ/(2(K−1)))) into dst.
func (g *gaussian) draw(dst []float64, scale float64, rng *stream.Rand) {
	for i := range dst {
		variance := max(0, g.Square[i]-g.Mean[i]*g.Mean[i])
		dst[i] = g.Mean[i] + math.Sqrt(scale*variance/2)*rng.NormFloat64()
	}
	low := math.Sqrt(scale / (2 * float64(len(g.Columns)-1)))
	for _, column := range g.Columns {
		z := low * rng.NormFloat64()
		for i, d := range column {
			dst[i] += z * d
		}
	}
}
