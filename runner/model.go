package runner

import (
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/figure"
	"github.com/r2sgld/r2sgld/report"
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
	return terms, report.Grid(append([][]string{header}, cells...), 2)
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
		row := func(i int) int { return i * rows / shown }
		fitted := make([]float64, rows)
		at := make([][]float64, shown) // the model at each row shown, draw by draw
		for i := range used {
			k := i * n / used
			m.Fitted(fitted, c, x[k*d:(k+1)*d])
			for i := range at {
				at[i] = append(at[i], fitted[row(i)])
			}
		}
		q := figure.Response{Axis: figure.Axis{Name: r.Label}}
		m.Fitted(fitted, c, mean)
		for i, v := range at {
			band := diag.Quantiles(v, 0.05, 0.95, 0.5)
			if !m.Linear { // the curve of the mean is not the middle of the curves
				fitted[row(i)] = band[2]
			}
			q.Low, q.High = append(q.Low, band[0]), append(q.High, band[1])
			q.Time, q.Observed, q.Fitted = append(q.Time, r.Time[row(i)]), append(q.Observed, r.Observed[row(i)]), append(q.Fitted, fitted[row(i)])
		}
		if m.Noise != nil {
			q.SD = m.Noise[c] * typical(r.SD)
		}
		out = append(out, q)
	}
	return out
}
