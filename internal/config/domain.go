package config

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A region is a domain being put together: half-spaces, shapes on some of the
// coordinates, and surfaces. All of them intersect.
type region struct {
	d         int
	rows      [][]float64 // a·x ≤ b of every linear constraint
	bounds    []float64   // b
	texts     []string    // by which messages call the rows
	joined    int         // rows that a shape holds already
	parts     []domain.Part
	surfaces  []domain.Surface
	names     []string // of the surfaces
	equations []equation
}

// readDomain reads the domain section into l.domain, and finds out whether it
// is empty.
func (l *loader) readDomain(n *yamlpos.Node) {
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	known := []string{"box", "ball", "ellipsoid", "simplex", "polygon", "flower", "heart", "star", "octagon", "cross", "constraints"}
	if !l.Section(n, known...) || l.names == nil {
		return
	}
	before := len(l.Problems)
	r := &region{d: len(l.names)}
	l.readSimplex(r, n.Field("simplex"))
	l.readBox(r, n.Field("box"))
	l.readRound(r, n.Field("ball"), "center", "radius")
	l.readRound(r, n.Field("ellipsoid"), "center", "axes", "matrix")
	for _, key := range []string{"polygon", "flower", "heart", "star", "octagon", "cross"} {
		if n.Empty(key) {
			l.Report(n.Key(key), "%s holds nothing; expected, for instance, %s: {radius: 2}", key, key)
		}
		l.readPlane(r, n.Field(key))
	}
	if c := n.Field("constraints"); c != nil {
		l.readConstraints(r, c)
	}
	if len(l.Problems) > before {
		return
	}
	key := l.root.Key("domain")
	d, err := r.domain()
	if err != nil {
		l.Report(key, "the domain cannot be built: %v", err)
		return
	}
	l.settleDomain(r, d, key)
}

// lonely reports that no point of d lies a billionth of its bounds away from x
// along a coordinate.
func lonely(d domain.Domain, x []float64) bool {
	lo, hi := domain.BoundsOf(d, len(x))
	near := slices.Clone(x)
	for i, v := range x {
		wide := hi[i] - lo[i]
		if math.IsInf(wide, 0) {
			wide = 1 + math.Abs(v)
		}
		for _, step := range []float64{-1e-9 * wide, 1e-9 * wide, -3e-11 * wide, 3e-11 * wide} {
			near[i] = v + step
			if near[i] != v && d.Contains(near) {
				return false
			}
		}
		near[i] = v
	}
	return true
}

// fairSize refuses domains whose squares and volumes are beyond floating point.
func fairSize(d domain.Domain) error {
	if d == nil {
		return nil
	}
	lo, hi := domain.BoundsOf(d, d.Dim())
	for i := range lo {
		far := max(finiteSize(lo[i]), finiteSize(hi[i]))
		if wide := hi[i] - lo[i]; far > 1e100 || wide > 0 && wide < 1e-50 {
			return fmt.Errorf("the domain reaches from %g to %g in a coordinate: measure it in other units, so that sizes lie between 1e-50 and 1e100", lo[i], hi[i])
		}
	}
	return nil
}

// finiteSize is |v|, 0 where v is infinite.
func finiteSize(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return math.Abs(v)
}

// settleDomain looks for a point inside d and makes it the domain; an empty one
// is reported at the node, by the texts of the constraints that exclude each
// other.
func (l *loader) settleDomain(r *region, d domain.Domain, at *yamlpos.Node) {
	rng := rand.New(rand.NewPCG(1, 1))
	err := fairSize(d)
	if err == nil && len(r.rows) > 0 {
		var linear *domain.Polytope
		if linear, err = domain.NewPolytope(r.rows, r.bounds, r.texts); err == nil {
			_, err = domain.Interior(l.programs.Context, linear, rng)
		}
	}
	if err == nil && d != nil {
		if l.inside, err = domain.Interior(l.programs.Context, d, rng); err == nil && lonely(d, l.inside) {
			err = errors.New("the domain has no interior: it holds a point and nothing around it; loosen a constraint")
		}
	}
	if err != nil {
		l.reportBare(at, "%v", err)
		return
	}
	l.domain = d
	l.eliminate(r, d, at)
}

// add adds the linear constraint a·x ≤ b.
func (r *region) add(a []float64, b float64, text string) {
	r.rows, r.bounds, r.texts = append(r.rows, a), append(r.bounds, b), append(r.texts, text)
}

// axis returns the coordinate that row i bounds alone, or −1.
func (r *region) axis(i int) int {
	at := -1
	for j, v := range r.rows[i] {
		if v != 0 && at >= 0 {
			return -1
		}
		if v != 0 {
			at = j
		}
	}
	return at
}

// box is that of the rows that bound one coordinate; ±Inf where there is none.
func (r *region) box() (lo, hi []float64) {
	lo, hi = slices.Repeat([]float64{math.Inf(-1)}, r.d), slices.Repeat([]float64{math.Inf(1)}, r.d)
	for i := r.joined; i < len(r.rows); i++ {
		j := r.axis(i)
		switch {
		case j < 0:
		case r.rows[i][j] > 0:
			hi[j] = min(hi[j], r.bounds[i]/r.rows[i][j])
		default:
			lo[j] = max(lo[j], r.bounds[i]/r.rows[i][j])
		}
	}
	return lo, hi
}

// domain builds the domain: a box of the rows that bound one coordinate, a
// polytope of the others, the shapes and the surfaces; nil is all of R^d.
func (r *region) domain() (domain.Domain, error) {
	lo, hi := r.box()
	var a [][]float64
	var b []float64
	var names []string
	for i := r.joined; i < len(r.rows); i++ {
		if r.axis(i) < 0 {
			a, b, names = append(a, r.rows[i]), append(b, r.bounds[i]), append(names, r.texts[i])
		}
	}
	members, err := r.members(lo, hi)
	if err != nil {
		return nil, err
	}
	if len(a) > 0 {
		p, err := domain.NewPolytope(a, b, names)
		if err != nil {
			return nil, err
		}
		members = append(members, p)
	}
	if len(r.surfaces) > 0 {
		l, h := slices.Clone(lo), slices.Clone(hi)
		for _, s := range r.surfaces {
			if q, ok := s.(*domain.Quadric); ok {
				q.Bounds(l, h)
			}
		}
		if lessAll(l, h) {
			lo, hi = l, h
		}
		s, err := domain.NewImplicit(r.surfaces, r.names, lo, hi)
		if err != nil {
			return nil, err
		}
		members = append(members, s)
	}
	if len(members) == 0 {
		return nil, nil
	}
	return domain.NewIntersection(members...)
}

// members returns the box and the shapes: as one product if they speak of
// different coordinates.
func (r *region) members(lo, hi []float64) ([]domain.Domain, error) {
	parts := slices.Clone(r.parts)
	seen, disjoint := make([]bool, r.d), true
	for _, p := range parts {
		for _, j := range p.At {
			disjoint = disjoint && !seen[j] && math.IsInf(lo[j], -1) && math.IsInf(hi[j], 1)
			seen[j] = true
		}
	}
	var at []int
	for j := range lo {
		if !math.IsInf(lo[j], -1) || !math.IsInf(hi[j], 1) {
			at = append(at, j)
		}
	}
	if len(at) > 0 && lessAll(lo, hi) {
		if len(parts) == 0 || !disjoint {
			at = every(r.d)
		}
		var l, h []float64
		for _, j := range at {
			l, h = append(l, lo[j]), append(h, hi[j])
		}
		box, err := domain.NewBox(l, h)
		if err != nil {
			return nil, err
		}
		parts = append(parts, domain.Part{Domain: box, At: at})
	}
	var out []domain.Domain
	for _, p := range parts {
		if slices.Equal(p.At, every(r.d)) {
			out = append(out, p.Domain)
			continue
		}
		if disjoint {
			whole, err := domain.NewProduct(r.d, parts...)
			return []domain.Domain{whole}, err
		}
		whole, err := domain.NewProduct(r.d, p)
		if err != nil {
			return nil, err
		}
		out = append(out, whole)
	}
	return out, nil
}

// lessAll reports lo < hi everywhere; where not, the rows tell that the domain
// is empty.
func lessAll(lo, hi []float64) bool {
	for j := range lo {
		if !(lo[j] < hi[j]) {
			return false
		}
	}
	return true
}

func every(d int) []int {
	at := make([]int, d)
	for i := range at {
		at[i] = i
	}
	return at
}

// unit is the j-th unit vector times v.
func (r *region) unit(j int, v float64) []float64 {
	a := make([]float64, r.d)
	a[j] = v
	return a
}

// readBox reads bounds of variables.
func (l *loader) readBox(r *region, n *yamlpos.Node) {
	if !l.Section(n, l.names...) {
		return
	}
	for _, f := range n.Fields {
		j := slices.Index(l.names, f.Key.Text)
		if j < 0 || !l.List(f.Value, "two numbers") {
			continue
		}
		if len(f.Value.Items) != 2 {
			l.Report(f.Value, "the bounds of %s must be two numbers [lower, upper]; found %d", f.Key.Text, len(f.Value.Items))
			continue
		}
		lo, okLo := l.bound(f.Value.Items[0], -1)
		hi, okHi := l.bound(f.Value.Items[1], 1)
		if !okLo || !okHi {
			continue
		}
		if !(lo < hi) {
			l.Report(f.Value, "the lower bound of %s must be below the upper one; found [%g, %g]", f.Key.Text, lo, hi)
			continue
		}
		if !math.IsInf(lo, -1) {
			r.add(r.unit(j, -1), -lo, fmt.Sprintf("%s >= %g", f.Key.Text, lo))
		}
		if !math.IsInf(hi, 1) {
			r.add(r.unit(j, 1), hi, fmt.Sprintf("%s <= %g", f.Key.Text, hi))
		}
	}
}

// bound reads a number, or .inf with the given sign.
func (l *loader) bound(n *yamlpos.Node, sign int) (float64, bool) {
	word := strings.ToLower(strings.TrimPrefix(n.Text, "+"))
	if n.Kind == yamlpos.Scalar && (sign > 0 && word == ".inf" || sign < 0 && word == "-.inf") {
		return math.Inf(sign), true
	}
	return l.Float(n)
}

// readSimplex reads the variables that are shares of 1, all but the last share.
func (l *loader) readSimplex(r *region, n *yamlpos.Node) {
	at, ok := l.coordinates(n)
	if !ok {
		return
	}
	s, err := domain.NewSimplex(len(at), 1)
	if err != nil {
		l.Report(n, "%v", err)
		return
	}
	sum := make([]float64, r.d)
	for _, j := range at {
		r.add(r.unit(j, -1), 0, l.names[j]+" >= 0")
		sum[j] = 1
	}
	var names []string
	for _, j := range at {
		names = append(names, l.names[j])
	}
	r.add(sum, 1, strings.Join(names, " + ")+" <= 1")
	r.joined = len(r.rows)
	r.parts = append(r.parts, domain.Part{Domain: s, At: at})
}

// coordinates reads a list of variables.
func (l *loader) coordinates(n *yamlpos.Node) ([]int, bool) {
	if !l.List(n, "variables") {
		return nil, false
	}
	var at []int
	for _, item := range n.Items {
		name, ok := l.Text(item)
		if !ok {
			return nil, false
		}
		j := slices.Index(l.names, name)
		switch {
		case j < 0:
			l.Report(item, "unknown variable %q%s", name, yamlpos.Suggest(name, "variables", l.names))
			return nil, false
		case slices.Contains(at, j):
			l.Report(item, "the variable %q is listed twice", name)
			return nil, false
		}
		at = append(at, j)
	}
	return at, true
}

// of reads the key `of` of a shape: the variables that it speaks of, otherwise
// the first so many, or all of them if that is negative.
func (l *loader) of(n *yamlpos.Node, dims int) ([]int, bool) {
	if k := n.Field("of"); k != nil {
		at, ok := l.coordinates(k)
		if ok && dims >= 0 && len(at) != dims {
			l.Report(k, "%s lies in a plane: of must list two variables; found %d", n.Name, len(at))
			return nil, false
		}
		return at, ok
	}
	if dims < 0 {
		dims = len(l.names)
	}
	if len(l.names) < dims {
		l.Report(n, "%s lies in a plane and needs two variables; there is one", n.Name)
		return nil, false
	}
	return every(dims), true
}

// readRound reads a ball or an ellipsoid.
func (l *loader) readRound(r *region, n *yamlpos.Node, keys ...string) {
	if !l.Section(n, append(keys, "of")...) {
		return
	}
	at, ok := l.of(n, -1)
	if !ok {
		return
	}
	center := make([]float64, len(at))
	if k := n.Field("center"); k != nil {
		if center, ok = l.Floats(k, len(at)); !ok {
			return
		}
	}
	var shape domain.Domain
	var err error
	if n.Name == "ball" {
		radius, ok := l.required(n, "radius", l.Positive)
		if !ok {
			return
		}
		shape, err = domain.NewBall(center, radius)
	} else {
		a, ok := l.quadric(n, len(at))
		if !ok {
			return
		}
		shape, err = domain.NewEllipsoid(center, a)
	}
	if err != nil {
		l.Report(n, "%v", err)
		return
	}
	r.parts = append(r.parts, domain.Part{Domain: shape, At: at})
}

// quadric reads the matrix A of (x − c)ᵀA(x − c) ≤ 1, given as half-axes along
// the coordinates or as it is.
func (l *loader) quadric(n *yamlpos.Node, d int) (mat.Symmetric, bool) {
	a := mat.NewSymDense(d, nil)
	axes, matrix := n.Field("axes"), n.Field("matrix")
	if (axes == nil) == (matrix == nil) {
		l.Report(n, "an ellipsoid needs either axes: [half-axes] or matrix: [[…], …] of (x - c)' A (x - c) <= 1")
		return nil, false
	}
	if axes != nil {
		v := l.positives(axes)
		if v != nil && len(v) != d {
			l.Report(axes, "axes must be a list of %d numbers; found %d", d, len(v))
		}
		if len(v) != d {
			return nil, false
		}
		for i, x := range v {
			a.SetSym(i, i, 1/(x*x))
		}
		return a, true
	}
	if !l.List(matrix, "rows") {
		return nil, false
	}
	if len(matrix.Items) != d {
		l.Report(matrix, "matrix must have %d rows; found %d", d, len(matrix.Items))
		return nil, false
	}
	var rows [][]float64
	for i, item := range matrix.Items {
		row, ok := l.Floats(item, d)
		if !ok {
			return nil, false
		}
		rows = append(rows, row)
		for j := range i {
			if row[j] != rows[j][i] {
				l.Report(item.Items[j], "matrix must be symmetric; found %g and %g", row[j], rows[j][i])
				return nil, false
			}
			a.SetSym(i, j, row[j])
		}
		a.SetSym(i, i, row[i])
	}
	return a, true
}

// readPlane reads a shape in a plane.
func (l *loader) readPlane(r *region, n *yamlpos.Node) {
	if n == nil {
		return
	}
	if n.Name == "polygon" && n.Kind == yamlpos.List {
		if at, ok := l.of(n, 2); ok {
			l.readPolygon(r, n, at)
		}
		return
	}
	keys := map[string][]string{"polygon": {"vertices", "of"}, "flower": {"petals", "offset", "radius", "of"}}[n.Name]
	if keys == nil {
		keys = []string{"radius", "of"}
	}
	if !l.Section(n, keys...) {
		return
	}
	at, ok := l.of(n, 2)
	if !ok {
		return
	}
	if n.Name == "polygon" {
		if n.Field("vertices") == nil {
			l.Report(n, "polygon needs the key \"vertices\"")
			return
		}
		l.readPolygon(r, n.Field("vertices"), at)
		return
	}
	shape, err, ok := l.planeShape(n)
	if err != nil {
		l.Report(n, "%v", err)
	} else if ok {
		r.parts = append(r.parts, domain.Part{Domain: shape, At: at})
	}
}

// planeShape builds a shape that has a radius.
func (l *loader) planeShape(n *yamlpos.Node) (shape domain.Domain, err error, ok bool) {
	radius := 2.0
	if k := n.Field("radius"); k != nil {
		if radius, ok = l.Positive(k); !ok {
			return nil, nil, false
		}
	}
	switch n.Name {
	case "flower":
		petals, offset := 5, 3.0
		if k := n.Field("petals"); k != nil {
			if petals, ok = l.Int(k, 1, 1000); !ok {
				return nil, nil, false
			}
		}
		if k := n.Field("offset"); k != nil {
			if offset, ok = l.Positive(k); !ok {
				return nil, nil, false
			}
		}
		shape, err = domain.NewFlower(petals, offset, radius)
	case "heart":
		shape, err = domain.NewHeart(radius)
	case "star":
		shape, err = domain.NewStar(radius)
	case "octagon":
		shape, err = domain.NewOctagon(radius)
	default:
		shape, err = domain.NewCross(radius)
	}
	return shape, err, true
}

// readPolygon reads the vertices of a polygon.
func (l *loader) readPolygon(r *region, n *yamlpos.Node, at []int) {
	if !l.List(n, "points [x, y]") {
		return
	}
	var v [][2]float64
	for _, item := range n.Items {
		p, ok := l.Floats(item, 2)
		if !ok {
			return
		}
		v = append(v, [2]float64{p[0], p[1]})
	}
	shape, err := domain.NewPolygon(v)
	if err != nil {
		l.Report(n, "%v", err)
		return
	}
	r.parts = append(r.parts, domain.Part{Domain: shape, At: at})
}
