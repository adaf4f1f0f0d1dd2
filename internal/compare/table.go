package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
)

// A Run is what a comparison needs to know of a model that was run.
type Run struct {
	Name string
	// LogEvidence is the log marginal likelihood, with all constants, and SE its
	// standard error; NaN where not known.
	LogEvidence, SE float64
	NoEvidence      string      // why LogEvidence is not known and what to do; may be empty
	Lost            bool        // whether the run had one that cannot be trusted: nothing is ranked against it
	Predictive      *Predictive // nil if there is none
	Data            Data        // may be zero if Predictive has it
	Hashes          []string    // of which Predictive has one, if it says any; nil is not known
}

// A Model is one line of a table. Numbers that are not known are NaN here and
// null in a file.
type Model struct {
	Name          string  `json:"name"`
	LogEvidence   float64 `json:"log_evidence"`
	LogEvidenceSE float64 `json:"log_evidence_se"`
	// LogBayesFactor is for this model against the one of the highest evidence,
	// ≤ 0, and BayesFactor its exponential.
	LogBayesFactor   float64 `json:"log_bayes_factor"`
	LogBayesFactorSE float64 `json:"log_bayes_factor_se"`
	BayesFactor      float64 `json:"bayes_factor"`
	// Probability is that of the model given the data, all models of known
	// evidence being equally probable before.
	Probability float64 `json:"probability"`
	ELPD        float64 `json:"elpd_loo"`
	ELPDSE      float64 `json:"se_loo"`
	P           float64 `json:"p_loo"`
	// ELPDDifference is ELPD less the highest, ≤ 0, and its standard error that
	// of the sum of the differences datum by datum.
	ELPDDifference   float64 `json:"elpd_difference"`
	ELPDDifferenceSE float64 `json:"se_difference"`
	KMax             float64 `json:"pareto_k_max"`
	WAIC             float64 `json:"elpd_waic"`
	WAICSE           float64 `json:"se_waic"`

	lost bool
}

// A Table compares models of the same data, the best first.
type Table struct {
	RankedBy string   `json:"ranked_by"` // log_evidence, or elpd_loo if no evidence is known
	Models   []Model  `json:"models"`
	Warnings []string `json:"warnings"`
	Data
}

// New compares runs: those of known log evidence first, by it, then the others by
// their expected log predictive density. It refuses runs of different data.
func New(runs []Run) (*Table, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs to compare")
	}
	runs = slices.Clone(runs)
	for i := range runs {
		if err := runs[i].settle(); err != nil {
			return nil, err
		}
		if err := same(runs[0], runs[i]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(descending(a.LogEvidence, b.LogEvidence), descending(a.elpd(), b.elpd()), cmp.Compare(a.Name, b.Name))
	})
	t := &Table{RankedBy: "log_evidence", Warnings: []string{}, Data: runs[0].Data}
	if math.IsNaN(runs[0].LogEvidence) {
		t.RankedBy = "elpd_loo"
	}
	best := slices.MinFunc(runs, func(a, b Run) int { return descending(a.elpd(), b.elpd()) })
	mass := 0.0
	for _, r := range runs {
		m := r.against(runs[0], best)
		if m.BayesFactor > 0 {
			mass += m.BayesFactor
		}
		t.Models = append(t.Models, m)
	}
	if t.RankedBy == "log_evidence" {
		t.Models[0].LogBayesFactorSE = 0
	}
	if slices.ContainsFunc(runs, func(r Run) bool { return r.Lost }) {
		mass = math.NaN() // what a model is worth beside one that may be any
	}
	for i := range t.Models {
		t.Models[i].Probability = t.Models[i].BayesFactor / mass
	}
	t.warn(runs, best)
	return t, nil
}

// descending orders numbers from high to low, NaN last.
func descending(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b) // which has NaN lowest
	}
	return cmp.Compare(b, a)
}

// settle makes a run speak with one voice about its data and what it knows.
func (r *Run) settle() error {
	if math.IsInf(r.LogEvidence, 0) {
		r.LogEvidence = math.NaN()
	}
	p := r.Predictive
	if p == nil {
		return nil
	}
	n, data := len(p.Pointwise.ELPDLOO), p.Data
	every := max(1, p.Every)
	if data.Observed == 0 { // a file of before they were counted
		data.Observed = n
	}
	if r.Data == (Data{}) {
		r.Data = data
	}
	foreign := p.Hash != "" && r.Hashes != nil && !slices.Contains(r.Hashes, p.Hash)
	if foreign || r.Data != data || n == 0 || n != (data.Observed+every-1)/every || len(p.Pointwise.K) != n || len(p.Pointwise.ELPDWAIC) != n {
		return fmt.Errorf("%s: predictive.json does not belong to this run or is damaged: run it again", r.Name)
	}
	return nil
}

// elpd is the expected log predictive density, NaN if there is none.
func (r *Run) elpd() float64 {
	if r.Predictive == nil {
		return math.NaN()
	}
	return r.Predictive.ELPDLOO
}

func (d Data) String() string {
	if d == (Data{}) {
		return "no data"
	}
	return fmt.Sprintf("%s, %d rows, sha256 %.8s…", d.Likelihood, d.Rows, d.SHA256)
}

// same refuses two runs of different data.
func same(a, b Run) error {
	if a.Data == b.Data {
		return nil
	}
	advice := "Run both on one file"
	switch {
	case a.Data == (Data{}) || b.Data == (Data{}):
		advice = "Compare runs of identify with each other, and runs of sample with each other"
	case a.Data.Likelihood != b.Data.Likelihood:
		advice = "Give both models the same likelihood, derivative and states"
	case a.Data.Rows != b.Data.Rows:
		advice = "Run both on the same rows"
	}
	return fmt.Errorf("%s and %s explain different data (%s; %s): evidences and predictive densities of different data cannot be compared. %s",
		a.Name, b.Name, a.Data, b.Data, advice)
}

// against compares r with the run of the highest evidence and with the one that
// predicts best.
func (r *Run) against(evident, predicting Run) Model {
	nan := math.NaN()
	m := Model{Name: r.Name, LogEvidence: r.LogEvidence, LogEvidenceSE: r.SE, lost: r.Lost,
		LogBayesFactor: r.LogEvidence - evident.LogEvidence, LogBayesFactorSE: math.Hypot(r.SE, evident.SE),
		ELPD: nan, ELPDSE: nan, P: nan, ELPDDifference: nan, ELPDDifferenceSE: nan, KMax: nan, WAIC: nan, WAICSE: nan}
	if math.IsNaN(m.LogBayesFactor) {
		m.LogEvidenceSE, m.LogBayesFactorSE = nan, nan
	}
	m.BayesFactor = math.Exp(m.LogBayesFactor)
	p := r.Predictive
	if p == nil {
		return m
	}
	m.ELPD, m.ELPDSE, m.P, m.KMax, m.WAIC, m.WAICSE = p.ELPDLOO, p.SELOO, p.PLOO, p.KMax, p.ELPDWAIC, p.SEWAIC
	if best := predicting.Predictive; best != nil && len(best.Pointwise.ELPDLOO) == len(p.Pointwise.ELPDLOO) {
		gap := slices.Clone([]float64(p.Pointwise.ELPDLOO))
		for i, v := range best.Pointwise.ELPDLOO {
			gap[i] -= v
		}
		m.ELPDDifference, m.ELPDDifferenceSE = diag.SumSE(gap)
		if p.Every > 1 { // of a part of the data
			m.ELPDDifference, m.ELPDDifferenceSE = p.ELPDLOO-best.ELPDLOO, m.ELPDDifferenceSE*math.Sqrt(float64(p.Every))
		}
	}
	return m
}
