package study

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// A layout is the [report.Style] of a table of claims, as wide as it is.
type layout text.Style

const (
	narrow   = 72 // columns: below, verdict and numbers stand under the claim
	widest   = 140
	tellings = 2 // numbers of a claim that a terminal shows
	places   = 9 // columns for where in the paper: "appendix,"
)

// ClaimsTable prints claims, verdicts, their key numbers and in a sentence why;
// then what verdicts and intervals are, and the verdicts' counts. Lines are wrapped
// to the width of the style, 100 columns where it has none; in a narrow one verdict and
// numbers stand under their claim.
func ClaimsTable(w io.Writer, claims []Claim, s text.Style) error {
	t := layout(s)
	if t.Width <= 0 {
		t.Width = 100
	}
	t.Width = min(t.Width, widest) - 1 // as no table touches the right edge
	var b strings.Builder
	if t.Width < narrow {
		t.list(&b, claims)
	} else {
		t.table(&b, claims)
	}
	t.legend(&b, claims)
	if glance(claims) {
		t.lines(&b, 1, warning)
	}
	t.lines(&b, 1, tally(claims))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print the claims: %w", err)
	}
	return nil
}

// AbsentList prints the studies that were not run, why, and the commands that run them.
func AbsentList(w io.Writer, absent []Absent) error {
	var b strings.Builder
	for _, a := range absent {
		fmt.Fprintf(&b, " not run: %s: %s\n   %s\n", a.Name, a.Reason, a.Command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines prints text, wrapped, behind a margin.
func (t layout) lines(b *strings.Builder, margin int, text string) {
	for _, l := range wrap(text, t.Width-margin) {
		b.WriteString(strings.Repeat(" ", margin) + l + "\n")
	}
}

// legend says what the verdicts that were reached stand for, what intervals are, and
// where the rest is.
func (t layout) legend(b *strings.Builder, claims []Claim) {
	if len(claims) == 0 {
		return
	}
	var parts []string
	for _, m := range legend() {
		if slices.ContainsFunc(claims, func(c Claim) bool { return c.Verdict == m.Verdict }) {
			parts = append(parts, string(m.Verdict)+": "+m.Text)
		}
	}
	b.WriteString("\n")
	for _, p := range parts {
		t.lines(b, 1, p)
	}
	t.lines(b, 1, brackets+" All numbers, the tests and the reasons in full: report.html.")
}

// table sets section, claim, verdict and numbers in columns.
func (t layout) table(b *strings.Builder, claims []Claim) {
	first, verdict := len("paper"), 0
	for _, c := range claims {
		first = max(first, min(places, text.Columns(text.Plain(c.Section))))
		verdict = max(verdict, len(c.Verdict))
	}
	verdict = max(verdict, len("verdict"))
	rest := t.Width - 1 - first - 2 - verdict - 2 - 2
	wide := [4]int{first, rest / 2, verdict, rest - rest/2}
	t.row(b, wide, [4][]string{{"paper"}, {"claim"}, {"verdict"}, {"numbers"}}, "")
	for _, c := range claims {
		t.row(b, wide, [4][]string{
			wrap(c.Section, wide[0]), wrap(c.Text, wide[1]), {string(c.Verdict)}, c.told(wide[3]),
		}, c.Verdict)
		t.lines(b, first+3, "→ "+sentence(c.Why))
	}
}

// row prints the lines of a row's cells beside each other.
func (t layout) row(b *strings.Builder, wide [4]int, cells [4][]string, v Verdict) {
	lines := 0
	for _, c := range cells {
		lines = max(lines, len(c))
	}
	for i := range lines {
		line, pad := "", 1
		for k, c := range cells {
			cell := ""
			if i < len(c) {
				cell = c[i]
			}
			if cell != "" {
				shown := cell
				if k == 2 {
					shown = t.paint(v, cell)
				}
				line += strings.Repeat(" ", pad) + shown
				pad = 0
			}
			pad += wide[k] - text.Columns(cell) + 2
		}
		b.WriteString(line + "\n")
	}
}

// list sets every claim as a paragraph.
func (t layout) list(b *strings.Builder, claims []Claim) {
	for _, c := range claims {
		t.lines(b, 1, c.Section+": "+c.Text)
		b.WriteString("   " + t.paint(c.Verdict, string(c.Verdict)) + "\n")
		for _, l := range c.told(t.Width - 5) {
			b.WriteString("     " + l + "\n")
		}
		t.lines(b, 3, "→ "+sentence(c.Why))
	}
}

// paint marks the verdicts that a reader should not miss.
func (t layout) paint(v Verdict, text string) string {
	if t.Color {
		switch v {
		case Fails:
			return "\x1b[31m" + text + "\x1b[0m"
		case Depends:
			return "\x1b[33m" + text + "\x1b[0m"
		}
	}
	return text
}

// told prints what the numbers are of and the first of them, each from a new line:
// "name: value", or the value below its name.
func (c Claim) told(width int) []string {
	var out []string
	if c.Basis != "" {
		out = wrap("("+c.Basis+")", width)
	}
	for i, n := range c.Numbers {
		if i == tellings {
			return append(out, wrap(fmt.Sprintf("and %d more", len(c.Numbers)-i), width)...)
		}
		value := n.String()
		if line := text.Plain(n.Name) + ": " + value; text.Columns(line) <= width {
			out = append(out, wrap(line, width)...)
			continue
		}
		out = append(out, wrap(n.Name+":", width)...)
		for _, l := range wrap(value, width-2) {
			out = append(out, "  "+l)
		}
	}
	return out
}

// wrap breaks text into lines of at most width columns, at spaces where it can.
func wrap(prose string, width int) []string {
	width = max(width, 8)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text.Plain(prose)) {
		if line != "" && text.Columns(line)+1+text.Columns(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		for _, r := range word {
			if text.Columns(line+string(r)) > width {
				lines, line = append(lines, line), ""
			}
			line += string(r)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
