package multimodal

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

//go:embed diameter.tmpl
var diameterWords string

// prose is what the diameter study says.
func (r *DiameterResults) prose(e effort) *study.Prose {
	return study.NewProse(diameterWords, template.FuncMap{
		"runs": func() any {
			return struct{ First, More, Whole, Length, Longer int }{e.first.runs, e.more.runs, e.first.runs + e.more.runs, e.first.length,
				e.more.length}
		},
		"reading": func() string { return r.reading.told }, "name": func() string { return r.reading.name },
		"domains": func() []DiameterDomain { return r.Domains }, "rows": r.rows, "enumerated": enumerated,
		"klAfter": func(d DiameterDomain, n int) Interval { return rowAt(d.All, n).KL }, "floor": DiameterDomain.floor,
		"needed": func(d DiameterDomain, level float64) *Needed { return d.needed(level) }, "least": slices.Min[[]float64],
		"most": slices.Max[[]float64], "power": func(p *Power) string {
			if p == nil {
				return "–"
			}
			return p.String()
		},
	})
}

// rows are the scores of all octagons, without the first fifth or of all draws.
func (r *DiameterResults) rows(drop bool) (out [][]DiameterScore) {
	for _, d := range r.Domains {
		if drop {
			out = append(out, d.Dropped)
		} else {
			out = append(out, d.All)
		}
	}
	return out
}

// floor is that of as many draws as the paper's runs have, nil if there is none.
func (d DiameterDomain) floor() *DiameterFloor {
	for i, f := range d.Floor {
		if f.Iterations == paperLength {
			return &d.Floor[i]
		}
	}
	return nil
}

// Steps are the iterations in a time.
func (x DiameterRelaxation) Steps(time float64) float64 { return time / x.StepSize }

// claims judges what the paper says of the diameter.
func (r *DiameterResults) claims(e effort) []study.Claim {
	p := r.prose(e)
	tell := func(claim func(*diameterFacts) study.Verdict, id string) study.Claim {
		f := r.facts()
		c := p.Claim("diameter-"+id, claim(f), f)
		c.ID, c.Basis = r.reading.name+"-"+id, "octagons of "+r.reading.told
		c.Text = fmt.Sprintf("%s (%s 1.5 to 3).", strings.TrimSuffix(c.Text, "."), r.reading.name)
		return c
	}
	return []study.Claim{tell((*diameterFacts).decline, "decline"), tell((*diameterFacts).quadratic, "quadratic"),
		tell((*diameterFacts).comparable, "comparable")}
}

// diameterFacts are what claims are told of.
type diameterFacts struct {
	*DiameterResults
	Lowest         *DiameterPower
	Late, Early    Power    // of the diameter in KL after 10,000 and 1,000 iterations
	Unordered      []string // numbers of iterations at which KL does not grow with the diameter
	Exchange, Free Power    // of relaxation times
	Single         *Power   // at one temperature
	Slower         []float64
	Scales, Bent   bool // Free may be 2; no power fits Exchange
	Reached        []DiameterPower
}

func (r *DiameterResults) facts() *diameterFacts {
	return &diameterFacts{DiameterResults: r, Lowest: r.lowest()}
}

// Number is the power under a name.
func (p Power) Number(name string) study.Number {
	return study.Number{Name: name, Value: p.Power, Low: p.Low, High: p.High}
}

// String tells the power with its interval.
func (p Power) String() string { return p.Number("").String() }

// sign is 1 if the power is above v beyond its interval, -1 if below, else 0.
func (p Power) sign(v float64) int {
	switch {
	case p.Low > v:
		return 1
	case p.High < v:
		return -1
	}
	return 0
}

// Beside says how the power compares with 2.
func (p Power) Beside() string {
	switch {
	case p.square():
		return "quadratic"
	case p.sign(2) < 0:
		return "less than quadratic"
	case p.sign(2) > 0:
		return "more than quadratic"
	case p.Misfit > mostMisfit:
		return "where no single power fits"
	}
	return "too wide an interval to tell"
}

// mostMisfit is the χ² per degree of freedom above which times follow no power: of
// two degrees, those of four octagons, it is exceeded with probability e⁻⁴, 2 %.
const mostMisfit = 4

// square reports that the power is 2, and known to be: its interval leaves out 1.5
// and 2.5.
func (p Power) square() bool {
	return p.sign(2) == 0 && p.Low > 1.5 && p.High < 2.5 && p.Misfit <= mostMisfit
}

// trend is the power of the radius with which the mean KL after n iterations grows.
func (r *DiameterResults) trend(n int) Power {
	var x, y, se []float64
	runs := 0
	for _, d := range r.Domains {
		s := rowAt(d.All, n)
		runs = s.Runs
		x, y = append(x, d.Circumradius), append(y, s.KL.Mean)
		se = append(se, s.KL.over(s.Runs).SE/s.KL.Mean)
	}
	return fitPower(x, y, se, runs-1)
}

// decline judges that KL falls faster in a smaller domain.
func (f *diameterFacts) decline() study.Verdict {
	f.Late, f.Early = f.trend(paperLength), f.trend(1000)
	for _, n := range []int{500, 1000, 2000} {
		if !slices.IsSortedFunc(f.Domains, func(a, b DiameterDomain) int {
			if rowAt(a.All, n).KL.Mean < rowAt(b.All, n).KL.Mean {
				return -1
			}
			return 1
		}) {
			f.Unordered = append(f.Unordered, text.Count(n))
		}
	}
	grows := !slices.ContainsFunc(f.Powers, func(p DiameterPower) bool { return p.Chain.sign(0) <= 0 })
	switch s := f.Late.sign(0); {
	case s > 0 && grows:
		return study.Holds
	case s < 0:
		return study.Fails
	}
	return study.Depends
}

// enumerated joins words, of which there is one at least.
func enumerated(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// quadratic judges that the mixing time is quadratic in the diameter.
func (f *diameterFacts) quadratic() study.Verdict {
	walks := f.Relaxations
	f.Exchange, f.Free = walks[0].Fit, walks[1].Fit
	f.Scales, f.Bent = f.Free.sign(2) == 0, f.Exchange.Misfit > mostMisfit
	if len(walks) > 2 {
		f.Single = &walks[2].Fit
		for i, x := range walks[2].Relaxation {
			f.Slower = append(f.Slower, x.Time/walks[1].Relaxation[i].Time)
		}
	}
	switch {
	case !f.Scales:
		return study.Fails
	case f.Free.square() && f.Exchange.square():
		return study.Holds
	}
	return study.Depends
}

// comparable judges that KL of equally many draws can be compared.
func (f *diameterFacts) comparable() study.Verdict {
	grows := true
	for _, p := range slices.Backward(f.Powers) { // the lowest KL first
		if p.IID != nil {
			f.Reached = append(f.Reached, p)
			grows = grows && p.IID.sign(0) > 0
		}
	}
	switch {
	case f.Lowest == nil:
		return study.Untestable
	case grows:
		return study.Fails
	}
	return study.Depends
}

// lowest is the power of the lowest KL that r2SGLD and independent draws reached in
// every octagon, nil if there is none.
func (r *DiameterResults) lowest() *DiameterPower {
	for i := range slices.Backward(r.Powers) {
		if r.Powers[i].IID != nil {
			return &r.Powers[i]
		}
	}
	return nil
}
