package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/watch"
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
	noCommands bool
	staff      staff
	web        string // where a page shows the run
	sweeps     sweepFlags
	maxDisk    space
	maxMemory  space

	stdout, stderr func() io.Writer // those of the command
}

// takes says how many arguments a command has.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least:
			return fmt.Errorf("an argument is missing: %s", cmd.UseLine())
		case n > most:
			return fmt.Errorf("%s too many: %s", text.Counted(n-most, "argument"), cmd.UseLine())
		}
		return nil
	}
}

// misspelt adds to the error of an unknown flag the one that is meant, if one of the command's is near.
func misspelt(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if best, ok := expression.Nearest(name, names); ok {
		return fmt.Errorf("%w; did you mean --%s?", err, best)
	}
	return err
}

// display registers the flags that say what is shown.
func (c *common) display(cmd *cobra.Command) {
	c.stdout, c.stderr = cmd.OutOrStdout, cmd.ErrOrStderr
	cmd.Flags().BoolVar(&c.json, "json", false, "print the summary alone, as JSON, on stdout")
	cmd.Flags().BoolVar(&c.quiet, "quiet", false, "print nothing but errors (and --json)")
	cmd.Flags().BoolVar(&c.noCommands, "no-commands", false, "refuse a configuration that runs programs (potential: {command: …})")
}

const defaultCheckpoint = 30 * time.Second

// running registers the flags of a run.
func (c *common) running(cmd *cobra.Command) {
	c.display(cmd)
	f := cmd.Flags()
	f.IntVar(&c.threads, "threads", 0, "ladders that run at once; changes no draw (default all processors)")
	f.StringArrayVar(&c.set, "set", nil,
		"override a key, as in --set sampler.iterations=100000; one with a point in quotes, as in --set 'model.fixed.\"x.initial\"=1' "+
			"(repeatable)")
	f.DurationVar(&c.checkpoint, "checkpoint", defaultCheckpoint, "time between checkpoints")
}

// starting registers the flags of a new run.
func (c *common) starting(cmd *cobra.Command) {
	c.running(cmd)
	f := cmd.Flags()
	f.StringVar(&c.out, "out", "", "run folder (default runs/NAME-TIME)")
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers; overrides sampler.seed")
	f.BoolVar(&c.force, "force", false, "write into a folder that is not empty; a run in it is replaced when the new one is finished")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Flags().Changed("seed") {
			c.set = append(c.set, fmt.Sprintf("sampler.seed=%d", c.seed))
		}
	}
}

// programs are those that a configuration may run: each is named before it starts.
func (c *common) programs(ctx context.Context) config.Programs {
	told := map[string]bool{}
	var mu sync.Mutex
	say := func(what string) {
		if !c.quiet {
			fmt.Fprintln(c.stderr(), what)
		}
	}
	tell := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		say(what)
	}
	return config.Programs{Context: ctx, Tell: tell, Allow: func(args []string) error {
		mu.Lock()
		defer mu.Unlock()
		line := text.Words(args...)
		if c.noCommands {
			return fmt.Errorf("this runs a program, which --no-commands refuses: %s", line)
		}
		if !told[line] {
			say("runs: " + line)
		}
		told[line] = true
		return nil
	}}
}

// run makes the run of a job whose problem is set.
func (c *common) run(cmd *cobra.Command, j *runner.Job) (err error) {
	if j.Dir, err = c.place(j.Name, j.Dir); err != nil {
		return err
	}
	leavingRun(j.Dir, j.Resume)
	j.Settings.Threads = c.threads
	j.Force, j.Checkpoint, j.Limits = c.force, c.checkpoint, c.limits(j.Dir)
	j.Out, j.Terminal = c.screen()
	crew, done, err := c.staff.open(j)
	if err != nil {
		return err
	}
	return c.helped(cmd.Context(), &j.Request, crew, done, func(ctx context.Context) (any, error) { return j.Run(ctx) })
}

// helped makes a run that a crew helps with, whom done sends away, and shows it on a page.
func (c *common) helped(ctx context.Context, q *job.Request, crew *fleet.Crew, done func() error,
	run func(context.Context) (any, error)) error {
	end, err := c.page(q, func(f *watch.Facts) {
		if crew != nil {
			f.Workers = crew.Members()
		}
	})
	if err != nil {
		return errors.Join(err, done())
	}
	defer end()
	sum, err := run(ctx)
	if err := errors.Join(err, done()); err != nil || !c.json {
		return err
	}
	return c.printJSON(sum)
}

// place is the folder of a run, dir if that is given already.
func (c *common) place(name, dir string) (string, error) {
	switch {
	case c.threads < 0:
		return "", &job.Refused{Err: fmt.Errorf("--threads %d: must not be negative", c.threads)}
	case c.checkpoint <= 0:
		return "", &job.Refused{Err: fmt.Errorf("--checkpoint %v: must be positive", c.checkpoint)}
	case dir != "":
		return dir, nil
	case c.out != "":
		return filepath.Clean(c.out), nil
	}
	return inRuns(name, time.Now()), nil
}

// inRuns is the folder of what is named and begins now. What begins within the same second
// gets another.
func inRuns(name string, now time.Time) string {
	first := fmt.Sprintf("runs/%s-%s", name, now.Format("20060102-150405"))
	dir := first
	for i := 2; ; i++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", first, i)
	}
}

// screen is what takes tables, and progress and warnings.
func (c *common) screen() (out, progress io.Writer) {
	out, progress = c.stdout(), c.stderr()
	if c.json {
		out = io.Discard // warnings stay on stderr
	}
	if c.quiet {
		out, progress = io.Discard, io.Discard
	}
	return out, progress
}

// printJSON prints a value as the files have it: what is not known is null.
func (c *common) printJSON(v any) error {
	b, err := store.JSON(v)
	if err != nil {
		return err
	}
	_, err = io.WriteString(text.Raw(c.stdout()), text.Plain(string(b))) // which is JSON still
	return err
}

// A worded flag says in words what it takes. Its number is written as in configurations: 0x10, 010 and 1_0 are none,
// or no others than they seem.
type worded struct{ pflag.Value }

// takings are what flags take, by their types.
var takings = map[string]string{
	"int":      "no whole number",
	"uint64":   "no whole number from 0 on",
	"float64":  "no decimal number",
	"duration": "no length of time: write 30s, 5m or 1h30m",
	"bool":     "neither true nor false",
}

// inPlainWords has flags say what they take.
func inPlainWords(f *pflag.Flag) {
	if takings[f.Value.Type()] == "" {
		return
	}
	f.Value = worded{f.Value}
	if f.DefValue == "0s" {
		f.DefValue = "0" // which help leaves out
	}
}

// Set reads what the flag takes.
func (w worded) Set(said string) error {
	value := said
	if kind := w.Type(); kind != "duration" && kind != "bool" {
		if _, err := text.Float(said); err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("%q is no decimal number", said)
		}
		if whole := strings.TrimLeft(said, "0"); whole != "" && kind != "float64" {
			value = whole
		}
	}
	err := w.Value.Set(value)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large", said)
	case err != nil:
		return fmt.Errorf("%q is %s", said, takings[w.Type()])
	}
	return nil
}
