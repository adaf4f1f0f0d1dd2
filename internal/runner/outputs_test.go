package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/report"
)

// Marginals are drawn of fewer parameters than the domain has coordinates. Kills bounds
// asked for as many as are drawn, which a ball does not survive.
func TestMarginalsOfSomeParameters(t *testing.T) {
	ball, err := domain.NewBall(make([]float64, 30), 5)
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Problem: r2sgld.Problem{Domain: ball}}
	got, _ := j.marginals(make([]report.Parameter, 30), []int{29})
	if len(got) != 1 || got[0].Bounds != [2]float64{-5, 5} {
		t.Errorf("%+v", got)
	}
}

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
