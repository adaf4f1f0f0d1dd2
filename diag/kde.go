package diag

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	margin   = 4 // bandwidths drawn beyond the outermost draw
	perWidth = 8 // internal grid cells per bandwidth
	maxCells = 1 << 15
)

// A Density is a density estimate at evenly spaced points; it integrates to 1
// by the trapezoidal rule on the internal grid.
type Density struct {
	X, F      []float64
	Bandwidth float64
}

// Bandwidth returns Silverman's rule of thumb as R's bw.nrd0 has it:
// 0.9·min(sd, IQR/1.34)·n^(-1/5), with sd, then |x[0]|, then 1 in place of a
// zero. NaN for fewer than 2 values or one that is not finite.
func Bandwidth(x []float64) float64 {
	if len(x) < 2 || !finite(x) {
		return math.NaN()
	}
	q := Quantiles(x, 0.25, 0.75)
	return bandwidth(SD(x), q[1]-q[0], x[0], len(x))
}

func bandwidth(sd, iqr, first float64, n int) float64 {
	for _, scale := range []float64{math.Min(sd, iqr/1.34), sd, math.Abs(first), 1} {
		if scale > 0 && !math.IsInf(scale, 1) {
			return 0.9 * scale * math.Pow(float64(n), -0.2)
		}
		if scale != 0 {
			break
		}
	}
	return math.NaN() // draws so large that their variance overflows
}

// KDE returns a Gaussian kernel density estimate of x at points ≥ 2 evenly
// spaced places, from 4 bandwidths below the least draw to 4 above the largest,
// cut at lo and hi, with Silverman's [Bandwidth], as [Mode] has it too. Several
// modes apart it smooths away: see [SheatherJones] and [KDEWith]. At a bound within reach the kernel is reflected, so no mass
// leaks out; lo = -Inf and hi = +Inf mean none. Draws outside the bounds count
// as at them. Both X and F are nil if Bandwidth is NaN, lo < hi fails or the
// range is too small or too large for doubles.
//
// Draws are shared linearly between the cells of an internal grid of an eighth
// of a bandwidth or less (at most 32,768 cells), smoothed by the cosine
// transform: the kernel with all its reflections, exactly.
func KDE(x []float64, lo, hi float64, points int) Density {
	return KDEWith(x, lo, hi, Bandwidth(x), points)
}

// KDEWith is [KDE] with a bandwidth h, that of [SheatherJones] for pictures, say.
// X and F are nil also if h is not positive and finite or x is not finite.
func KDEWith(x []float64, lo, hi, h float64, points int) Density {
	if len(x) < 2 || !finite(x) || !(h > 0) || math.IsInf(h, 1) || !(lo < hi) || points < 2 {
		return Density{Bandwidth: h}
	}
	g := newGrid(slices.Min(x), slices.Max(x), lo, hi, h, points)
	if !g.usable() {
		return Density{Bandwidth: h}
	}
	bins := g.share(x)
	newSmoother(g).apply(bins)
	d := Density{X: g.places(points), F: make([]float64, points), Bandwidth: h}
	stride := g.cells / (points - 1)
	for i := range d.F {
		d.F[i] = bins[i*stride] / float64(len(x))
	}
	return d
}

// Mode returns the place where the kernel density estimate of x with bounds lo
// and hi (see KDE) is highest, refined by a parabola through the logarithm of
// the highest three grid values. NaN where KDE has no answer.
func Mode(x []float64, lo, hi float64) float64 {
	if len(x) < 2 || !finite(x) {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	q := Quantiles(s, 0.25, 0.75)
	return mode(s, bandwidth(SD(x), q[1]-q[0], x[0], len(x)), lo, hi)
}

// mode works on sorted draws.
func mode(s []float64, h, lo, hi float64) float64 {
	if s[0] == s[len(s)-1] {
		return s[0]
	}
	g, bins := peaks(s, h, lo, hi)
	if bins == nil {
		return math.NaN()
	}
	top := 0
	for i, f := range bins {
		if f > bins[top] {
			top = i
		}
	}
	return g.place(bins, top)
}

// peaks is the density of sorted draws where its peaks are, on a fine grid and times
// their number; nil if there is none. Far tails are left out, a tenth of a percent a side
// and more only if the grid would be too coarse: the mode is not there.
func peaks(s []float64, h, lo, hi float64) (grid, []float64) {
	n := len(s)
	if math.IsNaN(h) || !(lo < hi) {
		return grid{}, nil
	}
	cut := n / 1000
	for cut < n/4 && s[n-1-cut]-s[cut] > h*maxCells/perWidth {
		cut = 2*cut + 1
	}
	cut = min(cut, n/4)
	g := newGrid(s[cut], s[n-1-cut], lo, hi, h, 2)
	if !g.usable() {
		return g, nil
	}
	bins := make([]float64, g.cells+1)
	for _, v := range s {
		if v >= g.a && v <= g.b || cut == 0 {
			i, u := g.locate(v)
			bins[i] += 1 - u
			bins[i+1] += u
		}
	}
	newSmoother(g).apply(bins)
	return g, bins
}

// place is where the peak at cell i of a density is.
func (g grid) place(f []float64, i int) float64 { return g.a + g.step*(float64(i)+vertex(f, i)) }

// A peak that is at least rivals as high as the highest may be the highest in truth, unless
// the difference is surely standard errors, if it is far standard deviations away from it or
// more, or apart of them or more with a valley between the two that is surely lower. Others
// are ripples of one peak.
const (
	rivals = 0.3
	apart  = 0.5
	far    = 1
	surely = 3
)

// peak is the highest of the peaks of the density of chains, sorted in s, with standard
// deviation sd; NaN if the draws do not tell which is: the heights of two differ by less
// than [surely] standard errors, of which the effective sample size of that difference
// tells.
func peak(chains [][]float64, s []float64, sd, h, lo, hi float64) float64 {
	if s[0] == s[len(s)-1] {
		return s[0]
	}
	g, f := peaks(s, h, lo, hi)
	if f == nil {
		return math.NaN()
	}
	surelyHigher := func(i, j int) bool { return higher(chains, g.place(f, i), g.place(f, j), h, lo, hi) }
	top, rival := 0, -1
	for i, v := range f {
		if v > f[top] {
			top = i
		}
	}
	last := len(f) - 1
	for i, v := range f {
		away := math.Abs(float64(i-top)) * g.step / sd
		if v < rivals*f[top] || away < apart || i > 0 && f[i-1] > v || i < last && f[i+1] > v || rival >= 0 && v <= f[rival] {
			continue
		}
		if away >= far || surelyHigher(i, valley(f, i, top)) {
			rival = i
		}
	}
	if rival >= 0 && !surelyHigher(top, rival) {
		return math.NaN()
	}
	return g.place(f, top)
}

// valley is the cell between i and j where f is lowest.
func valley(f []float64, i, j int) int {
	from := min(i, j)
	least := from
	for k, v := range f[from : max(i, j)+1] {
		if v < f[least] {
			least = from + k
		}
	}
	return least
}

// higher reports whether the density of chains is surely higher at a than at b.
func higher(chains [][]float64, a, b, h, lo, hi float64) bool {
	kernel := func(u float64) float64 { return math.Exp(-u * u / 2) }
	at := func(v, x float64) float64 {
		sum := kernel((v - x) / h)
		for _, wall := range []float64{lo, hi} {
			if !math.IsInf(wall, 0) {
				sum += kernel((v - (2*wall - x)) / h)
			}
		}
		return sum
	}
	all := make([]float64, 0, len(chains)*len(chains[0]))
	difference := make([][]float64, len(chains))
	for i, c := range chains {
		from := len(all)
		for _, v := range c {
			all = append(all, at(v, a)-at(v, b))
		}
		difference[i] = all[from:]
	}
	return Mean(all) > surely*MCSEMean(difference)
}

// vertex returns where, relative to the highest bin top, the parabola through
// the logarithms of it and its neighbours peaks. The density is even about
// both ends of the grid, so there the peak is the end itself.
func vertex(f []float64, top int) float64 {
	if top == 0 || top == len(f)-1 || f[top-1] <= 0 || f[top+1] <= 0 {
		return 0
	}
	l, m, r := math.Log(f[top-1]), math.Log(f[top]), math.Log(f[top+1])
	if bend := l - 2*m + r; bend < 0 {
		return (l - r) / (2 * bend)
	}
	return 0
}

// grid cuts [a, b] into cells of width step, for bandwidth h.
type grid struct {
	a, b, step, h float64
	cells         int
}

// newGrid covers the range of the draws and a margin within the bounds. The
// number of cells is a multiple of points - 1.
func newGrid(least, largest, lo, hi, h float64, points int) grid {
	clamp := func(v float64) float64 { return math.Min(math.Max(v, lo), hi) }
	g := grid{a: clamp(clamp(least) - margin*h), b: clamp(clamp(largest) + margin*h), h: h}
	want := math.Min(math.Ceil((g.b-g.a)*perWidth/h), maxCells)
	each := max(1, int(want)/(points-1))
	if points == 2 {
		each = smooth(each)
	} else if float64(each*(points-1)) < want {
		each++
	}
	g.cells = each * (points - 1)
	g.step = (g.b - g.a) / float64(g.cells)
	return g
}

// usable reports whether the cells have a width that doubles can hold.
func (g grid) usable() bool { return g.step > 0 && !math.IsInf(g.step, 1) }

// locate returns the cell of v and how far across it v lies, in [0, 1].
func (g grid) locate(v float64) (int, float64) {
	t := math.Min(math.Max((v-g.a)/g.step, 0), float64(g.cells))
	i := min(int(t), g.cells-1)
	return i, t - float64(i)
}

// share returns the draws shared linearly between the ends of their cells.
func (g grid) share(x []float64) []float64 {
	bins := make([]float64, g.cells+1)
	for _, v := range x {
		i, u := g.locate(v)
		bins[i] += 1 - u
		bins[i+1] += u
	}
	return bins
}

func (g grid) places(points int) []float64 {
	x := make([]float64, points)
	for i := range x {
		x[i] = g.a + (g.b-g.a)*float64(i)/float64(points-1)
	}
	x[points-1] = g.b
	return x
}

// smoother turns bin weights into density values: heat flow between two
// reflecting walls, diagonal in the cosine basis.
type smoother struct {
	plan    *fourier.DCT
	buffer  []float64
	damping []float64
}

func newSmoother(g grid) *smoother {
	s := &smoother{plan: fourier.NewDCT(g.cells + 1), buffer: make([]float64, g.cells+1), damping: make([]float64, g.cells+1)}
	for k := range s.damping {
		w := math.Pi * float64(k) / (g.b - g.a) * g.h
		s.damping[k] = math.Exp(-w*w/2) / (2 * float64(g.cells) * g.step)
	}
	return s
}

// apply overwrites bins with the density times the total weight.
func (s *smoother) apply(bins []float64) {
	last := len(bins) - 1
	bins[0] *= 2 // a draw at a wall meets its own image
	bins[last] *= 2
	s.plan.Transform(s.buffer, bins)
	for k, w := range s.damping {
		s.buffer[k] *= w
	}
	s.plan.Transform(bins, s.buffer)
	for i, f := range bins {
		bins[i] = math.Max(f, 0)
	}
}
