package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// column is a random column, by form, and its numbers.
func column(r *rand.Rand, form, n int) (c Column, numbers []float64) {
	if form == 0 {
		numbers = arguments(r, n)
		return Doubles(numbers), numbers
	}
	v, mean, sd := make(Singles, n), 100*r.NormFloat64(), math.Exp(20*r.NormFloat64())
	for i := range v {
		if form == 1 {
			v[i] = float32(argument(r))
			numbers = append(numbers, float64(v[i]))
		} else {
			v[i] = float32(math.Exp(10*r.NormFloat64()) * r.NormFloat64()) // which are finite
			numbers = append(numbers, (float64(v[i])-mean)/sd)
		}
	}
	if form == 1 {
		return v, numbers
	}
	return Standardised(v, mean, sd), numbers
}

// A column of any form has the same numbers, one by one, by rows and where some are taken.
func TestColumns(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		for try := range 1000 {
			n := 1 + r.IntN(90)
			c, want := column(r, try%3, n)
			if try%2 > 0 {
				rows := make([]int, 1+r.IntN(n))
				for i := range rows {
					rows[i] = r.IntN(n)
				}
				var some []float64
				for _, row := range rows {
					some = append(some, want[row])
				}
				c, n, want = c.Taken(len(rows), slices.All(rows)), len(rows), some
			}
			from := r.IntN(n)
			room := append(make([]float64, 1+r.IntN(n-from)), 7)
			got := c.Rows(room[:len(room)-1], from)
			if c.Len() != n || len(got) != len(room)-1 || room[len(got)] != 7 {
				t.Fatalf("%T: %d numbers and %d rows of %d and %d", c, c.Len(), len(got), n, len(room)-1)
			}
			for i, v := range got {
				if w := want[from+i]; !same(v, w) || !same(c.At(from+i), w) {
					t.Fatalf("%T: number %d is %v and %v, want %v", c, from+i, v, c.At(from+i), w)
				}
			}
		}
	})
}

// Quotients by a standard deviation are rounded once, also where they lie next to the middle between two
// numbers: a column of zeros whose mean is −x has x/sd in every row.
func TestQuotients(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(10, 10))
		zeros, room := make(Singles, vectorLanes*2), make([]float64, vectorLanes*2)
		for range 1_000_000 {
			sd := math.Ldexp(1+r.Float64(), r.IntN(200)-100)
			if r.IntN(4) == 0 { // near the next power of two
				sd = math.Ldexp(2-float64(1+r.IntN(100))*0x1p-52, 3)
			}
			q := math.Ldexp(1+r.Float64(), r.IntN(200)-100)
			middle := math.FMA(q, sd, sd*(math.Nextafter(q, math.Inf(1))-q)/2) // times sd
			x := middle
			for range r.IntN(4) {
				x = math.Nextafter(x, math.Inf(2*r.IntN(2)-1))
			}
			if got := Standardised(zeros, -x, sd).Rows(room, 0)[3]; got != x/sd {
				t.Fatalf("%v/%v is %v, want %v", x, sd, got, x/sd)
			}
		}
		for _, zero := range []float64{0, math.Copysign(0, -1)} { // −0 − 0 is −0
			v := Standardised(Singles(slices.Repeat([]float32{float32(zero)}, 64)), 0, 3).Rows(make([]float64, 64), 0)[1]
			if math.Signbit(v) != math.Signbit(zero) {
				t.Errorf("the quotient of %v is %v", zero, v)
			}
		}
	})
}

// What is no number stays the one that it was in 64 bits.
func TestNaNOfSingles(t *testing.T) {
	if got := (Singles{float32(math.NaN())}).At(0); math.Float64bits(got) != math.Float64bits(math.NaN()) {
		t.Errorf("%x", math.Float64bits(got))
	}
}
