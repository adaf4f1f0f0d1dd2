package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/potential"
)

// Weak says how equations are integrated against test functions.
type Weak struct {
	// Width is the number of rows, at least 5, that a test function spans, on
	// average over uneven times: it is 0 at the first and last. 0 chooses: two
	// thirds of the period of the fastest state, see [Series.span].
	Width int `json:"width"`
}

// The test functions are φ(t) ∝ (1 − ((t − c)/ρ)²)⁴ with ∫φ = 1, their centres c
// half of the radius ρ apart: as far as their spectrum reaches.
const (
	bumpPower   = 4
	bumpSpacing = 2
	leastWidth  = 5
)

// A joint is the law of residuals of all responses together: U⁻ᵀ times the
// stacked residuals are independent and standard normal.
type joint struct {
	data  []datum
	white *whitener
}

// A datum is one of the observed values of a response.
type datum struct{ response, row int }

// weakly is a weak form in the making. Functional m integrates equation
// data[m].response against the test function about center[m].
type weakly struct {
	*table
	series *Series
	width  int // of test functions, in rows
	radius float64
	step   float64 // mean
	joint  joint
	left   []slope.Stencil // by functional: −∫φ′x of the equation's own state, over rows of the series
	right  []slope.Stencil // ∫φf, over the rows of the equation
	target []float64       // what left makes of the data
	sd     []float64       // the noise of each state of the model
	fitted func(dst []float64, c int, x []float64)
}

// weak makes the posterior of the weak form of the equations (Messenger and
// Bortz 2021): for test functions φ of compact support
//
//	−∫φ′x dt = ∫φ f(x, p) dt,
//
// the integrals being those of the straight lines between the data, which is as
// good as the trapezoid rule on even steps and better on others. Noise ε of the
// data makes an error (A − QJ)ε, to first order, A and Q being the integrals and J
// the derivative of f by the states; its covariance, across equations, is found
// by iteratively reweighted least squares (Bortz, Messenger and Dukic 2023) and
// then kept. What the squares of ε add to the estimate is found and taken out of
// it, see without: predictions are raised by what they lose at the estimate, so that
// the posterior is centered where least squares would be without that.
func (p *Problem) weak(s *Series) error {
	if p.model.Noise.Kind == "paper" {
		return &ModelError{[]string{"model", "noise"}, -1, errors.New("noise: paper belongs to likelihood: derivative; use estimate, or give it")}
	}
	t := &table{Problem: p}
	if err := t.gather(s); err != nil {
		return err
	}
	t.measureNoise(s, false)
	w := &weakly{table: t, series: s, step: (s.Time[s.rows()-1] - s.Time[0]) / float64(s.rows()-1)}
	for _, name := range p.model.States {
		w.sd = append(w.sd, t.noise[name])
		for _, v := range p.model.Noise.SD {
			if p.model.Noise.Kind == "given" && v.Name == name {
				w.sd[len(w.sd)-1] = v.Value
			}
		}
	}
	if err := w.place(); err != nil {
		return err
	}
	if err := w.noisy(); err != nil {
		return err
	}
	p.tellMissing(s, "integrals join the values beside a gap by a straight line")
	p.Likelihood = w
	lin, err := t.linear()
	if err != nil {
		return err
	}
	var likelihood, whole potential.Potential
	var gram func([]float64) []float64
	if p.Linear = lin != nil; p.Linear {
		likelihood, whole, gram, err = w.fromLinear(lin)
	} else {
		likelihood, whole, gram, err = w.fromCurves()
	}
	var told *ModelError
	if err != nil && !errors.As(err, &told) {
		err = fmt.Errorf("the weak form cannot be fitted: %w; check the noise, or measure the states in other units", err)
	}
	if err != nil {
		return err
	}
	return p.withPriors(likelihood, whole, gram)
}

// noisy is the error of a state with an equation whose data show no noise: of values
// that are all the same.
func (w *weakly) noisy() error {
	for k, name := range w.model.States {
		modelled := slices.ContainsFunc(w.equations, func(e equation) bool { return e.state == name })
		_, _, v := w.series.existing(w.series.Values[name])
		still := w.model.Noise.Kind != "given" && slices.Min(v) == slices.Max(v)
		if modelled && (still || !computable(w.sd[k])) {
			return &ModelError{[]string{"model", "likelihood"}, -1, fmt.Errorf("the noise of %q cannot be estimated from its values (the first is "+
				"%v), which do not vary: "+
				"give it (noise: {%s: …}, for every state), or drop the equation of %q", name, v[0], name, name)}
		}
	}
	return nil
}

// place lays out the test functions and makes the responses.
func (w *weakly) place() error {
	p, s := w.table, w.series
	width := p.model.Weak.Width
	if width == 0 {
		width = s.span(p.model.States, p.noise)
	}
	if n := s.rows(); n < leastWidth+2 {
		return &ModelError{[]string{"model", "likelihood"}, -1, fmt.Errorf(
			"%s has %d rows: the weak form needs at least %d, with test functions of %d rows; take likelihood: derivative, or more data", s.File, n,
			leastWidth+2, leastWidth)}
	} else if width < leastWidth || width > n-2 {
		return &ModelError{[]string{"model", "weak", "width"}, -1, fmt.Errorf(
			"test functions of %d rows: take from %d to %d of the %d rows of %s", width, leastWidth, n-2, n, s.File)}
	}
	w.width = width
	w.radius = float64(width-1) / 2 * w.step
	first, room := s.Time[0]+w.radius, s.Time[s.rows()-1]-s.Time[0]-2*w.radius
	n := int(room/(w.radius/bumpSpacing)) + 1
	for i, e := range p.equations {
		needs, err := p.needs(e)
		if err != nil {
			return err
		}
		var at []int
		for row := range s.Time {
			if p.whole(needs, row) {
				at = append(at, row)
			}
		}
		p.at = append(p.at, at)
		p.Responses = append(p.Responses, Response{State: e.state, Label: "mean d" + e.state + "/dt"})
		own, _, _ := s.existing(s.Values[e.state])
		for k := range n {
			w.add(i, first+room*float64(k)/float64(max(n-1, 1)), own, at)
		}
		if r := p.Responses[i]; len(r.Observed) <= len(e.parameters) {
			advice := "take a smaller width"
			if width <= leastWidth {
				advice = "no width is smaller; take likelihood: derivative, fewer parameters, or more data"
			}
			room := counted(len(r.Observed), "test function")
			if len(r.Observed) == 0 {
				room = "no test function"
			}
			return &ModelError{[]string{"model", "weak", "width"}, -1, fmt.Errorf(
				"the equation of %q has %s, and among the %d rows of %s, gaps aside, is room for %s of %d rows: %s",
				e.state, counted(len(e.parameters), "parameter"), s.rows(), s.File, room, width, advice)}
		}
		if lost := n - len(p.Responses[i].Observed); lost > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d integrals of the equation of %q are left out: gaps between values are too wide "+
				"for them.", lost, n, e.state))
		}
	}
	w.interleave()
	p.sortResponses()
	return nil
}

// add adds the test function about a center to response i, unless gaps are too
// wide. own are the rows of the state, at those of the right-hand side.
func (w *weakly) add(i int, center float64, own, at []int) {
	left, ok := w.bump(own, center, true)
	right, fine := w.bump(at, center, false)
	if !ok || !fine {
		return
	}
	p := w.Problem
	target, v := 0.0, w.series.Values[p.equations[i].state]
	base := v[own[left.From]] // weights add up to 0: less cancellation
	for k, x := range left.Weight {
		target += x * (v[own[left.From+k]] - base)
	}
	r := &p.Responses[i]
	w.joint.data = append(w.joint.data, datum{i, len(r.Observed)})
	r.Observed, r.Time = append(r.Observed, target), append(r.Time, center)
	w.left, w.right, w.target = append(w.left, spreadOver(left, own)), append(w.right, right), append(w.target, target)
}

// bump integrates the straight lines between values at the given rows against the
// test function about a center, or with differentiate their slopes. ok is false if a gap
// within its support is wider than 0.7 of its radius.
func (w *weakly) bump(rows []int, center float64, differentiate bool) (out slope.Stencil, ok bool) {
	t, rho := w.series.Time, w.radius
	if len(rows) < 3 {
		return out, false
	}
	from := sort.Search(len(rows), func(k int) bool { return t[rows[k]] > center-rho }) - 1
	from = max(from, 0)
	out.From = from
	var x, weight [bumpPower + 1]float64
	for k := from; k+1 < len(rows) && t[rows[k]] < center+rho; k++ {
		a, b := t[rows[k]], t[rows[k+1]]
		if b-a > math.Max(0.7*rho, 1.01*w.step) {
			return out, false
		}
		quad.Legendre{}.FixedLocations(x[:], weight[:], math.Max(a, center-rho), math.Min(b, center+rho))
		if k == from {
			out.Weight = append(out.Weight, 0)
		}
		out.Weight = append(out.Weight, 0)
		near, far := &out.Weight[k-from], &out.Weight[k-from+1]
		for q, at := range x {
			u := (at - center) / rho
			// ∫(1 − u²)⁴ du = 256/315
			phi := weight[q] * math.Pow(1-u*u, bumpPower) / (rho * 256 / 315)
			if differentiate {
				*near -= phi / (b - a)
				*far += phi / (b - a)
				continue
			}
			share := (at - a) / (b - a)
			*near += phi * (1 - share)
			*far += phi * share
		}
	}
	last := rows[min(from+max(len(out.Weight)-1, 0), len(rows)-1)]
	covered := len(out.Weight) > 2 && t[rows[from]] <= center-rho*0.9 && t[last] >= center+rho*0.9
	return out, covered
}

// spreadOver turns a stencil over some rows into one over all rows.
func spreadOver(s slope.Stencil, rows []int) slope.Stencil {
	out := slope.Stencil{From: rows[s.From]}
	out.Weight = make([]float64, rows[s.From+len(s.Weight)-1]-out.From+1)
	for k, v := range s.Weight {
		out.Weight[rows[s.From+k]-out.From] = v
	}
	return out
}

// interleave puts functionals in the order of their centers, so that those that
// overlap are near each other.
func (w *weakly) interleave() {
	order := seq(len(w.target))
	center := func(m int) float64 {
		at := w.joint.data[m]
		return w.Responses[at.response].Time[at.row]
	}
	sort.SliceStable(order, func(a, b int) bool { return center(order[a]) < center(order[b]) })
	w.joint.data, w.left, w.right, w.target = pick(w.joint.data, order), pick(w.left, order), pick(w.right, order), pick(w.target, order)
}

// span chooses the width of test functions from the data: two thirds of the
// period of the fastest state, at most a third of the rows. A sixth of its period
// is the lag at which half the variance of a wave is lost; that lag is counted
// here, free of noise.
func (s *Series) span(states []string, noise map[string]float64) int {
	lag := s.rows()
	for _, name := range states {
		_, _, v := s.existing(s.Values[name])
		mean, variance := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			variance += (x - mean) * (x - mean) / float64(len(v))
		}
		free := noise[name] * noise[name]
		if variance < 2*free {
			continue
		}
		for m := 1; m < min(lag, len(v)); m++ {
			half := 0.0
			for t := m; t < len(v); t++ {
				half += (v[t] - v[t-m]) * (v[t] - v[t-m]) / 2 / float64(len(v)-m)
			}
			if half-free >= (variance-free)/2 {
				lag = m * s.rows() / len(v)
				break
			}
		}
	}
	return max(leastWidth, min(4*lag+1, s.rows()/3|1))
}

// errorsOf is the covariance of the functionals' errors at parameters x.
func (w *weakly) errorsOf(x []float64) (*whitener, error) {
	p := w.table
	n := len(w.target)
	own, slopes := make([][]int, len(p.equations)), make([][][]float64, len(p.equations)) // states needed, by number
	for i, e := range p.equations {
		states, v, err := p.byStates(i, pick(x, p.index(e)), p.at[i], false)
		if err != nil {
			return nil, err
		}
		for _, name := range states {
			own[i] = append(own[i], slices.Index(p.model.States, name))
		}
		slopes[i] = v
	}
	parts := make([][]slope.Stencil, n) // by functional, by state
	for m, at := range w.joint.data {
		i := at.response
		parts[m] = make([]slope.Stencil, len(p.model.States))
		state := slices.Index(p.model.States, p.equations[i].state)
		parts[m][state] = w.left[m].Times(w.sd[state])
		for k, state := range own[i] {
			q := w.right[m]
			through := slope.Stencil{From: q.From, Weight: slices.Clone(q.Weight)}
			for j := range q.Weight {
				through.Weight[j] *= -slopes[i][k][q.From+j] * w.sd[state]
			}
			parts[m][state] = parts[m][state].Add(spreadOver(through, p.at[i]))
		}
	}
	return w.factor(parts), nil
}

// factor whitens functionals that are sums of stencils of states with unit noise,
// and notes the standard deviations that they have.
func (w *weakly) factor(parts [][]slope.Stencil) *whitener {
	n, k := len(parts), 0
	reach := func(m int) (from, to float64) {
		at := w.joint.data[m]
		c := w.Responses[at.response].Time[at.row]
		return c - w.radius - w.step, c + w.radius + w.step
	}
	for a := range n {
		_, to := reach(a)
		b := a + k + 1
		for ; b < n; b++ {
			if from, _ := reach(b); from >= to {
				break
			}
		}
		k = max(k, b-1-a)
	}
	c := slope.NewBand(n, k)
	for a := range n {
		for b := a; b < min(n, a+c.K+1); b++ {
			sum := 0.0
			for state := range parts[a] {
				sum += slope.Dot(parts[a][state], parts[b][state])
			}
			c.Data[a*c.Stride+b-a] = sum
		}
	}
	for i := range w.Responses {
		w.Responses[i].SD = make([]float64, len(w.Responses[i].Observed))
	}
	for m, at := range w.joint.data {
		w.Responses[at.response].SD[at.row] = math.Sqrt(c.Data[m*c.Stride])
	}
	return rescaled(c)
}

// rescaled factors a covariance whose entries may be of very different sizes.
func rescaled(c symmetric) *whitener {
	sd := make([]float64, c.N)
	for t := range sd {
		sd[t] = math.Sqrt(c.Data[t*c.Stride])
	}
	for t := range c.N {
		for j := t; j < min(c.N, t+c.K+1); j++ {
			c.Data[t*c.Stride+j-t] /= sd[t] * sd[j]
		}
	}
	w := regularised(c, 1e-8)
	for t := range c.N { // U·diag(sd)
		w.added[t] *= sd[t] * sd[t]
		for j := t; j < min(c.N, t+c.K+1); j++ {
			w.factor.Data[t*w.factor.Stride+j-t] *= sd[j]
		}
	}
	return w
}
