package main

import (
	"fmt"
	"io"
)

const gibibyte = 1 << 30

// memory measures what four replicas take at most and what a thousand steps add.
func memory(w io.Writer, s settings) error {
	const batch, steps, small = 2048, 2, 8
	for _, threads := range []int{2, 4} {
		o, err := openOurs(4, threads, s.device, s.precision)
		if err != nil {
			return err
		}
		defer o.engine.Close()
		if _, err := o.run(batch, steps); err != nil {
			return err
		}
		u, err := o.engine.Usage()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Peak memory of 4 replicas in %d threads, batch %d, %d steps: %.2f GiB\n", threads, batch, steps, float64(u.Peak)/gibibyte)
		if err := o.engine.Close(); err != nil {
			return err
		}
	}
	return growth(w, s, small)
}

// growth is how much more memory the worker holds after a thousand steps than after a
// hundred.
func growth(w io.Writer, s settings, batch int) error {
	o, err := openOurs(1, 1, s.device, s.precision)
	if err != nil {
		return err
	}
	defer o.engine.Close()
	resident := make([]int64, 2)
	for i, steps := range []int{100, 1000} {
		if _, err := o.run(batch, steps); err != nil {
			return err
		}
		u, err := o.engine.Usage()
		if err != nil {
			return err
		}
		resident[i] = u.Resident
	}
	_, err = fmt.Fprintf(w, "Resident memory after 100 steps of batch %d: %.1f MiB; 1,000 steps later: %+.1f MiB\n",
		batch, float64(resident[0])/(1<<20), float64(resident[1]-resident[0])/(1<<20))
	return err
}
