package kernel

import "golang.org/x/sys/cpu"

// products is productsOneByOne, bit for bit, four products at a time where the
// processor can.
func products(a, b, panel, x, y []float64) {
	if !cpu.X86.HasAVX || len(x) == 0 || len(a) == 0 {
		productsOneByOne(a, b, panel, x, y)
		return
	}
	n := len(a) / panelRows * panelRows
	_, _, _, _ = a[n-1], b[n-1], panel[n*len(x)-1], y[len(x)-1]
	productsAVX(&a[0], &b[0], &panel[0], &x[0], &y[0], n/panelRows, len(x))
}

// advance is advanceOneByOne, bit for bit.
func advance(slack, rate, h, row []float64, r rotation, c float64) {
	n := len(slack)
	if !cpu.X86.HasAVX || n == 0 || n%panelRows != 0 {
		advanceOneByOne(slack, rate, h, row, r, c)
		return
	}
	_, _, _ = rate[n-1], h[n-1], row[n-1]
	advanceAVX(&slack[0], &rate[0], &h[0], &row[0], n, r.cos, r.sin, r.versine, c)
}

// near is nearOneByOne.
func near(slack, rate, h []float64, i int, twice float64) int {
	n := len(slack)
	if !cpu.X86.HasAVX || i >= n || i%nearWalls != 0 || n%nearWalls != 0 {
		return nearOneByOne(slack, rate, h, i, twice)
	}
	_, _ = rate[n-1], h[n-1]
	return nearAVX(&slack[0], &rate[0], &h[0], i, n, twice)
}

// The three know no bounds; they take whole panels.
//
//go:noescape
func productsAVX(a, b, panel, x, y *float64, panels, d int)

//go:noescape
func advanceAVX(slack, rate, h, row *float64, n int, cos, sin, versine, c float64)

//go:noescape
func nearAVX(slack, rate, h *float64, i, n int, twice float64) int
