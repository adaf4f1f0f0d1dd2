package multimodal

import (
	"context"
	"fmt"
	"slices"

	"github.com/r2sgld/r2sgld/internal/study"
)

// An effort is how much the diameter study runs.
type effort struct {
	first, more  walk // of r2SGLD: those of the paper, made longer, and further ones
	free, single walk // single has no runs where there is no time for it
	marks        []int
}

// paperLength is the number of iterations of the paper's runs.
const paperLength = 10_000

// effort is that of a scale.
func effortOf(s study.Scale) effort {
	marks := []int{500, 1000, 2000, 5000, paperLength, 20_000, 30_000, 50_000}
	if s == study.Smoke {
		return effort{exchangeWalk("first", 10, 50_000, 50), walk{}, freeWalk(10, 30_000), walk{}, marks}
	}
	marks = append(marks, 70_000, 100_000, 150_000, 300_000, 1_000_000)
	return effort{exchangeWalk("first", 10, 1_000_000, 50), exchangeWalk("more", 30, 150_000, 0),
		freeWalk(10, 400_000), singleWalk(10, 1_000_000), marks}
}

// A DiameterScore is how far the draws of several runs are from the truth, after
// Iterations, of which each gives a draw.
type DiameterScore struct {
	Iterations int      `json:"iterations"`
	Runs       int      `json:"runs"`
	KL         Interval `json:"kl_te"`
	Back       Interval `json:"kl_et"`
	W1         Interval `json:"w1"` // mean of both marginals
}

// A DiameterFloor is how far independent draws are.
type DiameterFloor struct {
	Iterations int      `json:"iterations"` // draws
	KL         Interval `json:"kl_te"`
	Back       Interval `json:"kl_et"`
}

// Needed is the number of iterations after which KL(truth‖draws) stays below a
// level, of r2SGLD and of independent draws.
type Needed struct {
	KL    float64  `json:"kl_te"`
	Chain Passage  `json:"r2sgld"`
	IID   *Passage `json:"iid"` // nil where a single draw is below it, smoothed as the counts are
}

// A DiameterDomain is what r2SGLD did in one octagon.
type DiameterDomain struct {
	Circumradius float64         `json:"circumradius"`
	Diameter     float64         `json:"diameter"`
	Cells        int             `json:"cells"`
	SwapRate     float64         `json:"swap_rate"`
	Exact        float64         `json:"swap_probability"` // by quadrature
	Reflected    []float64       `json:"reflected_frac_cold_hot"`
	Fallbacks    int64           `json:"fallbacks"`
	All          []DiameterScore `json:"no_burnin"`
	Dropped      []DiameterScore `json:"drop_first_20pct"`
	Floor        []DiameterFloor `json:"iid_floor"`
	Needed       []Needed        `json:"iterations_to_threshold"`
}

// A DiameterPower is how the iterations to a KL grow with the diameter.
type DiameterPower struct {
	KL    float64 `json:"kl_te"`
	Chain Power   `json:"r2sgld"`
	IID   *Power  `json:"iid"`   // nil unless there is one in every octagon
	Ratio *Power  `json:"ratio"` // of r2SGLD's iterations to the independent draws
}

// A DiameterRelaxation is how the relaxation time of a process grows with the
// diameter. Times are in units of the cold step times iterations.
type DiameterRelaxation struct {
	Name         string       `json:"name"`
	Method       string       `json:"method"`
	StepSize     float64      `json:"step_size"`
	Iterations   int          `json:"iterations"`
	Circumradius []float64    `json:"circumradius"`
	Relaxation   []Relaxation `json:"relaxation"`
	Exact        []float64    `json:"exact,omitempty"`
	Fit          Power        `json:"fit"`
}

// DiameterResults are all numbers of the diameter study.
type DiameterResults struct {
	Domains     []DiameterDomain     `json:"domains"`
	Powers      []DiameterPower      `json:"powers"`
	Relaxations []DiameterRelaxation `json:"relaxations"`

	reading reading
}

// Diameter runs the study of the domain's diameter: what it does to the KL after
// equally many iterations, and to the relaxation time that the theory speaks of
// (section 5.2 of the paper and its appendix, "Exploration of the Constrained
// Domain Diameter"). It fails if a run does, or ctx ends.
func Diameter(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) { return effortOf(o.Scale).study(ctx, o) })
}

// study runs everything and tells it.
func (e effort) study(ctx context.Context, o study.Options) (*study.Study, error) {
	s := o.Begin("diameter", DiameterTitle)
	found := map[string]*DiameterResults{}
	for _, what := range readings() {
		r, err := e.run(ctx, o, what)
		if err != nil {
			return nil, err
		}
		sections, err := r.sections(e)
		if err != nil {
			return nil, err
		}
		found[what.name], s.Claims, s.Sections = r, append(s.Claims, r.claims(e)...), append(s.Sections, sections...)
	}
	s.Settings, s.Results = e.settings(o.Seed), found
	s.Effort = fmt.Sprintf("r2SGLD on each octagon: %s", e.first.extent())
	if e.more.runs > 0 {
		s.Effort += fmt.Sprintf(" and %s; R-SGLD: %s without a potential and %s with it", e.more.extent(), e.free.extent(), e.single.extent())
	}
	s.Hint = "Here burn_in is 0, so that every draw counts; tables say where the first fifth is dropped."
	return s, nil
}

// run runs the octagons of a reading, one by one.
func (e effort) run(ctx context.Context, o study.Options, what reading) (*DiameterResults, error) {
	r := &DiameterResults{reading: what}
	var shapes []shape
	for _, radius := range what.radii {
		shapes = append(shapes, octagonOf(radius))
	}
	truths, err := scenes(shapes, o.Workers())
	if err != nil {
		return nil, err
	}
	relaxed := make([]DiameterRelaxation, 3)
	for i, s := range truths {
		say := func(w walk) {
			o.Announce("diameter: octagon %d of %d of %s 1.5 to 3: %s, %s", i+1, len(truths), what.name, w.title, w.extent())
		}
		say(e.first)
		first, err := e.first.sample(ctx, o, s.radius, s, e.marks)
		if err != nil {
			return nil, err
		}
		runs := []*stroll{first}
		if e.more.runs > 0 {
			say(e.more)
			more, err := e.more.sample(ctx, o, s.radius, s, e.marks)
			if err != nil {
				return nil, err
			}
			runs = append(runs, more)
		}
		r.Domains = append(r.Domains, e.domain(s, runs, o.Seed))
		if err := relaxed[0].add(first, s.radius); err != nil {
			return nil, err
		}
		for j, w := range []walk{e.free, e.single} {
			if w.runs == 0 {
				continue
			}
			say(w)
			run, err := w.sample(ctx, o, s.radius, nil, nil)
			if err != nil {
				return nil, err
			}
			if err := relaxed[1+j].add(run, s.radius); err != nil {
				return nil, err
			}
		}
	}
	r.Relaxations, r.Powers = e.fitted(relaxed), powers(r.Domains)
	return r, nil
}

// fitted are the processes that were run, with powers and, where it is known, theory.
func (e effort) fitted(relaxed []DiameterRelaxation) []DiameterRelaxation {
	gap := neumannGap(octagonCorners(1), 16)
	var out []DiameterRelaxation
	for _, x := range relaxed {
		if len(x.Relaxation) == 0 {
			continue
		}
		if x.Name == e.free.title {
			for _, radius := range x.Circumradius {
				x.Exact = append(x.Exact, radius*radius/gap)
			}
		}
		x.fit()
		out = append(out, x)
	}
	return out
}

// add adds the relaxation of a run.
func (x *DiameterRelaxation) add(s *stroll, radius float64) error {
	t, err := s.relaxation()
	if err != nil {
		return fmt.Errorf("octagon of circumradius %g: %w", radius, err)
	}
	x.Name, x.Method, x.StepSize, x.Iterations = s.walk.title, s.walk.method, s.walk.step, s.walk.length
	x.Circumradius, x.Relaxation = append(x.Circumradius, radius), append(x.Relaxation, t)
	return nil
}

// fit fits the power of the radius, which is that of the diameter.
func (x *DiameterRelaxation) fit() {
	var t, se []float64
	for _, r := range x.Relaxation {
		t, se = append(t, r.Time), append(se, r.LogError)
	}
	x.Fit = fitPower(x.Circumradius, t, se, x.Relaxation[0].Runs-1)
}

// settings are the configurations that were run: the paper's, then the others.
func (e effort) settings(seed uint64) []study.Setting {
	var all []float64
	for _, what := range readings() {
		all = append(all, what.radii...)
	}
	slices.Sort(all)
	var out []study.Setting
	for _, radius := range slices.Compact(all) {
		paper := e.first
		paper.length, paper.every = paperLength, 1
		for _, w := range []walk{paper, e.first, e.more, e.free, e.single} {
			if w.runs > 0 {
				out = append(out, study.Setting{Name: fmt.Sprintf("circumradius %g, %s, %s", radius, w.title, w.extent()), Text: w.text(radius, seed)})
			}
		}
	}
	return out
}

// rowAt returns the score after n iterations.
func rowAt(rows []DiameterScore, n int) DiameterScore {
	for _, r := range rows {
		if r.Iterations == n {
			return r
		}
	}
	none := interval(nil)
	return DiameterScore{Iterations: n, KL: none, Back: none, W1: none}
}
