package region

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A shape is a kind of domain, declared once: how the reference tells it, and how it is
// read and made. It lies in some of the coordinates, by default the first two or all.
type shape struct {
	name, words, fallback, doc string
	plane                      bool // it lies in two coordinates
	listed                     bool // it may be a list in place of a mapping
	open                       func(d int) maker
}

// A maker is a shape in d coordinates that is being read.
type maker struct {
	keys  []key.Key
	order []string // in which they are read; nil is that of keys
	// build makes the shape of what was read from n; nil, nil where it has reported why not.
	build func(r *Region, n *yamlpos.Node) (domain.Domain, error)
}

// shapes are all kinds of domain but box and constraints, in the order of the messages.
func shapes() []shape {
	return []shape{
		{name: "ball", words: "`{center, radius, of}`", fallback: "center 0; radius required", doc: "‖x − center‖ ≤ radius", open: openBall},
		{name: "ellipsoid", words: "`{center, axes, of}` or `{center, matrix, of}`", fallback: "center 0", open: openEllipsoid,
			doc: "half-axes along the coordinates, or (x − c)ᵀA(x − c) ≤ 1 with A symmetric and positive definite"},
		{name: "simplex", words: "`[x, y, …]`", doc: "each ≥ 0, their sum ≤ 1"},
		{name: "polygon", words: "`[[x, y], …]` or `{vertices, of}`", plane: true, listed: true, open: openPolygon,
			doc: "at least 3 vertices in order, either way round, edges that do not cross"},
		{name: "flower", words: "`{petals, offset, radius, of}`", fallback: "5, 3, 2", plane: true, open: openFlower,
			doc: "r(θ) = radius/(offset + ½)·(sin(petals·θ) + offset); petals 1 … 64, offset > 1"},
		radial("heart", domain.NewHeart, "(16 sin³θ, 13 cos θ − 5 cos 2θ − 2 cos 3θ − cos 4θ)·radius/10"),
		radial("star", domain.NewStar, "five tips at distance radius, one at (0, radius)"),
		radial("octagon", domain.NewOctagon, "regular, vertices at distance radius, one at (0, radius)"),
		radial("cross", domain.NewCross, "\\|x\\| ≤ radius·sin 18°, \\|y\\| ≤ radius·sin 72°, and the same turned by 90°"),
	}
}

// radial is a shape in the plane that a radius alone determines.
func radial(name string, build func(radius float64) (domain.Domain, error), doc string) shape {
	return shape{name: name, words: "`{radius, of}`", fallback: "2", plane: true, doc: doc, open: func(int) maker {
		radius := 2.0
		return maker{keys: []key.Key{key.Number("radius", &radius, key.Positive).Tells("2", "size")},
			build: func(*Region, *yamlpos.Node) (domain.Domain, error) { return build(radius) }}
	}}
}

func openFlower(int) maker {
	petals, offset, radius := 5, 3.0, 2.0
	keys := []key.Key{
		key.Whole("petals", &petals, 1, 64).Tells("5", "how many"),
		key.Number("offset", &offset, key.Positive).Also("exclusiveMinimum", 1).Tells("3", "above 1; large ones make it round"),
		key.Number("radius", &radius, key.Positive).Tells("2", "size"),
	}
	return maker{keys, []string{"radius", "petals", "offset"}, func(*Region, *yamlpos.Node) (domain.Domain, error) {
		return domain.NewFlower(petals, offset, radius)
	}}
}

func openBall(d int) maker {
	center, radius := make([]float64, d), 0.0
	return maker{keys: []key.Key{centerKey(&center), key.Number("radius", &radius, key.Positive).Must().Tells("", "size")},
		build: func(*Region, *yamlpos.Node) (domain.Domain, error) { return domain.NewBall(center, radius) }}
}

func centerKey(center *[]float64) key.Key {
	return key.Given("center", "list of numbers", key.ListOf(key.Object("type", "number")), func(r *key.Reader, n *yamlpos.Node) {
		if v, ok := r.Floats(n, len(*center)); ok {
			*center = v
		}
	}).Tells("0", "the middle")
}

func openEllipsoid(d int) maker {
	center, row := make([]float64, d), key.ListOf(key.Object("type", "number"))
	keys := []key.Key{
		centerKey(&center),
		key.Positives("axes", &[]float64{}).By(nil).Tells("", "half-axes along the coordinates"),
		key.Given("matrix", "rows", key.ListOf(row), nil).Tells("", "A of (x − c)ᵀA(x − c) ≤ 1, symmetric and positive definite"),
	}
	return maker{keys: keys, build: func(r *Region, n *yamlpos.Node) (domain.Domain, error) {
		if a, ok := r.quadric(n, d); ok {
			return domain.NewEllipsoid(center, a)
		}
		return nil, nil
	}}
}

func openPolygon(int) maker {
	point := key.Object("type", "array", "minItems", 2, "maxItems", 2, "items", key.Object("type", "number"))
	keys := []key.Key{key.Given("vertices", "list of points", key.Object("type", "array", "minItems", 3, "items", point), nil).Must().
		Tells("", "in order, either way round")}
	return maker{keys: keys, build: func(r *Region, n *yamlpos.Node) (domain.Domain, error) {
		if n.Kind == yamlpos.Map {
			if n = n.Field("vertices"); n == nil {
				return nil, errors.New("polygon needs the key \"vertices\"")
			}
		}
		var v [][2]float64
		for _, p := range r.rowsOf(n, "points [x, y]", 2) {
			v = append(v, [2]float64(p))
		}
		if v == nil {
			return nil, nil
		}
		shape, err := domain.NewPolygon(v)
		if err != nil {
			r.Report(n, "%v", err)
			return nil, nil
		}
		return shape, nil
	}}
}

// key declares the shape as a key of the domain.
func (s shape) key() key.Key {
	if s.open == nil {
		return key.Given(s.name, s.words, key.ListOf(key.PlainText()), nil).Tells(s.fallback, s.doc)
	}
	m := s.open(0)
	of := key.Given("of", "list of variables", key.ListOf(key.PlainText()), nil).Tells("all, or the first two",
		"the variables that it speaks of")
	k := key.Mapping(s.name, append(m.keys, of)).In(s.words).By(nil).Tells(s.fallback, s.doc)
	k.Filled = s.plane
	if s.listed {
		k.Shape = key.AnyOf(m.keys[0].Shape, k.Shape)
	}
	return k
}

// readShape reads a shape into r.
func (r *Region) readShape(s shape, n *yamlpos.Node) {
	if n == nil || s.open == nil {
		return
	}
	list := s.listed && n.Kind == yamlpos.List
	if n.Kind == yamlpos.Scalar {
		r.Report(n, "%s must be %s; found %s", s.name, strings.ReplaceAll(s.words, "`", ""), n)
		return
	}
	if !list && !r.Only(n, s.key().Within) {
		return
	}
	dims := -1
	if s.plane {
		dims = 2
	}
	at, ok := r.of(n, dims)
	if !ok {
		return
	}
	m := s.open(len(at))
	if m.order == nil {
		m.order = key.Names(m.keys)
	}
	before := len(r.Problems)
	for _, name := range m.order {
		if r.Take(n, m.keys, name); len(r.Problems) > before {
			return
		}
	}
	switch shape, err := m.build(r, n); {
	case err != nil:
		r.Report(n, "%v", err)
	case shape != nil:
		r.parts = append(r.parts, domain.Part{Domain: shape, At: at})
	}
}

// Ball adds the unit ball of some coordinates.
func (r *Region) Ball(at []int) {
	ball, err := domain.NewBall(make([]float64, len(at)), 1)
	if err != nil {
		panic(err) // its numbers are finite
	}
	r.parts = append(r.parts, domain.Part{Domain: ball, At: at})
}

// readBox reads bounds of variables.
func (r *Region) readBox(n *yamlpos.Node) {
	if !r.Section(n, r.Names...) {
		return
	}
	for _, f := range n.Fields {
		j := slices.Index(r.Names, f.Key.Text)
		if j < 0 || !r.List(f.Value, "two numbers") {
			continue
		}
		if len(f.Value.Items) != 2 {
			r.Report(f.Value, "the bounds of %s must be two numbers [lower, upper]; found %d%s", f.Key.Text, len(f.Value.Items), f.Value.Hint())
			continue
		}
		lo, okLo := r.bound(f.Value.Items[0], -1)
		hi, okHi := r.bound(f.Value.Items[1], 1)
		if !okLo || !okHi {
			continue
		}
		if !(lo < hi) {
			r.Report(f.Value, "the lower bound of %s must be below the upper one; found [%g, %g]", f.Key.Text, lo, hi)
			continue
		}
		if !math.IsInf(lo, -1) {
			r.Add(r.Unit(j, -1), -lo, fmt.Sprintf("%s >= %g", f.Key.Text, lo))
		}
		if !math.IsInf(hi, 1) {
			r.Add(r.Unit(j, 1), hi, fmt.Sprintf("%s <= %g", f.Key.Text, hi))
		}
	}
}

// bound reads a number, or .inf with the given sign.
func (r *Region) bound(n *yamlpos.Node, sign int) (float64, bool) {
	word := strings.ToLower(strings.TrimPrefix(n.Text, "+"))
	if n.Kind == yamlpos.Scalar && (sign > 0 && word == ".inf" || sign < 0 && word == "-.inf") {
		return math.Inf(sign), true
	}
	return r.Float(n)
}

// readSimplex reads the variables that are shares of 1, all but the last share.
func (r *Region) readSimplex(n *yamlpos.Node) {
	at, ok := r.Members(n, "variable", "variables", r.Names)
	if !ok {
		return
	}
	s, err := domain.NewSimplex(len(at), 1)
	if err != nil {
		r.Report(n, "%v", err)
		return
	}
	sum := make([]float64, r.dim())
	for _, j := range at {
		r.Add(r.Unit(j, -1), 0, r.Names[j]+" >= 0")
		sum[j] = 1
	}
	var names []string
	for _, j := range at {
		names = append(names, r.Names[j])
	}
	r.Add(sum, 1, strings.Join(names, " + ")+" <= 1")
	r.joined = len(r.rows)
	r.parts = append(r.parts, domain.Part{Domain: s, At: at})
}

// of reads the key `of` of a shape: the variables that it speaks of, otherwise
// the first so many, or all of them if that is negative.
func (r *Region) of(n *yamlpos.Node, dims int) ([]int, bool) {
	if k := n.Field("of"); k != nil {
		at, ok := r.Members(k, "variable", "variables", r.Names)
		if ok && dims >= 0 && len(at) != dims {
			r.Report(k, "%s lies in a plane: of must list two variables; found %d", n.Name, len(at))
			return nil, false
		}
		return at, ok
	}
	if dims < 0 {
		dims = len(r.Names)
	}
	if len(r.Names) < dims {
		r.Report(n, "%s lies in a plane and needs two variables; there is one", n.Name)
		return nil, false
	}
	return every(dims), true
}

// quadric reads the matrix A of (x − c)ᵀA(x − c) ≤ 1, given as half-axes along
// the coordinates or as it is.
func (r *Region) quadric(n *yamlpos.Node, d int) (mat.Symmetric, bool) {
	a := mat.NewSymDense(d, nil)
	axes, matrix := n.Field("axes"), n.Field("matrix")
	if (axes == nil) == (matrix == nil) {
		r.Report(n, "an ellipsoid needs either axes: [half-axes] or matrix: [[…], …] of (x - c)' A (x - c) <= 1")
		return nil, false
	}
	if axes != nil {
		v := r.Positives(axes)
		if v != nil && len(v) != d {
			r.Report(axes, "axes must be a list of %d numbers; found %d", d, len(v))
		}
		if len(v) != d {
			return nil, false
		}
		for i, x := range v {
			a.SetSym(i, i, 1/(x*x))
		}
		return a, true
	}
	if n := len(matrix.Items); n > 0 && n != d {
		r.Report(matrix, "matrix must have %d rows; found %d", d, n)
		return nil, false
	}
	rows := r.rowsOf(matrix, "rows", d)
	for i, row := range rows {
		for j := range i {
			if row[j] != rows[j][i] {
				r.Report(matrix.Items[i].Items[j], "matrix must be symmetric; found %g and %g", row[j], rows[j][i])
				return nil, false
			}
			a.SetSym(i, j, row[j])
		}
		a.SetSym(i, i, row[i])
	}
	return a, rows != nil
}

// rowsOf reads a list of lists of so many numbers; nil if they are wrong.
func (r *Region) rowsOf(n *yamlpos.Node, what string, width int) (rows [][]float64) {
	if !r.List(n, what) {
		return nil
	}
	for _, item := range n.Items {
		row, ok := r.Floats(item, width)
		if !ok {
			return nil
		}
		rows = append(rows, row)
	}
	return rows
}
