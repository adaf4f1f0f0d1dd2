package training

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A Summary is summary.json of a training. What is not known is null there, NaN here.
type Summary struct {
	Schema     int      `json:"schema"`
	Name       string   `json:"name"`
	Method     string   `json:"method"`
	Seed       uint64   `json:"seed"`
	Network    string   `json:"network"`
	Parameters int      `json:"parameters"` // of the network
	Examples   int      `json:"examples"`
	Classes    []string `json:"classes"` // names; null if they have none
	Epochs     int      `json:"epochs"`
	Replicas   int      `json:"replicas"`
	Metrics    Metrics  `json:"metrics"`    // means over the repetitions
	SD         Metrics  `json:"metrics_sd"` // over the repetitions; empty with one
	// Interval is half the width of a 95 % t interval of the mean; empty with one.
	Interval  Metrics      `json:"metrics_interval"`
	Repeats   []Repetition `json:"repeats"`
	Swaps     *Swaps       `json:"swaps"` // of all repetitions; null with one rung
	Images    float64      `json:"images_per_second"`
	PeakBytes int64        `json:"peak_bytes"`
	Warnings  []string     `json:"warnings"`
	Seconds   float64      `json:"seconds"` // of training
	wall      float64      // seconds since this process began it; 0 of a summary that was read
}

// Metrics are the scores of the cold rung's last model and of the average of models.
type Metrics struct {
	Single  *Scores `json:"single"`
	Average *Scores `json:"average"`
}

// Scores say how good predictions of the test set are, in the last epoch. See package
// bnn/score.
type Scores struct {
	Accuracy    float64 `json:"accuracy"`
	NLL         float64 `json:"nll"`
	Brier       float64 `json:"brier"`
	ECE         float64 `json:"ece"`
	ScaledNLL   float64 `json:"nll_scaled"`
	AURC        float64 `json:"aurc"`
	Entropy     float64 `json:"entropy"`
	Outside     float64 `json:"entropy_outside"`
	AUROC       float64 `json:"auroc"`
	FPR95       float64 `json:"fpr95"`
	Temperature float64 `json:"temperature"` // that scales logits best
	RMSE        float64 `json:"rmse"`        // of outputs; of regressions, which have this score alone
}

// UnmarshalJSON reads null, and what is not there, as NaN: not known.
func (s *Scores) UnmarshalJSON(text []byte) error {
	for _, v := range s.fields() {
		*v = math.NaN()
	}
	type plain Scores
	return json.Unmarshal(text, (*plain)(s))
}

// fields are the scores in the order of the struct.
func (s *Scores) fields() []*float64 {
	return []*float64{&s.Accuracy, &s.NLL, &s.Brier, &s.ECE, &s.ScaledNLL, &s.AURC, &s.Entropy, &s.Outside, &s.AUROC, &s.FPR95,
		&s.Temperature, &s.RMSE}
}

// scores are those of what was judged; nil of nothing.
func (x *execution) scores(j *judged) *Scores {
	if j == nil {
		return nil
	}
	v := j.Scores
	s := &Scores{Accuracy: v.Accuracy, NLL: v.NLL, Brier: v.Brier, ECE: v.ECE, ScaledNLL: v.ScaledNLL, AURC: v.AURC,
		Entropy: v.Entropy, Temperature: v.Temperature, Outside: math.NaN(), AUROC: math.NaN(), FPR95: math.NaN(), RMSE: math.NaN()}
	if d := j.Detection; d != nil {
		s.Outside, s.AUROC, s.FPR95 = d.Outside, d.AUROC, d.FPR95
	}
	if x.regresses() {
		s.RMSE, s.NLL = x.rmse(&j.Scores), math.NaN()
	}
	return s
}

// A Repetition is what one of them found.
type Repetition struct {
	Metrics    Metrics `json:"metrics"`
	Models     int     `json:"models"` // averaged
	RoundTrips int64   `json:"round_trips"`
	Images     float64 `json:"images_per_second"`
	Seconds    float64 `json:"seconds"`
}

// Swaps tells of the trades of rungs.
type Swaps struct {
	Scheme     string `json:"scheme"`
	Rule       string `json:"rule"`
	Exact      bool   `json:"exact"`
	RoundTrips int64  `json:"round_trips"`
	Pairs      []Pair `json:"pairs"`
}

// A Pair is two neighbouring rungs.
type Pair struct {
	Rungs    [2]int  `json:"rungs"` // from 1, cold first
	Attempts int64   `json:"attempts"`
	Accepted int64   `json:"accepted"`
	Rate     float64 `json:"rate"`
	Variance float64 `json:"variance"` // of the difference of their energies given the states
}

// summarise gathers what all repetitions found.
func (x *execution) summarise() *Summary {
	s := x.Settings
	sum := &Summary{Schema: 1, Name: x.Name, Method: s.Method, Seed: s.Seed, Network: x.Network.Kind, Parameters: x.engine.Layout().Size(),
		Examples: x.Data.Train.Len(), Classes: x.Data.Train.Names, Epochs: s.Epochs, Replicas: s.Replicas()}
	for _, f := range x.done {
		r := Repetition{Metrics: Metrics{x.scores(f.Single), x.scores(f.Average)}, RoundTrips: f.RoundTrips, Images: f.Rate, Seconds: f.Seconds}
		if n := len(f.Epochs); n > 0 {
			r.Models = f.Epochs[n-1].Kept
		}
		sum.Repeats = append(sum.Repeats, r)
		sum.Seconds += f.Seconds
		sum.Images += f.Rate / float64(len(x.done))
		sum.PeakBytes = max(sum.PeakBytes, f.Usage.Peak)
	}
	sum.Metrics, sum.SD, sum.Interval = over(sum.Repeats)
	sum.Warnings = append(x.warnings(), x.doubts()...)
	sum.wall = time.Since(x.begun).Seconds()
	if s.Rungs() > 1 {
		sum.Swaps = x.swaps()
	}
	return sum
}

// level is that of intervals over the repetitions.
const level = 0.95

// over returns mean, standard deviation and half a 95 % t interval of the scores.
func over(repeats []Repetition) (mean, sd, half Metrics) {
	each := func(of func(Metrics) *Scores) (m, d, h *Scores) {
		var all []*Scores
		for _, r := range repeats {
			if s := of(r.Metrics); s != nil {
				all = append(all, s)
			}
		}
		if len(all) == 0 {
			return nil, nil, nil
		}
		m = new(Scores)
		if len(all) > 1 {
			d, h = new(Scores), new(Scores)
		}
		for i := range m.fields() {
			v := make([]float64, len(all))
			for k, s := range all {
				v[k] = *s.fields()[i]
			}
			interval := significance.TInterval(v, level)
			*m.fields()[i] = interval.Mean
			if len(v) > 1 {
				*d.fields()[i], *h.fields()[i] = stat.StdDev(v, nil), (interval.Hi-interval.Lo)/2
			}
		}
		return m, d, h
	}
	mean.Single, sd.Single, half.Single = each(func(m Metrics) *Scores { return m.Single })
	mean.Average, sd.Average, half.Average = each(func(m Metrics) *Scores { return m.Average })
	return mean, sd, half
}

// swaps adds up the trades of all repetitions.
func (x *execution) swaps() *Swaps {
	s := x.Settings
	w := &Swaps{Scheme: s.Swap.Scheme, Rule: s.Swap.Rule, Exact: len(s.Swap.Bias(s.Rungs(), !s.FullEnergies)) == 0}
	all := make([][]exchange.Pair, len(x.done))
	for i, f := range x.done {
		all[i] = f.Pairs
	}
	w.Pairs = Traded(all...)
	for _, f := range x.done {
		w.RoundTrips += f.RoundTrips
	}
	return w
}

// A record is a line of metrics.jsonl.
type record struct {
	Repeat      int       `json:"repeat"`
	Epoch       int       `json:"epoch"`
	Iteration   int       `json:"iteration"`
	StepSize    []float64 `json:"step_size"`
	Temperature []float64 `json:"temperature"`
	Loss        []float64 `json:"loss"`
	Reflected   []float64 `json:"reflected"`
	Rung        []int     `json:"rung"` // of each replica, from 1
	Swaps       []Pair    `json:"swaps,omitempty"`
	RoundTrips  int64     `json:"round_trips"`
	Threshold   float64   `json:"threshold,omitempty"` // 𝒞 of rule indicator
	Single      *curve    `json:"single"`
	Average     *curve    `json:"average"`
	Models      int       `json:"models"`
	Layers      []layer   `json:"layers,omitempty"`
	Seconds     float64   `json:"seconds"`
	Images      float64   `json:"images_per_second"`
}

// A curve is a point of the curves of one model, or of the average.
type curve struct {
	Accuracy float64 `json:"accuracy"`
	NLL      float64 `json:"nll"`
	Brier    float64 `json:"brier"`
	ECE      float64 `json:"ece"`
	Entropy  float64 `json:"entropy"`
	Outside  float64 `json:"entropy_outside"`
}

// A layer is what was measured of one tensor; see bnn.Layer.
type layer struct {
	Name            string  `json:"name"`
	Size            int     `json:"size"`
	Kinetic         float64 `json:"kinetic"`
	Configurational float64 `json:"configurational"`
	Injected        float64 `json:"injected"`
	Minibatch       float64 `json:"minibatch"`
	Share           float64 `json:"share"`
}

func newRecord(repeat int, e bnn.Epoch) record {
	r := record{Repeat: repeat + 1, Epoch: e.Epoch, Iteration: e.Iteration, StepSize: e.StepSize, Temperature: e.Temperature,
		Loss: e.Loss, Reflected: e.Reflected, Swaps: pairs(e.Pairs), RoundTrips: e.RoundTrips, Threshold: e.Level,
		Single: newCurve(e.Single), Average: newCurve(e.Average), Models: e.Kept, Seconds: e.Seconds, Images: e.Rate}
	for _, k := range e.Rung {
		r.Rung = append(r.Rung, k+1)
	}
	for _, l := range e.Layers {
		r.Layers = append(r.Layers, layer(l))
	}
	return r
}

func newCurve(s *bnn.Scores) *curve {
	if s == nil {
		return nil
	}
	c := &curve{s.Accuracy, s.NLL, s.Brier, s.ECE, s.Entropy, math.NaN()}
	if d := s.Detection; d != nil {
		c.Outside = d.Outside
	}
	return c
}

// Traded tells of the neighbours among the pairs of all repetitions: sums of attempts
// and trades, and mean variances.
func Traded(repeats ...[]exchange.Pair) (out []Pair) {
	for _, all := range repeats {
		for k, p := range pairs(all) {
			if k == len(out) {
				out = append(out, Pair{Rungs: p.Rungs})
			}
			out[k].Attempts += p.Attempts
			out[k].Accepted += p.Accepted
			out[k].Variance += p.Variance / float64(len(repeats))
		}
	}
	for k := range out {
		out[k].Rate = float64(out[k].Accepted) / float64(out[k].Attempts)
	}
	return out
}

// pairs tells of the neighbours among pairs.
func pairs(all []exchange.Pair) (out []Pair) {
	for _, p := range all {
		if p.Hot == p.Cold+1 {
			out = append(out, Pair{[2]int{p.Cold + 1, p.Hot + 1}, p.Attempts, p.Accepted, p.Rate(), p.Variance})
		}
	}
	return out
}

// columns are the scores that the table of a summary has.
func (s *Summary) columns() []column {
	m := judgedOf(s.Metrics)
	if m != nil && !math.IsNaN(m.RMSE) {
		return []column{rmseColumn}
	}
	out := []column{{"accuracy", func(s *Scores) float64 { return s.Accuracy }}, {"NLL", func(s *Scores) float64 { return s.NLL }},
		{"Brier", func(s *Scores) float64 { return s.Brier }}, {"ECE", func(s *Scores) float64 { return s.ECE }},
		{"NLL scaled", func(s *Scores) float64 { return s.ScaledNLL }}, {"AURC", func(s *Scores) float64 { return s.AURC }}}
	if m != nil && !math.IsNaN(m.AUROC) {
		out = append(out, column{"AUROC", func(s *Scores) float64 { return s.AUROC }},
			column{"FPR95", func(s *Scores) float64 { return s.FPR95 }})
	}
	return out
}

// Text is the table of a summary; empty if nothing was judged.
func (s *Summary) Text(style text.Style) string {
	columns := s.columns()
	head := []string{""}
	for _, c := range columns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	if m := s.Metrics.Single; m != nil {
		rows = append(rows, append([]string{"last model"}, cells(columns, m, s.Interval.Single)...))
	}
	if m := s.Metrics.Average; m != nil {
		rows = append(rows, append([]string{fmt.Sprintf("average of %d", s.Repeats[0].Models)}, cells(columns, m, s.Interval.Average)...))
	}
	if len(rows) == 1 {
		return ""
	}
	return text.Grid(rows, 1, style)
}

// speed prints images a second, three digits of them: 7,350.
func speed(v float64) string {
	if !(v >= 100 && v < 1e15) {
		return text.Short(v, 3)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	return text.Count(int64(math.Round(v/unit) * unit))
}

// Footer are the lines below the table.
func (s *Summary) Footer() string {
	var b strings.Builder
	if n := len(s.Repeats); n > 1 {
		fmt.Fprintf(&b, " mean of %d repetitions ± 95 %% t interval; last epoch\n", n)
	}
	if w := s.Swaps; w != nil {
		var made []string
		for _, p := range w.Pairs {
			made = append(made, text.Count(p.Accepted)+" of "+text.Count(p.Attempts))
		}
		if n := len(made); n > mostRates {
			made = slices.Concat(made[:2], []string{"…"}, made[n-2:])
		}
		fmt.Fprintf(&b, " swaps %s (rule %s) · round trips %s\n", strings.Join(made, ", "), w.Rule, text.Count(w.RoundTrips))
	}
	fmt.Fprintf(&b, " %s images/s · %s MB at most · %s s of training", speed(s.Images), text.Count(s.PeakBytes>>20), text.Short(s.Seconds, 3))
	if s.wall > 0 {
		fmt.Fprintf(&b, ", %s s in all", text.Short(s.wall, 3))
	}
	b.WriteByte('\n')
	return b.String()
}
