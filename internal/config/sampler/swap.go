package sampler

import (
	"encoding/json"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// Swap says how rungs trade.
type Swap struct {
	exchange.Settings
	Energies string // full: those that swaps see are over all data
}

// Full reports that swaps see energies over all data.
func (s Swap) Full() bool { return s.Energies == "full" }

// MarshalJSON writes the swap section.
func (s Swap) MarshalJSON() ([]byte, error) {
	var variance any = s.Variance
	if s.Estimate.Every > 0 {
		variance = s.Estimate
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
		Adapt      string  `json:"adapt,omitempty"`
	}{s.Scheme, s.Rule, s.Every, s.Correction, variance, s.Energies, s.Threshold, s.Target, s.Gain, s.Window, s.Gate, s.Parity, s.Adapt})
}

func (s *Swap) Keys() []key.Key {
	return []key.Key{
		key.Word("scheme", &s.Scheme, "deo", "adj", "ape", "seo", "windowed-deo").Tells("`deo`", "which pairs of neighbours try in a sweep"),
		key.Word("rule", &s.Rule, "metropolis", "threshold", "indicator").Tells("`metropolis`", "when a pair trades"),
		key.Whole("every", &s.Every, 1, key.Many).Tells("1", "iterations between sweeps"),
		key.Number("correction", &s.Correction, key.Positive).
			Tells("2", "2 is exact for normal energy noise of the given variance; others are biased if variance > 0"),
		key.Given("variance", "number ≥ 0, `online`, or map", key.AnyOf(key.Object("type", "number", "minimum", 0), key.Object("const", "online"),
			key.Section(s.EstimateKeys())), s.readVariance).
			Tells("0; from `noise.energy`; minibatches: `online`", "σ̃², the variance of the difference of a pair's energies given the states. "+
				"`online`, or `{every: 100, batches: 10, smoothing: 0.1}`: every so many iterations the sample variance over fresh minibatches, "+
				"smoothed"),
		key.Word("energies", &s.Energies, "batch", "full").
			Tells("`batch`", "`full`: swaps see energies over all data, evaluated once more per sweep"),
		key.Number("threshold", &s.Threshold, key.Positive).Also("maximum", 1).In("0 … 1").Tells("3e-4", "of rule threshold"),
		key.Number("target", &s.Target, key.Positive).Also("exclusiveMaximum", 1).In("0 … 1").
			Tells("0.1", "𝕊 of rule indicator, and of the window's length"),
		key.Number("gain", &s.Gain, key.Positive).Tells("min(½, 600/(k^0.8 + 1000))/10 in sweep k", "step of 𝒞, in units of U"),
		key.Whole("window", &s.Window, 1, key.Many).Tells("⌈(log P + log log P)/(−log(1 − 𝕊))⌉ for P rungs",
			"sweeps of a window of windowed-deo; only pairs of the window's parity may swap in it"),
		key.Word("gate", &s.Gate, "last", "open", "once").Tells("`last`", "of windowed-deo: `last`, one attempt at the window's end; "+
			"`open`, one in every sweep; `once`, closed after the first swap (the paper; biased)"),
		key.Given("parity", "`on`, `off`", key.Object("enum", []any{"on", "off", true, false}), s.readParity).Tells("`on`",
			"`off`: all pairs in every window"),
		key.Word("adapt", &s.Adapt, "before", "after").Tells("`before`", "of rule indicator: 𝒞 is adapted by the energies `before` any pair "+
			"trades, or `after`, as Algorithm 2 of the paper has it"),
	}
}

// estimateKeys are those of an estimate of σ̃² on line.
func (s *Swap) EstimateKeys() []key.Key {
	e := &s.Estimate
	return []key.Key{
		key.Whole("every", &e.Every, 1, key.Many).Tells("100", "iterations between estimates"),
		key.Whole("batches", &e.Batches, 2, key.Many).Tells("10", "fresh energies of each replica per estimate"),
		key.Number("smoothing", &e.Smoothing, key.Positive, key.AtMost(1)).Tells("0.1", "the share of the newest in what is smoothed"),
	}
}

// readVariance reads σ̃²: a number, online, or how it is estimated on line.
func (s *Swap) readVariance(l *key.Reader, n *yamlpos.Node) {
	switch {
	case n.Kind == yamlpos.Map:
		s.Estimate = OnLine()
		l.Read(n, s.EstimateKeys())
	case n.Kind == yamlpos.Scalar && n.Text == "online":
		s.Estimate = OnLine()
	default:
		s.Variance, _ = l.Limited(n, key.NotNegative)
	}
}

// readParity reads on or off, which some call true or false.
func (s *Swap) readParity(l *key.Reader, n *yamlpos.Node) {
	if word, ok := l.Word(n, "on", "off", "true", "false"); ok {
		s.Parity = map[string]string{"on": "on", "true": "on", "off": "off", "false": "off"}[word]
	}
}

// OnLine is how σ̃² is estimated unless that is given.
func OnLine() exchange.Estimate { return exchange.Estimate{Every: 100, Batches: 10, Smoothing: 0.1} }

// samplerSwap reads how rungs trade, and whether that makes sense.
func (l *Choice) samplerSwap(n *yamlpos.Node) {
	l.ReadSwap(n)
	l.SwapFaults(n, l.Sampler.Swap.Settings)
}

// ReadSwap reads the keys of swaps.
func (l *Choice) ReadSwap(n *yamlpos.Node) {
	if l.Method.Exchanges() || n == nil || n.Kind == yamlpos.Null {
		l.Read(n, l.Sampler.Swap.Keys())
		return
	}
	with := "r2sgld"
	if l.Traits().Carries {
		with = "r2sghmc"
	}
	l.Report(n, "method %s has one rung and swaps nothing: drop swap, or use %s", l.Method.Name, with)
}

// SwapFaults reports settings of swaps that contradict each other.
func (l *Choice) SwapFaults(n *yamlpos.Node, e exchange.Settings) {
	if n == nil || len(l.Problems) > 0 {
		return
	}
	if err := e.Validate(); err != nil {
		l.Report(n, "%v", err)
	}
}
