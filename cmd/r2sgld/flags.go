package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/r2sgld/r2sgld/report"
	"github.com/r2sgld/r2sgld/runner"
	"github.com/r2sgld/r2sgld/store"
)

// common are the flags of every command that runs.
type common struct {
	out        string
	seed       uint64
	threads    int
	set        []string
	checkpoint time.Duration
	json       bool
	quiet      bool
	force      bool

	stdout func() io.Writer // that of the command
}

// display registers the flags that say what is shown.
func (c *common) display(cmd *cobra.Command) {
	c.stdout = cmd.OutOrStdout
	cmd.Flags().BoolVar(&c.json, "json", false, "print the summary alone, as JSON, on stdout")
	cmd.Flags().BoolVar(&c.quiet, "quiet", false, "print nothing but errors (and --json)")
}

// running registers the flags of a run.
func (c *common) running(cmd *cobra.Command) {
	c.display(cmd)
	f := cmd.Flags()
	f.IntVar(&c.threads, "threads", 0, "ladders that run at once; changes no draw (default all processors)")
	f.StringArrayVar(&c.set, "set", nil, "override a key, as in --set sampler.iterations=100000; one with a point in quotes, as in --set 'model.fixed.\"x.initial\"=1' (repeatable)")
	f.DurationVar(&c.checkpoint, "checkpoint", 30*time.Second, "time between checkpoints")
}

// starting registers the flags of a new run.
func (c *common) starting(cmd *cobra.Command) {
	c.running(cmd)
	f := cmd.Flags()
	f.StringVar(&c.out, "out", "", "run folder (default runs/NAME-TIME)")
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers; overrides sampler.seed")
	f.BoolVar(&c.force, "force", false, "write into a folder that is not empty")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Flags().Changed("seed") {
			c.set = append(c.set, fmt.Sprintf("sampler.seed=%d", c.seed))
		}
	}
}

// run makes the run of a job whose problem is set.
func (c *common) run(cmd *cobra.Command, j *runner.Job) (err error) {
	if j.Dir, err = c.place(j.Name, j.Dir); err != nil {
		return err
	}
	j.Settings.Threads = c.threads
	j.Force, j.Checkpoint = c.force, c.checkpoint
	j.Out, j.Terminal, j.Redraw, j.Style = c.screen()
	sum, err := j.Run(cmd.Context())
	if err != nil || !c.json {
		return err
	}
	return c.printJSON(sum)
}

// place is the folder of a run, dir if that is given already.
func (c *common) place(name, dir string) (string, error) {
	switch {
	case c.threads < 0:
		return "", &runner.Refused{Err: fmt.Errorf("--threads %d: must not be negative", c.threads)}
	case c.checkpoint <= 0:
		return "", &runner.Refused{Err: fmt.Errorf("--checkpoint %v: must be positive", c.checkpoint)}
	case dir != "":
		return dir, nil
	case c.out != "":
		return filepath.Clean(c.out), nil
	}
	return fmt.Sprintf("runs/%s-%s", name, time.Now().Format("20060102-150405")), nil
}

// screen is what takes tables, and progress and warnings, and how these are shown.
func (c *common) screen() (out, terminal io.Writer, redraw bool, s report.Style) {
	out, terminal = c.stdout(), os.Stderr
	redraw = term.IsTerminal(int(os.Stderr.Fd()))
	s.Color = redraw && os.Getenv("NO_COLOR") == ""
	if c.json {
		out = io.Discard // warnings stay on stderr
	}
	if c.quiet {
		out, terminal, redraw = io.Discard, io.Discard, false
	}
	return out, terminal, redraw, s
}

// printJSON prints a value as the files have it: what is not known is null.
func (c *common) printJSON(v any) error {
	b, err := store.JSON(v)
	if err != nil {
		return err
	}
	_, err = c.stdout().Write(b)
	return err
}

// style is how text on stdout is marked.
func style() report.Style {
	return report.Style{Color: term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == ""}
}
