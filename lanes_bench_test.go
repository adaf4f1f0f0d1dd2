package r2sgld_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

// BenchmarkLanes is a chain step of the 25 wells by expression, two rungs, every tenth draw
// kept: in the flower and without walls, by so many lanes.
func BenchmarkLanes(b *testing.B) {
	for _, where := range []string{"flower", "free"} {
		for _, lanes := range []int{8, 64, 256} {
			b.Run(fmt.Sprintf("%s/%d", where, lanes), func(b *testing.B) {
				p := r2sgld.Problem{Potential: expressed(b)}
				if where == "flower" {
					p.Domain = must(domain.NewFlower(5, 3, 2))
				}
				s := r2sgld.Settings{Seed: 1, Ladders: lanes / 2, Threads: 1, Thin: 10, MaxDraws: 1 << 12, Start: []float64{0, 0},
					StepSize: []float64{5e-4, 1.5e-3}, Temperature: []float64{1, 10}, Iterations: max(2, b.N/lanes)}
				cpu := cpuTime(b)
				if _, err := r2sgld.Sample(context.Background(), p, s); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/float64(s.Iterations*lanes), "ns/chain-step")
			})
		}
	}
}
