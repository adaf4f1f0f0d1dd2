package figure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// modes is a mixture of 25 normal laws of sd 0.16 in a grid, those to the right
// heavier, and draws from it.
func modes(n int) (x, y []float64, density func(x, y float64) float64) {
	const sd, total = 0.16, 5 * (1 + 2 + 3 + 4 + 5)
	r := rand.New(rand.NewPCG(31, 32))
	for len(x) < n {
		i := r.IntN(5)
		if r.IntN(5) > i {
			continue
		}
		x = append(x, float64(i-2)+sd*r.NormFloat64())
		y = append(y, float64(r.IntN(5)-2)+sd*r.NormFloat64())
	}
	return x, y, func(x, y float64) float64 {
		sum := 0.0
		for i := -2; i <= 2; i++ {
			for j := -2; j <= 2; j++ {
				dx, dy := (x-float64(i))/sd, (y-float64(j))/sd
				sum += float64(i+3) * math.Exp(-0.5*(dx*dx+dy*dy))
			}
		}
		return sum / total / (2 * math.Pi * sd * sd)
	}
}

// densityMaps are two rows of four, one place empty.
func densityMaps() DensityMaps {
	x, y, exact := modes(20000)
	view := [2][2]float64{{-2.8, 2.8}, {-2.8, 2.8}}
	row := []DensityMap{
		{Title: "exact", Value: exact, Inside: flower},
		{Title: "draws", Value: DrawsDensity(x, y, flower, view), Inside: flower},
		{Title: "draws that leave", Value: DrawsDensity(x, y, nil, view), Inside: flower, Beyond: true},
		{Title: "no domain", Value: exact},
	}
	return DensityMaps{
		Axes: [2]Axis{{"x", ""}, {"y", ""}}, View: view, RowNames: []string{"all", "less one"},
		Rows: [][]DensityMap{row, {row[0], {}, row[2], row[3]}}, Max: 0.6, Caption: "20,000 draws",
	}
}

func studyGallery(keep func(string) func(*Figure, error)) {
	keep("densities.png")(Densities(densityMaps()))
	one := densityMaps()
	one.Rows, one.RowNames, one.Max = [][]DensityMap{{one.Rows[0][0]}}, nil, 0
	keep("density.svg")(Densities(one))
	keep("curves.png")(Curves(divergences()))
	keep("curves.svg")(Curves(divergences()))
	keep("relaxation.png")(Curves(relaxation()))
}

// Of 50,000 draws the density at a mode is that of the law, smoothed by a kernel
// of 0.05: 9 % less. The mean of five has a standard error of 1.5 %. 17 % kills
// three fifths of Scott's rule (a quarter) and a density that is not normalised.
func TestDrawsDensityOfModes(t *testing.T) {
	x, y, exact := modes(50000)
	f := DrawsDensity(x, y, nil, [2][2]float64{{-3, 3}, {-3, 3}})
	for i := -2; i <= 2; i++ {
		got, want := 0.0, 0.0
		for j := -2; j <= 2; j++ {
			got, want = got+f(float64(i), float64(j)), want+exact(float64(i), float64(j))
		}
		if ratio := got / want; math.Abs(ratio-1) > 0.17 {
			t.Errorf("modes at x = %d: %.3f of the density", i, ratio)
		}
	}
}

// The density of draws in a triangle, more of them to the right, adds up to 1
// and is level along its walls as within. 1 % kills a sum over the square of the
// view (+8 %) and one that takes cells cut by a wall for whole (+3 %); 15 % a
// density that fades at walls by half.
func TestDrawsDensityAtWalls(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	in := func(x, y float64) bool { return x >= 0 && y >= 0 && x+y <= 1 }
	var x, y []float64
	for len(x) < 40000 {
		a, b := r.Float64(), r.Float64()
		if in(a, b) && r.Float64() < 0.5+a/2 {
			x, y = append(x, a), append(y, b)
		}
	}
	x, y = append(x, 0.9, math.NaN(), 0.1), append(y, 0.9, 0.1, math.Inf(1)) // left out
	f := DrawsDensity(x, y, in, [2][2]float64{{0, 1}, {0, 1}})
	sum, wall, within := 0.0, 0.0, 0.0
	const n = 500
	for i := range n {
		for j := range n {
			sum += f((float64(i)+0.5)/n, (float64(j)+0.5)/n) / (n * n)
		}
	}
	if math.Abs(sum-1) > 0.01 {
		t.Errorf("adds up to %g", sum)
	}
	for k := range 100 {
		a := 0.2 + 0.5*float64(k)/100
		wall, within = wall+f(a, 0.002), within+f(a, 0.15)
	}
	if math.Abs(wall/within-1) > 0.15 {
		t.Errorf("the density at a wall is %.2f of that within", wall/within)
	}
	if f(0.6, 0.6) != 0 || f(-0.1, 0.5) != 0 || f(math.NaN(), 0) != 0 {
		t.Error("there is density outside")
	}
	if g := DrawsDensity(nil, nil, in, [2][2]float64{{0, 1}, {0, 1}}); g(0.2, 0.2) != 0 {
		t.Error("there is density without draws")
	}
}

// A cell is shared where the wall cuts it, and only there: as by 16 samples each.
func TestShares(t *testing.T) {
	l := lattice{60, 50, -3, 3, -3, 3}
	for k, got := range l.shares(flower) {
		if want := l.share(l.knot(k%60, k/60), flower); got != want {
			t.Fatalf("knot %d: %g, want %g", k, got, want)
		}
	}
}

// Every point of a loop lies within the tolerance of what is left of it.
func TestSimplify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var loop []point
		coordinate := rapid.Float64Range(-1, 1)
		for range rapid.IntRange(8, 60).Draw(t, "points") {
			loop = append(loop, point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")})
		}
		tolerance := rapid.Float64Range(0, 1).Draw(t, "tolerance")
		left := simplify(loop, tolerance)
		for _, p := range loop {
			nearest := math.Inf(1)
			for i, a := range left {
				nearest = math.Min(nearest, distance(p, a, left[(i+1)%len(left)]))
			}
			if nearest > tolerance+1e-12 {
				t.Fatalf("%v is %g from the loop, more than %g", p, nearest, tolerance)
			}
		}
	})
	var ring []point
	for k := range 1000 {
		a := 2 * math.Pi * float64(k) / 1000
		ring = append(ring, point{math.Cos(a), math.Sin(a)})
	}
	if n := len(simplify(ring, 1e-3)); n > 128 {
		t.Errorf("%d points are left of a ring, want at most 128", n)
	}
}

// Colours grow lighter all the way, for print and for the colour-blind; rows are
// from below, pictures from above.
func TestHeat(t *testing.T) {
	last := -1.0
	for _, c := range heatColours() {
		r, g, b, _ := c.RGBA()
		if light := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b); light <= last {
			t.Fatal("colours do not grow lighter")
		} else {
			last = light
		}
	}
	img := heat([]float64{0, 1, 2, 9}, 2, 2, 4)
	for k, want := range []uint8{64, 127, 0, 32} { // the upper row first
		if got := img.Pix[k]; got != want {
			t.Errorf("pixel %d has colour %d, want %d", k, got, want)
		}
	}
}

func TestDensitiesRefuse(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(*DensityMaps)
		want  string
	}{
		"nothing":  {func(q *DensityMaps) { q.Rows = [][]DensityMap{{{}}} }, "none is given"},
		"too many": {func(q *DensityMaps) { q.Rows[0] = append(q.Rows[0], make([]DensityMap, 8)...) }, "at most 8"},
		"names":    {func(q *DensityMaps) { q.RowNames = []string{"one"} }, "1 names for 2 rows"},
		"NaN":      {func(q *DensityMaps) { q.Rows[1][0].Value = func(x, y float64) float64 { return math.NaN() } }, `"exact" is NaN at`},
		"negative": {func(q *DensityMaps) { q.Rows[1][0].Value = func(x, y float64) float64 { return -1 } }, "at least 0"},
		"all zero": {func(q *DensityMaps) {
			q.Rows, q.Max = [][]DensityMap{{{Value: func(x, y float64) float64 { return 0 }}}}, 0
		}, "nothing to see"},
		"no view":   {func(q *DensityMaps) { q.View = [2][2]float64{} }, "view of x"},
		"NaN view":  {func(q *DensityMaps) { q.View[1][0] = math.NaN() }, "view of y"},
		"NaN scale": {func(q *DensityMaps) { q.Max = math.NaN() }, "scale cannot end"},
	} {
		row := []DensityMap{{Title: "exact", Value: func(x, y float64) float64 { return 1 }}}
		q := DensityMaps{Axes: [2]Axis{{"x", ""}, {"y", ""}}, View: [2][2]float64{{-1, 1}, {-1, 1}}, Rows: [][]DensityMap{row, row}}
		c.spoil(&q)
		if _, err := Densities(q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

func BenchmarkDrawsDensity(b *testing.B) {
	x, y, _ := modes(50000)
	for b.Loop() {
		DrawsDensity(x, y, flower, [2][2]float64{{-2.8, 2.8}, {-2.8, 2.8}})
	}
}
