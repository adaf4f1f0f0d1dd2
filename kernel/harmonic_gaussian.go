package kernel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// errNotGaussian says that a potential is not quadratic.
var errNotGaussian = errors.New("the potential is not quadratic, and the harmonic kernel is for Gaussians")

// errNarrow says that a Gaussian is narrower than the distance between numbers.
var errNarrow = errors.New("the Gaussian is too narrow")

// expansions is how often the mean is sought at most: where differences are wide, each time
// gives it some eight digits more, and the smallest number has 324 zeros.
const expansions = 48

// findGaussian returns the Gaussian that a potential without noise is. Mean and
// precision come from differences of its gradient, which are exact for a quadratic
// but for rounding, first about x (length d) and then about the mean, a standard
// deviation apart. The answer is held against energies and gradients at points up
// to 30 standard deviations from the mean and, where d is given, in its bounds and
// between them and the mean: they must agree to 1e-8, or to what is of no concern. It is
// a check at points, not a proof: where a potential differs elsewhere alone, replicas that
// come there find out (see [orbits]). It fails with errNotGaussian, and where the potential
// draws at random.
func findGaussian(u potential.Potential, d domain.Domain, x []float64) (*gaussian, error) {
	if _, noisy := potential.Exact(u); noisy {
		return nil, errors.New("the energies have noise: the harmonic kernel needs exact ones")
	}
	f := newFinder(u, x)
	defer potential.Close(f.eval)
	scale := make([]float64, len(x))
	for j := range scale {
		scale[j] = 1
	}
	for round, settled := 0, false; round < 3 || !settled; round++ {
		if round == expansions {
			return nil, fmt.Errorf("%w about the mean %.4g for draws to differ", errNarrow, f.g.Mean)
		}
		var err error
		if settled, err = f.expand(scale); err != nil {
			return nil, err
		}
		for j := range scale {
			scale[j] = 1 / math.Sqrt(f.g.Precision.At(j, j))
		}
	}
	if err := f.verify(d, scale); err != nil {
		return nil, err
	}
	return f.g, nil
}

// A finder asks a potential at one point at a time.
type finder struct {
	eval     potential.Evaluator
	g        *gaussian
	energy   [1]float64
	up, down []float64 // gradients
	x        []float64
}

func newFinder(u potential.Potential, x []float64) *finder {
	n := len(x)
	return &finder{eval: u.Evaluator(1, nil), up: make([]float64, n), down: make([]float64, n), x: make([]float64, n),
		g: &gaussian{Mean: append([]float64(nil), x...), Precision: mat.NewSymDense(n, nil)}}
}

// expand writes the precision by differences of the gradient at scale_j on both
// sides of the mean, and takes the mean to where the gradient vanishes then. Where numbers
// about the mean lie too far apart for scale it takes wider differences. It reports whether
// it did not, and the mean moved by less than a standard deviation.
func (f *finder) expand(scale []float64) (settled bool, err error) {
	settled = true
	n := len(scale)
	p := mat.NewDense(n, n, nil)
	copy(f.x, f.g.Mean)
	for j, s := range scale {
		if least := 4 * (math.Nextafter(math.Abs(f.x[j]), math.Inf(1)) - math.Abs(f.x[j])); s < least {
			settled, s = false, least*(1<<26)
		}
		f.x[j] = f.g.Mean[j] + s
		width := f.x[j]
		f.eval.Eval(f.energy[:], f.up, f.x)
		f.x[j] = f.g.Mean[j] - s
		width -= f.x[j]
		f.eval.Eval(f.energy[:], f.down, f.x)
		f.x[j] = f.g.Mean[j]
		for i, v := range f.up {
			p.Set(i, j, (v-f.down[i])/width)
		}
	}
	for i := range n {
		for j := range i + 1 {
			f.g.Precision.SetSym(i, j, (p.At(i, j)+p.At(j, i))/2)
		}
	}
	var c mat.Cholesky
	for _, v := range p.RawMatrix().Data {
		if v-v != 0 {
			return false, fmt.Errorf("%w: its gradient is not finite at %.4g", errNotGaussian, f.x)
		}
	}
	round, unit := standardised(f.g.Precision)
	if !c.Factorize(round) {
		return false, fmt.Errorf("%w: its curvature is not positive definite: some direction is not bounded by it", errNotGaussian)
	}
	f.eval.Eval(f.energy[:], f.up, f.x)
	step := mat.NewVecDense(n, nil)
	for j, s := range unit {
		step.SetVec(j, s*f.up[j])
	}
	if err := c.SolveVecTo(step, step); err != nil {
		return false, fmt.Errorf("the curvature of the potential is nearly singular: some direction is hardly bounded by it: %w", err)
	}
	for j := range f.g.Mean {
		move := unit[j] * step.AtVec(j)
		f.g.Mean[j] -= move
		settled = settled && move*move*f.g.Precision.At(j, j) < 1
	}
	return settled, nil
}

// A gradient or an energy may differ from those of a quadratic by a share of the
// terms of P(x − m), by the rounding of those of Px and Pm, and by what is of no
// concern to the density: rounding of other coordinates shows there.
const (
	quadraticTolerance = 1e-8
	quadraticRounding  = 1e-12
	quadraticSlope     = 1e-4 // over a standard deviation
	quadraticEnergy    = 1e-3
)

// verify holds the Gaussian against the potential.
func (f *finder) verify(d domain.Domain, scale []float64) error {
	rng := rand.New(rand.NewPCG(1, 1))
	copy(f.x, f.g.Mean)
	f.eval.Eval(f.energy[:], f.down, f.x)
	f.g.Bottom = f.energy[0]
	lo, hi := domain.BoundsOf(d, len(scale))
	for k := range 60 {
		reach := []float64{0.3, 1, 3, 30}[k%4]
		share := rng.Float64()
		for j, s := range scale {
			f.x[j] = f.g.Mean[j] + reach*s*rng.NormFloat64()
			if width := hi[j] - lo[j]; k%2 == 1 && d != nil && width-width == 0 {
				f.x[j] = lo[j] + width*rng.Float64()
				if k%4 == 1 {
					f.x[j] = f.g.Mean[j] + share*(f.x[j]-f.g.Mean[j])
				}
			}
		}
		f.eval.Eval(f.energy[:], f.up, f.x)
		if err := f.g.agrees(f.x, f.up, f.energy[0]); err != nil {
			return err
		}
	}
	return nil
}

// agrees compares the energy and, unless that is nil, the gradient that a potential has
// at x with those of g.
func (g *gaussian) agrees(x, grad []float64, energy float64) error {
	want, most := g.Bottom, quadraticEnergy+quadraticRounding*math.Abs(g.Bottom)
	for i := range x {
		slope, gradient := 0.0, 0.0
		for j, x := range x {
			p, e := g.Precision.At(i, j), x-g.Mean[j]
			slope += p * e
			gradient += math.Abs(p) * (quadraticTolerance*math.Abs(e) + quadraticRounding*(math.Abs(x)+math.Abs(g.Mean[j])))
		}
		if grad != nil && !(math.Abs(grad[i]-slope) <= gradient+quadraticSlope*math.Sqrt(g.Precision.At(i, i))) {
			return fmt.Errorf("%w: at %.4g the derivative by coordinate %d is %.6g, that of the quadratic %.6g",
				errNotGaussian, x, i+1, grad[i], slope)
		}
		want += slope * (x[i] - g.Mean[i]) / 2
		most += gradient * (math.Abs(x[i]) + math.Abs(g.Mean[i]))
	}
	if !(math.Abs(energy-want) <= most) {
		return fmt.Errorf("%w: at %.4g it is %.6g, the quadratic %.6g", errNotGaussian, x, energy, want)
	}
	return nil
}

// clearly reports that the energies of g and a potential agree at x, as they do where that
// is above the bottom by half of (x − m)·∇U; it may be false when unsure. It takes time in
// proportion to len(x).
func (g *gaussian) clearly(x, grad []float64, energy float64) bool {
	want := g.Bottom
	for j, v := range grad {
		want += v * (x[j] - g.Mean[j]) / 2
	}
	return math.Abs(energy-want) <= quadraticEnergy
}
