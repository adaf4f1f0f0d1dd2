package fleet

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// Subjects of messages.
const (
	offers = "r2sgld.offers" // where workers ask for runs
	prefix = "r2sgld.run."
)

// Of a run, by its name: where workers ask to join, for a piece of a file, and to be taken;
// where answers and beats come; where a worker gets blocks, and where all hear the run.
func joining(run string) string        { return prefix + run + ".join" }
func files(run string) string          { return prefix + run + ".file" }
func taking(run string) string         { return prefix + run + ".take" }
func answers(run string) string        { return prefix + run + ".answer" }
func beats(run string) string          { return prefix + run + ".beat" }
func pulse(run string) string          { return prefix + run + ".pulse" }
func blocksOf(run, name string) string { return prefix + run + ".blocks." + name }

const (
	beatEvery = time.Second
	silence   = 6 * time.Second // without a beat the other side is gone
	patience  = 5 * time.Second // for answers that need no work
	piece     = 256 << 10       // bytes of a file in a message
)

// An offer is what a run says of itself, and a hello what a worker does.
type (
	offer struct {
		Run     string `json:"run"`
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	hello struct {
		Worker  string `json:"worker"`
		Host    string `json:"host"`
		Version string `json:"version"`
		Slots   int    `json:"slots"`
	}
)

// A Brief is what a worker makes its potential of.
type Brief struct {
	Command string          `json:"command"` // whose configuration it is
	Config  json.RawMessage `json:"config"`  // with every default filled in
	Files   []File          `json:"files,omitempty"`
}

// A File is one that a configuration names, by the path that it has there.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// welcome answers a hello. Probe is a block of states to answer with the next message, nil
// where the run has evaluated none yet.
type welcome struct {
	Brief Brief  `json:"brief"`
	Probe []byte `json:"probe,omitempty"`
	Wait  bool   `json:"wait,omitempty"`
	Error string `json:"error,omitempty"`
}

// proof is what a worker makes of a probe.
type proof struct {
	Worker string `json:"worker"`
	Answer []byte `json:"answer"`
}

// verdict says whether a worker is taken.
type verdict struct {
	Error string `json:"error,omitempty"`
}

// pieceOf asks for a piece of a file.
type pieceOf struct {
	File int   `json:"file"`
	At   int64 `json:"at"`
}

// A block is states to evaluate: n of dimension d, one after the other, by a variant of the
// potential.
type block struct {
	id      uint64
	variant string
	n, d    int
	x       []float64
}

// An answer is n energies, then n gradients; or why there are none.
type answer struct {
	id     uint64
	took   time.Duration // the evaluation
	n, d   int
	values []float64
	failed string
}

const (
	variantBytes = 8
	blockHead    = 8 + variantBytes + 4 + 4
	answerHead   = 8 + 8 + 4 + 4
	mostText     = 1 << 12
)

var errFrame = errors.New("a message that is no block of states")

func (b *block) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, b.id)
	var v [variantBytes]byte
	copy(v[:], b.variant)
	to = append(to, v[:]...)
	to = binary.LittleEndian.AppendUint32(to, uint32(b.n))
	to = binary.LittleEndian.AppendUint32(to, uint32(b.d))
	return appendNumbers(to, b.x)
}

func readBlock(m []byte) (*block, error) {
	if len(m) < blockHead {
		return nil, errFrame
	}
	b := &block{id: binary.LittleEndian.Uint64(m), n: int(binary.LittleEndian.Uint32(m[16:])), d: int(binary.LittleEndian.Uint32(m[20:]))}
	for _, c := range m[8:16] {
		if c != 0 {
			b.variant += string(rune(c))
		}
	}
	var err error
	b.x, err = readNumbers(m[blockHead:], b.n, b.d)
	return b, err
}

func (a *answer) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, a.id)
	to = binary.LittleEndian.AppendUint64(to, uint64(a.took))
	to = binary.LittleEndian.AppendUint32(to, uint32(a.n))
	to = binary.LittleEndian.AppendUint32(to, uint32(a.d))
	if a.failed != "" {
		return append(to, a.failed[:min(len(a.failed), mostText)]...)
	}
	return appendNumbers(to, a.values)
}

// readAnswer takes n = 0 for a failure, whose text follows.
func readAnswer(m []byte) (*answer, error) {
	if len(m) < answerHead {
		return nil, errFrame
	}
	a := &answer{id: binary.LittleEndian.Uint64(m), took: time.Duration(binary.LittleEndian.Uint64(m[8:])),
		n: int(binary.LittleEndian.Uint32(m[16:])), d: int(binary.LittleEndian.Uint32(m[20:]))}
	if a.n == 0 {
		a.failed = string(m[answerHead:min(len(m), answerHead+mostText)])
		if a.failed == "" {
			a.failed = "no reason given"
		}
		return a, nil
	}
	var err error
	a.values, err = readNumbers(m[answerHead:], a.n, a.d+1)
	return a, err
}

func appendNumbers(to []byte, x []float64) []byte {
	for _, v := range x {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

// readNumbers reads rows × columns numbers, all that there are.
func readNumbers(b []byte, rows, columns int) ([]float64, error) {
	if rows < 1 || columns < 1 || len(b)%8 != 0 || len(b)/8/rows != columns || len(b)/8%rows != 0 {
		return nil, fmt.Errorf("%w: %d bytes for %d × %d numbers", errFrame, len(b), rows, columns)
	}
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x, nil
}

// same reports whether numbers have the same bits, whatever the payload of a NaN.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) && (v == v || b[i] == b[i]) {
			return false
		}
	}
	return true
}
