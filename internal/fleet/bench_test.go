//go:build !nohub

package fleet

import (
	"fmt"
	"math"
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

// BenchmarkScaling is a block of 32 states, as 4 ladders of 8 rungs have it, of so many
// milliseconds by so many workers. The run's machine takes states too, so there are workers + 1:
// efficiency is the time of all states over what workers + 1 machines take together. States are
// whole: of-whole-states is efficiency where the longest share, ⌈32/(workers + 1)⌉ states, counts as
// ideal.
func BenchmarkScaling(b *testing.B) {
	for name, of := range map[string]func(time.Duration) potential.Potential{"sleep": quartic, "spin": spinning} {
		for _, ms := range []int{1, 10, 100} {
			for _, workers := range []int{0, 1, 2, 4, 8, 16} {
				if name == "spin" && workers > 1 { // there are two processors
					continue
				}
				b.Run(fmt.Sprintf("%s/%dms/%d", name, ms, workers), func(b *testing.B) {
					scale(b, of(time.Duration(ms)*time.Millisecond), time.Duration(ms)*time.Millisecond, workers)
				})
			}
		}
	}
}

func scale(b *testing.B, u potential.Potential, wait time.Duration, workers int) {
	const r, d = 32, 3
	s := newSite(b, u)
	e, x := s.shared.Evaluator(r, nil), states(1, r, d)
	evaluated(e, x, r)
	for range workers {
		s.worker(1, u)
	}
	s.taken(workers)
	for range 10 {
		evaluated(e, x, r)
	}
	before := s.crew.Tally()
	for b.Loop() {
		evaluated(e, x, r)
	}
	now := s.crew.Tally()
	each := float64(b.Elapsed()) / float64(b.N)
	all := float64(workers + 1)
	b.ReportMetric(r*float64(wait)/all/each, "efficiency")
	b.ReportMetric(math.Ceil(r/all)*float64(wait)/each, "of-whole-states")
	b.ReportMetric(float64(now.Messages-before.Messages)/float64(b.N), "messages/block")
	b.ReportMetric(float64(now.Bytes-before.Bytes)/float64(b.N), "bytes/block")
}
