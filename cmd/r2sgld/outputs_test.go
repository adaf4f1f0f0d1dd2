package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
)

const outputsModel = `data: line.csv
model:
  parameters: {a: "normal(0, 2)", b: "normal(0, 2)", s: "lognormal(0, 1)", K: cholesky_corr(2)}
  likelihood: y ~ normal(a + b*x, s)
  outputs: {ratio: exp(b), up: b > 1, "at[2]": a + 2*b}
sampler: {until: {ess: 200}}
`

// Outputs of a fit are those of its draws, in the store, the summary and a table of their own, also where
// minibatches draw. Of a run that is extended, and given its outputs then, they have the bytes that they have of
// a run in one go.
// Mutants: outputs of hot rungs; outputs of the law of a run.
func TestOutputsOfAFit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "line.csv", lineRows)
	config := write(t, dir, "line.yaml", outputsModel)
	check := func(run string, sum *fitting) {
		t.Helper()
		_, b := array(t, run, "posterior/b")
		_, a := array(t, run, "posterior/a")
		of := map[string]func(k int) float64{"ratio": func(k int) float64 { return math.Exp(b[k]) },
			"up": func(k int) float64 { return math.Max(0, math.Copysign(1, b[k]-1)) }, "at[2]": func(k int) float64 { return a[k] + 2*b[k] }}
		for name, want := range of {
			_, got := array(t, run, "outputs/"+name)
			total := 0.0
			for k, v := range got {
				if total += v; !(math.Abs(v-want(k)) <= 1e-12*(1+math.Abs(v))) {
					t.Fatalf("%s: %s of draw %d is %v, want %v", run, name, k, v, want(k))
				}
			}
			for _, p := range sum.Outputs {
				if n := float64(len(got)); p.Name == name && !(math.Abs(p.Mean-total/n) <= 1e-9*(1+math.Abs(p.Mean))) {
					t.Errorf("%s: the mean of %s is %v, of its draws %v", run, name, p.Mean, total/n)
				}
			}
		}
	}
	whole := filepath.Join(dir, "whole")
	p := start(t, "fit", config, "--out", whole, "--set", "sampler.until.ess=3000", "--json")
	sum := new(fitting)
	if p.code(t) != exitDone || json.Unmarshal(p.stdout.Bytes(), sum) != nil {
		t.Fatalf("%s", &p.stderr)
	}
	if len(sum.Outputs) != 4 || sum.Outputs[2].Name != "at[2]" || sum.Outputs[3].Name != "K_corr[2,1]" {
		t.Errorf("outputs %+v", sum.Outputs)
	}
	check(whole, sum)
	parts := filepath.Join(dir, "parts")
	must(t, exitDone, "fit", config, "--out", parts, "--quiet", "--set", `model.outputs={other: "a*b"}`)
	p = start(t, "resume", parts, "--set", "sampler.until.ess=3000", "--set", `model.outputs={ratio: exp(b), up: b > 1, "at[2]": a + 2*b}`)
	if p.code(t) != exitDone || !strings.Contains(p.stdout.String(), "\n output ") {
		t.Fatalf("%s%s", &p.stdout, &p.stderr)
	}
	all, again := foldertest.Results(t, whole), foldertest.Results(t, parts)
	for name, text := range all {
		if strings.HasPrefix(name, "draws") && again[name] != text {
			t.Errorf("%s differs from that of a run in one go", name)
		}
	}
	for name := range again {
		if strings.HasPrefix(name, "draws") && all[name] == "" {
			t.Errorf("%s is left from before", name)
		}
	}
	few := filepath.Join(dir, "few")
	check(few, summarisedIn(t, few, "fit", config, "--set",
		"sampler={method: r2sgld, iterations: 2000, step_size: 1e-4, minibatch: 1}"))
}

// A group that the fit has not seen is predicted by the law of groups, with a warning; where there is none it is
// refused, and nothing is written.
func TestPredictionsOfNewGroups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d.csv", "g,y\nA,1\nA,2\nB,4\nB,3\nC,-1\n")
	write(t, dir, "new.csv", "g\nA\nD\n")
	for prior, code := range map[string]int{"normal(m, 1)": exitDone, "flat": exitUsage} {
		out := filepath.Join(dir, prior)
		must(t, exitDone, "fit", write(t, dir, "f.yaml", `data: d.csv
model:
  parameters: {"c[g]": "`+prior+`", m: "normal(0, 5)"}
  likelihood: y ~ normal(c[g] + 0*m, 1)
sampler: {until: {ess: 100}}
`), "--out", out, "--quiet")
		p := start(t, "simulate", out, "--data", filepath.Join(dir, "new.csv"))
		want := map[int]string{exitDone: "g holds 1 level that the fit has not seen, D:",
			exitUsage: `new.csv:3: the column "g" holds "D", and the parameter c[g] has no such entry, nor a prior`}[code]
		if got := p.code(t); got != code || !strings.Contains(p.stderr.String(), want) || there(out, "simulation") != (code == exitDone) {
			t.Errorf("%s: exit %d: %s, want %q", prior, got, &p.stderr, want)
		}
	}
}
