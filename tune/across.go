package tune

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

const (
	acrossPoints = 64 // at which the thickness of a domain is measured
	// crossings is how many times the thickness of the domain the noise of a step is at
	// most. Where walls are near each other everywhere, as those of a ring, no bounds and
	// no variances tell; longer steps would be mirrored hundreds of times.
	crossings = 4
)

// across returns straight lines through the first points of x, n × d, which lie in the
// bounded domain dom: each from wall to wall, along the normal of the wall that a random
// direction leads to.
func across(dom domain.Domain, x []float64, rng *rand.Rand) [][]float64 {
	d := dom.Dim()
	lo, hi := domain.BoundsOf(dom, d)
	long := 0.0
	for j := range lo {
		long = math.Hypot(long, hi[j]-lo[j])
	}
	var lines [][]float64
	tr, n, v := dom.Tracer(), make([]float64, d), make([]float64, d)
	exit := func(x []float64, length float64) (float64, domain.Wall) {
		for j := range v {
			v[j] = length * n[j]
		}
		t, w := tr.Exit(x, v, domain.None)
		return t * length, w
	}
	for i := 0; i+d <= min(len(x), acrossPoints*d); i += d {
		at := x[i : i+d]
		for j := range n {
			n[j] = rng.NormFloat64()
		}
		normalise(n)
		t, w := exit(at, long)
		if w == domain.None {
			continue
		}
		for j := range v {
			v[j] = at[j] + t*n[j]
		}
		tr.Normal(n, v, w)
		ahead, w := exit(at, long)
		behind, u := exit(at, -long)
		if length := ahead - behind; w != domain.None && u != domain.None && length-length == 0 {
			for j := range n {
				n[j] *= length
			}
			lines = append(lines, slices.Clone(n))
		}
	}
	return lines
}

// thickness is the median length of lines in the coordinates of w; +Inf of none.
func thickness(lines [][]float64, w *r2sgld.Whitening) float64 {
	lengths := []float64{math.Inf(1)}
	for _, v := range lines {
		if w != nil {
			var z mat.VecDense
			if z.SolveVec(w.Matrix(), mat.NewVecDense(len(v), v)) != nil {
				return narrow
			}
			v = z.RawVector().Data
		}
		length := 0.0
		for _, c := range v {
			length = math.Hypot(length, c)
		}
		lengths = append(lengths, length)
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}
