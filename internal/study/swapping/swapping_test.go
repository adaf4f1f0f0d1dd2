package swapping

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

func TestGlance(t *testing.T) {
	pace.Slow(t)
	s := studytest.Glance(t, Run, 2)
	if out := studytest.Whole(t, s); len(out.Claims) != 4 || s.Name != "swaps" || s.Title != Title {
		t.Errorf("%d claims of %s, %s", len(out.Claims), s.Name, s.Title)
	}
	studytest.Documented(t, s, "../../../docs/studies.md")
	again, err := Run(context.Background(), study.Options{Scale: study.Smoke, Seed: s.Seed, Threads: 1})
	if err != nil || studytest.JSON(t, again.Results) != studytest.JSON(t, s.Results) {
		t.Errorf("the number of threads changes results (%v)", err)
	}
}

// Swaps of energies drawn afresh have their exact probability, whatever the scheme tries
// neighbours by, and scheme deo makes 1/(2+2Σ r/(1−r)) round trips a sweep.
func TestLadderHasItsLaw(t *testing.T) {
	const rungs, sweeps = 5, 400_000
	for _, ratio := range []float64{1.5, 4} {
		for _, scheme := range []string{"deo", "adj"} {
			l := newLadder(rungs, ratio, chance(1, scheme, 0))
			e, err := l.run(exchange.Settings{Scheme: scheme}, sweeps, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, a := e.Statistics(), accepted(ratio)
			for _, p := range s.Pairs {
				if se := math.Sqrt(a * (1 - a) / float64(p.Attempts)); math.Abs(p.Rate()-a) > 4.9*se {
					t.Errorf("%s, ratio %g: pair %d swaps at %g ± %g, exactly %g", scheme, ratio, p.Cold, p.Rate(), se, a)
				}
			}
			if scheme != "deo" {
				continue
			}
			r := 1 - a
			want := sweeps * exchange.RateDEO(slices.Repeat([]float64{r}, rungs-1))
			// Trips of one replica are more regular than a Poisson process has them.
			if got := float64(s.RoundTrips); math.Abs(got-want) > 4.9*math.Sqrt(want) {
				t.Errorf("ratio %g: %g round trips, by the formula %g", ratio, got, want)
			}
		}
	}
}

// At the fixed point the wanted share of pairs would trade, by draws as by integrals.
func TestFixedPoint(t *testing.T) {
	c := fixedPoint(paperRungs, indicatorRatio, wanted)
	l := newLadder(paperRungs, indicatorRatio, chance(2, "fixed", 0))
	const draws = 300_000
	below := 0
	for range draws {
		l.draw()
		for p := range paperRungs - 1 {
			if l.energy[p+1]+c < l.energy[p] {
				below++
			}
		}
	}
	// Neighbouring pairs share an energy: at most twice the variance of independent ones.
	n := float64(draws * (paperRungs - 1))
	if share, se := float64(below)/n, math.Sqrt(2*wanted*(1-wanted)/n); math.Abs(share-wanted) > 4.9*se {
		t.Errorf("at %g a share of %g ± %g would trade, not %g", c, share, se, wanted)
	}
}

// Kills: verdicts of one gain alone, trips at the edge not counted.
func TestVerdicts(t *testing.T) {
	near, far := []float64{0.1, 0.11, 0.09, 0.1, 0.1}, []float64{1, 1.1, 0.9, 1, 1}
	level := func(gain string, off ...[]float64) Level {
		l := Level{Gain: gain, At: []int{10, 100}, off: off}
		for _, v := range off {
			l.Off = append(l.Off, study.IntervalOf(v))
		}
		return l
	}
	trip := func(n float64) Trip { return Trip{Target: n / 100, Trips: study.Interval{Mean: n}} }
	r := &Results{Levels: []Level{level("a", far, near), level("b", far, far)}, Trips: []Trip{trip(3), trip(9)}}
	studytest.Verdict(t, r.settles(), study.Depends, "gain a")
	studytest.Verdict(t, r.trips(), study.Depends, "0.03")
	r.Levels[1], r.Trips[1] = r.Levels[0], trip(4)
	studytest.Verdict(t, r.settles(), study.Holds)
	studytest.Verdict(t, r.trips(), study.Holds)
	r.Levels[0] = level("a", far, far)
	r.Levels[1], r.Trips = r.Levels[0], []Trip{trip(5), trip(2.9)}
	studytest.Verdict(t, r.settles(), study.Fails)
	studytest.Verdict(t, r.trips(), study.Fails)
	of := func(name string, sweeps, attempts, rate []float64) Scheme {
		return Scheme{Name: name, Rungs: 4, sweeps: sweeps, attempts: attempts, rate: rate}
	}
	r.Schemes = []Scheme{of("deo", near, near, far), of("adj", far, far, near), of("ape", far, far, near), of("seo", near, near, near)}
	studytest.Verdict(t, r.faster(5), study.Holds)
	studytest.Verdict(t, r.rates(5), study.Holds)
	r.Schemes[2] = of("ape", []float64{0.01, 0.011, 0.009, 0.01, 0.01}, far, near)
	studytest.Verdict(t, r.faster(5), study.Depends)
	r.Schemes[1], r.Schemes[2] = of("adj", near, near, far), of("ape", near, near, far)
	studytest.Verdict(t, r.rates(5), study.Fails)
}
