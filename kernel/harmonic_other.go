//go:build !amd64

package kernel

func products(a, b, panel, x, y []float64) { productsOneByOne(a, b, panel, x, y) }

func advance(slack, rate, h, row []float64, r rotation, c float64) {
	advanceOneByOne(slack, rate, h, row, r, c)
}

func near(slack, rate, h []float64, i int, twice float64) int {
	return nearOneByOne(slack, rate, h, i, twice)
}
