package tune

import (
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/kernel"
)

// Trajectories are as long, and their steps as well taken, whatever the weights of two modes are, of sd ¼ and 2:
// lengths are those of the mode that each begins in. Were they those of the mode of most draws, trajectories would
// have three times as many steps for the one of a tenth of the mass.
//
// Mutants: slopes as if one length were that of all; steps longer by the root of what they may be.
func TestPathsOfTwoWidths(t *testing.T) {
	box, err := domain.NewBox([]float64{-9, -9}, []float64{9, 9})
	if err != nil {
		t.Fatal(err)
	}
	var steps []int
	for _, narrow := range []float64{0.1, 0.9} {
		p := formula(t, fmt.Sprintf("-logsumexp(log(%g) - 2*log(0.25) - 8*((x - 4)^2 + (y - 4)^2), log(%g) - 2*log(2) - ((x + 1)^2 + (y + 1)^2)/8)",
			narrow, 1-narrow), box)
		out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4}, Until{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, out.Settings.Traits().Steps)
		if share := out.Acceptance()[0]; !(share > accepted-0.1 && share < accepted+0.1) {
			t.Errorf("weight %g: %.2f accepted", narrow, share)
		}
	}
	if steps[0] != steps[1] {
		t.Errorf("%d steps in a trajectory where the narrow mode has a tenth of the mass, %d where it has nine", steps[0], steps[1])
	}
}

// What is seen at points is related to the lengths of steps there: at the middle of the wide part slopes count eight
// times, curvatures 64 times, at that of the narrow one once.
//
// Mutants: curvatures by the length; slopes by its square.
func TestRelate(t *testing.T) {
	law := &modes.Mixture{Parts: []modes.Part{
		{Weight: 0.5, Center: []float64{-1}, L: [][]float64{{0.01}}}, {Weight: 0.5, Center: []float64{5}, L: [][]float64{{0.08}}},
	}}
	tn := &tuner{p: r2sgld.Problem{Guide: &r2sgld.Guide{Potential: law, Draw: law.Draw}}, s: r2sgld.Settings{Kernel: kernel.HMC{Leapfrog: 1}}}
	seen := []point{{curvature: 3, slope: []float64{2}, at: []float64{5}}, {curvature: 3, slope: []float64{2}, at: []float64{-1}}}
	tn.relate(seen, nil)
	if math.Abs(seen[0].curvature-192) > 1e-9 || math.Abs(seen[0].slope[0]-16) > 1e-9 || seen[1].curvature != 3 || seen[1].slope[0] != 2 {
		t.Errorf("seen %+v", seen)
	}
}
