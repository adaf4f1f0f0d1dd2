package quadrature_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/quadrature"
	"github.com/r2sgld/r2sgld/potential"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// formula is the potential of a formula of x and y.
func formula(s string) potential.Potential {
	return potential.FromExpression(must(expression.Compile(s, []string{"x", "y"})))
}

const modes25 = "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"

// shape is one of the five plane domains of radius 2.
func shape(name string) domain.Domain {
	switch name {
	case "flower":
		return must(domain.NewFlower(5, 3, 2))
	case "heart":
		return must(domain.NewHeart(2))
	case "octagon":
		return must(domain.NewOctagon(2))
	case "cross":
		return must(domain.NewCross(2))
	case "star":
		return must(domain.NewStar(2))
	}
	panic("no shape " + name)
}

var shapes = []string{"flower", "heart", "octagon", "cross", "star"}

func region(t testing.TB, u string, d domain.Domain) *quadrature.Region {
	t.Helper()
	r, err := quadrature.New(formula(u), d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		if err := r.Err(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g within %g: off by %.2g", what, got, want, tol, got-want)
	}
}

type published struct {
	Area, Perimeter float64
	Tau1            map[string]float64 `json:"tau1"`
	Tau10           map[string]float64 `json:"tau10"`
	Swap            float64            `json:"swap_acceptance_tau1_tau10"`
	Barrier         float64            `json:"Lambda_tau10_to_tau1"`
	Local           map[string]float64 `json:"lambda_local_at_beta"`
	Mass            [][]float64        `json:"mode_mass_tau1_rows_y_-2..2_cols_x_-2..2"`
	Outside         float64            `json:"mass_outside_25_cells"`
	Uniform         map[string]float64 `json:"uniform_on_domain"`
}

func byKey(m quadrature.Moments) map[string]float64 {
	return map[string]float64{"Z": m.Z, "mean_U": m.MeanU, "sd_U": m.SDU, "mean_x": m.MeanX, "mean_y": m.MeanY,
		"sd_x": m.SDX, "sd_y": m.SDY, "mean_r2": m.MeanR2}
}

// Every number of an independent computation to 1e-6. It kills a cell counted
// twice, a part of a cell at the wall left out, a wrong sign of a branch, cells
// indexed by columns, U' of the wrong temperature in the swap and a barrier
// without its half.
func TestReference(t *testing.T) {
	const tol = 1e-6
	var all map[string]json.RawMessage
	if err := json.Unmarshal(must(os.ReadFile("testdata/multimodal.json")), &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"flower", "octagon"} {
		var want published
		if err := json.Unmarshal(all[name], &want); err != nil {
			t.Fatal(err)
		}
		r := region(t, modes25, shape(name))
		near(t, name+": area", r.Area(), want.Area, tol)
		near(t, name+": perimeter", r.Perimeter(), want.Perimeter, tol)
		for tau, moments := range map[float64]map[string]float64{1: want.Tau1, 10: want.Tau10, math.Inf(1): want.Uniform} {
			got := byKey(r.Moments(tau))
			for key, v := range moments {
				if g, ok := got[key]; !ok {
					t.Errorf("%s: there is no moment %q", name, key)
				} else {
					near(t, fmt.Sprintf("%s: %s at τ = %v", name, key, tau), g, v, tol)
				}
			}
		}
		near(t, name+": swap probability", r.SwapProbability(1, 10), want.Swap, tol)
		near(t, name+": Λ", r.Barrier(1, 10), want.Barrier, tol)
		for beta, v := range want.Local {
			var b float64
			must(fmt.Sscan(beta, &b))
			// Published with six digits: half a unit of the last one is added.
			unit := math.Pow(10, math.Floor(math.Log10(v))-5)
			near(t, name+": local barrier at β = "+beta, r.LocalBarrier(b), v, tol+0.5*unit)
		}
		outside := 1.0
		for i, m := range r.Masses(1, quadrature.Grid{X0: -2.5, Y0: -2.5, DX: 1, DY: 1, NX: 5, NY: 5}) {
			near(t, fmt.Sprintf("%s: mass of cell (%d, %d)", name, i%5-2, i/5-2), m, want.Mass[i/5][i%5], 1e-8)
			outside -= m
		}
		near(t, name+": mass outside the 25 cells", outside, want.Outside, 1e-9)
	}
}
