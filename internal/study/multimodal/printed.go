package multimodal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/study"
)

// A mixture is the target as the paper's text has it, 25 Gaussians. The text gives neither
// centres nor weights nor widths: the centres are the modes of the released code's target,
// the whole points of [-2,2]², and the weights equal.
type mixture struct{ sd float64 }

// mixtures are those of the study: as narrow as the modes of the released code's target,
// and so wide that the ridge between two is as high as there, 4 above them.
func mixtures() []*mixture {
	return []*mixture{{1 / math.Sqrt(0.4+8*math.Pi*math.Pi)}, {math.Sqrt(0.125 / (4 + math.Ln2))}}
}

// String tells the mixture from others.
func (g *mixture) String() string { return fmt.Sprintf("Gaussians of sd %.3f", g.sd) }

// formula is U as a configuration has it: of equal weights, a sum of one of x and one of y.
func (g *mixture) formula() string {
	if g == nil {
		return formula
	}
	of := func(v string) string {
		var terms []string
		for i := -2; i <= 2; i++ {
			terms = append(terms, fmt.Sprintf("exp(-(%s%+d)^2/%.10g)", v, i, 2*g.sd*g.sd))
		}
		return "log(" + strings.Join(terms, " + ") + ")"
	}
	return "-" + of("x") + " - " + of("y")
}

// energy is U.
func (g *mixture) energy(x, y float64) float64 {
	if g == nil {
		return energy(x, y)
	}
	of := func(v float64) float64 {
		sum := 0.0
		for i := -2.0; i <= 2; i++ {
			sum += math.Exp(-(v - i) * (v - i) / (2 * g.sd * g.sd))
		}
		return math.Log(sum)
	}
	return -of(x) - of(y)
}

// on is s with the mixture as target.
func (g *mixture) on(s shape) shape {
	s.name, s.target = s.name+", "+g.String(), g
	return s
}

// The settings of the text where those of the released code are others: as many runs, each
// with a start of its own, of the released code's target and of the mixtures.
const fromAnywhere = "starts"

// unsolved are the scenes of the mixtures, whose exact laws are yet to be computed.
func (m *multimodal) unsolved() (out []*scene, err error) {
	for _, g := range mixtures() {
		for _, s := range m.some() {
			n := &scene{shape: g.on(s.shape)}
			if n.domain, n.region, err = law(n.shape); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// anywhere is their protocol.
func (m planner) anywhere() protocol {
	p, _ := protocols(m.Scale)
	p.name, p.spread = fromAnywhere, true
	return p
}

// printed are the nine methods with them; the penalties are those chosen by protocol paper.
func (m *multimodal) printed() (plans []plan) {
	p, some := m.anywhere(), m.some()
	m.started, m.mixed = court{nil, some, []protocol{p}, m.Scale, nil}, court{nil, m.mixtures, []protocol{p}, m.Scale, nil}
	for _, s := range some {
		plans = append(plans, m.nine(s, p, m.chosen)...)
	}
	for i, s := range m.mixtures {
		chosen := choices{}
		for _, a := range samplers() {
			chosen[[2]string{s.name, a.Plain}] = m.chosen[[2]string{some[i%len(some)].name, a.Plain}]
		}
		plans = append(plans, m.nine(s, p, chosen)...)
	}
	return plans
}

// mixedOn are the scenes of a mixture.
func (m *multimodal) mixedOn(g *mixture) []*scene {
	return slices.DeleteFunc(slices.Clone(m.mixtures), func(s *scene) bool { return *s.target != *g })
}

// asPrinted judges the nine methods with them.
func (m *multimodal) asPrinted() []study.Claim {
	tell := func(id string, c court) study.Claim {
		f := struct {
			By, Reflection study.Comparisons
			Scenes         int
		}{c.pairs("kl_te_all", study.Rivals(nine())...), c.pairs("kl_te_all", partners(func(a sampler) string { return a.Plain })...),
			len(c.five)}
		return c.prose().Compared("multimodal-"+id, f.By, runsOf(c.scale), f)
	}
	return []study.Claim{tell("starts", m.started), tell("gaussians", m.mixed)}
}
