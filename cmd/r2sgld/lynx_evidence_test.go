package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// lynxHare are the pelts of hares and lynx, a row a year, and whether hares limit their own growth.
type lynxHare struct {
	hare, lynx []float64
	limited    bool
}

func readPelts(t *testing.T, limited bool) *lynxHare {
	text, err := os.ReadFile("../../data/lynx_hare.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	p := &lynxHare{limited: limited}
	for _, row := range rows[1:] {
		for k, to := range []*[]float64{&p.hare, &p.lynx} {
			v, err := strconv.ParseFloat(row[k+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			*to = append(*to, v)
		}
	}
	return p
}

// posterior is that of u, the logarithms of alpha, beta, gamma, delta, H0, L0, the scales of hares and lynx, and of kappa if
// hares are limited, whose prior is exponential with mean 0.01. Normal priors keep their densities on the line, as in the
// program: what of them is below 0 is cut off and not made up for.
func (p *lynxHare) posterior(u []float64) (x []float64, log float64) {
	normal := func(x, m, s float64) float64 { return -(x-m)*(x-m)/(2*s*s) - math.Log(s*math.Sqrt(2*math.Pi)) }
	for _, v := range u {
		x = append(x, math.Exp(v))
	}
	for k, prior := range [][2]float64{{1, 0.5}, {0.05, 0.05}, {1, 0.5}, {0.05, 0.05}} {
		log += normal(x[k], prior[0], prior[1]) + u[k]
	}
	log += normal(u[4], math.Log(10), 1) + normal(u[5], math.Log(10), 1) + normal(u[6], -1, 1) + normal(u[7], -1, 1)
	kappa := 0.0
	if p.limited {
		kappa = x[8]
		log += math.Log(100) - 100*kappa + u[8]
	}
	h, l := x[4], x[5]
	for i := range p.hare {
		if i > 0 {
			h, l = preyStep(h, l, kappa, x)
		}
		log += normal(math.Log(p.hare[i]), math.Log(h), x[6]) - math.Log(p.hare[i])
		log += normal(math.Log(p.lynx[i]), math.Log(l), x[7]) - math.Log(p.lynx[i])
	}
	if math.IsNaN(log) {
		log = math.Inf(-1)
	}
	return x, log
}

// preyStep goes on by a year, by Runge and Kutta's classical method in 40 steps, of the logarithms.
func preyStep(h, l, kappa float64, x []float64) (float64, float64) {
	f := func(a, b float64) (float64, float64) {
		h, l := math.Exp(a), math.Exp(b)
		return x[0] - kappa*h - x[1]*l, -x[2] + x[3]*h
	}
	const steps = 40
	dt, a, b := 1.0/steps, math.Log(h), math.Log(l)
	for range steps {
		a1, b1 := f(a, b)
		a2, b2 := f(a+dt/2*a1, b+dt/2*b1)
		a3, b3 := f(a+dt/2*a2, b+dt/2*b2)
		a4, b4 := f(a+dt*a3, b+dt*b3)
		a, b = a+dt/6*(a1+2*a2+2*a3+a4), b+dt/6*(b1+2*b2+2*b3+b4)
	}
	return math.Exp(a), math.Exp(b)
}

// problem writes the model, and returns its file.
func (p *lynxHare) problem(t *testing.T) string {
	text, err := os.ReadFile("../../examples/lynx-hare-trajectory.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("../../data/lynx_hare.csv")
	if err != nil {
		t.Fatal(err)
	}
	model := strings.Replace(string(text), "../data/lynx_hare.csv", data, 1)
	if p.limited {
		for _, edit := range [][2]string{{"H*(alpha - beta*L)", "H*(alpha - kappa*H - beta*L)"}, {`"alpha > 0"`, `"kappa > 0", "alpha > 0"`},
			{"  priors:\n", "  priors:\n    kappa: \"exponential(100)\"\n"}} {
			if strings.Count(model, edit[0]) != 1 {
				t.Fatalf("%s stands %d times in the example", edit[0], strings.Count(model, edit[0]))
			}
			model = strings.Replace(model, edit[0], edit[1], 1)
		}
	}
	return write(t, t.TempDir(), "m.yaml", model)
}

// log Z of the lynx and hare pelts by trajectories is that of importance sampling, by method auto as it comes, with and without
// a limit to the growth of hares, and the same model comes first with every seed. Five standard errors of the difference and a
// half are a false alarm of 6e-7 over all runs. The points are 200,000 of a t law about the mode; equations and
// densities are written apart from the program. Basins of other periods have next to none of the mass.
//
// Mutants: those of TestFitzHughNagumoEvidence.
func TestLynxHareEvidence(t *testing.T) {
	if !pace.Soaking() {
		t.Skip("a run takes 6 CPU seconds; R2SGLD_SOAK=1 makes 16")
	}
	estimates := map[bool][]float64{}
	for _, limited := range []bool{false, true} {
		p := readPelts(t, limited)
		center := []float64{math.Log(0.55), math.Log(0.028), math.Log(0.8), math.Log(0.024), math.Log(34), math.Log(5.9), math.Log(0.25), math.Log(0.25)}
		sd := []float64{0.1, 0.15, 0.1, 0.15, 0.1, 0.1, 0.2, 0.2}
		if limited {
			center, sd = append(center, math.Log(0.001)), append(sd, 1)
		}
		is := newImportance(center, sd, p.posterior)
		for range 6 {
			is.draw(20_000)
			is.adapt()
		}
		const points = 200_000
		ess := is.draw(points)
		if !(ess > points/10) {
			t.Errorf("limited %v: an effective sample size of %.0f", limited, ess)
		}
		exact := math.Sqrt(1/ess - 1.0/points)
		t.Logf("limited %v: log Z %.4f ± %.4f by importance sampling", limited, is.evidence, exact)
		estimates[limited] = append(estimates[limited], is.evidence)
		file := p.problem(t)
		for seed := 1; seed <= 8; seed++ {
			run := filepath.Join(t.TempDir(), "run")
			must(t, exitDone, "identify", file, "--out", run, "--quiet", "--set", "figures=none", "--seed", strconv.Itoa(seed))
			e := summaryOf(t, run).LogEvidence
			z := (e.Estimate - is.evidence) / math.Hypot(e.Error, exact)
			t.Logf("limited %v, seed %d: log Z %.3f ± %.3f, %+.1f standard errors away", limited, seed, e.Estimate, e.Error, z)
			if !(math.Abs(z) < 5.5) || !(e.Error <= 0.1) {
				t.Errorf("limited %v, seed %d: log Z %v ± %v, by importance sampling %.4f ± %.4f", limited, seed, e.Estimate, e.Error, is.evidence, exact)
			}
			estimates[limited] = append(estimates[limited], e.Estimate)
		}
	}
	first := estimates[true][0] > estimates[false][0]
	for seed, z := range estimates[true] {
		if seed > 0 && (z > estimates[false][seed]) != first {
			t.Errorf("seed %d: log Z %.3f with a limit, %.3f without", seed, z, estimates[false][seed])
		}
	}
}
