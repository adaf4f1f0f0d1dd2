package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// wicked is a text that would clear a terminal, ring, and turn what follows.
const wicked = "\x1b[2J\x1b]0;title\a\r\u009b31m\u202e"

// Text of files, of programs and of arguments reaches the terminal with its control
// characters written out, whichever way it takes.
func TestControlCharacters(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	key := `"\e[2J\u009b\u202e"`
	data := "year," + wicked + "\n"
	for i := range 12 {
		data += fmt.Sprintf("%d,%d\n", 1900+i, 3+i*i%7)
	}
	table := write(t, dir, "data.csv", data)
	column := `"\e[2J\e]0;title\a\r\u009b31m\u202e"`
	decay := "name: decay\ndata: {file: " + table + ", time: %s, states: {x: %s}}\nmodel: {equations: {x: \"a*x + b\"}}\n"
	for name, args := range map[string][]string{
		"a key":       {"sample", write(t, dir, "key.yaml", "variables: [x]\npotential: x^2\n"+key+": 1\n")},
		"a name":      {"sample", write(t, dir, "name.yaml", "name: "+key+"\nvariables: [x]\npotential: x^2\n")},
		"a variable":  {"sample", write(t, dir, "variable.yaml", "variables: ["+key+"]\npotential: x^2\n")},
		"a formula":   {"sample", write(t, dir, "formula.yaml", "variables: [x]\npotential: "+`"x + \e[2J\u202e"`+"\n")},
		"a source":    {"sample", write(t, dir, "source.yaml", "variables: [x]\npotential: 3 + y # "+"\u202e\u009b\n")},
		"bytes":       {"sample", write(t, dir, "bytes.yaml", "variables: [x]\npotential: \xff\x1b\n")},
		"a path":      {"sample", in("\x1b[2J\u202e.yaml")},
		"a flag":      {"sample", "--\x1b[2J"},
		"a command":   {"\x1b[2J\u202e"},
		"a folder":    {"diagnose", in("\x1b[2J\u202e")},
		"a setting":   {"sample", write(t, dir, "good.yaml", "variables: [x]\npotential: x^2\n"), "--set", "\x1b[2J=1"},
		"a column":    {"identify", write(t, dir, "column.yaml", fmt.Sprintf(decay, "year", `"\e[2J\u202e"`))},
		"a program":   {"sample", write(t, dir, "program.yaml", answers(`printf "\\033[2J\\235\\342\\200\\256last words\\n" >&2; exit 3`, ":"))},
		"its answers": {"plan", write(t, dir, "answers.yaml", answers(`printf "\\033[2J\\342\\200\\256\\n"`, ":"))},
		"what runs":   {"sample", write(t, dir, "runs.yaml", answers(": \u202e", ":")), "--out", in("runs")},
	} {
		p := start(t, append(args, "--quiet=false")...)
		if code := p.code(t); (code == exitDone) != (name == "what runs") {
			t.Errorf("%s: exit %d", name, code)
		}
		shown(t, name, p.stdout.String(), p.stderr.String())
	}
	out := in("run")
	file := write(t, dir, "decay.yaml", fmt.Sprintf(decay, "year", column))
	for _, args := range [][]string{{"identify", file, "--out", out}, {"simulate", out}, {"diagnose", out},
		{"diagnose", out, "--json"}, {"compare", out}} {
		p := start(t, args...)
		if code := p.code(t); code != exitDone {
			t.Errorf("%v: exit %d: %s", args, code, &p.stderr)
		}
		shown(t, fmt.Sprint(args), p.stdout.String(), p.stderr.String())
	}
	pictures, _ := filepath.Glob(out + "/*/*.svg")
	for _, path := range pictures {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		shown(t, path, string(text))
	}
	if len(pictures) < 5 {
		t.Errorf("%d pictures", len(pictures))
	}
}

// shown fails if a text has control characters.
func shown(t *testing.T, name string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		at := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
		})
		if at >= 0 || !utf8.ValidString(text) {
			t.Errorf("%s: %q", name, text)
		}
	}
}
