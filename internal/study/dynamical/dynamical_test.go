package dynamical

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// The studies at a glance are whole: claims that can be told, tables and figures in
// their places, settings that load, no state outside of any reflected method.
func TestStudiesAtAGlance(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct {
		run              func(context.Context, study.Options) (*study.Study, error)
		system           *system
		title            string
		claims, pictures int
	}{{Lorenz, lorenz(), LorenzTitle, 11, 4}, {LotkaVolterra, lotkaVolterra(), LotkaVolterraTitle, 9, 3}} {
		t.Run(c.system.name, func(t *testing.T) {
			s := studytest.Glance(t, c.run, 2)
			if out := studytest.Whole(t, s); len(out.Claims) != c.claims || out.Pictures != c.pictures {
				t.Errorf("%d claims, %d pictures", len(out.Claims), out.Pictures)
			}
			studytest.Documented(t, s, "../../../docs/studies.md")
			if s.Title != c.title || s.Name != c.system.name || s.Effort != "2 runs of 1,000 iterations a case, minibatches of 4,096" {
				t.Errorf("study %q, title %q, effort %q", s.Name, s.Title, s.Effort)
			}
			r := s.Results.(*results)
			told(t, c.system, r)
			dir := laid(t, c.system)
			for i := 0; i < len(s.Settings); i += 5 {
				if _, err := load(dir, s.Settings[i].Name, s.Settings[i].Text); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// told checks the results: reflected chains stay inside and, where no wall is met,
// make the draws of their partners; next to the walls plain chains leave; method
// auto is right.
func told(t *testing.T, s *system, r *results) {
	t.Helper()
	for _, c := range append(append([]caseFacts(nil), r.Cases...), r.Simulated...) {
		out := 0
		for _, o := range c.Outside {
			out += o[0] + o[1]
		}
		if strings.HasPrefix(c.Method, "r") && c.Method != "resgld" && out > 0 {
			t.Errorf("%s from %s: %d iterations outside", c.Label, c.Start, out)
		}
		if c.Same != nil && c.Hits == 0 && *c.Same != c.Runs {
			t.Errorf("%s from %s: %d of %d runs as without walls, and none was met", c.Label, c.Start, *c.Same, c.Runs)
		}
		if s.chaotic && c.Start == fromLow && c.Label == "SGLD" && out == 0 {
			t.Error("SGLD stays inside next to the walls")
		}
	}
	for _, o := range r.Own {
		for _, c := range o.Coefficients {
			// 4.9 standard errors are exceeded once in 1e6; the step adds at most half a
			// percent to a variance. It kills an exact law without the constraints, which
			// is half a standard deviation off.
			if off := (c.Mean - c.Exact); off*off > 24*(c.MCSE*c.MCSE+c.ExactSE*c.ExactSE) {
				t.Errorf("%s, %s: mean %g ± %g, exact %g ± %g", o.Law, c.Name, c.Mean, c.MCSE, c.Exact, c.ExactSE)
			}
			if off := (c.SD - c.ExactSD); off*off > 24*(c.SDMCSE*c.SDMCSE+c.ExactSDSE*c.ExactSDSE)+0.005*0.005*c.ExactSD*c.ExactSD {
				t.Errorf("%s, %s: sd %g ± %g, exact %g ± %g", o.Law, c.Name, c.SD, c.SDMCSE, c.ExactSD, c.ExactSDSE)
			}
		}
	}
}

// laid is a folder with the data of a system.
func laid(t *testing.T, s *system) string {
	t.Helper()
	dir, remove, err := lay(s.file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// begun is a study of a system with its exact laws.
func begun(t *testing.T, s *system, threads int) *inquiry {
	t.Helper()
	m := &inquiry{Options: study.Options{Scale: study.Smoke, Seed: 1, Threads: threads}, system: s, dir: laid(t, s),
		rulers: map[*variant]*ruler{}}
	if err := m.exact(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

// Equal seeds give equal results, whatever the number of threads.
func TestStudiesAreDeterministic(t *testing.T) {
	pace.Slow(t)
	if pace.Soaking() {
		a, b := studytest.Glance(t, LotkaVolterra, 1), studytest.Glance(t, LotkaVolterra, 3)
		a.Results.(*results).Timings, b.Results.(*results).Timings = nil, nil
		if diff := cmp.Diff(studytest.JSON(t, a.Results), studytest.JSON(t, b.Results)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(studytest.JSON(t, a.Claims), studytest.JSON(t, b.Claims)); diff != "" {
			t.Error(diff)
		}
	}
	var texts [2]string
	for i, threads := range []int{1, 3} {
		m := begun(t, lotkaVolterra(), threads)
		v := m.system.variants[1]
		all, err := m.runAll(context.Background(), "runs", []*plan{m.plan(v, "r2SGLD", fromBox, 3), m.plan(v, "R-cycSGLD", fromBox, 2)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = studytest.JSON(t, []caseFacts{all[0].facts(), all[1].facts()})
	}
	if texts[0] != texts[1] {
		t.Error("the number of threads changes results")
	}
}

// A method and its reflected partner share their seeds, and no others do.
func TestPartnersShareSeeds(t *testing.T) {
	seen := map[uint64]string{}
	for _, s := range []*system{lorenz(), lotkaVolterra()} {
		m := &inquiry{Options: study.Options{Scale: study.Paper, Seed: 1}, system: s}
		for _, v := range s.variants {
			for _, from := range []string{fromBox, fromLow, fromTruth} {
				for _, l := range six() {
					p := m.plan(v, l, from, 10)
					for run := range 10 {
						who := strings.Join([]string{s.name, v.name, from, study.Samplers()[p.base].Plain, string(rune('0' + run))}, " ")
						if other, ok := seen[p.seedOf(run)]; ok && other != who {
							t.Errorf("%s and %s have one seed", who, other)
						}
						seen[p.seedOf(run)] = who
					}
				}
			}
		}
	}
	if len(seen) != 2*2*3*3*10 {
		t.Errorf("%d seeds", len(seen))
	}
}

func TestStudiesRefuse(t *testing.T) {
	for _, run := range []func(context.Context, study.Options) (*study.Study, error){Lorenz, LotkaVolterra} {
		if _, err := run(context.Background(), study.Options{Scale: "huge"}); err == nil {
			t.Error("an unknown scale was taken")
		}
	}
}
