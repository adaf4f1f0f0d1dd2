package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// bellCurve is a normal density of a method.
func bellCurve(method string, mean, sd float64) PosteriorCurve {
	c := PosteriorCurve{Method: method, Mode: mean, Marked: method != "iid"}
	for k := -40; k <= 40; k++ {
		z := float64(k) / 10
		c.X, c.Density = append(c.X, mean+sd*z), append(c.Density, math.Exp(-z*z/2)/sd)
	}
	return c
}

func posteriors() PosteriorPanels {
	var q PosteriorPanels
	for _, pair := range [][2]string{{"sgld", "r-sgld"}, {"resgld", "r2sgld"}} {
		for j, name := range []string{"σ", "ρ", "β"} {
			q.Panels = append(q.Panels, PosteriorPanel{Axis: Axis{Name: name}, Truth: []float64{float64(j)},
				View: [2]float64{float64(j) - 2, float64(j) + 3},
				Curves: []PosteriorCurve{bellCurve("iid", float64(j), 0.5), bellCurve(pair[0], float64(j)+0.4, 0.1),
					bellCurve(pair[1], float64(j)-0.3, 0.3)}})
		}
	}
	q.Columns, q.Caption = 3, "Invented."
	return q
}

// spiral winds up a cylinder.
func spiral(turns float64, method string) Attractor {
	a := Attractor{Title: "method " + method, Method: method}
	for k := range 6001 {
		t := 2 * math.Pi * turns * float64(k) / 6000
		a.Path = append(a.Path, [3]float64{5 * math.Cos(t), 5 * math.Sin(t), 12 * float64(k) / 6000})
	}
	return a
}

func attractors() AttractorPanels {
	return AttractorPanels{Axes: [3]Axis{{Name: "x"}, {Name: "y"}, {Name: "z"}}, Turn: 30, Tilt: 20, Caption: "Invented.",
		Panels: []Attractor{spiral(5, ""), spiral(7, "r2sgld"), spiral(3, "resgld")}}
}

// dynamicalGallery draws the pictures of dynamical systems that are kept.
func dynamicalGallery(keep func(string) func(*Figure, error)) {
	keep("posteriors.png")(Posteriors(posteriors()))
	keep("posteriors.svg")(Posteriors(posteriors()))
	keep("attractors.png")(Attractors(attractors()))
}

func TestPosteriorsRefuse(t *testing.T) {
	for what, change := range map[string]func(*PosteriorPanels){
		"no panels":      func(q *PosteriorPanels) { q.Panels = nil },
		"no densities":   func(q *PosteriorPanels) { q.Panels[1].Curves = nil },
		"no colour":      func(q *PosteriorPanels) { q.Panels[1].Curves[0].Method = "magic" },
		"grid must rise": func(q *PosteriorPanels) { q.Panels[0].Curves[0].X[3] = 9 },
		"at least 0":     func(q *PosteriorPanels) { q.Panels[0].Curves[0].Density[3] = -1 },
		"and a mass":     func(q *PosteriorPanels) { q.Panels[0].Curves[0] = PosteriorCurve{} },
		"is NaN":         func(q *PosteriorPanels) { q.Panels[0].Truth[0] = math.NaN() },
		"must rise":      func(q *PosteriorPanels) { q.Panels[0].View = [2]float64{2, 1} },
		"equally long":   func(q *PosteriorPanels) { q.Panels[0].Curves[0].X = []float64{1} },
		"value 1 is NaN": func(q *PosteriorPanels) { q.Panels[0].Curves[1].Mode = math.NaN() },
	} {
		q := posteriors()
		change(&q)
		if _, err := Posteriors(q); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, change := range map[string]func(*AttractorPanels){
		"no trajectories": func(q *AttractorPanels) { q.Panels = nil },
		"two at least":    func(q *AttractorPanels) { q.Panels[1].Path = q.Panels[1].Path[:1] },
		"no colour":       func(q *AttractorPanels) { q.Panels[1].Method = "magic" },
		"is NaN":          func(q *AttractorPanels) { q.Panels[2].Path[7][1] = math.NaN() },
		"turn and tilt":   func(q *AttractorPanels) { q.Tilt = math.Inf(1) },
	} {
		q := attractors()
		change(&q)
		if _, err := Attractors(q); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The projection keeps lengths in the plane of the paper: seen from above with no
// turn it is the plane of the first two axes, seen level that of first and third.
func TestProjection(t *testing.T) {
	for _, c := range []struct {
		turn, tilt float64
		want       point
	}{{0, 90, point{1, 2}}, {0, 0, point{1, 3}}, {90, 0, point{2, 3}}, {180, 90, point{-1, -2}}} {
		q := AttractorPanels{Turn: c.turn, Tilt: c.tilt}
		if p := q.seen([3]float64{1, 2, 3}); math.Hypot(p.x-c.want.x, p.y-c.want.y) > 1e-12 {
			t.Errorf("turned by %g and tilted by %g: %v, want %v", c.turn, c.tilt, p, c.want)
		}
	}
}

// Long trajectories do not make large files.
func TestAttractorSize(t *testing.T) {
	f, err := Attractors(attractors())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 300_000 {
		t.Errorf("SVG of %d bytes", b.Len())
	}
}
