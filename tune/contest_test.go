package tune

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// heard is what a warm-up says, as it is kept.
func heard(t *testing.T, w Options, p r2sgld.Problem, s r2sgld.Settings, u Until) (*Found, r2sgld.Settings, Until, []string) {
	t.Helper()
	var said []string
	keep := func(f *Found) error {
		said = append(said, text(t, f))
		return nil
	}
	w.Show, w.Chosen = keep, keep
	f, s, u, err := w.warmUp(t.Context(), p, s, u)
	if err != nil {
		t.Fatal(err)
	}
	return f, s, u, said
}

// formula is a problem in the plane.
func formula(t *testing.T, potentialOf string, d domain.Domain) r2sgld.Problem {
	t.Helper()
	f, err := expression.Compile(potentialOf, []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	return r2sgld.Problem{Potential: potential.FromExpression(f), Domain: d}
}

func plane(t *testing.T) domain.Domain {
	t.Helper()
	box, err := domain.NewBox([]float64{-3, -3}, []float64{3, 3})
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// dear makes HMC lose: its rounds know of nothing that SGLD does not.
const dear = 1e9

// The warm-up goes on with the kernel that makes more effective draws of a gradient, from
// whatever was kept when it was broken off, to the same settings; where HMC has lost and
// steps turn out too long for the potential, HMC goes on after all.
//
// Mutants: a choice that is not kept; rounds of the loser forgotten.
func TestContestGoesOn(t *testing.T) {
	p := formula(t, "x^2/2 + (y - x^2/2)^2", plane(t))
	s := r2sgld.Settings{Seed: 3, Ladders: 3, Iterations: 20_000}
	for _, given := range []kernel.Kernel{nil, kernel.Langevin{}} {
		s.Kernel = given
		w, kept := Options{}, given != nil
		f, set, u, said := heard(t, w, p, s, Until{}.WithDefaults(s.Iterations))
		if kept == (f.Taken == ForDraws) || kept == set.Unbiased() || kept == (f.Rival != nil) {
			t.Fatalf("kept kernel %v: taken for %q, %+v", kept, f.Taken, set)
		}
		for i, b := range said {
			w.From = &Found{}
			if err := json.Unmarshal([]byte(b), w.From); err != nil {
				t.Fatal(err)
			}
			g, other, v, _ := heard(t, w, p, s, Until{}.WithDefaults(s.Iterations))
			if text(t, g) != text(t, f) || fmt.Sprint(other.StepSize, other.Iterations, v) != fmt.Sprint(set.StepSize, set.Iterations, u) {
				t.Errorf("kept kernel %v: broken off after %d, other results", kept, i+1)
			}
		}
	}
}

// choose weighs draws of a gradient, the bias of SGLD for the precision that is asked for,
// and features that SGLD does not see. What so few effective draws do not tell counts for HMC,
// but no more than a half of those of SGLD.
//
// Mutants: the bias forgotten, of the other sign; jumps forgotten; the kernels exchanged;
// the last round in place of the last of the trial; chance forgotten, or without a limit.
func TestChoose(t *testing.T) {
	rounds := func(ess float64, times int64) []Round {
		return []Round{{}, {}, {}, {Gradients: 1000 * times, ESS: ess * float64(times)}, {Gradients: 1000, ESS: dear}}
	}
	const long = 1e7 // times as many draws, of which chance is nothing
	for _, c := range []struct {
		sgld, hmc, asked float64
		times            int64
		jumps, singular  bool
		want             string
	}{
		{10, 10, 400, long, false, false, ForDraws},
		{10, 9.9, 400, long, false, false, ""},
		{10, 4.9, 40_000, long, false, false, ""}, // half of SGLD's would do, were it not for the bias
		{10, 5.1, 40_000, long, false, false, ForDraws},
		{10, 0, 80_001, long, false, false, ForDraws}, // a precision that SGLD does not reach
		{10, 0, 400, long, true, false, ForFeatures},
		{10, 0, 400, long, false, true, ForDraws}, // a bias that is not known
		{0, 0, 400, long, false, false, ForDraws},
		{10, 8.5, 400, 400, false, false, ForDraws}, // 4,000 and 3,400 draws, of which 0.10 is the error of the ratio
		{10, 7.5, 400, 400, false, false, ""},
		{10, 5.1, 400, 1, false, false, ForDraws}, // so few tell nothing
		{10, 4.9, 400, 1, false, false, ""},
		{10, 0, 400, 1, false, false, ""},
	} {
		sgld := &Found{Rounds: rounds(c.sgld, c.times), Bias: Bias, Jumps: c.jumps, Singular: c.singular}
		f := (&Found{Rounds: rounds(c.hmc, c.times), Leapfrog: 3, Rival: sgld}).choose(c.asked)
		if f.Taken != c.want || f.Rival == nil || (f.Leapfrog > 0) != (c.want != "") || f.Rival.Rival != nil {
			t.Errorf("%+v: taken for %q, trajectories of %d", c, f.Taken, f.Leapfrog)
		}
	}
}

// A ladder of SGLD that has won goes on to its end, and HMC takes its place where jumps turn
// up then.
func TestContestLost(t *testing.T) {
	s := r2sgld.Settings{Seed: 3, Ladders: 3, Iterations: 20_000}
	for _, jump := range []float64{0, 3} {
		p := formula(t, fmt.Sprintf("x^2/2 + (y - x^2/2)^2 + %g*floor(x)", jump), plane(t))
		s.Kernel = kernel.Langevin{}
		_, _, _, said := heard(t, Options{}, p, s, Until{}.WithDefaults(s.Iterations))
		from := &Found{}
		if err := json.Unmarshal([]byte(said[2]), from); err != nil {
			t.Fatal(err)
		}
		from.Rival = &Found{Rounds: make([]Round, fewest), Beta: from.Beta, Diffusion: from.Diffusion, Leapfrog: 2, States: from.States}
		s.Kernel = nil
		f, set, _, _ := heard(t, Options{From: from}, p, s, Until{}.WithDefaults(s.Iterations))
		if f.Taken != map[bool]string{true: ForFeatures}[jump > 0] || set.Unbiased() != (jump > 0) || !f.Done || f.Rival == nil {
			t.Errorf("jump %g: taken for %q after %d rounds, %+v", jump, f.Taken, len(f.Rounds), set.Kernel)
		}
	}
}

// sought is a box whose walls package domain does not know.
type sought struct{ domain.Domain }

// HMC is not tried where energies have noise, walls are sought, swaps are biased, or a
// certificate is asked for.
func TestContestLeftOut(t *testing.T) {
	box := plane(t)
	u := "x^2/2 + (y - x^2/2)^2"
	plain := formula(t, u, box)
	noisy := plain
	noisy.Potential = potential.Noisy(plain.Potential, 0.1, 0.1)
	for name, c := range map[string]struct {
		p           r2sgld.Problem
		certificate bool
		bias        float64
		swap        exchange.Settings
		tried       bool
	}{
		"exact":       {plain, false, 0, exchange.Settings{}, true},
		"noise":       {noisy, false, 0, exchange.Settings{}, false},
		"sought":      {formula(t, u, sought{box}), false, 0, exchange.Settings{}, false},
		"certificate": {plain, true, 0, exchange.Settings{}, false},
		"bias":        {plain, false, 0.1, exchange.Settings{}, false},
		"swaps":       {plain, false, 0, exchange.Settings{Rule: "threshold", Threshold: 1}, false},
		"rare swaps":  {plain, false, 0, exchange.Settings{Every: 60}, true}, // rarer than the first rounds are long
	} {
		s := r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 4000, Certificate: c.certificate, Swap: c.swap}
		f, _, _, err := Options{}.warmUp(t.Context(), c.p, s, Until{Bias: c.bias}.WithDefaults(s.Iterations))
		if err != nil {
			t.Fatal(err)
		}
		if (f.Rival != nil) != c.tried {
			t.Errorf("%s: tried %v", name, f.Rival != nil)
		}
	}
}

// A trial takes no more than a quarter of the gradients that SGLD takes to the end of its
// first round, however long trajectories are, and two rounds at least.
func TestTrialIsShort(t *testing.T) {
	for leapfrog := 1; leapfrog <= mostLeapfrog; leapfrog++ {
		for _, first := range []int{1000, 10_000, 100_000} {
			sgld := &Found{Rounds: []Round{{Iterations: 1000}, {Iterations: 2000}, {Iterations: 4000}, {Iterations: 8000}}}
			none, f, spent := &tuner{}, &Found{Leapfrog: leapfrog, Rival: sgld}, 0
			for !none.tried(f, first) {
				n := firstPaths << len(f.Rounds)
				f.Rounds, spent = append(f.Rounds, Round{Iterations: n}), spent+n*leapfrog
			}
			if n := len(f.Rounds); n < 2 || n > fewest || spent > max((first+15_000)/4, 3*firstPaths*leapfrog) {
				t.Errorf("%d steps, %d iterations: %d rounds, %d gradients", leapfrog, first, n, spent)
			}
		}
	}
}

// Steps that do not see the potential are looked for at every rung: what a hot one does not
// see swaps bring to the cold one. A jump that is certain and steps that are coarse both tell.
//
// Mutant: the coldest rung alone.
func TestUnseenAtHotRungs(t *testing.T) {
	quiet := r2sgld.Jumps{Looked: 100_000}
	for _, c := range []struct {
		hot  r2sgld.Jumps
		want bool
	}{{quiet, false}, {r2sgld.Jumps{Looked: 100_000, Seen: 1000}, true}, {r2sgld.Jumps{Looked: 100_000, Refused: 50_000}, true}} {
		res := &r2sgld.Result{Ladders: []r2sgld.Ladder{{Jumps: []r2sgld.Jumps{quiet, c.hot}}}}
		if unseen(res) != c.want {
			t.Errorf("%+v at the hot rung: %v", c.hot, !c.want)
		}
	}
}
