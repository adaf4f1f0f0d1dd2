package torch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// grace is how long a worker may take to end when there is nothing more to do.
	grace = 5 * time.Second
	// kept is how many bytes of standard error are kept at least, tailLines how many
	// lines of it are told.
	kept      = 4096
	tailLines = 6
)

// Died is the error of a worker that ended in the middle.
type Died struct {
	Device string
	State  string // how it ended, as of [os.ProcessState]
	Killed bool   // by a signal that cannot be caught
	Stderr string // the last lines
}

func (e *Died) Error() string {
	text := fmt.Sprintf("the worker of device %s ended (%s)", e.Device, e.State)
	if e.Killed {
		text += ": somebody killed it, most often the system, because memory ran out: take smaller batches, fewer replicas or a smaller network"
	}
	if e.Stderr == "" {
		return text + "; its standard error is empty"
	}
	return text + "; the end of its standard error:\n" + e.Stderr
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
	path    string
	cmd     *exec.Cmd
	in, out *os.File // our ends
	replies *bufio.Reader
	stderr  tail
	request []byte
	reply   []byte
	stopped bool
}

// environment is for libraries that read it when they are loaded: one thread a
// replica, which is what makes results repeat, and nobody spins.
func environment() []string {
	return append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "GOMP_SPINCOUNT=0")
}

// start starts a worker and shakes hands.
func start(ctx context.Context, path, device string) (*process, error) {
	p := &process{device: device, path: path}
	if err := p.run(); err != nil {
		return nil, fmt.Errorf("cannot start the worker program %s: %w: %s", path, err, remedy)
	}
	stop := context.AfterFunc(ctx, func() { kill(p.cmd.Process) })
	err := p.handshake()
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		p.stop(0)
		return nil, err
	}
	return p, nil
}

func (p *process) run() error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), in.Close())
	}
	p.in, p.out, p.replies = in, out, bufio.NewReaderSize(out, 1<<16)
	p.cmd = exec.Command(p.path)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, &p.stderr
	p.cmd.Env = environment()
	p.cmd.WaitDelay = grace
	apart(p.cmd)
	err = p.cmd.Start()
	err = errors.Join(err, stdin.Close(), stdout.Close())
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

func (p *process) handshake() error {
	b := begin(p.request, callHello)
	b = append(b, magic...)
	b = little.AppendUint32(b, version)
	if err := p.send(b); err != nil {
		return err
	}
	r, err := p.receiveAtMost(1 << 16)
	if errors.Is(err, errLength) {
		return fmt.Errorf("%s is no worker program: %w: %s", p.path, err, remedy)
	}
	if err != nil {
		return err
	}
	if got := string(r.take(4, 1)); got != magic {
		return fmt.Errorf("%s is no worker program: it answers %q where %q is due: %s", p.path, got, magic, remedy)
	}
	if found := r.u32(); found != version {
		return &Mismatch{Path: p.path, Found: found, Needs: version}
	}
	_ = r.string() // the version of libtorch
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		_ = r.string() // a device
	}
	return r.done()
}

// send writes the request b.
func (p *process) send(b []byte) error {
	p.request = b
	if err := finish(b); err != nil {
		return err
	}
	if _, err := p.in.Write(b); err != nil {
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
	return nil, fmt.Errorf("%s is no worker program: it gave a reply of kind %d: %s", p.path, kind, remedy)
}

// died is the error of a process that neither reads nor writes.
func (p *process) died(cause error) error {
	p.stop(grace)
	if p.cmd.ProcessState == nil {
		return fmt.Errorf("the worker of device %s: %w", p.device, cause)
	}
	state := p.cmd.ProcessState
	return &Died{Device: p.device, State: state.String(), Killed: killed(state), Stderr: p.stderr.last()}
}

// stop ends the program: its input ends, and it is killed if it has not ended after
// the given time.
func (p *process) stop(wait time.Duration) {
	if p.stopped {
		return
	}
	p.stopped = true
	_ = p.in.Close()
	_ = p.out.Close()
	timer := time.AfterFunc(wait, func() { kill(p.cmd.Process) })
	_ = p.cmd.Wait() // ProcessState says the same
	timer.Stop()
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	bytes []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	b = b[max(0, n-kept):]
	if len(t.bytes)+len(b) > 2*kept {
		t.bytes = append(t.bytes[:0], t.bytes[max(0, len(t.bytes)-kept):]...)
	}
	t.bytes = append(t.bytes, b...)
	return n, nil
}

// last returns the last lines, indented by two blanks.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := bytes.TrimSpace(t.bytes)
	if len(end) == 0 {
		return ""
	}
	lines := strings.Split(strings.ToValidUTF8(string(end), "?"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-tailLines):], "\n  ")
}
