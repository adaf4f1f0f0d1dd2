package config

import (
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// samplerSwap reads how rungs trade, and whether that makes sense.
func (l *loader) samplerSwap(n *yamlpos.Node) {
	l.swapKeys(n)
	l.swapFaults(n, l.sampler.Swap.settings())
}

// swapFaults reports settings of swaps that contradict each other.
func (l *loader) swapFaults(n *yamlpos.Node, e exchange.Settings) {
	if n == nil || len(l.Problems) > 0 {
		return
	}
	if err := e.Validate(); err != nil {
		l.Report(n, "%v", err)
	}
}

// swapKeys reads the keys of swaps.
func (l *loader) swapKeys(n *yamlpos.Node) {
	s := &l.sampler.Swap
	if n != nil && n.Kind != yamlpos.Null && !l.method.exchanges {
		with := "r2sgld"
		if l.method.momentum {
			with = "r2sghmc"
		}
		l.Report(n, "method %s has one rung and swaps nothing: drop swap, or use %s", l.method.name, with)
		return
	}
	if !l.Section(n, "scheme", "rule", "every", "correction", "variance", "energies", "threshold", "target", "gain", "window", "gate", "parity") {
		return
	}
	s.Scheme, _ = l.Word(n.Field("scheme"), "deo", "adj", "ape", "seo", "windowed-deo")
	s.Rule, _ = l.Word(n.Field("rule"), "metropolis", "threshold", "indicator")
	s.Every, _ = l.Int(n.Field("every"), 1, maxIterations)
	s.Correction, _ = l.Positive(n.Field("correction"))
	l.swapVariance(n.Field("variance"))
	s.Energies, _ = l.Word(n.Field("energies"), "batch", "full")
	s.Threshold, _ = l.Positive(n.Field("threshold"))
	s.Target, _ = l.Positive(n.Field("target"))
	s.Gain, _ = l.Positive(n.Field("gain"))
	s.Window, _ = l.Int(n.Field("window"), 1, maxIterations)
	s.Gate, _ = l.Word(n.Field("gate"), "last", "open", "once")
	if k := n.Field("parity"); k != nil {
		if word, ok := l.Word(k, "on", "off", "true", "false"); ok {
			s.Parity = map[string]string{"on": "on", "true": "on", "off": "off", "false": "off"}[word]
		}
	}
}

// swapVariance reads σ̃²: a number, online, or how it is estimated on line.
func (l *loader) swapVariance(n *yamlpos.Node) {
	s := &l.sampler.Swap
	switch {
	case n == nil:
	case n.Kind == yamlpos.Map:
		if l.Section(n, "every", "batches", "smoothing") {
			e := onLine()
			if v, ok := l.Int(n.Field("every"), 1, maxIterations); ok {
				e.Every = v
			}
			if v, ok := l.Int(n.Field("batches"), 2, maxIterations); ok {
				e.Batches = v
			}
			if v, ok := l.Positive(n.Field("smoothing")); ok {
				if e.Smoothing = v; v > 1 {
					l.Report(n.Field("smoothing"), "smoothing must be at most 1; found %s", n.Field("smoothing").Text)
				}
			}
			s.Estimate = e
		}
	case n.Kind == yamlpos.Scalar && n.Text == "online":
		s.Estimate = onLine()
	default:
		s.Variance, _ = l.NotNegative(n)
	}
}

// onLine is how σ̃² is estimated unless that is given.
func onLine() *Estimate { return &Estimate{Every: 100, Batches: 10, Smoothing: 0.1} }
