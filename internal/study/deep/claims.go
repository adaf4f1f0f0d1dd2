package deep

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/training"
)

// claims are all claims of the study.
func (m *inquiry) claims() []study.Claim {
	metrics := m.metrics()
	against := func(name string) question {
		return question{"against-" + name, metrics[:3], 0, [][2]string{{"r2sghmc", name}}}
	}
	return slices.Concat([]study.Claim{m.reflectedBetter(0), m.reflectedBetter(1), m.reflectedBetter(2),
		m.ask(question{"best", metrics[:2], 0, rivals()}), m.largerSteps(),
		m.ask(question{"exchange", metrics[:3], 0, [][2]string{{"resghmc", "sghmc"}, {"r2sghmc", "r-sghmc"}}}), m.figures(), m.averageBetter(),
		m.ask(against("ensemble")), m.ask(against("swag")), m.population()})
}

// A question is a claim that comparisons of pairs of methods in some metrics decide.
type question struct {
	id      string
	metrics []metric
	told    int // which of all metrics numbers are of
	pairs   [][2]string
}

// ask decides a question.
func (m *inquiry) ask(q question) study.Claim {
	f := struct {
		By     study.Comparisons
		Metric int
	}{m.compare(q.metrics, q.pairs...), q.told}
	return m.compared(q.id, f.By, f)
}

// compared is a claim that comparisons decide.
func (m *inquiry) compared(id string, by study.Comparisons, facts any) study.Claim {
	return m.prose().Compared("cifar-"+id, by, m.subjects[0].repeats, facts)
}

func (m *inquiry) reflectedBetter(k int) study.Claim {
	return m.ask(question{"reflected-" + []string{"accuracy", "nll", "brier"}[k], m.metrics()[k : k+1], k, mirrored()})
}

// scores are those of a metric of all repetitions, a guess where one diverged.
func (o *outcome) scores(c metric, which func(*run) bnn.Scores) []float64 {
	out := make([]float64, len(o.runs))
	for i, r := range o.runs {
		if out[i] = c.guess(o.network.Outputs); r.Fault == "" {
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

// numbers are a metric of methods on the first network.
func (m *inquiry) numbers(metric int, methods []string) (out []study.Number) {
	c := m.metrics()[metric]
	for _, name := range methods {
		if o := m.find(m.subjects[0].kind, name); o != nil {
			out = append(out, o.interval(c, average).Number(c.name+" of "+told(name)).Within(0, c.most))
		}
	}
	return out
}

// interval is a metric of the runs with scores.
func (o *outcome) interval(c metric, which func(*run) bnn.Scores) study.Interval {
	return study.IntervalOf(o.column(func(r *run) float64 { return c.of(which(r)) }))
}

// averageBetter compares the average with the single model of each sampler.
func (m *inquiry) averageBetter() study.Claim {
	nll := m.metrics()[1]
	var f struct {
		By          study.Comparisons
		Differences []study.Number
	}
	for _, u := range m.subjects {
		for _, name := range eight() {
			o := m.find(u.kind, name)
			if o == nil {
				continue
			}
			f.By = append(f.By, study.Paired(told(name)+" on "+toldNet(u.kind), o.scores(nll, average), o.scores(nll, single)))
			if d := o.column(func(r *run) float64 { return r.Average.NLL - r.Single.NLL }); u.kind == m.subjects[0].kind {
				f.Differences = append(f.Differences, study.IntervalOf(d).Number("NLL of the average less that of the single model, "+told(name)))
			}
		}
	}
	f.By = f.By.Adjusted()
	return m.compared("average", f.By, f)
}

// figures compares with the numbers of the paper, at its scale.
func (m *inquiry) figures() study.Claim {
	type reached struct {
		Network    string
		Accuracy   study.Interval
		Mean, Half float64 // the paper's
	}
	var known []reached
	within := 0
	for _, x := range []struct {
		kind       string
		mean, half float64
	}{{"resnet20", 75.38, 0.17}, {"resnet56", 79.39, 0.30}, {"bottleneck56", 79.39, 0.30}} {
		o := m.find(x.kind, "r2sghmc")
		if m.Scale != study.Paper || o == nil || len(o.complete()) < 2 {
			continue
		}
		v := o.interval(m.metrics()[0], average)
		if v.Mean+v.Half >= x.mean-x.half {
			within++
		}
		known = append(known, reached{toldNet(x.kind), v, x.mean, x.half})
	}
	return m.prose().Claim("cifar-figures", study.Among(within, len(known)), known)
}

// A sweptMethod is what became of a method in the sweep.
type sweptMethod struct {
	Name                string
	Largest             float64 // step without a failure
	Failures, Trainings int
}

// largerSteps weighs the sweep.
func (m *inquiry) largerSteps() study.Claim {
	f := struct {
		Pairs       [][2]sweptMethod // without and with reflection
		Failures    int
		First, Last float64
		Best        []string
	}{First: m.steps[0], Last: m.steps[len(m.steps)-1], Best: m.useful()}
	larger := 0
	for _, p := range mirrored()[:2] {
		var pair [2]sweptMethod
		for i, name := range []string{p[1], p[0]} {
			x := sweptMethod{told(name), m.largest(name), 0, m.sweeps * len(m.steps)}
			for _, o := range m.of(name) {
				x.Failures += o.failed()
			}
			pair[i] = x
			f.Failures += x.Failures
		}
		if pair[1].Largest > pair[0].Largest {
			larger++
		}
		f.Pairs = append(f.Pairs, pair)
	}
	v := study.Among(larger, len(f.Pairs))
	if f.Failures == 0 {
		v = study.Untestable
	}
	return m.prose().Claim("cifar-larger-steps", v, f)
}

// useful tells at which step each method is most accurate.
func (m *inquiry) useful() (out []string) {
	for _, name := range sweeping() {
		best, at := math.Inf(-1), 0.0
		for _, o := range m.of(name) {
			if v := o.interval(m.metrics()[0], average).Mean; v > best {
				best, at = v, o.settings.StepSize[0]
			}
		}
		if !math.IsInf(best, 0) {
			out = append(out, fmt.Sprintf("%s at %g (%.1f %%)", told(name), at, best))
		}
	}
	return out
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
	f := struct {
		Decades, Barrier float64
		Needed           int
		Traded           []float64
		Likeliest        string
	}{decades(p), p.Barrier, p.Needed, m.find(m.subjects[0].kind,
		"r2sghmc").column((*run).traded), training.Probability(slices.Max(p.LogAcceptance))}
	v := study.Depends
	switch {
	case slices.Min(p.LogAcceptance) >= math.Log(trading):
		v = study.Holds
	case slices.Max(p.LogAcceptance) < math.Log(never):
		v = study.Fails
	}
	return m.prose().Claim("cifar-swaps-sample", v, f)
}

// decades is the largest logarithm of a mean swap probability of a plan, to base 10.
func decades(p *bnn.Plan) float64 { return slices.Max(p.LogAcceptance) / math.Ln10 }
