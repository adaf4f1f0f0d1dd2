package mixing

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/reversible"
	"github.com/r2sgld/r2sgld/internal/study"
)

// Reversibility compares swaps at rate r·min(1, S) with swaps at rate r·S.
type Reversibility struct {
	Name      string     `json:"name"`
	Cells     int        `json:"cells"` // of the interval
	Tau       [2]float64 `json:"temperature"`
	Intensity float64    `json:"intensity"`
	Capped    Balance    `json:"capped"`  // rate r·min(1, S)
	Printed   Balance    `json:"printed"` // rate r·S
}

// A Balance is how far a process is from being reversible with the law π.
type Balance struct {
	Defect float64 `json:"defect"`        // largest |π_x q_xy − π_y q_yx| over the larger of both, of swaps
	Drift  float64 `json:"drift"`         // ½ Σ |Σ_x π_x q_xy|: how fast the law moves away from π, 1/time
	Law    float64 `json:"law_off"`       // total variation between the law that stays and π
	Energy float64 `json:"energy_change"` // mean energy of the cold rung in that law less that in π
}

// reversibility looks at both kinds of swaps.
func (e effort) reversibility(ctx context.Context, o study.Options) ([]Reversibility, error) {
	wide, err := interval(-2, 2)
	if err != nil {
		return nil, err
	}
	var all []problem
	for _, r := range []float64{1, 100} {
		all = append(all, problem{"double well on [−2, 2]", well(), wide, []float64{1, 5}, r},
			problem{"25 modes, a slice on [−2, 2]", modes(1), wide, []float64{1, 10}, r})
	}
	return each(ctx, o, "reversibility", len(all), func(ctx context.Context, i int) (Reversibility, error) {
		return all[i].balances(ctx, e.reversible)
	})
}

// balances compares the kinds of swaps on n cells.
func (p problem) balances(ctx context.Context, n int) (Reversibility, error) {
	out := Reversibility{Name: p.name, Cells: n, Tau: [2]float64(p.tau), Intensity: p.intensity}
	with, err := p.process(ctx, n)
	if err != nil {
		return out, err
	}
	u := with.Rungs[0].Energy
	beta := 1/p.tau[0] - 1/p.tau[1]
	printed := rates(with.Alone)
	cold := make([]float64, n*n)
	for i := range n {
		for j := range n {
			cold[i*n+j] = u[i]
			if x, y := i*n+j, j*n+i; x != y {
				s := p.intensity * math.Exp(beta*(u[i]-u[j]))
				printed.Set(x, y, printed.At(x, y)+s)
				printed.Set(x, x, printed.At(x, x)-s)
			}
		}
	}
	if out.Printed, err = balanceOf(printed, with.Chain.Mass(), cold); err != nil {
		return out, fmt.Errorf("%s: %w", p.name, err)
	}
	if out.Capped, err = balanceOf(rates(with.Chain), with.Chain.Mass(), cold); err != nil {
		return out, fmt.Errorf("%s: %w", p.name, err)
	}
	return out, nil
}

// rates are those of the generator, row x from state x, as the chain applies them.
func rates(c *reversible.Chain) *mat.Dense {
	n := c.Len()
	out := mat.NewDense(n, n, nil)
	unit, column := make([]float64, n), make([]float64, n)
	for y := range n {
		unit[y] = 1
		c.Apply(column, unit)
		out.SetCol(y, column)
		unit[y] = 0
	}
	return out
}

// balanceOf compares the rates q with the law pi; u is the cold energy of a state.
func balanceOf(q *mat.Dense, pi, u []float64) (Balance, error) {
	n := len(pi)
	var b Balance
	for x := range n {
		flow := 0.0
		for y := range n {
			there, back := pi[x]*q.At(x, y), pi[y]*q.At(y, x)
			flow += back
			if x != y && there > 0 {
				b.Defect = math.Max(b.Defect, math.Abs(there-back)/math.Max(there, back))
			}
		}
		b.Drift += math.Abs(flow) / 2
	}
	law, err := stationary(q)
	if err != nil {
		return b, err
	}
	for x, v := range law {
		b.Law += math.Abs(v-pi[x]) / 2
		b.Energy += (v - pi[x]) * u[x]
	}
	return b, nil
}

// stationary solves Σ_x p_x q_xy = 0 with Σ p = 1.
func stationary(q *mat.Dense) ([]float64, error) {
	n, _ := q.Dims()
	a := mat.DenseCopyOf(q.T())
	for y := range n {
		a.Set(n-1, y, 1)
	}
	right := mat.NewVecDense(n, nil)
	right.SetVec(n-1, 1)
	var p mat.VecDense
	if err := p.SolveVec(a, right); err != nil {
		if _, poor := err.(mat.Condition); !poor {
			return nil, fmt.Errorf("the law that stays: %w", err)
		}
	}
	return p.RawVector().Data, nil
}
