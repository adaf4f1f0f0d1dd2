package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/domain"
)

// wallChords is how many chords of a domain are followed to the walls of a constraint.
const wallChords = 32

// CheckConstraint looks at the constraint s of a domain d, whose walls bear a name, where chords
// from a point inside end at it. It returns an error where its gradient is 0 or not finite there:
// nothing can be mirrored by that; where the gradient differs from differences of its values by
// more than a tenth, at most of these points: kinks and rounding may spoil some; and where an
// answer depends on the states that are asked for at the same time.
func CheckConstraint(ctx context.Context, d domain.Domain, inside []float64, name string, s domain.Surface) error {
	c := &chords{d: d, name: name, g: s.Bind(), tracer: d.Tracer(), rng: rand.New(rand.NewPCG(0x5eed, 0xc4)),
		x: append([]float64(nil), inside...), dir: make([]float64, len(inside)), grad: make([]float64, len(inside))}
	for range wallChords {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := c.follow()
		if failed := domain.Err(d); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	if err := c.alone(); err != nil {
		return err
	}
	if 2*c.bad > c.looked {
		return c.worst
	}
	return domain.Err(d)
}

// chords go through a domain, to the walls of a constraint.
type chords struct {
	d            domain.Domain
	name         string
	g            domain.SurfaceEval
	tracer       domain.Tracer
	rng          *rand.Rand
	x, dir, grad []float64

	seen        [][]float64 // states that were asked for
	bad, looked int
	worst       error
}

// follow takes a chord in a direction of chance to its end, looks at the wall there if it is one of
// the constraint, and goes to a place of the chord.
func (c *chords) follow() error {
	for j := range c.dir {
		c.dir[j] = c.rng.NormFloat64()
	}
	normalise(c.dir)
	reach := 0.0
	lo, hi := domain.BoundsOf(c.d, len(c.x))
	for j, l := range lo {
		if reach = math.Hypot(reach, hi[j]-l); math.IsInf(reach, 1) {
			reach = far * max(1, norm(c.x))
			break
		}
	}
	for j := range c.dir {
		c.dir[j] *= reach
	}
	t, wall := c.tracer.Exit(c.x, c.dir, domain.None)
	at := make([]float64, len(c.x))
	for j, e := range c.dir {
		at[j] = c.x[j] + t*e
		c.dir[j] = e / reach
	}
	share := t * c.rng.Float64()
	var err error
	if wall != domain.None && domain.WallNames(c.d, []domain.Wall{wall}, nil)[0] == c.name {
		err = c.look(at)
	}
	for j, e := range c.dir {
		at[j] = c.x[j] + share*reach*e
	}
	if c.d.Contains(at) {
		c.x = at
	}
	return err
}

// look looks at the gradient at a point of the wall.
func (c *chords) look(at []float64) error {
	c.g.Gradient(c.grad, at)
	size := norm(c.grad)
	if !(size > 0) || math.IsInf(size, 1) {
		return fmt.Errorf("its gradient is %.6g at its wall, at %.6g: nothing can be mirrored there. Write it so that it rises through 0, as "+
			"r - 1 in place of (r - 1)^3", c.grad, at)
	}
	c.seen = append(c.seen, at)
	h := 1e-5 * max(1e-3, norm(at))
	step := func(h float64) float64 {
		y := make([]float64, len(at))
		for j, e := range c.dir {
			y[j] = at[j] + h*e
		}
		return c.g.Value(y)
	}
	along := 0.0
	for j, e := range c.dir {
		along += e * c.grad[j]
	}
	above, below := step(h), step(-h)
	slope := (above - below) / (2 * h)
	if slope-slope != 0 {
		return nil
	}
	c.looked++
	if math.Abs(slope-along) > slopeApart*max(math.Abs(along), 0.1*size)+1e-7*math.Abs(above)/h {
		c.bad++
		c.worst = fmt.Errorf("its gradient is not that of its values: at %.6g, along %.3g, it rises by %.6g a unit length, and the gradient "+
			"says %.6g", at, c.dir, slope, along)
	}
	return nil
}

// alone asks for all states that were looked at once more, in one block.
func (c *chords) alone() error {
	g, ok := c.g.(domain.BlockEval)
	n, d := len(c.seen), len(c.x)
	if !ok || n == 0 {
		return nil
	}
	v, grad, x := make([]float64, n), make([]float64, n*d), make([]float64, n*d)
	for i, at := range c.seen {
		for j, e := range at {
			x[j*n+i] = e
		}
	}
	g.Block(v, grad, x)
	for i, at := range c.seen {
		if w := g.Gradient(c.grad, at); w != v[i] {
			return fmt.Errorf("at %.6g it is %.17g, and %.17g when %d more states are asked for at the same time: its value must depend on the "+
				"state alone, to the last bit; do not promise lanewise, or compute states one by one", at, w, v[i], n-1)
		}
	}
	return nil
}
