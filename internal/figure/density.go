package figure

import (
	"cmp"
	"math"
	"slices"
)

// A surface is a density over a lattice, up to a factor.
type surface struct {
	lattice
	v  []float64
	in []float64 // how much of the cell of each knot is in the domain
	// sure are the values at knots in the domain, downwards, for regions.
	sure []float64
}

// bandwidth returns the sd of the kernel for a density of v in a plane: three
// fifths of Scott's rule, but at most n^(1/30) times what is best for v alone, h:
// the best falls with n^(-1/6) in a plane and with n^(-1/5) on a line. h = 0 is
// not known.
func bandwidth(v []float64, h float64) float64 {
	n := float64(len(v))
	rule := 0.6 * math.Pow(n, -1.0/6) * deviation(v)
	if h > 0 {
		return math.Min(rule, h*math.Pow(n, 1.0/30))
	}
	return rule
}

// smooth estimates the density of draws (x, y) on n × n knots over the ranges of
// sx and sy: counts smoothed by a Gaussian of sd hx and hy, divided by what of
// the Gaussian lies in the domain so that it does not fade towards walls. inside
// nil is the whole plane.
func smooth(x, y []float64, hx, hy float64, sx, sy scale, n int, inside func(x, y float64) bool) surface {
	s := surface{lattice: lattice{n, n, sx.min, sx.max, sy.min, sy.max}, v: make([]float64, n*n)}
	bin := func(v float64, s scale) int { return int(math.Round((v - s.min) / (s.max - s.min) * float64(n-1))) }
	for k := range x {
		if i, j := bin(x[k], sx), bin(y[k], sy); i >= 0 && j >= 0 && i < n && j < n {
			s.v[j*n+i]++
		}
	}
	wx := kernel(hx * float64(n-1) / (sx.max - sx.min))
	wy := kernel(hy * float64(n-1) / (sy.max - sy.min))
	convolve(s.v, n, wx, wy)
	mask := s.shares(inside)
	s.in = slices.Clone(mask)
	if inside != nil {
		convolve(mask, n, wx, wy)
	}
	for k := range s.v {
		if inside != nil {
			s.v[k] /= math.Max(mask[k], 0.05)
		}
		if s.in[k] > 0.5 && s.v[k] > 0 {
			s.sure = append(s.sure, s.v[k])
		}
	}
	s.rank()
	return s
}

// rank puts the values for regions in their order.
func (s *surface) rank() {
	slices.SortFunc(s.sure, func(a, b float64) int { return cmp.Compare(b, a) })
}

// regions are the regions of highest density that hold 90 and 50 % of the mass.
func (s surface) regions() []mark {
	return []mark{region{whole, contour(s.lattice, s.v, s.level(shares[0]))}, region{middle, contour(s.lattice, s.v, s.level(shares[1]))}}
}

// shares returns share at each knot; where a knot and all around it are on one
// side of the wall, its cell is taken to be.
func (l lattice) shares(inside func(x, y float64) bool) []float64 {
	known, out := make([]float64, l.nx*l.ny), make([]float64, l.nx*l.ny)
	for k := range known {
		if q := l.knot(k%l.nx, k/l.nx); inside == nil || inside(q.x, q.y) {
			known[k] = 1
		}
	}
	for k := range out {
		i, j := k%l.nx, k/l.nx
		mixed := false
		for m := max(j-1, 0); m <= min(j+1, l.ny-1); m++ {
			for _, v := range known[m*l.nx+max(i-1, 0) : m*l.nx+min(i+1, l.nx-1)+1] {
				mixed = mixed || v != known[k]
			}
		}
		if out[k] = known[k]; mixed {
			out[k] = l.share(l.knot(i, j), inside)
		}
	}
	return out
}

// share returns how much of the cell around a knot q is inside.
func (l lattice) share(q point, inside func(x, y float64) bool) float64 {
	if inside == nil {
		return 1
	}
	dx, dy := (l.xmax-l.xmin)/float64(l.nx-1), (l.ymax-l.ymin)/float64(l.ny-1)
	n := 0.0
	for i := range 4 {
		for j := range 4 {
			if inside(q.x+dx*(float64(i)-1.5)/4, q.y+dy*(float64(j)-1.5)/4) {
				n++
			}
		}
	}
	return n / 16
}

// level returns the height whose upper region holds the share of all mass:
// the region of highest density.
func (s surface) level(share float64) float64 {
	var sum, total float64
	for _, v := range s.sure {
		total += v
	}
	for _, v := range s.sure {
		if sum += v; sum >= share*total {
			return v * (1 - 1e-9)
		}
	}
	return 0
}

// kernel returns the weights 0, 1, … of a Gaussian of sd w cells, at least 0.7.
func kernel(w float64) []float64 {
	w = math.Max(w, 0.7)
	out := make([]float64, int(3.5*w)+1)
	sum := 0.0
	for i := range out {
		out[i] = math.Exp(-0.5 * float64(i*i) / (w * w))
		sum += out[i]
		if i > 0 {
			sum += out[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// convolve smooths the n × n values v along both axes.
func convolve(v []float64, n int, wx, wy []float64) {
	row := make([]float64, n)
	along := func(start, step int, w []float64) {
		for i := range n {
			sum := w[0] * v[start+i*step]
			for k := 1; k < len(w); k++ {
				if i >= k {
					sum += w[k] * v[start+(i-k)*step]
				}
				if i+k < n {
					sum += w[k] * v[start+(i+k)*step]
				}
			}
			row[i] = sum
		}
		for i := range n {
			v[start+i*step] = row[i]
		}
	}
	for k := range n {
		along(k*n, 1, wx)
	}
	for k := range n {
		along(k, n, wy)
	}
}

// deviation returns the standard deviation of v.
func deviation(v []float64) float64 {
	var mean, m2 float64
	for i, x := range v {
		d := x - mean
		mean += d / float64(i+1)
		m2 += d * (x - mean)
	}
	return math.Sqrt(m2 / math.Max(1, float64(len(v)-1)))
}
