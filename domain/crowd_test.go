package domain

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A distant surface takes many states at once, and counts how often it is asked. After so many
// requests it fails.
type distant struct {
	formula
	line *line
}

type line struct {
	requests, states, fails int // fails after so many requests; 0 never does
	most                    int // states of a request
}

var errLine = errors.New("the line is dead")

func far(f formula) distant { return distant{f, &line{}} }

func (s distant) Bind() SurfaceEval { return s }

func (s distant) Err() error {
	if s.line.fails > 0 && s.line.requests >= s.line.fails {
		return errLine
	}
	return nil
}

func (s distant) Value(x []float64) float64 {
	return s.Gradient(make([]float64, len(x)), x)
}

func (s distant) Gradient(g, x []float64) float64 {
	v := []float64{0}
	s.Block(v, g, x)
	return v[0]
}

func (s distant) Block(v, grad, x []float64) {
	s.line.requests++
	s.line.states += len(v)
	s.line.most = max(s.line.most, len(v))
	n, at, g := len(v), make([]float64, s.d), make([]float64, s.d)
	for i := range v {
		for j := range at {
			at[j] = x[j*n+i]
		}
		if v[i] = s.formula.Gradient(g, at); s.Err() != nil {
			v[i] = math.NaN()
		}
		for j := range g {
			grad[j*n+i] = g[j]
		}
	}
}

// planar sets with parts that are asked for elsewhere, and the same without, in many ways of
// putting a domain together; lines are those that are asked.
func crowdPairs(t testing.TB) (near, apart []Domain, lines [][]*line) {
	half := must[Domain](t)(NewHalfSpace([]float64{1, 1}, 1.2))
	build := func(s ...Surface) []Domain {
		names := []string{"a", "b", "c"}[:len(s)]
		boxed := must[Domain](t)(NewImplicit(s, names, []float64{-2, -2}, []float64{2, 2}))
		open := must[Domain](t)(NewImplicit(s, names, []float64{math.Inf(-1), math.Inf(-1)}, []float64{math.Inf(1), math.Inf(1)}))
		cut := must[Domain](t)(NewIntersection(boxed, half))
		turned := must[Domain](t)(Affine(cut, []float64{0.1, -0.2}, mat.NewDense(2, 2, []float64{0.9, 0.4, -0.3, 1.1})))
		both := must[Domain](t)(NewProduct(3, Part{boxed, []int{2, 0}}, Part{must[Domain](t)(NewBox([]float64{-1}, []float64{1})), []int{1}}))
		return []Domain{boxed, open, cut, turned, both}
	}
	oval, hole := peanut(1, 1.1), sphere(2, 0.3, -1).formula
	edge := formula{2, func(x []float64) float64 { return x[0] - math.Sqrt(x[1]+1.3) }, func(g, x []float64) {
		g[0], g[1] = 1, -0.5/math.Sqrt(x[1]+1.3)
	}}
	a, b, c := far(oval), far(hole), far(edge)
	near, apart = build(oval, hole, edge), build(a, b, c)
	for range near {
		lines = append(lines, []*line{a.line, b.line, c.line})
	}
	near, apart = append(near, build(oval, hole)...), append(apart, build(oval, b)...) // one of two
	for range 5 {
		lines = append(lines, []*line{b.line})
	}
	return near, apart, lines
}

// Steps end where they end without a crowd, to the last bit, with the same mirrorings and the same
// labour, whoever else moves; and so they do by rules that refuse.
//
// Mutants it kills: ends of pieces a little off, gradients of another place, answers to another
// state, memories that mix states up, questions of one member for another.
func TestStepsOfACrowd(t *testing.T) {
	near, apart, lines := crowdPairs(t)
	for k, d := range near {
		c := NewCrowd(apart[k])
		if c == nil {
			t.Fatalf("domain %d has no crowd", k)
		}
		for _, rule := range []Rule{Specular, Refuse} {
			const n = 12
			var alone, together [n]Reflector
			for i := range n {
				alone[i] = must[Reflector](t)(NewReflector(d, rule, 0))
				together[i] = must[Reflector](t)(NewReflector(c.Domain(), rule, 0))
			}
			rng := rand.New(rand.NewPCG(uint64(k), 7))
			start := must[[]float64](t)(Interior(t.Context(), d, rng))
			dim := len(start)
			var x [n][]float64
			for i := range x {
				x[i] = slices.Clone(start)
			}
			hits, asked := 0, 0
			for range 400 {
				var to, v, to2, v2 [n][]float64
				var h, h2 [n]int
				var ok, ok2 [n]bool
				for i := range n {
					to[i], v[i] = make([]float64, dim), make([]float64, dim)
					for j := range dim {
						to[i][j] = x[i][j] + 0.4*rng.NormFloat64()
						v[i][j] = rng.NormFloat64()
					}
					to2[i], v2[i] = slices.Clone(to[i]), slices.Clone(v[i])
					h[i], ok[i] = alone[i].Reflect(x[i], to[i], v[i])
				}
				before := lines[k][0].requests
				c.Do(n, func(i int) { h2[i], ok2[i] = together[i].Reflect(x[i], to2[i], v2[i]) })
				asked += lines[k][0].requests - before
				for i := range n {
					if h[i] != h2[i] || ok[i] != ok2[i] || !equalBits(to[i], to2[i]) || !equalBits(v[i], v2[i]) {
						t.Fatalf("domain %d, %s, from %v: %v after %d (%v), in a crowd %v after %d (%v)", k, rule, x[i], to[i], h[i], ok[i], to2[i],
							h2[i], ok2[i])
					}
					hits += h[i]
					x[i] = to[i]
				}
			}
			if hits < 300 {
				t.Errorf("domain %d: %d mirrorings", k, hits)
			}
			if rule == Refuse && asked > 3*400 {
				t.Errorf("domain %d: the first surface was asked %d times in 400 steps", k, asked)
			}
		}
		if lines[k][0].most < 10 {
			t.Errorf("domain %d: no more than %d states were asked for at once", k, lines[k][0].most)
		}
	}
}

func equalBits(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// A crowd of n that does one thing asks no more often than one alone.
//
// Mutants it kills: members that do not wait for each other, states that are asked for again though
// they are known.
func TestACrowdAsksOnce(t *testing.T) {
	s := far(peanut(1, 1.1))
	d := must[Domain](t)(NewImplicit([]Surface{s}, []string{"g"}, []float64{-2, -2}, []float64{2, 2}))
	for _, n := range []int{1, 5, 40} {
		c := NewCrowd(d)
		var all []Reflector
		for range n {
			all = append(all, must[Reflector](t)(NewReflector(c.Domain(), Specular, 0)))
		}
		*s.line = line{}
		c.Do(n, func(i int) {
			from, to := []float64{0.7 + 1e-3*float64(i), 0}, []float64{1.9, 0.4}
			if hits, ok := all[i].Reflect(from, to, nil); hits == 0 || !ok {
				t.Errorf("%d mirrorings, %v", hits, ok)
			}
		})
		if s.line.requests > 24 || s.line.most < n {
			t.Errorf("%d of the same steps: %d requests, %d states at most", n, s.line.requests, s.line.most)
		}
		if c.Asked(0) == 0 || n > 1 && c.Asked(n-1) == 0 {
			t.Errorf("%d asked", c.Asked(0))
		}
		before := s.line.requests
		c.Do(n, func(i int) { c.Domain().Contains([]float64{0.7 + 1e-3*float64(i), 0}) })
		if n == 1 && s.line.requests != before || c.Asked(0) != 1 { // of many some fall on one place
			t.Errorf("%d requests for what is known, %d asked", s.line.requests-before, c.Asked(0))
		}
		c.Foresee([][]float64{{0.1, 0.2}, {0.3, 0.4}})
		before = s.line.requests
		if c.Domain().Contains([]float64{0.1, 0.2}) != d.Contains([]float64{0.1, 0.2}) || s.line.requests != before+1 {
			t.Errorf("%d requests for what was foreseen", s.line.requests-before-1)
		}
	}
}

// A path is asked for piece by piece as by states, each once: few requests in a set where steps are
// cut into many pieces.
func TestPathsAreForeseen(t *testing.T) {
	s := far(sphere(2, 1, 1).formula)
	d := must[Domain](t)(NewImplicit([]Surface{s}, []string{"g"}, []float64{-1, -1}, []float64{1, 1}))
	tr, near := d.Tracer(), must[Domain](t)(NewImplicit([]Surface{s.formula}, []string{"g"}, []float64{-1, -1}, []float64{1, 1})).Tracer()
	rapid.Check(t, func(t *rapid.T) {
		x := []float64{rapid.Float64Range(-0.6, 0.6).Draw(t, "x"), rapid.Float64Range(-0.6, 0.6).Draw(t, "y")}
		dir := []float64{rapid.Float64Range(-9, 9).Draw(t, "dx"), rapid.Float64Range(-9, 9).Draw(t, "dy")}
		*s.line = line{}
		at, w := tr.Exit(x, dir, None)
		ask := s.line.requests
		if here, v := near.Exit(x, dir, None); at != here || w != v {
			t.Fatalf("%v %v: %v at %v, near %v at %v", x, dir, w, at, v, here)
		}
		if ask > 24 {
			t.Fatalf("%d requests", ask)
		}
	})
}

// Answers are remembered by all bits of a state, 0 and −0 apart, and never for another one, however
// few places there are.
func TestMemoryOfACrowd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 3).Draw(t, "d")
		m := newMemory(d)
		m.mask = 3
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			x := rapid.SliceOfN(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 2, 3, 1e300}), d, d).Draw(t, "x")
			want := 0.0
			for _, v := range x {
				want = 7*want + float64(math.Float64bits(v)>>40)
			}
			v, grad := make([]float64, 1), make([]float64, d)
			q := question{v, grad, x, 0, 1}
			if m.recall(q) {
				if v[0] != want || grad[d-1] != -want {
					t.Fatalf("%v is remembered as %v %v: %v", x, v, grad, want)
				}
				continue
			}
			v[0], grad[d-1] = want, -want
			m.keep(q)
			if v[0] = 0; !m.recall(q) {
				t.Fatalf("%v is not remembered", x)
			}
		}
	})
	if m := newMemory(5000); m.mask+1 != memoryFewest {
		t.Errorf("%d places for long states", m.mask+1)
	}
}

// What is found of a domain is what is found of it without a crowd: how many points lie inside, its
// cells, its uniform draws; and many states are asked for at once.
func TestFoundByACrowd(t *testing.T) {
	thin := formula{2, func(x []float64) float64 { s := dot(x, x) - 1; return s*s - 1e-9 }, func(g, x []float64) {
		s := dot(x, x) - 1
		g[0], g[1] = 4*s*x[0], 4*s*x[1]
	}}
	for _, f := range []formula{thin, peanut(1, 1.1), {2, func(x []float64) float64 { return x[0] + 1e5*(x[1]-1.7)*(x[1]-1.7) + 1.6 },
		func(g, x []float64) { g[0], g[1] = 1, 2e5*(x[1]-1.7) }}} {
		s := far(f)
		lo, hi := []float64{-2, -2}, []float64{2, 2}
		near, apart := must[Domain](t)(NewImplicit([]Surface{f}, []string{"g"}, lo, hi)), must[Domain](t)(NewImplicit([]Surface{s},
			[]string{"g"}, lo, hi))
		rng := func() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }
		a, b := must[*Law](t)(Uniform(t.Context(), near)), must[*Law](t)(Uniform(t.Context(), apart))
		if a.Tries != b.Tries || a.Note != b.Note {
			t.Errorf("tries %v and %v", a.Tries, b.Tries)
		}
		x, y, one, two := make([]float64, 2), make([]float64, 2), rng(), rng()
		for range 50 {
			if err := errors.Join(a.Draw(t.Context(), x, one), b.Draw(t.Context(), y, two)); err != nil || !slices.Equal(x, y) {
				t.Fatal(x, y, err)
			}
		}
		v, e, err := Volume(t.Context(), near, rng())
		w, f, err2 := Volume(t.Context(), apart, rng())
		if v != w || e != f || (err == nil) != (err2 == nil) {
			t.Errorf("volume %v ± %v, in a crowd %v ± %v: %v, %v", v, e, w, f, err, err2)
		}
		if p, err := Interior(t.Context(), apart, rng()); err != nil || !near.Contains(p) {
			t.Error(p, err)
		}
		if 20*s.line.requests > s.line.states {
			t.Errorf("%d requests for %d states", s.line.requests, s.line.states)
		}
	}
}

// A count takes no more points than it is told to, and stops where enough are inside.
func TestCount(t *testing.T) {
	s := far(sphere(1, 1, 1).formula)
	lo, hi := []float64{-2}, []float64{2}
	set, box := must[Domain](t)(NewImplicit([]Surface{s}, []string{"g"}, lo, hi)), must[Domain](t)(NewBox([]float64{-1}, []float64{1}))
	for _, d := range []Domain{set, box} {
		for _, n := range []int{1, 249, 250, 251, 1000} {
			for _, enough := range []int{1, 7, 10_000} {
				next := 0
				in, of, err := Count(t.Context(), d, n, enough, func(x []float64) error {
					x[0] = float64(next%4) - 1 // -1 and 0 and 1 lie inside, 2 does not
					next++
					return nil
				})
				want, tried := 0, 0
				for ; tried < n && want < enough; tried++ {
					if tried%4 != 3 {
						want++
					}
				}
				if in != want || of != tried || err != nil {
					t.Errorf("%d of %d, enough %d: %d of %d, %v", n, want, enough, in, of, err)
				}
			}
		}
	}
}

// Where the walls are no longer told, searches end with the reason, and soon.
//
// Mutants it kills: a domain that hides it, members whose failure is not heard of, searches that go
// on to their end and say that the domain is empty.
func TestFailureOfADomain(t *testing.T) {
	lo, hi := []float64{-2, -2}, []float64{2, 2}
	square := must[Domain](t)(NewBall([]float64{0, 0}, 1.9))
	for k := range 4 {
		s := far(peanut(1, 1.1))
		d := must[Domain](t)(NewImplicit([]Surface{s}, []string{"g"}, lo, hi))
		switch k {
		case 1:
			d = must[Domain](t)(NewIntersection(square, d))
		case 2:
			d = must[Domain](t)(Affine(d, []float64{0, 0}, mat.NewDense(2, 2, []float64{1, 0.5, 0, 1})))
		case 3:
			d = must[Domain](t)(NewProduct(2, Part{d, []int{1, 0}}))
		}
		law := must[*Law](t)(Uniform(t.Context(), d))
		if Err(d) != nil || Err(NewCrowd(d).Domain()) != nil {
			t.Error("it has not failed yet")
		}
		s.line.fails = 1
		rng := rand.New(rand.NewPCG(1, 2))
		before := s.line.states
		_, one := Interior(t.Context(), d, rng)
		_, two := Uniform(t.Context(), fresh(d))
		_, _, three := Volume(t.Context(), fresh(d), rng)
		four := law.Draw(t.Context(), make([]float64, 2), rng)
		_, _, five := Count(t.Context(), d, 1<<20, 1, func([]float64) error { return nil })
		for i, err := range []error{one, two, three, four, five, Err(d), Err(NewCrowd(d).Domain())} {
			if !errors.Is(err, errLine) {
				t.Errorf("domain %d: error %d is %v", k, i, err)
			}
		}
		if s.line.states-before > 40_000 {
			t.Errorf("domain %d: %d states after the failure", k, s.line.states-before)
		}
	}
	if Err(square) != nil || NewCrowd(square) != nil || NewCrowd(nil) != nil {
		t.Error("a ball needs nobody")
	}
}

// fresh is d without what was found of it.
func fresh(d Domain) Domain {
	d = (&Crowd{}).Through(d)
	switch m := d.(type) {
	case *implicit:
		m.Found = &Found{}
	case *intersection:
		m.Found = &Found{}
	case *mapped:
		m.d = fresh(m.d)
	case *product:
		for i := range m.parts {
			m.parts[i].Domain = fresh(m.parts[i].Domain)
		}
	}
	return d
}

// The end of a context ends a search in a crowd.
func TestContextOfACrowd(t *testing.T) {
	s := far(formula{2, func(x []float64) float64 { return 1 + dot(x, x) }, func(g, x []float64) { g[0], g[1] = 2*x[0], 2*x[1] }})
	d := must[Domain](t)(NewImplicit([]Surface{s}, []string{"g"}, []float64{-2, -2}, []float64{2, 2}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Interior(ctx, d, rand.New(rand.NewPCG(1, 2))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Interior(t.Context(), d, rand.New(rand.NewPCG(1, 2))); !errors.Is(err, ErrNoInterior) {
		t.Error(err)
	}
	if s.line.requests > 20_000 {
		t.Errorf("%d requests before nothing was found", s.line.requests)
	}
}

// A picture of what is asked for elsewhere has its walls where they are, but for what no eye can see,
// and asks once; a set without bounds is asked point by point.
//
// Mutants it kills: corners of other cells, coordinates that change places.
func TestRasterOfADomain(t *testing.T) {
	near, apart, lines := crowdPairs(t)
	for _, k := range []int{0, 2} {
		here, there := Section(near[k], 0, 1), Section(apart[k], 0, 1)
		*lines[k][0] = line{}
		rng := rand.New(rand.NewPCG(5, 6))
		off := 0
		for range 20_000 {
			x, y := 4.4*rng.Float64()-2.2, 4.4*rng.Float64()-2.2
			if here(x, y) == there(x, y) {
				continue
			}
			off++
			around := 0
			for _, e := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} { // the corner of two walls lies within a cell
				if here(x+0.004*e[0], y+0.004*e[1]) != here(x, y) {
					around++
				}
			}
			if around == 0 {
				t.Errorf("domain %d: (%v, %v) is inside: %v", k, x, y, here(x, y))
			}
		}
		if off > 20 || lines[k][0].requests != 1 {
			t.Errorf("domain %d: %d of 20000 points are on the other side, %d requests", k, off, lines[k][0].requests)
		}
	}
	here, there := Section(near[1], 1, 0), Section(apart[1], 1, 0)
	for i := range 100 {
		if y := -1.2 + 0.024*float64(i); here(y, 1.1) != there(y, 1.1) {
			t.Errorf("%v: %v", y, there(y, 1.1))
		}
	}
}
