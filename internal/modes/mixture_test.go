package modes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
)

// twoParts are correlated normal laws of weights 0.3 and 0.5.
func twoParts() []Part {
	return []Part{
		{Weight: 0.3, Center: []float64{-1, 0.5}, L: [][]float64{{0.4, 0}, {0.3, 0.6}}},
		{Weight: 0.5, Center: []float64{1.5, -1}, L: [][]float64{{1.2, 0}, {-0.5, 0.3}}},
	}
}

// mixtures are one with a box, one with a wide law (normal, sd 3) and one of parts alone.
func mixtures() map[string]*Mixture {
	alone := &Mixture{Parts: twoParts()}
	alone.Parts[1].Weight = 0.7
	wide := &r2sgld.Guide{
		Potential: potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = x[0]/9, x[1]/9
			return (x[0]*x[0]+x[1]*x[1])/18 + math.Log(18*math.Pi)
		}),
		Draw: func(x []float64, rng *rand.Rand) { x[0], x[1] = 3*rng.NormFloat64(), 3*rng.NormFloat64() },
	}
	return map[string]*Mixture{
		"alone": alone,
		"box":   {Parts: twoParts(), Lo: []float64{-3, -2}, Hi: []float64{4, 2}},
		"wide":  {Parts: twoParts(), Wide: wide},
	}
}

// density is that of m in the plane, by the covariance and its determinant.
func density(m *Mixture, x, y float64) float64 {
	sum := 0.0
	for _, p := range m.Parts {
		a, b := p.L[0][0]*p.L[0][0], p.L[0][0]*p.L[1][0]
		c := p.L[1][0]*p.L[1][0] + p.L[1][1]*p.L[1][1]
		u, v, det := x-p.Center[0], y-p.Center[1], a*c-b*b
		sum += p.Weight * math.Exp(-(c*u*u-2*b*u*v+a*v*v)/(2*det)) / (2 * math.Pi * math.Sqrt(det))
	}
	switch {
	case m.Wide != nil:
		sum += 0.2 * math.Exp(-(x*x+y*y)/18) / (18 * math.Pi)
	case m.Lo != nil && -3 <= x && x <= 4 && -2 <= y && y <= 2:
		sum += 0.2 / 28
	}
	return sum
}

// The energy is −log of the density, its gradient that of differences, whose error is of
// order h² and 1e-16/h, and every lane has what a lane alone has.
//
// Mutants: no determinant; no box; a box without walls; no slope of the wide law; slopes
// without weights; the first lane in place of each.
func TestMixtureDensity(t *testing.T) {
	const lanes, h = 5, 1e-5
	for name, m := range mixtures() {
		if err := m.Validate(2); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		many, one := m.Evaluator(lanes, nil), m.Evaluator(1, nil)
		x, energy, grad := make([]float64, 2*lanes), make([]float64, lanes), make([]float64, 2*lanes)
		e, g := make([]float64, 1), make([]float64, 2)
		for range 100 {
			for i := range x {
				x[i] = 10*rng.Float64() - 5
			}
			many.Eval(energy, grad, x)
			for i := range lanes {
				at := []float64{x[i], x[lanes+i]}
				one.Eval(e, g, at)
				if e[0] != energy[i] || g[0] != grad[i] || g[1] != grad[lanes+i] {
					t.Fatalf("%s: lane %d at %v: %g %g, alone %g %v", name, i, at, energy[i], grad[i], e[0], g)
				}
				if f := density(m, at[0], at[1]); f > 1e-250 && math.Abs(e[0]+math.Log(f)) > 1e-9*(1+math.Abs(e[0])) {
					t.Fatalf("%s at %v: energy %g, want %g", name, at, e[0], -math.Log(f))
				}
				for j, slope := range slices.Clone(g) {
					up, down := slices.Clone(at), slices.Clone(at)
					up[j], down[j] = at[j]+h, at[j]-h
					var high, low [1]float64
					one.Eval(high[:], g, up)
					one.Eval(low[:], g, down)
					if got := (high[0] - low[0]) / (2 * h); math.Abs(got-slope) > 1e-5*(1+math.Abs(slope)) {
						t.Fatalf("%s at %v: slope %d is %g, differences say %g", name, at, j, slope, got)
					}
				}
			}
		}
	}
}

// Draws have the distribution functions of both coordinates, and of their sum where it is
// known: no distance passes that of Dvoretzky, Kiefer and Wolfowitz at 1e-7 for each of eight.
//
// Mutants: weights that are ignored.
func TestMixtureDraws(t *testing.T) {
	const n = 20000
	limit := math.Sqrt(math.Log(2/1e-7) / (2 * n))
	normal := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	for name, m := range mixtures() {
		rng := rand.New(rand.NewPCG(3, 4))
		draws := make([][]float64, n)
		for i := range draws {
			draws[i] = make([]float64, 2)
			m.Draw(draws[i], rng)
		}
		for k, to := range [][2]float64{{1, 0}, {0, 1}, {1, 1}} {
			if k == 2 && name == "box" {
				continue
			}
			along := make([]float64, n)
			for i, x := range draws {
				along[i] = to[0]*x[0] + to[1]*x[1]
			}
			slices.Sort(along)
			most := 0.0
			for i, s := range along {
				f := 0.0
				for _, p := range m.Parts {
					mean := to[0]*p.Center[0] + to[1]*p.Center[1]
					sd := math.Hypot(to[0]*p.L[0][0]+to[1]*p.L[1][0], to[1]*p.L[1][1])
					f += p.Weight * normal((s-mean)/sd)
				}
				switch name {
				case "box":
					f += 0.2 * min(1, max(0, (s-m.Lo[k])/(m.Hi[k]-m.Lo[k])))
				case "wide":
					f += 0.2 * normal(s/(3*math.Hypot(to[0], to[1])))
				}
				most = max(most, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
			}
			if most > limit {
				t.Errorf("%s along %v: distance %.4f, limit %.4f", name, to, most, limit)
			}
		}
	}
}
