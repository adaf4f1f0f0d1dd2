package mixing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
	"github.com/r2sgld/r2sgld/stream"
)

var (
	once sync.Once
	ran  *study.Study
)

// glance runs the study once for all tests.
func glance(t *testing.T) (*study.Study, *Results) {
	t.Helper()
	once.Do(func() { ran = studytest.Glance(t, Run, 2) })
	if ran == nil {
		t.Fatal("the study failed")
	}
	return ran, ran.Results.(*Results)
}

// The report is whole, and the verdicts are those that finer grids have too.
func TestGlance(t *testing.T) {
	pace.Slow(t)
	s, _ := glance(t)
	out := studytest.Whole(t, s)
	studytest.Documented(t, s, "../../../docs/studies.md")
	want := map[string]study.Verdict{"theory-reversible": study.Depends, "theory-chi2": study.Holds, "theory-w2": study.Depends,
		"theory-acceleration": study.Holds, "theory-diameter": study.Depends, "theory-convex": study.Depends, "theory-log-sobolev": study.Depends,
		"theory-nonconvex": study.Holds, "theory-discretisation": study.Holds}
	for _, c := range out.Claims {
		if c.Verdict != want[c.ID] {
			t.Errorf("%s: %s, not %s: %s", c.ID, c.Verdict, want[c.ID], c.Why)
		}
		delete(want, c.ID)
	}
	for id := range want {
		t.Errorf("no claim %s", id)
	}
	if len(s.Sections) != 6 {
		t.Errorf("%d sections", len(s.Sections))
	}
	rows := map[string]int{}
	for _, x := range s.Sections {
		for _, table := range x.Tables {
			rows[table.Title] = len(table.Rows)
		}
	}
	r := ran.Results.(*Results)
	for title, n := range map[string]int{"Gaps": len(r.Exact), "Swaps at rate r·min(1, S) and at rate r·S": 2 * len(r.Reversibility),
		"Rates of χ²":     len(r.Decay),
		"Convex polygons": 3, "At one time": len(r.Discretisation.Times), "Gap against diameter": len(r.Diameter.Families)} {
		if rows[title] != n || n == 0 {
			t.Errorf("table %q has %d rows, not %d", title, rows[title], n)
		}
	}
}

// On a disk reflection at the nearest point costs an error of order 1 in the step, by its own
// law where U = 0 too: on an interval it costs none there.
func TestDisks(t *testing.T) {
	pace.Slow(t)
	_, r := glance(t)
	n := 0
	for _, o := range slices.Concat(r.Discretisation.Orders, r.Discretisation.Times) {
		if strings.HasPrefix(o.Name, "disk") {
			if n++; o.Vanishes || math.Abs(o.Fit.Slope-1) > 0.1 {
				t.Errorf("%s: order %g", o.Name, o.Fit.Slope)
			}
		}
	}
	if n != 6 {
		t.Errorf("%d laws on disks", n)
	}
}

// Exact numbers that the study finds again. Kills: a gap of another mode, swaps at rate
// S on both sides, an acceleration at the wrong intensity, ¼ of the form instead of ½,
// projection where reflection is meant.
func TestKnownNumbers(t *testing.T) {
	pace.Slow(t)
	_, r := glance(t)
	for _, x := range r.Exact {
		if last := x.Error[len(x.Error)-1]; last > 1e-3 || x.Order.Slope < 1.9 {
			t.Errorf("%s: error %g, order %v", x.Name, last, x.Order)
		}
	}
	for _, x := range r.Reversibility {
		if x.Capped.Defect > 1e-12 || x.Capped.Law > 1e-11 || x.Printed.Defect < 0.5 || x.Printed.Law < 1e-3 {
			t.Errorf("%s: %+v", x.Name, x)
		}
	}
	for _, f := range r.Diameter.Families {
		if f.Kind == free && math.Abs(f.Fit.Slope+2) > 1e-9 {
			t.Errorf("%s: slope %v", f.Name, f.Fit)
		}
	}
	for i := range r.Acceleration.Intensity {
		s := &r.Acceleration.Intensity[i]
		// The slowest mode bounds the gap from above, and at first to first order.
		if bound := s.alone() * (1 + s.Intensity[0]*s.Form); s.Gap[0] > bound*(1+1e-9) || s.Gap[0] < bound*0.98 {
			t.Errorf("%s: gap %g at intensity %g, from the slowest mode %g", s.Name, s.Gap[0], s.Intensity[0], bound)
		}
		if last := s.Gap[len(s.Gap)-1]; last > s.Limit*(1+1e-9) || last < 0.9*s.Limit {
			t.Errorf("%s: gap %g, limit %g", s.Name, last, s.Limit)
		}
	}
	for _, x := range r.Discretisation.Orders {
		want := map[string]float64{"reflection": 1, "refusal": 1, "projection": 0.5}[x.Rule]
		if strings.HasSuffix(x.Name, "+ 1)²/2") && math.Abs(x.Fit.Slope-want) > 0.1 {
			t.Errorf("%s, %s: order %v, not %g", x.Name, x.Rule, x.Fit, want)
		}
		if strings.HasPrefix(x.Name, "disk") { // mirrored at a tangent, which is no wall of a disk
			if x.Vanishes || math.Abs(x.Fit.Slope-1) > 0.1 {
				t.Errorf("%s, %s: order %v of %v", x.Name, x.Rule, x.Fit, x.W1)
			}
			continue
		}
		if strings.HasSuffix(x.Name, "U = 0") && x.Vanishes != (x.Rule != "projection") {
			t.Errorf("%s, %s: W1 %v", x.Name, x.Rule, x.W1)
		}
	}
	for _, d := range r.Decay {
		// W2 ≤ √(τ C KL): without the temperature it fails by √(τ/2) for a normal law that
		// is moved, with it it is an equality.
		if strings.Contains(d.Name, "τ = 10") && (math.Abs(d.Transport-math.Sqrt(5)) > 0.01 || math.Abs(d.Scaled-1) > 0.01) {
			t.Errorf("%s: %g and %g", d.Name, d.Transport, d.Scaled)
		}
	}
}

// Equal options give equal numbers, whatever the threads.
func TestSmallPartsAgainWithOneThread(t *testing.T) {
	pace.Slow(t)
	_, r := glance(t)
	e := effortOf(study.Smoke)
	o := study.Options{Scale: study.Smoke, Seed: 1, Threads: 1}
	polygons, err := e.convexPolygons(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.exact(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := studytest.JSON(t, polygons), studytest.JSON(t, r.Diameter.Polygons); a != b {
		t.Errorf("polygons: %s\nand %s", a, b)
	}
	if a, b := studytest.JSON(t, x), studytest.JSON(t, r.Exact); a != b {
		t.Errorf("exact values: %s\nand %s", a, b)
	}
}

func TestRunRefuses(t *testing.T) {
	if _, err := Run(context.Background(), study.Options{Scale: "huge"}); err == nil || !strings.Contains(err.Error(), "smoke") {
		t.Errorf("an unknown scale: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Run(ctx, study.Options{Scale: study.Smoke, Seed: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before it began: %v", err)
	}
}

// Two states with rates a and b: the law that stays is (b, a)/(a + b), known by hand.
// Kills: rows for columns, a defect relative to the smaller flow.
func TestBalanceByHand(t *testing.T) {
	q := mat.NewDense(2, 2, []float64{-1, 1, 3, -3})
	pi, u := []float64{0.5, 0.5}, []float64{0, 2}
	b, err := balanceOf(q, pi, u)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Law-0.25) > 1e-14 || math.Abs(b.Defect-2.0/3) > 1e-14 || math.Abs(b.Drift-1) > 1e-14 || math.Abs(b.Energy+0.5) > 1e-14 {
		t.Errorf("%+v", b)
	}
	if b, err = balanceOf(q, []float64{0.75, 0.25}, u); err != nil || b.Law > 1e-14 || b.Defect > 1e-14 || b.Drift > 1e-14 {
		t.Errorf("%+v, %v", b, err)
	}
}

// Kills: x for y, the natural spread of the interval, local slopes backwards.
func TestPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, p := rapid.Float64Range(0.1, 10).Draw(t, "c"), rapid.Float64Range(-3, 3).Draw(t, "p")
		x := logarithmic(0.01, 10, rapid.IntRange(3, 9).Draw(t, "n"))
		y := make([]float64, len(x))
		for i := range x {
			y[i] = c * math.Pow(x[i], p)
		}
		f := powerOf(x, y)
		if math.Abs(f.Slope-p) > 1e-9 || f.High-f.Low > 1e-6 {
			t.Fatalf("%+v, not %g", f, p)
		}
		for _, v := range locals(x, y) {
			if math.Abs(v-p) > 1e-9 {
				t.Fatalf("local %g, not %g", v, p)
			}
		}
	})
	// Residuals ±h of three points on a line: half width t(0.975, 1)·√(6h²)/√2 about.
	f := powerOf([]float64{1, math.E, math.E * math.E}, []float64{math.Exp(0.1), math.Exp(-0.2), math.Exp(0.1)})
	if want := 12.706204736 * math.Sqrt(0.06/2); math.Abs(f.Slope) > 1e-12 || math.Abs(f.High-want) > 1e-6 {
		t.Errorf("%+v, not 0 ± %g", f, want)
	}
}

// Random polygons are convex, counter-clockwise and of their size.
func TestConvexPolygons(t *testing.T) {
	s := stream.New(3, 0)
	for i := range 200 {
		p := convexPolygon(s.Of(i, stream.Start))
		if len(p) < 3 {
			t.Fatalf("%d corners", len(p))
		}
		for k := range p {
			a, b, c := p[k], p[(k+1)%len(p)], p[(k+2)%len(p)]
			if (b[0]-a[0])*(c[1]-a[1])-(b[1]-a[1])*(c[0]-a[0]) <= 0 {
				t.Fatalf("polygon %d turns right at corner %d: %v", i, k+1, p)
			}
			if math.Hypot(p[k][0], p[k][1]) > 2 {
				t.Fatalf("polygon %d: corner %v is outside the disk", i, p[k])
			}
		}
	}
}

// The waist has curvature −1 by finite differences of the curve. Kills: 4c for 5c, the
// other root.
func TestWaist(t *testing.T) {
	for _, s := range []float64{0.01, 1, 30} {
		c := waist(s)
		if !(c >= 0.2 && c < 1) {
			t.Fatalf("s = %g: c = %g", s, c)
		}
		const h = 1e-4
		r := func(theta float64) float64 { return s * (1 - c*math.Cos(2*theta)) } // narrowest at 0
		at := r(0)
		second := (r(h) - 2*at + r(-h)) / (h * h)
		if k := (at - second) / (at * at); math.Abs(k+1) > 1e-4*(1+1/s) {
			t.Errorf("s = %g: curvature %g", s, k)
		}
	}
}
