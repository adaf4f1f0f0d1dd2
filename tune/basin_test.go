package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/potential"
)

// Two basins meet where −log of the density is highest between them, at 0.2, and not where the
// normal laws at −1 and 3 meet: of a quartic, whose slope is k(x + 1)(x − 0.2)(x − 3), each has its
// weight within 5 standard errors (chance: 6e-7), by an integral, as has what was expected.
//
// Mutants: nothing is followed; errors without the chance of which draws were followed.
func TestBasinsOfAQuartic(t *testing.T) {
	const k = 0.6
	u := func(x float64) float64 { return k * (x*x*x*x/4 - 2.2/3*x*x*x - 1.3*x*x + 0.6*x) }
	p := r2sgld.Problem{Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = k*(x[0]+1)*(x[0]-0.2)*(x[0]-3), x[1]
		return u(x[0]) + x[1]*x[1]/2
	})}
	var err error
	if p.Domain, err = domain.NewBox([]float64{-5, -5}, []float64{6, 5}); err != nil {
		t.Fatal(err)
	}
	left, all := 0.0, 0.0
	for x := -5 + 5e-4; x < 6; x += 1e-3 {
		if all += math.Exp(-u(x)); x < 0.2 {
			left += math.Exp(-u(x))
		}
	}
	left /= all
	out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4}, Until{ESS: 2000}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Audit.Modes) != 2 {
		t.Fatalf("modes %+v", out.Audit.Modes)
	}
	for i, want := range []float64{1 - left, left} {
		m := out.Audit.Modes[i]
		t.Logf("%.4f ± %.4f of the draws, %.4f ± %.4f expected, want %.4f", m.Weight, m.SE, m.Expected, m.ExpectedSE, want)
		if !(math.Abs(m.Weight-want) < 5*m.SE) || !(m.SE < 0.02) {
			t.Errorf("mode %d has %.4f ± %.4f of the draws, want %.4f", i, m.Weight, m.SE, want)
		}
		if !(math.Abs(m.Expected-want) < 5*m.ExpectedSE) {
			t.Errorf("mode %d is expected to have %.4f ± %.4f, want %.4f", i, m.Expected, m.ExpectedSE, want)
		}
	}
}

// ringEnergy is that of a ring whose mass is at (1, 0): 8(r² − 1)² − x.
func ringEnergy(grad, x []float64) float64 {
	w := x[0]*x[0] + x[1]*x[1] - 1
	grad[0], grad[1] = 32*w*x[0]-1, 32*w*x[1]
	return 8*w*w - x[0]
}

// Two thin rings, one of three times the other's mass, are two modes, though normal laws cover each by several: of
// weights within 5 standard errors (chance: 6e-7), known to R̂ and ESS, and none is told to be rare.
//
// Mutants: every mode of a valley by itself; the starts of one of them for all; shares that nobody joins.
func TestRingsAreTwoModes(t *testing.T) {
	box, err := domain.NewBox([]float64{-6, -6}, []float64{6, 6})
	if err != nil {
		t.Fatal(err)
	}
	p := formula(t, "-logsumexp(-50*(sqrt((x - 3.5)^2 + y^2) - 2)^2, log(3) - 50*(sqrt((x + 3.5)^2 + y^2) - 2)^2)", box)
	out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4}, Until{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := out.Audit
	if len(a.Modes) != 2 || len(a.Rare)+len(a.Missing) > 0 || len(a.Barriers) != 1 || !(a.RHat < 1.01) || !(a.ESS >= 400) {
		t.Fatalf("%d modes, %d rare, %d missing, %d barriers, R̂ %.3f, ESS %.0f", len(a.Modes), len(a.Rare), len(a.Missing), len(a.Barriers), a.RHat, a.ESS)
	}
	starts := 0
	for _, m := range a.Modes {
		want := 0.25
		if m.At[0] < 0 {
			want = 0.75
		}
		starts += m.Starts
		t.Logf("%.4f ± %.4f of the draws, %.4f ± %.4f expected, want %.2f", m.Weight, m.SE, m.Expected, m.ExpectedSE, want)
		if !(math.Abs(m.Weight-want) < 5*m.SE) || !(m.SE < 0.03) || !(math.Abs(m.Expected-want) < 5*m.ExpectedSE) {
			t.Errorf("the ring at %v has %.4f ± %.4f of the draws, and %.4f ± %.4f was expected", m.At, m.Weight, m.SE, m.Expected, m.ExpectedSE)
		}
	}
	law, ok := out.Guide.Potential.(*modes.Mixture)
	if starts < a.Starts || !ok || len(law.Parts) < 6 {
		t.Errorf("%d of %d starts lead to rings, which are covered by %+v", starts, a.Starts, law)
	}
}

// A corner of a ten-thousandth in depth, which descents begun far away end in but all that lies
// near it by a normal law leads out of, is hardly a mode.
func TestBasinOfACorner(t *testing.T) {
	plane := func(value float64, gradient ...float64) domain.Surface {
		q, err := domain.NewQuadric([]float64{0, 0}, value, gradient, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	hole, err := domain.NewQuadric([]float64{0, 0}, 0.25, nil, [][]float64{{-2, 0}, {0, -2}})
	if err != nil {
		t.Fatal(err)
	}
	walls := []domain.Surface{hole, plane(-1, -1, 1), plane(-2, 1, 0), plane(-2, -1, 0), plane(-2, 0, 1), plane(-2, 0, -1)}
	d, err := domain.NewImplicit(walls, []string{"hole", "cut", "right", "left", "top", "bottom"}, []float64{-2, -2}, []float64{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Potential: potential.Func(2, ringEnergy), Domain: d}
	out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4}, Until{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Audit.Modes) != 2 {
		t.Fatalf("%d modes", len(out.Audit.Modes))
	}
	if m := out.Audit.Modes[1]; !(m.Weight < 0.01) || !(m.Expected < 0.01) {
		t.Errorf("the corner has %.5f ± %.5f of the draws, and was expected to have %.5f", m.Weight, m.SE, m.Expected)
	}
}

// Draws at random near three modes, of which known parts belong to others: weights add up to 1
// and are within 5 standard errors (chance: 6e-7 each) of what they are, the errors no larger
// than three times those of independent draws and followed ones.
//
// Mutants: shares of the other direction; the chance of which draws are followed left out.
func TestShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	truth := [][]float64{{1, 0, 0}, {0.5, 0.5, 0}, {0.1, 0.2, 0.7}}
	weight := []float64{0.2, 0.3, 0.5}
	pick := func(p []float64) int {
		u, k := rng.Float64(), 0
		for ; k < len(p)-1 && u >= p[k]; k++ {
			u -= p[k]
		}
		return k
	}
	draws := near{of: make([][]int, 4)}
	const n, followed = 5000, 100
	for i := range draws.of {
		for range n {
			draws.of[i] = append(draws.of[i], pick(weight))
		}
	}
	var begun, ends []int
	for j := range truth {
		for range followed {
			begun, ends = append(begun, j), append(ends, pick(truth[j]))
		}
	}
	s := ownBasins(len(truth))
	s.count(begun, ends)
	sum := 0.0
	for k := range truth {
		want := 0.0
		for j, w := range weight {
			want += w * truth[j][k]
		}
		got, se := s.share(draws.of, k)
		sum += got
		if most := 3 * math.Sqrt(want*(1-want)*(1.0/(4*n)+1.0/followed)); !(math.Abs(got-want) < 5*se) || !(se < most) {
			t.Errorf("basin %d has %.4f ± %.4f (at most %.4f), want %.4f", k, got, se, most, want)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("all basins have %g", sum)
	}
}

// Ladders that agree on no cluster of modes do not mix, though each mode holds so little that its
// own indicator tells less.
//
// Mutant: groups of modes are not looked at.
func TestAuditOfClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	m := &Modes{Search: &modes.Search{}}
	const each = 16 // modes of a cluster
	for k := range 2 * each {
		x := float64(k) + 100*float64(k/each)
		m.Search.Modes = append(m.Search.Modes, modes.Mode{X: []float64{x}, L: [][]float64{{0.1}}, Starts: 100})
	}
	res := &r2sgld.Result{Names: []string{"x"}}
	for l := range 4 {
		x := make([]float64, 4000)
		for i := range x {
			k := rng.IntN(each)
			if rng.Float64() < 0.45+0.1*float64(l%2) {
				k += each
			}
			x[i] = m.Search.Modes[k].X[0] + 0.1*rng.NormFloat64()
		}
		res.Ladders = append(res.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, len(x))}}, Stride: 1})
	}
	a := m.seen(r2sgld.Problem{Names: res.Names}, res)
	alone := 0.0
	draws := m.near(r2sgld.Problem{Names: res.Names}, res)
	for k := range m.Search.Modes {
		chains, _ := draws.indicators(k)
		alone = max(alone, diag.RHat(chains))
	}
	if !(a.RHat > 1.004) || !(a.RHat-1 > 2*(alone-1)) {
		t.Errorf("R̂ %.4f of clusters that ladders do not agree on, of single modes %.4f", a.RHat, alone)
	}
}

// Few are taken evenly of draws near a mode, all of one that has fewer.
func TestSomeDraws(t *testing.T) {
	draws := near{of: make([][]int, 2), step: []int{1, 3}}
	for i := range draws.of {
		for k := range 100 {
			owner := 0
			if k%50 == 7 {
				owner = 1
			}
			draws.of[i] = append(draws.of[i], owner)
		}
	}
	at, of := draws.some(2, 28)
	count := [2]int{}
	last := -1
	for i, k := range of {
		place := at[i][0]*100 + (at[i][1]+1)/draws.step[at[i][0]] - 1
		if count[k]++; k == 0 && place-last > 8 {
			t.Errorf("none of the draws from %d to %d", last, place)
		}
		if k == 0 {
			last = place
		}
		if draws.of[place/100][place%100] != k {
			t.Errorf("draw %d of ladder %d is near %d, not %d", at[i][1], at[i][0], draws.of[place/100][place%100], k)
		}
	}
	if last < 192 {
		t.Errorf("none of the draws after %d", last)
	}
	if count != [2]int{28, 4} {
		t.Errorf("%v draws", count)
	}
}
