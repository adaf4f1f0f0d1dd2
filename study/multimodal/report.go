package multimodal

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/report"
	"github.com/r2sgld/r2sgld/study"
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
		{Title: "How a step that leaves is turned back", Text: "Nearest mirrors at the tangent of the nearest point of the wall (the paper's rule), specular follows the path from crossing to crossing, refuse does not take the step. " + m.insideText(),
			Tables: []study.Table{m.boundaryTable()}, Pictures: pictures[len(pictures)-1:]},
		{Title: "Other answers to the same need", Text: "Projection moves to the nearest point of the domain and leaves atoms on the wall. MYULA (convex domains) pulls back by a Moreau–Yosida envelope and leaves the domain. Mirror Langevin (box and triangle) moves in coordinates without walls; its step is chosen for the same diffusion where its map is steepest. Rejection drops the draws of an unconstrained run outside. Reflected HMC and r2SGLD with kernel hmc are exact; they run without noise, at as many gradient evaluations, and so a tenth of the draws.",
			Tables: []study.Table{m.baselineTable(), m.mirrorTable(), m.exactnessTable()}},
		{Title: "Time", Text: m.timeText(), Tables: []study.Table{m.speedTable(), m.spentTable()}},
	}
}

func (m *multimodal) targetText() string {
	return "U(x, y) = " + formula + " on five domains of radius 2. Gradients carry noise of standard deviation 0.05 per coordinate, energies too; every chain starts at the origin, as in the released code.\n\n" +
		"Draws are compared with exact masses: KL on squares of side 0.2 that cover the domain exactly once, counts smoothed by ½; draws outside the domain are lost mass (KL counted) or discarded (KL inside). " +
		"Intervals are 95 % t intervals over " + fmt.Sprint(runsOf(m.Scale)) + " runs."
}

func (m *multimodal) truthTable() study.Table {
	t := study.Table{Title: "Exact values by quadrature", Columns: []string{"domain", "area", "E U", "E r²", "cells", "modes of mass > 0.001", "swap probability", "Λ", "KL of independent draws"},
		Caption: "Λ is the barrier between temperatures 10 and 1. The last column is the floor: independent draws, as many as the protocol paper keeps after its burn-in."}
	for i, s := range m.five {
		e := m.exact[i]
		floor := m.trials.find(s.name, "paper", groupIID, "iid")
		t.Rows = append(t.Rows, []string{s.name, fmt.Sprintf("%.6f", e.Area), fmt.Sprintf("%.6f", e.Tau1.MeanU), fmt.Sprintf("%.6f", e.Tau1.R2), fmt.Sprint(s.cells.K()),
			fmt.Sprint(s.worthFinding()), fmt.Sprintf("%.4f", e.Swap), fmt.Sprintf("%.4f", e.Barrier), floor.told(klAll)})
	}
	return t
}

// domainsTable has a row for each label and a column for each domain.
func (m *multimodal) domainsTable(title, caption string, labels []string, cell func(s *scene, label string) string) study.Table {
	t := study.Table{Title: title, Caption: caption, Columns: []string{"method"}}
	for _, s := range m.five {
		t.Columns = append(t.Columns, s.name)
	}
	for _, l := range labels {
		row := []string{l}
		for _, s := range m.five {
			row = append(row, cell(s, l))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

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
		{"Total variation of the weights of the modes", modesOff}, {"Modes found", modesFound}}
	for _, p := range m.protocols() {
		caption := fmt.Sprintf("Protocol %s: %s draws of %s iterations, the first fifth dropped.", p.name, report.Count(p.draws()), report.Count(p.iterations))
		for _, c := range all {
			s.Tables = append(s.Tables, m.domainsTable(c.what+", protocol "+p.name, caption, nine(), func(s *scene, l string) string {
				return m.trials.of(s.name, p.name, l).told(c.of)
			}))
		}
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
		s.Tables = append(s.Tables, m.domainsTable("P-"+a.label+": KL(truth‖draws), draws outside counted", "Protocol paper; beside it the share of draws outside. The last row reflects.", append(labels, a.reflected), func(s *scene, l string) string {
			o := m.trials.beside(s.name, groupGrid, l)
			return fmt.Sprintf("%s, %.2g", o.told(klAll), interval(o.last(outside)).Mean)
		}))
	}
	return s
}

// told is a number of an outcome with its interval, a dash if there is none.
func (o *outcome) told(of func(Score) float64) string {
	if o == nil {
		return "–"
	}
	return short(interval(o.last(of)))
}

// atHalf is the KL at half the draws.
func (o *outcome) atHalf() string {
	return short(interval(o.cheap(len(o.at)-1, true, klAll)))
}

func (m *multimodal) costTable() study.Table {
	const half, twice = "r2SGLD at half the draws", "R-cycSGLD, twice the step"
	return m.domainsTable("KL(truth‖draws) at equal cost, protocol paper", "Draws outside counted, the first fifth dropped.", []string{"R-SGLD", "R-cycSGLD", twice, half, "r2SGLD"}, func(s *scene, l string) string {
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
		row := []string{s.name, fmt.Sprintf("%.4f", m.exact[i].Swap), short(interval(a.swaps)), "–", "–", a.told(klAll), "–"}
		if b := m.trials.find(s.name, "paper", groupThreshold, "r2SGLD, rule threshold"); b != nil {
			_, after, _ := strings.Cut(b.keys, "correction: ")
			row[3], row[4], row[6] = short(interval(b.swaps)), strings.TrimSuffix(after, "}"), b.told(klAll)
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
	return m.domainsTable("KL(truth‖draws) by boundary rule, protocol paper", "Without a rule named: nearest.", labels, func(s *scene, l string) string {
		return m.trials.beside(s.name, groupBoundary, l).told(klAll)
	})
}

func (m *multimodal) baselineTable() study.Table {
	labels := []string{"R-SGLD", "projected SGLD", "rejection of SGLD", "MYULA", "R-HMC", "r2SGLD, kernel hmc", "r2SGLD"}
	return m.domainsTable("KL(truth‖draws) at equal gradient evaluations, protocol paper", "Draws outside counted; those of two rungs at half the draws. The methods with kernel hmc without noise.", labels, func(s *scene, l string) string {
		o := m.trials.beside(s.name, groupBaseline, l)
		if o != nil && o.rungs == 2 {
			return o.atHalf()
		}
		return o.told(klAll)
	})
}

func (m *multimodal) mirrorTable() study.Table {
	t := study.Table{Title: "Mirror Langevin and others on a box and a triangle, protocol paper", Columns: []string{"domain", "method", "KL, outside counted", "KL inside", "share outside", "W1 x", "W1 y"},
		Caption: "The box is [-1.5, 1.5]², the triangle x, y ≥ 0, x + y ≤ 1."}
	for _, s := range m.two {
		for _, o := range m.trials.all {
			if o.scene == s {
				t.Rows = append(t.Rows, []string{s.name, o.label, o.told(klAll), o.told(klIn),
					digits(interval(o.last(outside)).Mean), o.told(func(s Score) float64 { return s.W1X }), o.told(func(s Score) float64 { return s.W1Y })})
			}
		}
	}
	return t
}

// exactnessTable compares moments of exact methods, and of others, with
// quadrature, in standard errors over the runs.
func (m *multimodal) exactnessTable() study.Table {
	labels := []string{"r2SGLD, kernel hmc", "R-HMC", "projected SGLD", "r2SGLD"}
	return m.domainsTable("E r² less the exact value, protocol paper", "Beside the difference its number of standard errors over the runs. A single chain is slow between modes, which the standard error tells.", labels, func(s *scene, l string) string {
		o := m.trials.beside(s.name, groupBaseline, l)
		if o == nil {
			return "–"
		}
		v := o.moment(1)
		off := v.Mean - s.region.Moments(1).MeanR2
		return fmt.Sprintf("%s (%.1f)", strings.Replace(fmt.Sprintf("%+.4f", off), "-", "−", 1), math.Abs(off)/v.over(o.runs).SE)
	})
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
	return fmt.Sprintf("Of %s draws in %s runs that reflect or refuse, %d lie outside; %d steps had to be given up.", report.Count(draws), report.Count(runs), outside, lost)
}

func (m *multimodal) timeText() string {
	total := int64(0)
	for _, o := range m.trials.all {
		if o.from == "" {
			total += o.steps
		}
	}
	return fmt.Sprintf("%d cases, %s chain steps (one replica, one iteration), %d at once. A step of two rungs is that of one of them; kernel hmc makes %d leapfrog steps in each.", len(m.trials.all), report.Count(total), m.Threads, leapfrogs)
}

// speedTable says what a chain step costs, by method, over all domains.
func (m *multimodal) speedTable() study.Table {
	type sum struct {
		took  time.Duration
		steps int64
	}
	var order []string
	sums := map[string]*sum{}
	for _, o := range m.trials.all {
		if o.steps == 0 || o.from != "" || o.group == groupGrid && !strings.Contains(o.keys, "distance") {
			continue
		}
		name := o.label
		switch {
		case o.group == groupGrid:
			name = "P-" + strings.TrimPrefix(o.method, "p-") + ", distance"
		case strings.Contains(name, "kernel"):
			name = "r2sgld, kernel hmc"
		case o.group == groupBaseline:
			name = o.method
		}
		if sums[name] == nil {
			sums[name] = &sum{}
			order = append(order, name)
		}
		sums[name].took += o.took
		sums[name].steps += o.steps
	}
	slices.Sort(order)
	t := study.Table{Title: "Nanoseconds per chain step", Columns: []string{"method", "ns per chain step", "million chain steps"},
		Caption: "One thread, over all domains and protocols; whatever else the machine did is in it."}
	for _, name := range order {
		s := sums[name]
		t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%.0f", float64(s.took.Nanoseconds())/float64(s.steps)), fmt.Sprintf("%.2f", float64(s.steps)/1e6)})
	}
	return t
}

// spentTable says where the time of the study went.
func (m *multimodal) spentTable() study.Table {
	t := study.Table{Title: "Where the time went", Columns: []string{"part", "seconds", "million chain steps"}}
	for _, s := range m.spent {
		t.Rows = append(t.Rows, []string{s.what, fmt.Sprintf("%.2f", s.seconds), fmt.Sprintf("%.2f", float64(s.steps)/1e6)})
	}
	return t
}
