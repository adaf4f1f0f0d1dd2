package report

import (
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
)

// Energies that fall throughout are told; those of a law, and those of one that was
// started far away, are not. Eight means of a law fall in a row with probability 1/8!,
// in each of two ladders.
func TestFallingEnergy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	result := func(u func(i int) float64) *r2sgld.Result {
		res := &r2sgld.Result{Ladders: make([]r2sgld.Ladder, 2)}
		for l := range res.Ladders {
			energy := make([]float64, 800)
			for i := range energy {
				energy[i] = u(i) + rng.NormFloat64()
			}
			res.Ladders[l].Energy = [][]float64{energy}
		}
		return res
	}
	if len(falling(result(func(i int) float64 { return -float64(i) }))) != 1 {
		t.Error("energies that fall throughout")
	}
	for name, u := range map[string]func(int) float64{
		"a law": func(int) float64 { return 0 },
		"a law far from the start": func(i int) float64 {
			if i < 300 {
				return 300 - float64(i)
			}
			return 0
		},
		"next to nothing": func(i int) float64 { return -float64(i) / 300 },
	} {
		if w := falling(result(u)); w != nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}
