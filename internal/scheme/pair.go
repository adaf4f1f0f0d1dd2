package scheme

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A PairStep is one iteration of two rungs on the interval [Lo, Hi]: each takes a
// Step, then with probability Attempt they look at their energies and swap with
// probability min(1, S̃), S̃ = exp(Δβ(ΔU + noise) − Δβ²σ²/C), where Δβ = 1/τ1 − 1/τ2
// and ΔU is the energy of the cold rung minus that of the hot one.
type PairStep struct {
	U             potential.Potential // as for Step
	Lo, Hi        float64
	Temperature   [2]float64 // cold, hot: 0 < τ1 < τ2
	StepSize      [2]float64 // η of each, > 0
	GradientNoise float64    // as for Step
	Rule          domain.Rule
	Attempt       float64 // in [0, 1]; 1 is a swap in every iteration, p is intensity r = p/η
	EnergyNoise   float64 // σ ≥ 0: standard deviation of Gaussian noise in ΔU
	Correction    float64 // C > 0; 2 is exact, +Inf and 0 are no correction
}

// A Pair is the transition kernel of two rungs, for one goroutine at a time.
// Masses of pairs of sites are
// laid out row by row: the cold rung's site times n plus the hot one's.
type Pair struct {
	step  PairStep
	rungs [2]*Kernel
	swap  []float64 // chance of a swap from (i, j) in an iteration
	half  []float64 // masses after the move
}

// A Joint is the stationary law of two rungs.
type Joint struct {
	Cold, Hot  *Law
	Swaps      float64 // share of iterations with a swap
	Residual   float64 // ½ Σ |change of a mass in one iteration|
	Iterations int     // of the kernel, to find it
	mass       []float64
}

// NewPair returns the kernel of two rungs. Its nodes are those for the narrower
// of the two steps, half as dense as those of New: laws are right to about 1e-7.
// They may be 640; the methods then keep up to half a gigabyte.
func NewPair(s PairStep) (*Pair, error) {
	if !(0 < s.Temperature[0] && s.Temperature[0] < s.Temperature[1]) {
		return nil, fmt.Errorf("scheme: temperatures %v must be positive and rise", s.Temperature)
	}
	if !(s.Attempt >= 0 && s.Attempt <= 1) {
		return nil, fmt.Errorf("scheme: swaps are attempted with probability %g: give 0 to 1", s.Attempt)
	}
	if !(s.EnergyNoise >= 0) || math.IsInf(s.EnergyNoise, 0) || !(s.Correction >= 0) {
		return nil, fmt.Errorf("scheme: energy noise %g with correction %g: neither may be negative", s.EnergyNoise, s.Correction)
	}
	if s.Rule == "" {
		s.Rule = domain.Specular
	}
	panels, steps := 0, [2]Step{}
	for i := range steps {
		steps[i] = Step{U: s.U, Lo: s.Lo, Hi: s.Hi, Temperature: s.Temperature[i], StepSize: s.StepSize[i],
			GradientNoise: s.GradientNoise, Rule: s.Rule}
		if err := steps[i].check(); err != nil {
			return nil, err
		}
		n, err := steps[i].panels(4)
		if err != nil {
			return nil, err
		}
		panels = max(panels, n)
	}
	const most = 40
	if panels > most {
		return nil, fmt.Errorf("scheme: these steps need %d panels for each rung, and %d are the most for two: take larger step sizes or a "+
			"shorter interval", panels, most)
	}
	p := &Pair{step: s}
	g := newGrid(s.Lo, s.Hi, panels)
	for i := range steps {
		var err error
		if p.rungs[i], err = newKernel(steps[i], g); err != nil {
			return nil, err
		}
	}
	return p, p.exchange()
}

// exchange computes the chances of a swap.
func (p *Pair) exchange() error {
	cold := p.rungs[0]
	n := len(cold.rows)
	x := make([]float64, n)
	for i := range x {
		x[i] = cold.place(i)
	}
	u, _, err := evaluate(p.step.U, x)
	if err != nil {
		return err
	}
	s := &p.step
	delta := 1/s.Temperature[0] - 1/s.Temperature[1]
	penalty := 0.0
	if s.Correction > 0 {
		penalty = delta * delta * s.EnergyNoise * s.EnergyNoise / s.Correction
	}
	p.swap, p.half = make([]float64, n*n), make([]float64, n*n)
	for i := range u {
		for j := range u {
			p.swap[i*n+j] = s.Attempt * Acceptance(delta*(u[i]-u[j])-penalty, delta*s.EnergyNoise)
		}
	}
	return nil
}

// Acceptance returns E min(1, exp(m + v·Z)) for a standard normal Z and v ≥ 0,
// Φ(m/v) + exp(m + v²/2) Φ(−m/v − v): how often a swap with log S̃ of mean m and
// standard deviation v is made. With m = ΔβΔU − v²/2 it has the ratio
// exp(ΔβΔU) to that of the way back, which makes the swap reversible (Ceperley
// and Dewing 1999).
func Acceptance(m, v float64) float64 {
	if v == 0 {
		return math.Exp(min(m, 0))
	}
	p := math.Erfc(-m/v/math.Sqrt2) / 2
	if rest := math.Erfc((m/v+v)/math.Sqrt2) / 2; rest > 0 {
		p += math.Exp(m+v*v/2) * rest
	}
	return min(p, 1)
}

// apply writes the masses after one iteration from those before it into dst.
func (p *Pair) apply(dst, mass []float64) {
	n := len(p.rungs[0].rows)
	clear(dst)
	for i := range n { // the cold rung moves
		r, from := &p.rungs[0].rows[i], mass[i*n:][:n]
		for j, c := range r.chance {
			floats.AddScaled(dst[(r.first+j)*n:][:n], c, from)
		}
		if r.stay > 0 {
			floats.AddScaled(dst[i*n:][:n], r.stay, from)
		}
	}
	for i := range n { // the hot rung moves
		p.rungs[1].apply(p.half[i*n:][:n], dst[i*n:][:n])
	}
	p.trade(dst, p.half)
}

// trade writes the masses after the swap from those before it into dst.
func (p *Pair) trade(dst, mass []float64) {
	n := len(p.rungs[0].rows)
	for i := range n {
		for j := range n {
			a, b := i*n+j, j*n+i
			dst[a] = mass[a]*(1-p.swap[a]) + mass[b]*p.swap[b]
		}
	}
}

// apart returns the stationary law of the pair if it never swapped.
func (p *Pair) apart() ([]float64, error) {
	var rung [2][]float64
	for i := range rung {
		var err error
		if rung[i], err = p.rungs[i].stationary(); err != nil {
			return nil, err
		}
		floats.Scale(1/floats.Sum(rung[i]), rung[i])
	}
	n := len(rung[0])
	mass := make([]float64, n*n)
	for i, m := range rung[0] {
		floats.AddScaled(mass[i*n:][:n], m, rung[1])
	}
	return mass, nil
}

// Stationary returns the law that an iteration leaves as it is, to a residual of
// 1e-12, or to a 1e-9th of that of rungs that never swap if this is more.
func (p *Pair) Stationary() (*Joint, error) {
	mass, err := p.apart()
	if err != nil {
		return nil, err
	}
	k := newKrylov(p.apply, mass)
	j := &Joint{mass: mass}
	rest := make([]float64, len(mass))
	goal := 0.0
	for restart := 0; ; restart++ {
		p.apply(rest, mass)
		floats.Sub(rest, mass)
		j.Residual = floats.Norm(rest, 1) / 2
		if restart == 0 {
			goal = max(1e-12, 1e-9*j.Residual)
		}
		if j.Residual <= goal {
			break
		}
		if restart == 40 {
			return nil, fmt.Errorf("scheme: the law of the two rungs still changes by %.2g an iteration after %d of them: take larger step sizes",
				j.Residual, j.Iterations)
		}
		step, n := k.solve(rest, goal/j.Residual/2)
		j.Iterations += n
		floats.Add(mass, step)
		floats.Scale(1/floats.Sum(mass), mass)
	}
	p.marginals(j)
	return j, nil
}

// marginals fills in the laws of both rungs and how often they swap.
func (p *Pair) marginals(j *Joint) {
	n := len(p.rungs[0].rows)
	cold, hot := make([]float64, n), make([]float64, n)
	for i := range n {
		cold[i] = floats.Sum(j.mass[i*n:][:n])
		floats.Add(hot, j.mass[i*n:][:n])
	}
	j.Cold, j.Hot = p.rungs[0].law(cold, nil), p.rungs[1].law(hot, nil)
	p.apply(make([]float64, n*n), j.mass)
	j.Swaps = floats.Dot(p.half, p.swap) // half is the law between move and swap
}
