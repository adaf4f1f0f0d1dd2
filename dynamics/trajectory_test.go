package dynamics

import (
	"testing"
)

// lynxTrajectory is the model of Stan's case study.
func lynxTrajectory() *Model {
	m := lotka()
	m.Likelihood = "trajectory"
	m.Noise.Kind = "lognormal"
	m.Priors = []Prior{{"alpha", "normal(1, 0.5)"}, {"beta", "normal(0.05, 0.05)"}, {"gamma", "normal(1, 0.5)"}, {"delta", "normal(0.05, 0.05)"},
		{"H.initial", "lognormal(log(10), 1)"}, {"L.initial", "lognormal(log(10), 1)"}, {"H.noise", "lognormal(-1, 1)"}, {"L.noise", "lognormal(-1, 1)"}}
	return m
}

func BenchmarkTrajectory(b *testing.B) {
	p := must(Build(lynxTrajectory(), lynxHare()))
	e := p.Potential.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, 8)
	b.ReportMetric(p.path.options.RTol*1e6, "rtol/1e-6")
	for b.Loop() {
		e.Eval(energy, grad, p.Center)
	}
}
