package calibration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// Uniform ranks look as odd as they are: the share of sets with a probability up to p is p,
// within 5.5 standard errors, and stays within the band.
func TestUniformRanks(t *testing.T) {
	const sets, n = 4000, 120
	test := newTest(n)
	low, high := test.band()
	rng := rand.New(rand.NewPCG(3, 4))
	under, out := map[float64]int{0.01: 0, 0.05: 0, 0.5: 0}, 0
	for range sets {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = rng.IntN(most + 1)
		}
		for p := range under {
			if test.probability(ranks) <= p {
				under[p]++
			}
		}
		for k, d := range differences(ranks) {
			if d < low[k]-1e-12 || d > high[k]+1e-12 {
				out++
				break
			}
		}
	}
	within := func(what string, k int, p float64) {
		if se := math.Sqrt(p * (1 - p) / sets); math.Abs(float64(k)/sets-p) > 5.5*se+p/50 { // p itself is by simulation
			t.Errorf("%s: a share of %.4f, want %.2f ± %.4f", what, float64(k)/sets, p, se)
		}
	}
	for p, k := range under {
		within(fmt.Sprintf("probability up to %g", p), k, p)
	}
	if share := float64(out) / sets; share > 0.05+5.5*math.Sqrt(0.05*0.95/sets) {
		t.Errorf("%.4f of the sets leave the band", share)
	}
}

// Posteriors that are too narrow, or moved, are told with their way.
func TestOddRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 200
	test := newTest(n)
	for want, truth := range map[string]func() float64{
		" (posteriors too narrow)": func() float64 { return 1.6 * rng.NormFloat64() },
		" (posteriors too wide)":   func() float64 { return 0.6 * rng.NormFloat64() },
		" (posteriors too low)":    func() float64 { return 0.6 + rng.NormFloat64() },
		" (posteriors too high)":   func() float64 { return -0.6 + rng.NormFloat64() },
	} {
		var ranks []int
		for range n {
			draws := make([]float64, 400)
			for i := range draws {
				draws[i] = rng.NormFloat64()
			}
			ranks = append(ranks, rank(draws, truth()))
		}
		p := Parameter{Ranks: n}
		p.Mean, p.Spread = shape(ranks)
		if p.way() != want || test.probability(ranks) > 1e-3 {
			t.Errorf("want%s: mean %.3f, spread %.3f%s, p %g", want, p.Mean, p.Spread, p.way(), test.probability(ranks))
		}
	}
}

// written writes a table and a configuration and returns where that is.
func written(t *testing.T, table, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"data.csv": table, "model.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.yaml")
}

// jobOf is the job of a configuration, which goes to a folder of its own.
func jobOf(t *testing.T, file string, replications int) *Job {
	t.Helper()
	c, err := Read(file, nil, replications)
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.Job(t.Context(), config.Programs{})
	if err != nil {
		t.Fatal(err)
	}
	j.Dir, j.Out, j.Terminal, j.Checkpoint, j.Threads = filepath.Join(t.TempDir(), "run"), io.Discard, io.Discard, time.Hour, 2
	return j
}

// walled has a wall that cuts its posterior, and a second parameter.
const walled = `name: walled
data: data.csv
model:
  parameters: {a: {prior: "normal(0, 1)", min: 0}, b: "normal(0, 1)"}
  likelihood: y ~ normal(a + b*x, 1)
sampler: {until: {ess: 200}}
`

const walledRows = "x,y\n-1,0\n0,0\n1,0\n2,0\n"

// disc has a curved wall.
const disc = `name: disc
data: data.csv
model:
  parameters: {a: "normal(0, 1)", b: "normal(0, 1)"}
  constraints: a^2 + b^2 <= 0.36
  likelihood: y ~ normal(a + b*x, 3)
sampler: {}
`

// A model whose posteriors are right passes, and one whose likelihood has another scale than
// its data, whose steps go to the nearest point of the wall, or whose swaps follow another
// rule, does not. Uniform ranks fail with a probability below 1e-6: so small is a smallest
// probability, times the ranks it is the smallest of and the parameters, by chance.
func TestPlantedFaults(t *testing.T) {
	pace.Slow(t)
	by := func(steps, more string) string {
		return "sampler: {method: r2sgld, whiten: false, ladders: 2, temperature: [1, 3], step_size: " + steps +
			", iterations: 4000, burn_in: 200, thin: 10" + more + "}"
	}
	auto, lax := "sampler: {until: {ess: 200}}", "sampler: {}"
	for _, c := range []struct {
		name, model, fitted string
		n                   int
		right               bool
	}{
		{"none", disc, strings.Replace(disc, lax, by("[0.2, 0.2]", ""), 1), 800, true},
		{"nearest point", disc, strings.Replace(disc, lax, by("[0.2, 0.2]", ", boundary: nearest"), 1), 800, false},
		{"none at a flat wall", walled, strings.Replace(walled, auto, by("[0.01, 0.03]", ""), 1), 160, true},
		{"likelihood", walled, strings.NewReplacer(auto, by("[0.01, 0.03]", ""), "b*x, 1)", "b*x, 2)").Replace(walled), 160, false},
		{"rule of swaps", walled, strings.NewReplacer(auto, by("[0.01, 0.03]", ", swap: {rule: indicator}"), "temperature: [1, 3]",
			"temperature: [1, 8]").Replace(walled), 300, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.n > 300 && !pace.Soaking() {
				t.Skip("800 replications are for soak")
			}
			t.Parallel()
			m := *jobOf(t, written(t, walledRows, c.model), c.n).Model
			other := written(t, walledRows, c.fitted)
			m.load = func(data []byte) (*config.Run, error) { return config.Programs{Data: data}.Load("fit", other, nil) }
			ranks := make([][]int, 3)
			for i := range c.n {
				r, err := m.replicate(t.Context(), 7, i)
				if err != nil || r.Failed != "" {
					t.Fatal(err, r)
				}
				for k, v := range r.Ranks {
					ranks[k] = append(ranks[k], v)
				}
			}
			test, least := newTest(c.n), 1.0
			for _, r := range ranks {
				least = min(least, most*3*test.smallest(r))
			}
			if c.right && least < 1e-6 {
				t.Errorf("right posteriors have ranks with a probability of %g", least)
			}
			if !c.right && least > 1e-3 {
				t.Errorf("not caught: a probability of %g", least)
			}
			t.Logf("at most %.3g", least)
		})
	}
}

// A calibration that is interrupted goes on to the same files, whatever the threads.
func TestResumed(t *testing.T) {
	pace.Slow(t)
	file := written(t, walledRows, walled)
	files := func(j *Job) (out []string) {
		for _, name := range []string{"summary.json", "replications.csv", "figures/calibration.svg"} {
			b, err := os.ReadFile(filepath.Join(j.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(b))
		}
		return out
	}
	whole := jobOf(t, file, 24)
	if _, err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	parts := jobOf(t, file, 24)
	ctx, cancel := context.WithCancel(t.Context())
	made, imitate := 0, parts.Model.imitate
	parts.Threads = 1
	parts.Model.imitate = func(c context.Context, x []float64, rng *rand.Rand) ([]byte, error) {
		if made++; made == 10 {
			cancel()
		}
		return imitate(c, x, rng)
	}
	var stopped *job.Interrupted
	if _, err := parts.Run(ctx); !errors.As(err, &stopped) || stopped.Done != 9 {
		t.Fatalf("%v", err)
	}
	_, m, err := job.Read(parts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := Resume(t.Context(), parts.Dir, m, config.Programs{})
	if err != nil {
		t.Fatal(err)
	}
	rest.Out, rest.Terminal, rest.Checkpoint, rest.Threads = io.Discard, io.Discard, time.Hour, 3
	if _, err := rest.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(files(whole), files(rest)) {
		t.Error("a calibration that was interrupted leaves other files")
	}
}

// What cannot be drawn is refused, and told why.
func TestUnfit(t *testing.T) {
	for says, text := range map[string]string{
		"every one needs a prior":   strings.Replace(walled, `"normal(0, 1)"}`, "flat}", 1),
		"log_lik says no law":       strings.Replace(walled, "likelihood: y ~ normal(a + b*x, 1)", "log_lik: normal_lpdf(y, a + b*x, 1)", 1),
		"y^3 is a formula":          strings.Replace(walled, "y ~", "y^3 ~", 1),
		"data.where looks at y":     strings.Replace(walled, "data: data.csv", "data: {file: data.csv, where: y > -5}", 1),
		"takes y of the same row":   strings.Replace(walled, "b*x", "b*y", 1),
		"at least 20 tell anything": "few",
		"two laws are of the column y": strings.Replace(walled, "likelihood: y ~ normal(a + b*x, 1)",
			`likelihood: ["y ~ normal(a, 1)", "y ~ normal(b, 1)"]`, 1),
	} {
		n := 100
		if text == "few" {
			n, text = 19, walled
		}
		c, err := Read(written(t, walledRows, text), nil, n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Job(t.Context(), config.Programs{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want …%s…", err, says)
		}
	}
}

// Autoregressions, groups, counts, shapes, correlations and trajectories are calibrated, at length in soak.
func TestModels(t *testing.T) {
	pace.Slow(t)
	models := map[string][2]string{
		"walled": {walledRows, walled},
		"autoregression": {"y\n1\n2\n1\n0\n1\n2\n1\n", `data: data.csv
model:
  parameters: {a: "normal(0, 1)", r: "uniform(-1, 1)", s: "lognormal(0, 0.5)"}
  likelihood: y ~ normal(a + r*lag(y, 1), s)
`},
		"groups": {"site,n,k\nA,8,1\nB,8,2\nC,8,3\nA,8,1\nB,8,2\nC,8,3\n", `data: data.csv
model:
  parameters: {"c[site]": "normal(m, 0.7)", m: "normal(0, 1)"}
  likelihood: k ~ binomial_logit(n, c[site])
  constraints: ["c[A] <= c[B]"]
`},
		"counts": {"x,k\n-1,1\n0,2\n1,3\n2,1\n", `data: data.csv
model:
  parameters: {a: "normal(0, 1)", b: {prior: "normal(0, 0.7)", max: 0.5}}
  likelihood: k ~ poisson(exp(a + b*x))
`},
		"saturation": {"x,n,k\n-1,8,1\n0,8,2\n1,8,3\n2,8,1\n", `data: data.csv
model:
  parameters: {a: "normal(0, 2)", b: "normal(0, 2)"}
  likelihood: k ~ binomial(n, -expm1(-exp(a + b*x)))
`},
		"order": {"y\n1\n2\n3\n4\n5\n6\n", `data: data.csv
model:
  parameters: {m: {shape: ordered(2), prior: "normal(0, 2)"}, s: "lognormal(-1, 0.3)"}
  likelihood: y ~ normal(m[1] + m[2]/3, s)
`},
		"shares": {"k\n1\n2\n3\n1\n2\n1\n", `data: data.csv
model:
  parameters: {w: {shape: simplex(3), prior: "dirichlet(2, 1, 1.5)"}}
  likelihood: k ~ categorical(w)
  constraints: ["w[1] <= w[2] + 0.4"]
`},
		"correlation": {"u,v\n" + strings.Repeat("0,0\n", 60), `data: data.csv
model:
  parameters: {m: "normal(0, 1)", s: "lognormal(0, 0.3)", L: cholesky_corr(2)}
  likelihood: "[u, v] ~ multi_normal_cholesky([m, 0.5], diag_pre_multiply([1, s], L))"
`},
		"waiting": {"t\n1\n2\n3\n", `data: data.csv
model:
  parameters: {k: "lognormal(0, 0.5)", s: "gamma(2, 1)"}
  likelihood: t ~ weibull(k, s)
`},
		"decay": {"t,x\n0,1\n1,1\n2,1\n3,1\n4,1\n", `data: {file: data.csv, time: t, states: {x: x}}
model:
  equations: {x: "-k*x"}
  constraints: ["k <= 0.9"]
  likelihood: trajectory
  priors: {k: "lognormal(-1, 0.5)", x.initial: "normal(3, 1)", x.noise: "lognormal(-2, 0.3)"}
`},
	}
	n := pace.Soak(20, 400)
	for name, of := range models {
		t.Run(name, func(t *testing.T) {
			if !pace.Soaking() && !slices.Contains([]string{"autoregression", "groups", "order", "shares", "correlation"}, name) {
				t.Skip("soak has the others")
			}
			t.Parallel()
			j := jobOf(t, written(t, of[0], of[1]), n)
			s, err := j.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Failed > n/20 {
				t.Errorf("%d of %d failed: %v", s.Failed, n, s.Warnings)
			}
			test := newTest(n - s.Failed)
			for k, r := range s.ranks {
				if p := float64(most*len(s.ranks)) * test.smallest(r); p < 1e-6 {
					t.Errorf("%s has ranks with a probability of %g: mean %.3f, spread %.3f", s.Parameters[k].Name, p, s.Parameters[k].Mean,
						s.Parameters[k].Spread)
				}
			}
		})
	}
}
