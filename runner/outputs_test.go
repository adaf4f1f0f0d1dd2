package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Every figure that is drawn somewhere here is among those that a new run in the
// same folder removes. Kills a figure of an old run that stays beside new ones.
func TestOutputsNameEveryFigure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var drawn []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\badd\("([a-z]+)",`).FindAllStringSubmatch(string(text), -1) {
			drawn = append(drawn, m[1])
		}
	}
	want := figureNames()
	slices.Sort(want)
	slices.Sort(drawn)
	if drawn = slices.Compact(drawn); !slices.Equal(want, drawn) {
		t.Errorf("figures drawn %v, removed %v", drawn, want)
	}
}
