package scheme

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/r2sgld/r2sgld/potential"
)

// order is the number of Gauss–Legendre nodes of a panel.
const order = 16

// A grid is an interval cut into equal panels with Gauss–Legendre nodes in each.
type grid struct {
	lo, hi float64
	panels int
	x, w   []float64 // nodes, rising, and their weights: panels × order
}

func newGrid(lo, hi float64, panels int) *grid {
	g := &grid{lo: lo, hi: hi, panels: panels,
		x: make([]float64, panels*order), w: make([]float64, panels*order)}
	t, w := legendreRule()
	half := (hi - lo) / float64(2*panels)
	for p := range panels {
		centre := lo + (hi-lo)*(float64(p)+0.5)/float64(panels)
		for i := range order {
			g.x[p*order+i], g.w[p*order+i] = centre+half*t[i], half*w[i]
		}
	}
	return g
}

// legendreRule returns the nodes, rising, and weights on [-1, 1].
func legendreRule() (t, w [order]float64) {
	quad.Legendre{}.FixedLocations(t[:], w[:], -1, 1) // falling
	slices.Reverse(t[:])
	slices.Reverse(w[:])
	return t, w
}

// legendre writes P_0(t) … P_{len(p)-1}(t) into p, which has at least two places.
func legendre(p []float64, t float64) {
	p[0], p[1] = 1, t
	for k := 1; k+1 < len(p); k++ {
		p[k+1] = (float64(2*k+1)*t*p[k] - float64(k)*p[k-1]) / float64(k+1)
	}
}

// edge returns the left end of panel p; that of panel g.panels is hi.
func (g *grid) edge(p int) float64 {
	return g.lo + (g.hi-g.lo)*float64(p)/float64(g.panels)
}

// at returns the panel of x and its place in it, in [-1, 1]; x in [lo, hi].
func (g *grid) at(x float64) (panel int, t float64) {
	panel = min(max(int(float64(g.panels)*(x-g.lo)/(g.hi-g.lo)), 0), g.panels-1)
	a, b := g.edge(panel), g.edge(panel+1)
	return panel, min(max((x-a-(b-x))/(b-a), -1), 1)
}

// evaluate returns U and U' at the places x. A nil potential is 0.
func evaluate(u potential.Potential, x []float64) (value, slope []float64, err error) {
	value, slope = make([]float64, len(x)), make([]float64, len(x))
	if u == nil {
		return value, slope, nil
	}
	exact, _ := potential.Exact(u)
	if exact == nil {
		return nil, nil, errors.New("scheme: the potential is noisy and its exact part is not known: give the exact one, and the noise apart")
	}
	if exact.Dim() != 1 {
		return nil, nil, fmt.Errorf("scheme: the potential has %d coordinates; a law on an interval has one", exact.Dim())
	}
	e := exact.Evaluator(len(x), nil)
	e.Eval(value, slope, x)
	if err := errors.Join(potential.Err(e), potential.Close(e)); err != nil {
		return nil, nil, fmt.Errorf("scheme: %w", err)
	}
	for i := range x {
		if math.IsNaN(value[i]-value[i]) || math.IsNaN(slope[i]-slope[i]) {
			return nil, nil, fmt.Errorf("scheme: the energy is %g and its slope %g at %g: both must be finite on the interval",
				value[i], slope[i], x[i])
		}
	}
	return value, slope, nil
}

// interval fails where [lo, hi] is not an interval of positive, finite length.
func interval(lo, hi float64) error {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return fmt.Errorf("scheme: the interval [%g, %g] must have a positive, finite length", lo, hi)
	}
	return nil
}

// resolve returns how many panels integrate exp(-U/tau) to 1e-12, but at least
// 4 and at most 128, where 1e-6 has to do: potentials with kinks get there.
func resolve(u potential.Potential, lo, hi, tau float64) (int, error) {
	if err := interval(lo, hi); err != nil {
		return 0, err
	}
	if !(tau > 0) || math.IsInf(tau, 0) {
		return 0, fmt.Errorf("scheme: the temperature %g must be positive and finite", tau)
	}
	const most = 128
	var z, mean float64
	for panels := 4; ; panels *= 2 {
		m, logZ, err := weights(u, newGrid(lo, hi, panels), tau)
		if err != nil {
			return 0, err
		}
		was, wasMean := z, mean
		z, mean = logZ, m
		change := max(math.Abs(z-was)/(1+math.Abs(z)), math.Abs(mean-wasMean)/(hi-lo))
		switch {
		case panels == 4:
		case change < 1e-12:
			return panels, nil
		case panels == most && change < 1e-6:
			return most, nil
		case panels == most:
			return 0, fmt.Errorf("scheme: exp(-U/%g) is too rough or too narrow for %d nodes on [%g, %g]: take a higher temperature or a shorter "+
				"interval", tau, most*order, lo, hi)
		}
	}
}

// weights returns the mean and the logarithm of the normaliser of exp(-U/tau).
func weights(u potential.Potential, g *grid, tau float64) (mean, logZ float64, err error) {
	m, logZ, err := gibbs(u, g, tau)
	for i, v := range m {
		mean += v * g.x[i]
	}
	return mean, logZ, err
}

// gibbs returns the masses of π ∝ exp(-U/tau) at the nodes, of sum 1, and log Z.
func gibbs(u potential.Potential, g *grid, tau float64) (mass []float64, logZ float64, err error) {
	value, _, err := evaluate(u, g.x)
	if err != nil {
		return nil, 0, err
	}
	least := math.Inf(1)
	for _, v := range value {
		least = min(least, v)
	}
	sum := 0.0
	for i, v := range value {
		value[i] = g.w[i] * math.Exp((least-v)/tau)
		sum += value[i]
	}
	for i := range value {
		value[i] /= sum
	}
	return value, math.Log(sum) - least/tau, nil
}
