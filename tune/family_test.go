package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
)

const exactDraws = 200_000 // that tell the weights

// A member of the family of random mixtures: its law, cut by a domain, and the weights that
// its parts have there.
type member struct {
	name   string
	p      r2sgld.Problem
	start  []float64
	law    modes.Mixture
	weight []float64
}

// mixtures draws a member: 2 to 8 round or stretched normal laws in 2 to 30 dimensions, of
// widths within 1 : 5, in a box, a ball, a simplex, a polytope or a half-space.
func mixtures(t *testing.T, seed uint64) member {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	d := 2 + rng.IntN(29)
	k := 2 + rng.IntN(7)
	kinds := []string{"box", "ball", "simplex", "polytope", "half-space"}
	m := member{name: kinds[rng.IntN(len(kinds))]}
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range d {
		lo[j], hi[j] = -10, 10
	}
	var dom domain.Domain
	var err error
	scale := 1.0
	switch m.name {
	case "box":
		dom, err = domain.NewBox(lo, hi)
	case "ball":
		dom, err = domain.NewBall(make([]float64, d), 10*math.Sqrt(float64(d)/3))
	case "simplex":
		dom, err = domain.NewSimplex(d, 1)
		scale = 1 / (40 * float64(d))
	case "polytope":
		a, b := make([][]float64, 0), make([]float64, 0)
		for j := range d {
			for _, sign := range []float64{-1, 1} {
				row := make([]float64, d)
				row[j] = sign
				a, b = append(a, row), append(b, 10)
			}
		}
		for range 3 {
			row := make([]float64, d)
			for j := range row {
				row[j] = rng.NormFloat64() / math.Sqrt(float64(d))
			}
			a, b = append(a, row), append(b, 6)
		}
		dom, err = domain.NewPolytope(a, b, nil)
	case "half-space":
		row := make([]float64, d)
		row[0] = -1
		dom, err = domain.NewHalfSpace(row, 0)
		m.start = make([]float64, d)
		m.start[0] = 1
	}
	if err != nil {
		t.Fatal(err)
	}
	law, err := domain.Uniform(context.Background(), dom)
	rest := 0.0
	for range k {
		c := make([]float64, d)
		if err == nil && law != nil {
			if err := law.Draw(context.Background(), c, rng); err != nil {
				t.Fatal(err)
			}
		} else {
			for j := range c {
				c[j] = 4 * rng.NormFloat64()
			}
			c[0] = math.Abs(c[0])
		}
		sd := scale * math.Exp(rng.Float64()*math.Log(5)) / 2
		l := make([][]float64, d)
		for i := range l {
			l[i] = make([]float64, d)
			l[i][i] = sd
		}
		w := 0.1 + rng.Float64()
		rest += w
		m.law.Parts = append(m.law.Parts, modes.Part{Weight: w, Center: c, L: l})
	}
	for i := range m.law.Parts {
		m.law.Parts[i].Weight /= rest
	}
	m.weight = make([]float64, k) // of the points that most likely come from a part: parts may overlap
	x, in := make([]float64, d), 0.0
	for range exactDraws {
		if m.law.Draw(x, rng); dom.Contains(x) {
			m.weight[m.law.Owner(x)]++
			in++
		}
	}
	for i := range m.weight {
		m.weight[i] /= in
	}
	m.p = r2sgld.Problem{Potential: &m.law, Domain: dom}
	m.name = fmt.Sprintf("%d: %s, %d dimensions, %d parts", seed, m.name, d, k)
	return m
}

// TestFamily tells how often method auto is right, warned or silently wrong on the family.
func TestFamily(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("R2SGLD_FAMILY"))
	if n == 0 {
		t.Skip("R2SGLD_FAMILY says how many")
	}
	right, warned, silent := 0, 0, 0
	for seed := range uint64(n) {
		m := mixtures(t, seed)
		out, err := Run(t.Context(), m.p, r2sgld.Settings{Seed: seed, Ladders: 4, Start: m.start}, Until{Iterations: 400_000}, Options{})
		if err != nil {
			t.Logf("%s: %v", m.name, err)
			warned++
			continue
		}
		worst := 0.0
		own := owners(r2sgld.Problem{}, out.Result, m.law.Parts)
		for k, want := range m.weight {
			chains, sum := make([][]float64, len(own)), 0.0
			for i, of := range own {
				chains[i] = make([]float64, len(of))
				for j, o := range of {
					if o == k {
						chains[i][j] = 1
						sum++
					}
				}
			}
			got := sum / float64(len(own)*len(own[0]))
			se := diag.MCSEMean(chains)
			if !(se > 0) {
				se = math.Sqrt(want * (1 - want) / 400)
			}
			worst = max(worst, math.Abs(got-want)/math.Hypot(se, math.Sqrt(want*(1-want)/exactDraws)))
		}
		told := !out.Judgement.Met || out.Audit != nil && len(out.Audit.Rare) > 0 || out.Audit != nil && len(out.Audit.Missing) > 0
		verdict := "right"
		switch {
		case told:
			verdict = "warned"
			warned++
		case worst < 3.5:
			right++
		default:
			verdict = "SILENT"
			silent++
		}
		found := 0
		if out.Audit != nil {
			found = len(out.Audit.Modes)
		}
		t.Logf("%s: %s, worst %.1f, %d modes, guided %v, R̂ %.3f, ESS %.0f, %v", m.name, verdict, worst, found, out.Guide != nil,
			out.Judgement.RHat, out.Judgement.ESS, m.weight)
	}
	t.Logf("%d right, %d warned, %d wrong and silent", right, warned, silent)
}
