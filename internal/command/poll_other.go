//go:build !unix

package command

import (
	"os"
	"time"
)

// A poll does not know whether a pipe can be read at once.
type poll struct{}

func newPoll(*os.File) *poll { return nil }

func (*poll) ready() bool { return false }

func (*poll) watch(time.Time) {}
