package stream

// A Subset draws some of 0 … n−1 uniformly without replacement, by the first steps of a
// Fisher–Yates shuffle. It undoes them before the next draw, so that its only state is that
// of its random stream.
type Subset struct {
	rng    *Rand
	order  []int
	picked []int
}

// Subset draws size of n numbers by the stream of the whole ladder for [Batch]; n is below 2³².
func (s *Set) Subset(n, size int) *Subset {
	b := &Subset{rng: s.Of(0, Batch), order: make([]int, n), picked: make([]int, size)}
	for i := range b.order {
		b.order[i] = i
	}
	for i := range b.picked {
		b.picked[i] = i
	}
	return b
}

// Draw returns as many numbers, in no order. They hold until the next call.
func (b *Subset) Draw() []int {
	for i := len(b.picked) - 1; i >= 0; i-- {
		j := b.picked[i]
		b.order[i], b.order[j] = b.order[j], b.order[i]
	}
	for i := 0; i < len(b.picked); i += 2 {
		u := b.rng.Uint64() // enough for two
		b.pick(i, uint32(u))
		if i+1 < len(b.picked) {
			b.pick(i+1, uint32(u>>32))
		}
	}
	return b.order[:len(b.picked)]
}

// pick moves one of the numbers at i and behind it to i, uniformly by the bits u
// (Lemire 2019).
func (b *Subset) pick(i int, u uint32) {
	n := uint32(len(b.order) - i)
	product := uint64(u) * uint64(n)
	if uint32(product) < n {
		for least := -n % n; uint32(product) < least; {
			product = uint64(b.rng.Uint32()) * uint64(n)
		}
	}
	j := i + int(product>>32)
	b.picked[i] = j
	b.order[i], b.order[j] = b.order[j], b.order[i]
}
