package expression

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lotkaVolterra(t testing.TB) *System {
	t.Helper()
	s, err := CompileSystem([]string{"H*(alpha - beta*L)", "L*(-gamma + delta*H)"},
		[]string{"H", "L", "alpha", "beta", "gamma", "delta"}, []string{"H", "L"}, []string{"alpha", "beta", "gamma", "delta"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSystemOfLotkaAndVolterra(t *testing.T) {
	e := lotkaVolterra(t).Evaluator()
	copy(e.Input, []float64{30, 4, 0.5, 0.03, 0.8, 0.02})
	e.Jacobians()
	for _, c := range []struct{ got, want []float64 }{
		{e.Value, []float64{30 * (0.5 - 0.12), 4 * (-0.8 + 0.6)}},
		{e.Jacobian[0], []float64{0.5 - 0.12, -0.9, 0.08, -0.2}},
		{e.Jacobian[1], []float64{30, -120, 0, 0, 0, 0, -4, 120}},
	} {
		for i := range c.want {
			if math.Abs(c.got[i]-c.want[i]) > 1e-14*(1+math.Abs(c.want[i])) {
				t.Errorf("%v, want %v", c.got, c.want)
				break
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { e.Values(); e.Jacobians() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// sameNumbers compares a system with a function for each formula: values bit
// for bit, which kills registers that are freed too soon and copies that come
// too late; derivatives to 1e-9, as they may be rewritten otherwise. Within a block
// a state has the same bits.
func sameNumbers(t interface{ Fatalf(string, ...any) }, src, variables []string, x []float64, s *System) {
	e := s.Evaluator()
	copy(e.Input, x)
	e.Values()
	values := slices.Clone(e.Value)
	e.Jacobians()
	b := s.Block(3)
	for j, v := range x {
		copy(b.Input[3*j:], []float64{-v, v, v + 1})
	}
	b.Jacobians()
	for k, j := range append(e.Jacobian, e.Value) {
		for i, v := range j {
			w := append(b.Jacobian, b.Value)[k][3*i+1]
			if math.Float64bits(v) != math.Float64bits(w) && (v == v || w == w) {
				t.Fatalf("%q at %v: %v alone, %v in a block", src, x, v, w)
			}
		}
	}
	value, grad := make([]float64, 1), make([]float64, len(variables))
	for i, text := range src {
		f, err := Compile(text, variables)
		if err != nil {
			t.Fatalf("%v", err)
		}
		f.Evaluator(1).Gradient(value, grad, x)
		for _, v := range []float64{values[i], e.Value[i]} {
			if math.Float64bits(v) != math.Float64bits(value[0]) && !(v != v && value[0] != value[0]) {
				t.Fatalf("%q at %v: %v, as a function %v", text, x, v, value[0])
			}
		}
		for j, g := range grad {
			group, k, n := 0, j, 1
			if j > 0 {
				group, k, n = 1, j-1, len(variables)-1
			}
			v := e.Jacobian[group][i*n+k]
			if !(math.Abs(v-g) <= 1e-9*(1+math.Abs(g))) && !(v != v && g != g) && v != g {
				t.Fatalf("%q by %s at %v: %v, as a function %v", text, variables[j], x, v, g)
			}
		}
	}
}

func TestSystemEqualsFunctions(t *testing.T) {
	variables := []string{"x", "y", "a", "b"}
	atoms := append([]string{"1", "2.5", "0.3"}, variables...)
	formula := func(t *rapid.T) string {
		var write func(depth int) string
		write = func(depth int) string {
			if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
				return rapid.SampledFrom(atoms).Draw(t, "atom")
			}
			switch k := rapid.IntRange(0, 7).Draw(t, "kind"); k {
			case 0:
				return "(" + write(depth-1) + ")^" + fmt.Sprint(rapid.IntRange(2, 5).Draw(t, "power"))
			case 1:
				return rapid.SampledFrom([]string{"sin", "cos", "exp", "tanh", "abs", "sigmoid"}).Draw(t, "function") + "(" + write(depth-1) + ")"
			case 2:
				return "max(" + write(depth-1) + ", " + write(depth-1) + ")"
			default:
				return "(" + write(depth-1) + rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "operator") + write(depth-1) + ")"
			}
		}
		return write(4)
	}
	rapid.Check(t, func(t *rapid.T) {
		src := make([]string, rapid.IntRange(1, 4).Draw(t, "formulas"))
		for i := range src {
			src[i] = formula(t)
		}
		s, err := CompileSystem(src, variables, variables[:1], variables[1:])
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, len(variables))
		for j := range x {
			x[j] = rapid.Float64Range(-2, 2).Draw(t, "x")
		}
		sameNumbers(t, src, variables, x, s)
	})
}

// A tape with more registers than the quick interpreter has.
func TestWideSystem(t *testing.T) {
	variables := []string{"x"}
	x := []float64{0.3}
	for i := range 90 {
		variables = append(variables, fmt.Sprintf("p%d", i))
		x = append(x, float64(i)/17)
	}
	var src []string
	for i := range 60 {
		src = append(src, fmt.Sprintf("sin(x*p%d) + %s", i, strings.Join(variables[i:i+30], "*x + ")))
	}
	s, err := CompileSystem(src, variables, variables[:1], variables[1:])
	if err != nil {
		t.Fatal(err)
	}
	if s.tape.registers <= fewRegisters {
		t.Fatalf("%d registers", s.tape.registers)
	}
	sameNumbers(t, src, variables, x, s)
}

func TestSystemErrors(t *testing.T) {
	_, err := CompileSystem([]string{"x", "x + z", "sin("}, []string{"x"})
	var e *SystemError
	if !errors.As(err, &e) || e.Formula != 1 || !strings.Contains(err.Error(), `"z" is not defined`) || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("%v", err)
	}
	if _, err := CompileSystem([]string{"x"}, []string{"x"}, []string{"y"}); err == nil {
		t.Error("differentiated by an unknown variable")
	}
}

func BenchmarkSystem(b *testing.B) {
	e := lotkaVolterra(b).Evaluator()
	copy(e.Input, []float64{30, 4, 0.5, 0.03, 0.8, 0.02})
	b.Run("values", func(b *testing.B) {
		for b.Loop() {
			e.Values()
		}
	})
	b.Run("jacobians", func(b *testing.B) {
		for b.Loop() {
			e.Jacobians()
		}
	})
}
