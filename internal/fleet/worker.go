package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/potential"
)

// Worker says how states of runs are evaluated, and cases done.
type Worker struct {
	Name    string // of this worker, unlike that of any other: letters, digits and hyphens
	Host    string
	Version string
	Slots   int           // states, or cases, at once
	Dir     string        // a folder for files
	Idle    time.Duration // after so long without work Work returns; 0 is never
	// Make makes the potential of a brief; the files that it names lie where place says.
	Make func(ctx context.Context, b Brief, place func(path string) string) (potential.Potential, error)
	// Case does a case, whose files lie where place says: what it leaves in the folder dir is what
	// came of it. dir holds what another worker had left there before it was lost, or is not there.
	// A case that this worker may not do is an error of type *Unfit. nil takes no cases.
	Case    func(ctx context.Context, c cases.Case, place func(path string) string, dir string) error
	Program string // that makes the same bits of the same case
	Kit     Kit    // that it lends; no devices are nothing
	// Start starts the program that is lent, for one of the kit's devices.
	Start func(device string) (Program, error)
	Tell  func(string)

	made made // last
}

// made is a potential, what it is of, and the folder where its files stand. It is kept for
// when a worker comes back.
type made struct {
	of        []byte
	tree      string
	potential potential.Potential
}

const (
	askEvery   = time.Second
	mostOffers = 256   // that wait to be read
	nobody     = "503" // the status in place of an answer where nobody listens
)

var (
	errEnded = errors.New("the run has ended")
	errLost  = errors.New("the run is not heard of any more")
)

// A dismissal is what a run sends a worker away with.
type dismissal farewell

func (d *dismissal) Error() string { return "sent away: this worker " + d.Why }

// A refusal is why a worker does not work for a run.
type refusal struct{ error }

// Work evaluates states of one run after the other, and does cases while there is no such run,
// until the context ends. A run that it cannot work for is told, and not asked for again. The
// error says why the broker takes it no longer.
func (w *Worker) Work(ctx context.Context, conn *nats.Conn) error {
	w.sweep()
	defer w.unmake()
	not := map[string]bool{}
	waiting, since := false, time.Now()
	k := newCasework(w, conn, func(ctx context.Context) bool { _, ok := w.look(ctx, conn, not); return ok })
	for ctx.Err() == nil {
		o, ok := w.look(ctx, conn, not)
		switch {
		case conn.IsClosed() && ctx.Err() == nil:
			return fmt.Errorf("the broker does not take this worker any more: %w", conn.LastError())
		case !ok && k.work(ctx):
			waiting, since = false, time.Now()
			continue
		case !ok && w.Idle > 0 && time.Since(since) > w.Idle:
			w.Tell("leaves: there has been no work for " + w.Idle.String())
			return nil
		case !ok:
			if !waiting {
				w.Tell("waiting for work")
			}
			waiting = true
			k.rest(ctx, askEvery/4)
			continue
		}
		waiting = false
		err := w.serve(ctx, conn, o)
		since = time.Now()
		w.tellEnd(ctx, conn, o, err, not)
	}
	return nil
}

// tellEnd says how the work for a run has ended, here and there.
func (w *Worker) tellEnd(ctx context.Context, conn *nats.Conn, o offer, err error, not map[string]bool) {
	var sent *dismissal
	switch {
	case ctx.Err() != nil:
		w.depart(conn, o, "it was stopped")
	case errors.Is(err, errEnded):
		w.Tell(fmt.Sprintf("%s has ended", o.Name))
	case errors.Is(err, errLost):
		w.Tell(fmt.Sprintf("%s is not heard of any more", o.Name))
	case errors.As(err, &sent):
		not[o.Run] = !sent.Again
		w.Tell(fmt.Sprintf("%s: %v", o.Name, err))
	case err != nil:
		not[o.Run] = true
		w.Tell(fmt.Sprintf("%s: %v", o.Name, err))
		if !errors.As(err, &refusal{}) {
			w.depart(conn, o, err.Error())
		}
	}
}

// depart tells a run that the worker goes.
func (w *Worker) depart(conn *nats.Conn, o offer, why string) {
	if b, err := json.Marshal(leave{w.Name, why}); err == nil {
		_ = conn.Publish(leaving(o.Run), b)
		_ = conn.FlushTimeout(askEvery)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// look asks for a run, other than some: of those that answer soon the one with the fewest
// workers.
func (w *Worker) look(ctx context.Context, conn *nats.Conn, not map[string]bool) (best offer, ok bool) {
	inbox, heard := nats.NewInbox(), make(chan *nats.Msg, mostOffers)
	s, err := conn.ChanSubscribe(inbox, heard)
	if err != nil {
		return best, false
	}
	defer func() { _ = s.Unsubscribe() }()
	if conn.PublishRequest(offers, inbox, nil) != nil {
		return best, false
	}
	ctx, stop := context.WithTimeout(ctx, askEvery)
	defer stop()
	for {
		var m *nats.Msg
		select {
		case <-ctx.Done():
			return best, ok
		case m = <-heard:
		}
		if m.Header.Get("Status") == nobody {
			return best, ok
		}
		var o offer
		if json.Unmarshal(m.Data, &o) != nil || !plainName(o.Run, mostName) || not[o.Run] || ok && o.Workers >= best.Workers {
			continue
		}
		if best = o; !ok {
			ok = true
			time.AfterFunc(askEvery/20, stop)
		}
	}
}

// serve evaluates the blocks of a run until it ends.
func (w *Worker) serve(ctx context.Context, conn *nats.Conn, o offer) error {
	all := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	deaf, err := w.listen(conn, o, stop)
	if err != nil {
		return err
	}
	defer deaf()
	question, err := json.Marshal(hello{w.Name, hostName(w.Host), w.Version, runtime.GOARCH, w.Slots})
	if err != nil {
		return err
	}
	m, err := conn.RequestWithContext(within(ctx, patience), joining(o.Run), question)
	if err != nil {
		return cause(ctx, errLost)
	}
	var hi welcome
	if err := json.Unmarshal(m.Data, &hi); err != nil {
		return refusal{fmt.Errorf("its welcome is none: %w", err)}
	}
	if hi.Error != "" {
		return refusal{errors.New(hi.Error)}
	}
	var ready atomic.Pointer[Kit]
	defer w.beat(ctx, conn, o.Run, &ready)()
	if hi.Brief.Command == Lending {
		return cause(ctx, w.lend(ctx, conn, o, func() {
			ready.Store(&w.Kit)
			w.Tell(fmt.Sprintf("lends %s to %s", strings.Join(w.Kit.Devices, ", "), o.Name))
		}))
	}
	u, err := w.make(ctx, all, conn, o, hi.Brief)
	if err != nil {
		return cause(ctx, err)
	}
	d := &dock{ctx: ctx, worker: w, potential: u, conn: conn, run: o.Run, tasks: make(chan task)}
	defer d.close()
	return cause(ctx, d.serve(func() {
		ready.Store(&Kit{})
		w.Tell("works for " + o.Name)
	}))
}

// within is a context that ends after a while at the latest.
func within(ctx context.Context, d time.Duration) context.Context {
	ctx, stop := context.WithTimeout(ctx, d)
	context.AfterFunc(ctx, stop)
	return ctx
}

// hostName is the name of a host as runs take it.
func hostName(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == '.' || c == '_' || plainName(string(c), 1) {
			return c
		}
		return '-'
	}, s)
	s = strings.TrimLeft(s, "._")
	if s = s[:min(len(s), 4*mostName)]; s == "" {
		return "unknown"
	}
	return s
}

// cause is why the context ended, if it did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// listen ends the work when the run ends, sends the worker away, or is not heard of, until the
// function that it returns is called.
func (w *Worker) listen(conn *nats.Conn, o offer, stop context.CancelCauseFunc) (deaf func(), err error) {
	lost := time.AfterFunc(2*silence, func() { stop(errLost) })
	ear, err := conn.Subscribe(pulse(o.Run), func(m *nats.Msg) {
		lost.Reset(2 * silence)
		if string(m.Data) == "end" {
			stop(errEnded)
		}
	})
	if err != nil {
		return nil, err
	}
	other, err := conn.Subscribe(farewellOf(o.Run, w.Name), func(m *nats.Msg) {
		var d dismissal
		if json.Unmarshal(m.Data, &d) == nil {
			stop(&d)
		}
	})
	if err != nil {
		return nil, errors.Join(err, ear.Unsubscribe())
	}
	return func() {
		lost.Stop()
		_, _ = ear.Unsubscribe(), other.Unsubscribe()
	}, nil
}

// beat says every second that the worker is there, until the function that it returns is called.
func (w *Worker) beat(ctx context.Context, conn *nats.Conn, run string, ready *atomic.Pointer[Kit]) func() {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		said := false // that it is ready
		for last := time.Now(); ctx.Err() == nil; pause(ctx, beatEvery/20) {
			kit := ready.Load()
			now := kit != nil
			if time.Since(last) < beatEvery && now == said {
				continue
			}
			heart := beat{Worker: w.Name, Ready: now, Reconnects: conn.Stats().Reconnects}
			if now {
				heart.Kit = *kit
			}
			if b, err := json.Marshal(heart); err == nil {
				_ = conn.Publish(beats(run), b)
			}
			last, said = time.Now(), now
		}
	}()
	return stop
}
