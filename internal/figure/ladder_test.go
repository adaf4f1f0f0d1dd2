package figure

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"pgregory.net/rapid"
)

// labels simulates even-odd swaps of independent energies over n columns, with
// a rejection for each pair.
func labels(n int, rejection []float64) [][]int {
	r := rand.New(rand.NewPCG(21, 22))
	rungs := len(rejection) + 1
	out := make([][]int, rungs)
	at := make([]int, rungs) // the replica on each rung
	for p := range at {
		at[p] = p
	}
	for k := range n {
		for replica := range out {
			out[replica] = append(out[replica], slices.Index(at, replica))
		}
		for p := k % 2; p+1 < rungs; p += 2 {
			if r.Float64() >= rejection[p] {
				at[p], at[p+1] = at[p+1], at[p]
			}
		}
	}
	return out
}

// geometric returns n temperatures from 1 to top and the uniform law.
func geometric(n int, top float64) []float64 {
	var out []float64
	for p := range n {
		out = append(out, math.Pow(top, float64(p)/float64(n-1)))
	}
	return append(out, math.Inf(1))
}

func index(rungs, columns int) Index {
	rejection := make([]float64, rungs-1)
	for p := range rejection {
		rejection[p] = 0.35 + 0.1*math.Sin(float64(p))
	}
	return Index{First: 2000, Rung: labels(columns, rejection), Temperature: geometric(rungs-1, 30)}
}

// petals is the energy of nine modes in a plane.
func petals(x, y float64) (u, gx, gy float64) {
	sum := 0.0
	for i := range 9 {
		dx, dy := x-1.1*float64(i%3-1), y-1.1*float64(i/3-1)
		w := math.Exp(-(dx*dx + dy*dy) / (2 * 0.06))
		sum += w
		gx, gy = gx+w*dx/0.06, gy+w*dy/0.06
	}
	return -math.Log(sum), gx / sum, gy / sum
}

// flowerWalk is a cold and a hot rung in a flower, reflected and swapping.
func flowerWalk(t *testing.T, n int) Trajectory {
	t.Helper()
	d, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	reflector, err := domain.NewReflector(d, domain.Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(23, 24))
	temperature, rate := [2]float64{1, 12}, [2]float64{0.002, 0.004}
	state := [2][2]float64{{-1, 0}, {0.3, -0.4}}
	var steps [2][]Step
	for k := range n + 500 {
		var u [2]float64
		for i := range state {
			from := state[i]
			_, gx, gy := petals(from[0], from[1])
			sd := math.Sqrt(2 * rate[i] * temperature[i])
			to := []float64{from[0] - rate[i]*gx + sd*r.NormFloat64(), from[1] - rate[i]*gy + sd*r.NormFloat64()}
			hits, _ := reflector.Reflect(from[:], to, nil)
			state[i] = [2]float64{to[0], to[1]}
			u[i], _, _ = petals(to[0], to[1])
			steps[i] = append(steps[i], Step{From: from, X: state[i], Mirrorings: hits})
		}
		if k%20 == 0 && r.Float64() < math.Exp((1/temperature[0]-1/temperature[1])*(u[0]-u[1])) {
			state[0], state[1] = state[1], state[0]
			steps[0][k].Swapped, steps[1][k].Swapped = true, true
		}
	}
	return Trajectory{
		Axes: [2]Axis{{"x", ""}, {"y", ""}}, View: [2][2]float64{{-2.25, 2.25}, {-2.25, 2.25}},
		Inside: domain.Section(d, 0, 1), First: 501,
		Dense: func(x, y float64) float64 { u, _, _ := petals(x, y); return math.Exp(-u) },
		Cold:  steps[0][500:], Hot: steps[1][500:], Temperature: temperature,
	}
}

func swaps() Swaps {
	q := Swaps{Temperature: geometric(7, 30), Rejection: []float64{0.21, 0.24, 0.31, 0.36, 0.3, 0.41, 0.55}}
	for range q.Rejection {
		q.Attempts = append(q.Attempts, 250)
	}
	return q
}

func barriers() Barrier {
	q := Barrier{Rungs: []float64{0, 0.01, 0.03, 0.08, 0.17, 0.32, 0.6, 1}}
	for i := range 201 {
		b := float64(i) / 200
		q.Inverse = append(q.Inverse, b)
		q.Local = append(q.Local, 0.3/(b+0.04)+0.6*math.Exp(-30*(b-0.5)*(b-0.5)))
	}
	return q
}

// ladderGallery draws the pictures of ladders that are kept.
func ladderGallery(t *testing.T, keep func(name string) func(*Figure, error)) {
	keep("index.png")(IndexProcess(index(8, 5000)))
	keep("index32.png")(IndexProcess(index(32, 120)))
	keep("rejections.svg")(Rejections(swaps()))
	noisy := swaps()
	noisy.Variance = []float64{9.4, 8.8, 6.1, 4.2, 3, 1.1, 0.4}
	keep("rejections.png")(Rejections(noisy))
	keep("barrier.png")(LocalBarrier(barriers()))
	keep("trajectory.png")(TrajectoryPlot(flowerWalk(t, 400)))
	section := flowerWalk(t, 60)
	section.Inside, section.Dense, section.Section, section.View = nil, nil, true, [2][2]float64{}
	keep("section.svg")(TrajectoryPlot(section))
}

// Round trips of even-odd swaps of independent energies come at the rate
// 1/(2+2Σ r/(1−r)) a sweep, Syed et al., "Non-reversible parallel tempering"
// (2022). The count over 20,000 columns has a relative sd of 1 %; 8 % kills
// one of both ways (×2) and one of all returns to the coldest rung.
func TestRoundTripRate(t *testing.T) {
	rejection := []float64{0.2, 0.5, 0.35, 0.1, 0.4}
	q := Index{Rung: labels(20000, rejection), Temperature: geometric(5, 10)}
	n, sum := 0, 0.0
	for _, path := range q.Rung {
		n += len(trips(path, 5))
	}
	for _, r := range rejection {
		sum += r / (1 - r)
	}
	if want := 20000 / (2 + 2*sum); math.Abs(float64(n)/want-1) > 0.08 {
		t.Errorf("%d round trips, want %.0f", n, want)
	}
}

func TestTrips(t *testing.T) {
	for _, c := range []struct {
		path []int
		want []trip
	}{
		{[]int{0, 1, 2, 1, 0}, []trip{{0, 4}}},
		{[]int{1, 0, 0, 1, 2, 2, 1, 0, 1, 0}, []trip{{2, 7}}},
		{[]int{2, 1, 0, 1, 2}, nil}, // from the hottest and back is none
		{[]int{0, 1, 0, 1, 2, 1, 2, 0, 2, 0}, []trip{{2, 7}, {7, 9}}},
	} {
		if got := trips(c.path, 2); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.path, got, c.want)
		}
	}
}

// What is followed and where is in the record, whatever it is; the window
// holds the whole of a trip.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rungs := rapid.IntRange(2, 8).Draw(t, "rungs")
		n := rapid.IntRange(2, 400).Draw(t, "columns")
		r := rapid.Float64Range(0, 0.9).Draw(t, "rejection")
		q := Index{Rung: labels(n, slices.Repeat([]float64{r}, rungs-1)), Temperature: geometric(rungs, 9)[:rungs]}
		replica, its := q.follow()
		first, last := q.window(its)
		if first < 0 || last >= n || first >= last {
			t.Fatalf("window %d to %d of %d", first, last, n)
		}
		if len(its) > 0 && (its[0].from < first || its[0].to > last) {
			t.Fatalf("the first trip %v is not in %d to %d", its[0], first, last)
		}
		for other := range q.Rung {
			if len(trips(q.Rung[other], rungs-1)) > len(its) {
				t.Fatalf("replica %d has more trips than %d", other, replica)
			}
		}
		pts := q.path(replica, first, last, 1)
		for k, i := first, 0; k <= last; k++ { // every column is on the line
			for pts[i+1].x < float64(k) {
				i++
			}
			a, b := pts[i], pts[i+1]
			y := a.y + (b.y-a.y)*(float64(k)-a.x)/(b.x-a.x)
			if math.Abs(y-float64(q.Rung[replica][k])) > 1e-9 {
				t.Fatalf("column %d is drawn at %g, not %d", k, y, q.Rung[replica][k])
			}
		}
	})
}

// The point on a piece of wall that makes the way shortest is not beaten by
// any of a thousand others; the tolerance is rounding and kills a point at the
// middle of the feet (the two distances taken as equal).
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-2, 2), 8, 8).Draw(t, "points")
		a, b, w := point{v[0], v[1]}, point{v[2], v[3]}, [2]point{{v[4], v[5]}, {v[6], v[7]}}
		way := func(p point) float64 { return math.Hypot(a.x-p.x, a.y-p.y) + math.Hypot(b.x-p.x, b.y-p.y) }
		got := way(shortest(a, b, w))
		for k := range 1001 {
			f := float64(k) / 1000
			if at := (point{w[0].x + f*(w[1].x-w[0].x), w[0].y + f*(w[1].y-w[0].y)}); way(at) < got-1e-7 {
				t.Fatalf("%v is nearer, %g < %g", at, way(at), got)
			}
		}
	})
}

// Reflections of the walk lie on the wall of the flower: chords of the
// outline are up to 6e-4 off in its notches. 1e-3 kills marks at the ends of
// steps, whose median distance is 0.24.
func TestBouncesOnTheWall(t *testing.T) {
	q := flowerWalk(t, 1500)
	p := &panel{x: q.view(0), y: q.view(1)}
	walls := outline(lattice{240, 240, p.x.min, p.x.max, p.y.min, p.y.max}, q.Inside)
	_, hits := follow(q.Hot, within(walls, p))
	if len(hits) < 100 {
		t.Fatalf("%d reflections in 1500 steps", len(hits))
	}
	for _, h := range hits {
		wall := 2.0 / 3.5 * (math.Sin(5*math.Atan2(h.y, h.x)) + 3)
		if r := math.Hypot(h.x, h.y); math.Abs(r-wall) > 1e-3 {
			t.Fatalf("a reflection at radius %g, the wall is at %g", r, wall)
		}
	}
}

// No reflection is put on the frame, where a view cuts the domain.
func TestNoWallAtTheFrame(t *testing.T) {
	p := &panel{x: scale{min: -1, max: 1}, y: scale{min: -1, max: 1}}
	inside := func(x, y float64) bool { return y > -0.5 } // a half plane
	walls := within(outline(lattice{50, 50, -1, 1, -1, 1}, inside), p)
	hit, ok := bounce(point{-0.1, 0.9}, point{0.3, 0.9}, walls)
	if !ok || math.Abs(hit.y+0.5) > 1e-6 || math.Abs(hit.x-0.1) > 1e-6 {
		t.Errorf("reflected at %v, want (0.1, −0.5)", hit)
	}
}

// A section of a larger domain shades what is outside of it as any domain, and
// not the whole plane.
func TestSectionIsNotAllOutside(t *testing.T) {
	svg := svgOf(t)
	shade := func(section bool) string {
		q := flowerWalk(t, 20)
		q.Dense, q.Section = nil, section
		for _, l := range strings.Split(svg(TrajectoryPlot(q)), "\n") {
			if len(l) > 1000 && strings.Contains(l, "fill:#DEDEDE") {
				return l
			}
		}
		return ""
	}
	if shade(false) == "" || shade(true) != shade(false) {
		t.Error("a section is shaded as no domain is")
	}
}

// Roots spread crowded rungs and leave areas as they are: 2 % allows for
// trapezoids and kills λ per b drawn over a root (three times as much).
func TestRoots(t *testing.T) {
	for want, rungs := range map[root][]float64{
		1: {0, 0.24, 0.5, 0.74, 1}, 2: {0, 0.02, 0.1, 0.3, 1}, 3: {0, 0.001, 0.03, 0.2, 1},
	} {
		q := Barrier{Rungs: rungs}
		got := q.root()
		if got != want {
			t.Errorf("rungs %v on a scale of %s", rungs, got.name())
		}
		sum, last := 0.0, 0.0
		for i := range 1001 {
			b := math.Pow(float64(i)/1000, 2)
			height := (1 + 2*b) * got.slope(b)
			if i > 0 {
				a := math.Pow(float64(i-1)/1000, 2)
				sum += (last + height) / 2 * (got.of(b) - got.of(a))
			}
			last = height
		}
		if math.Abs(sum/2-1) > 0.02 {
			t.Errorf("the area is %g on a scale of %s, want 2", sum, got.name())
		}
	}
}

// Two rungs that trade with each other are joined once; a swap with a third
// is joined to where the rung went on.
func TestSwapsOfATrajectory(t *testing.T) {
	a, b, c := [2]float64{0, 0}, [2]float64{1, 0}, [2]float64{5, 5}
	q := Trajectory{
		Cold: []Step{{From: a, X: a, Swapped: true}, {From: b, X: b}, {From: b, X: b}},
		Hot:  []Step{{From: b, X: b, Swapped: true}, {From: a, X: a, Swapped: true}, {From: c, X: c, Swapped: true}},
	}
	want := [][2]point{{at(a), at(b)}, {at(a), at(c)}}
	if got := q.swaps(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if lines, _ := follow(q.Hot, nil); len(lines) != 3 {
		t.Errorf("%d lines of the hot rung, want 3", len(lines))
	}
}

// The ends of Wilson's interval are the probabilities that stand 1.96 of their
// own standard errors from what was seen; 1e-9 kills those of what was seen.
func TestWilson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Float64Range(0, 1).Draw(t, "share")
		n := float64(rapid.IntRange(1, 1e6).Draw(t, "attempts"))
		lo, hi := wilson(r, n)
		for _, p := range [...]float64{lo, hi} {
			if off := (r-p)*(r-p) - 1.96*1.96*p*(1-p)/n; math.Abs(off) > 1e-9 {
				t.Fatalf("%g to %g: %g off", lo, hi, off)
			}
		}
		if !(lo <= r+1e-12 && r <= hi+1e-12 && hi > lo) {
			t.Fatalf("%g is not in %g to %g", r, lo, hi)
		}
	})
}

func TestTemperatures(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		t    []float64
		want string
	}{
		{[]float64{1, 4, inf}, "1 4 ∞"}, {[]float64{1, 1.007, 1.0141}, "1 1.007 1.014"},
		{[]float64{1e-7, 0.02, 1234, 2.5e6}, "1e−7 0.02 1230 2.5e6"}, {[]float64{1, 1 + 1e-12}, "1 1"},
	} {
		if got := strings.Join(temperatures(c.t), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.t, got, c.want)
		}
	}
	for _, n := range []int{3, 8, 33, 300} {
		marks := rungMarks(geometric(n-1, 1e4), 120, true)
		if len(marks) != n || marks[0].label != "1" || marks[n-1].label != "∞" {
			t.Errorf("%d rungs: %v", n, marks)
		}
	}
}

// svgOf writes a figure, which must not fail.
func svgOf(t *testing.T) func(*Figure, error) string {
	return func(f *Figure, err error) string {
		t.Helper()
		var b bytes.Buffer
		if err == nil {
			err = f.WriteSVG(&b)
		}
		if err != nil {
			t.Error(err)
		}
		return b.String()
	}
}

// What is said is what was given.
func TestLadderWords(t *testing.T) {
	svg := svgOf(t)
	q := index(8, 5000)
	q.RoundTrips = 12345
	flat := Barrier{Inverse: []float64{0, 1, 3}, Local: []float64{2, 2, 0}}
	for want, got := range map[string]string{
		"12,345 round trips of all replicas in the whole run": svg(IndexProcess(q)),
		"makes no round trip":     svg(IndexProcess(index(32, 40))),
		"replica 1":               svg(IndexProcess(Index{Rung: [][]int{{0, 1}, {1, 0}}, Temperature: []float64{1, 2}})),
		"mean 0.34":               svg(Rejections(swaps())),
		"Λ = 2.38":                svg(Rejections(swaps())),
		"Λ = 4":                   svg(LocalBarrier(flat)),
		"iterations 501 to 560; ": svg(TrajectoryPlot(flowerWalk(t, 60))),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said", want)
		}
	}
}

// Odd ladders are drawn, and equal data give equal bytes.
func TestOddLadders(t *testing.T) {
	svg := svgOf(t)
	still := Step{From: [2]float64{1, 1}, X: [2]float64{1, 1}, Mirrorings: 1, Swapped: true}
	none := func(x, y float64) bool { return false }
	for name, f := range map[string]func() (*Figure, error){
		"two columns": func() (*Figure, error) {
			return IndexProcess(Index{Rung: [][]int{{0, 0}, {1, 1}}, Temperature: []float64{1, 2}})
		},
		"thinned record":  func() (*Figure, error) { q := index(4, 300); q.Every, q.Window = 1000, 5; return IndexProcess(q) },
		"a hundred rungs": func() (*Figure, error) { return IndexProcess(index(100, 300)) },
		"no swaps at all": func() (*Figure, error) {
			return Rejections(Swaps{Temperature: []float64{1, 2}, Rejection: []float64{1}, Attempts: []int{0}, Variance: []float64{0}})
		},
		"many pairs": func() (*Figure, error) {
			return Rejections(Swaps{Temperature: geometric(99, 1e6), Rejection: make([]float64, 99)})
		},
		"no barrier": func() (*Figure, error) {
			return LocalBarrier(Barrier{Inverse: []float64{0, 1}, Local: []float64{0, 0}})
		},
		"one step": func() (*Figure, error) { return TrajectoryPlot(Trajectory{Cold: []Step{still}}) },
		"no domain in view": func() (*Figure, error) {
			return TrajectoryPlot(Trajectory{Cold: []Step{still, still}, Hot: []Step{still, still}, Inside: none,
				Dense: func(x, y float64) float64 { return math.NaN() }})
		},
		"infinitely hot": func() (*Figure, error) {
			q := flowerWalk(t, 20)
			q.Temperature[1] = math.Inf(1)
			return TrajectoryPlot(q)
		},
	} {
		if a, b := svg(f()), svg(f()); a != b {
			t.Errorf("%s: equal data gave different bytes", name)
		}
	}
}

// What cannot be drawn of a ladder is refused, with what to do.
func TestLaddersRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := map[string]error{}
	try := func(name string) func(*Figure, error) {
		return func(f *Figure, err error) { cases[name] = err }
	}
	two, ok := []float64{1, 2}, [][]int{{0, 1}, {1, 0}}
	try("no index")(IndexProcess(Index{}))
	try("one rung")(IndexProcess(Index{Rung: [][]int{{0, 0}}, Temperature: []float64{1}}))
	try("one column")(IndexProcess(Index{Rung: [][]int{{0}, {1}}, Temperature: two}))
	try("ragged index")(IndexProcess(Index{Rung: [][]int{{0, 1}, {1}}, Temperature: two}))
	try("no permutation")(IndexProcess(Index{Rung: [][]int{{0, 1}, {1, 1}}, Temperature: two}))
	try("no rung")(IndexProcess(Index{Rung: [][]int{{0, 2}, {1, -1}}, Temperature: two}))
	try("more rungs than replicas")(IndexProcess(Index{Rung: ok, Temperature: []float64{1, 2, 3}}))
	try("falling temperatures")(IndexProcess(Index{Rung: ok, Temperature: []float64{2, 1}}))
	try("NaN temperature")(IndexProcess(Index{Rung: ok, Temperature: []float64{1, nan}}))
	try("negative window")(IndexProcess(Index{Rung: ok, Temperature: two, Window: -1}))
	try("no pairs")(Rejections(Swaps{}))
	try("ragged pairs")(Rejections(Swaps{Temperature: two, Rejection: two}))
	try("rejection above 1")(Rejections(Swaps{Temperature: two, Rejection: []float64{1.1}}))
	try("NaN rejection")(Rejections(Swaps{Temperature: two, Rejection: []float64{nan}}))
	try("ragged attempts")(Rejections(Swaps{Temperature: two, Rejection: []float64{0}, Attempts: []int{}}))
	try("negative attempts")(Rejections(Swaps{Temperature: two, Rejection: []float64{0}, Attempts: []int{-1}}))
	try("infinite variance")(Rejections(Swaps{Temperature: two, Rejection: []float64{0}, Variance: []float64{inf}}))
	try("no grid")(LocalBarrier(Barrier{}))
	try("ragged grid")(LocalBarrier(Barrier{Inverse: two, Local: two[:1]}))
	try("falling grid")(LocalBarrier(Barrier{Inverse: []float64{1, 1}, Local: two}))
	try("NaN barrier")(LocalBarrier(Barrier{Inverse: two, Local: []float64{1, nan}}))
	try("negative barrier")(LocalBarrier(Barrier{Inverse: two, Local: []float64{1, -1}}))
	try("infinite rung")(LocalBarrier(Barrier{Inverse: two, Local: two, Rungs: []float64{inf}}))
	try("no steps")(TrajectoryPlot(Trajectory{}))
	try("too many steps")(TrajectoryPlot(Trajectory{Cold: make([]Step, MostSteps+1)}))
	try("ragged steps")(TrajectoryPlot(Trajectory{Cold: make([]Step, 2), Hot: make([]Step, 1)}))
	try("NaN step")(TrajectoryPlot(Trajectory{Cold: []Step{{X: [2]float64{nan, 0}}}}))
	try("empty view of steps")(TrajectoryPlot(Trajectory{Cold: make([]Step, 1), View: [2][2]float64{{0, 1}, {1, 1}}}))
	try("negative temperature")(TrajectoryPlot(Trajectory{Cold: make([]Step, 1), Temperature: [2]float64{-1, 1}}))
	try("NaN density")(TrajectoryPlot(Trajectory{Cold: make([]Step, 1), Dense: func(x, y float64) float64 { return nan }}))
	for name, err := range cases {
		if err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}
