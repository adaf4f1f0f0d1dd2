package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// hurry is how long after a signal a command may take to come to its end by itself.
// Then the program leaves: files are written whole or not at all, locks end with the
// process, and the programs that it started as well.
const hurry = 1500 * time.Millisecond

// interrupts returns a context that SIGINT, SIGTERM and SIGHUP end, and a channel that
// is closed a while after that. A second signal ends the program at once, a second
// SIGHUP aside, which may come of the same terminal. SIGHUP stays ignored where it was,
// as under nohup.
func interrupts() (context.Context, <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	got, late := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(got, syscall.SIGHUP)
	}
	go func() {
		<-got
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		time.AfterFunc(hurry, func() { close(late) })
		cancel()
	}()
	return ctx, late
}

// farewell says what is kept should the program leave before the command has come to
// its end.
var farewell atomic.Pointer[func() string]

// lastWords is the screen that takes the farewell; nil before there is one.
var lastWords atomic.Pointer[text.Screen]

// leaving sets the farewell.
func leaving(say func() string) { farewell.Store(&say) }

// leave is the end of a program that leaves, also where nobody takes what it says.
func leave() {
	said := make(chan struct{})
	go func() {
		words := job.Early{}.Error()
		if say := farewell.Load(); say != nil {
			words = (*say)()
		}
		if s := lastWords.Load(); s != nil {
			text.Status(s, "")
			fmt.Fprintln(s, words)
		}
		close(said)
	}()
	select {
	case <-said:
	case <-time.After(hurry / 5):
	}
	os.Exit(exitInterrupted)
}

// leavingRun sets the farewell of a run in a folder: what is there is the truth. A
// run that was there before is not ours, unless it is resumed.
func leavingRun(dir string, resumed bool) {
	manifest := func() (os.FileInfo, error) { return os.Stat(filepath.Join(store.Newest(dir), "run.json")) }
	before, _ := manifest()
	leaving(func() string {
		now, err := manifest()
		old := err == nil && before != nil && os.SameFile(before, now) && before.ModTime().Equal(now.ModTime())
		switch {
		case err != nil && before == nil, old && !resumed:
			return job.Early{}.Error()
		case err != nil:
			return fmt.Sprintf("stopped while the new run in %s took the place of the one before; nothing is lost.\ngo on with: r2sgld resume %s",
				dir, text.Word(dir))
		}
		kept := "what is kept is what the run is to do"
		newest := store.Newest(dir)
		if saved, _ := os.ReadDir(filepath.Join(newest, "checkpoints")); len(saved) > 0 {
			kept = "the newest checkpoint is kept, what came after it is lost"
		} else if _, err := os.Stat(filepath.Join(newest, "tuned.json")); err == nil {
			kept = "the last round of the warm-up is kept"
		}
		return fmt.Sprintf("stopped in the middle of a long step: %s.\ngo on with: r2sgld resume %s", kept, text.Word(dir))
	})
}

// unlessStopped returns what load does, or that it was stopped as soon as the context
// ends: what it does writes nothing, and may take long.
func unlessStopped[T any](ctx context.Context, load func() (T, error)) (T, error) {
	return stoppedAfter(ctx, 0, load)
}

// stoppedAfter is unlessStopped where load has the time wait to say how far it came.
func stoppedAfter[T any](ctx context.Context, wait time.Duration, load func() (T, error)) (T, error) {
	v, err := job.Await(ctx, wait, load)
	if err != nil && ctx.Err() != nil { // its programs may have ended before it was noticed here
		err = job.Early{Err: errors.Join(ctx.Err(), err)}
	}
	return v, err
}
