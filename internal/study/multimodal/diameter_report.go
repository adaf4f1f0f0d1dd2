package multimodal

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// sections are the parts of the report.
func (r *DiameterResults) sections(e effort) ([]study.Section, error) {
	name := r.reading.name
	figures := map[string]func() (*figure.Figure, error){name + "-kl": r.klFigure, name + "-relaxation": r.relaxationFigure}
	if len(r.Powers) > 0 {
		figures[name+"-iterations"] = r.neededFigure
	}
	pictures, err := study.Drawn(figures)
	if err != nil {
		return nil, err
	}
	return r.prose(e).Sections(r, pictures)
}

// klFigure is KL against iteration, an octagon a panel.
func (r *DiameterResults) klFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "iterations"}, Y: figure.Axis{Name: "KL(truth‖draws)"}, LogX: true, LogY: true, Columns: 2,
		Caption: "95 % t intervals over runs. Dashed: as many independent draws."}
	for _, d := range r.Domains {
		chain := figure.Line{Name: "r2SGLD", Method: "r2sgld"}
		for _, s := range d.All {
			chain.X, chain.Y = append(chain.X, float64(s.Iterations)), append(chain.Y, s.KL.Mean)
			chain.Low, chain.High = append(chain.Low, s.KL.Mean-s.KL.Half), append(chain.High, s.KL.Mean+s.KL.Half)
		}
		floor := figure.Line{Name: "independent draws", Method: "iid", Dashed: true}
		for _, f := range d.Floor {
			floor.X, floor.Y = append(floor.X, float64(f.Iterations)), append(floor.Y, f.KL.Mean)
		}
		q.Panels = append(q.Panels, figure.LinePanel{Title: fmt.Sprintf("circumradius %g, %d cells", d.Circumradius, d.Cells),
			Lines: []figure.Line{chain, floor}})
	}
	return figure.Curves(q)
}

// trendOf draws a power from the smallest octagon to the largest.
func (r *DiameterResults) trendOf(p Power) *figure.Trend {
	a, b := r.Domains[0].Circumradius, r.Domains[len(r.Domains)-1].Circumradius
	return &figure.Trend{X: []float64{2 * a, 2 * b}, Y: []float64{p.at(a), p.at(b)},
		Text: fmt.Sprintf("slope %.2f ± %.2f", p.Power, (p.High-p.Low)/2)}
}

// neededFigure is the iterations to each level against the diameter.
func (r *DiameterResults) neededFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "iterations"}, LogX: true, LogY: true, Columns: 2,
		Caption: "95 % intervals."}
	for _, p := range r.Powers {
		chain := figure.Points{Name: "r2SGLD", Method: "r2sgld", Trend: r.trendOf(p.Chain)}
		iid := figure.Points{Name: "independent draws", Method: "iid"}
		for i := range r.Domains {
			n := r.Domains[i].needed(p.KL)
			place(&chain, r.Domains[i].Diameter, n.Chain)
			if p.IID != nil {
				place(&iid, r.Domains[i].Diameter, *n.IID)
			}
		}
		panel := figure.LinePanel{Title: fmt.Sprintf("to KL %g", p.KL), Points: []figure.Points{chain}}
		if p.IID != nil {
			iid.Trend = r.trendOf(*p.IID)
			panel.Points = append(panel.Points, iid)
		}
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}

// relaxationFigure is the relaxation time of every process against the diameter.
func (r *DiameterResults) relaxationFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "relaxation time"}, LogX: true, LogY: true,
		Caption: "95 % intervals. Time: cold step times iterations."}
	for _, x := range r.Relaxations {
		name, _, _ := strings.Cut(x.Name, ",")
		p := figure.Points{Name: name, Method: x.Method, Trend: r.trendOf(x.Fit)}
		for i, v := range x.Relaxation {
			p.X, p.Y = append(p.X, 2*x.Circumradius[i]), append(p.Y, v.Time)
			p.Low, p.High = append(p.Low, v.Low), append(p.High, v.High)
		}
		panel := figure.LinePanel{Title: x.Name, Y: q.Y, Points: []figure.Points{p}}
		if x.Exact != nil {
			exact := figure.Line{Name: "1/λ₁ of the octagon", Method: "truth"}
			for i, v := range x.Exact {
				exact.X, exact.Y = append(exact.X, 2*x.Circumradius[i]), append(exact.Y, v)
			}
			panel.Lines = []figure.Line{exact}
		}
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}

// place adds a point.
func place(p *figure.Points, diameter float64, n Passage) {
	p.X, p.Y = append(p.X, diameter), append(p.Y, n.Iterations)
	p.Low, p.High = append(p.Low, n.Low), append(p.High, n.High)
}
