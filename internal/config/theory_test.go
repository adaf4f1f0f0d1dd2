package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/config/key"
)

const goodTheory = `name: good
variables: [x]
potential: "x^2/2"
domain: {box: {x: [0, 2]}}
theory:
  temperature: [1, 10]
  intensity: 3
  grid: 100
  eigenvalues: 4
  decay: {start: {x: 0.1}, times: [0.1, 1, 10], of: [chi2, tv]}
`

// TestBadTheories pins the message and the place of everything that a configuration of
// theory may have wrong.
func TestBadTheories(t *testing.T) {
	for _, c := range []struct{ begins, with, want string }{
		{`name`, `nam: x`, `f.yaml:1:1: unknown key "nam"; did you mean "name"?`},
		{`variables`, ``, `f.yaml:1:1: variables are missing: add, for instance, variables: [x, y]`},
		{`variables`, `variables: [x, y, z]`, `f.yaml:2:12: theory cuts an interval or a part of the plane into cells: one or two variables; found 3` + "\n" +
			`f.yaml:10:18: start lacks a value for "y"` + "\n" + `f.yaml:10:18: start lacks a value for "z"`},
		{`potential`, ``, `f.yaml:1:1: the potential is missing: add, for instance, potential: "x^2/2"`},
		{`potential`, `potential: "x + a"`, `f.yaml:3:17: "a" is not defined; the variable is x`},
		{`potential`, `potential: {command: [./u]}`,
			`f.yaml:3:12: theory needs the potential as a formula, such as "x^2/2": it is asked for at every cell and face`},
		{`potential`, `potential: log(x - 5)`, `f.yaml:3:1: the potential or its gradient is not finite at any of 256 points of the domain around the start: give a start where it is, or bound the domain more closely by that. It is no number (NaN) at all of them: look at the formula or function first`},
		{`domain`, ``, `f.yaml:1:1: the domain is missing: theory needs walls all around, such as domain: {box: {x: [0, 1]}}`},
		{`domain`, `domain: {}`, `f.yaml:1:1: the domain is missing: theory needs walls all around, such as domain: {box: {x: [0, 1]}}`},
		{`domain`, `domain: {constraints: ["x > 0"]}`,
			`f.yaml:4:1: the domain does not bound "x": cells cover a bounded domain alone. Add a box so large that nothing is beyond it`},
		{`domain`, `domain: {box: {x: [2, 1]}}`, `f.yaml:4:19: the lower bound of x must be below the upper one; found [2, 1]`},
		{`domain`, `domain: {flower: {radius: 2}}`, `f.yaml:4:18: flower lies in a plane and needs two variables; there is one`},
		{`temperature`, `temprature: [1, 10]`, `f.yaml:6:3: unknown key "temprature"; did you mean "temperature"?` + "\n" +
			`f.yaml:7:14: one temperature has none to swap with: give two, such as temperature: [1, 10], or drop the intensity`},
		{`temperature`, `temperature: 0`, `f.yaml:6:16: temperature must be positive; found 0`},
		{`temperature`, `temperature: [1, .inf]`, `f.yaml:6:20: entry 2 of temperature must be a finite number; found .inf`},
		{`temperature`, `temperature: [10, 1]`, `f.yaml:6:21: temperatures must increase, cold first; found 1 after 10`},
		{`temperature`, `temperature: [1, 1]`, `f.yaml:6:20: temperatures must increase, cold first; found 1 after 1`},
		{`temperature`, `temperature: [1, 2, 3]`, `f.yaml:6:16: theory knows one rung or two: give one temperature or two; found 3`},
		{`temperature`, `temperature: 1`, `f.yaml:7:14: one temperature has none to swap with: give two, such as temperature: [1, 10], or drop the intensity`},
		{`intensity`, `intensity: -1`, `f.yaml:7:14: intensity must not be negative; found -1`},
		{`intensity`, `intensity: many`, `f.yaml:7:14: intensity must be a number; found "many"`},
		{`intensity`, `intensities: [1, 10, 10]`, `f.yaml:7:24: intensities must rise; found 10 after 10`},
		{`intensity`, `intensities: [0, 1]`, `f.yaml:7:17: entry 1 of intensities must be positive; found 0`},
		{`grid`, `grid: 7`, `f.yaml:8:9: grid must be at least 8; found 7`},
		{`grid`, `grid: 1e8`, `f.yaml:8:9: grid must be at most 5000000; found 1e8`},
		{`grid`, `grid: 100.5`, `f.yaml:8:9: grid must be a whole number; found 100.5`},
		{`grid`, `grid: 1000000`, `f.yaml:8:9: 1000000 cells along the longest side are up to 1e+12 states, which take about N GiB of memory; there are N GiB: take a grid of about N`},
		{`eigenvalues`, `eigenvalues: 0`, `f.yaml:9:16: eigenvalues must be at least 1; found 0`},
		{`eigenvalues`, `eigenvalues: 101`, `f.yaml:9:16: eigenvalues must be at most 100; found 101`},
		{`decay`, `decay: {times: [1]}`, `f.yaml:10:10: decay needs the key "start"`},
		{`decay`, `decay: {start: {x: 1}}`, `f.yaml:10:10: decay needs the key "times"`},
		{`decay`, `decay: {start: {x: 3}, times: [1]}`, `f.yaml:10:18: the start (x = 3) lies outside the domain`},
		{`decay`, `decay: {start: 1, times: [1]}`, `f.yaml:10:18: start must be a mapping of keys to values; found "1"`},
		{`decay`, `decay: {start: {x: 1}, times: [1, 1]}`, `f.yaml:10:37: times must rise; found 1 after 1`},
		{`decay`, `decay: {start: {x: 1}, times: [-1, 1]}`, `f.yaml:10:34: entry 1 of times must not be negative; found -1`},
		{`decay`, `decay: {start: {x: 1}, times: []}`, `f.yaml:10:33: times is an empty list; expected numbers`},
		{`decay`, `decay: {start: {x: 1}, times: [1], of: [chi, w2, w2]}`, `f.yaml:10:43: unknown distance "chi"; did you mean "chi2"?` + "\n" +
			`f.yaml:10:52: the distance "w2" is listed twice`},
		{`decay`, `decay: {start: {x: 1}, times: [1], at: 3}`, `f.yaml:10:38: unknown key "at"; known keys: start, times, of`},
	} {
		t.Run(c.with, func(t *testing.T) {
			_, err := ParseTheory("f.yaml", []byte(edit(goodTheory, c.begins, c.with)), nil)
			schemaTells(t, edit(goodTheory, c.begins, c.with), err)
			if problems, ok := err.(Problems); ok {
				for i := range problems { // what there is depends on the machine
					problems[i].Message = regexp.MustCompile(`(about|are) [0-9.e+]+( GiB|$)`).ReplaceAllString(problems[i].Message, "$1 N$2")
				}
			}
			compareProblems(t, err, c.want)
		})
	}
	few := edit(edit(goodTheory, "grid", "grid: 8"), "temperature", "temperature: [1, 2]")
	_, err := ParseTheory("f.yaml", []byte(edit(few, "eigenvalues", "eigenvalues: 40")), nil)
	compareProblems(t, err, "f.yaml:9:16: 40 eigenvalues of a process with about 64 states are not those of a diffusion: ask for fewer, or "+
		"raise the grid")
}

// All that is wrong is said at once.
func TestBadTheoryAtOnce(t *testing.T) {
	text := edit(edit(edit(goodTheory, "potential", `potential: "x + b"`), "grid", "grid: 3"), "decay",
		"decay: {start: {x: 9}, times: [2, 1]}")
	_, err := ParseTheory("f.yaml", []byte(text), []string{"theory.eigenvalues=-2"})
	compareProblems(t, err, strings.Join([]string{
		`f.yaml:3:17: "b" is not defined; the variable is x`,
		`f.yaml:8:9: grid must be at least 8; found 3`,
		`--set theory.eigenvalues: eigenvalues must be at least 1; found -2`,
		`f.yaml:10:18: the start (x = 9) lies outside the domain`,
		`f.yaml:10:37: times must rise; found 1 after 2`,
	}, "\n"))
}

// What is not said is filled in, and the resolved configuration loads to itself.
func TestTheoryDefaults(t *testing.T) {
	for _, c := range []struct {
		text string
		want TheoryKeys
	}{
		{"variables: [x]\npotential: \"0\"\ndomain: {box: {x: [0, 2]}}\n", TheoryKeys{Temperature: []float64{1}, Grid: 400, Eigenvalues: 5}},
		{"variables: [x, y]\npotential: 0\ndomain: {ball: {radius: 1}}\ntheory: {temperature: 2}\n",
			TheoryKeys{Temperature: []float64{2}, Grid: 400, Eigenvalues: 5}},
		{"variables: [x]\npotential: x\ndomain: {box: {x: [0, 2]}}\ntheory: {temperature: [1, 2]}\n",
			TheoryKeys{Temperature: []float64{1, 2}, Grid: 300, Eigenvalues: 5}},
		{"variables: [x, y]\npotential: x\ndomain: {flower: }\ntheory: {temperature: [1, 2], intensity: 3, intensities: [1, 2]}\n", TheoryKeys{}},
		{"variables: [x, y]\npotential: x\ndomain: {flower: {radius: 2}}\ntheory: {temperature: [1, 2], intensity: 3, intensities: [1, 2]}\n",
			TheoryKeys{Temperature: []float64{1, 2}, Intensity: 3, Intensities: []float64{1, 2}, Grid: 24, Eigenvalues: 5}},
		{goodTheory, TheoryKeys{Temperature: []float64{1, 10}, Intensity: 3, Grid: 100, Eigenvalues: 4,
			Decay: &DecayKeys{Start: key.Object("x", 0.1), Times: []float64{0.1, 1, 10}, Of: []string{"chi2", "tv"}}}},
		{edit(goodTheory, "decay", "decay: {start: {x: 0}, times: [0]}"),
			TheoryKeys{Temperature: []float64{1, 10}, Intensity: 3, Grid: 100, Eigenvalues: 4,
				Decay: &DecayKeys{Start: key.Object("x", 0.), Times: []float64{0}, Of: []string{"chi2", "kl", "w2", "tv"}}}},
	} {
		got, err := ParseTheory("dir/f.yaml", []byte(c.text), nil)
		if c.want.Grid == 0 {
			if err == nil {
				t.Errorf("no error of\n%s", c.text)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\nof\n%s", err, c.text)
		}
		if diff := cmp.Diff(c.want, got.Resolved.Theory); diff != "" {
			t.Error(diff)
		}
		text, err := json.Marshal(got.Resolved)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseTheory("run.json", text, nil)
		if err != nil {
			t.Fatalf("%v\nof\n%s", err, text)
		}
		a, _ := got.Resolved.Hash()
		if b, _ := again.Resolved.Hash(); a != b {
			t.Errorf("%s\nloads to another: %+v", text, again.Resolved)
		}
		if err := got.Settings.Validate(got.Problem); err != nil {
			t.Errorf("what is taken here is refused later: %v", err)
		}
	}
}

// Overrides win over the file.
func TestTheoryOverrides(t *testing.T) {
	got, err := ParseTheory("f.yaml", []byte(goodTheory), []string{"theory.grid=200", "theory.decay=null", "theory.temperature=[0.5, 1]"})
	if err != nil {
		t.Fatal(err)
	}
	if k := got.Resolved.Theory; k.Grid != 200 || k.Decay != nil || k.Temperature[0] != 0.5 {
		t.Errorf("%+v", k)
	}
}
