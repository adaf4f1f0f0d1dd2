package r2sgld

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// flowerBand is a band of ladders on the 25 wells in the flower that has run for a while, so
// that walls are met as in equilibrium.
func flowerBand(b *testing.B, s Settings) band {
	f, err := expression.Compile("((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5", []string{"x", "y"})
	if err != nil {
		b.Fatal(err)
	}
	flower, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		b.Fatal(err)
	}
	r, err := newRun(b.Context(), Problem{Potential: potential.FromExpression(f), Domain: flower}, s)
	if err != nil {
		b.Fatal(err)
	}
	all := r.bands()[0]
	if err := all.own(r); err != nil {
		b.Fatal(err)
	}
	all[0].schedule.Iterations = settling
	if err := all.run(); err != nil {
		b.Fatal(err)
	}
	all[0].schedule.Iterations += b.N
	return all
}

// eightRungs is a ladder of eight rungs on the flower, ready to run.
func eightRungs(b *testing.B) *ladder {
	s := Settings{Seed: 1, Start: []float64{0, 0}, Iterations: max(1, b.N), Thin: 10, MaxDraws: 1 << 17}
	for i := range 8 {
		tau := math.Pow(10, float64(i)/7)
		s.Temperature = append(s.Temperature, tau)
		s.StepSize = append(s.StepSize, 5e-4*math.Pow(3, float64(i)/7))
	}
	return flowerBand(b, s)[0]
}

const settling = 20_000

// BenchmarkEightRungs is a run from equilibrium; beside it BenchmarkEightRungsBare has kernel,
// wall and potential only. The difference is what exchange, statistics and
// recording cost.
func BenchmarkEightRungs(b *testing.B) {
	l := eightRungs(b)
	b.ResetTimer()
	if err := (band{l}).run(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkEightRungsBare(b *testing.B) {
	l := eightRungs(b)
	b.ResetTimer()
	for k := 1; k <= b.N; k++ {
		l.set(k)
		l.move(1)
		l.look()
		l.reflect()
		l.potential.Eval(l.block.Energy, l.block.Grad, l.block.X)
	}
}

// BenchmarkParts are the parts of a chain step of BenchmarkLanes in the flower, each timed
// where it stands in the loop, less what looking at the clock takes: noise and drift, walls,
// the potential, the look for jumps, checks and exchange, and every tenth draw.
func BenchmarkParts(b *testing.B) {
	for _, lanes := range []int{8, 64, 128} {
		b.Run(fmt.Sprint(lanes), func(b *testing.B) {
			all := flowerBand(b, Settings{Seed: 1, Ladders: lanes / 2, Threads: 1, Start: []float64{0, 0}, StepSize: []float64{5e-4, 1.5e-3},
				Temperature: []float64{1, 10}, Iterations: b.N, Thin: 10, MaxDraws: 1 << 12})
			clock := time.Hour
			for range 1000 {
				clock = min(clock, time.Since(time.Now()))
			}
			var took [6][]float64
			for k := settling + 1; k <= settling+b.N; k++ {
				all.timed(b, k, clock, func(part int, d time.Duration) { took[part] = append(took[part], float64(d.Nanoseconds())) })
			}
			share := func(part int) float64 { return calm(took[part]) * float64(len(took[part])) / float64(b.N*lanes) }
			for i, name := range []string{"noise", "walls", "tape", "jumps"} {
				b.ReportMetric(share(i), "ns/"+name)
			}
			end := calm(took[4]) / float64(lanes)
			b.ReportMetric(end, "ns/exchange")
			b.ReportMetric(share(4)+share(5)-end, "ns/recording")
		})
	}
}

// calm is the mean of d without the largest in 50, when the machine did something else.
func calm(d []float64) float64 {
	slices.Sort(d)
	sum, n := 0.0, len(d)-len(d)/50
	for _, v := range d[:n] {
		sum += v
	}
	return sum / float64(n)
}

// timed is iterate with a clock, a look at which takes so long: took hears how long each part
// of iteration k took, the last of two kinds, without and with a draw to keep.
func (b band) timed(t testing.TB, k int, clock time.Duration, took func(part int, d time.Duration)) {
	w, last := b[0].lanes, 4
	begun := time.Now()
	lap := func(part int) {
		took(part, time.Since(begun)-clock)
		begun = time.Now()
	}
	w.set(k)
	w.move(k)
	lap(0)
	b.reflect()
	lap(1)
	watched := w.watch.looks(k)
	if watched {
		w.watch.from.note(w.block)
		lap(3)
	}
	w.evaluate()
	lap(2)
	if watched {
		w.watch.to.note(w.block)
		for _, l := range b {
			w.watch.land(&l.replicas)
		}
		lap(3)
	}
	if k >= b[0].next {
		w.tell()
		last = 5
	}
	if err := b.end(k, w.block.NotFinite() < 0); err != nil {
		t.Fatal(err)
	}
	lap(last)
}

// BenchmarkTrade sweeps two rungs of states with 2 and with 10⁶ coordinates: labels
// trade, states stay.
func BenchmarkTrade(b *testing.B) {
	for _, d := range []int{2, 1_000_000} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			u := potential.Func(d, func(_, x []float64) float64 { return x[0] * x[0] / 2 })
			r, err := newRun(b.Context(), Problem{Potential: u},
				Settings{Seed: 1, Start: make([]float64, d), Temperature: []float64{1, 10}, Iterations: 1})
			if err != nil {
				b.Fatal(err)
			}
			l := r.all[0]
			l.set(1)
			k := 0
			for b.Loop() {
				k++
				l.block.Energy[k%2] += 0.01
				if err := l.trade(&l.replicas, k); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
