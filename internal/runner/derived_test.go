package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/report"
)

// loud is a program with outputs of all kinds: the cube of the state, its sign, what is drawn, what is no number
// at times, and the state itself.
type loud struct{ asked int }

func (*loud) OutputNames() []string { return []string{"cube", "sign", "drawn", "root", "x"} }

func (l *loud) Outputs(states [][]float64, seed int64) (out [][]float64, _ error) {
	l.asked++
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	for _, s := range states {
		out = append(out, []float64{s[0] * s[0] * s[0], math.Copysign(1, s[0]), rng.NormFloat64(), math.Sqrt(s[0]), s[0]})
	}
	return out, nil
}

// The stopping rule is asked of outputs that follow from states, are numbers and vary, of the program alone, and
// none that is a coordinate. The program is asked once for the same draws. Mutants: outputs that are drawn; of few
// values; that are no numbers; formulas; asked again for the summary; those of fewer draws.
func TestFurther(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	res := func(n int) *r2sgld.Result {
		out := &r2sgld.Result{Names: []string{"x"}}
		for range 2 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			out.Ladders = append(out.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, n)}},
				Stride: 1, Iterations: n})
		}
		return out
	}
	of := new(loud)
	x := &execution{Job: &Job{Outputs: of, Program: of.OutputNames()}}
	for i, n := range []int{100, 300} {
		draws := res(n)
		got, err := x.further(draws)
		if err != nil || len(got) != 1 || len(got[0]) != 2 {
			t.Fatalf("%v, %v", got, err)
		}
		for c, chain := range draws.Chains(0) {
			want := make([]float64, n)
			for k, v := range chain {
				want[k] = v * v * v
			}
			if !slices.Equal(got[0][c], want) {
				t.Errorf("%d draws, chain %d: %v", n, c, got[0][c])
			}
		}
		if _, err := x.follow(draws); err != nil || of.asked != i+1 {
			t.Errorf("%v; asked %d times after %d rounds", err, of.asked, i+1)
		}
	}
	x.Program = []string{"sign"}
	if got, err := x.further(res(400)); err != nil || got != nil {
		t.Errorf("of a program that has another output: %v, %v", got, err)
	}
}

// Doubts are told of outputs that tell how chains mix, unless parameters are told not to mix: not of those that are
// drawn. Mutants: outputs that are drawn; beside those of parameters; not where tails of parameters are heavy.
func TestDoubtsOfOutputs(t *testing.T) {
	good := report.Parameter{Name: "x", SD: 1, RHat: 1, ESSBulk: 500, ESSTail: 500}
	wide, apart := good, good
	wide.MCSESD, apart.RHat = 0.1, 1.2
	x := &execution{Job: &Job{}, followed: &followed{tell: []bool{false, true}}}
	for _, c := range []struct {
		parameter report.Parameter
		want      bool
	}{{good, true}, {wide, true}, {apart, false}} {
		sum := &report.Summary{Parameters: []report.Parameter{c.parameter}, Outputs: []report.Parameter{wide, wide}}
		sum.Outputs[1].Name = "y"
		got := x.doubtful(sum)
		if told := len(got) == 1 && strings.HasPrefix(got[0], "y: the sd is known to 10 % only"); told != c.want || len(got) > 1 {
			t.Errorf("%+v: %q", c.parameter, got)
		}
	}
}
