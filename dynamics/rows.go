package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/slope"
)

// A table is a model's data, row by row, with the problem that they are of.
type table struct {
	*Problem
	values   map[string][]float64 // of states, time and fixed parameters, at all rows
	line     Runs
	file     string
	at       [][]int                // by equation, the rows that it explains
	made     [][]slope.Stencil      // by equation, of which data their derivatives are made; or nil
	overlaps []blas64.SymmetricBand // by equation, the covariance of what is made
	noise    map[string]float64     // of each state, if it matters
	logs     map[string]bool        // whose noise is that of the logarithm
}

// read estimates the derivatives and gathers the values of all known symbols.
// An equation explains the rows that have a derivative of its state and values
// of all states that it needs.
func (p *table) read(s *Series) error {
	var states []string
	for _, e := range p.equations {
		states = append(states, e.state)
	}
	log := p.logarithmic()
	slopes, err := s.slopes(p.model.Derivative, states, log)
	if err != nil {
		return err
	}
	if err := p.gather(s); err != nil {
		return err
	}
	used := make([]bool, s.rows())
	for i, e := range p.equations {
		needs, err := p.needs(e)
		if err != nil {
			return err
		}
		var places []int // among those of the slopes
		for k, row := range slopes.Row {
			if !math.IsNaN(slopes.Value[i][k]) && p.whole(needs, row) {
				places = append(places, k)
				used[row] = true
			}
		}
		if len(places) == 0 {
			return &DataError{s.File, 0, 0, fmt.Sprintf(
				"no row has a derivative of %q and values of %s: too many values are missing", e.state, quoted(needs))}
		}
		label := "d" + e.state + "/dt"
		if log {
			label = "d log " + e.state + "/dt"
		}
		at := pick(slopes.Row, places)
		p.at = append(p.at, at)
		r := Response{State: e.state, Label: label, Observed: pick(slopes.Value[i], places), Time: pick(s.Time, at)}
		if slopes.SD != nil && p.model.Noise.Kind != "paper" {
			r.SD = relative(pick(slopes.SD[i], places))
		}
		if slopes.made != nil && p.model.Noise.Kind != "paper" && !p.model.Simulated {
			p.made = append(p.made, pick(slopes.made[i], places))
		}
		p.Responses = append(p.Responses, r)
	}
	for t, ok := range used {
		if ok {
			p.Time = append(p.Time, s.Time[t])
		}
	}
	if p.made != nil {
		p.measureNoise(s, log)
	}
	p.tellMissing(s, "rows without a value have no derivative there, and gaps widen its differences")
	p.sortResponses()
	return nil
}

// sortResponses finds the order of the names of the responses' states.
func (p *Problem) sortResponses() {
	p.byName = seq(len(p.Responses))
	slices.SortFunc(p.byName, func(a, b int) int { return strings.Compare(p.Responses[a].State, p.Responses[b].State) })
}

// tellMissing warns of missing values of the states and says what comes of them.
func (p *Problem) tellMissing(s *Series, consequence string) {
	var told []string
	for _, name := range p.model.States {
		if text := s.missing(name); text != "" {
			told = append(told, text)
		}
	}
	if told != nil {
		p.Warnings = append(p.Warnings, strings.Join(told, "; ")+": "+consequence+".")
	}
}

// gather collects the values of states, times and fixed parameters.
func (p *table) gather(s *Series) error {
	p.values, p.file, p.line = map[string][]float64{}, s.File, s.Line
	for _, name := range p.model.States {
		v, ok := s.Values[name]
		if !ok {
			return &ModelError{[]string{"data", "states"}, -1, fmt.Errorf("the series has no state %q", name)}
		}
		p.values[name] = v
	}
	for _, name := range p.model.times() {
		p.values[name] = s.Time
	}
	for _, v := range p.model.Fixed {
		if _, taken := p.values[v.Name]; !taken {
			p.values[v.Name] = slices.Repeat([]float64{v.Value}, s.rows())
		}
	}
	return nil
}

// needs are the states whose values an equation needs, in the order of the
// states.
func (p *Problem) needs(e equation) ([]string, error) {
	texts := []string{e.text}
	if e.terms != nil {
		texts = nil
		for _, t := range e.terms {
			if v, fixed := p.model.fixed(t.parameter); !fixed || v != 0 {
				texts = append(texts, t.text)
			}
		}
	}
	used := map[string]bool{e.state: p.logarithmic()}
	for _, text := range texts {
		names, err := expression.Names(text)
		if err != nil {
			return nil, &ModelError{[]string{"model", "equations", e.state}, offsetOf(err), err}
		}
		for _, name := range names {
			used[name] = true
		}
	}
	var out []string
	for _, name := range p.model.States {
		if used[name] {
			out = append(out, name)
		}
	}
	return out, nil
}

// whole reports whether all the states have a value in a row.
func (p *table) whole(states []string, row int) bool {
	for _, name := range states {
		if math.IsNaN(p.values[name][row]) {
			return false
		}
	}
	return true
}

func (p *Problem) logarithmic() bool { return p.model.Likelihood == "log-derivative" }

// scale is the known factor of the right-hand side of equation i in its
// response; nil is 1.
func (p *table) scale(i int) []float64 {
	if !p.logarithmic() {
		return nil
	}
	v := pick(p.values[p.equations[i].state], p.at[i])
	for t, x := range v {
		v[t] = 1 / x
	}
	return v
}

// index are the places of an equation's parameters among all.
func (p *Problem) index(e equation) []int {
	out := []int{}
	for _, name := range e.parameters {
		out = append(out, slices.Index(p.Parameters, name))
	}
	return out
}
