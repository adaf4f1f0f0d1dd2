package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/child"
)

const (
	// grace is how long a program may take to end after its input.
	grace = time.Second
	// dying is how long one may take whose output has ended: its exit status is
	// worth waiting for.
	dying = 5 * time.Second
	// patience is how long a program may take for its answers once the context is done.
	patience = 700 * time.Millisecond
	// moment is how long a program is listened to that should be silent.
	moment = 20 * time.Millisecond
	// digits is room for a number of an answer, %.40f of moderate ones included.
	digits = 64
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
	lines    *bufio.Reader
	answered int // lines read so far

	early   *poll       // whether the program writes before it is asked
	request []byte      // the block being written
	send    chan []byte // to the writer of blocks that may not fit into the pipe
	sent    chan error
}

// start starts the program for blocks of the given number of states and shakes
// hands.
func start(ctx context.Context, s *Settings, states int) (p *process, stochastic bool, err error) {
	if ctx.Err() != nil {
		return nil, false, fmt.Errorf("%v: stopped: %w", s, context.Cause(ctx))
	}
	p = &process{Settings: s, ctx: ctx, send: make(chan []byte), sent: make(chan error, 1)}
	c := exec.Command(p.Args[0], p.Args[1:]...)
	c.Dir = p.Dir
	if p.Process, err = child.Start(c); err != nil {
		return nil, false, fmt.Errorf("%v: cannot start: %w: the command lists a program, by its path or on the PATH, and its arguments", s, err)
	}
	p.unhook = context.AfterFunc(ctx, func() { time.AfterFunc(patience, p.Kill) })
	p.lines = bufio.NewReaderSize(p.Out, max(1<<16, digits*(len(s.Names)+1)))
	p.early = newPoll(p.Out)
	go write(p.In, p.send, p.sent)
	g, err := p.handshake(states)
	if err != nil {
		return nil, false, err
	}
	return p, g.Stochastic, nil
}

// write writes every block it gets, and says how it went.
func write(in *os.File, send <-chan []byte, sent chan<- error) {
	for b := range send {
		_, err := in.Write(b)
		sent <- err
	}
}

func (p *process) handshake(states int) (greeting, error) {
	hello, err := json.Marshal(greeting{Version: Version, Dimension: len(p.Names), Names: p.Names, States: states})
	if err != nil {
		return greeting{}, p.fail(0, err)
	}
	p.limit()
	p.post(append(hello, '\n'))
	line, err := p.line()
	if err != nil {
		return greeting{}, err
	}
	g, err := readGreeting(line, p.Names)
	if err != nil {
		return greeting{}, p.fail(grace, err)
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

// post writes b without ever waiting for the program to read it.
func (p *process) post(b []byte) {
	if len(b) > atOnce {
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

// block evaluates a block of states, laid out as Eval says.
func (p *process) block(energy, grad, x []float64, seed int64) error {
	if p.lines.Buffered() > 0 || p.early.ready() {
		return p.surplus()
	}
	r := len(energy)
	b := p.request[:0]
	for i := range r {
		b = strconv.AppendInt(b, seed, 10)
		for k := i; k < len(x); k += r {
			b = strconv.AppendFloat(append(b, ' '), x[k], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	p.request = b
	p.limit()
	p.post(b)
	for i := range r {
		line, err := p.line()
		if err != nil {
			return err
		}
		if err := readAnswer(line, energy, grad, i); err != nil {
			return p.fail(grace, fmt.Errorf("line %d of its output is %s: %w", p.answered, quote(line), err))
		}
	}
	return p.posted()
}

// unasked fails if the program writes for a moment though nothing is asked.
func (p *process) unasked() error {
	_ = p.Out.SetReadDeadline(time.Now().Add(moment))
	if _, err := p.lines.Peek(1); err != nil {
		return nil
	}
	return p.surplus()
}

// surplus is the failure of a program that says more than it is asked. It reads on for
// a moment to tell how much.
func (p *process) surplus() error {
	_ = p.Out.SetReadDeadline(time.Now().Add(moment))
	_, _ = p.lines.Peek(p.lines.Size())
	b, _ := p.lines.Peek(p.lines.Buffered())
	line, _, _ := bytes.Cut(b, []byte("\n"))
	if len(b) == 0 {
		return p.broken(io.EOF)
	}
	amount := fmt.Sprintf("%d bytes", len(b))
	if len(b) == p.lines.Size() {
		amount += " and more"
	}
	return p.fail(grace, fmt.Errorf("it writes more than one line per state, %s after %d of them that begin with %s: "+
		"its standard output is for answers alone", amount, p.answered, quote(line)))
}

// line reads a line, without its end; it is overwritten by the next.
func (p *process) line() ([]byte, error) {
	line, err := p.lines.ReadSlice('\n')
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
		return p.fail(0, fmt.Errorf("no answer within %v, where line %d of its output was due: "+
			"it must flush its output after every line; a slow one needs a longer time limit", p.Timeout, p.answered+1))
	}
	return p.fail(0, fmt.Errorf("%s where line %d of its output was due", p.over(), p.answered+1))
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

// readAnswer writes the energy and gradient of a line into state i.
func readAnswer(line []byte, energy, grad []float64, i int) error {
	r := len(energy)
	d := len(grad) / r
	n := 0
	for {
		for len(line) > 0 && blank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			break
		}
		end := 1
		for end < len(line) && !blank(line[end]) {
			end++
		}
		v, ok := number(line[:end])
		switch {
		case !ok:
			return fmt.Errorf("%s is no number: want %s", quote(line[:end]), wanted(d))
		case n == 0:
			energy[i] = v
		case n <= d:
			grad[(n-1)*r+i] = v
		}
		n++
		line = line[end:]
	}
	if n != d+1 {
		return fmt.Errorf("it has %d numbers: want %s", n, wanted(d))
	}
	return nil
}

func wanted(d int) string {
	return fmt.Sprintf("the energy and the %d partial derivatives of a state, %d numbers with blanks between them", d, d+1)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// number reads a decimal number, or inf or nan as C or Python write them. What
// is too large is infinite.
func number(b []byte) (float64, bool) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return v, !bytes.ContainsAny(b, "_xX") // 2_000, 0x1p1
	}
	s := strings.ToLower(strings.TrimLeft(string(b), "+-"))
	if s == "nan" || strings.HasPrefix(s, "nan(") {
		return math.NaN(), true
	}
	return 0, false
}

// quote quotes the beginning of a line.
func quote(line []byte) string {
	const most = 80
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "…"
	}
	return strconv.Quote(string(line))
}
