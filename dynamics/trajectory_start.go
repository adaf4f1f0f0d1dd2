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
// period, where over all rows it would end in an alias. Every third start goes
// over all rows at once, for other basins. With a domain the starts
// lie in it, and so must what is found, or the domain must reach into its spread.
func (f *fitter) searchTrajectory() *descent {
	var ends []*descent
	for k, x := range f.starts() {
		from := max(4, len(f.Time)/8)
		if k%3 == 2 {
			from = len(f.Time)
		}
		e := f.grow(x, from)
		if math.IsInf(e.u, 1) {
			continue
		}
		e.value = f.inDomain(e)
		ends = append(ends, e)
		slices.SortStableFunc(ends, func(a, b *descent) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.u, b.u)) })
		if len(ends) >= agreeing && ends[agreeing-1].value < ends[0].value+1e-3 {
			break
		}
	}
	best := &descent{u: math.Inf(1), value: math.Inf(1)}
	for k, e := range ends[:min(len(ends), finalists)] {
		if math.IsInf(e.value, 1) && k > 0 {
			break
		}
		e = f.descend(e.x, len(f.Time), 100)
		if e.value = f.inDomain(e); e.value < best.value || k == 0 {
			best = e
		}
	}
	return best
}

// inDomain is the least energy in the domain that is known about the end of a
// descent: its own or those of draws from its spread; +Inf if none lies there.
func (f *fitter) inDomain(e *descent) float64 {
	inside := f.model.Allowed
	if inside == nil || inside(e.x) {
		return e.u
	}
	f.Factor = f.spread(e.x)
	least := math.Inf(1)
	for _, x := range f.around(e.x) {
		if inside(x) {
			least = min(least, f.at(x).u)
		}
	}
	return least
}

// grow fits more and more rows, from the first few on, with the noise scales as
// they are, and then all rows with free scales for a while.
func (f *fitter) grow(x []float64, few int) *descent {
	rows := len(f.Time)
	for _, q := range f.t.noise {
		if q.index >= 0 {
			f.free[q.index] = false
		}
	}
	for n := few; n < rows; n = max(n+1, n*8/5) {
		if e := f.descend(x, n, 12); !math.IsInf(e.u, 1) {
			x = e.x
		}
	}
	e := f.descend(x, rows, 20)
	for _, q := range f.t.noise {
		if q.index >= 0 {
			f.free[q.index] = true
		}
	}
	if math.IsInf(e.u, 1) {
		return e
	}
	return f.descend(f.rescaled(e.x), rows, 10)
}

// rescaled replaces free noise scales by the root mean squares of the residuals.
func (f *fitter) rescaled(x []float64) []float64 {
	out := slices.Clone(x)
	if !f.flow.run(x, 1, 0) {
		return out
	}
	d := len(f.t.initial)
	for k, q := range f.t.noise {
		sum, n := 0.0, 0.0
		for t := range f.flow.rows {
			if r, slope, ok := f.flow.residual(t*d+k, 0); ok && !math.IsInf(slope, 0) {
				sum, n = sum+r*r, n+1
			}
		}
		if j := q.index; j >= 0 && sum > 0 {
			if s := math.Sqrt(sum / n); s > f.Prior.Lower[j] && s < f.Prior.Upper[j] {
				out[j] = s
			}
		}
	}
	return out
}

// starts are where the search begins: the fit to estimated derivatives, points
// about it, and draws from the priors, a Latin hypercube. Initial values and
// noise scales begin at the data. Starts outside are drawn again.
func (f *fitter) starts() [][]float64 {
	const tries = 100
	rng := rand.New(rand.NewPCG(1, 2))
	d := len(f.Parameters)
	fit, factor := f.regression()
	strata := make([][]int, d)
	for j := range strata {
		strata[j] = rng.Perm(trajectoryStarts)
	}
	var out [][]float64
	for n := range trajectoryStarts {
		var x []float64
		for try := range tries {
			u := make([]float64, d)
			for j := range u {
				if u[j] = rng.Float64(); try == 0 {
					u[j] = (float64(strata[j][n]) + u[j]) / trajectoryStarts
				}
			}
			x = f.drawStart(n+try, u, fit, factor, rng)
			if f.model.Allowed == nil || f.model.Allowed(x) {
				break
			}
		}
		out = append(out, x)
	}
	return out
}

// drawStart makes start n from uniform numbers: of even number from what the model
// gives and from the priors, else about the fit, the first of all at it.
func (f *fitter) drawStart(n int, u, fit []float64, factor [][]float64, rng *rand.Rand) []float64 {
	x, z := make([]float64, len(u)), make([]float64, len(u))
	for k := range z {
		z[k] = 3 * rng.NormFloat64()
	}
	for j, name := range f.Parameters {
		at := slices.IndexFunc(f.model.Start, func(v Value) bool { return v.Name == name })
		fitted := fit != nil && !math.IsNaN(fit[j])
		q := f.Prior.Cut[j]
		switch {
		case at >= 0 && n%2 == 0:
			x[j] = f.model.Start[at].Value
		case n == 0 && fitted:
			x[j] = fit[j]
		case q != nil && (n%2 == 0 || !fitted):
			x[j] = q.X(u[j])
		case fitted:
			x[j] = fit[j]
			for k, l := range factor[j] {
				x[j] += l * z[k]
			}
		default:
			x[j] = math.Exp(math.Log(0.01) + u[j]*math.Log(3000))
		}
	}
	f.nuisanceStart(x)
	f.within(x)
	return x
}

// nuisanceStart puts initial values at the first data and noise scales at a
// quarter of the data's spread.
func (f *fitter) nuisanceStart(x []float64) {
	t := f.t
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
		if j := t.initial[k].index; j >= 0 && first == first && !f.given(j) {
			x[j] = first
		}
		if j := t.noise[k].index; j >= 0 && !f.given(j) {
			x[j] = math.Sqrt(squares/n) / 4
			if !(x[j] > 0) {
				x[j] = 1
			}
		}
	}
}

// given reports whether the model says where parameter j starts.
func (f *fitter) given(j int) bool {
	return slices.ContainsFunc(f.model.Start, func(v Value) bool { return v.Name == f.Parameters[j] })
}

// within moves x into the support of the priors.
func (f *fitter) within(x []float64) {
	for j, v := range x {
		if q := f.Prior.Cut[j]; q != nil && !(v > f.Prior.Lower[j] && v < f.Prior.Upper[j]) {
			x[j] = q.X(0.5)
		} else if v <= f.Prior.Lower[j] {
			x[j] = f.Prior.Lower[j] + 1
		}
	}
}

// regression fits the equations to estimated derivatives of the data. It returns
// the fit and its spread by parameter of the problem, NaN for those that are in
// no equation, and nil if there is none.
func (f *fitter) regression() (fit []float64, spread [][]float64) {
	m := *f.model
	m.Likelihood, m.Noise, m.Priors, m.Derivative = "derivative", Noise{}, nil, Derivative{}
	m.Sparse, m.Simulated = nil, false
	m.Fixed = slices.DeleteFunc(slices.Clone(m.Fixed), func(v Value) bool { return slices.Contains(f.model.nuisances(), v.Name) })
	m.Start = slices.DeleteFunc(slices.Clone(m.Start), func(v Value) bool { return slices.Contains(f.model.nuisances(), v.Name) })
	if f.t.lognormal {
		m.Likelihood = "log-derivative"
	}
	q, err := build(&m, f.series)
	if err != nil {
		return nil, nil
	}
	fit, spread = slices.Repeat([]float64{math.NaN()}, len(f.Parameters)), make([][]float64, len(f.Parameters))
	for j, name := range f.Parameters {
		if k := slices.Index(q.Parameters, name); k >= 0 {
			fit[j], spread[j] = q.Estimate[k], q.Factor[k]
		}
	}
	return fit, spread
}
