package command

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

const external = "../../examples/external"

// banana is the density of the examples.
var banana = potential.Func(2, func(grad, x []float64) float64 {
	a, b := x[0]*x[0]-1, x[1]+1-x[0]*x[0]
	grad[0], grad[1] = 8*x[0]*a-20*x[0]*b+0.3, 10*b
	return 2*a*a + 5*b*b + 0.3*x[0]
})

// compiled returns the example of that name in C, empty where there is no compiler.
func compiled(t testing.TB, name string) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Log("no C compiler here")
		return ""
	}
	out := filepath.Join(t.TempDir(), name)
	if b, err := exec.Command(cc, "-O2", "-Wall", "-Wextra", "-Werror", "-o", out, filepath.Join(external, name+".c"),
		"-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return out
}

// examples returns evaluators of the programs that can run here.
func examples(t testing.TB, r int) []*evaluator {
	var all []*evaluator
	programs := [][]string{{"python3", "banana.py"}, {compiled(t, "banana")}, {"python3", "frames.py"}, {compiled(t, "frames")},
		{"Rscript", "frames.R"}}
	needs := map[string][2]string{"frames.py": {"-c", "import numpy"}, "frames.R": {"-e", "library(jsonlite)"}}
	for _, args := range programs {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s cannot run here", args)
			continue
		}
		if need, ok := needs[args[len(args)-1]]; ok && exec.Command(args[0], need[:]...).Run() != nil {
			t.Logf("%s cannot %s: script/setup interop brings what is needed", args, need[1])
			continue
		}
		all = append(all, open(t, Settings{Args: args, Dir: external, Names: []string{"x", "y"}}, r, nil))
	}
	return all
}

// The gradients of the examples are those of their energies. Central
// differences of step 1e-5 are good to 1e-8 here; a wrong coefficient or sign is
// off by 0.01 at least somewhere. Both compute the same density.
func TestExampleGradients(t *testing.T) {
	pace.Slow(t)
	const r, h = 24, 1e-5
	x := make([]float64, 2*r)
	for i := range r {
		x[i], x[r+i] = 2*math.Cos(float64(i)), 1.5*math.Sin(3.7*float64(i))
	}
	u, g, v, w := make([]float64, r), make([]float64, 2*r), make([]float64, r), make([]float64, 2*r)
	shifted := func(e potential.Evaluator, j int, by float64) []float64 {
		y, u := append([]float64(nil), x...), make([]float64, r)
		for i := range r {
			y[j*r+i] += by
		}
		e.Eval(u, make([]float64, 2*r), y)
		return u
	}
	banana.Evaluator(r, nil).Eval(v, w, x)
	for _, e := range examples(t, r) {
		e.Eval(u, g, x)
		for j := range 2 {
			up, down := shifted(e, j, h), shifted(e, j, -h)
			for i := range r {
				if d := (up[i] - down[i]) / (2 * h); !(math.Abs(d-g[j*r+i]) < 1e-6) {
					t.Errorf("%v: ∂%d at state %d is %v, differences say %v", e.p.settings, j, i, g[j*r+i], d)
				}
				if !(math.Abs(u[i]-v[i]) < 1e-12) {
					t.Errorf("%v: U at state %d is %v, want %v", e.p.settings, i, u[i], v[i])
				}
			}
		}
		if e.Err() != nil {
			t.Error(e.Err())
		}
	}
}

// The example with minibatches is unbiased: its mean gradient over 400 blocks
// is the one over all data, which is 1000·(mu − mean), as at another mu with the
// same seeds. A minibatch of 50 without the factor N/50 has a twentieth of the
// difference; all states of a block have the same minibatch, so that difference
// is exact but for rounding.
func TestExampleMinibatch(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3: script/setup test installs it")
	}
	e := open(t, Settings{Args: []string{"python3", "minibatch.py"}, Dir: external, Names: []string{"mu"}}, 2, stream.New(1, 0))
	u, g := make([]float64, 2), make([]float64, 2)
	mean, square := 0.0, 0.0
	const n = 400
	for range n {
		e.Eval(u, g, []float64{0.25, 0.75})
		if d := g[1] - g[0]; !(math.Abs(d-500) < 1e-6) {
			t.Fatalf("the gradients differ by %v, want 500; %v", d, e.Err())
		}
		if d := (g[0] + g[1]) / 2 * 0.5; !(math.Abs(u[1]-u[0]-d) < 1e-6) {
			t.Fatalf("the energies differ by %v, want %v", u[1]-u[0], d)
		}
		mean += g[0] / n
		square += g[0] * g[0] / n
	}
	// sd of a gradient: 1000/√50·√(1 − 50/1000) times that of the data, near 1
	if sd := math.Sqrt(square - mean*mean); math.Abs(sd-137.8) > 30 {
		t.Errorf("the gradient has the standard deviation %v", sd)
	}
}

// One evaluation of a block of states in the plane, and its states a second.
func BenchmarkExample(b *testing.B) {
	for _, r := range []int{2, 64} {
		for _, e := range examples(b, r) {
			name := filepath.Base(e.p.settings.Args[len(e.p.settings.Args)-1])
			b.Run(fmt.Sprintf("%s/%d", name, r), func(b *testing.B) {
				u, g, x := make([]float64, r), make([]float64, 2*r), make([]float64, 2*r)
				for i := range x {
					x[i] = math.Sin(float64(i))
				}
				for b.Loop() {
					e.Eval(u, g, x)
				}
				if e.Err() != nil {
					b.Fatal(e.Err())
				}
				b.ReportMetric(float64(r)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
			})
		}
	}
}

// BenchmarkRoundTrip is a block of 64 states of ten coordinates, to a program in Python and one in C and back.
func BenchmarkRoundTrip(b *testing.B) {
	const d, r = 10, 64
	dir := b.TempDir()
	written := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		return file
	}
	c := filepath.Join(dir, "normal")
	if out, err := exec.Command("cc", "-O2", "-o", c, written("normal.c", normalC)).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var names []string
	for j := range d {
		names = append(names, fmt.Sprint("x", j))
	}
	for _, args := range [][]string{{c}, {"python3", written("normal.py", normalPython)}} {
		b.Run(filepath.Base(args[len(args)-1]), func(b *testing.B) {
			e := open(b, Settings{Args: args, Dir: dir, Names: names}, r, nil)
			u, g, x := make([]float64, r), make([]float64, d*r), make([]float64, d*r)
			for i := range x {
				x[i] = math.Sin(float64(i))
			}
			for b.Loop() {
				e.Eval(u, g, x)
			}
			if e.Err() != nil || g[3] != x[3] {
				b.Fatal(e.Err(), g[3])
			}
		})
	}
}

// A standard normal law in ten dimensions, in frames.
const (
	normalC = `#include <poll.h>
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    static double x[1 << 16], u[1 << 17];
    struct { uint32_t n, kind; int64_t seed; } ask;
    struct pollfd in = {0, POLLIN, 0};
    while (getchar() != '\n')
        ;
    puts("{\"r2sgld\": 2, \"dimension\": 10, \"lanewise\": true}");
    fflush(stdout);
    while (fread(&ask, sizeof ask, 1, stdin) == 1 && fread(x, 80, ask.n, stdin) == ask.n) {
        uint32_t head[2] = {ask.n, 0};
        for (uint32_t i = 0; i < ask.n; i++) {
            u[i] = 0;
            for (int j = 0; j < 10; j++) {
                u[i] += 0.5 * x[10 * i + j] * x[10 * i + j];
                u[ask.n + 10 * i + j] = x[10 * i + j];
            }
        }
        fwrite(head, sizeof head, 1, stdout);
        fwrite(u, 88, ask.n, stdout);
        fflush(stdout);
        for (int i = 0; i < 100 && !poll(&in, 1, 0); i++)
            ;
    }
}
`
	normalPython = `import os, select, struct
import numpy as np
stdin, stdout = os.fdopen(0, "rb"), os.fdopen(1, "wb")
poll = select.poll()
poll.register(stdin, select.POLLIN)
stdin.readline()
stdout.write(b'{"r2sgld": 2, "dimension": 10, "lanewise": true}\n')
stdout.flush()
while head := stdin.read(16):
    n, kind, seed = struct.unpack("<IIq", head)
    x = np.frombuffer(stdin.read(80 * n)).reshape(n, 10)
    stdout.write(struct.pack("<II", n, 0) + (0.5 * (x * x).sum(axis=1)).tobytes() + x.tobytes())
    stdout.flush()
    for _ in range(50):
        if poll.poll(0):
            break
`
)

// Blocks of two states in the plane for four ladders at a time, 1000 in
// all; ns/block is for one block of one of them.
func BenchmarkLadders(b *testing.B) {
	program := compiled(b, "banana")
	if program == "" {
		return
	}
	const ladders = 4
	var all []*evaluator
	for range ladders {
		all = append(all, open(b, Settings{Args: []string{program}, Names: []string{"x", "y"}}, 2, nil))
	}
	for b.Loop() {
		done := make(chan error)
		for _, e := range all {
			go func() {
				u, g := make([]float64, 2), make([]float64, 4)
				for range 250 {
					e.Eval(u, g, []float64{0.12345678901234567, 0.7654321, -0.98765432109876543, 1.1})
				}
				done <- e.Err()
			}()
		}
		for range all {
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(250*ladders), "ns/block")
}
