package multimodal

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// sections are the parts of the report.
func (r *DiameterResults) sections(e effort) ([]study.Section, error) {
	kl, err := r.klFigure()
	if err != nil {
		return nil, err
	}
	first := study.Section{Title: "KL against iteration", Tables: []study.Table{r.klTable(false), r.klTable(true), r.boundaryTable()},
		Pictures: []study.Picture{{Name: "diameter-kl", Figure: kl, Caption: "KL of the draws so far from the exact law, in octagons of four sizes, and that of as many independent draws, which differs between the octagons as well. " + e.runsText()}},
		Text: fmt.Sprintf(`r2SGLD with steps 2e-5 and 2e-4 at temperatures 1 and 10, every iteration a draw, from the origin, in regular octagons of circumradius 1.5 to 3 (the paper calls it diameter; the diameter is twice that). %s

KL is that of cells 0.2 wide with exact masses, counts smoothed by a half. A larger octagon has more cells, so that KL of equally many draws cannot be compared between octagons without the floor, the KL of independent draws. W1 is the mean of both marginals.`,
			e.runsText())}
	out := []study.Section{first}
	if len(r.Powers) > 0 {
		needed, err := r.neededFigure()
		if err != nil {
			return nil, err
		}
		out = append(out, study.Section{Title: "Iterations to a given KL", Tables: []study.Table{r.neededTable()},
			Text:     "Where mean KL(truth‖draws) falls below a level for good, with jackknife intervals over all runs, and how many independent draws have that KL. Powers of the diameter are fitted to the logarithms.",
			Pictures: []study.Picture{{Name: "diameter-iterations", Figure: needed, Caption: "Iterations of r2SGLD to a KL, and independent draws to the same, against the diameter, with fitted powers."}}})
	}
	times, err := r.relaxationFigure()
	if err != nil {
		return nil, err
	}
	return append(out, study.Section{Title: "Relaxation time", Tables: []study.Table{r.relaxationTable()}, Text: relaxationText(),
		Pictures: []study.Picture{{Name: "diameter-relaxation", Figure: times, Caption: "Relaxation time against the diameter, both axes logarithmic, with fitted powers. The theory's rate falls with the square."}}}), nil
}

// runsText says how many runs each point is of.
func (e effort) runsText() string {
	told := fmt.Sprintf("Up to 10,000 iterations, the length of the paper's runs, every point is of %d runs, as in the paper", e.first.runs)
	if e.more.runs == 0 {
		return told + fmt.Sprintf("; they went on to %s.", text.Count(e.first.length))
	}
	return told + fmt.Sprintf("; past that, to %s, of %d: these %d, which went on, and %d further ones; past that of the %d alone, which went on to %s.",
		text.Count(e.more.length), e.first.runs+e.more.runs, e.first.runs, e.more.runs, e.first.runs, text.Count(e.first.length))
}

func relaxationText() string {
	return `The theory's rate is λ₁: distances fall like exp(-λ₁ t), and the autocorrelation of the slowest statistic does. Its time 1/λ₁ is estimated from the combination of functions of the state that is correlated most with itself a lag later (the variational estimate; functions: x, x r² and sin 2πx, likewise of y; x²-y², xy, r² and their periodic partners; of every rung). Functions of different symmetry never mix, so that each symmetry is looked at by itself and x and y are averaged. The lag is at least half the time found. Errors are those of the jackknife over runs, whose first tenth is left out.

Time is the cold step times iterations. The hot rung of r2SGLD has a step ten times as large, so that its own clock runs ten times as fast.

Without a potential the walk is Brownian motion in the octagon, and 1/λ₁ is that of the Neumann problem, computed by Ritz's method with polynomials of degree 16. All diameters share one step there.`
}

// klTable is KL and W1 by iteration and octagon.
func (r *DiameterResults) klTable(drop bool) study.Table {
	t := study.Table{Title: "KL(truth‖draws), KL(draws‖truth), W1; all draws", Columns: []string{"iterations", "runs"},
		Caption: "Mean and half the width of the 95 % t interval over the runs, by circumradius."}
	if drop {
		t.Title = "The same without the first fifth"
	}
	rows := func(d DiameterDomain) []DiameterScore {
		if drop {
			return d.Dropped
		}
		return d.All
	}
	for _, what := range []string{"KL", "back", "W1"} {
		for _, d := range r.Domains {
			t.Columns = append(t.Columns, fmt.Sprintf("%s, %g", what, d.Circumradius))
		}
	}
	for i, s := range rows(r.Domains[0]) {
		row := []string{text.Count(s.Iterations), fmt.Sprint(s.Runs)}
		for _, of := range []func(DiameterScore) Interval{
			func(s DiameterScore) Interval { return s.KL }, func(s DiameterScore) Interval { return s.Back }, func(s DiameterScore) Interval { return s.W1 }} {
			for _, d := range r.Domains {
				row = append(row, short(of(rows(d)[i])))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// boundaryTable is what happened in each octagon.
func (r *DiameterResults) boundaryTable() study.Table {
	t := study.Table{Title: "Octagons", Columns: []string{"circumradius", "diameter", "cells", "floor at 10,000", "swap rate", "exact", "cold steps reflected", "hot", "given up"},
		Caption: "Floor: KL(truth‖draws) of 10,000 independent draws. Exact: probability of a swap by quadrature, without the error of the step."}
	for _, d := range r.Domains {
		floor := ""
		for _, f := range d.Floor {
			if f.Iterations == paperLength {
				floor = short(f.KL)
			}
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(d.Circumradius), fmt.Sprint(d.Diameter), fmt.Sprint(d.Cells), floor, fmt.Sprintf("%.4f", d.SwapRate), fmt.Sprintf("%.4f", d.Exact),
			fmt.Sprintf("%.3g", d.Reflected[0]), fmt.Sprintf("%.3g", d.Reflected[1]), fmt.Sprint(d.Fallbacks)})
	}
	return t
}

// neededTable is the iterations to each level.
func (r *DiameterResults) neededTable() study.Table {
	t := study.Table{Title: "Iterations to a KL", Columns: []string{"KL"}, Caption: "In brackets 95 % intervals; after the stroke the independent draws with that KL."}
	for _, d := range r.Domains {
		t.Columns = append(t.Columns, fmt.Sprintf("circumradius %g", d.Circumradius))
	}
	t.Columns = append(t.Columns, "power", "power, independent", "power of the ratio")
	for _, p := range r.Powers {
		row := []string{fmt.Sprint(p.KL)}
		for i := range r.Domains {
			n := r.Domains[i].needed(p.KL)
			cell := fmt.Sprintf("%.0f (%.0f to %.0f)", n.Chain.Iterations, n.Chain.Low, n.Chain.High)
			if n.IID != nil {
				cell += fmt.Sprintf(" / %.0f", n.IID.Iterations)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, append(row, p.Chain.String(), p.IID.String(), p.Ratio.String()))
	}
	return t
}

// relaxationTable is the relaxation times.
func (r *DiameterResults) relaxationTable() study.Table {
	t := study.Table{Title: "Relaxation times", Columns: []string{"process", "circumradius", "time", "95 % interval", "at twice the lag", "exact", "iterations", "slowest statistic", "power", "misfit"},
		Caption: "Time in units of the cold step times iterations; the power of the diameter with its 95 % interval, wider where no power fits: misfit is χ² per degree of freedom."}
	for _, x := range r.Relaxations {
		for i, v := range x.Relaxation {
			exact, power, misfit := "", "", ""
			if x.Exact != nil {
				exact = fmt.Sprintf("%.4g", x.Exact[i])
			}
			if i == 0 {
				power, misfit = x.Fit.String(), fmt.Sprintf("%.1f", x.Fit.Misfit)
			}
			t.Rows = append(t.Rows, []string{x.Name, fmt.Sprint(x.Circumradius[i]), fmt.Sprintf("%.4g", v.Time), fmt.Sprintf("[%.4g, %.4g]", v.Low, v.High),
				fmt.Sprintf("%.4g", v.AtTwice), exact, fmt.Sprintf("%.0f", v.Time/x.StepSize), v.Symmetry, power, misfit})
		}
	}
	return t
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
		q.Panels = append(q.Panels, figure.LinePanel{Title: fmt.Sprintf("circumradius %g, %d cells", d.Circumradius, d.Cells), Lines: []figure.Line{chain, floor}})
	}
	return figure.Curves(q)
}

// trendOf draws a power from the smallest octagon to the largest.
func (r *DiameterResults) trendOf(p Power) *figure.Trend {
	a, b := r.Domains[0].Circumradius, r.Domains[len(r.Domains)-1].Circumradius
	return &figure.Trend{X: []float64{2 * a, 2 * b}, Y: []float64{p.at(a), p.at(b)}, Text: fmt.Sprintf("slope %.2f ± %.2f", p.Power, (p.High-p.Low)/2)}
}

// neededFigure is the iterations to each level against the diameter.
func (r *DiameterResults) neededFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "iterations"}, LogX: true, LogY: true, Columns: 2, Caption: "95 % intervals."}
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
	q := figure.Lines{X: figure.Axis{Name: "diameter"}, Y: figure.Axis{Name: "relaxation time"}, LogX: true, LogY: true, Caption: "95 % intervals. Time: cold step times iterations."}
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
