package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// Lanes are the random numbers of all replicas of a ladder for a purpose, side by side.
// They have no state: a number follows from seed, ladder, replica, purpose, iteration and
// coordinate, and takes the same time as any other. A Lanes is for one goroutine.
type Lanes struct {
	keys []uint64
	odd  []float64 // what the last of an odd number of coordinates leaves over
}

// NewLanes returns the numbers of a ladder of replicas. They are other ones than those of
// [Set].
func NewLanes(seed uint64, ladder, replicas int, p Purpose) *Lanes {
	l := &Lanes{make([]uint64, replicas), make([]float64, replicas)}
	for i := range l.keys {
		h := sha256.Sum256(fmt.Appendf(nil, "r2sgld lanes 1\x00%d\x00%d\x00%d\x00%s", seed, ladder, i, p))
		l.keys[i] = binary.LittleEndian.Uint64(h[:])
	}
	return l
}

// Normals writes the standard normal numbers of an iteration: that of coordinate j and
// replica i of n is dst[j*n+i]. They have 52 bits and are at most 8.57.
func (l *Lanes) Normals(dst []float64, iteration uint64) { l.fill(vector.Normals, dst, iteration) }

// Uniforms writes numbers in (0, 1), odd multiples of 2^-53, as Normals does. Both come
// from the same bits: a purpose takes one of the two.
func (l *Lanes) Uniforms(dst []float64, iteration uint64) { l.fill(vector.Uniforms, dst, iteration) }

// fill writes coordinates by twos.
func (l *Lanes) fill(draw func(dst, dst2 []float64, keys []uint64, low, high uint64), dst []float64, high uint64) {
	n := len(l.keys)
	for pair := uint64(0); len(dst) > 0; pair++ {
		if len(dst) == n {
			draw(dst, l.odd, l.keys, pair, high)
			return
		}
		draw(dst[:n], dst[n:2*n], l.keys, pair, high)
		dst = dst[2*n:]
	}
}
