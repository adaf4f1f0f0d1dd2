package torch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// grace is how long a worker may take to end when there is nothing more to do.
	grace = 5 * time.Second
	// greeting is how long it may take to greet: libraries are loaded from a slow disk.
	greeting = time.Minute
	// patience is how long it may take to answer, at least, once the run is to stop.
	patience = 10 * time.Second
)

// Died is the error of a worker that ended in the middle.
type Died struct {
	Device string
	State  string        // how it ended, as of [os.ProcessState]
	Killed bool          // by a signal that cannot be caught
	Waited time.Duration // if it was killed by us: so long it did not answer after the run was to stop
	Stderr string        // the last lines
	cause  error         // why the run was to stop
}

// Unwrap returns the cause of the end of the context for which the worker was killed.
func (e *Died) Unwrap() error { return e.cause }

func (e *Died) Error() string {
	text := fmt.Sprintf("the worker of device %s ended (%s)", e.Device, e.State)
	switch {
	case e.Waited > 0:
		text = fmt.Sprintf("the worker of device %s did not answer within %v after the run was to stop, and was killed: what it did since the "+
			"last checkpoint is lost", e.Device, e.Waited)
	case e.Killed:
		text += ": somebody killed it, most often the system, because memory ran out: take smaller batches, fewer replicas or a smaller network"
	}
	return text + e.tail()
}

// tail tells the end of its standard error.
func (e *Died) tail() string {
	if e.Stderr == "" {
		return "; its standard error is empty"
	}
	return "; the end of its standard error:\n" + e.Stderr
}

// Failed is the error of a worker that says why it cannot do what it was asked.
type Failed struct {
	Device string
	Reason Reason
	Text   string
}

// A Reason is the kind of a failure.
type Reason byte

// The reasons.
const (
	BadRequest Reason = iota + 1
	OutOfMemory
	NoDevice
	Internal
)

func (e *Failed) Error() string {
	switch e.Reason {
	case NoDevice:
		return e.Text
	case OutOfMemory:
		return fmt.Sprintf("device %s is out of memory: take smaller batches, fewer replicas or a smaller network (%s)", e.Device, e.Text)
	}
	return fmt.Sprintf("device %s: %s", e.Device, e.Text)
}

// A process is a running worker. Requests are sent and replies received in turn, by
// one goroutine.
type process struct {
	device  string
	path    string // or what else messages call it
	peer    Peer
	replies *bufio.Reader
	request []byte
	reply   []byte
	most    int // bytes of a reply

	mu     sync.Mutex
	waited time.Duration // after which it was killed
	cause  error
}

// mostWords is how many bytes a reply has that are no numbers of networks, at most: those of
// a layout, or of a message.
const mostWords = 1 << 24

func newProcess(peer Peer, path, device string) *process {
	return &process{device: device, path: path, peer: peer, replies: bufio.NewReaderSize(peer, 1<<16), most: mostWords}
}

// start starts a worker and shakes hands, for at most so long. Errors are of type
// *Mismatch, those of ctx apart.
func start(ctx context.Context, path, device string, within time.Duration) (*process, error) {
	peer, err := Start(path)
	if err != nil {
		return nil, &Mismatch{Path: path, Saw: fmt.Sprintf("it cannot be started (%v)", err)}
	}
	p := newProcess(peer, path, device)
	if err := p.greet(ctx, within); err != nil {
		return nil, err
	}
	return p, nil
}

// greet shakes hands, for at most so long, or ends the program.
func (p *process) greet(ctx context.Context, within time.Duration) error {
	late := time.AfterFunc(within, func() { p.kill(within, nil) })
	stop := context.AfterFunc(ctx, func() { p.kill(0, nil) })
	saw, err := p.handshake()
	late.Stop()
	if !stop() {
		err = fmt.Errorf("stopped before it began: %w", ctx.Err())
	} else if err == nil && saw != "" {
		err = &Mismatch{Path: p.path, Saw: saw}
	}
	if err != nil {
		p.peer.Stop(0)
	}
	return err
}

// kill ends the program, which did not answer in some time; cause as in [Died].
func (p *process) kill(waited time.Duration, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.peer.Kill() {
		p.waited, p.cause = waited, cause
	}
}

// handshake greets. It returns what was seen instead of a greeting, or the error of
// another version.
func (p *process) handshake() (saw string, err error) {
	b := begin(p.request, callHello)
	b = append(b, magic...)
	b = little.AppendUint32(b, version)
	err = p.send(b)
	var r *payload
	if err == nil {
		r, err = p.receiveAtMost(1 << 16)
	}
	var died *Died
	var away *lost
	switch {
	case errors.As(err, &died) && died.Waited > 0:
		return fmt.Sprintf("it did not answer within %v", died.Waited), nil
	case errors.As(err, &died):
		return fmt.Sprintf("it ended (%s) before it answered%s", died.State, died.tail()), nil
	case errors.As(err, &away):
		return "", err
	case err != nil:
		return err.Error(), nil
	}
	got := r.take(uint64(len(magic)), 1)
	if string(got) != magic {
		return fmt.Sprintf("it answers %q where %q is due", got, magic), nil
	}
	if found := r.u32(); r.err == nil && found != version {
		return "", &Mismatch{Path: p.path, Found: found, Needs: version}
	}
	if r.done() != nil {
		return "its greeting is cut short or has bytes too many", nil
	}
	return "", nil
}

// send writes the request b.
func (p *process) send(b []byte) error {
	p.request = b
	if err := finish(b); err != nil {
		return err
	}
	write := p.peer.Write
	if b[4] == callLoad {
		write = p.peer.Give
	}
	if _, err := write(b); err != nil {
		return p.died(err)
	}
	if cap(p.request) > piece { // a set of examples
		p.request = nil
	}
	return nil
}

// receive reads the reply. It is overwritten by the next.
func (p *process) receive() (*payload, error) { return p.receiveAtMost(p.most) }

func (p *process) receiveAtMost(most int) (*payload, error) {
	kind, b, err := readFrame(p.replies, p.reply, most)
	p.reply = b
	if errors.Is(err, errLength) {
		return nil, err
	}
	if err != nil {
		return nil, p.died(err)
	}
	r := &payload{b: b}
	switch kind {
	case replyDone:
		return r, nil
	case replyFailed:
		e := &Failed{Device: p.device, Reason: Reason(r.u8()), Text: r.string()}
		if err := r.done(); err != nil {
			return nil, err
		}
		return nil, e
	}
	return nil, fmt.Errorf("%s gave a reply of kind %d", p.path, kind)
}

// lost says why a program elsewhere is not reached any more.
type lost struct {
	device string
	cause  error
}

func (e *lost) Error() string { return fmt.Sprintf("the worker of device %s: %v", e.device, e.cause) }

func (e *lost) Unwrap() error { return e.cause }

// died is the error of a process that neither reads nor writes.
func (p *process) died(cause error) error {
	p.peer.Stop(grace)
	fate, known := p.peer.Fate()
	if !known {
		return &lost{p.device, cause}
	}
	p.mu.Lock() // somebody may kill it at this moment
	defer p.mu.Unlock()
	return &Died{Device: p.device, State: fate.State, Killed: fate.Killed, Waited: p.waited, Stderr: fate.Stderr, cause: p.cause}
}
