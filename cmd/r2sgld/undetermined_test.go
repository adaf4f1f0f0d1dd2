package main

import (
	"bytes"
	"os"
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
	t.Parallel()
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

// Walls near which steps are wrong are told by plan, and by a run before it samples, with
// the command that mends it; not where the kernel is exact.
func TestSteepWallIsToldFirst(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file := write(t, dir, "root.yaml", `name: root
variables: [x]
potential: "-0.5*log(x)"
domain: {box: {x: [0, 1]}}
sampler: {iterations: 4000, burn_in: 100, step_size: [1e-3, 1e-2], temperature: [1, 3]}
`)
	const want = "slopes grow without bound towards a wall"
	remedy := "r2sgld sample " + file + " --set sampler.kernel=mala"
	for _, args := range [][]string{{"plan", file}, {"sample", file, "--force", "--out", filepath.Join(dir, "run")}} {
		p := start(t, args...)
		code, said := p.code(t), p.stderr.String()
		if at := strings.Index(said, want); code != exitDone || at < 0 || !strings.Contains(said[at:], remedy) ||
			strings.Contains(said[:at], "outweigh") {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
		exact := start(t, append(args, "--set", "sampler.kernel=mala")...)
		if code, said := exact.code(t), exact.stderr.String(); code != exitDone || strings.Contains(said, want) {
			t.Errorf("%v, exact: exit %d: %s", args, code, said)
		}
	}
}

// Where the density is infinite at a wall, or may be, the bias of the step goes like no step,
// and the certificate claims nothing: neither in numbers nor in words.
func TestCertificateAtAPole(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	for potential, known := range map[string]bool{"0.5*log(x)": false, "3*x": true} {
		file := write(t, dir, "pole.yaml", "variables: [x]\npotential: "+potential+`
domain: {box: {x: [0, 1]}}
sampler: {method: r-sgld, iterations: 20000, step_size: 0.002, certificate: true}
`)
		p := start(t, "sample", file, "--force", "--out", filepath.Join(dir, "run"))
		if code := p.code(t); code != exitDone {
			t.Fatalf("%s: exit %d: %s", potential, code, &p.stderr)
		}
		b, err := os.ReadFile(filepath.Join(dir, "run", "summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		said := p.stdout.String()
		if null := bytes.Contains(b, []byte(`"bias": null`)) && bytes.Contains(b, []byte(`"bias_se": null`)); null == known ||
			strings.Contains(said, "bias of the means: not known") == known || !known && strings.Contains(string(b), "shifts the mean") {
			t.Errorf("%s: %s, %s", potential, said, b)
		}
	}
}
