package exchange

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// An exchange that follows another trades alike where it sees the same energies,
// whatever the other pairs see, and the other does not notice; seen alone both trade
// with the known probability. Energies of the two coldest rungs are their own, those of
// the two hottest are shared.
//
// It kills: uniform numbers in a row in place of pair by pair, those of the sweep
// before, and a coin of scheme seo that is not shared.
func TestFollow(t *testing.T) {
	tau := []float64{1, 2, 4, 8}
	for _, scheme := range []string{"deo", "seo"} {
		exchanges := make([]*Exchange, 3)
		for i := range exchanges {
			var err error
			if exchanges[i], err = New(4, Settings{Scheme: scheme}); err != nil {
				t.Fatal(err)
			}
		}
		alone, lead, follower := exchanges[0], exchanges[1], exchanges[2]
		follower.Follow(lead)
		chance := []*rand.Rand{rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, 2))}
		energies := rand.New(rand.NewPCG(3, 3))
		const sweeps = 200_000
		apart := 0
		for k := 1; k <= sweeps; k++ {
			u, v := make([]float64, 4), make([]float64, 4)
			for r := range u {
				u[r], v[r] = gaussian(energies, tau[r], 0), gaussian(energies, tau[r], 0)
			}
			copy(v[2:], u[2:])
			rungs := [3][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}
			alone.Sweep(k, rungs[0], u, tau, chance[0])
			lead.Sweep(k, rungs[1], u, tau, chance[1])
			follower.Sweep(k, rungs[2], v, tau, chance[2])
			if !slices.Equal(rungs[0], rungs[1]) {
				t.Fatalf("%s, sweep %d: the lead trades otherwise than alone", scheme, k)
			}
			if lead.pairs[0] == 0 && (rungs[1][2] == 3) != (rungs[2][2] == 3) {
				apart++
			}
		}
		if apart > 0 {
			t.Errorf("%s: %d of %d sweeps traded the pair that saw the same otherwise", scheme, apart, sweeps)
		}
		for p, pair := range follower.Statistics().Pairs {
			want := acceptance(tau[p], tau[p+1])
			se := math.Sqrt(want * (1 - want) / float64(pair.Attempts))
			if z := (pair.Rate() - want) / se; math.Abs(z) > 5.6 {
				t.Errorf("%s: pair %d of the follower traded in %.4f of its attempts, want %.4f (z = %.1f)", scheme, p, pair.Rate(), want, z)
			}
		}
	}
}
