package job

import (
	"context"
	"errors"
	"testing"
	"time"
)

// What ends in time is told, what does not is left alone.
func TestAwait(t *testing.T) {
	failed := errors.New("no")
	ctx, stop := context.WithCancel(t.Context())
	if v, err := Await(ctx, 0, func() (int, error) { return 3, failed }); v != 3 || err != failed {
		t.Errorf("%d, %v", v, err)
	}
	stop()
	late := func() (int, error) { <-ctx.Done(); time.Sleep(time.Millisecond); return 4, failed }
	if v, err := Await(ctx, time.Hour, late); v != 4 || err != failed {
		t.Errorf("%d, %v", v, err)
	}
	release := make(chan struct{})
	defer close(release)
	if _, err := Await(ctx, time.Millisecond, func() (int, error) { <-release; return 5, nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
