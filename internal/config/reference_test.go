package config

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/tune"
)

var update = flag.Bool("update", false, "write the tables of the reference anew")

// sections are the declared keys by the names of their tables in the reference.
func sections() map[string][]key.Key {
	l, i, t := newLoader(false), newLoader(true), &theoryLoader{loader: newLoader(false)}
	return map[string][]key.Key{
		"sample": l.sampleKeys(), "identify": i.identifyKeys(), "fit": i.fitKeys(), "rows": tableKeys(&Table{}),
		"models of rows": (&fitReader{}).modelKeys(), "noise": (&Noise{}).keys(), "potential": (&Command{}).keys(),
		"stan":   (&Stan{}).keys(),
		"domain": region.Keys(), "matrix": region.MatrixKeys(), "sampler": i.Keys(), "until": sampler.UntilKeys(&tune.Until{}),
		"swap": (&sampler.Swap{}).Keys(), "variance": prefixed("variance.", (&sampler.Swap{}).EstimateKeys()),
		"data":  system.DataKeys(&system.Data{}),
		"model": system.ModelKeys(&system.Model{}), "solver": prefixed("solver.", (&system.Solver{}).Keys()),
		"sparse": system.SparseKeys(&dynamics.Sparse{}),
		"theory": t.theoryKeys(), "decay": prefixed("decay.", t.decayKeys(&DecayKeys{})), "train": spread(l.trainingKeys(&Training{})),
	}
}

// prefixed are keys with what stands before their names.
func prefixed(with string, keys []key.Key) []key.Key {
	for i := range keys {
		keys[i].Name = with + keys[i].Name
	}
	return keys
}

// spread are the keys of sections in place of these, as in data.kind.
func spread(keys []key.Key) (out []key.Key) {
	for _, k := range keys {
		if k.Within == nil {
			out = append(out, k)
			continue
		}
		out = append(out, prefixed(k.Name+".", k.Within)...)
	}
	return out
}

// keyTable is the table of keys in the reference.
func keyTable(keys []key.Key) string {
	var b strings.Builder
	b.WriteString("| key | type, range | default | meaning |\n|---|---|---|---|\n")
	for _, k := range keys {
		fallback := k.Fallback
		if k.Needed {
			fallback = "required"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Words, fallback, k.Doc)
	}
	return b.String()
}

// kindTable is the table of the kinds of a section.
func kindTable(kinds []key.Kind) string {
	var b strings.Builder
	b.WriteString("| `kind` | keys | |\n|---|---|---|\n")
	for _, v := range kinds {
		var keys []string
		for _, k := range v.Keys {
			s := fmt.Sprintf("`%s` %s", k.Name, strings.TrimPrefix(k.Words, "number "))
			if k.Needed {
				s += ", required"
			} else {
				s += " (" + k.Fallback + ")"
			}
			keys = append(keys, s+": "+k.Doc)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, strings.Join(keys, "; "), v.Doc)
	}
	return b.String()
}

// The tables of keys in the documentation are those of the declared keys, and every
// section has one. With -update they are written.
func TestReferenceIsUpToDate(t *testing.T) {
	tables := map[string]string{"kinds of schedule": kindTable(sampler.ScheduleKinds(&kernel.Decay{})),
		"kinds of derivative": kindTable(system.SlopeKinds(&dynamics.Derivative{}))}
	for name, keys := range sections() {
		tables[name] = keyTable(keys)
		for _, k := range keys {
			if k.Words == "" || k.Doc == "" || len(k.Shape) == 0 {
				t.Errorf("%s.%s has no type, meaning or schema", name, k.Name)
			}
		}
	}
	place := regexp.MustCompile(`(?s)<!-- keys: ([a-z ]+) -->\n.*?<!-- end of keys -->`)
	for _, file := range []string{"../../docs/configuration.md", "../../docs/training.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := place.ReplaceAllStringFunc(string(text), func(old string) string {
			name := place.FindStringSubmatch(old)[1]
			now, ok := tables[name]
			if !ok {
				t.Errorf("%s: there is no section %q, or it has two tables", file, name)
			}
			delete(tables, name)
			return "<!-- keys: " + name + " -->\n" + now + "<!-- end of keys -->"
		})
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("%s: go test ./internal/config -run Reference -update writes it: %s", file, diff)
		}
	}
	for name := range tables {
		t.Errorf("the section %s is in no file", name)
	}
}
