package rows

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// Numbers that all rows have are, to the last bit, those of a number for each row.
func TestConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		var c constants
		each := make([]float64, n)
		for k := range rapid.IntRange(1, 4).Draw(t, "terms") {
			by := constants{n: n, one: rapid.Float64Range(-9, 9).Draw(t, "one")}
			if k > 0 && rapid.Bool().Draw(t, "rows") {
				by.each = vector.Doubles(rapid.SliceOfN(rapid.Float64Range(-9, 9), n, n).Draw(t, "each"))
			}
			for i := range each {
				each[i] += by.at(i)
			}
			c.n = n
			c.add(by)
		}
		if !slices.Equal(c.values(), each) || c.total() != sum(each) {
			t.Fatalf("%v with the sum %v, want %v with %v", c.values(), c.total(), each, sum(each))
		}
		some := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, n).Draw(t, "some")
		if part := c.part(some); !slices.Equal(part.values(), taken(each, some)) {
			t.Fatalf("%v in rows %v, want those of %v", part.values(), some, each)
		}
		least := slices.Max(each)
		if got, want := c.first(func(v float64) bool { return v >= least }), slices.Index(each, least); got != want {
			t.Fatalf("the first of %v that is %v is %d, want %d", each, least, got, want)
		}
		if c.first(math.IsNaN) >= 0 {
			t.Fatal("a number is none")
		}
	})
}
