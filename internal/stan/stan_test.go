package stan

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/command"
	"github.com/r2sgld/r2sgld/potential"
)

// installed skips a test where there is no toolchain.
func installed(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling takes half a minute")
	}
	if _, err := Find(); err != nil {
		t.Skip("no Stan here, script/setup stan brings it: " + err.Error())
	}
}

func anything([]string) error { return nil }

func nothing(string) {}

func compiled(t *testing.T, file string) *Program {
	t.Helper()
	p, err := Compile(t.Context(), file, anything, nothing)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func dataFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const walled = `{"K": 2, "least": [-1, 0.5], "most": 3}`

// Bounds, ordered vectors and simplexes are walls, data in them; a bound that another parameter
// moves is a wall between the two. The rest goes through Stan's transforms.
func TestWalls(t *testing.T) {
	installed(t)
	p, data := compiled(t, "testdata/walls.stan"), dataFile(t, walled)
	m, err := p.Model(t.Context(), data, false)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "v[1]", "v[2]", "s[1,1]", "s[1,2]", "s[2,1]", "s[2,2]", "o[1]", "o[2]", "L[1].free", "L[2].free",
		"L[3].free", "z.free", "r[1]", "r[2]", "M[1,1]", "M[2,1]", "M[1,2]", "M[2,2]"}
	if !slices.Equal(m.Names, names) {
		t.Errorf("coordinates %q, want %q", m.Names, names)
	}
	bounds := map[string][2]float64{"a": {0, math.Inf(1)}, "c": {math.Inf(-1), 3}, "v[1]": {-1, math.Inf(1)}, "v[2]": {0.5, math.Inf(1)},
		"r[1]": {-1, 1}, "r[2]": {-1, 1}, "o[1]": {0, math.Inf(1)}, "s[1,1]": {0, math.Inf(1)}, "s[1,2]": {0, math.Inf(1)},
		"s[2,1]": {0, math.Inf(1)}, "s[2,2]": {0, math.Inf(1)}}
	for j, name := range m.Names {
		want, ok := bounds[name]
		if !ok {
			want = [2]float64{math.Inf(-1), math.Inf(1)}
		}
		if got := [2]float64{m.Lower[j], m.Upper[j]}; got != want {
			t.Errorf("%s lies between %v, want %v", name, got, want)
		}
		if plain := !strings.HasSuffix(name, ".free"); m.Plain[j] != plain {
			t.Errorf("%s is plain: %v", name, m.Plain[j])
		}
	}
	at := func(name string) int { return slices.Index(names, name) }
	rows := []Row{{[]int{at("b"), at("a")}, []float64{1, -2}, -1}, {[]int{at("s[1,1]"), at("s[1,2]")}, []float64{-1, -1}, -1},
		{[]int{at("s[2,1]"), at("s[2,2]")}, []float64{-1, -1}, -1}, {[]int{at("o[2]"), at("o[1]")}, []float64{1, -1}, 0}}
	if len(m.Rows) != len(rows) {
		t.Fatalf("walls between coordinates: %v, want %v", m.Rows, rows)
	}
	for i, r := range m.Rows {
		if !slices.Equal(r.Of, rows[i].Of) || !slices.Equal(r.Times, rows[i].Times) || math.Abs(r.Least-rows[i].Least) > 1e-12 {
			t.Errorf("wall %v, want %v", r, rows[i])
		}
	}
	if len(m.Starts) != 8 {
		t.Errorf("%d starts", len(m.Starts))
	}
	for _, x := range m.Starts { // near the mode of Stan's coordinates, where M is the mode of its prior
		for _, v := range x[17:] {
			if math.Abs(v) > 0.01 {
				t.Errorf("the start %v is not near the mode", x)
			}
		}
	}
	free, err := p.Model(t.Context(), data, true)
	if err != nil {
		t.Fatal(err)
	}
	for j, name := range free.Names {
		bare := strings.TrimSuffix(name, ".free")
		if free.Plain[j] || !math.IsInf(free.Upper[j]-free.Lower[j], 1) || bare != strings.TrimSuffix(names[j], ".free") {
			t.Errorf("by Stan's transforms %s lies between %g and %g", name, free.Lower[j], free.Upper[j])
		}
	}
	if len(free.Rows) > 0 {
		t.Errorf("by Stan's transforms there are walls %v", free.Rows)
	}
}

func opened(t *testing.T, p *Program, data string, transform bool, names []string) *command.Potential {
	t.Helper()
	u, err := command.New(t.Context(), command.Settings{Args: p.Args(data, transform), Names: names, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// normal is −log of the normal density.
func normal(x, mu, sd float64) float64 {
	return (x-mu)*(x-mu)/(2*sd*sd) + math.Log(sd) + 0.5*math.Log(2*math.Pi)
}

// Energies are those of the program with all their constants, in the parameters themselves, and
// gradients are their slopes. What this test computes itself leaves out the correlations, by
// differences between states of the same.
func TestEnergies(t *testing.T) {
	installed(t)
	p, data := compiled(t, "testdata/walls.stan"), dataFile(t, walled)
	m, err := p.Model(t.Context(), data, false)
	if err != nil {
		t.Fatal(err)
	}
	u := opened(t, p, data, false, m.Names)
	d := u.Dim()
	value := func(x []float64) float64 {
		e := x[0] + normal(x[1], 0, 2) + normal(x[2], 0, 1) + normal(x[3], 0, 1) + normal(x[4], 0, 1) + normal(x[9], 0, 1) + normal(x[10], 0, 1)
		e += normal(1+2*x[14], 1, 2) - math.Log(2)
		rest := 1 - x[5] - x[6]
		g := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
		e -= g(9) - g(2) - g(3) - g(4) + math.Log(x[5]) + 2*math.Log(x[6]) + 3*math.Log(rest)
		for _, v := range x[17:21] {
			e += normal(v, 0, 1)
		}
		return e
	}
	const r = 4
	block, energy, grad := make([]float64, d*r), make([]float64, r), make([]float64, d*r)
	states := make([][]float64, r)
	for i := range states {
		states[i] = slices.Clone(m.Starts[0])
		for j := range states[i] {
			if j < 11 || j > 13 { // the correlations stay
				states[i][j] += 0.01 * float64(i*(1+j%3))
			}
			block[j*r+i] = states[i][j]
		}
	}
	e := u.Evaluator(r, nil)
	e.Eval(energy, grad, block)
	for i := 1; i < r; i++ {
		if got, want := energy[i]-energy[0], value(states[i])-value(states[0]); math.Abs(got-want) > 1e-9 {
			t.Errorf("energies %d and 0 are apart by %.12g, want %.12g", i, got, want)
		}
	}
	const h = 1e-6
	two, shifted, none := make([]float64, 2), make([]float64, 2*d), make([]float64, 2*d)
	pair := u.Evaluator(2, nil)
	for i, x := range states {
		for k := range d {
			for j, v := range x {
				shifted[2*j], shifted[2*j+1] = v, v
			}
			shifted[2*k] += h
			shifted[2*k+1] -= h
			pair.Eval(two, none, shifted)
			if slope := (two[0] - two[1]) / (2 * h); math.Abs(slope-grad[k*r+i]) > 1e-5*(1+math.Abs(slope)) {
				t.Errorf("the slope of state %d by %s is %.8g, differences say %.8g", i, m.Names[k], grad[k*r+i], slope)
			}
		}
	}
	for _, e := range []potential.Evaluator{e, pair} {
		if err := errors.Join(potential.Err(e), potential.Close(e)); err != nil {
			t.Error(err)
		}
	}
}

// By Stan's transforms energies have the Jacobian: of a = exp(u) it is u, everything else alike.
func TestTransformedEnergies(t *testing.T) {
	installed(t)
	p, data := compiled(t, "testdata/walls.stan"), dataFile(t, walled)
	m, err := p.Model(t.Context(), data, true)
	if err != nil {
		t.Fatal(err)
	}
	u := opened(t, p, data, true, m.Names)
	d := u.Dim()
	x, energy, grad := make([]float64, 2*d), make([]float64, 2), make([]float64, 2*d)
	for j, v := range m.Starts[0] {
		x[2*j], x[2*j+1] = v, v
	}
	x[1] += 0.5 // u of a, and with it the bound 2a − 1 of b
	a, b := [2]float64{math.Exp(x[0]), math.Exp(x[1])}, [2]float64{}
	for i := range b {
		b[i] = 2*a[i] - 1 + math.Exp(x[2+i])
	}
	e := u.Evaluator(2, nil)
	e.Eval(energy, grad, x)
	want := a[1] - a[0] - (x[1] - x[0]) + normal(b[1], 0, 2) - normal(b[0], 0, 2)
	if got := energy[1] - energy[0]; math.Abs(got-want) > 1e-9 {
		t.Errorf("energies are apart by %.12g, want %.12g", got, want)
	}
	if err := errors.Join(potential.Err(e), potential.Close(e)); err != nil {
		t.Error(err)
	}
}

// Where the density is infinite, as that of groups is at a scale of 0, starts lie in the mass: steps towards a mode
// go on and on to there. Mutant: steps that end where 200 are made.
func TestStartsOfGroups(t *testing.T) {
	installed(t)
	p := compiled(t, "testdata/groups.stan")
	data := dataFile(t, `{"J": 6, "y": [1.2, 2.5, 8.3, 2.0, 1.0, 6.5], "s": [3, 4, 3.5, 5, 2.5, 4.5]}`)
	m, err := p.Model(t.Context(), data, true)
	if err != nil {
		t.Fatal(err)
	}
	scale := slices.Index(m.Names, "tau.free")
	for _, x := range m.Starts {
		if !(math.Abs(x[scale]) < 7) { // 1 in 3,000 of the mass lies beyond
			t.Errorf("a start where log tau is %g", x[scale])
		}
	}
	if scale < 0 || len(m.Starts) == 0 {
		t.Errorf("coordinates %q, %d starts", m.Names, len(m.Starts))
	}
}

// Outputs are parameters, transformed parameters and generated quantities by Stan's names; what
// is drawn follows from the seed, whatever states are asked for together.
func TestOutputs(t *testing.T) {
	installed(t)
	p, data := compiled(t, "testdata/walls.stan"), dataFile(t, walled)
	m, err := p.Model(t.Context(), data, false)
	if err != nil {
		t.Fatal(err)
	}
	u := opened(t, p, data, false, m.Names)
	names := u.OutputNames()
	at := func(name string) int {
		i := slices.Index(names, name)
		if i < 0 {
			t.Fatalf("no output %s in %q", name, names)
		}
		return i
	}
	states := m.Starts[:3]
	for i, x := range states {
		for j := range x {
			x[j] += 0.01 * float64(i*(1+j%3))
		}
	}
	all, err := u.Outputs(states, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range states {
		out := all[i]
		for j, name := range m.Names {
			if m.Plain[j] && out[at(name)] != x[j] {
				t.Errorf("output %s is %g, the parameter %g", name, out[at(name)], x[j])
			}
		}
		if got, want := out[at("ab")], x[0]+x[1]; got != want {
			t.Errorf("ab is %g, want %g", got, want)
		}
		if got, want := out[at("s[2,3]")], 1-x[7]-x[8]; math.Abs(got-want) > 1e-15 {
			t.Errorf("s[2,3] is %g, want %g", got, want)
		}
		if got, want := out[at("twice[2,1]")], 2*x[18]; got != want {
			t.Errorf("twice[2,1] is %g, want %g", got, want)
		}
		if got, want := out[at("z")], 1+2*x[14]; math.Abs(got-want) > 1e-12 {
			t.Errorf("z is %g, want %g", got, want)
		}
	}
	again, err := u.Outputs(states, 7)
	if err != nil || !slices.EqualFunc(all, again, slices.Equal) {
		t.Errorf("other outputs for the same seed, %v", err)
	}
	other, err := u.Outputs(states, 8)
	if err != nil || other[0][at("y")] == all[0][at("y")] || other[0][at("ab")] != all[0][at("ab")] {
		t.Errorf("seed 8: y %g and %g, %v", other[0][at("y")], all[0][at("y")], err)
	}
}

// What cannot be sampled is told, by the Stan compiler's own words where these are its.
func TestFaults(t *testing.T) {
	installed(t)
	p := compiled(t, "testdata/odd.stan")
	for text, want := range map[string]string{
		`{"way": 1}`: "a bound of b[1] depends on other parameters, and not linearly: give transform: true",
		`{"way": 2}`: "no parameters",
		`{"way": 3}`: "no finite log density at 100 starts",
		`{"way": 4}`: "way is 4, but must be less than or equal to 3",
		`{}`:         "way",
		`{"way": `:   "JSON",
	} {
		if _, err := p.Model(t.Context(), dataFile(t, text), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if m, err := p.Model(t.Context(), dataFile(t, `{"way": 1}`), true); err != nil || len(m.Names) != 2 {
		t.Errorf("by Stan's transforms: %v, %v", m, err)
	}
	bad := filepath.Join(t.TempDir(), "bad.stan")
	if err := os.WriteFile(bad, []byte("parameters {\n  real x\n}\nmodel { x ~ normal(0, 1); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(t.Context(), bad, anything, nothing); err == nil || !strings.Contains(err.Error(), "line 3, column 0") {
		t.Errorf("a program that is none: %v", err)
	}
	if _, err := Compile(t.Context(), "nowhere.stan", anything, nothing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
	stopped, stop := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	stop(why)
	if _, err := Compile(stopped, "testdata/odd.stan", anything, nothing); !errors.Is(err, why) {
		t.Errorf("of a context that is done: %v", err)
	}
}

// A program is compiled once, wherever it lies, and not without leave.
func TestCompiledOnce(t *testing.T) {
	installed(t)
	p := compiled(t, "testdata/odd.stan")
	b, err := os.ReadFile("testdata/odd.stan")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "odd.stan")
	if err := os.WriteFile(copied, b, 0o644); err != nil {
		t.Fatal(err)
	}
	var run []string
	again, err := Compile(t.Context(), copied, func(args []string) error {
		run = append(run, filepath.Base(args[0]))
		return nil
	}, nothing)
	if err != nil || again.Path != p.Path || !slices.Equal(run, []string{"stanc"}) {
		t.Errorf("the copy is %v, %v; it ran %q", again, err, run)
	}
	refused := errors.New("refused")
	if _, err := Compile(t.Context(), copied, func([]string) error { return refused }, nothing); !errors.Is(err, refused) {
		t.Errorf("without leave: %v", err)
	}
}

// A compiler that takes long is told, by a program's name; one that is quick, and what was compiled
// before, are not. The compiler here waits until that is told.
//
// Mutant it kills: told at once, or never.
func TestSlowCompilerIsTold(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	put("include/x", "")
	put("lib/libsundials_x.a", "")
	put("lib/libtbb.so", "")
	put("stanc", `#!/bin/sh
for a; do [ "$before" != --o ] || to=$a; before=$a; done
echo "stan::io::deserializer<" $a >"$to"`)
	t.Setenv("CXX", put("c++", `#!/bin/sh
[ "$1" != --version ] || exit 0
for a; do [ "$before" != -o ] || to=$a; before=$a; done
i=0
while [ "$R2SGLD_SLOW" ] && [ ! -e "$R2SGLD_SLOW" ] && [ $i -lt 6000 ]; do sleep 0.01; i=$((i+1)); done
echo >"$to"; chmod +x "$to"`))
	t.Setenv("R2SGLD_STAN", root)
	t.Setenv("XDG_CACHE_HOME", root)
	defer func(was time.Duration) { quick = was }(quick)
	compile := func(name string) (told string) {
		var mu sync.Mutex
		_, err := Compile(t.Context(), put(name, ""), anything, func(what string) {
			mu.Lock()
			defer mu.Unlock()
			told += what
			put("told", "")
		})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		return told
	}
	t.Setenv("R2SGLD_SLOW", filepath.Join(root, "told"))
	for _, want := range []string{"slow.stan is being compiled, which may take some minutes", ""} { // the second time it is there
		quick = 10 * time.Millisecond
		if told := compile("slow.stan"); !strings.HasPrefix(told, want) || want == "" && told != "" {
			t.Errorf("told %q, want %q", told, want)
		}
	}
	t.Setenv("R2SGLD_SLOW", "")
	quick = time.Hour
	if told := compile("quick.stan"); told != "" {
		t.Errorf("told %q of a compiler that was quick", told)
	}
}

// The folders of CmdStan and BridgeStan are found, the newest first, and what is not whole is
// not.
func TestToolchains(t *testing.T) {
	root := t.TempDir()
	put := func(file string) {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	math := "stan/lib/stan_math/"
	for _, file := range []string{"stan/src/stan/model/model_header.hpp", math + "stan/math.hpp", math + "lib/eigen_3.4.0/Eigen/Core",
		math + "lib/boost_1.84.0/boost/version.hpp", math + "lib/sundials_6.1.1/include/x.h", math + "lib/sundials_6.1.1/src/sundials/x.h",
		math + "lib/tbb_2020.3/include/tbb/tbb.h", "stan/lib/rapidjson_1.1.0/rapidjson/reader.h",
		math + "lib/sundials_6.1.1/lib/libsundials_cvodes.a"} {
		put(file)
	}
	t.Setenv("CMDSTAN", root)
	t.Setenv("R2SGLD_STAN", "")
	t.Setenv("CXX", "c++ -m64")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "CMDSTAN="+root+" holds no Stan") {
		t.Errorf("a CmdStan that is not built: %v", err)
	}
	put("bin/stanc")
	put(math + "lib/tbb/libtbb.so.2")
	found, err := Find()
	if err != nil || len(found.Includes) != 8 || len(found.Libraries) != 2 || found.Stanc != filepath.Join(root, "bin/stanc") {
		t.Fatalf("found %v, %v", found, err)
	}
	if args := found.link("out", "in.cpp"); !slices.Equal(args[:3], []string{"c++", "-m64", "-std=c++17"}) {
		t.Errorf("compiled by %q", args)
	}
	if got := []string{"a/cmdstan-2.9.0", "a/cmdstan-2.38.0", "a/cmdstan-2.36.1"}; true {
		slices.SortFunc(got, newer)
		if !slices.Equal(got, []string{"a/cmdstan-2.38.0", "a/cmdstan-2.36.1", "a/cmdstan-2.9.0"}) {
			t.Errorf("order %q", got)
		}
	}
}
