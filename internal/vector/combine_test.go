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
