package multimodal

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A court weighs the claims of the study.
type court struct {
	*trials
	five      []*scene
	protocols []protocol
	scale     study.Scale
	bias      []bias
}

//go:embed text.tmpl
var words string

// A told protocol is one as the text names it.
type toldProtocol struct {
	Name                    string
	Iterations, Thin, Draws int
}

func told(all []protocol) (out []toldProtocol) {
	for _, p := range all {
		out = append(out, toldProtocol{p.name, p.iterations, p.thin, p.draws()})
	}
	return out
}

// prose is what the study says of its claims.
func (c court) prose() *study.Prose {
	return study.NewProse(words, template.FuncMap{
		"domains": func() []*scene { return c.five }, "runs": func() int { return runsOf(c.scale) }, "basis": c.basis,
		"protocols": func() []toldProtocol { return told(c.protocols) },
		"of":        c.numbers, "ranked": c.ranked, "rank": c.rank, "twice": c.twice, "nine": nine,
		"leading":     func() []string { return study.Leading(nine()) },
		"compare":     func(metric, a, b string) study.Comparisons { return c.pairs(metric, [2]string{a, b}) },
		"uniformStep": func() string { return uniformStep },
	})
}

// last is a metric of an outcome at its last checkpoint, by its name in results.
func last(o *outcome, metric string) []float64 { return o.last(metrics()[metric]) }

// pairs compares a metric of two methods of the nine, a below b, on all domains
// and by all protocols.
func (c court) pairs(metric string, pairs ...[2]string) study.Comparisons {
	var out study.Comparisons
	for _, p := range c.protocols {
		for _, s := range c.five {
			for _, q := range pairs {
				a, b := c.of(s.name, p.name, q[0]), c.of(s.name, p.name, q[1])
				out = append(out, study.Welch(fmt.Sprintf("%s on the %s, protocol %s", q[1], s.name, p.name), last(a, metric), last(b, metric)))
			}
		}
	}
	return out.Adjusted()
}

// numbers are a metric of methods at the last checkpoint, on the first domain by
// the first protocol, as basis says: what a reader can compare with the paper's
// figure.
func (c court) numbers(what, metric string, methods ...any) []study.Number {
	var out []study.Number
	for _, l := range study.Labels(methods...) {
		out = append(out, interval(last(c.of(c.five[0].name, c.protocols[0].name, l), metric)).positive(what+" of "+l))
	}
	return out
}

// ranked are numbers in ascending order, that of the first label first.
func (c court) ranked(what, metric string, labels []string) []study.Number {
	out := c.numbers(what, metric, labels)
	slices.SortStableFunc(out[1:], func(a, b study.Number) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// basis is what numbers are of.
func (c court) basis() string {
	return fmt.Sprintf("%s, protocol %s", c.five[0].name, c.protocols[0].name)
}

// claims are all claims of the study.
func (c court) claims() []study.Claim {
	slow := [2]string{"R-cycSGLD", "R-SGLD"}
	p := c.prose()
	ask := func(id string, pairs ...[2]string) study.Claim {
		f := struct{ By, Inside study.Comparisons }{c.pairs("kl_te_all", pairs...), c.pairs("kl_te_in", pairs...)}
		return p.Compared("multimodal-"+id, f.By, runsOf(c.scale), f)
	}
	return []study.Claim{ask("rsgld-worst", slow, [2]string{"r2SGLD", "R-SGLD"}), ask("rcycsgld-better", slow),
		ask("r2sgld-best", study.Rivals(nine())...),
		c.bestInside(), ask("reflection-reduces-kl", partners(func(a sampler) string { return a.Plain })...),
		ask("reflection-beats-best-penalty", partners(sampler.penalised)...), c.anyPenalty(), c.sameCost(), c.swapRate(),
		c.allModes(), c.trapped(), c.mostModes(), c.reflectionItself(), c.unbiased(), c.falls()}
}

// tell is a claim.
func (c court) tell(id string, v study.Verdict, facts any) study.Claim {
	return c.prose().Claim("multimodal-"+id, v, facts)
}

// partners pairs each reflected sampler with another one.
func partners(with func(sampler) string) (out [][2]string) {
	for _, a := range samplers() {
		out = append(out, [2]string{a.Reflected, with(a)})
	}
	return out
}

// A podium says in how many cells r2SGLD has the lowest mean of some labels, and which
// have it elsewhere.
type podium struct {
	First, Cells int
	Others       []string
}

func (c court) rank(metric string, labels []string) (out podium) {
	for _, p := range c.protocols {
		for _, s := range c.five {
			best, lowest := "", 0.0
			for _, l := range labels {
				if m := interval(last(c.of(s.name, p.name, l), metric)).Mean; best == "" || m < lowest {
					best, lowest = l, m
				}
			}
			if out.Cells++; best == "r2SGLD" {
				out.First++
			} else {
				out.Others = append(out.Others, fmt.Sprintf("%s (%s, protocol %s)", best, s.name, p.name))
			}
		}
	}
	return out
}

// A beside compares the KL of R-cycSGLD at twice the step with that of R-SGLD.
type beside struct {
	By    study.Comparisons
	First *study.Interval // on the first domain
}

// twice compares them on each domain.
func (c court) twice() (out beside) {
	for i, s := range c.five {
		if o := c.find(s.name, "paper", groupTwice, "R-cycSGLD, twice the step"); o != nil {
			out.By = append(out.By, study.Welch(s.name, o.last(klAll), c.of(s.name, "paper", "R-SGLD").last(klAll)))
			if i == 0 {
				first := study.Interval(interval(o.last(klAll)))
				out.First = &first
			}
		}
	}
	out.By = out.By.Adjusted()
	return out
}

func (c court) bestInside() study.Claim {
	pairs := study.Rivals(nine())
	f := struct {
		By     study.Comparisons
		Labels []string
		Few    bool
	}{Labels: []string{"r2SGLD"}}
	for i := range pairs {
		if pairs[i][1] == "P-reSGLD" {
			pairs[i][1] = bestInside
		}
		f.Labels = append(f.Labels, pairs[i][1])
	}
	f.By = c.pairs("kl_te_in", pairs...)
	v := f.By.Verdict(runsOf(c.scale))
	f.Few = v == study.Untestable
	return c.tell("r2sgld-best-inside", v, f)
}

func (c court) anyPenalty() study.Claim {
	f := struct {
		By        study.Comparisons
		Penalties []study.Number
		Each      int
		Won       []string
		Few       bool
	}{Each: len(c.five) * len(samplers())}
	grid := penaltiesOf(c.scale)
	for _, s := range c.five {
		for _, a := range samplers() {
			for _, q := range grid {
				o := c.find(s.name, "paper", groupGrid, a.with(q))
				f.By = append(f.By, study.Welch(fmt.Sprintf("%s on the %s", o.label, s.name), c.of(s.name, "paper", a.Reflected).last(klAll),
					o.last(klAll)))
			}
		}
	}
	f.By = f.By.Adjusted()
	for k, q := range grid {
		won := 0
		for i := k; i < len(f.By); i += len(grid) {
			if f.By[i].Better() {
				won++
			}
		}
		f.Won = append(f.Won, fmt.Sprintf("%s: %d", q, won))
		o := c.find(c.five[0].name, "paper", groupGrid, samplers()[2].with(q))
		f.Penalties = append(f.Penalties, interval(o.last(klAll)).positive("KL of "+o.label))
	}
	slices.SortStableFunc(f.Penalties, func(a, b study.Number) int { return cmp.Compare(a.Value, b.Value) })
	v := f.By.Verdict(runsOf(c.scale))
	f.Few = v == study.Untestable
	if v == study.Holds && f.By.Count().Better < len(f.By) {
		v = study.Depends
	}
	return c.tell("reflection-beats-penalty", v, f)
}

func (c court) sameCost() study.Claim {
	var f struct {
		By   study.Comparisons
		Half study.Interval
	}
	for _, p := range c.protocols {
		for _, s := range c.five {
			half := c.of(s.name, p.name, "r2SGLD")
			for _, l := range []string{"SGLD", "cycSGLD", "P-SGLD", "P-cycSGLD", "R-SGLD", "R-cycSGLD"} {
				f.By = append(f.By, study.Welch(fmt.Sprintf("%s on the %s, protocol %s", l, s.name, p.name), half.cheap(len(half.At)-1, true, klAll),
					c.of(s.name, p.name, l).last(klAll)))
			}
		}
	}
	f.By = f.By.Adjusted()
	o := c.of(c.five[0].name, "paper", "r2SGLD")
	f.Half = study.Interval(interval(o.cheap(len(o.At)-1, true, klAll)))
	return c.prose().Compared("multimodal-same-cost", f.By, runsOf(c.scale), f)
}

func (c court) swapRate() study.Claim {
	const threshold = "r2SGLD, rule threshold"
	var f struct {
		Metropolis, Threshold int // domains with a rate in the range
		Rates                 []study.Number
		By                    study.Comparisons
	}
	for _, s := range c.five {
		if o := c.find(s.name, "paper", groupThreshold, threshold); o != nil {
			f.By = append(f.By, study.Welch(s.name, c.of(s.name, "paper", "r2SGLD").last(klAll), o.last(klAll)))
		}
		for _, q := range []struct {
			group, label, rule string
			in                 *int
		}{{groupReflected, "r2SGLD", "metropolis", &f.Metropolis}, {groupThreshold, threshold, "threshold", &f.Threshold}} {
			if o := c.find(s.name, "paper", q.group, q.label); o != nil {
				rate := interval(o.Swaps)
				if rate.Mean >= 0.05 && rate.Mean <= 0.2 {
					*q.in++
				}
				f.Rates = append(f.Rates, rate.share(fmt.Sprintf("%s, rule %s", s.name, q.rule)))
			}
		}
	}
	f.By = f.By.Adjusted()
	v := study.Fails
	switch {
	case f.Metropolis == len(c.five):
		v = study.Holds
	case f.Threshold > 0:
		v = study.Depends
	}
	return c.tell("swap-rate", v, f)
}

// A haul is the modes that a method finds: the runs with every mode, and the mean share of
// the modes and total variation of their weights, over the domains.
type haul struct {
	Label      string
	Full, Runs int
	Share, TV  study.Interval
	Beside     *study.Comparison // of R-SGLD, by shares

	shares []float64
}

func (c court) found(label string) haul {
	h := haul{Label: label}
	var tv []float64
	for _, s := range c.five {
		o := c.of(s.name, "paper", label)
		want := float64(s.worthFinding())
		for i, n := range o.last(modesFound) {
			if h.Runs++; n == want {
				h.Full++
			}
			h.shares, tv = append(h.shares, n/want), append(tv, o.last(modesOff)[i])
		}
	}
	h.Share, h.TV = study.Interval(interval(h.shares)), study.Interval(interval(tv))
	return h
}

func (c court) allModes() study.Claim {
	h := c.found("r2SGLD")
	return c.tell("r2sgld-all-modes", study.Among(h.Full, h.Runs), h)
}

func (c court) trapped() study.Claim {
	h, v := c.found("R-SGLD"), study.Fails
	if 2*h.Full < h.Runs {
		v = study.Holds
	}
	return c.tell("rsgld-trapped", v, h)
}

func (c court) mostModes() study.Claim {
	h, v := c.found("R-cycSGLD"), study.Fails
	below := study.Welch("all domains", c.found("R-SGLD").shares, h.shares)
	h.Beside = &below
	if h.Share.Mean > 0.5 {
		if v = study.Depends; below.Better() {
			v = study.Holds
		}
	}
	return c.tell("rcycsgld-most-modes", v, h)
}

func (c court) reflectionItself() study.Claim {
	var f struct {
		By     study.Comparisons
		Refuse study.Interval
	}
	for _, s := range c.five {
		for _, a := range samplers() {
			if o := c.find(s.name, "paper", groupBoundary, a.Reflected+", refuse"); o != nil {
				f.By = append(f.By, study.Welch(fmt.Sprintf("%s on the %s", a.Reflected, s.name), c.of(s.name, "paper", a.Reflected).last(klAll),
					o.last(klAll)))
			}
		}
	}
	f.By = f.By.Adjusted()
	f.Refuse = study.Interval(interval(c.find(c.five[0].name, "paper", groupBoundary, "r2SGLD, refuse").last(klAll)))
	return c.prose().Compared("multimodal-reflection-itself", f.By, runsOf(c.scale), f)
}

func (c court) falls() study.Claim {
	var f struct {
		Changes []study.Number
		Rises   int
		Basis   string
	}
	var p []float64
	for _, s := range c.five {
		for _, l := range []string{"R-SGLD", "R-cycSGLD", "r2SGLD"} {
			o := c.of(s.name, "paper", l)
			early, late := o.values(0, true, klAll), o.values(2, true, klAll)
			change := make([]float64, len(early))
			for i := range early {
				change[i] = late[i] - early[i]
			}
			_, q := significance.TTest(significance.MeanSEOf(change))
			p = append(p, q)
			f.Changes = append(f.Changes, interval(change).Number(fmt.Sprintf("%s on the %s", l, s.name)))
			f.Basis = fmt.Sprintf("change of KL from %s to %s draws, protocol paper", text.Count(o.At[0]), text.Count(o.At[2]))
		}
	}
	for i, q := range significance.Holm(p) {
		if q < 0.05 && f.Changes[i].Value > 0 {
			f.Rises++
		}
	}
	slices.SortStableFunc(f.Changes, func(a, b study.Number) int { return cmp.Compare(b.Value, a.Value) })
	v := study.Holds
	if f.Rises > 0 {
		v = study.Depends
	}
	return c.tell("kl-falls", v, f)
}
