// Package stream answers where chance comes from. A number follows from seed, ladder,
// replica, purpose, iteration, and how many were drawn before it in that iteration: it
// depends neither on threads nor on the order of calls, and nothing of it is saved.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A Purpose says what a stream is drawn for. Streams of different purposes are
// independent.
type Purpose string

// The purposes of a ladder's streams.
const (
	Kernel    Purpose = "kernel"    // the noise of a replica's moves
	Swap      Purpose = "swap"      // the uniforms of swap decisions
	Batch     Purpose = "batch"     // the rows of minibatches
	Synthetic Purpose = "synthetic" // noise put on gradients and energies
	Start     Purpose = "start"     // initial states
	Pilot     Purpose = "pilot"     // measurements before the run
	Symmetry  Purpose = "symmetry"  // which of the points of the same density a draw is told as
	// Independence is which of the states of the hottest rung is proposed to the coldest.
	Independence Purpose = "independence"
)

type key struct {
	replica int
	purpose Purpose
}

// A Set hands out the random streams of one ladder. It is for one goroutine.
type Set struct {
	beside    []*Set // of these, if any, it hands out the streams
	each      int    // so many replicas of each, one after another
	seed      uint64
	ladder    int
	iteration *uint64 // of all its streams
	rng       map[key]*Rand
}

// New returns the streams of a ladder, at iteration 0. Equal arguments give equal streams.
func New(seed uint64, ladder int) *Set {
	return &Set{seed: seed, ladder: ladder, iteration: new(uint64), rng: map[key]*Rand{}}
}

// Beside returns a set that hands out the streams of several ladders, each with so many
// replicas: replica i of it is replica i % each of ladder i / each.
func Beside(each int, ladders ...*Set) *Set { return &Set{beside: ladders, each: each} }

// Begin takes all streams to the beginning of iteration k, unless they are in it.
func (s *Set) Begin(k int) { *s.iteration = uint64(k) }

// Of returns the stream of a replica for a purpose, the same one at every call.
// A stream that belongs to the whole ladder has replica 0.
func (s *Set) Of(replica int, p Purpose) *Rand {
	if s.beside != nil {
		return s.beside[replica/s.each].Of(replica%s.each, p)
	}
	k := key{replica, p}
	if r, ok := s.rng[k]; ok {
		return r
	}
	h := sha256.Sum256(fmt.Appendf(nil, "r2sgld stream 2\x00%d\x00%d\x00%d\x00%s", s.seed, s.ladder, replica, p))
	r := &Rand{bits: bits{key: binary.LittleEndian.Uint64(h[:]), iteration: s.iteration}}
	r.Rand = *rand.New(&r.bits)
	s.rng[k] = r
	return r
}

// A Rand is a random stream: Philox4x32-10 of a key, with all methods of [rand.Rand]. Its
// normal numbers have 52 bits (those of rand.Rand have 31), are at most 8.57, and are
// independent of what else is drawn.
type Rand struct {
	rand.Rand
	bits bits
	_    [128]byte // streams of ladders on other threads stay off its cache lines
}

// NormFloat64 returns a standard normal number.
func (r *Rand) NormFloat64() float64 {
	s := &r.bits
	s.follow()
	if s.normals++; s.normals%2 == 0 {
		return s.normal
	}
	var x float64
	x, s.normal = lane.Normals(lane.Philox(s.key, normals|s.normals/2, s.at))
	return x
}

// The lower half of a counter is what is drawn and its number in the iteration, which is
// the upper half.
const (
	words   = 1 << 62
	normals = 2 << 62 // by NormFloat64; the rest is for Lanes
)

// Here returns what takes r to where it is now.
func (r *Rand) Here() (back func()) {
	now := r.bits
	return func() { r.bits = now }
}

// bits is the source of a Rand.
type bits struct {
	key       uint64
	iteration *uint64
	at        uint64 // the iteration of what was drawn last
	words     uint64 // drawn in it
	normals   uint64
	word      uint64 // the second of a block
	normal    float64
}

// follow begins anew in another iteration.
func (s *bits) follow() {
	if k := *s.iteration; k != s.at {
		s.at, s.words, s.normals = k, 0, 0
	}
}

// Uint64 returns 64 random bits.
func (s *bits) Uint64() uint64 {
	s.follow()
	if s.words++; s.words%2 == 0 {
		return s.word
	}
	var w uint64
	w, s.word = lane.Philox(s.key, words|s.words/2, s.at)
	return w
}
