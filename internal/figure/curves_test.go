package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// divergences falls with the number of draws to a level, for all methods, in
// three panels.
func divergences() Lines {
	r := rand.New(rand.NewPCG(35, 36))
	q := Lines{
		X: Axis{"draws", ""}, Y: Axis{"divergence from the truth", "nats"}, LogX: true, LogY: true, Caption: "mean and 95 % band of 10 runs",
	}
	for p, names := range [][]string{
		{"sgld", "cycsgld", "resgld"}, {"p-sgld", "p-cycsgld", "p-resgld"}, {"r-sgld", "r-cycsgld", "r2sgld"},
		{"projected-sgld", "myula", "mirror-sgld"}, {"r-hmc", "rejection-sgld", "truth"},
	} {
		c := LinePanel{Title: []string{"plain", "penalised", "reflected", "projected", "others"}[p]}
		floor := Line{Name: "independent draws", Method: "iid", Dashed: true}
		for m, name := range names {
			l := Line{Method: name}
			for n := 100.0; n < 2e5; n *= 1.6 {
				v := (60/n + 0.1/float64(m+p*p+1)) * math.Exp(0.06*r.NormFloat64())
				l.X, l.Y = append(l.X, n), append(l.Y, v)
				l.Low, l.High = append(l.Low, 0.8*v-0.01), append(l.High, 1.2*v)
			}
			c.Lines = append(c.Lines, l)
		}
		for n := 100.0; n < 2e5; n *= 2 {
			floor.X, floor.Y = append(floor.X, n), append(floor.Y, 12/n)
		}
		c.Lines = append(c.Lines, floor)
		q.Panels = append(q.Panels, c)
	}
	q.Panels[4].Y = Axis{"of its own", ""}
	return q
}

// relaxation times grow as powers of a diameter.
func relaxation() Lines {
	r := rand.New(rand.NewPCG(37, 38))
	c := LinePanel{}
	for m, name := range []string{"r-sgld", "r2sgld"} {
		power := 2 - float64(m)
		p := Points{Method: name, Trend: &Trend{X: []float64{1, 14}, Y: []float64{0.3, 0.3 * math.Pow(14, power)},
			Text: fmt.Sprintf("slope %.2f ± 0.05", power)}}
		for d := 1.0; d < 12; d *= math.Sqrt2 {
			v := 0.3 * math.Pow(d, power) * math.Exp(0.1*r.NormFloat64())
			p.X, p.Y = append(p.X, d), append(p.Y, v)
			p.Low, p.High = append(p.Low, 0.8*v), append(p.High, 1.25*v)
		}
		c.Points = append(c.Points, p)
	}
	return Lines{X: Axis{"diameter", ""}, Y: Axis{"relaxation time", ""}, LogX: true, LogY: true, Panels: []LinePanel{c},
		Caption: "95 % intervals of 8 runs"}
}

// No two methods look the same, neither in colour nor, of one hue, in style.
func TestMethodsAreToldApart(t *testing.T) {
	seen := map[string]string{}
	for name := range methodLooks() {
		sty, err := methodLine(name)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[fmt.Sprint(sty.Color)]; ok {
			t.Errorf("%s has the colour of %s", name, other)
		}
		seen[fmt.Sprint(sty.Color)] = name
	}
	for _, family := range [][]string{{"sgld", "p-sgld", "r-sgld"}, {"cycsgld", "p-cycsgld", "r-cycsgld"}, {"resgld", "p-resgld", "r2sgld"},
		{"projected-sgld", "myula", "mirror-sgld"}} {
		dashes := map[string]bool{}
		for _, name := range family {
			sty, _ := methodLine(name)
			dashes[fmt.Sprint(sty.Dashes)] = true
		}
		if len(dashes) != 3 {
			t.Errorf("%v: %d styles of line", family, len(dashes))
		}
	}
	for _, pair := range [][2]string{{"sgdm", "r-sgdm"}, {"sghmc", "r-sghmc"}, {"cycsghmc", "r-cycsghmc"}, {"resghmc", "r2sghmc"}} {
		plain, _ := methodLine(pair[0])
		reflected, _ := methodLine(pair[1])
		if plain.Dashes == nil || reflected.Dashes != nil || !methodMark(pair[0]).square || methodMark(pair[1]).square {
			t.Errorf("%v: told apart by colour alone", pair)
		}
	}
	if len(seen) != 26 {
		t.Errorf("%d methods, want 26", len(seen))
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		room   vg.Length
		want   string
	}{
		{0.01, 1000, 300, "0.01 0.1 1 10 100 1,000"},
		{90, 2e5, 300, "100 1,000 10,000 100,000"},
		{1e-7, 1, 120, "1e−7 1e−5 1e−3 1e−1"},
		{0.9, 16, 300, "1 2 5 10"},
		{3, 30, 90, "5 10 20"},
		{1.1, 1.9, 300, "1.2 1.4 1.6 1.8"},
	} {
		var got []string
		for _, k := range logTicks(math.Log10(c.lo), math.Log10(c.hi), c.room, false) {
			if v := math.Pow(10, k.value); v < c.lo*(1-1e-6) || v > c.hi*(1+1e-6) {
				t.Errorf("%g to %g: a mark at %g", c.lo, c.hi, v)
			}
			if k.label != "" {
				got = append(got, k.label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %q, want %q", c.lo, c.hi, s, c.want)
		}
	}
}

// An interval that reaches to 0 leaves a logarithmic axis and does not squeeze
// the rest; panels share ranges unless one has an axis of its own.
func TestRangesOfCurves(t *testing.T) {
	q := divergences()
	y := q.extent(q.shared(), 1)
	if y.min < -6 || y.max > 1 {
		t.Errorf("from 1e%.1f to 1e%.1f", y.min, y.max)
	}
	if len(q.shared()) != 4 {
		t.Errorf("%d panels share an axis, want 4", len(q.shared()))
	}
	q.View[1] = [2]float64{0.01, 10}
	if y := q.extent(q.shared(), 1); y.min != -2 || y.max != 1 {
		t.Errorf("a view from 0.01 to 10 became 1e%g to 1e%g", y.min, y.max)
	}
	single := Lines{LogY: true, Panels: []LinePanel{{Lines: []Line{{X: []float64{1, 2}, Y: []float64{1, 1}}}}}}
	if _, err := Curves(single); err != nil {
		t.Error(err)
	}
}

func TestCurvesRefuse(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(*Lines)
		want  string
	}{
		"no panels":     {func(q *Lines) { q.Panels = nil }, "no panels"},
		"empty panel":   {func(q *Lines) { q.Panels[1] = LinePanel{} }, "panel 2: nothing"},
		"empty line":    {func(q *Lines) { q.Panels[0].Lines[0] = Line{Method: "sgld"} }, "sgld: no values"},
		"lengths":       {func(q *Lines) { q.Panels[0].Lines[0].Y = q.Panels[0].Lines[0].Y[1:] }, "equally long"},
		"band":          {func(q *Lines) { q.Panels[0].Lines[0].Low = nil }, "two ends"},
		"band's length": {func(q *Lines) { q.Panels[0].Lines[0].Low = []float64{1} }, "equally long"},
		"NaN":           {func(q *Lines) { q.Panels[0].Lines[1].Y[2] = math.NaN() }, "cycsgld: value 3 is NaN"},
		"infinite band": {func(q *Lines) { q.Panels[0].Lines[1].High[2] = math.Inf(1) }, "value 3 is +Inf"},
		"log of 0":      {func(q *Lines) { q.Panels[0].Lines[1].Y[2] = 0 }, "not above 0"},
		"method":        {func(q *Lines) { q.Panels[0].Lines[1].Method = "hmc" }, `"hmc" has no colour`},
		"view":          {func(q *Lines) { q.View[0] = [2]float64{0, 1} }, "above 0"},
		"points":        {func(q *Lines) { q.Panels[0].Points = []Points{{X: []float64{1}}} }, "equally long"},
		"trend": {func(q *Lines) {
			q.Panels[0].Points = []Points{{Name: "a", X: []float64{1}, Y: []float64{1}, Trend: &Trend{X: []float64{1}, Y: []float64{math.NaN()}}}}
		}, "a, trend: value 1"},
	} {
		q := divergences()
		c.spoil(&q)
		if _, err := Curves(q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}
