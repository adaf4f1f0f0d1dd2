package deep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/training"
)

// section is where the paper tells of images.
const section = "5.3"

// ruleText says how verdicts are reached.
func ruleText() string {
	return study.Rule("paired t over repetitions that share first weights, minibatches and noise, in every comparison (network, methods, score)", "; nor if a and b are the same numbers") +
		" Scores are those of averages of models at the last epoch; accuracy is compared as the error, 100 % less it. A training whose loss is not finite counts as a model that guesses."
}

// claims are all claims of the study.
func (m *inquiry) claims() []study.Claim {
	out := []study.Claim{}
	for _, k := range []int{0, 1, 2} {
		out = append(out, m.reflectedBetter(k))
	}
	return append(out, m.best(), m.largerSteps(), m.exchangeBetter(), m.figures(), m.averageBetter(), m.baseline("ensemble"), m.baseline("swag"), m.population())
}

// scores are those of a metric of all repetitions, a guess where one diverged.
func (o *outcome) scores(c metric, which func(*run) bnn.Scores) []float64 {
	out := make([]float64, len(o.runs))
	for i, r := range o.runs {
		if out[i] = c.guess(o.network.Outputs); r.fault == nil {
			out[i] = c.of(which(r))
		}
	}
	return out
}

// lower turns scores of which more is better into ones of which less is.
func (c metric) lower(v []float64) []float64 {
	if c.better > 0 {
		for i := range v {
			v[i] = 100 - v[i]
		}
	}
	return v
}

// label is what is compared.
func (c metric) label() string {
	if c.better > 0 {
		return "error, %"
	}
	return c.name
}

// compare compares pairs of methods on all networks that have both, in some metrics.
func (m *inquiry) compare(metrics []metric, pairs ...[2]string) (out study.Comparisons) {
	for _, u := range m.subjects {
		for _, p := range pairs {
			a, b := m.find(u.kind, p[0]), m.find(u.kind, p[1])
			if a == nil || b == nil {
				continue
			}
			for _, c := range metrics {
				out = append(out, study.Paired(fmt.Sprintf("%s against %s, %s, %s", told(p[0]), told(p[1]), toldNet(u.kind), c.label()),
					c.lower(a.scores(c, average)), c.lower(b.scores(c, average))))
			}
		}
	}
	return out.Adjusted()
}

// basis is what the numbers of claims are of.
func (m *inquiry) basis() string {
	return fmt.Sprintf("%s, %s, %d epochs", toldNet(m.subjects[0].kind), m.source.told, m.epochs)
}

// numbers are a metric of methods on the first network.
func (m *inquiry) numbers(c metric, methods ...string) (out []study.Number) {
	for _, name := range methods {
		if o := m.find(m.subjects[0].kind, name); o != nil {
			v := study.IntervalOf(o.column(func(r *run) float64 { return c.of(r.average) }))
			out = append(out, v.Number(c.name+" of "+told(name)).Within(0, c.most))
		}
	}
	return out
}

// ordinary is a claim that comparisons decide.
func (m *inquiry) ordinary(id, text, test string, cs study.Comparisons, numbers []study.Number, why string) study.Claim {
	return cs.Claim(study.Claim{ID: id, Section: section, Text: text, Test: test, Numbers: numbers, Why: why, Basis: m.basis()}, m.subjects[0].repeats)
}

func (m *inquiry) reflectedBetter(k int) study.Claim {
	c := m.metrics()[k]
	name := []string{"accuracy", "NLL", "Brier"}[k]
	cs := m.compare([]metric{c}, mirrored()...)
	var labels []string
	for _, p := range mirrored() {
		labels = append(labels, p[0], p[1])
	}
	words := []string{"higher accuracy", "lower NLL", "lower Brier score"}[k]
	return m.ordinary("cifar-reflected-"+strings.ToLower(name), "Every reflected method has a "+words+" than its partner without reflection.",
		"Each reflected method (a) against its partner (b), "+c.label()+".", cs, m.numbers(c, labels...),
		cs.Tell("The reflected method", "its partner")+" "+m.wallsSay())
}

// wallsSay tells how often walls were met at the base step.
func (m *inquiry) wallsSay() string {
	most := 0.0
	for _, o := range m.outcomes {
		if bnn.Reflects(o.settings.Method) {
			most = max(most, o.reflected())
		}
	}
	if most == 0 {
		return "No coordinate met a wall in any training, so that reflection changed nothing."
	}
	return fmt.Sprintf("Walls were met by a share of at most %.2g of the coordinates in a step.", most)
}

func (m *inquiry) best() study.Claim {
	others := slices.DeleteFunc(eight(), func(name string) bool { return name == "r2sghmc" })
	var pairs [][2]string
	for _, name := range others {
		pairs = append(pairs, [2]string{"r2sghmc", name})
	}
	cs := m.compare(m.metrics()[:2], pairs...)
	return m.ordinary("cifar-best", "r2SGHMC predicts best of all eight methods.",
		"r2SGHMC (a) against each of the seven others (b), error and NLL.", cs, m.numbers(m.metrics()[0], slices.Concat([]string{"r2sghmc"}, others)...),
		cs.Tell("r2SGHMC", "another method")+" Four rungs cost four times a single chain.")
}

func (m *inquiry) exchangeBetter() study.Claim {
	cs := m.compare(m.metrics()[:3], [2]string{"resghmc", "sghmc"}, [2]string{"r2sghmc", "r-sghmc"})
	return m.ordinary("cifar-exchange", "Replica exchange predicts better than a single chain.",
		"reSGHMC against SGHMC and r2SGHMC against R-SGHMC (a against b), error, NLL and Brier, at equal epochs, four times the compute.", cs,
		slices.Concat(m.numbers(m.metrics()[0], "resghmc", "sghmc", "r2sghmc", "r-sghmc"), m.numbers(m.metrics()[1], "resghmc", "sghmc", "r2sghmc", "r-sghmc")),
		cs.Tell("The ladder", "the single chain"))
}

// baseline compares r2SGHMC with an ensemble or with SWAG, which the paper does not.
func (m *inquiry) baseline(name string) study.Claim {
	cs := m.compare(m.metrics()[:3], [2]string{"r2sghmc", name})
	at := map[string]string{"ensemble": "at equal compute", "swag": "at four times its compute"}[name]
	return m.ordinary("cifar-against-"+name, "r2SGHMC predicts better than "+map[string]string{"ensemble": "a deep ensemble of four nets", "swag": "SWAG"}[name]+", "+at+" (not in the paper).",
		"r2SGHMC (a) against "+told(name)+" (b), error, NLL and Brier.", cs,
		slices.Concat(m.numbers(m.metrics()[0], "r2sghmc", name), m.numbers(m.metrics()[1], "r2sghmc", name)), cs.Tell("r2SGHMC", told(name)))
}

// averageBetter compares the average with the single model of each sampler.
func (m *inquiry) averageBetter() study.Claim {
	nll := m.metrics()[1]
	var cs study.Comparisons
	var numbers []study.Number
	for _, u := range m.subjects {
		for _, name := range eight() {
			o := m.find(u.kind, name)
			if o == nil {
				continue
			}
			cs = append(cs, study.Paired(told(name)+" on "+toldNet(u.kind), o.scores(nll, average), o.scores(nll, single)))
			d := o.column(func(r *run) float64 { return r.average.NLL - r.single.NLL })
			if u.kind == m.subjects[0].kind {
				numbers = append(numbers, study.IntervalOf(d).Number("NLL of the average less that of the single model, "+told(name)))
			}
		}
	}
	cs = cs.Adjusted()
	return m.ordinary("cifar-average", "The Bayesian model average has a lower NLL than the single model, for each sampler.",
		"The average (a) against the last epoch's model (b) of the same training, NLL.", cs, numbers, cs.Tell("The average", "the single model"))
}

// figures compares with the numbers of the paper, at its scale.
func (m *inquiry) figures() study.Claim {
	c := study.Claim{ID: "cifar-figures", Section: section, Text: "r2SGHMC reaches 75.38 ± 0.17 % on CIFAR-100 with ResNet20 and 79.39 ± 0.30 % with ResNet56.",
		Test: "At scale paper the accuracy of the average, with its interval, against the paper's.", Basis: m.basis(), Verdict: study.Untestable,
		Numbers: m.numbers(m.metrics()[0], "r2sghmc"), Why: "These runs are of another size: only scale paper, on CIFAR-100, can decide it."}
	if m.Scale != study.Paper {
		return c
	}
	within, known := 0, 0
	c.Numbers, c.Why = nil, ""
	for _, x := range []struct {
		kind       string
		mean, half float64
	}{{"resnet20", 75.38, 0.17}, {"resnet56", 79.39, 0.30}, {"bottleneck56", 79.39, 0.30}} {
		o := m.find(x.kind, "r2sghmc")
		if o == nil || len(o.complete()) < 2 {
			continue
		}
		known++
		v := study.IntervalOf(o.column(func(r *run) float64 { return 100 * r.average.Accuracy }))
		if v.Mean+v.Half >= x.mean-x.half {
			within++
		}
		c.Numbers = append(c.Numbers, v.Number("accuracy of "+toldNet(x.kind)))
		c.Why += fmt.Sprintf("%s: %s against %.2f ± %.2f. ", toldNet(x.kind), v.PlusMinus(), x.mean, x.half)
	}
	if c.Why = strings.TrimSpace(c.Why); known == 0 {
		c.Why = "No training with these networks was complete."
		return c
	}
	c.Verdict = map[bool]study.Verdict{true: study.Holds, false: study.Depends}[within == known]
	if within == 0 {
		c.Verdict = study.Fails
	}
	return c
}

// largerSteps weighs the sweep.
func (m *inquiry) largerSteps() study.Claim {
	c := study.Claim{ID: "cifar-larger-steps", Section: section, Text: "Reflection allows larger step sizes: unreflected methods fail where reflected ones do not.",
		Test:  "The largest first step up to which no training failed, SGDM against R-SGDM and SGHMC against R-SGHMC. It holds if that of the reflected method is larger in both, does not hold if it is in neither, and depends otherwise; without a failure it is not testable.",
		Basis: fmt.Sprintf("%s, %s, %d epochs", toldNet(m.subjects[0].kind), m.source.told, m.sweepEpochs)}
	larger := 0
	var parts []string
	for _, p := range mirrored()[:2] {
		if m.largest(p[0]) > m.largest(p[1]) {
			larger++
		}
		parts = append(parts, fmt.Sprintf("%s fails in %d of %d trainings, %s in %d of %d", told(p[1]), m.failures(p[1]), m.sweeps*len(m.steps), told(p[0]), m.failures(p[0]), m.sweeps*len(m.steps)))
		for _, name := range []string{p[1], p[0]} {
			c.Numbers = append(c.Numbers, exactly("largest step without a failure, "+told(name), m.largest(name)))
		}
	}
	c.Why = strings.Join(parts, "; ") + fmt.Sprintf(", at first steps from %g to %g.", m.steps[0], m.steps[len(m.steps)-1])
	switch {
	case m.failures(sweeping()...) == 0:
		c.Verdict, c.Why = study.Untestable, "No training failed at any step. "+c.Why
	case larger == 2:
		c.Verdict = study.Holds
	case larger > 0:
		c.Verdict = study.Depends
	default:
		c.Verdict = study.Fails
	}
	if best := m.useful(); best != "" {
		c.Why += " " + best
	}
	return c
}

// failures counts the trainings of methods that failed in the sweep.
func (m *inquiry) failures(methods ...string) (n int) {
	for _, name := range methods {
		for _, o := range m.of(name) {
			n += o.failed()
		}
	}
	return n
}

// useful tells at which step each method is most accurate.
func (m *inquiry) useful() string {
	var parts []string
	for _, name := range sweeping() {
		best, at := math.Inf(-1), 0.0
		for _, o := range m.of(name) {
			if v := study.IntervalOf(o.column(func(r *run) float64 { return 100 * r.average.Accuracy })).Mean; v > best {
				best, at = v, o.settings.StepSize[0]
			}
		}
		if !math.IsInf(best, 0) {
			parts = append(parts, fmt.Sprintf("%s at %g (%.1f %%)", told(name), at, best))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Most accurate are " + strings.Join(parts, ", ") + "."
}

// A pair that trades once in twenty attempts does so hundreds of times in the paper's
// 12,500 attempts of a training, enough for round trips; one that trades less than once in
// a million does not in all its ten repetitions together.
const (
	trading = 0.05
	never   = 1e-6
)

// population weighs what swaps are.
func (m *inquiry) population() study.Claim {
	p := m.plans[0]
	most := likeliest(p)
	c := study.Claim{ID: "cifar-swaps-sample", Section: "4 and 5.3", Text: "Swaps between the rungs keep the law of each rung (implied: replica exchange samples the posterior).",
		Test:  "The forecast probability of a swap by rule metropolis, which keeps the laws: it holds if every pair has 5 % or more, and does not hold if every pair has less than one in a million.",
		Basis: m.basis(),
		Numbers: []study.Number{exactly("largest log₁₀ of the mean probability of a swap", most/math.Ln10), exactly("barrier Λ", p.Barrier),
			exactly("rungs for one swap in two", float64(p.Needed))}}
	traded := m.find(m.subjects[0].kind, "r2sghmc").column((*run).traded)
	c.Numbers = append(c.Numbers, study.IntervalOf(traded).Number("share of swaps that rule indicator makes, r2SGHMC").Within(0, 1))
	least := slices.Min(p.LogAcceptance)
	switch {
	case least >= math.Log(trading):
		c.Verdict = study.Holds
	case most < math.Log(never):
		c.Verdict = study.Fails
	default:
		c.Verdict = study.Depends
	}
	c.Why = fmt.Sprintf("By rule metropolis a pair would trade with a mean probability of %s at best. Rule indicator trades nonetheless: at this size replica exchange is a population optimiser.", training.Probability(most))
	return c
}

// exactly is a number without an interval.
func exactly(name string, v float64) study.Number {
	return study.Number{Name: name, Value: v, Low: math.NaN(), High: math.NaN()}
}
