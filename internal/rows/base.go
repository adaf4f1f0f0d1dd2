package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
)

// A descendant is a parameter whose prior is of other parameters.
type descendant struct {
	order []int   // its coordinates
	rows  [][]int // those that the law is of together; of most each by itself
	law   *said
	of    []int // the coordinates that its arguments take
	args  []*expression.Func
}

// descends keeps how the entries of v are drawn.
func (b *builder) descends(v *array, l *said) error {
	d := &descendant{order: v.order, rows: v.rows(l), law: l}
	constants := make([]float64, len(l.with))
	for i, text := range l.with {
		names, _ := expression.Names(text)
		for _, n := range names {
			d.of = append(d.of, slices.Index(b.out.Names, n))
		}
		f, err := expression.Compile(text, b.out.Names)
		if err != nil {
			return err
		}
		constants[i] = math.NaN()
		if len(names) == 0 {
			f.Evaluator(1).Value(constants[i:i+1], make([]float64, len(b.out.Names)))
			if !l.takes[i].holds(constants[i]) {
				return fmt.Errorf("%s of %s is %s; found %g", l.args[i], l.name, l.takes[i].words, constants[i])
			}
		}
		d.args = append(d.args, f)
	}
	if l.indefinite(constants) {
		return fmt.Errorf("%s", l.notDefinite())
	}
	b.out.descendants = append(b.out.descendants, d)
	return nil
}

// A block is a law of several coordinates together, by numbers alone.
type block interface {
	coordinates() []int
	draw(x []float64, rng *rand.Rand)
	logArea() float64 // logarithm of the area that they fill over that of its shadow; 0 where it is none
	peaked() bool     // the density grows without bound at its walls
}

// A composition is a simplex: shares that add up to 1, with a Dirichlet prior.
type composition struct {
	order []int // their coordinates
	alpha []float64
}

// draw writes shares: gamma numbers over their sum (Devroye 1986, section XI.4). Where all may round to
// 0 they are told by their logarithms, of larger ones times powers of uniform numbers.
func (c *composition) draw(x []float64, rng *rand.Rand) {
	sum, small, most := 0.0, slices.Min(c.alpha) < 1, math.Inf(-1)
	for i, j := range c.order {
		a := c.alpha[i]
		if small {
			x[j] = math.Log(gamma([]float64{a + 1, 1}, rng)) - rng.ExpFloat64()/a
			most = max(most, x[j])
		} else {
			x[j] = gamma([]float64{a, 1}, rng)
		}
	}
	for _, j := range c.order {
		if small {
			x[j] = math.Exp(x[j] - most)
		}
		sum += x[j]
	}
	for _, j := range c.order {
		x[j] /= sum
	}
}

func (c *composition) coordinates() []int { return c.order }
func (c *composition) logArea() float64   { return logArea(len(c.order)) }
func (c *composition) peaked() bool       { return slices.Min(c.alpha) < 1 }

// Peaked reports whether the prior of a simplex grows without bound where a share goes to 0, or that of
// correlations where these go to 1.
func (p *Posterior) Peaked() bool { return slices.ContainsFunc(p.blocks, block.peaked) }

// inherits reports whether the prior of a coordinate is of other parameters.
func (p *Posterior) inherits(j int) bool {
	return slices.ContainsFunc(p.descendants, func(d *descendant) bool { return slices.Contains(d.order, j) })
}

// jointly reports whether the prior of a coordinate is a law of several together.
func (p *Posterior) jointly(j int) bool {
	return slices.ContainsFunc(p.descendants, func(d *descendant) bool { return slices.Contains(d.order, j) && len(d.rows) < len(d.order) })
}

// A family draws from the law of priors of which some are of other parameters.
type family struct {
	independent []*prior.Prior // by coordinate; nil of others
	blocks      []block
	descendants []*descendant // each after those that it is of
	lo, hi      []float64
	spare       sync.Pool // of *drawing
}

// Base is the law of the priors where some are of other parameters, or of a simplex: independent
// ones normalised on [lo, hi], the others as they are; and what is left of Potential, whose
// integral with that is the same. It is nil where all priors are of one parameter, where a
// parameter has none and is not bounded, where priors go round in a circle, and where the
// density of some of their own draws is not finite.
func (p *Posterior) Base(lo, hi []float64) (*r2sgld.Base, potential.Potential) {
	if len(p.descendants)+len(p.blocks) == 0 {
		return nil, nil
	}
	f, mass := p.family(lo, hi)
	if f == nil {
		return nil, nil
	}
	normal, err := potential.Formula(minus(mass, p.terms), p.Names...)
	if err == nil {
		normal, err = p.Prior.Add(normal)
	}
	if err != nil {
		return nil, nil
	}
	if !f.sound(normal, lo, hi) {
		return nil, nil
	}
	var left potential.Potential = p.Likelihood
	if p.LogMass != mass {
		shift, err := potential.Formula(minus(p.LogMass-mass, nil), p.Names...)
		if err == nil {
			left, err = potential.Sum(left, shift)
		}
		if err != nil {
			return nil, nil
		}
	}
	return &r2sgld.Base{Potential: normal, LogMass: mass, Draw: f.draw}, left
}

// Draws is what draws from the priors, independent ones within [lo, hi]: NaN where arguments
// give no law. Other walls are the caller's. It may be called by several goroutines; nil where
// a parameter has no law.
func (p *Posterior) Draws(lo, hi []float64) func(x []float64, rng *rand.Rand) {
	f, _ := p.family(lo, hi)
	if f == nil {
		return nil
	}
	alike, _ := p.Alike(lo, hi)
	return func(x []float64, rng *rand.Rand) {
		f.draw(x, rng)
		Sort(x, alike)
	}
}

// Alike are the coordinates of each parameter with an order whose entries have one law within
// [lo, hi], given all else: draws that are sorted have the law that the order leaves of it. With
// them comes the logarithm of the part that it leaves, 1 of k! for k entries.
func (p *Posterior) Alike(lo, hi []float64) (alike [][]int, log float64) {
	for _, of := range p.ordered {
		same := func(j int) bool { return lo[j] == lo[of[0]] && hi[j] == hi[of[0]] }
		if p.jointly(of[0]) {
			continue
		}
		if p.inherits(of[0]) || !slices.ContainsFunc(of, func(j int) bool { return !same(j) }) {
			lgamma, _ := math.Lgamma(float64(len(of) + 1))
			alike, log = append(alike, of), log-lgamma
		}
	}
	return alike, log
}

// Sort sorts the numbers at some coordinates, in each set of these.
func Sort(x []float64, sets [][]int) {
	for _, of := range sets {
		v := make([]float64, len(of))
		for i, j := range of {
			v[i] = x[j]
		}
		slices.Sort(v)
		for i, j := range of {
			x[j] = v[i]
		}
	}
}

// family is what draws from the priors, with the logarithm of the mass that independent ones
// have within [lo, hi]; nil where there is none.
func (p *Posterior) family(lo, hi []float64) (f *family, mass float64) {
	f = &family{independent: make([]*prior.Prior, len(p.Names)), blocks: p.blocks, lo: lo, hi: hi}
	known := make([]bool, len(p.Names))
	for _, c := range p.blocks {
		mass += c.logArea()
		for _, j := range c.coordinates() {
			known[j] = true
		}
	}
	for j := range known {
		if known[j] || p.inherits(j) {
			continue
		}
		known[j] = true
		var log float64
		if f.independent[j], log = p.Prior.On(j, lo[j], hi[j]); f.independent[j] == nil {
			return nil, 0
		}
		mass += log
	}
	for rest := slices.Clone(p.descendants); len(rest) > 0; {
		next := slices.IndexFunc(rest, func(d *descendant) bool {
			return !slices.ContainsFunc(d.of, func(j int) bool { return !known[j] })
		})
		if next < 0 {
			return nil, 0
		}
		for _, j := range rest[next].order {
			known[j] = true
		}
		f.descendants = append(f.descendants, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	f.spare.New = f.room
	return f, mass
}

// sound reports whether the density is finite at draws between the walls: it is not where
// arguments give no law, such as a scale that may be negative.
func (f *family) sound(u potential.Potential, lo, hi []float64) bool {
	d := len(lo)
	rng := rand.New(rand.NewPCG(1, 1))
	eval, energy, x, g := u.Evaluator(1, nil), make([]float64, 1), make([]float64, d), make([]float64, d)
	within := 0
	for range 4000 {
		f.draw(x, rng)
		inside := true
		for j, v := range x {
			inside = inside && !(v < lo[j]) && !(v > hi[j])
		}
		if !inside {
			continue
		}
		within++
		if eval.Eval(energy, g, x); math.IsNaN(energy[0]) || math.IsInf(energy[0], 0) {
			return false
		}
	}
	return within > 0
}

// A drawing is room for a draw.
type drawing struct {
	args  [][]*expression.Evaluator // of each descendant
	value []float64
	row   []float64
}

func (f *family) room() any {
	w := &drawing{}
	for _, d := range f.descendants {
		var of []*expression.Evaluator
		for _, a := range d.args {
			of = append(of, a.Evaluator(1))
		}
		w.args, w.value = append(w.args, of), append(w.value, make([]float64, len(of))...)
		w.row = append(w.row, make([]float64, len(d.rows[0]))...)
	}
	return w
}

// draw writes an independent draw: NaN where arguments give no law.
func (f *family) draw(x []float64, rng *rand.Rand) {
	w := f.spare.Get().(*drawing)
	defer f.spare.Put(w)
	for j, q := range f.independent {
		if x[j] = 0; q != nil {
			x[j] = q.X(rng.Float64())
		}
	}
	for _, c := range f.blocks {
		c.draw(x, rng)
	}
	for k, d := range f.descendants {
		a := w.value[:len(d.args)]
		for i, e := range w.args[k] {
			e.Value(a[i:i+1], x)
		}
		for _, row := range d.rows {
			y := w.row[:len(row)]
			d.law.drawn(y, a, rng)
			for i, j := range row {
				x[j] = d.law.of.between(y[i], f.lo[j], f.hi[j])
			}
		}
	}
}
