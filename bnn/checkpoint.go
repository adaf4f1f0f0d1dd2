package bnn

import (
	"encoding"
	"errors"
)

// A Checkpoint is the whole state of a training between two iterations. Going on from
// it gives the bytes of a training that was never interrupted.
type Checkpoint struct {
	Epoch     int     // epochs that are complete
	Iteration int     // iterations done
	Epochs    []Epoch // records of the complete epochs
	states    []State
	rest      []byte
}

var (
	_ encoding.BinaryAppender    = (*Checkpoint)(nil)
	_ encoding.BinaryUnmarshaler = (*Checkpoint)(nil)
)

// AppendBinary appends the checkpoint.
func (c *Checkpoint) AppendBinary(b []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

// UnmarshalBinary reads a checkpoint and says what is wrong with one that is not whole.
func (c *Checkpoint) UnmarshalBinary(b []byte) error { return errors.ErrUnsupported }
