package evidence

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// sections are the parts of the report. What depends on the machine's speed is in the
// last alone.
func (r *Results) sections() ([]study.Section, error) {
	errors, err := r.errorPicture()
	if err != nil {
		return nil, err
	}
	calls, err := r.callPicture()
	if err != nil {
		return nil, err
	}
	return []study.Section{
		{Title: "Problems and exact values", Tables: []study.Table{r.exactTable()},
			Text: "Evidence is the log of the mean of the likelihood L over the region, so that it is 0 for L = 1; the program itself tells log ∫ L, which has the log of the volume in it. E1 and E4 have no constraint but the box. E2 is bounded by a curve, E3 by the order of its coordinates."},
		{Title: "Ours", Tables: []study.Table{r.ownTable()},
			Text: "Method auto finds temperatures from the uniform law on the region (temperature ∞) down to 1, step sizes and trajectories; the kernel is reflected MALA, an exact one, so that nothing but chance is wrong. Every pair of neighbouring rungs gives a stepping stone, forward by draws of the hotter, backward by draws of the colder; the estimate is the geometric bridge between both. Rounds are doubled until its standard error is what was asked for.\n\n" +
				"A call is the potential with its gradient at one point, warm-up and all."},
		{Title: "Beside nested sampling", Tables: []study.Table{r.peerTable()}, Pictures: []study.Picture{errors, calls}, Text: r.peerText()},
		{Title: "Which to use", Text: r.choice()},
		{Title: "Time", Tables: []study.Table{r.timeTable()}, Text: "CPU seconds of a run, by differences of the CPU time of the process (user and system), in which the runs follow each other on one processor core: from the text of the configuration to the summary on disk, tuning and files included, figures and the start of the program left out. Those of nested sampling are of the run alone, their likelihoods being Python (of many points at once where UltraNest takes them), and were measured on " + r.Peers.Machine + ": they say little where likelihoods are dear. Compare calls then."},
	}, nil
}

func (r *Results) exactTable() study.Table {
	t := study.Table{Title: "Exact values", Columns: []string{"", "problem", "dimension", "log volume", "log Z", "how"}}
	for i := range r.Problems {
		p := &r.Problems[i]
		t.Rows = append(t.Rows, []string{p.ID, p.Name, fmt.Sprint(p.Dim), text.Number(p.LogVolume, 5), text.Number(p.Exact, 5), p.derivation})
	}
	return t
}

func (r *Results) ownTable() study.Table {
	t := study.Table{Title: "log Z by stepping stones", Columns: []string{"problem", "seeds", "rungs", "rms error", "mean error", "standard error stated", "within gap", "within one standard error", "within bar", "calls"},
		Caption: fmt.Sprintf("Means over seeds. The bar is the larger of the gap and two standard errors. Asked for: rms error at most %g, mean error at most %g in size, seven of eight within the bar.", mostRMS, mostMean)}
	for i := range r.Problems {
		p := &r.Problems[i]
		least, most := p.Runs[0].Rungs, p.Runs[0].Rungs
		for _, run := range p.Runs {
			least, most = min(least, run.Rungs), max(most, run.Rungs)
		}
		rungs := fmt.Sprint(least)
		if most > least {
			rungs += fmt.Sprint(" to ", most)
		}
		t.Rows = append(t.Rows, []string{p.ID, fmt.Sprint(len(p.Runs)), rungs, text.Number(p.RMS, 4), text.Number(p.Mean, 4), text.Number(p.stated(), 4),
			fmt.Sprint(p.Covered.Gap), fmt.Sprint(p.Covered.SE), fmt.Sprint(p.Covered.Bar), rounded(p.calls())})
	}
	return t
}

func (r *Results) peerTable() study.Table {
	t := study.Table{Title: "Errors and calls", Columns: []string{"problem", "program", "seeds", "rms error", "mean error", "error stated", "within two", "calls", fmt.Sprintf("calls for %g", mostRMS)},
		Caption: fmt.Sprintf("Within two: runs whose error is at most two errors stated. Calls for %g: calls times the square of the error over it, the error being the rms found, with fewer than five runs the larger of it and the one stated. In bold the fewest; – for those that are off by more than %d standard errors on average. A star: a run was stopped or failed; see below.", mostRMS, far)}
	for i := range r.Problems {
		p := &r.Problems[i]
		all := r.Peers.peersOn(p.ID, p.Exact)
		within := 0
		for k := range p.Runs {
			if run := &p.Runs[k]; math.Abs(run.Error) <= 2*run.SE {
				within++
			}
		}
		mine := p.callsFor(mostRMS)
		least, ok := cheapest(all, mostRMS)
		if !ok || mine < least.callsFor(mostRMS) {
			t.Best = append(t.Best, [2]int{len(t.Rows), 8})
		}
		t.Rows = append(t.Rows, []string{p.ID, "r2sgld", fmt.Sprint(len(p.Runs)), text.Number(p.RMS, 3), text.Number(p.Mean, 3), text.Number(p.stated(), 3), fmt.Sprint(within), rounded(p.calls()), rounded(mine)})
		for _, q := range all {
			if len(q.errors) == 0 {
				t.Rows = append(t.Rows, []string{p.ID, q.name() + " *", "0", "–", "–", "–", "–", "–", "–"})
				continue
			}
			if ok && least.name() == q.name() && mine >= least.callsFor(mostRMS) {
				t.Best = append(t.Best, [2]int{len(t.Rows), 8})
			}
			name, needed := q.name(), rounded(q.callsFor(mostRMS))
			if q.stopped != nil {
				name += " *"
			}
			if q.off() {
				needed = "–"
			}
			t.Rows = append(t.Rows, []string{p.ID, name, fmt.Sprint(len(q.errors)), text.Number(q.rms(), 3), text.Number(diag.Mean(q.errors), 3), text.Number(diag.Mean(q.stated), 3),
				fmt.Sprint(q.covered()), rounded(q.calls), needed})
		}
	}
	return t
}

// peerText says what the others are and which runs did not end.
func (r *Results) peerText() string {
	p := r.Peers
	out := fmt.Sprintf("dynesty %s, UltraNest %s and nestle %s, each in two uses. Usual: as it is if nothing is said, on the box around the region, the log-likelihood −1e300 outside it; the log of the ratio of both volumes is added, which a user would have to know too. Best: a transform of the unit cube onto the region itself (the flower by the polar angle, ordered coordinates by order statistics), so that no call is lost, live points for an expected error of %g (in ten dimensions of 0.12, for time), several ellipsoids as bounds, in ten dimensions slices where dynesty and UltraNest have them. Such transforms are known for few regions: a curve given by an inequality, or half-spaces across each other, have none.\n\nMeasured on %s (%s, Python %s) by %s. Runs that take long have few seeds.",
		p.Versions["dynesty"], p.Versions["ultranest"], p.Versions["nestle"], mostRMS, p.Made, p.Machine, p.Python, p.Command)
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
	if len(notes) > 0 {
		out += "\n\n* " + strings.Join(notes, ". ") + "."
	}
	return out
}

// choice says where which is the better one, from the calls that were counted.
func (r *Results) choice() string {
	var fewer, more []string
	for i := range r.Problems {
		p := &r.Problems[i]
		q, ok := cheapest(r.Peers.peersOn(p.ID, p.Exact), mostRMS)
		if !ok {
			continue
		}
		mine, theirs := p.callsFor(mostRMS), q.callsFor(mostRMS)
		told := fmt.Sprintf("%s %s against our %s (%s)", p.ID, rounded(theirs), rounded(mine), q.name())
		if theirs < mine {
			fewer = append(fewer, told)
		} else {
			more = append(more, told)
		}
	}
	out := "Nested sampling is the better choice where the likelihood is expensive, a transform of the unit cube onto the region is at hand (always so if there is no constraint) and dimensions are few: it asks for no gradient, and calls are what counts then."
	if len(fewer) > 0 {
		out += fmt.Sprintf(" For an error of %g it takes fewer on %s.", mostRMS, strings.Join(fewer, "; "))
	}
	if len(more) > 0 {
		out += fmt.Sprintf(" It takes no fewer on %s.", strings.Join(more, "; "))
	}
	return out + "\n\nStepping stones with an exact kernel are the better choice where calls are cheap, for then the time of a run is that of everything around them; and where a constraint has no such transform and would be told by −1e300 outside. They give draws of the law in the same run, and a gap between forward and backward estimates that shows when rungs do not meet."
}

func (r *Results) timeTable() study.Table {
	t := study.Table{Title: "CPU seconds of a run", Columns: []string{"problem", "r2sgld, mean", "largest", "at most", "met"},
		Caption: "Means over seeds; at most: asked for of the mean. –: no run ended."}
	for _, program := range programs() {
		t.Columns = append(t.Columns, program+", "+usual, program+", "+best)
	}
	for i, x := range r.Timings {
		largest := 0.0
		for _, s := range x.Seconds {
			largest = math.Max(largest, s)
		}
		met := "no"
		if diag.Mean(x.Seconds) <= x.Limit {
			met = "yes"
		}
		row := []string{x.Case, text.Number(diag.Mean(x.Seconds), 3), text.Number(largest, 3), show(x.Limit), met}
		all := r.Peers.peersOn(x.Case, r.Problems[i].Exact)
		for _, program := range programs() {
			for _, use := range []string{usual, best} {
				cell := "–"
				for _, q := range all {
					if q.program == program && q.use == use && len(q.errors) > 0 {
						cell = text.Number(q.seconds, 2)
					}
				}
				row = append(row, cell)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tint is the colour of a program in a use: pale if it is the usual one.
func tint(program, use string) string {
	colours := map[string][2]string{"dynesty": {"p-sgld", "r-sgld"}, "UltraNest": {"p-cycsgld", "r-cycsgld"}, "nestle": {"myula", "projected-sgld"}}
	if use == best {
		return colours[program][1]
	}
	return colours[program][0]
}

// errorPicture is the error of every run with its bar.
func (r *Results) errorPicture() (study.Picture, error) {
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
	return picture("evidence-errors", "Error of log Z of every run with its error bar, one panel a problem, one colour a program, pale in its usual use, which on E2 and E3 puts −1e300 outside the region. Bars that miss the dashed line are wrong by more than they say.", q)
}

// put adds a measurement with its bar.
func put(p *figure.Points, x, y, bar float64) {
	y = math.Max(-0.99, math.Min(0.99, y))
	p.X, p.Y = append(p.X, x), append(p.Y, y)
	p.Low, p.High = append(p.Low, y-bar), append(p.High, y+bar)
}

// callPicture is calls against errors.
func (r *Results) callPicture() (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "calls"}, Y: figure.Axis{Name: "error of log Z"}, LogX: true, LogY: true, View: [2][2]float64{{}, {0.008, 1}},
		Caption: "Error: rms over runs; of fewer than five the larger of it and the error stated. Above 1 at the edge. Dashed: what r2sgld would reach with other calls."}
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
	return picture("evidence-calls", "Calls of the likelihood against the error of log Z, both on logarithmic scales. Points to the left of the dashed line need fewer calls than r2sgld for the same error.", q)
}

// picture is a figure of curves with its caption.
func picture(name, caption string, q figure.Lines) (study.Picture, error) {
	f, err := figure.Curves(q)
	if err != nil {
		return study.Picture{}, fmt.Errorf("picture %s: %w", name, err)
	}
	return study.Picture{Name: name, Caption: caption, Figure: f}, nil
}
