package quadrature_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/quadrature"
	"github.com/r2sgld/r2sgld/potential"
)

// around is ∮ p dx + q dy over the boundary, f giving p and q.
func around(t *testing.T, d domain.Domain, f func(x, y float64) (p, q float64)) (sum float64) {
	t.Helper()
	for _, p := range must(domain.Boundary(d)) {
		for i, to := range p.Knots[1:] {
			from := p.Knots[i]
			n := 2000 // Simpson's rule
			if len(p.Knots) > 2 {
				n = 60
			}
			for k := 0; k <= n; k++ {
				w := 2 + 2*float64(k%2)
				if k == 0 || k == n {
					w = 1
				}
				x, y, dx, dy := p.At(from + (to-from)*float64(k)/float64(n))
				a, b := f(x, y)
				sum += w / float64(3*n) * (to - from) * (a*dx + b*dy)
			}
		}
	}
	return sum
}

func multimodal(x, y float64) (u, ux, uy float64) {
	sx, cx := math.Sincos(2 * math.Pi * x)
	sy, cy := math.Sincos(2 * math.Pi * y)
	return ((x*x+y*y)/10 - cx - cy) / 0.5, (x/5 + 2*math.Pi*sx) / 0.5, (y/5 + 2*math.Pi*sy) / 0.5
}

// The divergence theorem ties every law to integrals over its boundary alone:
// for a field F, Z·E[div F − F·∇U/τ] = ∮ (F_x dy − F_y dx) exp(-U/τ). It kills a
// branch of the heart's cusps left out and any weight that is off by 1e-8.
func TestDivergence(t *testing.T) {
	for _, name := range shapes {
		d := shape(name)
		r := region(t, modes25, d)
		for _, tau := range []float64{1, 10, math.Inf(1)} {
			fields := []struct {
				name   string
				f      func(x, y float64) (fx, fy float64)
				spread func(x, y float64) float64
			}{
				{"(1, 0)", func(_, _ float64) (float64, float64) { return 1, 0 }, func(_, _ float64) float64 { return 0 }},
				{"(0, 1)", func(_, _ float64) (float64, float64) { return 0, 1 }, func(_, _ float64) float64 { return 0 }},
				{"(x, y)", func(x, y float64) (float64, float64) { return x, y }, func(_, _ float64) float64 { return 2 }},
				{"(xy², x³)", func(x, y float64) (float64, float64) { return x * y * y, x * x * x }, func(_, y float64) float64 { return y * y }},
			}
			for _, q := range fields {
				got := r.Moments(tau).Z * r.Mean(tau, func(x, y float64) float64 {
					fx, fy := q.f(x, y)
					_, ux, uy := multimodal(x, y)
					return q.spread(x, y) - (fx*ux+fy*uy)/tau
				})
				want := around(t, d, func(x, y float64) (float64, float64) {
					fx, fy := q.f(x, y)
					u, _, _ := multimodal(x, y)
					p := math.Exp(-u / tau)
					return -fy * p, fx * p
				})
				near(t, fmt.Sprintf("%s, τ = %v, field %s", name, tau, q.name), got, want, 1e-8*(1+100/tau))
			}
		}
	}
}

// Points drawn without any of this code: masses of 1×1 cells at τ = 1 by weighted
// draws from the bounding box, and the moments; |z| < 5.5 for 150 numbers has a
// false alarm rate below 1e-5·0.6. It kills cells swapped in x and y and masses
// of another temperature.
func TestAgainstDraws(t *testing.T) {
	n := 400_000
	if pace.Soaking() {
		n *= 100
	}
	for _, name := range shapes {
		d := shape(name)
		r := region(t, modes25, d)
		g := quadrature.Grid{X0: -3.5, Y0: -3.5, DX: 1, DY: 1, NX: 7, NY: 7}
		m := r.Moments(1)
		want := r.Masses(1, g)
		rng := rand.New(rand.NewPCG(5, 7))
		lo, hi := domain.BoundsOf(d, 2)
		box := (hi[0] - lo[0]) * (hi[1] - lo[1])
		type tally struct{ sum, squares float64 }
		cells := make([]tally, len(want))
		var z, u tally
		add := func(t *tally, v float64) { t.sum += v; t.squares += v * v }
		for range n {
			x := []float64{lo[0] + rng.Float64()*(hi[0]-lo[0]), lo[1] + rng.Float64()*(hi[1]-lo[1])}
			if !d.Contains(x) {
				continue
			}
			e, _, _ := multimodal(x[0], x[1])
			w := box * math.Exp(-e)
			add(&z, w)
			add(&u, w*e)
			add(&cells[int(math.Floor(x[1]+3.5))*7+int(math.Floor(x[0]+3.5))], w)
		}
		check := func(what string, c tally, want float64) {
			mean := c.sum / float64(n)
			se := math.Sqrt((c.squares/float64(n) - mean*mean) / float64(n))
			if c.squares > 0 && !(math.Abs(mean-want) < 5.5*se) && want > 1e-4*m.Z {
				t.Errorf("%s: %s is %.6g by draws, %.6g by quadrature: z = %.1f", name, what, mean, want, (mean-want)/se)
			}
			if c.squares == 0 && want > 1e-4*m.Z {
				t.Errorf("%s: %s is %.3g, but no draw fell there", name, what, want)
			}
		}
		check("Z", z, m.Z)
		check("Z E U", u, m.Z*m.MeanU)
		for k, c := range cells {
			check(fmt.Sprintf("cell %d", k), c, m.Z*want[k])
		}
	}
}

// A normal law on a disc, an exponential one on a box and a simplex, in closed
// form.
func TestClosedForms(t *testing.T) {
	disc := region(t, "((x-1)^2 + (y+2)^2)/2", must(domain.NewBall([]float64{1, -2}, 1.5)))
	z := func(tau float64) float64 { return 2 * math.Pi * tau * (1 - math.Exp(-1.5*1.5/2/tau)) }
	near(t, "disc: area", disc.Area(), math.Pi*2.25, 1e-12)
	near(t, "disc: perimeter", disc.Perimeter(), 3*math.Pi, 1e-12)
	for _, tau := range []float64{0.1, 1, 7} {
		m := disc.Moments(tau)
		near(t, "disc: Z", m.Z, z(tau), 1e-9)
		near(t, "disc: mean of x", m.MeanX, 1, 1e-9)
		near(t, "disc: mean of y", m.MeanY, -2, 1e-9)
		h := 1e-5 // E U = τ² d log Z/dτ
		near(t, "disc: mean of U", m.MeanU, tau*tau*(math.Log(z(tau+h))-math.Log(z(tau-h)))/(2*h), 1e-8)
	}

	box := region(t, "3*x - y", must(domain.NewBox([]float64{-1, 2}, []float64{1, 5})))
	near(t, "box: Z", box.Moments(2).Z, (math.Exp(1.5)-math.Exp(-1.5))/1.5*(math.Exp(2.5)-math.Exp(1))/0.5, 1e-9)
	near(t, "box: perimeter", box.Perimeter(), 10, 1e-12)

	tri := region(t, "x + y", must(domain.NewSimplex(2, 2)))
	near(t, "simplex: Z", tri.Moments(1).Z, 1-3*math.Exp(-2), 1e-9)
	near(t, "simplex: area", tri.Area(), 2, 1e-12)
}

// On a disc with U = r²/2, U is uniform on [0, u] for β = 0 and a truncated
// exponential law else, so that exchanges have closed forms. It kills a barrier
// without its half, β mistaken for τ, and accepted swaps counted one way only.
func TestExchangeInClosedForm(t *testing.T) {
	const u = 1.5 * 1.5 / 2
	r := region(t, "((x-1)^2 + (y+2)^2)/2", must(domain.NewBall([]float64{1, -2}, 1.5)))
	near(t, "local barrier at β = 0", r.LocalBarrier(0), u/6, 5e-7)
	// ½E|U−U'| = ∫F(1−F), F = (1−e^(−βv))/(1−e^(−βu)).
	local := func(beta float64) float64 {
		a := -math.Expm1(-beta * u)
		i1 := u - a/beta                                    // ∫ 1 − e^(−βv)
		i2 := u - 2*a/beta - math.Expm1(-2*beta*u)/(2*beta) // ∫ (1 − e^(−βv))²
		return i1/a - i2/(a*a)
	}
	sum := 0.0
	const n = 4000
	for k := range n {
		sum += local(0.25+(4-0.25)*(float64(k)+0.5)/n) * (4 - 0.25) / n
	}
	for _, beta := range []float64{0.3, 1, 4, 30} {
		near(t, fmt.Sprintf("local barrier at β = %v", beta), r.LocalBarrier(beta), local(beta), 5e-7)
	}
	near(t, "Λ", r.Barrier(0.25, 4), sum, 5e-7)
	// 2 P(U1 > U2) = 2 ∫ f_c(v) F_h(v) dv, β 4 and ¼.
	const c, h = 4.0, 0.25
	za, zb := -math.Expm1(-c*u), -math.Expm1(-h*u)
	swap := 2 / (za * zb) * (za + c/(c+h)*math.Expm1(-(c+h)*u))
	near(t, "swap probability", r.SwapProbability(0.25, 4), swap, 5e-7)
	near(t, "swap probability, exchanged", r.SwapProbability(4, 0.25), swap, 5e-7)
	near(t, "swap probability of equals", r.SwapProbability(2, 2), 1, 1e-12)
}

// A potential along x alone puts whole columns of nodes at one energy: the
// worst case. U is uniform on [0, 1] there.
func TestExchangeOfColumns(t *testing.T) {
	r := region(t, "x", must(domain.NewBox([]float64{0, 0}, []float64{1, 1})))
	near(t, "local barrier at β = 0", r.LocalBarrier(0), 1.0/6, 1e-6)
	near(t, "swap of a constant", region(t, "2", must(domain.NewBox([]float64{0, 0}, []float64{1, 1}))).SwapProbability(1, 10), 1, 1e-12)
}

// A narrow well that the nodes of the first levels see only coarsely: U falls
// with r alone, so that the barrier is an integral over r. It kills an answer
// accepted before it settled.
func TestExchangeOfWell(t *testing.T) {
	pace.Slow(t)
	const depth, width = 8.0, 0.03
	r := region(t, fmt.Sprintf("-%v*exp(-(x^2 + y^2)/(2*%v^2))", depth, width), must(domain.NewBall([]float64{0, 0}, 1)))
	const n = 1_000_000
	var f, i1, i2, last float64 // F unnormalised, ∫F du, ∫F² du
	for k := range n {
		rho := (float64(k) + 0.5) / n
		g := math.Exp(-rho * rho / (2 * width * width))
		u := -depth * g
		if k > 0 {
			i1, i2 = i1+f*(u-last), i2+f*f*(u-last)
		}
		last = u
		f += rho * math.Exp(-u)
	}
	near(t, "local barrier at β = 1", r.LocalBarrier(1), i1/f-i2/(f*f), 2e-6)
}

// Cells whose middle is the line of the heart's cusps and the tips of the
// others, and the same cells in halves: it kills a cell lost because its middle
// falls between two branches that meet there, and cells accepted too soon.
func TestCellsOnTheAxis(t *testing.T) {
	for _, name := range shapes {
		r := region(t, modes25, shape(name))
		whole := r.Masses(1, quadrature.Grid{X0: -3.625, Y0: -3.625, DX: 0.25, DY: 0.25, NX: 29, NY: 29})
		halves := r.Masses(1, quadrature.Grid{X0: -3.625, Y0: -3.625, DX: 0.125, DY: 0.125, NX: 58, NY: 58})
		sum := 0.0
		for k, m := range whole {
			at := k/29*2*58 + k%29*2
			near(t, fmt.Sprintf("%s: cell (%d, %d)", name, k%29, k/29), m, halves[at]+halves[at+1]+halves[at+58]+halves[at+59], 2e-10)
			sum += m
		}
		near(t, name+": all cells", sum, 1, 1e-9)
	}
}

// The same bits whatever the number of threads and the order of questions.
func TestDeterminism(t *testing.T) {
	g := quadrature.Grid{X0: -3, Y0: -3, DX: 0.31, DY: 0.47, NX: 20, NY: 13}
	ask := func(threads int, swapFirst bool) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		r := region(t, modes25, shape("heart"))
		var s float64
		if swapFirst {
			s = r.SwapProbability(1, 10)
		}
		m := append(r.Masses(1, g), r.Moments(1).MeanU, r.Moments(10).SDX)
		if !swapFirst {
			s = r.SwapProbability(1, 10)
		}
		return append(m, s)
	}
	want := ask(1, false)
	for k, v := range ask(3, true) {
		if v != want[k] {
			t.Fatalf("number %d is %v with one thread and %v with three", k, want[k], v)
		}
	}
}

func TestRefusals(t *testing.T) {
	pace.Slow(t)
	box := must(domain.NewBox([]float64{0, 0}, []float64{1, 1}))
	cube := must(domain.NewBox([]float64{0, 0, 0}, []float64{1, 1, 1}))
	line := potential.Func(1, func(g, _ []float64) float64 { g[0] = 0; return 0 })
	for what, f := range map[string]func() error{
		"no potential":     func() error { _, err := quadrature.New(nil, box); return err },
		"no domain":        func() error { _, err := quadrature.New(flat(), nil); return err },
		"three dimensions": func() error { _, err := quadrature.New(flat(), cube); return err },
		"one coordinate":   func() error { _, err := quadrature.New(line, box); return err },
		"a pole": func() error {
			r := must(quadrature.New(formula("1/(x-x)"), box))
			r.Moments(1)
			return r.Err()
		},
		"a narrow peak": func() error {
			r := must(quadrature.New(formula("x"), box))
			r.Moments(1e-5)
			return r.Err()
		},
		"a rough potential": func() error {
			r := must(quadrature.New(potential.Func(2, func(_, x []float64) float64 { return math.Floor(7 * (x[0] + 0.3*x[1])) }), box))
			r.Masses(1, quadrature.Grid{DX: 1, DY: 1, NX: 1, NY: 1})
			return r.Err()
		},
		"a grid without width": func() error {
			r := must(quadrature.New(flat(), box))
			r.Masses(1, quadrature.Grid{DX: 0, DY: 1, NX: 1, NY: 1})
			return r.Err()
		},
		"a temperature of 0": func() error {
			r := must(quadrature.New(flat(), box))
			r.SwapProbability(0, 1)
			return r.Err()
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s is not refused", what)
		} else {
			t.Log(err)
		}
	}
}

// Noise does not count.
func TestNoisyPotential(t *testing.T) {
	d := shape("octagon")
	noisy := must(quadrature.New(potential.Noisy(formula(modes25), 0.05, 0.05), d))
	if got, want := noisy.Moments(1), region(t, modes25, d).Moments(1); got != want {
		t.Errorf("with noise %v, without %v", got, want)
	}
}

func Example() {
	flower, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		panic(err)
	}
	law, err := quadrature.New(formula("((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"), flower)
	if err != nil {
		panic(err)
	}
	m := law.Moments(1)
	fmt.Printf("Z %.5f, mean of U %.5f\n", m.Z, m.MeanU)
	fmt.Printf("temperatures 1 and 10 exchange with probability %.4f\n", law.SwapProbability(1, 10))
	centre := law.Masses(1, quadrature.Grid{X0: -0.5, Y0: -0.5, DX: 1, DY: 1, NX: 1, NY: 1})
	fmt.Printf("mass of the middle mode %.5f\n", centre[0])
	fmt.Println(law.Err())
	// Output:
	// Z 35.58263, mean of U -2.45011
	// temperatures 1 and 10 exchange with probability 0.3042
	// mass of the middle mode 0.14492
	// <nil>
}

func BenchmarkEverything(b *testing.B) {
	for _, name := range shapes {
		d := shape(name)
		u := formula(modes25)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := must(quadrature.New(u, d))
				r.Moments(1)
				r.Moments(10)
				r.Masses(1, quadrature.Grid{X0: -5, Y0: -5, DX: 0.2, DY: 0.2, NX: 50, NY: 50})
				r.Masses(1, quadrature.Grid{X0: -5, Y0: -5, DX: 0.01, DY: 10, NX: 1000, NY: 1})
				r.Masses(1, quadrature.Grid{X0: -5, Y0: -5, DX: 10, DY: 0.01, NX: 1, NY: 1000})
				r.SwapProbability(1, 10)
				r.Barrier(1, 10)
			}
		})
	}
}

// An energy of any offset has the law of that without: U + c at temperature τ. It
// kills: masses as a share of exp(−c/τ), which leaves the range of numbers, and
// cells far larger than the domain cut as a whole.
func TestOffsetsOfTheEnergy(t *testing.T) {
	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ offset, tau float64 }{{800, 1}, {-800, 1}, {8, 0.01}, {-1e5, 10}} {
		r, err := quadrature.New(potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = x[0], x[1]
			return c.offset + (x[0]*x[0]+x[1]*x[1])/2
		}), disc)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Log(2*math.Pi*c.tau*(1-math.Exp(-0.5/c.tau))) - c.offset/c.tau
		if m := r.Moments(c.tau); math.Abs(m.LogZ-want) > 1e-8*max(1, math.Abs(want)) {
			t.Errorf("offset %g: log Z = %v, want %v", c.offset, m.LogZ, want)
		}
		for i, m := range r.Masses(c.tau, quadrature.Grid{-1e9, -1e9, 1e9, 2e9, 2, 1}) {
			if math.Abs(m-0.5) > 1e-9 {
				t.Errorf("offset %g: half-plane %d has mass %v", c.offset, i+1, m)
			}
		}
		if err := r.Err(); err != nil {
			t.Errorf("offset %g: %v", c.offset, err)
		}
	}
}
