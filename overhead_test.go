package r2sgld

import (
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// eightRungs is a ladder of eight rungs on the flower, ready to run.
func eightRungs(b *testing.B) *ladder {
	f, err := expression.Compile("((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5", []string{"x", "y"})
	if err != nil {
		b.Fatal(err)
	}
	flower, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		b.Fatal(err)
	}
	s := Settings{Seed: 1, Start: []float64{0, 0}, Iterations: max(1, b.N), Thin: 10, MaxDraws: 1 << 17}
	for i := range 8 {
		tau := math.Pow(10, float64(i)/7)
		s.Temperature = append(s.Temperature, tau)
		s.StepSize = append(s.StepSize, 5e-4*math.Pow(3, float64(i)/7))
	}
	r, err := newRun(b.Context(), Problem{Potential: potential.FromExpression(f), Domain: flower}, s)
	if err != nil {
		b.Fatal(err)
	}
	l := r.all[0]
	if err := (band{l}).own(r); err != nil {
		b.Fatal(err)
	}
	l.schedule.Iterations = settling // walls are met as in equilibrium
	if err := (band{l}).run(); err != nil {
		b.Fatal(err)
	}
	l.schedule.Iterations += b.N
	return l
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
