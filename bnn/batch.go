package bnn

import (
	"fmt"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/stream"
)

// trainSet and the others are the numbers of the sets that an engine is given.
const (
	trainSet = iota
	testSet
	outsideSet
)

// A deck deals the training examples into minibatches.
type deck struct {
	size        int // of a minibatch
	independent bool
	cards       []int32 // a permutation of all examples
	next        int     // the first that is not dealt
}

// newDeck returns a deck of n examples.
func newDeck(n, size int, independent bool) *deck {
	d := &deck{size: size, independent: independent, cards: make([]int32, n), next: n}
	for i := range d.cards {
		d.cards[i] = int32(i)
	}
	return d
}

// deal returns the next minibatch, to be used before the next is dealt: the next
// examples of a permutation that is fresh for each pass, of which the last may be few,
// or examples drawn without replacement, anew each time.
func (d *deck) deal(rng *rand.Rand) []int32 {
	if d.independent {
		return draw(d.cards, d.size, rng)
	}
	if d.next >= len(d.cards) {
		draw(d.cards, len(d.cards), rng)
		d.next = 0
	}
	from := d.next
	d.next = min(from+d.size, len(d.cards))
	return d.cards[from:d.next]
}

// draw brings a uniform choice of n cards, in uniform order, to the front, and returns it.
func draw(cards []int32, n int, rng *rand.Rand) []int32 {
	for i := range n {
		j := i + rng.IntN(len(cards)-i)
		cards[i], cards[j] = cards[j], cards[i]
	}
	return cards[:n]
}

// batch is the next minibatch of a deck, changed as the settings say.
func (t *training) batch(d *deck, purpose stream.Purpose) Batch {
	b := Batch{Set: trainSet, Indices: d.deal(&t.streams.Of(0, purpose).Rand)}
	if t.set.Augment != (Augmentation{}) {
		b.Augment = t.set.Augment
		b.Augment.Seed = t.streams.Of(0, augment).Uint64()
	}
	return b
}

// recomputation are the batches that batch-norm buffers are recomputed on: always the
// same n training examples, without augmentation.
func (t *training) recomputation(n int) []Batch {
	rng := stream.New(t.set.Seed, t.set.Ladder).Of(0, subset)
	chosen := draw(newDeck(t.n, t.set.Batch, false).cards, min(n, t.n), &rng.Rand)
	parts := make([]Batch, (len(chosen)+t.set.Batch-1)/t.set.Batch)
	for i := range parts { // of nearly equal size: one of a single example has no variance
		from, to := i*len(chosen)/len(parts), (i+1)*len(chosen)/len(parts)
		parts[i] = Batch{Set: trainSet, Indices: chosen[from:to]}
	}
	return parts
}

// all calls each with the mean losses of all replicas on minibatches that cover the
// training set once, in order and without augmentation, and with the shares of the
// examples that these are.
func (t *training) all(each func(share float64, losses []float64)) error {
	parts := (t.n + t.set.Batch - 1) / t.set.Batch
	return t.parts(parts, 0, parts, each)
}

// parts is all on some of so many minibatches only, those from one on, in a circle.
func (t *training) parts(parts, first, some int, each func(share float64, losses []float64)) error {
	order := newDeck(t.n, t.set.Batch, false).cards
	for k := range some {
		i := (first + k) % parts
		from, to := i*t.n/parts, (i+1)*t.n/parts
		losses, err := t.engine.Losses(Batch{Set: trainSet, Indices: order[from:to]})
		if err != nil {
			return fmt.Errorf("energies over all data: %w", err)
		}
		each(float64(to-from)/float64(t.n), losses)
	}
	return nil
}
