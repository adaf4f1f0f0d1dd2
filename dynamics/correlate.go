package dynamics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/slope"
)

// whiten says how the residuals of response i hang together, x being the
// parameters of its equation.
//
// Independent estimates have the standard deviations that the gaps of time give
// them. Those that overlap (savgol, spline) are dX = W·X, and the residuals
// dX − f(X) have, to first order in the noise of the data, the covariance of
// (W − J)·noise, J being the derivative of f by the states: that of the state
// itself lies on the diagonal of W, those of other states add independent noise
// of their own. What equations share through the same states is left out. The
// unit is that of [relative].
func (p *table) whiten(i int, x []float64) (*whitener, error) {
	r := &p.Responses[i]
	if p.made == nil {
		if r.SD != nil {
			return &whitener{sd: r.SD}, nil
		}
		return nil, nil
	}
	states, slopes, err := p.byStates(i, x, p.at[i], p.logarithmic())
	if err != nil {
		return nil, err
	}
	c := p.overlap(i)
	e := p.equations[i].state
	for k, name := range states {
		share := p.noise[name] / p.noise[e]
		for t, v := range slopes[k] {
			if name != e {
				c.Data[t*c.Stride] += v * v * share * share
				continue
			}
			c.Data[t*c.Stride] += v * v
			for j := max(0, t-c.K); j < min(c.N, t+c.K+1); j++ { // −J·W − (J·W)ᵀ
				a, b := min(t, j), max(t, j)
				both := v * p.made[i][j].Of(p.made[i][t].At)
				if a == b {
					both *= 2
				}
				c.Data[a*c.Stride+b-a] -= both
			}
		}
	}
	r.SD = r.SD[:0]
	for t := range c.N {
		r.SD = append(r.SD, math.Sqrt(c.Data[t*c.Stride]))
	}
	r.SD = normalise(c, r.SD)
	return regularised(c, 1e-4), nil
}

// overlap returns W·Wᵀ for the derivatives of equation i.
func (r *table) overlap(i int) blas64.SymmetricBand {
	if r.overlaps == nil {
		r.overlaps = make([]blas64.SymmetricBand, len(r.made))
	}
	if r.overlaps[i].N == 0 {
		r.overlaps[i] = slope.Covariance(r.made[i])
	}
	c := r.overlaps[i]
	c.Data = slices.Clone(c.Data)
	return c
}

// normalise divides a covariance by the square of the unit of its standard
// deviations sd and returns those in that unit.
func normalise(c blas64.SymmetricBand, sd []float64) []float64 {
	out := relative(sd)
	unit := sd[0]
	if out != nil {
		unit = sd[0] / out[0]
	}
	for k := range c.Data {
		c.Data[k] /= unit * unit
	}
	return out
}

// regularised factors a covariance of which a share is added to its diagonal,
// more if rounding asks for it.
func regularised(c blas64.SymmetricBand, share float64) *whitener {
	for ; ; share *= 10 {
		m := slope.NewBand(c.N, c.K)
		copy(m.Data, c.Data)
		added := make([]float64, c.N)
		for t := range added {
			added[t] = share * c.Data[t*c.Stride]
			m.Data[t*m.Stride] += added[t]
		}
		if w, ok := newWhitener(m); ok || share > 1e3 {
			w.added = added
			return w
		}
	}
}

// byStates differentiates the right-hand side of equation i by the states that
// it needs, at parameters x of the equation and the given rows; with log its
// ratio to its state by the logarithms of those states that have one.
func (p *table) byStates(i int, x []float64, rows []int, log bool) (states []string, slopes [][]float64, err error) {
	e := p.equations[i]
	if states, err = p.needs(e); err != nil || len(states) == 0 {
		return nil, nil, err
	}
	text, alias, full, err := p.rightHand(i)
	if err != nil {
		return nil, nil, err
	}
	if log {
		text = "(" + text + ")/" + e.state
	}
	known := slices.Concat(states, p.model.times())
	f, err := expression.CompileWRT(text, slices.Concat(known, alias), states)
	if err != nil {
		return nil, nil, &ModelError{[]string{"model", "equations", e.state}, offsetOf(err), err}
	}
	eval := f.Evaluator(rowLanes)
	in, value, grad := make([]float64, rowLanes*(len(known)+len(alias))), make([]float64, rowLanes), make([]float64, rowLanes*len(states))
	for k, name := range full {
		v, fixed := p.model.fixed(name)
		if !fixed {
			v = x[slices.Index(e.parameters, name)]
		}
		for l := range rowLanes {
			in[(len(known)+k)*rowLanes+l] = v
		}
	}
	slopes = make([][]float64, len(states))
	for k := range slopes {
		slopes[k] = make([]float64, len(rows))
	}
	for from := 0; from < len(rows); from += rowLanes {
		for k, name := range known {
			values := p.values[name]
			for l := range rowLanes {
				in[k*rowLanes+l] = values[rows[min(from+l, len(rows)-1)]]
			}
		}
		eval.Gradient(value, grad, in)
		for k := range states {
			for l := range min(rowLanes, len(rows)-from) {
				v := grad[k*rowLanes+l]
				if log && p.logs[states[k]] {
					v *= in[k*rowLanes+l]
				}
				if math.IsNaN(v) || math.IsInf(v, 0) {
					v = 0 // a kink: no first order
				}
				slopes[k][from+l] = v
			}
		}
	}
	return states, slopes, nil
}

// rightHand is the right-hand side of equation i as a formula: names in it stand
// for the parameters, free or fixed, of the full names.
func (p *Problem) rightHand(i int) (text string, alias, full []string, err error) {
	e := &p.equations[i]
	names := &symbols{full: map[string]string{}}
	if e.terms != nil {
		text = p.sum(e, i, names)
	} else {
		text = e.text
		used, err := expression.Names(text)
		if err != nil {
			return "", nil, nil, &ModelError{[]string{"model", "equations", e.state}, offsetOf(err), err}
		}
		for _, name := range used {
			if !slices.Contains(p.model.States, name) && !slices.Contains(p.model.times(), name) {
				names.add(name, name)
			}
		}
	}
	for _, name := range names.order {
		full = append(full, names.full[name])
	}
	return text, names.order, full, nil
}

// measureNoise estimates the noise of every state, or with log that of its
// logarithm where it is positive.
func (p *table) measureNoise(s *Series, log bool) {
	p.noise, p.logs = map[string]float64{}, map[string]bool{}
	for _, name := range p.model.States {
		_, times, v := s.existing(s.Values[name])
		if log && len(v) > 0 && slices.Min(v) > 0 {
			p.logs[name] = true
			for t, x := range v {
				v[t] = math.Log(x)
			}
		}
		p.noise[name] = slope.Noise(times, v)
	}
}
