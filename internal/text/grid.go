package text

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Style is how text is laid out. The zero value marks nothing and folds nothing.
type Style struct {
	Color bool // ANSI colours, only where they help
	Width int  // columns that a table may take; 0 is no limit
}

// StyleOf is the style of text that is written to w: that of a [Screen], or plain.
func StyleOf(w io.Writer) Style { return Style{Color: Color(w), Width: Width(w)} }

// Warn marks a warning.
func (s Style) Warn(text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[33m" + text + "\x1b[0m"
}

// Grid lays rows out for a terminal, the first of them the header: the first columns, as
// many as words, to the left, the others, of numbers, to the right. Columns that do not
// fit beside each other follow in a block below, behind the names of the lines again.
func Grid(rows [][]string, words int, style Style) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			width[c] = max(width[c], Columns(cell))
		}
	}
	limit := style.Width
	if limit <= 0 {
		limit = math.MaxInt
	}
	keys, margin := 1, 1
	width[0] = min(width[0], limit/2)
	for at := 1 + width[0]; keys < words; keys++ { // that stand before every block
		if at += 2 + width[keys]; at > limit/2 {
			break
		}
	}
	for _, w := range width[:keys] {
		margin += w + 2
	}
	var b strings.Builder
	for from := keys; ; {
		to, at := from, margin-2
		for to < len(width) && (to == from || at+2+width[to] <= limit) {
			at += 2 + width[to]
			to++
		}
		if from > keys {
			b.WriteByte('\n')
		}
		for _, row := range rows {
			b.WriteString(gridLine(row, width, words, keys, from, to))
		}
		if from = to; from >= len(width) {
			return b.String()
		}
	}
}

// gridLine is a line of a block: the cells before keys and those in [from, to).
func gridLine(row []string, width []int, words, keys, from, to int) string {
	line := ""
	for c, cell := range row {
		if c >= keys && (c < from || c >= to) {
			continue
		}
		cell = Middle(cell, width[c])
		pad := strings.Repeat(" ", max(0, width[c]-Columns(cell)))
		between := "  "
		if c == 0 {
			between = " "
		}
		if c < words {
			line += between + cell + pad
		} else {
			line += between + pad + cell
		}
	}
	return strings.TrimRight(line, " ") + "\n"
}

// Warn prints warnings on w, one a line.
func Warn(w io.Writer, warnings ...string) {
	for _, said := range warnings {
		fmt.Fprintln(w, StyleOf(w).Warn(" ! ")+said)
	}
}
