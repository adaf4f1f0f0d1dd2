package text

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// escapes are what colours a text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

var columns = runewidth.Condition{StrictEmojiNeutral: true}

// Columns is the number of columns that s takes: combining marks and colours take none,
// wide letters two.
func Columns(s string) int {
	if strings.Contains(s, "\x1b") {
		s = escapes.ReplaceAllString(s, "")
	}
	n := 0
	for _, r := range s {
		n += columns.RuneWidth(r)
	}
	return n
}

// Cut returns s, without colours, in at most width columns: its end replaced by … if there is more.
func Cut(s string, width int) string {
	if Columns(s) <= width {
		return s
	}
	return head(s, width-1) + "…"
}

// Middle is [Cut] that keeps both ends of s.
func Middle(s string, width int) string {
	if Columns(s) <= width {
		return s
	}
	r := []rune(s)
	n := len(r)
	for Columns(string(r[n-1:])) <= width/2 {
		n--
	}
	return head(s, width-1-Columns(string(r[n:]))) + "…" + string(r[n:])
}

// head is as much of s as goes into width columns.
func head(s string, width int) string {
	for i, r := range s {
		if width -= columns.RuneWidth(r); width < 0 {
			return s[:i]
		}
	}
	return s
}

// Wrap breaks a line of more than width columns at words; what goes on below is indented
// by two columns more. Numbers stay with their errors and units, and commands of r2sgld
// whole: one longer than a line goes on after a backslash, so that a shell takes it as it
// stands. Words longer than a line, paths say, are left as they are.
func Wrap(line string, width int) string {
	if width <= 0 || Columns(line) <= width {
		return line
	}
	bare := escapes.ReplaceAllString(line, "")
	indent := len(bare) - len(strings.TrimLeft(bare, " "))
	hang := strings.Repeat(" ", min(indent+2, width/2))
	var b strings.Builder
	at := 0
	for i, w := range words(line) {
		switch {
		case i == 0 || at+Columns(w.space)+Columns(w.text) <= width:
			b.WriteString(w.space)
			at += Columns(w.space)
		default:
			b.WriteString("\n" + hang)
			at = len(hang)
		}
		text := w.text
		if at+Columns(text) > width && command.MatchString(text) {
			text = continued(text, width, hang)
		}
		b.WriteString(text)
		if n := strings.LastIndexByte(text, '\n'); n >= 0 {
			at, text = 0, text[n+1:]
		}
		at += Columns(text)
	}
	return b.String()
}

// A word is what a line is not broken in, with the space before it.
type word struct{ space, text string }

// command is how a command to copy begins.
var command = regexp.MustCompile(`(^|[^/\w-])r2sgld (sample|identify|train|plan|simulate|compare|resume|diagnose|reproduce|theory) `)

// words splits a line.
func words(line string) []word {
	var out []word
	for line != "" {
		n := len(line) - len(strings.TrimLeft(line, " "))
		space, rest := line[:n], line[n:]
		end := strings.IndexByte(rest+" ", ' ')
		if at := command.FindStringIndex(rest); at != nil && at[0] < end {
			end = commandEnd(rest)
		}
		text := rest[:end]
		line = rest[end:]
		if k := len(out) - 1; k >= 0 && (joins(text) || out[k].text == "±" || strings.HasSuffix(out[k].text, " ±")) {
			out[k].text += space + text
			continue
		}
		out = append(out, word{space, text})
	}
	return out
}

// joins reports whether a word belongs to the one before.
func joins(text string) bool {
	switch strings.TrimRight(text, ".,;:)") {
	case "±", "%", "·", "=", "…", "s", "MB", "GB":
		return true
	}
	return false
}

// commandEnd is where the command that text begins with ends, with the punctuation after
// it: outside of quotes, at a bracket that closes, or after a comma, a semicolon, a colon
// or a full stop, or before two spaces.
func commandEnd(text string) int {
	quote, depth := rune(0), 0
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == ' ' && (strings.ContainsRune(",;:.)", rune(text[i-1])) && depth <= 0 || strings.HasPrefix(text[i:], "  ")):
			return i
		}
	}
	return len(text)
}

// continued breaks a command at spaces outside of quotes, with a backslash.
func continued(text string, width int, hang string) string {
	var b strings.Builder
	at, quote := len(hang), rune(0)
	from := 0
	put := func(part string) {
		if from > 0 && at+1+Columns(part)+2 > width {
			b.WriteString(" \\\n" + hang + "  ")
			at = len(hang) + 2
		} else if from > 0 {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(part)
		at += Columns(part)
	}
	for i, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
		case r == '\'' || r == '"':
			quote = r
		case r == ' ':
			put(text[from:i])
			from = i + 1
		}
	}
	put(text[from:])
	return b.String()
}
