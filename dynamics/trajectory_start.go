package dynamics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Starts of the search for a trajectory's mode; how many must end in the best one
// for the search to end early; and how many go on without limit.
const (
	trajectoryStarts = 24
	agreeing         = 6
	finalists        = 3
)

// searchTrajectory goes down from many starts, each over the first rows at first
// and then over more: a start whose period is wrong is pulled right by the first
// period, where over all rows it would end in an alias.
func (p *Problem) searchTrajectory(f *fitter) *descent {
	var ends []*descent
	for _, x := range p.starts() {
		if e := p.grow(f, x); !math.IsInf(e.u, 1) {
			ends = append(ends, e)
		}
		slices.SortStableFunc(ends, func(a, b *descent) int { return cmp.Compare(a.u, b.u) })
		if len(ends) >= agreeing && ends[agreeing-1].u < ends[0].u+1e-3 {
			break
		}
	}
	best := &descent{u: math.Inf(1)}
	for _, e := range ends[:min(len(ends), finalists)] {
		if e = f.descend(e.x, len(p.Time), 100); e.u < best.u {
			best = e
		}
	}
	return best
}

// grow fits more and more rows, with the noise scales as they are, and then all
// rows with free scales for a while.
func (p *Problem) grow(f *fitter, x []float64) *descent {
	rows := len(p.Time)
	for _, q := range p.path.noise {
		if q.index >= 0 {
			f.free[q.index] = false
		}
	}
	for n := max(4, rows/8); n < rows; n = max(n+1, n*8/5) {
		if e := f.descend(x, n, 12); !math.IsInf(e.u, 1) {
			x = e.x
		}
	}
	e := f.descend(x, rows, 20)
	for _, q := range p.path.noise {
		if q.index >= 0 {
			f.free[q.index] = true
		}
	}
	if math.IsInf(e.u, 1) {
		return e
	}
	return f.descend(p.rescaled(f, e.x), rows, 10)
}

// rescaled replaces free noise scales by the root mean squares of the residuals.
func (p *Problem) rescaled(f *fitter, x []float64) []float64 {
	out := slices.Clone(x)
	if !f.flow.run(x, 1, 0) {
		return out
	}
	d := len(p.path.initial)
	for k, q := range p.path.noise {
		sum, n := 0.0, 0.0
		for t := range f.flow.rows {
			if r, slope, ok := f.flow.residual(t*d + k); ok && !math.IsInf(slope, 0) {
				sum, n = sum+r*r, n+1
			}
		}
		if j := q.index; j >= 0 && sum > 0 {
			if s := math.Sqrt(sum / n); s > p.Lower[j] && s < p.Upper[j] {
				out[j] = s
			}
		}
	}
	return out
}

// starts are where the search begins: the fit to estimated derivatives, points
// about it, and draws from the priors, a Latin hypercube. Initial values and
// noise scales begin at the data.
func (p *Problem) starts() [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	d := len(p.Parameters)
	fit, factor := p.regression()
	strata := make([][]int, d)
	for j := range strata {
		strata[j] = rng.Perm(trajectoryStarts)
	}
	var out [][]float64
	for n := range trajectoryStarts {
		x := make([]float64, d)
		z := make([]float64, d)
		for k := range z {
			z[k] = 3 * rng.NormFloat64()
		}
		for j, name := range p.Parameters {
			u := (float64(strata[j][n]) + rng.Float64()) / trajectoryStarts
			at := slices.IndexFunc(p.model.Start, func(v Value) bool { return v.Name == name })
			q := p.Quantiles[j]
			switch {
			case at >= 0 && n%2 == 0:
				x[j] = p.model.Start[at].Value
			case n == 0 && fit != nil && !math.IsNaN(fit[j]):
				x[j] = fit[j]
			case q != nil && (n%2 == 0 || fit == nil):
				x[j] = q.X(u)
			case fit != nil && !math.IsNaN(fit[j]):
				x[j] = fit[j]
				for k, l := range factor[j] {
					x[j] += l * z[k]
				}
			default:
				x[j] = math.Exp(math.Log(0.01) + u*math.Log(1000))
			}
		}
		p.nuisanceStart(x)
		p.within(x)
		out = append(out, x)
	}
	return out
}

// nuisanceStart puts initial values at the first data and noise scales at a
// quarter of the data's spread.
func (p *Problem) nuisanceStart(x []float64) {
	t := p.path
	d := len(t.initial)
	for k := range d {
		first, mean, squares, n := math.NaN(), 0.0, 0.0, 0.0
		for at := k; at < len(t.data); at += d {
			v := t.data[at]
			if v != v {
				continue
			}
			if first != first {
				first = v
			}
			n++
			delta := v - mean
			mean += delta / n
			squares += delta * (v - mean)
		}
		if t.lognormal {
			first = math.Exp(first)
		}
		if j := t.initial[k].index; j >= 0 && first == first && !p.given(j) {
			x[j] = first
		}
		if j := t.noise[k].index; j >= 0 && !p.given(j) {
			x[j] = math.Sqrt(squares/n) / 4
			if !(x[j] > 0) {
				x[j] = 1
			}
		}
	}
}

// given reports whether the model says where parameter j starts.
func (p *Problem) given(j int) bool {
	return slices.ContainsFunc(p.model.Start, func(v Value) bool { return v.Name == p.Parameters[j] })
}

// within moves x into the support of the priors.
func (p *Problem) within(x []float64) {
	for j, v := range x {
		if q := p.Quantiles[j]; q != nil && !(v > p.Lower[j] && v < p.Upper[j]) {
			x[j] = q.X(0.5)
		} else if v <= p.Lower[j] {
			x[j] = p.Lower[j] + 1
		}
	}
}

// regression fits the equations to estimated derivatives of the data. It returns
// the fit and its spread by parameter of the problem, NaN for those that are in
// no equation, and nil if there is none.
func (p *Problem) regression() (fit []float64, spread [][]float64) {
	m := *p.model
	m.Likelihood, m.Noise, m.Priors, m.Derivative = "derivative", Noise{}, nil, Derivative{}
	m.Sparse, m.Simulated = nil, false
	m.Fixed = slices.DeleteFunc(slices.Clone(m.Fixed), func(v Value) bool { return slices.Contains(p.model.nuisances(), v.Name) })
	m.Start = slices.DeleteFunc(slices.Clone(m.Start), func(v Value) bool { return slices.Contains(p.model.nuisances(), v.Name) })
	if p.path.lognormal {
		m.Likelihood = "log-derivative"
	}
	q, err := Build(&m, p.series)
	if err != nil {
		return nil, nil
	}
	fit, spread = slices.Repeat([]float64{math.NaN()}, len(p.Parameters)), make([][]float64, len(p.Parameters))
	for j, name := range p.Parameters {
		if k := slices.Index(q.Parameters, name); k >= 0 {
			fit[j], spread[j] = q.Estimate[k], q.Factor[k]
		}
	}
	return fit, spread
}
