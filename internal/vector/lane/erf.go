package lane

import "math"

// ErfEdges are the magnitudes from which the regions of the error functions but the first
// reach, and that beyond which they change no more. ErfOne is what erf is near 1.
var ErfEdges = [4]float64{0.84375, 1.25, 1 / 0.35, 28}

const ErfOne = 8.45062911510467529297e-01

// ErfP and ErfQ are the coefficients of numerators and denominators from s_erf.c: of the
// same power in a row, of the same region in a column.
var ErfP = [8][4]float64{
	{1.28379167095512558561e-01, -2.36211856075265944077e-03, -9.86494403484714822705e-03, -9.86494292470009928597e-03},
	{-3.25042107247001499370e-01, 4.14856118683748331666e-01, -6.93858572707181764372e-01, -7.99283237680523006574e-01},
	{-2.84817495755985104766e-02, -3.72207876035701323847e-01, -1.05586262253232909814e+01, -1.77579549177547519889e+01},
	{-5.77027029648944159157e-03, 3.18346619901161753674e-01, -6.23753324503260060396e+01, -1.60636384855821916062e+02},
	{-2.37630166566501626084e-05, -1.10894694282396677476e-01, -1.62396669462573470355e+02, -6.37566443368389627722e+02},
	{0, 3.54783043256182359371e-02, -1.84605092906711035994e+02, -1.02509513161107724954e+03},
	{0, -2.16637559486879084300e-03, -8.12874355063065934246e+01, -4.83519191608651397019e+02},
	{0, 0, -9.81432934416914548592e+00, 0},
}

var ErfQ = [9][4]float64{
	{1, 1, 1, 1},
	{3.97917223959155352819e-01, 1.06420880400844228286e-01, 1.96512716674392571292e+01, 3.03380607434824582924e+01},
	{6.50222499887672944485e-02, 5.40397917702171048937e-01, 1.37657754143519042600e+02, 3.25792512996573918826e+02},
	{5.08130628187576562776e-03, 7.18286544141962662868e-02, 4.34565877475229228821e+02, 1.53672958608443695994e+03},
	{1.32494738004321644526e-04, 1.26171219808761642112e-01, 6.45387271733267880336e+02, 3.19985821950859553908e+03},
	{-3.96022827877536812320e-06, 1.36370839120290507362e-02, 4.29008140027567833386e+02, 2.55305040643316442583e+03},
	{0, 1.19844998467991074170e-02, 1.08635005541779435134e+02, 4.74528541206955367215e+02},
	{0, 0, 6.57024977031928170135e+00, -2.24409524465858183362e+01},
	{0, 0, -6.04244152148580987438e-02, 0},
}

// An erfPart is what the error functions are made of: in the region below ErfEdges[0] they
// are x + x y, in the next one ErfOne + y, beyond 1 − tail.
type erfPart struct {
	region  int
	y, tail float64
}

// erfOf returns the parts for x; hi + lo is −x².
func erfOf(x, hi, lo float64) erfPart {
	a := abs(x)
	p := erfPart{region: 3}
	switch {
	case a < ErfEdges[0]:
		p.region = 0
	case a < ErfEdges[1]:
		p.region = 1
	case a < ErfEdges[2]:
		p.region = 2
	}
	square := float64(a * a)
	t := 1 / square
	switch p.region {
	case 0:
		t = square
	case 1:
		t = a - 1
	}
	over, under := ErfP[7][p.region], ErfQ[8][p.region]
	for i := 6; i >= 0; i-- {
		over = math.FMA(over, t, ErfP[i][p.region])
	}
	for i := 7; i >= 0; i-- {
		under = math.FMA(under, t, ErfQ[i][p.region])
	}
	p.y = over / under
	w := p.y - 0.5625
	u := hi + w
	p.tail = expOf(u, ((hi-u)+w)+lo) / a
	return p
}

// erfSquare confines x to where the error functions change, and returns −x² in two parts.
func erfSquare(x float64) (y, hi, lo float64) {
	if x > ErfEdges[3] {
		x = ErfEdges[3]
	}
	if x < -ErfEdges[3] {
		x = -ErfEdges[3]
	}
	hi = -float64(x * x)
	return x, hi, math.FMA(-x, x, -hi)
}

// Erf returns the error function to less than 1.5 units.
func Erf(x float64) float64 {
	y, hi, lo := erfSquare(x)
	p := erfOf(y, hi, lo)
	switch p.region {
	case 0:
		return math.FMA(x, p.y, x)
	case 1:
		return math.Copysign(ErfOne+p.y, x)
	}
	return math.Copysign(1-p.tail, x)
}

// Erfc returns 1 − Erf(x) to less than 2 units.
func Erfc(x float64) float64 { return complement(erfSquare(x)) }

// complement is Erfc given −x² in two parts.
func complement(x, hi, lo float64) float64 {
	p := erfOf(x, hi, lo)
	switch {
	case p.region == 0 && x < 0.25:
		return 1 - math.FMA(x, p.y, x)
	case p.region == 0:
		return 0.5 - math.FMA(x, p.y, x-0.5)
	case p.region == 1 && x < 0:
		return 1 + (ErfOne + p.y)
	case p.region == 1:
		return (1 - ErfOne) - p.y
	case x < 0:
		return 2 - p.tail
	}
	return p.tail
}

// PhiEdge is beyond which Phi is 0 or 1, RootHalf and RootHalfRest are the parts of √½.
const (
	PhiEdge      = 39
	RootHalf     = 0.7071067811865476
	RootHalfRest = -4.833646656726457e-17
)

// Phi returns the distribution function of a standard normal number to less than 2 units.
func Phi(x float64) float64 {
	if x > PhiEdge {
		x = PhiEdge
	}
	if x < -PhiEdge {
		x = -PhiEdge
	}
	square := float64(x * x)
	y := x * -RootHalf
	lacks := math.FMA(-x, RootHalfRest, math.FMA(-x, RootHalf, -y))
	// A tail is over y with what y lacks.
	lo := math.FMA(-0.5, math.FMA(x, x, -square), -(lacks / y))
	return 0.5 * complement(y, -0.5*square, lo)
}
