package figure

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// discModes are Bessel-like functions on the flower, on n × n cells.
func flowerModes(n int) ModeMaps {
	q := ModeMaps{Axes: [2]Axis{{"x", ""}, {"y", ""}}, View: [2][2]float64{{-2.8, 2.8}, {-2.8, 2.8}}, Cells: [2]int{n, n}, Inside: flower,
		Quantity: "mode (its sd is 1) over its size", Caption: "invented"}
	fields := []func(x, y float64) float64{
		func(x, y float64) float64 { return math.Sin(0.6 * x) },
		func(x, y float64) float64 { return math.Sin(0.6*y) + 0.1 },
		func(x, y float64) float64 { return 0.3 * x * y },
		func(x, y float64) float64 { return 0.2 * (x*x - y*y) },
		func(x, y float64) float64 { return math.Hypot(x, y) - 1.4 },
	}
	var row []ModeMap
	for i, f := range fields {
		m := ModeMap{Title: "λ" + string('₁'+rune(i)) + " = 0.5"}
		for k := range n * n {
			x, y := -2.8+5.6*(float64(k%n)+0.5)/float64(n), -2.8+5.6*(float64(k/n)+0.5)/float64(n)
			v := f(x, y)
			if !flower(x, y) {
				v = math.NaN()
			}
			m.Value = append(m.Value, v)
		}
		if row = append(row, m); len(row) == 3 {
			q.Rows, row = append(q.Rows, row), nil
		}
	}
	q.Rows = append(q.Rows, row)
	return q
}

// rungModes are two rungs on coarse cells of a rectangle, one mode missing on the hot one.
func rungModes() ModeMaps {
	q := ModeMaps{Axes: [2]Axis{{"x", "m"}, {"p", "m/s"}}, View: [2][2]float64{{0, 3}, {-1, 1}}, Cells: [2]int{24, 16},
		RowNames: []string{"temperature 1", "temperature 10"}}
	for rung := range 2 {
		var row []ModeMap
		for i := range 3 - rung {
			m := ModeMap{Size: 1}
			if rung == 0 {
				m.Title = "λ" + string('₁'+rune(i))
			}
			for k := range 24 * 16 {
				x, y := float64(k%24)/24, float64(k/24)/16
				m.Value = append(m.Value, math.Cos(math.Pi*float64(i+1)*x)*math.Cos(math.Pi*float64(i)*y)/float64(1+2*rung))
			}
			row = append(row, m)
		}
		q.Rows = append(q.Rows, row)
	}
	return q
}

// cosines are modes of a well with walls, on one rung or two.
func cosines(rungs int) ModeCurves {
	q := ModeCurves{Axis: Axis{"x", "µm"}, Bounds: [2]float64{-2, 2}, Caption: "invented"}
	for k := range 300 {
		q.X = append(q.X, -2+4*(float64(k)+0.5)/300)
	}
	for i := range 5 {
		q.Names = append(q.Names, "λ"+string('₁'+rune(i))+" = 0.25")
	}
	for r := range rungs {
		var c ModeColumn
		if rungs > 1 {
			c.Title = []string{"temperature 1", "temperature 10"}[r]
		}
		for _, x := range q.X {
			c.Density = append(c.Density, math.Exp(-math.Pow(x*x-1, 2)*3/float64(1+9*r)))
		}
		for i := range q.Names {
			var m []float64
			for _, x := range q.X {
				v := math.Cos(math.Pi * float64(i+1) * (x + 2) / 4 / (1 + 0.2*x*x))
				if r == 0 && math.Abs(x) > 1.9 {
					v = math.NaN()
				}
				m = append(m, math.Sqrt2*v)
			}
			c.Modes = append(c.Modes, m)
		}
		q.Columns = append(q.Columns, c)
	}
	return q
}

// decays are four distances that fall at a rate, and what is promised of them.
func decays() Decay {
	q := Decay{Time: Axis{"time η·iterations", ""}, Caption: "from x = 0.1; W₂ exact"}
	for i := range 21 {
		q.At = append(q.At, 0.5*float64(i))
	}
	for k, name := range []string{"χ²", "KL", "W₂", "total variation"} {
		d := Distance{Axis: Axis{Name: name}}
		for _, t := range q.At {
			v := math.Exp(-float64(k+1)*t) + 0.01*math.Exp(-0.3*t)
			d.Value, d.Bound = append(d.Value, v), append(d.Bound, 3*math.Exp(-0.3*t))
		}
		q.Distances = append(q.Distances, d)
	}
	return q
}

func gaps() Gaps {
	q := Gaps{Intensity: Axis{"swap intensity r", "1/time"}, Gap: Axis{"gap λ₁", "1/time"}, None: 0.03, Limit: 0.6, Enough: 120, Share: 0.95,
		Caption: "temperatures 1 and 10"}
	for _, r := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000} {
		q.At = append(q.At, r)
		q.Value = append(q.Value, 0.03+0.57*r/(r+6))
	}
	return q
}

func mixingGallery(keep func(string) func(*Figure, error)) {
	keep("modes.png")(ModePanels(flowerModes(120)))
	keep("modes.svg")(ModePanels(flowerModes(30)))
	keep("modes-rungs.png")(ModePanels(rungModes()))
	keep("mode-lines.png")(ModeLines(cosines(1)))
	keep("mode-lines-rungs.png")(ModeLines(cosines(2)))
	keep("decay.png")(DecayCurves(decays()))
	keep("gaps.png")(GapCurve(gaps()))
	keep("gaps.svg")(GapCurve(gaps()))
}

// Zeros of a plane lie on its line, wherever the grid is: to rounding, which kills a line
// through the middles of edges. A cell whose neighbour is not known has none.
func TestZerosOfAPlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-1, 1).Draw(t, "a"), rapid.Float64Range(-1, 1).Draw(t, "b")
		c := rapid.Float64Range(-0.5, 0.5).Draw(t, "c")
		q := ModeMaps{View: [2][2]float64{{-1, 2}, {0, 1}}, Cells: [2]int{7, 5}}
		v, known := make([]float64, 35), make([]bool, 35)
		for k := range v {
			p := q.centre(k%7, k/7)
			v[k], known[k] = a*p.x+b*p.y+c, k != 17
		}
		for _, s := range q.zeros(v, known) {
			for _, p := range s {
				if p.x < q.View[0][0]+3./14 || p.x > q.View[0][1]-3./14 || p.y < 0.1 || p.y > 0.9 {
					continue // in half a cell at the walls, which are mirrors
				}
				if math.Abs(a*p.x+b*p.y+c) > 1e-12 {
					t.Fatalf("%v is no zero", p)
				}
				at := q.centre(3, 2)
				if math.Abs(p.x-at.x) < 0.999*3./7 && math.Abs(p.y-at.y) < 0.999/5. {
					t.Fatalf("%v is beside a cell that is not known", p)
				}
			}
		}
	})
}

// Colours part at zero, as light on either side, and end where all but 0.5 % of the
// weight is.
func TestPartingColours(t *testing.T) {
	colours := partingColours()
	if len(colours) != shadesOfHeat-1 || parting(0) != 63 || parting(-1) != 0 || parting(1) != 126 || parting(9) != 126 || parting(-9) != 0 {
		t.Errorf("%d colours, zero is %d, ends are %d and %d", len(colours), parting(0), parting(-1), parting(1))
	}
	light := func(k uint8) float64 {
		r, g, b, _ := colours[k].RGBA()
		return (0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)) / 0xffff
	}
	for k := uint8(0); k < 63; k++ {
		if light(k) >= light(k+1) || light(126-k) >= light(125-k) {
			t.Fatalf("shade %d is not darker than the next towards zero", k)
		}
	}
	v, weight := []float64{math.NaN(), -50, 2, -3, 1}, []float64{1, 0.001, 0.4, 0.3, 0.3}
	if size := WeightedSize(v, weight); size != 3 {
		t.Errorf("colours end at %g, want 3", size)
	}
	if size := WeightedSize(v, nil); size != 50 {
		t.Errorf("of equal weights colours end at %g, want 50", size)
	}
}

// What a logarithmic axis cannot show is left out, and what rounding has eaten too.
func TestSeen(t *testing.T) {
	x, y := seen([]float64{0, 1, 2, 3, 4, 5}, []float64{math.Inf(1), 100, math.NaN(), 1e-12, 0, 1e-11})
	if len(x) != 2 || x[0] != 1 || x[1] != 5 || y[1] != 1e-11 {
		t.Errorf("%v %v", x, y)
	}
}

// A strip of one cell across is drawn, neither as thin as it is nor thicker than long.
func TestStrip(t *testing.T) {
	for _, wide := range []bool{true, false} {
		q := ModeMaps{Axes: [2]Axis{{"x", ""}, {"y", ""}}, View: [2][2]float64{{0, 1}, {0, 1e-4}}, Cells: [2]int{9, 1}}
		if !wide {
			q.View[0], q.View[1], q.Cells = q.View[1], q.View[0], [2]int{1, 9}
		}
		q.Rows = [][]ModeMap{{{Value: []float64{-1, -0.5, -0.2, -0.1, 0, 0.1, 0.2, 0.5, 1}}}}
		f, err := ModePanels(q)
		if err != nil {
			t.Fatal(err)
		}
		if c := f.cells[0]; min(c.width, c.height) < cm(0.6) || wide != (c.width > 4*c.height) || wide == (c.height > 4*c.width) {
			t.Errorf("%v by %v", c.width, c.height)
		}
	}
}

func TestMixingRefuses(t *testing.T) {
	maps := func(spoil func(*ModeMaps)) error { q := rungModes(); spoil(&q); _, err := ModePanels(q); return err }
	lines := func(spoil func(*ModeCurves)) error { q := cosines(2); spoil(&q); _, err := ModeLines(q); return err }
	decay := func(spoil func(*Decay)) error { q := decays(); spoil(&q); _, err := DecayCurves(q); return err }
	gap := func(spoil func(*Gaps)) error { q := gaps(); spoil(&q); _, err := GapCurve(q); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{maps(func(q *ModeMaps) { q.Cells[0] = 0 }), "one at least"},
		{maps(func(q *ModeMaps) { q.Rows[0][0].Value = q.Rows[0][0].Value[1:] }), "383 values for 384 cells"},
		{maps(func(q *ModeMaps) { q.Rows = nil }), "none is given"},
		{maps(func(q *ModeMaps) { q.RowNames = q.RowNames[:1] }), "1 names for 2 rows"},
		{maps(func(q *ModeMaps) { q.Weight = []float64{1} }), "1 weights"},
		{maps(func(q *ModeMaps) { q.Rows[0][0].Size = -1 }), "colours cannot end at -1"},
		{maps(func(q *ModeMaps) { q.Rows[0][0].Value[3] = math.Inf(1) }), "value 4 is +Inf"},
		{maps(func(q *ModeMaps) { q.View[1] = [2]float64{} }), "view of p"},
		{maps(func(q *ModeMaps) {
			q.Rows[0] = append(q.Rows[0], q.Rows[0]...)
			q.Rows[0] = append(q.Rows[0], q.Rows[0]...)
		}), "at most 8"},
		{lines(func(q *ModeCurves) { q.Columns = nil }), "nothing to draw"},
		{lines(func(q *ModeCurves) { q.X[3] = q.X[2] }), "grid must rise"},
		{lines(func(q *ModeCurves) { q.Bounds = [2]float64{1, 1} }), "bounds must rise"},
		{lines(func(q *ModeCurves) { q.Names = append(q.Names, q.Names...) }), "choose up to 7"},
		{lines(func(q *ModeCurves) { q.Columns[1].Density = make([]float64, 300) }), "somewhere above"},
		{lines(func(q *ModeCurves) { q.Columns[1].Modes = q.Columns[1].Modes[1:] }), "4 functions for 5 names"},
		{lines(func(q *ModeCurves) { q.Columns[1].Modes[0][5] = math.Inf(-1) }), "-Inf"},
		{lines(func(q *ModeCurves) { q.Columns[1].Density[5] = math.NaN() }), "NaN"},
		{decay(func(q *Decay) { q.Distances = nil }), "nothing to see"},
		{decay(func(q *Decay) { q.At = q.At[1:] }), "21 values beside 20"},
		{decay(func(q *Decay) { q.Distances[0].Bound = nil; q.Distances[1].Bound = q.Distances[1].Bound[2:] }), "19 values beside 21"},
		{gap(func(q *Gaps) { q.At, q.Value = nil, nil }), "no intensity"},
		{gap(func(q *Gaps) { q.At[3] = 0.1 }), "intensities must rise"},
		{gap(func(q *Gaps) { q.At[0] = 0 }), "logarithmic axis"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}
