package multimodal

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// flower returns the truth on the flower, computed once.
var flower = sync.OnceValues(func() (*scene, error) { return newScene(shapes()[0]) })

func theFlower(t *testing.T) *scene {
	t.Helper()
	s, err := flower()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A small law: four squares of side 5 of which one is outside.
func fewCells(t *testing.T) *cells {
	t.Helper()
	c, err := cellsOf([]float64{0.1, 0.6, 0, 0.3}, []float64{25, 25, 0, 25}, func(x, y float64) bool { return x > 0 || y < 0 }, 5)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The definition of each score, written out with probabilities that sum to 1.
// It kills: smoothing over K instead of K+1 cells where the outside counts, the
// outside left out of the denominator, KL the wrong way round, ½ forgotten.
func TestScoresAreTheirDefinitions(t *testing.T) {
	c := fewCells(t)
	rapid.Check(t, func(t *rapid.T) {
		counts, n, draws := make([]int, 4), make([]float64, 4), 0.0
		for k := range counts {
			counts[k] = rapid.IntRange(0, 100).Draw(t, "draws in a cell")
			n[k] = float64(counts[k])
			draws += n[k]
		}
		p := []float64{0.1, 0.6, 0.3}
		smooth := func(n []float64) []float64 {
			sum, q := 0.0, make([]float64, len(n))
			for i := range n {
				q[i] = n[i] + 0.5
				sum += q[i]
			}
			for i := range q {
				q[i] /= sum
			}
			return q
		}
		kl := func(p, q []float64) float64 {
			sum := 0.0
			for i := range p {
				sum += p[i] * math.Log(p[i]/q[i])
			}
			return sum
		}
		want := Score{KLAll: kl(p, smooth(n)), KLIn: kl(p, smooth(n[:3])), KLBack: kl(smooth(n[:3]), p), Outside: n[3] / max(1, draws)}
		if diff := cmp.Diff(want, c.score(counts), cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A point belongs to its square; what is outside Ω, beyond the squares or not a
// number is outside. It kills: x and y exchanged, rounding towards 0.
func TestCellsOfPoints(t *testing.T) {
	c := fewCells(t)
	for _, p := range []struct {
		x, y float64
		want int
	}{{-1, -1, 0}, {1, -1, 1}, {1, 1, 2}, {-1, 1, 3}, {-5, -5, 0}, {5, 1, 3}, {-5.1, -1, 3}, {math.NaN(), 0, 3}, {math.Inf(1), 0, 3}} {
		if got := c.index(p.x, p.y); got != p.want {
			t.Errorf("(%g, %g) is in cell %d, want %d", p.x, p.y, got, p.want)
		}
	}
	if _, err := massesOf(theFlower(t).region, 0.3); err == nil {
		t.Error("cells of width 0.3 do not fit")
	}
}

// The cells hold all of Ω and nothing else: independent draws are inside, points
// of a square are outside exactly where the domain says so, masses sum to 1, and
// there are as many as the reference counts.
func TestCellsCoverTheDomain(t *testing.T) {
	s := theFlower(t)
	m := s.own()
	if m.cells.K() != 292 {
		t.Errorf("%d cells, want 292", m.cells.K())
	}
	sum := 0.0
	for _, p := range m.cells.mass {
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("masses sum to 1 + %.2g", sum-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	inside := membership(s.domain)
	for range 200_000 {
		x, y := 6*rng.Float64()-3, 6*rng.Float64()-3
		if got := m.cells.index(x, y) < m.cells.K(); got != inside(x, y) {
			t.Fatalf("(%g, %g) counts as inside: %t", x, y, got)
		}
	}
	x := independent(1000, s.domain, rng)
	if n := testing.AllocsPerRun(10, func() {
		for i := 0; i < len(x); i += 2 {
			m.cells.index(x[i], x[i+1])
		}
	}); n != 0 {
		t.Errorf("finding cells allocates %g times", n)
	}
}

// Stretches are scored as if each were scored alone.
func TestStretchesAreScoredAlone(t *testing.T) {
	s := theFlower(t)
	m := s.own()
	x := independent(3000, s.domain, rand.New(rand.NewPCG(3, 4)))
	for i := 0; i < len(x); i += 14 {
		x[i] += 4 // some outside
	}
	rapid.Check(t, func(t *rapid.T) {
		to := rapid.IntRange(2, 3000).Draw(t, "to")
		from := rapid.IntRange(0, to-1).Draw(t, "from")
		got := m.scores(x, []span{{0, 3000}, {from, to}, {0, to}})
		alone := m.scores(x[2*from:2*to], []span{{0, to - from}})
		if diff := cmp.Diff(alone[0], got[1]); diff != "" {
			t.Fatal(diff)
		}
		counts := make([]int, m.cells.K()+1)
		for i := from; i < to; i++ {
			counts[m.cells.index(x[2*i], x[2*i+1])]++
		}
		if kl := m.cells.score(counts); kl.KLAll != got[1].KLAll || kl.Outside != got[1].Outside {
			t.Fatalf("score of cells %+v, of draws %+v", kl, got[1])
		}
	})
	if got := m.scores(x, []span{{0, 3001}})[0]; !math.IsNaN(got.KLAll) {
		t.Errorf("more draws than there are score %g", got.KLAll)
	}
}

// W1 of draws shifted by δ is δ, up to bins of 0.01, and that of draws in one
// point the mean distance to it. It kills: squared differences, the bin width
// forgotten, the marginal of the other axis.
func TestMarginalDistance(t *testing.T) {
	s := theFlower(t)
	m := s.own()
	rng := rand.New(rand.NewPCG(5, 6))
	x := independent(200_000, s.domain, rng)
	near := m.scores(x, []span{{0, 200_000}})[0]
	if near.W1X > 0.01 || near.W1Y > 0.01 {
		t.Errorf("independent draws are %g and %g off", near.W1X, near.W1Y)
	}
	for i := 1; i < len(x); i += 2 {
		x[i] -= 0.5
	}
	if far := m.scores(x, []span{{0, 200_000}})[0]; math.Abs(far.W1Y-0.5) > 0.01 || far.W1X > 0.01 {
		t.Errorf("draws shifted by -0.5 in y are %g off in x and %g in y", far.W1X, far.W1Y)
	}
	z := make([]float64, 2000)
	mean := 0.0
	for i := 0; i < 100_000; i++ {
		mean += math.Abs(x[2*i]) / 100_000
	}
	// 0.02: the error of the mean of 100,000 draws and half a bin; it kills W1 off by a factor
	if got := m.scores(z, []span{{0, 1000}})[0]; math.Abs(got.W1X-mean) > 0.02 {
		t.Errorf("draws at 0 are %g off, want E|x| = %g", got.W1X, mean)
	}
}

// The weights of the modes: all draws in one mode are off by 1 less its weight,
// all draws outside by 1. It kills: rows and columns exchanged, outside ignored.
func TestModes(t *testing.T) {
	s := theFlower(t)
	m := s.own()
	n := 100
	at := func(x, y float64) Score {
		draws := make([]float64, 2*n)
		for i := range n {
			draws[2*i], draws[2*i+1] = x, y
		}
		return m.scores(draws, []span{{0, n}})[0]
	}
	if got := at(0, 1); math.Abs(got.Modes-(1-0.11883245)) > 1e-6 || got.Found != 1 {
		t.Errorf("all draws in mode (0, 1): off by %g, found %g", got.Modes, got.Found)
	}
	if got := at(3, 3); math.Abs(got.Modes-1) > 1e-9 || got.Found != 0 || got.Outside != 1 {
		t.Errorf("all draws outside: off by %g, found %g, outside %g", got.Modes, got.Found, got.Outside)
	}
	if got := s.worthFinding(); got != 16 {
		t.Errorf("%d modes to be found, want 16", got)
	}
}

// An interval is that of Student's t, and its JSON is short.
func TestInterval(t *testing.T) {
	// t quantile of 9 degrees of freedom, 2.262157.
	if i := interval([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); math.Abs(i.Half-2.262157*math.Sqrt(55.0/6/10)) > 1e-6 || i.Mean != 5.5 {
		t.Errorf("interval %v", i)
	}
	b, err := json.Marshal([]Interval{{0.0216233333, 0.000786}, {1, math.NaN()}})
	if err != nil || string(b) != `[{"mean":0.0216233,"half95":0.000786},{"mean":1,"half95":null}]` {
		t.Errorf("%s %v", b, err)
	}
}

// Truth has the keys of the reference, and its numbers to 1e-6. It kills: rows and
// columns exchanged, a moment in place of another, area for perimeter.
func TestTruth(t *testing.T) {
	pace.Slow(t)
	got, err := Truth()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var mine, want map[string]any
	if err := json.Unmarshal(b, &mine); err != nil {
		t.Fatal(err)
	}
	readJSON(t, "multimodal_truth.json", &want)
	if len(mine) != 5 {
		t.Errorf("%d domains", len(mine))
	}
	for _, d := range []string{"flower", "octagon"} {
		sameNumbers(t, d, want[d], mine[d])
	}
	for d, v := range mine {
		a, b := v.(map[string]any), mine["flower"].(map[string]any)
		for k := range b {
			if _, ok := a[k]; !ok && k != "area_exact" {
				t.Errorf("%s has no %s", d, k)
			}
		}
	}
}

// sameNumbers compares two values of JSON, texts aside.
func sameNumbers(t *testing.T, at string, want, got any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k, v := range w {
			sameNumbers(t, at+"."+k, v, g[k])
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s has %d entries, want %d", at, len(g), len(w))
			return
		}
		for i, v := range w {
			sameNumbers(t, at, v, g[i])
		}
	case float64:
		g, ok := got.(float64)
		tolerance := 1e-6 // relative for what is large
		if strings.Contains(at, "lambda_local") {
			tolerance = 1e-5 // of which the reference has five or six digits
		}
		if !ok || math.Abs(g-w) > tolerance*math.Max(1, math.Abs(w)) {
			t.Errorf("%s = %v, want %v", at, got, w)
		}
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
