// Package study answers whether the paper holds: the frame of every study, which
// ends with figures, tables and a verdict for each claim that it tested, and their
// report. The studies themselves are in its folders.
package study

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Scale is how much a study runs.
type Scale string

// The scales: Smoke shows in seconds that a study works, Paper runs as much as
// the paper did. Small is between them, of studies whose scale Paper needs more than
// a usual machine has; it answers on two processor cores within the hour. Of the others
// it is Paper.
const (
	Smoke Scale = "smoke"
	Small Scale = "small"
	Paper Scale = "paper"
)

// ParseScale returns the scale of this name.
func ParseScale(name string) (Scale, error) {
	switch s := Scale(name); s {
	case Smoke, Small, Paper:
		return s, nil
	}
	return "", fmt.Errorf("scale %q is not known: use %s, %s or %s", name, Smoke, Small, Paper)
}

// Options say how a study runs. Nothing but Scale and Seed changes its results.
type Options struct {
	Scale    Scale
	Seed     uint64
	Threads  int          // at most so many at once; 0 is all there are
	Progress io.Writer    // nil is none
	Keeper   Keeper       // of cases as they come; nil is none
	Share    *Share       // of cases that a [Desk] keeps, with other machines; nil is none
	Tally    *cases.Tally // counts cases that are kept; nil is nothing

	replay *replay // for which the study runs; nil is none
}

// NoSmall is o for a study that has no scale small of its own: there it is as large as the paper's.
func (o Options) NoSmall() Options {
	if o.Scale == Small {
		o.Scale = Paper
	}
	return o
}

// Workers is the number of threads that a study runs on.
func (o Options) Workers() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Announce writes a line of progress.
func (o Options) Announce(format string, args ...any) {
	if o.Progress != nil {
		fmt.Fprintf(o.Progress, format+"\n", args...)
	}
}

// pause is the least time between two lines of a [Options.Counter].
const pause = 3 * time.Second

// Counter returns a function to be called, by any goroutine, when one of total
// parts is done. It writes "what: 12 of 49" as progress every few seconds.
func (o Options) Counter(what string, total int) func() {
	var mu sync.Mutex
	done, last := 0, time.Now()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; done < total && time.Since(last) >= pause {
			last = time.Now()
			o.Announce("%s: %s of %s", what, text.Count(done), text.Count(total))
		}
	}
}

// Begin returns the study of this name, for what is found to be added.
func (o Options) Begin(name, title string) *Study {
	return &Study{Name: name, Title: title, Scale: o.Scale, Seed: o.Seed, Command: o.Command(name)}
}

// Command is the command that runs the study of this name.
func (o Options) Command(name string) string {
	return fmt.Sprintf("r2sgld reproduce %s --scale %s --seed %d", name, o.Scale, o.Seed)
}

// A Study is what was run, what came out, and what that says of the paper.
type Study struct {
	Name     string    `json:"name"`  // as in r2sgld reproduce
	Title    string    `json:"title"` // a line
	Scale    Scale     `json:"scale"`
	Command  string    `json:"command"` // runs the study again
	Seed     uint64    `json:"seed"`
	Seconds  float64   `json:"seconds"` // how long it took
	Effort   string    `json:"effort"`  // how much was run: "10 runs of 50,000 iterations a case"
	Rule     string    `json:"rule"`    // how verdicts are reached where a test says nothing else; "" if every test does
	Sections []Section `json:"-"`
	Claims   []Claim   `json:"-"` // in claims.json
	Settings []Setting `json:"-"`
	Hint     string    `json:"-"`       // what a reader of Settings should know; may be empty
	Results  any       `json:"results"` // every number, for other programs
}

// A Section is a part of the report: text, then tables, then pictures.
type Section struct {
	Title    string
	Text     string // plain; paragraphs are parted by empty lines
	Tables   []Table
	Pictures []Picture
}

// A Table has a row of Columns over Rows, all equally long. Columns of numbers
// stand to the right.
type Table struct {
	Title, Caption string
	Columns        []string
	Rows           [][]string
	Best           [][2]int // cells to stand out, row and column
}

// A Picture is a figure, an animation, or a figure with its animation.
type Picture struct {
	Name     string // of the file without its ending: letters, digits, - and _
	Caption  string // says in words what there is to see
	SVG, PNG []byte // nil is no figure
	GIF      []byte // nil is no animation
}

// An Absent is a study that was asked for and not run.
type Absent struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Reason  string `json:"reason"`
	Command string `json:"command"` // that runs it
}

// A Setting is a configuration that r2sgld sample, identify or train takes.
type Setting struct {
	Name string
	Text string // YAML
}
