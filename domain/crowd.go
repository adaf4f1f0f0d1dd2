package domain

import (
	"iter"
	"math"
	"slices"
)

// A BlockEval is a SurfaceEval that takes many states for little more than one, as where
// another program evaluates g. An answer depends on its state alone, to the last bit.
type BlockEval interface {
	SurfaceEval
	// Block writes g of len(v) states into v and their gradients into grad: coordinate j of
	// state i is x[j*len(v)+i], and so is its partial derivative.
	Block(v, grad, x []float64)
}

// A Crowd does side by side what many replicas do in a domain, so that what they ask of a
// surface whose evaluators are [BlockEval]s is asked at once. It remembers the last answers.
// It belongs to one goroutine.
type Crowd struct {
	domain Domain
	boards []*board
	now    *member // whose turn it is; nil outside of Do
	all    []member
}

// NewCrowd returns a crowd in d; nil where no surface of d takes many states. A domain that is
// made of surfaces, or of other domains, has a method Through(c *Crowd) Domain, which returns
// the same domain with the [Crowd.Surface] of each of its surfaces, or the [Crowd.Through] of
// each of the others.
func NewCrowd(d Domain) *Crowd {
	if d == nil {
		return nil
	}
	c := &Crowd{}
	if c.domain = c.Through(d); len(c.boards) == 0 {
		return nil
	}
	return c
}

// Domain is that of the crowd, asked through it. It belongs to the goroutine of the crowd.
func (c *Crowd) Domain() Domain { return c.domain }

// Through is d, asked through the crowd; d itself where nothing of it can be.
func (c *Crowd) Through(d Domain) Domain {
	if m, ok := d.(interface{ Through(c *Crowd) Domain }); ok {
		return m.Through(c)
	}
	return d
}

// Surface is s, asked through the crowd; s itself where it takes states one by one.
func (c *Crowd) Surface(s Surface) Surface {
	e, ok := s.Bind().(BlockEval)
	if !ok {
		return s
	}
	b := &board{crowd: c, eval: e, memory: newMemory(s.Dim())}
	c.boards = append(c.boards, b)
	return boarded{s, b}
}

// A member is one of what a crowd does.
type member struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	asked int64
	ended bool
}

// Asked counts the values that do(i) asked for in the last Do, those remembered included.
func (c *Crowd) Asked(i int) int64 { return c.all[i].asked }

// Do does do(0) … do(n−1), each until it asks; then all questions are answered, and they go
// on. They share the goroutine: no two run at the same time. Without a crowd, nil, it does one
// after the other.
func (c *Crowd) Do(n int, do func(i int)) {
	if c == nil {
		for i := range n {
			do(i)
		}
		return
	}
	c.all = slices.Grow(c.all[:0], n)[:n]
	for i := range c.all {
		m := &c.all[i]
		*m = member{}
		m.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			m.yield = yield
			do(i)
		})
	}
	for open := n; open > 0; {
		for i := range c.all {
			if c.now = &c.all[i]; c.now.ended {
				continue
			}
			if _, asks := c.now.next(); !asks {
				c.now.ended = true
				open--
			}
		}
		c.now = nil
		for _, b := range c.boards {
			b.answer()
		}
	}
}

// Foresee asks for states that are likely to be asked for one after the other: then their answers
// are remembered.
func (c *Crowd) Foresee(states [][]float64) {
	n, d := len(states), c.domain.Dim()
	x, v, grad := make([]float64, n*d), make([]float64, n), make([]float64, n*d)
	for i, s := range states {
		for j, e := range s {
			x[j*n+i] = e
		}
	}
	for _, b := range c.boards {
		b.ask(v, grad, x)
	}
}

// A board collects what is asked of a surface.
type board struct {
	crowd  *Crowd
	eval   BlockEval
	asked  []question
	room   []float64
	memory memory
}

// A question is one of n states, number i of those in x, whose answers have the same place.
type question struct {
	v, grad, x []float64
	i, n       int
}

// ask answers as a BlockEval does, of what is not remembered when the crowd does.
func (b *board) ask(v, grad, x []float64) {
	before := len(b.asked)
	for i := range v {
		if q := (question{v, grad, x, i, len(v)}); !b.memory.recall(q) {
			b.asked = append(b.asked, q)
		}
	}
	m := b.crowd.now
	if m != nil {
		m.asked += int64(len(v))
	}
	switch {
	case len(b.asked) == before:
	case m == nil:
		b.answer()
	default:
		m.yield(struct{}{})
	}
}

// answer answers all questions.
func (b *board) answer() {
	n, d := len(b.asked), b.memory.d
	if n == 0 {
		return
	}
	b.room = roomFor(b.room, (2*d+1)*n)
	x, grad, v := b.room[:d*n], b.room[d*n:2*d*n], b.room[2*d*n:]
	for k, q := range b.asked {
		for j := range d {
			x[j*n+k] = q.x[j*q.n+q.i]
		}
	}
	b.eval.Block(v, grad, x)
	for k, q := range b.asked {
		q.v[q.i] = v[k]
		for j := range d {
			q.grad[j*q.n+q.i] = grad[j*n+k]
		}
		b.memory.keep(q)
	}
	b.asked = b.asked[:0]
}

// memoryNumbers bounds the numbers that a memory holds, unless it holds few states.
const (
	memoryNumbers = 1 << 17
	memoryFewest  = 1 << 9
	memoryMost    = 1 << 12
)

// A memory holds the last answers of a surface, by a few bits of what the state is hashed to.
type memory struct {
	d       int
	mask    uint64
	numbers []float64 // of each place the value, the state and the gradient
	used    []bool
}

func newMemory(d int) memory {
	places := memoryMost
	for places > memoryFewest && places*(2*d+1) > memoryNumbers {
		places /= 2
	}
	return memory{d: d, mask: uint64(places - 1)}
}

// place returns where the state of q is remembered, if it is, and the number of its place.
func (m *memory) place(q question) (at []float64, k uint64) {
	if m.numbers == nil {
		m.numbers, m.used = make([]float64, (m.mask+1)*uint64(2*m.d+1)), make([]bool, m.mask+1)
	}
	for j := range m.d {
		k = (k ^ math.Float64bits(q.x[j*q.n+q.i])) * 0x9e3779b97f4a7c15
		k ^= k >> 32
	}
	k &= m.mask
	width := uint64(2*m.d + 1)
	return m.numbers[k*width : (k+1)*width], k
}

// recall answers q, if the same state was answered of late.
func (m *memory) recall(q question) bool {
	at, k := m.place(q)
	if !m.used[k] {
		return false
	}
	for j, v := range at[1 : 1+m.d] {
		if math.Float64bits(v) != math.Float64bits(q.x[j*q.n+q.i]) {
			return false
		}
	}
	q.v[q.i] = at[0]
	for j, v := range at[1+m.d:] {
		q.grad[j*q.n+q.i] = v
	}
	return true
}

// keep remembers the answer to q.
func (m *memory) keep(q question) {
	at, k := m.place(q)
	m.used[k], at[0] = true, q.v[q.i]
	for j := range m.d {
		at[1+j], at[1+m.d+j] = q.x[j*q.n+q.i], q.grad[j*q.n+q.i]
	}
}

// boarded is a surface that is asked through a board.
type boarded struct {
	Surface
	board *board
}

func (s boarded) Bind() SurfaceEval {
	return &asker{s.board, make([]float64, 1), make([]float64, s.board.memory.d)}
}

// Err is that of the surface.
func (s boarded) Err() error { return failureOf(s.Surface) }

// An asker is an evaluator of a boarded surface.
type asker struct {
	*board
	v, spare []float64
}

func (a *asker) Value(x []float64) float64 { return a.Gradient(a.spare, x) }

func (a *asker) Gradient(g, x []float64) float64 {
	a.ask(a.v, g, x)
	return a.v[0]
}

func (a *asker) Block(v, grad, x []float64) { a.ask(v, grad, x) }

// Through is the same set, asked through the crowd.
func (m *implicit) Through(c *Crowd) Domain {
	surfaces := make([]Surface, len(m.surfaces))
	for i, s := range m.surfaces {
		surfaces[i] = c.Surface(s)
	}
	n := &implicit{surfaces: surfaces, names: m.names, bounded: m.bounded, lo: m.lo, hi: m.hi, substep: m.substep, Found: m.Found}
	n.pool.New = func() any { return n.bind() }
	return n
}

// Through is the intersection of the same members, asked through the crowd.
func (x *intersection) Through(c *Crowd) Domain {
	y := &intersection{Found: x.Found}
	for _, m := range x.members {
		y.members = append(y.members, c.Through(m))
	}
	return y
}

// Through is the product of the same parts, asked through the crowd.
func (p *product) Through(c *Crowd) Domain {
	q := &product{d: p.d}
	for _, part := range p.parts {
		q.parts = append(q.parts, Part{c.Through(part.Domain), part.At})
	}
	return q
}

// Through is the image of the same domain, asked through the crowd.
func (m *mapped) Through(c *Crowd) Domain { return &mapped{d: c.Through(m.d), a: m.a} }

// Err says why d holds no state any more: the first failure of what tells where its walls are,
// such as another program; nil as long as there was none. A domain, or a [Surface], that can
// fail has a method Err() error.
func Err(d Domain) error { return failureOf(d) }

func failureOf(v any) error {
	if f, ok := v.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}

// firstFailure is that of several domains or surfaces.
func firstFailure[T any](all []T) error {
	for _, v := range all {
		if err := failureOf(v); err != nil {
			return err
		}
	}
	return nil
}

func (m *implicit) Err() error     { return firstFailure(m.surfaces) }
func (x *intersection) Err() error { return firstFailure(x.members) }
func (p *product) Err() error      { return firstFailure(p.members()) }
func (m *mapped) Err() error       { return Err(m.d) }
