package stream

import "github.com/r2sgld/r2sgld/internal/vector"

// Lanes are streams side by side, of the replicas of a ladder or of several, which draw
// one number for every coordinate at once. What a stream draws depends neither on those
// beside it nor on what it draws by itself. The streams must be in one iteration. A Lanes
// is for one goroutine.
type Lanes struct {
	each    []*Rand
	keys    []uint64 // of pairs of coordinates: those of pair p begin at p times the number of streams
	numbers []float64
	at      uint64 // the iteration of the last fill
	fills   uint64 // in it
}

// Lanes returns the streams of the first n replicas for a purpose.
func (s *Set) Lanes(n int, p Purpose) *Lanes {
	l := &Lanes{each: make([]*Rand, n)}
	for i := range l.each {
		l.each[i] = s.Of(i, p)
	}
	return l
}

// Of returns the stream of lane i.
func (l *Lanes) Of(i int) *Rand { return l.each[i] }

// Normals returns standard normal numbers of d coordinates: that of coordinate j and lane
// i of n is the one at j*n+i. They hold until the next call, have 52 bits and are at most
// 8.57.
func (l *Lanes) Normals(d int) []float64 { return l.fill(vector.Normals, d) }

// Uniforms returns numbers in (0, 1), odd multiples of 2^-53, as Normals does.
func (l *Lanes) Uniforms(d int) []float64 { return l.fill(vector.Uniforms, d) }

// fill draws the first half of the coordinates and, of the same keys, the second. A pair
// of coordinates has a key of its own, so that few lanes fill vectors as many do.
func (l *Lanes) fill(draw func(dst, dst2 []float64, keys []uint64, low, high uint64), d int) []float64 {
	n := len(l.each)
	half := (d + 1) / 2 * n
	for pair := len(l.keys) / max(n, 1); len(l.keys) < half; pair++ {
		for _, r := range l.each {
			l.keys = append(l.keys, r.bits.key+uint64(pair))
		}
	}
	if len(l.numbers) < 2*half {
		l.numbers = make([]float64, 2*half)
	}
	if half == 0 {
		return nil
	}
	if k := *l.each[0].bits.iteration; k != l.at {
		l.at, l.fills = k, 0
	}
	draw(l.numbers[:half], l.numbers[half:2*half], l.keys[:half], l.fills, l.at)
	l.fills++
	return l.numbers[:d*n]
}
