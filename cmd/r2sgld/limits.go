package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/spare"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// spared is the share of what is free that a run may take unless it is told.
const spared = 0.9

// A space is a number of bytes, as a flag.
type space float64

// Set reads 500MB, 2GB or a plain number.
func (b *space) Set(said string) error {
	number, unit := strings.ToUpper(strings.ReplaceAll(said, " ", "")), 1.0
	for _, u := range []struct {
		name string
		size float64
	}{{"TIB", 1 << 40}, {"GIB", 1 << 30}, {"MIB", 1 << 20}, {"KIB", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"T", 1e12},
		{"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = n, u.size
			break
		}
	}
	v, err := text.Float(number)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%q is no number of bytes: write 500MB or 2GB", said)
	}
	*b = space(v * unit)
	return nil
}

func (b *space) String() string {
	if *b == 0 {
		return ""
	}
	return text.Size(float64(*b))
}

// Type is how help calls it.
func (b *space) Type() string { return "size" }

// limited registers the flags of what a run may take.
func (c *common) limited(cmd *cobra.Command) {
	cmd.Flags().Var(&c.maxDisk, "max-disk",
		"what the run folder may take, as in 2GB: a run of method auto ends before it takes more (default 90 % of what is free)")
	cmd.Flags().Var(&c.maxMemory, "max-memory", "what the program may take of memory, likewise (default 90 % of what is free)")
}

// limits are those of a run in a folder.
func (c *common) limits(dir string) runner.Limits {
	l := runner.Limits{Disk: float64(c.maxDisk), Memory: float64(c.maxMemory)}
	if l.Disk == 0 {
		l.Disk = spared * spare.Disk(dir)
	}
	if l.Memory == 0 {
		l.Memory = spared * spare.Memory()
	}
	if l.Memory < math.MaxInt64 && (c.maxMemory > 0 || os.Getenv("GOMEMLIMIT") == "") {
		debug.SetMemoryLimit(int64(l.Memory)) // collects more often near it
	}
	return l
}

// runFinished reports whether a run of a manifest stands as it would be again, and says so.
// One that a limit ended is not finished.
func (c *common) runFinished(dir string, m job.Manifest[json.RawMessage]) (bool, error) {
	folder, err := store.Open(dir)
	if err != nil {
		return false, &job.Refused{Err: err}
	}
	var sum struct {
		Hash  string `json:"hash"`
		Until *struct {
			Capped string `json:"capped"`
		} `json:"until"`
	}
	var whole any
	if folder.ReadJSON("summary.json", &sum) != nil || folder.ReadJSON("summary.json", &whole) != nil || sum.Hash != m.Hash ||
		sum.Until != nil && sum.Until.Capped != "" {
		return false, nil
	}
	more := "--iterations N"
	if sum.Until != nil {
		more = "--set sampler.until.ess=N"
	}
	more = "To extend it: r2sgld resume " + text.Word(dir) + " " + more
	if err := store.Recorded(dir); err != nil {
		more = "To extend it is not possible here: " + err.Error()
	}
	return true, c.tellFinished(dir, whole, "numbers", ". "+more)
}

// tellSettled says that what was whole already now lies in its place.
func (c *common) tellSettled(dir string) error {
	if !c.quiet {
		fmt.Fprintf(c.stderr(), "%s: what was to take the place of the run in it now has\n", dir)
	}
	return nil
}

// tellFinished shows a summary, or tells where it is and that nothing was changed.
func (c *common) tellFinished(dir string, summary any, what, more string) error {
	switch {
	case c.json:
		return c.printJSON(summary)
	case !c.quiet:
		figures := ""
		if _, err := os.Stat(filepath.Join(dir, "figures")); err == nil {
			figures = fmt.Sprintf(", its figures in %s/figures", dir)
		}
		fmt.Fprintln(c.stderr(),
			text.Plain(fmt.Sprintf("%s is finished: its %s are in %s/summary.json%s. Nothing was changed%s", dir, what, dir, figures, more)))
	}
	return nil
}
