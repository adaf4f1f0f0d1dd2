package stan

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is included by what is included is read too, each file once, in a circle as well;
// comments and files that are missing are none.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m.stan": "functions {\n  #include lib/a.stan\n#include <b.stan>\n}\n// #include c.stan\n" +
			"/* #include c.stan\n #include c.stan */ model { print(\"// #include c.stan\"); } #include d.stan\n#include gone.stan\n",
		"lib/a.stan": "real f() { return 1; }\n#include \"b.stan\"\n",
		"d.stan":     "generated quantities {}",
		"b.stan":     "real g() { return 2; }\n#include m.stan\n",
		"c.stan":     "not asked for",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program, included, err := Sources(filepath.Join(dir, "m.stan"))
	if err != nil || !bytes.HasPrefix(program, []byte("functions")) {
		t.Fatalf("%q, %v", program, err)
	}
	var heads []string
	for _, b := range included {
		heads = append(heads, string(b.Text[:6]))
	}
	if want := []string{"real f", "real g", "functi", "genera"}; !slices.Equal(heads, want) {
		t.Errorf("included are %q, want %q", heads, want)
	}
	if _, _, err := Sources(filepath.Join(dir, "none.stan")); err == nil {
		t.Error("no error for a program that is not there")
	}
}
