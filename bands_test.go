package r2sgld

import (
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/potential"
)

// Ladders of one band may find themselves in two, which take their lanes at the same time: the
// race detector sees what they do with those that they had in common.
func TestBandsPart(t *testing.T) {
	u, err := potential.Formula("x^2", "x")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(t.Context(), Problem{Potential: u}, Settings{Ladders: 4, Iterations: 100, StepSize: []float64{0.1}, Threads: 1,
		Start: []float64{0}})
	if err != nil {
		t.Fatal(err)
	}
	all := r.bands()
	if len(all) != 1 || len(all[0]) != 4 {
		t.Fatalf("%d bands", len(all))
	}
	if err := all[0].own(r); err != nil {
		t.Fatal(err)
	}
	var g errgroup.Group
	for _, b := range []band{{all[0][0], all[0][2]}, {all[0][1], all[0][3]}} {
		g.Go(func() error {
			if err := b.own(r); err != nil {
				return err
			}
			return b.run()
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
}
