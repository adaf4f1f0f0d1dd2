package dynamics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/interp"

	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/ode"
)

// stepsToNext is how many steps a solver may take from one row to the next.
const stepsToNext = 2000

// A regression compares right-hand sides at the rows with what it makes of the data,
// slopes or integrals. It does not know what happens between rows: wide steps bias it.
type regression interface {
	Likelihood
	course(x []float64) (*course, error)
	// defects are, by response, what is made of a course less what is made of its
	// right-hand sides.
	defects(c *course) [][]float64
	// inErrors stacks values of all responses in units of their errors.
	inErrors(v [][]float64) []float64
}

// A course follows the equations from each row of the data to the next. By state and row,
// it has the right-hand sides at the data, and the changes that the equations make up to
// there. With log-derivative both are those of logarithms.
type course struct{ right, values map[string][]float64 }

// course is that of parameters x. Curves through the data stand for values that are missing
// and for states without an equation.
func (p *table) course(x []float64) (*course, error) {
	system, err := p.everyState()
	if err != nil {
		return nil, err
	}
	s, states, options := p.series, p.model.States, p.model.Solver
	options.Steps = stepsToNext
	solver, err := ode.NewSolver(len(states), options)
	if err != nil {
		return nil, err
	}
	curves := make([]interp.AkimaSpline, len(states))
	for k, name := range states {
		_, times, v := s.existing(s.Values[name])
		if len(v) < 2 {
			return nil, fmt.Errorf("%s has no curve", name)
		}
		if err := curves[k].Fit(times, v); err != nil {
			return nil, err
		}
	}
	at := system.At(x)
	along := ode.System{Dim: len(states), F: func(dy []float64, t float64, y []float64) {
		at.F(dy, t, y)
		for k, name := range states {
			if !p.hasEquation(name) {
				dy[k] = curves[k].PredictDerivative(t)
			}
		}
	}}
	c := &course{map[string][]float64{}, map[string][]float64{}}
	y, right, next, total := make([]float64, len(states)), make([]float64, len(states)), make([]float64, len(states)),
		make([]float64, len(states))
	for t, now := range s.Time {
		for k := range y {
			y[k] = curves[k].Predict(now)
		}
		at.F(right, now, y)
		for k, name := range states {
			c.right[name], c.values[name] = append(c.right[name], right[k]/p.unit(y[k])), append(c.values[name], total[k])
		}
		if t+1 == s.rows() {
			break
		}
		if err := solver.Solve(along, now, y, s.Time[t+1:t+2], next); err != nil {
			return nil, err
		}
		for k, v := range next {
			change := v - y[k]
			if p.logarithmic() {
				change = math.Log(v / y[k])
			}
			total[k] += change
		}
	}
	return c, nil
}

// unit is that of the slope of a state at y: with log-derivative it is y.
func (p *Problem) unit(y float64) float64 {
	if p.logarithmic() {
		return y
	}
	return 1
}

// hasEquation reports whether a state has one.
func (p *Problem) hasEquation(state string) bool {
	return slices.ContainsFunc(p.equations, func(e equation) bool { return e.state == state })
}

// everyState is the system with right-hand sides 0 for states without an equation.
func (p *Problem) everyState() (*System, error) {
	q := *p
	q.equations = slices.Clone(p.equations)
	for _, name := range p.model.States {
		if !p.hasEquation(name) {
			q.equations = append(q.equations, equation{state: name, text: "0"})
		}
	}
	return q.System()
}

// of is the function of values.
func of(q slope.Stencil, v []float64) (sum float64) {
	for k, w := range q.Weight {
		sum += w * v[q.From+k]
	}
	return sum
}

// defects are those of estimated slopes.
func (p *slopes) defects(c *course) [][]float64 {
	out := make([][]float64, len(p.equations))
	for i, e := range p.equations {
		rows, times, _ := p.series.existing(p.series.Values[e.state])
		v := pick(c.values[e.state], rows)
		made := slope.Central(times, v).Made
		for t, row := range p.at[i] {
			var q slope.Stencil
			if p.made != nil {
				q = p.made[i][t]
			} else {
				k, _ := slices.BinarySearch(rows, row)
				q = made[k-1]
			}
			out[i] = append(out[i], of(q, v)-c.right[e.state][row])
		}
	}
	return out
}

// defects are those of integrals.
func (w *weakly) defects(c *course) [][]float64 {
	out := make([][]float64, len(w.equations))
	for m, at := range w.joint.data {
		state := w.equations[at.response].state
		right := pick(c.right[state], w.at[at.response])
		out[at.response] = append(out[at.response], of(w.left[m], c.values[state])-of(w.right[m], right))
	}
	return out
}

func (p *slopes) inErrors(v [][]float64) (out []float64) {
	for i, x := range v {
		for _, z := range p.white[i].vector(x) {
			out = append(out, z/p.Noise[i])
		}
	}
	return out
}

func (w *weakly) inErrors(v [][]float64) []float64 {
	out := make([]float64, len(w.joint.data))
	for m, at := range w.joint.data {
		out[m] = v[at.response][at.row]
	}
	w.joint.white.apply(out)
	return out
}

// stepBias is by how much steps between rows move the mode, to first order: it fits the
// defects of the equations that it has found. nil if they lead nowhere.
func (p *Problem) stepBias(l regression) []float64 {
	c, err := l.course(p.Center)
	if err != nil {
		return nil
	}
	defects, pull, out := l.inErrors(l.defects(c)), make([]float64, len(p.Center)), make([]float64, len(p.Center))
	for j, v := range p.Center {
		h := 1e-3 * p.spread(j)
		var slopes [][]float64 // of predictions by parameter j
		for c, r := range p.Responses {
			up, down := make([]float64, len(r.Observed)), make([]float64, len(r.Observed))
			x := slices.Clone(p.Center)
			x[j] = v + h
			l.Fitted(c, nil)(up, x)
			x[j] = v - h
			l.Fitted(c, nil)(down, x)
			for t := range up {
				up[t] = (up[t] - down[t]) / (2 * h)
			}
			slopes = append(slopes, up)
		}
		for m, v := range l.inErrors(slopes) {
			pull[j] += v * defects[m]
		}
	}
	for j, row := range p.Factor {
		for k, other := range p.Factor {
			for i, v := range row {
				out[j] += v * other[i] * pull[k]
			}
		}
	}
	return out
}

// coarseSteps warns if steps between rows move parameters by more than biased standard
// deviations, and reports whether they do.
func (p *Problem) coarseSteps() bool {
	q := p
	if p.series.rows() > enough {
		var err error
		if q, err = build(p.model, p.series.head(enough)); err != nil {
			return false
		}
	}
	l, ok := q.Likelihood.(regression)
	if !ok || q.Noise == nil || p.Inexact != "" || p.model.Derivative.Kind == "column" {
		return false
	}
	worst, name := biased*1.0, ""
	for j, v := range q.stepBias(l) {
		if r := math.Abs(v) / p.spread(j); r > worst && !math.IsInf(r, 0) {
			worst, name = r, p.Parameters[j]
		}
	}
	if name == "" {
		return false
	}
	remedy := "likelihood: trajectory"
	if k := p.model.Derivative.Kind; p.model.Likelihood != "weak" && k != "spline" {
		remedy = "derivative: spline, or " + remedy
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("the steps between rows are too coarse for the %s: what the equations do between rows moves "+
		"%s by about %.1f of its standard deviations. "+
		"No interval knows of it. Take %s, or rows closer together.", l.Name(), name, worst, remedy))
	return true
}
