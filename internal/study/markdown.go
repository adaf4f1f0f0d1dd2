package study

import (
	"fmt"
	"io"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Markdown prints, study by study, the command that runs it and a table of its claims: where in
// the paper, what, the verdict, the first numbers, and the sentence that decides. Studies that
// were not run follow.
func Markdown(w io.Writer, studies []*Study, absent []Absent) error {
	cell := strings.NewReplacer("|", `\|`, "\n", " ").Replace
	var b strings.Builder
	for i, s := range studies {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n\n`%s`: %s\n\n", s.Title, s.Command, s.Effort)
		b.WriteString("| paper | claim | verdict | numbers | why |\n|---|---|---|---|---|\n")
		for _, c := range s.Claims {
			var numbers []string
			for _, n := range c.Numbers[:min(len(c.Numbers), tellings)] {
				numbers = append(numbers, text.Plain(n.Name)+": "+n.String())
			}
			row := []string{c.Section, c.Text, string(c.Verdict), strings.Join(numbers, "; "), sentence(c.Why)}
			for k := range row {
				row[k] = cell(row[k])
			}
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		}
	}
	for _, a := range absent {
		fmt.Fprintf(&b, "\n### %s\n\n`%s`: not run. %s\n", a.Title, a.Command, strings.TrimSpace(a.Reason))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print the verdicts: %w", err)
	}
	return nil
}
