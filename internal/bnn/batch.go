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
// examples of a permutation that is fresh for each pass, or examples drawn without
// replacement, anew each time.
func (d *deck) deal(rng *rand.Rand) []int32 {
	if d.independent {
		return draw(d.cards, d.size, rng)
	}
	if d.next >= len(d.cards) {
		draw(d.cards, len(d.cards), rng)
		d.next = 0
	}
	from := d.next
	d.next += share(len(d.cards)-from, d.size)
	return d.cards[from:d.next]
}

// share is how many of n examples the next minibatch takes, of size at most, for them to
// make ⌈n/size⌉ that differ by one at most: one of few examples would be all noise, and
// one of a single example has no variance for batch norm.
func share(n, size int) int {
	parts := (n + size - 1) / size
	return (n + parts - 1) / parts
}

// cut returns the minibatches of size at most that cards make.
func cut(cards []int32, size int) [][]int32 {
	var parts [][]int32
	for len(cards) > 0 {
		n := share(len(cards), size)
		parts = append(parts, cards[:n])
		cards = cards[n:]
	}
	return parts
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

// unchanged are batches of some training examples, always the same, without augmentation.
func (t *training) unchanged(n int) []Batch {
	rng := stream.New(t.set.Seed, t.set.Ladder).Of(0, subset)
	chosen := draw(newDeck(t.n, t.set.Batch, false).cards, min(n, t.n), &rng.Rand)
	var batches []Batch
	for _, part := range cut(chosen, t.set.Batch) {
		batches = append(batches, Batch{Set: trainSet, Indices: part})
	}
	return batches
}

// exactEnergies puts energies over all training data, without augmentation, in the place
// of those of the minibatch. The data are cut from one permutation: in the order of files
// classes may come one after the other, which batch norm would take for what they are.
func (t *training) exactEnergies() error {
	if t.whole == nil {
		t.whole = t.unchanged(t.n)
	}
	losses := make([]float64, len(t.Rung))
	for _, b := range t.whole {
		part, err := t.engine.Losses(b)
		if err != nil {
			return fmt.Errorf("energies over all data: %w", err)
		}
		for i, loss := range part {
			losses[i] += loss * float64(len(b.Indices)) / float64(t.n)
		}
	}
	for i, loss := range losses {
		t.energy[i] = t.energyOf(loss, t.square[i])
	}
	return nil
}
