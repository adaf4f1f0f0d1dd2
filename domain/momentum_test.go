package domain

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A specular path runs backwards: with the step itself as momentum v, the step
// −v from its end leads back to its start with momentum −v, on every shape. It
// kills a momentum that is not mirrored, or at another normal than the path.
func TestSpecularPathsRunBackwards(t *testing.T) {
	for _, s := range testShapes(t) {
		t.Run(s.name, func(t *testing.T) {
			d := s.d.Dim()
			r, err := NewReflector(s.d, Specular, 0)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(17, 3))
			from, to, v := make([]float64, d), make([]float64, d), make([]float64, d)
			at, back, w := make([]float64, d), make([]float64, d), make([]float64, d)
			turned := 0
			for range 3000 {
				copy(from, s.inside)
				for i := range from {
					v[i] = 0.7 * s.size * rng.NormFloat64()
					to[i] = from[i] + v[i]
				}
				copy(w, v)
				copy(at, to)
				hits, ok := r.Reflect(from, at, w)
				if !ok || hits == 0 || hits > 4 {
					continue
				}
				turned++
				for i := range back {
					back[i] = at[i] - w[i]
					w[i] = -w[i]
				}
				again, ok := r.Reflect(at, back, w)
				if !ok {
					continue // an end within rounding of the wall
				}
				// Four mirrorings at walls of curvature up to 10/size multiply errors by
				// at most (1 + 2·10·2)^4 = 3·10^6 each; 1e-6 is far below any other path.
				if off := distance(back, from); again != hits || off > 1e-6*s.size {
					t.Fatalf("from %v by %v: back at %v after %d of %d mirrorings, off by %g", from, v, back, again, hits, off)
				}
				for i := range w {
					if math.Abs(w[i]+v[i]) > 1e-6*s.size {
						t.Fatalf("from %v by %v: the momentum comes back as %v", from, v, w)
					}
				}
			}
			if turned < 100 {
				t.Errorf("only %d paths were mirrored", turned)
			}
		})
	}
}
