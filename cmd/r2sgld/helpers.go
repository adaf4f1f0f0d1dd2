package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/sweep"
)

// program names what makes the same bits of the same case: a version and the arithmetic of a
// kind of machine.
func program() string {
	all := r2sgld.Arithmetic()
	return fmt.Sprintf("%s %s%s", r2sgld.Version, runtime.GOARCH, all[strings.LastIndexByte(all, ' '):])
}

// hubFolder is what a list of cases keeps in its folder while it is offered to workers.
const hubFolder = ".hub"

// helpers are workers that may do cases of the lists of a job. Their broker, if it is inside this
// program, starts with the first list that is offered; nil is no workers.
type helpers struct {
	staff    *staff
	terminal io.Writer
	dir      string // of the job

	mu     sync.Mutex
	broker *fleet.Broker
}

// helpers are the workers that may do cases of a job in a folder, if any. That they cannot be
// is told before anything is written.
func (c *common) helpers(dir string, terminal io.Writer) (*helpers, error) {
	s := &c.staff
	switch err := s.check(); {
	case err != nil:
		return nil, refuse(err)
	case s.anyBits:
		return nil, refuse(errors.New("--any-bits is about states of a run: cases are done by workers with the same bits"))
	case s.none():
		return nil, nil
	}
	h := &helpers{staff: s, terminal: terminal, dir: dir}
	if s.hub == "" {
		_, err := certificate(s.tls)
		return h, refuse(errors.Join(err, fleet.CanListen(s.listen)))
	}
	conn, err := s.connect(s.hub)
	if err == nil {
		err = fleet.KeepsCases(conn)
		conn.Close()
	}
	return h, refuse(err)
}

// list has the workers do cases of a list; hash tells it from others that the folder ever has.
func (h *helpers) list(name, hash string) cases.Others {
	if h == nil {
		return nil
	}
	return &offered{h, name, hash}
}

// connect connects to the broker, which may be away at times once the job has begun.
func (h *helpers) connect() (*nats.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broker != nil {
		return h.broker.Connect()
	}
	return h.staff.connect(h.staff.hub, nats.RetryOnFailedConnect(true))
}

// open starts the broker, if it is to be inside this program and is not.
func (h *helpers) open(dir string) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err = os.MkdirAll(dir, 0o700); err != nil || h.staff.hub != "" || h.broker != nil {
		return err
	}
	if h.broker, err = h.staff.host.open(dir, dir); err == nil {
		fmt.Fprintf(h.terminal, " workers: r2sgld work %s\n", h.broker.URL())
	}
	return err
}

// close ends the broker.
func (h *helpers) close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broker != nil {
		h.broker.Close()
	}
}

// offeredNoMore takes away what a list kept in its folder while it was offered, once it is done.
func offeredNoMore(dir string, err error) {
	if err == nil {
		_ = os.RemoveAll(filepath.Join(dir, hubFolder)) // which nobody reads any more
	}
}

// refuse is an error before anything was written.
func refuse(err error) error {
	if err != nil {
		err = &job.Refused{Err: err}
	}
	return err
}

// offered is a list of cases that workers may do.
type offered struct {
	*helpers
	name, hash string
}

// Offer offers the cases.
func (o *offered) Offer(ctx context.Context, l *cases.List) (cases.Source, error) {
	dir := filepath.Join(o.dir, hubFolder)
	if err := o.open(dir); err != nil {
		return nil, err
	}
	token, keep, err := tokenIn(dir) // which tells the folder from others, wherever it is moved
	if err == nil {
		err = keep()
	}
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256([]byte(token + " " + o.hash))
	b := &fleet.Board{Name: o.name, ID: hex.EncodeToString(id[:8]), Program: program(), Dir: dir,
		Connect: o.connect, Tell: func(s string) { fmt.Fprintln(o.terminal, " "+s) }}
	return b.Offer(ctx, l)
}

// doCase does a case that another machine offers.
func doCase(commands bool, studies *study.Replays) func(context.Context, cases.Case, func(string) string, string) error {
	return func(ctx context.Context, c cases.Case, place func(string) string, dir string) error {
		switch c.Command {
		case calibration.Command:
			return calibration.Elsewhere(ctx, c.Config, place, dir)
		case study.Command:
			err := studies.Do(ctx, c.Config, place, dir)
			if errors.Is(err, study.ErrBuild) {
				err = &fleet.Unfit{Err: err}
			}
			return err
		}
		_, programs, err := sent(c.Config, place, commands)
		if err != nil {
			return err
		}
		if commands {
			if err := fleet.Unchanged(c.Executed); err != nil {
				return &fleet.Unfit{Err: err}
			}
		}
		denied := denials(&programs)
		err = sweep.Run{Command: c.Command, Config: c.Config, Dir: dir, Threads: 1, Checkpoint: cmp.Or(c.Checkpoint, defaultCheckpoint),
			Programs: programs, Place: place}.Make(ctx)
		if why := denied(); why != nil {
			return &fleet.Unfit{Err: why}
		}
		return err
	}
}
