package figure

import (
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// area is the signed area of loops: counter-clockwise counts, holes subtract.
func area(loops [][]point) float64 {
	sum := 0.0
	for _, l := range loops {
		for i, p := range l {
			q := l[(i+1)%len(l)]
			sum += (p.x*q.y - q.x*p.y) / 2
		}
	}
	return sum
}

// A ring has an outer and an inner wall. Its area to 1e-3 kills a hole that
// turns the wrong way (+2π·0.25); points on the wall to 1e-6 kill a wall put
// half-way between knots (0.02).
func TestOutlineRing(t *testing.T) {
	l := lattice{101, 101, -2, 2, -2, 2}
	loops := outline(l, func(x, y float64) bool { r := math.Hypot(x, y); return r < 1 && r > 0.5 })
	if len(loops) != 2 {
		t.Fatalf("%d loops, want 2", len(loops))
	}
	if got := area(loops); math.Abs(got-0.75*math.Pi) > 1e-3*math.Pi {
		t.Errorf("area %g, want %g", got, 0.75*math.Pi)
	}
	for _, w := range loops {
		for _, p := range w {
			if r := math.Hypot(p.x, p.y); math.Abs(r-1) > 1e-6 && math.Abs(r-0.5) > 1e-6 {
				t.Fatalf("point at radius %g", r)
			}
		}
	}
}

// Checkered regions meet saddles in most cells. Each wall must be passed once:
// as many points as lattice edges that change side.
func TestOutlineSaddles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 7
		in := rapid.SliceOfN(rapid.Bool(), n*n, n*n).Draw(t, "inside")
		middle := rapid.Bool().Draw(t, "middle")
		at := func(i, j int) bool { return i >= 0 && j >= 0 && i < n && j < n && in[j*n+i] }
		l := lattice{n, n, 0, n - 1, 0, n - 1}
		half := func(i, j, k, m int) point {
			a, b := l.knot(i, j), l.knot(k, m)
			return point{(a.x + b.x) / 2, (a.y + b.y) / 2}
		}
		loops := trace(l, at, half, func(i, j int) bool { return middle })
		got, want := 0, 0
		for _, w := range loops {
			got += len(w)
			for i, p := range w {
				q := w[(i+1)%len(w)]
				if d := math.Hypot(p.x-q.x, p.y-q.y); d > 1.01 {
					t.Fatalf("a wall jumps by %g cells", d)
				}
			}
		}
		for j := -1; j <= n; j++ {
			for i := -1; i <= n; i++ {
				if at(i, j) != at(i+1, j) {
					want++
				}
				if at(i, j) != at(i, j+1) {
					want++
				}
			}
		}
		if got != want {
			t.Fatalf("%d points on walls, want %d", got, want)
		}
	})
}

// The 90 % region of a lopsided normal law has the area 2π s₁ s₂ log 10; the
// bandwidth adds 2 %, 30,000 draws an error of 1 %. 10 % kills a region of
// another mass (95 %: +30 %) and exchanged axes.
func TestRegionOfHighestDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x, y := make([]float64, 30000), make([]float64, 30000)
	for k := range x {
		x[k], y[k] = 3*r.NormFloat64(), 1+0.5*r.NormFloat64()
	}
	s := smooth(x, y, bandwidth(x, 0), bandwidth(y, 0), scale{min: -13, max: 13}, scale{min: -2, max: 4}, 90, nil)
	got := area(contour(s.lattice, s.v, s.level(0.9)))
	if want := 2 * math.Pi * 1.5 * math.Log(10); math.Abs(got/want-1) > 0.1 {
		t.Errorf("area %g, want %g", got, want)
	}
}

// Uniform draws in a triangle stay level up to its walls. The mean over a wall
// has a standard error of 3 %; 15 % kills a density that fades there by half
// and one that takes cells cut by the wall for whole (−28 %).
func TestDensityAtWalls(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	in := func(x, y float64) bool { return x >= 0 && y >= 0 && x+y <= 1 }
	var x, y []float64
	for len(x) < 20000 {
		if a, b := r.Float64(), r.Float64(); in(a, b) {
			x, y = append(x, a), append(y, b)
		}
	}
	axis := scale{min: -0.125, max: 1.1} // knot 5 is at 0, the step 0.025
	s := smooth(x, y, bandwidth(x, 0), bandwidth(y, 0), axis, axis, 50, in)
	var left, low, within float64
	for k := range 20 {
		left += s.v[(9+k)*50+5]
		low += s.v[5*50+9+k]
		within += s.v[(9+k)*50+13]
	}
	for _, wall := range []float64{left, low} {
		if math.Abs(wall/within-1) > 0.15 {
			t.Errorf("the density at a wall is %.2f of that within", wall/within)
		}
	}
}

// A bandwidth belongs to its axis: exchanged, the narrow one would be 5.5 cells
// wide instead of 0.7.
func TestBandwidths(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	x, y := make([]float64, 200), make([]float64, 200)
	for k := range x {
		x[k], y[k] = 0.25*r.NormFloat64(), 0.01*r.NormFloat64()
	}
	s := smooth(x, y, bandwidth(x, 0), bandwidth(y, 0), scale{min: -0.5, max: 0.5}, scale{min: -0.5, max: 0.5}, 90, nil)
	var sum, m2 float64
	for k, v := range s.v {
		d := float64(k/90) - 44.5
		sum, m2 = sum+v, m2+v*d*d
	}
	if sd := math.Sqrt(m2 / sum); sd > 2 {
		t.Errorf("the narrow axis is smeared to a sd of %.1f cells, want 1.2", sd)
	}
}

// Two narrow modes far apart, of sd 0.1 and 0.2, have 90 % regions as large as
// those of the two laws: within a fifth, as some knots are half a sd apart. Three
// fifths of Scott's rule makes them four times as large.
func TestRegionsOfTwoModes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	x, y := make([]float64, 20000), make([]float64, 20000)
	for k := range x {
		side := float64(2*(k%2) - 1)
		x[k], y[k] = 2*side+0.1*r.NormFloat64(), side+0.2*r.NormFloat64()
	}
	q := Pairs{Axes: make([]Axis, 2), Draws: [][]float64{x, y}, Bandwidth: []float64{0.017, 0.034}}
	h := [2]float64{bandwidth(x, q.Bandwidth[0]), bandwidth(y, q.Bandwidth[1])}
	s := smooth(x, y, h[0], h[1], q.view(0, false), q.view(1, false), 120, nil)
	got := area(contour(s.lattice, s.v, s.level(0.9)))
	if want := 2 * 2 * math.Pi * 0.1 * 0.2 * math.Log(10); math.Abs(got/want-1) > 0.2 {
		t.Errorf("area %g, want %g", got, want)
	}
}

// The regions of highest density of two modes hold their share of the mass, in
// two pieces; 1 % kills the next share and a density taken as one piece.
func TestRegionsOfADensity(t *testing.T) {
	m := Marginal{}
	for x := -5.0; x <= 5; x += 0.02 {
		m.X = append(m.X, x)
		m.Density = append(m.Density, math.Exp(-2*(x-2)*(x-2))+0.7*math.Exp(-2*(x+2)*(x+2)))
	}
	total := 1.7 * math.Sqrt(math.Pi/2)
	for _, share := range shares {
		loops := m.above(m.level(share))
		if len(loops) != 2 {
			t.Fatalf("%g: %d pieces, want 2", share, len(loops))
		}
		if got := -area(loops) / total; math.Abs(got-share) > 0.01 {
			t.Errorf("%g of the mass, want %g", got, share)
		}
	}
	if all := m.above(0); len(all) != 1 || math.Abs(-area(all)/total-1) > 1e-3 {
		t.Error("all of the density is not in one piece")
	}
}

// A view is kept where draws fill a quarter of each axis; else draws are shown,
// up to the walls that are near.
func TestViewOfPairs(t *testing.T) {
	q := Pairs{Axes: make([]Axis, 2), Draws: [][]float64{{1, 4}, {1, 9}}, View: [][2]float64{{0, 10}, {0, 10}}}
	if q.far() {
		t.Error("draws that fill 30 % of an axis are far")
	}
	q.Draws[0] = []float64{1, 3}
	if !q.far() {
		t.Error("draws that fill 20 % of an axis are not far")
	}
	if s := q.view(0, true); s.min != 0.8 || s.max != 3.2 {
		t.Errorf("from %g to %g, want the draws and a tenth", s.min, s.max)
	}
	if s := q.view(1, true); s.min != -1 || s.max != 11 {
		t.Errorf("from %g to %g, want the walls and a tenth", s.min, s.max)
	}
}

// The interval of an observation is that of the normal law of both variances.
// 1e-9 kills sums of sds and one noise of level 0.95 for 0.9.
func TestPredictive(t *testing.T) {
	z := 1.6448536269514722
	q := Response{Fitted: []float64{1}, Low: []float64{1 - 3*z}, High: []float64{1 + 5*z}, SD: 12}
	q.SD = 4
	low, _ := q.predictive(90)
	q.SD = 12
	_, high := q.predictive(90)
	if math.Abs(low[0]-(1-5*z)) > 1e-9 || math.Abs(high[0]-(1+13*z)) > 1e-9 {
		t.Errorf("%g and %g", low[0], high[0])
	}
}

// Draws off the axes leave no mark.
func TestDrawsOffTheAxes(t *testing.T) {
	svg := func(v float64) string {
		f, err := PairPlot(Pairs{
			Axes:  []Axis{{Name: "x"}, {Name: "y"}},
			Draws: [][]float64{{0.1, v, 0.9}, {0.1, v, 0.9}},
			View:  [][2]float64{{0, 1}, {0, 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := f.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if svg(1.2) != svg(-3) || svg(1.2) == svg(0.5) {
		t.Error("a draw off the axes is drawn, or one within is not")
	}
}

// Labels say where their ticks are, rise, and stay within the axis.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := math.Pow(10, rapid.Float64Range(-200, 200).Draw(t, "log size"))
		lo := size * rapid.Float64Range(-1, 1).Draw(t, "lo")
		lo, hi := widen(lo, lo+size*math.Pow(10, rapid.Float64Range(-6, 1).Draw(t, "log span")), 0.05)
		room := vg.Length(rapid.Float64Range(40, 500).Draw(t, "room"))
		marks := ticks(lo, hi, room, rapid.Bool().Draw(t, "upright"))
		if len(marks) == 0 || len(marks) > 7 {
			t.Fatalf("%d ticks", len(marks))
		}
		step := hi - lo
		if len(marks) > 1 {
			step = marks[1].value - marks[0].value
		}
		for _, m := range marks {
			if m.value < lo-1e-6*step || m.value > hi+1e-6*step {
				t.Fatalf("tick %g outside [%g, %g]", m.value, lo, hi)
			}
			if m.label == "" {
				continue
			}
			v, err := strconv.ParseFloat(strings.ReplaceAll(m.label, "−", "-"), 64)
			if err != nil || math.Abs(v-m.value) > 1e-3*step {
				t.Fatalf("label %q at %g", m.label, m.value)
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v, step, large float64
		want           string
	}{
		{0.02, 0.01, 0.05, "0.02"}, {-1500, 500, 1500, "−1500"}, {2.5e6, 5e5, 3e6, "2.5e6"},
		{-2e-5, 1e-5, 3e-5, "−2e−5"}, {1e-17, 0.5, 1, "0"}, {1, 0.5, 2, "1.0"}, {3e10, 1e10, 3e10, "3e10"},
	} {
		if got := number(c.v, c.step, c.large); got != c.want {
			t.Errorf("number(%g, %g) = %q, want %q", c.v, c.step, got, c.want)
		}
	}
}

// Each draw that is due is a dot once, in one of the rounds, and what sticks out
// of a trace is among them.
func TestDotsOfATrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 300).Draw(t, "v")
		step, rounds := rapid.IntRange(1, 50).Draw(t, "step"), rapid.IntRange(1, 9).Draw(t, "rounds")
		seen := map[int]bool{}
		lo, hi := extent(v...)
		for r := range rounds {
			for _, p := range some(v, step, r, rounds) {
				k := int(p.x) - 1
				if seen[k] || v[k] != p.y {
					t.Fatalf("%v is no draw, or twice", p)
				}
				if k%step != 0 && p.y != lo && p.y != hi {
					t.Fatalf("draw %d is not due", k)
				}
				seen[k] = true
			}
		}
		low, high := false, false
		for k := range seen {
			low, high = low || v[k] == lo, high || v[k] == hi
		}
		for k := 0; k < len(v); k += step {
			if !seen[k] {
				t.Fatalf("draw %d is not seen", k)
			}
		}
		if !low || !high {
			t.Fatal("an extreme is lost")
		}
	})
}

// A ramp has its summaries where they belong; 1e-9 kills a stretch moved by a draw.
func TestSummariesOfATrace(t *testing.T) {
	v := make([]float64, 1010)
	for k := range v {
		v[k] = float64(k + 1)
	}
	low, mean, high := summaries(v, 10)
	for s := range 10 {
		middle := float64(101*s + 51)
		for _, p := range [...]point{low[s], mean[s], high[s]} {
			if p.x != middle {
				t.Fatalf("stretch %d is drawn at %g", s, p.x)
			}
		}
		if math.Abs(mean[s].y-middle) > 1e-9 || low[s].y != middle-45 || high[s].y != middle+45 {
			t.Errorf("stretch %d: %g, %g, %g", s, low[s].y, mean[s].y, high[s].y)
		}
	}
}

func TestRankShares(t *testing.T) {
	a, b := make([]float64, 100), make([]float64, 100)
	for k := range a {
		a[k], b[k] = float64(k), float64(k)
	}
	for _, s := range rankShares([][]float64{a, b}) {
		for k, v := range s {
			if math.Abs(v-1) > 1e-12 {
				t.Errorf("equal ladders: bin %d has %g of what is expected", k, v)
			}
		}
	}
	for k := range b {
		b[k] += 1000
	}
	s := rankShares([][]float64{a, b})
	for k := range rankBins {
		low := float64(k / (rankBins / 2)) // 0 in the lower half, 1 above
		if math.Abs(s[0][k]-2*(1-low)) > 1e-12 || math.Abs(s[1][k]-2*low) > 1e-12 {
			t.Errorf("apart: bin %d has %g and %g", k, s[0][k], s[1][k])
		}
	}
}

// Sixteen ladders have sixteen colours.
func TestLadderColours(t *testing.T) {
	seen := map[any]int{}
	for l := range 16 {
		if k, ok := seen[ladderColour(l)]; ok {
			t.Errorf("ladders %d and %d have one colour", k+1, l+1)
		}
		seen[ladderColour(l)] = l
	}
}

// Odd data are drawn, not refused, and do not panic.
func TestOddData(t *testing.T) {
	inf := math.Inf(1)
	try := func(name string) func(*Figure, error) {
		return func(f *Figure, err error) {
			t.Helper()
			if err == nil {
				err = f.WriteSVG(io.Discard)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	one := []Marginal{{Axis: Axis{Name: "c"}, Mode: 3, Interval: [2]float64{3, 3}, Bounds: [2]float64{-inf, inf}}}
	try("spike")(Marginals(one, 90, Sample{Draws: 1, Ladders: 1}))
	try("flat")(Marginals([]Marginal{{X: []float64{1, 2}, Density: []float64{0, 0}, Mode: 1.5}}, 90, Sample{}))
	try("equal grid")(Marginals([]Marginal{{X: []float64{2, 2}, Density: []float64{1, 1}, Mode: 2}}, 90, Sample{}))
	constant := make([]float64, 500)
	for _, d := range [][][]float64{{{1}, {2}}, {constant, constant}, {{1, 1}, {0, 1}}, {{1e299, -1e299}, {1e-300, 2e-300}}, {{1}, {2}, {3}}} {
		q := Pairs{Draws: d}
		for range d {
			q.Axes = append(q.Axes, Axis{Name: "中文 ℓ′"})
		}
		try("pairs")(PairPlot(q))
		q.Inside = func(i, j int) func(x, y float64) bool { return func(x, y float64) bool { return false } }
		try("pairs, nothing inside")(PairPlot(q))
		q.Inside = func(i, j int) func(x, y float64) bool { return nil }
		try("pairs, unconstrained")(PairPlot(q))
	}
	for _, d := range [][][]float64{{{1}}, {{1}, {}}, {constant}, {{1, 2, 3}, {5}}} {
		l := []Ladders{{Axis{Name: strings.Repeat("long ", 40)}, d}}
		try("traces")(Traces(l))
		try("ranks")(Ranks(l, nil))
	}
	r := []Response{{Time: []float64{1}, Observed: []float64{2}, Fitted: []float64{2}}}
	try("fit")(Fit(r, Axis{}, 90))
	try("residuals")(Residuals(r, Axis{}))
}

// What cannot be drawn is refused, with what to do.
func TestRefused(t *testing.T) {
	nan, v := math.NaN(), []float64{1, 2}
	xy := []Axis{{Name: "x"}, {Name: "y"}}
	nothing := func(f *Figure, err error) error { return err }
	for name, err := range map[string]error{
		"no marginals":      nothing(Marginals(nil, 90, Sample{})),
		"too many":          nothing(Marginals(make([]Marginal, 25), 90, Sample{})),
		"NaN density":       nothing(Marginals([]Marginal{{X: v, Density: []float64{1, nan}}}, 90, Sample{})),
		"infinite mode":     nothing(Marginals([]Marginal{{Mode: math.Inf(1)}}, 90, Sample{})),
		"NaN bound":         nothing(Marginals([]Marginal{{Bounds: [2]float64{nan, 1}}}, 90, Sample{})),
		"infinite truth":    nothing(Marginals([]Marginal{{Truth: []float64{math.Inf(1)}}}, 90, Sample{})),
		"falling grid":      nothing(Marginals([]Marginal{{X: []float64{2, 1}, Density: v}}, 90, Sample{})),
		"ragged grid":       nothing(Marginals([]Marginal{{X: v}}, 90, Sample{})),
		"one parameter":     nothing(PairPlot(Pairs{Axes: xy[:1], Draws: [][]float64{v}})),
		"nine parameters":   nothing(PairPlot(Pairs{Axes: make([]Axis, 9), Draws: make([][]float64, 9)})),
		"NaN draw":          nothing(PairPlot(Pairs{Axes: xy, Draws: [][]float64{v, {1, nan}}})),
		"no draws":          nothing(PairPlot(Pairs{Axes: xy, Draws: [][]float64{{}, {}}})),
		"ragged draws":      nothing(PairPlot(Pairs{Axes: xy, Draws: [][]float64{v, {1}}})),
		"empty view":        nothing(PairPlot(Pairs{Axes: xy, Draws: [][]float64{v, v}, View: [][2]float64{{0, 1}, {1, 1}}})),
		"NaN in a trace":    nothing(Traces([]Ladders{{Draws: [][]float64{{nan}}}})),
		"no draws in trace": nothing(Traces([]Ladders{{Draws: [][]float64{{}}}})),
		"NaN ess":           nothing(Ranks([]Ladders{{Draws: [][]float64{v}}}, []float64{nan})),
		"ess missing":       nothing(Ranks([]Ladders{{Draws: [][]float64{v}}}, []float64{})),
		"no observations":   nothing(Fit([]Response{{}}, Axis{}, 90)),
		"times fall":        nothing(Fit([]Response{{Time: []float64{2, 1}, Observed: v, Fitted: v}}, Axis{}, 90)),
		"half a band":       nothing(Fit([]Response{{Time: v, Observed: v, Fitted: v, Low: v}}, Axis{}, 90)),
		"NaN observed":      nothing(Residuals([]Response{{Time: v, Observed: []float64{1, nan}, Fitted: v}}, Axis{})),
		"negative sd":       nothing(Residuals([]Response{{Time: v, Observed: v, Fitted: v, SD: -1}}, Axis{})),
	} {
		if err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

// Few dots are as they always were; many are small and let through what is below.
func TestManyDots(t *testing.T) {
	if dotSize(20) != 1.7 || dotColour(20) != observed {
		t.Errorf("20 dots of %v, %v", dotSize(20), dotColour(20))
	}
	if s, c := dotSize(2000), dotColour(2000); s > 1 || s < 0.5 || c.A > 128 || c.A < 64 {
		t.Errorf("2000 dots of %v, %v", s, c)
	}
}

// Captions count what is shown: residuals of all responses, with values missing in some.
//
// Mutants it kills: the rows of the first response for all.
func TestCaptionsCount(t *testing.T) {
	of := func(n, all int) Response { return Response{Time: make([]float64, n), Of: all, Each: "row"} }
	for _, c := range []struct{ got, want string }{
		{counted([]Response{of(61, 0), of(61, 0)}), "61 rows"},
		{counted([]Response{of(61, 0), of(31, 0)}), "92 observations"},
		{countOf([]Response{of(61, 0), of(31, 0)}, "residual"), "92 residuals"},
		{countOf([]Response{of(2000, 10000), of(2000, 10000)}, "residual"), "4,000 of 20,000 residuals"},
		{Sample{Draws: 1000, Ladders: 4, Shown: 24, Of: 30}.String(), "1,000 draws, 4 ladders, 24 of 30 parameters"},
		{Sample{Draws: 1000, Ladders: 4, Shown: 3, Of: 3}.String(), "1,000 draws, 4 ladders"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
