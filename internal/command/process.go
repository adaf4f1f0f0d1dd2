package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/r2sgld/r2sgld/internal/child"
	"github.com/r2sgld/r2sgld/internal/text"
)

const (
	// grace is how long a program may take to end after its input.
	grace = time.Second
	// dying is how long one may take whose output has ended: its exit status is
	// worth waiting for.
	dying = 5 * time.Second
	// patience is how long a program may take for its answers once the context is done.
	patience = 700 * time.Millisecond
	// greetingBytes is how long the line of the handshake may be, which names outputs.
	greetingBytes = 1 << 24
	// moment is how long a program is listened to that should be silent.
	moment = 20 * time.Millisecond
	// awake is how long the answer of a quick program is looked for before this side sleeps.
	awake = 100 * time.Microsecond
	// atOnce bytes fit into an empty pipe on every system.
	atOnce = 4096
)

// A process is a running program past its start. All methods are for one
// goroutine at a time.
type process struct {
	*Settings
	*child.Process
	ctx      context.Context // at its end the program has patience left
	unhook   func() bool
	out      *bufio.Reader
	language dialect // of its version of the protocol
	answered int     // lines or frames read so far

	early   *poll       // whether the program writes before it is asked, or has answered
	quick   bool        // its last answer came within awake
	request []byte      // the block being written
	send    chan []byte // to the writer of blocks that may not fit into the pipe
	sent    chan error
}

// A dialect is how blocks are asked for and answered in a version of the protocol.
type dialect interface {
	// request appends a request of a kind for a block of r states, laid out as Eval says.
	request(b []byte, kind uint32, x []float64, r int, seed int64) []byte
	// whole reports whether a program reads all of a block before it answers.
	whole() bool
	// answer reads the answers to a block.
	answer(p *process, energy, grad []float64) error
	// due names what the program writes.
	due() string
}

// start starts the program for blocks of the given number of states and shakes
// hands.
func start(ctx context.Context, s *Settings, states int) (p *process, about abilities, err error) {
	if ctx.Err() != nil {
		return nil, about, fmt.Errorf("%v: stopped: %w", s, context.Cause(ctx))
	}
	p = &process{Settings: s, ctx: ctx, language: lines{}, send: make(chan []byte), sent: make(chan error, 1)}
	c := exec.Command(p.Args[0], p.Args[1:]...)
	c.Dir = p.Dir
	if p.Process, err = child.Start(c); err != nil {
		return nil, about, fmt.Errorf("%v: cannot start: %w: the command lists a program, by its path or on the PATH, and its arguments", s, err)
	}
	p.unhook = context.AfterFunc(ctx, func() { time.AfterFunc(patience, p.Kill) })
	p.out = bufio.NewReaderSize(p.Out, max(1<<16, digits*(len(s.Names)+1)))
	p.early = newPoll(p.Out)
	go write(p.In, p.send, p.sent)
	g, err := p.handshake(states)
	if err != nil {
		return nil, about, err
	}
	return p, g.abilities, nil
}

// write writes every block it gets, and says how it went.
func write(in *os.File, send <-chan []byte, sent chan<- error) {
	for b := range send {
		_, err := in.Write(b)
		sent <- err
	}
}

func (p *process) handshake(states int) (greeting, error) {
	hello, err := json.Marshal(greeting{Version: first, Versions: []int{first, Version}, Dimension: len(p.Names), Names: p.Names,
		States: states})
	if err != nil {
		return greeting{}, p.fail(0, err)
	}
	p.limit()
	p.post(append(hello, '\n'))
	line, err := p.line(greetingBytes)
	if err != nil {
		return greeting{}, err
	}
	g, err := readGreeting(line, p.Names)
	if err != nil {
		return greeting{}, p.fail(grace, err)
	}
	if g.Version == Version {
		p.language, p.answered = new(frames), 0
	}
	return g, p.posted()
}

// limit sets the time by which what follows must be done. Systems on which pipes
// know no time limit wait for as long as it takes.
func (p *process) limit() {
	t := time.Now().Add(p.Timeout)
	_ = p.In.SetWriteDeadline(t)
	_ = p.Out.SetReadDeadline(t)
}

// post writes b without ever waiting for the program to read it, unless it reads all of
// that before it answers.
func (p *process) post(b []byte) {
	if len(b) > atOnce && !p.language.whole() {
		p.send <- b
		return
	}
	_, err := p.In.Write(b)
	p.sent <- err
}

// posted waits for the end of post. A program that has answered and then does
// not take its input is told as one that hangs.
func (p *process) posted() error {
	if err := <-p.sent; err != nil {
		return p.broken(err)
	}
	return nil
}

// block evaluates a block of states, laid out as Eval says: energies, or what else has a
// gradient, by the kind of the request.
func (p *process) block(kind uint32, energy, grad, x []float64, seed int64) error {
	if p.out.Buffered() > 0 || p.early.ready() {
		return p.surplus()
	}
	p.request = p.language.request(p.request[:0], kind, x, len(energy), seed)
	p.limit()
	asking.Add(1)
	start := time.Now()
	p.post(p.request)
	p.watch(start)
	err := p.language.answer(p, energy, grad)
	asking.Add(-1)
	if err != nil {
		return err
	}
	p.quick = time.Since(start) < awake
	return p.posted()
}

// asking is how many programs are asked at the moment.
var asking atomic.Int32

// watch looks for the answer of a quick program again and again, where there are processors for both
// sides: the read that follows sleeps, and to be woken takes longer than many a program.
func (p *process) watch(start time.Time) {
	if p.quick && 2*int(asking.Load()) <= runtime.NumCPU() {
		p.early.watch(start.Add(awake))
	}
}

// unasked fails if the program writes for a moment though nothing is asked.
func (p *process) unasked() error {
	_ = p.Out.SetReadDeadline(time.Now().Add(moment))
	if _, err := p.out.Peek(1); err != nil {
		return nil
	}
	return p.surplus()
}

// surplus is the failure of a program that says more than it is asked. It reads on for
// a moment to tell how much.
func (p *process) surplus() error {
	_ = p.Out.SetReadDeadline(time.Now().Add(moment))
	_, _ = p.out.Peek(p.out.Size())
	b, _ := p.out.Peek(p.out.Buffered())
	line, _, _ := bytes.Cut(b, []byte("\n"))
	if len(b) == 0 {
		return p.broken(io.EOF)
	}
	amount := fmt.Sprintf("%d bytes", len(b))
	if len(b) == p.out.Size() {
		amount += " and more"
	}
	return p.fail(grace, fmt.Errorf("it writes more than it is asked for, %s after %s that begin with %s: "+
		"its standard output is for answers alone", amount, text.Counted(p.answered, p.language.due()), quote(line)))
}

// line reads a line, without its end; it is overwritten by the next. It may be longer than
// what is buffered if at most that many bytes are.
func (p *process) line(most int) ([]byte, error) {
	line, err := p.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) && most > len(line) {
		long := slices.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) < most {
			line, err = p.out.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	switch {
	case err == nil:
		p.answered++
		return line[:len(line)-1], nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, p.fail(grace, fmt.Errorf("line %d of its output is %s: it wrote %d bytes without a newline",
			p.answered+1, quote(line), len(line)))
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, p.fail(0, fmt.Errorf("%s within line %d of its output, %s", p.over(), p.answered+1, quote(line)))
	}
	return nil, p.broken(err)
}

// broken is the failure of a program that neither reads nor writes.
func (p *process) broken(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return p.fail(0, fmt.Errorf("no answer within %v, where %s %d of its output was due: either it needs more time, to start or to "+
			"compute, which a longer timeout gives it, or it does not flush its output after every %[2]s", p.Timeout, p.language.due(), p.answered+1))
	}
	return p.fail(0, fmt.Errorf("%s where %s %d of its output was due", p.over(), p.language.due(), p.answered+1))
}

// over ends a program whose output has ended, and says how it ended itself.
func (p *process) over() string {
	if p.stop(min(dying, p.Timeout)) {
		return "it closed its output, and went on,"
	}
	return fmt.Sprintf("it ended (%v)", p.State())
}

// fail ends the process and returns cause with its last words.
func (p *process) fail(wait time.Duration, cause error) error {
	p.stop(wait)
	if p.ctx.Err() != nil {
		return fmt.Errorf("%v: stopped: %w", p.Settings, context.Cause(p.ctx))
	}
	words := p.Last()
	if _, told := cause.(complaint); told && words == "" {
		return fmt.Errorf("%v: %w", p.Settings, cause)
	}
	if words == "" {
		return fmt.Errorf("%v: %w; its standard error is empty", p.Settings, cause)
	}
	return fmt.Errorf("%v: %w; the end of its standard error:\n%s", p.Settings, cause, words)
}

// stop ends the program: its pipes are closed, and it is killed if it has not
// ended after the given time, and late then.
func (p *process) stop(wait time.Duration) (late bool) {
	if p.Stopped() {
		return false
	}
	close(p.send)
	late = p.Stop(wait)
	p.unhook()
	return late
}
