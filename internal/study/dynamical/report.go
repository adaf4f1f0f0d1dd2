package dynamical

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
)

//go:embed text.tmpl
var words string

// metrics are what runs are judged by, by name; those that are compared are the better the
// lower they are.
func metrics() map[string]func(score) float64 {
	return map[string]func(score) float64{
		"error": modeError, "all": func(s score) float64 { return s.ErrorAll }, "off": off, "around": around, "swaps": swaps,
		"parting": parting, "sooner": func(s score) float64 { return -s.Parting }, "early": apartEarly, "late": apartLate,
		"ess": func(s score) float64 { return slices.Min(s.ESS) }, "peaks": func(s score) float64 { return float64(s.Peaks[0]) },
		"several": func(s score) float64 {
			if s.Peaks[0] > 1 {
				return 1
			}
			return 0
		},
	}
}

// tabulate lists the metrics of all runs.
func (m *inquiry) tabulate() {
	for _, o := range slices.Concat(m.all, m.thresholds, m.simulated) {
		for name, of := range metrics() {
			for _, v := range o.column(of) {
				m.table.Add(o.name(), name, v)
			}
		}
	}
}

// speak reads what the study says.
func (m *inquiry) speak() {
	steps, key := m.system.steps, m.system.variants[0]
	fact := func(v any) func() any { return func() any { return v } }
	n, all := iterationsOf(m.Scale), m.system.variants[1]
	m.prose = study.NewProse(words, template.FuncMap{
		"facts": func() *results { return m.found }, "key": func() variantFacts { return m.found.Variants[0] },
		"main": fact(m.place(m.main())), "section": fact(m.system.section), "about": fact(m.system.told), "binding": fact(m.system.binding),
		"chaotic": fact(m.system.chaotic), "step": func(i int) string { return strings.Trim(steps[i], "[]") },
		"combined":  fact(len(all.quantities) > len(all.parameters)), // a key coefficient is the mean of two
		"prominent": fact(prominent), "overlapping": fact(overlapping), "near": fact(near), "recovered": fact(recovered),
		"tolerance":  fact(tolerance),
		"farthest":   fact(farthest),
		"iterations": fact(n), "shortened": fact(n != paperIterations), "drawn": fact(n - n/3),
		"six": six, "leading": func() []string { return study.Leading(six()) }, "reflecting": reflecting, "least": slices.Min[[]float64],
		"slowest": func() float64 { return m.rulers[key].slowest() }, "exactAround": func() float64 { return m.rulers[key].exactAround() },
		"tenfold": func() float64 { return m.lyapunov.Time() * math.Ln10 }, "twoErrors": func() float64 { return 2 * m.lyapunov.SE },
		"diffusion": m.diffusions, "ends": m.ends, "same": m.same, "of": m.numbers, "several": m.several, "severalBySetting": m.severalBySetting,
		"meanOf": func(label, metric string) float64 {
			return diag.Mean(m.table.Column(m.at(m.main(), label).name(), metric))
		},
		"column": func(c caseFacts, metric string) []float64 { return m.table.Column(c.name(), metric) }, "best": m.best,
		"settings": m.tables, "reflects": func(c caseFacts) bool { return c.reflected },
		"shareOutside": func(c caseFacts) float64 { return c.outsideShare() },
		"correction": func(c caseFacts) string {
			_, after, _ := strings.Cut(c.rule, "correction: ")
			return after
		},
		"method":     func(c caseFacts) string { return strings.TrimSuffix(c.Label, ", simulated states") },
		"deviations": func(i int) deviations { return m.own[i].worst() }, "effort": m.effort, "spent": func() study.Spells { return m.spent },
	})
}

// numbers are a metric of methods in the main setting, each named by what it is.
func (m *inquiry) numbers(what, metric string, methods ...any) []study.Number {
	var out []study.Number
	for _, l := range study.Labels(methods...) {
		out = append(out, m.table.Interval(m.at(m.main(), l).name(), metric).Positive(what+" of "+l))
	}
	return out
}

// A sum is how far a schedule takes a chain.
type sum struct {
	Label       string
	Total, Late float64 // in all and after burn-in
}

func (m *inquiry) diffusions() (out []sum) {
	for i, s := range study.Samplers() {
		total, late := m.diffusion(i)
		out = append(out, sum{s.Reflected, total, late})
	}
	return out
}

// ends are what the curvatures of a variant ask of steps.
func (m *inquiry) ends(v variantFacts) any {
	c := v.Curvatures
	low, high := c[0], c[len(c)-1]
	return struct {
		Told                              string
		Low, High, Condition, Needs, Step float64
	}{v.Told, low, high, high / low, 1 / low, slices.Max(m.system.hottest[:]) * high}
}

// same counts the runs in which a reflected method made the draws of its partner.
func (m *inquiry) same() any {
	var f struct{ Runs, Same, Hit int }
	for _, s := range study.Samplers() {
		for _, at := range m.settings(s.Plain, s.Reflected) {
			a, b := m.at(at, s.Reflected), m.at(at, s.Plain)
			f.Runs += len(a.runs)
			f.Same += a.identical(b)
			for _, r := range a.runs {
				if r.Hits > 0 {
					f.Hit++
				}
			}
		}
	}
	return f
}

// severalIn counts the runs of a case with several peaks, and all of them.
func (m *inquiry) severalIn(at [2]string, label string) (n float64, runs int) {
	o := m.at(at, label)
	for _, v := range m.table.Column(o.name(), "several") {
		n += v
	}
	return n, len(o.runs)
}

// several tells in how many runs methods have several peaks.
func (m *inquiry) several(methods []string) (out []string) {
	for _, l := range methods {
		total, all := 0.0, 0
		for _, s := range m.settings(l) {
			n, runs := m.severalIn(s, l)
			total, all = total+n, all+runs
		}
		out = append(out, fmt.Sprintf("%s in %.0f of %d", l, total, all))
	}
	return out
}

// severalBySetting tells it of four methods, setting by setting.
func (m *inquiry) severalBySetting() (out []string) {
	for _, l := range []string{"r2SGLD", "reSGLD", "R-SGLD", "R-cycSGLD"} {
		for _, s := range m.settings(l) {
			n, runs := m.severalIn(s, l)
			out = append(out, fmt.Sprintf("%s, %s: %.0f of %d", l, m.place(s), n, runs))
		}
	}
	return out
}

// A setting is what was run from a start.
type setting struct {
	Place   string
	Runs    int
	Variant variantFacts
	Cases   []caseFacts
}

// tables are the settings that tables are of.
func (m *inquiry) tables() (out []setting) {
	for _, at := range m.settings("r2SGLD") {
		s := setting{Place: m.place(at), Runs: len(m.at(at, "r2SGLD").runs), Variant: m.found.Variants[slices.Index(m.system.variants[:],
			m.variant(at))]}
		for _, l := range six() {
			if i := slices.Index(m.all, m.at(at, l)); i >= 0 {
				s.Cases = append(s.Cases, m.found.Cases[i])
			}
		}
		out = append(out, s)
	}
	return out
}

// best is a metric of a case, which stands out if it is the lowest of the setting.
func (m *inquiry) best(s setting, c caseFacts, metric string) string {
	var all []string
	for _, x := range s.Cases {
		all = append(all, x.name())
	}
	v := m.table.Interval(c.name(), metric)
	if v.Mean == m.table.Lowest(metric, all...) {
		return "**" + v.PlusMinus()
	}
	return v.PlusMinus()
}

// effort is what the paper's methods took.
func (m *inquiry) effort() any {
	f := struct {
		Iterations, Batch, Threads int
		Microseconds               float64
	}{Batch: batchRows, Threads: m.Threads}
	seconds := 0.0
	for _, o := range m.all {
		for _, r := range o.runs {
			seconds += r.Seconds
			f.Iterations += o.iterations
		}
	}
	f.Microseconds = 1e6 * seconds / float64(f.Iterations)
	return f
}
