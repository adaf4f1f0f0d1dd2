package main

import (
	"path/filepath"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/potential"
	folders "github.com/r2sgld/r2sgld/run"
	"github.com/r2sgld/r2sgld/tune"
)

// A Go program as that of the README and the command leave the same draws of the same
// problem. It is not Gaussian: there the command takes kernel harmonic, which a Go program
// asks for.
//
// Mutants it kills: a burn-in of the program alone, draws that one of them thins.
func TestCommandAndGoProgramAgree(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "disc.yaml", "variables: [x, y]\npotential: \"(x-1)*(x-1)/2 + 2*y*y*y*y\"\ndomain: {ball: {radius: 1}}\nsampler: {ladders: 4, until: {ess: 1000}}\n")
	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"x", "y"}
	formula, err := expression.Compile("(x-1)*(x-1)/2 + 2*y*y*y*y", names)
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Potential: potential.FromExpression(formula), Domain: disc, Names: names}
	for kernel, o := range map[string]tune.Options{"null": {}, "sgld": {KeepKernel: true}} {
		command, program := filepath.Join(dir, kernel), filepath.Join(dir, "program-"+kernel)
		if code := run(t.Context(), []string{"sample", file, "--seed", "0", "--quiet", "--out", command, "--set", "sampler.kernel=" + kernel}); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		out, err := tune.Run(t.Context(), p, r2sgld.Settings{Ladders: 4}, tune.Until{ESS: 1000}, o)
		if err != nil {
			t.Fatal(err)
		}
		if out.Settings.Unbiased() == o.KeepKernel {
			t.Errorf("kernel %s: another one was taken", kernel)
		}
		if _, err := folders.Write(program, p, out.Settings, out.Result); err != nil {
			t.Fatal(err)
		}
		sameDraws(t, command, program)
	}
}

// sameDraws holds the draws of two run folders against each other, bit by bit.
func sameDraws(t *testing.T, command, program string) {
	t.Helper()
	a, err := store.Read(0, command)
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.Read(0, program)
	if err != nil {
		t.Fatal(err)
	}
	if a.Kept != b.Kept || a.Chains() != b.Chains() || a.Kept < 250 {
		t.Fatalf("%d chains of %d draws by the command, %d of %d by the program", a.Chains(), a.Kept, b.Chains(), b.Kept)
	}
	for j := range a.X {
		for i := range a.X[j] {
			for k, v := range a.X[j][i] {
				if v != b.X[j][i][k] {
					t.Fatalf("%s, chain %d, draw %d: %.17g by the command, %.17g by the program", a.Names[j], i+1, k+1, v, b.X[j][i][k])
				}
			}
		}
	}
}
