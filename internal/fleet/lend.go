package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A Program of a worker's operator runs for another machine: what is written to it, what it writes.
type Program interface {
	io.ReadWriter
	// End ends it and says how it ended, in words.
	End() string
}

// mostLines are the programs of a worker at once, for each device: a run may prove one while another
// works.
const mostLines = 4

var errStops = errors.New("the worker stops")

// A loan is what a worker lends to a run.
type loan struct {
	*Worker
	ctx  context.Context
	conn *nats.Conn
	run  string
	wait sync.WaitGroup

	files sync.Mutex // held while a file is fetched, so that others that want it wait
	mu    sync.Mutex
	lines map[*line]string // devices
}

// lend lends programs to a run until the context ends, and calls ready once it does.
func (w *Worker) lend(ctx context.Context, conn *nats.Conn, o offer, ready func()) error {
	if len(w.Kit.Devices) == 0 {
		return errNoKit
	}
	l := &loan{Worker: w, ctx: ctx, conn: conn, run: o.Run, lines: map[*line]string{}}
	s, err := conn.Subscribe(openingOf(o.Run, w.Name), func(m *nats.Msg) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if ctx.Err() == nil { // else it is not waited for
			l.wait.Go(func() { reply(m, l.open(m.Data)) })
		}
	})
	if err != nil {
		return err
	}
	defer l.wait.Wait()
	defer func() { _ = s.Unsubscribe() }()
	if err := conn.FlushWithContext(within(ctx, patience)); err != nil {
		return errLost
	}
	ready()
	for ctx.Err() == nil {
		pause(ctx, beatEvery)
		l.all((*line).check)
	}
	l.all(func(one *line) { one.end(errStops) })
	return nil
}

// all does something with all lines.
func (l *loan) all(do func(*line)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.lines {
		do(one)
	}
}

// open starts a program.
func (l *loan) open(m []byte) opened {
	var o opening
	if err := json.Unmarshal(m, &o); err != nil || !plainName(o.Line, mostName) {
		return opened{"an opening that is none"}
	}
	if !slices.Contains(l.Kit.Devices, o.Device) {
		return opened{fmt.Sprintf("it lends %s, not %q", strings.Join(l.Kit.Devices, ", "), o.Device)}
	}
	one, err := newLine(l.conn, downOf(l.run, o.Line), upOf(l.run, o.Line))
	if err != nil {
		return opened{err.Error()}
	}
	if err = l.conn.FlushWithContext(within(l.ctx, patience)); err == nil { // who asked writes as soon as it hears
		err = l.admit(one, o.Device)
	}
	if err != nil {
		one.end(errStops)
		return opened{err.Error()}
	}
	p, err := l.Start(o.Device)
	if err != nil {
		l.leave(one)
		one.end(err)
		l.Tell(fmt.Sprintf("%s: the program does not start: %v", o.Device, err))
		return opened{err.Error()}
	}
	time.AfterFunc(4*patience, one.expect)
	l.bridge(one, p, o.Device)
	return opened{}
}

// admit notes a line, unless there are too many.
func (l *loan) admit(one *line, device string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, d := range l.lines {
		if d == device {
			n++
		}
	}
	if n >= mostLines || l.ctx.Err() != nil {
		return fmt.Errorf("%d programs run on %s already", n, device)
	}
	l.lines[one] = device
	return nil
}

func (l *loan) leave(one *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.lines, one)
}

// bridge carries what a run and a program say to each other, until either ends.
func (l *loan) bridge(one *line, p Program, device string) {
	var over atomic.Bool
	var why atomic.Pointer[error] // it can get no more
	end := func() {               // of either way ends the other
		if over.Swap(true) {
			return
		}
		how := p.End()
		if err := why.Load(); err != nil {
			how = (*err).Error()
		}
		if one.end(errors.New("its program ended: " + how)) {
			l.Tell(fmt.Sprintf("the program on %s ended: %s", device, how))
		}
		l.leave(one)
	}
	l.wait.Go(func() { // also where the program neither reads nor writes
		<-one.gone
		end()
	})
	l.wait.Go(func() {
		defer end()
		b := make([]byte, piece)
		for {
			n, err := p.Read(b)
			if _, fault := one.write(b[:n]); err != nil || fault != nil {
				return
			}
		}
	})
	l.wait.Go(func() {
		defer end()
		for {
			parcel, err := one.take()
			if err == nil {
				err = l.pass(parcel, p)
			}
			if err != nil {
				why.CompareAndSwap(nil, &err)
				return
			}
		}
	})
}

// pass writes what came to a program.
func (l *loan) pass(p parcel, to Program) error {
	if p.file == nil {
		_, err := io.Copy(to, p.reader())
		return err
	}
	at := filepath.Join(l.Dir, filesFolder, strings.ToLower(p.file.SHA256))
	if err := l.receive(p.file, at); err != nil {
		return err
	}
	f, err := os.Open(at)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

// receive puts a file of the run at a path. It is fetched once, however many programs want it.
func (l *loan) receive(g *gift, at string) error {
	l.files.Lock()
	defer l.files.Unlock()
	return l.fetch(g.File, at, func() (io.ReadCloser, error) {
		return io.NopCloser(&pieces{ctx: l.ctx, conn: l.conn, from: giftsOf(l.run), of: g.Number, left: g.Size}), nil
	})
}
