package dynamical

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld/internal/study"
)

// Limits of verdicts.
const (
	leastSwaps, mostSwaps = 0.05, 0.20 // in which the paper adjusts the swap rate
	overlapping           = 0.1        // so near are trajectories, in standard deviations of the true one, that a figure cannot tell apart
	recovered             = 0.05       // the error of the modes up to which coefficients are found again
	near                  = 0.25       // the distance from the exact law up to which draws may stand for it
)

// settings are the pairs of free coefficients and start that were run for all of
// some labels.
func (m *inquiry) settings(labels ...string) [][2]string {
	var out [][2]string
	for _, v := range m.system.variants {
		for _, from := range []string{fromBox, fromLow, fromTruth} {
			if !slices.ContainsFunc(labels, func(l string) bool { return find(m.all, v, from, l) == nil }) {
				out = append(out, [2]string{v.name, from})
			}
		}
	}
	return out
}

// variant is the one of a setting.
func (m *inquiry) variant(setting [2]string) *variant {
	if setting[0] == m.system.variants[0].name {
		return m.system.variants[0]
	}
	return m.system.variants[1]
}

// at returns a case of a setting.
func (m *inquiry) at(setting [2]string, label string) *outcome {
	return find(m.all, m.variant(setting), setting[1], label)
}

// place tells a setting.
func (m *inquiry) place(setting [2]string) string {
	return m.variant(setting).told + ", start " + setting[1]
}

// main is the setting that numbers of claims are of.
func (m *inquiry) main() [2]string { return [2]string{m.system.variants[0].name, fromBox} }

// compare compares a metric of pairs of methods, a below b, in all settings that both
// were run in.
func (m *inquiry) compare(metric string, pairs [][2]string) study.Comparisons {
	var out []study.Pair
	for _, p := range pairs {
		for _, s := range m.settings(p[0], p[1]) {
			out = append(out, study.Pair{About: fmt.Sprintf("%s against %s, %s", p[0], p[1], m.place(s)), A: m.at(s, p[0]).name(),
				B: m.at(s, p[1]).name()})
		}
	}
	return m.table.Compare(study.Paired, metric, out...)
}

// A question is a claim that comparisons of pairs in a metric decide.
type question struct {
	id, metric string
	pairs      [][2]string
}

// claims are all claims of the study.
func (m *inquiry) claims() []study.Claim {
	reflection, behind := question{"reflection-helps", "error", study.Mirrored()}, question{"rsgld-behind", "error",
		[][2]string{{"R-cycSGLD", "R-SGLD"}, {"r2SGLD", "R-SGLD"}}}
	if m.system.chaotic {
		again := [][2]string{{"r2SGLD", "reSGLD"}}
		return append(m.ask(question{"modes-closer", "error", again}, question{"one-peak", "several", again}, reflection, behind,
			question{"rcycsgld-concentrates", "around", [][2]string{{"R-cycSGLD", "R-SGLD"}}}, question{"r2sgld-best", "error", study.Rivals(six())},
			question{"simulation", "sooner", study.Rivals(six())}), m.kept(), m.swapRate(), m.law(), m.resimulated())
	}
	return slices.Concat(m.ask(reflection, behind), []study.Claim{m.comparable(), m.overlap()},
		m.ask(question{"days-100-200", "late", study.Rivals(six())}),
		[]study.Claim{m.kept(), m.swapRate(), m.law(), m.resimulated()})
}

// told is a claim of this system.
func (m *inquiry) told(c study.Claim) study.Claim {
	c.ID = m.system.name + "-" + c.ID
	return c
}

// ask decides questions.
func (m *inquiry) ask(all ...question) (out []study.Claim) {
	for _, q := range all {
		f := struct{ By, ByLaw study.Comparisons }{m.compare(q.metric, q.pairs), m.compare("off", q.pairs)}
		out = append(out, m.told(m.prose.Compared(q.id, f.By, runsOf(m.Scale), f)))
	}
	return out
}

// comparable judges that no difference is seen.
func (m *inquiry) comparable() study.Claim {
	f := struct{ By study.Comparisons }{m.compare("error", [][2]string{{"r2SGLD", "R-cycSGLD"}})}
	n := f.By.Count()
	v := study.Among(len(f.By)-n.Better-n.Worse, len(f.By))
	if runsOf(m.Scale) < study.Enough {
		v = study.Untestable
	}
	return m.told(m.prose.Claim("comparable", v, f))
}

// A share is how many of all iterations and rungs of a case were outside.
type share struct {
	Label string
	Share float64
}

// kept judges that reflected chains stay inside and others do not.
func (m *inquiry) kept() study.Claim {
	f := struct {
		Inside   bool
		Settings int
		Broken   []string
		Main     []share
	}{Inside: true}
	for _, s := range study.Samplers() {
		for _, at := range m.settings(s.Plain, s.Reflected) {
			plain, reflected := m.at(at, s.Plain).outsideShare(), m.at(at, s.Reflected).outsideShare()
			f.Inside = f.Inside && reflected == 0
			f.Settings++
			if plain > 0 {
				f.Broken = append(f.Broken, fmt.Sprintf("%s, %s: %.3g", s.Plain, m.place(at), plain))
			}
			if at == m.main() {
				f.Main = append(f.Main, share{s.Plain, plain}, share{s.Reflected, reflected})
			}
		}
	}
	v := study.Among(len(f.Broken), f.Settings)
	if !f.Inside {
		v = study.Fails
	}
	return m.told(m.prose.Claim("constraints-kept", v, f))
}

// outsideShare is the share of iterations and rungs outside the domain.
func (o *outcome) outsideShare() float64 {
	n := 0
	for _, r := range o.runs {
		n += r.Outside[0][0] + r.Outside[0][1] + r.Outside[1][0] + r.Outside[1][1]
	}
	return float64(n) / float64(len(o.runs)*o.iterations*study.Samplers()[o.base].Rungs)
}

// swapRate judges how often replicas swap.
func (m *inquiry) swapRate() study.Claim {
	var f struct {
		In    int
		Rates []study.Number
	}
	for _, at := range m.settings("r2SGLD") {
		i := m.table.Interval(m.at(at, "r2SGLD").name(), "swaps")
		if i.Mean >= leastSwaps && i.Mean <= mostSwaps {
			f.In++
		}
		f.Rates = append(f.Rates, i.Number("swap rate, "+m.place(at)))
	}
	return m.told(m.prose.Claim("swap-rate", study.Among(f.In, len(f.Rates)), f))
}

// normalSwaps is the mean swap probability of one normal law in d dimensions at
// temperatures 1 and 10. By detailed balance it is twice the probability that the
// cold energy is the higher one; the energies are Gamma laws of shape d/2.
func normalSwaps(d int) float64 {
	return 2 * mathext.RegIncBeta(float64(d)/2, float64(d)/2, 1./11)
}

// overlap judges that trajectories are near the true one at first, law that draws are near
// the exact law.
func (m *inquiry) overlap() study.Claim { return m.below("first-100-days", "early", overlapping) }
func (m *inquiry) law() study.Claim     { return m.below("law", "off", near) }

// below judges that a metric is below a limit on average, of all methods in all settings.
func (m *inquiry) below(id, metric string, limit float64) study.Claim {
	var f struct {
		All int
		In  []string // those that are
	}
	for _, l := range six() {
		for _, at := range m.settings(l) {
			f.All++
			if d := m.table.Interval(m.at(at, l).name(), metric); d.Mean < limit {
				f.In = append(f.In, fmt.Sprintf("%s, %s (%s)", l, m.place(at), d.PlusMinus()))
			}
		}
	}
	return m.told(m.prose.Claim(id, study.Among(len(f.In), f.All), f))
}

// resimulated judges what comes of states that are simulated in every iteration.
func (m *inquiry) resimulated() study.Claim {
	f := struct {
		In, All, Ended int
		Errors         []study.Number
	}{All: len(m.simulated)}
	for _, o := range m.simulated {
		if o.runs[0].Ended > 0 {
			f.Ended++
			continue
		}
		if o.runs[0].Error < recovered {
			f.In++
		}
		f.Errors = append(f.Errors, study.Exactly("error of the modes of "+o.label, o.runs[0].Error))
	}
	return m.told(m.prose.Claim("simulated", study.Among(f.In, f.All), f))
}
