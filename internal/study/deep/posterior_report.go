package deep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

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
}

// column is a number of all repetitions.
func (r *rival) column(of func(marks) float64) []float64 {
	out := make([]float64, len(r.marks))
	for i, m := range r.marks {
		out[i] = of(m)
	}
	return out
}

func agreement(m marks) float64 { return 100 * m.Agreement }
func variation(m marks) float64 { return m.Variation }
func accuracy(m marks) float64  { return 100 * m.Accuracy }
func nll(m marks) float64       { return m.NLL }

func (a *appraisal) study() (*study.Study, error) {
	s := a.Begin("posterior", PosteriorTitle)
	s.Effort = fmt.Sprintf("%s gradients of an image a method, %d repetitions", text.Count(a.gradients()), a.repeats)
	s.Rule = study.Rule("paired t over repetitions that share minibatches, of the total variation to the reference", "; nor if a and b are the same numbers")
	picture, err := a.dots()
	if err != nil {
		return nil, err
	}
	s.Sections = []study.Section{
		{Title: "The reference", Text: a.referenceTold()},
		{Title: "How near the methods come", Text: a.methodsTold(), Tables: []study.Table{a.scoreTable()}, Pictures: []study.Picture{picture}},
		{Title: "The planned ladder", Text: a.ladderTold()},
	}
	s.Claims = []study.Claim{a.exchangeClaim(), a.uncertaintyClaim(), a.wallClaim()}
	r := posteriorResults{Reference: a.yard.facts, Floor: markFacts{a.floor.Agreement, a.floor.Variation}, Gradients: int64(a.gradients()),
		Plan: planFacts{Temperature: a.find("r2SGHMC, planned").settings.Temperature, Ratio: a.plan.Ratio}}
	for _, p := range a.find("r2SGHMC, planned").swaps {
		r.Plan.Swap = append(r.Plan.Swap, p.MeanProbability())
	}
	for _, v := range a.rivals {
		of := func(f func(marks) float64) study.Interval { return study.IntervalOf(v.column(f)) }
		r.Methods = append(r.Methods, rivalResult{v.name, v.settings.Method, of(agreement), of(variation), of(accuracy), of(nll), study.IntervalOf(v.trips), v.kept})
	}
	s.Results = r
	return s, nil
}

// gradients is how many gradients of an image a method has.
func (a *appraisal) gradients() int { return a.epochs * a.data.Train.Len() }

func (a *appraisal) find(name string) *rival {
	return a.rivals[slices.IndexFunc(a.rivals, func(r *rival) bool { return r.name == name })]
}

func (a *appraisal) referenceTold() string {
	f := a.yard.facts
	return fmt.Sprintf("A perceptron 49-%d-10 with tanh, %s parameters, is given the first %s training pictures of Fashion-MNIST, averaged over 4 × 4 pixels, with weight decay %g and walls at ±%g, nine standard deviations of the prior. %d chains of Hamiltonian Monte Carlo over all pictures, each from other first weights, made %s trajectories of %d leapfrog steps (%.0f %% accepted) and kept those after %s. "+
		"R̂ between halves of chains, of the probability of each class of each of %s test pictures: %.3f at most, %.4f in the median; of the energy %.3f.\n\nThe predictions of two chains against those of the other two agree on %.1f %% of the test pictures, at a total variation of %.4f: the floor of what can be told apart.",
		posteriorHidden, text.Count(f.Parameters), text.Count(a.data.Train.Len()), posteriorDecay, posteriorBound, f.Chains, text.Count(f.Iterations), f.Leapfrog, 100*f.Acceptance, text.Count(f.BurnIn),
		text.Count(posteriorTest), f.RHat, f.RHatMedian, f.EnergyRHat, 100*a.floor.Agreement, a.floor.Variation)
}

func (a *appraisal) methodsTold() string {
	return fmt.Sprintf("Every method has %s gradients of an image, all its replicas together: %s epochs of minibatches of %d, divided by %d rungs or %d members. Samplers have steps of %g/N, optimisers of %g/N; momentum is 0.9. Averages are of probabilities; SGDM is judged by its last model. Sweeps of the planned ladder, every %d iterations, take energies over all data, which adds about a third to its cost.",
		text.Count(a.gradients()), text.Count(a.epochs), posteriorBatch, rungs, members, posteriorStep, optimiserStep, sweepEvery)
}

func (a *appraisal) scoreTable() study.Table {
	t := study.Table{Title: "Against Hamiltonian Monte Carlo", Columns: []string{"method", "agreement, %", "total variation", "accuracy, %", "NLL"},
		Caption: fmt.Sprintf("Means of %d repetitions with 95 %% intervals.", a.repeats)}
	columns := []func(marks) float64{agreement, variation, accuracy, nll}
	row := func(name string, of func(func(marks) float64) string) {
		cells := []string{name}
		for _, c := range columns {
			cells = append(cells, of(c))
		}
		t.Rows = append(t.Rows, cells)
	}
	best := 0
	for i, r := range a.rivals {
		row(r.name, func(c func(marks) float64) string { return study.IntervalOf(r.column(c)).PlusMinus() })
		if study.IntervalOf(r.column(variation)).Mean < study.IntervalOf(a.rivals[best].column(variation)).Mean {
			best = i
		}
	}
	t.Best = [][2]int{{best, 2}}
	row("the reference itself", func(c func(marks) float64) string { return fmt.Sprintf("%.4g", c(a.reference)) })
	row("half of it against the other", func(c func(marks) float64) string { return fmt.Sprintf("%.4g", c(a.floor)) })
	return t
}

// dots draws the table.
func (a *appraisal) dots() (study.Picture, error) {
	value := func(v float64) *figure.Estimate { return &figure.Estimate{Value: v, Low: v, High: v} }
	q := figure.ScoreTable{Reference: "reference (of the first two: one half against the other)", Metrics: []figure.Metric{
		{Axis: figure.Axis{Name: "agreement", Unit: "%"}, Better: 1, Reference: value(agreement(a.floor))},
		{Axis: figure.Axis{Name: "total variation"}, Better: -1, Reference: value(a.floor.Variation)},
		{Axis: figure.Axis{Name: "accuracy", Unit: "%"}, Better: 1, Reference: value(accuracy(a.reference))},
		{Axis: figure.Axis{Name: "NLL", Unit: "nats"}, Better: -1, Reference: value(a.reference.NLL)}}}
	for _, r := range a.rivals {
		row := figure.ScoreRow{Name: r.name, Method: r.settings.Method}
		for _, c := range []func(marks) float64{agreement, variation, accuracy, nll} {
			row.Average = append(row.Average, estimate(study.IntervalOf(r.column(c))))
		}
		if r.single {
			row.Average, row.Single = nil, row.Average
		}
		q.Rows = append(q.Rows, row)
	}
	f, err := figure.Scores(q)
	return study.Picture{Name: "posterior-scores", Figure: f,
		Caption: "Predictions of all methods against those of Hamiltonian Monte Carlo, and against the labels, with 95 % intervals; rules are the reference."}, err
}

func (a *appraisal) ladderTold() string {
	r, other := a.find("r2SGHMC, planned"), a.find("r2SGHMC, indicator")
	var temperatures, rates, traded []string
	for _, tau := range r.settings.Temperature {
		temperatures = append(temperatures, fmt.Sprintf("%.3f", tau))
	}
	for k, p := range r.swaps {
		rates = append(rates, fmt.Sprintf("%.2f", p.MeanProbability()))
		traded = append(traded, fmt.Sprintf("%.2g", other.swaps[k].Rate()))
	}
	return fmt.Sprintf("Under a nearly Gaussian law of %s parameters one swap in two succeeds at a ratio of temperatures of %.4f, so that %d rungs reach from %s to %s: with energies over all data, rule metropolis swaps with probabilities of %s and makes %s round trips in %s sweeps a repetition. Such a ladder keeps the law and is honest, and it is hardly hotter at its end than at its beginning: at equal gradients it costs %d times the draws. "+
		"Rule indicator, on temperatures with a ratio of 1.6, keeps no law; there its pairs traded in shares of %s of their attempts, with %s round trips.",
		text.Count(a.plan.Parameters), a.plan.Ratio, rungs, temperatures[0], temperatures[rungs-1], strings.Join(rates, ", "), study.IntervalOf(r.trips).PlusMinus(), text.Count(r.settings.Epochs*a.data.Train.Len()/posteriorBatch/sweepEvery), rungs,
		strings.Join(traded, ", "), study.IntervalOf(other.trips).PlusMinus())
}

// against compares total variations of two lists of rivals.
func (a *appraisal) against(pairs ...[2]string) study.Comparisons {
	var out study.Comparisons
	for _, p := range pairs {
		out = append(out, study.Paired(p[0]+" against "+p[1], a.find(p[0]).column(variation), a.find(p[1]).column(variation)))
	}
	return out.Adjusted()
}

// claim is decided by comparisons of pairs, whose total variations are its numbers.
func (a *appraisal) claim(id, said, test, first, second string, pairs ...[2]string) study.Claim {
	c := study.Claim{ID: id, Section: section, Text: said, Test: test, Basis: fmt.Sprintf("a posterior of %s weights, total variation to the reference", text.Count(a.yard.facts.Parameters))}
	seen := map[string]bool{}
	for _, p := range pairs {
		for _, name := range p {
			if !seen[name] {
				c.Numbers = append(c.Numbers, study.IntervalOf(a.find(name).column(variation)).Positive(name))
			}
			seen[name] = true
		}
	}
	c.Numbers = append(c.Numbers, study.Number{Name: "half of the reference against the other", Value: a.floor.Variation, Low: a.floor.Variation, High: a.floor.Variation})
	cs := a.against(pairs...)
	c.Why = cs.Tell(first, second)
	return cs.Claim(c, a.repeats)
}

func (a *appraisal) exchangeClaim() study.Claim {
	return a.claim("posterior-exchange", "Replica exchange explores the posterior better than one chain, at equal cost.",
		"Total variation to Hamiltonian Monte Carlo: r2SGHMC (a), planned and with rule indicator, against R-SGHMC (b).", "r2SGHMC", "R-SGHMC",
		[2]string{"r2SGHMC, planned", "R-SGHMC"}, [2]string{"r2SGHMC, indicator", "R-SGHMC"})
}

func (a *appraisal) uncertaintyClaim() study.Claim {
	return a.claim("posterior-uncertainty", "Averages over samples tell the uncertainty of the posterior, better than ensembles and SWAG of equal cost.",
		"Total variation to Hamiltonian Monte Carlo: R-SGHMC and planned r2SGHMC (a) against the deep ensemble and SWAG (b).", "The sampler", "its rival",
		[2]string{"R-SGHMC", "deep ensemble"}, [2]string{"R-SGHMC", "SWAG"}, [2]string{"r2SGHMC, planned", "deep ensemble"}, [2]string{"r2SGHMC, planned", "SWAG"})
}

func (a *appraisal) wallClaim() study.Claim {
	c := a.claim("posterior-walls", "Walls at ±4 improve the exploration of a posterior.",
		"Total variation to Hamiltonian Monte Carlo: R-SGHMC (a) against SGHMC (b).", "R-SGHMC", "SGHMC", [2]string{"R-SGHMC", "SGHMC"})
	if !a.find("R-SGHMC").walls {
		c.Why = "No weight came near a wall: both chains are the same, number by number. " + c.Why
	}
	return c
}
