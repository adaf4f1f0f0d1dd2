// Package child starts programs that answer on their standard output what is
// written to their standard input, and that end with this one, whatever ends it.
//
// A program is in a process group with all that it starts. On Unix a guard leads the
// group: a shell that waits for the end of a pipe, which the system closes when this
// program ends, be it killed. The program's input ends then too; a second later the
// guard kills the group. Only what has left the group by itself lives on.
package child

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// grace is how long standard error may stay open when the group has ended.
const grace = time.Second

// A Process is a program past its start.
type Process struct {
	In, Out *os.File // our ends of its standard input and output

	cmd     *exec.Cmd
	group   *group
	errors  *os.File
	tail    tail
	drained chan struct{} // closed at the end of its standard error
	mu      sync.Mutex
	stopped bool
	gone    chan struct{} // closed once it has ended and was waited for
}

// alive are the programs that have not ended.
var alive sync.Map

// StopAll stops, at the same time, every program that has not ended, as [Process.Stop] does. The system
// counts a program's processor time as ours only once we have waited for it.
func StopAll(wait time.Duration) {
	var stops sync.WaitGroup
	for p := range alive.Range {
		stops.Go(func() {
			p.(*Process).Stop(wait)
			<-p.(*Process).gone
		})
	}
	stops.Wait()
}

// Start starts the program of c in a group of its own, with pipes for its three
// standard streams. Of its standard error the end is kept.
func Start(c *exec.Cmd) (*Process, error) {
	p := &Process{cmd: c, drained: make(chan struct{}), gone: make(chan struct{})}
	var ends [3]*os.File // the program's
	var err error
	closing := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	defer func() { closing(ends[:]...) }()
	for _, open := range []func() error{
		func() (err error) { ends[0], p.In, err = os.Pipe(); return err },
		func() (err error) { p.Out, ends[1], err = os.Pipe(); return err },
		func() (err error) { p.errors, ends[2], err = os.Pipe(); return err },
		func() (err error) { p.group, err = newGroup(c); return err },
	} {
		if err == nil {
			err = open()
		}
	}
	if err == nil {
		c.Stdin, c.Stdout, c.Stderr = ends[0], ends[1], ends[2]
		if err = c.Start(); err != nil {
			p.group.end()
		}
	}
	if err != nil {
		closing(p.In, p.Out, p.errors)
		return nil, err
	}
	alive.Store(p, nil)
	go func() {
		_, _ = io.Copy(&p.tail, p.errors)
		close(p.drained)
	}()
	return p, nil
}

// Kill ends the program and all of its group. It may be called at any time, by any
// goroutine.
func (p *Process) Kill() { p.group.kill(p.cmd.Process) }

// Pid is the number of the program.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stopped tells whether Stop was called.
func (p *Process) Stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}

// Stop ends the program: its pipes are closed, and it is killed if it has not ended
// after the given time: it is late then. What it started ends with it. Another call does
// nothing.
func (p *Process) Stop(wait time.Duration) (late bool) {
	p.mu.Lock()
	before := p.stopped
	p.stopped = true
	p.mu.Unlock()
	if before {
		return false
	}
	defer func() {
		alive.Delete(p)
		close(p.gone)
	}()
	_, _ = p.In.Close(), p.Out.Close()
	timer := time.AfterFunc(wait, p.Kill)
	_ = p.cmd.Wait() // ProcessState says the same
	late = !timer.Stop()
	p.group.end()
	_ = p.errors.SetReadDeadline(time.Now().Add(grace)) // of what has left the group
	<-p.drained
	_ = p.errors.Close()
	return late
}

// State says how the program ended, once Stop has returned; nil if that is not known.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Last returns the last lines of its standard error, indented by two blanks.
func (p *Process) Last() string { return p.tail.last() }
