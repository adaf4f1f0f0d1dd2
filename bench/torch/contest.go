package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A contest is one shape of work for both.
type contest struct {
	replicas, threads, batch int
	rules                    []string // of PyTorch
	single                   bool     // one replica of ours in one thread beside it
}

// least is how many images a contestant trains on in a round at least, on a CPU.
const least = 2048

func (c contest) steps(device string) int {
	n := max(1, least/c.batch/c.replicas)
	if device != "cpu" {
		return 20 * n
	}
	return n
}

// A contestant makes steps.
type contestant struct {
	name string
	work int // images times replicas of a step
	run  func(batch, steps int) (cost, error)
}

// hold lets all take turns and prints a line for each of PyTorch's rules.
func (c contest) hold(w io.Writer, s settings, l *loop) error {
	o, err := openOurs(c.replicas, c.threads, s.device, s.precision)
	if err != nil {
		return err
	}
	defer o.engine.Close()
	all := []contestant{{"ours", c.replicas * c.batch, o.run}}
	for _, rule := range c.rules {
		all = append(all, contestant{"PyTorch " + rule, c.replicas * c.batch, func(batch, steps int) (cost, error) {
			return l.run(rule, c.replicas, batch, steps)
		}})
	}
	if c.single {
		alone, err := openOurs(1, 1, s.device, s.precision)
		if err != nil {
			return err
		}
		defer alone.engine.Close()
		all = append(all, contestant{"ours, one replica", c.batch, alone.run})
	}
	times, err := rounds(all, c.batch, c.steps(s.device), s.rounds)
	if err != nil {
		return err
	}
	for i := 1; i < len(all); i++ {
		if _, err := fmt.Fprintln(w, c.line(all[i], all[0], times[i], times[0], c.steps(s.device))); err != nil {
			return err
		}
	}
	return nil
}

// rounds returns the costs of each contestant in each round, after one to warm up.
func rounds(all []contestant, batch, steps, n int) ([][]cost, error) {
	times := make([][]cost, len(all))
	for round := range n + 1 {
		for i, who := range all {
			took, err := who.run(batch, steps)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

func header(w io.Writer, s settings, version string) {
	fmt.Fprintf(w, "A training step of ResNet20 (3 × 32 × 32, 100 classes) on %s: replicas times images per second of\n", s.device)
	fmt.Fprintf(w, "processor time and of time elapsed. PyTorch %s and ours in %s; medians of %d rounds in turn.\n",
		version, s.precision, s.rounds)
	fmt.Fprintf(w, "  %-58s %22s %22s\n", "", "CPU", "elapsed")
	fmt.Fprintf(w, "  %-58s %8s %6s %6s %8s %6s %6s\n", "replicas in threads, batch: beside ours", "it", "ours",
		"ratio", "it", "ours", "ratio")
}

// line is a line of the table: rates of both and how many times as fast ours is.
func (c contest) line(theirs, ours contestant, them, us []cost, steps int) string {
	text := fmt.Sprintf("  %-58s", fmt.Sprintf("%d in %d, batch %4d: %s", c.replicas, c.threads, c.batch, theirs.name))
	for _, of := range []func(cost) time.Duration{
		func(t cost) time.Duration { return t.cpu }, func(t cost) time.Duration { return t.elapsed },
	} {
		var a, b, ratio []float64
		for i := range them {
			a = append(a, float64(theirs.work*steps)/of(them[i]).Seconds())
			b = append(b, float64(ours.work*steps)/of(us[i]).Seconds())
			ratio = append(ratio, b[i]/a[i])
		}
		text += fmt.Sprintf(" %8.0f %6.0f %6.2f", median(a), median(b), median(ratio))
	}
	return text
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
