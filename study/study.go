// Package study answers whether the paper holds: each study runs what a part of
// it claims, and ends with figures, tables and a verdict for every claim that
// it tested.
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

// threads is the number of threads that there are.
func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// announce writes a line of progress.
func (o Options) announce(format string, args ...any) {
	if o.Progress != nil {
		fmt.Fprintf(o.Progress, format+"\n", args...)
	}
}

// study begins a study of this name.
func (o Options) study(name, title string) *Study {
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
