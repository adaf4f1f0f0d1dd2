package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A blockCase is a block of random columns of which some rows are taken, for r states.
type blockCase struct {
	rows [][]float64 // that are taken, of each column
	n, r int
	*Block
}

func randomBlock(r *rand.Rand) blockCase {
	rows, k := 1+r.IntN(90), 1+r.IntN(11)
	columns, all := make([]Column, k), make([][]float64, k)
	mixed := r.IntN(2) == 0
	form := r.IntN(3)
	for j := range columns {
		if mixed {
			form = r.IntN(3)
		}
		columns[j], all[j] = column(r, form, rows)
	}
	from := r.IntN(rows)
	c := blockCase{n: 1 + r.IntN(rows-from), r: 1 + r.IntN(10), Block: NewBlock(columns)}
	for _, x := range all {
		c.rows = append(c.rows, x[from:from+c.n])
	}
	c.Rows(from, c.n)
	return c
}

func arguments(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = argument(r)
	}
	return x
}

// Rows of a block times weights have the bits of what is written here, for any number of states.
func TestTimes(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 6))
		for range 2000 {
			b := randomBlock(r)
			weights, dst := arguments(r, len(b.rows)*b.r), append(arguments(r, b.n*b.r), 7)
			want := append([]float64{}, dst...)
			for i := range b.r {
				for k := range b.n {
					for c, x := range b.rows {
						want[i*b.n+k] = math.FMA(x[k], weights[c*b.r+i], want[i*b.n+k])
					}
				}
			}
			b.Times(dst, weights, b.r)
			for k := range want {
				if !same(dst[k], want[k]) {
					t.Fatalf("number %d of %d rows and %d states, %d columns: %v, want %v", k, b.n, b.r, len(b.rows), dst[k], want[k])
				}
			}
		}
	})
}

// Scalar products with the columns of a block have the bits of what is written here.
func TestDots(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		for range 2000 {
			b := randomBlock(r)
			a, dst := arguments(r, b.n*b.r), append(arguments(r, len(b.rows)*b.r), 7)
			want := append([]float64{}, dst...)
			for c, x := range b.rows {
				for i := range b.r {
					var s [8]float64
					k := 0
					for ; k < b.n/8*8; k++ {
						s[k%8] = math.FMA(a[i*b.n+k], x[k], s[k%8])
					}
					at := c*b.r + i
					if k > 0 {
						want[at] += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
					}
					for ; k < b.n; k++ {
						want[at] = math.FMA(a[i*b.n+k], x[k], want[at])
					}
				}
			}
			b.Dots(dst, a, b.r)
			for k := range want {
				if !same(dst[k], want[k]) {
					t.Fatalf("number %d of %d rows and %d states, %d columns: %v, want %v", k, b.n, b.r, len(b.rows), dst[k], want[k])
				}
			}
		}
	})
}

// Energies of outcomes are the sums of log(1 + e^z), and their slopes the derivatives, also far
// out; every instruction set has the same bits.
func TestOutcomes(t *testing.T) {
	type result struct {
		energy float64
		slopes []float64
	}
	known := map[int]result{}
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 8))
		for try := range 1000 {
			n := 1 + r.IntN(MostOutcomes)
			a, y := make([]float64, n), make([]float64, n)
			energy, spread := 0.0, math.Exp(8*r.Float64()-2)
			for k := range a {
				a[k], y[k] = spread*r.NormFloat64(), float64(r.IntN(2))
				energy += lane.Softplus(a[k] * (1 - 2*y[k]))
			}
			var s Outcomes
			dst := append(make([]float64, n), 7)
			got := s.Energy(dst[:n], a, y)
			if !(math.Abs(got-energy) <= 4e-16*float64(n)*(1+energy)) {
				t.Fatalf("%d outcomes: energy %v, want %v", n, got, energy)
			}
			for k, v := range dst[:n] {
				side := 1 - 2*y[k]
				if want := side * lane.Sigmoid(side*a[k]); !(math.Abs(v-want) <= 1e-15*math.Abs(want)) {
					t.Fatalf("slope at %v of %v: %v, want %v", a[k], y[k], v, want)
				}
			}
			if dst[n] != 7 {
				t.Fatal("written beyond the end")
			}
			if w, ok := known[try]; !ok {
				known[try] = result{got, dst}
			} else {
				for k, v := range w.slopes {
					if !same(got, w.energy) || !same(v, dst[k]) {
						t.Fatalf("%d outcomes: energy %v and slope %v, elsewhere %v and %v", n, got, dst[k], w.energy, v)
					}
				}
			}
		}
	})
}

// Log odds that are no numbers, or infinite, give energies that are none, or infinite where the
// outcome is impossible.
func TestOutcomesFarOut(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, c := range []struct{ a, y, energy float64 }{
			{math.Inf(1), 0, math.Inf(1)}, {math.Inf(1), 1, 0}, {math.Inf(-1), 0, 0}, {math.Inf(-1), 1, math.Inf(1)},
			{math.NaN(), 0, math.NaN()}, {math.NaN(), 1, math.NaN()}, {1e308, 0, 1e308}, {-1e308, 0, 0},
		} {
			for _, n := range []int{1, 8, 19} {
				a, y := make([]float64, n), make([]float64, n)
				for k := range a {
					a[k], y[k] = -1000, 0
				}
				a[n-1], y[n-1] = c.a, c.y
				var s Outcomes
				if got := s.Energy(a, a, y); !same(got, c.energy) {
					t.Errorf("log odds %v of %v among %d: energy %v, want %v", c.a, c.y, n, got, c.energy)
				}
			}
		}
	})
}
