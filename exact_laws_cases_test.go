package r2sgld_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// normalAt is a Gaussian U whose mean lies at or beyond the walls of shapes of size one
// about 0, and whose coordinates are correlated.
func normalAt(mu ...float64) potential.Potential {
	q := make([][]float64, len(mu))
	for i := range q {
		q[i] = make([]float64, len(mu))
		for j := range q[i] {
			q[i][j] = 0.8
		}
		q[i][i] = 2 + float64(i)
	}
	return quadratic(mu, q)
}

// ripples is U = Σ_j 1.5 sin(3x_j + 2x_j+1) + ½ (x_j − 0.4)²: above −1.5 d, not convex.
func ripples(d int) potential.Potential {
	return potential.Func(d, func(grad, x []float64) float64 {
		clear(grad)
		u := 0.0
		for j, v := range x {
			k := (j + 1) % d
			s, c := math.Sincos(3*v + 2*x[k])
			u += 1.5*s + 0.5*(v-0.4)*(v-0.4)
			grad[j] += 4.5*c + v - 0.4
			grad[k] += 3 * c
		}
		return u
	})
}

// petals is the radius of the flower of radius 2.
func petals(theta float64) float64 { return (math.Sin(5*theta) + 3) * 2 / 3.5 }

// peanut is {g ≤ 0} for a region that is not convex, r < peanutRadius(θ).
type peanut struct{}

func (peanut) Dim() int                   { return 2 }
func (p peanut) Bind() domain.SurfaceEval { return p }

func (peanut) Value(x []float64) float64 {
	s := x[0]*x[0] + x[1]*x[1]
	return s*s - 1.6*(x[0]*x[0]-x[1]*x[1]) - 0.5
}

func (p peanut) Gradient(g, x []float64) float64 {
	s := x[0]*x[0] + x[1]*x[1]
	g[0], g[1] = 4*s*x[0]-3.2*x[0], 4*s*x[1]+3.2*x[1]
	return p.Value(x)
}

func peanutRadius(theta float64) float64 { // a Cassini oval
	c := 0.8 * math.Cos(2*theta)
	return math.Sqrt(c + math.Sqrt(c*c+0.5))
}

// onShape is a law with the expectations of its shape.
func onShape(t *testing.T, name string, a shape, d domain.Domain, u potential.Potential, floor float64, tau ...float64) exactLaw {
	t.Helper()
	l := exactLaw{name: name, floor: floor, tau: tau, shape: a}
	l.p = r2sgld.Problem{Potential: u, Domain: d}
	if tau == nil {
		tau = []float64{1}
	}
	for _, v := range tau {
		l.rungs = append(l.rungs, a.expectations(t, l.p, v))
	}
	return l
}

func (l exactLaw) steps(mala, hmc float64) exactLaw {
	l.mala, l.hmc = []float64{mala}, []float64{hmc}
	return l
}

// gaussian has the harmonic kernel too, for so long; 0 is a quarter of a turn.
func (l exactLaw) gaussian(time, jitter float64) exactLaw {
	l.path = kernel.Harmonic{Time: time, Jitter: jitter}
	return l
}

// withMasses are the 25 modes at temperatures 1 and 10: what the reference numbers
// say, masses of modes among it, and of what they do not, quadrature.
func withMasses(t *testing.T, l exactLaw) exactLaw {
	t.Helper()
	type values struct {
		Tau1 struct {
			U  float64 `json:"mean_U"`
			R2 float64 `json:"mean_r2"`
		}
		Mass [][]float64 `json:"mode_mass_tau1_rows_y_-2..2_cols_x_-2..2"`
	}
	var both struct{ Flower, Octagon values }
	readReference(t, "multimodal.json", &both)
	v := both.Flower
	if l.name == "octagon" {
		v = both.Octagon
	}
	of := map[string]float64{}
	for _, f := range l.rungs[0] {
		of[f.name] = f.want
	}
	if math.Abs(of["U"]-v.Tau1.U) > 1e-7 || math.Abs(of["x1·x1"]+of["x2·x2"]-v.Tau1.R2) > 1e-7 {
		t.Fatalf("%s: quadrature has E U %.9f and E r² %.9f, the reference %.9f and %.9f", l.name, of["U"],
			of["x1·x1"]+of["x2·x2"], v.Tau1.U, v.Tau1.R2)
	}
	for i, row := range v.Mass {
		for j, mass := range row {
			if mass < 5e-3 {
				continue // too rare for a normal approximation
			}
			l.rungs[0] = append(l.rungs[0], functional{fmt.Sprintf("mode (%d, %d)", j-2, i-2), func(x []float64, _ float64) float64 {
				if math.Abs(x[0]-float64(j-2)) < 0.5 && math.Abs(x[1]-float64(i-2)) < 0.5 {
					return 1
				}
				return 0
			}, mass})
		}
	}
	l.mala, l.hmc = []float64{0.02, 0.05}, []float64{0.015, 0.03}
	return l
}

// planeLaws are on domains in the plane.
func planeLaws(t *testing.T) []exactLaw {
	corners := func(n int, r float64) [][2]float64 { // a vertex at (0, r), anticlockwise
		v := make([][2]float64, n)
		for i := range v {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			v[i] = [2]float64{-r * s, r * c}
		}
		return v
	}
	arrow := [][2]float64{{-1, -1}, {0, -0.4}, {1.2, -0.9}, {0.1, 1.3}}
	triangle := [][2]float64{{0, 0}, {1, 0}, {0, 1}}
	disc := polar(20, turn(2), func(float64) float64 { return 1.2 })
	// {|x| ≤ 1.2, x1 + 2 x2 ≤ 1.5}
	reach := 1.5 / math.Sqrt(5)
	from, to := math.Atan2(2, 1)-math.Acos(reach/1.2), math.Atan2(2, 1)+math.Acos(reach/1.2)
	cut := polar(20, []float64{0, from, to, 2 * math.Pi}, func(theta float64) float64 {
		if theta > from && theta < to {
			s, c := math.Sincos(theta)
			return 1.5 / (c + 2*s)
		}
		return 1.2
	})
	if from < 0 {
		t.Fatal("the cuts of the disc are not in order")
	}
	pinch := func(theta float64) float64 { return 0.7 + 0.6*math.Abs(math.Sin(theta)) } // corners that point inwards
	pinched := must(domain.NewCurve("pinched", func(theta float64) (x, y float64) {
		s, c := math.Sincos(theta)
		return pinch(theta) * c, pinch(theta) * s
	}))
	pair := [][]float64{{1, 0.4}, {-0.3, 0.6}}
	oval := disc.mapped([]float64{0.3, -0.2}, pair)
	return []exactLaw{
		withMasses(t, onShape(t, "flower", polar(40, turn(10), petals), must(domain.NewFlower(5, 3, 2)), multimodal, -4, 1, 10)),
		withMasses(t, onShape(t, "octagon", fan(40, [2]float64{}, corners(8, 2)), must(domain.NewOctagon(2)), multimodal, -4, 1, 10)),
		onShape(t, "polygon, not convex", fan(24, [2]float64{0, 0.2}, arrow), must(domain.NewPolygon(arrow)), ripples(2), -3).steps(0.03, 0.01),
		onShape(t, "polygon", fan(20, [2]float64{}, corners(5, 1.1)), must(domain.NewPolygon(corners(5, 1.1))), normalAt(1.2, -0.6),
			0).steps(0.25, 0.1).gaussian(0, 0),
		onShape(t, "curve with corners", polar(24, turn(2), pinch), pinched, ripples(2), -3).steps(0.03, 0.01),
		onShape(t, "disc", disc, must(domain.NewBall([]float64{0, 0}, 1.2)), ripples(2), -3).steps(0.03, 0.01),
		onShape(t, "disc and half-plane", cut,
			must(domain.NewIntersection(must(domain.NewBall([]float64{0, 0}, 1.2)), must(domain.NewHalfSpace([]float64{1, 2}, 1.5)))), normalAt(0.9,
				0.8), 0).steps(0.25, 0.1).gaussian(1.1, 0.3),
		onShape(t, "ellipse", oval, must(domain.NewEllipsoid([]float64{0.3, -0.2}, quadricOf(1.2, pair))), normalAt(1, 0.7), 0, 0.5,
			2).steps(0.25, 0.1).gaussian(0, 0),
		onShape(t, "triangle", fan(20, [2]float64{1. / 3, 1. / 3}, triangle), must(domain.NewSimplex(2, 1)), normalAt(1.3, 0.4), 0).steps(0.2,
			0.1).gaussian(1.1, 0.3),
		onShape(t, "implicit set", polar(24, turn(8), peanutRadius),
			must(domain.NewImplicit([]domain.Surface{peanut{}}, []string{"peanut"}, []float64{-1.5, -1}, []float64{1.5, 1})), ripples(2), -3).steps(
			0.03, 0.01),
	}
}

// quadricOf is the matrix A of {c + L z : |z| ≤ r} = {(x − c)ᵀA(x − c) ≤ 1}.
func quadricOf(r float64, l [][]float64) *mat.SymDense {
	back := inverted(l)
	a := mat.NewSymDense(len(l), nil)
	for i := range l {
		for j := range i + 1 {
			sum := 0.0
			for k := range l {
				sum += back[k][i] * back[k][j]
			}
			a.SetSym(i, j, sum/(r*r))
		}
	}
	return a
}

// fromFile is a law of a reference file, with the events named.
func fromFile(t *testing.T, file string, floor float64, p func(r reference) r2sgld.Problem,
	events map[string]func(x []float64) bool) exactLaw {
	t.Helper()
	var r reference
	readReference(t, file, &r)
	fs := r.moments()
	for name, is := range events {
		fs = append(fs, r.event(t, name, is))
	}
	l := exactLaw{name: strings.TrimSuffix(file, ".json"), floor: floor}
	l.p, l.rungs = p(r), [][]functional{fs}
	return l
}

// spaceLaws are on domains in three dimensions and more, and those of the reference
// files.
func spaceLaws(t *testing.T) []exactLaw {
	l3 := [][]float64{{0.9, 0.3, 0}, {-0.2, 0.7, 0.4}, {0.1, 0, 1.1}}
	c3 := []float64{0.2, -0.1, 0.3}
	house := [][2]float64{{-0.8, -0.9}, {0.7, -0.9}, {1.1, 0.2}, {0, 1}, {-0.9, 0.5}}
	prism := fan(12, [2]float64{}, house).times(interval(12, -0.5, 1)).mapped(c3, l3)
	var rows [][]float64
	var bounds []float64
	for i, a := range house {
		b := house[(i+1)%len(house)]
		rows, bounds = append(rows, []float64{b[1] - a[1], a[0] - b[0], 0}), append(bounds, (b[1]-a[1])*a[0]+(a[0]-b[0])*a[1])
	}
	rows, bounds = append(rows, []float64{0, 0, 1}, []float64{0, 0, -1}), append(bounds, 1, 0.5)
	// x1 is u, x2 is v of what is left, x3 is w of what is left then.
	simplex := shape{tensor(16, [][]float64{{0, 0.01, 1}, {0, 1}, {0, 1}}, func(x, u []float64) float64 {
		left := 1 - u[0]
		x[0], x[1], x[2] = u[0], left*u[1], left*(1-u[1])*u[2]
		return left * left * (1 - u[1])
	}), func(x []float64) float64 { return 1 - x[0] }}
	flowered := polar(16, turn(10), petals).times(interval(10, -0.5, 1))
	disced := polar(16, turn(2), func(float64) float64 { return 1.2 }).times(interval(12, -0.5, 1))
	with := func(d domain.Domain) domain.Domain {
		return must(domain.NewProduct(3, domain.Part{At: []int{0, 1}, Domain: d},
			domain.Part{At: []int{2}, Domain: must(domain.NewBox([]float64{-0.5}, []float64{1}))}))
	}
	mapped := onShape(t, "disc × interval, whitened", disced, with(must(domain.NewBall([]float64{0, 0}, 1.2))), normalAt(1, 0.7, -0.4),
		0).steps(0.2, 0.1).gaussian(1.3, 0)
	mapped.mapped = shear3
	inBox := func(r reference) r2sgld.Problem {
		return r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewBox(r.Domain.Lower, r.Domain.Upper))}
	}
	inBall := func(r reference) r2sgld.Problem {
		return r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewBall(r.Domain.Center, r.Domain.Radius))}
	}
	onSimplex := func(r reference) r2sgld.Problem {
		return r2sgld.Problem{Potential: dirichlet(r.Target.Alpha), Domain: must(domain.NewSimplex(2, 1))}
	}
	return []exactLaw{
		onShape(t, "ellipsoid", solid(16, 1.2).mapped(c3, l3), must(domain.NewEllipsoid(c3, quadricOf(1.2, l3))), normalAt(1, 0.7, -0.4),
			0).steps(0.15, 0.08).gaussian(0, 0),
		onShape(t, "polytope", prism, imageOf(c3, l3, rows, bounds), normalAt(1, 0.7, -0.4), 0).steps(0.15, 0.08).gaussian(1.1, 0.3),
		onShape(t, "flower × interval", flowered, with(must(domain.NewFlower(5, 3, 2))), ripples(3), -4.5).steps(0.03, 0.01),
		onShape(t, "disc × interval", disced, with(must(domain.NewBall([]float64{0, 0}, 1.2))), normalAt(1, 0.7, -0.4),
			0).steps(0.15, 0.08).gaussian(0, 0),
		mapped,
		onShape(t, "simplex", simplex, must(domain.NewSimplex(3, 1)), normalAt(1, 0.7, -0.4), 0).steps(0.1, 0.05).gaussian(1, 0.2),
		halfSpace(t, true).steps(0.03, 0.015).gaussian(0, 0),
		halfSpace(t, false).steps(0.06, 0.05).gaussian(1.2, 0),
		parallelotope().steps(0.06, 0.03).gaussian(1.1, 0.3),
		fromFile(t, "gauss_box.json", 0, inBox, map[string]func(x []float64) bool{
			"within 0.1 of any face": func(x []float64) bool {
				return min(x[0], 1.5-x[0], x[1]+1, 0.5-x[1], x[2], 2-x[2]) < 0.1
			},
			"x1<0.05": func(x []float64) bool { return x[0] < 0.05 },
		}).steps(0.06, 0.04).gaussian(0, 0),
		fromFile(t, "gauss_ball.json", 0, inBall, map[string]func(x []float64) bool{
			"|x|>1.4 (near the wall)": func(x []float64) bool { return norm2(x) > 1.96 },
			"x1<0":                    func(x []float64) bool { return x[0] < 0 },
		}).steps(0.15, 0.08).gaussian(1.1, 0.3),
		fromFile(t, "dirichlet.json", 6, onSimplex, map[string]func(x []float64) bool{
			"x1<0.1":  func(x []float64) bool { return x[0] < 0.1 },
			"x1<0.01": func(x []float64) bool { return x[0] < 0.01 },
		}).steps(0.01, 0.004),
	}
}

// halfSpace is the Gaussian of the reference file, between walls or without.
func halfSpace(t *testing.T, walls bool) exactLaw {
	l := fromFile(t, "gauss_halfspace.json", 0, func(r reference) r2sgld.Problem {
		return r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewHalfSpace(r.Domain.A, r.Domain.B))}
	}, nil)
	var r reference
	readReference(t, "gauss_halfspace.json", &r)
	if !walls {
		l.name, l.p.Domain = "all of space", nil
		r.Truth.Mean, r.Truth.EU = r.Target.Mu, 1.5
		for j, row := range r.Target.Sigma {
			r.Truth.SD[j] = math.Sqrt(row[j])
		}
		l.rungs = [][]functional{r.moments()}
	} else {
		a, b := r.Domain.A, r.Domain.B
		l.rungs[0] = append(l.rungs[0], r.event(t, "a.x > b-0.1 (near the wall)", func(x []float64) bool {
			return a[0]*x[0]+a[1]*x[1]+a[2]*x[2] > b-0.1
		}))
	}
	root := cholesky(r.Target.Sigma)
	l.start = func(rng *rand.Rand) []float64 {
		x, z := make([]float64, 3), make([]float64, 3)
		for {
			for j := range z {
				z[j] = rng.NormFloat64()
			}
			if apply(x, r.Target.Mu, root, z); l.p.Domain == nil || l.p.Domain.Contains(x) {
				return x
			}
		}
	}
	return l
}

func norm2(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

// parallelotope is a Gaussian between 10 pairs of planes, in coordinates z in which
// x = Lz the product of normal laws on intervals: its expectations have closed forms.
func parallelotope() exactLaw {
	const d = 10
	l, a := make([][]float64, d), make([][]float64, 0, 2*d)
	mu, zero, bounds := make([]float64, d), make([]float64, d), make([]float64, 0, 2*d)
	for i := range l {
		l[i] = make([]float64, d)
		for j := range l[i] {
			l[i][j] = 0.25 * math.Sin(float64(3*i+5*j))
		}
		l[i][i] += 1
		up, down := make([]float64, d), make([]float64, d)
		up[i], down[i] = 1, -1
		a, bounds = append(a, up, down), append(bounds, 1, 0.5)
		mu[i] = 0.3*float64(i) - 1 // the walls are at −0.5 and 1, the standard deviation is ½
	}
	back := inverted(l)
	u := potential.Func(d, func(grad, x []float64) float64 {
		var z [d]float64
		apply(z[:], zero, back, x)
		clear(grad)
		sum := 0.0
		for i, row := range back {
			e := z[i] - mu[i]
			sum += 2 * e * e
			for j, v := range row {
				grad[j] += 4 * e * v
			}
		}
		return sum
	})
	e := exactLaw{name: "parallelotope"}
	e.p = r2sgld.Problem{Potential: u, Domain: imageOf(zero, l, a, bounds)}
	inner := 1.0
	at := make([]float64, d)
	gauge := func(x []float64) float64 {
		apply(at, zero, back, x)
		m := 0.0
		for _, v := range at {
			m = max(m, math.Abs(v-0.25)/0.75)
		}
		return m
	}
	var fs []functional
	cdf := func(i int, v float64) float64 { return math.Erfc((mu[i]-v)*math.Sqrt2) / 2 }
	for i := range d {
		pdf := func(v float64) float64 { return math.Exp(-2*(v-mu[i])*(v-mu[i])) / math.Sqrt(2*math.Pi) }
		mass := cdf(i, 1) - cdf(i, -0.5)
		mean := mu[i] + 0.5*(pdf(-0.5)-pdf(1))/mass
		square := mu[i]*mu[i] + 0.25 + 0.5*((mu[i]-0.5)*pdf(-0.5)-(mu[i]+1)*pdf(1))/mass
		inner *= (cdf(i, 0.25+0.75*0.99) - cdf(i, 0.25-0.75*0.99)) / mass
		coordinate := func(x []float64) float64 {
			z := 0.0
			for j, v := range back[i] {
				z += v * x[j]
			}
			return z
		}
		fs = append(fs, functional{fmt.Sprintf("z%d", i+1), func(x []float64, _ float64) float64 { return coordinate(x) }, mean},
			functional{fmt.Sprintf("z%d²", i+1), func(x []float64, _ float64) float64 { v := coordinate(x); return v * v }, square})
	}
	near := nearWall(gauge)
	near.want = 1 - inner
	e.rungs = [][]functional{append(fs, near)}
	e.start = func(rng *rand.Rand) []float64 {
		x, z := make([]float64, d), make([]float64, d)
		for i := range z {
			for z[i] = 2; z[i] > 1 || z[i] < -0.5; {
				z[i] = mu[i] + 0.5*rng.NormFloat64()
			}
		}
		apply(x, zero, l, z)
		return x
	}
	return e
}
