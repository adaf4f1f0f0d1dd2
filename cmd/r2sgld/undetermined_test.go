package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Of a product of parameters the data tell one number: plan says so, and of the warnings
// of a run it is the first.
//
// Mutants it kills: a plan without the warnings of the model; these after all others.
func TestUndeterminedParametersComeFirst(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	write(t, dir, "decay.csv", "t,x\n0,1\n0.1,0.82\n0.2,0.67\n0.3,0.55\n0.4,0.45\n0.5,0.368\n0.6,0.30\n0.7,0.25\n0.8,0.20\n")
	file := write(t, dir, "decay.yaml", `name: decay
data: {file: decay.csv, time: t, states: {x: x}}
model: {equations: {x: "-a*b*x"}, constraints: ["a > 0", "b > 0", "a < 100", "b < 100"]}
sampler: {until: {rhat: 10, ess: 10}}
`)
	const want = "the data determine only 1 of the 2 parameters"
	p := start(t, "plan", file)
	if code, said := p.code(t), p.stderr.String(); code != exitDone || !strings.Contains(said, want) {
		t.Errorf("exit %d: %s", code, said)
	}
	out := filepath.Join(dir, "run")
	must(t, exitDone, "identify", file, "--out", out, "--quiet")
	if w := summaryOf(t, out).Warnings; len(w) < 2 || !strings.HasPrefix(w[0], want) {
		t.Errorf("warnings %q", w)
	}
}
