package stream

import "github.com/r2sgld/r2sgld/internal/vector"

// Lanes are streams side by side, of the replicas of a ladder or of several, which draw
// one number for every coordinate at once. What a stream draws depends neither on those
// beside it nor on what it draws by itself. The streams must be in one iteration. A Lanes
// is for one goroutine.
type Lanes struct {
	each  []*Rand
	keys  []uint64   // of the streams
	at    uint64     // the iteration of the last fill
	fills uint64     // in it
	held  [most]held // of the first fills of an iteration; the last is of those beyond
	all   []uint64   // a workspace: the keys of a draw
	now   *uint64    // the iteration of the streams
}

// held are the numbers of a fill in so many pairs of iterations: one, or more where lanes
// are few, so that vectors are filled and wait less for what they compute. What one pair
// of numbers is made of goes to two iterations: those of the first ones come first.
type held struct {
	uniform    bool
	d          int
	from, many uint64 // pairs of iterations
	numbers    []float64
}

const (
	most  = 16 // of an iteration that are held
	ahead = 16 // pairs of iterations that have a counter in common; so many keys at least are drawn at once
)

// Lanes returns the streams of the first n replicas for a purpose.
func (s *Set) Lanes(n int, p Purpose) *Lanes {
	l := &Lanes{}
	for i := range n {
		r := s.Of(i, p)
		l.each, l.keys, l.now = append(l.each, r), append(l.keys, r.bits.key), r.bits.iteration
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
	if k := *l.now; k != l.at {
		l.at, l.fills = k, 0
	}
	f, pair, size := l.fills, l.at/2, d*len(l.each)
	l.fills++
	h := &l.held[min(f, most-1)]
	if pair-h.from >= h.many || h.d != d || h.uniform != uniform || f >= most-1 {
		if size == 0 {
			return nil
		}
		h.uniform, h.d, h.many = uniform, d, 1
		for f < most-1 && int(h.many)*size < ahead {
			h.many *= 2
		}
		h.from = pair - pair%h.many
		l.draw(h, f)
	}
	return h.numbers[int(pair-h.from+l.at%2*h.many)*size:][:size]
}

// draw draws fill f of the iterations of h. Coordinates have keys of their own, too, as
// counters are those of all.
func (l *Lanes) draw(h *held, f uint64) {
	l.all = l.all[:0]
	for t := range h.many {
		for j := range uint64(h.d) {
			for _, k := range l.keys {
				l.all = append(l.all, k+(h.from+t)%ahead<<32+j)
			}
		}
	}
	n := len(l.all)
	if len(h.numbers) < 2*n {
		h.numbers = make([]float64, 2*n)
	}
	draw := vector.Normals
	if h.uniform {
		draw = vector.Uniforms
	}
	draw(h.numbers[:n], h.numbers[n:2*n], l.all, f, h.from/ahead)
}
