package modes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A Mixture is a normalised law on R^d: normal laws, and beside them, with what is left of
// the weight, a wide law: uniform in a box, or another that is given.
type Mixture struct {
	Parts []Part    `json:"parts"`
	Lo    []float64 `json:"lo,omitempty"` // the box; nil is none
	Hi    []float64 `json:"hi,omitempty"`
	// Wide is in place of the box; nil is none.
	Wide *r2sgld.Guide `json:"-"`
	// Minima are those that the parts lie around, for [Mixture.Widths]; nil is none that are known.
	Minima []Mode `json:"-"`
}

// A Part is a normal law with its weight in (0, 1].
type Part struct {
	Weight float64     `json:"weight"`
	Center []float64   `json:"center"`
	L      [][]float64 `json:"l"` // of the covariance L Lᵀ, a lower triangle
	inv    [][]float64
}

// Validate reports what keeps m from being a law on R^d.
func (m *Mixture) Validate(d int) error {
	sum := 0.0
	for i, p := range m.Parts {
		if !(p.Weight > 0) || len(p.Center) != d || len(p.L) != d {
			return fmt.Errorf("part %d of the fitted law has weight %g and dimension %d", i+1, p.Weight, len(p.Center))
		}
		sum += p.Weight
		for j, row := range p.L {
			if len(row) != d || !(row[j] > 0) || !finite(row) || !finite(p.Center) {
				return fmt.Errorf("part %d of the fitted law has no covariance", i+1)
			}
		}
	}
	if len(m.Parts) == 0 || sum > 1+1e-9 || m.Lo != nil && (len(m.Lo) != d || len(m.Hi) != d) {
		return fmt.Errorf("the fitted law has %d parts of weight %g", len(m.Parts), sum)
	}
	for j := range m.Lo {
		if !(m.Lo[j] < m.Hi[j]) || math.IsInf(m.Hi[j]-m.Lo[j], 0) {
			return fmt.Errorf("the box of the fitted law is from %g to %g", m.Lo[j], m.Hi[j])
		}
	}
	return nil
}

// rest is the weight of the wide law.
func (m *Mixture) rest() float64 {
	rest := 1.0
	for _, p := range m.Parts {
		rest -= p.Weight
	}
	if m.Lo == nil && m.Wide == nil || rest < 1e-12 {
		return 0
	}
	return rest
}

// Surrounding is a normal law as wide as all parts together, several times over: where no
// box holds the density, it stands beside them.
func (m *Mixture) Surrounding() *r2sgld.Guide {
	d := m.Dim()
	mean, sum := make([]float64, d), 0.0
	for _, p := range m.Parts {
		sum += p.Weight
		for j, v := range p.Center {
			mean[j] += p.Weight * v
		}
	}
	for j := range mean {
		mean[j] /= sum
	}
	c := mat.NewSymDense(d, nil)
	for _, p := range m.Parts {
		off := mat.NewVecDense(d, nil)
		for j, v := range p.Center {
			off.SetVec(j, v-mean[j])
		}
		c.SymRankOne(c, p.Weight/sum, off)
		for k := range d {
			for j := range off.Len() {
				off.SetVec(j, p.L[j][k])
			}
			c.SymRankOne(c, p.Weight/sum, off)
		}
	}
	c.ScaleSym(around*around, c)
	l := factor(c)
	if l == nil {
		return nil
	}
	law := &Mixture{Parts: []Part{{Weight: 1, Center: mean, L: l}}}
	return &r2sgld.Guide{Potential: law, Draw: law.Draw}
}

// around is how many times as wide as all parts the law that surrounds them is.
const around = 3

// scaled is s times l.
func scaled(l [][]float64, s float64) [][]float64 {
	out := make([][]float64, len(l))
	for i, row := range l {
		out[i] = slices.Clone(row)
		floats.Scale(s, out[i])
	}
	return out
}

// Draw writes an independent draw into x. It may be called by several goroutines at once.
func (m *Mixture) Draw(x []float64, rng *rand.Rand) {
	u := rng.Float64()
	if u -= m.rest(); u < 0 {
		if m.Wide != nil {
			m.Wide.Draw(x, rng)
			return
		}
		for j := range x {
			x[j] = m.Lo[j] + (m.Hi[j]-m.Lo[j])*rng.Float64()
		}
		return
	}
	k := 0
	for k+1 < len(m.Parts) && u >= m.Parts[k].Weight {
		u -= m.Parts[k].Weight
		k++
	}
	p := &m.Parts[k]
	z := make([]float64, len(x))
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	for i, row := range p.L {
		x[i] = p.Center[i]
		for j := range i + 1 {
			x[i] += row[j] * z[j]
		}
	}
}

// Dim implements potential.Potential: a mixture is −log of its density.
func (m *Mixture) Dim() int { return len(m.Parts[0].Center) }

// Lanewise reports whether the wide law is; see [potential.Lanewise].
func (m *Mixture) Lanewise() bool { return m.Wide == nil || potential.Lanewise(m.Wide.Potential) }

// Evaluator implements potential.Potential.
func (m *Mixture) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	d := m.Dim()
	k := len(m.Parts) + 1
	e := &mixed{m: m, r: r, z: make([]float64, len(m.Parts)*d*r), logs: make([]float64, k*r), weights: make([]float64, k*r),
		top: make([]float64, r), sum: make([]float64, r), rest: math.Inf(-1)}
	for _, p := range m.Parts {
		if p.inv == nil {
			p.inv = inverse(p.L)
		}
		e.inv = append(e.inv, p.inv)
		c := math.Log(p.Weight) - float64(d)/2*math.Log(2*math.Pi)
		for j := range p.L {
			c -= math.Log(p.L[j][j])
		}
		e.constant = append(e.constant, c)
	}
	switch w := m.rest(); {
	case w == 0:
	case m.Wide != nil:
		e.rest = math.Log(w)
		e.wide, e.energy, e.grad = m.Wide.Potential.Evaluator(r, nil), make([]float64, r), make([]float64, r*d)
	default:
		e.rest = math.Log(w)
		for j := range m.Lo {
			e.rest -= math.Log(m.Hi[j] - m.Lo[j])
		}
	}
	return e
}

// mixed evaluates a mixture.
type mixed struct {
	m        *Mixture
	r        int
	inv      [][][]float64 // of L, of every part
	constant []float64     // log of what each part has at its centre
	rest     float64       // log density of the box, or log weight of the wide law; −Inf without
	wide     potential.Evaluator
	energy   []float64 // of the wide law
	grad     []float64
	z        []float64 // of every part: its states whitened, coordinate by coordinate
	logs     []float64 // of every part, and the rest, state by state
	weights  []float64 // in proportion to the densities
	top, sum []float64 // of every state: the largest log, the sum of the weights
}

// Eval implements potential.Evaluator.
func (e *mixed) Eval(energy, grad, x []float64) {
	if e.wide != nil {
		e.wide.Eval(e.energy, e.grad, x)
	}
	r, k := e.r, len(e.inv)
	for p := range e.inv {
		e.log(p, x)
	}
	e.other(e.logs[k*r:], x)
	copy(e.top, e.logs)
	for p := range k {
		vector.Max(e.top, e.top, e.logs[(p+1)*r:])
	}
	for p := range k + 1 {
		vector.Sub(e.weights[p*r:][:r], e.logs[p*r:][:r], e.top)
	}
	vector.Exp(e.weights, e.weights)
	clear(e.sum)
	clear(grad)
	for p := range k + 1 {
		weights := e.weights[p*r:][:r]
		vector.Add(e.sum, e.sum, weights)
		if p < k {
			e.lean(grad, p, weights)
		}
	}
	if e.wide != nil {
		for j := 0; j < len(grad); j += r {
			scale(e.grad[j:j+r], e.weights[k*r:])
		}
		vector.Add(grad, grad, e.grad)
	}
	for j := 0; j < len(grad); j += r {
		vector.Div(grad[j:j+r], grad[j:j+r], e.sum)
	}
	vector.Log(e.sum, e.sum)
	for i, l := range e.sum {
		energy[i] = -e.top[i] - l
	}
}

// log finds the log density of part p at x, with its weight, and x whitened.
func (e *mixed) log(p int, x []float64) {
	r, logs, center := e.r, e.logs[p*e.r:][:e.r], e.m.Parts[p].Center
	clear(logs)
	for i, row := range e.inv[p] {
		z := e.z[(p*len(center)+i)*r:][:r]
		clear(z)
		for j, l := range row[:i+1] {
			for n, v := range x[j*r:][:r] {
				z[n] += l * (v - center[j])
			}
		}
		for n, v := range z {
			logs[n] += v * v
		}
	}
	for n, sum := range logs {
		logs[n] = e.constant[p] - sum/2
	}
}

// other is the log density of the rest at x, with its weight.
func (e *mixed) other(logs, x []float64) {
	for i := range logs {
		switch {
		case e.wide != nil:
			logs[i] = e.rest - e.energy[i]
		case e.inside(x, i):
			logs[i] = e.rest
		default:
			logs[i] = math.Inf(-1)
		}
	}
}

// inside reports whether state i is in the box, if there is one.
func (e *mixed) inside(x []float64, i int) bool {
	for j, lo := range e.m.Lo {
		if v := x[j*e.r+i]; !(lo <= v && v <= e.m.Hi[j]) {
			return false
		}
	}
	return true
}

// lean adds the slope of part p, L⁻ᵀz, times the weights. It leaves z times them.
func (e *mixed) lean(grad []float64, p int, weights []float64) {
	r := e.r
	for i, row := range e.inv[p] {
		z := e.z[p*len(grad)+i*r:][:r]
		scale(z, weights)
		for j, l := range row[:i+1] {
			grad := grad[j*r:][:r]
			for n, v := range z {
				grad[n] += l * v
			}
		}
	}
}

// scale multiplies v by weights. What is not finite becomes 0 where a weight is.
func scale(v, weights []float64) {
	for n, w := range weights {
		if v[n] *= w; w == 0 {
			v[n] = 0
		}
	}
}

// white writes L⁻¹(x − c) into z and returns its square.
func white(z []float64, inverse [][]float64, x, c []float64) float64 {
	sum := 0.0
	for i, row := range inverse {
		row, x, c := row[:i+1], x[:i+1], c[:i+1]
		v := 0.0
		for j, l := range row {
			v += l * (x[j] - c[j])
		}
		z[i] = v
		sum += v * v
	}
	return sum
}

// Close closes the wide law.
func (e *mixed) Close() error {
	if e.wide == nil {
		return nil
	}
	return potential.Close(e.wide)
}

// Owner is the part that x most likely belongs to.
func (m *Mixture) Owner(x []float64) int {
	best, most, z := 0, math.Inf(-1), make([]float64, len(x))
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.inv == nil {
			p.inv = inverse(p.L)
		}
		log := math.Log(p.Weight) - white(z, p.inv, x, p.Center)/2
		for j := range p.L {
			log -= math.Log(p.L[j][j])
		}
		if log > most {
			best, most = i, log
		}
	}
	return best
}

// finite reports whether all of v are numbers.
func finite(v []float64) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}
