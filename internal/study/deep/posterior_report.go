package deep

import (
	_ "embed"
	"fmt"
	"slices"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

//go:embed posterior.tmpl
var posteriorWords string

// posteriorResults are the numbers of the study for other programs.
type posteriorResults struct {
	Reference yardFacts     `json:"reference"`
	Floor     markFacts     `json:"floor"` // one half of the reference's chains against the other
	Gradients int64         `json:"image_gradients"`
	Methods   []rivalResult `json:"methods"`
	Plan      planFacts     `json:"plan"`
}

// markFacts are marks of one set of predictions.
type markFacts struct {
	Agreement float64 `json:"agreement"`
	Variation float64 `json:"total_variation"`
}

// planFacts are what was forecast of the planned ladder.
type planFacts struct {
	Temperature []float64 `json:"temperature"`
	Swap        []float64 `json:"swap_probability"` // per pair, found
	Ratio       float64   `json:"ratio"`
}

// rivalResult is what all repetitions of a method found.
type rivalResult struct {
	Name      string         `json:"name"`
	Method    string         `json:"method"`
	Agreement study.Interval `json:"agreement"`
	Variation study.Interval `json:"total_variation"`
	Accuracy  study.Interval `json:"accuracy"`
	NLL       study.Interval `json:"nll"`
	Trips     study.Interval `json:"round_trips"`
	Models    int            `json:"models"`
	Best      bool           `json:"-"` // the least total variation
}

// marked are what is thought of predictions, by name, shares of images in percent.
func (m marks) marked() map[string]float64 {
	return map[string]float64{"agreement": 100 * m.Agreement, "variation": m.Variation, "accuracy": 100 * m.Accuracy, "nll": m.NLL}
}

// marksTold are the marks in the order of tables.
func marksTold() []string { return []string{"agreement", "variation", "accuracy", "nll"} }

// tabulate lists what was found in all repetitions.
func (a *appraisal) tabulate() {
	for _, r := range a.rivals {
		for k, m := range r.marks {
			for name, v := range m.marked() {
				a.table.Add(r.name, name, v)
			}
			a.table.Add(r.name, "trips", r.trips[k])
		}
	}
}

func (a *appraisal) study() (*study.Study, error) {
	a.tabulate()
	pictures, err := study.Drawn(map[string]func() (*figure.Figure, error){"posterior-scores": a.dots})
	if err != nil {
		return nil, err
	}
	s, p := a.Begin("posterior", PosteriorTitle), a.prose()
	s.Effort = fmt.Sprintf("%s gradients of an image a method, %d repetitions", text.Count(a.gradients()), a.repeats)
	if s.Rule, err = p.Part("rule", nil); err != nil {
		return nil, err
	}
	s.Claims = []study.Claim{a.claim(p, "exchange", study.Pair{A: "r2SGHMC, planned", B: "R-SGHMC"},
		study.Pair{A: "r2SGHMC, indicator", B: "R-SGHMC"}),
		a.claim(p, "uncertainty", study.Pair{A: "R-SGHMC", B: "deep ensemble"}, study.Pair{A: "R-SGHMC", B: "SWAG"},
			study.Pair{A: "r2SGHMC, planned", B: "deep ensemble"}, study.Pair{A: "r2SGHMC, planned", B: "SWAG"}),
		a.claim(p, "walls", study.Pair{A: "R-SGHMC", B: "SGHMC"})}
	s.Results = a.results()
	s.Sections, err = p.Sections(nil, pictures)
	return s, err
}

// prose is what the study says.
func (a *appraisal) prose() *study.Prose {
	return study.NewProse(posteriorWords, template.FuncMap{
		"reference": func() yardFacts { return a.yard.facts }, "floor": func() marks { return a.floor }, "table": a.table.Interval,
		"half": func() []study.Number {
			return []study.Number{{Name: "half of the reference against the other", Value: a.floor.Variation, Low: a.floor.Variation,
				High: a.floor.Variation}}
		},
		"walls": func(name string) bool { return a.find(name).walls }, "rivals": func() []rivalResult { return a.results().Methods },
		"yardsticks": func() [][]string {
			out := [][]string{{"the reference itself"}, {"half of it against the other"}}
			for i, m := range []marks{a.reference, a.floor} {
				for _, name := range marksTold() {
					out[i] = append(out[i], fmt.Sprintf("%.4g", m.marked()[name]))
				}
			}
			return out
		},
		"effort": func() any {
			return struct {
				Train, Test, Hidden, Gradients, Epochs, Batch, Rungs, Members, Every, Repeats int
				Decay, Bound, Sampler, Optimiser                                              float64
			}{a.data.Train.Len(), posteriorTest, posteriorHidden, a.gradients(), a.epochs, posteriorBatch, rungs, members, sweepEvery, a.repeats,
				posteriorDecay, posteriorBound, posteriorStep, optimiserStep}
		},
		"ladder": a.ladder,
	})
}

// results gathers the numbers.
func (a *appraisal) results() posteriorResults {
	planned := a.find("r2SGHMC, planned")
	r := posteriorResults{Reference: a.yard.facts, Floor: markFacts{a.floor.Agreement, a.floor.Variation}, Gradients: int64(a.gradients()),
		Plan: planFacts{Temperature: planned.settings.Temperature, Ratio: a.plan.Ratio}}
	for _, p := range planned.swaps {
		r.Plan.Swap = append(r.Plan.Swap, p.MeanProbability())
	}
	best := 0
	for i, v := range a.rivals {
		of := func(metric string) study.Interval { return a.table.Interval(v.name, metric) }
		r.Methods = append(r.Methods, rivalResult{v.name, v.settings.Method, of("agreement"), of("variation"), of("accuracy"), of("nll"),
			of("trips"), v.kept, false})
		if r.Methods[i].Variation.Mean < r.Methods[best].Variation.Mean {
			best = i
		}
	}
	r.Methods[best].Best = true
	return r
}

// ladder is what came of the planned one, and of the one with rule indicator.
func (a *appraisal) ladder() any {
	f := struct {
		planFacts
		Parameters, Sweeps int
		Traded             []float64
		Trips, OtherTrips  study.Interval
	}{planFacts: a.results().Plan, Parameters: a.plan.Parameters, Trips: a.table.Interval("r2SGHMC, planned", "trips"),
		OtherTrips: a.table.Interval("r2SGHMC, indicator", "trips"),
		Sweeps:     a.find("r2SGHMC, planned").settings.Epochs * a.data.Train.Len() / posteriorBatch / sweepEvery}
	for _, p := range a.find("r2SGHMC, indicator").swaps {
		f.Traded = append(f.Traded, p.Rate())
	}
	return f
}

// gradients is how many gradients of an image a method has.
func (a *appraisal) gradients() int { return a.epochs * a.data.Train.Len() }

func (a *appraisal) find(name string) *rival {
	return a.rivals[slices.IndexFunc(a.rivals, func(r *rival) bool { return r.name == name })]
}

// claim is decided by comparisons of total variations.
func (a *appraisal) claim(p *study.Prose, id string, pairs ...study.Pair) study.Claim {
	var f struct {
		Of []string
		By study.Comparisons
	}
	for i, q := range pairs {
		pairs[i].About = q.A + " against " + q.B
		for _, name := range []string{q.A, q.B} {
			if !slices.Contains(f.Of, name) {
				f.Of = append(f.Of, name)
			}
		}
	}
	f.By = a.table.Compare(study.Paired, "variation", pairs...)
	return p.Compared("posterior-"+id, f.By, a.repeats, f)
}

// dots draws the table.
func (a *appraisal) dots() (*figure.Figure, error) {
	q := figure.ScoreTable{Reference: "reference (of the first two: one half against the other)"}
	for i, c := range []figure.Metric{{Axis: figure.Axis{Name: "agreement", Unit: "%"}, Better: 1},
		{Axis: figure.Axis{Name: "total variation"}, Better: -1},
		{Axis: figure.Axis{Name: "accuracy", Unit: "%"}, Better: 1}, {Axis: figure.Axis{Name: "NLL", Unit: "nats"}, Better: -1}} {
		v := []marks{a.floor, a.floor, a.reference, a.reference}[i].marked()[marksTold()[i]]
		c.Reference = &figure.Estimate{Value: v, Low: v, High: v}
		q.Metrics = append(q.Metrics, c)
	}
	for _, r := range a.rivals {
		row := figure.ScoreRow{Name: r.name, Method: r.settings.Method}
		for _, name := range marksTold() {
			row.Average = append(row.Average, estimate(a.table.Interval(r.name, name)))
		}
		if r.single {
			row.Average, row.Single = nil, row.Average
		}
		q.Rows = append(q.Rows, row)
	}
	return figure.Scores(q)
}
