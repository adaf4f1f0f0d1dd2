package command

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
)

// ConstraintNames are those of the functions g that are not above 0 where states may be, as
// the program says.
func (p *Potential) ConstraintNames() []string { return slices.Clone(p.abilities.Constraints) }

// Constraint is g(x) ≤ 0 by the constraint of a name, nil if the program has none of that. Its
// evaluators are [domain.BlockEval]s; any process of the program that is free answers. After a
// failure of the program they answer NaN at once: the method Err of the surface, and of the
// evaluators of the potential, tells it.
func (p *Potential) Constraint(name string) domain.Surface {
	if k := slices.Index(p.abilities.Constraints, name); k >= 0 {
		return &constraint{p, walls + uint32(k)}
	}
	return nil
}

// A constraint is asked for by requests of a kind.
type constraint struct {
	p    *Potential
	kind uint32
}

func (c *constraint) Dim() int   { return c.p.Dim() }
func (c *constraint) Err() error { return c.p.pool.failure() }

func (c *constraint) Bind() domain.SurfaceEval {
	return &bound{c, make([]float64, 1), make([]float64, c.Dim())}
}

// A bound constraint has a workspace of its own.
type bound struct {
	*constraint
	v, spare []float64
}

func (b *bound) Value(x []float64) float64 { return b.Gradient(b.spare, x) }

func (b *bound) Gradient(g, x []float64) float64 {
	b.Block(b.v, g, x)
	return b.v[0]
}

// Block asks a process that is free, or a new one.
func (b *bound) Block(v, grad, x []float64) {
	pool := &b.p.pool
	err := pool.failure()
	if err == nil {
		var q *process
		if q, err = b.p.take(len(v)); err == nil {
			err = q.block(b.kind, v, grad, x, 0)
		}
		if err == nil {
			pool.give(q)
			return
		}
		pool.fail(err)
	}
	for _, s := range [2][]float64{v, grad} {
		for i := range s {
			s[i] = math.NaN()
		}
	}
}
