package command

import (
	"bufio"
	"bytes"
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
)

const (
	// grace is how long a program may take to end after its input.
	grace = time.Second
	// dying is how long one may take whose output has ended: its exit status is
	// worth waiting for.
	dying = 5 * time.Second
	// digits is room for a number of an answer, %.40f of moderate ones included.
	digits = 64
	// atOnce bytes fit into an empty pipe on every system.
	atOnce = 4096
)

// A process is a running program past its start. All methods are for one
// goroutine at a time.
type process struct {
	*Settings
	cmd      *exec.Cmd
	in, out  *os.File // our ends of its input and output
	stderr   tail
	lines    *bufio.Reader
	answered int // lines read so far

	request []byte      // the block being written
	send    chan []byte // to the writer of blocks that may not fit into the pipe
	sent    chan error
	stopped bool
}

// start starts the program for blocks of the given number of states and shakes
// hands.
func start(s *Settings, states int) (p *process, stochastic bool, err error) {
	p = &process{Settings: s, send: make(chan []byte), sent: make(chan error, 1)}
	if err := p.run(); err != nil {
		return nil, false, fmt.Errorf("%v: cannot start: %w: the command lists a program, by its path or on the PATH, and its arguments", s, err)
	}
	p.lines = bufio.NewReaderSize(p.out, max(1<<16, digits*(len(s.Names)+1)))
	go write(p.in, p.send, p.sent)
	g, err := p.handshake(states)
	if err != nil {
		return nil, false, err
	}
	return p, g.Stochastic, nil
}

func (p *process) run() error {
	var stdin, stdout *os.File
	var err error
	if stdin, p.in, err = os.Pipe(); err != nil {
		return err
	}
	if p.out, stdout, err = os.Pipe(); err != nil {
		return errors.Join(err, stdin.Close(), p.in.Close())
	}
	p.cmd = exec.Command(p.Args[0], p.Args[1:]...)
	p.cmd.Dir = p.Dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, &p.stderr
	p.cmd.WaitDelay = grace
	apart(p.cmd)
	err = p.cmd.Start()
	if e := errors.Join(stdin.Close(), stdout.Close()); err == nil {
		err = e
	}
	if err != nil {
		return errors.Join(err, p.in.Close(), p.out.Close())
	}
	return nil
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
	_ = p.in.SetWriteDeadline(t)
	_ = p.out.SetReadDeadline(t)
}

// post writes b without ever waiting for the program to read it.
func (p *process) post(b []byte) {
	if len(b) > atOnce {
		p.send <- b
		return
	}
	_, err := p.in.Write(b)
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
	if p.lines.Buffered() > 0 {
		line, _ := p.lines.Peek(p.lines.Buffered())
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return p.fail(grace, fmt.Errorf("it wrote more than one line per state, among them %s: "+
			"its standard output is for answers alone", quote(line)))
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

// line reads a line, without its end; it is overwritten by the next.
func (p *process) line() ([]byte, error) {
	line, err := p.lines.ReadSlice('\n')
	switch {
	case err == nil:
		p.answered++
		return line[:len(line)-1], nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, p.fail(grace, fmt.Errorf("line %d of its output is %s, longer than %d bytes",
			p.answered+1, quote(line), len(line)))
	case errors.Is(err, io.EOF) && len(line) > 0:
		p.stop(dying)
		return nil, p.fail(0, fmt.Errorf("it ended (%v) within line %d of its output, %s", p.cmd.ProcessState, p.answered+1, quote(line)))
	}
	return nil, p.broken(err)
}

// broken is the failure of a program that neither reads nor writes.
func (p *process) broken(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return p.fail(0, fmt.Errorf("no answer within %v, where line %d of its output was due: "+
			"it must flush its output after every line; a slow one needs a longer time limit", p.Timeout, p.answered+1))
	}
	p.stop(dying)
	return p.fail(0, fmt.Errorf("it ended (%v) where line %d of its output was due", p.cmd.ProcessState, p.answered+1))
}

// fail ends the process and returns cause with its last words.
func (p *process) fail(wait time.Duration, cause error) error {
	p.stop(wait)
	words := p.stderr.last()
	if words == "" {
		return fmt.Errorf("%v: %w; its standard error is empty", p.Settings, cause)
	}
	return fmt.Errorf("%v: %w; the end of its standard error:\n%s", p.Settings, cause, words)
}

// stop ends the program: its pipes are closed, and it is killed if it has not
// ended after the given time.
func (p *process) stop(wait time.Duration) {
	if p.stopped {
		return
	}
	p.stopped = true
	_ = p.in.Close()
	_ = p.out.Close()
	close(p.send)
	timer := time.AfterFunc(wait, func() { kill(p.cmd.Process) })
	_ = p.cmd.Wait() // ProcessState says the same
	timer.Stop()
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
		return v, true
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
