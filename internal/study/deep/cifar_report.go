package deep

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/training"
)

//go:embed cifar.tmpl
var words string

// study puts everything together.
func (m *inquiry) study() (*study.Study, error) {
	pictures, err := m.pictures()
	if err != nil {
		return nil, err
	}
	s, p := m.Begin("cifar", Title), m.prose()
	for name, into := range map[string]*string{"effort": &s.Effort, "rule": &s.Rule} {
		if *into, err = p.Part(name, m.told()); err != nil {
			return nil, err
		}
	}
	s.Claims, s.Results = m.claims(), m.results()
	s.Hint = "They are for r2sgld train, with all repetitions of a method."
	for _, o := range slices.Concat(m.outcomes, m.swept) {
		s.Settings = append(s.Settings, study.Setting{Name: o.name(), Text: m.yaml(o.item, len(o.runs))})
	}
	s.Sections, err = p.Sections(nil, pictures)
	return s, err
}

// A toldEffort is what was run, in the words of the report.
type toldEffort struct {
	First, Images, Scale, Repeats, Sweeps                string // First is a network
	Train, Test, Outside, Classes                        int
	Epochs, PaperEpochs, Batch, Diverged                 int
	Cycle, SweepEpochs, Window                           int
	Step, Fall, PaperFall, From, Cooled, Guessing, Guess float64
	Bound, Target                                        float64
	Walled, Precision                                    string
	Temperature                                          []float64
	Steps                                                []float64
}

func (m *inquiry) told() toldEffort {
	d, k := m.source.data, m.source.data.Train.Classes
	t := toldEffort{First: toldNet(m.subjects[0].kind), Images: m.source.told, Scale: string(m.Scale), Repeats: times(m.subjects[0].repeats),
		Sweeps: times(m.sweeps),
		Train:  d.Train.Len(), Test: d.Test.Len(), Classes: k, Epochs: m.epochs, PaperEpochs: paperEpochs, Batch: m.batch,
		Cycle: m.epochs / 3, SweepEpochs: m.sweepEpochs, Bound: m.bound, Target: m.target, Walled: "every coordinate",
		Window:    swaps("r2sghmc", m.target).WithDefaults(4).Window,
		Precision: m.precision,
		Step:      m.step, Fall: 100 * m.fall, PaperFall: 100 * paperFall, From: 100 * m.from, Cooled: cooled,
		Guessing: guessing, Guess: guessing * math.Log(float64(k)), Steps: m.steps}
	if d.Outside != nil {
		t.Outside = d.Outside.Len()
	}
	if m.walled != nil {
		t.Walled = "every weight of convolutions and linear maps"
	}
	if o := m.find(m.subjects[0].kind, "r2sghmc"); o != nil {
		t.Temperature = o.settings.Temperature
	}
	for _, o := range m.outcomes {
		t.Diverged += o.broken()
	}
	return t
}

// prose is what the study says.
func (m *inquiry) prose() *study.Prose {
	return study.NewProse(words, template.FuncMap{
		"effort": m.told, "briefly": briefly, "paper": func() bool { return m.Scale == study.Paper }, "of": m.numbers, "decades": decades,
		"plan": func() *bnn.Plan { return m.plans[0] }, "same": m.same, "settings": m.settingRows, "scores": m.scoreRows, "swept": m.sweepRows,
		"walled": m.wallRows, "forecasts": m.planRows, "traded": m.swapRows, "targets": m.targetRows,
		"spent": func() study.Spells { return m.spent },
		"kind":  func(subject int) string { return m.subjects[subject].kind },
		"subjects": func() (out []string) {
			for _, u := range m.subjects {
				out = append(out, toldNet(u.kind))
			}
			return out
		},
		"metrics": func() (out []string) {
			for _, c := range m.metrics() {
				out = append(out, c.name)
			}
			return out
		},
		"mirrored": func() (out []string) {
			for _, p := range mirrored() {
				out = append(out, p[0], p[1])
			}
			return out
		},
		"leading": func() (out []string) {
			for _, p := range rivals() {
				out = append(out, p[1])
			}
			return append([]string{"r2sghmc"}, out...)
		},
		"mostReflected": func() (most float64) {
			for _, o := range m.outcomes {
				if bnn.Reflects(o.settings.Method) {
					most = max(most, o.reflected())
				}
			}
			return most
		},
		"devices": func() (out []string) {
			n := map[string]int{}
			for _, d := range m.devices {
				n[d]++
			}
			for _, d := range slices.Sorted(maps.Keys(n)) {
				out = append(out, fmt.Sprintf("%d on %s", n[d], d))
			}
			return out
		},
	})
}

// A metric is a column of the tables of scores.
type metric struct {
	name   string
	better int                       // +1 if more is better, −1 if less is
	most   float64                   // it is in [0, most]
	of     func(bnn.Scores) float64  // NaN where it is not known
	guess  func(classes int) float64 // that of a model that knows nothing
}

// metrics are the columns, those that the claims are about first.
func (m *inquiry) metrics() []metric {
	miss := func(k int) float64 { return 1 - 1/float64(k) }
	out := []metric{
		{"accuracy, %", 1, 100, func(j bnn.Scores) float64 { return 100 * j.Accuracy }, func(k int) float64 { return 100 / float64(k) }},
		{"NLL", -1, math.Inf(1), func(j bnn.Scores) float64 { return j.NLL }, func(k int) float64 { return math.Log(float64(k)) }},
		{"Brier", -1, 2, func(j bnn.Scores) float64 { return j.Brier }, miss},
		{"ECE", -1, 1, func(j bnn.Scores) float64 { return j.ECE }, func(int) float64 { return 0 }},
		{"NLL, scaled", -1, math.Inf(1), func(j bnn.Scores) float64 { return j.ScaledNLL }, func(k int) float64 { return math.Log(float64(k)) }},
		{"AURC", -1, 1, func(j bnn.Scores) float64 { return j.AURC }, miss},
	}
	if m.source.data.Outside != nil {
		out = append(out, metric{"AUROC, outside", 1, 1, func(j bnn.Scores) float64 { return j.Detection.AUROC },
			func(int) float64 { return 0.5 }},
			metric{"FPR95, outside", -1, 1, func(j bnn.Scores) float64 { return j.Detection.FPR95 }, func(int) float64 { return 0.95 }})
	}
	return out
}

func average(r *run) bnn.Scores { return r.Average }
func single(r *run) bnn.Scores  { return r.Single }

func (m *inquiry) settingRows() (out [][]string) {
	for _, o := range m.outcomes {
		kept, parameters := "–", "–"
		if c := o.complete(); len(c) > 0 {
			kept = fmt.Sprint(c[0].Kept)
		}
		if p := m.planOf(o.network.Kind); p != nil {
			parameters = text.Count(p.Parameters)
		}
		out = append(out, []string{toldNet(o.network.Kind), parameters, told(o.method), fmt.Sprint(o.settings.Replicas()),
			span(o.settings.StepSize), span(o.settings.Temperature), fmt.Sprint(len(o.runs)), kept})
	}
	return out
}

// briefly tells numbers in four digits.
func briefly(v []float64) (out []string) {
	for _, x := range v {
		out = append(out, fmt.Sprintf("%.4g", x))
	}
	return out
}

// span tells the first and the last of some numbers.
func span(v []float64) string {
	if len(v) == 1 {
		return fmt.Sprintf("%.3g", v[0])
	}
	return fmt.Sprintf("%.3g … %.3g", v[0], v[len(v)-1])
}

func (m *inquiry) planOf(kind string) *bnn.Plan {
	for i, u := range m.subjects {
		if u.kind == kind && i < len(m.plans) {
			return m.plans[i]
		}
	}
	return nil
}

// scoreRows are the methods on a network, of single models or of averages. The best stand out.
func (m *inquiry) scoreRows(subject int, alone bool) (out [][]string) {
	u, which := m.subjects[subject], average
	if alone {
		which = single
	}
	for _, name := range u.methods {
		out = append(out, []string{told(name)})
	}
	for _, c := range m.metrics() {
		best, most := 0, math.NaN()
		for i, name := range u.methods {
			v := m.find(u.kind, name).interval(c, which)
			out[i] = append(out[i], v.PlusMinus())
			if mean := float64(c.better) * v.Mean; math.IsNaN(most) || mean > most {
				best, most = i, mean
			}
		}
		if len(u.methods) > 1 && !math.IsNaN(most) {
			row := out[best]
			row[len(row)-1] = "**" + row[len(row)-1]
		}
	}
	for i, name := range u.methods {
		o := m.find(u.kind, name)
		made, trips, level := o.swapped()
		out[i] = append(out[i], fmt.Sprintf("%d of %d", o.broken(), len(o.runs)), made, trips, level)
	}
	return out
}

// swapped tells, of a method with swaps, the mean swaps and attempts of a training pair by pair, its
// round trips, and 𝒞 at its end.
func (o *outcome) swapped() (made, trips, level string) {
	if !bnn.Exchanges(o.settings.Method) || len(o.complete()) == 0 {
		return "–", "–", "–"
	}
	var pairs []string
	n := float64(len(o.complete()))
	for _, p := range training.Traded(o.pairs()...) {
		pairs = append(pairs, fmt.Sprintf("%.3g of %.3g", float64(p.Accepted)/n, float64(p.Attempts)/n))
	}
	return strings.Join(pairs, ", "), study.IntervalOf(o.column((*run).trips)).PlusMinus(),
		study.IntervalOf(o.column((*run).level)).PlusMinus()
}

// same counts the pairs of methods, and those of the same scores in all repetitions.
func (m *inquiry) same() any {
	var f struct{ Same, Pairs int }
	for _, u := range m.subjects {
		for _, p := range mirrored() {
			if a, b := m.find(u.kind, p[0]), m.find(u.kind, p[1]); a != nil && b != nil {
				f.Pairs++
				if a.identical(b) {
					f.Same++
				}
			}
		}
	}
	return f
}

// identical reports whether two items found the same scores in all repetitions.
func (o *outcome) identical(p *outcome) bool {
	for i, r := range o.runs {
		if i >= len(p.runs) || (r.Fault == "") != (p.runs[i].Fault == "") || r.Average.NLL != p.runs[i].Average.NLL ||
			r.Single.NLL != p.runs[i].Single.NLL {
			return false
		}
	}
	return true
}

func (m *inquiry) wallRows() (out [][]string) {
	for _, o := range slices.Concat(m.outcomes, m.swept) {
		if !bnn.Reflects(o.settings.Method) {
			continue
		}
		first, cold := 0.0, 0.0
		for _, r := range o.runs {
			for i, e := range r.Epochs {
				if i == 0 {
					first = max(first, slices.Max(e.Reflected))
				}
				cold = max(cold, e.Reflected[0])
			}
		}
		name := told(o.method)
		if o.about != "" {
			name += ", " + o.about
		}
		out = append(out, []string{toldNet(o.network.Kind), name, fmt.Sprintf("%.2g", first), fmt.Sprintf("%.2g", cold),
			fmt.Sprintf("%.2g", o.reflected())})
	}
	return out
}

func (m *inquiry) planRows() (out [][]string) {
	for i, p := range m.plans {
		for k := range p.LogAcceptance {
			out = append(out, []string{toldNet(m.subjects[i].kind), fmt.Sprintf("%d and %d", k+1, k+2),
				fmt.Sprintf("%g, %g", p.Temperature[k], p.Temperature[k+1]), training.Probability(p.LogAcceptance[k]), training.Probability(p.Exact[k]),
				fmt.Sprintf("%.3g", p.Expected[k]), fmt.Sprintf("%.3g", p.PairNoise[k]), fmt.Sprintf("%.4g", p.Barrier), text.Count(p.Needed)})
		}
	}
	return out
}

func (m *inquiry) swapRows() (out [][]string) {
	for _, o := range m.outcomes {
		if !bnn.Exchanges(o.settings.Method) {
			continue
		}
		_, trips, level := o.swapped()
		for _, p := range training.Traded(o.pairs()...) {
			out = append(out, []string{toldNet(o.network.Kind), told(o.method), fmt.Sprintf("%d and %d", p.Rungs[0], p.Rungs[1]),
				text.Count(p.Attempts), text.Count(p.Accepted), text.Short(p.Rate, 3),
				text.Short(float64(p.Accepted)/float64(len(o.complete())), 3), trips, level})
		}
	}
	return out
}
