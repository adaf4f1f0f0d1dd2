package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// Chi2 is χ²(hπ | π) = ∫(h − 1)² dπ for masses pi that sum to 1.
func Chi2(h, pi []float64) float64 {
	s := 0.0
	for i, p := range pi {
		s += p * (h[i] - 1) * (h[i] - 1)
	}
	return s
}

// KL is ∫ h log h dπ, by the sum of h log h − h + 1 ≥ 0, which keeps its digits where
// h is near 1. Where rounding has h < 0, it is taken for 0.
func KL(h, pi []float64) float64 {
	s := 0.0
	for i, p := range pi {
		if e := max(h[i], 0) - 1; e > -1 {
			s += p * ((1+e)*math.Log1p(e) - e)
		} else {
			s += p
		}
	}
	return s
}

// TV is ½∫|h − 1| dπ.
func TV(h, pi []float64) float64 {
	s := 0.0
	for i, p := range pi {
		s += p * math.Abs(h[i]-1)
	}
	return 0.5 * s
}

// distances returns the distances named in of from the law of density h to π.
func (p *Process) distances(ctx context.Context, h []float64, of []string, unit *reversible.Chain) (Distances, error) {
	pi, nan := p.Chain.Mass(), math.NaN()
	d := Distances{nan, nan, nan, nan, nan}
	for _, name := range of {
		switch name {
		case "chi2":
			d.Chi2 = Chi2(h, pi)
		case "kl":
			d.KL = KL(h, pi)
		case "tv":
			d.TV = TV(h, pi)
		case "w2":
			var err error
			if d.W2, err = p.w2(ctx, h, unit); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

// ExactW2 reports whether [Process.Decay] has W2 exactly: for one rung on an interval.
func (p *Process) ExactW2() bool { return p.Mesh.Dim == 1 && len(p.Rungs) == 1 }

func (p *Process) w2(ctx context.Context, h []float64, unit *reversible.Chain) (float64, error) {
	if p.ExactW2() {
		return p.quantileW2(h), nil
	}
	return sobolevW2(ctx, h, unit)
}

// quantileW2 is W2(hπ, π) of the laws that are uniform within each cell of an
// interval: the L² distance of the quantile functions, both piecewise linear.
func (p *Process) quantileW2(h []float64) float64 {
	pi := p.Chain.Mass()
	mu := make([]float64, len(h))
	for i := range mu {
		mu[i] = max(h[i], 0) * pi[i]
	}
	total := sum(mu)
	r := p.Rungs[0]
	order := make([]int, len(r.Cell)) // cells by place
	for i := range order {
		order[i] = i
	}
	centroid := func(i int) float64 { return p.Mesh.Centroid[r.Cell[i]] }
	slices.SortFunc(order, func(a, b int) int {
		if centroid(a) < centroid(b) {
			return -1
		}
		return 1
	})
	pieces := func(mass []float64, total float64) []piece {
		out := make([]piece, 0, len(order))
		u := 0.0
		for _, i := range order {
			w, half := mass[i]/total, 0.5*p.Mesh.Volume[r.Cell[i]]
			if w > 0 {
				out = append(out, piece{u + w, centroid(i) - half, centroid(i) + half, w})
				u += w
			}
		}
		out[len(out)-1].to = 1
		return out
	}
	return quantileDistance(pieces(mu, total), pieces(pi, 1))
}

// A piece of a quantile function rises from lo to hi while u goes from to−mass to to.
type piece struct{ to, lo, hi, mass float64 }

// at is the quantile at u ≤ to.
func (p piece) at(u float64) float64 {
	return p.hi - (p.hi-p.lo)*min(max((p.to-u)/p.mass, 0), 1)
}

// quantileDistance is (∫₀¹ (a − b)² du)^½.
func quantileDistance(a, b []piece) float64 {
	s, u := 0.0, 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		to := min(a[i].to, b[j].to)
		d0, d1 := a[i].at(u)-b[j].at(u), a[i].at(to)-b[j].at(to)
		s += max(to-u, 0) * (d0*d0 + d0*d1 + d1*d1) / 3
		u = to
		if a[i].to <= to {
			i++
		}
		if j < len(b) && b[j].to <= to {
			j++
		}
	}
	return math.Sqrt(max(s, 0))
}

// sobolevW2 bounds W2(hπ, π) from above by the norm of h − 1 in the dual of H¹(π),
// which the chain with every temperature 1 yields. With a = min h the bound is
// 2(1−√a)/(1−a) of the norm (Peyre 2018, by the straight line from π to hπ in place of
// its half: along it the density is at least 1 − s + sa). Paths stay within Ω, so that
// it bounds the distance along them, and the Euclidean one.
func sobolevW2(ctx context.Context, h []float64, unit *reversible.Chain) (float64, error) {
	phi, err := unit.Solve(ctx, h)
	if err != nil {
		return 0, fmt.Errorf("theory: bound on W2: %w", err)
	}
	pi := unit.Mass()
	norm2 := 0.0 // ⟨h − 1, φ⟩ = E(φ)
	for i, p := range pi {
		norm2 += p * (h[i] - 1) * phi[i]
	}
	a := min(max(slices.Min(h), 0), 1)
	return 2 / (1 + math.Sqrt(a)) * math.Sqrt(max(norm2, 0)), nil
}

// unit returns the chain without swaps whose temperatures are all 1 and whose law is
// π: its form is ∫|∇f|² dπ.
func (p *Process) unit() (*reversible.Chain, error) {
	chains := make([]*reversible.Chain, len(p.Rungs))
	for k, r := range p.Rungs {
		edges := slices.Clone(r.edges)
		for i := range edges {
			edges[i].Weight /= r.Temperature
		}
		var err error
		if chains[k], err = reversible.New(r.mass, edges); err != nil {
			return nil, fmt.Errorf("theory: bound on W2: %w", err)
		}
	}
	if len(chains) == 1 {
		return chains[0], nil
	}
	return reversible.Product(chains[0], chains[1]), nil
}
