// Command torch sets training steps of our worker beside the usual Python loop on the
// same machine, in alternation: script/bench-torch runs it.
//
//	ROUNDS     how many rounds; 5
//	PYTHON     the interpreter that has PyTorch; /usr/bin/python3
//	DEVICE     cpu, or cuda:0 and so on
//	PRECISION  of our products on DEVICE: float32, tf32, bfloat16
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/r2sgld/r2sgld/bnn/torch"
)

type settings struct {
	rounds                    int
	python, device, precision string
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
	one, err := startLoop(s.python, 1, s.device)
	if err != nil {
		return err
	}
	defer one.close()
	two, err := startLoop(s.python, 2, s.device)
	if err != nil {
		return err
	}
	defer two.close()
	fmt.Fprintf(w, "A training step of ResNet20 (3 × 32 × 32, 100 classes), replicas times images per second; median of %d rounds.\n", s.rounds)
	fmt.Fprintf(w, "PyTorch %s; CPU: per second of processor time; ratio: median of those of the rounds\n", one.version)
	header(w)
	for _, batch := range []int{128, 512, 2048} {
		c := contest{replicas: 1, threads: 1, batch: batch, rules: []string{"sgd", "sghmc"}}
		if err := c.hold(w, s, one); err != nil {
			return err
		}
	}
	c := contest{replicas: 4, threads: 2, batch: 512, rules: []string{"sghmc"}, single: true}
	if err := c.hold(w, s, two); err != nil {
		return err
	}
	return memory(w, s)
}

// onDevice is the same of an accelerator; PyTorch's loop is in float32 always.
func (s settings) onDevice(w io.Writer) error {
	probe, err := openOurs(1, 1, s.device, s.precision)
	if err != nil {
		return err
	}
	if err := probe.engine.Close(); err != nil {
		return err
	}
	loop, err := startLoop(s.python, 1, s.device)
	if err != nil {
		return err
	}
	defer loop.close()
	fmt.Fprintf(w, "A training step of ResNet20 (3 × 32 × 32, 100 classes) on %s, replicas times images per second; median of %d rounds.\n", s.device, s.rounds)
	fmt.Fprintf(w, "PyTorch %s in float32, ours in %s; ratio: median of those of the rounds\n", loop.version, s.precision)
	header(w)
	for _, c := range []contest{
		{replicas: 4, threads: 4, batch: 256, rules: []string{"sghmc"}, single: true},
		{replicas: 1, threads: 1, batch: 2048, rules: []string{"sghmc"}},
	} {
		if err := c.hold(w, s, loop); err != nil {
			return err
		}
	}
	return nil
}
