// Package sweep answers what becomes of a configuration when keys of it take other values: a
// run for every combination, each in a folder of its own, and one table.
package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Command is that of the program.
const Command = "sweep"

// A Job is a sweep to be made.
type Job struct {
	job.Request
	Hands    int // cases at once
	Threads  int // ladders at once in each; neither changes a draw
	Shown    []string
	Limits   func(dir string) runner.Limits
	Programs config.Programs
	Others   cases.Others // nil is nobody
	Tally    *cases.Tally // counts cases; nil is nothing

	config *Config
	cases  []*one
}

// one is a case.
type one struct {
	Settled
	number int
	values []string
	title  string
	row    *row  // once it is done
	failed error // why it cannot be
}

// Cases is how many there are.
func (j *Job) Cases() int { return len(j.cases) }

// dir is the folder of a case.
func (j *Job) dir(c *one) string { return filepath.Join(j.Dir, j.place(c)) }

// place is that folder within the one of the sweep.
func (j *Job) place(c *one) string {
	return fmt.Sprintf("cases/%0*d", len(strconv.Itoa(len(j.cases))), c.number)
}

// An execution is a job at work.
type execution struct {
	*Job
	folder *job.Folder

	mu   sync.Mutex
	made int // cases that are done
}

// Run makes the cases that are not made yet, and the table. Its error is a *job.Refused if
// nothing was written, a *job.Interrupted if the context ended, and a *Failed, beside the
// summary, if cases failed.
func (j *Job) Run(ctx context.Context) (*Summary, error) {
	folder, err := j.Open(job.KindOf(Command, []string{"log.jsonl", "summary.json", "cases.csv"})) // those of cases are runs
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	x := &execution{Job: j, folder: folder}
	sum, err := x.run(ctx)
	if err != nil {
		return nil, folder.Stopped(err)
	}
	folder.Log.Info("done", "cases", len(j.cases), "failed", sum.Failed)
	if err := folder.Close(); err != nil || sum.Failed == 0 {
		return sum, err
	}
	return sum, &Failed{sum.Failed, len(j.cases), j.Dir}
}

// Failed says that cases did.
type Failed struct {
	N, Of int
	Dir   string
}

func (e *Failed) Error() string {
	return fmt.Sprintf("%d of %s failed. Once that is mended, try them again with: r2sgld resume %s", e.N, text.Counted(e.Of, "case"),
		text.Word(e.Dir))
}

func (x *execution) run(ctx context.Context) (*Summary, error) {
	fmt.Fprintf(x.Terminal, "%s: %s over %s\n", x.Name, text.Counted(len(x.cases), "case"), x.over())
	if err := x.work(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, &job.Interrupted{Dir: x.Dir, Done: x.done(), Of: len(x.cases), Unit: "cases"}
		}
		return nil, x.folder.Failed(err)
	}
	sum := x.summarise()
	err := x.folder.WriteFile("cases.csv", sum.table())
	if err == nil {
		err = x.folder.WriteJSON("summary.json", sum)
	}
	if err == nil {
		err = x.folder.Install()
	}
	if err != nil {
		return nil, x.folder.Failed(err)
	}
	fmt.Fprint(x.Out, sum.Text(x.Shown, text.StyleOf(x.Out)))
	x.Warn(sum.Warnings...)
	fmt.Fprintf(x.Out, " wrote %s/: summary.json, cases.csv, cases (%d run folders)\n", x.Dir, len(x.cases)-sum.Failed)
	return sum, nil
}

// over names the keys with how many values they take.
func (x *execution) over() string {
	var all []string
	for _, a := range x.config.Over {
		all = append(all, fmt.Sprintf("%s (%d)", a.Key, len(a.Values)))
	}
	return strings.Join(all, " × ")
}

// work makes what is to be made.
func (x *execution) work(ctx context.Context) error {
	l := &cases.List{Hands: x.Hands, Do: x.do, Case: x.told, Home: x.home, Others: x.Others, Tally: x.Tally}
	for i, c := range x.cases {
		done, err := finished(x.dir(c), c.Hash)
		if err != nil {
			return err
		}
		if c.row = done; done != nil {
			x.made++
			continue
		}
		switch _, err := os.Lstat(x.dir(c)); {
		case err == nil:
			l.Begun = append(l.Begun, i)
		default:
			l.Left = append(l.Left, i)
		}
	}
	if err := os.MkdirAll(filepath.Dir(x.dir(x.cases[0])), 0o777); err != nil {
		return err
	}
	bar := report.StartBar(x.Terminal, x.Name, func() float64 { return float64(x.done()) / float64(len(x.cases)) },
		func() string { return fmt.Sprintf("case %d of %d", x.done(), len(x.cases)) })
	defer bar.Stop()
	l.Tally.Begin(x.Name, len(x.cases), x.made)
	return l.Work(ctx)
}

// done is how many cases are.
func (x *execution) done() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.made
}

// do makes a case here. That it fails is kept; the others go on.
func (x *execution) do(ctx context.Context, i int) error {
	c := x.cases[i]
	dir := x.dir(c)
	err := Run{Command: x.config.Command, Config: c.Config, Dir: dir, Force: x.Force, Threads: x.Threads, Checkpoint: x.Checkpoint,
		Limits: x.Limits(dir), Programs: x.Programs}.Make(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return x.keep(c, "", err)
}

// told is what others are told of a case.
func (x *execution) told(i int) (cases.Case, error) {
	c := x.cases[i]
	files, err := config.Inputs(c.Config)
	return cases.Case{Title: x.Name + " " + c.title, Command: x.config.Command, Config: c.Config, Files: files,
		Checkpoint: x.Checkpoint, Programs: config.Executed(c.Config)}, err
}

// home takes the folder of a case that was made elsewhere.
func (x *execution) home(i int, dir, by string) error {
	c := x.cases[i]
	if err := whole(dir, c.Hash); err != nil {
		return err
	}
	if err := os.Rename(dir, x.dir(c)); err != nil {
		return err
	}
	if err := (store.Disk{}).SyncDir(filepath.Dir(x.dir(c))); err != nil {
		return err
	}
	return x.keep(c, " by "+by, nil)
}

// keep notes how a case ended.
func (x *execution) keep(c *one, by string, failed error) (err error) {
	if failed == nil {
		c.row, err = finished(x.dir(c), c.Hash)
	}
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c.failed = failed
	x.made++
	said := fmt.Sprintf(" %s  %s%s", x.place(c), c.title, by)
	if failed != nil {
		said += "  failed: " + firstLine(failed)
		x.folder.Log.Error("case", "case", c.number, "error", failed.Error())
	} else {
		x.folder.Log.Info("case", "case", c.number, "seconds", c.row.Seconds)
	}
	fmt.Fprintln(x.Terminal, said)
	return nil
}

// firstLine is what an error says before it goes on to what to do.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
