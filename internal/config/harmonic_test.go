package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// again loads the resolved configuration of r, as a run that goes on does.
func again(t *testing.T, r *Run) {
	t.Helper()
	text, err := json.Marshal(r.Resolved)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load("sample", file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := hash(t, r.Resolved), hash(t, s.Resolved); a != b {
		t.Errorf("%s loads to another run", text)
	}
}

// Kernel harmonic is taken for Gaussians between linear and quadratic walls, by
// methods that reflect or know no walls, and is told from what it is not for.
func TestHarmonic(t *testing.T) {
	gaussian, box := `x^2 + x*y + y^2 - 3*x`, `{box: {x: [0, 1], y: [-1, 1]}}`
	for _, c := range []struct {
		potential, domain, sampler, fault string
	}{
		{gaussian, box, `{kernel: harmonic}`, ""},
		{gaussian, box, `{method: auto, kernel: harmonic}`, ""},
		{gaussian, `{ball: {center: [0, 0], radius: 1}}`, `{method: r-sgld, kernel: harmonic, cap: 50}`, ""},
		{gaussian, `null`, `{method: sgld, kernel: harmonic}`, ""},
		{gaussian, box, `{kernel: harmonic, temperature: [1, 4, inf], step_size: 0.1}`, ""},
		{`x^4 + y^2`, box, `{kernel: harmonic}`, "the potential is not quadratic"},
		{`x^2`, box, `{kernel: harmonic}`, "not positive definite"},
		{gaussian, `{flower: {petals: 5, offset: 3}}`, `{kernel: harmonic}`,
			"no set of linear inequalities and convex quadratic ones (inside a ball, not outside of it)"},
		{gaussian, `{constraints: ["x^2 + y^2 <= 4"]}`, `{kernel: harmonic}`, "is a ball where it is written as one. Take kernel hmc"},
		{gaussian, box, `{kernel: harmonic, step_size: 0.1}`, "exact paths, not steps"},
		{gaussian, box, `{kernel: harmonic, schedule: cosine}`, "drop the key"},
		{gaussian, box, `{method: r-cycsgld, kernel: harmonic}`, "the schedule of method r-cycsgld"},
		{gaussian, box, `{kernel: harmonic, boundary: refuse}`, "reflects its paths itself"},
		{gaussian, box, `{kernel: harmonic, leapfrog: 3}`, "leapfrog belongs to kernel hmc"},
		{gaussian, box, `{kernel: harmonic, certificate: true}`, "kernel harmonic has none"},
		{gaussian, box, `{method: r-sghmc, kernel: harmonic}`, "steps with momentum"},
		{gaussian, box, `{method: myula, kernel: harmonic}`, "goes with the methods that reflect"},
		{gaussian, box, `{method: r-hmc, kernel: harmonic}`, "goes with kernel hmc"},
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		text := "name: f\nvariables: [x, y]\npotential: \"" + c.potential + "\"\ndomain: " + c.domain + "\nsampler: " + c.sampler + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Load("sample", file, nil)
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s, %s: %v, want %q", c.potential, c.sampler, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", c.sampler, err)
		case !r.Settings.Traits().Paths || r.Resolved.Sampler.Kernel != "harmonic":
			t.Errorf("%s: %+v", c.sampler, r.Settings)
		default:
			again(t, r)
		}
	}
}
