package monotone

import (
	"bytes"
	"context"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// The study at a glance is whole, and tells the same on one thread and on two. Kills: a method
// whose draws are those of another, a seed of threads.
func TestGlance(t *testing.T) {
	pace.Slow(t)
	s := studytest.Glance(t, Run, 2)
	if out := studytest.Whole(t, s); len(out.Claims) != 9 || out.Pictures != 3 || s.Name != "monotone" || s.Title != Title {
		t.Errorf("%d claims, %d pictures of %s, %s", len(out.Claims), out.Pictures, s.Name, s.Title)
	}
	studytest.Documented(t, s, "../../../docs/studies.md")
	again, err := Run(context.Background(), study.Options{Scale: study.Smoke, Seed: s.Seed, Threads: 1})
	if err != nil || studytest.JSON(t, again.Results) != studytest.JSON(t, s.Results) {
		t.Errorf("the number of threads changes results (%v)", err)
	}
	for _, section := range s.Sections {
		for _, p := range section.Pictures {
			if bytes.Contains(p.SVG, []byte("average of models")) {
				t.Errorf("%s shows averages of models, and there are none", p.Name)
			}
		}
	}
	r := s.Results.(*Results)
	if len(r.Runs) != 2*len(methods()) || len(r.Methods) != len(methods()) {
		t.Fatalf("%d runs of %d methods", len(r.Runs), len(r.Methods))
	}
	seen := map[float64]string{}
	for _, x := range r.Runs {
		if other, ok := seen[x.Density]; ok {
			t.Errorf("%s and %s predict the same", x.Method, other)
		}
		seen[x.Density] = x.Method
		if wall := x.Method == projected || x.Method == clipped; (x.Wall > 0) != wall || x.Near < x.Wall {
			t.Errorf("%s: %g of the weights at the wall, %g near", x.Method, x.Wall, x.Near)
		}
		if !(x.RHat >= 0.9) || !(x.RMSE > 0) {
			t.Errorf("%s: %+v", x.Method, x.marks)
		}
		if holds(x.Method) && x.Somehow > 0 {
			t.Errorf("%s: responses of %g of the draws rise", x.Method, x.Somehow)
		}
	}
}
