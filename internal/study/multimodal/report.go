package multimodal

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/r2sgld/r2sgld/internal/study"
)

//go:embed report.tmpl
var reportWords string

// sections are the parts of the report.
func (m *multimodal) sections(pictures map[string]study.Picture) ([]study.Section, error) {
	p := study.NewProse(reportWords, template.FuncMap{
		"domains": func() (out []string) {
			for _, s := range m.five {
				out = append(out, s.name)
			}
			return out
		},
		"formula": func() string { return formula }, "runs": func() int { return runsOf(m.Scale) },
		"uniformStep": func() string { return uniformStep },
		"minus":       func(s string) string { return strings.Replace(s, "-", "−", 1) }, "enumerated": enumerated,
		"protocols": func() []toldProtocol { return told(m.protocols()) }, "columns": columns, "truths": m.truthRows,
		"nine": func(protocol string, c scored) []row {
			return m.rows(nine(), func(s *scene, l string) cell { return m.trials.of(s.name, protocol, l).told(c.of) })
		},
		"mixtures": func() []*mixture { return mixtures() }, "startRows": func() []row { return m.printedRows("") },
		"mixtureRows": func(g *mixture) []row { return m.printedRows(", " + g.String()) },
		"found":       m.foundRows, "penalties": m.penaltyRows, "costs": m.costRows, "rules": m.ruleRows, "baselines": m.baselineRows,
		"swaps": m.swapRows, "bent": m.bent, "inside": m.stayed, "biases": m.biasRows, "mirrors": m.mirrorRows, "work": m.work,
		"speeds": m.speeds, "spent": func() study.Spells { return m.spent }, "path": m.toldPath,
	})
	return p.Sections(nil, pictures)
}

// A scored is what a table of the nine methods tells.
type scored struct {
	Title string
	of    func(Score) float64
}

func columns() []scored {
	return []scored{{"KL(truth‖draws), draws outside counted", klAll}, {"KL(truth‖draws), draws outside discarded", klIn},
		{"KL(draws‖truth), draws outside discarded", klBack}, {"Share of draws outside", outside},
		{"W1 of the marginals, mean of x and y", w1}, {"Total variation of the weights of the modes", modesOff}}
}

// A truthRow is what is known of a domain.
type truthRow struct {
	*Exact
	Name         string
	Cells, Worth int // cells, and modes worth finding
	Floor        Interval
}

func (m *multimodal) truthRows() (out []truthRow) {
	for i, s := range slices.Concat(m.five, m.two) {
		floor := m.trials.find(s.name, "paper", groupIID, "iid")
		out = append(out, truthRow{m.exact[i], s.name, s.cells.K(), s.worthFinding(), interval(floor.last(klAll))})
	}
	return out
}

// A cell of a table; the lowest rank of a column stands out, NaN never does.
type cell struct {
	text string
	rank float64
}

// none is the cell of what was not run.
func none() cell { return cell{"–", math.NaN()} }

// A row of a table has a cell for each domain or metric.
type row struct {
	Domain, Label string
	Draws         int // that are scored
	Cells         []string
}

// rows are those of labels, a column for each domain; the best cells of each column
// stand out.
func (m *multimodal) rows(labels []string, of func(s *scene, label string) cell) []row {
	out := make([]row, len(labels))
	for _, s := range m.five {
		column := make([]cell, len(labels))
		for r, l := range labels {
			out[r].Label, column[r] = l, of(s, l)
		}
		addColumn(out, column)
	}
	return out
}

// addColumn adds cells to rows; the best stand out.
func addColumn(rows []row, column []cell) {
	lowest := math.Inf(1)
	for _, c := range column {
		if c.rank < lowest {
			lowest = c.rank
		}
	}
	for i, c := range column {
		if c.rank == lowest {
			c.text = "**" + c.text
		}
		rows[i].Cells = append(rows[i].Cells, c.text)
	}
}

// printedRows are the KL of the nine methods from anywhere, on domains with the end of a name.
func (m *multimodal) printedRows(end string) []row {
	return m.rows(nine(), func(s *scene, l string) cell { return m.trials.of(s.name+end, fromAnywhere, l).told(klAll) })
}

// foundRows are the modes that the nine find, and how many there are.
func (m *multimodal) foundRows(protocol string) []row {
	return m.rows(append(nine(), "there are"), func(s *scene, l string) cell {
		if o := m.trials.of(s.name, protocol, l); o != nil {
			c := o.told(modesFound)
			c.rank = -c.rank
			return c
		}
		return cell{fmt.Sprint(s.worthFinding()), math.NaN()}
	})
}

// penaltyRows are a sampler with every penalty, and reflected.
func (m *multimodal) penaltyRows(sampler int) []row {
	a := samplers()[sampler]
	var labels []string
	for _, q := range penaltiesOf(m.Scale) {
		labels = append(labels, a.with(q))
	}
	return m.rows(append(labels, a.Reflected), func(s *scene, l string) cell {
		o := m.trials.beside(s.name, groupGrid, l)
		c := o.told(klAll)
		c.text += ", " + digits(interval(o.last(outside)).Mean)
		return c
	})
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
	v := interval(o.cheap(len(o.At)-1, true, klAll))
	return cell{short(v), v.Mean}
}

func (m *multimodal) costRows() []row {
	const half, twice = "r2SGLD at half the draws", "R-cycSGLD, twice the step"
	return m.rows([]string{"R-SGLD", "R-cycSGLD", twice, half, "r2SGLD"}, func(s *scene, l string) cell {
		if l == half {
			return m.trials.of(s.name, "paper", "r2SGLD").atHalf()
		}
		return m.trials.beside(s.name, groupTwice, l).told(klAll)
	})
}

// A swapRow is how r2SGLD swaps on a domain, with the rule threshold too if it was run.
type swapRow struct {
	Domain     string
	Exact      float64
	Rate, KL   Interval
	Correction string
	Threshold  *swapRow
}

func (m *multimodal) swapRows() (out []swapRow) {
	row := func(o *outcome) *swapRow {
		if o == nil {
			return nil
		}
		_, after, _ := strings.Cut(o.keys, "correction: ")
		return &swapRow{Rate: interval(o.Swaps), KL: interval(o.last(klAll)), Correction: strings.TrimSuffix(after, "}")}
	}
	for i, s := range m.five {
		r := row(m.trials.of(s.name, "paper", "r2SGLD"))
		r.Domain, r.Exact, r.Threshold = s.name, m.exact[i].Swap, row(m.trials.find(s.name, "paper", groupThreshold, "r2SGLD, rule threshold"))
		out = append(out, *r)
	}
	return out
}

func (m *multimodal) ruleRows() []row {
	var labels []string
	for _, a := range samplers() {
		labels = append(labels, a.Reflected)
		for _, rule := range []string{"specular", "refuse"} {
			if l := a.Reflected + ", " + rule; m.trials.find(m.five[0].name, "paper", groupBoundary, l) != nil {
				labels = append(labels, l)
			}
		}
	}
	return m.rows(labels, func(s *scene, l string) cell { return m.trials.beside(s.name, groupBoundary, l).told(klAll) })
}

// baselineRows compare at equal gradient evaluations, and so at different numbers
// of draws: each beside the KL of as many independent draws.
func (m *multimodal) baselineRows() []row {
	labels := []string{"R-SGLD", "projected SGLD", "rejection of SGLD", "R-contour SGLD", "R-simulated tempering", "MYULA",
		"R-HMC", "r2SGLD, kernel hmc", "r2SGLD"}
	draws := make(map[string]int) // scored
	out := m.rows(labels, func(s *scene, l string) cell {
		o := m.trials.beside(s.name, groupBaseline, l)
		if o == nil {
			return none()
		}
		c, n := o.told(klAll), int(o.Held)/o.runs
		if o.rungs == 2 {
			c, n = o.atHalf(), n/2
		}
		n -= n / 5
		draws[l] = n
		return cell{c.text + " / " + digits(s.cells.floorOf(n, m.Seed).Mean), math.NaN()} // rows have different numbers of draws
	})
	for i := range out {
		out[i].Draws = draws[out[i].Label]
	}
	return out
}

func (m *multimodal) mirrorRows() (out []row) {
	for _, s := range m.two {
		var all []*outcome
		var rows []row
		for _, o := range m.trials.all {
			if o.scene == s {
				all, rows = append(all, o), append(rows, row{Domain: s.name, Label: o.label})
			}
		}
		for _, metric := range []string{"kl_te_all", "kl_te_in", "frac_out", "w1x", "w1y"} {
			column := make([]cell, len(all))
			for i, o := range all {
				if column[i] = o.told(metrics()[metric]); o.group == groupIID {
					column[i].rank = math.NaN()
				}
			}
			addColumn(rows, column)
		}
		out = append(out, rows...)
	}
	return out
}

// stayed says whether the reflected methods stayed inside.
func (m *multimodal) stayed() any {
	var f struct {
		Runs                 int
		Draws, Outside, Lost int64
	}
	for _, o := range m.trials.all {
		if o.group == groupReflected || o.group == groupBoundary || o.group == groupThreshold {
			f.Runs += o.runs
			f.Draws += int64(o.runs) * int64(o.protocol.draws())
			f.Outside += o.Outside
			f.Lost += o.Fallbacks
		}
	}
	return f
}

// ran are the cases that were run.
func (m *multimodal) ran() []*outcome {
	return slices.DeleteFunc(slices.Concat(m.trials.all, m.flat), func(o *outcome) bool { return !o.ran() })
}

// work is all that was run.
func (m *multimodal) work() any {
	f := struct {
		Cases, Threads, Leapfrogs int
		Steps                     int64
	}{len(m.ran()), m.Threads, leapfrogs, 0}
	for _, o := range m.ran() {
		f.Steps += o.Steps
	}
	return f
}

// kind is what a chain step of a case is timed as: its label in tables, with the form
// of a penalty and not its strength.
func (o *outcome) kind() string {
	if o.group != groupGrid && o.group != groupPenalised {
		return o.label
	}
	for _, a := range samplers() {
		for _, form := range []string{"force", "distance"} {
			if o.method == "p-"+a.Method && strings.Contains(o.keys, form) {
				return a.penalised() + ", " + form
			}
		}
	}
	return o.label
}

// A speed is what chain steps of a kind took.
type speed struct {
	Name  string
	Steps int64
	took  time.Duration
}

// Nanoseconds is what one took.
func (s speed) Nanoseconds() float64 { return float64(s.took.Nanoseconds()) / float64(s.Steps) }

// speeds are what a chain step costs, by method, over all domains.
func (m *multimodal) speeds() (out []speed) {
	at := map[string]int{}
	for _, o := range m.ran() {
		name := o.kind()
		i, ok := at[name]
		if !ok {
			i, at[name] = len(out), len(out)
			out = append(out, speed{Name: name})
		}
		out[i].took += o.Took
		out[i].Steps += o.Steps
	}
	slices.SortFunc(out, func(a, b speed) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out
}
