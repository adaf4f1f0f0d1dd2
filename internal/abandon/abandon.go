// Package abandon leaves calls alone that cannot hear a context.
package abandon

import (
	"context"
	"time"
)

// At returns what f does, or the error of ctx as soon as that is done: f then goes on
// by itself, and nobody hears what becomes of it. f must write nothing.
func At[T any](ctx context.Context, f func() (T, error)) (T, error) { return After(ctx, 0, f) }

// After is [At] that gives f a while, once ctx is done, to end by itself.
func After[T any](ctx context.Context, wait time.Duration, f func() (T, error)) (T, error) {
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
