package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// Outputs of sample and identify are read, with their faults at their places. They change neither the hash
// nor the law of a run.
// Mutants: a hash of outputs; names that are not looked at.
func TestOutputsOfVariables(t *testing.T) {
	const sample = "variables: [x, y]\npotential: x^2 + y^2\noutputs: {}\nsampler: {method: sgld, step_size: 0.1}\n"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "data.csv"), goodData)
	identify := strings.Replace(goodIdentify, "  likelihood", "  outputs: {}\n  likelihood", 1)
	for command, text := range map[string]string{"sample": sample, "identify": identify} {
		plain, err := Parse(command, filepath.Join(dir, "f.yaml"), []byte(strings.Replace(text, "outputs: {}", "", 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := plain.Resolved.Hash()
		v := map[string]string{"sample": "x", "identify": "a"}[command]
		for outputs, want := range map[string]string{
			`{r: "sqrt(V^2)", "r2[1]": V}`: "",
			`{V: "1 + V"}`:                 `"V" is a variable: give the output another name`,
			`{r: "1 + zz"}`:                `"zz" is not defined`,
			`{r: 1 + 2}`:                   "1 + 2 names no variable: it is the same in every draw",
			`{"2r": V}`:                    `an output is a name such as odds or effect[2]; found "2r"`,
			`{pi: V}`:                      `an output is a name`,
			`{"r s": V}`:                   `an output is a name`,
			`{r: "V +"}`:                   "is missing at the end",
			`{r: [V]}`:                     "r must be text; found a list of 1",
			`[r]`:                          "outputs must be a mapping",
		} {
			r, err := Parse(command, filepath.Join(dir, "f.yaml"),
				[]byte(strings.Replace(text, "outputs: {}", "outputs: "+strings.ReplaceAll(outputs, "V", v), 1)), nil)
			if want != "" {
				line := map[string]string{"sample": "f.yaml:3:", "identify": "f.yaml:11:"}[command]
				if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, "V", v)) || !strings.Contains(err.Error(), line) {
					t.Errorf("%s: %s: %v, want %q", command, outputs, err, want)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", command, outputs, err)
				continue
			}
			if got := r.Outputs.OutputNames(); len(got) != 2 || got[1] != "r2[1]" {
				t.Errorf("%s: outputs %v", command, got)
			}
			if now, _ := r.Resolved.Hash(); now != before {
				t.Errorf("%s: the hash depends on outputs", command)
			}
		}
	}
}
