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
	s := smooth(x, y, scale{min: -13, max: 13}, scale{min: -2, max: 4}, 90, nil)
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
	s := smooth(x, y, axis, axis, 50, in)
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
	s := smooth(x, y, scale{min: -0.5, max: 0.5}, scale{min: -0.5, max: 0.5}, 90, nil)
	var sum, m2 float64
	for k, v := range s.v {
		d := float64(k/90) - 44.5
		sum, m2 = sum+v, m2+v*d*d
	}
	if sd := math.Sqrt(m2 / sum); sd > 2 {
		t.Errorf("the narrow axis is smeared to a sd of %.1f cells, want 1.2", sd)
	}
}

// Draws off the axes leave no mark.
func TestDrawsOffTheAxes(t *testing.T) {
	svg := func(v float64) string {
		f, err := PairPlot(Pairs{
			Axes:  []Axis{{Name: "x"}, {Name: "y"}},
			Draws: [][]float64{{v}, {v}},
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

// What sticks out of a trace is never lost.
func TestEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 300).Draw(t, "v")
		n := rapid.IntRange(1, 50).Draw(t, "stretches")
		pts := envelope(v, n)
		if len(pts) > 2*n {
			t.Fatalf("%d points of %d stretches", len(pts), n)
		}
		lo, hi := extent(v...)
		seenLo, seenHi, last := false, false, 0.0
		for _, p := range pts {
			if p.x <= last || v[int(p.x)-1] != p.y {
				t.Fatalf("point %v is no later draw", p)
			}
			last = p.x
			seenLo, seenHi = seenLo || p.y == lo, seenHi || p.y == hi
		}
		if !seenLo || !seenHi {
			t.Fatal("an extreme is lost")
		}
	})
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
	try("spike")(Marginals(one, 90, Sample{1, 1}))
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
		"NaN mode":          nothing(Marginals([]Marginal{{Mode: nan}}, 90, Sample{})),
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
