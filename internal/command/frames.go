package command

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// What a frame begins with.
const (
	evaluate = 0 // of a request: energies and gradients are asked for
	outputs  = 1 // of a request: what else the program knows of states
	walls    = 2 // of a request: values of its first constraint, and their gradients; 3 of its second …
	answered = 0 // of an answer: they follow
	refused  = 1 // of an answer: a text follows, as long as its count says, and the end

	header  = 8       // bytes before an answer
	message = 1 << 16 // bytes of a text that are told
)

// frames are protocol 2: a block is a frame of binary numbers, each way.
type frames struct {
	header [header]byte
	body   []byte
}

// request appends a request of a kind for a block of states, one after the other.
func (f *frames) request(b []byte, kind uint32, x []float64, r int, seed int64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r))
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(seed))
	for i := range r {
		for k := i; k < len(x); k += r {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x[k]))
		}
	}
	return b
}

// whole is true: a program takes in a whole frame before it answers.
func (f *frames) whole() bool { return true }

// answer reads the energies and the gradients of a block.
func (f *frames) answer(p *process, energy, grad []float64) error {
	r := len(energy)
	if err := f.numbers(p, r, r+len(grad)); err != nil {
		return err
	}
	for i := range energy {
		energy[i] = f.number(i)
	}
	d := len(grad) / r
	for i := range r {
		for j := range d {
			grad[j*r+i] = f.number(r + i*d + j)
		}
	}
	return nil
}

// number is number i of the body.
func (f *frames) number(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(f.body[8*i:]))
}

// A complaint is what a program says of why it cannot go on.
type complaint string

func (c complaint) Error() string { return "it cannot go on:\n" + indented(string(c)) }

// numbers reads an answer of so many numbers for r states into the body.
func (f *frames) numbers(p *process, r, n int) error {
	if err := f.read(p, f.header[:]); err != nil {
		return err
	}
	states, status := binary.LittleEndian.Uint32(f.header[:]), binary.LittleEndian.Uint32(f.header[4:])
	switch {
	case status == refused:
		text := make([]byte, min(states, message))
		if err := f.read(p, text); err != nil {
			return err
		}
		return p.fail(grace, complaint(text))
	case status != answered:
		return p.fail(grace, fmt.Errorf("frame %d of its output begins with %q: want the number of states and 0, two numbers of four bytes, "+
			"the lowest first: its standard output is for frames alone", p.answered+1, f.header[:]))
	case int(states) != r:
		return p.fail(grace, fmt.Errorf("frame %d of its output is of %d states: %d were asked for", p.answered+1, states, r))
	}
	if len(f.body) != 8*n {
		f.body = make([]byte, 8*n)
	}
	if err := f.read(p, f.body); err != nil {
		return err
	}
	p.answered++
	return nil
}

// read fills b.
func (f *frames) read(p *process, b []byte) error {
	n, err := io.ReadFull(p.out, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return p.fail(0, fmt.Errorf("%s within frame %d of its output, %d bytes before its next part ends", p.over(), p.answered+1, len(b)-n))
	}
	if err != nil {
		return p.broken(err)
	}
	return nil
}

// due is what is waited for.
func (f *frames) due() string { return "frame" }

// indented is a text with two blanks before its lines.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
