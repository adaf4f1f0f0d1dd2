package mixing

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// accelerationSection is of what swaps gain.
func (r *Results) accelerationSection() (study.Section, error) {
	t := study.Table{Title: "Gain by swaps", Columns: []string{"process", "τ₂", "diameter", "states", "λ₁, r = 0", "of the hot rung", "λ₁, ever more swaps", "ratio", "E_S(f)/E(f) − 1", "enough r"},
		Caption: "E_S(f)/E(f) − 1 at r = 1 of the slowest mode f without swaps; λ₁(r) is at most λ₁(0)·(1 + r times that). Enough: the least r whose gap is 95 % of what ever more swaps reach."}
	for _, group := range [][]Sweep{r.Acceleration.Intensity, r.Acceleration.Hot, r.Acceleration.Diameter} {
		for i := range group {
			s := &group[i]
			t.Rows = append(t.Rows, []string{s.Name, fmt.Sprint(s.Tau[1]), show(s.Diameter), fmt.Sprint(s.States), show(s.alone()), show(s.Rungs[1]), show(s.Limit), fmt.Sprintf("%.3g", s.gain()), fmt.Sprintf("%.3g", s.Form), fmt.Sprintf("%.3g", s.Enough)})
		}
	}
	steps := study.Table{Title: "Swaps after iterations and at random times", Columns: []string{"process", "η", "rate, every iteration", "λ₁, r = 1/η", "rate, one in ten", "λ₁, r = 0.1/η"},
		Caption: "Rate: −log|λ|/η of the second largest eigenvalue of an iteration, a reflected step of each rung and an attempt to swap with probability 1 or a tenth. It holds the error of the step as well."}
	for _, s := range r.Acceleration.Steps {
		for i := range s.Step {
			steps.Rows = append(steps.Rows, []string{s.Name, show(s.Step[i]), show(s.Rate[i]), show(s.Gap[i]), show(s.Seldom[i]), show(s.GapSeldom[i])})
		}
	}
	return draw(study.Section{Title: "Acceleration", Tables: []study.Table{t, steps},
		Text: `Two rungs, temperatures 1 and τ₂. With ever more swaps (x₁, x₂) and (x₂, x₁) become one state, and the gap tends to that of a process on unordered pairs, computed as such. The time is that of the diffusion, and the same for both rungs.

The plane × plane product has the square of the cells of the flower for states; its grid is coarse, which the table tells by the number of states.`},
		r.intensityPicture, r.hotPicture, r.sizePicture, r.iterationPicture)
}

// intensityPicture is the gap against the intensity.
func (r *Results) intensityPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "intensity r"}, Y: figure.Axis{Name: "gap"}, LogX: true, LogY: true}
	for i := range r.Acceleration.Intensity {
		s := &r.Acceleration.Intensity[i]
		ends := []float64{s.Intensity[0], s.Intensity[len(s.Intensity)-1]}
		var slow figure.Line
		slow.Name, slow.Method, slow.Dashed = "λ₁(0)(1 + r·form of the slowest mode)", "r-sgld", true
		for _, x := range s.Intensity {
			if y := s.alone() * (1 + x*s.Form); y < 2*s.Limit {
				slow.X, slow.Y = append(slow.X, x), append(slow.Y, y)
			}
		}
		panel := figure.LinePanel{Title: s.Name, Lines: []figure.Line{
			{Name: "gap", Method: "r2sgld", X: s.Intensity, Y: s.Gap},
			{Name: "ever more swaps", Method: "truth", X: ends, Y: []float64{s.Limit, s.Limit}, Dashed: true},
			{Name: "no swaps", X: ends, Y: []float64{s.alone(), s.alone()}, Dashed: true}}}
		if len(slow.X) > 1 {
			panel.Lines = append(panel.Lines, slow)
		}
		q.Panels = append(q.Panels, panel)
	}
	return picture("theory-intensity", "The gap of two rungs at temperatures 1 and 10 against the intensity of swaps: at first it grows in proportion, then the swaps are no longer what is slow and nothing more is gained.", q)
}

// groups parts sweeps by name, in order.
func groups(all []Sweep) (names []string, parts map[string][]*Sweep) {
	parts = map[string][]*Sweep{}
	for i := range all {
		if parts[all[i].Name] == nil {
			names = append(names, all[i].Name)
		}
		parts[all[i].Name] = append(parts[all[i].Name], &all[i])
	}
	return names, parts
}

// sweepPicture draws three numbers of sweeps against one.
func sweepPicture(name, caption string, x figure.Axis, all []Sweep, at func(*Sweep) float64) (study.Picture, error) {
	q := figure.Lines{X: x, Y: figure.Axis{Name: "gap"}, LogX: true, LogY: true, Columns: 2}
	names, parts := groups(all)
	gaps := make([]figure.LinePanel, len(names))
	enough := figure.LinePanel{Title: "intensity that is enough", Y: figure.Axis{Name: "intensity r"}}
	for k, n := range names {
		alone, limit := figure.Line{Name: "no swaps"}, figure.Line{Name: "ever more swaps", Method: "r2sgld"}
		hot := figure.Line{Name: "hot rung", Method: "truth", Dashed: true}
		need := figure.Line{Name: n, Method: tint(k + 1)}
		for _, s := range parts[n] {
			v := at(s)
			alone.X, alone.Y = append(alone.X, v), append(alone.Y, s.alone())
			limit.X, limit.Y = append(limit.X, v), append(limit.Y, s.Limit)
			hot.X, hot.Y = append(hot.X, v), append(hot.Y, s.Rungs[1])
			if s.Enough > 0 {
				need.X, need.Y = append(need.X, v), append(need.Y, s.Enough)
			}
		}
		gaps[k] = figure.LinePanel{Title: n, Lines: []figure.Line{limit, alone, hot}}
		if len(need.X) > 0 {
			enough.Lines = append(enough.Lines, need)
		}
	}
	q.Panels = gaps
	if len(enough.Lines) > 0 {
		q.Panels = append(q.Panels, enough)
	}
	return picture(name, caption, q)
}

func (r *Results) hotPicture() (study.Picture, error) {
	return sweepPicture("theory-hot", "Gap against the temperature of the second rung. A hotter one gains more the more often it swaps, until swaps, which get rarer, decide; the more swaps are needed.",
		figure.Axis{Name: "τ₂"}, r.Acceleration.Hot, func(s *Sweep) float64 { return s.Tau[1] })
}

func (r *Results) sizePicture() (study.Picture, error) {
	return sweepPicture("theory-size", "Gap against the diameter, temperatures 1 and 10. In a domain without a barrier there is little to gain.",
		figure.Axis{Name: "diameter"}, r.Acceleration.Diameter, func(s *Sweep) float64 { return s.Diameter })
}

// iterationPicture compares with the discrete algorithm.
func (r *Results) iterationPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "step size η"}, Y: figure.Axis{Name: "rate"}, LogX: true, LogY: true}
	for _, s := range r.Acceleration.Steps {
		q.Panels = append(q.Panels, figure.LinePanel{Title: s.Name, Lines: []figure.Line{
			{Name: "attempt in every iteration", Method: "r2sgld", X: s.Step, Y: s.Rate},
			{Name: "diffusion, r = 1/η", Method: "r2sgld", X: s.Step, Y: s.Gap, Dashed: true},
			{Name: "one in ten", Method: "r-sgld", X: s.Step, Y: s.Seldom},
			{Name: "diffusion, r = 0.1/η", Method: "r-sgld", X: s.Step, Y: s.GapSeldom, Dashed: true}}})
	}
	return picture("theory-iterations", "Rates of the algorithm, which tries a swap after an iteration, and of the diffusion that swaps as often at random times. They agree as the step falls.", q)
}

// diameterSection is of the size and the shape of the domain.
func (r *Results) diameterSection() (study.Section, error) {
	t := study.Table{Title: "Gap against diameter", Columns: []string{"domain and law", "diameters", "gap", "gap·diameter²/(τπ²)", "slope", "between neighbours"},
		Caption: "Slope of log gap over log diameter, all sizes, with its 95 % interval: the numbers are exact, so that a wide interval means that there is no power. Gaps and products at the smallest and the largest."}
	for _, f := range r.Diameter.Families {
		last := len(f.Gap) - 1
		over := func(i int) float64 { return f.Gap[i] * square(f.Diameter[i]/math.Pi) / f.Tau[0] }
		low, high := f.Local[0], f.Local[0]
		for _, v := range f.Local {
			low, high = math.Min(low, v), math.Max(high, v)
		}
		t.Rows = append(t.Rows, []string{f.Name, fmt.Sprintf("%.3g to %.3g", f.Diameter[0], f.Diameter[last]), fmt.Sprintf("%.4g to %.4g", f.Gap[0], f.Gap[last]),
			fmt.Sprintf("%.4g to %.4g", over(0), over(last)), f.Fit.String(), signed(low, 2) + " to " + signed(high, 2)})
	}
	p := study.Table{Title: "Convex polygons", Columns: []string{"law", "least gap·diameter²/π²", "largest", "polygons below 1"},
		Caption: fmt.Sprintf("%d hulls of random points, temperature 1.", len(r.Diameter.Polygons))}
	for _, law := range []struct {
		name string
		of   func(Polygon) float64
	}{{"U = 0", func(x Polygon) float64 { return x.Free }}, {"U = |x|²/2", func(x Polygon) float64 { return x.Convex }}, {"25 modes", func(x Polygon) float64 { return x.Modes }}} {
		low, high, below := math.Inf(1), 0.0, 0
		for _, x := range r.Diameter.Polygons {
			v := law.of(x)
			low, high = math.Min(low, v), math.Max(high, v)
			if v < 1 {
				below++
			}
		}
		p.Rows = append(p.Rows, []string{law.name, fmt.Sprintf("%.4g", low), fmt.Sprintf("%.4g", high), fmt.Sprint(below)})
	}
	n := study.Table{Title: "Domains that are not convex", Columns: []string{"domain", "narrowest", "diameter", "least curvature", "gap", "gap·diameter²/π²"},
		Caption: "U = 0, τ = 1. Dumb-bells: two squares of side 1 and a passage of length ½. Waists: r = s(1 + c·sin 2θ), c so that the wall bends outward by 1 at the waist."}
	for _, x := range r.Diameter.Necks {
		n.Rows = append(n.Rows, []string{"dumb-bell", show(x.Width), show(x.Diameter), curvature(x.Kappa), show(x.Gap), fmt.Sprintf("%.3f", x.Over)})
	}
	for _, x := range r.Diameter.Bent {
		n.Rows = append(n.Rows, []string{"waist", show(x.Width), show(x.Diameter), curvature(x.Kappa), show(x.Gap), fmt.Sprintf("%.3f", x.Over)})
	}
	return draw(study.Section{Title: "Diameter", Tables: []study.Table{t, p, n},
		Text: `Domains of one shape at several sizes. Without a potential scaling makes the gap proportional to 1/diameter². The bound of convex domains, τπ²/diameter², is dashed.`},
		r.familyPicture, r.polygonPicture, r.neckPicture)
}

// curvature tells a least curvature.
func curvature(v *float64) string {
	if v == nil {
		return "corners"
	}
	return show(math.Round(*v*1e6) / 1e6)
}

// shapeTint is the colour of a shape.
func shapeTint(shape string) string {
	names := []string{"interval", "disk", "flower", "square", "octagon", "interval, swaps at r = 1", "flower, τ = 10"}
	return tint(max(0, slices.Index(names, shape)))
}

// familyPicture is the gap against the diameter.
func (r *Results) familyPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "gap/τ"}, LogX: true, LogY: true}
	for _, kind := range []struct{ of, title string }{{free, "no potential"}, {convex, "convex potential"}, {lumpy, "25 modes"}} {
		panel := figure.LinePanel{Title: kind.title}
		least, most := math.Inf(1), 0.0
		for _, f := range r.Diameter.Families {
			if f.Kind != kind.of {
				continue
			}
			line := figure.Line{Name: f.Shape, Method: shapeTint(f.Shape), X: f.Diameter}
			for _, v := range f.Gap {
				line.Y = append(line.Y, v/f.Tau[0])
			}
			least, most = math.Min(least, f.Diameter[0]), math.Max(most, f.Diameter[len(f.Diameter)-1])
			panel.Lines = append(panel.Lines, line)
		}
		if len(panel.Lines) == 0 {
			continue
		}
		panel.Lines = append(panel.Lines, figure.Line{Name: "π²/diameter²", Method: "truth", Dashed: true, X: []float64{least, most}, Y: []float64{square(math.Pi / least), square(math.Pi / most)}})
		q.Panels = append(q.Panels, panel)
	}
	return picture("theory-diameter", "Gap over temperature against the diameter. Without a potential the lines have slope −2; a convex potential holds the gap up in large domains; the barriers of the 25 modes bring it down once they are inside.", q)
}

// polygonPicture is the polygons' gaps over the bound.
func (r *Results) polygonPicture() (study.Picture, error) {
	panel := figure.LinePanel{}
	sets := []figure.Points{{Name: "U = 0", Method: "r2sgld"}, {Name: "U = |x|²/2", Method: "r-cycsgld"}, {Name: "25 modes", Method: "r-sgld"}}
	low, high := math.Inf(1), 0.0
	for _, p := range r.Diameter.Polygons {
		for i, v := range []float64{p.Free, p.Convex, p.Modes} {
			sets[i].X, sets[i].Y = append(sets[i].X, p.Diameter), append(sets[i].Y, v)
		}
		low, high = math.Min(low, p.Diameter), math.Max(high, p.Diameter)
	}
	panel.Points = sets
	panel.Lines = []figure.Line{{Name: "bound", Method: "truth", Dashed: true, X: []float64{low, high}, Y: []float64{1, 1}}}
	return picture("theory-polygons", "Gap·diameter²/π² on random convex polygons: never below 1 without a potential or with a convex one; far below with the 25 modes.",
		figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "gap·diameter²/π²"}, LogX: true, LogY: true, Panels: []figure.LinePanel{panel}})
}

// neckPicture is the domains that are not convex.
func (r *Results) neckPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "narrowest / diameter"}, Y: figure.Axis{Name: "gap·diameter²/π²"}, LogX: true, LogY: true}
	panel := figure.LinePanel{}
	for i, all := range [][]Neck{r.Diameter.Necks, r.Diameter.Bent} {
		line := figure.Line{Name: []string{"dumb-bells of one diameter", "waists with curvature −1, growing to the left"}[i], Method: tint(i)}
		for _, x := range all {
			line.X, line.Y = append(line.X, x.Width/x.Diameter), append(line.Y, x.Over)
		}
		panel.Lines = append(panel.Lines, line)
	}
	q.Panels = []figure.LinePanel{panel}
	return picture("theory-necks", "Domains that are not convex: as the passage of a dumb-bell narrows the gap falls to nothing at one diameter. With a bound on the curvature a waist can only be narrow in a large domain.", q)
}
