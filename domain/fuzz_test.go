package domain

import (
	"math"
	"testing"
)

// Any step of any shape under any rule ends inside or where it began.
func FuzzReflect(f *testing.F) {
	shapes := testShapes(f)
	f.Add(uint8(0), uint8(0), 1.0, 2.0, 3.0)
	f.Add(uint8(5), uint8(1), 1e300, -1e-300, 0.0)
	f.Add(uint8(9), uint8(3), math.Inf(1), math.NaN(), 1e17)
	f.Add(uint8(11), uint8(3), 1e300, -1e-300, 6.0) // squares overflow
	rules := []Rule{Specular, Nearest, Refuse, Project}
	f.Fuzz(func(t *testing.T, which, rule uint8, a, b, c float64) {
		s := shapes[int(which)%len(shapes)]
		r, err := NewReflector(s.d, rules[rule%4], 0)
		if err != nil {
			if s.far {
				return
			}
			t.Fatal(err)
		}
		to, v := make([]float64, len(s.inside)), make([]float64, len(s.inside))
		for i := range to {
			to[i] = [3]float64{a, b, c}[i%3]
			v[i] = float64(i + 1)
		}
		hits, ok := r.Reflect(s.inside, to, v)
		if !s.d.Contains(to) || !finite(v) || hits < 0 || !ok && !same(to, s.inside) {
			t.Fatalf("%s, %s: (%g, %g, %g) ends at %v, v %v, %d, %v", s.name, rules[rule%4], a, b, c, to, v, hits, ok)
		}
	})
}
