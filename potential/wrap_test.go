package potential

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/stream"
)

// uneven is a potential without symmetry whose gradient is known.
var uneven = Func(3, func(grad, x []float64) float64 {
	e := math.Exp(0.3 * x[0])
	grad[0], grad[1], grad[2] = 0.3*e+x[1], x[0]+2*x[1]*x[2], x[1]*x[1]+math.Cos(x[2])
	return e + x[0]*x[1] + x[1]*x[1]*x[2] + math.Sin(x[2])
})

// A function of blocks makes what one of states makes, for any number of states, and
// what wraps one wraps the other.
func TestFromBatch(t *testing.T) {
	blocks := FromBatch(3, func(energy, grad, x []float64) {
		n := len(energy)
		for i := range n {
			a, b, c := x[i], x[n+i], x[2*n+i]
			e := math.Exp(0.3 * a)
			energy[i] = e + a*b + b*b*c + math.Sin(c)
			grad[i], grad[n+i], grad[2*n+i] = 0.3*e+b, a+2*b*c, b*b+math.Cos(c)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.IntRange(1, 5).Draw(t, "states")
		x := rapid.SliceOfN(rapid.Float64Range(-2, 2), 3*r, 3*r).Draw(t, "x")
		eval := func(p Potential) (energy, grad []float64) {
			energy, grad = make([]float64, r), make([]float64, 3*r)
			Noisy(p, 0.5, 0.5).Evaluator(r, stream.New(1, 0)).Eval(energy, grad, x)
			return energy, grad
		}
		energy, grad := eval(blocks)
		wantEnergy, wantGrad := eval(uneven)
		if !slices.Equal(energy, wantEnergy) || !slices.Equal(grad, wantGrad) {
			t.Fatalf("blocks give %v, %v, states %v, %v", energy, grad, wantEnergy, wantGrad)
		}
	})
}

// U(c + Lz) has the gradient Lᵀ∇U, for any number of states, L without symmetry.
// Central differences of step 1e-5 are good to 1e-8 here; L in place of Lᵀ is off
// by the asymmetry of L.
func TestAffineGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-1, 1)
		l := make([][]float64, 3)
		c := make([]float64, 3)
		for i := range l {
			c[i] = number.Draw(t, "c")
			for range 3 {
				l[i] = append(l[i], number.Draw(t, "l"))
			}
		}
		r := rapid.IntRange(1, 4).Draw(t, "states")
		p := Affine(uneven, c, l)
		e := p.Evaluator(r, nil)
		z, grad, energy := make([]float64, 3*r), make([]float64, 3*r), make([]float64, r)
		for k := range z {
			z[k] = number.Draw(t, "z")
		}
		e.Eval(energy, grad, z)
		up, down, scratch := make([]float64, r), make([]float64, r), make([]float64, 3*r)
		for j := range 3 {
			for i := range r {
				k := j*r + i
				const h = 1e-5
				at := z[k]
				z[k] = at + h
				e.Eval(up, scratch, z)
				z[k] = at - h
				e.Eval(down, scratch, z)
				z[k] = at
				if want := (up[i] - down[i]) / (2 * h); math.Abs(grad[k]-want) > 1e-7 {
					t.Fatalf("∂/∂z%d of state %d is %v, differences say %v", j, i, grad[k], want)
				}
			}
		}
	})
}

// Noise has the stated standard deviations, on every gradient and energy, drawn
// independently per state: 60,000 normals have a variance within 5.3·sqrt(2/n) of
// the truth with false alarm 1.2e-7 each.
func TestNoisy(t *testing.T) {
	const r, calls = 2, 30_000
	p := Noisy(Func(2, func(grad, _ []float64) float64 { grad[0], grad[1] = 1, 2; return 3 }), 0.5, 2)
	e := p.Evaluator(r, stream.New(1, 0))
	grad, energy := make([]float64, 2*r), make([]float64, r)
	var g, u, cross float64
	for range calls {
		e.Eval(energy, grad, make([]float64, 2*r))
		for i := range r {
			g += (grad[i] - 1) * (grad[i] - 1) / 0.25
			u += (energy[i] - 3) * (energy[i] - 3) / 4
		}
		cross += (grad[0] - 1) * (grad[1] - 1) / 0.25
	}
	n := float64(r * calls)
	for what, z := range map[string]float64{"gradient": (g - n) / math.Sqrt(2*n), "energy": (u - n) / math.Sqrt(2*n),
		"between states": cross / math.Sqrt(calls)} {
		if math.Abs(z) > 5.3 {
			t.Errorf("%s: z = %.1f", what, z)
		}
	}
	if _, ok := Noisy(uneven, 0, 0).(scalar); !ok {
		t.Error("no noise is not the potential itself")
	}
}

// The penalty pulls outside states to the origin and leaves energies alone.
func TestPenalised(t *testing.T) {
	p := Penalised(uneven, 7, func(x []float64) bool { return x[0] > 1 })
	e, plain := p.Evaluator(2, nil), uneven.Evaluator(2, nil)
	x := []float64{2, 0.5, 3, 3, -1, -1}
	grad, want := make([]float64, 6), make([]float64, 6)
	energy, u := make([]float64, 2), make([]float64, 2)
	e.Eval(energy, grad, x)
	plain.Eval(u, want, x)
	for k := range grad {
		if k%2 == 0 {
			want[k] += 7 * x[k]
		}
		if math.Abs(grad[k]-want[k]) > 1e-12 {
			t.Errorf("gradient %d: %v, want %v", k, grad[k], want[k])
		}
	}
	if energy[0] != u[0] || energy[1] != u[1] {
		t.Error("the penalty changed an energy")
	}
}
