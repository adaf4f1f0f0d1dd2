// Package pace says how long the tests of this module take: seconds under go test -short,
// minutes as a rule, and hours where R2SGLD_SOAK=1 asks for the large versions.
package pace

import (
	"os"
	"testing"
)

// Soaking reports whether the large versions are asked for.
func Soaking() bool { return os.Getenv("R2SGLD_SOAK") != "" }

// Soak returns small, or large where the large versions are asked for.
func Soak[T any](small, large T) T {
	if Soaking() {
		return large
	}
	return small
}

// Slow ends a test of seconds under -short.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds: -short leaves it out")
	}
}
