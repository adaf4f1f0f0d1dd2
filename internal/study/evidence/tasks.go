package evidence

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/integrate/quad"
)

// target is the standard error of log Z that runs of scale paper go on to.
const target = 0.03

// A task is what a problem asks for.
type task struct {
	id, name   string
	file       string // in examples/evidence, without its ending
	dim        int
	exact      float64
	logVolume  float64
	limit      float64 // CPU seconds that a run may take on average
	bounded    bool    // by more than the box: nested sampling in its usual use loses calls outside
	variables  []string
	potential  string
	domain     string // YAML
	derivation string // of the exact value
}

// tasks are the problems.
func tasks() []task {
	return []task{
		{id: "E1", name: "eggbox", file: "eggbox", dim: 2, exact: eggbox(), logVolume: 2 * math.Log(10*math.Pi), limit: 0.25,
			variables: []string{"x", "y"}, potential: "-(2 + cos(x/2)*cos(y/2))^5",
			domain: "  box: {x: [0, 31.41592653589793], y: [0, 31.41592653589793]}",
			derivation: "trapezoidal rule over a period in either coordinate, which is exact to rounding; 235.88, often quoted, is too large by " +
				"0.024"},
		{id: "E2", name: "25 modes on the flower", file: "flower", dim: 2, exact: petals(), logVolume: math.Log(flowerArea), limit: 0.1,
			bounded:   true,
			variables: []string{"x", "y"}, potential: "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5",
			domain:     "  flower: {petals: 5, offset: 3, radius: 2}",
			derivation: "polar quadrature: trapezoidal rule in the angle, Gauss–Legendre along the ray"},
		{id: "E3", name: "ordered Gaussian", file: "ordered", dim: 5, exact: orderedGaussian(), logVolume: math.Log(1e5 / 120), limit: 0.5,
			bounded:   true,
			variables: numbered(5), potential: "(x1^2 + x2^2 + x3^2 + x4^2 + x5^2)/2 + 2.5*log(2*pi)",
			domain:     "  constraints: [\"x1 > x2 > x3 > x4 > x5\"]\n  box: " + cube(5, 5),
			derivation: "closed form: by symmetry (2Φ(5) − 1)⁵/120 over the volume 10⁵/120"},
		shellsTask(2, 0.5), shellsTask(10, 3),
	}
}

// shellsTask is E4 in d dimensions.
func shellsTask(d int, limit float64) task {
	rest := ""
	for _, v := range numbered(d)[1:] {
		rest += " + " + v + "^2"
	}
	shell := func(sign string) string { return fmt.Sprintf("-50*(sqrt((x1 %s 3.5)^2%s) - 2)^2", sign, rest) }
	return task{id: fmt.Sprintf("E4-%d", d), name: fmt.Sprintf("two shells, D = %d", d), file: fmt.Sprintf("shells-%d", d), dim: d,
		exact:     shells(d),
		logVolume: float64(d) * math.Log(12), limit: limit, variables: numbered(d),
		potential: fmt.Sprintf("-logsumexp(%s, %s) + 0.5*log(0.02*pi)", shell("-"), shell("+")),
		domain:    "  box: " + cube(d, 6),
		derivation: "radial quadrature of one shell, twice; what lies beyond the wall, five widths away, and where the shells overlap is " +
			"below 10⁻⁶"}
}

// numbered are the names x1 to xd.
func numbered(d int) []string {
	names := make([]string, d)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i+1)
	}
	return names
}

// cube is the box [−half, half]^d in YAML.
func cube(d int, half float64) string {
	var sides []string
	for _, v := range numbered(d) {
		sides = append(sides, fmt.Sprintf("%s: [%g, %g]", v, -half, half))
	}
	return "{" + strings.Join(sides, ", ") + "}"
}

// text is the configuration that goes on until log Z is known to a standard error.
func (t *task) text(to float64) string {
	return fmt.Sprintf("name: %s\nvariables: [%s]\npotential: \"%s\"\ndomain:\n%s\nsampler: {method: auto, kernel: mala, until: {evidence: "+
		"%g}}\n",
		t.file, strings.Join(t.variables, ", "), t.potential, t.domain, to)
}

// eggbox is log of the mean of exp((2 + cos(x/2) cos(y/2))⁵) on [0, 10π]². Turning the
// sign of both cosines is a shift by half a period, so that the mean over five half
// periods is that over one, and that over a whole period.
func eggbox() float64 {
	const n = 400
	largest := math.Pow(3, 5)
	sum := 0.0
	for i := range n {
		for j := range n {
			c := math.Cos(2*math.Pi*float64(i)/n) * math.Cos(2*math.Pi*float64(j)/n)
			sum += math.Exp(math.Pow(2+c, 5) - largest)
		}
	}
	return largest + math.Log(sum/(n*n))
}

// flowerArea is ½∫ r(θ)² dθ, r(θ) = (2/3.5)(sin 5θ + 3).
const flowerArea = 9.5 * math.Pi * (2 / 3.5) * (2 / 3.5)

// petals is log of the mean of exp(−U) over the flower, U the bowl with 25 modes.
func petals() float64 {
	const angles, radii = 2000, 200
	t, w := make([]float64, radii), make([]float64, radii)
	quad.Legendre{}.FixedLocations(t, w, 0, 1)
	sum := 0.0
	for i := range angles {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / angles)
		end := 2 / 3.5 * (math.Sin(10*math.Pi*float64(i)/angles) + 3)
		for k := range t {
			r := end * t[k]
			u := (r*r/10 - math.Cos(2*math.Pi*r*cos) - math.Cos(2*math.Pi*r*sin)) / 0.5
			sum += math.Exp(-u) * r * end * w[k]
		}
	}
	return math.Log(sum * 2 * math.Pi / angles / flowerArea)
}

// orderedGaussian is log of the mean of the standard normal density over the points of
// [−5, 5]⁵ with falling coordinates.
func orderedGaussian() float64 {
	return 5*math.Log(math.Erf(5/math.Sqrt2)) - 5*math.Log(10)
}

// shells is log of the mean over [−6, 6]^d of two shells of radius 2 and width 0.1
// about (±3.5, 0, …): twice the area of the unit sphere times ∫ r^(d−1) φ((r−2)/0.1)/0.1 dr.
func shells(d int) float64 {
	const n = 4000 // from 9 widths below to 9 above, where the integrand ends
	sum := 0.0
	for i := range n + 1 {
		z := 18*float64(i)/n - 9
		sum += math.Pow(2+0.1*z, float64(d-1)) * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * 18 / n
	}
	gamma, _ := math.Lgamma(float64(d) / 2)
	sphere := math.Log(2) + float64(d)/2*math.Log(math.Pi) - gamma
	return math.Log(2) + sphere + math.Log(sum) - float64(d)*math.Log(12)
}
