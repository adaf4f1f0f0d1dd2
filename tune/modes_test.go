package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// twoWidths is the mixture of a narrow normal law, weight 0.7, sd 0.5, at 2 … 2 and a wide
// one, sd 1, at −2 … −2, in the box [−6, 6]^d where x1 + x2 ≤ 5, with the weight of the narrow
// one there and log Z.
func twoWidths(t *testing.T, d int) (p r2sgld.Problem, law *modes.Mixture, weight, logZ float64) {
	t.Helper()
	return twoLaws(t, d, 0.7, 0.5)
}

// twoLaws is twoWidths with another weight and standard deviation of the narrow law, of which the
// latter is 1 at most.
func twoLaws(t *testing.T, d int, share, sd float64) (p r2sgld.Problem, law *modes.Mixture, weight, logZ float64) {
	t.Helper()
	part := func(weight, at, sd float64) modes.Part {
		p := modes.Part{Weight: weight, Center: make([]float64, d), L: make([][]float64, d)}
		for i := range d {
			p.Center[i], p.L[i] = at, make([]float64, d)
			p.L[i][i] = sd
		}
		return p
	}
	lo, hi, row := make([]float64, d), make([]float64, d), make([]float64, d)
	for j := range d {
		lo[j], hi[j] = -6, 6
	}
	row[0], row[1] = 1, 1
	box, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := domain.NewHalfSpace(row, 5)
	if err != nil {
		t.Fatal(err)
	}
	both, err := domain.NewIntersection(box, cut)
	if err != nil {
		t.Fatal(err)
	}
	law = &modes.Mixture{Parts: []modes.Part{part(share, 2, sd), part(1-share, -2, 1)}}
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	narrow := share * phi(1/(sd*math.Sqrt2)) * math.Pow(phi(4/sd), float64(d-2)) // P(x1 + x2 ≤ 5), of mean 4; below 6
	wide := (1 - share) * math.Pow(phi(4), float64(d))                           // above −6; the other walls are 6 sd away
	return r2sgld.Problem{Potential: law, Domain: both}, law, narrow / (narrow + wide), math.Log(narrow + wide)
}

// Method auto finds both modes, begins its ladders at a law fitted to them, and has weight and
// log Z within 5 standard errors (chance: 6e-7 each) of one-dimensional integrals. What was
// found is the same when it has been written and read, and a warm-up that is broken off leads
// to the same ladder.
//
// Mutants: starts that go nowhere but to the mode of the most; the mass of the uniform law.
func TestTwoWidths(t *testing.T) {
	pace.Slow(t)
	for _, d := range []int{2, 5, 10, 20} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			p, law, weight, logZ := twoWidths(t, d)
			var found *Found
			var said []string
			o := Options{Show: func(f *Found) error { said = append(said, text(t, f)); return nil }}
			o.Ready = func(f *Found, s r2sgld.Settings, _ Until) (r2sgld.Settings, error) { found = f; return s, nil }
			s := r2sgld.Settings{Seed: uint64(d), Ladders: 4}
			out, err := Run(t.Context(), p, s, Until{}, o)
			if err != nil {
				t.Fatal(err)
			}
			if out.Guide == nil || !out.Judgement.Met || len(out.Audit.Modes) != 2 || len(out.Audit.Missing) > 0 {
				t.Fatalf("guide %v, audit %+v", out.Guide != nil, out.Audit)
			}
			chains := make([][]float64, len(out.Ladders))
			for i, of := range ownersOf(out.Result, law.Parts).of {
				for _, k := range of {
					chains[i] = append(chains[i], float64(1-k))
				}
			}
			if z := (diag.Mean(slices.Concat(chains...)) - weight) / diag.MCSEMean(chains); !(math.Abs(z) < 5) {
				t.Errorf("weight %.4f, want %.4f: %.1f standard errors", diag.Mean(slices.Concat(chains...)), weight, z)
			}
			if v := out.Audit.Modes[0]; !(math.Abs(v.Weight-weight) < 5*v.SE) {
				t.Errorf("the audit says %.4f ± %.4f, want %.4f", v.Weight, v.SE, weight)
			}
			p.Guide = out.Guide
			mass, se, err := p.Mass(t.Context(), rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			e := Evidence(out.Result)
			bias := 0.0 // of the step of SGLD
			if !out.Settings.Unbiased() {
				bias = float64(d) * Bias / 2
			}
			if got := e.Estimate + mass; !(math.Abs(got-logZ) < 5*math.Hypot(e.Error, se)+bias) {
				t.Errorf("log Z %.4f ± %.4f, want %.4f", got, math.Hypot(e.Error, se), logZ)
			}
			from := &Found{}
			if err := json.Unmarshal([]byte(said[len(said)/2]), from); err != nil {
				t.Fatal(err)
			}
			var again *Found
			o = Options{From: from}
			o.Ready = func(f *Found, _ r2sgld.Settings, _ Until) (r2sgld.Settings, error) {
				again = f
				return r2sgld.Settings{}, errEnough
			}
			if _, err := Run(t.Context(), p0(p), s, Until{}, o); err != errEnough || text(t, again) != text(t, found) {
				t.Errorf("broken off, another ladder: %v", err)
			}
		})
	}
}

// errEnough ends a run.
var errEnough = errors.New("enough")

// p0 is p without a guide.
func p0(p r2sgld.Problem) r2sgld.Problem { p.Guide = nil; return p }

// A mode that the draws do not know is told as missing, if it holds more than a hundredth of
// the density by what was known before, and one that a start or two led to as rare.
//
// Mutants: an audit that misses nothing; expected weights in the place of those of the draws.
func TestAudit(t *testing.T) {
	p, _, _, _ := twoWidths(t, 2)
	s := r2sgld.Settings{Seed: 3, Ladders: 2}
	m, err := scout(t.Context(), p, s)
	if err != nil || len(m.Search.Modes) != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	res := &r2sgld.Result{Names: []string{"x1", "x2"}}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2 {
		l := r2sgld.Ladder{Draws: r2sgld.Draws{X: make([][]float64, 1), Energy: make([][]float64, 1)}, Stride: 1}
		for range 400 { // all in the wide mode
			l.X[0] = append(l.X[0], -2+rng.NormFloat64()/2, -2+rng.NormFloat64()/2)
			l.Energy[0] = append(l.Energy[0], 0)
		}
		res.Ladders = append(res.Ladders, l)
	}
	a := m.seen(p, res)
	if len(a.Missing) != 1 || a.Modes[a.Missing[0]].At[0] < 1.9 || a.Modes[a.Missing[0]].Weight != 0 ||
		!(a.Modes[a.Missing[0]].Expected > 0.6) {
		t.Errorf("missing %v of %+v", a.Missing, a.Modes)
	}
	if other := a.Modes[1-a.Missing[0]]; other.Weight != 1 || len(a.Rare) > 0 {
		t.Errorf("the other has %g of the draws, rare %v", other.Weight, a.Rare)
	}
	for i := range m.Search.Modes {
		m.Search.Modes[i].Starts = 1 + 10*i
	}
	if a = m.seen(p, res); len(a.Rare) != 1 {
		t.Errorf("rare %v", a.Rare)
	}
}

// A mode without a draw, of which walls leave next to nothing beside what they leave of the
// other, is not told as missing, nor as rare; one that they leave, or cut as the other, is.
func TestAuditBetweenWalls(t *testing.T) {
	of := func(x float64) modes.Mode {
		return modes.Mode{X: []float64{x, 0}, L: [][]float64{{0.1, 0}, {0, 0.1}}, Starts: 1}
	}
	m := &Modes{Search: &modes.Search{Modes: []modes.Mode{of(-0.5), of(0.5)}}}
	draws := r2sgld.Draws{X: [][]float64{{-0.5, 0, -0.4, 0}}, Energy: [][]float64{{0, 0}}}
	res := &r2sgld.Result{Names: []string{"x", "y"}, Ladders: []r2sgld.Ladder{{Draws: draws, Stride: 1}}}
	for name, c := range map[string]struct {
		left, right float64 // half of the width around either mode
		missing     int
	}{"wide": {1, 1, 1}, "narrow at both": {0.002, 0.002, 1}, "nothing at both": {1e-6, 1e-6, 1}, "a spike at the other": {1, 1e-6, 0}} {
		d, err := domain.NewPolygon([][2]float64{{-1, -c.left}, {0, -c.left}, {0, -c.right}, {1, -c.right}, {1, c.right}, {0, c.right},
			{0, c.left}, {-1, c.left}})
		if c.left == c.right {
			d, err = domain.NewBox([]float64{-1, -c.left}, []float64{1, c.left})
		}
		if err != nil {
			t.Fatal(err)
		}
		a := m.seen(r2sgld.Problem{Names: res.Names, Domain: d}, res)
		if len(a.Missing) != c.missing || len(a.Rare) != 1+c.missing {
			t.Errorf("%s: missing %v, rare %v of %+v", name, a.Missing, a.Rare, a.Modes)
		}
	}
}

// spikeInSlab is a standard normal law with one in it, of as much of the density, that is a
// thousand times as narrow along the first so many coordinates.
func spikeInSlab(d, narrow int) potential.Potential {
	return potential.Func(d, func(grad, x []float64) float64 {
		const precision = 1e6
		spike, slab := -float64(narrow)/2*math.Log(precision), 0.0
		for j, v := range x {
			slab += v * v / 2
			if grad[j] = v; j < narrow {
				grad[j] = precision * v
			}
			spike += v * grad[j] / 2
		}
		low := min(spike, slab)
		total := math.Exp(low-spike) + math.Exp(low-slab)
		for j, v := range x {
			grad[j] = (grad[j]*math.Exp(low-spike) + v*math.Exp(low-slab)) / total
		}
		return low - math.Log(total)
	})
}

// Draws of a spike in a slab have the variance ½ and a half of a millionth, within 4.9 standard
// errors (1e-6 each).
//
// Mutant: what hot chains find of no account.
func TestDrawsOfASpikeInASlab(t *testing.T) {
	pace.Slow(t)
	for _, narrow := range []int{1, 5} {
		out, err := Run(t.Context(), r2sgld.Problem{Potential: spikeInSlab(5, narrow)}, r2sgld.Settings{Seed: 1, Ladders: 4,
			Start: make([]float64, 5)}, Until{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		squares := out.Chains(0)
		for _, c := range squares {
			floats.Mul(c, c)
		}
		if off := (diag.Mean(slices.Concat(squares...)) - 0.5000005) / diag.MCSEMean(squares); math.Abs(off) > 4.9 {
			t.Errorf("a spike in %d of 5 coordinates: the variance is %.1f standard errors off", narrow, off)
		}
	}
}

// Where nothing is bounded, ladders begin at a law fitted to the one mode of a normal law, and
// at one of two parts where that is a spike with as much of the density in a slab around it, a
// thousand times as wide along one coordinate or along all: none of 32 chains tries the
// coordinate with (1 − 1/d)^(32·(8+d)), which is 5e-41 or less. The slab's share is right to six
// standard errors.
//
// Mutants: chains that stay; what they find of no account; no fitted law.
func TestSlabsAroundSpikes(t *testing.T) {
	for _, d := range []int{2, 5} {
		for _, wide := range []int{0, 1, d} {
			m, err := scout(t.Context(), r2sgld.Problem{Potential: spikeInSlab(d, wide)}, r2sgld.Settings{Seed: 1, Ladders: 4, Start: make([]float64, d)})
			if err != nil {
				t.Fatal(err)
			}
			parts := 2
			if wide == 0 {
				parts = 1
			}
			if !m.Guided || len(m.Fit.Weight) != parts {
				t.Fatalf("%d coordinates, a spike in %d: begins at the fitted law: %v, of %d parts", d, wide, m.Guided, len(m.Fit.Weight))
			}
			if off := math.Abs(m.Fit.Weight[0]-1/float64(parts)) / m.Fit.WeightSE[0]; parts > 1 && off > 6 {
				t.Errorf("%d coordinates, a spike in %d: it holds %.3f ± %.3f", d, wide, m.Fit.Weight[0], m.Fit.WeightSE[0])
			}
		}
	}
}

// The first round of SGLD is a hundredth of the run's where ladders begin at a fitted law, from
// 100 to 1,000 iterations, and 1,000 elsewhere; rounds double.
//
// Mutant: rounds as long as others.
func TestShortRounds(t *testing.T) {
	for _, c := range []struct {
		guide            *r2sgld.Guide
		iterations, want int
	}{{&r2sgld.Guide{}, 20_000, 200}, {&r2sgld.Guide{}, 2_000, 100}, {&r2sgld.Guide{}, 1_000_000, 1000}, {&r2sgld.Guide{}, 0, 1000}, {nil, 20_000, 1000}} {
		tn := &tuner{p: r2sgld.Problem{Guide: c.guide}, s: r2sgld.Settings{Iterations: c.iterations}}
		if first, third := tn.iterations(&Found{}), tn.iterations(&Found{Rounds: make([]Round, 2)}); first != c.want || third != 4*c.want {
			t.Errorf("%d iterations, guided %v: rounds of %d and %d, want %d and %d", c.iterations, c.guide != nil, first, third, c.want, 4*c.want)
		}
	}
}

// A normal law of a standard deviation of 0.001 in one of 3, half of the density each: steps
// that suit the wide one seldom find the narrow one, whose place is known. The draws are within
// five standard errors of the variance, 4.5, or a run says that they lack the narrow one.
func TestSpikeInASlab(t *testing.T) {
	pace.Slow(t)
	p := formula(t, "y^2/2 - log(exp(normal_lpdf(x, 0, 0.001)) + exp(normal_lpdf(x, 0, 3)))", nil)
	for seed := range uint64(2) {
		out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1 + seed, Ladders: 4, Start: []float64{0, 0}}, Until{ESS: 100}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		squares := out.Chains(0)
		for _, c := range squares {
			for i, x := range c {
				c[i] = x * x
			}
		}
		off := (diag.Mean(slices.Concat(squares...)) - 4.5) / diag.MCSEMean(squares)
		if math.Abs(off) > 5 && len(out.Audit.Cores) == 0 {
			t.Errorf("seed %d: the variance is %.1f standard errors off, and nothing is told", 1+seed, off)
		}
	}
}

// Ladders do not begin at a start whose energy no rung comes near.
//
// Mutant: ladders that begin wherever they are told.
func TestRemoteStarts(t *testing.T) {
	for start, remote := range map[float64]bool{0: true, 1e6 + 1: false} {
		m, err := scout(t.Context(), r2sgld.Problem{Potential: wellAtAMillion()}, r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{start}})
		if err != nil || m.Remote != remote {
			t.Errorf("from %g: remote %v, want %v; %v", start, m.Remote, remote, err)
		}
	}
}

// Starts lie around the start and around every mode that is known, in turn: one of 300 is
// farther from it than ten times the reach with 5e-21.
//
// Mutant: starts around the start alone.
func TestStartsAroundModes(t *testing.T) {
	at := []float64{0, -1e9, 1e9}
	tn, err := newTuner(t.Context(), r2sgld.Problem{Potential: spikeInSlab(1, 0)}, r2sgld.Settings{Seed: 1, Ladders: 1, Start: at[:1]})
	if err != nil {
		t.Fatal(err)
	}
	draw, x := tn.around([]modes.Mode{{X: at[1:2]}, {X: at[2:]}}, rand.New(rand.NewPCG(1, 2))), make([]float64, 1)
	for i := range 300 {
		if err := draw(x); err != nil || math.Abs(x[0]-at[i%3]) > 10*reaching {
			t.Fatalf("start %d is %g, %v, which is not around %g", i, x[0], err, at[i%3])
		}
	}
}

// Independent draws of the wide law alone, of a spike in a slab, are told to lack the spike;
// draws of both are not: a share of a half is told wrong in 6e-7 of seeds.
//
// Mutant: draws that nobody holds against the density.
func TestDrawsHeldAgainstTheDensity(t *testing.T) {
	p := r2sgld.Problem{Potential: spikeInSlab(1, 1)}
	m, err := scout(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{0}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0, 0.5} {
		res := &r2sgld.Result{Ladders: make([]r2sgld.Ladder, 4)}
		for i := range res.Ladders {
			x := make([]float64, 2000)
			for k := range x {
				if x[k] = rng.NormFloat64(); rng.Float64() < share {
					x[k] /= 1000
				}
			}
			res.Ladders[i] = r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, len(x))}}}
		}
		a := m.seen(p, res)
		if err := m.hold(t.Context(), p, 1, res, a); err != nil {
			t.Fatal(err)
		}
		if lacks := share == 0; (len(a.Cores) == 1) != lacks {
			t.Errorf("%g of the draws in the spike: told %+v", share, a.Cores)
		}
	}
}

// Of starts in a box every second one lies in the middle half of every side, and the others
// fill it: of 1,000 draws of 3 coordinates all lie in the middle half with 2^−3000.
//
// Mutant: starts that are not halved.
func TestHalvedStarts(t *testing.T) {
	box, err := domain.NewBox([]float64{-2, 0, 4}, []float64{2, 8, 5})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Domain: box, Potential: potential.Func(3, func(grad, _ []float64) float64 { clear(grad); return 0 })}
	tn, err := newTuner(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 1})
	if err != nil {
		t.Fatal(err)
	}
	draw, err := tn.scatter(t.Context(), nil, stream.New(1, 2).Of(0, stream.Pilot))
	if err != nil {
		t.Fatal(err)
	}
	var most [2]float64 // distance from the middle, in sides
	x := make([]float64, 3)
	for i := range 2000 {
		if err := draw(x); err != nil {
			t.Fatal(err)
		}
		for j, side := range []float64{4, 8, 1} {
			most[i%2] = max(most[i%2], math.Abs(x[j]-[]float64{0, 4, 4.5}[j])/side)
		}
	}
	if !(most[0] > 0.4 && most[0] <= 0.5 && most[1] > 0.2 && most[1] < 0.3) { // the mean of what fills it has errors
		t.Errorf("draws are up to %.2f and %.2f of a side from the middle", most[0], most[1])
	}
}

// Modes of a file that was changed are refused.
func TestForgedModes(t *testing.T) {
	p, _, _, _ := twoWidths(t, 2)
	for name, forge := range map[string]func(*Modes){
		"no search":        func(m *Modes) { m.Search = nil },
		"no fit":           func(m *Modes) { m.Fit = nil },
		"another width":    func(m *Modes) { m.Search.Modes[0].L = m.Search.Modes[0].L[:1] },
		"no width":         func(m *Modes) { m.Search.Modes[1].L[1][1] = 0 },
		"a weight too few": func(m *Modes) { m.Fit.Weight = m.Fit.Weight[1:] },
		"a box inside out": func(m *Modes) { m.Fit.Mixture.Lo[0] = 7 },
		"weights above 1":  func(m *Modes) { m.Fit.Mixture.Parts[0].Weight = 2 },
		"a centre nowhere": func(m *Modes) { m.Fit.Mixture.Parts[1].Center[0] = math.Inf(1) },
	} {
		m, err := scout(t.Context(), p, r2sgld.Settings{Seed: 3, Ladders: 2})
		if err != nil || m.validate(2) != nil {
			t.Fatal(err, m.validate(2))
		}
		forge(m)
		if m.validate(2) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A mode that a start of the user's leads to is found, as narrow as it may be: a normal law of
// sd 1e-3, which about one start in a million can tell, holds two fifths. Its share of the draws
// is within 5 standard errors.
//
// Mutant: descents do not begin at given starts.
func TestGivenStarts(t *testing.T) {
	square, err := domain.NewBox([]float64{-8, -8}, []float64{8, 8})
	if err != nil {
		t.Fatal(err)
	}
	u, err := potential.Formula("-logsumexp(log(0.6/4) - (x^2 + y^2)/8, log(0.4) + 6*log(10) - ((x - 5)^2 + (y - 5)^2)/2e-6)", "x", "y")
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Potential: u, Domain: square}
	s := r2sgld.Settings{Seed: 2, Ladders: 4, Start: []float64{0, 0}, MoreStarts: [][]float64{{5.001, 5}}}
	out, err := Run(t.Context(), p, s, Until{}, Options{})
	if err != nil || len(out.Audit.Modes) != 2 {
		t.Fatalf("%+v, %v", out.Audit, err)
	}
	for _, v := range out.Audit.Modes {
		if want := 0.6 - 0.2*math.Round(v.At[0]/5); !(math.Abs(v.Weight-want) < 5*v.SE) {
			t.Errorf("%v has %.4f ± %.4f of the draws, not %.1f", v.At, v.Weight, v.SE, want)
		}
	}
}

// Ladders of a noisy potential, whose energies are known without noise, begin at a law fitted to both
// modes; the weight of the narrow one is within 5 standard errors (chance: 6e-7) of the truth, and what
// steps and walls that they do not see take: 0.02.
func TestNoisyLaddersBeginAtFittedLaw(t *testing.T) {
	pace.Slow(t)
	p, law, weight, _ := twoWidths(t, 5)
	p.Potential = potential.Noisy(p.Potential, 0.1, 0.2)
	s := r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: 100_000, Swap: exchange.Settings{Variance: 2 * 0.2 * 0.2}}
	out, err := Run(t.Context(), p, s, Until{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Guide == nil {
		t.Fatal("no guide")
	}
	chains := make([][]float64, len(out.Ladders))
	for i, of := range ownersOf(out.Result, law.Parts).of {
		for _, k := range of {
			chains[i] = append(chains[i], float64(1-k))
		}
	}
	got, se := diag.Mean(slices.Concat(chains...)), diag.MCSEMean(chains)
	t.Logf("weight %.4f ± %.4f, want %.4f; %d rungs", got, se, weight, len(out.Ladders[0].X))
	if !(math.Abs(got-weight) < 5*se+0.02) {
		t.Errorf("weight %.4f ± %.4f, want %.4f", got, se, weight)
	}
}

// TestFalls: a potential that falls without end, as a log density does that is taken for one, is refused
// before anything is sampled; one that is low, or far from where ladders start, is not.
//
// Mutants: low is endless.
func TestFalls(t *testing.T) {
	for name, c := range map[string]struct {
		slope, bend, level float64
		kink               float64 // where the slope turns
		falls              bool
	}{
		"log density": {0, -1, 0, 1e300, true},
		"slope":       {-1, 0, 0, 1e300, true},
		"well":        {1, 1, 0, 1e300, false},
		"low well":    {1, 1, -1e9, 1e300, false},
		"far well":    {1, 1e-9, 0, 1e300, false},
		"far kink":    {-100, 0, 0, 1e12, false},
	} {
		u := potential.Func(2, func(grad, x []float64) float64 {
			e := c.level
			for j, v := range x {
				grad[j] = c.slope + c.bend*v
				e += c.slope*v + c.bend*v*v/2
				if v > c.kink {
					grad[j] -= 2 * c.slope
					e -= 2 * c.slope * (v - c.kink)
				}
			}
			return e
		})
		_, err := scout(t.Context(), r2sgld.Problem{Potential: u}, r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{1, 2}})
		falls, ok := errors.AsType[*Falls](err)
		if ok != c.falls || !ok && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if ok && (!(falls.Energy < 0) || !strings.Contains(err.Error(), "x1 = ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
