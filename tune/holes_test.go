package tune

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A round goes on from the last states of finite energy of the rungs nearest in inverse
// temperature, of a colder one where a rung has none.
//
// Mutant: states in holes.
func TestStatesOutsideHoles(t *testing.T) {
	hole := math.Inf(1)
	res := &r2sgld.Result{Ladders: []r2sgld.Ladder{{Draws: r2sgld.Draws{
		X:      [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		Energy: [][]float64{{0, 0, 0}, {0, 0, hole}, {hole, hole, hole}},
	}}}}
	got := statesFor([]float64{1, 0.9, 0.45, 0.1}, []float64{1, 0.5, 0}, res)
	if want := [][][]float64{{{3}, {3}, {5}, {5}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("from %v, want %v", got, want)
	}
}

// Where U is +Inf in part of the domain, a half, all but two islands, or a disc that the
// points of the beginning miss, a run goes on with a kernel that refuses such states: means
// and log Z, forward, backward and both, are within 5 standard errors (chance: 6e-7 each) of
// closed forms. What is kept of the warm-up leads to the same ladder.
// Of kernel HMC nearly all paths end in holes, and so they become single steps.
//
// Mutants: holes that nobody sees, at points or by steps; the backward mean of all of the domain.
func TestHoles(t *testing.T) {
	pace.Slow(t)
	normal := math.Sqrt(2*math.Pi) * math.Erf(3/math.Sqrt2) // ∫ exp(−y²/2) of [−3, 3]
	part := 1 - math.Exp(-6)
	for _, c := range []struct {
		potential string
		mean, z   float64
		islands   bool
	}{
		{"-exponential_lpdf(x, 2) + y^2/2", 0.5 - 3*math.Exp(-6)/part, part * normal, false},
		{"-log(0.6*exp(uniform_lpdf(x, -2.5, -2)) + 0.4*exp(uniform_lpdf(x, 1, 1.2)))", 0.6*-2.25 + 0.4*1.1, 6, true},
		{"-uniform_lpdf(x^2 + y^2, 0.01, 100) + (x^2 + y^2)/2", 0, (normal*normal - 2*math.Pi*-math.Expm1(-0.005)) / 99.99, false},
	} {
		p := formula(t, c.potential, plane(t))
		s := r2sgld.Settings{Seed: 11, Ladders: 4}
		var said []string
		o := Options{Show: func(f *Found) error { said = append(said, text(t, f)); return nil }}
		var found *Found
		o.Ready = func(f *Found, s r2sgld.Settings, _ Until) (r2sgld.Settings, error) { found = f; return s, nil }
		out, err := Run(t.Context(), p, s, Until{}, o)
		if err != nil {
			t.Errorf("%s: %v", c.potential, err)
			continue
		}
		if found.Taken != ForHoles || !out.Settings.Unbiased() || !out.Judgement.Met {
			t.Errorf("%s: taken for %q, %+v", c.potential, found.Taken, out.Judgement)
		}
		if z := (diag.Mean(slices.Concat(out.Chains(0)...)) - c.mean) / diag.MCSEMean(out.Chains(0)); !(math.Abs(z) < 5) {
			t.Errorf("%s: mean %.1f standard errors off", c.potential, z)
		}
		e, guided := Evidence(out.Result), p
		guided.Guide = out.Guide
		mass, _, err := guided.Mass(t.Context(), rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Log(c.z) - mass; !(math.Abs(e.Estimate-want) < 5*e.Error && math.Abs(e.Forward-e.Backward) < 5*e.GapError) {
			t.Errorf("%s: log Z %+v, want %.4f", c.potential, e, want)
		}
		from := &Found{}
		if err := json.Unmarshal([]byte(said[len(said)/2]), from); err != nil {
			t.Fatal(err)
		}
		o.From = from
		o.modes = from.Modes
		again, err := o.tune(t.Context(), from.Modes.Problem(p), s, Until{}.WithDefaults(100_000))
		if err != nil || text(t, again) != text(t, found) {
			t.Errorf("%s: broken off, another ladder: %v", c.potential, err)
		}
		o.From, o.modes, s.Kernel = nil, nil, rival(firstLeapfrog)
		if found, err = o.tune(t.Context(), p, s, Until{}); err != nil || c.islands && found.Leapfrog > 1 {
			t.Errorf("%s, kernel HMC: trajectories of %d steps, %v", c.potential, found.Leapfrog, err)
		}
	}
}
