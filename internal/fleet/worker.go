package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/potential"
)

// Worker says how states of runs are evaluated.
type Worker struct {
	Name    string // of this worker, unlike that of any other
	Host    string
	Version string
	Slots   int    // states at once
	Dir     string // a folder for files
	// Make makes the potential of a brief; the files that it names lie where place says.
	Make func(ctx context.Context, b Brief, place func(path string) string) (potential.Potential, error)
	// Case does a case, whose files lie where place says: what it leaves in the folder dir is what
	// came of it. dir holds what another worker had left there before it was lost, or is not there.
	// A case that this worker may not do is an error of type *Unfit. nil takes no cases.
	Case    func(ctx context.Context, c cases.Case, place func(path string) string, dir string) error
	Program string // that makes the same bits of the same case
	Tell    func(string)
}

const (
	askEvery     = time.Second
	answerWithin = askEvery / 4 // an offer
)

// Work evaluates states of one run after the other, and does cases while there is no such run,
// until the context ends. Work that it cannot do is told, and not asked for again.
func (w *Worker) Work(ctx context.Context, conn *nats.Conn) error {
	not := map[string]bool{}
	waiting := false
	k := newCasework(w, conn, func() bool { _, ok := w.look(conn, not); return ok })
	for ctx.Err() == nil {
		o, ok := w.look(conn, not)
		if !ok && k.work(ctx) {
			waiting = false
			continue
		}
		if !ok {
			if !waiting {
				w.Tell("waiting for work")
			}
			waiting = true
			pause(ctx, askEvery/4)
			continue
		}
		waiting = false
		switch err := w.serve(ctx, conn, o); {
		case ctx.Err() != nil:
		case errors.Is(err, errEnded):
			w.Tell(fmt.Sprintf("%s has ended", o.Name))
		case errors.Is(err, errLost):
			w.Tell(fmt.Sprintf("%s is not heard of any more", o.Name))
		case err != nil:
			not[o.Run] = true
			w.Tell(fmt.Sprintf("%s: %v", o.Name, err))
		}
	}
	return nil
}

var (
	errEnded = errors.New("the run has ended")
	errLost  = errors.New("the run is not heard of any more")
)

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// look asks for a run, other than some. The first to answer is taken.
func (w *Worker) look(conn *nats.Conn, not map[string]bool) (o offer, ok bool) {
	inbox := nats.NewInbox()
	s, err := conn.SubscribeSync(inbox)
	if err != nil {
		return o, false
	}
	defer func() { _ = s.Unsubscribe() }()
	if conn.PublishRequest(offers, inbox, nil) != nil {
		return o, false
	}
	for end := time.Now().Add(answerWithin); ; {
		m, err := s.NextMsg(time.Until(end))
		if err != nil {
			return o, false
		}
		if json.Unmarshal(m.Data, &o) == nil && o.Run != "" && !not[o.Run] {
			return o, true
		}
	}
}

// ask sends JSON and reads the answer.
func ask(conn *nats.Conn, subject string, question, to any) error {
	b, err := json.Marshal(question)
	if err != nil {
		return err
	}
	m, err := conn.Request(subject, b, patience)
	if err != nil {
		return errLost
	}
	return json.Unmarshal(m.Data, to)
}

// serve evaluates the blocks of a run until it ends.
func (w *Worker) serve(ctx context.Context, conn *nats.Conn, o offer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	heard := make(chan struct{}, 1)
	ear, err := conn.Subscribe(pulse(o.Run), func(m *nats.Msg) {
		if string(m.Data) == "end" {
			stop(errEnded)
		}
		select {
		case heard <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = ear.Unsubscribe() }()
	go listen(ctx, heard, stop)

	var hi welcome
	for {
		if err := ask(conn, joining(o.Run), hello{w.Name, w.Host, w.Version, w.Slots}, &hi); err != nil {
			return err
		}
		if !hi.Wait || ctx.Err() != nil {
			break
		}
		pause(ctx, askEvery/4)
	}
	if hi.Error != "" {
		return errors.New(hi.Error)
	}
	beating := w.beat(ctx, conn, o.Run)
	defer beating()
	tree, err := os.MkdirTemp(w.Dir, "run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	u, err := w.prepare(ctx, conn, o, hi.Brief, tree)
	if err != nil {
		return cause(ctx, err)
	}
	d := &dock{worker: w, potential: u, conn: conn, run: o.Run, tasks: make(chan task)}
	defer d.close()
	return cause(ctx, d.serve(ctx, hi.Probe, o))
}

// cause is why the context ended, if it did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// listen ends the work where nothing is heard of the run.
func listen(ctx context.Context, heard <-chan struct{}, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-heard:
		case <-time.After(2 * silence):
			stop(errLost)
			return
		}
	}
}

// beat says every second that the worker is there, until the function that it returns is called.
func (w *Worker) beat(ctx context.Context, conn *nats.Conn, run string) func() {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-done:
				return
			case <-tick.C:
				_ = conn.Publish(beats(run), []byte(w.Name))
			}
		}
	}()
	return func() { close(done) }
}

// prepare fetches the files of a brief and makes its potential.
func (w *Worker) prepare(ctx context.Context, conn *nats.Conn, o offer, b Brief, tree string) (potential.Potential, error) {
	place, err := w.furnish(ctx, b.Files, tree, func(_ context.Context, i int, f File) (io.ReadCloser, error) {
		return io.NopCloser(&pieces{conn: conn, run: o.Run, of: i, left: f.Size}), nil
	})
	if err != nil {
		return nil, err
	}
	return w.Make(ctx, b, place)
}

// furnish has files stand in a tree by the paths that they have among each other. Those that
// are not here are opened elsewhere.
func (w *Worker) furnish(ctx context.Context, files []File, tree string,
	open func(ctx context.Context, i int, f File) (io.ReadCloser, error)) (place func(string) string, err error) {
	root := filepath.Join(w.Dir, "files")
	place = func(path string) string { return filepath.Join(tree, filepath.Clean("/"+filepath.ToSlash(path))) }
	for i, f := range files {
		from := filepath.Join(root, f.SHA256)
		err := w.fetch(f, from, func() (io.ReadCloser, error) { return open(ctx, i, f) })
		if err == nil {
			err = os.MkdirAll(filepath.Dir(place(f.Path)), 0o700)
		}
		if err == nil {
			err = os.Link(from, place(f.Path))
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", f.Path, err)
		}
	}
	return place, nil
}

// pieces reads a file of a run piece by piece.
type pieces struct {
	conn     *nats.Conn
	run      string
	of       int // number of the file
	at, left int64
	piece    []byte
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.piece) == 0 {
		if p.left <= 0 {
			return 0, io.EOF
		}
		q, _ := json.Marshal(pieceOf{p.of, p.at})
		m, err := p.conn.Request(files(p.run), q, patience)
		if err != nil {
			return 0, errLost
		}
		if len(m.Data) == 0 {
			return 0, errors.New("the run cannot read it any more")
		}
		p.piece, p.at, p.left = m.Data, p.at+int64(len(m.Data)), p.left-int64(len(m.Data))
	}
	n := copy(b, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}

// fetch writes a file that is opened elsewhere, unless it is there.
func (w *Worker) fetch(f File, to string, open func() (io.ReadCloser, error)) error {
	if len(f.SHA256) != 2*sha256.Size || filepath.Base(f.SHA256) != f.SHA256 || f.Size < 0 {
		return errors.New("its description is none")
	}
	if known, err := hashOf(to); err == nil && known == f.SHA256 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "part-")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, f.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return errors.New("it has changed since the run began")
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// A dock is where blocks of a run are evaluated, some states at once.
type dock struct {
	worker    *Worker
	potential potential.Potential
	conn      *nats.Conn
	run       string
	tasks     chan task
	hands     sync.WaitGroup
}

// A task is some states of a block, and where their answer belongs.
type task struct {
	block *block
	done  func(*answer)
}

func (d *dock) close() {
	close(d.tasks)
	d.hands.Wait()
}

// hand does tasks.
func (d *dock) hand() {
	variants := map[string]*sizes{}
	defer func() {
		for _, s := range variants {
			_ = s.close()
		}
	}()
	for t := range d.tasks {
		s := variants[t.block.variant]
		if s == nil {
			u, err := variantOf(d.potential, t.block.variant)
			if err == nil && u.Dim() != t.block.d {
				err = fmt.Errorf("states of %d coordinates for a potential of %d", t.block.d, u.Dim())
			}
			if err != nil {
				t.done(&answer{failed: err.Error()})
				continue
			}
			s = &sizes{potential: u}
			variants[t.block.variant] = s
		}
		t.done(s.answerTo(t.block))
	}
}

// evaluate evaluates a block by all hands.
func (d *dock) evaluate(b *block) *answer {
	all := &answer{id: b.id, n: b.n, d: b.d, values: make([]float64, b.n*(b.d+1))}
	begun := time.Now()
	var mu sync.Mutex
	var wait sync.WaitGroup
	each := (b.n + d.worker.Slots - 1) / d.worker.Slots
	for from := 0; from < b.n; from += each {
		m := min(each, b.n-from)
		wait.Add(1)
		d.tasks <- task{&block{variant: b.variant, n: m, d: b.d, x: b.x[from*b.d : (from+m)*b.d]}, func(a *answer) {
			defer wait.Done()
			mu.Lock()
			defer mu.Unlock()
			if a.failed != "" {
				all.failed = a.failed
				return
			}
			copy(all.values[from:], a.values[:m])
			copy(all.values[b.n+from*b.d:], a.values[m:])
		}}
	}
	wait.Wait()
	if all.took = time.Since(begun); all.failed != "" {
		all.n, all.values = 0, nil
	}
	return all
}

// serve proves what it is able to and evaluates blocks until the context ends.
func (d *dock) serve(ctx context.Context, probe []byte, o offer) error {
	w := d.worker
	for range w.Slots {
		d.hands.Go(d.hand)
	}
	b, err := readBlock(probe)
	if err != nil {
		return err
	}
	blocks := make(chan *nats.Msg, 1024)
	s, err := d.conn.ChanSubscribe(blocksOf(o.Run, w.Name), blocks)
	if err != nil {
		return err
	}
	defer func() { _ = s.Unsubscribe() }()
	var v verdict
	if err := ask(d.conn, taking(o.Run), proof{w.Name, d.evaluate(b).append(nil)}, &v); err != nil {
		return err
	}
	if v.Error != "" {
		return errors.New(v.Error)
	}
	w.Tell(fmt.Sprintf("works for %s", o.Name))
	var open sync.WaitGroup
	defer open.Wait()
	room := make(chan struct{}, w.Slots)
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-blocks:
			b, err := readBlock(m.Data)
			if err != nil {
				continue
			}
			room <- struct{}{}
			open.Go(func() {
				_ = d.conn.Publish(answers(o.Run), d.evaluate(b).append(nil)) // lost with the connection
				<-room
			})
		}
	}
}
