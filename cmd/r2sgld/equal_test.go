package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	folders "github.com/r2sgld/r2sgld/run"
	"github.com/r2sgld/r2sgld/tune"
)

// A Go program as that of the README and the command leave the same draws of the same
// problem, whichever kernel they choose: the Gaussian of the README is for harmonic.
//
// Mutants it kills: a burn-in of the program alone, draws that one of them thins; a program
// that does not see that its potential is Gaussian.
func TestCommandAndGoProgramAgree(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	const shown, quartic = "(x-1)^2/2 + 2*y^2", "(x-1)^2/2 + 2*y^4"
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"potential.Formula(\"" + shown + "\", \"x\", \"y\")", "potential: \"" + shown + "\"",
		"r2sgld.Settings{Seed: 1, Ladders: 4}, tune.Until{ESS: 1000}"} {
		if !strings.Contains(string(readme), line) {
			t.Errorf("the README does not show %s", line)
		}
	}
	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, key string
		kernel    kernel.Kernel
		unbiased  bool
	}{{shown, "null", nil, true}, {quartic, "null", nil, true}, {quartic, "sgld", kernel.Langevin{}, false},
		{shown, "sgld", kernel.Langevin{}, false}} {
		dir := t.TempDir()
		file := write(t, dir, "disc.yaml",
			"variables: [x, y]\npotential: \""+c.text+"\"\ndomain: {ball: {radius: 1}}\nsampler: {ladders: 4, until: {ess: 1000}}\n")
		command, program := filepath.Join(dir, "command"), filepath.Join(dir, "program")
		if code := run(t.Context(), []string{"sample", file, "--quiet", "--out", command, "--set", "sampler.kernel=" + c.key}); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		u, err := potential.Formula(c.text, "x", "y")
		if err != nil {
			t.Fatal(err)
		}
		p := r2sgld.Problem{Potential: u, Domain: disc}
		res, s, err := tune.Sample(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4, Kernel: c.kernel}, tune.Until{ESS: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if s.Unbiased() != c.unbiased || s.Traits().Paths != (c.unbiased && c.text == shown) {
			t.Errorf("%s, kernel %s: %+v was taken", c.text, c.key, s.Traits())
		}
		if _, err := folders.Write(program, p, s, res); err != nil {
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
