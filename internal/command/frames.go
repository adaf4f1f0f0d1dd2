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

// request appends a block of states, one after the other.
func (f *frames) request(b []byte, x []float64, r int, seed int64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r))
	b = binary.LittleEndian.AppendUint32(b, evaluate)
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
	if err := f.read(p, f.header[:]); err != nil {
		return err
	}
	n, status := binary.LittleEndian.Uint32(f.header[:]), binary.LittleEndian.Uint32(f.header[4:])
	r := len(energy)
	switch {
	case status == refused:
		text := make([]byte, min(n, message))
		if err := f.read(p, text); err != nil {
			return err
		}
		return p.fail(grace, errors.New("it cannot go on:\n"+indented(string(text))))
	case status != answered:
		return p.fail(grace, fmt.Errorf("frame %d of its output begins with %q: want the number of states and 0, two numbers of four bytes, "+
			"the lowest first: its standard output is for frames alone", p.answered+1, f.header[:]))
	case int(n) != r:
		return p.fail(grace, fmt.Errorf("frame %d of its output is of %d states: %d were asked for", p.answered+1, n, r))
	}
	if size := 8 * (r + len(grad)); len(f.body) != size {
		f.body = make([]byte, size)
	}
	if err := f.read(p, f.body); err != nil {
		return err
	}
	p.answered++
	for i := range energy {
		energy[i] = math.Float64frombits(binary.LittleEndian.Uint64(f.body[8*i:]))
	}
	rest := f.body[8*r:]
	d := len(grad) / r
	for i := range r {
		for j := range d {
			grad[j*r+i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*(i*d+j):]))
		}
	}
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
