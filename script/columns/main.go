// Command columns reads recordings of terminals and fails where a line has more columns
// than are said first: columns 80 FILE…
package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// controls are the sequences that move the cursor, clear or colour.
var controls = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

func check(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("columns WIDTH FILE…")
	}
	width, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	var long []string
	for _, file := range args[1:] {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(b), "\n") {
			for state := range strings.SplitSeq(line, "\r") { // a line that is redrawn begins anew
				state = controls.ReplaceAllString(state, "")
				if n := text.Columns(state); n > width {
					long = append(long, fmt.Sprintf("%s:%d: %d columns, not %d: %s", file, i+1, n, width, state))
				}
			}
		}
	}
	if long != nil {
		return fmt.Errorf("%s", strings.Join(long, "\n"))
	}
	return nil
}
