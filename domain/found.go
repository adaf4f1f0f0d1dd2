package domain

import (
	"cmp"
	"context"
	"sync"
)

// Found keeps what this package has found of a domain: its middle, how to draw from it. A
// domain that embeds one, and is used by its pointer, is looked at once, however often it
// is drawn from or measured; the zero Found is ready. It may be used by several goroutines.
type Found struct {
	middle kept[chebyshev]
	round  kept[roundness]
	box    kept[fraction]
	cells  kept[*cover]
}

func (f *Found) found() *Found { return cmp.Or(f, &Found{}) }

// foundOf is what was found of d, nothing where d does not keep it.
func foundOf(d Domain) *Found {
	if f, ok := d.(interface{ found() *Found }); ok {
		return f.found()
	}
	return &Found{}
}

// chebyshev is the centre of the largest ball inside, and its radius.
type chebyshev struct {
	x []float64
	r float64
}

// roundness is a domain in round coordinates, the map from them and the logarithm of
// its determinant.
type roundness struct {
	z   Domain
	a   *affine
	log float64
}

// A fraction is that of the tried points of a bounding box that were seen in the domain.
type fraction struct{ seen, tried int }

// kept is what is found once.
type kept[T any] struct {
	sync.Mutex
	known bool
	value T
	err   error
}

// of returns what find returned at the first call that was not stopped.
func (k *kept[T]) of(ctx context.Context, find func() (T, error)) (T, error) {
	k.Lock()
	defer k.Unlock()
	if k.known {
		return k.value, k.err
	}
	v, err := find()
	if ctx.Err() == nil {
		k.known, k.value, k.err = true, v, err
	}
	return v, err
}
