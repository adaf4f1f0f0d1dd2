// Package scheme answers what one step of the discrete algorithm does to a law
// on an interval, exactly: its stationary law, the law after any number of
// steps, that of the reflected diffusion it approximates, and the distances
// between them, all without random numbers.
//
// A step is x → B(x − ηU'(x) + sqrt(2ητ + η²s²)·ξ), ξ standard normal, where B
// brings x back. Laws have a density and atoms. The kernel of the step is a
// smooth function of where it ends, so that Gauss–Legendre nodes on panels of
// about two of its standard deviations turn it into a stochastic matrix whose
// errors are those of rounding (Nyström's method).
package scheme

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// reach is how many standard deviations a normal variable goes: beyond are 2e-19.
const reach = 9

// A Step is one step of a rung on the interval [Lo, Hi].
type Step struct {
	U             potential.Potential // of dimension 1, smooth; the exact part of a noisy one counts; nil is 0
	Lo, Hi        float64
	Temperature   float64     // τ > 0
	StepSize      float64     // η > 0
	GradientNoise float64     // s ≥ 0: standard deviation of Gaussian noise in U'
	Rule          domain.Rule // Specular (also if empty), Project or Refuse; of a disk Nearest
	// Disk makes it a step in the plane: Lo is 0, Hi the radius of a disk, U a function of
	// the distance from its centre with slope 0 there, and laws are those of that distance.
	Disk bool
}

// sd returns the standard deviation of the step's normal variable.
func (s *Step) sd() float64 {
	return math.Sqrt(2*s.StepSize*s.Temperature + s.StepSize*s.StepSize*s.GradientNoise*s.GradientNoise)
}

func (s *Step) check() error {
	switch {
	case !(s.StepSize > 0) || math.IsInf(s.StepSize, 0):
		return fmt.Errorf("scheme: the step size %g must be positive and finite", s.StepSize)
	case !(s.GradientNoise >= 0) || math.IsInf(s.GradientNoise, 0):
		return fmt.Errorf("scheme: the gradient noise %g must be a standard deviation: 0 or more", s.GradientNoise)
	case s.Disk:
		if s.Rule != domain.Nearest || s.Lo != 0 {
			return fmt.Errorf("scheme: a disk from %g by rule %q: the exact kernel is known from 0, its centre, by %q", s.Lo, s.Rule, domain.Nearest)
		}
	case s.Rule != domain.Specular && s.Rule != domain.Project && s.Rule != domain.Refuse:
		return fmt.Errorf("scheme: rule %q: the exact kernel is known for %q, %q and %q", s.Rule, domain.Specular, domain.Project, domain.Refuse)
	}
	return nil
}

// panels returns how many panels resolve both π and the kernel, width being
// that of a panel in standard deviations of the step.
func (s *Step) panels(width float64) (int, error) {
	n, err := resolve(s.U, s.Lo, s.Hi, s.Temperature)
	if err != nil {
		return 0, err
	}
	g := newGrid(s.Lo, s.Hi, n)
	_, slope, err := evaluate(s.U, g.x)
	if err != nil {
		return 0, err
	}
	// As a function of where a step starts the kernel is as narrow as its
	// standard deviation over the slope of x − ηU'(x).
	steep := 1.0
	for i := 1; i < len(slope); i++ {
		steep = max(steep, math.Abs(1-s.StepSize*(slope[i]-slope[i-1])/(g.x[i]-g.x[i-1])))
	}
	const most = 1 << 12
	need := math.Ceil((s.Hi - s.Lo) * steep / (width * s.sd()))
	if need > most {
		return 0, fmt.Errorf("scheme: a step of standard deviation %g on [%g, %g] needs %.0f panels, and %d are the most: take a larger step "+
			"size or a shorter interval", s.sd(), s.Lo, s.Hi, need, most)
	}
	return max(n, int(need)), nil
}

// A Kernel is the transition kernel of a step. It is immutable.
type Kernel struct {
	step  Step
	grid  *grid
	walls int // 1 if the walls hold atoms: sites 0 and last, the nodes between them
	rows  []row
}

// A row is what becomes of one site: chance[j] is that of site first+j.
type row struct {
	first  int
	chance []float64
	stay   float64 // chance of a refused step
}

// New returns the kernel of a step.
func New(s Step) (*Kernel, error) {
	if s.Rule == "" {
		s.Rule = domain.Specular
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	panels, err := s.panels(2)
	if err != nil {
		return nil, err
	}
	return newKernel(s, newGrid(s.Lo, s.Hi, panels))
}

// newKernel returns the kernel of a checked step with the nodes of g.
func newKernel(s Step, g *grid) (*Kernel, error) {
	k := &Kernel{step: s, grid: g}
	sites := g.x
	if s.Rule == domain.Project {
		k.walls = 1
		sites = slices.Concat([]float64{s.Lo}, g.x, []float64{s.Hi})
	}
	var err error
	k.rows, err = k.from(sites)
	return k, err
}

// from returns the rows of steps that start at the places x.
func (k *Kernel) from(x []float64) ([]row, error) {
	_, slope, err := evaluate(k.step.U, x)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(x))
	row := k.row
	if k.step.Disk {
		row = k.ring
	}
	for i := range x {
		if rows[i], err = row(x[i] - k.step.StepSize*slope[i]); err != nil {
			return nil, fmt.Errorf("%w (a step from %g)", err, x[i])
		}
	}
	return rows, nil
}

// row returns what becomes of a step with mean c.
func (k *Kernel) row(c float64) (row, error) {
	s, sd := &k.step, k.step.sd()
	below, above := tail((c-s.Lo)/sd), tail((s.Hi-c)/sd)
	var r row
	switch s.Rule {
	case domain.Specular:
		r = k.normal(images(c, s.Lo, s.Hi, reach*sd))
	case domain.Project:
		r = k.normal([]float64{c})
		r = r.widen(below > 0, above > 0, len(k.grid.x))
		if below > 0 {
			r.chance[0] = below
		}
		if above > 0 {
			r.chance[len(r.chance)-1] = above
		}
	case domain.Refuse:
		r = k.normal([]float64{c})
		r.stay = below + above
	}
	return r, k.settle(&r)
}

// settle makes chances add up to 1. The rest is rounding, but it would add up over many steps.
func (k *Kernel) settle(r *row) error {
	sum := floats.Sum(r.chance)
	if off := math.Abs(sum + r.stay - 1); !(off < 1e-6) {
		return fmt.Errorf("scheme: the nodes miss %.2g of a step of standard deviation %g: take another step size", off, k.step.sd())
	}
	if sum > 0 {
		floats.Scale((1-r.stay)/sum, r.chance)
	}
	return nil
}

// images returns where c and its mirror images at lo and hi lie that are at most
// far away from [lo, hi]: folding a normal law adds up those about the images.
func images(c, lo, hi, far float64) []float64 {
	var all []float64
	period := 2 * (hi - lo)
	for _, c := range [2]float64{c, 2*lo - c} {
		for m := math.Ceil((lo - far - c) / period); c+m*period <= hi+far; m++ {
			all = append(all, c+m*period)
		}
	}
	return all
}

// normal returns the chances of the nodes under the sum of the normal laws about
// the centres.
func (k *Kernel) normal(centres []float64) row {
	x, sd := k.grid.x, k.step.sd()
	first, end := len(x), 0
	for _, c := range centres {
		a, _ := slices.BinarySearch(x, c-reach*sd)
		b, _ := slices.BinarySearch(x, c+reach*sd)
		if a < b {
			first, end = min(first, a), max(end, b)
		}
	}
	if first >= end {
		return row{}
	}
	r := row{first: first + k.walls, chance: make([]float64, end-first)}
	for _, c := range centres {
		a, _ := slices.BinarySearch(x, c-reach*sd)
		b, _ := slices.BinarySearch(x, c+reach*sd)
		for i := a; i < b; i++ {
			z := (x[i] - c) / sd
			r.chance[i-first] += k.grid.w[i] * math.Exp(-z*z/2) / (sd * math.Sqrt(2*math.Pi))
		}
	}
	return r
}

// widen makes room for the walls next to nodes nodes.
func (r row) widen(below, above bool, nodes int) row {
	first, end := r.first, r.first+len(r.chance)
	if len(r.chance) == 0 {
		first, end = nodes+2, 0
	}
	if below {
		first, end = 0, max(end, 1)
	}
	if above {
		first, end = min(first, nodes+1), nodes+2
	}
	wide := row{first: first, chance: make([]float64, end-first)}
	if len(r.chance) > 0 {
		copy(wide.chance[r.first-first:], r.chance)
	}
	return wide
}

// tail returns the chance that a standard normal variable is above z, and 0
// beyond reach.
func tail(z float64) float64 {
	if z > reach {
		return 0
	}
	return math.Erfc(z/math.Sqrt2) / 2
}

// apply writes the masses after one step from those before it into dst.
func (k *Kernel) apply(dst, mass []float64) {
	clear(dst)
	for i, m := range mass {
		r := &k.rows[i]
		floats.AddScaled(dst[r.first:][:len(r.chance)], m, r.chance)
		dst[i] += r.stay * m
	}
}

// law returns the law with the masses of the sites, scaled to sum 1 with the
// other atoms, which it takes.
func (k *Kernel) law(mass []float64, atoms []Atom) *Law {
	sum := floats.Sum(mass)
	for _, a := range atoms {
		sum += a.Mass
	}
	floats.Scale(1/sum, mass)
	for i := range atoms {
		atoms[i].Mass /= sum
	}
	if k.walls > 0 {
		atoms = append(atoms, Atom{k.grid.lo, mass[0]}, Atom{k.grid.hi, mass[len(mass)-1]})
	}
	slices.SortFunc(atoms, func(a, b Atom) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	return newLaw(k.grid, slices.Clone(mass[k.walls:len(mass)-k.walls]), atoms)
}
