package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/potential"
)

const groupedRows = "y,v,g\n1.2,0.3,A\n-0.4,1.1,B\n2.5,-0.2,C\n0.7,0.4,A\n"

// standardModels have priors by location and scale of other parameters.
var standardModels = map[string][]Parameter{
	"groups":  {wide("m", "normal(0, 2)"), {Name: "s", Prior: "half_normal(1)", Max: math.Inf(1)}, wide("c[g]", "normal(m, s)")},
	"nested":  {wide("m", "normal(0, 2)"), wide("t", "lognormal(0, 1)"), wide("d[2]", "normal(m, t)"), wide("c[g]", "laplace(d[1] - d[2], exp(d[2]))")},
	"heavy":   {wide("m", "cauchy(0, 2)"), wide("t", "gamma(2, 1)"), wide("c[g]", "student_t(3, m, 2*t)")},
	"logical": {wide("t", "gamma(2, 1)"), wide("c[g]", "logistic(t, t)"), wide("e[2]", "cauchy(c[A], t)")},
	"joint": {wide("m[2]", "normal(0, 2)"), wide("t[2]", "lognormal(0, 1)"), {Name: "L", Shape: "cholesky_corr(2)", Min: math.Inf(-1), Max: math.Inf(1)},
		wide("c[g, 2]", "multi_normal_cholesky(m, diag_pre_multiply(t, L))")},
}

func standardOf(t *testing.T, name string, parameters []Parameter) *Posterior {
	t.Helper()
	eta := "c[g]"
	if name == "joint" {
		eta = "c[g, 1] + c[g, 2]*v"
	}
	p, err := Build(Model{Parameters: slices.Clone(parameters), Likelihood: []string{"y ~ normal(" + eta + ", 0.7)"}},
		strings.NewReader(groupedRows), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In standard coordinates −log of the density is that of the parameters less the logarithm of the determinant, which finite
// differences of the chart give; gradients are those of finite differences, and coordinates go there and back. Draws of the base
// law have the density of the priors: scaled coordinates are as far out as their law says, whatever the scale.
func TestStandardCoordinates(t *testing.T) {
	for name, parameters := range standardModels {
		p := standardOf(t, name, parameters)
		d := len(p.Names)
		lo, hi := make([]float64, d), make([]float64, d)
		for j := range lo {
			lo[j], hi[j] = p.Prior.Lower[j], p.Prior.Upper[j]
		}
		base, left, chart := p.Standard(lo, hi)
		if chart == nil {
			t.Fatalf("%s: no chart", name)
		}
		whole, err := potential.Sum(left, base.Potential)
		if err != nil {
			t.Fatal(err)
		}
		eval := func(u potential.Potential, x []float64) (float64, []float64) {
			e, g := []float64{0}, make([]float64, d)
			u.Evaluator(1, nil).Eval(e, g, x)
			return e[0], g
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			x, y, back := make([]float64, d), make([]float64, d), make([]float64, d)
			base.Draw(y, rng)
			chart.Point(x, y)
			chart.Coordinates(back, x)
			u, _ := eval(p.Potential, x)
			v, g := eval(whole, y)
			log := 0.0 // of the determinant, of a triangular matrix in some order of the coordinates
			for j := range y {
				if math.Abs(back[j]-y[j]) > 1e-9*(1+math.Abs(y[j])) {
					t.Errorf("%s: %s is %v, and back %v", name, p.Names[j], y[j], back[j])
				}
				h := 1e-6 * (1 + math.Abs(y[j]))
				up, down := slices.Clone(y), slices.Clone(y)
				up[j], down[j] = y[j]+h, y[j]-h
				a, b := make([]float64, d), make([]float64, d)
				chart.Point(a, up)
				chart.Point(b, down)
				log += math.Log((a[j] - b[j]) / (2 * h))
				va, _ := eval(whole, up)
				vb, _ := eval(whole, down)
				if slope := (va - vb) / (2 * h); !(math.Abs(slope-g[j]) <= 1e-4*(1+math.Abs(slope)+math.Abs(v))) {
					t.Errorf("%s: slope by %s is %v, by differences %v", name, p.Names[j], g[j], slope)
				}
			}
			if !(math.Abs(v-(u-log)) <= 1e-6*(1+math.Abs(u))) {
				t.Errorf("%s: energy %v, of the parameters %v less %v", name, v, u, log)
			}
		}
	}
}

// Laws of no location and scale, covariances, scales of a shape, and entries with walls have no standard coordinates.
func TestNoStandardCoordinates(t *testing.T) {
	for why, c := range map[string]Parameter{
		"a wall": {Name: "c[g]", Prior: "normal(m, s)", Min: 0, Max: math.Inf(1)}, "positive": wide("c[g]", "gamma(2, s)"),
		"a shape": wide("c[g]", "student_t(s, m, s)"), "numbers alone": wide("c[g]", "normal(0, 1)"), "cut off": wide("c[g]", "lognormal(m, s)"),
	} {
		p := standardOf(t, why, []Parameter{wide("m", "normal(0, 1)"), {Name: "s", Prior: "half_normal(1)", Max: math.Inf(1)}, c})
		lo, hi := slices.Clone(p.Prior.Lower), slices.Clone(p.Prior.Upper)
		if _, _, chart := p.Standard(lo, hi); chart != nil {
			t.Errorf("%s: a chart", why)
		}
	}
}
