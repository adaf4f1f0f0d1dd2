package domain

import "math"

// panelRows is the number of rows whose products are taken together.
const panelRows = 16

// sparse is the number of zeros per other coefficient from which on only the
// others are touched: sixteen products by panels cost as much as two alone.
const sparse = 8

// polyRows are the rows of a polytope laid out for a reflector: those that speak
// of one coordinate that no other row couples with a second one are taken as
// intervals, the others are general. It does not change once made.
type polyRows struct {
	p *polytope

	at     []int // coordinates of the intervals
	lo, hi []float64

	wall   []int     // the rows that are general
	m, d   int       // their number, and that of coordinates
	a      []float64 // m×d, as given
	b, inv []float64 // inv is one over the length of a row; both padded to whole panels
	unit   []float64 // m×d, rows of unit length
	gram   []float64 // m×m products of unit rows; nil when m is large or rows are sparse
	panel  []float64 // a by panels, coordinate by coordinate; nil where rows are sparse or not wide
	coef   pattern   // of a, if sparse
	share  pattern   // of gram, if sparse
	wide   bool      // whether rows are taken four at a time
	least  float64   // rounding next to zero, of slacks
}

// A pattern is a sparse matrix by rows.
type pattern struct {
	start []int
	at    []int32
	value []float64
}

// row returns the places and values of row i.
func (s *pattern) row(i int) ([]int32, []float64) {
	a, b := s.start[i], s.start[i+1]
	return s.at[a:b], s.value[a:b]
}

// end closes a row.
func (s *pattern) end() { s.start = append(s.start, len(s.at)) }

func (s *pattern) add(j int, v float64) {
	s.at, s.value = append(s.at, int32(j)), append(s.value, v)
}

// newPolyRows lays out the rows of p, with wide for a processor that can take four
// of them at a time.
func newPolyRows(p *polytope, wide bool) *polyRows {
	k := &polyRows{p: p, d: p.dim, wide: wide, least: 0x1p-1000}
	k.split()
	k.m = len(k.wall)
	whole := (k.m + panelRows - 1) / panelRows * panelRows
	k.b, k.inv = make([]float64, whole), make([]float64, whole)
	others := 0
	for i := range k.b {
		k.b[i], k.inv[i] = 1, 1
	}
	for i, w := range k.wall {
		row := p.a[w*k.d : (w+1)*k.d]
		k.a, k.unit = append(k.a, row...), append(k.unit, p.row(w)...)
		k.b[i], k.inv[i] = p.b[w], 1/norm(row)
		k.least = max(k.least, 0x1p-1070*float64(k.d)*k.inv[i])
		for _, v := range row {
			if v != 0 {
				others++
			}
		}
	}
	if others*sparse <= k.m*k.d {
		k.scatter()
		return k
	}
	if wide {
		k.panels()
	}
	k.products()
	return k
}

// split finds the intervals.
func (k *polyRows) split() {
	p, d := k.p, k.d
	free := make([]bool, d) // coordinates that are an interval or no row mentions
	for j := range free {
		free[j] = true
	}
	only := make([]int, len(p.b))
	for i := range p.b {
		row := p.a[i*d : (i+1)*d]
		if only[i] = alone(row); only[i] < 0 {
			for j, v := range row {
				free[j] = free[j] && v == 0
			}
		}
	}
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range d {
		lo[j], hi[j] = math.Inf(-1), math.Inf(1)
	}
	for i, j := range only {
		if j < 0 || !free[j] {
			continue
		}
		end, ok := lastWithin(p.a[i*d+j], p.b[i])
		free[j] = ok
		if p.a[i*d+j] > 0 {
			hi[j] = min(hi[j], end)
		} else {
			lo[j] = max(lo[j], end)
		}
	}
	for j, f := range free {
		free[j] = f && lo[j] < hi[j] && (math.IsInf(lo[j], 0) || math.IsInf(hi[j], 0) || hi[j]-lo[j] < math.MaxFloat64/4)
		if free[j] {
			k.at, k.lo, k.hi = append(k.at, j), append(k.lo, lo[j]), append(k.hi, hi[j])
		}
	}
	for i, j := range only {
		if j < 0 || !free[j] {
			k.wall = append(k.wall, i)
		}
	}
}

// lastWithin returns the last number x, seen from inside, with a·x ≤ b as rounded.
// It reports false where rounding makes that hard to say.
func lastWithin(a, b float64) (float64, bool) {
	x, out := b/a, math.Inf(1)
	if a < 0 {
		out = -out
	}
	for range 4 {
		next := math.Nextafter(x, out)
		switch {
		case !(a*x <= b):
			x = math.Nextafter(x, -out)
		case a*next <= b:
			x = next
		default:
			return x, x-x == 0
		}
	}
	return x, false
}

// scatter keeps the coefficients that are not zero, and the products of rows that
// share a coordinate.
func (k *polyRows) scatter() {
	k.coef.start, k.share.start = []int{0}, []int{0}
	speak := make([][]int, k.d) // the rows that mention a coordinate
	for i := range k.m {
		for j, v := range k.a[i*k.d : (i+1)*k.d] {
			if v != 0 {
				k.coef.add(j, v)
				speak[j] = append(speak[j], i)
			}
		}
		k.coef.end()
	}
	met := make([]int, k.m)
	for i := range k.m {
		at, _ := k.coef.row(i)
		for _, j := range at {
			for _, l := range speak[j] {
				if met[l] != i+1 {
					met[l] = i + 1
					k.share.add(l, k.product(i, l))
				}
			}
		}
		k.share.end()
	}
}

// product is that of unit rows i and l.
func (k *polyRows) product(i, l int) float64 {
	if i == l {
		return 1
	}
	u, v := k.unit[i*k.d:(i+1)*k.d], k.unit[l*k.d:(l+1)*k.d]
	if k.coef.start == nil {
		return dot(u, v)
	}
	s := 0.0
	at, _ := k.coef.row(i)
	for _, j := range at {
		s += u[j] * v[j]
	}
	return s
}

// products fills in gram.
func (k *polyRows) products() {
	if k.m > gramRows {
		return
	}
	if k.m == len(k.p.b) {
		k.gram = k.p.products()
		return
	}
	k.gram = make([]float64, k.m*k.m)
	for i := range k.m {
		for l := range i + 1 {
			v := k.product(i, l)
			k.gram[i*k.m+l], k.gram[l*k.m+i] = v, v
		}
	}
}

// panels lays a out for vectors of rows.
func (k *polyRows) panels() {
	k.panel = make([]float64, len(k.b)*k.d)
	for i := range k.m {
		first := i / panelRows * panelRows
		for j := range k.d {
			k.panel[first*k.d+j*panelRows+i-first] = k.a[i*k.d+j]
		}
	}
}

// slacks writes (b − a·x)/length of every general row into s (length of b), and
// reports whether a·x ≤ b for all, sums in index order: what Contains says of them.
func (k *polyRows) slacks(s, x []float64) bool {
	switch {
	case k.m == 0:
		return true
	case k.panel != nil:
		_ = x[k.d-1]
		return panelsAVX(&s[0], &k.panel[0], &x[0], &k.b[0], &k.inv[0], len(k.b)/panelRows, k.d) == 0
	case k.coef.start != nil:
		return k.slacksSparse(s, x)
	}
	i, in := 0, true
	for ; i+4 <= k.m; i += 4 {
		y0, y1, y2, y3 := dots(k.row(int32(i)), k.row(int32(i+1)), k.row(int32(i+2)), k.row(int32(i+3)), x)
		s[i], s[i+1], s[i+2], s[i+3] = k.b[i]-y0, k.b[i+1]-y1, k.b[i+2]-y2, k.b[i+3]-y3
	}
	for ; i < k.m; i++ {
		s[i] = k.b[i] - dot(k.row(int32(i)), x)
	}
	for i, v := range s[:k.m] {
		in = in && v >= 0
		s[i] = v * k.inv[i]
	}
	return in
}

func (k *polyRows) slacksSparse(s, x []float64) bool {
	in := true
	for i := range k.m {
		y := 0.0
		at, value := k.coef.row(i)
		for n, j := range at {
			y += value[n] * x[j]
		}
		v := k.b[i] - y
		in = in && v >= 0
		s[i] = v * k.inv[i]
	}
	return in
}

// row is row i as given.
func (k *polyRows) row(i int32) []float64 { return k.a[int(i)*k.d : (int(i)+1)*k.d] }

// dots returns the products of four rows with x, each as dot does.
func dots(a, b, c, e, x []float64) (y0, y1, y2, y3 float64) {
	a, b, c, e = a[:len(x)], b[:len(x)], c[:len(x)], e[:len(x)]
	for j, v := range x {
		y0 += a[j] * v
		y1 += b[j] * v
		y2 += c[j] * v
		y3 += e[j] * v
	}
	return y0, y1, y2, y3
}

// turn follows slacks s and rates r for the share t of the path, to row w, and
// turns the rest of it by c times the unit row w. It reports false, with rates
// undone, where the products of rows are not known.
func (k *polyRows) turn(s, r []float64, w int, t, rest, c float64) bool {
	if k.gram != nil {
		k.advance(s, r, k.gram[w*k.m:(w+1)*k.m], t, rest, c)
		return true
	}
	k.advance(s, r, r, t, rest, 0)
	if k.share.start == nil {
		return false
	}
	at, value := k.share.row(w)
	for n, i := range at {
		r[i] -= c * value[n]
	}
	return true
}

// advance subtracts t·r from s and makes r into rest·r − c·g.
func (k *polyRows) advance(s, r, g []float64, t, rest, c float64) {
	i := 0
	if k.wide && k.m >= 8 {
		i = k.m &^ 7
		turnAVX(&s[0], &r[0], &g[0], i, t, rest, c)
	}
	for ; i < k.m; i++ {
		e := r[i]
		s[i] -= t * e
		r[i] = rest*e - c*g[i]
	}
}

// near returns the first eight rows, i a multiple of 8 onwards, among which there
// may be one with s < t·r + margin: their first, or one not below m.
func (k *polyRows) near(s, r []float64, i int, t, margin float64) int {
	if k.wide && i < k.m&^7 {
		return nearAVX(&s[0], &r[0], i, k.m&^7, t, margin)
	}
	return i
}

// exact returns the slack of row i at x and its rate along dir, sums of every
// fourth product: the same whatever was known before.
func (k *polyRows) exact(i int, x, dir []float64) (s, e float64) {
	if k.coef.start != nil {
		at, value := k.coef.row(i)
		for n, j := range at {
			s += value[n] * x[j]
			e += value[n] * dir[j]
		}
		return max((k.b[i]-s)*k.inv[i], 0), e * k.inv[i]
	}
	a := k.row(int32(i))
	x, dir = x[:len(a)], dir[:len(a)]
	var s0, s1, s2, s3, e0, e1, e2, e3 float64
	j := 0
	for ; j+4 <= len(a); j += 4 {
		s0 += a[j] * x[j]
		e0 += a[j] * dir[j]
		s1 += a[j+1] * x[j+1]
		e1 += a[j+1] * dir[j+1]
		s2 += a[j+2] * x[j+2]
		e2 += a[j+2] * dir[j+2]
		s3 += a[j+3] * x[j+3]
		e3 += a[j+3] * dir[j+3]
	}
	for ; j < len(a); j++ {
		s0 += a[j] * x[j]
		e0 += a[j] * dir[j]
	}
	return max((k.b[i]-((s0+s1)+(s2+s3)))*k.inv[i], 0), ((e0 + e1) + (e2 + e3)) * k.inv[i]
}

// behind reports what Contains says of row i.
func (k *polyRows) behind(i int, x []float64) bool {
	return dot(k.row(int32(i)), x) <= k.b[i]
}

// within reports whether x lies in all intervals.
func (k *polyRows) within(x []float64) bool {
	for i, j := range k.at {
		if v := x[j]; !(v >= k.lo[i] && v <= k.hi[i]) {
			return false
		}
	}
	return true
}

// fold folds x into the intervals, and mirrors v, which may be empty, with it.
func (k *polyRows) fold(x, v []float64) (hits int) {
	for i, j := range k.at {
		y, lo, hi := x[j], k.lo[i], k.hi[i]
		if y >= lo && y <= hi {
			continue
		}
		z, n, odd := foldInterval(y, lo, hi)
		x[j] = z
		hits += n
		if odd && len(v) > 0 {
			v[j] = -v[j]
		}
	}
	return hits
}
