package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Text lays the table out for a terminal, a line a model. Columns of which
// nothing is known are left out.
func (t *Table) Text(style text.Style) string {
	columns := []column{{"model", func(m Model) string { return m.Name }}}
	lost := slices.ContainsFunc(t.Models, func(m Model) bool { return m.lost })
	if lost || t.known(func(m Model) float64 { return m.LogEvidence }) {
		columns = append(columns, column{"log evidence", Model.evidence})
	}
	if t.known(func(m Model) float64 { return m.LogEvidence }) {
		columns = append(columns,
			column{"log Bayes factor", func(m Model) string { return relative(m.LogBayesFactor, m.LogBayesFactorSE) }},
			column{"best : this", func(m Model) string { return odds(-m.LogBayesFactor) }},
			column{"probability", func(m Model) string { return number(m.Probability, 3) }})
	}
	if t.known(func(m Model) float64 { return m.ELPD }) {
		columns = append(columns,
			column{"elpd (LOO)", func(m Model) string { return plusMinus(m.ELPD, m.ELPDSE) }},
			column{"difference", func(m Model) string { return relative(m.ELPDDifference, m.ELPDDifferenceSE) }},
			column{"p", func(m Model) string { return number(m.P, 1) }},
			column{"k max", func(m Model) string { return number(m.KMax, 2) }})
	}
	rows := make([][]string, 1+len(t.Models))
	for _, c := range columns {
		rows[0] = append(rows[0], c.title)
		for i, m := range t.Models {
			rows[i+1] = append(rows[i+1], c.cell(m))
		}
	}
	var b strings.Builder
	b.WriteString(text.Grid(rows, 1, style))
	if t.Data != (Data{}) {
		b.WriteString(" data: " + t.Data.String() + "\n")
	}
	return b.String()
}

func (m Model) evidence() string {
	if m.lost {
		return "not known"
	}
	return plusMinus(m.LogEvidence, m.LogEvidenceSE)
}

type column struct {
	title string
	cell  func(m Model) string
}

func (t *Table) known(of func(m Model) float64) bool {
	for _, m := range t.Models {
		if !math.IsNaN(of(m)) {
			return true
		}
	}
	return false
}

// plusMinus prints v ± se with two digits of se, and v alone with two decimals
// if se is not known.
func plusMinus(v, se float64) string {
	if math.IsNaN(v) || !(se > 0) || math.IsInf(se, 0) {
		return number(v, 2)
	}
	d := min(max(0, 1-int(math.Floor(math.Log10(se)))), 6)
	return number(v, d) + " ± " + number(se, d)
}

// relative is plusMinus, and a plain 0 for what is compared with itself.
func relative(v, se float64) string {
	if v == 0 && !(se > 0) {
		return "0"
	}
	return plusMinus(v, se)
}

// odds prints exp(l), l ≥ 0, to three digits.
func odds(l float64) string {
	switch {
	case math.IsNaN(l):
		return number(l, 0)
	case l == 0:
		return "1"
	case l < math.Log(1e5):
		v := math.Exp(l)
		return number(v, max(0, 2-int(math.Floor(math.Log10(v)))))
	}
	whole := math.Floor((l + 0.005) / math.Ln10) // so that no 9.96 is printed as 10.0
	return fmt.Sprintf("%.1fe+%02.0f", math.Exp(l-whole*math.Ln10), whole)
}

// number prints v with d decimals, and a dash if it is not known or infinite.
func number(v float64, d int) string {
	if math.IsInf(v, 0) {
		v = math.NaN()
	}
	return text.Number(v, d)
}
