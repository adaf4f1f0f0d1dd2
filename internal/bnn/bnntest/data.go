package bnntest

import (
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// Clouds are n examples of three classes in two dimensions, around three places with this
// standard deviation.
func Clouds(n int, spread float64, seed uint64) *images.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &images.Set{Name: "clouds", Channels: 1, Height: 1, Width: 2, Classes: 3}
	for i := range n {
		label := i % 3
		x := [][2]float64{{0, 1}, {1, -0.5}, {-1, -0.5}}[label]
		s.Values = append(s.Values, float32(x[0]+spread*rng.NormFloat64()), float32(x[1]+spread*rng.NormFloat64()))
		s.Labels = append(s.Labels, int32(label))
	}
	return s
}

// Blobs are n pictures of 2 × 2 in three classes that overlap.
func Blobs(n int, seed uint64) *images.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &images.Set{Name: "blobs", Channels: 1, Height: 2, Width: 2, Classes: 3}
	for i := range n {
		label := i % 3
		s.Labels = append(s.Labels, int32(label))
		for j := range 4 {
			v := 90 + 40*rng.NormFloat64()
			if j == label {
				v += 60
			}
			s.Pixels = append(s.Pixels, byte(min(255, max(0, v))))
		}
	}
	return s
}
