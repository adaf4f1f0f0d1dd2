package main

import (
	"fmt"
	"io"
)

// output is standard output. It remembers the first error of writing to it, which most
// who print do not look at; that of a reader that has gone away ends the program.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("the output is not complete: %w. Send it to where there is room; what folders got is whole", err)
	}
	if err != nil {
		return n, o.err
	}
	return n, nil
}
