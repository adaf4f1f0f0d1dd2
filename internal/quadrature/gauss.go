package quadrature

import (
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

// maxRule is the largest number of points of a rule.
const maxRule = 24

// A rule is a Gauss–Legendre rule on [0, 1].
type rule struct{ x, w []float64 }

// rules are all of them, computed once; number n has n points.
var rules = sync.OnceValue(func() *[maxRule + 1]rule {
	var all [maxRule + 1]rule
	for n := 1; n <= maxRule; n++ {
		x, w := make([]float64, n), make([]float64, n)
		quad.Legendre{}.FixedLocations(x, w, 0, 1)
		all[n] = rule{x, w}
	}
	return &all
})

func gauss(n int) rule { return rules()[n] }
