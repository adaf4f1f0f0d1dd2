package fleet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nats-io/nats.go"
)

// A line carries bytes between a run and a program at a worker, in order and each once: what is lost
// of them breaks it. Neither end has more than a window of bytes on the way that the other has not
// taken yet.
type line struct {
	conn       *nats.Conn
	to         string // subject
	ear        *nats.Subscription
	reconnects uint64 // of conn when it began
	most       int    // bytes of a message

	mu          sync.Mutex
	change      *sync.Cond
	said, heard uint64 // messages
	away        int    // bytes that the other end has not taken
	taken       int    // bytes of which the other end does not know
	held        int    // bytes of came
	came        []parcel
	err         error         // that broke it
	gone        chan struct{} // closed then
}

// A parcel is bytes, or a file in their place.
type parcel struct {
	bytes []byte
	file  *gift
}

// A gift is a file that a run gives to workers, each once; Number is what they ask for it by.
type gift struct {
	File
	Number int `json:"number"`
}

// The kinds of messages of a line.
const (
	lineBytes byte = iota
	lineFile       // JSON of a gift
	lineTaken      // how many bytes were taken, in 8
	lineEnd        // why, as text
)

const (
	lineHead = 9         // number of the message, and its kind
	window   = 8 * piece // bytes on the way
	mostGift = 1<<32 + 4 // bytes of a file
)

var (
	errLine      = errors.New("a message of the line was lost")
	errUnheard   = errors.New("nothing was heard of the run")
	errNotNeeded = errors.New("the run needs the program no more")
)

// ended is what the other end gave as its reason.
type ended struct{ why string }

func (e *ended) Error() string { return e.why }

// newLine listens to one subject and speaks on another.
func newLine(conn *nats.Conn, from, to string) (*line, error) {
	l := &line{conn: conn, to: to, reconnects: conn.Stats().Reconnects, most: min(piece, int(conn.MaxPayload())-lineHead),
		gone: make(chan struct{})}
	l.change = sync.NewCond(&l.mu)
	if l.most < 1 {
		return nil, errAway
	}
	var err error
	l.ear, err = conn.Subscribe(from, func(m *nats.Msg) { l.hear(m.Data) })
	return l, err
}

// hear takes a message in.
func (l *line) hear(m []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	if len(m) < lineHead || binary.LittleEndian.Uint64(m) != l.heard {
		l.fail(errLine)
		return
	}
	l.heard++
	switch kind, rest := m[8], m[lineHead:]; kind {
	case lineBytes:
		l.keep(parcel{bytes: rest})
	case lineFile:
		var g gift
		if err := json.Unmarshal(rest, &g); err != nil || !g.sound() || g.Size > mostGift || g.Path != "" {
			l.fail(errors.New("a file that is none"))
			return
		}
		l.keep(parcel{file: &g})
	case lineTaken:
		if len(rest) != 8 || binary.LittleEndian.Uint64(rest) > uint64(l.away) {
			l.fail(errors.New("more is taken than was sent"))
			return
		}
		l.away -= int(binary.LittleEndian.Uint64(rest))
	case lineEnd:
		l.fail(&ended{string(rest[:min(len(rest), mostText)])})
	}
	l.change.Broadcast()
}

// keep keeps a parcel until it is taken. l.mu is held.
func (l *line) keep(p parcel) {
	l.came = append(l.came, p)
	if l.held += p.size(); l.held > 4*window {
		l.fail(errors.New("more comes than was asked for"))
	}
}

// fail breaks the line at both ends. l.mu is held.
func (l *line) fail(err error) {
	if l.err != nil {
		return
	}
	why := err.Error()
	_ = l.send(lineEnd, []byte(why[:min(len(why), mostText)]))
	l.err = err
	close(l.gone)
	_ = l.ear.Unsubscribe()
	l.change.Broadcast()
}

// say sends a message, unless messages were lost. l.mu is held.
func (l *line) say(kind byte, text []byte) {
	if l.err == nil && l.conn.Stats().Reconnects != l.reconnects {
		l.fail(errLine)
	}
	if l.err != nil {
		return
	}
	if err := l.send(kind, text); err != nil {
		l.fail(err)
	}
}

// send sends a message. l.mu is held.
func (l *line) send(kind byte, text []byte) error {
	m := binary.LittleEndian.AppendUint64(make([]byte, 0, lineHead+len(text)), l.said)
	l.said++
	return l.conn.Publish(l.to, append(append(m, kind), text...))
}

// write sends bytes as the other end takes them.
func (l *line) write(b []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(b) > 0 {
		for l.err == nil && l.away >= window {
			l.change.Wait()
		}
		if l.err != nil {
			return n, l.err
		}
		m := min(len(b), l.most)
		l.away += m
		l.say(lineBytes, b[:m])
		b, n = b[m:], n+m
	}
	return n, l.err
}

// give sends a file.
func (l *line) give(g gift) error {
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say(lineFile, b)
	return l.err
}

// take waits for what came first.
func (l *line) take() (parcel, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.came) == 0 && l.err == nil {
		l.change.Wait()
	}
	if len(l.came) == 0 {
		return parcel{}, l.err
	}
	p := l.came[0]
	l.came = l.came[1:]
	l.held, l.taken = l.held-p.size(), l.taken+len(p.bytes)
	if l.taken >= window/4 {
		l.say(lineTaken, binary.LittleEndian.AppendUint64(nil, uint64(l.taken)))
		l.taken = 0
	}
	return p, nil
}

// end ends the line, for a reason that the other end is told, and reports whether it had not
// ended before.
func (l *line) end(why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.err == nil
	l.fail(why)
	return first
}

// check ends a line of which messages may have been lost with the connection.
func (l *line) check() {
	if l.conn.Stats().Reconnects != l.reconnects {
		l.end(errLine)
	}
}

// expect ends a line on which nothing has come: whoever asked for it has gone.
func (l *line) expect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard == 0 {
		l.fail(errUnheard)
	}
}

// broken reports whether a line has ended.
func (l *line) broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err != nil
}

// A Line is a line to a program at a worker.
type Line struct {
	*line
	crew   *Crew
	worker *worker
	device string
	rest   []byte // of the bytes that came first
}

// Read reads what the program writes.
func (l *Line) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		p, err := l.take()
		if err != nil {
			return 0, fmt.Errorf("%v: %w", l.worker, err)
		}
		if p.file != nil {
			return 0, fmt.Errorf("%v: %w", l.worker, errLine)
		}
		l.crew.pass(len(p.bytes))
		l.rest = p.bytes
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Write writes to the program.
func (l *Line) Write(b []byte) (int, error) {
	n, err := l.write(b)
	l.crew.pass(n)
	if err != nil {
		err = fmt.Errorf("%v: %w", l.worker, err)
	}
	return n, err
}

// Give writes what is sent to a worker once, whichever of its programs get it.
func (l *Line) Give(b []byte) (int, error) {
	g, err := l.crew.gifts.of(b)
	if err == nil {
		err = l.give(g)
	}
	if err != nil {
		return 0, fmt.Errorf("%v: %w", l.worker, err)
	}
	return len(b), nil
}

// End ends the program, and reports whether it had not ended before.
func (l *Line) End() bool { return l.end(errNotNeeded) }

var _ io.ReadWriter = (*Line)(nil)

// size is what a parcel takes of memory, about.
func (p parcel) size() int {
	if p.file != nil {
		return lineHead + 256
	}
	return lineHead + len(p.bytes)
}

// reader reads what a parcel has.
func (p parcel) reader() io.Reader { return bytes.NewReader(p.bytes) }
