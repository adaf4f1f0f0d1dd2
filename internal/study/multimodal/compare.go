package multimodal

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/study"
)

// trials are all outcomes of the study.
type trials struct {
	all   []*outcome
	index map[string]*outcome
}

// newTrials lists outcomes.
func newTrials(all []*outcome) *trials {
	t := &trials{index: make(map[string]*outcome)}
	t.add(all...)
	return t
}

func (t *trials) add(all ...*outcome) {
	for _, o := range all {
		t.all = append(t.all, o)
		t.index[o.name()] = o
	}
}

// ran reports whether an outcome is of a sampler, and of no other name of a case.
func (o *outcome) ran() bool { return o.Steps > 0 && o.from == "" }

// find returns the outcome of a case, nil if it was not run.
func (t *trials) find(domain, protocol, group, label string) *outcome {
	return t.index[strings.Join([]string{domain, protocol, group, label}, " · ")]
}

// of returns the outcome of one of the paper's nine methods by its label.
func (t *trials) of(domain, protocol, label string) *outcome {
	for _, group := range []string{groupPlain, groupPenalised, groupReflected} {
		if o := t.find(domain, protocol, group, label); o != nil {
			return o
		}
	}
	return nil
}

// beside returns the outcome of a case of a group or, beside it, of one of the nine
// methods, by protocol paper; nil if it was not run.
func (t *trials) beside(domain, group, label string) *outcome {
	return cmp.Or(t.find(domain, "paper", group, label), t.of(domain, "paper", label))
}

// short is "0.0243 ± 0.0043".
func short(i Interval) string { return study.Interval(i).PlusMinus() }

// digits is v with three significant digits, never as a power of ten unless it is
// tiny.
func digits(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 100 || a < 1e-4 && a > 1e-9 {
		decimals := 0
		if a < 1 {
			decimals = 2 - int(math.Floor(math.Log10(a)))
		}
		if text = strconv.FormatFloat(v, 'f', decimals, 64); decimals > 0 {
			text = strings.TrimRight(text, "0")
		}
	}
	if v != v {
		return "–"
	}
	return strings.Replace(text, "-", "−", 1)
}
