package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// version is that of the protocol; see worker/protocol.h.
const version = 2

const magic = "R2SG"

// The calls, by their numbers.
const (
	callHello byte = iota + 1
	callCreate
	callLoad
	callStart
	callAdvance
	callLosses
	callGradient
	callPredict
	callRecompute
	callState
	callSetState
	callUsage
)

// The kinds of replies.
const (
	replyDone   = 0
	replyFailed = 1
)

var little = binary.LittleEndian

// begin begins a request in b; finish puts its length in.
func begin(b []byte, call byte) []byte { return append(b[:0], 0, 0, 0, 0, call) }

func finish(b []byte) error {
	if uint64(len(b)-4) > math.MaxUint32 {
		return fmt.Errorf("a request of %d bytes: a set of examples must be below 4 GiB", len(b))
	}
	little.PutUint32(b, uint32(len(b)-4))
	return nil
}

func putFloat(b []byte, x float64) []byte { return little.AppendUint64(b, math.Float64bits(x)) }

func putBool(b []byte, x bool) []byte {
	if x {
		return append(b, 1)
	}
	return append(b, 0)
}

func putString(b []byte, s string) []byte {
	return append(little.AppendUint32(b, uint32(len(s))), s...)
}

func putFloats(b []byte, x []float64) []byte {
	b = little.AppendUint64(b, uint64(len(x)))
	for _, v := range x {
		b = putFloat(b, v)
	}
	return b
}

func putFloats32(b []byte, x []float32) []byte {
	b = little.AppendUint64(b, uint64(len(x)))
	for _, v := range x {
		b = little.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func putInts32(b []byte, x []int32) []byte {
	b = little.AppendUint64(b, uint64(len(x)))
	for _, v := range x {
		b = little.AppendUint32(b, uint32(v))
	}
	return b
}

func putBatch(b []byte, batch bnn.Batch) []byte {
	b = little.AppendUint32(b, uint32(batch.Set))
	b = putInts32(b, batch.Indices)
	b = little.AppendUint32(b, uint32(batch.Augment.Crop))
	b = putBool(b, batch.Augment.Flip)
	b = putFloat(b, batch.Augment.Erase)
	return little.AppendUint64(b, batch.Augment.Seed)
}

func putMove(b []byte, m bnn.Move) []byte {
	for _, x := range [...]float64{m.Scale, m.Lean, m.Weight, m.Decay, m.StepSize, m.Noise, m.Momentum, m.Bound} {
		b = putFloat(b, x)
	}
	return putBool(b, m.AsReleased)
}

// errShort is the fault of a reply that is not as long as it says.
var errShort = errors.New("a reply of it is cut short or has bytes too many")

// errLength is the fault of a reply whose length cannot be.
var errLength = errors.New("what it writes is no reply")

// A payload is taken apart from the front. Its first fault sticks; numbers after that
// are zero.
type payload struct {
	b   []byte
	err error
}

func (p *payload) take(count uint64, each int) []byte {
	if p.err != nil || count > uint64(len(p.b)/each) {
		p.err = errShort
		return nil
	}
	n := int(count) * each
	head := p.b[:n]
	p.b = p.b[n:]
	return head
}

func (p *payload) u8() byte {
	if b := p.take(1, 1); b != nil {
		return b[0]
	}
	return 0
}

func (p *payload) u32() uint32 {
	if b := p.take(1, 4); b != nil {
		return little.Uint32(b)
	}
	return 0
}

func (p *payload) u64() uint64 {
	if b := p.take(1, 8); b != nil {
		return little.Uint64(b)
	}
	return 0
}

func (p *payload) float() float64 { return math.Float64frombits(p.u64()) }

func (p *payload) string() string { return string(p.take(uint64(p.u32()), 1)) }

func (p *payload) floats() []float64 {
	b := p.take(p.u64(), 8)
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(little.Uint64(b[8*i:]))
	}
	return x
}

func (p *payload) floats32() []float32 {
	b := p.take(p.u64(), 4)
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(little.Uint32(b[4*i:]))
	}
	return x
}

// tensors reads a list of named pieces.
func (p *payload) tensors() []bnn.Tensor {
	var list []bnn.Tensor
	for n := p.u32(); n > 0 && p.err == nil; n-- {
		t := bnn.Tensor{Name: p.string(), Role: bnn.Role(p.string()), Size: 1}
		for d := p.u64(); d > 0 && p.err == nil; d-- {
			t.Shape = append(t.Shape, int(p.u64()))
			t.Size *= t.Shape[len(t.Shape)-1]
		}
		t.Offset = int(p.u64())
		list = append(list, t)
	}
	return list
}

func (p *payload) done() error {
	if p.err == nil && len(p.b) > 0 {
		p.err = errShort
	}
	return p.err
}

// piece is how much memory a length alone may cost.
const piece = 1 << 24

// readFrame reads a reply of at most so many bytes into b.
func readFrame(r io.Reader, b []byte, most int) (kind byte, rest []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, b, err
	}
	n := int(little.Uint32(head[:]))
	if n == 0 || n > most {
		return 0, b, errLength
	}
	b = b[:0]
	for left := n - 1; left > 0; {
		k := min(left, piece)
		b = append(b, make([]byte, k)...)
		if _, err := io.ReadFull(r, b[len(b)-k:]); err != nil {
			return 0, b, io.ErrUnexpectedEOF
		}
		left -= k
	}
	return head[4], b, nil
}
