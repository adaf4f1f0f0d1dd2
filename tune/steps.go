package tune

import (
	"github.com/r2sgld/r2sgld"
)

// drawsOf gathers at most most draws of a rung, evenly from all ladders, n × d.
func drawsOf(res *r2sgld.Result, rung, most int) []float64 {
	var x []float64
	each := max(1, most/len(res.Ladders))
	for _, l := range res.Ladders {
		n := len(l.Energy[rung])
		d := len(l.X[rung]) / n
		for i := range min(each, n) {
			k := (i + 1) * n / min(each, n)
			x = append(x, l.X[rung][(k-1)*d:k*d]...)
		}
	}
	return x
}

// whitening is that of the draws of a round.
func (t *tuner) whitening(res *r2sgld.Result) *r2sgld.Whitening {
	x := drawsOf(res, 0, max(4*mostStates, 10*min(t.d, 2*manyNames)))
	probe := *t.probe
	probe.exact = nil // slopes alone are needed
	if t.probe.exact != nil {
		probe.potential, probe.noisy = t.probe.exact, false
	}
	seen := probe.around(x, t.d, nil)
	if len(seen) < 2*t.d {
		return t.s.Whitening
	}
	c := localCovariance(seen, 1/t.coldest, t.spread)
	if c == nil {
		return t.s.Whitening
	}
	return whitening(c, mean(x, t.d))
}

// steps sets the diffusion of every rung of next from the draws of the ladder
// before.
func (t *tuner) steps(next *Found, before []float64, res *r2sgld.Result) {
	seen := make([][]point, len(before))
	for r := range before {
		seen[r] = t.probe.around(drawsOf(res, r, mostStates), t.d, next.Whitening)
	}
	widest := t.widest(t.fill, next.Whitening)
	next.Diffusion = nil
	for i, b := range next.Beta {
		// The stiffness at b as the rungs on both sides of it tell, by their draws.
		stiff := 0.0
		for r, at := range before {
			near := at == b || r > 0 && before[r-1] >= b && b >= at || r+1 < len(before) && at >= b && b >= before[r+1]
			if near {
				stiff = max(stiff, stiffness(seen[r], b, b))
			}
		}
		h := diffusion(stiff, b, widest)
		next.Diffusion = append(next.Diffusion, h)
		if i == 0 {
			next.Bias = h * b * stiff / 2
		}
	}
}
