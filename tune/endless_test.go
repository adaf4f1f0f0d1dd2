package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// Tails that end with the draws and not with the density are told, by sides; those of laws
// with heavy tails, which fall as their draws do, are not, at any temperature, nor is what a
// wall ends. Draws are independent, so that a law is told by chance once in three million.
//
// Where ladders begin at a law, its slopes count, and those of the rest alone would be told.
//
// Ladders that have not come to agree, and where no slope keeps them, are told as well.
//
// Mutants it kills: slopes left out; the temperature left out; walls that are not looked at; a law that ladders
// begin at left out, or in place of the rest.
func TestEndlessTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	student := func(nu float64) func(x []float64) { // by normals over roots of gamma numbers of whole degrees
		return func(x []float64) {
			chi := 0.0
			for range int(nu) {
				z := rng.NormFloat64()
				chi += z * z
			}
			for j := range x {
				x[j] = rng.NormFloat64() * math.Sqrt(nu/chi)
			}
		}
	}
	studentU := func(nu, tau float64) func(grad, x []float64) float64 {
		return func(grad, x []float64) float64 {
			s, k := 0.0, tau*(nu+float64(len(x)))/2
			for _, v := range x {
				s += v * v / nu
			}
			for j, v := range x {
				grad[j] = k * 2 * v / nu / (1 + s)
			}
			return k * math.Log1p(s)
		}
	}
	hyperbola := func(grad, x []float64) float64 {
		w := x[0]*x[1] - 1
		grad[0], grad[1] = 2*w*x[1], 2*w*x[0]
		return w * w
	}
	arm := func(x []float64) { // as far as a run came: the law of log x is uniform
		x[0] = math.Exp(10 * rng.Float64())
		x[1] = (1 + rng.NormFloat64()/math.Sqrt2) / x[0]
	}
	constant := func(grad, x []float64) float64 {
		clear(grad)
		return 0
	}
	at := 1000.0
	walk := func(x []float64) { // as far as a run came
		at += rng.NormFloat64()
		x[0] = at
	}
	ridge := func(grad, x []float64) float64 { // flat where the sum of both is 3
		w := x[0] + x[1] - 3
		grad[0], grad[1] = w, w
		return w * w / 2
	}
	along := func(x []float64) {
		at += rng.NormFloat64()
		x[0] = -at
		x[1] = 3 + at + rng.NormFloat64()
	}
	n := 0
	apart := func(x []float64) { // two chains stay in each mode
		x[0] = 20*float64(n/6000%2) - 10 + rng.NormFloat64()
		n++
	}
	modes := func(grad, x []float64) float64 {
		u := math.Min((x[0]-10)*(x[0]-10), (x[0]+10)*(x[0]+10)) / 2
		grad[0] = x[0] - math.Copysign(10, x[0])
		return u
	}
	wall := func(at float64) domain.Domain {
		box, err := domain.NewBox([]float64{-at, math.Inf(-1)}, []float64{at, math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		return box
	}
	wall1, err := domain.NewBox([]float64{-1e6}, []float64{1e6})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		d      int
		u      func(grad, x []float64) float64
		draw   func(x []float64)
		tau    float64
		domain domain.Domain
		want   string
		base   func(grad, x []float64) float64
	}{
		{"normal", 2, func(grad, x []float64) float64 {
			copy(grad, x)
			return (x[0]*x[0] + x[1]*x[1]) / 2
		}, func(x []float64) { x[0], x[1] = rng.NormFloat64(), rng.NormFloat64() }, 1, nil, "[]", nil},
		{"Student's with 3 degrees", 1, studentU(3, 1), student(3), 1, nil, "[]", nil},
		{"Cauchy", 1, studentU(1, 1), student(1), 1, nil, "[]", nil},
		{"Cauchy of three", 3, studentU(1, 1), student(1), 1, nil, "[]", nil},
		{"Cauchy at another temperature", 1, studentU(1, 0.2), student(1), 0.2, nil, "[]", nil},
		{"Cauchy draws of a constant", 1, constant, student(1), 1, nil,
			"[{0 true} {0 false}]", nil},
		{"hyperbola", 2, hyperbola, arm, 1, nil, "[{0 true}]", nil},
		{"hyperbola in a box", 2, hyperbola, arm, 1, wall(1e5), "[]", nil},
		{"a constant, from Cauchy's", 1, constant, student(1), 1, nil, "[]", studentU(1, 1)},
		{"half of Cauchy's twice", 1, studentU(1, 0.1), student(1), 0.2, nil, "[]", studentU(1, 0.5)},
		{"a walk on a constant", 1, constant, walk, 1, nil, "[{0 true}]", nil},
		{"a walk along a ridge", 2, ridge, along, 1, nil, "[{0 false} {1 true}]", nil},
		{"a walk on a constant between walls", 1, constant, walk, 1, wall1, "[]", nil},
		{"a walk on a constant, from a normal law", 1, constant, apart, 1, nil, "[]", modes},
		{"two modes of chains apart", 1, modes, apart, 1, nil, "[]", nil},
		{"hyperbola, from a constant", 2, hyperbola, arm, 1, nil, "[{0 true}]", constant},
	} {
		t.Run(c.name, func(t *testing.T) {
			chains := make([][]float64, 4)
			x := make([]float64, c.d)
			for i := range chains {
				for range 3000 {
					c.draw(x)
					chains[i] = append(chains[i], x...)
				}
			}
			p := r2sgld.Problem{Potential: potential.Func(c.d, c.u), Domain: c.domain}
			if c.base != nil {
				p.Base = &r2sgld.Base{Potential: potential.Func(c.d, c.base)}
			}
			if got := fmt.Sprint(EndlessTails(t.Context(), p, r2sgld.Settings{Temperature: []float64{c.tau}}, chains)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
