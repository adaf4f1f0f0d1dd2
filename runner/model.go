package runner

import (
	"github.com/r2sgld/r2sgld/diag"
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

func (j *Job) fits(ps []report.Parameter) []report.Fit {
	var out []report.Fit
	mean, _ := means(ps)
	for c, r := range j.Model.Responses {
		f := j.Model.Fit(c, mean)
		out = append(out, report.Fit{State: r.State, R2: f.R2, RMSE: f.RMSE})
	}
	return out
}

// bandDraws is the number of draws that the bands of a fit are made of.
const bandDraws = 1000

// responses returns data and model with a 90 % band, for figures. x is all cold
// draws, n × d.
func (j *Job) responses(x []float64, ps []report.Parameter) []figure.Response {
	var out []figure.Response
	m, d := j.Model, len(ps)
	mean, _ := means(ps)
	n := len(x) / d
	used := min(n, bandDraws)
	for c, r := range m.Responses {
		rows := len(m.Time)
		at := make([][]float64, rows) // the model at each row, draw by draw
		fitted := make([]float64, rows)
		for i := range used {
			k := i * n / used
			m.Fitted(fitted, c, x[k*d:(k+1)*d])
			for row, v := range fitted {
				at[row] = append(at[row], v)
			}
		}
		q := figure.Response{Axis: figure.Axis{Name: r.Label}, Time: m.Time, Observed: r.Observed, Fitted: make([]float64, rows)}
		m.Fitted(q.Fitted, c, mean)
		for _, v := range at {
			band := diag.Quantiles(v, 0.05, 0.95)
			q.Low, q.High = append(q.Low, band[0]), append(q.High, band[1])
		}
		if m.Noise != nil {
			q.SD = m.Noise[c]
		}
		out = append(out, q)
	}
	return out
}
