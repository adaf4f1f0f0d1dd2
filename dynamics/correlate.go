package dynamics

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// whiten finds how the residuals of response i hang together, given a design
// (by rows, of so many columns) and the response that it explains.
//
// Independent estimates have the standard deviations that the gaps of time give
// them. Overlapping ones (savgol, spline) are dX = W·X with the covariance
// R = W·Wᵀ, scaled to a mean precision of 1, to which the noise of the states on
// the right-hand side adds a part that differs from row to row: the covariance
// is (1 − κ)R + κI, and κ has the largest restricted likelihood (Patterson and
// Thompson 1971). It also makes up for the directions in which R vanishes.
func (p *Problem) whiten(i int, design []float64, columns int, response []float64) *whitener {
	if p.rows.made == nil {
		if sd := p.Responses[i].SD; sd != nil {
			return &whitener{sd: sd}
		}
		return nil
	}
	c := covariance(p.rows.made[i])
	precision := 0.0
	for t := range c.N {
		precision += 1 / c.Data[t*c.Stride]
	}
	for k := range c.Data {
		c.Data[k] *= precision / float64(c.N)
	}
	// κ is a matter of a few thousand rows.
	const work = 3e7
	n := min(c.N, max(300+10*columns, int(work/float64((c.K+1)*(c.K+1)))))
	part := c
	part.N, part.K = n, c.K
	score := func(power float64) float64 {
		return restricted(mix(part, math.Pow(10, power)), design[:n*columns], columns, response[:n])
	}
	best, at := score(0), 0.0
	for power := -6.0; power < 0; power++ {
		if v := score(power); v < best {
			best, at = v, power
		}
	}
	if !math.IsInf(best, 0) {
		x := golden(score, math.Max(-6, at-1), math.Min(0, at+1), 0.05)
		if score(x) < best {
			at = x
		}
	}
	if w, ok := newWhitener(mix(c, math.Pow(10, at))); ok {
		return w
	}
	w, _ := newWhitener(mix(c, 1))
	return w
}

// mix returns (1 − share)·c + share·I.
func mix(c blas64.SymmetricBand, share float64) blas64.SymmetricBand {
	out := newBand(c.N, c.K)
	for t := range c.N {
		for j := range min(c.K+1, out.Stride) {
			out.Data[t*out.Stride+j] = (1 - share) * c.Data[t*c.Stride+j]
		}
		out.Data[t*out.Stride] += share
	}
	return out
}

// restricted is −2 log of the restricted likelihood, up to a constant, of
// residuals with a covariance proportional to c, which it overwrites; +Inf
// where c is not positive definite or the design fits exactly.
func restricted(c blas64.SymmetricBand, design []float64, columns int, response []float64) float64 {
	n := len(response)
	w, ok := newWhitener(c)
	if !ok || n <= columns+1 {
		return math.Inf(1)
	}
	a := mat.NewDense(n, columns+1, nil)
	v := make([]float64, n)
	for k := range columns + 1 {
		length := 0.0
		for t := range v {
			if v[t] = response[t]; k < columns {
				v[t] = design[t*columns+k]
			}
			length = math.Hypot(length, v[t])
		}
		w.apply(v)
		for t := range v {
			if length > 0 {
				v[t] /= length
			}
		}
		a.SetCol(k, v)
	}
	var qr mat.QR
	qr.Factorize(a)
	var r mat.Dense
	qr.RTo(&r)
	rest := math.Abs(r.At(columns, columns))
	sum := 2 * w.logDet(n)
	free := n
	for k := range columns {
		if d := math.Abs(r.At(k, k)); d > 1e-10 {
			sum += 2 * math.Log(d)
			free--
		}
	}
	if rest < 1e-12 {
		return math.Inf(1)
	}
	return sum + 2*float64(free)*math.Log(rest)
}
