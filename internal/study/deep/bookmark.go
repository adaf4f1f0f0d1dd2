package deep

import (
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
)

// pause is how long a training goes on between checkpoints.
const pause = time.Minute

// A bookmark is where a training was when it was stopped.
type bookmark struct {
	keeper study.Keeper // nil keeps nothing
	name   string       // of the training, unique within the study
	last   time.Time    // when a checkpoint was kept
	there  bool         // one is kept
}

// find returns the checkpoint to go on from; nil begins.
func (b *bookmark) find() *bnn.Checkpoint {
	b.last = time.Now()
	if b.keeper == nil {
		return nil
	}
	text := b.keeper.Find(b.name)
	b.there = len(text) > 0
	c := new(bnn.Checkpoint)
	if !b.there || c.UnmarshalBinary(text) != nil { // a damaged one is as none
		return nil
	}
	return c
}

// due reports whether a checkpoint shall be taken.
func (b *bookmark) due() bool { return b.keeper != nil && time.Since(b.last) > pause }

// save keeps a checkpoint.
func (b *bookmark) save(c *bnn.Checkpoint) error {
	if b.keeper == nil {
		return nil
	}
	text, err := c.AppendBinary(nil)
	if err != nil {
		return err
	}
	b.last, b.there = time.Now(), true
	return b.keeper.Keep(b.name, text)
}

// clear forgets the checkpoint of a training that has ended.
func (b *bookmark) clear() error {
	if !b.there {
		return nil
	}
	return b.keeper.Keep(b.name, nil)
}
