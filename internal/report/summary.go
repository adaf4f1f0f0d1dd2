// Package report answers what to tell a person about a run: the summary that
// goes into summary.json, the table on the terminal, and warnings that say what
// to do.
package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A Summary is the content of summary.json. Numbers that are not known are NaN
// here and null in the file.
type Summary struct {
	Schema  int    `json:"schema"`
	Name    string `json:"name"`
	Hash    string `json:"hash,omitempty"` // of the configuration
	Method  string `json:"method"`
	Seed    uint64 `json:"seed"`
	Ladders int    `json:"ladders"`
	// whether the law of the draws is the target itself, the start forgotten: no bias of the step, of walls or of swaps
	Exact        bool         `json:"exact"`
	Draws        int          `json:"draws"` // of the cold rung, over all ladders
	Thin         int          `json:"thin"`  // iterations from one of them to the next
	Parameters   []Parameter  `json:"parameters"`
	Outputs      []Parameter  `json:"outputs,omitempty"` // what a program says of draws
	Energy       Moments      `json:"energy"`
	Domain       domain.Tally `json:"domain"`               // what the wall did to the steps of all rungs, and to draws of the cold one
	Acceptance   []float64    `json:"acceptance,omitempty"` // of the trajectories of kernel hmc, per rung
	Swaps        Swaps        `json:"swaps"`
	Ladder       Ladder       `json:"ladder"`
	Kernel       *Kernel      `json:"kernel,omitempty"` // of method auto, where it tried two
	LogEvidence  Evidence     `json:"log_evidence"`
	Marginal     *Marginal    `json:"marginal_likelihood,omitempty"` // of identify, and of fit where walls leave a part of the priors
	Until        *Until       `json:"until,omitempty"`               // of method auto
	Modes        *tune.Audit  `json:"modes,omitempty"`               // likewise, where they were looked for
	Equations    []Equation   `json:"equations,omitempty"`
	LaTeX        string       `json:"latex,omitempty"`        // all equations, aligned
	Coefficients []Term       `json:"coefficients,omitempty"` // of a library
	Fit          []Fit        `json:"fit,omitempty"`
	Predictive   []Prediction `json:"predictive,omitempty"` // of fit
	Warnings     []string     `json:"warnings"`
	Iterations   int          `json:"iterations"`
	Gradients    int64        `json:"gradients"`                   // of steps of all replicas, of the warm-up and the search for modes too
	Values       int64        `json:"constraint_values,omitempty"` // of a program's constraints, that steps asked for, known before or not
	Seconds      float64      `json:"seconds"`                     // of this process: after a resume, those since
	// in these, and those of a finished run that was extended; NaN where none was made in them
	StepsPerSecond float64 `json:"steps_per_second"`

	exact  func() string  // how to take a kernel without bias from steps; "" where there is none, or it is in use
	since  string         // what the seconds count from, for the footer; "" for the beginning
	jumps  []r2sgld.Jumps // per rung
	short  bool           // whether draws end before the density does
	spread bool           // whether the smallest effective sample size is that of a standard deviation
	wall   string         // what the wall did to steps, for the footer; "" where it lets them go
}

// A Parameter describes the draws of one coordinate.
type Parameter struct {
	Name     string  `json:"name"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"`
	Mode     float64 `json:"mode"` // NaN where the draws do not tell which of several peaks is the highest
	Q5       float64 `json:"q5"`
	Q25      float64 `json:"q25"`
	Q50      float64 `json:"q50"`
	Q75      float64 `json:"q75"`
	Q95      float64 `json:"q95"`
	MCSEMean float64 `json:"mcse_mean"`
	MCSESD   float64 `json:"mcse_sd"`
	// Bias of the mean by the step, as the certificate estimates it, and the standard
	// error of that, what the extrapolation may leave included; nil without one.
	Bias    *float64 `json:"bias,omitempty"`
	BiasSE  *float64 `json:"bias_se,omitempty"`
	ESSBulk float64  `json:"ess_bulk"`
	ESSTail float64  `json:"ess_tail"`
	RHat    float64  `json:"rhat"`
	// NestedRHat is that of many ladders, which may be shorter than RHat asks for; nil of few.
	NestedRHat *float64 `json:"nested_rhat,omitempty"`

	density diag.Density
	tail    diag.Tail
	slope   tune.Slope
}

// agreement is how well ladders agree, as [diag.Agreement] has it.
func (p Parameter) agreement() float64 {
	if p.NestedRHat != nil {
		return *p.NestedRHat
	}
	return p.RHat
}

// Density is that of the draws, whose peak is Mode; nothing of a parameter that was read
// from a file.
func (p Parameter) Density() diag.Density { return p.density }

// Moments are mean and standard deviation of a quantity over the draws.
type Moments struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Swaps is what the ladders tell of their exchanges, added up.
type Swaps struct {
	Scheme     string   `json:"scheme"`
	Rule       string   `json:"rule"`
	Exact      bool     `json:"exact"`             // whether they keep the law of every rung
	Reasons    []string `json:"reasons,omitempty"` // why not
	RoundTrips int64    `json:"round_trips"`
	Restarts   int64    `json:"restarts"` // arrivals at the coldest rung from the hottest
	Barrier    float64  `json:"barrier"`
	Pairs      []Pair   `json:"pairs"`
	// Independence is how often the coldest rung took one of the states that were drawn for the hottest,
	// beside swaps; nil where it was not offered any.
	Independence *Taken `json:"independence,omitempty"`
}

// Taken counts proposals.
type Taken struct {
	Attempts int64   `json:"attempts"`
	Accepted int64   `json:"accepted"`
	Rate     float64 `json:"rate"`
}

// A Pair is two rungs that trade, counted from 1; neighbours, but for scheme ape.
type Pair struct {
	Rungs           [2]int  `json:"rungs"`
	Attempts        int64   `json:"attempts"`
	Accepted        int64   `json:"accepted"`
	Rate            float64 `json:"rate"`
	MeanProbability float64 `json:"mean_probability"`
	Variance        float64 `json:"variance"`
}

// Ladder is what the rungs were.
type Ladder struct {
	InverseTemperature []float64 `json:"inverse_temperature"` // 1/τ, cold first; 0 is the uniform law
	StepSize           []float64 `json:"step_size"`           // η; ητ for the uniform law
	Whitened           bool      `json:"whitened"`
	// StepBias is the relative bias of a variance by the step at the coldest rung,
	// walls aside, as method auto estimates it from the curvature.
	StepBias float64 `json:"step_bias"`
	WarmUp   int     `json:"warm_up,omitempty"` // iterations per ladder spent on finding them
}

// Evidence is the estimate of log Z, Z = ∫ exp(−U/τ) over the domain, τ the
// coldest temperature, where the hottest rung is the uniform law. Its error holds that
// of the volume and the bias of the step.
type Evidence struct {
	exchange.Evidence
	LogVolume   float64 `json:"log_volume"`
	LogVolumeSE float64 `json:"log_volume_se"`
	// StepBias is what the step size adds to log Z, extrapolated from a run with
	// larger steps.
	StepBias   float64 `json:"step_bias"`
	StepBiasSE float64 `json:"step_bias_se"`
	Reason     string  `json:"reason,omitempty"` // why it is not known
	// Fitted says that the hottest rung is a law fitted to the density; LogVolume is then
	// the logarithm of what part of it lies in the domain.
	Fitted bool `json:"fitted,omitempty"`
	// Untrusted is what Estimate and Error would be, were it not for a bottleneck; nil without.
	Untrusted *Estimate `json:"untrusted,omitempty"`
}

// An Estimate is a number and its standard error.
type Estimate struct {
	Estimate float64 `json:"estimate"`
	SE       float64 `json:"se"`
}

// NewEvidence is evidence that is not known.
func NewEvidence() Evidence {
	nan := math.NaN()
	return Evidence{Evidence: exchange.Evidence{Forward: nan, Backward: nan, Estimate: nan, Error: nan, GapError: nan,
		Trimmed: nan, TrimmedError: nan}, LogVolume: nan, LogVolumeSE: nan, StepBias: nan, StepBiasSE: nan}
}

// Marginal is the log marginal likelihood log p(data), the prior being flat on
// the domain but for the parameters that have one.
type Marginal struct {
	Log    float64 `json:"log"`
	SE     float64 `json:"se"`
	Reason string  `json:"reason,omitempty"` // why it is not known
	// Untrusted is what it would be, were it not for a bottleneck; nil without.
	Untrusted *Estimate `json:"untrusted,omitempty"`
}

// Until is how far the stopping rule was met.
type Until struct {
	Met  bool    `json:"met"`
	RHat float64 `json:"rhat"` // the worst
	ESS  float64 `json:"ess"`  // the smallest
	// Capped says which limit of disk or memory ended the run; "" where none did.
	Capped string `json:"capped,omitempty"`
	// Bias is the largest bias of a mean by the step and two standard errors, in standard
	// deviations; nil if until.bias is not asked for.
	Bias *float64 `json:"bias,omitempty"`
}

// An Equation is an equation with its estimates.
type Equation struct {
	State string `json:"state"`
	Text  string `json:"text"`
	LaTeX string `json:"latex"`
}

// A Term is a coefficient of a library: NaN where the term does not belong to the
// model, Inclusion NaN where terms were not chosen.
type Term struct {
	State     string  `json:"state"`
	Term      string  `json:"term"`
	Parameter string  `json:"parameter"`
	Mean      float64 `json:"mean"`
	SD        float64 `json:"sd"`
	Q5        float64 `json:"q5"`
	Q95       float64 `json:"q95"`
	Inclusion float64 `json:"inclusion"` // probability of belonging to the model
}

// A Fit is how well the equation of a state explains its data at the posterior
// mean.
type Fit struct {
	State string  `json:"state"`
	R2    float64 `json:"r2"`
	RMSE  float64 `json:"rmse"`
}

// Parameters describes the cold draws of every coordinate. d may be nil; its
// bounds keep the mode inside.
func Parameters(res *r2sgld.Result, d domain.Domain) []Parameter {
	lo, hi := domain.BoundsOf(d, len(res.Names))
	ps := make([]Parameter, len(res.Names))
	for j, name := range res.Names {
		ps[j] = Describe(name, res.Chains(j), lo[j], hi[j])
		if res.Certified() {
			b, se := res.MeanBias(j)
			ps[j].Bias, ps[j].BiasSE = &b, &se
		}
	}
	return ps
}

// Describe describes one coordinate: a chain per ladder, equally long, within
// [lo, hi].
func Describe(name string, chains [][]float64, lo, hi float64) Parameter {
	s := diag.Summarize(name, chains, lo, hi)
	p := Parameter{Name: name, Mean: s.Mean, SD: s.SD, Mode: s.Mode, Q5: s.Q5, Q25: s.Q25, Q50: s.Q50, Q75: s.Q75, Q95: s.Q95,
		MCSEMean: s.MCSEMean, MCSESD: s.MCSESd, ESSBulk: s.ESSBulk, ESSTail: s.ESSTail, RHat: s.RHat, density: s.Density, tail: s.Tail}
	if len(chains) >= diag.ManyChains {
		p.NestedRHat = &s.NestedRHat
	}
	return p
}

// New summarises a run. slopes are those of its parameters, nil where they are not known. The
// caller adds what it alone knows: equations, fit, further warnings.
func New(name, method string, p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result, slopes []tune.Slope, seconds float64) *Summary {
	sum := &Summary{Schema: 1, Name: name, Method: method, Seed: s.Seed, Thin: max(1, s.Thin), Ladders: len(res.Ladders),
		Parameters: Parameters(res, p.Reported()), Swaps: swaps(p, s, res), Ladder: ladder(s), LogEvidence: NewEvidence(), Seconds: seconds}
	for j, slope := range slopes {
		sum.Parameters[j].slope = slope
	}
	var energies []float64
	stride := 1
	for _, l := range res.Ladders {
		stride = max(stride, l.Stride)
	}
	for _, e := range res.Energies() {
		energies = append(energies, e...)
		sum.Draws += len(e) * stride
	}
	switch rule := s.Boundary; {
	case p.Domain == nil || rule == domain.Free || s.Mirror:
	case rule == domain.Project:
		sum.wall = "projected"
	case rule == domain.Refuse:
		sum.wall = "refused"
	default:
		sum.wall = "reflected"
	}
	sum.Exact, sum.Acceptance = Exact(p, s), res.Acceptance()
	sum.Energy = Moments{diag.Mean(energies), diag.SD(energies)}
	sum.Domain = res.Tally(-1)
	sum.Domain.Outside = res.Tally(0).Outside
	for i, l := range res.Ladders {
		if i == 0 || l.Iterations < sum.Iterations {
			sum.Iterations = l.Iterations
		}
	}
	sum.Gradients, sum.Values = res.Gradients(), res.Asked()
	var here int // steps made in these seconds
	for _, l := range res.Ladders {
		here += (l.Iterations - l.Resumed) * len(l.Tally)
		if l.Resumed > 0 {
			sum.since = " since the resume"
		}
	}
	sum.StepsPerSecond = math.NaN()
	if here > 0 {
		sum.StepsPerSecond = float64(here) / seconds
	}
	sum.Warnings = append([]string{}, sum.warnings(p, s, res)...)
	if math.IsNaN(potential.EnergyNoise(p.Potential)) && !res.Certified() && method != "auto" { // whose steps make little of it
		sum.Warnings = append(sum.Warnings, "minibatches: the noise of their gradients widens the posterior by a share of its variance that is "+
			"proportional to the step size. Compare with half the step, or use all rows.")
	}
	return sum
}

// Extends adds the steps of a finished run of so many iterations, which this one goes on from,
// to what tells their rate: those of its last part alone may be few.
func (s *Summary) Extends(iterations int, rate float64) {
	before := float64(iterations * s.Ladders * max(1, len(s.Ladder.StepSize)))
	if s.StepsPerSecond == s.StepsPerSecond {
		rate = (before + s.StepsPerSecond*s.Seconds) / (before/rate + s.Seconds)
	}
	s.StepsPerSecond = rate
}

// Explain adds what the run says of equations and how they fit, one of each per
// state.
func (s *Summary) Explain(equations []Equation, fits []Fit) {
	s.Equations, s.Fit = equations, fits
	for _, f := range fits {
		if f.R2 < 0 {
			s.warnf("%s: R² %s: the model explains less than the mean of the data does. Its constraints or "+
				"its equation do not fit them.", f.State, text.Number(f.R2, 2))
		}
	}
}

// Tuned adds what the warm-up of method auto found.
func (s *Summary) Tuned(f *tune.Found) {
	s.Ladder.StepBias = f.Bias
	s.Kernel = kernelOf(f)
	iterations, gradients := f.Made()
	s.Ladder.WarmUp = iterations
	s.Gradients += gradients
	if f.Singular {
		s.Ladder.StepBias = math.NaN()
		s.Singular()
	} else if text := s.coarse(tune.Bias, len(s.jumps)); text != "" && s.coarse(mostWidened, 1) == "" {
		s.Warnings = append(s.Warnings, text)
	}
	if !f.Settled {
		s.Warnings = append(s.Warnings, "the warm-up ended before step sizes and temperatures were steady: the density may not be "+
			"normalisable, or may have features that the first rounds did not find. Check it at the walls, and where draws are few.")
	}
}

// Stopped adds how far method auto came, by what Until.Capped says of limits of disk and memory.
func (s *Summary) Stopped(u tune.Until, j tune.Judgement) {
	capped := ""
	if s.Until != nil {
		capped = s.Until.Capped
	}
	s.Until, s.spread = &Until{Met: j.Met, RHat: j.RHat, ESS: j.ESS, Capped: capped}, j.Spread
	if u.Evidence > 0 && u.Bias == 0 {
		s.ended(u, j.Met)
		return
	}
	if u.Bias > 0 {
		least, most := s.stepBias()
		s.Until.Bias = &most
		if !j.Met && j.RHat <= u.RHat && j.ESS >= u.ESS {
			s.Warnings = append(s.Warnings, s.tooBiased(u, least, most))
			return
		}
	}
	if !j.Met {
		of, raise := s.limit(u)
		s.warnf("the run ended at its limit%s before %s. Raise it (%s), or look at what mixes slowly in the trace and index figures.",
			of, cmp.Or(s.unmet(u), "all was reached that is asked for"), raise)
	}
}

// whole prints an effective sample size: a dash where it is not known.
func whole(v float64) string {
	if !(math.Abs(v) < 1e16) {
		return text.Number(v, 0)
	}
	return text.Count(int64(v))
}

// swaps adds up what the ladders tell.
func swaps(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) Swaps {
	st := res.Swaps()
	w := Swaps{Scheme: s.Swap.Scheme, Rule: s.Swap.Rule, Exact: true, RoundTrips: st.RoundTrips, Restarts: st.Restarts,
		Barrier: st.Barrier(), Pairs: []Pair{}}
	if len(st.Pairs) > 0 {
		w.Reasons = SwapBias(p, s)
		w.Exact = len(w.Reasons) == 0
	}
	for _, p := range st.Pairs {
		w.Pairs = append(w.Pairs, Pair{[2]int{p.Cold + 1, p.Hot + 1}, p.Attempts, p.Accepted, p.Rate(), p.MeanProbability(), p.Variance})
	}
	if m := res.Independence(); m.Proposed > 0 {
		w.Independence = &Taken{m.Proposed, m.Accepted, float64(m.Accepted) / float64(m.Proposed)}
	}
	return w
}

// Exact reports whether a run keeps the law exp(−U/τ) on its domain exactly: the
// kernel is HMC or Harmonic, energies and gradients have no noise, reflections are
// exact and swaps are unbiased.
func Exact(p r2sgld.Problem, s r2sgld.Settings) bool {
	return s.Unbiased() && len(inexact(p, s)) == 0 && len(SwapBias(p, s)) == 0
}

// inexact says what keeps the paths of exact kernels from the law of their rung; nothing if
// they keep it.
func inexact(p r2sgld.Problem, s r2sgld.Settings) []string {
	var why []string
	if _, noisy := potential.Exact(p.Potential); noisy {
		why = append(why, "energies or gradients have noise")
	}
	switch specular := s.Boundary == "" || s.Boundary == domain.Specular; {
	case s.Penalty != nil:
		why = append(why, "a penalty stands for the walls")
	case p.Domain == nil || s.Boundary == domain.Refuse || specular && domain.ExactWalls(p.Domain):
	case specular:
		why = append(why, "the crossings of a wall are sought along the path, as a constraint is neither linear nor quadratic nor a known shape")
	default:
		why = append(why, fmt.Sprintf("boundary %s does not keep the law", s.Boundary))
	}
	return why
}

// SwapBias says why swaps do not keep the law of every rung; nothing if they do.
func SwapBias(p r2sgld.Problem, s r2sgld.Settings) []string {
	if len(s.Temperature) < 2 {
		return nil
	}
	noise := potential.EnergyNoise(p.Potential)
	if s.FullEnergies {
		noise = 0
	}
	why := s.Swap.Bias(len(s.Temperature), noise != 0)
	if v := s.Swap.Variance; noise > 0 && v > 0 && s.Swap.Estimate.Every == 0 && math.Abs(v-2*noise*noise) > 1e-9*v {
		why = append(why, fmt.Sprintf("the variance given, %g, is not that of the difference of two energies with noise %g, %g", v, noise,
			2*noise*noise))
	}
	return why
}

// ladder describes the rungs.
func ladder(s r2sgld.Settings) Ladder {
	l := Ladder{StepSize: s.StepSize, Whitened: s.Whitening != nil, StepBias: math.NaN()}
	for _, t := range s.Temperature {
		l.InverseTemperature = append(l.InverseTemperature, 1/t)
	}
	return l
}
