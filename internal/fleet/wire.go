package fleet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Subjects of messages.
const (
	offers = "r2sgld.offers" // where workers ask for runs
	prefix = "r2sgld.run."
)

// Of a run, by its name: where workers ask to join and for pieces of files, where answers,
// beats and reasons to leave come, and where all hear that the run is there.
func joining(run string) string { return prefix + run + ".join" }
func files(run string) string   { return prefix + run + ".file" }
func answers(run string) string { return prefix + run + ".answer" }
func beats(run string) string   { return prefix + run + ".beat" }
func leaving(run string) string { return prefix + run + ".leave" }
func pulse(run string) string   { return prefix + run + ".pulse" }

// Of a worker of a run: where it gets blocks, and where it is sent away.
func blocksOf(run, name string) string   { return prefix + run + ".blocks." + name }
func farewellOf(run, name string) string { return prefix + run + ".farewell." + name }

// Of a run that borrows programs: where a worker is asked for one, what runs and programs say to
// each other at the ends of a line, and where workers ask for pieces of what the run gives.
func openingOf(run, name string) string { return prefix + run + ".open." + name }
func upOf(run, line string) string      { return prefix + run + ".up." + line }
func downOf(run, line string) string    { return prefix + run + ".down." + line }
func giftsOf(run string) string         { return prefix + run + ".gift" }

const (
	beatEvery = time.Second
	silence   = 6 * time.Second // without a beat the other side is gone
	patience  = 5 * time.Second // for answers that need no work
	piece     = 512 << 10       // bytes of a file in a message
)

// An offer is what a run says of itself, and a hello what a worker does.
type (
	offer struct {
		Run     string `json:"run"`
		Name    string `json:"name"`
		Workers int    `json:"workers"` // that it has
	}
	hello struct {
		Worker  string `json:"worker"`
		Host    string `json:"host"`
		Version string `json:"version"`
		Arch    string `json:"arch"`
		Slots   int    `json:"slots"`
	}
)

// sound reports whether a hello is one: its names are parts of subjects and of what people read.
func (h *hello) sound() bool {
	return plainName(h.Worker, mostName) && plainName(h.Host, 4*mostName) && plainName(h.Arch, mostName) &&
		h.Slots >= 1 && h.Slots <= mostSlots
}

const (
	mostName    = 64
	mostSlots   = 1 << 16
	mostWorkers = 1 << 14 // of a run
)

// plainName reports whether a name has letters, digits, hyphens, and points or underscores within.
func plainName(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i, c := range s {
		within := i > 0 && (c == '_' || c == '.' && most > mostName)
		if !within && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

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

// welcome answers a hello.
type welcome struct {
	Brief Brief  `json:"brief"`
	Error string `json:"error,omitempty"`
}

// beat says every second that a worker is there, whether it has made the potential, and how
// often its connection was lost, and messages with it.
type beat struct {
	Worker     string `json:"worker"`
	Ready      bool   `json:"ready"`
	Reconnects uint64 `json:"reconnects"`
	Kit        Kit    `json:"kit,omitzero"` // that it lends
}

// leave says that a worker goes, and why.
type leave struct {
	Worker string `json:"worker"`
	Why    string `json:"why"`
}

// farewell sends a worker away: for good, or to join again.
type farewell struct {
	Why   string `json:"why"`
	Again bool   `json:"again,omitempty"`
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

// An answer is n energies, then n gradients; or why there are none. The worker had the block
// for a while, and each state took it so long.
type answer struct {
	id         uint64
	held, took time.Duration
	n, d       int
	values     []float64
	failed     string
}

const (
	variantBytes = 8
	blockHead    = 8 + variantBytes + 4 + 4
	answerHead   = 8 + 8 + 8 + 4 + 4
	mostText     = 1 << 12
)

var errFrame = errors.New("a message that is no block of states")

func (b *block) append(to []byte) []byte {
	to = slices.Grow(to, blockHead+8*len(b.x))
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
	b.variant = string(bytes.TrimRight(m[8:16], "\x00"))
	var err error
	b.x, err = readNumbers(m[blockHead:], b.n, b.d)
	return b, err
}

func (a *answer) append(to []byte) []byte {
	to = slices.Grow(to, answerHead+8*len(a.values))
	to = binary.LittleEndian.AppendUint64(to, a.id)
	to = binary.LittleEndian.AppendUint64(to, uint64(a.held))
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
	a := &answer{id: binary.LittleEndian.Uint64(m), held: time.Duration(binary.LittleEndian.Uint64(m[8:])),
		took: time.Duration(binary.LittleEndian.Uint64(m[16:])),
		n:    int(binary.LittleEndian.Uint32(m[24:])), d: int(binary.LittleEndian.Uint32(m[28:]))}
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

// near reports whether numbers are the same but for rounding: within nearness of the larger
// of the two, or of 1 where both are small.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool {
		return v == w || v != v && w != w || math.Abs(v-w) <= nearness*max(1, math.Abs(v), math.Abs(w)) && !math.IsInf(v-w, 0)
	})
}

// nearness is what other libraries of elementary functions and other orders of operations
// leave of well-conditioned numbers, with room; a fault in a program is larger.
const nearness = 1e-8
