package text_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
	"github.com/r2sgld/r2sgld/internal/text"
)

// Lines are folded at words, with their indent and two columns; numbers stay with their
// errors, commands whole.
//
// Mutants it kills: a break within a command, no indent, a break at "±", widths in bytes.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{" ! a warning of words", 80, " ! a warning of words"},
		{" ! a warning of words", 12, " ! a warning\n   of words"},
		{" mean 0.25 ± 0.11 of it", 17, " mean 0.25 ± 0.11\n   of it"},
		{" mean 0.25 ± 0.11 of it", 15, " mean\n   0.25 ± 0.11\n   of it"},
		{"ÄÖÜ äöü ß", 9, "ÄÖÜ äöü ß"},
		{"so go on with: r2sgld resume runs/a", 30, "so go on with:\n  r2sgld resume runs/a"},
		{"Run longer: r2sgld resume runs/a --iterations 10, or stop.", 40, "Run longer:\n  r2sgld resume runs/a --iterations 10,\n  or stop."},
		{" r2sgld theory a.yaml --set 'theory.grid=[1, 2]' --quiet", 36, " r2sgld theory a.yaml --set \\\n     'theory.grid=[1, 2]' --quiet"},
		{"figures: /a/very/long/path/that/has/no/space in it", 20, "figures:\n  /a/very/long/path/that/has/no/space\n  in it"},
		{"漢字 漢字 漢字", 10, "漢字 漢字\n  漢字"},
		{"\x1b[33m ! \x1b[0mred and bad", 14, "\x1b[33m ! \x1b[0mred and bad"},
	} {
		if got := text.Wrap(c.line, c.width); got != c.want {
			t.Errorf("%q in %d:\n%s\nwant\n%s", c.line, c.width, got, c.want)
		}
	}
}

// Folding takes and adds nothing but spaces, and no line is longer than the width unless
// a word is.
func TestWrapKeepsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`( {0,4}[a-rt-z0-9±%{}',.é漢]{1,9}){1,20}`).Draw(t, "line")
		width := rapid.IntRange(24, 90).Draw(t, "width")
		got := text.Wrap(line, width)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(line), " ") {
			t.Fatalf("%q became %q", line, got)
		}
		for l := range strings.SplitSeq(got, "\n") {
			if n := text.Columns(l); n > width && len(strings.Fields(l)) > 1 && !strings.ContainsAny(l, "±%") {
				t.Fatalf("%d columns in %d: %q", n, width, l)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "R̂": 1, "漢字": 4, "█▌…·–": 5, "\x1b[31mx\x1b[0m": 1} {
		if got := text.Columns(s); got != want {
			t.Errorf("%q: %d columns, want %d", s, got, want)
		}
	}
	for _, c := range []struct{ got, want string }{
		{text.Cut("abcdef", 4), "abc…"}, {text.Cut("abcd", 4), "abcd"}, {text.Middle("runs/a-long-name", 9), "runs…name"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// The line that is redrawn gives way to what is written and stands below it again; a
// line appears when it is whole; what does not redraw ignores it.
//
// Mutants it kills: no erasing, no redrawing, a status that is as wide as the screen.
func TestScreen(t *testing.T) {
	var b bytes.Buffer
	s := text.Fixed(&b, 10, true)
	text.Status(s, "a status line")
	io.WriteString(s, "one ")
	io.WriteString(s, "two three\n")
	text.Status(s, "")
	io.WriteString(s, "end")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := "\ra status…\x1b[K" + "\r\x1b[K" + "one two\n  three\n" + "\ra status…\x1b[K" + "\r\x1b[K" + "end\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	plain := text.Fixed(&b, 0, false)
	text.Status(plain, "status")
	io.WriteString(plain, "a line of many words\nand a part")
	if want := "a line of many words\nand a part"; b.String() != want || text.Redraws(plain) || text.Width(plain) != 0 ||
		text.Width(io.Discard) != 0 {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
