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

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
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

// helpers are the workers that may do cases of the list of a job, if any. That they cannot be
// is told before anything is written.
func (c *common) helpers(q job.Request) (cases.Others, error) {
	s := &c.staff
	switch err := s.check(); {
	case err != nil:
		return nil, refuse(err)
	case s.anyBits:
		return nil, refuse(errors.New("--any-bits is about states of a run: cases are done by workers with the same bits"))
	case s.none():
		return nil, nil
	}
	host, _ := os.Hostname()
	at, err := filepath.Abs(q.Dir)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", host, at, q.Hash))
	o := &offered{staff: s, terminal: q.Terminal,
		Board: fleet.Board{Name: q.Name, ID: hex.EncodeToString(id[:8]), Program: program(), Dir: filepath.Join(q.Dir, hubFolder),
			Tell: func(s string) { fmt.Fprintln(q.Terminal, " "+s) }}}
	if s.hub == "" {
		_, err := certificate(s.tls)
		return o, refuse(errors.Join(err, fleet.CanListen(s.listen)))
	}
	conn, err := s.connect(s.hub)
	if err == nil {
		err = fleet.KeepsCases(conn)
		conn.Close()
	}
	return o, refuse(err)
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

// offered is a list of cases that workers may do, with a broker of its own if it has no other.
type offered struct {
	fleet.Board
	staff    *staff
	terminal io.Writer
}

// Offer starts the broker and offers the cases.
func (o *offered) Offer(ctx context.Context, l *cases.List) (cases.Source, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	end := func() {}
	if o.Connect = func() (*nats.Conn, error) { return o.staff.connect(o.staff.hub) }; o.staff.hub == "" {
		b, err := o.staff.host.open(o.Dir, o.Dir)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(o.terminal, " workers: r2sgld work %s\n", b.URL())
		o.Connect, end = b.Connect, b.Close
	}
	s, err := o.Board.Offer(ctx, l)
	if err != nil {
		end()
		return nil, err
	}
	return &lent{s, end}, nil
}

// lent is a source of cases with what ends after it.
type lent struct {
	cases.Source
	end func()
}

func (l *lent) Close() error {
	defer l.end()
	return l.Source.Close()
}

// doCase does a case that another machine offers.
func doCase(commands bool) func(context.Context, cases.Case, func(string) string, string) error {
	return func(ctx context.Context, c cases.Case, place func(string) string, dir string) error {
		if c.Command == calibration.Command {
			return calibration.Elsewhere(ctx, c.Config, place, dir)
		}
		_, programs, err := sent(c.Config, place, commands)
		if err != nil {
			return err
		}
		var unfit error
		allow := programs.Allow
		programs.Allow = func(args []string) error {
			err := allow(args)
			if err != nil {
				unfit = &fleet.Unfit{Err: err}
			}
			return err
		}
		_, err = sweep.Run{Command: c.Command, Config: c.Config, Dir: dir, Threads: 1, Checkpoint: cmp.Or(c.Checkpoint, defaultCheckpoint),
			Programs: programs, Place: place}.Make(ctx)
		return cmp.Or(unfit, err)
	}
}
