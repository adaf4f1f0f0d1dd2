package monotone

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/potential"
)

// at is U and its gradient at a point.
func at(p potential.Potential, x []float64) (float64, []float64) {
	u, grad := make([]float64, 1), make([]float64, len(x))
	p.Evaluator(1, nil).Eval(u, grad, x)
	return u[0], grad
}

// laws are the three of a form.
func laws(t *testing.T, of form) map[string]*law {
	t.Helper()
	s := effort{learn: 36}.repetition(of, 1, 0)
	l, err := constrained(of, s.train)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*law{"constrained": l, "free": free(of, s.train), "logarithmic": logarithmic(of, s.train)}
}

// Gradients are those of differences. Kills: a factor or a sign of one of the parameters, the
// Jacobian in the gradient alone.
func TestGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := laws(t, mixture)
	for name, l := range laws(t, each) {
		all[name+", each"] = l
	}
	for name, l := range all {
		for _, p := range []potential.Potential{l.Potential, l.Base.Potential} {
			x := make([]float64, dim)
			for range 20 {
				l.Base.Draw(x, rng)
				_, grad := at(p, x)
				for i, g := range grad {
					const h = 1e-5
					y, z := slices.Clone(x), slices.Clone(x)
					y[i], z[i] = y[i]+h, z[i]-h
					above, _ := at(p, y)
					below, _ := at(p, z)
					if d := (above - below) / (2 * h); math.Abs(d-g) > 1e-5*(1+math.Abs(g)+math.Abs(above)*1e-5) {
						t.Fatalf("%s, parameter %d: %g, by differences %g", name, i, g, d)
					}
				}
			}
		}
	}
}

// The law in logarithms is the constrained one with the Jacobian, its draws are draws of the same
// priors, and the free law is the constrained one without walls. Kills: the Jacobian left out or
// taken twice, draws that are not turned back.
func TestLawsAreOne(t *testing.T) {
	all := laws(t, mixture)
	walls, logs := all["constrained"], all["logarithmic"]
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := make([]float64, dim), make([]float64, dim)
	for range 50 {
		walls.Base.Draw(x, rng)
		if !walls.Domain.Contains(x) {
			t.Fatalf("a draw of the priors is outside: %v", x)
		}
		copy(y, x)
		jacobian := 0.0
		for i := range y {
			if mixture.walled(i) {
				y[i] = math.Log(x[i])
				jacobian += y[i]
			}
		}
		u, _ := at(walls.Potential, x)
		v, _ := at(logs.Potential, y)
		w, _ := at(all["free"].Potential, x)
		if math.Abs(u-v) > 1e-9*math.Abs(u) || u != w {
			t.Errorf("energies %g, %g, %g", u, v, w)
		}
		u, _ = at(walls.Base.Potential, x)
		v, _ = at(logs.Base.Potential, y)
		if math.Abs(u-jacobian-v) > 1e-9*math.Abs(u) {
			t.Errorf("priors %g less %g, in logarithms %g", u, jacobian, v)
		}
		for i, p := range logs.parameters(y) {
			if math.Abs(p-x[i]) > 1e-12*math.Abs(x[i]) {
				t.Errorf("parameter %d: %g, not %g", i, p, x[i])
			}
		}
	}
	one, two := rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(5, 6))
	walls.Base.Draw(x, one)
	logs.Base.Draw(y, two)
	for i, p := range logs.parameters(y) {
		if math.Abs(p-x[i]) > 1e-12*math.Abs(x[i]) {
			t.Errorf("draws %g and %g", p, x[i])
		}
	}
}

// The slope is that of the response, which falls where weights are not negative. Kills: a slope
// of the other sign or without a factor, a wall of another parameter.
func TestSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, dim)
	rises := 0
	for k := range 200 {
		f := []form{mixture, each}[k/2%2]
		l := normal(f, nil, k%2 == 0)
		l.Base.Draw(x, rng)
		z := [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		for i, d := range slope(x, z) {
			const h = 1e-5
			y, v := z, z
			y[i], v[i] = y[i]+h, v[i]-h
			if got := (response(x, y) - response(x, v)) / (2 * h); math.Abs(got-d) > 1e-6*(1+math.Abs(d)) {
				t.Fatalf("slope %g, by differences %g", d, got)
			}
			if d > 0 {
				if rises++; k%2 == 0 && i < f.doses() {
					t.Fatalf("the response rises by %g", d)
				}
			}
		}
	}
	if rises < 30 {
		t.Errorf("free responses rise %d times", rises)
	}
}

// The table has what its description says, and the units of a split are those of the rows to learn
// from. Kills: a percentage of the other chemical, units of all rows, rows that are learnt from
// and predicted.
func TestRows(t *testing.T) {
	for _, f := range []form{mixture, each} {
		if n, d := len(rows()), len(f.design()); n != 180 || d != 57 {
			t.Fatalf("%d rows at %d doses", n, d)
		}
		counts := map[[2]float64]int{}
		for _, r := range rows() {
			counts[f.of(r)]++
		}
		for a, n := range counts {
			if want := map[bool]int{true: 12, false: 3}[a == f.inputs(0, control)]; n != want {
				t.Errorf("%d rows at %v", n, a)
			}
		}
	}
	if a := each.inputs(100, 25); math.Abs(a[0]-math.Log(1+25/least)) > 1e-15 || math.Abs(a[1]-math.Log(1+75/least)) > 1e-15 {
		t.Errorf("%v", a)
	}
	if a := mixture.inputs(100, 25); a[1] != 0.25 || math.Abs(a[0]-math.Log(1+100/least)) > 1e-15 {
		t.Errorf("%v", a)
	}
	s := splitOf(each, rand.New(rand.NewPCG(1, 1)), 36)
	if len(s.train) != 36 || len(s.test) != 144 {
		t.Fatalf("%d and %d rows", len(s.train), len(s.test))
	}
	var sum, squares [3]float64
	total := 0.0
	for _, p := range s.train {
		for k, v := range []float64{p.z[0], p.z[1], p.y} {
			sum[k] += v / 36
			squares[k] += v * v
		}
		total += s.sd * p.y
	}
	for k := range sum {
		if sd := math.Sqrt((squares[k] - 36*sum[k]*sum[k]) / 35); k < 2 && math.Abs(sum[k]) > 1e-12 || math.Abs(sd-1) > 1e-12 {
			t.Errorf("mean %g, standard deviation %g", sum[k], sd)
		}
	}
	for _, p := range s.test {
		total += s.sd * p.y
	}
	for _, r := range rows() {
		total -= r.growth
	}
	if math.Abs(total) > 1e-9 {
		t.Errorf("growth of the rows differs by %g", total)
	}
}

// Of a normal law the gait is known: mean curvature is the precision. Kills: the scale of another
// rung, a step that does not fall with the largest eigenvalue, temperatures that prior and
// likelihood share.
func TestGait(t *testing.T) {
	l := normal(mixture, nil, false)
	precise := func(grad, x []float64) float64 { // of parameter 0 alone
		clear(grad)
		grad[0] = 99 * x[0]
		return 99 * x[0] * x[0] / 2
	}
	l.Potential = potential.Func(dim, precise)
	rng := rand.New(rand.NewPCG(9, 10))
	beta := []float64{1, 0.25, 0}
	draws := make([][][]float64, len(beta))
	for r, b := range beta {
		for range 20_000 {
			x := make([]float64, dim)
			l.Base.Draw(x, rng)
			x[0] /= math.Sqrt(1 + 99*b)
			draws[r] = append(draws[r], x)
		}
	}
	p, err := gaitOf(l, beta, draws)
	if err != nil {
		t.Fatal(err)
	}
	// 20,000 draws give mean squares to 1 %, largest eigenvalues of 26 to about 8 %
	if math.Abs(p.Scale[0]-0.1) > 0.005 || math.Abs(p.Scale[1]-1) > 0.05 {
		t.Errorf("scales %g and %g", p.Scale[0], p.Scale[1])
	}
	for r, h := range p.Diffusion {
		if math.Abs(h/share-1) > 0.1 {
			t.Errorf("rung %d: %g", r, h)
		}
	}
}

// Predictions of two draws by hand. Kills: a density that is not averaged, the probability above.
func TestPredictive(t *testing.T) {
	d, below, mean := predictive(1, []float64{1, 3}, []float64{1, 2})
	want := math.Log((1 + math.Exp(-0.5)/2) / (2 * math.Sqrt(2*math.Pi)))
	if math.Abs(d-want) > 1e-12 || math.Abs(below-(0.5+0.15865525393145707)/2) > 1e-12 || mean != 2 {
		t.Errorf("%g, not %g; %g, %g", d, want, below, mean)
	}
}

// Marks of draws by hand. Kills: distances of other parameters, weights at the wall not told,
// units of standardised growth.
func TestMarks(t *testing.T) {
	e := effort{learn: 36}
	s := e.repetition(mixture, 1, 0)
	rng := rand.New(rand.NewPCG(11, 12))
	var chains [][][]float64
	for range 2 {
		var c [][]float64
		for range 10 {
			x := make([]float64, dim)
			x[0], x[atNoise] = 0.1*rng.NormFloat64(), 3
			for i := atV; i < atC; i++ {
				x[i] = 1
			}
			x[atV], x[atV+1], x[atW], x[atW+1] = 0, 0.005, 0.015, -0.005
			c = append(c, x)
		}
		chains = append(chains, c)
	}
	out := e.judge(s, chains, 1)
	m := out.Marks
	if math.Abs(m.Wall-1.0/12) > 1e-12 || math.Abs(m.Near-3.0/12) > 1e-12 || math.Abs(out.Shares[0]-3.0/12) > 1e-12 ||
		math.Abs(out.Shares[1]-1.0/12) > 1e-12 || out.Rays != nil {
		t.Errorf("%+v", out)
	}
	if m.Somehow != 0 || m.Rising != 0 { // the unit of the negative weight counts for nothing
		t.Errorf("rising: %+v", m)
	}
	chains[0][0][atV] = -1
	chains[0][0][atW] = 5
	if m = e.judge(s, chains, 0).Marks; math.Abs(m.Somehow-1.0/20) > 1e-12 || !(m.Rising > 0 && m.Rising < 1.0/20) {
		t.Errorf("rising: %+v", m)
	}
	sum := 0.0
	for _, r := range rows() {
		sum += r.growth * r.growth
	}
	if rms := math.Sqrt(sum / 180); !(m.RMSE > 0.01 && m.RMSE < 20*rms) {
		t.Errorf("rmse %g", m.RMSE)
	}
}

// Clipping moves negative weights alone. Kills: offsets clipped.
func TestClip(t *testing.T) {
	x := slices.Repeat([]float64{-1}, dim)
	x[atV] = 2
	clip(each, x)
	for i, v := range x {
		if want := map[bool]float64{true: 0, false: -1}[each.walled(i)]; i != atV && v != want || i == atV && v != 2 {
			t.Errorf("parameter %d: %g", i, v)
		}
	}
}

// Walls are those of v and of the weights of doses, and of nothing else. Kills: a wall too many or
// too few.
func TestWalls(t *testing.T) {
	for f, last := range map[form]int{mixture: atW + units, each: atC} {
		l, err := constrained(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range dim {
			x := slices.Repeat([]float64{1}, dim)
			x[i] = -1
			if within := i < atV || i >= last; l.Domain.Contains(x) != within {
				t.Errorf("form %d: parameter %d below 0 is within: %v", f, i, !within)
			}
		}
	}
}
