package study

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Terminal says how wide text may be and whether it may have colours.
type Terminal struct {
	Width int  // columns; 0 is 100
	Color bool // ANSI colours, for verdicts alone
}

const (
	narrow   = 72 // columns: below, verdict and numbers stand under the claim
	widest   = 140
	tellings = 2 // numbers of a claim that a terminal shows
)

// ClaimsTable prints claims, verdicts and their key numbers, and the verdicts'
// counts. Lines are wrapped to the terminal's width; in a narrow one verdict
// and numbers stand under their claim.
func ClaimsTable(w io.Writer, claims []Claim, t Terminal) error {
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
	for _, l := range wrap(tally(claims), t.Width-1) {
		b.WriteString(" " + l + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print the claims: %w", err)
	}
	return nil
}

// table sets section, claim, verdict and numbers in columns.
func (t Terminal) table(b *strings.Builder, claims []Claim) {
	first, verdict := len("paper"), 0
	for _, c := range claims {
		first = max(first, min(16, utf8.RuneCountInString(clean(c.Section))))
		verdict = max(verdict, len(c.Verdict))
	}
	verdict = max(verdict, len("verdict"))
	rest := t.Width - 1 - first - 2 - verdict - 2 - 2
	wide := [4]int{first, rest / 2, verdict, rest - rest/2}
	t.row(b, wide, [4][]string{{"paper"}, {"claim"}, {"verdict"}, {"numbers"}}, "")
	for _, c := range claims {
		t.row(b, wide, [4][]string{
			wrap(c.Section, wide[0]), wrap(c.Text, wide[1]), {string(c.Verdict)}, told(c.Numbers, wide[3]),
		}, c.Verdict)
	}
}

// row prints the lines of a row's cells beside each other.
func (t Terminal) row(b *strings.Builder, wide [4]int, cells [4][]string, v Verdict) {
	lines := 0
	for _, c := range cells {
		lines = max(lines, len(c))
	}
	for i := range lines {
		line, pad := "", 1
		for k, c := range cells {
			text := ""
			if i < len(c) {
				text = c[i]
			}
			if text != "" {
				shown := text
				if k == 2 {
					shown = t.paint(v, text)
				}
				line += strings.Repeat(" ", pad) + shown
				pad = 0
			}
			pad += wide[k] - utf8.RuneCountInString(text) + 2
		}
		b.WriteString(line + "\n")
	}
}

// list sets every claim as a paragraph.
func (t Terminal) list(b *strings.Builder, claims []Claim) {
	for _, c := range claims {
		for _, l := range wrap(c.Section+": "+c.Text, t.Width-1) {
			b.WriteString(" " + l + "\n")
		}
		b.WriteString("   " + t.paint(c.Verdict, string(c.Verdict)) + "\n")
		for _, l := range told(c.Numbers, t.Width-5) {
			b.WriteString("     " + l + "\n")
		}
	}
}

// paint marks the verdicts that a reader should not miss.
func (t Terminal) paint(v Verdict, text string) string {
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

// told prints the first numbers, each from a new line.
func told(numbers []Number, width int) []string {
	var out []string
	for i, n := range numbers {
		if i == tellings {
			return append(out, wrap(fmt.Sprintf("and %d more", len(numbers)-i), width)...)
		}
		lines, value := wrap(n.Name, width), n.String()
		end := len(lines) - 1
		if end >= 0 && utf8.RuneCountInString(lines[end])+1+utf8.RuneCountInString(value) <= width {
			lines[end] += " " + value
			out = append(out, lines...)
			continue
		}
		out = append(out, lines...)
		for _, l := range wrap(value, width-1) {
			out = append(out, " "+l)
		}
	}
	return out
}

// wrap breaks text into lines of at most width letters, at spaces where it can.
func wrap(text string, width int) []string {
	width = max(width, 8)
	var lines []string
	line := ""
	for _, word := range strings.Fields(clean(text)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		r := []rune(word)
		for len(r) > width {
			lines, r = append(lines, string(r[:width])), r[width:]
		}
		line = string(r)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// clean takes control characters from text, and what is no text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
