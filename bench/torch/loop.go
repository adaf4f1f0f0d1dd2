package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A cost is what some steps took.
type cost struct{ elapsed, cpu time.Duration }

//go:embed loop.py
var source string

// A loop is a running loop.py.
type loop struct {
	version string // of PyTorch
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// startLoop starts loop.py by the interpreter python.
func startLoop(python string, threads int, device, precision string) (*loop, error) {
	n := strconv.Itoa(threads)
	l := &loop{command: exec.Command(python, "-c", source, n, device, precision)}
	l.command.Stderr = os.Stderr
	l.command.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n, "MKL_NUM_THREADS="+n)
	in, err := l.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.in, l.out = in, bufio.NewScanner(out)
	if err := l.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the loop of PyTorch: %w: run script/setup pytorch, or set PYTHON", err)
	}
	if !l.out.Scan() {
		return nil, fmt.Errorf("the loop of PyTorch ended at once: run script/setup pytorch, or set PYTHON to an interpreter that has it")
	}
	l.version = l.out.Text()
	return l, nil
}

// run makes steps of replicas, one replica after the other.
func (l *loop) run(rule string, replicas, batch, steps int) (cost, error) {
	if _, err := fmt.Fprintln(l.in, rule, replicas, batch, steps); err != nil {
		return cost{}, fmt.Errorf("the loop of PyTorch: %w", err)
	}
	var elapsed, cpu float64
	if !l.out.Scan() {
		return cost{}, fmt.Errorf("the loop of PyTorch ended: %w", io.ErrUnexpectedEOF)
	}
	if _, err := fmt.Sscan(l.out.Text(), &elapsed, &cpu); err != nil {
		return cost{}, fmt.Errorf("the loop of PyTorch says %q: %w", l.out.Text(), err)
	}
	return cost{seconds(elapsed), seconds(cpu)}, nil
}

func (l *loop) close() error {
	if err := l.in.Close(); err != nil {
		return err
	}
	return l.command.Wait()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
