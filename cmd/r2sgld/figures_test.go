package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// Figures of many parameters say how many they show, and show those that are asked for,
// of a finished run as well, whose draws and numbers stay as they are.
//
// Mutants: the first parameters in place of the chosen ones; figures in the hash of a run.
func TestChosenParameters(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	var names, squares []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("x%d", i+1))
		squares = append(squares, names[i]+"^2")
	}
	file := write(t, dir, "thirty.yaml", fmt.Sprintf("variables: [%s]\npotential: %s\ndomain: {box: {x29: [0, 3]}}\n"+
		"sampler: {method: r2sgld, iterations: 500, burn_in: 50, ladders: 2, step_size: 0.1, temperature: [1, 2]}\n", strings.Join(names,
		", "), strings.Join(squares, " + ")))
	out := filepath.Join(dir, "run")
	drawn := func(says string, args ...string) map[string]string {
		p := start(t, args...)
		if code := p.code(t); code != exitDone || !strings.Contains(p.stdout.String(), says) {
			t.Fatalf("%v: exit %d, want %q: %s%s", args, code, says, &p.stdout, &p.stderr)
		}
		return foldertest.Results(t, out)
	}
	all := drawn("of 30 parameters marginals show 24 and pairs 8; others: r2sgld resume "+out+" --set 'figures.parameters=[x9, x10]'",
		"sample", file, "--out", out)
	chosen := drawn("of 30 parameters marginals show 3 and pairs 3; others:", "resume", out, "--set", "figures.parameters=[x30, x29, x1]")
	for name, want := range map[string][2]string{"marginals": {"24", "3"}, "pairs": {"8", "3"}} {
		name = "figures/" + name + ".svg"
		for i, svg := range []string{all[name], chosen[name]} {
			if caption := ", " + want[i] + " of 30 parameters"; !strings.Contains(svg, caption) || strings.Contains(svg, ">x30<") != (i == 1) {
				t.Errorf("%s, %d: caption %q, x30 %v", name, i, caption, strings.Contains(svg, ">x30<"))
			}
		}
	}
	if svg := chosen["figures/marginals.svg"]; strings.Index(svg, ">x30<") > strings.Index(svg, ">x29<") ||
		!strings.Contains(svg, "outside the domain") {
		t.Error("x30 is not before x29, or x29 has no wall")
	}
	for _, files := range []map[string]string{all, chosen} {
		delete(files, "run.json")
		for name := range files {
			if strings.HasPrefix(name, "figures/") {
				delete(files, name)
			}
		}
	}
	same(t, "figures of others", all, chosen)
	again := filepath.Join(dir, "again")
	must(t, exitDone, "sample", file, "--out", again, "--quiet", "--set", "figures.parameters=[x30, x29, x1]")
	for name, text := range foldertest.Results(t, again) {
		if strings.HasPrefix(name, "draws") && text != all[name] {
			t.Errorf("%s of a run with other figures differs", name)
		}
	}
}

// A run with `figures: none` has none, and what else it has is as with them; resume draws them.
func TestNoFigures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	without, with := filepath.Join(dir, "without"), filepath.Join(dir, "with")
	must(t, exitDone, "sample", file, "--out", with, "--quiet", "--set", "sampler.iterations=2000")
	p := start(t, "sample", file, "--out", without, "--set", "sampler.iterations=2000", "--set", "figures=none")
	if code := p.code(t); code != exitDone || strings.Contains(p.stdout.String(), "figures") {
		t.Fatalf("exit %d: %s%s", code, &p.stdout, &p.stderr)
	}
	all, bare := foldertest.Results(t, with), foldertest.Results(t, without)
	for name, text := range all {
		if drawn, ok := bare[name]; strings.HasPrefix(name, "figures/") == ok || ok && name != "run.json" && drawn != text {
			t.Errorf("%s: there without figures: %v", name, ok)
		}
	}
	must(t, exitDone, "resume", without, "--quiet", "--set", "figures=null")
	bare = foldertest.Results(t, without)
	delete(all, "run.json")
	delete(bare, "run.json")
	same(t, "figures drawn later", all, bare)
	must(t, exitDone, "resume", with, "--quiet", "--set", "figures=none", "--iterations", "3000")
	if there(with, "figures") {
		t.Error("figures of fewer draws are left beside others")
	}
}
