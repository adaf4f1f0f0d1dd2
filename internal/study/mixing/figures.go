package mixing

import (
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// sections are the parts of the report.
func (r *Results) sections() ([]study.Section, error) {
	d := &r.Discretisation
	figures := map[string]func() (*figure.Figure, error){}
	for name, q := range map[string]figure.Lines{
		"exact": r.exactLines(), "decay": r.decayLines(), "form": r.ratioLines(), "intensity": r.intensityLines(),
		"hot":        sweepLines("τ₂", r.Acceleration.Hot, func(s *Sweep) float64 { return s.Tau[1] }),
		"size":       sweepLines("diameter", r.Acceleration.Diameter, func(s *Sweep) float64 { return s.Diameter }),
		"iterations": r.iterationLines(), "diameter": r.familyLines(), "polygons": r.polygonLines(), "necks": r.neckLines(),
		"stationary": orderLines(d.Orders, false), "time": orderLines(d.Times, true),
		"gradient-noise": noiseLines(d.Gradient, byGradient), "gradient-step": noiseLines(d.Gradient, byStep),
		"energy-noise": noiseLines(d.Energy, byEnergy), "energy-step": noiseLines(d.Energy, byStep),
	} {
		figures["theory-"+name] = func() (*figure.Figure, error) { return figure.Curves(q) }
	}
	pictures, err := study.Drawn(figures)
	if err != nil {
		return nil, err
	}
	return prose().Sections(r, pictures)
}

// logarithms are curves on logarithmic axes.
func logarithms(x, y string, panels ...figure.LinePanel) figure.Lines {
	return figure.Lines{X: figure.Axis{Name: x}, Y: figure.Axis{Name: y}, LogX: true, LogY: true, Panels: panels}
}

// tint is the colour of the i-th of several curves, by the method that has it.
func tint(i int) string {
	return []string{"r2sgld", "r-sgld", "r-cycsgld", "projected-sgld", "ensemble", "r-sgdm", "sgld", "p-resgld"}[i%8]
}

// positive is a line of the points above a floor.
func positive(l figure.Line, floor float64, x, y []float64) figure.Line {
	for i, v := range y {
		if v > floor {
			l.X, l.Y = append(l.X, x[i]), append(l.Y, v)
		}
	}
	return l
}

// scaled are numbers times a factor.
func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * by
	}
	return out
}

// exactLines are the errors of gaps that are known.
func (r *Results) exactLines() figure.Lines {
	panel := figure.LinePanel{}
	for i, x := range r.Exact {
		cells := make([]float64, len(x.Cells))
		for k, n := range x.Cells {
			cells[k] = float64(n)
		}
		panel.Lines = append(panel.Lines, positive(figure.Line{Name: x.Name, Method: tint(i)}, 0, cells, x.Error))
	}
	return logarithms("cells along the longest side", "relative error of the gap", panel)
}

// decayLines are the distances against time.
func (r *Results) decayLines() figure.Lines {
	q := figure.Lines{X: figure.Axis{Name: "λ₁·time"}, Y: figure.Axis{Name: "distance"}, LogY: true, View: [2][2]float64{{0, 8}, {1e-6, 1e3}},
		Caption: "Dashed: the bound of the theorem on χ², C_P = 1/λ₁."}
	for _, d := range r.Decay {
		panel := figure.LinePanel{Title: d.Name}
		x := scaled(d.Times, d.Gap)
		for i, y := range [][]float64{d.Chi2, d.KL, d.W2, d.TV} {
			panel.Lines = append(panel.Lines, positive(figure.Line{Name: []string{"χ²", "KL", "W2", "total variation"}[i], Method: tint(i)}, 0, x,
				y))
		}
		var bound []float64
		for _, t := range d.Times {
			bound = append(bound, d.Chi2[0]*math.Exp(-d.Promised*(t-d.Times[0])))
		}
		panel.Lines = append(panel.Lines, figure.Line{Name: "bound on χ²", X: x, Y: bound, Dashed: true})
		q.Panels = append(q.Panels, panel)
	}
	return q
}

// ratioLines are the acceleration along the flows.
func (r *Results) ratioLines() figure.Lines {
	panel := figure.LinePanel{}
	for _, d := range r.Decay {
		line := positive(figure.Line{Name: d.Name + ", from " + spread(d.Start), Method: tint(len(panel.Lines))}, 0, scaled(d.Times, d.Gap),
			d.Ratio)
		if len(line.X) > 0 {
			panel.Lines = append(panel.Lines, line)
		}
	}
	return logarithms("λ₁·time", "E_S(h)/E(h) − 1", panel)
}

// intensityLines are the gap against the intensity.
func (r *Results) intensityLines() figure.Lines {
	q := logarithms("intensity r", "gap")
	for i := range r.Acceleration.Intensity {
		s := &r.Acceleration.Intensity[i]
		ends := []float64{s.Intensity[0], s.Intensity[len(s.Intensity)-1]}
		slow := figure.Line{Name: "λ₁(0)(1 + r·form of the slowest mode)", Method: "r-sgld", Dashed: true}
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
	return q
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

// sweepLines are gaps of sweeps, and the intensity that is enough, against a number of them.
func sweepLines(x string, all []Sweep, at func(*Sweep) float64) figure.Lines {
	q := logarithms(x, "gap")
	q.Columns = 2
	names, parts := groups(all)
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
		q.Panels = append(q.Panels, figure.LinePanel{Title: n, Lines: []figure.Line{limit, alone, hot}})
		if len(need.X) > 0 {
			enough.Lines = append(enough.Lines, need)
		}
	}
	if len(enough.Lines) > 0 {
		q.Panels = append(q.Panels, enough)
	}
	return q
}

// iterationLines compare with the discrete algorithm.
func (r *Results) iterationLines() figure.Lines {
	q := logarithms("step size η", "rate")
	for _, s := range r.Acceleration.Steps {
		q.Panels = append(q.Panels, figure.LinePanel{Title: s.Name, Lines: []figure.Line{
			{Name: "attempt in every iteration", Method: "r2sgld", X: s.Step, Y: s.Rate},
			{Name: "diffusion, r = 1/η", Method: "r2sgld", X: s.Step, Y: s.Gap, Dashed: true},
			{Name: "one in ten", Method: "r-sgld", X: s.Step, Y: s.Seldom},
			{Name: "diffusion, r = 0.1/η", Method: "r-sgld", X: s.Step, Y: s.GapSeldom, Dashed: true}}})
	}
	return q
}

// shapeTint is the colour of a shape.
func shapeTint(shape string) string {
	names := []string{"interval", "disk", "flower", "square", "octagon", "interval, swaps at r = 1", "flower, τ = 10"}
	return tint(max(0, slices.Index(names, shape)))
}

// familyLines are the gap against the diameter.
func (r *Results) familyLines() figure.Lines {
	q := logarithms("diameter", "gap/τ")
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
		panel.Lines = append(panel.Lines, figure.Line{Name: "π²/diameter²", Method: "truth", Dashed: true, X: []float64{least, most},
			Y: []float64{square(math.Pi / least), square(math.Pi / most)}})
		q.Panels = append(q.Panels, panel)
	}
	return q
}

// polygonLines are the polygons' gaps over the bound.
func (r *Results) polygonLines() figure.Lines {
	var at []float64
	for _, p := range r.Diameter.Polygons {
		at = append(at, p.Diameter)
	}
	panel := figure.LinePanel{Lines: []figure.Line{{Name: "bound", Method: "truth", Dashed: true, X: []float64{slices.Min(at), slices.Max(at)},
		Y: []float64{1, 1}}}}
	for i, l := range laws(r.Diameter.Polygons) {
		panel.Points = append(panel.Points, figure.Points{Name: l.Name, Method: []string{"r2sgld", "r-cycsgld", "r-sgld"}[i], X: at, Y: l.Over})
	}
	return logarithms("diameter", "gap·diameter²/π²", panel)
}

// neckLines are the domains that are not convex.
func (r *Results) neckLines() figure.Lines {
	panel := figure.LinePanel{}
	for i, all := range [][]Neck{r.Diameter.Necks, r.Diameter.Bent} {
		line := figure.Line{Name: []string{"dumb-bells of one diameter", "waists with curvature −1, growing to the left"}[i], Method: tint(i)}
		for _, x := range all {
			line.X, line.Y = append(line.X, x.Width/x.Diameter), append(line.Y, x.Over)
		}
		panel.Lines = append(panel.Lines, line)
	}
	return logarithms("narrowest / diameter", "gap·diameter²/π²", panel)
}

// line is the order as a curve; nil where it vanishes.
func (o *Order) line(name, method string) []figure.Line {
	l := positive(figure.Line{Name: name, Method: method}, rounding, o.X, o.W1)
	if o.Vanishes || len(l.X) == 0 {
		return nil
	}
	return []figure.Line{l}
}

// ruleTint is the colour of a rule.
func ruleTint(rule string) string {
	return map[string]string{"reflection": "r2sgld", "projection": "projected-sgld", "refusal": "rejection-sgld"}[rule]
}

// orderLines are orders in the step, a law a panel, with the theorem's line.
func orderLines(all []Order, quarter bool) figure.Lines {
	q := logarithms("step size η", "W1")
	q.Columns = 2
	at := map[string]int{}
	for i := range all {
		o := &all[i]
		of, _, two := strings.Cut(o.Name, ", swaps")
		k, ok := at[of]
		if !ok {
			k = len(q.Panels)
			at[of] = k
			q.Panels = append(q.Panels, figure.LinePanel{Title: of})
		}
		label, method := o.Rule, ruleTint(o.Rule)
		if two {
			label, method = "reflection, two rungs", "r-cycsgld"
		}
		q.Panels[k].Lines = append(q.Panels[k].Lines, o.line(label, method)...)
		if last := len(o.X) - 1; quarter && method == "r2sgld" && !o.Vanishes {
			q.Panels[k].Lines = append(q.Panels[k].Lines, figure.Line{Name: "η^¼", Method: "truth", Dashed: true,
				X: []float64{o.X[0], o.X[last]}, Y: []float64{o.W1[last] * math.Pow(o.X[0]/o.X[last], 0.25), o.W1[last]}})
		}
	}
	q.Panels = slices.DeleteFunc(q.Panels, func(p figure.LinePanel) bool { return len(p.Lines) == 0 })
	return q
}

// noiseLines are what noise adds, against its size or against the step.
func noiseLines(all []Order, of string) figure.Lines {
	axis, panel := "standard deviation of the "+of, figure.LinePanel{}
	if of == byStep {
		axis = "step size η"
	}
	for i := range all {
		if o := &all[i]; o.Of == of {
			label := o.Name[:strings.LastIndex(o.Name, ", ")]
			panel.Lines = append(panel.Lines, o.line(label, tint(len(panel.Lines)))...)
		}
	}
	return logarithms(axis, "W1", panel)
}
