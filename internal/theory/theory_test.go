package theory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

func ExampleMeasure() {
	d, err := domain.NewBox([]float64{0}, []float64{2})
	if err != nil {
		fmt.Println(err)
		return
	}

	r, err := theory.Measure(context.Background(), theory.Problem{Domain: d}, theory.Settings{
		Decay: &theory.Decay{Start: []float64{0.1}, Times: []float64{0.1, 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gap %.4f ± %.4f, by the diameter at least %.4f\n", r.Gap, r.GapError, r.ConvexBound)
	for i, d := range r.Decay {
		fmt.Printf("time %.1f: χ² %.4f below %.4f, W2 %.4f\n", d.Time, d.Chi2, r.Bound.Chi2[i], d.W2)
	}
	// Output:
	// gap 2.4674 ± 0.0000, by the diameter at least 2.4674
	// time 0.1: χ² 1.4586 below 243.5893, W2 0.7130
	// time 1.0: χ² 0.0140 below 2.8696, W2 0.0754
}

// Every fault at once.
func TestFaults(t *testing.T) {
	p := theory.Problem{Potential: bowl(), Domain: interval(t, -1, 1)}
	s := theory.Settings{
		Temperature: []float64{2, -1}, Intensity: math.NaN(), Grid: 3, Eigenvalues: 101,
		Decay: &theory.Decay{Start: []float64{2}, Times: []float64{1, 0.5, math.Inf(1)}, Of: []string{"hellinger"}},
	}
	err := s.Validate(p)
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{"temperature 2 is -1", "must rise", "intensity is NaN", "grid is 3", "eigenvalues is 101", "start [2]",
		"time 2 is 0.5", "time 3 is +Inf", "hellinger"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported in\n%v", want, err)
		}
	}
	half, _ := domain.NewHalfSpace([]float64{1}, 0)
	cube := box(t, []float64{0, 0, 0}, []float64{1, 1, 1})
	for want, p := range map[string]theory.Problem{
		"no domain": {}, "not bounded": {Domain: half}, "3 coordinates": {Domain: cube},
		"potential has 1 coordinates and the domain 2": {Potential: bowl(), Domain: disk(t, 0, 0, 1)},
	} {
		if err := (theory.Settings{}).Validate(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := (theory.Settings{Intensity: 1}).Validate(p); err == nil {
		t.Error("swaps of one rung go unnoticed")
	}
	if err := (theory.Settings{}).Validate(p); err != nil {
		t.Error(err)
	}
}

func measure(t testing.TB, p theory.Problem, s theory.Settings) *theory.Result {
	t.Helper()
	r, err := theory.Measure(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The whole of a result on the plane with two rungs, and its JSON: no NaN, the names
// of the contract, the same bytes twice.
func TestMeasureTwoRungsOnThePlane(t *testing.T) {
	pace.Slow(t)
	p := theory.Problem{Potential: modes25(), Domain: disk(t, 0, 0, 0.8)}
	s := theory.Settings{
		Temperature: []float64{1, 5}, Intensity: 10, Grid: 10, Eigenvalues: 3,
		Decay: &theory.Decay{Start: []float64{0.1, 0.1}, Times: []float64{0, 0.01, 0.1}},
	}
	var texts []string
	for range 2 {
		r := measure(t, p, s)
		if !(r.Acceleration > 0) || !(r.Swaps.Gain > 0) || r.Swaps.Gain > r.Acceleration ||
			r.Swaps.Alone != min(r.Rungs[0].Gap, r.Rungs[1].Gap) && math.Abs(r.Swaps.Alone/min(r.Rungs[0].Gap, r.Rungs[1].Gap)-1) > 1e-8 {
			t.Errorf("swaps: %+v, acceleration %g, rungs %+v", *r.Swaps, r.Acceleration, r.Rungs)
		}
		if r.W2Is != "upper bound" || r.States != r.Cells*r.Cells || math.Abs(r.Diameter-1.6) > 1e-5 {
			t.Errorf("W2 is %q, %d states of %d cells, diameter %g", r.W2Is, r.States, r.Cells, r.Diameter)
		}
		r.Seconds = 0
		b, err := store.JSON(r)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	if texts[0] != texts[1] {
		t.Error("two measurements differ")
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(texts[0]), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gap", "poincare_constant", "eigenvalues", "cells", "diameter", "acceleration", "decay", "bound",
		"gap_error", "log_sobolev", "w2_is", "notes"} {
		if fields[name] == nil {
			t.Errorf("%s is missing or null", name)
		}
	}
	if fields["convex"] != true || fields["convex_bound"] != nil {
		t.Errorf("convex %v, convex_bound %v: U is not constant", fields["convex"], fields["convex_bound"])
	}
}

// The error of the grid, told from coarser ones, is the error where U is smooth, and
// nearly so where it is not: of ½ log x on [0, 1], with modes x^¾ J₋¾(kx), the gap is k²,
// k = 2.780888 the first zero of J¼. A mutant that takes order 2 for granted tells a
// seventh of that error.
func TestGapError(t *testing.T) {
	r := measure(t, theory.Problem{Domain: interval(t, 0, 2)}, theory.Settings{Grid: 51})
	exact := math.Pi * math.Pi / 4
	if e := math.Abs(r.Gap - exact); !(math.Abs(r.GapError/e-1) < 0.02) {
		t.Errorf("error of the gap %g, told %g", e, r.GapError)
	}
	root := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 0.5 / x[0]
		return 0.5 * math.Log(x[0])
	})
	r = measure(t, theory.Problem{Potential: root, Domain: interval(t, 0, 1)}, theory.Settings{Grid: 40})
	if e := math.Abs(r.Gap - 2.780888*2.780888); !(math.Abs(r.GapError/e-1) < 0.2) {
		t.Errorf("error of the gap of a singular potential %g, told %g", e, r.GapError)
	}
}

// Where curved walls cut cells, changes from grid to grid do not fall evenly; one that is
// small by chance is not taken for the error. The gaps of rings are squares k² at the roots
// of the derivatives of Bessel functions, J₁'(k)Y₁'(ka) = Y₁'(k)J₁'(ka).
func TestGapErrorOfRings(t *testing.T) {
	pace.Slow(t)
	j := func(x float64) float64 { return math.J0(x) - math.J1(x)/x }
	y := func(x float64) float64 { return math.Y0(x) - math.Y1(x)/x }
	for inner, grids := range map[float64][]int{0.99: {60, 120, 300}, 0.98: {77, 150, 300}, 0.9: {75, 106, 150}, 0.5: {60, 200}} {
		lo, hi := 0.5, 2.0
		cross := func(k float64) float64 { return j(k)*y(k*inner) - y(k)*j(k*inner) }
		for range 80 {
			if k := (lo + hi) / 2; (cross(k) > 0) == (cross(lo) > 0) {
				lo = k
			} else {
				hi = k
			}
		}
		exact := lo * lo
		for _, n := range grids {
			r := measure(t, theory.Problem{Domain: ring(t, inner)}, theory.Settings{Grid: n, Eigenvalues: 1})
			if e := math.Abs(r.Gap - exact); !(e < 2*r.GapError && r.GapError < 0.01) {
				t.Errorf("ring %g, grid %d: gap %.8g ± %.2g, exactly %.8g", inner, n, r.Gap, r.GapError, exact)
			}
		}
	}
}

// Where U is +∞ there is a wall.
func TestInfiniteEnergyIsAWall(t *testing.T) {
	inf := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 0
		if x[0] > 1 {
			return math.Inf(1)
		}
		return 0
	})
	r := measure(t, theory.Problem{Potential: inf, Domain: interval(t, 0, 2)}, theory.Settings{Grid: 200})
	if math.Abs(r.Gap/(math.Pi*math.Pi)-1) > 1e-3 || !hasNote(r, "not finite in 100 of 200 cells") {
		t.Errorf("gap %g, notes %q", r.Gap, r.Notes)
	}
}

func hasNote(r *theory.Result, part string) bool {
	return slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, part) })
}

// What cannot be held by numbers is said, not guessed.
func TestColdAndBroken(t *testing.T) {
	for want, c := range map[string]struct {
		p   potential.Potential
		tau float64
	}{
		"fall into 2 parts":               {wells(1), 1e-3},
		"all mass is in one of 100 cells": {incline(1), 1e-6},
		"energy is NaN": {potential.Func(1, func(grad, x []float64) float64 {
			return math.Sqrt(x[0])
		}), 1},
	} {
		_, err := theory.NewProcess(t.Context(), theory.Problem{Potential: c.p, Domain: interval(t, -2, 2)}, []float64{c.tau}, 0, 100)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	r := measure(t, theory.Problem{Potential: bowl(), Domain: interval(t, -50, 50)}, theory.Settings{Grid: 2000})
	if math.Abs(r.Gap-1) > 1e-4 || !hasNote(r, "so light that they are left out") {
		t.Errorf("gap %g, notes %q", r.Gap, r.Notes)
	}
	r = measure(t, theory.Problem{Potential: wells(3), Domain: interval(t, -2, 2)}, theory.Settings{Grid: 20, Temperature: []float64{0.2}})
	if !hasNote(r, "may be too coarse") || !hasNote(r, "uncertain") {
		t.Errorf("notes %q", r.Notes)
	}
}

// A barrier of 40 temperatures: Kramers' law, √(U″(±1)|U″(0)|)/π·exp(−40), whose
// corrections are of the size of τ. One of 200 is out of reach, and said to be.
func TestBarriers(t *testing.T) {
	p := theory.Problem{Potential: wells(1), Domain: interval(t, -2, 2)}
	if g, want := gap(t, p, []float64{0.025}, 0, 200), math.Sqrt(32)/math.Pi*math.Exp(-40); math.Abs(g/want-1) > 0.05 {
		t.Errorf("gap %g, by Kramers' law %g", g, want)
	}
	q, err := theory.NewProcess(t.Context(), p, []float64{0.005}, 0, 200)
	if err == nil {
		_, err = q.Gap(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "raise the temperature") {
		t.Errorf("a barrier of 200 temperatures: %v", err)
	}
}

// A law in few of the cells is told with its place and a grid that has enough, on which its
// gap is U″; one in less than a cell with its place.
func TestNarrowLaws(t *testing.T) {
	of := func(k float64) theory.Problem {
		return theory.Problem{Domain: interval(t, -1, 1), Potential: potential.Func(1, func(grad, x []float64) float64 {
			grad[0] = k * x[0]
			return k * x[0] * x[0] / 2
		})}
	}
	for k, want := range map[float64]string{1e6: "in 6 of 400 cells, from x = -0.015 to x = 0.015, too few to tell modes apart: bound the " +
		"domain by about " +
		"that, or take a grid of 3334", 2e200: "all mass is near x = 0, in less than one of 400 cells"} {
		if _, err := theory.Measure(t.Context(), of(k), theory.Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%g: %v", k, err)
		}
	}
	r, err := theory.Measure(t.Context(), of(1e6), theory.Settings{Grid: 3334})
	if err != nil || math.Abs(r.Gap/1e6-1) > 0.01 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Modes are drawn on the mesh: with one rung their mean square is 1.
func TestModes(t *testing.T) {
	p := process(t, twoWells(t), []float64{0.5}, 0, 50)
	modes, err := p.Modes(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modes {
		square, mean := 0.0, 0.0
		for i, w := range p.Chain.Mass() {
			v := m.Rung[0][p.Rungs[0].Cell[i]]
			square += w * v * v
			mean += w * v
		}
		if math.Abs(square-1) > 1e-9 || math.Abs(mean) > 1e-9 {
			t.Errorf("mode %g has mean %g and mean square %g", m.Value, mean, square)
		}
	}
	// Without swaps the slowest mode is that of the cold rung, and nothing of the hot.
	both := process(t, twoWells(t), []float64{0.3, 2}, 0, 30)
	if modes, err = both.Modes(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	alone, err := process(t, twoWells(t), []float64{0.3}, 0, 30).Modes(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	sign := math.Copysign(1, alone[0].Rung[0][0]*modes[0].Rung[0][0])
	for c, v := range alone[0].Rung[0] {
		if math.Abs(sign*modes[0].Rung[0][c]-v) > 1e-6 || math.Abs(modes[0].Rung[1][c]) > 1e-6 {
			t.Fatalf("cell %d: cold %g, hot %g; alone %g", c, modes[0].Rung[0][c], modes[0].Rung[1][c], v)
		}
	}
}

// On the coarsest grid there is none of half as many cells, which is told.
func TestErrorOfTheCoarsestGrid(t *testing.T) {
	r, err := theory.Measure(t.Context(), theory.Problem{Domain: interval(t, 0, 2)}, theory.Settings{Grid: 4, Eigenvalues: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(r.GapError) ||
		!slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "the error of the grid is not known") }) {
		t.Errorf("error %g, notes %q", r.GapError, r.Notes)
	}
}

// Too fine a grid is refused with one that fits.
func TestTooManyStates(t *testing.T) {
	p := theory.Problem{Domain: interval(t, 0, 1)}
	_, err := theory.NewProcess(t.Context(), p, []float64{1, 2}, 0, 4000)
	if err == nil || !strings.Contains(err.Error(), "take a grid of about 2191") {
		t.Errorf("16 million states: %v", err)
	}
}
