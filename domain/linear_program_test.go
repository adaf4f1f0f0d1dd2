package domain

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// gonums is the largest c·y with u_i·y ≤ h_i by gonum's simplex method; h ≥ 0.
func gonums(c []float64, rows [][]float64, h []float64) (float64, error) {
	m, n := len(rows), len(c)
	a := mat.NewDense(m, 2*n+m, nil)
	cost, basis := make([]float64, 2*n+m), make([]int, m)
	for i, u := range rows {
		for j, v := range u {
			a.Set(i, j, v)
			a.Set(i, n+j, -v)
		}
		basis[i] = 2*n + i
		a.Set(i, basis[i], 1)
	}
	for j, v := range c {
		cost[j], cost[n+j] = -v, v
	}
	f, _, err := lp.Simplex(cost, a, append([]float64(nil), h...), 1e-12, basis)
	if errors.Is(err, lp.ErrUnbounded) {
		return math.Inf(1), nil
	}
	return -f, err
}

// Objectives taken one after another from one dictionary reach what gonum reaches for
// each from the start, at points where all rows hold; degenerate vertices, rows told
// twice and unbounded programs included. It kills: a ratio test that forgets lines, a
// free variable that goes up only, an objective that is not told anew.
func TestDictionary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 14).Draw(t, "m")
		whole := rapid.Bool().Draw(t, "whole")
		number := func(name string) float64 {
			if whole {
				return float64(rapid.IntRange(-2, 2).Draw(t, name))
			}
			return rapid.Float64Range(-1, 1).Draw(t, name)
		}
		rows, h := make([][]float64, m), make([]float64, m)
		for i := range rows {
			rows[i] = make([]float64, n)
			for j := range rows[i] {
				rows[i][j] = number("u")
			}
			h[i] = math.Abs(number("h"))
		}
		s := newDictionary(n, rows, h)
		for range 4 {
			c := make([]float64, n)
			for j := range c {
				c[j] = number("c")
			}
			want, err := gonums(c, rows, h)
			if err != nil || norm(c) == 0 || !whole && faint(append(rows, c)) {
				continue // gonum's own breakdowns are not looked into
			}
			got, err := s.maximise(context.Background(), c)
			if err != nil {
				t.Fatalf("%v of %v ≤ %v: %v", c, rows, h, err)
			}
			if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
				t.Fatalf("%v of %v ≤ %v: %g, gonum %g", c, rows, h, got, want)
			}
			y := make([]float64, n)
			s.point(y)
			for i, u := range rows {
				if dot(u, y) > h[i]+1e-9*(1+norm(y)) {
					t.Fatalf("row %d does not hold at %v", i, y)
				}
			}
		}
	})
}

// faint reports rows with elements so small that whether a program is bounded hangs
// on what counts as 0.
func faint(rows [][]float64) bool {
	for _, u := range rows {
		for _, v := range u {
			if v != 0 && math.Abs(v) < 1e-3 {
				return true
			}
		}
	}
	return false
}

// The bounds of a polytope of many facets are found in thousands of changes, at their
// vertices: each is reached within rounding by a point that all rows but d of them
// hold at, and no ball inside is larger than Chebyshev's.
func TestDictionaryOfManyRows(t *testing.T) {
	pace.Slow(t)
	const m, d = 500, 50
	rng := rand.New(rand.NewPCG(1, 2))
	rows, h := make([][]float64, m), make([]float64, m)
	for i := range rows {
		rows[i], h[i] = make([]float64, d), 1
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64()
		}
		l := norm(rows[i])
		for j := range rows[i] {
			rows[i][j] /= l
		}
	}
	s := newDictionary(d, rows, h)
	c, y := make([]float64, d), make([]float64, d)
	for j := range d {
		for _, sign := range []float64{1, -1} {
			clear(c)
			c[j] = sign
			top, err := s.maximise(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			s.point(y)
			if math.Abs(sign*y[j]-top) > 1e-10 {
				t.Fatalf("coordinate %d is %g at the point, %g by the objective", j, sign*y[j], top)
			}
			for i, u := range rows {
				if dot(u, y) > h[i]+1e-10 {
					t.Fatalf("row %d does not hold at the largest coordinate %d", i, j)
				}
			}
			// By duality c = Σ λ_i u_i with λ ≥ 0, and top = Σ λ_i h_i.
			sum := make([]float64, d)
			bound := 0.0
			for q, v := range s.column {
				if v < 0 || s.d[q] > 1e-9 {
					t.Fatalf("multiplier %g of %d", -s.d[q], v)
				}
				for k := range sum {
					sum[k] -= s.d[q] * rows[v][k]
				}
				bound -= s.d[q] * h[v]
			}
			sum[j] -= sign
			if norm(sum) > 1e-9 || math.Abs(bound-top) > 1e-9 {
				t.Fatalf("coordinate %d: multipliers miss the objective by %g, the bound by %g", j, norm(sum), bound-top)
			}
		}
	}
}

// A dictionary made anew stands where it stood, also where some y are still at zero.
func TestDictionaryAgain(t *testing.T) {
	const m, d = 60, 20
	rng := rand.New(rand.NewPCG(1, 3))
	rows, h := make([][]float64, m), make([]float64, m)
	for i := range rows {
		rows[i], h[i] = make([]float64, d), 1
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64()
		}
	}
	c, before, after := make([]float64, d), make([]float64, d), make([]float64, d)
	for j := range c {
		c[j] = rng.NormFloat64()
	}
	s := newDictionary(d, rows, h)
	s.aim(c)
	for k := range 15 {
		q := s.enter(0, false)
		s.change(s.leave(q, false), q)
		s.point(before)
		if !s.again() {
			t.Fatalf("no dictionary after %d changes", k+1)
		}
		s.point(after)
		s.aim(c)
		if distance(before, after) > 1e-9 {
			t.Fatalf("after %d changes it went from %v to %v", k+1, before, after)
		}
	}
}
