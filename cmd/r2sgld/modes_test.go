package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// ofTwo has modes of equal weights, 0.8·0.1 and 0.2·0.4, near (2, 1) and (−2, −1). Along the
// line between them its −log is 11.6438 at most.
const ofTwo = `name: pair
variables: [x, y]
potential: "-log(0.8*exp(-((x-2)^2+(y-1)^2)/(2*0.1)) + 0.2*exp(-((x+2)^2+(y+1)^2)/(2*0.4)))"
domain: {box: {x: [-6, 6], y: [-6, 6]}}
sampler: {until: {ess: 400}}
`

// The modes of a run are told with their places, weights within five standard errors of the
// exact ones, and the barrier between them, within 80 columns and within 120; the figure is
// there, the line before the rounds, and the gradients of the search count.
//
// Mutants: the way out of a mode from the bottom of another, a search that does not count.
func TestModesOfARun(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file, out := write(t, dir, "pair.yaml", ofTwo), filepath.Join(dir, "run")
	p := start(t, "sample", file, "--out", out)
	code, said := p.code(t), p.stderr.String()
	if code != exitDone || !strings.Contains(said, "\n 2 modes from ") ||
		!strings.Contains(said, "); ladders begin at a law fitted to them: barrier ") {
		t.Fatalf("exit %d: %s", code, said)
	}
	for _, name := range []string{"figures/modes.svg", "figures/modes.png"} {
		if !there(out, name) {
			t.Errorf("no %s", name)
		}
	}
	table := modesAt(t, out)
	p = start(t, "modes", out, "--json")
	var b struct {
		Modes struct {
			Modes []struct {
				Energy float64
				Weight float64
				SE     float64 `json:"weight_se"`
			}
			Barriers []struct{ Energy float64 }
		}
	}
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &b); err != nil || len(b.Modes.Modes) != 2 || len(b.Modes.Barriers) != 1 {
		t.Fatalf("%v: %s", err, &p.stdout)
	}
	for _, m := range b.Modes.Modes {
		if off := (m.Weight - 0.5) / m.SE; !(off*off < 25) {
			t.Errorf("weight %g ± %g, want 0.5", m.Weight, m.SE)
		}
		if out := text.Number(b.Modes.Barriers[0].Energy-m.Energy, 2); strings.Count(table, " "+out+" ") < 2 {
			t.Errorf("no way out that climbs %s in\n%s", out, table)
		}
	}
	// E on the line crosses from one law to the other with slopes of 68 and 33, at points 1/128 apart
	if top := b.Modes.Barriers[0].Energy; !(top > 11.6438-0.2 && top < 11.6439) {
		t.Errorf("a barrier of %g, want 11.6438", top)
	}
	if all, known, search := gradientsOf(t, out); all < known+search || all > known+2*search {
		t.Errorf("%d gradients: %d of rounds and steps, %d of the search before the run, whose like after it takes less", all, known, search)
	}
}

// modesAt is what is told of a run in 80 columns and in 120, in which it fits.
func modesAt(t *testing.T, out string) string {
	t.Helper()
	table := ""
	for columns, want := range map[string]int{"80": 80, "120": 120} {
		t.Setenv("COLUMNS", columns)
		p := start(t, "modes", out)
		code, said := p.code(t), p.stdout.String()
		table += said
		for _, words := range []string{" pair: 2 modes; R̂ of their shares 1.0", "missed with a", " weight", " expected", " passages",
			" starts", "2.00"} {
			if code != exitDone || !strings.Contains(said, words) {
				t.Errorf("exit %d, no %q in:\n%s", code, words, said)
			}
		}
		for line := range strings.SplitSeq(said, "\n") {
			if text.Columns(line) > want {
				t.Errorf("%d columns for %d: %q", text.Columns(line), want, line)
			}
		}
	}
	return table
}

// gradientsOf are those that a run of kernel hmc tells, those of its steps and rounds, and
// those of the search for modes before it.
func gradientsOf(t *testing.T, dir string) (all, known, search int64) {
	t.Helper()
	f, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Gradients int64
		Domain    struct{ Steps int64 }
	}
	var tuned struct{ Found *tune.Found }
	if err := errors.Join(f.ReadJSON("summary.json", &sum), f.ReadJSON("tuned.json", &tuned)); err != nil {
		t.Fatal(err)
	}
	_, known = tuned.Found.Made()
	return sum.Gradients, known + sum.Domain.Steps*int64(max(1, tuned.Found.Leapfrog)), tuned.Found.Sighting().Gradients
}

// A refusal is a folder, with the text of its files, and what is said of it.
type refusal struct{ run, summary, want string }

// refusals are those of folders by their names, and what is refused nothing.
func refusals() (bad map[string]refusal, good refusal) {
	mode := `{"at": [1], "energy": 1, "weight": 0.5, "weight_se": null, "expected": null, "ess": null, "passages": 1, "starts": 2}`
	whole := `{"name": "a", "parameters": [{"name": "x", "sd": 1}], "modes": {"modes": [` + mode + `, ` + mode + `], ` +
		`"missing": [1], "starts": 9, "unseen": 3, "rhat": null, "ess": null, "barriers": [{"between": [0, 1], "energy": null}]}}`
	auto := `{"schema": 1, "command": "sample", "config": {"sampler": {"method": "auto"}}}`
	return map[string]refusal{
		"none":     {"", "", "it has no run.json"},
		"train":    {`{"command": "train"}`, "{}", "r2sgld compare"},
		"theory":   {`{"command": "theory"}`, "{}", "those of relaxation"},
		"go":       {`{"command": "go"}`, "{}", "Outcome.Audit"},
		"begun":    {auto, "", "is not finished: r2sgld resume "},
		"old":      {auto, `{"modes": null}`, "a version that did not look"},
		"method":   {strings.Replace(auto, "auto", "r2sgld", 1), "{}", "method r2sgld takes the settings"},
		"noise":    {strings.Replace(auto, `"config": {`, `"config": {"noise": {"energy": 1}, `, 1), "{}", "energies have noise"},
		"boundary": {strings.Replace(auto, `"auto"`, `"auto", "boundary": "refuse"`, 1), "{}", "sampler.boundary: specular"},
		"text":     {auto, strings.Replace(whole, `"weight": 0.5`, `"weight": "0.5"`, 1), "weight"},
		"share":    {auto, strings.Replace(whole, `"weight": 0.5`, `"weight": 5`, 1), "summary.json: modes.modes[0].weight: 5 is no share"},
		"null":     {auto, strings.Replace(whole, `"energy": 1`, `"energy": null`, 1), "modes.modes[0].energy is not known"},
		"place":    {auto, strings.Replace(whole, `"at": [1]`, `"at": [1, 2]`, 1), "modes.modes[0].at has 2 numbers for 1 parameter"},
		"rare":     {auto, strings.Replace(whole, `"starts": 9`, `"rare": [-1], "starts": 9`, 1), "modes.rare[0]: -1 is none of 2 modes"},
		"missing":  {auto, strings.Replace(whole, `[1], "starts": 9`, `[2], "starts": 9`, 1), "modes.missing[0]: 2 is none of 2 modes"},
		"starts":   {auto, strings.Replace(whole, `"starts": 9`, `"starts": -9`, 1), "modes.starts"},
		"barriers": {auto, strings.Replace(whole, `"between": [0, 1]`, `"between": [0, 0]`, 1), "modes.barriers[0].between: 0 and 0"},
		"between":  {auto, strings.Replace(whole, `"between": [0, 1]`, `"between": [0]`, 1), "modes.barriers[0].between has 1 mode"},
		"many":     {auto, strings.Replace(whole, `"barriers": [`, `"barriers": [{"between": [0, 1]},`, 1), "modes.barriers: 1 join 2 modes"},
	}, refusal{run: auto, summary: whole}
}

// What keeps a run from being told of is said, with its file and key where that was changed,
// and what to do.
func TestModesRefused(t *testing.T) {
	dir := t.TempDir()
	bad, good := refusals()
	for name, c := range bad {
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"run.json": c.run, "summary.json": c.summary} {
			if text != "" {
				write(t, at, file, text)
			}
		}
		p := start(t, "modes", at)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), c.want) || p.stdout.Len() > 0 {
			t.Errorf("%s: exit %d, want %q: %s", name, code, c.want, &p.stderr)
		}
	}
	at := filepath.Join(dir, "whole")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, at, "run.json", good.run)
	write(t, at, "summary.json", good.summary)
	p := start(t, "modes", at)
	if code := p.code(t); code != exitDone || !strings.Contains(p.stdout.String(), "missing") ||
		!strings.Contains(p.stderr.String(), "do not know the mode near x = 1") || strings.Contains(p.stdout.String(), "NaN") {
		t.Errorf("exit %d: %s%s", code, &p.stdout, &p.stderr)
	}
}
