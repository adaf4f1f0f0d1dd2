package main

import (
	"context"
	"errors"
	"testing"
)

// A command that is stopped while its problem is set up ends at once, with the exit
// code of an interruption. Mutant: waiting for load.
func TestUnlessStopped(t *testing.T) {
	if v, err := unlessStopped(t.Context(), func() (int, error) { return 3, nil }); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	failed := errors.New("no")
	if _, err := unlessStopped(t.Context(), func() (int, error) { return 0, failed }); err != failed {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	release := make(chan struct{})
	defer close(release)
	_, err := unlessStopped(ctx, func() (int, error) { <-release; return 0, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
