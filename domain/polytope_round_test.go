package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// turn is a random rotation (or its mirror image) of R^d.
func turn(rng *rand.Rand, d int) *mat.Dense {
	g := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var f mat.QR
	f.Factorize(g)
	var q mat.Dense
	f.QTo(&q)
	return &q
}

// turnedBox is |q_k·x| ≤ side_k for the columns q_k of a random rotation, sides from 1
// down to thin.
func turnedBox(t testing.TB, rng *rand.Rand, d int, thin float64) (p *polytope, q *mat.Dense, side []float64) {
	q, side = turn(rng, d), make([]float64, d)
	var a [][]float64
	var b []float64
	for k := range d {
		side[k] = math.Pow(thin, float64(k)/float64(d-1))
		row, minus := mat.Col(nil, k, q), make([]float64, d)
		for j, v := range row {
			minus[j] = -v
		}
		a, b = append(a, row, minus), append(b, side[k], side[k])
	}
	return must[*polytope](t)(NewPolytope(a, b, nil)), q, side
}

// uniformP is the probability that draws of the uniform law on [0, 1] are as far from it as
// u, by the statistic of Kolmogorov and Smirnov.
func uniformP(u []float64) float64 {
	return diag.KSPValue(diag.KS(u, func(v float64) float64 { return v }), float64(len(u)))
}

// ks is exceeded by the statistic of Kolmogorov and Smirnov with probability 1e-6.
var ks = math.Sqrt(math.Log(2e6) / 2)

// Boxes of sides 1 to 1e-9, turned, have their volume, uniform draws, and steps in round
// coordinates that keep the law, none given up. Kills uniform draws and volumes by
// hit-and-run in coordinates in which the box is thin.
func TestThinTurnedBoxes(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(1, 9))
	for _, d := range []int{2, 3, 6} {
		for _, thin := range []float64{1e-3, 1e-6, 1e-9} {
			p, q, side := turnedBox(t, rng, d, thin)
			v, se, err := Volume(t.Context(), p, rng)
			want := float64(d) * math.Log(2)
			for _, s := range side {
				want += math.Log(s)
			}
			if err != nil || math.Abs(v-want) > 4.9*se+1e-6 {
				t.Errorf("d = %d, thin %g: log volume %g ± %g (%v), want %g", d, thin, v, se, err, want)
			}
			n := pace.Soak(2000, 50_000)
			u, after := uniformTurned(t, rng, p, n)
			for k := range d {
				col := mat.Col(nil, k, q)
				for what, x := range map[string][][]float64{"draws": u, "steps": after} {
					shares := make([]float64, n)
					for i, y := range x {
						shares[i] = (dot(col, y)/side[k] + 1) / 2
					}
					if p := uniformP(shares); p < 1e-6 {
						t.Errorf("d = %d, thin %g, side %d, %s: not uniform, p = %.1g", d, thin, k, what, p)
					}
				}
			}
		}
	}
}

// uniformTurned returns n uniform draws of p and where five steps in its round
// coordinates take each.
func uniformTurned(t *testing.T, rng *rand.Rand, p *polytope, n int) (draws, after [][]float64) {
	law := must[*Law](t)(Uniform(t.Context(), p))
	z, a, _, ok := rounded(t.Context(), p)
	if !ok {
		t.Fatal("not round")
	}
	r := must[Reflector](t)(NewReflector(z, Specular, 0))
	d := p.Dim()
	x, to := make([]float64, d), make([]float64, d)
	for range n {
		if err := law.Draw(t.Context(), x, rng); err != nil {
			t.Fatal(err)
		}
		draws = append(draws, slices.Clone(x))
		from := a.back(x)
		if !z.Contains(from) { // by rounding
			after = append(after, slices.Clone(x))
			continue
		}
		for range 5 { // of lengths like those of the sides, which are about √2 there
			for j, v := range from {
				to[j] = v + 2*rng.NormFloat64()
			}
			if _, ok := r.Reflect(from, to, nil); !ok {
				t.Error("a step was given up")
			}
			copy(from, to)
		}
		a.apply(x, from, true)
		after = append(after, slices.Clone(x))
	}
	return draws, after
}

// Tangent planes of an ellipsoid of half-axes 1 to 1e-6, turned: its volume is that of
// the polytope around the ball times the half-axes, and its uniform draws are the
// images of those.
func TestThinTurnedEllipsoids(t *testing.T) {
	const d, m = 3, 40
	rng := rand.New(rand.NewPCG(2, 9))
	base := manyFacets(t, m, d, 5)
	q := turn(rng, d)
	axes := []float64{1, 1e-3, 1e-6}
	var a [][]float64
	for i := range m {
		row := make([]float64, d)
		for k, v := range base.row(i) {
			for j := range row {
				row[j] += v / axes[k] * q.At(j, k)
			}
		}
		a = append(a, row)
	}
	p := must[*polytope](t)(NewPolytope(a, base.b, nil))
	v, se, err := Volume(t.Context(), p, rng)
	w, sw, _ := Volume(t.Context(), base, rng)
	if want := w + math.Log(1e-9); err != nil || math.Abs(v-want) > 4.9*math.Hypot(se, sw) {
		t.Errorf("log volume %g ± %g (%v), want %g ± %g", v, se, err, want, sw)
	}
	n := pace.Soak(3000, 100_000)
	thin, round := must[*Law](t)(Uniform(t.Context(), p)), must[*Law](t)(Uniform(t.Context(), base))
	x, samples := make([]float64, d), [2][d][]float64{}
	for range n {
		if err := thin.Draw(t.Context(), x, rng); err != nil {
			t.Fatal(err)
		}
		for k := range d {
			samples[0][k] = append(samples[0][k], dot(mat.Col(nil, k, q), x)/axes[k])
		}
		if err := round.Draw(t.Context(), x, rng); err != nil {
			t.Fatal(err)
		}
		for k := range d {
			samples[1][k] = append(samples[1][k], x[k])
		}
	}
	for k := range d {
		slices.Sort(samples[1][k])
		worst := 0.0
		slices.Sort(samples[0][k])
		for i, v := range samples[0][k] {
			at, _ := slices.BinarySearch(samples[1][k], v)
			worst = max(worst, math.Abs(float64(at-i))/float64(n))
		}
		if worst > ks*math.Sqrt(2/float64(n))+1/float64(n) {
			t.Errorf("axis %d: distribution functions %.3g apart", k, worst)
		}
	}
}

// A thin turned box that is not made round is sampled without hanging: a step across it
// that is too long for its cap is given up, stays, turns back, and names the two walls
// that it was mirrored between, and walls met on the way; shorter ones end inside.
func TestThinTurnedBoxGivesUpHonestly(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	p, q, side := turnedBox(t, rng, 4, 1e-9)
	r := must[Reflector](t)(NewReflector(p, Specular, 0))
	law := must[*Law](t)(Uniform(t.Context(), p))
	from, to, v := make([]float64, 4), make([]float64, 4), []float64{1, 2, 3, 4}
	thinnest := mat.Col(nil, 3, q)
	for range 200 {
		if err := law.Draw(t.Context(), from, rng); err != nil {
			t.Fatal(err)
		}
		for j, x := range from {
			to[j] = x + 0.3*rng.NormFloat64()
		}
		needed := (math.Abs(dot(thinnest, to)-dot(thinnest, from)) - 2*side[3]) / (2 * side[3])
		hits, ok := r.Reflect(from, to, v)
		switch {
		case needed > SpecularCap && (ok || hits != SpecularCap || !same(from, to)):
			t.Fatalf("%g mirrorings needed: ok %v after %d", needed, ok, hits)
		case !p.Contains(to):
			t.Fatalf("%v is outside", to)
		case !ok:
			if walls := r.(Stuck).LastFallback(); !slices.Contains(walls, 6) || !slices.Contains(walls, 7) {
				t.Fatalf("stuck between %v", walls)
			}
		}
		for j, x := range from { // 1e-7 of it: some hundred mirrorings at most
			to[j] = x + 1e-7*rng.NormFloat64()
		}
		if hits, ok = r.Reflect(from, to, nil); !ok || !p.Contains(to) {
			t.Fatalf("a short step: ok %v after %d", ok, hits)
		}
	}
}

// In the coordinates of Round a random polytope holds the unit ball and lies within
// that of radius m. Kills a map that is not that of the last centre.
func TestRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := 1 + rng.IntN(5)
		var a [][]float64
		var b []float64
		l := turn(rng, d)
		for j := range d {
			size := math.Pow(10, -8*rng.Float64())
			for i := range d {
				l.Set(i, j, l.At(i, j)/size)
			}
		}
		center := rng.NormFloat64()
		for range 2*d + rng.IntN(20) {
			u := make([]float64, d)
			for j := range u {
				u[j] = rng.NormFloat64()
			}
			row := make([]float64, d)
			mat.NewVecDense(d, row).MulVec(l, mat.NewVecDense(d, u))
			a, b = append(a, row), append(b, norm(u)*(0.5+rng.Float64())+center*row[0])
		}
		p, err := NewPolytope(a, b, nil)
		if err != nil || !Bounded(p) {
			return
		}
		z, _, _, ok := rounded(t.Context(), p)
		if !ok {
			t.Fatal("not round")
		}
		// 2 ‰ is twice the decrement that is enough. It kills a centre that is none.
		for i, h := range z.(*polytope).h {
			if h < 0.998 {
				t.Fatalf("wall %d is at %g", i, h)
			}
		}
		x := make([]float64, d)
		for range 50 {
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			far := 1.002 * float64(len(b)) / norm(x)
			for j := range x {
				x[j] *= far
			}
			if z.Contains(x) {
				t.Fatalf("%v, of length %g, is inside %d walls", x, norm(x), len(b))
			}
		}
	})
}

// Steps of a polytope times a power of two, and of one whose rows are so multiplied,
// are those of the polytope times it, bit for bit and with as many mirrorings.
func TestPolytopeScales(t *testing.T) {
	for _, c := range facetCases(t) {
		t.Run(c.name, func(t *testing.T) {
			const by = 0x1p-30
			small, rows := rowsOf(c.p), rowsOf(c.p)
			sides, loud := slices.Clone(c.p.b), slices.Clone(c.p.b)
			for i := range sides {
				sides[i] *= by
				f := math.Ldexp(1, i%40)
				loud[i] *= f
				for j := range rows[i] {
					rows[i][j] *= f
				}
			}
			plain := must[Reflector](t)(NewReflector(c.p, Specular, 0))
			shrunk := must[Reflector](t)(NewReflector(must[*polytope](t)(NewPolytope(small, sides, nil)), Specular, 0))
			louder := must[Reflector](t)(NewReflector(must[*polytope](t)(NewPolytope(rows, loud, nil)), Specular, 0))
			c.steps(pace.Soak(400, 10_000), 5, func(from, to, v []float64) {
				f, e, again := slices.Clone(from), slices.Clone(to), slices.Clone(to)
				for j := range f {
					f[j] *= by
					e[j] *= by
				}
				hits, ok := plain.Reflect(from, to, nil)
				h, o := shrunk.Reflect(f, e, nil)
				for j := range e {
					e[j] /= by
				}
				if h != hits || o != ok || !same(e, to) {
					t.Fatalf("%v: %v in %d, times 2⁻³⁰ %v in %d", from, to, hits, e, h)
				}
				if h, o = louder.Reflect(from, again, nil); h != hits || o != ok || !same(again, to) {
					t.Fatalf("%v: %v in %d, rows multiplied %v in %d", from, to, hits, again, h)
				}
			})
		})
	}
}

// A box a billion times as long as wide, turned, is a slice of itself in coordinates in
// which its volume is the same and no direction is a thousandth of another; points go to
// and fro. Others have none. It kills: coordinates whose volume is another, walls left
// where they were.
func TestRoundSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	if p, _, _ := turnedBox(t, rng, 4, 1e-3); RoundSlice(t.Context(), p) != nil {
		t.Error("a box of sides 1 to 1e-3 needs no round coordinates")
	}
	p, q, side := turnedBox(t, rng, 4, 1e-9)
	s := RoundSlice(t.Context(), p)
	if s == nil {
		t.Fatal("no round coordinates of sides 1 to 1e-9")
	}
	lo, hi := BoundsOf(s.Domain, 4)
	want, got := 0.0, 0.0
	for k := range side {
		want += math.Log(2 * side[k])
		got += math.Log(hi[k] - lo[k])
		if (hi[k]-lo[k])/(hi[0]-lo[0]) > 1e3 || (hi[k]-lo[k])/(hi[0]-lo[0]) < 1e-3 {
			t.Errorf("bounds %v to %v are not round", lo, hi)
		}
	}
	log, se, err := Volume(t.Context(), s.Domain, rng)
	if err != nil || math.Abs(log-want) > 4.9*se+1e-6 || got < want-1e-6 {
		t.Errorf("log volume %g ± %g (%v), want %g, within %g", log, se, err, want, got)
	}
	law := must[*Law](t)(Uniform(t.Context(), s.Domain))
	z, x, back := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	for range 100 {
		if err := law.Draw(t.Context(), z, rng); err != nil {
			t.Fatal(err)
		}
		s.Full(x, z)
		for k := range side {
			if v := mat.Dot(q.ColView(k), mat.NewVecDense(4, x)); math.Abs(v) > side[k]+1e-15 {
				t.Fatalf("%v lies %g from the middle along an edge of half-length %g", x, v, side[k])
			}
		}
		s.Reduced(back, x)
		for k := range z {
			if math.Abs(back[k]-z[k]) > 1e-5*(hi[k]-lo[k]) {
				t.Fatalf("%v comes back as %v", z, back)
			}
		}
	}
}
