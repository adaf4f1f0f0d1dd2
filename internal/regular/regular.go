// Package regular opens files that have an end: no devices and no pipes.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var errOther = errors.New("it is no regular file: write what it gives into one first")

// Open opens a regular file for reading. Errors are of type [*fs.PathError].
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe may take for ever
		return nil, &fs.PathError{Op: "open", Path: name, Err: errOther}
	}
	return os.Open(name)
}

// Read reads a regular file of at most so many bytes. Errors are of type [*fs.PathError].
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than the %d bytes that make sense", most)}
	}
	return data, err
}

// Why is what went wrong, without the name of the file, for messages that give it.
func Why(err error) error {
	if p := new(fs.PathError); errors.As(err, &p) {
		return p.Err
	}
	return err
}
