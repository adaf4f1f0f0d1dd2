package modes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	hot      = 10.0 // temperature of the chains
	scales   = 8    // of points on either side of a line, from a quarter of a width to 16,000
	farther  = 4.0  // times as far is a point as the one before
	unheard  = 10.0 // log of the density above the law from where that does not know of it; and
	hotter   = 3.0  // for every coordinate, as hot chains go far out
	settling = 8    // steps, and one for every coordinate
)

// roam is what lies where the mixture knows nothing of, with its weight in parts of what the
// mixture holds, as far as hot chains that begin at its draws come: they go along lines, every
// second one along a coordinate, to one of points ever further out, and so from a spike into the
// slab around it. What is there is taken for a normal law, of which the chains draw at their
// temperature. It is no more than a look. The weight is 0 where there is nothing.
func (f *Fit) roam(ctx context.Context, t Target, rng *rand.Rand) (Part, error) {
	law := newEvaluator(&f.Mixture, lanes)
	c := &chains{f: f, t: t, v: newEvaluator(t.Energy, lanes), rng: rng}
	defer c.v.close()
	if err := c.begin(); err != nil {
		return Part{}, err
	}
	d := len(t.Width)
	there := &cloud{x: make([][]float64, d), slope: make([][]float64, d)}
	for step := range 2 * (settling + d) {
		if err := cmp.Or(ctx.Err(), c.step(step%2 == 0)); err != nil {
			return Part{}, err
		}
		if step < settling+d {
			continue
		}
		for i, x := range c.x {
			law.set(i, x)
		}
		if err := law.run(); err != nil {
			return Part{}, err
		}
		for i, e := range c.energy {
			if law.energy[i]-f.LogZ-e > unheard+hotter*float64(d) {
				there.add(c.x[i], c.slope[i], e)
			}
		}
	}
	return there.law(f.Mixture.Parts[0], f.LogZ), nil
}

// A cloud are states of a normal law at some temperature, coordinate by coordinate.
type cloud struct {
	x, slope [][]float64
	energy   []float64
}

func (c *cloud) add(x, slope []float64, e float64) {
	c.energy = append(c.energy, e)
	for j := range x {
		c.x[j], c.slope[j] = append(c.x[j], x[j]), append(c.slope[j], slope[j])
	}
}

// law is the normal law, with the mass of the density for its weight, in parts of one whose log
// is given. Twice the energy above the least is (x − mean)·slope, in the mean d times the
// temperature. Widths are taken along the axes of a part. The weight is 0 where there are too few
// states to tell; L is nil where they lie in fewer dimensions, or slopes lead outwards.
func (c *cloud) law(p Part, unit float64) Part {
	d, n := len(c.x), len(c.energy)
	if n < 2 {
		return Part{}
	}
	virial := 0.0
	for j, x := range c.x {
		virial += stat.Covariance(x, c.slope[j], nil)
	}
	temperature := virial / float64(d)
	log := float64(d)/2*math.Log(2*math.Pi/temperature) - stat.Mean(c.energy, nil) + virial/2
	inv, z := inverse(p.L), mat.NewDense(n, d, nil)
	states := mat.NewDense(n, d, nil)
	for j, x := range c.x {
		states.SetCol(j, x)
	}
	for i := range n {
		white(z.RawRowView(i), inv, states.RawRowView(i), p.Center)
	}
	out, sd := Part{}, make([]float64, n)
	for j, x := range c.x {
		log += math.Log(p.L[j][j] * stat.StdDev(mat.Col(sd, j, z), nil))
		out.Center = append(out.Center, stat.Mean(x, nil))
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, states, nil)
	covariance.ScaleSym(1/temperature, &covariance)
	out.Weight, out.L = math.Exp(log-unit), factor(&covariance)
	return out
}

// chains go side by side, one in each lane of an evaluator.
type chains struct {
	f      *Fit
	t      Target
	v      *evaluator
	rng    *rand.Rand
	x      [lanes][]float64
	slope  [lanes][]float64
	energy [lanes]float64
}

// inside reports whether a point lies in the domain.
func (c *chains) inside(x []float64) bool { return c.t.Domain == nil || c.t.Domain.Contains(x) }

// begin has chains begin at draws of the mixture.
func (c *chains) begin() error {
	for i := range c.x {
		c.x[i] = make([]float64, len(c.t.Width))
		c.f.Mixture.Draw(c.x[i], c.rng)
		for try := 1; !c.inside(c.x[i]) && try < mostTries; try++ {
			c.f.Mixture.Draw(c.x[i], c.rng)
		}
		if !c.inside(c.x[i]) {
			copy(c.x[i], c.f.near.law.Parts[0].Center)
		}
		c.v.set(i, c.x[i])
	}
	if err := c.v.run(); err != nil {
		return err
	}
	c.f.Evaluations += lanes
	for i, e := range c.v.energy {
		if c.energy[i] = e; e != e {
			c.energy[i] = math.Inf(1)
		}
		c.slope[i] = slices.Clone(c.v.slopeOf(i))
	}
	return nil
}

// step goes along a line from every state to one of points at distances s, by the density
// there times s, which a point has around it.
func (c *chains) step(whole bool) error {
	var line [lanes][]float64
	var first, went, total, lowest [lanes]float64
	next := c.energy
	for i := range line {
		line[i] = c.f.direction(whole, c.rng)
		first[i] = math.Pow(farther, c.rng.Float64()-1)
		total[i], lowest[i] = first[i]/farther, c.energy[i]
	}
	at := make([]float64, len(c.t.Width))
	for k := range 2 * scales {
		var out [lanes]bool
		s := math.Pow(farther, float64(k/2)) * float64(1-k%2*2)
		for i, x := range c.x {
			floats.AddScaledTo(at, x, s*first[i], line[i])
			if out[i] = !c.inside(at); out[i] {
				copy(at, x)
			}
			c.v.set(i, at)
		}
		if err := c.v.run(); err != nil {
			return err
		}
		c.f.Evaluations += lanes
		for i, e := range c.v.energy {
			u := c.rng.Float64()
			if out[i] || e-e != 0 {
				continue
			}
			if e < lowest[i] {
				total[i] *= math.Exp((e - lowest[i]) / hot)
				lowest[i] = e
			}
			weight := math.Abs(s) * first[i] * math.Exp((lowest[i]-e)/hot)
			if total[i] += weight; u*total[i] < weight {
				went[i], next[i] = s*first[i], e
				copy(c.slope[i], c.v.slopeOf(i))
			}
		}
	}
	for i, x := range c.x {
		floats.AddScaled(x, went[i], line[i])
	}
	c.energy = next
	return nil
}

// direction is that of a line, a width long: of a draw of a part, or of a coordinate.
func (f *Fit) direction(whole bool, rng *rand.Rand) []float64 {
	l := f.Mixture.Parts[rng.IntN(len(f.Mixture.Parts))].L
	line := make([]float64, len(l))
	if !whole {
		j := rng.IntN(len(l))
		line[j] = floats.Norm(l[j][:j+1], 2)
		return line
	}
	for k := range line {
		z := rng.NormFloat64()
		for j := k; j < len(l); j++ {
			line[j] += l[j][k] * z
		}
	}
	return line
}
