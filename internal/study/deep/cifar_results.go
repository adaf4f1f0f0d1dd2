package deep

import (
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/training"
)

// results are the numbers of the study for other programs.
type results struct {
	Data     string       `json:"data"`
	Train    int          `json:"train"`
	Test     int          `json:"test"`
	Methods  []itemResult `json:"methods"`
	Sweep    []itemResult `json:"sweep"`
	Forecast []ladder     `json:"forecast"`
}

// itemResult is what all repetitions of an item found.
type itemResult struct {
	Network   string                    `json:"network"`
	Method    string                    `json:"method"`
	StepSize  []float64                 `json:"step_size"`
	Epochs    int                       `json:"epochs"`
	Repeats   int                       `json:"repeats"`
	Diverged  int                       `json:"diverged"`
	Failed    int                       `json:"failed"` // diverged, or no better than a guess
	Kept      int                       `json:"models"`
	Reflected float64                   `json:"reflected"` // largest share of coordinates in a step, mean of an epoch
	Average   map[string]study.Interval `json:"average"`
	Single    map[string]study.Interval `json:"single"`
	Swaps     *swapResult               `json:"swaps,omitempty"` // of a method with swaps
}

// swapResult is what became of the swaps of all trainings that did not diverge.
type swapResult struct {
	Printed    bool            `json:"as_printed"` // Algorithm 2; else exact gates
	Pairs      []training.Pair `json:"pairs"`      // sums over trainings
	RoundTrips study.Interval  `json:"round_trips"`
	Threshold  study.Interval  `json:"threshold"` // 𝒞 at the end, in units of mean losses
}

// ladder is what a ladder would do by rule metropolis.
type ladder struct {
	Network     string    `json:"network"`
	Parameters  int       `json:"parameters"`
	Temperature []float64 `json:"temperature"`
	Log         []float64 `json:"log_acceptance"`
	Exact       []float64 `json:"log_acceptance_full"`
	Barrier     float64   `json:"barrier"`
	Rungs       int       `json:"rungs_needed"`
}

func (m *inquiry) results() results {
	r := results{Data: m.source.told, Train: m.source.data.Train.Len(), Test: m.source.data.Test.Len()}
	for _, o := range m.outcomes {
		r.Methods = append(r.Methods, m.resultOf(o))
	}
	for _, o := range m.swept {
		r.Sweep = append(r.Sweep, m.resultOf(o))
	}
	for i, p := range m.plans {
		r.Forecast = append(r.Forecast, ladder{m.subjects[i].kind, p.Parameters, p.Temperature, p.LogAcceptance, p.Exact, p.Barrier, p.Needed})
	}
	return r
}

func (m *inquiry) resultOf(o *outcome) itemResult {
	r := itemResult{Network: o.network.Kind, Method: o.method, StepSize: o.settings.StepSize, Epochs: o.settings.Epochs,
		Repeats:  len(o.runs),
		Diverged: o.broken(), Failed: o.failed(), Reflected: o.reflected(),
		Average: map[string]study.Interval{}, Single: map[string]study.Interval{}}
	if c := o.complete(); len(c) > 0 {
		r.Kept = c[0].Kept
	}
	keys := []string{"accuracy", "nll", "brier", "ece", "nll_scaled", "aurc", "auroc", "fpr95"}
	for k, c := range m.metrics() {
		scale := 1.0
		if k == 0 { // a share, as of train
			scale = 0.01
		}
		r.Average[keys[k]] = study.IntervalOf(o.column(func(r *run) float64 { return scale * c.of(r.Average) }))
		r.Single[keys[k]] = study.IntervalOf(o.column(func(r *run) float64 { return scale * c.of(r.Single) }))
	}
	if o.settings.Rungs() > 1 && len(o.complete()) > 0 {
		r.Swaps = &swapResult{o.settings.Swap.Gate == "once", training.Traded(o.pairs()...), study.IntervalOf(o.column((*run).trips)),
			study.IntervalOf(o.column((*run).level))}
	}
	return r
}
