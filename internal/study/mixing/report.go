package mixing

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// sections are the parts of the report.
func (r *Results) sections() ([]study.Section, error) {
	var out []study.Section
	for _, section := range []func() (study.Section, error){r.exactSection, r.reversibilitySection, r.decaySection,
		r.accelerationSection, r.diameterSection, r.discretisationSection} {
		s, err := section()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// picture is a figure of curves with its caption.
func picture(name, caption string, q figure.Lines) (study.Picture, error) {
	f, err := figure.Curves(q)
	if err != nil {
		return study.Picture{}, fmt.Errorf("picture %s: %w", name, err)
	}
	return study.Picture{Name: name, Caption: caption, Figure: f}, nil
}

// draw draws the pictures of a section.
func draw(s study.Section, pictures ...func() (study.Picture, error)) (study.Section, error) {
	for _, p := range pictures {
		x, err := p()
		if err != nil {
			return s, err
		}
		s.Pictures = append(s.Pictures, x)
	}
	return s, nil
}

// tint is the colour of the i-th of several curves, by the method that has it.
func tint(i int) string {
	return []string{"r2sgld", "r-sgld", "r-cycsgld", "projected-sgld", "ensemble", "r-sgdm", "sgld", "p-resgld"}[i%8]
}

// exactSection is of gaps that are known.
func (r *Results) exactSection() (study.Section, error) {
	t := study.Table{Title: "Gaps", Columns: []string{"process", "exact gap", "", "cells", "gap found", "relative error", "order"},
		Caption: "At the finest grid. Order: slope of the logarithm of the error over that of the cell's side, all grids, with its 95 % interval. Where all derivatives at the walls vanish with the law's density errors of second order cancel."}
	for _, x := range r.Exact {
		last := len(x.Found) - 1
		t.Rows = append(t.Rows, []string{x.Name, x.Formula, fmt.Sprintf("%.8g", x.Gap), fmt.Sprint(x.Cells[last]), fmt.Sprintf("%.8g", x.Found[last]), fmt.Sprintf("%.1e", x.Error[last]), x.Order.String()})
	}
	return draw(study.Section{Title: "Exact values", Tables: []study.Table{t},
		Text: `The generator τΔ − ∇U·∇ with reflecting walls is cut into finite volumes, those at a curved wall by its exact shape; what flows between two cells is symmetric, so that detailed balance holds to rounding. The gap λ₁ is the smallest eigenvalue above 0. Everything that follows rests on these generators, on those of two rungs (the product of two, and swaps), and on transition matrices of steps.`},
		func() (study.Picture, error) {
			q := figure.Lines{X: figure.Axis{Name: "cells along the longest side"}, Y: figure.Axis{Name: "relative error of the gap"}, LogX: true, LogY: true}
			panel := figure.LinePanel{}
			for i, x := range r.Exact {
				line := figure.Line{Name: x.Name, Method: tint(i)}
				for k, n := range x.Cells {
					if x.Error[k] > 0 {
						line.X, line.Y = append(line.X, float64(n)), append(line.Y, x.Error[k])
					}
				}
				panel.Lines = append(panel.Lines, line)
			}
			q.Panels = []figure.LinePanel{panel}
			return picture("theory-exact", "Relative error of gaps that are known in closed form against the number of cells: with twice the cells a quarter is left, or less. The lines of both bowls coincide.", q)
		})
}

// reversibilitySection is of detailed balance.
func (r *Results) reversibilitySection() (study.Section, error) {
	t := study.Table{Title: "Swaps at rate r·min(1, S) and at rate r·S", Columns: []string{"process", "τ₂", "r", "rate", "defect", "drift", "law off by", "cold ⟨U⟩ off by"},
		Caption: "Defect: largest difference of the flows between two states over the larger of them. Drift: how fast the law leaves π, in total variation per unit of time. Law: total variation between π and the law that stays, by a dense solution."}
	for _, x := range r.Reversibility {
		for _, b := range []struct {
			name string
			Balance
		}{{"r·min(1, S)", x.Capped}, {"r·S", x.Printed}} {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("%s, %d cells", x.Name, x.Cells), fmt.Sprint(x.Tau[1]), fmt.Sprint(x.Intensity), b.name,
				fmt.Sprintf("%.2g", b.Defect), fmt.Sprintf("%.2g", b.Drift), fmt.Sprintf("%.2g", b.Law), fmt.Sprintf("%.2g", b.Energy)})
		}
	}
	return study.Section{Title: "Reversibility", Tables: []study.Table{t},
		Text: `Section 2 of the paper swaps at rate r·min(1, S); its generator and its Dirichlet form are printed with r·S. Only the first keeps π: π(x₁,x₂)·S(x₁,x₂) = π(x₂,x₁), so that with r·S every pair of states would give each other the mass of the other.

Energies are those of the grid, S is computed from them and not from the masses. Without swaps the defect is that of rounding.`}, nil
}

// decaySection is of the decay from several starts.
func (r *Results) decaySection() (study.Section, error) {
	rates := study.Table{Title: "Rates of χ²", Columns: []string{"process", "start", "τ", "r", "states", "λ₁", "λ₁ without swaps", "rate of χ² at the end / 2λ₁", "χ² / bound", "η_S", "asked for by C_P = λ₁", "found"},
		Caption: "χ² / bound: the largest ratio of χ² to χ²(s)·exp(−2(t−s)(1+η_S)λ₁), λ₁ without swaps, from any earlier time s. Asked for: 2(1+η_S)/λ₁, the rate of χ² were C_P = λ₁ as printed."}
	bounds := study.Table{Title: "W2 and entropy", Columns: []string{"process", "start", "C_LS", "δ_S", "W2 is", "W2 / printed bound", "W2 / √(τC·KL)e^(−2t(1+δ)/C)", "KL / bound"},
		Caption: "Largest ratios from any earlier time. C_LS is the least C with KL ≤ C·E(√h); exact where the law is uniform or normal, else a lower estimate (≥). KL's bound: KL(0)·exp(−4t(1+δ_S)/C_LS)."}
	for _, d := range r.Decay {
		start := d.from()
		c := show(d.LogSobolev)
		if !d.Known {
			c = "≥ " + c
		}
		rates.Rows = append(rates.Rows, []string{d.Name, start, temperatures(d.Tau), fmt.Sprint(d.Intensity), fmt.Sprint(d.States), show(d.Gap), show(d.Alone), fmt.Sprintf("%.4f", d.Slope/(2*d.Gap)), fmt.Sprintf("%.4f", d.Theorem), show(d.Eta), show(d.Printed), show(d.Slope)})
		bounds.Rows = append(bounds.Rows, []string{d.Name, start, c, show(d.Delta), d.W2Is, fmt.Sprintf("%.3f", d.Transport), fmt.Sprintf("%.3f", d.Scaled), fmt.Sprintf("%.3f", d.Entropy)})
	}
	return draw(study.Section{Title: "Decay", Tables: []study.Table{rates, bounds},
		Text: `Laws start in one cell and follow the semigroup of the generator. On an interval with one rung W2 is exact, from quantile functions; otherwise it is known from above by a negative Sobolev norm.

C_P is the least C with χ² ≤ C·E(h), which is 1/λ₁; lemma 3.4 of the paper calls λ₁ itself C_P. Likewise its lower bound of C_LS is one of 1/C_LS: on an interval of length ℓ without a potential C_LS is 2ℓ²/π². The paper's η_S is the least of E_S(h)/E(h) − 1 along the flow. The paper's E has the temperatures in it.`},
		r.decayPicture, r.ratioPicture)
}

// from tells the start.
func (d *Decay) from() string {
	var out []string
	for _, v := range d.Start {
		out = append(out, show(v))
	}
	return strings.Join(out, ", ")
}

// temperatures tells those of the rungs.
func temperatures(tau []float64) string {
	if len(tau) == 2 {
		return show(tau[0]) + ", " + show(tau[1])
	}
	return show(tau[0])
}

// decayPicture is the distances against time.
func (r *Results) decayPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "λ₁·time"}, Y: figure.Axis{Name: "distance"}, LogY: true, View: [2][2]float64{{0, 8}, {1e-6, 1e3}},
		Caption: "Dashed: the bound of the theorem on χ², C_P = 1/λ₁."}
	for _, d := range r.Decay {
		panel := figure.LinePanel{Title: d.Name}
		var x, bound []float64
		for _, t := range d.Times {
			x = append(x, t*d.Gap)
			bound = append(bound, d.Chi2[0]*math.Exp(-d.Promised*(t-d.Times[0])))
		}
		for i, y := range [][]float64{d.Chi2, d.KL, d.W2, d.TV} {
			line := figure.Line{Name: []string{"χ²", "KL", "W2", "total variation"}[i], Method: tint(i)}
			for k := range y {
				if y[k] > 0 {
					line.X, line.Y = append(line.X, x[k]), append(line.Y, y[k])
				}
			}
			panel.Lines = append(panel.Lines, line)
		}
		panel.Lines = append(panel.Lines, figure.Line{Name: "bound on χ²", X: x, Y: bound, Dashed: true})
		q.Panels = append(q.Panels, panel)
	}
	return picture("theory-decay", "Distances to the invariant law against time in units of 1/λ₁, from a cell, one panel a process. On the logarithmic scale they become straight lines: χ² and KL with slope −2λ₁, W2 and total variation with −λ₁. With swaps the bound, whose rate is that without them, is far above.", q)
}

// ratioPicture is the acceleration along the flows.
func (r *Results) ratioPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "λ₁·time"}, Y: figure.Axis{Name: "E_S(h)/E(h) − 1"}, LogX: true, LogY: true}
	panel := figure.LinePanel{}
	for _, d := range r.Decay {
		line := figure.Line{Name: d.Name + ", from " + d.from(), Method: tint(len(panel.Lines))}
		for i, v := range d.Ratio {
			if v > 0 {
				line.X, line.Y = append(line.X, d.Times[i]*d.Gap), append(line.Y, v)
			}
		}
		if len(line.X) > 0 {
			panel.Lines = append(panel.Lines, line)
		}
	}
	q.Panels = []figure.LinePanel{panel}
	return picture("theory-form", "What swaps add to the Dirichlet form along the flows with swaps. η_S is the least along a line: it is that of the first moments, when the law is still a peak whose form is all gradient.", q)
}
