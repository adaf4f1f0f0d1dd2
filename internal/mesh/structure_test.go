package mesh

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// blind hides everything about a domain but membership and bounds.
type blind struct{ d domain.Domain }

func (b blind) Dim() int                  { return b.d.Dim() }
func (b blind) Contains(x []float64) bool { return b.d.Contains(x) }
func (b blind) Bounds(lo, hi []float64)   { b.d.Bounds(lo, hi) }
func (b blind) Tracer() domain.Tracer     { return b.d.Tracer() }

// wellFormed checks what holds for every mesh.
func wellFormed(m *Mesh) error {
	cells := len(m.Index)
	if len(m.Volume) != cells || len(m.Centre) != cells*m.Dim || len(m.Centroid) != cells*m.Dim {
		return fmt.Errorf("%d cells, %d volumes, %d centres, %d centroids", cells, len(m.Volume), len(m.Centre), len(m.Centroid))
	}
	whole := m.Side[0] * m.Side[1]
	length := make([]float64, cells)
	touching := make([]int, cells)
	last := Face{I: -1}
	for _, f := range m.Faces {
		if f.I >= f.J || f.I < last.I || f.I == last.I && f.J <= last.J || int(f.J) >= cells {
			return fmt.Errorf("face %+v after %+v", f, last)
		}
		last = f
		across := 0
		if m.Index[f.J]-m.Index[f.I] != 1 || m.Shape[0] == 1 {
			across = 1
			if m.Index[f.J]-m.Index[f.I] != int32(m.Shape[0]) {
				return fmt.Errorf("cells %d and %d of the grid share a face", m.Index[f.I], m.Index[f.J])
			}
		}
		if math.Abs(f.Distance-m.Side[across]) > 1e-12*f.Distance || !(f.Area > 0) || f.Area > m.Side[1-across]*(1+1e-12) {
			return fmt.Errorf("face %+v of cells %v", f, m.Side)
		}
		for _, i := range []int32{f.I, f.J} {
			length[i] += f.Area
			touching[i]++
		}
	}
	for i, v := range m.Volume {
		if i > 0 && m.Index[i] < m.Index[i-1] || !(v > 0) || v > whole*(1+1e-10) {
			return fmt.Errorf("cell %d is %d in the grid, area %v of %v", i, m.Index[i], v, whole)
		}
		if length[i] > 2*(m.Side[0]+m.Side[1])*(1+1e-12) || touching[i] == 0 && cells > 1 {
			return fmt.Errorf("cell %d has %d faces of length %v", i, touching[i], length[i])
		}
		for j := range 2 {
			if math.Abs(m.Centroid[2*i+j]-m.Centre[2*i+j]) > 0.5*m.Side[j]*(1+1e-9) {
				return fmt.Errorf("cell %d: centroid %v outside the cell around %v", i, m.Centroid[2*i:2*i+2], m.Centre[2*i:2*i+2])
			}
		}
	}
	if p := m.parts(); p != 1 {
		return fmt.Errorf("%d parts", p)
	}
	return nil
}

// The share of every cell and of every face of the grid that lies in Ω, its
// centroid and the middle of the face are those counted by membership on a fine
// grid of points. A part given to the wrong cell or face, or a side mistaken for
// the opposite one, is wrong by far more than the spacing of the points.
func TestCellsAndFacesByMembership(t *testing.T) {
	for _, s := range shapes(t) {
		for _, n := range []int{5, 12} {
			m, err := New(t.Context(), s.d, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(m); err != nil {
				t.Fatalf("%s, %d: %v", s.name, n, err)
			}
			if err := differs(s.d, m, 30); err != nil {
				t.Errorf("%s, %d: %v", s.name, n, err)
			}
		}
	}
}

// sums adds up the parts of every cell and every face of the grid: areas, lengths
// and moments about the centre of the cell (the first cell of a face), in sides.
func sums(m *Mesh) (volume map[int32]float64, moment [2]map[int32]float64, face map[[2]int32]float64, middle [2]map[[2]int32]float64) {
	volume, face = map[int32]float64{}, map[[2]int32]float64{}
	for j := range 2 {
		moment[j], middle[j] = map[int32]float64{}, map[[2]int32]float64{}
	}
	for i, k := range m.Index {
		volume[k] += m.Volume[i]
		for j := range 2 {
			moment[j][k] += m.Volume[i] * (m.Centroid[2*i+j] - m.Centre[2*i+j]) / m.Side[j]
		}
	}
	for _, f := range m.Faces {
		key := [2]int32{m.Index[f.I], m.Index[f.J]}
		face[key] += f.Area
		for j := range 2 {
			middle[j][key] += f.Area * (f.At[j] - m.Centre[2*f.I+int32(j)]) / m.Side[j]
		}
	}
	return volume, moment, face, middle
}

// differs counts points of every cell and face on a grid of points × points, and
// says where the mesh is not what they say.
func differs(d domain.Domain, m *Mesh, points int) error {
	volume, moment, face, middle := sums(m)
	h, cell, p := m.Side, m.Side[0]*m.Side[1], make([]float64, 2)
	share := func(i, n int) float64 { return (float64(i)+0.5)/float64(n) - 0.5 }
	for k := range int32(m.Shape[0] * m.Shape[1]) {
		at := [2]int{int(k) % m.Shape[0], int(k) / m.Shape[0]}
		x, y := m.Origin[0]+(float64(at[0])+0.5)*h[0], m.Origin[1]+(float64(at[1])+0.5)*h[1]
		in := func(u, v float64) bool {
			p[0], p[1] = x+u*h[0], y+v*h[1]
			return d.Contains(p)
		}
		var a, mu, mv float64
		for i := range points {
			for j := range points {
				if u, v := share(i, points), share(j, points); in(u, v) {
					w := cell / float64(points*points)
					a, mu, mv = a+w, mu+u*w, mv+v*w
				}
			}
		}
		// A straight wall through the cell leaves the count within 1.5/points.
		tol := 3 * cell / float64(points)
		if math.Abs(a-volume[k]) > tol || math.Abs(mu-moment[0][k]) > tol || math.Abs(mv-moment[1][k]) > tol {
			return fmt.Errorf("cell %d: area %v, moments %v and %v; by points %v, %v and %v", k, volume[k], moment[0][k], moment[1][k], a, mu, mv)
		}
		for axis, next := range [2]int32{1, int32(m.Shape[0])} {
			if at[axis]+1 == m.Shape[axis] {
				continue
			}
			const e = 1e-7 // beside the line, where both cells are
			fine := points * points
			var l, mm float64
			for i := range fine {
				w := share(i, fine)
				near, far := in(0.5-e, w), in(0.5+e, w)
				if axis == 1 {
					near, far = in(w, 0.5-e), in(w, 0.5+e)
				}
				if near && far {
					l += h[1-axis] / float64(fine)
					mm += w * h[1-axis] / float64(fine)
				}
			}
			key, tol := [2]int32{k, k + next}, 10*h[1-axis]/float64(fine)
			if math.Abs(l-face[key]) > tol || math.Abs(mm-middle[1-axis][key]) > tol || math.Abs(middle[axis][key]-0.5*face[key]) > 1e-9*h[1-axis] {
				return fmt.Errorf("face %v: length %v, moments %v and %v; by points %v and %v", key, face[key], middle[1-axis][key],
					middle[axis][key], l, mm)
			}
		}
	}
	return nil
}

// Shapes that are their own mirror image (the star of the paper is not, by 1e-5) have meshes that are theirs: a wall
// that counts differently on the left and on the right of a line fails.
func TestMirror(t *testing.T) {
	for _, s := range shapes(t) {
		if !slices.Contains([]string{"flower", "heart", "octagon", "cross", "ball", "box"}, s.name) {
			continue
		}
		for _, n := range []int{9, 24, 50} {
			m, err := New(t.Context(), s.d, n)
			if err != nil {
				t.Fatal(err)
			}
			mid := m.Origin[0] + 0.5*m.Side[0]*float64(m.Shape[0])
			twin := make([]int, len(m.Index))
			for i, k := range m.Index {
				other := int(k)/m.Shape[0]*m.Shape[0] + m.Shape[0] - 1 - int(k)%m.Shape[0]
				twin[i] = -1
				for j, _ := slices.BinarySearch(m.Index, int32(other)); j < len(m.Index) && m.Index[j] == int32(other); j++ {
					if math.Hypot(m.Centroid[2*i]+m.Centroid[2*j]-2*mid, m.Centroid[2*i+1]-m.Centroid[2*j+1]) < 1e-6*m.Side[0] {
						twin[i] = j
					}
				}
				if twin[i] < 0 {
					t.Fatalf("%s, %d: cell %d at %v has no mirror image", s.name, n, i, m.Centroid[2*i:2*i+2])
				}
				if math.Abs(m.Volume[i]-m.Volume[twin[i]]) > 1e-9*m.Side[0]*m.Side[1] {
					t.Fatalf("%s, %d: cells %d and %d have areas %v and %v", s.name, n, i, twin[i], m.Volume[i], m.Volume[twin[i]])
				}
			}
			area := map[[2]int]float64{}
			for _, f := range m.Faces {
				area[[2]int{int(f.I), int(f.J)}] = f.Area
			}
			for _, f := range m.Faces {
				a, b := twin[f.I], twin[f.J]
				if math.Abs(f.Area-area[[2]int{min(a, b), max(a, b)}]) > 1e-9*m.Side[1] {
					t.Fatalf("%s, %d: face %+v and its image %v", s.name, n, f, area[[2]int{min(a, b), max(a, b)}])
				}
			}
		}
	}
}

// A wall thinner than a cell lets nothing through: two chambers, joined at the
// bottom only, share no face across it.
func TestThinWall(t *testing.T) {
	for _, gap := range []float64{0.1, 1e-3, 1e-7} {
		d := must[domain.Domain](t)(domain.NewPolygon([][2]float64{{0, 0}, {2.1, 0}, {2.1, 3}, {1 + gap, 3.1}, {1, 0.7}, {1, 3}, {0, 3}}))
		for _, n := range []int{10, 31} {
			m, err := New(t.Context(), d, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(m); err != nil {
				t.Fatal(err)
			}
			within(t, "area", m.Total(), areaOf(d), 1e-9)
			side := func(i int32) bool { return m.Centroid[2*i] > 1 }
			for _, f := range m.Faces {
				if y := m.Centre[2*f.I+1]; y > 0.7+m.Side[1] && m.Centre[2*f.J+1] > 0.7+m.Side[1] && side(f.I) != side(f.J) {
					t.Errorf("gap %v, %d: face %+v leads through the wall", gap, n, f)
				}
			}
		}
	}
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Convex domains of other kinds are as exact as polygons.
func TestOtherConvexDomains(t *testing.T) {
	sin, cos := math.Sincos(0.3)
	turned := must[domain.Domain](t)(domain.NewPolytope([][]float64{{cos, sin}, {-cos, -sin}, {-sin, cos}, {sin, -cos}},
		[]float64{5, 0, 2, 0}, nil))
	ball := must[domain.Domain](t)(domain.NewBall([]float64{0, 0}, 1))
	lens := must[domain.Domain](t)(domain.NewIntersection(ball, must[domain.Domain](t)(domain.NewBall([]float64{1.2, 0}, 1))))
	half := must[domain.Domain](t)(domain.NewIntersection(ball, must[domain.Domain](t)(domain.NewHalfSpace([]float64{1, 0}, 0))))
	ellipse := must[domain.Domain](t)(domain.NewEllipsoid([]float64{1, 1}, mat.NewSymDense(2, []float64{1, 0, 0, 16})))
	for _, s := range []struct {
		shape
		diameter float64
	}{
		{shape{"turned", turned, 10}, math.Sqrt(29)},
		{shape{"lens", lens, 2*math.Acos(0.6) - math.Sin(2*math.Acos(0.6))}, 1.6},
		{shape{"half disc", half, math.Pi / 2}, 2},
		{shape{"ellipse", ellipse, math.Pi / 4}, 2},
	} {
		m, err := New(t.Context(), s.d, 20)
		if err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(m); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		within(t, s.name+": area", m.Total(), s.area, 1e-9)
		if err := differs(s.d, m, 25); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		l, err := Diameter(t.Context(), s.d)
		if err != nil {
			t.Fatal(err)
		}
		within(t, s.name+": diameter", l, s.diameter, 1e-9)
	}
}

// Of membership alone the wall comes out to second order: over nine shapes the
// errors of the area fall by about 2.9² from 104 nodes along a side to 300 (with
// cells that count or do not by their centre: by 2.9). Of a diameter 1/250 is
// promised at corners.
func TestMembershipAlone(t *testing.T) {
	pace.Slow(t)
	var coarse, fine float64
	for _, s := range shapes(t) {
		for _, n := range []int{10, 12, 14, 16, 150} {
			m, err := New(t.Context(), blind{s.d}, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(m); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			e := math.Abs(m.Total()-s.area) / s.area
			if n <= 16 {
				coarse += e / 4
			} else {
				fine += e
			}
			within(t, s.name+": error of the area", e, 0, 2e-3)
		}
		if s.name != "star" && s.name != "octagon" {
			continue // of 1,024² questions each
		}
		got, err := Diameter(t.Context(), blind{s.d})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Diameter(t.Context(), s.d)
		if err != nil {
			t.Fatal(err)
		}
		within(t, s.name+": diameter", got, want, want/250)
	}
	if coarse < 5*fine {
		t.Errorf("mean errors of areas %v and %v: not of second order", coarse, fine)
	}
}
