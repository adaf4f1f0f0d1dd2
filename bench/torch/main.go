// Command torch sets training steps of our worker beside the usual Python loop on the
// same machine, in alternation: script/bench-torch runs it.
//
//	ROUNDS     how many rounds; 5
//	PYTHON     the interpreter that has PyTorch; /usr/bin/python3
//	DEVICE     cpu, or cuda:0 and so on
//	PRECISION  of products on DEVICE: float32, tf32, bfloat16
//	ONLY       one, four (replicas) or memory, on the CPU
//	BATCHES    of one replica; "128 512 2048"
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn/torch"
)

type settings struct {
	rounds                    int
	python, device, precision string
	only                      string
	batches                   []int
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "bench-torch: %v\n", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	s := settings{
		python: environ("PYTHON", "/usr/bin/python3"), device: environ("DEVICE", "cpu"),
		precision: environ("PRECISION", "float32"),
	}
	rounds := environ("ROUNDS", "5")
	var err error
	if s.rounds, err = strconv.Atoi(rounds); err != nil || s.rounds < 1 {
		return fmt.Errorf("ROUNDS=%s: want a number from 1 up", rounds)
	}
	for _, b := range strings.Fields(environ("BATCHES", "128 512 2048")) {
		batch, err := strconv.Atoi(b)
		if err != nil || batch < 1 || batch > examples {
			return fmt.Errorf("BATCHES has %s: want numbers from 1 to %d", b, examples)
		}
		s.batches = append(s.batches, batch)
	}
	switch s.only = os.Getenv("ONLY"); s.only {
	case "", "one", "four", "memory":
	default:
		return fmt.Errorf("ONLY=%s: want one, four or memory", s.only)
	}
	if s.device == "cpu" {
		if err := s.onCPU(w); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "On CUDA: not measured here. Where there is a device: DEVICE=cuda:0 PRECISION=bfloat16 script/bench-torch")
		return err
	}
	err = s.onDevice(w)
	if failed := new(torch.Failed); errors.As(err, &failed) && failed.Reason == torch.NoDevice {
		_, err = fmt.Fprintf(w, "On %s: not measured: %v\n", s.device, err)
	}
	return err
}

func environ(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// onCPU is what can be measured without an accelerator.
func (s settings) onCPU(w io.Writer) error {
	var contests []contest
	if s.wanted("one") {
		for _, batch := range s.batches {
			contests = append(contests, contest{replicas: 1, threads: 1, batch: batch, rules: []string{"sgd", "sghmc"}})
		}
	}
	if s.wanted("four") {
		contests = append(contests, contest{replicas: 4, threads: 2, batch: 512, rules: []string{"sghmc"}, single: true})
	}
	if err := s.hold(w, contests); err != nil {
		return err
	}
	if s.wanted("memory") {
		return memory(w, s)
	}
	return nil
}

func (s settings) wanted(part string) bool { return s.only == "" || s.only == part }

// hold prints the table of contests.
func (s settings) hold(w io.Writer, contests []contest) error {
	for i, c := range contests {
		loop, err := startLoop(s.python, c.threads, s.device, s.precision)
		if err != nil {
			return err
		}
		defer loop.close()
		if i == 0 {
			header(w, s, loop.version)
		}
		if err := c.hold(w, s, loop); err != nil {
			return err
		}
		if err := loop.close(); err != nil {
			return err
		}
	}
	return nil
}

// onDevice is the same of an accelerator.
func (s settings) onDevice(w io.Writer) error {
	probe, err := openOurs(1, 1, s.device, s.precision)
	if err != nil {
		return err
	}
	if err := probe.engine.Close(); err != nil {
		return err
	}
	return s.hold(w, []contest{
		{replicas: 4, threads: 4, batch: 256, rules: []string{"sghmc"}, single: true},
		{replicas: 4, threads: 4, batch: 2048, rules: []string{"sghmc"}, single: true},
		{replicas: 1, threads: 1, batch: 2048, rules: []string{"sghmc", "sghmc compiled"}},
	})
}
