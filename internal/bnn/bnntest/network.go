package bnntest

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// workspace holds the numbers of one example on their way.
type workspace struct {
	x, h, y, dh []float64 // input less its centre, hidden units, outputs, slopes of hidden units
}

func (e *Engine) workspace() *workspace {
	return &workspace{x: make([]float64, e.in), h: make([]float64, e.hid), y: make([]float64, e.out), dh: make([]float64, e.hid)}
}

// center is the mean input of a minibatch with norm batch, else 0.
func (e *Engine) center(s *set, indices []int32) []float64 {
	c := make([]float64, e.in)
	if e.setup.Network.Norm != "batch" {
		return c
	}
	for _, i := range indices {
		for j, x := range s.x[int(i)*e.in : (int(i)+1)*e.in] {
			c[j] += x / float64(len(indices))
		}
	}
	return c
}

// forward fills w for an input.
func (e *Engine) forward(theta, x, center []float64, w *workspace) {
	for j := range x {
		w.x[j] = x[j] - center[j]
	}
	below := w.x
	if e.hid > 0 {
		linear(w.h, theta, below)
		for j, a := range w.h {
			w.h[j] = e.activation(a)
		}
		theta, below = theta[e.hid*(e.in+1):], w.h
	}
	linear(w.y, theta, below)
}

// linear writes W x + b, theta being W by rows and then b.
func linear(dst, theta, x []float64) {
	for i := range dst {
		dst[i] = theta[len(dst)*len(x)+i]
		for j, v := range x {
			dst[i] += theta[i*len(x)+j] * v
		}
	}
}

// activation is tanh, or relu, which is the default.
func (e *Engine) activation(a float64) float64 {
	if e.setup.Network.Activation == "tanh" {
		return math.Tanh(a)
	}
	return max(0, a)
}

// slope is the derivative of activation where it is h.
func (e *Engine) slope(h float64) float64 {
	switch {
	case e.setup.Network.Activation == "tanh":
		return 1 - h*h
	case h > 0:
		return 1
	}
	return 0
}

// loss is the mean loss of a minibatch. It writes its gradient into g.
func (e *Engine) loss(s *bnn.State, b bnn.Batch, g []float64) (float64, error) {
	examples, found := e.sets[b.Set]
	if !found || len(b.Indices) == 0 {
		return 0, fmt.Errorf("a minibatch of %d examples of set %d: load the set first", len(b.Indices), b.Set)
	}
	clear(g)
	center := e.center(examples, b.Indices)
	w := e.workspace()
	total, share := 0.0, 1/float64(len(b.Indices))
	for _, i := range b.Indices {
		if i < 0 || int(i) >= examples.Len() {
			return 0, fmt.Errorf("example %d of %d", i, examples.Len())
		}
		x := examples.x[int(i)*e.in : (int(i)+1)*e.in]
		if c := b.Augment.Crop; c > 0 { // the nearest to a shift that a vector has: noise of that size
			x = jitter(x, float64(c), b.Augment.Seed, uint64(i))
		}
		e.forward(s.Parameters, x, center, w)
		total += e.differ(examples, int(i), w.y)
		e.backward(s.Parameters, w, g, share)
	}
	return total * share, nil
}

// jitter adds noise of a tenth of a size to a copy of x.
func jitter(x []float64, size float64, seed, i uint64) []float64 {
	rng := (&Engine{setup: bnn.Setup{Seed: seed}}).noise(0, i)
	moved := make([]float64, len(x))
	for j, v := range x {
		moved[j] = v + 0.1*size*rng.NormFloat64()
	}
	return moved
}

// differ returns the loss of outputs y and turns y into its gradient.
func (e *Engine) differ(s *set, i int, y []float64) float64 {
	loss := 0.0
	if e.setup.Network.Loss == "squared" {
		for j := range y {
			y[j] -= float64(s.Targets[i*e.out+j])
			loss += y[j] * y[j] / 2
		}
		return loss
	}
	top := y[0]
	for _, v := range y {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range y {
		sum += math.Exp(v - top)
	}
	label := int(s.Labels[i])
	loss = top + math.Log(sum) - y[label]
	for j, v := range y {
		y[j] = math.Exp(v-top) / sum
	}
	y[label]--
	return loss
}

// backward adds share times the gradient of an example, w.y being that of the outputs.
func (e *Engine) backward(theta []float64, w *workspace, g []float64, share float64) {
	below, at := w.x, 0
	if e.hid > 0 {
		below, at = w.h, e.hid*(e.in+1)
		clear(w.dh)
		for i, d := range w.y {
			for j := range w.dh {
				w.dh[j] += theta[at+i*e.hid+j] * d
			}
		}
		for j, h := range w.h {
			w.dh[j] *= e.slope(h)
		}
		outer(g, w.dh, w.x, share)
	}
	outer(g[at:], w.y, below, share)
}

// outer adds share·d xᵀ and, after it, share·d.
func outer(g, d, x []float64, share float64) {
	for i, v := range d {
		for j, u := range x {
			g[i*len(x)+j] += share * v * u
		}
		g[len(d)*len(x)+i] += share * v
	}
}
