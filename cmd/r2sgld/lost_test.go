package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// A Gaussian that is a ten-thousandth as wide as its box, with one rung beside the uniform law.
const narrowGaussian = `name: narrow
variables: [x, y, z]
potential: "(x^2 + y^2 + z^2)*5e7"
domain: {box: {x: [-1, 1], y: [-1, 1], z: [-1, 1]}}
sampler: {method: r2sgld, kernel: hmc, temperature: [1, inf], step_size: [1e-9, 0.1], iterations: 300, burn_in: 50, ladders: 2, init: {x: 0, y: 0, z: 0}}
`

// Log Z that is lost between two rungs is null, with what it would be beside it; compare does
// not rank it, and says how to run again. Mutant: a comparison that knows nothing of it.
func TestLostEvidence(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	p := start(t, "sample", write(t, dir, "narrow.yaml", narrowGaussian), "--out", out)
	if code := p.code(t); code != exitDone || !strings.Contains(p.stderr.String(), "log Z is not known: bottleneck between rungs 1 and 2: ") {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	p = start(t, "compare", out)
	said := "r2sgld sample CONFIG.yaml --set 'sampler={method: auto}' --out " + out + "-auto"
	if code := p.code(t); code != exitDone || !strings.Contains(p.stderr.String(), said) || !strings.Contains(p.stdout.String(), "not known") {
		t.Errorf("exit %d: %s%s", code, &p.stdout, &p.stderr)
	}
	p = start(t, "compare", out, "--json")
	var table struct {
		Models []map[string]any
	}
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	if m := table.Models[0]; m["log_evidence"] != nil || m["probability"] != nil {
		t.Errorf("%v", m)
	}
}
