// Package study answers whether the paper holds: the frame of every study, which
// ends with figures, tables and a verdict for each claim that it tested, and their
// report. The studies themselves are in its folders.
package study

import (
	"fmt"
	"io"
	"runtime"

	"github.com/r2sgld/r2sgld/figure"
)

// Scale is how much a study runs.
type Scale string

// The scales: Smoke shows in seconds that a study works, Paper runs as much as
// the paper did.
const (
	Smoke Scale = "smoke"
	Paper Scale = "paper"
)

// ParseScale returns the scale of this name.
func ParseScale(name string) (Scale, error) {
	switch s := Scale(name); s {
	case Smoke, Paper:
		return s, nil
	}
	return "", fmt.Errorf("scale %q is not known: use %s or %s", name, Smoke, Paper)
}

// Options say how a study runs. Nothing but Scale and Seed changes its results.
type Options struct {
	Scale    Scale
	Seed     uint64
	Threads  int       // at most so many at once; 0 is all there are
	Progress io.Writer // nil is none
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

// Begin returns the study of this name, for what is found to be added.
func (o Options) Begin(name, title string) *Study {
	return &Study{Name: name, Title: title, Scale: o.Scale, Seed: o.Seed,
		Command: fmt.Sprintf("r2sgld reproduce %s --scale %s --seed %d", name, o.Scale, o.Seed)}
}

// A Study is what was run, what came out, and what that says of the paper.
type Study struct {
	Name     string    `json:"name"`  // as in r2sgld reproduce
	Title    string    `json:"title"` // a line
	Scale    Scale     `json:"scale"`
	Command  string    `json:"command"` // runs the study again
	Seed     uint64    `json:"seed"`
	Seconds  float64   `json:"seconds"` // how long it took
	Sections []Section `json:"-"`
	Claims   []Claim   `json:"-"` // in claims.json
	Settings []Setting `json:"-"`
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
}

// A Picture is a figure, an animation, or a figure with its animation.
type Picture struct {
	Name    string         // of the file without its ending: letters, digits, - and _
	Caption string         // says in words what there is to see
	Figure  *figure.Figure // nil is none
	GIF     []byte         // nil is none
}

// A Setting is a configuration that r2sgld sample takes.
type Setting struct {
	Name string
	Text string // YAML
}
