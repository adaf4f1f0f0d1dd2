// Package stream answers where chance comes from: one random stream per (seed,
// ladder, replica, purpose), so that no stream depends on threads or on the
// order of calls, and all of them go into a checkpoint.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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
)

type key struct {
	replica int
	purpose Purpose
}

// A Set hands out the random streams of one ladder. It is for one goroutine.
type Set struct {
	beside []*Set // of these, if any, it hands out the streams
	each   int    // so many replicas of each, one after another
	seed   uint64
	ladder int
	order  []key
	rng    map[key]*Rand
}

// New returns the streams of a ladder. Equal arguments give equal streams.
func New(seed uint64, ladder int) *Set {
	return &Set{seed: seed, ladder: ladder, rng: map[key]*Rand{}}
}

// Beside returns a set that hands out the streams of several ladders, each with so many
// replicas: replica i of it is replica i % each of ladder i / each. It is not saved; its
// ladders are.
func Beside(each int, ladders ...*Set) *Set { return &Set{beside: ladders, each: each} }

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
	h := sha256.Sum256(fmt.Appendf(nil, "r2sgld stream 1\x00%d\x00%d\x00%d\x00%s", s.seed, s.ladder, replica, p))
	r := newRand(binary.LittleEndian.Uint64(h[0:]), binary.LittleEndian.Uint64(h[8:]))
	s.order = append(s.order, k)
	s.rng[k] = r
	return r
}

// AppendBinary appends the state of every stream handed out so far, in the
// order in which they were first asked for.
func (s *Set) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s.order)))
	for _, k := range s.order {
		state, err := s.rng[k].pcg.MarshalBinary()
		if err != nil {
			return nil, fmt.Errorf("stream %v: %w", k, err)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(k.replica))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(k.purpose)))
		b = append(b, k.purpose...)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(state)))
		b = append(b, state...)
	}
	return b, nil
}

// UnmarshalBinary sets the streams to states that AppendBinary saved. Streams
// already handed out go on from there.
func (s *Set) UnmarshalBinary(b []byte) error {
	short := fmt.Errorf("random streams: the saved state is cut short")
	take := func(n int) []byte {
		if len(b) < n {
			return nil
		}
		v := b[:n]
		b = b[n:]
		return v
	}
	head := take(4)
	if head == nil {
		return short
	}
	for range binary.LittleEndian.Uint32(head) {
		h := take(6)
		if h == nil {
			return short
		}
		name := take(int(binary.LittleEndian.Uint16(h[4:])))
		size := take(2)
		if name == nil || size == nil {
			return short
		}
		state := take(int(binary.LittleEndian.Uint16(size)))
		if state == nil {
			return short
		}
		k := key{int(binary.LittleEndian.Uint32(h)), Purpose(name)}
		if err := s.Of(k.replica, k.purpose).pcg.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("random stream %v: %w", k, err)
		}
	}
	if len(b) != 0 {
		return fmt.Errorf("random streams: %d bytes too many", len(b))
	}
	return nil
}
