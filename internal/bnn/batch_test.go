package bnn

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Minibatches are as few as their size allows, hold every example once, in order, and differ
// by one in size at most: of size 3 or more none has a single example, where there are two.
func TestCut(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, size := rapid.IntRange(1, 300).Draw(r, "examples"), rapid.IntRange(1, 300).Draw(r, "batch")
		cards := newDeck(n, size, false).cards
		parts := cut(cards, size)
		least, most := n, 0
		for _, p := range parts {
			least, most = min(least, len(p)), max(most, len(p))
		}
		if len(parts) != (n+size-1)/size || most > size || most-least > 1 || !slices.Equal(slices.Concat(parts...), cards) {
			r.Fatalf("%d minibatches of %d to %d", len(parts), least, most)
		}
		if size > 2 && n > 1 && least < 2 {
			r.Fatalf("a minibatch of %d of %d examples", least, n)
		}
	})
}
