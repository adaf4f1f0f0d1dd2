package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// formulas makes the test binary a program that computes a potential and constraints by formulas:
// the arithmetic is that of a configuration that holds them itself.
const formulas = "formulas"

// ofFormulas is that program: its arguments are the potential, then the constraints, by which they
// are called. One that begins with a word of wrongs is a program that does wrong.
func ofFormulas(args []string) int {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	hello, _ := in.ReadBytes('\n')
	var told struct{ Names []string }
	if err := json.Unmarshal(hello, &told); err != nil {
		return 1
	}
	of, constraints := map[uint32]*expression.Evaluator{0: must1(expression.Compile(args[0], told.Names)).Evaluator(1)}, []string{}
	wrongs := map[uint32]string{}
	for k, text := range args[1:] {
		if word, rest, ok := strings.Cut(text, ": "); ok {
			wrongs[2+uint32(k)], text = word, rest
		}
		constraints = append(constraints, text)
		of[2+uint32(k)] = must1(expression.ParseConstraints(text, told.Names))[0].G.Evaluator(1)
	}
	names, _ := json.Marshal(constraints)
	fmt.Fprintf(out, `{"r2sgld": 2, "dimension": %d, "lanewise": true, "constraints": %s}`+"\n", len(told.Names), names)
	asked := 0
	for {
		_ = out.Flush()
		var ask struct {
			States, Kind uint32
			Seed         int64
		}
		if err := binary.Read(in, binary.LittleEndian, &ask); err != nil {
			return 0
		}
		x := make([]float64, int(ask.States)*len(told.Names))
		_ = binary.Read(in, binary.LittleEndian, x)
		values, grad := make([]float64, ask.States), make([]float64, len(x))
		d := len(told.Names)
		for i := range values {
			of[ask.Kind].Gradient(values[i:i+1], grad[i*d:(i+1)*d], x[i*d:(i+1)*d])
		}
		asked += len(values)
		switch wrongs[ask.Kind] {
		case "crooked":
			grad[0] = 2*grad[0] + 1
			grad[len(grad)-1] *= -1
		case "flat":
			clear(grad)
		case "nowhere":
			for i := range values {
				values[i] = math.NaN()
			}
		case "in company":
			if len(values) > 1 {
				values[0] += 1e-12
			}
		case "raises", "raises late":
			if wrongs[ask.Kind] == "raises" || asked > 200_000 {
				const why = "Traceback\nZeroDivisionError: by zero"
				_ = binary.Write(out, binary.LittleEndian, [2]uint32{uint32(len(why)), 1})
				_, _ = out.WriteString(why)
				_ = out.Flush()
				return 1
			}
		}
		_ = binary.Write(out, binary.LittleEndian, [2]uint32{ask.States, 0})
		_ = binary.Write(out, binary.LittleEndian, append(values, grad...))
	}
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A region that is not convex and has a hole, by constraints that are neither linear nor quadratic.
var (
	ring = []string{"x^4 + y^4 - 0.3*x*y^2 <= 1", "(x^2 + y^2)^2 >= 0.06 + 0.05*x"}
	well = "2*(x^2 - 0.25)^2 + 3*(y - 0.2*x)^2"
)

// ringed is a configuration of a well in the ring, by formulas or by a program that computes them.
func ringed(t *testing.T, elsewhere bool, sampler string, wrong ...string) string {
	t.Helper()
	quoted := func(all ...string) string {
		b, _ := json.Marshal(all)
		return string(b)
	}
	potential, domain := fmt.Sprintf("%q", well), "constraints: "+quoted(ring...)
	if elsewhere {
		self := must1(os.Executable())
		constraints := append(wrong, ring[min(len(wrong), 2):]...)
		potential = "{command: " + quoted(append([]string{"env", asProgram + "=" + formulas, self, well}, constraints...)...) + "}"
		domain = "program: " + quoted(ring...)
	}
	return fmt.Sprintf("name: ring\nvariables: [x, y]\npotential: %s\ndomain: {box: {x: [-1.2, 1.3], y: [-1.2, 1.2]}, %s}\nsampler: %s\n",
		potential, domain, sampler)
}

// Constraints of a program give the draws that the same formulas in the configuration give, byte
// for byte, with one thread or four, and after a kill; no draw is outside, and no process is left.
//
// Mutants it kills: steps without the mirrorings, states of other lanes, draws held against nothing,
// counts that begin anew after a kill.
func TestWallsOfAProgram(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	heard(t)
	for name, sampler := range map[string]string{
		"sgld": "{method: r2sgld, iterations: 1500, burn_in: 300, thin: 3, temperature: [1, 4, .inf], step_size: 0.01, ladders: 5}",
		"hmc":  "{method: r2sgld, kernel: hmc, iterations: 200, burn_in: 50, thin: 1, temperature: [1, 5], step_size: 0.15, ladders: 4}",
		"init": "{method: r-sgld, iterations: 1000, burn_in: 200, thin: 2, step_size: 0.01, ladders: 2, init: {x: 0.7, y: 0.1}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			here, there := write(t, dir, "here.yaml", ringed(t, false, sampler)), write(t, dir, "there.yaml", ringed(t, true, sampler))
			must(t, exitDone, "sample", here, "--out", filepath.Join(dir, "here"), "--quiet")
			first := start(t, "sample", there, "--out", filepath.Join(dir, "one"), "--threads", "1")
			code, said := first.code(t), first.stdout.String()+first.stderr.String()
			if code != exitDone || !strings.Contains(said, " values of constraints · ") {
				t.Errorf("exit %d: %s", code, said)
			}
			done(t, "sample", there, "--out", filepath.Join(dir, "four"), "--quiet", "--threads", "4")
			one := foldertest.Results(t, filepath.Join(dir, "one"))
			same(t, "one thread and four", one, foldertest.Results(t, filepath.Join(dir, "four")))
			want := foldertest.Results(t, filepath.Join(dir, "here"))
			draws := 0
			for file, text := range want {
				if strings.HasPrefix(file, "draws") && strings.Count(file, "/") != 1 {
					draws++
					if one[file] != text {
						t.Errorf("%s differs from that of formulas here", file)
					}
				}
			}
			var sum struct {
				Domain struct{ Outside, Reflected int }
				Values int64 `json:"constraint_values"`
			}
			if err := json.Unmarshal([]byte(one["summary.json"]), &sum); err != nil {
				t.Fatal(err)
			}
			if draws < 3 || sum.Domain.Outside != 0 || sum.Domain.Reflected < 100 || sum.Values < 10_000 {
				t.Errorf("%d files, %+v", draws, sum)
			}
			out := filepath.Join(dir, "killed")
			p := start(t, "sample", there, "--out", out, "--checkpoint", "20ms")
			p.await(filepath.Join(out, "checkpoints/000002"))
			p.signal(syscall.SIGKILL, 0)
			p.code(t)
			done(t, "resume", out, "--quiet", "--checkpoint", "20ms")
			same(t, "killed", one, foldertest.Results(t, out))
			leftNothing(t, dir)
		})
	}
}

// leftNothing waits until no process in a folder has the potential of the ring among its arguments.
func leftNothing(t *testing.T, dir string) {
	t.Helper()
	for range 600 { // they end once their questions do
		left := 0
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range all {
			b, _ := os.ReadFile(file)
			in, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
			words := strings.Split(string(b), "\x00")
			if len(words) > 2 && words[1] == well && slices.Contains(words, ring[0]) && strings.HasPrefix(in, dir) {
				left++
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("programs of %s go on", dir)
}

// What is wrong with the constraints of a program is told where they are named, with what the program
// says, before anything is written.
//
// Mutants it kills: each of the checks left out.
func TestWrongWallsOfAProgram(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	const sampler = "{iterations: 1000}"
	good := ringed(t, true, sampler)
	names := good[strings.Index(good, "program: ["):strings.Index(good, "}\nsampler")]
	for name, c := range map[string]struct{ text, want string }{
		"raises":   {ringed(t, true, sampler, "raises: "+ring[0]), "it cannot go on:\n  Traceback\n  ZeroDivisionError: by zero"},
		"crooked":  {ringed(t, true, sampler, ring[0], "crooked: "+ring[1]), ring[1] + ": its gradient is not that of its values: at ["},
		"flat":     {ringed(t, true, sampler, "flat: "+ring[0]), ring[0] + ": its gradient is [0 0] at its wall, at ["},
		"company":  {ringed(t, true, sampler, "in company: "+ring[0]), "more states are asked for at the same time"},
		"nowhere":  {ringed(t, true, sampler, "nowhere: "+ring[0]), "at x = 0.05, y = 0 " + ring[0] + " is NaN, " + ring[1] + " is "},
		"unknown":  {strings.Replace(good, names, `program: ["x > 0"]`, 1), `unknown constraint of the program "x > 0"; it has: ` + ring[0]},
		"twice":    {strings.Replace(good, names, strings.Replace(names, "]", fmt.Sprintf(", %q]", ring[0]), 1), 1), "is listed twice"},
		"unsaid":   {strings.Replace(good, ", "+names, "", 1), `the program has constraints, and the domain does not say whether they hold`},
		"no names": {strings.Replace(ringed(t, false, sampler), "constraints: [", "program: [", 1), "no program tells constraints here"},
		"none": {fmt.Sprintf("variables: [x, y]\npotential: {command: [env, %s=%s, %q, %q]}\n"+
			"domain: {box: {x: [0, 1], y: [0, 1]}, program: [a]}\n", asProgram, formulas, must1(os.Executable()), well),
			`the program has no constraints: it names them in its handshake, as "constraints": ["a"]`},
		"no list": {strings.Replace(good, names, "program: 3", 1), "program"},
		"outside": {strings.Replace(good, sampler, "{iterations: 1000, init: {x: 0, y: 0}}", 1),
			"the start (x = 0, y = 0) lies outside the domain"},
	} {
		p := start(t, "sample", write(t, dir, name+".yaml", c.text), "--out", filepath.Join(dir, "run"))
		if code, said := p.code(t), p.stderr.String(); code != exitUsage || !strings.Contains(said, c.want) || there(dir, "run") {
			t.Errorf("%s: exit %d: %s\nwant %s", name, code, said, c.want)
		}
	}
	late := ringed(t, true, "{method: r-sgld, iterations: 100000, step_size: 0.01}", "raises late: "+ring[0])
	p := start(t, "sample", write(t, dir, "late.yaml", late), "--out", filepath.Join(dir, "late"))
	if code, said := p.code(t), p.stderr.String(); code != exitFailed || !strings.Contains(said, "ZeroDivisionError: by zero") {
		t.Errorf("within a run: exit %d: %s", code, said)
	}
	left := write(t, dir, "left.yaml", strings.Replace(good, names, "program: []", 1))
	done(t, "sample", left, "--out", filepath.Join(dir, "left"), "--quiet",
		"--set", "sampler={method: r-sgld, iterations: 500, step_size: 0.01}")
	leftNothing(t, dir)
}
