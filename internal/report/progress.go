package report

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// Progress shows how far a run is: one line, redrawn, on a terminal, plain lines
// otherwise. It watches the ladders as their recorders.
type Progress struct {
	name     string
	total    atomic.Int64 // iterations of all ladders
	rungs    int
	tries    float64 // pairs tried per iteration and replica; 0 is not known
	burnIn   int
	begun    time.Time
	watchers []*watcher
	doing    atomic.Pointer[string] // while the ladders wait; nil is nothing
	stop     func()
}

// NewProgress prepares the progress of a run with settings s and a number of
// rungs. Its Recorder goes into s.
func NewProgress(name string, s r2sgld.Settings) *Progress {
	p := &Progress{name: name, rungs: max(1, len(s.Temperature)), tries: tries(s), burnIn: s.BurnIn, stop: func() {}}
	for range max(1, s.Ladders) {
		p.watchers = append(p.watchers, &watcher{p: p})
	}
	p.Extend(s.Iterations)
	return p
}

// tries is the number of pairs that the scheme of s tries in an iteration, over
// that of rungs; 0 for windows, where it varies.
func tries(s r2sgld.Settings) float64 {
	rungs := float64(max(1, len(s.Temperature)))
	pairs := (rungs - 1) / 2 // even and odd ones in turn
	switch s.Swap.Scheme {
	case "adj":
		pairs = rungs - 1
	case "ape":
		pairs = rungs * (rungs - 1) / 2
	case "windowed-deo":
		pairs = 0
	}
	return pairs / rungs / float64(max(1, s.Swap.Every))
}

// Extend tells that every ladder goes on to so many iterations.
func (p *Progress) Extend(iterations int) { p.total.Store(int64(iterations * len(p.watchers))) }

// Doing tells what is done while the ladders wait; "" is nothing.
func (p *Progress) Doing(what string) {
	p.doing.Store(nil)
	if what != "" {
		p.doing.Store(&what)
	}
}

// Recorder returns what watches a ladder.
func (p *Progress) Recorder(ladder int) r2sgld.Recorder { return p.watchers[ladder] }

// A watcher counts one ladder's iterations and swaps and publishes them every 16
// iterations: a trajectory may take long. Record takes a few nanoseconds.
type watcher struct {
	p         *Progress
	first     int // iteration seen, 0 before any
	rung0     int // of replica 0, to see swaps
	swaps     int64
	moments   []diag.Running // per coordinate of the cold rung, in the kernel's coordinates
	iteration atomic.Int64   // reached
	here      atomic.Int64   // done since Start
	traded    atomic.Int64
	mu        sync.Mutex
	published []diag.Running
}

// publishEvery is after how many iterations moments are published.
const publishEvery = 1024

func (w *watcher) Record(k int, b *kernel.Block) error {
	if w.first == 0 {
		w.first, w.rung0 = k, b.Rung[0]
	}
	if b.Rung[0] != w.rung0 {
		w.rung0 = b.Rung[0]
		w.swaps++
	}
	if k%16 != 0 {
		return nil
	}
	if k > w.p.burnIn {
		if w.moments == nil {
			w.moments = make([]diag.Running, b.D)
			w.published = make([]diag.Running, b.D)
		}
		i := b.Replica(0)
		for j := range w.moments {
			w.moments[j].Add(b.X[j*b.Stride+i])
		}
	}
	w.iteration.Store(int64(k))
	w.here.Store(int64(k - w.first + 1))
	w.traded.Store(w.swaps)
	if k%publishEvery == 0 {
		w.mu.Lock()
		copy(w.published, w.moments)
		w.mu.Unlock()
	}
	return nil
}

// count returns the iterations behind the ladders, those done since Start, and
// the swap rate since then: replica 0 takes part in a share 2/R of the swaps.
func (p *Progress) count() (reached, here int, rate float64) {
	swaps := 0.0
	for _, w := range p.watchers {
		reached += int(w.iteration.Load())
		here += int(w.here.Load())
		swaps += float64(w.traded.Load())
	}
	return reached, here, swaps / (2 * p.tries * float64(here))
}

// rhat is the largest plain R̂ of the cold coordinates, NaN before there are two
// ladders with draws.
func (p *Progress) rhat() float64 {
	var ladders [][]diag.Running
	for _, w := range p.watchers {
		w.mu.Lock()
		if len(w.published) > 0 {
			ladders = append(ladders, append([]diag.Running(nil), w.published...))
		}
		w.mu.Unlock()
	}
	if len(ladders) < 2 {
		return math.NaN()
	}
	worst := math.NaN()
	for j := range ladders[0] {
		one := make([]diag.Running, len(ladders))
		for i := range ladders {
			one[i] = ladders[i][j]
		}
		if r := diag.RHatOf(one); !(r <= worst) {
			worst = r
		}
	}
	return worst
}

// status is what stands beside the bar.
func (p *Progress) status() string {
	n, here, rate := p.count()
	speed, unit := float64(here*p.rungs)/time.Since(p.begun).Seconds(), ""
	for _, u := range []string{" k", " M"} {
		if speed >= 1000 {
			speed, unit = speed/1000, u
		}
	}
	var parts []string
	if doing := p.doing.Load(); doing != nil {
		parts = append(parts, *doing)
	} else if here > 0 {
		left := time.Duration(float64(time.Since(p.begun)) * float64(int(p.total.Load())-n) / float64(here))
		parts = append(parts, fmt.Sprintf("left %s", left.Round(time.Second)))
	}
	if r := p.rhat(); !math.IsNaN(r) {
		parts = append(parts, "R̂ "+text.Number(r, 3))
	}
	if p.tries > 0 && here > 0 {
		parts = append(parts, "swaps "+text.Number(rate, 2))
	}
	parts = append(parts, fmt.Sprintf("%.1f%s steps/s", speed, unit), fmt.Sprintf("%s/%s", text.Count(int64(n)), text.Count(p.total.Load())))
	return strings.Join(parts, "  ")
}

// Start begins to show the progress on w: redrawn where w can, else a plain line
// every ten seconds. Stop ends it.
func (p *Progress) Start(w io.Writer) {
	p.begun = time.Now()
	if text.Redraws(w) {
		p.stop = redrawn(w, func(width int) string { return bar(width, p.name, p.share(), p.status()) })
		return
	}
	p.stop = ticking(10*time.Second, func() {
		fmt.Fprintf(w, "%s  %.0f %%  %s\n", p.name, math.Floor(100*p.share()), p.status())
	})
}

// NotedIn has a log say as well, ever less often, how far the run is: the iterations of all
// ladders, how many of them a second makes, the plain R̂ and the share of swaps that are made.
func (p *Progress) NotedIn(log *slog.Logger) {
	shown, noted := p.stop, noting(func() {
		n, here, rate := p.count()
		if p.tries == 0 {
			rate = math.NaN()
		}
		doing := ""
		if d := p.doing.Load(); d != nil {
			doing = *d
		}
		log.Info("progress", "doing", doing, "iterations", n, "of", p.total.Load(), "per_second", float64(here)/time.Since(p.begun).Seconds(),
			"rhat", p.rhat(), "swaps", rate)
	})
	p.stop = func() { noted(); shown() }
}

// share is that of the iterations that are behind the ladders.
func (p *Progress) share() float64 {
	n, _, _ := p.count()
	return float64(n) / float64(max(1, p.total.Load()))
}

// Stop ends the display, if it began.
func (p *Progress) Stop() { p.stop() }
