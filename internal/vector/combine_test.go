package vector

import (
	"math/rand/v2"
	"testing"
)

// A sum has the bits of the sum as it is written, whatever the length and the number of
// terms; where it may be, the result is one of the arguments. Beyond its length nothing
// is written.
func TestSum(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 5))
		random := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = argument(r)
			}
			return x
		}
		for range 3000 {
			n, terms := r.IntN(70), r.IntN(14)
			weights, rows := random(terms), make([][]float64, terms)
			for j := range rows {
				rows[j] = random(n)
				if r.IntN(4) == 0 {
					weights[j] = 0
				}
			}
			y, d := random(n), random(n)
			want := make([]float64, n)
			for i := range want {
				sum, first := 0.0, true
				for j, w := range weights {
					switch v := float64(w * rows[j][i]); {
					case w == 0:
					case first:
						sum, first = v, false
					default:
						sum += v
					}
				}
				want[i] = float64(d[i]*sum) + y[i]
			}
			s := NewSum(weights, rows)
			dst := append(make([]float64, n), 7)
			into := dst[:n]
			switch r.IntN(3) {
			case 0:
				into = y
			case 1:
				into = d
			}
			s.Into(into, y, d)
			for i, v := range into {
				if !same(v, want[i]) {
					t.Fatalf("%d of %d, %d terms: %v, want %v", i, n, terms, v, want[i])
				}
			}
			if dst[n] != 7 {
				t.Fatal("written beyond the end")
			}
		}
	})
}

// Rows of a block times weights, and scalar products with its columns, have the bits of what
// is written here, whatever rows are taken.
func TestBlock(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 6))
		random := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = argument(r)
			}
			return x
		}
		for range 2000 {
			rows, k := 1+r.IntN(90), 1+r.IntN(6)
			columns := make([][]float64, k)
			for j := range columns {
				columns[j] = random(rows)
			}
			from := r.IntN(rows)
			n := 1 + r.IntN(rows-from)
			b := NewBlock(columns, n)
			b.Rows(from, n)
			weights, a, dst := random(k), random(n), append(random(k), 7)
			times := append(make([]float64, n), 7)
			b.Times(times, weights)
			for i := range n {
				sum := 0.0
				for j, w := range weights {
					v := float64(w * columns[j][from+i])
					if sum += v; j == 0 {
						sum = v
					}
				}
				if want := 0 + sum; !same(times[i], want) {
					t.Fatalf("row %d of %d: %v, want %v", i, n, times[i], want)
				}
			}
			want := append([]float64{}, dst...)
			for j, c := range columns {
				var sums [16]float64
				i := 0
				for ; i+16 <= n; i += 16 {
					for l := range sums {
						sums[l] += float64(a[i+l] * c[from+i+l])
					}
				}
				for half := 8; half > 0; half /= 2 {
					for l := range half {
						sums[l] += sums[l+half]
					}
				}
				if i > 0 {
					want[j] += sums[0]
				}
				for ; i < n; i++ {
					want[j] += float64(a[i] * c[from+i])
				}
			}
			b.Dots(dst, a)
			for j := range want {
				if !same(dst[j], want[j]) {
					t.Fatalf("column %d of %d rows: %v, want %v", j, n, dst[j], want[j])
				}
			}
			if times[n] != 7 {
				t.Fatal("written beyond the end")
			}
		}
	})
}
