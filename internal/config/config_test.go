package config

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// TestProblemsPrint pins what a person sees: all problems of a file at once, in
// its order, with the source and a caret, down to a name inside a formula.
func TestProblemsPrint(t *testing.T) {
	text := `name: model
variables: [x, y]
potential: "(x - sigma)^2 + rho*y^2"
domain:
  constraints: ["x > 3", "x + y < 2", "y > 0"]
sampler:
  temprature: [1, 10]
`
	_, err := Parse("sample", "model.yaml", []byte(text), []string{"sampler.step_size=-1"})
	if err == nil {
		t.Fatal("no error")
	}
	want, readErr := os.ReadFile("testdata/problems.golden")
	if readErr != nil {
		t.Fatal(readErr)
	}
	if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
		t.Error(diff)
	}
}

// example loads an example of any kind.
func example(t *testing.T, file string, set []string) (r2sgld.Problem, r2sgld.Settings, Resolved) {
	t.Helper()
	text, err := Text(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(CommandOf(text), file, text, set)
	if err != nil {
		t.Fatal(err)
	}
	return s.Problem, s.Settings, s.Resolved
}

func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	rows, _ := filepath.Glob("../../examples/fit/*.yaml")
	files = append(files, rows...)
	if err != nil || len(files) < 8 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	return files
}

// TestExamplesRun loads every example and runs the beginning of it: every draw
// lies in the domain.
func TestExamplesRun(t *testing.T) {
	pace.Slow(t)
	for _, file := range examples(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, s, resolved := example(t, file, []string{"sampler.iterations=2000", "sampler.burn_in=100", "sampler.thin=1"})
			if m := resolved.System(); m != nil && m.Likelihood == system.Trajectory {
				s.Iterations = 200 // each is a solution of the equations
			}
			r, err := r2sgld.Sample(context.Background(), p, s)
			if err != nil {
				t.Fatal(err)
			}
			d, within := len(p.ReportedNames()), p.Reported()
			for _, l := range r.Ladders {
				for _, x := range l.Draws.X {
					for i := 0; i < len(x); i += d {
						if within != nil && !within.Contains(x[i:i+d]) {
							t.Fatalf("a draw outside: %v", x[i:i+d])
						}
					}
				}
			}
		})
	}
}

// TestResolvedLoadsAgain: the JSON of a resolved configuration is a
// configuration of the same run.
func TestResolvedLoadsAgain(t *testing.T) {
	pace.Slow(t)
	files := examples(t)
	// these begin at a mode, which the run finds by a search: from there it must find the same
	for name, last := range map[string]string{"explicit": "sampler: {method: r2sgld, step_size: 0.002}", "auto": "",
		"minibatch": "sampler: {minibatch: 50}"} {
		data, err := filepath.Abs("../../examples/fit/penguins.csv")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(t.TempDir(), name+".yaml"))
		text := "data: {file: " + data + `, missing: drop}
model:
  parameters:
    w: simplex(2)
    mu[2]: {min: 150, max: 250}
    sigma[2]: {min: 0.5, max: 50}
  likelihood: flipper_length ~ mix(w[1], normal(mu[1], sigma[1]), w[2], normal(mu[2], sigma[2]))
  constraints: mu[1] + mu[2] <= 405
` + last + "\n"
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		_, s, r := example(t, file, nil)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(CommandOf(text), "run.json", text, nil)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		settings, again := q.Settings, q.Resolved
		if diff := cmp.Diff(r, again); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if diff := cmp.Diff(s, settings); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if hash(t, r) != hash(t, again) {
			t.Errorf("%s: another hash", file)
		}
	}
}

func hash(t *testing.T, r Resolved) string {
	t.Helper()
	h, err := r.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestQuadraticConstraintsBound: a disc written as an inequality is a bounded domain.
func TestQuadraticConstraintsBound(t *testing.T) {
	text := "variables: [x, y]\npotential: \"0\"\ndomain: {constraints: [\"x^2 + x*y + y^2 < 3\"]}\n"
	s, err := Parse("sample", "f.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := domain.BoundsOf(s.Problem.Domain, 2)
	for j := range lo {
		if math.Abs(lo[j]+2) > 1e-6 || math.Abs(hi[j]-2) > 1e-6 {
			t.Errorf("coordinate %d lies in [%v, %v], want [-2, 2]", j, lo[j], hi[j])
		}
	}
}

// TestKeyOrderIsIrrelevant shuffles the sections, and the keys of the sampler
// and of the domain: the same run, the same hash. Any other change of a value
// changes the hash.
func TestKeyOrderIsIrrelevant(t *testing.T) {
	sections := []string{
		"name: order\n", "variables: [x, y]\n", "potential: \"x^2 + x*y + y^2\"\n",
		"noise: {gradient: 0.1, energy: 0.2}\n",
	}
	shapes := []string{"  box: {x: [-1, 2], y: [-3, 1]}\n", "  constraints: [\"x + y < 1\", \"x^2 + y^2 < 3\"]\n", "  ball: {radius: 1.7}\n"}
	keys := []string{"  iterations: 1000\n", "  burn_in: 50\n", "  temperature: [1, 2, 4]\n", "  swap: {every: 2, correction: 3}\n",
		"  schedule: {kind: exponential, decay: 0.999, after: 10}\n", "  seed: 7\n"}
	rng := rand.New(rand.NewPCG(1, 2))
	build := func() Resolved {
		for _, s := range [][]string{sections, shapes, keys} {
			rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		}
		all := append(slices.Clone(sections), "domain:\n"+strings.Join(shapes, ""), "sampler:\n"+strings.Join(keys, ""))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		s, err := Parse("sample", "f.yaml", []byte(strings.Join(all, "")), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.Resolved
	}
	first := build()
	for range 20 {
		if diff := cmp.Diff(first, build()); diff != "" {
			t.Fatal(diff)
		}
	}
	want := hash(t, first)
	first.Sampler.Iterations++
	if hash(t, first) == want {
		t.Error("the hash does not see the iterations")
	}
}

// TestBatch: minibatches reach the run of every kind of equations, with a
// variance of swaps and without swaps; a batch of all rows is none.
func TestBatch(t *testing.T) {
	pace.Slow(t)
	first := func(set ...string) float64 {
		p, s, r := example(t, "../../examples/lynx-hare.yaml", append(set, "sampler.iterations=40", "sampler.thin=1"))
		res, err := r2sgld.Sample(context.Background(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Swap.Variance != r.Sampler.Swap.Variance {
			t.Errorf("%v: the variance of swaps is %g", set, s.Swap.Variance)
		}
		return res.Ladders[0].Draws.X[0][0]
	}
	for _, equation := range []string{"L*(-gamma + delta*H)", "L*(-gamma + delta*H^kappa)"} {
		model := []string{"model.equations.L=" + equation, "model.start={gamma: 0.7, delta: 0.02}",
			"sampler.init={alpha: 0.5, beta: 0.02, gamma: 0.7, delta: 0.02}"}
		if strings.Contains(equation, "kappa") {
			model[1], model[2] = "model.start={gamma: 0.7, delta: 0.02, kappa: 1}",
				"sampler.init={alpha: 0.5, beta: 0.02, gamma: 0.7, delta: 0.02, kappa: 1}"
		}
		with := func(set ...string) float64 { return first(slices.Concat(model, set)...) }
		if with() != with("model.batch=19") {
			t.Errorf("%s: a batch of all rows is another run", equation)
		}
		if with() == with("model.batch=7", "sampler.swap.variance=3") {
			t.Errorf("%s: batches of 7 rows are all rows", equation)
		}
		if with("sampler.method=r-sgld") == with("sampler.method=r-sgld", "model.batch=7") {
			t.Errorf("%s: batches of 7 rows are all rows", equation)
		}
	}
}

// TestMethods pins what each name of a method stands for.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		method   string
		boundary domain.Rule
		kind     string
		rungs    int
		penalty  float64
	}{
		{"sgld", domain.Free, "constant", 1, 0}, {"cycsgld", domain.Free, "cosine", 1, 0}, {"resgld", domain.Free, "constant", 2, 0},
		{"p-sgld", domain.Free, "constant", 1, 1}, {"p-cycsgld", domain.Free, "cosine", 1, 1}, {"p-resgld", domain.Free, "constant", 2, 1},
		{"r-sgld", domain.Specular, "constant", 1, 0}, {"r-cycsgld", domain.Specular, "cosine", 1, 0},
		{"r2sgld", domain.Specular, "constant", 2, 0},
		{"r-resgld", domain.Specular, "constant", 2, 0},
		{"r-hmc", domain.Specular, "constant", 1, 0}, {"projected-sgld", domain.Project, "constant", 1, 0},
		{"myula, step_size: 0.05", domain.Free, "constant", 1, 5}, {"myula, smoothing: 0.1", domain.Free, "constant", 1, 10},
		{"mirror-sgld", "", "constant", 1, 0}, {"rejection-sgld", domain.Free, "constant", 1, 0},
		{"p-sgld, penalty: {strength: 7, form: distance}", domain.Free, "constant", 1, 7},
		{"p-resgld, penalty: 3", domain.Free, "constant", 2, 3},
		{"r2sgld, kernel: hmc, leapfrog: 3", domain.Specular, "constant", 2, 0},
	} {
		text := "variables: [x]\npotential: \"x^2\"\ndomain: {box: {x: [0, 1]}}\nsampler: {method: " + c.method + "}\n"
		q, err := Parse("sample", "f.yaml", []byte(text), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.method, err)
		}
		s := q.Settings
		pull := 0.0
		if s.Penalty != nil {
			pull = s.Penalty.Strength
		}
		if s.Boundary != c.boundary || string(s.Decay.Kind) != c.kind || len(s.Temperature) != c.rungs || len(s.StepSize) != c.rungs ||
			math.Abs(pull-c.penalty) > 1e-12 ||
			s.Mirror != strings.HasPrefix(c.method, "mirror") || s.Inside != strings.HasPrefix(c.method, "rejection") ||
			s.Traits().Metropolis != strings.Contains(c.method, "hmc") ||
			pull > 0 && s.Penalty.Distance != (strings.Contains(c.method, "myula") || strings.Contains(c.method, "distance")) {
			t.Errorf("%s is %+v", c.method, s)
		}
		if c.kind == "cosine" && s.Decay.Cycles != 5 {
			t.Errorf("%s has %d cycles", c.method, s.Decay.Cycles)
		}
		s.Iterations, s.BurnIn = 50, 10
		if _, err := r2sgld.Sample(context.Background(), q.Problem, s); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
	}
}

// A length alone takes method auto away: that is told, and of no other section.
//
// Mutants it kills: told of any section, of none.
func TestNoteOfLength(t *testing.T) {
	for text, told := range map[string]bool{"": false, "sampler: {seed: 2}": false, "sampler: {iterations: 2000}": true,
		"sampler: {iterations: 2000, seed: 2, ladders: 2}": true, "sampler: {iterations: 2000, method: auto}": false,
		"sampler: {iterations: 2000, method: r2sgld}": false, "sampler: {iterations: 2000, step_size: 0.01}": false} {
		r, err := Parse("sample", "f.yaml", []byte("variables: [x]\npotential: x^2\ndomain: {box: {x: [-1, 1]}}\n"+text+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if (r.Note != "") != told || told && !strings.Contains(r.Note, "sampler.method: auto") {
			t.Errorf("%s: %q", text, r.Note)
		}
	}
}

// TestMeasuredSteps: on U = ½x'Qx the largest curvature is the largest
// eigenvalue λ of Q, and the step 0.05/λ to two digits; walls nearer than ten
// noise steps shorten it. A step from a random direction's curvature alone, or
// from the smallest eigenvalue, fails.
func TestMeasuredSteps(t *testing.T) {
	text := "variables: [x, y]\npotential: \"50*(x + y)^2/2 + (x - y)^2/2\"\nsampler: {method: r2sgld}\n" // λ = 100 and 2
	for _, c := range []struct {
		domain string
		want   []float64
	}{
		{"", []float64{5e-4, 5e-4}},
		{"domain: {box: {x: [-100, 100], y: [-100, 100]}}\n", []float64{5e-4, 5e-4}},
		{"domain: {box: {x: [-100, 100], y: [-0.1, 0.1]}}\n", []float64{2e-4, 2e-5}}, // (0.1·0.2)²/(2τ)
	} {
		s, err := Parse("sample", "f.yaml", []byte(text+c.domain), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			got := s.Settings.StepSize[i]
			if math.Abs(got/want-1) > 0.15 { // the width comes from 256 draws, the eigenvalue from power iterations
				t.Errorf("%s rung %d: step %g, want %g", c.domain, i, got, want)
			}
		}
	}
}

// TestLynxHareBounds compares the posterior cut by walls with exact rejection.
// The ladders are independent: their spread gives the standard error, a t with
// 31 degrees of freedom (|t| < 6.2 at 1e-6); the step 0.02 adds a bias of the
// standard deviation below 1 % (½·η/2 without walls). No reflection, or a normal
// without whitening, is off by 10 % and more.
func TestLynxHareBounds(t *testing.T) {
	var exact struct{ Mean, SD []float64 }
	text, err := os.ReadFile("testdata/lynx_hare_bounds.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &exact); err != nil {
		t.Fatal(err)
	}
	p, s, _ := example(t, "../../examples/lynx-hare-bounds.yaml",
		[]string{"sampler.ladders=32", "sampler.iterations=50000", "sampler.burn_in=1000", "sampler.thin=10"})
	r, err := r2sgld.Sample(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	for j, name := range p.Names {
		var means, sds []float64
		for _, l := range r.Ladders {
			m, v := moments(l.Draws.X[0], j, len(p.Names))
			means, sds = append(means, m), append(sds, math.Sqrt(v))
		}
		for what, q := range map[string]struct {
			got  []float64
			want float64
		}{"mean": {means, exact.Mean[j]}, "sd": {sds, exact.SD[j]}} {
			m, v := moments(q.got, 0, 1)
			se := math.Sqrt(v / 31)
			t.Logf("%s of %s: %.6g, exact %.6g, se %.2g", what, name, m, q.want, se)
			if math.Abs(m-q.want) > 6.2*se+0.015*exact.SD[j] {
				t.Errorf("%s of %s is %g ± %g, exact %g", what, name, m, se, q.want)
			}
		}
	}
}

// moments returns mean and variance of every d-th number from j on.
func moments(x []float64, j, d int) (mean, variance float64) {
	n := 0.0
	for i := j; i < len(x); i += d {
		n++
		mean += x[i]
	}
	mean /= n
	for i := j; i < len(x); i += d {
		variance += (x[i] - mean) * (x[i] - mean) / n
	}
	return mean, variance
}

// FuzzSample: no text and no override breaks the loader, and every error is a
// list of problems.
func FuzzSample(f *testing.F) {
	f.Add([]byte(goodSample), "sampler.seed=2")
	f.Add([]byte("variables: [x]\npotential: \"x^2\"\ndomain: {constraints: [\"x^2 < 1\"]}\n"), "")
	f.Add([]byte("variables: [a, b, c]\npotential: a*b*c\ndomain: {simplex: [a, b], box: {c: [0, .inf]}, star: {of: [b, c]}}\n"),
		"domain.ball={radius: 2}")
	f.Add([]byte("variables: [x, y]\npotential: \"0\"\ndomain: {polygon: [[0, 0], [1, 0], [0, 1]], ellipsoid: {matrix: [[1, 0], [0, "+
		"2]]}}\nsampler: {method: p-cycsgld, init: {x: 0, y: 0}}\n"), "a.b=c")
	f.Fuzz(func(t *testing.T, text []byte, set string) {
		var sets []string
		if set != "" {
			sets = append(sets, set)
		}
		_, err := Parse("sample", "f.yaml", text, sets)
		var problems Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatalf("error of type %T: %v", err, err)
		}
	})
}

// A load ends with its context, with the error of that and nothing that was cut short.
func TestLoadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for command, file := range map[string]string{"sample": "flower", "identify": "lynx-hare"} {
		r, err := Programs{Context: ctx}.Load(command, "../../examples/"+file+".yaml", nil)
		if r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", file, r != nil, err)
		}
	}
}
