package runner

import (
	"context"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
)

// mostOutputNumbers is how many numbers of outputs the store gets: of more every so many-th draw
// alone is asked for.
const mostOutputNumbers = 4_000_000

// followed are numbers that follow from draws, every stride-th of a chain, one column for each name.
type followed struct {
	iterations, chains, draws, stride int // draws are those of a chain
	names                             []string
	columns                           [][]float64 // chain by chain
	tell                              []bool      // whether a column tells how well the chains mix
}

// of are the chains of a column.
func (f *followed) of(column int) [][]float64 {
	return slices.Collect(slices.Chunk(f.columns[column], f.draws))
}

// follow asks for what is known of draws, once. Outputs that are coordinates are left out: they
// are there.
func (x *execution) follow(res *r2sgld.Result) (*followed, error) {
	f := &followed{iterations: res.Ladders[0].Iterations}
	if x.followed != nil && x.followed.iterations == f.iterations {
		return x.followed, nil
	}
	known := map[string]bool{}
	for _, name := range res.Names {
		known[name] = true
	}
	var at []int
	for i, name := range x.Outputs.OutputNames() {
		if !known[name] {
			f.names, at = append(f.names, name), append(at, i)
		}
	}
	if at == nil {
		return f, nil
	}
	states, chains, stride := thinned(res, max(leastPredictive, mostOutputNumbers/len(at)))
	n := len(states)
	f.chains, f.draws, f.stride = chains, n/chains, stride
	if x.Program != nil { // which may draw what it tells
		states = append(states, states[:min(again, n)]...)
	}
	all, err := x.Outputs.Outputs(states, int64(x.Settings.Seed>>1))
	if err != nil {
		return nil, err
	}
	for _, i := range at {
		column := make([]float64, len(all))
		for k, v := range all {
			column[k] = v[i]
		}
		f.columns = append(f.columns, column[:n:n])
		f.tell = append(f.tell, (stride == 1 || n >= leastTelling) && slices.EqualFunc(column[n:], column[:len(all)-n], alike) && varied(column[:n]))
	}
	x.followed = f
	return f, nil
}

const (
	// again is how many states a program is asked of twice. Outputs that differ then are drawn, and tell less of
	// chains than what follows from states.
	again        = 8
	leastTelling = 1600 // draws, where there are more outputs than the store gets of all
)

// alike tells that two numbers differ by rounding at most: programs go through states in blocks.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }

// varied tells that x are numbers of more than a few values.
func varied(x []float64) bool {
	return finite(x) && len(slices.Compact(slices.Sorted(slices.Values(x)))) > len(x)/10
}

// further are chains of the outputs of which the stopping rule is asked: parameters, perhaps,
// of which the program that is sampled has made others.
func (x *execution) further(res *r2sgld.Result) (chains [][][]float64, err error) {
	if x.Program == nil {
		return nil, nil
	}
	f, err := x.follow(res)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, name := range x.Program {
		own[name] = true
	}
	for j, tells := range f.tell {
		if tells && own[f.names[j]] {
			chains = append(chains, f.of(j))
		}
	}
	return chains, nil
}

// doubtful says what is wrong with the outputs: of those that tell how chains mix as of parameters,
// unless these are told not to mix. Where parameters are shuffled, outputs alone tell it.
func (x *execution) doubtful(sum *report.Summary) []string {
	c := x.Problem.Chart
	shuffled, all := c != nil && c.Symmetry != nil, report.Undefined(sum.Outputs)
	if !shuffled && !report.Mix(sum.Parameters) {
		return all
	}
	var tell []report.Parameter
	for j, p := range sum.Outputs {
		if p.Q50 == p.Q50 && (shuffled || x.followed.tell[j]) {
			tell = append(tell, p)
		}
	}
	return append(all, report.Doubts("outputs", tell, max(1, len(x.Settings.Temperature)))...)
}

// outputs adds what is known of draws to the store and the summary.
func (x *execution) outputs(ctx context.Context, res *r2sgld.Result, sum *report.Summary) error {
	f, err := x.follow(res)
	if err != nil || f.names == nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	lo, hi := domain.BoundsOf(nil, 1)
	for j, name := range f.names {
		sum.Outputs = append(sum.Outputs, report.Describe(name, f.of(j), lo[0], hi[0]))
	}
	arrays := []store.Array{store.Numbered("chain", f.chains, 1), store.Numbered("draw", f.draws, f.stride)}
	x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "outputs", Arrays: append(arrays, store.Folded(f.names, f.chains, f.columns)...)})
	return nil
}
