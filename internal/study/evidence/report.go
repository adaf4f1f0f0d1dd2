package evidence

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

//go:embed text.tmpl
var words string

// prose is what the study says.
var prose = sync.OnceValue(func() *study.Prose {
	return study.NewProse(words, template.FuncMap{
		"mostRMS": func() float64 { return mostRMS }, "mostMean": func() float64 { return mostMean }, "far": func() int { return far },
		"rounded": rounded, "programs": programs, "notes": (*Peers).notes, "rivals": (*Results).rivals, "mean": diag.Mean,
		"largest":    slices.Max[[]float64],
		"contests":   func(r *Results) outcome { return r.contests(true) },
		"derivation": func(p Problem) string { return p.derivation }, "errors": Problem.errors, "rungs": Problem.rungs,
		"stated": func(p Problem) float64 { return p.stated() }, "calls": func(p Problem) float64 { return p.calls() }, "spent": (*Results).spent,
	})
})

// sections are the parts of the report. What depends on the machine's speed is in the
// last alone.
func (r *Results) sections() ([]study.Section, error) {
	pictures, err := study.Drawn(map[string]func() (*figure.Figure, error){"evidence-errors": r.errorFigure, "evidence-calls": r.callFigure})
	if err != nil {
		return nil, err
	}
	return prose().Sections(r, pictures)
}

// show prints a number with four digits and a minus sign.
func show(v float64) string { return study.Exactly("", v).String() }

// rounded prints a number of calls with two digits and separators.
func rounded(v float64) string {
	if v-v != 0 {
		return "–"
	}
	if v > 100 {
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		v = math.Round(v/unit) * unit
	}
	return text.Count(int64(math.Round(v)))
}

// errors are those of the runs.
func (p Problem) errors() []float64 {
	var out []float64
	for i := range p.Runs {
		out = append(out, p.Runs[i].Error)
	}
	return out
}

// rungs tells how many rungs the runs had.
func (p Problem) rungs() string {
	least, most := p.Runs[0].Rungs, p.Runs[0].Rungs
	for _, run := range p.Runs {
		least, most = min(least, run.Rungs), max(most, run.Rungs)
	}
	if most > least {
		return fmt.Sprint(least, " to ", most)
	}
	return fmt.Sprint(least)
}

// A rival is a program in one use, or ours, on a problem.
type rival struct {
	Problem, Program                 string
	Runs, Within                     int // within two errors stated
	RMS, Mean, Stated, Calls, Needed float64
	Stopped, Best                    bool
}

// rivals are all of them, ours first on each problem. The best one needs the fewest calls.
func (r *Results) rivals() []rival {
	var out []rival
	for i := range r.Problems {
		p := &r.Problems[i]
		all := r.Peers.peersOn(p.ID, p.Exact)
		least, ok := cheapest(all, mostRMS)
		own := rival{Problem: p.ID, Program: "r2sgld", Runs: len(p.Runs), RMS: p.RMS, Mean: p.Mean, Stated: p.stated(), Calls: p.calls(),
			Needed: p.callsFor(mostRMS)}
		for k := range p.Runs {
			if run := &p.Runs[k]; math.Abs(run.Error) <= 2*run.SE {
				own.Within++
			}
		}
		own.Best = !ok || own.Needed < least.callsFor(mostRMS)
		out = append(out, own)
		for _, q := range all {
			x := rival{Problem: p.ID, Program: q.name(), Runs: len(q.errors), Stopped: q.stopped != nil, Within: q.covered(), Calls: q.calls}
			if x.Runs > 0 {
				x.RMS, x.Mean, x.Stated, x.Needed = q.rms(), diag.Mean(q.errors), diag.Mean(q.stated), q.callsFor(mostRMS)
				x.Best = ok && !own.Best && least.name() == q.name()
			}
			if q.off() {
				x.Needed = math.NaN()
			}
			out = append(out, x)
		}
	}
	return out
}

// notes say which runs did not end.
func (p *Peers) notes() []string {
	var notes []string
	seeds := map[string]int{}
	for _, run := range p.Runs {
		if run.Note == "" {
			continue
		}
		told := fmt.Sprintf("%s, %s, on %s: %s", run.Program, run.Use, run.Problem, strings.TrimSuffix(run.Note, "."))
		if seeds[told]++; seeds[told] == 1 {
			notes = append(notes, told)
		}
	}
	for i, told := range notes {
		notes[i] = fmt.Sprintf("%s (runs: %d)", told, seeds[told])
	}
	return notes
}

// spent are the CPU seconds of each program and use on a problem.
func (r *Results) spent(p Problem) []string {
	var out []string
	all := r.Peers.peersOn(p.ID, p.Exact)
	for _, program := range programs() {
		for _, use := range []string{usual, best} {
			cell := "–"
			for _, q := range all {
				if q.program == program && q.use == use && len(q.errors) > 0 {
					cell = text.Number(q.seconds, 2)
				}
			}
			out = append(out, cell)
		}
	}
	return out
}

// tint is the colour of a program in a use: pale if it is the usual one.
func tint(program, use string) string {
	colours := map[string][2]string{"dynesty": {"p-sgld", "r-sgld"}, "UltraNest": {"p-cycsgld", "r-cycsgld"},
		"nestle": {"myula", "projected-sgld"}}
	if use == best {
		return colours[program][1]
	}
	return colours[program][0]
}

// errorFigure is the error of every run with its bar.
func (r *Results) errorFigure() (*figure.Figure, error) {
	const gap = 2 // between the runs of two programs
	q := figure.Lines{X: figure.Axis{Name: "run"}, Y: figure.Axis{Name: "error of log Z"}, View: [2][2]float64{{}, {-1, 1}},
		Caption: "Bars: two errors as each program states them. Errors beyond ±1 are drawn at the edge."}
	for i := range r.Problems {
		p := &r.Problems[i]
		own := figure.Points{Name: "r2sgld", Method: "r2sgld"}
		x := 0.0
		for k := range p.Runs {
			x++
			put(&own, x, p.Runs[k].Error, 2*p.Runs[k].SE)
		}
		panel := figure.LinePanel{Title: p.ID + ", " + p.Name, Points: []figure.Points{own}}
		for _, peer := range r.Peers.peersOn(p.ID, p.Exact) {
			if len(peer.errors) == 0 {
				continue
			}
			x += gap
			points := figure.Points{Name: peer.name(), Method: tint(peer.program, peer.use)}
			for k, e := range peer.errors {
				x++
				put(&points, x, e, 2*peer.stated[k])
			}
			panel.Points = append(panel.Points, points)
		}
		panel.Lines = []figure.Line{{Name: "exact", X: []float64{0, x + 1}, Y: []float64{0, 0}, Dashed: true}}
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}

// put adds a measurement with its bar.
func put(p *figure.Points, x, y, bar float64) {
	y = math.Max(-0.99, math.Min(0.99, y))
	p.X, p.Y = append(p.X, x), append(p.Y, y)
	p.Low, p.High = append(p.Low, y-bar), append(p.High, y+bar)
}

// callFigure is calls against errors.
func (r *Results) callFigure() (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "calls"}, Y: figure.Axis{Name: "error of log Z"}, LogX: true, LogY: true,
		View: [2][2]float64{{}, {0.008, 1}},
		Caption: "Error: rms over runs; of fewer than five the larger of it and the error stated. Above 1 at the edge. Dashed: what r2sgld " +
			"would reach with other calls."}
	for i := range r.Problems {
		p := &r.Problems[i]
		own := p.error()
		panel := figure.LinePanel{Title: p.ID + ", " + p.Name,
			Points: []figure.Points{{Name: "r2sgld", Method: "r2sgld", X: []float64{p.calls()}, Y: []float64{own}}}}
		low, high := p.calls()/3, p.calls()*3
		for _, peer := range r.Peers.peersOn(p.ID, p.Exact) {
			if len(peer.errors) == 0 {
				continue
			}
			low, high = math.Min(low, peer.calls), math.Max(high, peer.calls)
			panel.Points = append(panel.Points, figure.Points{Name: peer.name(), Method: tint(peer.program, peer.use),
				X: []float64{peer.calls}, Y: []float64{math.Min(peer.error(), 0.95)}})
		}
		at := func(calls float64) float64 { return own * math.Sqrt(p.calls()/calls) }
		panel.Lines = []figure.Line{{Name: "r2sgld, calls^(−1/2)", X: []float64{low, high}, Y: []float64{at(low), at(high)}, Dashed: true}}
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}
