package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// An Anchor is a mode, about which differences are taken.
type Anchor struct {
	X []float64
	L [][]float64 // L Lᵀ is the covariance of the law there, len(X) × k
}

// Minibatches is a [Likelihood] of which every call sees few rows, drawn afresh. Its energies
// and slopes are unbiased: those of all rows at the mode nearest to the state, to first order
// from there on, and what the drawn rows differ from that, N/n-fold (Baker, Fearnhead, Fox &
// Nemeth 2019; of energies Quiroz, Kohn, Villani & Tran 2019). Near a mode that difference is
// of second order, and its noise falls as the posterior narrows.
//
// Rows are put in an order of chance once, and drawn in chunks of neighbours in it: these have
// no more in common than any others.
type Minibatches struct {
	whole *Likelihood
	parts []parted // in the order of chance
	chunk int      // rows that are drawn together; the last chunk may have fewer
	drawn int      // chunks of a minibatch
	about []*reference
}

// A reference is what rows have at an anchor.
type reference struct {
	at, sd []float64
	energy float64     // of all rows
	slope  []float64   // of all rows
	value  []float64   // energy of each chunk
	slopes [][]float64 // of each chunk
}

const (
	fewestChunks = 8 // of a minibatch: fewer would tell little of its noise
	mostChunk    = strip
)

// Minibatches takes n of the rows about modes, one at least, rounded up to whole chunks. It
// is an error if the rows are no more than that, or the density of one, or its slope, is not
// finite at a mode.
func (p *Posterior) Minibatches(n int, about []Anchor) (*Minibatches, error) {
	whole := p.Likelihood
	m := &Minibatches{whole: whole, chunk: 1}
	for 2*m.chunk <= min(n/fewestChunks, mostChunk) {
		m.chunk *= 2
	}
	m.drawn = max(1, (n+m.chunk-1)/m.chunk)
	if m.Rows() >= whole.rows {
		return nil, fmt.Errorf("a minibatch of %d of %d rows: leave it out, which takes all rows", n, whole.rows)
	}
	order := rand.New(rand.NewPCG(1, uint64(whole.rows))).Perm(whole.rows)
	for _, p := range whole.byRows() {
		m.parts = append(m.parts, p.taken(order))
	}
	for _, a := range about {
		r := &reference{at: a.X, slope: make([]float64, whole.dim)}
		for _, row := range a.L {
			sd := 0.0
			for _, v := range row {
				sd = math.Hypot(sd, v)
			}
			r.sd = append(r.sd, sd)
		}
		energy := make([]float64, 1)
		whole.Evaluator(1, nil).Eval(energy, r.slope, a.X)
		r.energy = energy[0]
		m.each(a.X, func(value float64, slope []float64) {
			r.value, r.slopes = append(r.value, value), append(r.slopes, slices.Clone(slope))
		})
		if all := r.energy + sum(r.slope) + sum(r.value); all-all != 0 {
			return nil, fmt.Errorf("the log density of a row, or its slope, is not finite at the mode: minibatches begin there")
		}
		m.about = append(m.about, r)
	}
	return m, nil
}

// chunks are how many the rows make.
func (m *Minibatches) chunks() int { return (m.whole.rows + m.chunk - 1) / m.chunk }

// adder adds what all parts have in a chunk.
func (m *Minibatches) adder() (all chunkAdders) {
	for _, p := range m.parts {
		all = append(all, p.chunks(m.chunk))
	}
	return all
}

// byRows are parts that go through rows, whose sum is the likelihood.
func (p *Likelihood) byRows() (all []parted) {
	for _, q := range p.parts {
		rows, ok := q.(parted)
		if !ok {
			return []parted{&p.rowwise}
		}
		all = append(all, rows)
	}
	return all
}

// Rows is how many rows a minibatch has at most.
func (m *Minibatches) Rows() int { return m.drawn * m.chunk }

// each evaluates all chunks at a state.
func (m *Minibatches) each(x []float64, do func(value float64, slope []float64)) {
	adder, slope := m.adder(), make([]float64, m.whole.dim)
	for from := 0; from < m.whole.rows; from += m.chunk {
		clear(slope)
		value := []float64{0}
		adder.chunk(value, slope, x, 1, from)
		do(value[0], slope)
	}
}

// Spread is by how much the slopes of minibatches vary at draws from the normal law about the
// deepest mode: the largest variance of a slope in coordinates in which that law is standard
// normal, times the rows of a minibatch. A minibatch of as many rows makes as much noise
// as the curvature is. Draws are halved towards the mode until they are inside.
//
// Heavy is how many rows a minibatch needs for the noise of its energies to have an excess kurtosis of at most
// 1, on average over the draws: swaps take that noise for normal.
func (m *Minibatches) Spread(a Anchor, inside func(x []float64) bool) (spread, heavy float64) {
	const looks = 8
	rng := rand.New(rand.NewPCG(2, uint64(m.whole.rows)))
	d, k, c := len(a.X), len(a.L[0]), float64(m.chunks())
	l := mat.NewDense(d, k, nil)
	for i, row := range a.L {
		l.SetRow(i, row)
	}
	r := m.about[0]
	worst, variance := 0.0, make([]float64, k)
	for range looks {
		step, x := mat.NewVecDense(d, nil), make([]float64, d)
		z := mat.NewVecDense(k, nil)
		for i := range k {
			z.SetVec(i, rng.NormFloat64())
		}
		step.MulVec(l, z)
		for try := 0; ; try++ {
			for i := range x {
				x[i] = a.X[i] + step.AtVec(i)
			}
			if inside(x) || try == 60 {
				break
			}
			step.ScaleVec(0.5, step)
		}
		sum, squares, q := make([]float64, k), make([]float64, k), 0
		var noise []float64 // of the energy of each chunk
		m.each(x, func(value float64, slope []float64) {
			value -= r.value[q]
			for j, g := range r.slopes[q] {
				value -= g * (x[j] - a.X[j])
			}
			noise = append(noise, value)
			for i := range k {
				v := 0.0
				for j := range d {
					v += l.At(j, i) * (slope[j] - r.slopes[q][j])
				}
				sum[i] += v
				squares[i] += v * v
			}
			q++
		})
		for i := range k {
			variance[i] += (squares[i] - sum[i]*sum[i]/c) / max(1, c-1) / looks
		}
		if kurtosis := stat.ExKurtosis(noise, nil); kurtosis > 0 {
			heavy += kurtosis * float64(m.chunk) / looks
		}
	}
	for _, v := range variance {
		worst = max(worst, v)
	}
	return worst * c * c * float64(m.chunk), heavy
}

// manyRows are so many that descents begin with as many of them.
const manyRows = 20_000

// Few is the potential of some rows, each of which counts for several, where rows that are gone
// through are many.
func (p *Likelihood) Few() (potential.Potential, float64) {
	if p.rows <= manyRows || p.Summed() {
		return p, 1
	}
	return p.few(manyRows), float64(manyRows) / float64(p.rows)
}

// few is that of n of the rows, one of each of n stretches, drawn by chance, and of sums over all.
func (p *Likelihood) few(n int) *sampled {
	some, rng := make([]int, n), rand.New(rand.NewPCG(3, uint64(p.rows)))
	for i := range some {
		from := i * p.rows / n
		some[i] = from + rng.IntN((i+1)*p.rows/n-from)
	}
	made, rest := *p, *p
	made.parts, rest.parts, rest.total = nil, nil, 0
	out := &sampled{made: &made, rest: &rest, by: float64(p.rows) / float64(n)}
	for _, q := range p.parts {
		if rows, ok := q.(parted); ok {
			out.rest.parts = append(out.rest.parts, rows.taken(some))
		} else {
			out.made.parts = append(out.made.parts, q)
		}
	}
	return out
}

// A sampled likelihood is what sums over all rows tell, and several times what is left, of some rows.
type sampled struct {
	made, rest *Likelihood
	by         float64
}

func (p *sampled) Dim() int { return p.made.dim }

// Lanewise is true, as of all rows.
func (p *sampled) Lanewise() bool { return true }

// Evaluator returns an evaluator for blocks of r states.
func (p *sampled) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return &sampledEvaluator{p.made.Evaluator(r, s), p.rest.Evaluator(r, s), p.by, make([]float64, r), make([]float64, r*p.Dim())}
}

type sampledEvaluator struct {
	made, rest   potential.Evaluator
	by           float64
	energy, grad []float64
}

func (e *sampledEvaluator) Eval(energy, grad, x []float64) {
	e.made.Eval(energy, grad, x)
	e.rest.Eval(e.energy, e.grad, x)
	floats.AddScaled(energy[:len(e.energy)], e.by, e.energy)
	floats.AddScaled(grad[:len(e.grad)], e.by, e.grad)
}

// Dim is the number of coordinates.
func (m *Minibatches) Dim() int { return m.whole.dim }

// Exact is the likelihood of all rows.
func (m *Minibatches) Exact() (potential.Potential, bool) { return &exactly{m.whole, m}, true }

// An exactly is the likelihood of all rows, whose rough one sees the same rows in every call.
type exactly struct {
	*Likelihood
	by *Minibatches
}

// mostRough is how many rows tell where steps are measured.
const mostRough = 20_000

// Rough is the likelihood by the same rows at every call, about the modes.
func (p *exactly) Rough() potential.Potential {
	m := *p.by
	m.drawn = max(m.drawn, mostRough/m.chunk)
	if m.drawn >= m.chunks() {
		return p.Likelihood
	}
	return &fixed{m}
}

// A fixed likelihood is one of minibatches that are the same.
type fixed struct{ of Minibatches }

func (p *fixed) Dim() int { return p.of.Dim() }

// Lanewise is true, as of all rows.
func (p *fixed) Lanewise() bool { return true }

// Evaluator returns an evaluator for blocks of r states.
func (p *fixed) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	e := p.of.evaluator(r)
	first := make([]int, p.of.drawn)
	for q := range first {
		first[q] = q
	}
	e.draw = func() []int { return first }
	return e
}

// EnergyNoise is not known.
func (m *Minibatches) EnergyNoise() float64 { return math.NaN() }

// Evaluator returns an evaluator for blocks of r states.
func (m *Minibatches) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := m.evaluator(r)
	e.draw = s.Subset(m.chunks(), m.drawn).Draw
	return e
}

func (m *Minibatches) evaluator(r int) *batchEvaluator {
	e := &batchEvaluator{m: m, adder: m.adder(), states: r, sums: make([]reference, len(m.about))}
	for i := range e.sums {
		e.sums[i].slope = make([]float64, m.whole.dim)
	}
	return e
}

type batchEvaluator struct {
	m      *Minibatches
	draw   func() []int // chunks of a minibatch
	adder  chunkAdders
	states int
	sums   []reference // over the minibatch, of each anchor
}

// nearest is the anchor that state i of r is nearest to, in its standard deviations.
func (m *Minibatches) nearest(x []float64, i, r int) (best int) {
	least := math.Inf(1)
	for k, a := range m.about {
		sum := 0.0
		for j, at := range a.at {
			if v := (x[j*r+i] - at) / a.sd[j]; a.sd[j] > 0 {
				sum += v * v
			}
		}
		if sum < least {
			best, least = k, sum
		}
	}
	return best
}

// Eval writes estimates of −log density and of its gradient.
func (e *batchEvaluator) Eval(energy, grad, x []float64) {
	m, r, d := e.m, e.states, e.m.whole.dim
	clear(energy[:r])
	clear(grad[:d*r])
	for k := range e.sums {
		e.sums[k].energy = 0
		clear(e.sums[k].slope)
	}
	for _, q := range e.draw() {
		e.adder.chunk(energy, grad, x, r, q*m.chunk)
		for k, a := range m.about {
			e.sums[k].energy += a.value[q]
			for j, v := range a.slopes[q] {
				e.sums[k].slope[j] += v
			}
		}
	}
	scale := float64(m.chunks()) / float64(m.drawn)
	for i := range r {
		k := m.nearest(x, i, r)
		a, drawn := m.about[k], &e.sums[k]
		whole, part := a.energy, drawn.energy
		for j, at := range a.at {
			off := x[j*r+i] - at
			whole += a.slope[j] * off
			part += drawn.slope[j] * off
			grad[j*r+i] = a.slope[j] + scale*(grad[j*r+i]-drawn.slope[j])
		}
		energy[i] = whole + scale*(energy[i]-part)
	}
}
