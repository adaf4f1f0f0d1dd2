//go:build !nohub

package fleet

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/potential"
)

// spinning is quartic whose states keep a processor busy.
func spinning(wait time.Duration) potential.Potential {
	good := quartic(0).Evaluator(1, nil)
	return potential.Func(3, func(grad, x []float64) float64 {
		var u [1]float64
		good.Eval(u[:], grad, x)
		v := u[0]
		for range int(wait / spin) {
			v += 1e-9 * math.Sin(v)
		}
		if math.IsNaN(v) {
			return v
		}
		return u[0]
	})
}

// spin is what a step of spinning takes here.
var spin = func() time.Duration {
	const n = 1 << 20
	best := time.Hour
	for range 5 {
		v, begun := 1.0, time.Now()
		for range n {
			v += 1e-9 * math.Sin(v)
		}
		if best = min(best, time.Since(begun)); v < 0 {
			panic("fleet: a sum of sines is negative")
		}
	}
	return max(best/n, 1)
}()

// scaled is how many states a block has, as 4 ladders of 8 rungs have them.
const scaled = 32

// BenchmarkScaling is a block of states, of so many milliseconds, by so many workers. The efficiency is
// the median time of the run alone over so many times that with so many workers. The run's machine takes states
// too, so that few workers do more than their number; best is what can be reached where states are whole,
// as the longest share has ⌈32/(workers + 1)⌉ of them.
func BenchmarkScaling(b *testing.B) {
	for name, of := range map[string]func(time.Duration) potential.Potential{"sleep": quartic, "spin": spinning} {
		for _, ms := range []int{1, 10, 100} {
			u := of(time.Duration(ms) * time.Millisecond)
			var alone float64
			for _, workers := range []int{0, 1, 2, 4, 8, 16} {
				if name == "spin" && workers > 1 { // there are two processors
					continue
				}
				b.Run(fmt.Sprintf("%s/%dms/%d", name, ms, workers), func(b *testing.B) {
					each := scale(b, u, workers)
					if workers == 0 {
						alone = each
						return
					}
					b.ReportMetric(alone/float64(workers)/each, "efficiency")
					b.ReportMetric(scaled/float64(workers)/math.Ceil(scaled/float64(workers+1)), "best")
				})
			}
		}
	}
}

// scale returns the median time of a block, in nanoseconds.
func scale(b *testing.B, u potential.Potential, workers int) float64 {
	const d = 3
	s := newSite(b, u)
	e, x := s.shared.Evaluator(scaled, nil), states(1, scaled, d)
	evaluated(e, x, scaled)
	for range workers {
		s.worker(1, u)
	}
	s.taken(workers)
	for range 10 {
		evaluated(e, x, scaled)
	}
	before := s.crew.Tally()
	var times []float64
	for b.Loop() {
		begun := time.Now()
		evaluated(e, x, scaled)
		times = append(times, float64(time.Since(begun)))
	}
	now := s.crew.Tally()
	b.ReportMetric(float64(now.Messages-before.Messages)/float64(b.N), "messages/block")
	b.ReportMetric(float64(now.Bytes-before.Bytes)/float64(b.N), "bytes/block")
	slices.Sort(times)
	return times[len(times)/2]
}
