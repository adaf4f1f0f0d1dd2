package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A bias that is asked for brings the certificate along, a kernel without bias needs
// none, and methods whose bias does not go like the step are told of.
func TestCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.yaml")
	text := "name: f\nvariables: [x, y]\npotential: \"(x^2+y^2)/2\"\ndomain: {ball: {center: [0, 0], radius: 1}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sampler   string
		certified bool
		fault     string
	}{
		{`{}`, false, ""},
		{`{certificate: true}`, true, ""},
		{`{until: {bias: 0.02}}`, true, ""},
		{`{until: {ess: 500}}`, false, ""},
		{`{method: r2sgld, certificate: true, boundary: refuse, iterations: 1000}`, true, ""},
		{`{method: sgld, certificate: true, iterations: 1000}`, true, ""},
		{`{method: mirror-sgld, certificate: true, iterations: 1000}`, true, "mirror"},
		{`{method: auto, kernel: auto, until: {bias: 0.02}}`, false, ""},
		{`{method: auto, kernel: mala, until: {bias: 0.02}}`, false, "kernel mala has none"},
		{`{until: {bias: 0.02}, certificate: false}`, false, "until.bias needs the certificate"},
		{`{until: {bias: 0}}`, false, "bias must be positive"},
		{`{method: r2sgld, until: {bias: 0.02}}`, false, "until belongs to method auto"},
		{`{method: p-sgld, certificate: true, iterations: 1000}`, false, "a force that jumps at the wall"},
		{`{method: p-sgld, certificate: true, penalty: {form: distance}, iterations: 1000}`, true, ""},
		{`{method: myula, certificate: true, iterations: 1000}`, true, ""},
		{`{method: rejection-sgld, certificate: true, iterations: 1000}`, false, "leaves some out"},
		{`{method: projected-sgld, certificate: true, iterations: 1000}`, false, "found project"},
	} {
		r, err := Load("sample", file, []string{"sampler=" + c.sampler})
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", c.sampler, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", c.sampler, err)
		case r.Settings.Certificate != c.certified || r.Resolved.Sampler.Certificate != c.certified:
			t.Errorf("%s: certificate %v", c.sampler, r.Settings.Certificate)
		}
	}
}
