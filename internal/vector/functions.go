package vector

import "github.com/r2sgld/r2sgld/internal/vector/lane"

// A kernel does n lanes and returns how many: all, or those before a vector with an
// argument that it leaves to package lane.
type (
	unary      func(dst, a *float64, n int) int
	twofold    func(dst, dst2, a *float64, n int) int
	binary     func(dst, a, b *float64, n int) int
	ternary    func(dst, a, b, c *float64, n int) int
	quaternary func(dst, a, b, c, d *float64, n int) int
	random     func(dst, dst2 *float64, keys *uint64, n int, low, high uint64) int
	combining  func(dst, y, d, w *float64, k **float64, terms, n int)
)

// A table is the kernels of an instruction set; nil where it has none.
type table struct {
	add, sub, mul, div, minimum, maximum                                                           binary
	mulAdd, mulSub, subMul                                                                         ternary
	mulMulAdd, choose                                                                              quaternary
	neg, abs, sqrt, exp, expm1, sigmoid, softplus, tanh, log, log1p, sin, cos, tan, erf, erfc, phi unary
	normals, uniforms                                                                              random
	combine                                                                                        combining
	double                                                                                         products[float64]
	single, standard                                                                               products[float32]
	softplusSum                                                                                    func(dst, a, y, parts *float64, n int)
	sinCos, softplusSigmoid                                                                        twofold
	program                                                                                        func(code *uint8, n, lanes int) (done,
		at int)
	width int // lanes of a vector, a power of 2
}

// vectorLanes is how many lanes the longest vector has.
const vectorLanes = 8

func (k unary) run(dst, a []float64, of func(float64) float64) {
	n := len(dst)
	a = a[:n]
	for i := 0; i < n; {
		end := n
		if k != nil {
			i += k(&dst[i], &a[i], n-i)
			end = min(i+vectorLanes, n)
		}
		for ; i < end; i++ {
			dst[i] = of(a[i])
		}
	}
}

func (k twofold) run(dst, dst2, a []float64, of func(float64) (x, y float64)) {
	n := len(dst)
	dst2, a = dst2[:n], a[:n]
	for i := 0; i < n; {
		end := n
		if k != nil {
			i += k(&dst[i], &dst2[i], &a[i], n-i)
			end = min(i+vectorLanes, n)
		}
		for ; i < end; i++ {
			dst[i], dst2[i] = of(a[i])
		}
	}
}

// Exp writes e^a.
func Exp(dst, a []float64) { kernels.exp.run(dst, a, lane.Exp) }

// Expm1 writes e^a − 1.
func Expm1(dst, a []float64) { kernels.expm1.run(dst, a, lane.Expm1) }

// Sigmoid writes 1/(1 + e^-a).
func Sigmoid(dst, a []float64) { kernels.sigmoid.run(dst, a, lane.Sigmoid) }

// Softplus writes log(1 + e^a).
func Softplus(dst, a []float64) { kernels.softplus.run(dst, a, lane.Softplus) }

// Tanh writes the hyperbolic tangents of a.
func Tanh(dst, a []float64) { kernels.tanh.run(dst, a, lane.Tanh) }

// Log writes the natural logarithms of a.
func Log(dst, a []float64) { kernels.log.run(dst, a, lane.Log) }

// Log1p writes log(1 + a).
func Log1p(dst, a []float64) { kernels.log1p.run(dst, a, lane.Log1p) }

// Sin writes the sines of a.
func Sin(dst, a []float64) { kernels.sin.run(dst, a, lane.Sin) }

// Cos writes the cosines of a.
func Cos(dst, a []float64) { kernels.cos.run(dst, a, lane.Cos) }

// Tan writes the tangents of a.
func Tan(dst, a []float64) { kernels.tan.run(dst, a, lane.Tan) }

// SinCos writes sines and cosines; both differ, and either may be a.
func SinCos(sin, cos, a []float64) { kernels.sinCos.run(sin, cos, a, lane.SinCos) }

// SoftplusSigmoid writes what Softplus and Sigmoid do, as SinCos.
func SoftplusSigmoid(softplus, sigmoid, a []float64) {
	kernels.softplusSigmoid.run(softplus, sigmoid, a, lane.SoftplusSigmoid)
}

// Erf writes the error functions of a.
func Erf(dst, a []float64) { kernels.erf.run(dst, a, lane.Erf) }

// Erfc writes 1 − Erf.
func Erfc(dst, a []float64) { kernels.erfc.run(dst, a, lane.Erfc) }

// Phi writes the distribution functions of a standard normal number at a.
func Phi(dst, a []float64) { kernels.phi.run(dst, a, lane.Phi) }
