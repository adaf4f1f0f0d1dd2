package pace_test

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Whoever tests properties begins at the seed of this package, by importing it.
func TestSeedOfProperties(t *testing.T) {
	if got := flag.Lookup("rapid.seed").Value.String(); !pace.Soaking() && got != "1" {
		t.Errorf("the seed is %s", got)
	}
	properties, seeded := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"pgregory.net/rapid"`:
				properties[filepath.Dir(path)] = true
			case `"github.com/r2sgld/r2sgld/internal/pace"`:
				seeded[filepath.Dir(path)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(properties) < 10 {
		t.Errorf("%d packages test properties", len(properties))
	}
	for dir := range properties {
		if !seeded[dir] {
			t.Errorf("%s tests properties from a seed of its own: import internal/pace", dir)
		}
	}
}
