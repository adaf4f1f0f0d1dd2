package multimodal

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A bias is how far the mean of r² over the draws of a case is off the exact value,
// over the runs.
type bias struct {
	Domain   string   `json:"domain"`
	Law      string   `json:"law"`
	Label    string   `json:"label"`
	Protocol string   `json:"protocol"`
	Exact    float64  `json:"exact"`
	Off      Interval `json:"off"` // mean of r² less Exact
	runs     int
}

// The laws whose bias is looked at.
const (
	lawModes   = "25 modes"
	lawUniform = "uniform"
)

// The cases of the uniform law, in which all bias is that of reflection: a step
// within the domain keeps it exactly.
const (
	uniformNearest  = "U = 0, R-SGLD, nearest"
	uniformSpecular = "U = 0, R-SGLD, specular"
)

// uniformStep is their step: ten times that of the paper's hot chain, so that the
// bias shows in few runs.
const uniformStep = "0.015"

// uniformRuns is the number of their runs, which take little time, at any scale.
const uniformRuns = 10

// uniform are the cases of U = 0 on s.
func (m planner) uniform(s *scene) []plan {
	p := protocol{name: "uniform", iterations: 200_000, thin: 10}
	if m.Scale == study.Smoke {
		p.iterations = 20_000
	}
	var out []plan
	for _, q := range [][2]string{{uniformNearest, "nearest"}, {uniformSpecular, "specular"}} {
		a := m.plan(s, p, groupUniform, q[0], "r-sgld", 1, "boundary: "+q[1])
		a.potential, a.quiet, a.step, a.runs = "0", true, uniformStep, uniformRuns
		out = append(out, a)
	}
	return out
}

// biasOf is the bias of an outcome.
func biasOf(o *outcome, law string) bias {
	tau := 1.0
	if law == lawUniform {
		tau = math.Inf(1)
	}
	b := bias{Domain: o.scene.name, Law: law, Label: o.label, Protocol: o.protocol.name, Exact: o.scene.region.Moments(tau).MeanR2,
		Off: o.moment(1), runs: o.runs}
	b.Off.Mean -= b.Exact
	return b
}

// errors is the number of standard errors that the mean is off.
func (b bias) errors() float64 { return math.Abs(b.Off.Mean) / b.Off.over(b.runs).SE }

// biasLabels are the methods whose bias is told, of the 25 modes.
func biasLabels() []string {
	return []string{"r2SGLD", "r2SGLD, specular", "r2SGLD, refuse", "r2SGLD, kernel hmc", "R-HMC", "projected SGLD"}
}

// biases are those of all cases that tell of reflection, protocol by protocol,
// domain by domain.
func (m *multimodal) biases() []bias {
	var out []bias
	for _, s := range m.five {
		for _, l := range biasLabels() {
			for _, group := range []string{groupReflected, groupBoundary, groupBaseline} {
				if o := m.trials.find(s.name, "paper", group, l); o != nil {
					out = append(out, biasOf(o, lawModes))
				}
			}
		}
	}
	for _, p := range m.protocols()[1:] {
		for _, s := range m.five {
			out = append(out, biasOf(m.trials.of(s.name, p.name, "r2SGLD"), lawModes))
		}
	}
	for _, o := range m.flat {
		out = append(out, biasOf(o, lawUniform))
	}
	return out
}

// off are the biases of a method, and the domains on which they differ from 0 (t
// tests over the runs, Holm-adjusted, 5 %).
func off(all []bias, label, protocol string) (of []bias, where []string) {
	var p []float64
	for _, b := range all {
		if b.Label == label && b.Protocol == protocol {
			_, q := significance.TTest(b.Off.over(b.runs))
			of, p = append(of, b), append(p, q)
		}
	}
	for i, q := range significance.Holm(p) {
		if q < 0.05 {
			where = append(where, of[i].Domain)
		}
	}
	return of, where
}

// offText is "3 of 5 domains (flower, cross and star)".
func offText(of []bias, where []string) string {
	text := fmt.Sprintf("%d of %d domains", len(where), len(of))
	if len(where) > 0 {
		text += " (" + enumerated(where) + ")"
	}
	return text
}

// unbiased judges that reflection at the nearest point keeps the law.
func (c court) unbiased() study.Claim {
	nearest, bad := off(c.bias, uniformNearest, "uniform")
	specular, wrong := off(c.bias, uniformSpecular, "uniform")
	f := struct {
		Nearest, Specular string
		Bad               bool
		Modes             []string // what is told of the 25 modes
		Off               []study.Number
	}{Nearest: offText(nearest, bad), Specular: offText(specular, wrong), Bad: len(bad) > 0}
	v := study.Holds
	switch {
	case 2*len(bad) >= len(nearest):
		v = study.Fails
	case len(bad) > 0:
		v = study.Depends
	case c.scale == study.Smoke: // the runs are too short
		v = study.Untestable
	}
	numbers := nearest
	for _, x := range []struct{ label, protocol, text string }{
		{"r2SGLD", "paper", "with rule nearest"}, {"r2SGLD", "released", "by protocol released"},
		{"r2SGLD, specular", "paper", "with rule specular"}, {"r2SGLD, kernel hmc", "paper", "with kernel hmc"}} {
		of, where := off(c.bias, x.label, x.protocol)
		if len(of) > 0 {
			f.Modes = append(f.Modes, fmt.Sprintf("%s on %s", x.text, offText(of, where)))
		}
		if x.protocol == "paper" {
			numbers = append(numbers, of...)
		}
	}
	for _, b := range append(numbers, specular...) {
		law := strings.Replace(b.Label, "R-SGLD, ", "", 1)
		if b.Law == lawModes {
			law = lawModes + ", " + ruleOf(b.Label)
		}
		f.Off = append(f.Off, b.Off.Number(fmt.Sprintf("%s, %s", b.Domain, law)))
	}
	return c.tell("reflection-unbiased", v, f)
}

// bent says on which domains the 25 modes show the bias of rule nearest.
func (m *multimodal) bent() any {
	p := m.protocols()
	at := p[len(p)-1].name
	of, where := off(m.biases(), "r2SGLD", at)
	return struct {
		All      int
		Where    []string
		Protocol string
	}{len(of), where, at}
}

// ruleOf names how a case of r2SGLD turns steps back.
func ruleOf(label string) string {
	if label == "r2SGLD" {
		return "r2SGLD, nearest"
	}
	return label
}

// biasRows are the bias of E r² by domain, of the 25 modes and of U = 0.
func (m *multimodal) biasRows() (out []row) {
	all := m.biases()
	add := func(label, protocol, name string) {
		r := row{Label: name}
		for _, s := range m.five {
			text := "–"
			for _, b := range all {
				if b.Domain == s.name && b.Label == label && b.Protocol == protocol {
					text = b.told()
				}
			}
			r.Cells = append(r.Cells, text)
		}
		out = append(out, r)
	}
	for _, l := range biasLabels() {
		add(l, "paper", ruleOf(l))
	}
	for _, p := range m.protocols()[1:] {
		add("r2SGLD", p.name, ruleOf("r2SGLD")+", protocol "+p.name)
	}
	for _, l := range []string{uniformNearest, uniformSpecular} {
		add(l, "uniform", l)
	}
	return out
}

// told is "+0.054 ± 0.018 (6.9)".
func (b bias) told() string {
	text := short(b.Off)
	if b.Off.Mean > 0 {
		text = "+" + text
	}
	return fmt.Sprintf("%s (%.1f)", text, b.errors())
}
