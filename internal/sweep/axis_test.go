package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/config"
	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// TestAxes: values are what stands between commas, ranges are written out, and no more.
func TestAxes(t *testing.T) {
	for said, want := range map[string][]string{
		"sampler.seed=1..4":                  {"1", "2", "3", "4"},
		"sampler.seed=-1..1, 7":              {"-1", "0", "1", "7"},
		"sampler.temperature=[1,5],[1,":      nil,
		"sampler.temperature=[1, 5],[1, 10]": {"[1, 5]", "[1, 10]"},
		`name="a,b",'c=d'`:                   {`"a,b"`, `'c=d'`},
		"a={x: 1, y: [2, 3]},{x: 2}":         {"{x: 1, y: [2, 3]}", "{x: 2}"},
		`model.fixed."x.initial"=1,2`:        {"1", "2"},
		"a=1e-3,0.5":                         {"1e-3", "0.5"},
		"a=0.1..0.5":                         {"0.1..0.5"}, // a text, which its key may refuse
		"a=1..1":                             {"1"},
		"a=":                                 nil,
		"a":                                  nil,
		"=1":                                 nil,
		"a=1,,2":                             nil,
		"a=1,1":                              nil,
		"a=1..3,2":                           nil,
		"a=3..1":                             nil,
		"a=(1]":                              nil,
		"a=1]":                               nil,
		`a="1`:                               nil,
		"a=1..10001":                         nil,
		"a=1..10000":                         {},
	} {
		a, err := ParseAxis(said)
		switch {
		case want == nil && err == nil:
			t.Errorf("%s gives %q", said, a.Values)
		case want == nil && !strings.HasPrefix(err.Error(), "--over "):
			t.Errorf("%s: %v", said, err)
		case len(want) > 0 && !slices.Equal(a.Values, want), want != nil && err != nil:
			t.Errorf("%s gives %q, %v", said, a.Values, err)
		}
	}
}

// TestOverIsNamed: what is wrong with a value is told as of --over, where --set had none of it.
func TestOverIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	must(t, os.WriteFile(file, []byte("variables: [x]\npotential: x^2\n"), 0o666))
	for _, c := range []struct{ set, over, want string }{
		{"name=a", "seed=1..3", `with seed=1:` + "\n" + `--over seed: unknown key "seed"; did you mean "sampler.seed"?`},
		{"name=a", "sampler.seed=1,x", `with sampler.seed=x:` + "\n" + `--over sampler.seed: seed must be`},
		{"sampler.seed=4", "sampler.seed=1..3", `sampler.seed has one value by --set`},
		{"thin=2", "sampler.seed=1..3", `with sampler.seed=1:` + "\n" + `--set thin: unknown key "thin"; did you mean "sampler.thin"?`},
	} {
		_, err := New(t.Context(), file, []string{c.set}, []string{c.over}, config.Programs{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("--over %s:\n%v\nwant\n%s", c.over, err, c.want)
		}
	}
}

// TestGrid: the cases are all combinations, each once, the last key fastest.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 1
		var axes []Axis
		for k := range rapid.IntRange(1, 3).Draw(t, "keys") {
			from := rapid.IntRange(-3, 3).Draw(t, "from")
			to := from + rapid.IntRange(0, 4).Draw(t, "more")
			a, err := ParseAxis(fmt.Sprintf("k%d=%d..%d", k, from, to))
			if err != nil || len(a.Values) != to-from+1 {
				t.Fatalf("%d..%d is %q, %v", from, to, a.Values, err)
			}
			axes, n = append(axes, a), n*len(a.Values)
		}
		all, err := grid(axes)
		if err != nil || len(all) != n {
			t.Fatalf("%d cases, not %d: %v", len(all), n, err)
		}
		for i, values := range all {
			for k, rest := len(axes)-1, i; k >= 0; k-- {
				m := len(axes[k].Values)
				if want := axes[k].Values[rest%m]; values[k] != want {
					t.Fatalf("case %d has %s for key %d, not %s", i, values[k], k, want)
				}
				rest /= m
			}
		}
	})
	long, _ := ParseAxis("a=1..200")
	if _, err := grid([]Axis{long, {"b", long.Values}}); err == nil {
		t.Error("40,000 cases")
	}
	if _, err := grid([]Axis{{"a", []string{"1"}}, {"a", []string{"2"}}}); err == nil {
		t.Error("a key twice")
	}
}
