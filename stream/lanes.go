package stream

import "github.com/r2sgld/r2sgld/internal/vector"

// Lanes are streams side by side, of the replicas of a ladder or of several, which draw
// one number for every coordinate at once. What a stream draws depends neither on those
// beside it nor on what it draws by itself. The streams must be in one iteration. A Lanes
// is for one goroutine.
type Lanes struct {
	each  []*Rand
	keys  []uint64 // of the streams
	at    uint64   // the iteration of the last fill
	fills uint64   // in it
	held  [4]held  // of the first fills of an iteration; the last is of those beyond

	// the workspace
	pairs []uint64 // the keys of pairs of coordinates
	drawn []float64
}

// held are the numbers of a fill, of several iterations where lanes are few: vectors are
// filled, and wait less for what they compute.
type held struct {
	uniform    bool
	d          int
	from, many uint64 // iterations
	numbers    []float64
}

// ahead is how many iterations may be drawn at once, and how many pairs at least are.
// Those of an iteration have their counter in common.
const ahead = 32

// Lanes returns the streams of the first n replicas for a purpose.
func (s *Set) Lanes(n int, p Purpose) *Lanes {
	l := &Lanes{}
	for i := range n {
		r := s.Of(i, p)
		l.each, l.keys = append(l.each, r), append(l.keys, r.bits.key)
	}
	return l
}

// Of returns the stream of lane i.
func (l *Lanes) Of(i int) *Rand { return l.each[i] }

// Normals returns standard normal numbers of d coordinates: that of coordinate j and lane
// i of n is the one at j*n+i. They hold until the next call, have 52 bits and are at most
// 8.57.
func (l *Lanes) Normals(d int) []float64 { return l.fill(false, d) }

// Uniforms returns numbers in (0, 1), odd multiples of 2^-53, as Normals does.
func (l *Lanes) Uniforms(d int) []float64 { return l.fill(true, d) }

func (l *Lanes) fill(uniform bool, d int) []float64 {
	n := len(l.each)
	half := (d + 1) / 2 * n
	if half == 0 {
		return nil
	}
	if k := *l.each[0].bits.iteration; k != l.at {
		l.at, l.fills = k, 0
	}
	f := l.fills
	l.fills++
	h := &l.held[min(f, uint64(len(l.held)-1))]
	if h.uniform != uniform || h.d != d || l.at-h.from >= h.many || f >= uint64(len(l.held)-1) {
		h.uniform, h.d, h.many = uniform, d, 1
		for f < uint64(len(l.held)-1) && h.many < ahead && int(h.many)*half < ahead {
			h.many *= 2
		}
		h.from = l.at - l.at%h.many
		l.draw(h, half, f)
	}
	return h.numbers[int(l.at-h.from)*2*half:][:d*n]
}

// draw draws fill f of the iterations of h: the first half of the coordinates and, of the
// same keys, the second.
func (l *Lanes) draw(h *held, half int, f uint64) {
	l.pairs = l.pairs[:0]
	for t := range h.many {
		for pair := range uint64(half / len(l.keys)) {
			for _, k := range l.keys {
				l.pairs = append(l.pairs, k+(h.from+t)%ahead<<32+pair)
			}
		}
	}
	all := len(l.pairs)
	if len(h.numbers) < 2*all {
		h.numbers = make([]float64, 2*all)
	}
	numbers := h.numbers
	if h.many > 1 {
		if len(l.drawn) < 2*all {
			l.drawn = make([]float64, 2*all)
		}
		numbers = l.drawn
	}
	draw := vector.Normals
	if h.uniform {
		draw = vector.Uniforms
	}
	draw(numbers[:all], numbers[all:2*all], l.pairs, f, h.from/ahead)
	for at := 0; h.many > 1 && at < all; at += half {
		copy(h.numbers[2*at:], numbers[at:at+half])
		copy(h.numbers[2*at+half:], numbers[all+at:all+at+half])
	}
}
