package tune

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// Where the density is infinite at a wall, descents end in a sliver there that holds next to
// nothing of it: the wide law beside the fitted one finds the rest, and ladders begin where
// they did.
//
// Mutant: the fitted law is taken however much it misses.
func TestScoutAtAPole(t *testing.T) {
	u := potential.Func(2, func(g, x []float64) float64 {
		g[0], g[1] = 0.5/x[0], x[1]
		return 0.5*math.Log(x[0]) + x[1]*x[1]/2
	})
	box, err := domain.NewBox([]float64{0, -3}, []float64{1, 3})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		m, err := scout(t.Context(), r2sgld.Problem{Potential: u, Domain: box}, r2sgld.Settings{Seed: seed, Ladders: 2})
		if err != nil {
			t.Fatal(err)
		}
		if m.Guided {
			t.Errorf("seed %d: a law is taken that is fitted to %d slivers", seed, len(m.Search.Modes))
		}
	}
}
