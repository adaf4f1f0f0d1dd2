package runner

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
)

func means(ps []report.Parameter) (mean, sd []float64) {
	for _, p := range ps {
		mean, sd = append(mean, p.Mean), append(sd, p.SD)
	}
	return mean, sd
}

func (j *Job) equations(ps []report.Parameter) []report.Equation {
	var out []report.Equation
	mean, sd := means(ps)
	for _, e := range j.Model.Print(mean, sd) {
		out = append(out, report.Equation{State: e.State, Text: e.Text, LaTeX: e.LaTeX})
	}
	return out
}

// tension is how much worse than the best fit, in units of U beyond half the number
// of parameters, the best of the draws may be: five standard deviations.
const tension = 12.5

// against says that the constraints exclude what the data say; nothing if they do not.
func (x *execution) against(res *r2sgld.Result) string {
	d, center := x.Problem.Reported(), x.Model.Center
	if d == nil || d.Contains(center) || x.Settings.Temperature[0] != 1 || x.Settings.Boundary == domain.Free {
		return ""
	}
	eval := x.Model.Whole.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, len(center))
	eval.Eval(energy, grad, center)
	outside, best := energy[0], math.Inf(1)
	for _, l := range res.Ladders {
		for from := 0; from < len(l.X[0]); from += len(center) {
			if from/len(center)%16 == 0 {
				eval.Eval(energy, grad, l.X[0][from:from+len(center)])
				best = min(best, energy[0])
			}
		}
	}
	if !(best-outside > tension+float64(len(center))/2) {
		return ""
	}
	return fmt.Sprintf("the constraints contradict the data: the best fit lies outside the domain, and the best draw fits worse by %.0f "+
		"units of U. "+
		"The noise is not widened for that, so intervals are too narrow. Check constraints and equations.", best-outside)
}

// latex is all equations as one block.
func (j *Job) latex(ps []report.Parameter) string {
	mean, sd := means(ps)
	return dynamics.Aligned(j.Model.Print(mean, sd))
}

// coefficients are those of a library, as a table too.
func (j *Job) coefficients(ps []report.Parameter) (terms []report.Term, table string) {
	var estimates []dynamics.Estimate
	for _, p := range ps {
		estimates = append(estimates, dynamics.Estimate{Mean: p.Mean, SD: p.SD, Low: p.Q5, High: p.Q95})
	}
	rows := j.Model.Coefficients(estimates)
	for _, c := range rows {
		terms = append(terms, report.Term{State: c.State, Term: c.Term, Parameter: c.Parameter,
			Mean: c.Mean, SD: c.SD, Q5: c.Low, Q95: c.High, Inclusion: c.Inclusion})
	}
	header, cells := dynamics.CoefficientTable(rows, "5 %", "95 %")
	return terms, text.Grid(append([][]string{header}, cells...), 2, text.StyleOf(j.Out))
}

func (j *Job) fits(ps []report.Parameter) []report.Fit {
	var out []report.Fit
	mean, _ := means(ps)
	for c, r := range j.Model.Responses {
		f := j.Model.Fit(c, mean)
		out = append(out, report.Fit{State: r.State, R2: f.R2, RMSE: f.RMSE})
	}
	return out
}

// typical is the root mean square of relative standard deviations; nil are 1.
func typical(sd []float64) float64 {
	if sd == nil {
		return 1
	}
	sum := 0.0
	for _, v := range sd {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(sd)))
}

// The bands of a fit are made of bandDraws draws, at bandRows rows at most.
const (
	bandDraws = 1000
	bandRows  = 2000
)

// responses returns data and model with a 90 % band, for figures. x is all cold
// draws, n × d.
func (j *Job) responses(x []float64, ps []report.Parameter) []figure.Response {
	var out []figure.Response
	m, d := j.Model, len(ps)
	mean, _ := means(ps)
	n := len(x) / d
	used := min(n, bandDraws)
	for c, r := range m.Responses[:min(len(m.Responses), figure.MostPanels)] {
		rows := len(r.Observed)
		shown := min(rows, bandRows)
		row := make([]int, shown)
		for i := range row {
			row[i] = i * rows / shown
		}
		fitted, fit := make([]float64, shown), m.Likelihood.Fitted(c, row)
		at := make([][]float64, shown) // the model at each row shown, draw by draw
		for i := range used {
			k := i * n / used
			fit(fitted, x[k*d:(k+1)*d])
			for i, v := range fitted {
				at[i] = append(at[i], v)
			}
		}
		unit, _ := m.Likelihood.Datum()
		q := figure.Response{Axis: figure.Axis{Name: r.Label}, Each: unit, Of: rows}
		fit(fitted, mean)
		for i, v := range at {
			band := diag.Quantiles(v, 0.05, 0.95, 0.5)
			if !m.Linear { // the curve of the mean is not the middle of the curves
				fitted[i] = band[2]
			}
			q.Low, q.High = append(q.Low, band[0]), append(q.High, band[1])
			q.Time, q.Observed, q.Fitted = append(q.Time, r.Time[row[i]]), append(q.Observed, r.Observed[row[i]]), append(q.Fitted, fitted[i])
		}
		if m.Noise != nil {
			q.SD = m.Noise[c] * typical(r.SD)
		}
		out = append(out, q)
	}
	return out
}
