package domain

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawMirror draws a box or a simplex, its mirror map and its dimension.
func drawMirror(t *rapid.T) (Domain, Mirror, int) {
	n := rapid.IntRange(1, 5).Draw(t, "d")
	var d Domain
	var err error
	if rapid.Bool().Draw(t, "simplex") {
		d, err = NewSimplex(n, rapid.Float64Range(0.1, 30).Draw(t, "s"))
	} else {
		lo, hi := make([]float64, n), make([]float64, n)
		for i := range lo {
			lo[i] = rapid.Float64Range(-5, 5).Draw(t, "lo")
			hi[i] = lo[i] + rapid.Float64Range(0.1, 30).Draw(t, "width")
		}
		d, err = NewBox(lo, hi)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMirror(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, m, n
}

func drawDual(t *rapid.T, n int, far float64) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-far, far), n, n).Draw(t, "y")
}

// Primal∘Dual is the identity on the interior, and Dual∘Primal where rounding
// leaves room: at |y| ≤ 5 a point is at least 1e-3 of the sizes away from the
// walls, so that rounding of 1e-15 (a wall may be 50 sizes from 0) is 1e-10 of y.
func TestMirrorGoesBackAndForth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, m, n := drawMirror(t)
		y, x := drawDual(t, n, 5), make([]float64, n)
		m.Primal(x, y)
		back, again := make([]float64, n), make([]float64, n)
		m.Dual(back, x)
		m.Primal(again, back)
		for i := range y {
			if math.Abs(back[i]-y[i]) > 1e-9 || math.Abs(again[i]-x[i]) > 1e-12*(1+math.Abs(x[i])) {
				t.Fatalf("%v became %v and %v; %v", y, x, back, again)
			}
		}
		if !d.Contains(x) {
			t.Fatalf("%v is outside", x)
		}
		m.Primal(back, back) // in place
		if !slices.Equal(back, again) {
			t.Fatal("in place it is another point")
		}
	})
}

// Pull without τ is Jᵀ (central differences of step 1e-4 are good to 1e-8 of the
// sizes, at most 30); LogDet is log|det J| of that J, by elimination; and τ
// subtracts τ times the gradient of LogDet, by differences. A log det of the wrong
// sign, without τ or without the share of the last coordinate is off by ½ and more
// somewhere.
func TestMirrorDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m, n := drawMirror(t)
		y, tau := drawDual(t, n, 6), rapid.Float64Range(0, 3).Draw(t, "tau")
		const h = 1e-4
		up, down := make([]float64, n), make([]float64, n)
		j, row := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			clear(row)
			row[i] = 1
			m.Pull(row, y, 0)
			j.SetRow(i, row)
		}
		pull := make([]float64, n)
		for i := range pull {
			pull[i] = float64(i+1) - 2.5
		}
		mixed := slices.Clone(pull)
		m.Pull(pull, y, tau)
		for k := range n {
			z := slices.Clone(y)
			z[k] = y[k] + h
			m.Primal(up, z)
			rise := m.LogDet(z)
			z[k] = y[k] - h
			m.Primal(down, z)
			rise = (rise - m.LogDet(z)) / (2 * h)
			want := -tau * rise
			for i := range n {
				slope := (up[i] - down[i]) / (2 * h)
				want += slope * mixed[i]
				if math.Abs(slope-j.At(i, k)) > 1e-6 {
					t.Fatalf("∂x%d/∂y%d at %v is %v, differences say %v", i, k, y, j.At(i, k), slope)
				}
			}
			if math.Abs(want-pull[k]) > 1e-5 {
				t.Fatalf("pull %d at %v is %v, differences say %v", k, y, pull[k], want)
			}
		}
		if det, _ := mat.LogDet(j); math.Abs(det-m.LogDet(y)) > 1e-7 {
			t.Fatalf("log|det J| is %v, elimination says %v", m.LogDet(y), det)
		}
	})
}

// inPlace checks what holds for every y: the point lies in Ω, off its walls as
// seen from the other side in any order, and the pull of the potential −Σ log of
// the distances to the walls is finite and points back to the middle.
func inPlace(t interface{ Fatalf(string, ...any) }, d Domain, m Mirror, y []float64) {
	n := len(y)
	x, g := make([]float64, n), make([]float64, n)
	m.Primal(x, y)
	if !d.Contains(x) {
		t.Fatalf("%v became %v, outside", y, x)
	}
	lo, hi := BoundsOf(d, n)
	rest := hi[0]
	for _, v := range slices.Backward(x) {
		rest -= v
	}
	for i := range x {
		g[i] = -1/(x[i]-lo[i]) + 1/(hi[i]-x[i])
		if _, ok := d.(*simplex); ok {
			g[i] = -1/x[i] + 1/rest
		}
	}
	m.Pull(g, y, 1)
	for i, v := range g {
		if v-v != 0 || y[i] < -100 && !(v <= 0) {
			t.Fatalf("at %v, the point %v, the pull is %v", y, x, g)
		}
	}
}

// Dual points as far as they go, walls at 0 and elsewhere.
func TestMirrorIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, m, n := drawMirror(t)
		far := rapid.OneOf(rapid.Float64Range(-700, 700), rapid.Float64Range(-60, 60),
			rapid.SampledFrom([]float64{0, 700, -700, 1e300, -1e300, math.Inf(1), math.Inf(-1), 37, 36.7, 40}))
		inPlace(t, d, m, rapid.SliceOfN(far, n, n).Draw(t, "y"))
	})
	for _, d := range []Domain{must[*simplex](t)(NewSimplex(3, 1)), must[*box](t)(NewBox([]float64{0, -1, 1}, []float64{1, 0, 1 + 0x1p-52}))} {
		m, x := must[Mirror](t)(NewMirror(d)), make([]float64, 3)
		for _, y := range []float64{-1e9, -700, -1, 0, 1, 700, 1e9} {
			if m.Primal(x, []float64{y, y, y}); !d.Contains(x) {
				t.Errorf("%T: %v became %v", d, y, x)
			}
		}
		if m.Primal(x, []float64{math.NaN(), math.NaN(), math.NaN()}); !math.IsNaN(x[0]) {
			t.Errorf("%T: NaN became %v", d, x)
		}
		// The corner 0 and the far corner or vertex come back to where they were.
		for _, w := range [][]float64{{0, -1, 1}, {1, 0, 1}, {0, 0, 1}, {0, 0, 0}} {
			if !d.Contains(w) {
				continue
			}
			y := make([]float64, 3)
			m.Dual(y, w)
			if m.Primal(x, y); distance(x, w) > 1e-14 {
				t.Errorf("%T: the wall point %v became %v and %v", d, w, y, x)
			}
		}
	}
}

func FuzzMirror(f *testing.F) {
	f.Add([]byte("01234567abcdefgh01234567"))
	d, err := NewSimplex(3, 0.3)
	if err != nil {
		f.Fatal(err)
	}
	m, err := NewMirror(d)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		y := make([]float64, 3)
		for i := range y {
			if len(b) < 8*i+8 {
				return
			}
			if y[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])); math.IsNaN(y[i]) {
				return
			}
		}
		inPlace(t, d, m, y)
	})
}

func TestMirrorIsRefused(t *testing.T) {
	for _, d := range []Domain{
		must[*box](t)(NewBox([]float64{0, 0}, []float64{1, math.Inf(1)})),
		must[*box](t)(NewBox([]float64{math.Inf(-1)}, []float64{1})),
		must[*ball](t)(NewBall([]float64{0}, 1)),
	} {
		if _, err := NewMirror(d); err == nil {
			t.Errorf("%T has a mirror map", d)
		} else {
			t.Log(err)
		}
	}
}

func TestMirrorAllocatesNothing(t *testing.T) {
	for _, d := range []Domain{must[*simplex](t)(NewSimplex(3, 1)), must[*box](t)(NewBox([]float64{0, -1, 1}, []float64{1, 0, 2}))} {
		m, x, y := must[Mirror](t)(NewMirror(d)), make([]float64, 3), []float64{0.1, -2, 3}
		if n := testing.AllocsPerRun(100, func() { m.Primal(x, y); m.Pull(x, y, 1); m.Primal(x, y); m.Dual(x, x) }); n != 0 {
			t.Errorf("%T: %v allocations", d, n)
		}
	}
}
