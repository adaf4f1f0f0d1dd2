package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/runner"
	"github.com/r2sgld/r2sgld/store"
	"github.com/r2sgld/r2sgld/study"
	"github.com/r2sgld/r2sgld/study/deep"
	"github.com/r2sgld/r2sgld/study/dynamical"
	"github.com/r2sgld/r2sgld/study/evidence"
	"github.com/r2sgld/r2sgld/study/mixing"
	"github.com/r2sgld/r2sgld/study/multimodal"
)

// A paperStudy is a study that can be run.
type paperStudy struct {
	name, title string
	run         func(context.Context, study.Options) (*study.Study, error)
	truth       func() (any, error) // what it compares with; nil is nothing to print
}

// studies are all of them, in the order of the paper.
func studies() []paperStudy {
	return []paperStudy{
		{"lorenz", dynamical.LorenzTitle, dynamical.Lorenz, nil},
		{"lotka-volterra", dynamical.LotkaVolterraTitle, dynamical.LotkaVolterra, nil},
		{"multimodal", multimodal.Title, multimodal.Run, multimodal.Truth},
		{"diameter", multimodal.DiameterTitle, multimodal.Diameter, nil},
		{"theory", mixing.Title, mixing.Run, nil},
		{"evidence", evidence.Title, evidence.Run, nil},
		{"cifar", deep.Title, deep.Run, nil},
		{"posterior", deep.PosteriorTitle, deep.Posterior, nil},
	}
}

// everything is the name that stands for all studies.
const everything = "all"

func reproduceCommand() *cobra.Command {
	var c common
	var scale string
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
results.json, claims.json and the figures. The studies:
` + b.String() + fmt.Sprintf("  %-14s one report of all of them", everything),
		Example: `  r2sgld reproduce multimodal
  r2sgld reproduce multimodal --scale smoke
  r2sgld reproduce multimodal --truth --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if truth {
				return c.truth(args[0])
			}
			return c.reproduce(cmd.Context(), args[0], scale)
		},
	}
	c.display(cmd)
	f := cmd.Flags()
	f.StringVar(&scale, "scale", string(study.Paper), "paper: as much as the paper ran; small: of the networks, what a desk can do; smoke: seconds, to see that it works")
	f.BoolVar(&truth, "truth", false, "print the exact laws that multimodal compares with, and run nothing")
	f.StringVar(&c.out, "out", "", "folder of the report (default runs/reproduce-STUDY-TIME)")
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers")
	f.IntVar(&c.threads, "threads", 0, "chains that run at once; changes no number (default all processors)")
	f.BoolVar(&c.force, "force", false, "write into a folder that is not empty")
	return cmd
}

// chosen are the studies of a name.
func chosen(name string) ([]paperStudy, error) {
	names := []string{everything}
	for _, e := range studies() {
		if e.name == name {
			return []paperStudy{e}, nil
		}
		names = append(names, e.name)
	}
	if name == everything {
		return studies(), nil
	}
	return nil, fmt.Errorf("there is no study %q%s", name, yamlpos.Suggest(name, "studies", names))
}

// truth prints what the studies of a name compare with.
func (c *common) truth(name string) error {
	entries, err := chosen(name)
	if err != nil {
		return &runner.Refused{Err: err}
	}
	if len(entries) != 1 || entries[0].truth == nil {
		return &runner.Refused{Err: fmt.Errorf("--truth belongs to the study multimodal; found %s", name)}
	}
	v, err := entries[0].truth()
	if err != nil {
		return err
	}
	return c.printJSON(v)
}

// reproduce runs the studies of a name and leaves their report.
func (c *common) reproduce(ctx context.Context, name, scale string) error {
	entries, unknown := chosen(name)
	size, wrong := study.ParseScale(scale)
	if wrong != nil {
		wrong = fmt.Errorf("--scale: %w", wrong)
	}
	var negative error
	if c.threads < 0 {
		negative = fmt.Errorf("--threads %d: must not be negative", c.threads)
	}
	if err := errors.Join(unknown, wrong, negative); err != nil {
		return &runner.Refused{Err: err}
	}
	dir := filepath.Clean(c.out)
	if c.out == "" {
		dir = fmt.Sprintf("runs/reproduce-%s-%s", name, time.Now().Format("20060102-150405"))
	}
	folder, err := study.Create(dir, c.force)
	if err != nil {
		return &runner.Refused{Err: err}
	}
	defer folder.Close()
	o := study.Options{Scale: size, Seed: c.seed, Threads: c.threads, Progress: io.Discard}
	if !c.quiet {
		o.Progress = os.Stderr
	}
	studies, err := conduct(ctx, entries, o)
	if err != nil {
		return errors.Join(err, folder.Discard())
	}
	return c.leave(folder, dir, studies)
}

// conduct runs one study after the other.
func conduct(ctx context.Context, entries []paperStudy, o study.Options) ([]*study.Study, error) {
	var done []*study.Study
	for _, e := range entries {
		s, err := e.run(ctx, o)
		switch {
		case ctx.Err() != nil:
			return nil, &stopped{e.name}
		case err != nil:
			return nil, fmt.Errorf("study %s: %w", e.name, err)
		}
		done = append(done, s)
	}
	return done, nil
}

// leave writes the report and prints the claims.
func (c *common) leave(folder *store.Folder, dir string, studies []*study.Study) error {
	out, err := study.Write(folder, studies)
	switch {
	case err != nil:
		return err
	case c.json:
		return c.printJSON(studies)
	case c.quiet:
		return nil
	}
	t := study.Terminal{Color: style().Color}
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.Width = w
	}
	if err := study.ClaimsTable(c.stdout(), out.Claims, t); err != nil {
		return err
	}
	for _, w := range out.Warnings {
		fmt.Fprintln(os.Stderr, " ! "+w)
	}
	_, err = fmt.Fprintf(c.stdout(), " wrote %s/: report.html, claims.json, results.json, figures (%d)\n", dir, out.Pictures)
	return err
}

// stopped says that a study was stopped.
type stopped struct{ name string }

func (e *stopped) Error() string {
	return fmt.Sprintf("stopped; a study is not resumed, and nothing is left of it. Run it again: r2sgld reproduce %s", e.name)
}
