package theory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A Problem is the law exp(−U/τ) on a bounded domain of one or two dimensions.
type Problem struct {
	Potential potential.Potential // U; nil is 0. Noise is left out
	Domain    domain.Domain       // required
	Names     []string            // of the coordinates, for messages; nil is x, y
}

// Settings say what to measure. The zero value asks for five eigenvalues of one rung
// at temperature 1.
type Settings struct {
	Temperature []float64 // of one or two rungs, > 0, rising; nil is {1}
	Intensity   float64   // r ≥ 0 of swaps, 1/time; 0 with one rung
	Grid        int       // cells along the longest side; 0 is [DefaultGrid]
	Eigenvalues int       // how many, ≥ 1; 0 is 5
	Decay       *Decay    // nil: not asked for
}

// Decay asks how the law that starts at a point tends to π.
type Decay struct {
	Start []float64 // a point of Ω, where all rungs start
	Times []float64 // ≥ 0, rising
	Of    []string  // of [DistanceNames]; nil is all
}

// DistanceNames are the distances that Decay.Of may name.
func DistanceNames() []string { return []string{"chi2", "kl", "w2", "tv"} }

// Limits of what may be asked for.
const (
	MostEigenvalues = 100
	MostTimes       = 10_000
	leastGrid       = 4
)

// DefaultGrid is how many cells along the longest side a process gets that asks for
// none: 400 with one rung; with two 300 on an interval and 24 on the plane, the states of
// which are pairs of cells.
func DefaultGrid(dim, rungs int) int {
	switch {
	case rungs < 2:
		return 400
	case dim < 2:
		return 300
	}
	return 24
}

// Bytes is about how much memory [Measure] takes at its peak on so many cells, garbage
// included: mesh, chain, multigrid and the vectors of the search for modes or of the
// decay. As seen on 100,000 cells of an interval and on 160,000 pairs of 400.
func (s Settings) Bytes(cells float64) float64 {
	vectors := 90 * float64(s.Eigenvalues)
	if s.Decay != nil {
		vectors = max(vectors, 600)
	}
	return 500*cells + (900+vectors)*math.Pow(cells, float64(len(s.Temperature)))
}

// Cells is about how many cells of the grid a bounded domain of one or two dimensions has at
// most.
func (s Settings) Cells(d domain.Domain) float64 {
	lo, hi := domain.BoundsOf(d, d.Dim())
	cells := float64(s.Grid)
	if d.Dim() == 2 {
		a, b := hi[0]-lo[0], hi[1]-lo[1]
		cells *= math.Ceil(cells * math.Min(a, b) / math.Max(a, b))
	}
	return cells
}

// filled returns s with its defaults for a domain of dimension dim.
func (s Settings) filled(dim int) Settings {
	if s.Temperature == nil {
		s.Temperature = []float64{1}
	}
	if s.Eigenvalues == 0 {
		s.Eigenvalues = 5
	}
	if s.Grid == 0 {
		s.Grid = DefaultGrid(dim, len(s.Temperature))
	}
	if s.Decay != nil && s.Decay.Of == nil {
		d := *s.Decay
		d.Of = DistanceNames()
		s.Decay = &d
	}
	return s
}

// Validate reports every fault of s and of p at once, or nil.
func (s Settings) Validate(p Problem) error {
	err := p.validate()
	if err == nil {
		s = s.filled(p.Domain.Dim())
	} else {
		s = s.filled(1)
	}
	errs := []error{err, checkTemperatures(s.Temperature)}
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf("theory: "+format, args...)) }
	switch {
	case !(s.Intensity >= 0) || math.IsInf(s.Intensity, 1):
		fault("intensity is %g; the rate of swaps is a number ≥ 0", s.Intensity)
	case s.Intensity > 0 && len(s.Temperature) == 1:
		fault("intensity is %g with one temperature; give two, as in [1, 10], for rungs to swap", s.Intensity)
	}
	if s.Grid < leastGrid {
		fault("grid is %d; give at least %d cells along the longest side", s.Grid, leastGrid)
	}
	if s.Eigenvalues < 1 || s.Eigenvalues > MostEigenvalues {
		fault("eigenvalues is %d; ask for 1 to %d", s.Eigenvalues, MostEigenvalues)
	}
	if s.Decay != nil {
		errs = append(errs, s.Decay.validate(p, err == nil)...)
	}
	return errors.Join(errs...)
}

func (p Problem) validate() error {
	if p.Domain == nil {
		return errors.New("theory: the problem has no domain; walls are what reflects, give a bounded one")
	}
	dim := p.Domain.Dim()
	if dim > 2 {
		return fmt.Errorf("theory: the domain has %d coordinates; one or two can be cut into cells", dim)
	}
	if !domain.Bounded(p.Domain) {
		return errors.New("theory: the domain is not bounded; give bounds to every coordinate")
	}
	if p.Potential == nil {
		return nil
	}
	if n := p.Potential.Dim(); n != dim {
		return fmt.Errorf("theory: the potential has %d coordinates and the domain %d; they must agree", n, dim)
	}
	if exact, _ := potential.Exact(p.Potential); exact == nil {
		return errors.New("theory: this potential does not know its energies without noise, from which the generator is made")
	}
	return nil
}

func checkTemperatures(tau []float64) error {
	var errs []error
	if n := len(tau); n < 1 || n > 2 {
		errs = append(errs, fmt.Errorf("theory: %d temperatures; give one, or two for swaps", n))
	}
	for k, t := range tau {
		if !(t > 0) || math.IsInf(t, 1) {
			errs = append(errs, fmt.Errorf("theory: temperature %d is %g; temperatures are finite and > 0", k+1, t))
		}
	}
	if len(tau) == 2 && !(tau[0] < tau[1]) {
		errs = append(errs, fmt.Errorf("theory: temperatures are %g and %g; they must rise, the cold rung first", tau[0], tau[1]))
	}
	return errors.Join(errs...)
}

// validate needs to know whether p itself is sound.
func (d *Decay) validate(p Problem, sound bool) (errs []error) {
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("theory: decay: "+format, args...))
	}
	if sound {
		switch n := p.Domain.Dim(); {
		case len(d.Start) != n:
			fault("the start has %d coordinates and the domain %d", len(d.Start), n)
		case !p.Domain.Contains(d.Start):
			fault("the start %v is not in the domain; give a point of it", d.Start)
		}
	}
	if n := len(d.Times); n < 1 || n > MostTimes {
		fault("%d times; give 1 to %d", n, MostTimes)
	}
	for i, t := range d.Times {
		if !(t >= 0) || math.IsInf(t, 1) {
			fault("time %d is %g; times are finite and ≥ 0", i+1, t)
		} else if i > 0 && !(t > d.Times[i-1]) {
			fault("time %d is %g after %g; times must rise", i+1, t, d.Times[i-1])
		}
	}
	for _, of := range d.Of {
		if !slices.Contains(DistanceNames(), of) {
			fault("%q is no distance; ask for chi2, kl, w2 or tv", of)
		}
	}
	return errs
}
