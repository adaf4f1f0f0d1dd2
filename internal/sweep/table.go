package sweep

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// A Summary is the content of summary.json. Numbers that are not known are NaN here and null
// in the file.
type Summary struct {
	Schema     int      `json:"schema"`
	Name       string   `json:"name"`
	Hash       string   `json:"hash"`
	Command    string   `json:"command"` // of the runs
	Keys       []string `json:"keys"`
	Parameters []string `json:"parameters"` // of any case
	Cases      []Line   `json:"cases"`
	Failed     int      `json:"failed"`
	Warnings   []string `json:"warnings"`
}

// A Line is a case in the table.
type Line struct {
	Case       string      `json:"case"` // its folder
	Values     []string    `json:"values"`
	Hash       string      `json:"hash"`
	Parameters []Parameter `json:"parameters"`
	RHat       float64     `json:"rhat"` // the largest
	ESS        float64     `json:"ess"`  // the smallest, of the bulk and of the tails
	// of the data, where there are any, else of the density
	LogEvidence   float64 `json:"log_evidence"`
	LogEvidenceSE float64 `json:"log_evidence_se"`
	Seconds       float64 `json:"seconds"`
	Warnings      int     `json:"warnings"`
	Failed        string  `json:"failed,omitempty"`
}

// A Parameter is what a case found of one.
type Parameter struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// known is a number of a file, NaN for null.
func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// summarise makes the table.
func (x *execution) summarise() *Summary {
	s := &Summary{Schema: 1, Name: x.Name, Hash: x.Hash, Command: x.config.Command, Cases: []Line{}, Parameters: []string{},
		Warnings: []string{}}
	for _, a := range x.config.Over {
		s.Keys = append(s.Keys, a.Key)
	}
	for _, c := range x.cases {
		nan := math.NaN()
		l := Line{Case: x.place(c), Values: c.values, Hash: c.Hash, Parameters: []Parameter{}, RHat: nan, ESS: nan, LogEvidence: nan,
			LogEvidenceSE: nan, Seconds: nan}
		if c.failed != nil {
			l.Failed = c.failed.Error()
			s.Failed++
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s (%s) failed: %s", l.Case, c.title, firstLine(c.failed)))
		} else {
			l.tell(c.row)
		}
		for _, p := range l.Parameters {
			if !slices.Contains(s.Parameters, p.Name) {
				s.Parameters = append(s.Parameters, p.Name)
			}
		}
		s.Cases = append(s.Cases, l)
	}
	return s
}

// tell takes what a run found.
func (l *Line) tell(r *row) {
	l.RHat, l.ESS = math.Inf(-1), math.Inf(1)
	for _, p := range r.Parameters {
		l.Parameters = append(l.Parameters, Parameter{p.Name, known(p.Mean), known(p.SD)})
		l.RHat, l.ESS = math.Max(l.RHat, known(p.RHat)), math.Min(l.ESS, math.Min(known(p.ESS), known(p.Tail))) // NaN stays
	}
	l.LogEvidence, l.LogEvidenceSE = known(r.LogZ.Estimate), known(r.LogZ.SE)
	if m := r.Marginal; m != nil {
		l.LogEvidence, l.LogEvidenceSE = known(m.Log), known(m.SE)
	}
	l.Seconds, l.Warnings = r.Seconds, len(r.Warnings)
}

// parameter is what a case found of one; NaN if it has none of this name.
func (l *Line) parameter(name string) Parameter {
	if i := slices.IndexFunc(l.Parameters, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		return l.Parameters[i]
	}
	return Parameter{name, math.NaN(), math.NaN()}
}

// mostShown is how many parameters the table on a terminal has unless it is told which.
const mostShown = 6

// Text is the table, with these parameters; nil is the first ones.
func (s *Summary) Text(shown []string, style text.Style) string {
	if shown == nil {
		shown = s.Parameters[:min(mostShown, len(s.Parameters))]
	}
	more := ""
	shown = slices.DeleteFunc(slices.Clone(shown), func(name string) bool {
		unknown := !slices.Contains(s.Parameters, name)
		if unknown {
			more += fmt.Sprintf(" there is no parameter %q to show; they are %s\n", name, strings.Join(s.Parameters, ", "))
		}
		return unknown
	})
	evidence := slices.ContainsFunc(s.Cases, func(l Line) bool { return l.LogEvidence == l.LogEvidence })
	head := append(slices.Concat([]string{"case"}, s.Keys, shown), "R̂ max", "ESS min")
	if evidence {
		head = append(head, "log Z")
	}
	rows := [][]string{append(head, "seconds", "warnings")}
	for _, l := range s.Cases {
		row := append([]string{l.Case[len("cases/"):]}, l.Values...)
		for _, name := range shown {
			p := l.parameter(name)
			row = append(row, text.PlusMinus(p.Mean, p.SD))
		}
		ess := text.Number(l.ESS, 0)
		if l.ESS < 1e15 {
			ess = text.Count(int(l.ESS))
		}
		row = append(row, text.Number(l.RHat, 3), ess)
		if evidence {
			row = append(row, text.PlusMinus(l.LogEvidence, l.LogEvidenceSE))
		}
		warnings := strconv.Itoa(l.Warnings)
		if l.Failed != "" {
			warnings = style.Warn("failed")
		}
		rows = append(rows, append(row, text.Number(l.Seconds, 1), warnings))
	}
	if hidden := len(s.Parameters) - len(shown); hidden > 0 {
		more += fmt.Sprintf(" %s more in cases.csv; --show NAME,… shows others\n", text.Counted(hidden, "parameter"))
	}
	return "\n" + text.Grid(rows, 1+len(s.Keys), style) + more + "\n"
}

// table is cases.csv.
func (s *Summary) table() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := append([]string{"case"}, s.Keys...)
	for _, name := range s.Parameters {
		head = append(head, name+".mean", name+".sd")
	}
	// to memory, as all that follows
	_ = w.Write(append(head, "rhat", "ess", "log_evidence", "log_evidence_se", "seconds", "warnings", "failed"))
	for _, l := range s.Cases {
		row := append([]string{l.Case}, l.Values...)
		for _, name := range s.Parameters {
			p := l.parameter(name)
			row = append(row, number(p.Mean), number(p.SD))
		}
		_ = w.Write(append(row, number(l.RHat), number(l.ESS), number(l.LogEvidence), number(l.LogEvidenceSE), number(l.Seconds),
			strconv.Itoa(l.Warnings), l.Failed))
	}
	w.Flush()
	return b.Bytes()
}

// number is a number as a table has it; "" is not known.
func number(v float64) string {
	if v-v != 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
