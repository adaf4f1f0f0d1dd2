package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/study"
)

func reportCommand() *cobra.Command {
	var c common
	var markdown bool
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Make the report of reproduce anew from the studies that are kept",
		Long: `Make the report anew from the studies that a folder of reproduce keeps, without running
any. Those that have not ended are listed as not run. With --markdown the verdicts are
printed as tables, each with the command that makes it, and nothing is written.`,
		Example: `  r2sgld reproduce report runs/reproduce-all-20261129-101300
  r2sgld reproduce report runs/reproduce-all-20261129-101300 --markdown > verdicts.md`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.report(args[0], markdown) },
	}
	c.display(cmd)
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the verdicts as Markdown, and write nothing")
	return cmd
}

// report makes the report of a folder anew, or prints its verdicts.
func (c *common) report(dir string, markdown bool) error {
	task, ok := study.TaskIn(dir)
	program, err := fingerprint()
	switch {
	case err != nil:
		return err
	case !ok:
		return refuse(fmt.Errorf("%s is no folder of r2sgld reproduce in which a study or a case has ended", dir))
	case markdown && c.json:
		return refuse(errors.New("--markdown and --json: give one of them"))
	case store.Newest(dir) != dir:
		return refuse(fmt.Errorf("%s has a newer report in it that is not finished, %s: go on with that by its command, or remove it", dir,
			filepath.Base(store.Newest(dir))))
	case !markdown && task.Program != program:
		return refuse(fmt.Errorf("the studies in %s are of another build of the program, and so is their report: it stays as it is. "+
			"--markdown prints its verdicts", dir))
	}
	entries, err := selected(task.Study).studies()
	if err != nil {
		return refuse(fmt.Errorf("%s: %w", dir, err))
	}
	desk, err := study.Open(dir, task, false)
	if err != nil {
		return refuse(err)
	}
	defer desk.Close()
	s := &session{Options: study.Options{Scale: task.Scale, Seed: task.Seed}, desk: desk, entries: entries, absent: map[string]study.Absent{}}
	if err := s.remember(); err != nil {
		return refuse(fmt.Errorf("%s: %w", dir, err))
	}
	if markdown {
		return study.Markdown(c.stdout(), s.done, s.missing())
	}
	out, err := s.report()
	if err != nil {
		return err
	}
	return c.leave(out, dir, s)
}

// remember reads the studies that have ended, and why the others have not.
func (s *session) remember() error {
	_, err := s.recall(func(e paperStudy, err error) error { return fmt.Errorf("study %s: %w", e.name, err) })
	switch {
	case err != nil:
		return err
	case len(s.done) == 0:
		return errors.New("no study in it has ended")
	}
	reasons, err := study.Missed(s.desk.Folder)
	for _, a := range reasons {
		if _, still := s.absent[a.Name]; still {
			s.absent[a.Name] = a
		}
	}
	return err
}
