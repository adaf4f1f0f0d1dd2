package config

import (
	"strings"
	"testing"
)

// A run that is to end with the evidence waits for R̂ and ESS only if asked to, and is
// refused where log Z would never be known.
func TestUntilEvidence(t *testing.T) {
	const text = `
variables: [x]
potential: "x^2/2"
domain: {box: {x: [-1, 2]}}
sampler: {method: auto, kernel: mala, init: {x: 0}, until: {evidence: 0.03}}
`
	r, err := Parse("sample", "a", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if u := r.Until; u.Evidence != 0.03 || u.RHat != 0 || u.ESS != 0 || u.Iterations != 64*1000 {
		t.Errorf("%+v", u)
	}
	if r, err = Parse("sample", "a", []byte(text), []string{"sampler.until.ess=100"}); err != nil || r.Until.ESS != 100 || r.Until.RHat != 0 {
		t.Errorf("%v, %+v", err, r.Until)
	}
	for _, c := range [][2]string{
		{"domain: {box: {x: [-1, 2]}}", "domain: {constraints: [x > -1]}"},
		{"evidence: 0.03", "evidence: 0"},
		{"until: {", "swap: {rule: threshold}, until: {"},
		{"until: {", "swap: {scheme: windowed-deo, gate: once}, until: {"},
		{"init: {x: 0}, ", ""},
	} {
		_, err := Parse("sample", "a", []byte(strings.Replace(text, c[0], c[1], 1)), nil)
		if (err != nil) != (c[1] != "") {
			t.Errorf("%s: %v", c[1], err)
		} else if err != nil {
			t.Log(err)
		}
	}
}
