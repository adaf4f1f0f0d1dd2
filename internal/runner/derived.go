package runner

import (
	"context"
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
	all, err := x.Outputs.Outputs(append(states, states[:min(again, n)]...), int64(x.Settings.Seed>>1))
	if err != nil {
		return nil, err
	}
	for _, i := range at {
		column := make([]float64, len(all))
		for k, v := range all {
			column[k] = v[i]
		}
		f.columns = append(f.columns, column[:n:n])
		f.tell = append(f.tell, stride == 1 && slices.Equal(column[n:], column[:len(all)-n]) && varied(column[:n]))
	}
	x.followed = f
	return f, nil
}

// again is how many states are asked of twice. Outputs that differ then are drawn, and tell less of chains
// than what follows from states.
const again = 8

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
	for j, tells := range f.tell {
		if tells && slices.Contains(x.Program, f.names[j]) {
			chains = append(chains, f.of(j))
		}
	}
	return chains, nil
}

// doubtful says what is wrong with the outputs. Of those that tell how chains mix it is said as of
// parameters, unless that has been said of these.
func (x *execution) doubtful(sum *report.Summary) []string {
	rungs, all := max(1, len(x.Settings.Temperature)), report.Undefined(sum.Outputs)
	if c := x.Problem.Chart; c != nil && c.Symmetry != nil { // parameters, shuffled, tell nothing
		return append(all, report.Doubts("outputs", sum.Outputs, rungs)...)
	}
	if len(report.Doubts("parameters", sum.Parameters, rungs)) > 0 {
		return all
	}
	var tell []report.Parameter
	for j, p := range sum.Outputs {
		if x.followed.tell[j] {
			tell = append(tell, p)
		}
	}
	return append(all, report.Doubts("outputs", tell, rungs)...)
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
