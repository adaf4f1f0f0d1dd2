package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/deep"
	"github.com/r2sgld/r2sgld/internal/study/dynamical"
	"github.com/r2sgld/r2sgld/internal/study/evidence"
	"github.com/r2sgld/r2sgld/internal/study/mixing"
	"github.com/r2sgld/r2sgld/internal/study/monotone"
	"github.com/r2sgld/r2sgld/internal/study/multimodal"
	"github.com/r2sgld/r2sgld/internal/study/swapping"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/watch"
)

// A paperStudy is a study that can be run.
type paperStudy struct {
	name, title string
	run         func(context.Context, study.Options) (*study.Study, error)
	takes       extent
	truth       func() (any, error)       // what it compares with; nil is nothing to print
	ready       func(study.Options) error // whether data and programs are there; nil is nothing to look for
	here        string                    // why workers do none of its cases; "" where they do
}

// An extent is about how long a study takes on two processor cores; 0 is hours, on other processors.
type extent struct{ smoke, small, paper time.Duration }

// at is that at a scale.
func (e extent) at(s study.Scale) time.Duration {
	switch s {
	case study.Smoke:
		return e.smoke
	case study.Small:
		return e.small
	}
	return e.paper
}

// studies are all of them, in the order of the paper.
func studies() []paperStudy {
	return []paperStudy{
		{"lorenz", dynamical.LorenzTitle, dynamical.Lorenz, unsized(4*time.Second, 9*time.Minute), nil, nil, ""},
		{"lotka-volterra", dynamical.LotkaVolterraTitle, dynamical.LotkaVolterra, unsized(3*time.Second, 9*time.Minute), nil, nil, ""},
		{"multimodal", multimodal.Title, multimodal.Run, unsized(4*time.Second, 90*time.Second), multimodal.Truth, nil, ""},
		{"diameter", multimodal.DiameterTitle, multimodal.Diameter, unsized(2*time.Second, 35*time.Second), nil, nil,
			multimodal.DiameterHere},
		{"theory", mixing.Title, mixing.Run, unsized(10*time.Second, 4*time.Minute), nil, nil, ""},
		{"swaps", swapping.Title, swapping.Run, unsized(time.Second, 20*time.Second), nil, nil, ""},
		{"evidence", evidence.Title, evidence.Run, unsized(3*time.Second, 30*time.Second), nil, nil, evidence.Here},
		{"monotone", monotone.Title, monotone.Run, unsized(8*time.Second, 7*time.Minute), nil, nil, ""},
		{"cifar", deep.Title, deep.Run, extent{time.Minute, 42 * time.Minute, 0}, nil, deep.Ready, deep.Here},
		{"posterior", deep.PosteriorTitle, deep.Posterior, extent{30 * time.Second, 10 * time.Minute, time.Hour}, nil, deep.PosteriorReady,
			deep.Here},
	}
}

// unsized is how long a study takes that has no scale small of its own.
func unsized(smoke, paper time.Duration) extent { return extent{smoke, paper, paper} }

// everything is the name that stands for all studies.
const everything = "all"

func reproduceCommand() *cobra.Command {
	var c common
	var scale string
	var only []string
	var truth bool
	var b strings.Builder
	for _, e := range studies() {
		fmt.Fprintf(&b, "  %-14s %s\n", e.name, e.title)
	}
	cmd := &cobra.Command{
		Use:   "reproduce STUDY",
		Short: "Run a study of the paper, or all, and say which of its claims hold",
		Long: `Run a study of the r2SGLD paper and say which of its claims hold. The folder gets
report.html (figures, tables, a verdict for every claim, and how to run it again),
results.json, claims.json and the figures. What each case of a study comes to is kept
there: the same command with the same --out goes on where it was stopped. Of all studies, those
that lack data or a program are listed as not run, with the command that runs them.
The studies:
` + b.String() + fmt.Sprintf("  %-14s one report of all of them", everything),
		Example: `  r2sgld reproduce multimodal
  r2sgld reproduce multimodal --scale smoke
  r2sgld reproduce all --scale small --studies multimodal,theory --out report
  r2sgld reproduce report report
  r2sgld reproduce all --hub nats://TOKEN@node1:4222
  r2sgld reproduce multimodal --truth --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if truth {
				return c.truth(cmd.Context(), args[0])
			}
			for i, name := range only {
				only[i] = strings.TrimSpace(name)
			}
			return c.reproduce(cmd.Context(), selection{args[0], only}, scale)
		},
	}
	c.display(cmd)
	c.staff.register(cmd)
	c.shown(cmd)
	f := cmd.Flags()
	f.StringVar(&scale, "scale", string(study.Paper),
		"paper: as much as the paper ran; small: of the networks, what a desk can do; smoke: seconds, to see that it works")
	f.StringSliceVar(&only, "studies", nil, "of all studies these alone, as in multimodal,theory")
	f.BoolVar(&truth, "truth", false, "print the exact laws that multimodal compares with, and run nothing")
	f.StringVar(&c.out, "out", "", "folder of the report (default runs/reproduce-STUDY-TIME)")
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers")
	f.IntVar(&c.threads, "threads", 0, "chains that run at once; changes no number (default all processors)")
	f.BoolVar(&c.force, "force", false,
		"write into a folder that is not empty; a finished report in it is replaced when a study of the new one has ended, an unfinished "+
			"one goes on")
	cmd.AddCommand(reportCommand())
	return cmd
}

// A selection is the name of a study, or all, of which it may be some.
type selection struct {
	name string
	only []string // nil is all of all
}

// String is how a command selects them, which [selected] reads.
func (s selection) String() string {
	if s.only == nil {
		return s.name
	}
	return s.name + " --studies " + strings.Join(s.only, ",")
}

// selected is the selection of a String.
func selected(text string) selection {
	name, only, some := strings.Cut(text, " --studies ")
	if !some {
		return selection{name: name}
	}
	return selection{name, strings.Split(only, ",")}
}

// studies are those selected, in the order of the paper.
func (s selection) studies() (out []paperStudy, err error) {
	switch {
	case s.only != nil && s.name != everything:
		return nil, fmt.Errorf("--studies names some of all studies; found it with %q", s.name)
	case s.only != nil && len(s.only) == 0:
		return nil, errors.New("--studies names none: give some, as in multimodal,theory, or leave it out")
	}
	wanted := s.only
	if wanted == nil {
		wanted = []string{s.name}
	}
	names := []string{}
	if s.only == nil {
		names = append(names, everything)
	}
	for _, e := range studies() {
		names = append(names, e.name)
		if slices.Contains(wanted, e.name) || s.only == nil && s.name == everything {
			out = append(out, e)
		}
	}
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return nil, fmt.Errorf("there is no study %q%s", w, yamlpos.Suggest(w, "studies", names))
		}
	}
	return out, nil
}

// truth prints what the studies of a name compare with.
func (c *common) truth(ctx context.Context, name string) error {
	entries, err := selection{name: name}.studies()
	if err != nil {
		return &job.Refused{Err: err}
	}
	if len(entries) != 1 || entries[0].truth == nil {
		return &job.Refused{Err: fmt.Errorf("--truth belongs to the study multimodal; found %s", name)}
	}
	v, err := unlessStopped(ctx, entries[0].truth)
	if err != nil {
		return err
	}
	return c.printJSON(v)
}

// settled is the selection by which the same studies are always known: in the order of the paper, each
// once, and all of them are all.
func (s selection) settled(entries []paperStudy) selection {
	if s.only == nil || len(entries) == len(studies()) {
		return selection{name: s.name}
	}
	s.only = nil
	for _, e := range entries {
		s.only = append(s.only, e.name)
	}
	return s
}

// reproduce runs the studies that are selected and leaves their report.
func (c *common) reproduce(ctx context.Context, of selection, scale string) error {
	entries, unknown := of.studies()
	size, wrong := study.ParseScale(scale)
	if wrong != nil {
		wrong = fmt.Errorf("--scale: %w", wrong)
	}
	var negative error
	if c.threads < 0 {
		negative = fmt.Errorf("--threads %d: must not be negative", c.threads)
	}
	if err := errors.Join(unknown, wrong, negative); err != nil {
		return &job.Refused{Err: err}
	}
	return c.reproduceThem(ctx, of.settled(entries), entries, size)
}

// reproduceThem is reproduce of the studies that a selection stands for.
func (c *common) reproduceThem(ctx context.Context, of selection, entries []paperStudy, size study.Scale) error {
	dir := filepath.Clean(c.out)
	if c.out == "" {
		dir = inRuns("reproduce-"+of.name, time.Now())
	}
	program, err := fingerprint()
	if err != nil {
		return err
	}
	o := study.Options{Scale: size, Seed: c.seed, Threads: c.threads, Progress: io.Discard}
	if !c.quiet {
		o.Progress = c.stderr()
	}
	_, terminal := c.screen()
	workers, err := c.helpers(dir, terminal)
	if err != nil {
		return err
	}
	seen := &studio{Tally: new(cases.Tally), facts: watch.Facts{Name: of.String(), Command: study.Command, State: watch.Working,
		What: fmt.Sprintf("scale %s, seed %d", size, c.seed), Begun: time.Now()}}
	end, err := c.page(&job.Request{Dir: dir, Terminal: terminal}, seen.show)
	if err != nil {
		return err
	}
	defer end()
	o.Tally = seen.Tally
	task := study.Task{Study: of.String(), Scale: size, Seed: c.seed, Program: program}
	desk, err := study.Open(dir, task, c.force)
	if err != nil {
		return &job.Refused{Err: err}
	}
	for _, file := range desk.Changed() {
		o.Announce("%s was damaged: what it kept is computed again", desk.Path(file))
	}
	s := &session{Options: o, desk: desk, entries: entries, absent: map[string]study.Absent{}, workers: workers}
	halt := &stopped{desk: desk, of: len(entries), again: o.Command(of.String()) + " --out " + text.Word(dir)}
	leaving(halt.Error)
	out, err := s.conduct(ctx)
	halted := ctx.Err() != nil && errors.Is(err, ctx.Err())
	if halted {
		err = halt
	}
	seen.end(err)
	workers.close()
	offeredNoMore(dir, err)
	if out == nil {
		if desk.Begun() || desk.Count() > 0 {
			return errors.Join(err, desk.Close())
		}
		return errors.Join(err, desk.Discard())
	}
	defer desk.Close()
	if !halted {
		err = errors.Join(err, c.leave(out, dir, s))
	}
	return err
}

// fingerprint tells one build of the program from another.
func fingerprint() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// leave prints the claims.
func (c *common) leave(out *study.Output, dir string, s *session) error {
	if c.json {
		return c.printJSON(s.done)
	}
	if c.quiet {
		return nil
	}
	err := errors.Join(study.ClaimsTable(c.stdout(), out.Claims, text.StyleOf(c.stdout())), study.AbsentList(c.stdout(), s.missing()))
	if err != nil {
		return err
	}
	text.Warn(c.stderr(), out.Warnings...)
	_, err = fmt.Fprintf(c.stdout(), " wrote %s/: report.html, claims.json, results.json, figures (%d)\n", dir, out.Pictures)
	return err
}

// stopped says that studies were stopped.
type stopped struct {
	desk  *study.Desk
	of    int    // studies
	again string // the command that goes on
}

func (e *stopped) Error() string {
	kept, begun := e.desk.Count(), e.desk.Begun()
	switch {
	case kept == 0 && !begun:
		return "stopped; no case has ended, so nothing is kept. Run it again: " + e.again
	case kept == 0:
		return "stopped; the cases that have ended are kept.\ngo on with: " + e.again
	case begun:
		return fmt.Sprintf("stopped; %d of %d studies have ended and are kept, and cases of the next.\ngo on with: %s", kept, e.of, e.again)
	}
	return fmt.Sprintf("stopped; %d of %d studies have ended and are kept.\ngo on with: %s", kept, e.of, e.again)
}
