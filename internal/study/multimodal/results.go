package multimodal

import "slices"

// metrics are the numbers of a score, by their names in results.
func metrics() map[string]func(Score) float64 {
	return map[string]func(Score) float64{
		"kl_te_all": klAll, "kl_te_in": klIn, "kl_et_in": klBack,
		"frac_out": outside, "w1x": func(s Score) float64 { return s.W1X },
		"w1y": func(s Score) float64 { return s.W1Y }, "mode_tv": modesOff, "modes_found": modesFound}
}

// multimodalResults are the numbers of the study for other programs. An interval
// is its mean and half the width of the 95 % t interval over runs.
type multimodalResults struct {
	Target  string            `json:"target"`
	Width   float64           `json:"cell_width"` // of squares aligned with 0
	Cells   map[string]int    `json:"cells"`      // of positive mass, by domain
	Truth   map[string]*Exact `json:"truth"`
	Modes   map[string]int    `json:"modes_of_mass_above_0.001"`
	Chosen  map[string]string `json:"best_penalty"`
	Cases   []caseResult      `json:"cases"`
	Bias    []bias            `json:"bias_of_mean_r2"`
	Timings []timing          `json:"timings"`
}

// timing is what a chain step of a case cost; it differs from run to run.
type timing struct {
	Case string  `json:"case"`
	NS   float64 `json:"ns_per_chain_step"`
}

// caseResult is what came of one case.
type caseResult struct {
	Domain    string     `json:"domain"`
	Protocol  string     `json:"protocol"`
	Group     string     `json:"group"`
	Label     string     `json:"label"`
	Method    string     `json:"method"`
	Seed      uint64     `json:"seed"`
	Runs      int        `json:"runs"`
	Swaps     *Interval  `json:"swap_rate,omitempty"`
	Reflected []float64  `json:"share_of_steps_at_the_wall,omitempty"` // by rung
	Fallbacks int64      `json:"fallbacks"`
	Outside   int64      `json:"draws_outside"`
	Scores    []scoresAt `json:"scores"`
	MeanU     *Interval  `json:"mean_U,omitempty"`
	MeanR2    *Interval  `json:"mean_r2,omitempty"`
}

// scoresAt are the scores at one checkpoint.
type scoresAt struct {
	Draws     int                 `json:"draws"`
	Gradients int                 `json:"gradients"`
	All       map[string]Interval `json:"no_burnin"`
	Dropped   map[string]Interval `json:"drop_first_20pct"`
	Half      map[string]Interval `json:"drop_first_20pct_at_half_the_draws,omitempty"`
}

// results gathers them.
func (m *multimodal) results() *multimodalResults {
	r := &multimodalResults{Target: formula, Width: cellWidth, Bias: m.biases(), Cells: map[string]int{}, Truth: map[string]*Exact{},
		Modes: map[string]int{}, Chosen: map[string]string{}}
	for i, s := range slices.Concat(m.five, m.two) {
		r.Cells[s.name], r.Truth[s.name], r.Modes[s.name] = s.cells.K(), m.exact[i], s.worthFinding()
	}
	for _, s := range m.five {
		for _, a := range samplers() {
			r.Chosen[s.name+" "+a.penalised()] = m.chosen[[2]string{s.name, a.Plain}].String()
		}
	}
	for _, o := range m.trials.all {
		r.Cases = append(r.Cases, o.result())
		if o.ran() {
			r.Timings = append(r.Timings, timing{o.name(), o.nanoseconds()})
		}
	}
	return r
}

// result is what is told of an outcome.
func (o *outcome) result() caseResult {
	c := caseResult{Domain: o.scene.name, Protocol: o.protocol.name, Group: o.group, Label: o.label, Method: o.method, Seed: o.own(),
		Runs: o.runs, Fallbacks: o.Fallbacks, Outside: o.Outside}
	if o.Swaps != nil {
		v := interval(o.Swaps)
		c.Swaps = &v
	}
	if o.Steps > 0 {
		c.Reflected = o.Hit[:max(1, o.rungs)]
		u, r2 := o.moment(0), o.moment(1)
		c.MeanU, c.MeanR2 = &u, &r2
	}
	for i, n := range o.At {
		s := scoresAt{Draws: n, Gradients: n * o.protocol.thin * o.cost(), All: map[string]Interval{}, Dropped: map[string]Interval{}}
		if o.rungs == 2 {
			s.Half = map[string]Interval{}
		}
		for name, of := range metrics() {
			s.All[name], s.Dropped[name] = interval(o.values(i, false, of)), interval(o.values(i, true, of))
			if o.rungs == 2 {
				s.Half[name] = interval(o.cheap(i, true, of))
			}
		}
		c.Scores = append(c.Scores, s)
	}
	return c
}

// moment is the mean of U (0) or r² (1) over the runs.
func (o *outcome) moment(which int) Interval {
	v := make([]float64, len(o.Means))
	for i, m := range o.Means {
		v[i] = m[which]
	}
	return interval(v)
}
