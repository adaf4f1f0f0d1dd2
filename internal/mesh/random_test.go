package mesh

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
)

// sound returns the mesh of a polygon, which must be well formed, have its area and
// agree with it.
func sound(t *rapid.T, d domain.Domain, n int) *Mesh {
	m, err := New(t.Context(), d, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(m); err != nil {
		t.Fatal(err)
	}
	if e := math.Abs(m.Total() - areaOf(d)); e > 1e-9 {
		t.Fatalf("area %v, want %v", m.Total(), areaOf(d))
	}
	if err := differs(d, m, 12); err != nil {
		t.Fatal(err)
	}
	return m
}

// Random polygons, star-shaped around a point, some of them very thin or with
// vertices on lines of the grid: the mesh is well formed, has the polygon's area
// and comes out the same twice.
func TestRandomPolygons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(3, 12).Draw(t, "vertices")
		flat := rapid.SampledFrom([]float64{1, 1, 0.1, 1e-3}).Draw(t, "flat")
		sin, cos := math.Sincos(rapid.Float64Range(0, 7).Draw(t, "turned"))
		v := make([][2]float64, k)
		for i := range v {
			r := rapid.Float64Range(0.05, 1).Draw(t, "radius")
			s, c := math.Sincos(2 * math.Pi * (float64(i) + rapid.Float64Range(0, 0.9).Draw(t, "angle")) / float64(k))
			x, y := r*c, flat*r*s
			v[i] = [2]float64{x*cos - y*sin, x*sin + y*cos}
		}
		d, err := domain.NewPolygon(v)
		if err != nil {
			t.Skip(err)
		}
		n := rapid.IntRange(2, 40).Draw(t, "n")
		m := sound(t, d, n)
		if again, _ := New(t.Context(), d, n); !reflect.DeepEqual(m, again) {
			t.Fatal("the same domain gave two meshes")
		}
		l, err := Diameter(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, p := range v {
			for _, q := range v {
				want = max(want, math.Hypot(p[0]-q[0], p[1]-q[1]))
			}
		}
		if math.Abs(l-want) > 1e-14 {
			t.Fatalf("diameter %v, want %v", l, want)
		}
	})
}

// Polygons with vertices on crossings of the lines, at any slope: the wall passes
// through corners of cells and touches lines without crossing them.
func TestPolygonsThroughCorners(t *testing.T) { rapid.Check(t, throughCorners) }

func FuzzPolygonsThroughCorners(f *testing.F) { f.Fuzz(rapid.MakeFuzz(throughCorners)) }

func throughCorners(t *rapid.T) {
	k := rapid.IntRange(3, 9).Draw(t, "vertices")
	at := rapid.SampledFrom([]float64{0, 0.1, -1.0 / 3}).Draw(t, "at")
	most := rapid.IntRange(2, 8).Draw(t, "most")
	seen := map[[2]float64]bool{}
	var v [][2]float64
	for len(v) < k {
		p := [2]float64{float64(rapid.IntRange(0, most).Draw(t, "x")), float64(rapid.IntRange(0, most).Draw(t, "y"))}
		if seen[p] && len(seen) < most*most {
			continue
		}
		seen[p] = true
		v = append(v, p)
	}
	slices.SortFunc(v[1:], func(p, q [2]float64) int { // as seen from the first
		return cmp.Compare(math.Atan2(p[1]-v[0][1], p[0]-v[0][0]), math.Atan2(q[1]-v[0][1], q[0]-v[0][0]))
	})
	for i := range v {
		v[i][0] = at + v[i][0]/7
		v[i][1] = at + v[i][1]/7
	}
	d, err := domain.NewPolygon(v)
	if err != nil || pinched(v) {
		t.Skip("not simple, or to rounding only")
	}
	lo, hi := domain.BoundsOf(d, 2)
	n := int(math.Round(7*max(hi[0]-lo[0], hi[1]-lo[1]))) * rapid.IntRange(1, 5).Draw(t, "fine")
	if n < 2 {
		t.Skip("one cell")
	}
	sound(t, d, n)
}

// pinched reports whether a vertex lies on the line of an edge of others to within
// rounding, and on the edge: then rounding decides on what side.
func pinched(v [][2]float64) bool {
	for i, p := range v {
		for j, a := range v {
			b := v[(j+1)%len(v)]
			if p == a || p == b {
				continue
			}
			ex, ey := b[0]-a[0], b[1]-a[1]
			w := clamp01(((p[0]-a[0])*ex + (p[1]-a[1])*ey) / (ex*ex + ey*ey))
			if i != j && math.Hypot(p[0]-a[0]-w*ex, p[1]-a[1]-w*ey) < 1e-9 {
				return true
			}
		}
	}
	return false
}

// A skyline is a polygon of columns of width 1 from low to high.
type skyline struct {
	low, high   []int
	bottom, top int
}

func drawSkyline(t *rapid.T) skyline {
	w := rapid.IntRange(1, 6).Draw(t, "columns")
	s := skyline{low: make([]int, w), high: make([]int, w)}
	for i := range w {
		s.low[i] = rapid.IntRange(-4, 0).Draw(t, "low")
		s.high[i] = rapid.IntRange(1, 5).Draw(t, "high")
		s.bottom, s.top = min(s.bottom, s.low[i]), max(s.top, s.high[i])
	}
	return s
}

// polygon runs along the bottom, then back along the top.
func (s skyline) polygon(shift, scale float64) (domain.Domain, error) {
	var v [][2]float64
	point := func(x, y int) {
		p := [2]float64{shift + scale*float64(x), shift + scale*float64(y)}
		if k := len(v); k == 0 || v[k-1] != p {
			v = append(v, p)
		}
	}
	for i, y := range s.low {
		point(i, y)
		point(i+1, y)
	}
	for i := len(s.high) - 1; i >= 0; i-- {
		point(i+1, s.high[i])
		point(i, s.high[i])
	}
	return domain.NewPolygon(v)
}

// cells counts the cells and the faces of m that should be, and says whether the
// cells are the right ones.
func (s skyline) cells(m *Mesh, fine int) (cells, faces int, right bool) {
	in := func(col, row int) bool {
		col, row = col/fine, row/fine+s.bottom
		return col < len(s.low) && row >= s.low[col] && row < s.high[col]
	}
	right = true
	for row := range m.Shape[1] {
		for col := range m.Shape[0] {
			if !in(col, row) {
				continue
			}
			right = right && cells < len(m.Index) && m.Index[cells] == int32(row*m.Shape[0]+col)
			cells++
			if in(col+1, row) {
				faces++
			}
			if in(col, row+1) {
				faces++
			}
		}
	}
	return cells, faces, right
}

// Polygons along the lines of the grid have whole cells only, and two of them
// share a face where both lie in Ω. A wall along a line that counts for the wrong
// side shows at once.
func TestLatticePolygons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSkyline(t)
		shift := rapid.SampledFrom([]float64{0, 1.0 / 3, 1e-14, -0.1}).Draw(t, "shift")
		d, err := s.polygon(shift, rapid.SampledFrom([]float64{1, 0.1, 1.0 / 3}).Draw(t, "scale"))
		if err != nil {
			t.Fatal(err)
		}
		fine := rapid.IntRange(1, 3).Draw(t, "fine")
		m, err := New(t.Context(), d, max(len(s.low), s.top-s.bottom, 2)*fine)
		if len(s.low) == 1 && s.top-s.bottom == 1 {
			t.Skip("one square")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(m); err != nil {
			t.Fatal(err)
		}
		if cells, faces, right := s.cells(m, fine); !right || cells != len(m.Index) || faces != len(m.Faces) {
			t.Fatalf("cells %v and %d faces, want %d and %d", m.Index, len(m.Faces), cells, faces)
		}
		for _, a := range m.Volume {
			if math.Abs(a-m.Side[0]*m.Side[1]) > 1e-9*a {
				t.Fatalf("a cell of area %v, want %v", a, m.Side[0]*m.Side[1])
			}
		}
		for _, f := range m.Faces {
			if math.Abs(f.Area-m.Side[0]) > 1e-9*f.Area {
				t.Fatalf("a face of length %v, want %v", f.Area, m.Side[0])
			}
		}
	})
}

// union is a domain of which only membership is known, in several parts.
type union []domain.Domain

func (u union) Dim() int { return u[0].Dim() }

// Tracer knows no walls.
func (u union) Tracer() domain.Tracer {
	b, _ := domain.NewBall(make([]float64, u.Dim()), 1e9)
	return b.Tracer()
}
func (u union) Contains(x []float64) bool {
	for _, d := range u {
		if d.Contains(x) {
			return true
		}
	}
	return false
}
func (u union) Bounds(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(1), math.Inf(-1)
	}
	for _, d := range u {
		a, b := domain.BoundsOf(d, len(lo))
		for i := range lo {
			lo[i], hi[i] = min(lo[i], a[i]), max(hi[i], b[i])
		}
	}
}

func box(t testing.TB, lo, hi []float64) domain.Domain {
	return must[domain.Domain](t)(domain.NewBox(lo, hi))
}

// without is a domain with a hole.
type without struct {
	domain.Domain
	hole domain.Domain
}

func (w without) Contains(x []float64) bool { return w.Domain.Contains(x) && !w.hole.Contains(x) }

// Holes, also within one cell, and unions that touch.
func TestHolesAndUnions(t *testing.T) {
	disc := must[domain.Domain](t)(domain.NewBall([]float64{0, 0}, 1))
	for _, r := range []float64{0.6, 0.21, 0.05} {
		d := without{disc, must[domain.Domain](t)(domain.NewBall([]float64{0.13, 0.07}, r))}
		for _, n := range []int{4, 10, 60} {
			m, err := New(t.Context(), blind{d}, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(m); err != nil {
				t.Fatal(err)
			}
			within(t, fmt.Sprintf("%v, %d: area", r, n), m.Total(), math.Pi*(1-r*r), 2e-3)
		}
	}
	l := union{box(t, []float64{0, 0}, []float64{3, 1}), box(t, []float64{0, 0}, []float64{1, 2})}
	m, err := New(t.Context(), l, 30)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "L: area", m.Total(), 4, 1e-4) // one corner is cut by half a node
}

// Every refusal says what is wrong and what to do.
func TestRefusals(t *testing.T) {
	inf := math.Inf(1)
	wedge := must[domain.Domain](t)(domain.NewPolytope([][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, []float64{0, -1, 1, 1},
		[]string{"x <= 0", "x >= 1", "y <= 1", "y >= -1"}))
	bar := union{box(t, []float64{0, 0}, []float64{1, 1}), box(t, []float64{2, 0}, []float64{3, 1})}
	neck := append(bar, box(t, []float64{0.5, 0.5}, []float64{2.5, 0.53}))
	ring := without{must[domain.Domain](t)(domain.NewBall([]float64{0, 0}, 1)),
		must[domain.Domain](t)(domain.NewBall([]float64{0, 0}, 0.9999))}
	nowhere := without{box(t, []float64{0, 0}, []float64{1, 1}), box(t, []float64{-1, -1}, []float64{2, 2})}
	for _, c := range []struct {
		name string
		d    domain.Domain
		n    int
		says string
	}{
		{"nothing", nil, 10, "no domain"},
		{"three dimensions", box(t, []float64{0, 0, 0}, []float64{1, 1, 1}), 10, "3 coordinates"},
		{"unbounded", box(t, []float64{0, 0}, []float64{1, inf}), 10, "unbounded"},
		{"unbounded line", box(t, []float64{0}, []float64{inf}), 10, "unbounded"},
		{"empty polytope", wedge, 10, "empty"},
		{"empty", blind{nowhere}, 10, "empty"},
		{"empty line", without{box(t, []float64{0}, []float64{1}), box(t, []float64{-1}, []float64{2})}, 10, "empty"},
		{"two parts", bar, 10, "falls into 2 parts: nothing mixes"},
		{"two parts of a line", union{box(t, []float64{0}, []float64{1}), box(t, []float64{2}, []float64{3})}, 10,
			"falls into 2 parts: nothing mixes"},
		{"narrow", neck, 4, "too coarse"},
		{"thin", blind{ring}, 100, "thinner than its cells"},
		{"one cell", bar[0], 1, "from 2 to 4096"},
		{"too fine", bar[0], 5000, "from 2 to 4096"},
	} {
		m, err := New(t.Context(), c.d, c.n)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v; want an error with %q", c.name, m, err, c.says)
			continue
		}
		t.Log(err)
		if strings.Contains(c.says, "coordinates") || strings.Contains(c.says, "unbounded") || strings.Contains(c.says, "empty") {
			if l, err := Diameter(t.Context(), c.d); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: diameter %v, %v", c.name, l, err)
			}
		}
	}
	var n int
	_, err := New(t.Context(), neck, 4)
	if _, e := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "give "):], "give %d", &n); e != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), neck, n); err != nil {
		t.Errorf("%d cells were to do: %v", n, err)
	}
}

// An interval is cut into equal cells, whatever describes it.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		name string
		d    domain.Domain
		a, b float64
	}{
		{"box", box(t, []float64{-1}, []float64{2}), -1, 2},
		{"ball", must[domain.Domain](t)(domain.NewBall([]float64{3}, 0.5)), 2.5, 3.5},
		{"simplex", must[domain.Domain](t)(domain.NewSimplex(1, 2)), 0, 2},
		{"membership", without{box(t, []float64{0}, []float64{1}), box(t, []float64{0.7}, []float64{2})}, 0, 0.7},
		{"polytope", must[domain.Domain](t)(domain.NewPolytope([][]float64{{3}, {-7}}, []float64{1, 1}, nil)), -1.0 / 7, 1.0 / 3},
	} {
		for _, n := range []int{2, 7, 1000} {
			m, err := New(t.Context(), c.d, n)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Index) != n || len(m.Faces) != n-1 || m.parts() != 1 {
				t.Fatalf("%s: %d cells, %d faces", c.name, len(m.Index), len(m.Faces))
			}
			within(t, c.name+": length", m.Total(), c.b-c.a, 1e-12)
			within(t, c.name+": first centre", m.Centre[0], c.a+0.5*(c.b-c.a)/float64(n), 1e-12)
			within(t, c.name+": last centroid", m.Centroid[n-1], c.b-0.5*(c.b-c.a)/float64(n), 1e-12)
			within(t, c.name+": last face", m.Faces[n-2].At[0], c.b-(c.b-c.a)/float64(n), 1e-12)
			for i, f := range m.Faces {
				if int(f.I) != i || int(f.J) != i+1 || f.Area != 1 || f.Distance != m.Side[0] {
					t.Fatalf("%s: face %d is %+v", c.name, i, f)
				}
			}
		}
		l, err := Diameter(t.Context(), c.d)
		if err != nil {
			t.Fatal(err)
		}
		within(t, c.name+": diameter", l, c.b-c.a, 1e-12)
	}
}

// A wall along a line of the grid that ends within a face closes that face up to
// its end and no further, whichever way it points.
func TestWallAlongLine(t *testing.T) {
	for _, gap := range []float64{0.9, 0.005} {
		for quarter := range 4 {
			var v [][2]float64
			for _, p := range [][2]float64{{0, 0}, {4, 0}, {4, gap}, {2, gap}, {2, 2}, {0, 2}} {
				for range quarter {
					p[0], p[1] = -p[1], p[0]
				}
				v = append(v, p)
			}
			d := must[domain.Domain](t)(domain.NewPolygon(v))
			m, err := New(t.Context(), d, 4)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(m); err != nil {
				t.Fatal(err)
			}
			var lengths []float64
			for _, f := range m.Faces {
				lengths = append(lengths, f.Area)
			}
			slices.Sort(lengths)
			if want := []float64{gap, gap, 1, 1, 1, 1}; len(lengths) != 6 || !near(lengths, want) {
				t.Errorf("turned by %d quarters: lengths %v, want %v", quarter, lengths, want)
			}
		}
	}
}

func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			return false
		}
	}
	return len(a) == len(b)
}

// padded is a domain whose bounds are far too wide.
type padded struct{ blind }

func (p padded) Bounds(lo, hi []float64) {
	p.blind.Bounds(lo, hi)
	for i := range lo {
		lo[i], hi[i] = lo[i]-20, hi[i]+30
	}
}

// band is the part of the unit square near the diagonal, or the rest.
type band struct {
	domain.Domain
	width float64
	rest  bool
}

func (b band) Contains(x []float64) bool {
	return b.Domain.Contains(x) && (math.Abs(x[0]-x[1]) <= b.width) != b.rest
}

// Membership is asked where the domain is, whatever its bounds; and where nodes
// inside lie across each other, the point between them says what hangs together:
// a band half a node wide is one part, and what it leaves of the square is two.
func TestMembershipFindsItsWay(t *testing.T) {
	disc := must[domain.Domain](t)(domain.NewBall([]float64{1, 2}, 1))
	m, err := New(t.Context(), padded{blind{disc}}, 16)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "area", m.Total(), math.Pi, 2e-3)
	square := box(t, []float64{0, 0}, []float64{1, 1})
	m, err = New(t.Context(), band{square, 0.6 / 80, false}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(m); err != nil {
		t.Fatal(err)
	}
	if m, err := New(t.Context(), band{square, 0.2 / 80, true}, 10); err == nil || !strings.Contains(err.Error(), "2 parts") {
		t.Errorf("%v, %v", m, err)
	}
}
