package expression

import "math"

// joints are log densities of several numbers together. Their arguments are k values, k means and the
// lower triangle of a k × k matrix m by rows. Of deviations off from the means they make pivots, which are
// positive where there is a density, halves of squares, and half the logarithm of the determinant.
var joints = map[string]func(g *graph, off []int32, m func(i, j int) int32) (pivots, half []int32, log int32){
	"multi_normal_lpdf": covaried, "multi_normal_cholesky_lpdf": factored,
}

// width is k of a joint density that has so many arguments; 0 if none has.
func width(arguments int) int {
	for k := 1; triangle(k)+2*k <= arguments; k++ {
		if triangle(k)+2*k == arguments {
			return k
		}
	}
	return 0
}

// triangle is how many entries the lower triangle of a k × k matrix has.
func triangle(k int) int { return k * (k + 1) / 2 }

// joint is the function of the language that a density of several numbers is: −∞ where a pivot is not
// positive.
func joint(name string) function {
	return function{3, 0, func(g *graph, a []int32) int32 {
		k := width(len(a))
		off := make([]int32, k)
		for i := range off {
			off[i] = g.op(opSub, a[i], a[k+i])
		}
		pivots, half, log := joints[name](g, off, func(i, j int) int32 { return a[2*k+triangle(i)+j] })
		v := g.constant(-float64(k) * math.Log(2*math.Pi) / 2)
		for _, of := range half {
			v = g.op(opSub, v, of)
		}
		v = g.op(opSub, v, log)
		for i := k - 1; i >= 0; i-- { // the first that is not positive leaves others undefined
			v = g.op(opSelect, pivots[i], g.constant(0), g.constant(math.Inf(-1)), v)
		}
		return v
	}}
}

// factored is of a Cholesky factor L: half the squares of the solution of L z = off.
func factored(g *graph, off []int32, l func(i, j int) int32) (pivots, half []int32, log int32) {
	log = g.constant(0)
	var z []int32
	for i, v := range off {
		for j, of := range z {
			v = g.op(opSub, v, g.op(opMul, l(i, j), of))
		}
		v = g.op(opDiv, v, l(i, i))
		z, half = append(z, v), append(half, g.op(opMul, g.constant(0.5), g.power(v, 2)))
		pivots, log = append(pivots, l(i, i)), g.op(opAdd, log, g.op(opLog, l(i, i)))
	}
	return pivots, half, log
}

// covaried is of a covariance S = U D Uᵀ, with ones on the diagonal of the triangle U: half the squares
// of the solution of U z = off over D.
func covaried(g *graph, off []int32, s func(i, j int) int32) (pivots, half []int32, log int32) {
	log = g.constant(0)
	var z []int32
	u := make([][]int32, len(off))
	for i, v := range off {
		d := s(i, i)
		for j, of := range z {
			w := s(i, j) // U_ij·D_j
			for k, by := range u[j] {
				w = g.op(opSub, w, g.op(opMul, g.op(opMul, u[i][k], pivots[k]), by))
			}
			u[i] = append(u[i], g.op(opDiv, w, pivots[j]))
			v = g.op(opSub, v, g.op(opMul, u[i][j], of))
			d = g.op(opSub, d, g.op(opMul, w, u[i][j]))
		}
		z, pivots = append(z, v), append(pivots, d)
		half = append(half, g.op(opDiv, g.op(opMul, g.constant(0.5), g.power(v, 2)), d))
		log = g.op(opAdd, log, g.op(opMul, g.constant(0.5), g.op(opLog, d)))
	}
	return pivots, half, log
}
