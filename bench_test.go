package r2sgld_test

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// benchmark runs whole ladders and reports the time per replica and iteration:
// drift, noise, reflection, potential, swap and recording together.
func benchmark(b *testing.B, u potential.Potential, ladders, threads int) {
	p := r2sgld.Problem{Potential: potential.Noisy(u, 0.05, 0.05), Domain: must(domain.NewFlower(5, 3, 2))}
	s := r2sgld.Settings{Seed: 1, Ladders: ladders, Threads: threads, Thin: 1000, Start: []float64{0, 0}, StepSize: []float64{5e-4, 1.5e-3},
		Temperature: []float64{1, 10}, Swap: exchange.Settings{Variance: 0.005}}
	s.Iterations = max(2, b.N/ladders)
	begun, cpu := time.Now(), cpuTime(b)
	if _, err := r2sgld.Sample(context.Background(), p, s); err != nil {
		b.Fatal(err)
	}
	spent := cpuTime(b) - cpu // the machine may be shared
	if threads > 1 {
		spent = time.Since(begun)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(s.Iterations*ladders*2), "ns/chain-step")
}

// cpuTime is the processor time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// expressed is the target of multimodal as a formula.
func expressed(b *testing.B) potential.Potential {
	f, err := expression.Compile("((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5", []string{"x", "y"})
	if err != nil {
		b.Fatal(err)
	}
	return potential.FromExpression(f)
}

func BenchmarkFlowerByExpression(b *testing.B) { benchmark(b, expressed(b), 1, 1) }

func BenchmarkFlowerByExpression32Ladders(b *testing.B) { benchmark(b, expressed(b), 32, 1) }

func BenchmarkFlowerByHand(b *testing.B) { benchmark(b, multimodal, 1, 1) }

func BenchmarkFlowerEightLadders(b *testing.B) { benchmark(b, multimodal, 8, 1) }

func BenchmarkFlowerEightLaddersTwoThreads(b *testing.B) { benchmark(b, multimodal, 8, 2) }

// BenchmarkSchemes counts round trips per iteration and per second on a normal law
// in the plane, temperature 1 to 10 in P rungs of equal rejection: kernel, exchange
// and all.
func BenchmarkSchemes(b *testing.B) {
	normal := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0], x[1]
		return (x[0]*x[0] + x[1]*x[1]) / 2
	})
	for _, scheme := range []string{"adj", "ape", "seo", "deo", "windowed-deo"} {
		for _, rungs := range []int{2, 4, 8, 16, 32} {
			b.Run(fmt.Sprintf("%s/%d", scheme, rungs), func(b *testing.B) {
				s := r2sgld.Settings{Seed: 1, Start: []float64{0, 0}, Iterations: max(b.N, 2000), BurnIn: 1000, Thin: 1000,
					Swap: exchange.Settings{Scheme: scheme}}
				for i := range rungs {
					s.Temperature = append(s.Temperature, math.Pow(10, float64(i)/float64(rungs-1)))
				}
				s.StepSize = []float64{0.5}
				cpu := cpuTime(b)
				res, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: normal}, s)
				if err != nil {
					b.Fatal(err)
				}
				trips, spent := float64(res.Swaps().RoundTrips), cpuTime(b)-cpu
				b.ReportMetric(trips/float64(s.Iterations-s.BurnIn), "trips/iteration")
				b.ReportMetric(trips/spent.Seconds(), "trips/s")
				b.ReportMetric(float64(spent.Nanoseconds())/float64(s.Iterations), "ns/iteration")
			})
		}
	}
}
