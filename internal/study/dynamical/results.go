package dynamical

import "github.com/r2sgld/r2sgld/internal/study"

// What runs are judged by.
func modeError(s score) float64  { return s.Error }
func around(s score) float64     { return s.Around }
func off(s score) float64        { return s.Off }
func parting(s score) float64    { return s.Parting }
func apartEarly(s score) float64 { return s.Apart[0] }
func apartLate(s score) float64  { return s.Apart[1] }
func swaps(s score) float64      { return s.Swaps }

// results are the numbers of a study for other programs.
type results struct {
	System     string         `json:"system"`
	Rows       int            `json:"rows"`
	Batch      int            `json:"batch"`
	Initial    []float64      `json:"initial_state"`
	Variants   []variantFacts `json:"variants"`
	Lyapunov   *lyapunovFacts `json:"lyapunov,omitempty"`
	Cases      []caseFacts    `json:"runs_of_the_paper"`
	Thresholds []caseFacts    `json:"runs_with_rule_threshold"`
	Simulated  []caseFacts    `json:"runs_with_simulated_states"`
	Own        []ownFacts     `json:"method_auto"`
	Timings    []timing       `json:"timings"`
}

// lyapunovFacts are the exponent, its standard error and its inverse.
type lyapunovFacts struct {
	Exponent float64 `json:"exponent"`
	SE       float64 `json:"standard_error"`
	Time     float64 `json:"time"`
}

// variantFacts say what is known of a variant.
type variantFacts struct {
	Name         string        `json:"name"`
	Told         string        `json:"free"`
	Equations    []string      `json:"equations"`
	Constraints  []string      `json:"constraints"`
	Coefficients []coefficient `json:"coefficients"`
	Curvatures   []float64     `json:"curvatures"`
	Walls        []float64     `json:"walls_in_sd"`
	Parting      float64       `json:"parting_of_the_exact_modes"`
	Apart        *[2]float64   `json:"distance_of_the_exact_modes,omitempty"`
	Swaps        float64       `json:"exact_swap_rate"`
	Key          []coefficient `json:"-"` // the key ones, in the order of the paper
}

// coefficient is a coefficient with its true value and the exact law.
type coefficient struct {
	Name  string  `json:"coefficient"`
	Key   bool    `json:"key"`
	Truth float64 `json:"true_value"`
	Mean  float64 `json:"exact_mean"`
	SD    float64 `json:"exact_sd"`

	Symbol string `json:"-"`
}

// timing is what an iteration of a case cost; it differs from run to run.
type timing struct {
	Case string  `json:"case"`
	US   float64 `json:"microseconds_per_iteration"`
}

// caseFacts are what came of a case, over its runs.
type caseFacts struct {
	Free       string           `json:"free"`
	Start      string           `json:"start"`
	Label      string           `json:"label"`
	Method     string           `json:"method"`
	Runs       int              `json:"runs"`
	Iterations int              `json:"iterations"`
	Error      study.Interval   `json:"error_of_modes"`
	ErrorAll   study.Interval   `json:"error_of_all_modes"`
	Off        study.Interval   `json:"distance_from_exact_law"`
	Around     study.Interval   `json:"distance_of_draws_from_truth"`
	Parting    study.Interval   `json:"parting"`
	Apart      []study.Interval `json:"distance_of_trajectories,omitempty"`
	Swaps      *study.Interval  `json:"swap_rate,omitempty"`
	Modes      []study.Interval `json:"modes"`
	Means      []study.Interval `json:"means"`
	SDs        []study.Interval `json:"sds"`
	Peaks      [][]int          `json:"peaks"`
	ESS        []study.Interval `json:"ess"`
	Outside    [][]int          `json:"iterations_outside"`
	Hits       int64            `json:"reflections"`
	Fallbacks  int64            `json:"fallbacks"`
	Same       *int             `json:"runs_identical_to_partner,omitempty"`
	Ended      []int            `json:"ended_at_iteration,omitempty"`

	*outcome `json:"-"`
}

// results gathers them.
func (m *inquiry) results() *results {
	r := &results{System: m.system.name, Rows: len(m.rulers[m.system.variants[0]].exact.Time), Batch: batchRows, Initial: m.system.initial}
	if m.lyapunov != nil {
		r.Lyapunov = &lyapunovFacts{m.lyapunov.Value, m.lyapunov.SE, m.lyapunov.Time()}
	}
	for _, v := range m.system.variants {
		r.Variants = append(r.Variants, m.facts(v))
	}
	for _, o := range m.all {
		c := o.facts()
		s := study.Samplers()[o.base]
		if partner := find(m.all, o.v, o.from, s.Plain); o.reflected && partner != nil && o.label == s.Reflected {
			n := o.identical(partner)
			c.Same = &n
		}
		r.Cases = append(r.Cases, c)
		seconds := 0.0
		for _, k := range o.runs {
			seconds += k.Seconds
		}
		r.Timings = append(r.Timings, timing{o.name(), 1e6 * seconds / float64(o.iterations*len(o.runs))})
	}
	for _, o := range m.thresholds {
		r.Thresholds = append(r.Thresholds, o.facts())
	}
	for _, o := range m.simulated {
		r.Simulated = append(r.Simulated, o.facts())
	}
	for _, o := range m.own {
		r.Own = append(r.Own, o.facts())
	}
	return r
}

// ownFacts are what method auto found.
type ownFacts struct {
	Free         string     `json:"free"`
	Law          string     `json:"law"`
	Constraints  []string   `json:"further_constraints,omitempty"`
	Draws        int        `json:"draws"`
	Rungs        int        `json:"rungs"`
	RHat         float64    `json:"rhat"`
	ESS          float64    `json:"least_ess"`
	Coefficients []ownFound `json:"coefficients"`
	Took         float64    `json:"-"` // seconds
}

// ownFound is a key coefficient: found and exact, with their errors.
type ownFound struct {
	Name      string  `json:"coefficient"`
	Mean      float64 `json:"mean"`
	MCSE      float64 `json:"mcse_mean"`
	SD        float64 `json:"sd"`
	SDMCSE    float64 `json:"mcse_sd"`
	Mode      float64 `json:"mode"`
	Exact     float64 `json:"exact_mean"`
	ExactSE   float64 `json:"exact_mean_se"`
	ExactSD   float64 `json:"exact_sd"`
	ExactSDSE float64 `json:"exact_sd_se"`
}

func (o *own) facts() ownFacts {
	f := ownFacts{Free: o.v.told, Law: o.what, Constraints: o.more, Draws: o.Draws, Rungs: o.Rungs, RHat: o.RHat, ESS: o.ESS, Took: o.Took}
	for i, c := range o.Found {
		e := o.Exact[i]
		f.Coefficients = append(f.Coefficients, ownFound{o.v.quantities[o.v.key[i]].name, c.Mean, c.MCSE, c.SD, c.SDMCSE, c.Mode, e[0], e[2],
			e[1], e[3]})
	}
	return f
}

func (m *inquiry) facts(v *variant) variantFacts {
	r := m.rulers[v]
	f := variantFacts{Name: v.name, Told: v.told, Equations: v.equations, Constraints: v.constraints, Curvatures: r.curvatures(),
		Walls:   r.walls,
		Parting: r.best().Parting, Swaps: normalSwaps(len(v.parameters))}
	if !m.system.chaotic {
		apart := r.best().Apart
		f.Apart = &apart
	}
	key := map[int]bool{}
	for _, k := range v.key {
		key[k] = true
	}
	for k, q := range v.quantities {
		f.Coefficients = append(f.Coefficients, coefficient{q.name, key[k], q.truth, r.mean[k], r.sd[k], q.symbol})
	}
	for _, k := range v.key {
		f.Key = append(f.Key, f.Coefficients[k])
	}
	return f
}

// facts are what is told of an outcome.
func (o *outcome) facts() caseFacts {
	c := caseFacts{outcome: o, Free: o.v.told, Start: o.from, Label: o.label, Method: o.method(), Runs: len(o.runs), Iterations: o.iterations,
		Error: o.interval(modeError), ErrorAll: o.interval(func(s score) float64 { return s.ErrorAll }),
		Off: o.interval(off), Around: o.interval(around), Parting: o.interval(parting)}
	if !o.v.system.chaotic {
		c.Apart = []study.Interval{o.interval(apartEarly), o.interval(apartLate)}
	}
	if study.Samplers()[o.base].Rungs == 2 {
		i := o.interval(swaps)
		c.Swaps = &i
	}
	for i, k := range o.v.key {
		c.Modes = append(c.Modes, o.interval(func(s score) float64 { return s.Mode[k] }))
		c.Means = append(c.Means, o.interval(func(s score) float64 { return s.Mean[k] }))
		c.SDs = append(c.SDs, o.interval(func(s score) float64 { return s.SD[k] }))
		c.ESS = append(c.ESS, o.interval(func(s score) float64 { return s.ESS[i] }))
	}
	c.Outside = [][]int{{0, 0}, {0, 0}}[:study.Samplers()[o.base].Rungs]
	for _, r := range o.runs {
		if r.Ended > 0 {
			c.Ended = append(c.Ended, r.Ended)
		} else {
			c.Peaks = append(c.Peaks, r.Peaks)
		}
		for i := range c.Outside {
			c.Outside[i][0] += r.Outside[i][0]
			c.Outside[i][1] += r.Outside[i][1]
		}
		c.Hits += r.Hits
		c.Fallbacks += r.Fallbacks
	}
	return c
}

func (o *outcome) interval(of func(score) float64) study.Interval {
	return study.IntervalOf(o.column(of))
}
