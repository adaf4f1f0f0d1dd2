package monotone

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// sections are the parts of the report.
func (r *Results) sections() ([]study.Section, error) {
	pictures, err := study.Drawn(map[string]func() (*figure.Figure, error){"monotone-scores": r.scoreFigure, "monotone-rays": r.rayFigure,
		"monotone-wall": r.wallFigure})
	if err != nil {
		return nil, err
	}
	return prose().Sections(r, pictures)
}

// scoreFigure compares methods.
func (r *Results) scoreFigure() (*figure.Figure, error) {
	q := figure.ScoreTable{Filled: "mean of repetitions", Reference: fmt.Sprintf("%g %%, what intervals say", 100*level)}
	q.Metrics = []figure.Metric{
		{Axis: figure.Axis{Name: "log density"}, Better: 1}, {Axis: figure.Axis{Name: "rmse"}, Better: -1},
		{Axis: figure.Axis{Name: "coverage"}, Reference: &figure.Estimate{Value: level, Low: level, High: level}},
		{Axis: figure.Axis{Name: "weights near the wall"}}}
	for _, m := range r.Methods {
		if m.Name == clipped {
			q.Caption = fmt.Sprintf("Each: told the dose of each chemical. Clipped draws are beyond the panels: log density %s, rmse %s, %.0f %% of the weights at the wall.",
				m.Density.PlusMinus(), m.RMSE.PlusMinus(), 100*m.Wall.Mean)
			continue
		}
		row := figure.ScoreRow{Name: m.Name, Method: colour(m.Name)}
		for i, of := range []study.Interval{m.Density, m.RMSE, m.Covered, m.Near} {
			n := possible([]string{"density", "rmse", "covered", "near"}[i], "", of)
			row.Average = append(row.Average, figure.Estimate{Value: n.Value, Low: n.Low, High: n.High})
		}
		q.Rows = append(q.Rows, row)
	}
	return figure.Scores(q)
}

// rayFigure is the response along rays with the rows on them.
func (r *Results) rayFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "dose of both"}, Y: figure.Axis{Name: "relative growth rate"}, LogX: true,
		Caption: "Rows of the first repetition. Bands: of the response, not of rows."}
	for k, pct := range rays() {
		panel := figure.LinePanel{Title: fmt.Sprintf("%d %% of the first chemical", pct)}
		for _, m := range []string{freeExact, exact} {
			v := r.rays[m][k]
			panel.Lines = append(panel.Lines, figure.Line{Name: m, Method: colour(m), X: rayDoses(), Y: v[0], Low: v[1], High: v[2]})
		}
		learnt, held := figure.Points{Name: "learnt from", Method: "r2sgld"}, figure.Points{Name: "held out", Method: "myula"}
		left := map[row]int{}
		for _, x := range r.first.rows {
			left[x]++
		}
		for _, x := range rows() {
			if x.pct != pct {
				continue
			}
			into := &held
			if left[x] > 0 {
				left[x]--
				into = &learnt
			}
			into.X, into.Y = append(into.X, x.dose), append(into.Y, x.growth)
		}
		for _, p := range []figure.Points{held, learnt} {
			if len(p.X) > 0 {
				panel.Points = append(panel.Points, p)
			}
		}
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}

// wallFigure is the law of weights near the wall.
func (r *Results) wallFigure() (*figure.Figure, error) {
	const floor = 1e-5 // of what no draw shows
	q := figure.Lines{X: figure.Axis{Name: "weight", Unit: "prior sd"}, Y: figure.Axis{Name: "share of weights"}, LogY: true,
		Caption: "Each point is the middle of a bin."}
	panel := figure.LinePanel{Title: "by distance from the wall"}
	for _, m := range []string{clipped, projected, reparametrised, reflected, exact} {
		line := figure.Line{Name: m, Method: colour(m)}
		for i, v := range r.shares[m] {
			line.X, line.Y = append(line.X, near*(float64(i)+0.5)), append(line.Y, max(v, floor))
		}
		panel.Lines = append(panel.Lines, line)
	}
	q.Panels = []figure.LinePanel{panel}
	return figure.Curves(q)
}
