package multimodal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// A diameterReference is the same study by another implementation.
type diameterReference struct {
	Cells    []int
	Octagons []struct {
		Circumradius float64
		Runs         int
		All          map[string]map[string]([2]float64) `json:"no_burnin"`
		Dropped      map[string]map[string]([2]float64) `json:"drop_first_20pct"`
		Floor        map[string]map[string]([2]float64) `json:"iid_floor"`
		SwapRate     float64                            `json:"swap_rate"`
		Long         struct {
			Runs    int
			All     map[string]map[string]([2]float64) `json:"no_burnin"`
			Dropped map[string]map[string]([2]float64) `json:"drop_first_20pct"`
		}
		Reflected [2]float64 `json:"reflected_frac_cold_hot"`
	}
	Needed map[string]map[string]float64 `json:"iterations_to_threshold"`
}

func readDiameterReference(t *testing.T) diameterReference {
	t.Helper()
	text, err := os.ReadFile("testdata/diameter.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref diameterReference
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

// soak is n, times factor for the long tests.
func soak(n, factor int) int {
	return pace.Soak(n, n*factor)
}

func octagonScenes(t *testing.T) []*scene {
	t.Helper()
	s, err := octagons()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// octagons computes the truth once for all tests.
var octagons = sync.OnceValues(func() ([]*scene, error) {
	var all []shape
	for _, r := range readings()[1].radii {
		all = append(all, octagonOf(r))
	}
	return scenes(all, 2)
})

// KL both ways and W1, with and without the first fifth, and the floor of
// independent draws, agree with the reference's 100 seeds at every number of
// iterations. The threshold is Welch's, 1e-6 over all 160 comparisons. Kills:
// the hot rung's step or temperature a half, the cold one's temperature twice, KL
// the wrong way round, a fifth not dropped, W1 the sum of both marginals (each
// shifts a number by more than its threshold of some 6 standard errors).
func TestDiameterReference(t *testing.T) {
	pace.Slow(t)
	ref := readDiameterReference(t)
	marks := []int{500, 1000, 2000, 5000, paperLength}
	e := effort{first: exchangeWalk("reference", soak(100, 10), paperLength, 0), marks: marks}
	worst, compared := 0.0, 0
	for i, s := range octagonScenes(t) {
		o := ref.Octagons[i]
		run, err := e.first.sample(context.Background(), study.Options{Seed: 5}, s.radius, s, marks)
		if err != nil {
			t.Fatal(err)
		}
		d := e.domain(s, []*stroll{run}, 5)
		if d.Cells != ref.Cells[i] {
			t.Errorf("circumradius %g: %d cells, not %d", s.radius, d.Cells, ref.Cells[i])
		}
		if math.Abs(d.SwapRate/o.SwapRate-1) > 0.05 || math.Abs(d.SwapRate/d.Exact-1) > 0.05 {
			t.Errorf("circumradius %g: swap rate %g, reference %g, exact %g", s.radius, d.SwapRate, o.SwapRate, d.Exact)
		}
		if d.Fallbacks > 0 {
			t.Errorf("circumradius %g: %d steps given up", s.radius, d.Fallbacks)
		}
		compare := func(what string, n int, got Interval, runs int, want [2]float64) {
			x, p := significance.Welch(got.over(runs), Interval{want[0], want[1]}.over(o.Runs))
			worst, compared = max(worst, math.Abs(x)), compared+1
			if p < 1e-6/160 {
				t.Errorf("circumradius %g, %s after %d: %v, reference %v: t = %.1f", s.radius, what, n, got, want, x)
			}
		}
		for k, n := range marks {
			key := fmt.Sprint(n)
			for name, row := range map[string]DiameterScore{"all": d.All[k], "without the first fifth": d.Dropped[k]} {
				want := o.All[key]
				if name != "all" {
					want = o.Dropped[key]
				}
				compare("KL, "+name, n, row.KL, row.Runs, want["kl_te"])
				compare("KL back, "+name, n, row.Back, row.Runs, want["kl_et"])
				compare("W1, "+name, n, row.W1, row.Runs, want["w1"])
			}
			compare("floor", n, d.Floor[k].KL, floorRuns, o.Floor[key]["kl_te"])
			compare("floor back", n, d.Floor[k].Back, floorRuns, o.Floor[key]["kl_et"])
		}
		t.Logf("circumradius %g: KL after 10,000 %s, reference %v; swaps %.4f, reference %g, exact %.4f; reflected %.3g, reference %.3g",
			s.radius,
			short(d.All[4].KL), o.All["10000"]["kl_te"], d.SwapRate, o.SwapRate, d.Exact, d.Reflected, o.Reflected)
	}
	t.Logf("largest |t| of %d: %.2f", compared, worst)
}

// Longer runs agree with the reference's as well: to 30,000 iterations, in the long
// tests to a million. Threshold 1e-6 over all 96 comparisons, of logarithms: the
// runs are few and their KL skew. Kills: draws that are no longer counted after some
// number, a burn-in that is not a fifth of the draws so far.
func TestDiameterLong(t *testing.T) {
	pace.Slow(t)
	ref := readDiameterReference(t)
	length := 30_000
	if pace.Soaking() {
		length = 1_000_000
	}
	var marks []int
	for _, n := range []int{30_000, 100_000, 300_000, 1_000_000} {
		if n <= length {
			marks = append(marks, n)
		}
	}
	w := exchangeWalk("long", 20, length, 0)
	worst := 0.0
	for i, s := range octagonScenes(t) {
		o := ref.Octagons[i].Long
		run, err := w.sample(context.Background(), study.Options{Seed: 8}, s.radius, s, marks)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range marks {
			for _, drop := range []bool{false, true} {
				row, ok := scoreRow(run.watchers, n, drop)
				want := o.All[fmt.Sprint(n)]
				if drop {
					want = o.Dropped[fmt.Sprint(n)]
				}
				for name, got := range map[string]Interval{"kl_te": row.KL, "kl_et": row.Back, "w1": row.W1} {
					log := func(v Interval, runs int) significance.MeanSE {
						x := v.over(runs)
						return significance.MeanSE{Mean: math.Log(x.Mean), SE: x.SE / x.Mean, N: x.N}
					}
					x, p := significance.Welch(log(got, row.Runs), log(Interval{want[name][0], want[name][1]}, o.Runs))
					worst = max(worst, math.Abs(x))
					if !ok || p < 1e-6/96 {
						t.Errorf("circumradius %g, %s after %d, first fifth dropped %t: %v, reference %v: t = %.1f", s.radius, name, n, drop, got, want[name],
							x)
					}
				}
				t.Logf("circumradius %g, %d, dropped %t: KL %s, reference %v", s.radius, n, drop, short(row.KL), want["kl_te"])
			}
		}
	}
	t.Logf("largest |t|: %.2f", worst)
}

// Brownian motion in octagons relaxes in the time 1/λ₁ of the Neumann problem, so
// that the slope is 2. Kills: diffusion ½, one rung's time for the other's, radius
// for diameter in one of them, a wall that refuses or is left out at the corners
// (errors are about 3 % a point, 0.05 of the slope).
func TestDiameterFree(t *testing.T) {
	pace.Slow(t)
	gap := neumannGap(octagonCorners(1), 16)
	var x DiameterRelaxation
	w := freeWalk(20, soak(100_000, 10))
	for _, r := range readings()[1].radii {
		run, err := w.sample(context.Background(), study.Options{Seed: 6}, r, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.add(run, r); err != nil {
			t.Fatal(err)
		}
		checkTime(t, x.Relaxation[len(x.Relaxation)-1], r*r/gap, 0.06)
	}
	x.fit()
	t.Logf("slope %v, standard error %.3f with %.0f degrees of freedom, misfit %.2f", &x.Fit, x.Fit.Error, x.Fit.DF, x.Fit.Misfit)
	// A power fits by theory: the error is that of the times alone, each of 19 degrees
	// of freedom at least.
	far, se := farT(19), x.Fit.Error/math.Sqrt(max(1, x.Fit.Misfit))
	if z := (x.Fit.Power - 2) / se; math.Abs(z) > far {
		t.Errorf("slope %g ± %g is not 2", x.Fit.Power, se)
	}
	if far*se > 0.4 {
		t.Errorf("standard error %g cannot tell 2 from 1.5 and 2.5", se)
	}
	if !pace.Soaking() {
		return
	}
	// A step a quarter as long gives the same: the step does not matter.
	w.keys, w.step, w.every, w.length = strings.Replace(w.keys, "2e-3", "5e-4", 1), 5e-4, 40, 4*w.length
	run, err := w.sample(context.Background(), study.Options{Seed: 7}, 1.5, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.relaxation()
	if err != nil {
		t.Fatal(err)
	}
	checkTime(t, r, 1.5*1.5/gap, 0.02)
	z := math.Log(r.Time/x.Relaxation[0].Time) / math.Hypot(r.LogError, x.Relaxation[0].LogError)
	if math.Abs(z) > farT(38) {
		t.Errorf("step 5e-4: %g, step 2e-3: %g", r.Time, x.Relaxation[0].Time)
	}
}

// The paper's runs are the beginning of the longer ones, and the wall of the
// potential at r² = 20 is 0 in every octagon: all three configurations give the
// same draws, bit for bit. Kills: settings that are shown but not those that ran.
func TestDiameterSettings(t *testing.T) {
	draws := func(text string) []float64 {
		run, err := config.Parse("sample", "test", []byte(text), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := r2sgld.Sample(context.Background(), run.Problem, run.Settings)
		if err != nil {
			t.Fatal(err)
		}
		return r.Ladders[1].X[0]
	}
	long, short := exchangeWalk("first", 2, 2000, 1), exchangeWalk("first", 2, 1000, 1)
	want := draws(long.text(3, 1))
	if got := draws(short.text(3, 1)); !slices.Equal(got, want[:2000]) {
		t.Error("a shorter run is not the beginning of a longer one")
	}
	if got := draws(strings.Replace(long.text(3, 1), bowl, formula, 1)); !slices.Equal(got, want) {
		t.Error("the wall of the potential makes a difference")
	}
	seen := map[string]bool{}
	for _, s := range effortOf(study.Paper).settings(1) {
		run, err := config.Parse("sample", s.Name, []byte(s.Text), nil)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if len(run.Warnings) > 0 {
			t.Errorf("%s: %v", s.Name, run.Warnings)
		}
		if seen[s.Name] {
			t.Errorf("%s twice", s.Name)
		}
		seen[s.Name] = true
	}
	if len(seen) != 35 {
		t.Errorf("%d settings, not 5 for each of 7 octagons", len(seen))
	}
}

// A passage is where a falling mean crosses the level for the last time. Kills: the
// first crossing, interpolation in KL in place of its logarithm, an error that is
// not the jackknife's.
func TestPassage(t *testing.T) {
	marks := []int{10, 100, 1000, 10_000}
	mean := []float64{0.5, 2, 0.5, math.NaN()}
	if got, want := crossing(marks, mean, 1), math.Log(100*math.Sqrt(10)); math.Abs(got-want) > 1e-12 {
		t.Errorf("crossing at %g, not %g", math.Exp(got), math.Exp(want))
	}
	for _, level := range []float64{0.1, 3} {
		if got := crossing(marks, mean, level); got == got {
			t.Errorf("level %g is crossed at %g", level, math.Exp(got))
		}
	}
	// Runs cⱼ/n with mean c pass the level at c/level; ln of a mean has the error sd/(mean √runs).
	factor := []float64{90, 100, 110, 100, 95, 105}
	p, ok := passage([]int{10, 100, 1000}, 0.5, func(run, i int) float64 { return factor[run] / []float64{10, 100, 1000}[i] }, 6)
	if want := math.Sqrt(250.0/5/6) / 100; !ok || math.Abs(p.Iterations-200) > 0.2 || math.Abs(p.LogError/want-1) > 0.02 {
		t.Errorf("%+v, not 200 with relative error %g", p, want)
	}
	if _, ok := passage([]int{10, 100}, 0.5, func(run, i int) float64 { return 1 }, 6); ok {
		t.Error("a level that is not reached is passed")
	}
}

// Independent draws are multinomial: each cell's mean and variance, and all add up.
// Kills: a share not divided by what is left, the last cell without the rest.
func TestIndependentDraws(t *testing.T) {
	c := &cells{mass: []float64{0.5, 0.2, 0.05, 0.25}}
	const n, runs = 60, 20_000
	var kl, exact float64
	rng := stream.New(1, 0).Of(0, "test")
	for range runs {
		s := c.independent(n, rng)
		kl += s.KLIn / runs
		if s.Outside != 0 {
			t.Fatal("draws outside")
		}
	}
	for _, p := range c.mass { // E of -p log((N+½)/(n+2)/p), N binomial
		for m := range n + 1 {
			lg, _ := math.Lgamma(n + 1)
			la, _ := math.Lgamma(float64(m) + 1)
			lb, _ := math.Lgamma(float64(n-m) + 1)
			w := math.Exp(lg - la - lb + float64(m)*math.Log(p) + float64(n-m)*math.Log1p(-p))
			exact -= w * p * math.Log((float64(m)+0.5)/(n+2)/p)
		}
	}
	// The sd of KL is below its mean times 2; 4.9 standard errors.
	if within := 4.9 * 2 * exact / math.Sqrt(runs); math.Abs(kl-exact) > within {
		t.Errorf("mean KL %g of independent draws, exactly %g ± %g", kl, exact, within)
	}
}

// The study at scale smoke is whole, whatever the number of threads, and its claims
// are judged by the rules written with them.
func TestDiameterSmoke(t *testing.T) {
	pace.Slow(t)
	var progress bytes.Buffer
	s, err := Diameter(context.Background(), study.Options{Scale: study.Smoke, Seed: 1, Progress: &progress})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f s", s.Seconds)
	if len(s.Claims) != 6 || len(s.Settings) != 21 || progress.Len() == 0 {
		t.Errorf("%d claims, %d settings, progress %q", len(s.Claims), len(s.Settings), progress.String())
	}
	for _, c := range s.Claims {
		t.Logf("%s: %s. %s", c.ID, c.Verdict, c.Why)
		if c.Why == "" || c.Test == "" || len(c.Numbers) == 0 {
			t.Errorf("claim %s is not whole", c.ID)
		}
	}
	for _, x := range s.Sections {
		for _, p := range x.Pictures {
			if p.SVG == nil || p.Caption == "" {
				t.Errorf("picture %s is not whole", p.Name)
			}
		}
	}
	documented(t, s)
	studytest.Whole(t, s)
}

// Threads change nothing. Kills: a watcher shared by ladders, sums in the order of
// goroutines.
func TestDiameterThreads(t *testing.T) {
	pace.Slow(t)
	e := effort{first: exchangeWalk("first", 4, 20_000, 20), free: freeWalk(4, 20_000), marks: []int{500, 1000, paperLength, 20_000}}
	var results [2][]byte
	for i, n := range []int{1, 3} {
		r, err := e.run(context.Background(), study.Options{Seed: 2, Threads: n}, readings()[1])
		if err != nil {
			t.Fatal(err)
		}
		if results[i], err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(results[0], results[1]) {
		t.Error("three threads give other numbers than one")
	}
}

func TestDiameterRefuses(t *testing.T) {
	if _, err := Diameter(context.Background(), study.Options{Scale: "huge"}); err == nil {
		t.Error("an unknown scale was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Diameter(ctx, study.Options{Scale: study.Smoke}); err == nil {
		t.Error("an ended context was ignored")
	}
}

// Verdicts follow the numbers.
func TestDiameterVerdicts(t *testing.T) {
	power := func(v, e float64) Power { return Power{Power: v, Low: v - 2*e, High: v + 2*e, Error: e} }
	walks := func(chain, free Power) []DiameterRelaxation {
		return []DiameterRelaxation{{Name: "a", Fit: chain}, {Name: "b", Fit: free}}
	}
	for _, c := range []struct {
		chain, free Power
		want        study.Verdict
	}{
		{power(2, 0.1), power(2, 0.1), study.Holds},
		{power(1.5, 0.1), power(2, 0.1), study.Depends},
		{power(2, 0.1), power(1.5, 0.1), study.Fails},
	} {
		r := DiameterResults{Relaxations: walks(c.chain, c.free)}
		if got := r.facts().quadratic(); got != c.want {
			t.Errorf("slopes %v and %v: %s, not %s", &c.chain, &c.free, got, c.want)
		}
	}
	for growth, want := range map[float64]study.Verdict{1: study.Holds, -1: study.Fails, 0: study.Depends} {
		var r DiameterResults
		for i, radius := range readings()[1].radii {
			noise := []float64{1, 0.99, 1, 1.01}[i]
			row := func(n int) DiameterScore {
				return DiameterScore{Iterations: n, Runs: 10, KL: Interval{noise * math.Pow(radius, growth), 0.05}}
			}
			r.Domains = append(r.Domains, DiameterDomain{Circumradius: radius,
				All: []DiameterScore{row(500), row(1000), row(2000), row(paperLength)}})
		}
		if got := r.facts().decline(); got != want {
			t.Errorf("KL like the power %g of the diameter: %s, not %s", growth, got, want)
		}
	}
	var r DiameterResults
	if got := r.facts().comparable(); got != study.Untestable {
		t.Errorf("no common KL: %s", got)
	}
	iid := power(1.8, 0.1)
	r.Powers = []DiameterPower{{KL: 0.1, IID: &iid, Ratio: &iid}}
	if got := r.facts().comparable(); got != study.Fails {
		t.Errorf("a floor that grows: %s", got)
	}
}

// A watcher allocates nothing between the numbers of draws that it keeps. Kills: a
// track that grows, a point that escapes.
func TestWatcherAllocates(t *testing.T) {
	s := octagonScenes(t)[0]
	w := &watcher{measure: s.own(), ends: []int{1_000_000}, every: 2, track: make(track, 0, 4*2000)}
	w.count = w.measure.tallies()
	b := kernel.NewBlock(2, 2)
	k := 0
	if n := testing.AllocsPerRun(1000, func() {
		k++
		if err := w.Record(k, b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations an iteration", n)
	}
	if len(w.track) != 4*(k/2) {
		t.Errorf("%d numbers of %d frames", len(w.track), k/2)
	}
}
