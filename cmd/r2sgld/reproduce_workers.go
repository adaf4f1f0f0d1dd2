package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/watch"
)

// replays do cases of studies for other machines.
func replays(threads int, program string) *study.Replays {
	return &study.Replays{Threads: threads, Program: program, Study: func(name string) (func(context.Context, study.Options) (*study.Study, error), error) {
		for _, e := range studies() {
			switch {
			case e.name == name && e.here != "":
				return nil, fmt.Errorf("workers do none of the study %s: %s", name, e.here)
			case e.name == name:
				return e.run, nil
			}
		}
		return nil, fmt.Errorf("there is no study %q", name)
	}}
}

// A studio is what a page shows of studies.
type studio struct {
	*cases.Tally
	mu    sync.Mutex
	facts watch.Facts
}

// show has a page show them.
func (s *studio) show(f *watch.Facts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Name, f.Command, f.What, f.State, f.Begun = s.facts.Name, s.facts.Command, s.facts.What, s.facts.State, s.facts.Begun
	f.Why, f.Ended, f.Cases = s.facts.Why, s.facts.Ended, s.Now()
}

// end tells how they ended.
func (s *studio) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts.State, s.facts.Ended = watch.Done, time.Now()
	if err != nil {
		s.facts.State, s.facts.Why = watch.Stopped, err.Error()
	}
}
