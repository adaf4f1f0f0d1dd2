package config

import (
	"encoding/json"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// Swap says how rungs trade.
type Swap struct {
	exchange.Settings
	Energies string // full: those that swaps see are over all data
}

// full reports that swaps see energies over all data.
func (s Swap) full() bool { return s.Energies == "full" }

// Estimate says how σ̃² is estimated on line.
type Estimate struct {
	Every     int     `json:"every"`
	Batches   int     `json:"batches"`
	Smoothing float64 `json:"smoothing"`
}

// MarshalJSON writes the swap section.
func (s Swap) MarshalJSON() ([]byte, error) {
	var variance any = s.Variance
	if s.Estimate.Every > 0 {
		variance = Estimate(s.Estimate)
	}
	return json.Marshal(struct {
		Scheme     string  `json:"scheme"`
		Rule       string  `json:"rule"`
		Every      int     `json:"every"`
		Correction float64 `json:"correction"`
		Variance   any     `json:"variance"`
		Energies   string  `json:"energies,omitempty"`
		Threshold  float64 `json:"threshold,omitempty"`
		Target     float64 `json:"target,omitempty"`
		Gain       float64 `json:"gain,omitempty"`
		Window     int     `json:"window,omitempty"`
		Gate       string  `json:"gate,omitempty"`
		Parity     string  `json:"parity,omitempty"`
	}{s.Scheme, s.Rule, s.Every, s.Correction, variance, s.Energies, s.Threshold, s.Target, s.Gain, s.Window, s.Gate, s.Parity})
}

func (s *Swap) keys() []key {
	return []key{
		word("scheme", &s.Scheme, "deo", "adj", "ape", "seo", "windowed-deo").tells("`deo`", "which pairs of neighbours try in a sweep"),
		word("rule", &s.Rule, "metropolis", "threshold", "indicator").tells("`metropolis`", "when a pair trades"),
		whole("every", &s.Every, 1, maxIterations).tells("1", "iterations between sweeps"),
		number("correction", &s.Correction, positive).
			tells("2", "2 is exact for normal energy noise of the given variance; others are biased if variance > 0"),
		given("variance", "number ≥ 0, `online`, or map", anyOf(object("type", "number", "minimum", 0), object("const", "online"),
			section(s.estimateKeys())), s.readVariance).
			tells("0; from `noise.energy`; minibatches: `online`", "σ̃², the variance of the difference of a pair's energies given the states. "+
				"`online`, or `{every: 100, batches: 10, smoothing: 0.1}`: every so many iterations the sample variance over fresh minibatches, smoothed"),
		word("energies", &s.Energies, "batch", "full").
			tells("`batch`", "`full`: swaps see energies over all data, evaluated once more per sweep"),
		number("threshold", &s.Threshold, positive).also("maximum", 1).in("0 … 1").tells("3e-4", "of rule threshold"),
		number("target", &s.Target, positive).also("exclusiveMaximum", 1).in("0 … 1").
			tells("0.1", "𝕊 of rule indicator, and of the window's length"),
		number("gain", &s.Gain, positive).tells("min(½, 600/(k^0.8 + 1000))/10 in sweep k", "step of 𝒞, in units of U"),
		whole("window", &s.Window, 1, maxIterations).tells("⌈(log P + log log P)/(−log(1 − 𝕊))⌉ for P rungs",
			"sweeps of a window of windowed-deo; only pairs of the window's parity may swap in it"),
		word("gate", &s.Gate, "last", "open", "once").tells("`last`", "of windowed-deo: `last`, one attempt at the window's end; "+
			"`open`, one in every sweep; `once`, closed after the first swap (the paper; biased)"),
		given("parity", "`on`, `off`", object("enum", []any{"on", "off", true, false}), s.readParity).tells("`on`", "`off`: all pairs in every window"),
	}
}

// estimateKeys are those of an estimate of σ̃² on line.
func (s *Swap) estimateKeys() []key {
	e := &s.Estimate
	return []key{
		whole("every", &e.Every, 1, maxIterations).tells("100", "iterations between estimates"),
		whole("batches", &e.Batches, 2, maxIterations).tells("10", "fresh energies of each replica per estimate"),
		number("smoothing", &e.Smoothing, positive, atMost(1)).tells("0.1", "the share of the newest in what is smoothed"),
	}
}

// readVariance reads σ̃²: a number, online, or how it is estimated on line.
func (s *Swap) readVariance(l *loader, n *yamlpos.Node) {
	switch {
	case n.Kind == yamlpos.Map:
		s.Estimate = onLine()
		l.read(n, s.estimateKeys())
	case n.Kind == yamlpos.Scalar && n.Text == "online":
		s.Estimate = onLine()
	default:
		s.Variance, _ = l.NotNegative(n)
	}
}

// readParity reads on or off, which some call true or false.
func (s *Swap) readParity(l *loader, n *yamlpos.Node) {
	if word, ok := l.Word(n, "on", "off", "true", "false"); ok {
		s.Parity = map[string]string{"on": "on", "true": "on", "off": "off", "false": "off"}[word]
	}
}

// onLine is how σ̃² is estimated unless that is given.
func onLine() exchange.Estimate { return exchange.Estimate{Every: 100, Batches: 10, Smoothing: 0.1} }

// samplerSwap reads how rungs trade, and whether that makes sense.
func (l *loader) samplerSwap(n *yamlpos.Node) {
	l.readSwap(n)
	l.swapFaults(n, l.sampler.Swap.Settings)
}

// readSwap reads the keys of swaps.
func (l *loader) readSwap(n *yamlpos.Node) {
	if l.method.exchanges() || n == nil || n.Kind == yamlpos.Null {
		l.read(n, l.sampler.Swap.keys())
		return
	}
	with := "r2sgld"
	if l.traits().Carries {
		with = "r2sghmc"
	}
	l.Report(n, "method %s has one rung and swaps nothing: drop swap, or use %s", l.method.name, with)
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
