package multimodal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// A reading is what the paper's "diameters between 1.5 and 3.0" are taken for.
type reading struct {
	name, told string
	radii      []float64 // circumradii of the octagons; the diameter of an octagon is twice as long
}

// readings are that of the text and that of the released code.
func readings() []reading {
	return []reading{{"diameter", "diameter 1.5 to 3, as the text has it", []float64{0.75, 1, 1.25, 1.5}},
		{"circumradius", "circumradius 1.5 to 3, which are diameters of 3 to 6, as in the released code", []float64{1.5, 2, 2.5, 3}}}
}

// octagonOf is the octagon of a circumradius.
func octagonOf(radius float64) shape {
	return shape{name: fmt.Sprintf("octagon of circumradius %g", radius), yaml: fmt.Sprintf("{octagon: {radius: %g}}", radius),
		definition: "regular, a vertex at (0, radius)", radius: radius}
}

// octagonCorners are its corners, counter-clockwise from the top.
func octagonCorners(radius float64) [][2]float64 {
	v := make([][2]float64, 8)
	for i := range v {
		s, c := math.Sincos(math.Pi/2 + float64(i)*math.Pi/4)
		v[i] = [2]float64{radius * c, radius * s}
	}
	return v
}

// A walk is a kind of run of the diameter study: a process on octagons.
type walk struct {
	name   string // tells its random numbers from those of others
	title  string
	method string
	keys   string // of the potential and of the sampler, without those common to all
	step   float64
	rungs  int
	runs   int
	length int // iterations
	every  int // iterations between the frames that are recorded; 0 is none
}

// exchangeWalk is the paper's run. The potential is without its wall, which is 0 in
// every octagon, and takes time.
func exchangeWalk(name string, runs, length, every int) walk {
	return walk{name, "r2SGLD, 25 modes", "r2sgld",
		fmt.Sprintf("potential: %q\nnoise: {gradient: 0.05, energy: 0.05}\n|step_size: [2e-5, 2e-4]\ntemperature: [1, 10]\nswap: {%s, "+
			"variance: %g}", bowl, everySweep, swapVariance),
		2e-5, 2, runs, length, every}
}

// freeWalk is Brownian motion in the octagon.
func freeWalk(runs, length int) walk {
	return walk{"free", "R-SGLD, U = 0", "r-sgld", "potential: \"0\"\n|step_size: 2e-3\ntemperature: 1", 2e-3, 1, runs, length, 10}
}

// singleWalk is a run at one temperature with the step that the paper has for it.
func singleWalk(runs, length int) walk {
	return walk{"single", "R-SGLD, 25 modes", "r-sgld",
		fmt.Sprintf("potential: %q\nnoise: {gradient: 0.05, energy: 0.05}\n|step_size: 5e-4\ntemperature: 1", bowl), 5e-4, 1, runs, length, 100}
}

// extent is "10 runs of 1,000,000 iterations".
func (w walk) extent() string {
	return fmt.Sprintf("%d runs of %s iterations", w.runs, text.Count(w.length))
}

// text is the configuration of the walk in an octagon.
func (w walk) text(radius float64, seed uint64) string {
	of, sampler, _ := strings.Cut(w.keys, "|")
	var b strings.Builder
	fmt.Fprintf(&b, "variables: [x, y]\n%sdomain: %s\nsampler:\n", of, octagonOf(radius).yaml)
	fmt.Fprintf(&b, "  method: %s\n  iterations: %d\n  burn_in: 0\n  thin: %d\n", w.method, w.length, max(1, w.every))
	fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(sampler, "\n", "\n  "))
	fmt.Fprintf(&b, "  ladders: %d\n  seed: %d\n  init: {x: 0, y: 0}\n", w.runs, w.seed(radius, seed))
	return b.String()
}

// seed gives every octagon and walk random numbers of its own: with common ones the
// diameters would not be independent.
func (w walk) seed(radius float64, seed uint64) uint64 {
	return study.SeedOf(seed, fmt.Sprintf("diameter %g %s", radius, w.name))
}

// A watcher counts the cold draws of a ladder and records frames of all rungs.
type watcher struct {
	measure *measure // nil counts nothing
	count   tallies
	ends    []int // numbers of draws whose tallies are kept, ascending
	kept    []tallies
	every   int // iterations between frames; 0 records none
	after   int // the frames begin past this iteration
	track   track
	point   [2]float64
}

// Record implements r2sgld.Recorder.
func (w *watcher) Record(k int, b *kernel.Block) error {
	if n := len(w.kept); w.measure != nil && n < len(w.ends) {
		i := b.Replica(0)
		w.point[0], w.point[1] = b.X[i], b.X[b.Stride+i]
		w.measure.count(w.count, w.point[:])
		if k == w.ends[n] {
			w.kept = append(w.kept, w.count.clone())
		}
	}
	if w.every > 0 && k > w.after && k%w.every == 0 {
		for rung := range b.R {
			i := b.Replica(rung)
			w.track = append(w.track, b.X[i], b.X[b.Stride+i])
		}
	}
	return nil
}

// score scores the first n draws, or those of them past the first fifth.
func (w *watcher) score(n int, drop bool) Score {
	i, ok := slices.BinarySearch(w.ends, n)
	if !ok || i >= len(w.kept) {
		return noScore()
	}
	t := w.kept[i]
	if first, ok := slices.BinarySearch(w.ends, n/5); ok && drop {
		t = t.minus(w.kept[first])
	}
	return w.measure.score(t)
}

// A stroll is what came of a walk in one octagon.
type stroll struct {
	walk     walk
	watchers []*watcher // by run
	swaps    float64    // rate
	hit      []float64  // share of steps that met the wall, by rung
	failed   int64      // steps given up
}

// sample runs the walk in an octagon. The draws are counted at the numbers of
// draws at, and at a fifth of each, if there is a scene to count them on.
func (w walk) sample(ctx context.Context, o study.Options, radius float64, s *scene, at []int) (*stroll, error) {
	run, err := config.Parse("sample", w.name, []byte(w.text(radius, o.Seed)), nil)
	if err != nil {
		return nil, fmt.Errorf("octagon of circumradius %g, %s: %w", radius, w.title, err)
	}
	var ends []int
	for _, n := range at {
		if n <= w.length {
			ends = append(ends, n/5, n)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	out := &stroll{walk: w, watchers: make([]*watcher, w.runs)}
	for i := range out.watchers {
		x := &watcher{ends: ends, every: w.every, after: w.length / 10}
		if s != nil {
			x.measure = s.own()
			x.count = x.measure.tallies()
		}
		if w.every > 0 {
			x.track = make(track, 0, 2*w.rungs*(w.length-x.after)/w.every)
		}
		out.watchers[i] = x
	}
	settings := run.Settings
	settings.Threads, settings.MaxDraws = o.Threads, 16
	settings.Recorder = func(ladder int) r2sgld.Recorder { return out.watchers[ladder] }
	r, err := r2sgld.Sample(ctx, run.Problem, settings)
	if err != nil {
		return nil, fmt.Errorf("octagon of circumradius %g, %s: %w", radius, w.title, err)
	}
	if p := r.Swaps().Pairs; len(p) > 0 {
		out.swaps = p[0].Rate()
	}
	for rung := range w.rungs {
		t := r.Tally(rung)
		out.hit = append(out.hit, float64(t.Reflected)/float64(t.Steps))
		out.failed += t.Fallbacks
	}
	return out, nil
}

// relaxation is that of the walk, in units of time: its cold step times
// iterations. It frees what was recorded.
func (s *stroll) relaxation() (Relaxation, error) {
	tracks := make([]track, len(s.watchers))
	for i, w := range s.watchers {
		tracks[i], w.track = w.track, nil
	}
	r, err := relax(tracks, s.walk.rungs, s.walk.step*float64(s.walk.every))
	if err != nil {
		return r, fmt.Errorf("%s: %w", s.walk.title, err)
	}
	return r, nil
}
