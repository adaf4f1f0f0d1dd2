package dynamical

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// pictures draws the figures, by name.
func (m *inquiry) pictures() (out map[string]study.Picture, err error) {
	name := m.system.name
	err = m.timed("figures", func() error {
		jobs := map[string]func() (*figure.Figure, error){
			name + "-posteriors":     func() (*figure.Figure, error) { return m.posteriorFigure(m.system.variants[0]) },
			name + "-posteriors-all": func() (*figure.Figure, error) { return m.posteriorFigure(m.system.variants[1]) },
			name + "-trajectories":   m.trajectoryFigure,
		}
		if m.system.chaotic {
			jobs[name+"-attractors"] = m.attractorFigure
		}
		out, err = study.Drawn(jobs)
		return err
	})
	return out, err
}

// posteriorFigure shows the densities of the key coefficients, a row for each
// sampler.
func (m *inquiry) posteriorFigure(v *variant) (*figure.Figure, error) {
	r := m.rulers[v]
	q := figure.PosteriorPanels{Columns: len(v.key),
		Caption: fmt.Sprintf("%s free, start box, the first run of each method: %s draws. Each density is drawn with its largest value as 1. "+
			"Where one line lies on the other both methods made the same draws.", v.told, text.Count(iterationsOf(m.Scale)-iterationsOf(m.Scale)/3))}
	for _, s := range study.Samplers() {
		for i, k := range v.key {
			c := v.quantities[k]
			p := figure.PosteriorPanel{Axis: figure.Axis{Name: c.symbol}, Truth: []float64{c.truth}, View: m.view(v, k)}
			if i == 0 {
				p.Title = s.Plain + " and " + s.Reflected
			}
			exact := figure.PosteriorCurve{Name: "exact law", Method: "iid"}
			for n := -50; n <= 50; n++ {
				z := 4.5 * float64(n) / 50
				exact.X, exact.Density = append(exact.X, r.mean[k]+z*r.sd[k]), append(exact.Density, math.Exp(-z*z/2))
			}
			p.Curves = append(p.Curves, exact)
			for _, l := range []string{s.Reflected, s.Plain} {
				o := find(m.all, v, fromBox, l)
				d := density(o.draws[k])
				p.Curves = append(p.Curves, figure.PosteriorCurve{Name: l, Method: methodOf(l), X: d.X, Density: d.F, Mode: o.runs[0].Mode[k],
					Marked: true})
			}
			q.Panels = append(q.Panels, p)
		}
	}
	return figure.Posteriors(q)
}

// view is the range of quantity k over all samplers' first runs.
func (m *inquiry) view(v *variant, k int) [2]float64 {
	r := m.rulers[v]
	lo, hi := r.mean[k]-4*r.sd[k], r.mean[k]+4*r.sd[k]
	for _, l := range six() {
		d := density(find(m.all, v, fromBox, l).draws[k])
		top := 0.0
		for _, f := range d.F {
			top = max(top, f)
		}
		for i, x := range d.X {
			if d.F[i] > 0.01*top {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	return [2]float64{lo - 0.03*(hi-lo), hi + 0.03*(hi-lo)}
}

// paths are the trajectories of the modes of the first runs.
func (m *inquiry) paths(v *variant, labels []string) ([][]float64, error) {
	var out [][]float64
	for _, l := range labels {
		p, err := m.rulers[v].follow(find(m.all, v, fromBox, l).runs[0].Mode[:len(v.parameters)])
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// attractorFigure shows the attractors of the modes.
func (m *inquiry) attractorFigure() (*figure.Figure, error) {
	v := m.system.variants[0]
	r := m.rulers[v]
	labels := []string{"R-SGLD", "R-cycSGLD", "r2SGLD", "SGLD", "cycSGLD", "reSGLD"}
	paths, err := m.paths(v, labels)
	if err != nil {
		return nil, err
	}
	const settle, shown = 2.0, 52.0 // from when it is on the attractor
	space := func(p []float64) (out [][3]float64) {
		for k, t := range r.times {
			if t >= settle && t <= shown && !math.IsNaN(p[3*k]) {
				out = append(out, [3]float64{p[3*k], p[3*k+1], p[3*k+2]})
			}
		}
		return out
	}
	q := figure.AttractorPanels{Axes: [3]figure.Axis{{Name: "x"}, {Name: "y"}, {Name: "z"}}, Turn: 35, Tilt: 12, Columns: 4,
		Panels:  []figure.Attractor{{Title: "truth", Path: space(r.true)}},
		Caption: fmt.Sprintf("Times %g to %g, by the modes of the first run, 3 coefficients free, start box.", settle, shown)}
	for i, l := range labels {
		if i == 3 {
			q.Panels = append(q.Panels, figure.Attractor{})
		}
		s := find(m.all, v, fromBox, l).runs[0]
		q.Panels = append(q.Panels, figure.Attractor{Title: fmt.Sprintf("%s, until t = %.2f", l, s.Parting), Method: methodOf(l),
			Path: space(paths[i])})
	}
	return figure.Attractors(q)
}

// trajectoryFigure shows states against time: for the chaotic system the first
// units of time, for the other the days 100 to 200.
func (m *inquiry) trajectoryFigure() (*figure.Figure, error) {
	v := m.system.variants[0]
	r := m.rulers[v]
	labels := []string{"R-SGLD", "R-cycSGLD", "r2SGLD", "reSGLD"}
	paths, err := m.paths(v, labels)
	if err != nil {
		return nil, err
	}
	from, to, step, shown := 100.0, 200.0, 10, []int{0, 1}
	if m.system.chaotic {
		from, to, step, shown = 0, 12, 2, []int{0}
	}
	n := len(m.system.states)
	q := figure.Lines{X: figure.Axis{Name: "t", Unit: m.system.unit}, Columns: 1,
		Caption: v.told + " free, start box, first run of each method."}
	for _, i := range shown {
		panel := figure.LinePanel{Y: figure.Axis{Name: m.system.axes[i]}}
		add := func(name, method string, path []float64) {
			l := figure.Line{Name: name, Method: method}
			for k := 0; k < len(r.times); k += step {
				if y := path[k*n+i]; r.times[k] >= from && r.times[k] <= to && !math.IsNaN(y) {
					l.X, l.Y = append(l.X, r.times[k]), append(l.Y, y)
				}
			}
			if len(l.X) > 0 {
				panel.Lines = append(panel.Lines, l)
			}
		}
		for j, l := range labels {
			add(l, methodOf(l), paths[j])
		}
		add("truth", "", r.true)
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}
