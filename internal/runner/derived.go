package runner

import (
	"context"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
)

// mostOutputNumbers is how many numbers of outputs the store gets: of more every so many-th draw
// alone is asked for.
const mostOutputNumbers = 4_000_000

// outputs asks for what is known of draws, for the store and the summary. Outputs that are
// coordinates are left out: they are there.
func (x *execution) outputs(ctx context.Context, res *r2sgld.Result, sum *report.Summary) error {
	var names []string
	var at []int
	known := map[string]bool{}
	for _, name := range res.Names {
		known[name] = true
	}
	for i, name := range x.Outputs.OutputNames() {
		if !known[name] {
			names, at = append(names, name), append(at, i)
		}
	}
	if names == nil {
		return nil
	}
	states, chains, stride := thinned(res, max(leastPredictive, mostOutputNumbers/len(names)))
	all, err := x.Outputs.Outputs(states, int64(x.Settings.Seed>>1))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	draws := len(states) / chains
	columns := make([][]float64, len(names)) // chain by chain
	lo, hi := domain.BoundsOf(nil, 1)
	for j, i := range at {
		columns[j] = make([]float64, len(states))
		for k, v := range all {
			columns[j][k] = v[i]
		}
		parted := make([][]float64, chains)
		for c := range parted {
			parted[c] = columns[j][c*draws : (c+1)*draws]
		}
		sum.Outputs = append(sum.Outputs, report.Describe(names[j], parted, lo[0], hi[0]))
	}
	arrays := []store.Array{store.Numbered("chain", chains, 1), store.Numbered("draw", draws, stride)}
	x.drawn.Groups = append(x.drawn.Groups, store.Group{Name: "outputs", Arrays: append(arrays, store.Folded(names, chains, columns)...)})
	return nil
}
