package monotone

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"sync"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/study"
)

//go:embed text.tmpl
var words string

// What the claims ask for.
const (
	margin  = 0.02 // nats a row by which a method may predict worse and still predict as well
	alike   = 0.25 // by how much of it a share of weights near the wall may differ
	mixed   = 1.1  // R̂ at most
	enough  = 50   // effective draws at least
	correct = 0.05 // by how much the coverage of intervals may be off
)

// prose is what the study says.
var prose = sync.OnceValue(func() *study.Prose {
	return study.NewProse(words, template.FuncMap{
		"margin": func() float64 { return margin }, "alike": func() float64 { return 100 * alike }, "mixed": func() float64 { return mixed },
		"enough": func() int { return enough }, "near": func() float64 { return near }, "level": func() float64 { return 100 * level },
		"correct": func() float64 { return 100 * correct }, "step": func() float64 { return share }, "ladders": func() int { return ladders },
		"units": func() int { return units },
	})
})

// claims judges what is said of constraints.
func (r *Results) claims() []study.Claim {
	return []study.Claim{r.mixing(), r.helps(), r.costless(), r.piles(), r.faithful(), r.breaks(), r.falls(), r.covers(), r.asks()}
}

// facts are comparisons that decide a claim, with a metric of the methods.
type facts struct {
	By      study.Comparisons
	Numbers []study.Number
}

// compared judges whether a metric is lower with one method of each pair than with the other.
func (r *Results) compared(id, metric, called string, pairs ...study.Pair) study.Claim {
	f := facts{By: r.table.Compare(study.Paired, metric, pairs...)}
	for _, p := range pairs {
		for _, m := range []string{p.A, p.B} {
			if !slices.ContainsFunc(f.Numbers, func(n study.Number) bool { return n.Name == called+" "+m }) {
				f.Numbers = append(f.Numbers, possible(metric, called+" "+m, r.table.Interval(m, metric)))
			}
		}
	}
	return prose().Compared(id, f.By, len(r.table.Column(exact, "loss")), f)
}

// possible is an interval of a metric, clipped to what it can be.
func possible(metric, name string, i study.Interval) study.Number {
	switch metric {
	case "covered", "near", "wall", "rising", "somehow":
		return i.Number(name).Within(0, 1)
	case "rmse":
		return i.Positive(name)
	}
	return i.Number(name)
}

// against pairs two methods.
func against(a, b string) study.Pair {
	return study.Pair{About: fmt.Sprintf("%s against %s", a, b), A: a, B: b}
}

// helps judges whether what is known helps where rows are few.
func (r *Results) helps() study.Claim {
	return r.compared("monotone-helps", "loss", "−log density,", against(exact, freeExact), against(reflected, freeChain))
}

// asks judges whether what is not so makes predictions worse: the constraint on either dose.
func (r *Results) asks() study.Claim {
	return r.compared("monotone-untrue", "loss", "−log density,", against(freeEach, exactEach))
}

// piles judges whether projection leaves more weights near the wall than there are.
func (r *Results) piles() study.Claim {
	return r.compared("monotone-projection", "near", "share near the wall,", against(exact, projected), against(reflected, projected))
}

// breaks judges whether clipping afterwards makes predictions worse.
func (r *Results) breaks() study.Claim {
	return r.compared("monotone-clipping", "loss", "−log density,", against(exact, clipped), against(freeExact, clipped))
}

// difference is the interval over repetitions of a metric of a less that of b.
func (r *Results) difference(metric, a, b string) study.Interval {
	x, y := r.table.Column(a, metric), r.table.Column(b, metric)
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	return study.IntervalOf(d)
}

// A tally says in which of all cases something is so, in which not, and of which it is not known.
type tally struct {
	So, Not, Open []string
	Numbers       []study.Number
}

// add adds a case.
func (t *tally) add(name string, so bool, n study.Number) {
	if so {
		t.So = append(t.So, name)
	} else {
		t.Not = append(t.Not, name)
	}
	t.Numbers = append(t.Numbers, n)
}

// within adds a case that is so where the whole of an interval is between bounds, and not so where none of
// it is.
func (t *tally) within(name string, i study.Interval, low, high float64, n study.Number) {
	from, to := i.Mean-i.Half, i.Mean+i.Half
	if so := from >= low && to <= high; so || from > high || to < low {
		t.add(name, so, n)
		return
	}
	t.Open, t.Numbers = append(t.Open, name), append(t.Numbers, n)
}

// claim is the claim that it is so in all.
func (t *tally) claim(id string) study.Claim {
	v := study.Among(len(t.So), len(t.So)+len(t.Not)+len(t.Open))
	switch {
	case len(t.So)+len(t.Not) == 0:
		v = study.Untestable
	case len(t.Open) > 0:
		v = study.Depends
	}
	return prose().Claim(id, v, *t)
}

// costless judges whether reflection predicts as well as what it could be replaced by.
func (r *Results) costless() study.Claim {
	var t tally
	for _, m := range []string{exact, reparametrised} {
		d := r.difference("loss", reflected, m)
		t.within(m, d, math.Inf(-1), margin, d.Number("−log density of r2SGLD less that of "+m))
	}
	return t.claim("monotone-reflection")
}

// faithful judges whether shares near the wall are those of the exact law.
func (r *Results) faithful() study.Claim {
	var t tally
	of := r.table.Interval(exact, "near").Mean
	for _, m := range []string{reflected, reparametrised} {
		d := r.difference("near", m, exact)
		off := study.Interval{Mean: d.Mean / of, Half: d.Half / of}
		t.within(m, off, -alike, alike, off.Number("share near the wall over that of exact, less 1, "+m))
	}
	return t.claim("monotone-wall")
}

// falls judges whether responses of constrained methods fall, all of them, and those of free ones
// do not.
func (r *Results) falls() study.Claim {
	var t tally
	for _, m := range methods() {
		v := r.table.Column(m, "somehow")
		if len(v) == 0 {
			continue
		}
		rises := slices.Max(v) > 0
		t.add(m, rises != holds(m), study.IntervalOf(v).Number("share of draws that rise somewhere, "+m).Within(0, 1))
	}
	return t.claim("monotone-falls")
}

// covers judges whether intervals of rows to come hold as many as they say.
func (r *Results) covers() study.Claim {
	var t tally
	for _, m := range []string{exact, reflected, reparametrised, freeExact, freeChain} {
		c := r.table.Interval(m, "covered")
		t.add(m, math.Abs(c.Mean-level) <= correct, c.Number("coverage, "+m).Within(0, 1))
	}
	return t.claim("monotone-coverage")
}

// mixing judges whether draws of all ladders agree, in every repetition. Clipped ones have no
// chain of their own.
func (r *Results) mixing() study.Claim {
	var t tally
	for _, m := range methods() {
		if m == clipped {
			continue
		}
		rhat, ess := r.worst(m)
		t.add(m, rhat <= mixed && ess >= enough, study.Exactly("largest R̂, "+m, rhat))
	}
	return t.claim("monotone-mixing")
}

// worst are the largest R̂ of a method and the least effective sample size, of all repetitions.
func (r *Results) worst(m string) (rhat, ess float64) {
	rhat, ess = math.NaN(), math.NaN()
	if v := r.table.Column(m, "rhat"); len(v) > 0 {
		rhat, ess = slices.Max(v), slices.Min(r.table.Column(m, "ess"))
	}
	return rhat, ess
}
