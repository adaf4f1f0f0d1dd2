package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A session runs the studies of a task.
type session struct {
	study.Options
	desk    *study.Desk
	entries []paperStudy
	done    []*study.Study
	absent  map[string]study.Absent // by name
	workers *helpers                // that do cases as well; nil is none
}

// options are those of a study.
func (s *session) options(e paperStudy) study.Options {
	o := s.Options
	o.Keeper = s.desk.Cases(e.name)
	switch {
	case s.workers == nil:
	case e.here != "":
		s.Announce("%s: workers do none of it: %s", e.name, e.here)
	default:
		o.Share = s.desk.Share(e.name, func(list string) cases.Others {
			return s.workers.list(list, fmt.Sprintf("%+v %q %q", s.desk.Task(), e.name, list))
		})
	}
	return o
}

// miss notes a study that is not run.
func (s *session) miss(e paperStudy, reason string) {
	reason = strings.ReplaceAll(reason, "\nnothing was written.", "") // of a Refused: others were
	s.absent[e.name] = study.Absent{Name: e.name, Title: e.title, Reason: reason, Command: s.Command(e.name)}
}

// missing are the absent studies in the order of the paper.
func (s *session) missing() []study.Absent {
	var out []study.Absent
	for _, e := range s.entries {
		if a, ok := s.absent[e.name]; ok {
			out = append(out, a)
		}
	}
	return out
}

// conduct runs one study after the other, those that lack nothing, and reports after
// each. What it returns is nil while none has ended. Of a single study that it lacks
// something is an error.
func (s *session) conduct(ctx context.Context) (out *study.Output, err error) {
	todo := s.todo()
	if len(s.entries) > 1 {
		s.plan(todo)
	}
	if len(s.done) > 0 {
		if out, err = s.report(); err != nil {
			return out, err
		}
	}
	var failed []error
	for _, e := range todo {
		o := s.options(e)
		found, err := job.Await(ctx, hurry/3, func() (*study.Study, error) { return e.run(ctx, o) })
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && len(s.entries) == 1:
			return nil, fmt.Errorf("study %s: %w", e.name, err)
		case err != nil:
			s.miss(e, err.Error())
			if _, lacks := errors.AsType[*job.Refused](err); !lacks {
				failed = append(failed, fmt.Errorf("study %s: %w", e.name, err))
			}
			continue
		}
		if o.Share != nil && o.Share.Done() > 0 {
			s.Announce("%s: workers did %s", e.name, text.Counted(o.Share.Done(), "case"))
		}
		if out, err = s.add(e, found); err != nil {
			return out, err
		}
	}
	if len(s.done) == 0 {
		err := errors.Join(failed...)
		for _, a := range s.missing() {
			err = errors.Join(err, fmt.Errorf("study %s: %s", a.Name, a.Reason))
		}
		if len(failed) == 0 {
			err = &job.Refused{Err: err}
		}
		return nil, err
	}
	if out, err = s.report(); err != nil {
		return out, err
	}
	return out, errors.Join(append(failed, s.desk.Finish())...)
}

// recall reads the studies that have ended, and returns the others, which it notes as missing. What is
// wrong with one that is kept goes to damaged, whose error ends it.
func (s *session) recall(damaged func(e paperStudy, err error) error) (left []paperStudy, err error) {
	for _, e := range s.entries {
		kept, err := s.desk.Kept(e.name)
		if err == nil {
			s.done = append(s.done, kept)
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			if err := damaged(e, err); err != nil {
				return nil, err
			}
		}
		s.miss(e, "It was not reached: the run of all studies was stopped before, or goes on.")
		left = append(left, e)
	}
	return left, nil
}

// todo are the studies that are to be run: those that have not ended before and can be.
func (s *session) todo() []paperStudy {
	left, _ := s.recall(func(e paperStudy, err error) error {
		s.Announce("%s: run again: %v", e.name, err)
		return nil
	})
	if len(s.entries) == 1 {
		return left // whose want is its error
	}
	return slices.DeleteFunc(left, func(e paperStudy) bool {
		if e.ready == nil {
			return false
		}
		err := e.ready(s.Options)
		if err != nil {
			s.miss(e, err.Error())
		}
		return err != nil
	})
}

// roughly is a time in minutes, a short one in seconds.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// plan announces what is to be run, about how long it takes, and what is missing.
func (s *session) plan(todo []paperStudy) {
	var all time.Duration
	hours := false
	for _, e := range todo {
		all += e.takes.at(s.Scale)
		hours = hours || e.takes.at(s.Scale) == 0
	}
	said := "about " + roughly(all) + " on two processor cores"
	if hours {
		said += ", and hours on others"
	}
	if len(todo) == 0 {
		said = "nothing is left to do"
	}
	s.Announce("%s to run at scale %s: %s", text.Counted(len(todo), "study"), s.Scale, said)
	for _, e := range s.entries {
		switch took := e.takes.at(s.Scale); {
		case slices.ContainsFunc(s.done, func(d *study.Study) bool { return d.Name == e.name }):
			s.Announce("  %-14s finished before, kept", e.name)
		case !slices.ContainsFunc(todo, func(t paperStudy) bool { return t.name == e.name }):
			s.Announce("  %-14s not run: %s", e.name, s.absent[e.name].Reason)
		case took == 0:
			s.Announce("  %-14s hours on GPUs", e.name)
		default:
			s.Announce("  %-14s about %s", e.name, roughly(took))
		}
	}
}

// add keeps a study that has ended, and reports.
func (s *session) add(e paperStudy, found *study.Study) (*study.Output, error) {
	kept, err := s.desk.Keep(found)
	if err != nil {
		return nil, err
	}
	delete(s.absent, e.name)
	s.done = append(s.done, kept)
	return s.report()
}

// report writes the report of the studies that have ended, in the order of the paper.
func (s *session) report() (*study.Output, error) {
	var in []*study.Study
	for _, e := range s.entries {
		for _, d := range s.done {
			if d.Name == e.name {
				in = append(in, d)
			}
		}
	}
	s.done = in
	return study.Write(s.desk.Folder, in, s.missing())
}
