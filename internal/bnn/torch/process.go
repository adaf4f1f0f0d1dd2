package torch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/child"
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
	device string
	path   string
	*child.Process
	replies *bufio.Reader
	request []byte
	reply   []byte

	mu     sync.Mutex
	waited time.Duration // after which it was killed
	cause  error
}

// environment is for libraries that read it when they are loaded: one thread a
// replica, which is what makes results repeat, and nobody spins.
func environment() []string {
	return append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "GOMP_SPINCOUNT=0")
}

// start starts a worker and shakes hands, for at most so long. Errors are of type
// *Mismatch, those of ctx apart.
func start(ctx context.Context, path, device string, within time.Duration) (*process, error) {
	p := &process{device: device, path: path}
	if err := p.run(); err != nil {
		return nil, &Mismatch{Path: path, Saw: fmt.Sprintf("it cannot be started (%v)", err)}
	}
	late := time.AfterFunc(within, func() { p.kill(within, nil) })
	stop := context.AfterFunc(ctx, func() { p.kill(0, nil) })
	saw, err := p.handshake()
	late.Stop()
	if !stop() {
		err = fmt.Errorf("stopped before it began: %w", ctx.Err())
	} else if err == nil && saw != "" {
		err = &Mismatch{Path: path, Saw: saw}
	}
	if err != nil {
		p.Stop(0)
		return nil, err
	}
	return p, nil
}

// kill ends the program, which did not answer in some time; cause as in [Died].
func (p *process) kill(waited time.Duration, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.Stopped() {
		p.waited, p.cause = waited, cause
		p.Kill()
	}
}

func (p *process) run() (err error) {
	c := exec.Command(p.path)
	c.Env = environment()
	if p.Process, err = child.Start(c); err == nil {
		p.replies = bufio.NewReaderSize(p.Out, 1<<16)
	}
	return err
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
	switch {
	case errors.As(err, &died) && died.Waited > 0:
		return fmt.Sprintf("it did not answer within %v", died.Waited), nil
	case errors.As(err, &died):
		return fmt.Sprintf("it ended (%s) before it answered%s", died.State, died.tail()), nil
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
	if _, err := p.In.Write(b); err != nil {
		return p.died(err)
	}
	if cap(p.request) > piece { // a set of examples
		p.request = nil
	}
	return nil
}

// receive reads the reply. It is overwritten by the next.
func (p *process) receive() (*payload, error) { return p.receiveAtMost(math.MaxUint32) }

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

// died is the error of a process that neither reads nor writes.
func (p *process) died(cause error) error {
	p.Stop(grace)
	state := p.State()
	if state == nil {
		return fmt.Errorf("the worker of device %s: %w", p.device, cause)
	}
	p.mu.Lock() // somebody may kill it at this moment
	defer p.mu.Unlock()
	return &Died{Device: p.device, State: state.String(), Killed: child.Killed(state), Waited: p.waited, Stderr: p.Last(), cause: p.cause}
}
