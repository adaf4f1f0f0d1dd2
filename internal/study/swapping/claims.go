package swapping

import (
	_ "embed"
	"fmt"
	"sync"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/study"
)

//go:embed text.tmpl
var words string

// prose is what the study says.
var prose = sync.OnceValue(func() *study.Prose {
	return study.NewProse(words, template.FuncMap{"wanted": func() float64 { return wanted }})
})

// claims judges what the paper's appendix says of swaps.
func (r *Results) claims(runs int) []study.Claim {
	return []study.Claim{r.faster(runs), r.rates(runs), r.settles(), r.trips()}
}

// against compares deo with adj and ape on every ladder, by a column.
func (r *Results) against(what string, of func(Scheme) []float64) study.Comparisons {
	var out study.Comparisons
	for _, a := range r.Schemes {
		for _, b := range r.Schemes {
			if a.Name == "deo" && (b.Name == "adj" || b.Name == "ape") && a.Rungs == b.Rungs && a.Exact == b.Exact {
				out = append(out, study.Welch(fmt.Sprintf("%s, %d rungs, swap probability %.2f, %s", b.Name, a.Rungs, a.Exact, what), of(a), of(b)))
			}
		}
	}
	return out
}

// faster judges round trips.
func (r *Results) faster(runs int) study.Claim {
	bySweep := r.against("sweeps", func(s Scheme) []float64 { return s.sweeps })
	byAttempt := r.against("attempts", func(s Scheme) []float64 { return s.attempts })
	f := struct {
		Sweeps, Attempts study.Comparisons
		Largest          []Scheme
	}{bySweep.Adjusted(), byAttempt.Adjusted(), r.largest()}
	v := f.Sweeps.Verdict(runs)
	if v != f.Attempts.Verdict(runs) {
		v = study.Depends
	}
	return prose().Claim("swaps-round-trips", v, f)
}

// largest are the schemes on the ladder of the most rungs and the fewest swaps.
func (r *Results) largest() []Scheme { return r.Schemes[len(r.Schemes)-4:] }

// rates judges swap rates: the others are to refuse more.
func (r *Results) rates(runs int) study.Claim {
	by := r.against("refused", func(s Scheme) []float64 {
		out := make([]float64, len(s.rate))
		for i, v := range s.rate {
			out[i] = 1 - v
		}
		return out
	}).Adjusted()
	return prose().Compared("swaps-rates", by, runs, struct {
		By      study.Comparisons
		Largest []Scheme
	}{by, r.largest()})
}

// settles judges the correction: that its distance from the fixed point falls, from the first
// look at it to the last, to less than half.
func (r *Results) settles() study.Claim {
	var f struct {
		Levels  []Level
		Settled []string
	}
	f.Levels = r.Levels
	for _, l := range r.Levels {
		n := len(l.off) - 1
		half := make([]float64, len(l.off[0]))
		for i, v := range l.off[0] {
			half[i] = v / 2
		}
		if study.Welch(l.Gain, l.off[n], half).Better() {
			f.Settled = append(f.Settled, l.Gain)
		}
	}
	return prose().Claim("swaps-fixed-point", study.Among(len(f.Settled), len(r.Levels)), f)
}

// trips judges them.
func (r *Results) trips() study.Claim {
	f := struct {
		All []Trip
		In  []string
	}{All: r.Trips}
	for _, t := range r.Trips {
		if study.ThreeToFour(t.Trips.Mean) {
			f.In = append(f.In, fmt.Sprint(t.Target))
		}
	}
	return prose().Claim("swaps-three-to-four", study.Among(len(f.In), len(r.Trips)), f)
}
