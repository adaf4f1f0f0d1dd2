package r2sgld

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// names checks the dimensions of the problem and names its coordinates.
func (r *run) names() error {
	p := &r.problem
	d := p.Potential.Dim()
	if p.Names == nil {
		for j := range d {
			p.Names = append(p.Names, fmt.Sprintf("x%d", j+1))
		}
	}
	if len(p.Names) != d {
		return fmt.Errorf("%d names for %d coordinates", len(p.Names), d)
	}
	if n := len(p.ReportedNames()); n < d {
		return fmt.Errorf("the chart names %d coordinates of draws for %d of the potential", n, d)
	}
	if p.Domain != nil && p.Domain.Dim() != d {
		return fmt.Errorf("the domain has dimension %d, the potential %d", p.Domain.Dim(), d)
	}
	for _, s := range r.settings.Points() {
		if len(s) != d {
			return fmt.Errorf("the start has %d coordinates, the potential %d", len(s), d)
		}
	}
	if s := r.settings; s.Start == nil && s.MoreStarts != nil {
		return errors.New("more starts than one need the first of them: give Start as well")
	}
	if s := r.settings.States; s != nil {
		if len(s) != max(1, r.settings.Ladders) {
			return fmt.Errorf("the states are those of %d ladders", len(s))
		}
		for i, l := range s {
			if len(l) != max(1, len(r.settings.Temperature)) {
				return fmt.Errorf("the states of ladder %d are those of %d rungs", i+1, len(l))
			}
			for _, x := range l {
				if len(x) != d {
					return fmt.Errorf("a state of ladder %d has %d coordinates, the potential %d", i+1, len(x), d)
				}
			}
		}
	}
	return nil
}

// rungs fills in step sizes and temperatures.
func (r *run) rungs() error {
	tau, eta := r.settings.Temperature, r.settings.StepSize
	if tau == nil {
		tau = []float64{1}
	}
	if eta == nil {
		eta = []float64{1e-3}
	}
	if len(eta) == 1 {
		for range len(tau) - 1 {
			eta = append(eta, eta[0])
		}
	}
	var errs []error
	if len(eta) != len(tau) {
		errs = append(errs, fmt.Errorf("%d step sizes for %d temperatures", len(eta), len(tau)))
	}
	for i, v := range eta {
		if !(v > 0) || math.IsInf(v, 0) {
			errs = append(errs, fmt.Errorf("step size %g of rung %d must be positive", v, i+1))
		}
	}
	for i, v := range tau {
		if !(v > 0) || i > 0 && v <= tau[i-1] {
			errs = append(errs, fmt.Errorf("temperature %g of rung %d: temperatures must be positive and increase", v, i+1))
		}
	}
	if p := r.problem; math.IsInf(tau[len(tau)-1], 1) &&
		(len(tau) == 1 || !p.HasReference() || p.Domain != nil && r.settings.Boundary == domain.Free) {
		errs = append(errs, errors.New("an infinite temperature, the uniform law, needs colder rungs and a bounded domain that reflects"))
	}
	r.schedule.StepSize, r.schedule.Temperature, r.schedule.Momentum = eta, tau, r.traits.Momentum
	return errors.Join(append(errs, r.kernel(), r.settings.Kernel.Validate())...)
}

// kernel checks that the kernel and what it is to work with go together.
func (r *run) kernel() error {
	s, base := r.settings, r.problem.normal() != nil
	exact, noisy := potential.Exact(r.problem.Potential)
	force := s.Penalty != nil && !s.Penalty.Distance
	if err := s.Kernel.Suits(kernel.Conditions{Rule: s.Boundary, Base: base, Force: force, Mirror: s.Mirror}); err != nil {
		return err
	}
	switch {
	case s.Mirror && (len(s.Temperature) > 1 || s.Whitening != nil || s.Penalty != nil || s.Inside):
		return errors.New("a mirror map goes with one rung, and without a whitening, a penalty and draws to leave out")
	case r.problem.Guide != nil && noisy && exact == nil:
		return errors.New("a guide goes with potentials that are known without noise: leave Problem.Guide out, or the noise")
	case r.problem.Guide != nil && noisy && r.settings.FullEnergies:
		return errors.New("a guide goes with swaps that see the energies of the steps: leave Problem.Guide out, or FullEnergies")
	case r.problem.Guide != nil && r.schedule.Temperature[0] != 1:
		return fmt.Errorf("a guide goes with a coldest temperature of 1, not %g", r.schedule.Temperature[0])
	case base && s.Mirror:
		return errors.New("a base law goes with SGLD and HMC, a guide too, and without a mirror map")
	case s.Inside && (s.Boundary != domain.Free || r.problem.Domain == nil):
		return errors.New("only where steps leave a domain can draws outside it be left out: boundary rule free")
	}
	return nil
}

// lengths fills in the rest of the schedule.
func (r *run) lengths() error {
	s, c := r.settings, &r.schedule
	c.Iterations, c.BurnIn, c.Thin, c.Decay = s.Iterations, s.BurnIn, max(1, s.Thin), s.Decay
	if c.Iterations == 0 {
		c.Iterations = 10_000
	}
	switch {
	case s.Iterations < 0 || s.BurnIn < 0 || s.Thin < 0 || s.Ladders < 0 || s.MaxDraws < 0:
		return errors.New("iterations, burn-in, thinning, ladders and draws must not be negative")
	case c.BurnIn >= c.Iterations:
		return fmt.Errorf("a burn-in of %d leaves no draw of %d iterations", c.BurnIn, c.Iterations)
	}
	return errors.Join(c.Decay.Validate(), r.certifiable())
}

// boundary checks what concerns the wall.
func (r *run) boundary() error {
	s := r.settings
	if s.Penalty != nil && (!(s.Penalty.Strength > 0) || math.IsInf(s.Penalty.Strength, 0)) {
		return fmt.Errorf("penalty %g must be positive", s.Penalty.Strength)
	}
	if s.Penalty != nil && (s.Boundary != domain.Free || r.problem.Domain == nil) {
		return errors.New("a penalty needs a domain and the boundary rule free")
	}
	if w := s.Whitening; w != nil {
		d := r.problem.Potential.Dim()
		square := len(w.Center) == d && len(w.L) == d
		for _, row := range w.L {
			square = square && len(row) == d
		}
		if !square {
			return fmt.Errorf("the whitening is not of dimension %d", d)
		}
	}
	if r.problem.Domain == nil || s.Boundary == domain.Free {
		return nil
	}
	for _, x := range s.Points() {
		if !r.problem.Domain.Contains(x) {
			return fmt.Errorf("the start %v lies outside the domain", x)
		}
	}
	for i, l := range s.States {
		for _, x := range l {
			if !r.problem.Domain.Contains(x) {
				return fmt.Errorf("the state %v of ladder %d lies outside the domain", x, i+1)
			}
		}
	}
	return nil
}
