package job

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Interrupted says that a run was stopped and that its state is saved in Dir.
type Interrupted struct {
	Dir      string
	Done, Of int    // iterations of all ladders; 0 of 0 during the warm-up
	Rounds   bool   // whether a round of the warm-up is kept
	Unit     string // what they are; "" is iterations of all ladders
}

func (e *Interrupted) Error() string {
	of, after := "", ""
	switch {
	case e.Of == 0 && e.Rounds:
		return fmt.Sprintf("stopped during the warm-up; its last round is kept.\ngo on with: r2sgld resume %s", text.Word(e.Dir))
	case e.Of == 0:
		return fmt.Sprintf("stopped before there is a checkpoint: what goes on begins anew.\ngo on with: r2sgld resume %s",
			text.Word(e.Dir))
	case e.Done == e.Of:
		of, after = "", ", before results were written"
	case e.Done < e.Of: // a run that goes on from a finished one is not yet told how far
		of = "of the " + text.Count(e.Of) + " "
	}
	return fmt.Sprintf("stopped after %s %s%s%s, checkpoint written.\ngo on with: r2sgld resume %s",
		text.Count(e.Done), of, cmp.Or(e.Unit, "iterations of all ladders"), after, text.Word(e.Dir))
}

// Refused says that nothing was begun, because of what the user asked for.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() + "\nnothing was written." }

// Unwrap returns the reason.
func (e *Refused) Unwrap() error { return e.Err }

// Early says that a run was stopped before it has written anything, and by what.
type Early struct {
	Err    error
	Before string // what; "" is that anything was begun
}

func (e Early) Error() string {
	return "stopped before " + cmp.Or(e.Before, "anything was begun") + "; nothing was written."
}

// Unwrap returns what stopped it.
func (e Early) Unwrap() error { return e.Err }

// Await returns what f does, or the error of ctx as soon as that is done: f then goes on
// by itself, and nobody hears what becomes of it. It is for calls that cannot hear a
// context, and what f writes must be refused once nobody waits for it. Once ctx is done f has the time wait to end by itself.
func Await[T any](ctx context.Context, wait time.Duration, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(wait):
		var none T
		return none, ctx.Err()
	}
}
