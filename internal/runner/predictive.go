package runner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/stream"
)

// The store gets as many draws of the rows as are enough for pictures and criteria, unless
// the rows are so many that few would fit.
const (
	mostPredictive  = 1000      // draws of all chains
	leastPredictive = 50        // draws of all chains, fewer of which are none
	mostNumbers     = 4_000_000 // of an array
)

// Beside is how many bytes a run keeps of rows beside its draws, in memory and on disk.
func Beside(p *rows.Posterior) float64 {
	if p == nil {
		return 0
	}
	n, arrays := p.Outcomes.Line.Len(), len(p.Outcomes.Of)
	draws := predictiveDraws(n)
	if draws == 0 {
		return 0
	}
	return 8 * float64(draws) * (float64(n)*float64(2*arrays+1) + float64(len(p.Names))) // of posterior and prior, and log densities
}

// predictiveDraws is how many draws are made of so many rows; 0 where too few would fit.
func predictiveDraws(rows int) int {
	if n := min(mostPredictive, mostNumbers/rows); n >= leastPredictive {
		return n
	}
	return 0
}

// predictive makes draws of what was observed, of the log density of every row and of the
// priors, for the store, and checks what was observed against them.
func (x *execution) predictive(ctx context.Context, res *r2sgld.Result, sum *report.Summary) error {
	o := x.Rows.Outcomes
	n := predictiveDraws(o.Line.Len())
	if n == 0 {
		fmt.Fprintf(x.Terminal, " no predictive draws are kept of %s; of others: r2sgld simulate %s --data FILE.csv\n",
			text.Counted(o.Line.Len(), "row"), text.Word(x.Dir))
		return nil
	}
	observed := rowGroup("observed_data", o.Line.Numbers(), outcomesOf(o))
	for i := range o.Of {
		observed.Arrays[i+1] = counted(observed.Arrays[i+1], &o.Of[i])
	}
	x.drawn.Groups = append(x.drawn.Groups, observed)
	if o.Given != nil {
		x.drawn.Groups = append(x.drawn.Groups, rowGroup("constant_data", o.Line.Numbers(), o.Given))
	}
	states, chains, stride := thinned(res, n)
	rng := &stream.New(x.Settings.Seed, volumeLadder).Of(3, stream.Pilot).Rand
	drawn, err := o.Draw(ctx, states, rng)
	if err != nil {
		return err
	}
	arrays := place(chains, len(states)/chains, stride, o.Line.Numbers())
	for i := range o.Of {
		arrays = append(arrays, counted(rowDraws(o.Of[i].Name, chains, drawn[i]), &o.Of[i]))
	}
	if len(o.Of) > 0 {
		x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "posterior_predictive", Arrays: arrays})
	}
	log, write := make([][]float64, len(states)), x.Rows.Likelihood.LogDensity(nil)
	for k, at := range states {
		log[k] = make([]float64, o.Line.Len())
		write(log[k], at)
	}
	name := "rows"
	if len(o.Of) == 1 {
		name = o.Of[0].Name
	}
	x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "log_likelihood",
		Arrays: append(place(chains, len(states)/chains, stride, o.Line.Numbers()), rowDraws(name, chains, log))})
	for i, of := range o.Of {
		_, observed, straight := of.Straight(drawn[i])
		sum.Predictive = append(sum.Predictive, report.Check(of.Name, observed, straight, of.Statistics()...))
		x.predicted = append(x.predicted, figure.Predicted{Axis: figure.Axis{Name: of.Name}, Observed: observed, Drawn: straight,
			Of: figure.OutcomeOf(of.Discrete, of.Most)})
	}
	return x.priors(ctx, rng)
}

func outcomesOf(o *rows.Outcomes) (columns []rows.Column) {
	for _, of := range o.Of {
		columns = append(columns, of.Column)
	}
	return columns
}

// rowGroup is a group of columns, whose rows are called by their lines of the file.
func rowGroup(name string, line []int, columns []rows.Column) store.Group {
	g := store.Group{Name: name, Arrays: []store.Array{lines(line)}}
	for _, c := range columns {
		g.Arrays = append(g.Arrays, store.Array{Name: c.Name, Dims: []string{"row"}, Shape: []int{len(line)}, Values: c.Values()})
	}
	return g
}

// counted says of an array of an outcome of whole numbers that it is one, if all were drawn and
// none is beyond what a float64 counts.
func counted(a store.Array, o *rows.Outcome) store.Array {
	a.Whole = o.Discrete && !slices.ContainsFunc(a.Values, func(v float64) bool { return !(math.Abs(v) <= 1<<53) })
	return a
}

func lines(of []int) store.Array {
	a := store.Array{Name: "row", Dims: []string{"row"}, Shape: []int{len(of)}, Whole: true}
	for _, l := range of {
		a.Values = append(a.Values, float64(l))
	}
	return a
}

// place are the coordinates of draws of rows.
func place(chains, draws, stride int, line []int) []store.Array {
	return []store.Array{store.Numbered("chain", chains, 1), store.Numbered("draw", draws, stride), lines(line)}
}

// ofRows is an array of draws of rows, chain by chain.
func rowDraws(name string, chains int, drawn [][]float64) store.Array {
	return store.Array{Name: name, Dims: []string{"chain", "draw", "row"}, Shape: []int{chains, len(drawn) / chains, len(drawn[0])},
		Values: slices.Concat(drawn...)}
}

// thinned are at most so many states, of each chain as many, every so many draws.
func thinned(res *r2sgld.Result, most int) (states [][]float64, chains, stride int) {
	kept, columns := math.MaxInt, make([][][]float64, len(res.Names))
	for j := range columns {
		columns[j] = res.Chains(j)
	}
	chains = len(columns[0])
	for _, c := range columns[0] {
		kept = min(kept, len(c))
	}
	each := max(1, most/chains)
	stride = (kept + each - 1) / each
	for c := range chains {
		for k := 0; k < kept; k += stride {
			state := make([]float64, len(columns))
			for j := range state {
				state[j] = columns[j][c][k]
			}
			states = append(states, state)
		}
	}
	return states, chains, stride
}

// mostTries is how many draws of the priors are made for one in the domain, at most.
const mostTries = 1000

// priors adds draws of the priors within the domain, and of what they predict, where every
// parameter has one to draw from.
func (x *execution) priors(ctx context.Context, rng *rand.Rand) error {
	o, d, names := x.Rows.Outcomes, x.Problem.Reported(), x.Problem.ReportedNames()
	draw := x.Rows.Draws(domain.BoundsOf(d, len(names)))
	if draw == nil {
		return nil
	}
	n := predictiveDraws(o.Line.Len())
	var states [][]float64
	for tries := 0; len(states) < n; tries++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if tries > mostTries*(len(states)+1) {
			return nil
		}
		at := make([]float64, len(names))
		if draw(at, rng); finite(at) && (d == nil || d.Contains(at)) {
			states = append(states, at)
		}
	}
	prior := []store.Array{store.Numbered("chain", 1, 1), store.Numbered("draw", n, 1)}
	for j, name := range names {
		a := store.Array{Name: name, Dims: []string{"chain", "draw"}, Shape: []int{1, n}}
		for _, at := range states {
			a.Values = append(a.Values, at[j])
		}
		prior = append(prior, a)
	}
	x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "prior", Arrays: prior})
	if len(o.Of) == 0 {
		return nil
	}
	drawn, err := o.Draw(ctx, states, rng)
	if err != nil {
		return err
	}
	arrays := place(1, n, 1, o.Line.Numbers())
	for i := range o.Of {
		arrays = append(arrays, counted(rowDraws(o.Of[i].Name, 1, drawn[i]), &o.Of[i]))
	}
	x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "prior_predictive", Arrays: arrays})
	return nil
}
