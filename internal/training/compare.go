package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A Compared is a finished training that is compared with others.
type Compared struct {
	Name    string // of its folder
	Summary *Summary
	Images  string // fingerprint of its examples
}

// A Comparison is trainings beside each other, that with the lowest NLL of the average
// first (of regressions the lowest RMSE).
type Comparison struct {
	Schema    int      `json:"schema"`
	Trainings []Rated  `json:"trainings"`
	Warnings  []string `json:"warnings"`
}

// A Rated is one of the trainings that are compared.
type Rated struct {
	Name     string  `json:"name"`
	Method   string  `json:"method"`
	Network  string  `json:"network"`
	Repeats  int     `json:"repeats"`
	Metrics  Metrics `json:"metrics"`          // means over the repetitions
	Interval Metrics `json:"metrics_interval"` // half a 95 % t interval of the mean; empty with one
	// Less are differences to the first training, repetition by repetition: null for the first,
	// and unless both have the same seed, the same examples and as many repetitions, two at
	// least.
	Less *Less `json:"less_first"`
}

// Less are paired differences of what is judged: of averages, of last models where there
// are none.
type Less struct {
	Accuracy Difference `json:"accuracy"`
	NLL      Difference `json:"nll"`
	RMSE     Difference `json:"rmse"`
}

// A Difference is a mean over repetitions and half its 95 % t interval.
type Difference struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half95"`
}

// Compare sets trainings beside each other. Trainings of other examples are warned of.
func Compare(all []Compared) (*Comparison, error) {
	if len(all) == 0 {
		return nil, errors.New("no trainings to compare")
	}
	for _, c := range all {
		if c.judged() == nil {
			return nil, fmt.Errorf("%s: its summary has no scores: it was changed, or its data have no labels", c.Name)
		}
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Compared) int { return cmp.Compare(a.rank(), b.rank()) })
	out := &Comparison{Schema: 1, Warnings: []string{}}
	first := all[0]
	for i, c := range all {
		s := c.Summary
		r := Rated{Name: c.Name, Method: s.Method, Network: s.Network, Repeats: len(s.Repeats), Metrics: s.Metrics, Interval: s.Interval}
		if i > 0 {
			r.Less = c.less(first)
		}
		out.Trainings = append(out.Trainings, r)
		if c.Images != first.Images {
			out.Warnings = append(out.Warnings,
				fmt.Sprintf("%s and %s have other training or test images: their scores are no comparison of methods alone, and are not paired",
					first.Name, c.Name))
		}
	}
	return out, nil
}

// judged are the scores of the average, or else of the last model.
func (c *Compared) judged() *Scores { return judgedOf(c.Summary.Metrics) }

func judgedOf(m Metrics) *Scores {
	if m.Average != nil {
		return m.Average
	}
	return m.Single
}

// rank is the less the better.
func (c *Compared) rank() float64 {
	s := c.judged()
	if v := s.RMSE; !math.IsNaN(v) {
		return v
	}
	if math.IsNaN(s.NLL) {
		return math.Inf(1)
	}
	return s.NLL
}

// less are the differences to another training; nil if their repetitions are no pairs.
func (c *Compared) less(first Compared) *Less {
	a, b := c.Summary, first.Summary
	if a.Seed != b.Seed || c.Images != first.Images || len(a.Repeats) != len(b.Repeats) || len(a.Repeats) < 2 {
		return nil
	}
	of := func(score func(*Scores) float64) Difference {
		d := make([]float64, len(a.Repeats))
		for i := range d {
			x, y := judgedOf(a.Repeats[i].Metrics), judgedOf(b.Repeats[i].Metrics)
			if x == nil || y == nil {
				return Difference{math.NaN(), math.NaN()}
			}
			d[i] = score(x) - score(y)
		}
		t := significance.TInterval(d, level)
		return Difference{t.Mean, (t.Hi - t.Lo) / 2}
	}
	return &Less{Accuracy: of(func(s *Scores) float64 { return s.Accuracy }), NLL: of(func(s *Scores) float64 { return s.NLL }),
		RMSE: of(func(s *Scores) float64 { return s.RMSE })}
}

// Text is the table of a comparison.
func (c *Comparison) Text(style text.Style) string {
	columns := []column{{"accuracy", func(s *Scores) float64 { return s.Accuracy }}, {"NLL", func(s *Scores) float64 { return s.NLL }},
		{"Brier", func(s *Scores) float64 { return s.Brier }}, {"ECE", func(s *Scores) float64 { return s.ECE }}}
	paired := []struct {
		name string
		of   func(*Less) Difference
	}{{"Δ accuracy", func(l *Less) Difference { return l.Accuracy }}, {"Δ NLL", func(l *Less) Difference { return l.NLL }}}
	if s := judgedOf(c.Trainings[0].Metrics); !math.IsNaN(s.RMSE) {
		columns = []column{rmseColumn}
		paired = paired[:1]
		paired[0].name, paired[0].of = "Δ RMSE", func(l *Less) Difference { return l.RMSE }
	}
	head := []string{"training", "of", "method", "network", "repeats"}
	for _, k := range columns {
		head = append(head, k.name)
	}
	for _, p := range paired {
		head = append(head, p.name)
	}
	rows := [][]string{head}
	for _, t := range c.Trainings {
		for k, of := range []string{"average", "last model"} {
			m, h := t.Metrics.Average, t.Interval.Average
			if k == 1 {
				m, h = t.Metrics.Single, t.Interval.Single
			}
			if m == nil {
				continue
			}
			row := append([]string{t.Name, of, t.Method, t.Network, fmt.Sprint(t.Repeats)}, cells(columns, m, h)...)
			for _, p := range paired {
				cell := ""
				if t.Less != nil && m == judgedOf(t.Metrics) {
					d := p.of(t.Less)
					cell = plusMinus(d.Mean, d.Half)
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
	}
	var b strings.Builder
	b.WriteString(text.Grid(rows, 4, style))
	if slices.ContainsFunc(c.Trainings, func(t Rated) bool { return t.Repeats > 1 }) {
		b.WriteString(" means of repetitions ± 95 % t interval; Δ: less the first training, repetition by repetition, of the average\n")
	}
	return b.String()
}

// A column is a score in a table.
type column struct {
	name string
	of   func(*Scores) float64
}

var rmseColumn = column{"RMSE", func(s *Scores) float64 { return s.RMSE }}

// cells are the scores m with half their intervals h, which may be nil.
func cells(columns []column, m, h *Scores) (out []string) {
	for _, c := range columns {
		half := math.NaN()
		if h != nil {
			half = c.of(h)
		}
		out = append(out, plusMinus(c.of(m), half))
	}
	return out
}

// plusMinus is a number with half its interval, unless that is NaN.
func plusMinus(v, half float64) string {
	s := text.Number(v, 4)
	if !math.IsNaN(half) {
		s += " ± " + text.Number(half, 4)
	}
	return s
}
