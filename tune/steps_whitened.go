package tune

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

const (
	whitenedPoints = 32 // that each temperature has
	halvings       = 60 // of the way from a mode, until a point is in the domain
)

// WhitenedSteps is [Steps] in the coordinates z of the normal law at a mode, x = c + L z: at draws of that law at
// each temperature, halved towards c until they lie in the domain, and weighted by what the density is to it. To the
// curvature comes the noise of gradients. Where U is that law's, and gradients are without noise, η is pilotBias.
func WhitenedSteps(ctx context.Context, p r2sgld.Problem, w *r2sgld.Whitening, temperature []float64, seed uint64) ([]float64, error) {
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	q.ctx = ctx
	rng := q.rng()
	var steps []float64
	for _, tau := range temperature {
		x := whitened(p.Domain, w, min(tau, 1e6), d, rng)
		widest := math.Inf(1)
		if p.Domain != nil && domain.Bounded(p.Domain) {
			widest = crossings * thickness(across(p.Domain, x, rng), w)
		}
		seen := q.around(x, d, w)
		if len(seen) == 0 {
			return nil, cmp.Or(q.failed, q.notFinite(whitenedPoints, true))
		}
		for k := range seen { // less that of the law of z
			for _, v := range seen[k].at {
				seen[k].energy -= v * v / 2
			}
		}
		eta, beta := widest*widest/2, 1/tau
		if beta > 0 {
			eta = min(eta*beta, pilotBias/stiffness(seen, beta, 0, true))
		}
		if eta = Readable(eta); !(eta > 0) || math.IsInf(eta, 0) {
			return nil, unfit(seen, stiffness(seen, 1, 0, true))
		}
		steps = append(steps, eta)
	}
	return steps, nil
}

// whitened are draws of the normal law at a mode, at a temperature, nearer to it where they are not in the domain.
func whitened(dom domain.Domain, w *r2sgld.Whitening, tau float64, d int, rng *rand.Rand) []float64 {
	x, z := make([]float64, whitenedPoints*d), make([]float64, d)
	for at := 0; at < len(x); at += d {
		for j := range z {
			z[j] = math.Sqrt(tau) * rng.NormFloat64()
		}
		for range halvings {
			for i, row := range w.L {
				x[at+i] = w.Center[i]
				for j, v := range row {
					x[at+i] += v * z[j]
				}
			}
			if dom == nil || dom.Contains(x[at:at+d]) {
				break
			}
			for j := range z {
				z[j] /= 2
			}
		}
	}
	return x
}
