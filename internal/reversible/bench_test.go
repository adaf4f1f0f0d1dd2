package reversible_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// modes25 is the energy with 25 wells.
func modes25(x, y float64) float64 {
	return ((x*x+y*y)/10 - (math.Cos(2*math.Pi*x) + math.Cos(2*math.Pi*y))) / 0.5
}

// interval has n cells on [−2, 2] under energy u at temperature tau.
func interval(n int, u func(float64) float64, tau float64) *reversible.Chain {
	h := 4 / float64(n)
	mass := make([]float64, n)
	var edges []reversible.Edge
	for i := range mass {
		mass[i] = h * math.Exp(-u(-2+(float64(i)+0.5)*h)/tau)
		if i > 0 {
			edges = append(edges, reversible.Edge{I: i - 1, J: i, Weight: tau / h * math.Exp(-u(-2+float64(i)*h)/tau)})
		}
	}
	return must(reversible.New(mass, edges))
}

func must(c *reversible.Chain, err error) *reversible.Chain {
	if err != nil {
		panic(err)
	}
	return c
}

// swaps are the edges of exchange between the two factors of a square.
func swaps(c *reversible.Chain, n int, r float64) (edges []reversible.Edge) {
	m := c.Mass()
	for i := range n {
		for j := range i {
			edges = append(edges, reversible.Edge{I: i*n + j, J: j*n + i, Weight: r * min(m[i*n+j], m[j*n+i])})
		}
	}
	return edges
}

// flower has the cells of a grid of n × n with their centres in the flower
// r ≤ (sin 5θ + 3)·2/3.5, under energy u at temperature 1. Cells at the rim keep
// 10^(−slivers·U) of their mass and of the outer conductances, U uniform.
func flower(n int, slivers float64, u func(x, y float64) float64) *reversible.Chain {
	const side = 4.6
	h := side / float64(n)
	at := func(i int) float64 { return (float64(i)+0.5)*h - side/2 }
	inside := func(i, j int) bool {
		x, y := at(i), at(j)
		return math.Hypot(x, y) <= 2/3.5*(math.Sin(5*math.Atan2(y, x))+3)
	}
	index := make(map[int]int)
	var mass, share []float64
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		for j := range n {
			if inside(i, j) {
				part := 1.0
				if !inside(i-1, j) || !inside(i+1, j) || !inside(i, j-1) || !inside(i, j+1) {
					part = math.Pow(10, -slivers*r.Float64())
				}
				index[i*n+j] = len(mass)
				mass, share = append(mass, part*h*h*math.Exp(-u(at(i), at(j)))), append(share, part)
			}
		}
	}
	var edges []reversible.Edge
	for i := range n {
		for j := range n {
			from, ok := index[i*n+j]
			if !ok {
				continue
			}
			for k, key := range []int{(i+1)*n + j, i*n + j + 1} {
				if to, ok := index[key]; ok && (k == 0 || j+1 < n) {
					x, y := at(i)+0.5*h*float64(1-k), at(j)+0.5*h*float64(k)
					part := math.Sqrt(min(share[from], share[to]))
					edges = append(edges, reversible.Edge{I: from, J: to, Weight: part * math.Exp(-u(x, y))})
				}
			}
		}
	}
	return must(reversible.New(mass, edges))
}

func double(x float64) float64 { return 3 * (x*x - 1) * (x*x - 1) }

func chains(b *testing.B) []struct {
	name  string
	chain func() *reversible.Chain
} {
	type named = struct {
		name  string
		chain func() *reversible.Chain
	}
	all := []named{
		{"interval400", func() *reversible.Chain { return interval(400, double, 1) }},
		{"flower400", func() *reversible.Chain { return flower(400, 0, modes25) }},
		{"flower400slivers", func() *reversible.Chain { return flower(400, 10, modes25) }},
		{"square400", func() *reversible.Chain {
			f := interval(400, func(float64) float64 { return 0 }, 1)
			return reversible.Product(f, f)
		}},
	}
	for _, r := range []float64{0, 1, 100, 1e4} {
		all = append(all, named{fmt.Sprintf("two300r%g", r), func() *reversible.Chain {
			p := reversible.Product(interval(300, double, 1), interval(300, double, 5))
			return must(p.Plus(swaps(p, 300, r)))
		}})
	}
	for _, r := range []float64{0, 1, 1e4} {
		all = append(all, named{fmt.Sprintf("four24r%g", r), func() *reversible.Chain {
			cold, hot := interval(24, wells5, 1), interval(24, wells5, 10)
			p := reversible.Product(reversible.Product(cold, cold), reversible.Product(hot, hot))
			return must(p.Plus(swaps(p, 576, r)))
		}})
	}
	return all
}

// wells5 is one coordinate of modes25.
func wells5(x float64) float64 { return modes25(x, 0) + 2 }

func BenchmarkSpectrum(b *testing.B) {
	for _, c := range chains(b) {
		b.Run(c.name, func(b *testing.B) {
			chain := c.chain()
			for b.Loop() {
				s, err := chain.Spectrum(context.Background(), 5)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(s.Iterations), "iterations")
				b.ReportMetric(float64(chain.Len()), "states")
				b.ReportMetric(s.Values[0], "gap")
			}
		})
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, c := range chains(b) {
		b.Run(c.name, func(b *testing.B) {
			chain := c.chain()
			f := make([]float64, chain.Len())
			f[len(f)/3] = 1 / chain.Mass()[len(f)/3]
			for b.Loop() {
				if _, err := chain.Solve(context.Background(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEvolve(b *testing.B) {
	for _, c := range chains(b) {
		b.Run(c.name, func(b *testing.B) {
			chain := c.chain()
			f := make([]float64, chain.Len())
			f[len(f)/3] = 1 / chain.Mass()[len(f)/3]
			for b.Loop() {
				if _, err := chain.Evolve(context.Background(), f, []float64{0.1, 1, 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
