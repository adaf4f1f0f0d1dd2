// Package region answers which states a configuration allows: it reads domains and
// constraints and makes a domain of them, or reports what contradicts what.
package region

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A Region is where states may be, put together from half-spaces, shapes on some of the
// coordinates, and surfaces. All of them intersect.
type Region struct {
	*key.Reader
	Context    context.Context    // searches for points end with it
	Names      []string           // of the coordinates
	Fixed      map[string]float64 // names in constraints that stand for numbers
	Folder     string             // that files are relative to
	Readable   func(string) error // says why a file may not be read; nil allows all
	Parameters bool               // the coordinates are parameters of a model
	Written    []string           // constraints as they are in coordinates alone, one for each entry; nil as they stand
	// Program starts the program that tells constraints, and reports why it cannot; nil is none.
	Program   func() (p Program, ok bool)
	OfProgram []Constraint // that it tells

	// What [Region.Settle] finds.
	Domain domain.Domain // nil is all of R^d
	Inside []float64     // a point inside the domain; nil if it is not known
	Slice  *domain.Slice // of equations, whose points are Domain and Inside; nil without

	rows      [][]float64 // a·x ≤ b of every linear constraint
	bounds    []float64   // b
	texts     []string    // by which messages call the rows
	joined    int         // rows that a shape holds already
	parts     []domain.Part
	surfaces  []domain.Surface
	labels    []string // of the surfaces
	equations []equation
	matrices  map[*yamlpos.Node]plainMatrix
}

func (r *Region) dim() int { return len(r.Names) }

// Key declares the domain section.
func Key() key.Key { return key.Mapping("domain", Keys()) }

// Keys declares what a domain is put together of: all of it intersects.
func Keys() []key.Key {
	bound := key.AnyOf(key.Object("type", "number"), key.Object("enum", []string{".inf", "-.inf", "+.inf"}))
	corners := key.Object("type", "array", "minItems", 2, "maxItems", 2, "items", bound)
	keys := []key.Key{key.Given("box", "`{x: [lo, hi], …}`", key.MapOf(corners), nil).
		Tells("variables not named are free", "lo < hi; `-.inf` and `.inf` leave a side open")}
	for _, s := range shapes() {
		keys = append(keys, s.key())
	}
	constraint := key.AnyOf(key.PlainText(), key.Section(MatrixKeys()))
	return append(keys, key.Given("constraints", "text, map, or list of them",
		key.AnyOf(constraint, key.Object("type", "array", "items", constraint)), nil).
		Tells("", "[inequalities](#constraints), as text or as a matrix"),
		key.Given("program", "list of names", key.ListOf(key.PlainText()), nil).
			Tells("", "[constraints that the program of the potential tells](#constraints-in-another-program), by their names"))
}

// Read reads the domain section and settles the region; messages on the whole of it stand
// at its key.
func (r *Region) Read(n, at *yamlpos.Node) {
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	if r.foreignKind(n) || !r.Only(n, Keys()) || r.Names == nil {
		return
	}
	before := len(r.Problems)
	r.readSimplex(n.Field("simplex"))
	r.readBox(n.Field("box"))
	for _, s := range shapes() {
		if s.plane && n.Empty(s.name) {
			r.Report(n.Key(s.name), "%s holds nothing; expected, for instance, %s: {radius: 2}", s.name, s.name)
		}
		r.readShape(s, n.Field(s.name))
	}
	r.Constraints(n.Field("constraints"))
	r.readProgram(n.Field("program"))
	if len(r.Problems) == before {
		r.Settle(at)
	}
}

// foreignKind reports a domain that tells its kind as other formats do, or nothing else.
func (r *Region) foreignKind(n *yamlpos.Node) bool {
	if n.Kind == yamlpos.Scalar && slices.Contains(key.Names(Keys()), n.Text) {
		r.Report(n, "the kind of a domain is a key in it: domain: {%s: …}", n.Text)
		return true
	}
	for _, word := range []string{"kind", "type"} {
		if kind := n.Field(word); kind != nil && slices.Contains(key.Names(Keys()), kind.Text) {
			r.Report(n.Key(word), "the kind of a domain is a key in it: domain: {%s: …}", kind.Text)
			return true
		}
	}
	return false
}

// lonely reports that no point of d lies a billionth of its bounds away from x
// along a coordinate, or is the next number where that is less than rounding.
func lonely(d domain.Domain, x []float64) bool {
	lo, hi := domain.BoundsOf(d, len(x))
	near := slices.Clone(x)
	for i, v := range x {
		wide := hi[i] - lo[i]
		if math.IsInf(wide, 0) {
			wide = 1 + math.Abs(v)
		}
		for _, step := range []float64{-1e-9 * wide, 1e-9 * wide, -3e-11 * wide, 3e-11 * wide} {
			if near[i] = v + step; near[i] == v {
				near[i] = math.Nextafter(v, math.Copysign(math.Inf(1), step))
			}
			if d.Contains(near) {
				return false
			}
		}
		near[i] = v
	}
	return true
}

// leastNumbers is how many numbers a domain is wide at least: the law of draws that are so
// coarse is off by one over that.
const leastNumbers = 1 << 10

// fairSize refuses domains whose squares and volumes are beyond floating point, and those
// that hold few numbers.
func fairSize(d domain.Domain) error {
	if d == nil {
		return nil
	}
	lo, hi := domain.BoundsOf(d, d.Dim())
	for i := range lo {
		far := max(finiteSize(lo[i]), finiteSize(hi[i]))
		wide := hi[i] - lo[i]
		if far > 1e100 || wide > 0 && wide < 1e-50 {
			return fmt.Errorf("the domain reaches from %g to %g in a coordinate: measure it in other units, so that sizes lie between 1e-50 and "+
				"1e100", lo[i], hi[i])
		}
		if apart := math.Nextafter(far, math.Inf(1)) - far; wide > 0 && wide < leastNumbers*apart {
			return fmt.Errorf("the domain reaches from %.17g to %.17g in a coordinate, %.0f times the %.2g that numbers there lie apart: "+
				"fewer than %d are too coarse for draws. Take the distance from %.6g for the variable",
				lo[i], hi[i], wide/apart, apart, leastNumbers, lo[i])
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

// Settle builds the domain and looks for a point inside; an empty one is reported at the
// node, by the texts of the constraints that exclude each other.
func (r *Region) Settle(at *yamlpos.Node) {
	d, err := r.Build()
	if err != nil {
		r.Report(at, "the domain cannot be built: %v", err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	err = fairSize(d)
	if err == nil && len(r.rows) > 0 {
		var linear domain.Domain
		if linear, err = domain.NewPolytope(r.rows, r.bounds, r.texts); err == nil {
			_, err = domain.Interior(r.Context, linear, rng)
		}
	}
	if err == nil && d != nil {
		if r.Inside, err = domain.Interior(r.Context, d, rng); err == nil && lonely(d, r.Inside) {
			err = cmp.Or(domain.Err(d), errors.New("the domain has no interior: it holds a point and nothing around it; loosen a constraint"))
		}
		if errors.Is(err, domain.ErrNoInterior) && r.OfProgram != nil {
			err = fmt.Errorf("%w; %s", err, r.values(d))
		}
	}
	if err != nil {
		r.ReportBare(at, "%v", err)
		return
	}
	r.Domain = d
	r.eliminate(d, at)
}

// Add adds the linear constraint a·x ≤ b.
func (r *Region) Add(a []float64, b float64, text string) {
	r.rows, r.bounds, r.texts = append(r.rows, a), append(r.bounds, b), append(r.texts, text)
}

// axis returns the coordinate that row i bounds alone, or −1.
func (r *Region) axis(i int) int {
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

// Box is that of the rows that bound one coordinate; ±Inf where there is none.
func (r *Region) Box() (lo, hi []float64) {
	lo, hi = slices.Repeat([]float64{math.Inf(-1)}, r.dim()), slices.Repeat([]float64{math.Inf(1)}, r.dim())
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

// Build builds the domain: a box of the rows that bound one coordinate, a
// polytope of the others, the shapes and the surfaces; nil is all of R^d.
func (r *Region) Build() (domain.Domain, error) {
	lo, hi := r.Box()
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
			if q, ok := s.(interface{ Bounds(lo, hi []float64) }); ok {
				q.Bounds(l, h)
			}
		}
		if lessAll(l, h) {
			lo, hi = l, h
		}
		s, err := domain.NewImplicit(r.surfaces, r.labels, lo, hi)
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
func (r *Region) members(lo, hi []float64) ([]domain.Domain, error) {
	parts := slices.Clone(r.parts)
	seen, disjoint := make([]bool, r.dim()), true
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
			at = every(r.dim())
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
		if slices.Equal(p.At, every(r.dim())) {
			out = append(out, p.Domain)
			continue
		}
		if disjoint {
			whole, err := domain.NewProduct(r.dim(), parts...)
			return []domain.Domain{whole}, err
		}
		whole, err := domain.NewProduct(r.dim(), p)
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

// Unit is the j-th unit vector times v.
func (r *Region) Unit(j int, v float64) []float64 {
	a := make([]float64, r.dim())
	a[j] = v
	return a
}
