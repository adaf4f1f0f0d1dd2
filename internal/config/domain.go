package config

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/key"
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

// domainKey declares the domain section.
func domainKey() key.Key { return key.Mapping("domain", domainKeys()) }

// domainKeys declares what a domain is put together of: all of it intersects.
func domainKeys() []key.Key {
	bound := key.AnyOf(key.Object("type", "number"), key.Object("enum", []string{".inf", "-.inf", "+.inf"}))
	corners := key.Object("type", "array", "minItems", 2, "maxItems", 2, "items", bound)
	keys := []key.Key{key.Given("box", "`{x: [lo, hi], …}`", key.MapOf(corners), nil).
		Tells("variables not named are free", "lo < hi; `-.inf` and `.inf` leave a side open")}
	for _, s := range shapes() {
		keys = append(keys, s.key())
	}
	constraint := key.AnyOf(key.PlainText(), key.Section(matrixKeys()))
	return append(keys, key.Given("constraints", "text, map, or list of them", key.AnyOf(constraint, key.Object("type", "array", "items", constraint)), nil).
		Tells("", "[inequalities](#constraints), as text or as a matrix"))
}

// readDomain reads the domain section into l.domain, and finds out whether it
// is empty.
func (l *loader) readDomain(n *yamlpos.Node) {
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	if !l.Section(n, key.Names(domainKeys())...) || l.names == nil {
		return
	}
	before := len(l.Problems)
	r := &region{d: len(l.names)}
	l.readSimplex(r, n.Field("simplex"))
	l.readBox(r, n.Field("box"))
	for _, s := range shapes() {
		if s.plane && n.Empty(s.name) {
			l.Report(n.Key(s.name), "%s holds nothing; expected, for instance, %s: {radius: 2}", s.name, s.name)
		}
		l.readShape(r, s, n.Field(s.name))
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
		l.ReportBare(at, "%v", err)
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
