package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	toolchain "github.com/r2sgld/r2sgld/internal/stan"
)

// compiledModel makes the test binary a compiled Stan program: the density exp(−θ₁ − 2θ₂) of
// two parameters 0 ≤ θ₁ ≤ θ₂, by what a toolchain that is none makes of it.
const compiledModel = "stan program"

func stanModel(args []string) int {
	const about = `{"names": ["theta[1]", "theta[2]"], "plain": [true, true], "lower": [0, null], "upper": [null, null],
"rows": [{"of": [1, 0], "times": [1, -1], "least": 0}], "bent": [], "starts": [[0.1, 0.2], [0.3, 0.5]], "why": ""}`
	if len(args) == 3 {
		fmt.Println(about)
		return 0
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	_, _ = in.ReadString('\n')
	fmt.Fprintln(out, `{"r2sgld": 2, "dimension": 2, "lanewise": true, "outputs": ["theta[1]", "theta[2]", "sum", "noise[1]", "noise[2]"]}`)
	for {
		_ = out.Flush()
		var ask struct {
			States, Kind uint32
			Seed         int64
		}
		if err := binary.Read(in, binary.LittleEndian, &ask); err != nil {
			return 0
		}
		x := make([][2]float64, ask.States)
		if err := binary.Read(in, binary.LittleEndian, x); err == io.ErrUnexpectedEOF {
			return 1
		}
		_ = binary.Write(out, binary.LittleEndian, [2]uint32{ask.States, 0})
		for i, v := range x {
			if ask.Kind == 0 {
				_ = binary.Write(out, binary.LittleEndian, v[0]+2*v[1])
			} else {
				_ = binary.Write(out, binary.LittleEndian, [5]float64{v[0], v[1], v[0] + v[1], math.Sin(float64(ask.Seed) + float64(i)), 1})
			}
		}
		for range x {
			if ask.Kind == 0 {
				_ = binary.Write(out, binary.LittleEndian, [2]float64{1, 2})
			}
		}
	}
}

// fakeStan makes what package stan finds a toolchain of which the compiled programs are
// compiledModel.
func fakeStan(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"include", "lib"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "lib/libsundials_cvodes.a", "")
	write(t, root, "lib/libtbb.so.2", "")
	script := func(name, text string) string {
		file := write(t, root, name, "#!/bin/sh\n"+text)
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const last = `for a; do [ "$before" = -O ] || [ "$before" != "$key" ] || to=$a; before=$a; last=$a; done` + "\n"
	script("stanc", "key=--o; "+last+`{ echo "stan::io::deserializer<"; cat "$last"; } >"$to"`)
	t.Setenv("CXX", script("c++", `[ "$1" != --version ] || { echo 1; exit; }`+"\nkey=-o; "+last+
		fmt.Sprintf(`printf '#!/bin/sh\n%s="%s" exec "%s" "$@"\n' >"$to"; chmod +x "$to"`, asProgram, compiledModel, self)))
	t.Setenv("R2SGLD_STAN", root)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
}

// A Stan program is sampled within its own walls and those that are asked for, and what else it
// knows of draws is told and kept. The bytes do not depend on threads, and a program that has
// changed is refused.
func TestStanProgram(t *testing.T) {
	pace.Slow(t)
	fakeStan(t)
	dir := t.TempDir()
	write(t, dir, "part.stan", "parameters { }")
	program, data := write(t, dir, "model.stan", "#include part.stan\n"), write(t, dir, "data.json", "{}")
	asked := []string{"stan", program, data, "--constraint", "theta[1] + theta[2] < 1", "--quiet"}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	must(t, exitDone, append(asked, "--out", one, "--threads", "1")...)
	must(t, exitDone, append(asked, "--out", two, "--threads", "2")...)
	same(t, "runs of one thread and of two", foldertest.Results(t, one), foldertest.Results(t, two))

	var sum struct {
		Parameters, Outputs []report.Parameter
		Domain              struct{ Outside int64 }
		Evidence            report.Estimate `json:"log_evidence"`
	}
	b, err := os.ReadFile(filepath.Join(one, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &sum); err != nil {
		t.Fatal(err)
	}
	// over 0 ≤ θ₁ ≤ θ₂ ≤ 1 − θ₁
	const n = 2000
	var z, first, second float64
	for i := range n {
		for j := range n {
			x := (float64(i) + 0.5) / (2 * n)
			y := x + (1-2*x)*(float64(j)+0.5)/n
			w := (1 - 2*x) * math.Exp(-x-2*y) / (2 * n * n)
			z, first, second = z+w, first+w*x, second+w*y
		}
	}
	for i, want := range []float64{first / z, second / z} {
		p := sum.Parameters[i]
		if math.Abs(p.Mean-want) > 5*p.MCSEMean {
			t.Errorf("the mean of %s is %g ± %g, exactly %g", p.Name, p.Mean, p.MCSEMean, want)
		}
	}
	if math.Abs(sum.Evidence.Estimate-math.Log(z)) > 5*sum.Evidence.SE || sum.Domain.Outside != 0 {
		t.Errorf("log Z %v, exactly %g; %d draws outside", sum.Evidence, math.Log(z), sum.Domain.Outside)
	}
	var names []string
	for _, p := range sum.Outputs {
		names = append(names, p.Name)
	}
	if strings.Join(names, " ") != "sum noise[1] noise[2]" {
		t.Fatalf("outputs %q", names)
	}
	if got, want := sum.Outputs[0].Mean, sum.Parameters[0].Mean+sum.Parameters[1].Mean; math.Abs(got-want) > 1e-9 {
		t.Errorf("the mean of the sum is %g, the sum of the means %g", got, want)
	}
	if !there(one, "draws.zarr/outputs/noise") || there(one, "draws.zarr/outputs/noise[1]") {
		t.Error("the store has no array noise")
	}

	must(t, exitDone, "resume", one, "--set", "sampler.until.ess=1000", "--quiet")
	if code := start(t, append(asked, "--out", filepath.Join(dir, "three"), "--no-commands")...).code(t); code != exitUsage {
		t.Errorf("with --no-commands: exit %d", code)
	}
	for _, file := range []string{"part.stan", "model.stan"} {
		write(t, dir, file, "parameters { } // another")
		p := start(t, "resume", one, "--set", "sampler.until.ess=2000")
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), "no longer those of this configuration") {
			t.Errorf("of a changed %s: exit %d, %s", file, code, &p.stderr)
		}
	}
	if there(dir, "three") {
		t.Error("a refused run left a folder")
	}
}

// A fault of a constraint stands under the constraint as it was written.
func TestStanConstraintFault(t *testing.T) {
	fakeStan(t)
	dir := t.TempDir()
	program, data := write(t, dir, "model.stan", ""), write(t, dir, "data.json", "{}")
	p := start(t, "stan", program, data, "--constraint", "theta[1] < the[2]", "--out", filepath.Join(dir, "run"))
	if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), "--constraint:1:12: ") ||
		!strings.Contains(p.stderr.String(), " 1 | theta[1] < the[2]\n") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
}

// A case whose potential is a Stan program is done by workers that start no other programs, from the
// files that are sent, with the bytes of the machine that has them.
func TestCaseOfAStanProgram(t *testing.T) {
	pace.Slow(t)
	t.Run("a toolchain that is none", func(t *testing.T) {
		fakeStan(t)
		caseOfStan(t)
	})
	t.Run("Stan", func(t *testing.T) {
		if _, err := toolchain.Find(); err != nil {
			t.Skip("no Stan here, script/setup stan brings it: " + err.Error())
		}
		caseOfStan(t)
	})
}

func caseOfStan(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "part.stan", "parameters { positive_ordered[2] theta; }\nmodel { target += -theta[1] - 2*theta[2]; }\n"+
		"generated quantities { real sum_of = theta[1] + theta[2]; }\n")
	write(t, dir, "model.stan", "#include part.stan\n")
	write(t, dir, "data.json", "{}")
	file := write(t, dir, "c.yaml", "potential: {stan: model.stan, data: data.json}\nsampler: {ladders: 2, until: {ess: 200}}\n")
	here, out := filepath.Join(dir, "here"), filepath.Join(dir, "sweep")
	must(t, exitDone, "sweep", file, "--over", "sampler.seed=3..4", "--out", out, "--quiet")
	must(t, exitDone, "sample", file, "--set", "sampler.seed=4", "--out", here, "--quiet", "--threads", "1")
	want := foldertest.Results(t, here)
	same(t, "a case here", want, foldertest.Results(t, filepath.Join(out, "cases/2")))

	_, m, err := job.Read(here)
	if err != nil {
		t.Fatal(err)
	}
	files, err := config.Inputs(m.Config)
	if err != nil || len(files) != 3 {
		t.Fatalf("%q, %v", files, err)
	}
	elsewhere := t.TempDir()
	place := func(path string) string { return filepath.Join(elsewhere, path) }
	for _, path := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(place(path)), 0o777), os.Rename(path, place(path))); err != nil {
			t.Fatal(err)
		}
	}
	made := filepath.Join(t.TempDir(), "case")
	if err := doCase(false, nil)(t.Context(), cases.Case{Command: "sample", Config: m.Config}, place, made); err != nil {
		t.Fatal(err)
	}
	same(t, "a case elsewhere", want, foldertest.Results(t, made))
}
