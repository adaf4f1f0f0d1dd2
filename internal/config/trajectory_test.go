package config

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/pace"
)

const lynxTrajectory = "../../examples/lynx-hare-trajectory.yaml"

// trajectory loads the trajectory of lynx and hare with overrides.
func trajectory(t *testing.T, set ...string) *Run {
	t.Helper()
	s, err := Load("identify", lynxTrajectory, set)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Method auto takes kernel hmc for a trajectory, starts from the priors, which are
// the base law, in a chart of logarithms, and whitens by the mode in its coordinates.
func TestTrajectoryTakesHMC(t *testing.T) {
	s := trajectory(t)
	if !s.Settings.Traits().Metropolis || s.Problem.Base == nil || s.Problem.Chart == nil || s.Settings.Whitening == nil ||
		s.Settings.Start != nil {
		t.Fatalf("%+v", s.Settings)
	}
	if r := s.Resolved.Sampler; r.Method != "auto" || r.Kernel != "hmc" || r.Init != sampler.FromPrior || r.Iterations != 500 {
		t.Errorf("%+v", r)
	}
	if s.Settings.Thin != 1 || s.Settings.BurnIn != 25 {
		t.Errorf("thinning %d, burn-in %d", s.Settings.Thin, s.Settings.BurnIn)
	}
	// In the chart the mode is the logarithm of the mode, and one step of the whitening
	// there is one in the coordinates of the model, to first order.
	w, center, x := s.Settings.Whitening, s.Model.Center, make([]float64, len(s.Problem.Names))
	s.Problem.Chart.Point(x, w.Center)
	for j, v := range x {
		if math.Abs(v-center[j]) > 1e-9*(1+v) {
			t.Errorf("%s: the middle is %g, the mode %g", s.Problem.Names[j], v, center[j])
		}
	}
	const h = 1e-6
	for k := range x {
		y := slices.Clone(w.Center)
		for j := range y {
			y[j] += h * w.L[j][k]
		}
		s.Problem.Chart.Point(x, y)
		for j, v := range x {
			if got := (v - center[j]) / h; math.Abs(got-s.Model.Factor[j][k]) > 1e-4*(math.Abs(got)+math.Abs(center[j])) {
				t.Errorf("column %d of the whitening moves %s by %g, want %g", k, s.Problem.Names[j], got, s.Model.Factor[j][k])
			}
		}
	}
	// Plain likelihoods and other kernels have neither chart nor base law.
	plain := trajectory(t, "sampler.method=auto", "sampler.kernel=sgld")
	if plain.Settings.Traits().Metropolis || plain.Problem.Base != nil || plain.Problem.Chart != nil ||
		plain.Resolved.Sampler.Kernel == "hmc" || plain.Settings.Start == nil {
		t.Errorf("kernel sgld: %+v", plain.Resolved.Sampler)
	}
	if err := r2sgld.Check(t.Context(), plain.Problem, plain.Settings); err != nil {
		t.Error(err)
	}
	slopes, err := Load("identify", "../../examples/lynx-hare.yaml", nil)
	if err != nil || slopes.Problem.Base != nil || slopes.Settings.Traits().Metropolis {
		t.Errorf("likelihood derivative: %+v, %v", slopes.Settings, err)
	}
}

// A start that is a point is told in the parameters and mapped to the chart.
func TestStartsInTheChart(t *testing.T) {
	want := []float64{0.5, 0.02, 0.7, 0.03, 30, 5, 0.3, 0.4}
	var point []string
	for j, name := range trajectory(t).Problem.Names {
		point = append(point, fmt.Sprintf("%s: %g", name, want[j]))
	}
	s := trajectory(t, "sampler.init={"+strings.Join(point, ", ")+"}")
	x := make([]float64, len(want))
	s.Problem.Chart.Point(x, s.Settings.Start)
	for j := range x {
		if math.Abs(x[j]-want[j]) > 1e-12*want[j] {
			t.Errorf("%s starts at %g, want %g", s.Problem.Names[j], x[j], want[j])
		}
	}
	if cmp.Equal(s.Settings.Start, want) {
		t.Error("no coordinate is a logarithm")
	}
	if err := r2sgld.Check(t.Context(), s.Problem, s.Settings); err != nil {
		t.Error(err)
	}
}

// The domain in the chart holds a point exactly where that of the parameters does:
// bounds of logarithms, half-spaces and surfaces that mix them.
func TestDomainInTheChart(t *testing.T) {
	s := trajectory(t, `model.constraints=["0 < alpha < 0.8", "beta > 0", "gamma > 0.4", "delta > 0", "2*alpha - gamma < 0.4", "H.initial*delta < 1.1", "L.initial < 3*H.noise + 7"]`)
	inside, outside := 0, 0
	rng := newRand(3)
	x, y := make([]float64, 8), make([]float64, 8)
	for range 4000 {
		for j := range y {
			y[j] = s.Settings.Whitening.Center[j]
			for _, v := range s.Settings.Whitening.L[j] {
				y[j] += 3 * v * rng.NormFloat64()
			}
		}
		s.Problem.Chart.Point(x, y)
		back := true // points that are clipped to the bounds lie outside
		for j := range x {
			back = back && (x[j] == y[j] || math.Abs(math.Log(x[j])-y[j]) < 1e-12)
		}
		want := back && s.Problem.Chart.Domain.Contains(x)
		if got := s.Problem.Domain == nil || s.Problem.Domain.Contains(y); got != want {
			t.Fatalf("%v: inside %v, as parameters %v", x, got, want)
		}
		if want {
			inside++
		} else {
			outside++
		}
	}
	if inside < 100 || outside < 100 {
		t.Errorf("%d points inside, %d outside", inside, outside)
	}
}

// Starts from the prior lie in the domain, one for each replica, have the law of the
// prior, and are those of the seed.
func TestInitFromPrior(t *testing.T) {
	pace.Slow(t)
	set := []string{"sampler.method=r2sgld", "sampler.temperature=[1, 4]", "sampler.init=prior", "sampler.ladders=200",
		"sampler.step_size=1e-5"}
	s := trajectory(t, set...)
	if s.Problem.Base != nil || s.Problem.Chart != nil || len(s.Settings.States) != 200 {
		t.Fatalf("%d states", len(s.Settings.States))
	}
	var logs []float64
	for _, ladder := range s.Settings.States {
		if len(ladder) != 2 {
			t.Fatalf("%d replicas", len(ladder))
		}
		for _, x := range ladder {
			if !s.Problem.Domain.Contains(x) {
				t.Fatalf("%v lies outside", x)
			}
			logs = append(logs, math.Log(x[slices.Index(s.Problem.Names, "L.initial")]))
		}
	}
	mean, variance := moments(logs, 0, 1) // of 400 normal numbers: |z| < 4.9
	if math.Abs(mean-math.Log(10))*math.Sqrt(400) > 4.9 || math.Abs(variance-1) > 4.9*math.Sqrt(2.0/400) {
		t.Errorf("log L.initial has mean %g and variance %g", mean, variance)
	}
	if !cmp.Equal(s.Settings.States, trajectory(t, set...).Settings.States) {
		t.Error("the starts are others the second time")
	}
	if cmp.Equal(s.Settings.States[0], trajectory(t, append(set, "sampler.seed=2")...).Settings.States[0]) {
		t.Error("another seed has the same starts")
	}
	// A bound far inside the prior: all starts keep to it, the rest of the prior's law with it.
	s = trajectory(t, append(set, `model.constraints=["alpha > 0.9", "beta > 0", "gamma > 0", "delta > 0", "alpha < gamma"]`)...)
	for _, ladder := range s.Settings.States {
		if x := ladder[0]; !(x[0] >= 0.9 && x[0] <= x[2]) {
			t.Fatalf("%v lies outside", x)
		}
	}
}

// The resolved configuration is one of the same run, wherever it starts and however
// it moves: the same problem, states and whitening.
func TestResolvedTrajectories(t *testing.T) {
	pace.Slow(t)
	x := "sampler.init={alpha: 0.5, beta: 0.02, gamma: 0.7, delta: 0.03, H.initial: 30, L.initial: 5, H.noise: 0.3, L.noise: 0.4}"
	for _, set := range [][]string{
		{}, {x}, {"sampler.method=auto", "sampler.kernel=sgld"}, {"sampler.method=r-sgld", "sampler.init=prior", "sampler.step_size=1e-4"},
		{"sampler.method=r-hmc", x}, {"sampler.init=prior", "sampler.until.ess=100", "sampler.method=auto"},
	} {
		s := trajectory(t, set...)
		text, err := json.Marshal(s.Resolved)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("identify", "run.json", text, nil)
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
		if diff := cmp.Diff(s.Resolved, again.Resolved); diff != "" {
			t.Errorf("%v: %s", set, diff)
		}
		if diff := cmp.Diff(s.Settings, again.Settings); diff != "" {
			t.Errorf("%v: %s", set, diff)
		}
		if (s.Problem.Chart == nil) != (again.Problem.Chart == nil) || (s.Problem.Base == nil) != (again.Problem.Base == nil) {
			t.Errorf("%v: another problem", set)
		}
	}
}

// What is said of trajectories that cannot be sampled as they are asked to be.
func TestBadTrajectories(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct {
		file string
		set  []string
		want string
	}{
		{lynxTrajectory, []string{"sampler.iterations=99", "sampler.method=auto"},
			"the first round of method auto needs at least 100 iterations; found 99"},
		{lynxTrajectory, []string{"sampler.iterations=999", "sampler.method=auto", "sampler.kernel=sgld"}, "at least 1000 iterations; found 999"},
		{lynxTrajectory, []string{"sampler.init=prior", "sampler.method=auto", "sampler.kernel=sgld"},
			"with method auto init: prior needs likelihood trajectory and kernel hmc"},
		{lynxTrajectory, []string{"model.priors={alpha: 'normal(1, 0.5)'}", "sampler.init=prior"},
			"--set sampler.init: init: prior needs a prior (model.priors), or bounds on both sides (model.constraints), for every parameter: " +
				"there is none for beta, gamma, delta, H.initial, L.initial, H.noise, L.noise\n1 problem;"},
		{lynxTrajectory, []string{"model.priors={alpha: 'normal(1, 0.5)'}", "sampler.init=prior", "sampler.method=r-sgld",
			"sampler.step_size=1e-4"},
			"init: prior needs a prior (model.priors), or bounds on both sides"},
		{lynxTrajectory, []string{`model.constraints=["alpha^2 + beta^2 < 1e-12"]`},
			`draws from the priors meet "alpha^2 + beta^2 < 1e-12": next to nothing of the priors is left`},
		{lynxTrajectory, []string{`model.constraints=["alpha*beta > 0.0199999", "alpha*beta < 0.02"]`},
			`draws from the priors meet all constraints`},
		{lynxTrajectory, []string{`model.fixed={"H.initial": 1e150}`, `model.priors={}`}, "with a finite likelihood. For instance at alpha = "},
		{lynxTrajectory, []string{"sampler.init=prior", "sampler.method=r-sgld", "sampler.step_size=1e-4",
			`model.constraints=["alpha > 0", "beta > 0", "gamma > 0", "delta > 0", "0.0001*H.initial > 1 + 1e3*alpha"]`},
			"draws from the priors meets the constraints"},
		{"../../examples/lynx-hare.yaml", []string{"sampler.init=prior"}, "with method auto init: prior needs"},
		{"../../examples/lynx-hare.yaml", []string{"sampler.init=prior", "sampler.method=r-sgld"},
			"for every parameter: there is none for alpha, beta, gamma, delta"},
		{lynxTrajectory, []string{"sampler.init=priors"}, "init must be uniform, prior or a point"},
	} {
		if _, err := Load("identify", c.file, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.set, err, c.want)
		}
	}
}

// Coefficients of a library are called by their terms, in backquotes where those are
// no names, and those that a constraint speaks of stay in a sparse model.
func TestConstraintsOnLibraries(t *testing.T) {
	folder := t.TempDir()
	var rows strings.Builder
	rows.WriteString("t,x,y\n")
	x, y := 1.0, 0.5
	rng := newRand(5)
	for k := range 200 {
		fmt.Fprintf(&rows, "%g,%g,%g\n", float64(k)*0.05, x+1e-4*rng.NormFloat64(), y+1e-4*rng.NormFloat64())
		for range 50 {
			x, y = x+1e-3*(x-x*y), y+1e-3*(x*y-y)
		}
	}
	write(t, filepath.Join(folder, "data.csv"), rows.String())
	text := "name: library\ndata: {file: data.csv, time: t, states: {x: x, y: y}}\nmodel:\n  library: [poly(2)]\n  sparse: true\n" +
		"  constraints: [\"`x.x*y` < 0\", \"`y.x^2` + y.y > -3\"]\n"
	file := filepath.Join(folder, "f.yaml")
	load := func(text string) *Run {
		write(t, file, text)
		s, err := Load("identify", file, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := load(text)
	names := s.Problem.Names
	for _, name := range []string{"x.x", "x.x*y", "y.x*y", "y.y", "y.x^2"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no parameter of %v", name, names)
		}
	}
	at := slices.Index(names, "x.x*y")
	point := slices.Clone(s.Model.Center)
	if !s.Problem.Domain.Contains(point) {
		t.Errorf("the mode %v lies outside", point)
	}
	if point[at] = 0.1; s.Problem.Domain.Contains(point) {
		t.Error("the constraint on x.x*y is none")
	}
	free := load(strings.Replace(text, ", \"`y.x^2` + y.y > -3\"", "", 1))
	if slices.Contains(free.Problem.Names, "y.x^2") {
		t.Errorf("y.x^2 belongs to the model anyway: %v", free.Problem.Names)
	}
	write(t, file, strings.Replace(text, "`y.x^2`", "`y.x^3`", 1))
	if _, err := Load("identify", file, nil); err == nil || !strings.Contains(err.Error(), "y.x^3") {
		t.Errorf("a term that is not in the library: %v", err)
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
