package rows

import (
	"slices"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/vector"
)

// A logodds is −log density of rows whose outcome is 0 or 1 and whose log odds are affine in the
// parameters. Rows are products of columns: no formula is evaluated, and each column is loaded
// once for several states.
type logodds struct {
	rows    int
	outcome constants
	offset  constants // of data alone
	single  []common
	design  product
	picked  []weightedPick
}

// A common coordinate has the same coefficient in all rows.
type common struct {
	coordinate int
	by         float64
}

// A weightedPick has a coefficient of each row.
type weightedPick struct {
	pick
	by constants
}

// odds returns the log odds of a term; nil if they are not affine, or not finite.
func (b *builder) odds(t term) *logodds {
	if t.law == nil || t.law.name != "bernoulli_logit" || len(t.law.with) > 1 { // which is truncated
		return nil
	}
	text, err := b.sums(t.law.with[0])
	if err != nil {
		return nil
	}
	if _, of := b.parametric(t.full[0]); of != nil {
		return nil
	}
	data, parameters := b.parametric(text)
	by, affine, err := expression.Coefficients(text, data, parameters)
	if !affine || err != nil {
		return nil
	}
	o, finite := &logodds{rows: b.keep.Len()}, false
	if o.outcome, finite = b.coefficient(t.full[0]); !finite {
		return nil
	}
	o.offset, finite = b.coefficient(by[0])
	for i, name := range parameters {
		finite = finite && b.weigh(o, name, by[1+i])
	}
	if !finite {
		return nil
	}
	return o
}

// parametric are the names of data in a formula, and those of parameters.
func (b *builder) parametric(text string) (data, parameters []string) {
	names, _ := expression.Names(text)
	for _, n := range names {
		if b.ofData(n) {
			data = append(data, n)
		} else {
			parameters = append(parameters, n)
		}
	}
	return data, parameters
}

// weigh adds a parameter times its coefficient. It reports whether that is finite.
func (b *builder) weigh(o *logodds, name, text string) bool {
	by, finite := b.coefficient(text)
	j := slices.Index(b.out.Names, name)
	switch {
	case !finite:
	case b.isPick(name):
		o.picked = append(o.picked, weightedPick{b.pick(name), by})
	case by.each == nil:
		o.single = append(o.single, common{j, by.one})
	default:
		o.design.coordinate = append(o.design.coordinate, j)
		o.design.columns = append(o.design.columns, by.each)
	}
	return finite
}

// coefficient is what a formula of data, as [expression.Coefficients] writes it, has in the rows. It
// reports whether that is finite.
func (b *builder) coefficient(text string) (c constants, finite bool) {
	if text == "" {
		text = "0"
	}
	names, err := expression.Names(text)
	if err == nil {
		c, err = b.evaluated(text, names)
	}
	return c, err == nil && c.first(func(v float64) bool { return v-v != 0 }) < 0
}

const (
	oddsStrip  = 384 // rows at once: their numbers stay in the cache
	oddsStates = 4   // states at once
)

func (o *logodds) taken(some []int) parted {
	q := *o
	q.rows, q.outcome, q.offset, q.design, q.picked = len(some), o.outcome.part(some), o.offset.part(some), o.design.taken(some), nil
	for _, p := range o.picked {
		q.picked = append(q.picked, weightedPick{p.taken(some), p.by.part(some)})
	}
	return &q
}

func (o *logodds) evaluator() adder {
	return everyChunk{o.chunks(oddsStrip), o.rows, oddsStrip}
}

// chunks have at most vector.MostOutcomes rows.
func (o *logodds) chunks(size int) chunkAdder {
	k := len(o.design.columns)
	e := &oddsEvaluator{logodds: o, size: size, block: vector.NewBlock(o.design.columns), odds: make([]float64, oddsStates*size),
		room: make([]float64, size), weights: make([]float64, oddsStates*k), slopes: make([]float64, oddsStates*k)}
	for range o.picked {
		e.by = append(e.by, make([]float64, size))
	}
	return e
}

type oddsEvaluator struct {
	*logodds
	size            int
	block           *vector.Block
	outcomes        vector.Outcomes
	odds            []float64   // of some rows, for some states
	room            []float64   // for the offsets of some rows, or their outcomes
	by              [][]float64 // of each pick, the coefficients of some rows
	weights, slopes []float64   // of the columns
}

func (e *oddsEvaluator) chunk(energy, grad, x []float64, r, from int) {
	n := min(e.size, e.rows-from)
	e.block.Rows(from, n)
	for i, p := range e.picked {
		copy(e.by[i], p.by.rows(e.by[i][:n], from))
	}
	for i := 0; i < r; i += oddsStates {
		s := min(oddsStates, r-i)
		e.set(x, i, s, r, from, n)
		outcome := e.outcome.rows(e.room[:n], from)
		for k := range s {
			odds := e.odds[k*n : (k+1)*n]
			energy[i+k] += e.outcomes.Energy(odds, odds, outcome)
		}
		e.slope(grad, i, s, r, from, n)
	}
}

// set writes the log odds of n rows for s of r states.
func (e *oddsEvaluator) set(x []float64, i, s, r, from, n int) {
	for k := range s {
		odds, base := e.odds[k*n:(k+1)*n], e.offset.one
		for _, w := range e.single {
			base += w.by * x[w.coordinate*r+i+k]
		}
		fill(odds, base)
		if e.offset.each != nil {
			for t, v := range e.offset.rows(e.room[:n], from) {
				odds[t] += v
			}
		}
		for j, p := range e.picked {
			level, by := p.level[from:from+n], e.by[j]
			for t, l := range level {
				odds[t] += by[t] * x[p.coordinate[l]*r+i+k]
			}
		}
	}
	for c, j := range e.design.coordinate {
		copy(e.weights[c*s:(c+1)*s], x[j*r+i:])
	}
	e.block.Times(e.odds[:n*s], e.weights, s)
}

// slope adds the gradient of n rows, whose derivatives by log odds stand in place of these.
func (e *oddsEvaluator) slope(grad []float64, i, s, r, from, n int) {
	slopes := e.slopes[:len(e.design.coordinate)*s]
	clear(slopes)
	e.block.Dots(slopes, e.odds[:n*s], s)
	for c, j := range e.design.coordinate {
		for k, v := range slopes[c*s : (c+1)*s] {
			grad[j*r+i+k] += v
		}
	}
	for k := range s {
		by := e.odds[k*n : (k+1)*n]
		if len(e.single) > 0 {
			all := sum(by)
			for _, w := range e.single {
				grad[w.coordinate*r+i+k] += w.by * all
			}
		}
		for j, p := range e.picked {
			level, coefficient := p.level[from:from+n], e.by[j]
			for t, v := range by {
				grad[p.coordinate[level[t]]*r+i+k] += v * coefficient[t]
			}
		}
	}
}
