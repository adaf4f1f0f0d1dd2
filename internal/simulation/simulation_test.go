package simulation

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/ode"
)

// decay is x' = −a·x, y' = −b·y with parameters a, b from (8, 0.5), and noise of
// sd 0.3 on x alone.
func decay() *Model {
	return &Model{
		States: []string{"x", "y"},
		System: func(p []float64) ode.System {
			return ode.System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = -p[0]*y[0], -p[1]*y[1] }}
		},
		Initial: func(dst, _ []float64) { dst[0], dst[1] = 8, 0.5 },
		Noise:   func(dst, _ []float64) { dst[0], dst[1] = 0.3, math.NaN() },
	}
}

// normals are n draws of a ~ N(1, 0.1²) and b ~ N(0.3, 0.06²).
func normals(n int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][]float64, n)
	for i := range out {
		out[i] = []float64{1 + 0.1*r.NormFloat64(), 0.3 + 0.06*r.NormFloat64()}
	}
	return out
}

// simulate runs or ends the test.
func simulate(t testing.TB, m *Model, draws [][]float64, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), m, draws, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bands are those of a result, or end the test.
func bands(t testing.TB, r *Result, level float64, noise bool) []Band {
	t.Helper()
	b, err := r.Bands(context.Background(), level, noise)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Bands of a linear system against the exact law: a quantile of x₀·exp(−a·t) is
// that of a turned over. 4.9 standard errors of a sample quantile (false alarm
// 1e-6 each) kill intervals of another level (95 %: 13 errors), states exchanged
// and a mean in place of the median of a long time.
func TestBandsOfLinearSystem(t *testing.T) {
	pace.Slow(t)
	const n = 20000
	r := simulate(t, decay(), normals(n), Options{Times: []float64{0, 0.5, 2, 5}, Solver: ode.Options{RTol: 1e-8}})
	all := bands(t, r, 90, true)
	for i, law := range []distuv.Normal{{Mu: 1, Sigma: 0.1}, {Mu: 0.3, Sigma: 0.06}} {
		start, b := r.Model.Start(r.Draws[0], nil)[i], all[i]
		for k, time := range r.Times[1:] {
			for _, c := range []struct{ got, p float64 }{{b.Low[k+1], 0.05}, {b.Median[k+1], 0.5}, {b.High[k+1], 0.95}} {
				a := law.Quantile(1 - c.p)
				exact := start * math.Exp(-a*time)
				se := math.Sqrt(c.p*(1-c.p)/n) / law.Prob(a) * time * exact
				if z := (c.got - exact) / se; math.Abs(z) > 4.9 {
					t.Errorf("%s at %g, quantile %g: %g, exact %g (z = %.1f)", b.State, time, c.p, c.got, exact, z)
				}
			}
			mean := start * math.Exp(-law.Mu*time+law.Sigma*law.Sigma*time*time/2)
			se := mean * math.Sqrt(math.Expm1(law.Sigma*law.Sigma*time*time)/n)
			if z := (b.Mean[k+1] - mean) / se; math.Abs(z) > 4.9 {
				t.Errorf("%s at %g: mean %g, exact %g (z = %.1f)", b.State, time, b.Mean[k+1], mean, z)
			}
		}
	}
	// At the start all agree, and an observation is normal about it: exact to the
	// twelve digits of the search, which kills a noise that is not there.
	want := 8 + 0.3*distuv.UnitNormal.Quantile(0.95)
	if got := all[0].ObservedHigh[0]; math.Abs(got-want) > 1e-9 || all[0].High[0] != 8 {
		t.Errorf("observed band at the start: %g, exact %g", got, want)
	}
	if all[1].ObservedLow != nil || bands(t, r, 90, false)[0].ObservedLow != nil {
		t.Error("a band of observations where the noise is not known or not asked for")
	}
}

// A quantile of a mixture has that share of it below; to 1e-9 this kills a search
// that ends at its bracket and weights by the sd.
func TestMixture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		mean := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), n, n).Draw(t, "mean")
		sd := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e3), n, n).Draw(t, "sd")
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		x := mixture(mean, sd, p)
		below := func(x float64) float64 {
			sum := 0.0
			for i := range mean {
				sum += distuv.UnitNormal.CDF((x - mean[i]) / sd[i])
			}
			return sum / float64(n)
		}
		step := 1e-9 * (1 + math.Abs(x))
		if below(x-step) > p+1e-9 || below(x+step) < p-1e-9 {
			t.Fatalf("%g has %g below it, want %g", x, below(x), p)
		}
	})
}

// Of a log-normal law the quantiles are exact, and one of a path that falls to
// zero does not become NaN.
func TestLogNormalBand(t *testing.T) {
	m := decay()
	m.LogNormal = true
	r := simulate(t, m, [][]float64{{1, 1}}, Options{Times: []float64{0, 1}, Solver: ode.Options{RTol: 1e-10, ATol: []float64{1e-12}}})
	b := bands(t, r, 80, true)[0]
	want := 8 * math.Exp(-1+0.3*distuv.UnitNormal.Quantile(0.1))
	if math.Abs(b.ObservedLow[1]/want-1) > 1e-8 {
		t.Errorf("low %g, exact %g", b.ObservedLow[1], want)
	}
	// Below 0, by more than a solver's error, there are no logarithms and no interval.
	sine := &Model{States: []string{"x", "y"}, LogNormal: true, Noise: func(dst, _ []float64) { dst[0], dst[1] = 0.3, 0.3 },
		Initial: func(dst, _ []float64) { dst[0], dst[1] = 1, 1 },
		System: func(p []float64) ode.System {
			return ode.System{Dim: 2, F: func(dy []float64, t float64, y []float64) { dy[0], dy[1] = -p[0], 0 }}
		}}
	r = simulate(t, sine, [][]float64{{0.1}, {0.5 + 1e-8}, {0.4}}, Options{Times: Grid(0, 2, 9), Solver: ode.Options{RTol: 1e-12}})
	if all := bands(t, r, 90, true); all[0].Below != nil || all[0].ObservedLow == nil || !(all[0].ObservedHigh[8] > 0) {
		t.Errorf("an error below 0: %+v", all[0])
	}
	r = simulate(t, sine, [][]float64{{0.1}, {0.7}, {0.8}}, Options{Times: Grid(0, 2, 9)})
	if all := bands(t, r, 90, true); all[0].Below == nil || *all[0].Below != 1.5 || all[0].ObservedLow != nil || all[1].Below != nil ||
		all[1].ObservedLow == nil {
		t.Errorf("below 0: %+v", all)
	}
	b.set(0, []float64{-1, 2}, []float64{0.3, 0.3}, 0.1, 0.9, true)
	if v := b.ObservedHigh[0]; !(v > 0) || b.ObservedLow[0] < 0 {
		t.Errorf("high %g, low %g", v, b.ObservedLow[0])
	}
}

// The numbers do not depend on how many threads there are, not even which of
// several failures is told.
func TestThreads(t *testing.T) {
	draws := normals(200)
	var want *Result
	for _, threads := range []int{1, 2, 7} {
		got := simulate(t, decay(), draws, Options{Times: Grid(0, 5, 50), Threads: threads})
		if want == nil {
			want = got
		}
		for k := range draws {
			if !slices.Equal(got.Paths[k], want.Paths[k]) {
				t.Fatalf("%d threads: draw %d differs", threads, k)
			}
		}
		if got.Stats != want.Stats {
			t.Errorf("%d threads: %+v and %+v", threads, got.Stats, want.Stats)
		}
		bad := slices.Clone(draws)
		m := decay()
		m.Initial = func(dst, x []float64) { dst[0], dst[1] = 8, 1/x[1] }
		bad[60], bad[61], bad[150] = []float64{1, 0}, []float64{1, 0}, []float64{1, 0}
		if _, err := Run(context.Background(), m, bad, Options{Times: Grid(0, 5, 50), Threads: threads}); err == nil ||
			!strings.HasPrefix(err.Error(), "draw 61: ") {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// explosive is x' = a·x², which from 1 runs off at 1/a, and y' = 1.
func explosive() *Model {
	return &Model{
		States: []string{"x", "y"},
		System: func(p []float64) ode.System {
			return ode.System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = p[0]*y[0]*y[0], 1 }}
		},
		Initial: func(dst, _ []float64) { dst[0], dst[1] = 1, 0 },
	}
}

// Trajectories that blow up are told, count while they last, and are no number
// afterwards.
func TestBlowUp(t *testing.T) {
	r := simulate(t, explosive(), [][]float64{{0.1}, {2}, {0.5}, {1.25}}, Options{Times: Grid(0, 1, 101)})
	if len(r.Blown) != 2 || r.Blown[0].Draw != 1 || r.Blown[1].Draw != 3 {
		t.Fatalf("blown up: %+v", r.Blown)
	}
	for i, exact := range []float64{0.5, 0.8} {
		if b := r.Blown[i]; math.Abs(b.Time-exact) > 1e-3 || b.State[0] < 1e3 {
			t.Errorf("draw %d blows up at %g with %g, exact at %g", b.Draw, b.Time, b.State, exact)
		}
	}
	x := bands(t, r, 90, false)[0]
	if v := r.Paths[1]; v[2*49] != v[2*49] || v[2*51] == v[2*51] {
		t.Errorf("around the end: %g", v[2*48:2*53])
	}
	// At the end the other two count, 1/(1 − a): 4 digits kill a band that keeps
	// the last number of what is gone.
	if want := (1/0.9 + 2) / 2; math.Abs(x.Mean[100]-want) > 1e-4 {
		t.Errorf("mean at the end %g, want %g", x.Mean[100], want)
	}

	_, err := Run(context.Background(), explosive(), [][]float64{{1.25}, {2}}, Options{Times: []float64{1}})
	var lost *Lost
	if !errors.As(err, &lost) || lost.Of != 2 || lost.First.Draw != 1 {
		t.Fatalf("all lost: %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "each of 2 trajectories; the first blows up at t = 0.5 (x = ") {
		t.Error(text)
	}
}

// What makes no sense is refused.
func TestRunRefuses(t *testing.T) {
	one := [][]float64{{1, 1}}
	for want, c := range map[string]struct {
		draws [][]float64
		o     Options
	}{
		"at least one draw":          {nil, Options{Times: []float64{1}}},
		"no times":                   {one, Options{}},
		"1 numbers for 2 states":     {one, Options{Times: []float64{1}, Start: []float64{1}}},
		"do not fit into memory":     {make([][]float64, 1000), Options{Times: make([]float64, 200_000)}},
		"no method":                  {one, Options{Times: []float64{1}, Solver: ode.Options{Method: "euler"}}},
		"initial value of y is +Inf": {one, Options{Times: []float64{1}, Start: []float64{math.NaN(), math.Inf(1)}}},
		"times go one way":           {one, Options{Times: []float64{1, 3, 2}}},
	} {
		if _, err := Run(context.Background(), decay(), c.draws, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, decay(), one, Options{Times: []float64{1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A trajectory stops within a step of the end of its context, one of many thousand
// steps as well, and so do bands and distances.
func TestStop(t *testing.T) {
	for _, method := range []ode.Method{ode.DormandPrince, ode.DOP853, ode.LSODA} {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		m := &Model{States: []string{"x"}, Initial: func(dst, _ []float64) { dst[0] = 0 }, System: func([]float64) ode.System {
			return ode.System{Dim: 1, F: func(dy []float64, t float64, _ []float64) {
				if n++; n == 300 {
					cancel()
				}
				dy[0] = math.Cos(t)
			}}
		}}
		o := Options{Times: []float64{1e4}, Solver: ode.Options{Method: method}}
		if _, err := Run(ctx, m, [][]float64{{1}}, o); !errors.Is(err, context.Canceled) || n > 350 {
			t.Errorf("%s: %v after %d evaluations", method, err, n)
		}
		r := simulate(t, decay(), normals(3), Options{Times: []float64{1, 2}})
		_, err1 := r.Bands(ctx, 90, true)
		_, err2 := r.Compare(r.Paths[0], 1).Over(ctx, 90)
		n = 0
		_, err3 := Lyapunov(ctx, m.System(nil), 0, []float64{0}, LyapunovOptions{Span: 1e5, Solver: o.Solver})
		if err1 == nil || err2 == nil || !errors.Is(err3, context.Canceled) || n > 20 {
			t.Errorf("%s: %v, %v, %v after %d evaluations", method, err1, err2, err3, n)
		}
	}
}

// A start in place of the model's, of one state alone, and backwards in time.
func TestStart(t *testing.T) {
	r := simulate(t, decay(), [][]float64{{1, 0.5}}, Options{From: 3, Times: []float64{3, 1}, Start: []float64{math.NaN(), 4},
		Solver: ode.Options{RTol: 1e-9}})
	for i, want := range []float64{8, 4, 8 * math.Exp(2), 4 * math.E} {
		if got := r.Paths[0][i]; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("number %d: %g, want %g", i, got, want)
		}
	}
}

// Crossings of a straight line are exact, and a trajectory that has ended parts.
func TestParting(t *testing.T) {
	times := []float64{0, 1, 2, 3}
	a := []float64{0, 0, 3, 4, 6, 8, 9, 12} // at distance 5·t from the origin
	zero := make([]float64, 8)
	for distance, want := range map[float64]float64{1: 0.2, 5: 1, 12.5: 2.5} {
		if got, ok := Parting(times, a, zero, distance); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("further apart than %g at %g, want %g", distance, got, want)
		}
	}
	if got, ok := Parting(times, a, zero, 15); ok {
		t.Errorf("apart at %g, never are", got)
	}
	a[5] = math.NaN()
	if got, ok := Parting(times, a, zero, 6); !ok || got != 2 {
		t.Errorf("the trajectory that ends parts at %g", got)
	}
	if got, ok := Parting(times[:1], []float64{2, 0}, []float64{0, 0}, 1); !ok || got != 0 {
		t.Errorf("what begins apart parts at %g", got)
	}
}

// x' = −a·x from 8 against a = 1: times of parting against the solution of the
// equation, and those that never part are later than all.
func TestCompare(t *testing.T) {
	draws := [][]float64{{1.0001, 0}, {1.5, 0}, {2, 0}, {1.1, 0}}
	o := Options{Times: Grid(0, 3, 3001), Solver: ode.Options{RTol: 1e-9}}
	r := simulate(t, decay(), draws, o)
	truth := simulate(t, decay(), [][]float64{{1, 0}}, o)
	c := r.Compare(truth.Paths[0], 0.2)
	if len(c.Parting) != 3 || len(c.Distances) != 4 {
		t.Fatalf("%d part, want 3", len(c.Parting))
	}
	for i, a := range []float64{1.5, 2, 1.1} {
		t0 := c.Parting[i]
		if d := 8 * (math.Exp(-t0) - math.Exp(-a*t0)); math.Abs(d-0.2) > 1e-5 {
			t.Errorf("a = %g: distance %g at %g", a, d, t0)
		}
	}
	sorted := slices.Sorted(slices.Values(c.Parting))
	if w := c.When(90); w.Median != sorted[1] || w.Low != sorted[0] || !math.IsInf(w.High, 1) {
		t.Errorf("%+v of %g", w, sorted)
	}
	if over, err := c.Over(context.Background(), 90); err != nil || over[0].High != 0 || over[1000].Low > over[1000].Median {
		t.Errorf("%+v, %+v", over[0], over[1000])
	}
}
