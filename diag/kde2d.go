package diag

import (
	"math"
	"slices"
)

// A Density2D is a density estimate on a plane grid: F[i][j] at (X[i], Y[j]).
type Density2D struct {
	X, Y       []float64
	F          [][]float64
	BandwidthX float64
	BandwidthY float64
}

// Bounds are the least and largest value of a coordinate, ∓Inf where it has none.
type Bounds struct{ Lo, Hi float64 }

// KDE2D returns a Gaussian product kernel density estimate at points × points
// places, with reflection at the sides of the rectangle bx × by as in KDE. Each
// bandwidth is that of KDE times n^(1/5-1/6), the rate for the plane. The
// internal grid has at most 1,024 cells a side. X, Y and F are nil where KDE
// would have no answer or x and y differ in length.
func KDE2D(x, y []float64, bx, by Bounds, points int) Density2D {
	flatter := math.Pow(float64(len(x)), 1./5-1./6)
	d := Density2D{BandwidthX: Bandwidth(x) * flatter, BandwidthY: Bandwidth(y) * flatter}
	if len(x) != len(y) || math.IsNaN(d.BandwidthX+d.BandwidthY) || !(bx.Lo < bx.Hi) || !(by.Lo < by.Hi) || points < 2 {
		return d
	}
	gx := newGrid(slices.Min(x), slices.Max(x), bx.Lo, bx.Hi, d.BandwidthX, points, maxCells2D)
	gy := newGrid(slices.Min(y), slices.Max(y), by.Lo, by.Hi, d.BandwidthY, points, maxCells2D)
	if !gx.usable() || !gy.usable() {
		return d
	}
	rows := make([][]float64, gx.cells+1)
	for i := range rows {
		rows[i] = make([]float64, gy.cells+1)
	}
	for k, v := range x {
		i, u := gx.locate(v)
		j, w := gy.locate(y[k])
		rows[i][j] += (1 - u) * (1 - w)
		rows[i][j+1] += (1 - u) * w
		rows[i+1][j] += u * (1 - w)
		rows[i+1][j+1] += u * w
	}
	d.X, d.Y = gx.places(points), gy.places(points)
	d.F = smoothPlane(rows, gx, gy, points, float64(len(x)))
	return d
}

// smoothPlane smooths along y, then along x for the columns asked for.
func smoothPlane(rows [][]float64, gx, gy grid, points int, n float64) [][]float64 {
	f := make([][]float64, points)
	for i := range f {
		f[i] = make([]float64, points)
	}
	alongY, alongX := newSmoother(gy), newSmoother(gx)
	for _, row := range rows {
		alongY.apply(row)
	}
	column := make([]float64, gx.cells+1)
	for j := range points {
		for i, row := range rows {
			column[i] = row[j*(gy.cells/(points-1))]
		}
		alongX.apply(column)
		for i := range points {
			f[i][j] = column[i*(gx.cells/(points-1))] / n
		}
	}
	return f
}
