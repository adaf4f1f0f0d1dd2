package modes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/diag"
)

// A Core holds what draws say of a minimum against what the density itself does. The core
// of a minimum is where the Mahalanobis distance of its normal law is at most √d.
type Core struct {
	Mode     int     `json:"mode"`     // counted from 0
	Share    float64 `json:"share"`    // of the draws in the core and around the minima, those in the core
	Expected float64 `json:"expected"` // the same of the density
}

const (
	beyondCores = 8.0  // times √d: Mahalanobis distances from a minimum beyond which draws are around it
	elsewhere   = 0.1  // of the draws: where fewer are around, the normal laws are the density, or nearly
	coreDraws   = 4096 // uniform ones of a region
	coreShare   = 0.05 // ESS of such a draw, least
	coreErrors  = 5.0  // standard errors by which draws and density differ
	coreGap     = 0.05 // and shares at least
	likeness    = 0.5  // temperatures by which the mean energies around the minima may differ
)

// Cores compares draws, those of every ladder n × d, with the density: the mass of the core of
// each minimum with that of the ellipsoid of the draws that are far from all minima, by uniform
// draws of both. Where steps seldom find a narrow minimum that stands in a wide slab, neither
// chain knows of the mass there, and they agree. It returns the minima of which draws have
// another share than the density, nil where no two regions can be compared, and how many
// gradients it took.
func (t *Target) Cores(ctx context.Context, of []Mode, draws [][]float64, rng *rand.Rand) ([]Core, int64, error) {
	d := len(of[0].X)
	c := &cores{t: t, d: d, rng: rng}
	for _, m := range of {
		c.all = append(c.all, ellipsoid{m.X, m.L, inverse(m.L), math.Sqrt(float64(d))})
	}
	if !c.surround(draws) {
		return nil, 0, nil
	}
	v := newEvaluator(t.Energy, lanes)
	defer v.close()
	around, err := c.region(ctx, v, &c.around, c.far)
	if err != nil || !around.told || math.Abs(around.energy-c.meanEnergy(v, draws)) > likeness {
		return nil, c.asked, err
	}
	var out []Core
	for k := range of {
		core, err := c.region(ctx, v, &c.all[k], nil)
		if err != nil {
			return nil, c.asked, err
		}
		if !core.told {
			continue
		}
		odds := math.Exp(core.log - around.log)
		p := odds / (1 + odds)
		if q, differs := c.differ(draws, k, p, math.Hypot(core.se, around.se)); differs {
			out = append(out, Core{k, q, p})
		}
	}
	return out, c.asked, nil
}

// cores are the regions of a comparison.
type cores struct {
	t      *Target
	d      int
	rng    *rand.Rand
	all    []ellipsoid // of the minima
	around ellipsoid   // of the draws far from them
	asked  int64
}

// An ellipsoid is |L⁻¹(x − c)| ≤ r.
type ellipsoid struct {
	center []float64
	l, inv [][]float64
	r      float64
}

// within reports whether |L⁻¹(x − c)| ≤ times·r.
func (e *ellipsoid) within(x, z []float64, times float64) bool {
	return white(z, e.inv, x, e.center) <= times*times*e.r*e.r
}

// logVolume is that of e, less a constant of the dimension.
func (e *ellipsoid) logVolume() float64 {
	v := float64(len(e.l)) * math.Log(e.r)
	for j := range e.l {
		v += math.Log(e.l[j][j])
	}
	return v
}

// draw writes a uniform draw into x.
func (e *ellipsoid) draw(x, z []float64, rng *rand.Rand) {
	norm := 0.0
	for j := range z {
		z[j] = rng.NormFloat64()
		norm += z[j] * z[j]
	}
	scale := e.r * math.Pow(rng.Float64(), 1/float64(len(z))) / math.Sqrt(norm)
	for i, row := range e.l {
		x[i] = e.center[i]
		for j := range i + 1 {
			x[i] += scale * row[j] * z[j]
		}
	}
}

// far reports whether x is far from all minima.
func (c *cores) far(x, z []float64) bool {
	for k := range c.all {
		if c.all[k].within(x, z, beyondCores) {
			return false
		}
	}
	return true
}

// surround makes the ellipsoid of the draws that are far from all minima, and reports whether
// there are many of them.
func (c *cores) surround(draws [][]float64) bool {
	d, z, n, total := c.d, make([]float64, c.d), 0, 0
	mean, square := make([]float64, d), mat.NewSymDense(d, nil)
	for _, x := range draws {
		for ; len(x) > 0; x = x[d:] {
			if total++; !c.far(x[:d], z) {
				continue
			}
			n++
			for i := range d {
				mean[i] += x[i]
			}
			square.SymRankOne(square, 1, mat.NewVecDense(d, x[:d:d]))
		}
	}
	if float64(n) < elsewhere*float64(total) || n < 4*d {
		return false
	}
	for i := range mean {
		mean[i] /= float64(n)
	}
	for i := range d {
		for j := range i + 1 {
			square.SetSym(i, j, square.At(i, j)/float64(n)-mean[i]*mean[j])
		}
	}
	l := factor(square)
	if l == nil {
		return false
	}
	c.around = ellipsoid{mean, l, inverse(l), math.Sqrt(float64(d + 2))}
	return true
}

// mass is what uniform draws say of a region.
type mass struct {
	log, se float64 // of the mass, less the constant of the dimension
	energy  float64 // the mean there
	told    bool    // whether draws tell it
}

// region draws from e, without what only leaves out.
func (c *cores) region(ctx context.Context, v *evaluator, e *ellipsoid, only func(x, z []float64) bool) (mass, error) {
	x, z := make([]float64, c.d), make([]float64, c.d)
	var logs []float64
	for drawn := 0; drawn < coreDraws; drawn += lanes {
		var in [lanes]bool
		for i := range lanes {
			e.draw(x, z, c.rng)
			in[i] = (c.t.Domain == nil || c.t.Domain.Contains(x)) && (only == nil || only(x, z))
			if !in[i] {
				copy(x, e.center)
			}
			v.set(i, x)
		}
		if err := cmp.Or(ctx.Err(), v.run()); err != nil {
			return mass{}, err
		}
		c.asked += lanes
		for i, ok := range in {
			l := math.Inf(-1)
			if ok && v.energy[i] == v.energy[i] {
				l = -v.energy[i]
			}
			logs = append(logs, l)
		}
	}
	top := math.Inf(-1)
	for _, l := range logs {
		top = max(top, l)
	}
	if math.IsInf(top, 0) {
		return mass{}, nil
	}
	sum, squares, energy, n := 0.0, 0.0, 0.0, float64(len(logs))
	for _, l := range logs {
		if w := math.Exp(l - top); w > 0 {
			sum, squares, energy = sum+w, squares+w*w, energy-w*l
		}
	}
	ess := sum * sum / squares
	return mass{top + math.Log(sum/n) + e.logVolume(), math.Sqrt(max(0, 1/ess-1/n)), energy / sum, ess >= coreShare*n}, nil
}

// meanEnergy is that of the draws around the minima, a part of them; NaN where energies are none.
func (c *cores) meanEnergy(v *evaluator, draws [][]float64) float64 {
	z, n, sum, lane := make([]float64, c.d), 0, 0.0, 0
	for _, x := range draws {
		for left := coreDraws / len(draws); len(x) > 0 && left > 0; x = x[c.d:] {
			if !c.placed(x[:c.d], z) {
				continue
			}
			v.set(lane, x[:c.d])
			left--
			if lane++; lane < lanes {
				continue
			}
			lane = 0
			if v.run() != nil {
				return math.NaN()
			}
			c.asked += lanes
			for _, e := range v.energy {
				sum += e
				n++
			}
		}
	}
	return sum / float64(n)
}

// placed reports whether x is around the minima.
func (c *cores) placed(x, z []float64) bool { return c.around.within(x, z, 1) && c.far(x, z) }

// differ is the share of the draws in core k, of these and those around, and whether it is
// another than p, of which the log odds have a standard error.
func (c *cores) differ(draws [][]float64, k int, p, se float64) (float64, bool) {
	z, core, both, all := make([]float64, c.d), 0.0, 0.0, 0.0
	chains := make([][]float64, len(draws))
	for i, x := range draws {
		for ; len(x) > 0; x = x[c.d:] {
			off := 0.0 // has the mean 0 where p is right
			switch {
			case c.all[k].within(x[:c.d], z, 1):
				off, core, both = 1-p, core+1, both+1
			case c.placed(x[:c.d], z):
				off, both = -p, both+1
			}
			chains[i] = append(chains[i], off)
			all++
		}
	}
	q := core / both
	off := diag.Mean(slices.Concat(chains...))
	error := math.Hypot(diag.MCSEMean(chains), both/all*p*(1-p)*se)
	return q, math.Abs(off) > coreErrors*error && math.Abs(q-p) > coreGap
}
