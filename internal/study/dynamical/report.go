package dynamical

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// sections are the parts of the report.
func (m *inquiry) sections(pictures map[string]study.Picture) []study.Section {
	some := func(names ...string) (out []study.Picture) {
		for _, n := range names {
			if p, ok := pictures[n]; ok {
				out = append(out, p)
			}
		}
		return out
	}
	name := m.system.name
	out := []study.Section{
		{Title: "Data and the exact law", Text: m.dataTold(), Tables: []study.Table{m.truthTable(), m.curvatureTable()}},
		{Title: "The six methods", Text: m.methodsTold(), Tables: m.methodTables(), Pictures: some(name+"-posteriors", name+"-posteriors-all")},
		{Title: "What reflection did", Text: m.sameText() + " " + m.massText(), Tables: []study.Table{m.outsideTable()}},
		{Title: "Trajectories with the modes", Text: m.pathsTold(), Tables: []study.Table{m.pathTable()}, Pictures: some(name+"-attractors", name+"-trajectories")},
		{Title: "Swaps", Text: m.swapsTold(), Tables: []study.Table{m.swapTable()}},
	}
	out = append(out, m.moreSections()...)
	return append(out, study.Section{Title: "Time", Text: m.timeTold(), Tables: []study.Table{m.spentTable()}})
}

func (m *inquiry) dataTold() string {
	return m.system.told + ", at 10,001 times in [0, 100]: states and derivatives, these with noise N(0, 1). The paper gives neither initial state nor noise; both are our choice.\n\n" +
		"U = ‖ΘB − Ẋ‖²/(2m) over minibatches of m = 4,096 rows, as in the paper: a posterior √10,001 times wider than that of the data. It is normal, so that its mean and standard deviations are known exactly; a quadratic U has one minimum and its density one peak. " +
		m.massText()
}

func (m *inquiry) truthTable() study.Table {
	t := study.Table{Title: "The exact law", Columns: []string{"free", "coefficient", "truth", "mean", "standard deviation"},
		Caption: "Mean and mode are the same. The key coefficients, and with them the quantities that are compared below."}
	for _, v := range m.system.variants {
		r := m.rulers[v]
		for _, k := range v.key {
			q := v.quantities[k]
			t.Rows = append(t.Rows, []string{v.told, q.symbol, fmt.Sprintf("%.6g", q.truth), fmt.Sprintf("%.5f", r.mean[k]), fmt.Sprintf("%.4g", r.sd[k])})
		}
	}
	return t
}

func (m *inquiry) curvatureTable() study.Table {
	t := study.Table{Title: "Steps against the law", Columns: []string{"free", "smallest curvature", "largest", "condition", "needs a diffusion time of", "has, R-SGLD", "R-cycSGLD", "r2SGLD", "largest step × curvature"},
		Caption: "A step is stable up to 2 over the largest curvature; the slowest direction forgets its start by a factor e in the time 1 over the smallest. The time of a chain is the sum of its step sizes, that of r2SGLD on the cold rung alone."}
	var times []string
	largest := 0.0
	for i := range m.system.cold {
		total, _ := m.diffusion(i)
		times = append(times, fmt.Sprintf("%.3g", total))
		largest = math.Max(largest, m.system.hottest[i])
	}
	for _, v := range m.system.variants {
		c := m.rulers[v].curvatures()
		t.Rows = append(t.Rows, append(append([]string{v.told, fmt.Sprintf("%.4g", c[0]), fmt.Sprintf("%.5g", c[len(c)-1]), fmt.Sprintf("%.3g", c[len(c)-1]/c[0]), fmt.Sprintf("%.3g", 1/c[0])}, times...),
			fmt.Sprintf("%.2g", largest*c[len(c)-1])))
	}
	return t
}

func (m *inquiry) methodsTold() string {
	n := iterationsOf(m.Scale)
	return fmt.Sprintf("SGLD, cycSGLD and reSGLD (temperatures 1 and 10, as in the released code), each plain and reflected, with the paper's steps: SGLD %s, cycSGLD %s in ten cosine cycles, reSGLD %s for the cold and the hot rung; all but cycSGLD × 0.9999 per iteration after 10,000%s. %s iterations, of which the first third is burn-in. ",
		m.system.steps[0], m.system.steps[1], strings.Trim(m.system.steps[2], "[]"), map[bool]string{true: " of 60,000, and shortened here", false: ""}[n != paperIterations], text.Count(n)) +
		"The paper does not say where chains start; all methods share these starts: box, each key coefficient uniform within ±50 % of its true value and the others within ±0.5; truth, the true values, where the released code starts cycSGLD; walls, next to the walls, for the released code starts the others at 0, which the constraints forbid. " +
		"A method and its reflected partner have the same noise and the same minibatches.\n\n" +
		"Modes are those of kernel density estimates of single coefficients (Silverman's bandwidth), as in the paper; with all coefficients free " + map[bool]string{true: "σ is, as in the released code, the mean of both of its coefficients, and ", false: ""}[m.combined()] +
		"errors are of the key coefficients. The distance from the exact law compares means and standard deviations: 0 is exact, and draws that stand still at the exact mean are at 1."
}

// combined reports whether a key coefficient is the mean of two.
func (m *inquiry) combined() bool {
	all := m.system.variants[1]
	return len(all.quantities) > len(all.parameters)
}

// metric is a column of the tables of methods.
type metric struct {
	name string
	of   func(score) float64
}

func (m *inquiry) methodTables() []study.Table {
	var out []study.Table
	metrics := []metric{{"error of the modes", modeError}, {"error of all modes", func(s score) float64 { return s.errorAll }}, {"distance from the exact law", off}, {"relative distance of the draws from the truth", around},
		{"least ESS", func(s score) float64 { return least(s.ess) }}, {"peaks of " + m.system.variants[0].quantities[0].symbol, func(s score) float64 { return float64(s.peaks[0]) }}}
	for _, at := range m.settings("r2SGLD") {
		t := study.Table{Title: m.place(at), Columns: []string{"method"}, Caption: fmt.Sprintf("Means and 95 %% t intervals over %d runs. The best means of the first four columns are bold.", len(m.at(at, "r2SGLD").runs))}
		for _, c := range metrics {
			t.Columns = append(t.Columns, c.name)
		}
		lowest := make([]float64, len(metrics))
		for i := range lowest {
			lowest[i] = math.Inf(1)
		}
		for _, l := range six() {
			o := m.at(at, l)
			if o == nil {
				continue
			}
			row := []string{l}
			for i, c := range metrics {
				v := study.IntervalOf(o.column(c.of))
				row = append(row, v.PlusMinus())
				lowest[i] = math.Min(lowest[i], v.Mean)
			}
			t.Rows = append(t.Rows, row)
		}
		for r, row := range t.Rows {
			for i, c := range metrics[:4] {
				if study.IntervalOf(m.at(at, row[0]).column(c.of)).Mean == lowest[i] {
					t.Best = append(t.Best, [2]int{r, 1 + i})
				}
			}
		}
		out = append(out, t, m.modeTable(at))
	}
	return out
}

func least(v []float64) float64 {
	out := math.Inf(1)
	for _, x := range v {
		out = math.Min(out, x)
	}
	return out
}

// modeTable tells modes and standard deviations of the key coefficients.
func (m *inquiry) modeTable(at [2]string) study.Table {
	var v *variant
	for _, w := range m.system.variants {
		if w.name == at[0] {
			v = w
		}
	}
	t := study.Table{Title: "Modes and standard deviations, " + m.place(at), Columns: []string{"method"}, Caption: "Modes with 95 % t intervals over the runs, and mean standard deviations of the draws of a run."}
	exact, truth := []string{"exact law"}, []string{"truth"}
	for _, k := range v.key {
		q := v.quantities[k]
		t.Columns = append(t.Columns, "mode of "+q.symbol, "sd")
		exact = append(exact, fmt.Sprintf("%.5g", m.rulers[v].mean[k]), fmt.Sprintf("%.3g", m.rulers[v].sd[k]))
		truth = append(truth, fmt.Sprintf("%.5g", q.truth), "–")
	}
	for _, l := range six() {
		o := m.at(at, l)
		if o == nil {
			continue
		}
		row := []string{l}
		for _, k := range v.key {
			row = append(row, study.IntervalOf(o.column(func(s score) float64 { return s.mode[k] })).PlusMinus(),
				fmt.Sprintf("%.3g", study.IntervalOf(o.column(func(s score) float64 { return s.sd[k] })).Mean))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, exact, truth)
	return t
}

func (m *inquiry) outsideTable() study.Table {
	t := study.Table{Title: "Iterations outside the constraints, and reflections", Columns: []string{"setting", "method", "outside, cold, burn-in", "later", "hot, burn-in", "later", "reflections", "given up", "runs as without walls"},
		Caption: "Sums over all runs. The last column counts the runs whose cold draws are bit for bit those of the method's partner."}
	for _, at := range m.settings("r2SGLD") {
		for _, s := range samplers() {
			for _, l := range []string{s.plain, s.reflected} {
				o := m.at(at, l)
				if o == nil {
					continue
				}
				var n [4]int
				var hits, lost int64
				for _, r := range o.runs {
					for i := range n {
						n[i] += r.outside[i/2][i%2]
					}
					hits, lost = hits+r.hits, lost+r.fallbacks
				}
				row := []string{m.place(at), l, text.Count(n[0]), text.Count(n[1]), "–", "–", "–", "–", "–"}
				if s.rungs == 2 {
					row[4], row[5] = text.Count(n[2]), text.Count(n[3])
				}
				if l == s.reflected {
					row[6], row[7] = text.Count(hits), text.Count(lost)
					if p := m.at(at, s.plain); p != nil {
						row[8] = fmt.Sprintf("%d of %d", o.identical(p), len(o.runs))
					}
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

func (m *inquiry) pathsTold() string {
	if m.system.chaotic {
		return fmt.Sprintf("Trajectories from the initial state of the data with all modes as coefficients, by DOP853 at a tolerance of %.0e, against the true one. The system is chaotic: the largest Lyapunov exponent is %.3f ± %.3f (two standard errors), so that distances grow by e in %.2f units of time. An attractor looks alike with any coefficients near the true ones: the picture cannot tell methods apart, the time until trajectories part can.",
			tolerance, m.lyapunov.Value, 2*m.lyapunov.SE, m.lyapunov.Time())
	}
	return fmt.Sprintf("Trajectories from the initial state of the data with all modes as coefficients, by DOP853 at a tolerance of %.0e, against the true one, over the 100 days of the data and the 100 days after. Distances are in standard deviations of the true trajectory; two that have nothing to do with each other are at √2. Those that end are counted as %g away.", tolerance, farthest)
}

func (m *inquiry) pathTable() study.Table {
	metrics := []metric{{"time until they part by 1 unit", parting}}
	if !m.system.chaotic {
		metrics = append(metrics, metric{"distance, days 0 to 100", apartEarly}, metric{"days 100 to 200", apartLate})
	}
	t := study.Table{Title: "Trajectories with the modes against the true one", Columns: []string{"setting", "method"}, Caption: "Means and 95 % t intervals over the runs. The rows of the exact law are with its modes."}
	for _, c := range metrics {
		t.Columns = append(t.Columns, c.name)
	}
	for _, at := range m.settings("r2SGLD") {
		for _, l := range six() {
			if o := m.at(at, l); o != nil {
				row := []string{m.place(at), l}
				for _, c := range metrics {
					row = append(row, study.IntervalOf(o.column(c.of)).PlusMinus())
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	for _, v := range m.system.variants {
		row := []string{v.told, "exact law"}
		for _, c := range metrics {
			row = append(row, fmt.Sprintf("%.3g", c.of(m.rulers[v].best())))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (m *inquiry) swapsTold() string {
	return "Swaps are tried in every iteration, by the rule of Metropolis with the variance of the minibatches' energies estimated on line. The exact rate is that of draws in equilibrium; chains that have not come there swap otherwise. The paper speaks of 5 to 20 % by adjusted corrections; its released code swaps without a random number, whenever the corrected probability exceeds 3e-4, and compares root mean squared residuals in place of U."
}

func (m *inquiry) swapTable() study.Table {
	t := study.Table{Title: "Swap rates", Columns: []string{"setting", "rule", "correction", "rate", "exact rate, Metropolis", "error of the modes", "distance from the exact law"}, Caption: "Means and 95 % t intervals over the runs."}
	for _, at := range m.settings("r2SGLD") {
		o := m.at(at, "r2SGLD")
		t.Rows = append(t.Rows, []string{m.place(at), "metropolis", "–", study.IntervalOf(o.column(swaps)).PlusMinus(), fmt.Sprintf("%.3g", normalSwaps(len(o.v.parameters))), study.IntervalOf(o.column(modeError)).PlusMinus(), study.IntervalOf(o.column(off)).PlusMinus()})
	}
	t.Rows = append(t.Rows, m.thresholdRows()...)
	return t
}

func (m *inquiry) timeTold() string {
	seconds, iterations := 0.0, 0
	for _, o := range m.all {
		for _, r := range o.runs {
			seconds += r.seconds
			iterations += o.iterations
		}
	}
	return fmt.Sprintf("%s iterations of minibatches of %s rows, at %.0f microseconds each, both rungs together, %d at once. One pass over a minibatch gives the Gram matrix, the products with the residuals and their squares for all coefficients and rungs.",
		text.Count(iterations), text.Count(batchRows), 1e6*seconds/float64(iterations), m.Threads)
}

func (m *inquiry) spentTable() study.Table {
	t := study.Table{Title: "Where the time went", Columns: []string{"part", "seconds"}}
	for _, s := range m.spent {
		t.Rows = append(t.Rows, []string{s.what, fmt.Sprintf("%.2f", s.seconds)})
	}
	return t
}
