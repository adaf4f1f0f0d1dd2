package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/r2sgld/r2sgld/internal/text"
)

// output is standard output. It remembers the first error of writing to it, which most
// who print do not look at; that of a reader that has gone away ends the program.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("the output is not complete: %w. Send it to where there is room; what folders got is whole", err)
	}
	if err != nil {
		return n, o.err
	}
	return n, nil
}

// Template functions are common to all commands of the process: they are declared once.
func init() { cobra.AddTemplateFunc("flagsOf", (*pflag.FlagSet).FlagUsagesWrapped) }

// foldHelp has help texts fill the width of w.
func foldHelp(root *cobra.Command, w io.Writer) {
	for _, c := range append(root.Commands(), root) {
		c.Long = filled(c.Long, text.Width(w))
	}
	usage := root.UsageTemplate()
	for _, flags := range []string{"LocalFlags", "InheritedFlags"} {
		usage = strings.ReplaceAll(usage, "."+flags+".FlagUsages", fmt.Sprintf("flagsOf .%s %d", flags, text.Width(w)))
	}
	root.SetUsageTemplate(usage)
}

// filled breaks paragraphs anew to a width; indented lines stay. 0 is any width.
func filled(help string, width int) string {
	if width <= 0 {
		return help
	}
	var out []string
	open := false // the last line belongs to a paragraph
	for line := range strings.SplitSeq(help, "\n") {
		if line == "" || line[0] == ' ' {
			out, open = append(out, line), false
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if last := len(out) - 1; open && text.Columns(out[last])+1+text.Columns(word) <= width {
				out[last] += " " + word
			} else {
				out, open = append(out, word), true
			}
		}
	}
	return strings.Join(out, "\n")
}
