package multimodal

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// sections are the parts of the report.
func (m *multimodal) sections(pictures []study.Picture) []study.Section {
	grids := pictures[:2]
	curves := pictures[2 : len(pictures)-1]
	return []study.Section{
		{Title: "The target and the exact law", Text: m.targetText(), Tables: []study.Table{m.truthTable()}, Pictures: grids},
		m.nineSection(curves),
		m.penaltySection(),
		{Title: "Equal cost, swaps and steps", Text: "Replica exchange evaluates two gradients where a single chain evaluates one. At half the draws the costs are equal. The cosine schedule of R-cycSGLD at 1e-3 has the mean step of R-SGLD; the code of the paper's figure doubles it. The rule threshold swaps whenever the corrected swap probability exceeds 3e-4, without a random number; its correction is found by bisection over short runs so that a tenth of the sweeps swap.",
			Tables: []study.Table{m.costTable(), m.swapTable()}},
		{Title: "How a step that leaves is turned back", Text: "Nearest mirrors at the tangent of the nearest point of the wall (the paper's rule), specular follows the path from crossing to crossing, refuse does not take the step. " + m.biasText() + " " + m.insideText(),
			Tables: []study.Table{m.boundaryTable(), m.biasTable()}, Pictures: pictures[len(pictures)-1:]},
		{Title: "Other answers to the same need", Text: "Projection moves to the nearest point of the domain and leaves atoms on the wall. MYULA (convex domains) pulls back by a Moreau–Yosida envelope and leaves the domain. Mirror Langevin (box and triangle) moves in coordinates without walls; its step is chosen for the same diffusion where its map is steepest. Rejection drops the draws of an unconstrained run outside. Reflected HMC and r2SGLD with kernel hmc are exact, as the table of E r² above shows; they run without noise, at as many gradient evaluations, and so a tenth of the draws.",
			Tables: []study.Table{m.baselineTable(), m.mirrorTable()}},
		{Title: "Time", Text: m.timeText(), Tables: []study.Table{m.speedTable(), m.spentTable()}},
	}
}

func (m *multimodal) targetText() string {
	return "U(x, y) = " + formula + " on five domains of radius 2. Gradients carry noise of standard deviation 0.05 per coordinate, energies too; every chain starts at the origin, as in the released code (on the triangle, of which that is a corner, at (0.3, 0.3)).\n\n" +
		"Draws are compared with exact masses: KL on squares of side 0.2 that cover the domain exactly once, counts smoothed by ½; draws outside the domain are lost mass (KL counted) or discarded (KL inside). " +
		"Intervals are 95 % t intervals over " + fmt.Sprint(runsOf(m.Scale)) + " runs; ± is half their width, and two of its digits are shown."
}

func (m *multimodal) truthTable() study.Table {
	t := study.Table{Title: "Exact values by quadrature", Columns: []string{"domain", "area", "E U", "E r²", "cells", "modes of mass > 0.001", "swap probability", "Λ", "KL of independent draws"},
		Caption: "Λ is the barrier between temperatures 10 and 1. The last column is the floor: independent draws, as many as the protocol paper keeps after its burn-in. The inner vertices of the star are at 0.618 and 0.382, as in the released code, not at the golden ratio. Box and triangle are for the mirror map."}
	for i, s := range slices.Concat(m.five, m.two) {
		e := m.exact[i]
		floor := m.trials.find(s.name, "paper", groupIID, "iid")
		t.Rows = append(t.Rows, []string{s.name, fmt.Sprintf("%.6f", e.Area), strings.Replace(fmt.Sprintf("%.6f", e.Tau1.MeanU), "-", "−", 1), fmt.Sprintf("%.6f", e.Tau1.R2), fmt.Sprint(s.cells.K()),
			fmt.Sprint(s.worthFinding()), fmt.Sprintf("%.4f", e.Swap), fmt.Sprintf("%.4f", e.Barrier), floor.told(klAll).text})
	}
	return t
}

// A cell of a table; the lowest rank of a column stands out, NaN never does.
type cell struct {
	text string
	rank float64
}

// none is the cell of what was not run.
func none() cell { return cell{"–", math.NaN()} }

// domainsTable has a row for each label and a column for each domain; the best cells
// of each column stand out.
func (m *multimodal) domainsTable(title, caption string, labels []string, of func(s *scene, label string) cell) study.Table {
	t := study.Table{Title: title, Caption: caption, Columns: []string{"method"}}
	lowest := make([]float64, len(m.five))
	ranks := make([][]float64, len(labels))
	for i, s := range m.five {
		t.Columns = append(t.Columns, s.name)
		lowest[i] = math.Inf(1)
	}
	for r, l := range labels {
		row := []string{l}
		for i, s := range m.five {
			c := of(s, l)
			row, ranks[r] = append(row, c.text), append(ranks[r], c.rank)
			if c.rank < lowest[i] {
				lowest[i] = c.rank
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for r := range labels {
		for i, rank := range ranks[r] {
			if rank == lowest[i] {
				t.Best = append(t.Best, [2]int{r, 1 + i})
			}
		}
	}
	return t
}

// boldText says what stands out.
const boldText = "The best mean of each column is bold."

func (m *multimodal) nineSection(curves []study.Picture) study.Section {
	s := study.Section{Title: "The nine methods", Pictures: curves,
		Text: "SGLD, cycSGLD and reSGLD, each plain, penalised (P-) and reflected (R-; R-reSGLD is r2SGLD). Every one is a configuration of the same program. " +
			"P- stands for the penalty (strength and form) with the lowest KL of the grid below, chosen by protocol paper for each sampler and domain: this favours the penalty. Reflection is at the tangent of the nearest point of the wall, as in the paper."}
	type column struct {
		what string
		of   func(Score) float64
	}
	all := []column{{"KL(truth‖draws), draws outside counted", klAll}, {"KL(truth‖draws), draws outside discarded", klIn},
		{"KL(draws‖truth), draws outside discarded", klBack}, {"Share of draws outside", outside},
		{"W1 of the marginals, mean of x and y", w1},
		{"Total variation of the weights of the modes", modesOff}}
	for _, p := range m.protocols() {
		caption := fmt.Sprintf("%s draws, the first fifth dropped. "+boldText, text.Count(p.draws()))
		of := func(s *scene, l string) *outcome { return m.trials.of(s.name, p.name, l) }
		for _, c := range all {
			s.Tables = append(s.Tables, m.domainsTable(c.what+", protocol "+p.name, caption, nine(), func(s *scene, l string) cell {
				return of(s, l).told(c.of)
			}))
		}
		s.Tables = append(s.Tables, m.domainsTable("Modes found, protocol "+p.name, caption+" The last row is how many modes of mass above 0.001 there are.", append(nine(), "there are"), func(s *scene, l string) cell {
			if o := of(s, l); o != nil {
				c := o.told(modesFound)
				c.rank = -c.rank
				return c
			}
			return cell{fmt.Sprint(s.worthFinding()), math.NaN()}
		}))
	}
	return s
}

func (m *multimodal) penaltySection() study.Section {
	s := study.Section{Title: "Penalties",
		Text: "The paper pulls a state outside back by ξ times the state, to the origin, and does not give ξ (force); the other form is the gradient of ½ξ·dist² (distance). " +
			"ξ = 1000 at the step 1.5e-3 of the hot chain is close to the limit of stability."}
	for _, a := range samplers() {
		var labels []string
		for _, q := range penaltiesOf(m.Scale) {
			labels = append(labels, a.with(q))
		}
		s.Tables = append(s.Tables, m.domainsTable("P-"+a.label+": KL(truth‖draws), draws outside counted", "Protocol paper; behind it the share of draws outside. The last row reflects. "+boldText, append(labels, a.reflected), func(s *scene, l string) cell {
			o := m.trials.beside(s.name, groupGrid, l)
			c := o.told(klAll)
			c.text += ", " + digits(interval(o.last(outside)).Mean)
			return c
		}))
	}
	return s
}

// told is a number of an outcome with its interval, a dash if there is none.
func (o *outcome) told(of func(Score) float64) cell {
	if o == nil {
		return none()
	}
	v := interval(o.last(of))
	return cell{short(v), v.Mean}
}

// atHalf is the KL at half the draws.
func (o *outcome) atHalf() cell {
	v := interval(o.cheap(len(o.at)-1, true, klAll))
	return cell{short(v), v.Mean}
}

func (m *multimodal) costTable() study.Table {
	const half, twice = "r2SGLD at half the draws", "R-cycSGLD, twice the step"
	return m.domainsTable("KL(truth‖draws) at equal cost, protocol paper", "Draws outside counted, the first fifth dropped. "+boldText, []string{"R-SGLD", "R-cycSGLD", twice, half, "r2SGLD"}, func(s *scene, l string) cell {
		switch l {
		case half:
			return m.trials.of(s.name, "paper", "r2SGLD").atHalf()
		case twice:
			return m.trials.find(s.name, "paper", groupTwice, l).told(klAll)
		}
		return m.trials.of(s.name, "paper", l).told(klAll)
	})
}

func (m *multimodal) swapTable() study.Table {
	t := study.Table{Title: "Swaps of r2SGLD, protocol paper", Columns: []string{"domain", "exact probability", "rate, metropolis", "rate, threshold", "correction", "KL, metropolis", "KL, threshold"},
		Caption: "The exact probability is that of independent draws of both temperatures. The rate by the rule of Metropolis falls short of it by the bias of the steps, which halves with them."}
	for i, s := range m.five {
		a := m.trials.of(s.name, "paper", "r2SGLD")
		row := []string{s.name, fmt.Sprintf("%.4f", m.exact[i].Swap), short(interval(a.swaps)), "–", "–", a.told(klAll).text, "–"}
		if b := m.trials.find(s.name, "paper", groupThreshold, "r2SGLD, rule threshold"); b != nil {
			_, after, _ := strings.Cut(b.keys, "correction: ")
			row[3], row[4], row[6] = short(interval(b.swaps)), strings.TrimSuffix(after, "}"), b.told(klAll).text
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (m *multimodal) boundaryTable() study.Table {
	var labels []string
	for _, a := range samplers() {
		labels = append(labels, a.reflected)
		for _, rule := range []string{"specular", "refuse"} {
			if l := a.reflected + ", " + rule; m.trials.find(m.five[0].name, "paper", groupBoundary, l) != nil {
				labels = append(labels, l)
			}
		}
	}
	return m.domainsTable("KL(truth‖draws) by boundary rule, protocol paper", "Without a rule named: nearest. "+boldText, labels, func(s *scene, l string) cell {
		return m.trials.beside(s.name, groupBoundary, l).told(klAll)
	})
}

// baselineTable compares at equal gradient evaluations, and so at different numbers
// of draws: each beside the KL of as many independent draws.
func (m *multimodal) baselineTable() study.Table {
	labels := []string{"R-SGLD", "projected SGLD", "rejection of SGLD", "MYULA", "R-HMC", "r2SGLD, kernel hmc", "r2SGLD"}
	draws := make(map[string]int) // scored
	t := m.domainsTable("KL(truth‖draws) at equal gradient evaluations, protocol paper, and of as many independent draws", "Draws outside counted, those of two rungs at half the draws; the methods with kernel hmc without noise, at a tenth of the draws. "+
		"Behind the stroke the mean KL of as many independent draws as the row scores: KL falls with the number of draws alone, so that rows of different numbers are compared by their distance from it. Rejection scores what it keeps.", labels, func(s *scene, l string) cell {
		o := m.trials.beside(s.name, groupBaseline, l)
		if o == nil {
			return none()
		}
		c, n := o.told(klAll), int(o.held)/o.runs
		if o.rungs == 2 {
			c, n = o.atHalf(), n/2
		}
		n -= n / 5
		draws[l] = n
		c.text += " / " + digits(s.cells.floorOf(n, m.Seed).Mean)
		return c
	})
	t.Best = nil // of rows with different numbers of draws
	t.Columns = slices.Insert(t.Columns, 1, "draws")
	for i, row := range t.Rows {
		n := text.Count(draws[row[0]])
		if row[0] == "rejection of SGLD" {
			n = "kept"
		}
		t.Rows[i] = slices.Insert(row, 1, n)
	}
	return t
}

func (m *multimodal) mirrorTable() study.Table {
	t := study.Table{Title: "Mirror Langevin and others on a box and a triangle, protocol paper", Columns: []string{"domain", "method", "KL, outside counted", "KL inside", "share outside", "W1 x", "W1 y"},
		Caption: "The box is [−1.5, 1.5]², the triangle x, y ≥ 0, x + y ≤ 1. The best mean of each domain is bold; iid are independent draws, as many."}
	of := []func(Score) float64{klAll, klIn, outside, func(s Score) float64 { return s.W1X }, func(s Score) float64 { return s.W1Y }}
	for _, s := range m.two {
		var rows [][]float64
		for _, o := range m.trials.all {
			if o.scene != s {
				continue
			}
			row, values := []string{s.name, o.label}, []float64{}
			for _, f := range of {
				c := o.told(f)
				if o.group == groupIID {
					c.rank = math.NaN()
				}
				row, values = append(row, c.text), append(values, c.rank)
			}
			t.Rows, rows = append(t.Rows, row), append(rows, values)
		}
		first := len(t.Rows) - len(rows)
		for k := range of {
			lowest := math.Inf(1)
			for _, v := range rows {
				if v[k] < lowest {
					lowest = v[k]
				}
			}
			for r, v := range rows {
				if v[k] == lowest {
					t.Best = append(t.Best, [2]int{first + r, 2 + k})
				}
			}
		}
	}
	return t
}

// insideText says whether the reflected methods stayed inside.
func (m *multimodal) insideText() string {
	var runs int
	var draws, outside, lost int64
	for _, o := range m.trials.all {
		if o.group == groupReflected || o.group == groupBoundary || o.group == groupThreshold {
			runs += o.runs
			draws += int64(o.runs) * int64(o.protocol.draws())
			outside += o.outside
			lost += o.fallbacks
		}
	}
	return fmt.Sprintf("Of %s draws in %s runs that reflect or refuse, %d lie outside; %d steps had to be given up.", text.Count(draws), text.Count(runs), outside, lost)
}

func (m *multimodal) timeText() string {
	cases, total := 0, int64(0)
	for _, o := range slices.Concat(m.trials.all, m.flat) {
		if o.ran() {
			cases++
			total += o.steps
		}
	}
	return fmt.Sprintf("%d cases, %s chain steps (one replica, one iteration), %d at once. A step of two rungs is that of one of them; kernel hmc makes %d leapfrog steps in each.", cases, text.Count(total), m.Threads, leapfrogs)
}

// kind is what a chain step of a case is timed as: its label in tables, with the form
// of a penalty and not its strength.
func (o *outcome) kind() string {
	if o.group != groupGrid && o.group != groupPenalised {
		return o.label
	}
	for _, a := range samplers() {
		for _, form := range []string{"force", "distance"} {
			if o.method == "p-"+a.method && strings.Contains(o.keys, form) {
				return a.penalised() + ", " + form
			}
		}
	}
	return o.label
}

// speedTable says what a chain step costs, by method, over all domains.
func (m *multimodal) speedTable() study.Table {
	type sum struct {
		took  time.Duration
		steps int64
	}
	var order []string
	sums := map[string]*sum{}
	for _, o := range slices.Concat(m.trials.all, m.flat) {
		if !o.ran() {
			continue
		}
		name := o.kind()
		if sums[name] == nil {
			sums[name] = &sum{}
			order = append(order, name)
		}
		sums[name].took += o.took
		sums[name].steps += o.steps
	}
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	t := study.Table{Title: "Nanoseconds per chain step", Columns: []string{"method", "ns per chain step", "chain steps"},
		Caption: "One thread, over all domains and protocols; whatever else the machine did is in it."}
	for _, name := range order {
		s := sums[name]
		t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%.0f", float64(s.took.Nanoseconds())/float64(s.steps)), text.Count(s.steps)})
	}
	return t
}

// spentTable says where the time of the study went.
func (m *multimodal) spentTable() study.Table {
	t := study.Table{Title: "Where the time went", Columns: []string{"part", "seconds", "chain steps"}, Caption: "Without chain steps: exact laws, the search for a correction, figures."}
	for _, s := range m.spent {
		t.Rows = append(t.Rows, []string{s.what, fmt.Sprintf("%.2f", s.seconds), text.Count(s.steps)})
	}
	return t
}
