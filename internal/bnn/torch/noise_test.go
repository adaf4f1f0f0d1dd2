package torch

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// draws is the noise ξ of every step and replica: moves with neither gradient nor
// friction.
func draws(t *testing.T, e bnn.Engine, steps int) [][][]float64 {
	t.Helper()
	get[[]bnn.Outcome](t)(e.Start(bnn.Batch{Indices: []int32{0}}))
	all := make([][][]float64, e.Replicas())
	for range steps {
		get[[]bnn.Outcome](t)(e.Advance(moves(e.Replicas(), bnn.Move{Scale: 1, Noise: 3, Bound: math.Inf(1)}), bnn.Batch{Indices: []int32{0}}))
		for r, s := range states(t, e) {
			for j := range s.Momenta {
				s.Momenta[j] /= 3
			}
			all[r] = append(all[r], s.Momenta)
		}
	}
	return all
}

// moment is the mean of f over pairs, in standard errors from want, when f has
// standard deviation sd.
func moment(x, y []float64, want, sd float64, f func(x, y float64) float64) float64 {
	sum := 0.0
	for i := range x {
		sum += f(x[i], y[i])
	}
	n := float64(len(x))
	return (sum/n - want) / (sd / math.Sqrt(n))
}

// Every statistic is a mean of many independent terms of known expectation and
// variance: |z| < 4.9 of each fails falsely once in 10⁶. Kills: noise without its
// factor, the sine left out, one word used twice, a counter that does not count
// (elements, steps), a key without the seed or the replica.
func TestNoise(t *testing.T) {
	pace.Slow(t)
	s := mlp(3)
	s.Network.Hidden = []int{200}
	e := open(t, s, Options{})
	first := states(t, e)
	one := draws(t, e, 12)
	firstWeights(t, first, one[0][0])
	s.Seed = 2
	other := draws(t, open(t, s, Options{}), 1)
	product := func(x, y float64) float64 { return x * y }
	check := func(what string, z float64) {
		if !(math.Abs(z) < 4.9) {
			t.Errorf("%s: z = %.1f", what, z)
		}
	}
	for r, steps := range one {
		var all []float64
		for _, x := range steps {
			all = append(all, x...)
		}
		check("mean", moment(all, all, 0, 1, func(x, _ float64) float64 { return x }))
		check("variance", moment(all, all, 1, math.Sqrt2, product))
		check("third moment", moment(all, all, 0, math.Sqrt(15), func(x, _ float64) float64 { return x * x * x }))
		check("fourth moment", moment(all, all, 3, math.Sqrt(96), func(x, _ float64) float64 { return x * x * x * x }))
		for _, lag := range []int{1, 2, 3, 4, 8, 256} {
			check("elements", moment(all[lag:], all, 0, 1, product))
			check("squares of elements", moment(all[lag:], all, 1, math.Sqrt(8), func(x, y float64) float64 { return x * x * y * y }))
		}
		for k := 1; k < len(steps); k++ {
			check("steps", moment(steps[k], steps[k-1], 0, 1, product))
		}
		check("replicas", moment(steps[0], one[(r+1)%3][0], 0, 1, product))
		check("seeds", moment(steps[0], other[r][0], 0, 1, product))
		check("seed and replica", moment(one[(r+1)%3][0], other[r][0], 0, 1, product))
	}
}

// firstWeights tests that they are He's: of the first layer, variance 2/48. Kills
// weights that are not drawn, the same in all replicas, or those of the noise.
func firstWeights(t *testing.T, first []*bnn.State, noise []float64) {
	n := 48 * 200
	noise = noise[:n]
	a, b := first[0].Parameters[:n], first[1].Parameters[:n]
	product := func(x, y float64) float64 { return x * y }
	v := 2.0 / 48
	for what, z := range map[string]float64{
		"variance": moment(a, a, v, math.Sqrt2*v, product),
		"replicas": moment(a, b, 0, v, product),
		"noise":    moment(a, noise, 0, math.Sqrt(v), product),
	} {
		if !(math.Abs(z) < 4.9) {
			t.Errorf("%s: z = %.1f", what, z)
		}
	}
}
