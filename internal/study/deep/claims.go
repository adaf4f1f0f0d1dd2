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

// claims are all claims of the study.
func (m *inquiry) claims() []study.Claim {
	metrics := m.metrics()
	against := func(name string) question {
		return question{"against-" + name, metrics[:3], 0, [][2]string{{"r2sghmc", name}}}
	}
	return []study.Claim{m.reflectedBetter(0), m.reflectedBetter(1), m.reflectedBetter(2),
		m.ask(question{"best", metrics[:2], 0, rivals()}),
		m.ask(question{"cyclical", metrics[:3], 0, [][2]string{{"cycsghmc", "sghmc"}, {"r-cycsghmc", "r-sghmc"}}}),
		m.ask(question{"exchange", metrics[:3], 0, [][2]string{{"resghmc", "sghmc"}, {"r2sghmc", "r-sghmc"}}}),
		m.ask(question{"gates", metrics[:3], 0, [][2]string{{"resghmc", "resghmc" + exact}, {"r2sghmc", "r2sghmc" + exact}}}),
		m.largerSteps(), m.optimum(), m.stable(), m.figures(0), m.figures(1), m.figures(2), m.roundTrips(), m.settled(), m.averageBetter(),
		m.ask(against("ensemble")), m.ask(against("swag")), m.population()}
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

// Steps of the sweep between these are about the paper's.
const nearLow, nearHigh = paperStep / 2, paperStep * 1.5

// optimum weighs whether a first step of about 2 is the best, at scale paper.
func (m *inquiry) optimum() study.Claim {
	var f struct {
		By   study.Comparisons
		Best []study.Number // steps
	}
	for _, name := range sweeping() {
		at := slices.IndexFunc(m.of(name), func(o *outcome) bool { return o.settings.StepSize[0] == paperStep })
		for _, c := range m.metrics()[:2] {
			best, step := math.Inf(1), math.NaN()
			for _, o := range m.of(name) {
				eta := o.settings.StepSize[0]
				scores := c.lower(o.scores(c, average))
				if v := study.IntervalOf(scores).Mean; v < best {
					best, step = v, eta
				}
				if at >= 0 && (eta < nearLow || eta > nearHigh) {
					f.By = append(f.By, study.Paired(fmt.Sprintf("%s, step %g against %g, %s", told(name), paperStep, eta, c.label()),
						c.lower(m.of(name)[at].scores(c, average)), scores))
				}
			}
			f.Best = append(f.Best, study.Exactly("step with the best "+c.name+" of "+told(name), step))
		}
	}
	f.By = f.By.Adjusted()
	if m.Scale != study.Paper {
		return m.prose().Claim("cifar-optimum", study.Untestable, f)
	}
	return m.compared("optimum", f.By, f)
}

// The paper's words on steps over large are of accuracies over high per cent.
const large, high = 10.0, 70.0

// stable weighs whether reflected methods predict well after steps over 10.
func (m *inquiry) stable() study.Claim {
	var f struct{ Accuracy []study.Number }
	well, all := 0, 0
	for _, p := range mirrored()[:2] {
		for _, o := range m.of(p[0]) {
			if o.settings.StepSize[0] <= large {
				continue
			}
			all++
			v := study.IntervalOf(o.scores(m.metrics()[0], average))
			if v.Mean-v.Half > high {
				well++
			}
			of := fmt.Sprintf("accuracy, %%, of %s, step %g", told(p[0]), o.settings.StepSize[0])
			f.Accuracy = append(f.Accuracy, v.Number(of).Within(0, 100))
		}
	}
	return m.prose().Claim("cifar-stable", study.Among(well, all), f)
}

// laddered are the outcomes of the methods with swaps, those as printed alone if so.
func (m *inquiry) laddered(printed bool) (out []*outcome) {
	for _, o := range m.outcomes {
		if bnn.Exchanges(o.settings.Method) && !(printed && strings.HasSuffix(o.method, exact)) {
			out = append(out, o)
		}
	}
	return out
}

// roundTrips weighs whether there are three to four in the paper's epochs.
func (m *inquiry) roundTrips() study.Claim {
	var f struct{ Trips []study.Number }
	within, all := 0, 0
	for _, o := range m.laddered(false) {
		v := study.IntervalOf(o.column((*run).trips))
		f.Trips = append(f.Trips, v.Positive("round trips a training, "+toldNet(o.network.Kind)+", "+told(o.method)))
		if m.Scale == study.Paper && !strings.HasSuffix(o.method, exact) {
			all++
			if study.ThreeToFour(v.Mean / float64(len(o.settings.Temperature))) {
				within++
			}
		}
	}
	return m.prose().Claim("cifar-round-trips", study.Among(within, all), f)
}

// still is how little 𝒞 moves at a fixed point, as a share of where it has been.
const still = 0.1

// settled weighs whether 𝒞 comes to a fixed point.
func (m *inquiry) settled() study.Claim {
	f := struct {
		Settled, Trainings int
		Moved              []float64 // in the last quarter, as a share of the range before
		Level              []study.Number
	}{}
	for _, o := range m.laddered(true) {
		for _, r := range o.complete() {
			share := r.moved()
			f.Trainings++
			f.Moved = append(f.Moved, share)
			if share < still {
				f.Settled++
			}
		}
		f.Level = append(f.Level, study.IntervalOf(o.column((*run).level)).Number("𝒞 at the end, "+toldNet(o.network.Kind)+", "+told(o.method)))
	}
	return m.prose().Claim("cifar-threshold", study.Among(f.Settled, f.Trainings), f)
}

// moved is the range of 𝒞 in the last quarter of the epochs, as a share of its range before; 0 where
// it never moved.
func (r *run) moved() float64 {
	n := len(r.Epochs)
	from := n - max(1, n/4)
	low, high := 0.0, 0.0 // 𝒞 at the beginning
	least, most := 0.0, 0.0
	for i, e := range r.Epochs {
		if i < from {
			low, high, least, most = min(low, e.Level), max(high, e.Level), e.Level, e.Level
			continue
		}
		least, most = min(least, e.Level), max(most, e.Level)
	}
	if least == most {
		return 0
	}
	return (most - least) / (high - low)
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
		Attempts, Traded []float64 // of each training
		Likeliest        string
	}{Decades: decades(p), Barrier: p.Barrier, Needed: p.Needed, Likeliest: training.Probability(slices.Max(p.LogAcceptance))}
	for _, r := range m.find(m.subjects[0].kind, "r2sghmc").complete() {
		attempts, traded := r.swaps()
		f.Attempts, f.Traded = append(f.Attempts, float64(attempts)), append(f.Traded, float64(traded))
	}
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
