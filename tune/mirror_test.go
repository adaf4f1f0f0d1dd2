package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/modes"
)

// exchanged is the symmetry of two positive numbers that may change places.
type exchanged struct{ known bool }

func (s exchanged) Images(x []float64) [][]float64 {
	if !s.known {
		return nil
	}
	return [][]float64{{x[1], x[0], x[2]}}
}
func (exchanged) Shuffle([]float64, *rand.Rand)       {}
func (exchanged) Agree(draws [][]float64) [][]float64 { return draws }

// Modes are completed by their images, in coordinates that bend, with the normal laws there; starts are
// those of all images. Modes of next to no mass have none, and where images are not known a law fitted to
// modes is not whole.
//
// Mutants: images with the law of the mode that they are of; starts that are counted for one alone.
func TestModesAreMirrored(t *testing.T) {
	logarithm := r2sgld.Chart{
		Point: func(x, y []float64) {
			x[0], x[1], x[2] = math.Exp(y[0]), math.Exp(y[1]), 1-math.Exp(y[0])-math.Exp(y[1])
		},
		Coordinates: func(y, x []float64) { y[0], y[1] = math.Log(x[0]), math.Log(x[1]) },
		Names:       []string{"a", "b", "c"},
		Symmetry:    exchanged{true},
	}
	found := func() *Modes {
		return &Modes{Search: &modes.Search{Modes: []modes.Mode{
			{X: []float64{-2, -1}, L: [][]float64{{0.1, 0}, {0.3, 0.4}}, Energy: 3, Log: 2, Starts: 5},
			{X: []float64{-3, -2}, L: [][]float64{{0.1, 0}, {0, 0.1}}, Energy: 3.5, Log: 1, Starts: 2},
			{X: []float64{-2, -3}, L: [][]float64{{0.1, 0}, {0, 0.1}}, Energy: 3.5, Log: 1, Starts: 1},
			{X: []float64{-9, -1}, L: [][]float64{{0.1, 0}, {0, 0.1}}, Energy: 30, Log: -20, Starts: 1},
		}}}
	}
	m := found()
	if !m.mirror(r2sgld.Problem{Chart: &logarithm, Potential: spikeInSlab(2, 1)}) {
		t.Error("the modes are not whole")
	}
	if len(m.Search.Modes) != 5 {
		t.Fatalf("%d modes", len(m.Search.Modes))
	}
	image := m.Search.Modes[1] // after the mode with as much mass
	for j, want := range []float64{-1, -2} {
		if math.Abs(image.X[j]-want) > 1e-12 {
			t.Errorf("the image is at %v", image.X)
		}
	}
	// the covariance 0.01, 0.03, 0.25 with its coordinates exchanged
	for _, c := range []struct{ got, want float64 }{
		{image.L[0][0] * image.L[0][0], 0.25}, {image.L[0][0] * image.L[1][0], 0.03}, {math.Hypot(image.L[1][0], image.L[1][1]), 0.1}} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("the law of the image is %v", image.L)
		}
	}
	for i, want := range []int{5, 5, 3, 3, 1} {
		if got := m.Search.Modes[i].Starts; got != want {
			t.Errorf("%d starts lead to mode %d, want %d", got, i, want)
		}
	}
	for _, c := range []r2sgld.Chart{{Point: logarithm.Point, Names: logarithm.Names, Symmetry: exchanged{true}},
		{Point: logarithm.Point, Coordinates: logarithm.Coordinates, Names: logarithm.Names, Symmetry: exchanged{}}} {
		if m := found(); m.mirror(r2sgld.Problem{Chart: &c, Potential: spikeInSlab(2, 1)}) || len(m.Search.Modes) != 4 {
			t.Errorf("whole where images are not known: %d modes", len(m.Search.Modes))
		}
	}
	if m := found(); !m.mirror(r2sgld.Problem{Potential: spikeInSlab(2, 1)}) {
		t.Error("not whole without a symmetry")
	}
}

// Draws that are told in more numbers than the modes have, as on a slice, tell of modes what they tell
// in the coordinates of these.
//
// Mutant: draws as they are told.
func TestAuditInAChart(t *testing.T) {
	p, _, _, _ := twoWidths(t, 2)
	m, err := scout(t.Context(), p, r2sgld.Settings{Seed: 3, Ladders: 2})
	if err != nil {
		t.Fatal(err)
	}
	charted := p
	charted.Chart = &r2sgld.Chart{Names: []string{"a", "b", "c"},
		Point:       func(x, y []float64) { x[0], x[1], x[2] = -y[0], -2*y[1], y[0]-y[1] },
		Coordinates: func(y, x []float64) { y[0], y[1] = -x[0], -x[1]/2 }}
	plain, told := &r2sgld.Result{Names: []string{"x", "y"}}, &r2sgld.Result{Names: charted.Chart.Names}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2 {
		var x, z []float64
		for k := range 400 {
			y := []float64{-2 + rng.NormFloat64()/2, -2 + rng.NormFloat64()/2}
			if k%4 == 0 {
				y[0], y[1] = y[0]+4, y[1]+4
			}
			at := make([]float64, 3)
			charted.Chart.Point(at, y)
			x, z = append(x, y...), append(z, at...)
		}
		for _, of := range []struct {
			res *r2sgld.Result
			x   []float64
		}{{plain, x}, {told, z}} {
			of.res.Ladders = append(of.res.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{of.x}, Energy: [][]float64{make([]float64, 400)}},
				Stride: 1})
		}
	}
	a, b := m.seen(p, plain), m.seen(charted, told)
	if len(a.Modes) != 2 || len(b.Modes) != 2 {
		t.Fatalf("modes %+v and %+v", a.Modes, b.Modes)
	}
	for i := range a.Modes {
		at := make([]float64, 3)
		if charted.Chart.Point(at, a.Modes[i].At); a.Modes[i].Weight != b.Modes[i].Weight || a.Modes[i].Passages != b.Modes[i].Passages ||
			!slices.Equal(at, b.Modes[i].At) {
			t.Errorf("mode %+v is told as %+v", a.Modes[i], b.Modes[i])
		}
	}
	if err := m.hold(t.Context(), charted, 1, told, b); err != nil {
		t.Error(err)
	}
	charted.Chart.Coordinates = nil
	if m.seen(charted, told) != nil {
		t.Error("draws that cannot be found among modes tell of these")
	}
}
