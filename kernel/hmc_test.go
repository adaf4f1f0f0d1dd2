package kernel_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// generators returns one generator per replica.
func generators(r int) *stream.Lanes { return stream.New(11, 0).Lanes(r, stream.Kernel) }

// A field evaluates a block.
type field func(b *kernel.Block)

// ridge is U = 2x⁴ + a²x²/2 + (a y − x)²/2 with a = 1.5: lopsided, not Gaussian.
func ridge(b *kernel.Block) {
	const a = 1.5
	for i := range b.Energy {
		x, y := b.X[i], b.X[b.R+i]
		w := a*y - x
		b.Energy[i] = 2*x*x*x*x + a*a*x*x/2 + w*w/2
		b.Grad[i], b.Grad[b.R+i] = 8*x*x*x+a*a*x-w, a*w
	}
}

// follow makes a trajectory of n leapfrog steps in a domain, nil for all of space.
func follow(t *kernel.Trajectory, b *kernel.Block, at *kernel.At, noise *stream.Lanes, n int, u field, r domain.Reflector) {
	from, to, v := make([]float64, b.D), make([]float64, b.D), make([]float64, b.D)
	for range n {
		t.Leapfrog(b, at, noise)
		for i := range b.R {
			for j := range b.D {
				from[j], to[j], v[j] = b.From[j*b.R+i], b.X[j*b.R+i], b.V[j*b.R+i]
			}
			if r != nil {
				b.Hits[i], _ = r.Reflect(from, to, v)
			}
			for j := range b.D {
				b.X[j*b.R+i], b.V[j*b.R+i] = to[j], v[j]
			}
		}
		u(b)
	}
}

// Replicas that begin in the law exp(−U/τ) of U = ½ Σ c_j x_j², two rungs of other
// η and τ, are in it after each of three trajectories, at steps where h·ω is 0.5
// to 1.4 and the map without acceptance would settle at variances up to twice as
// large. E x², E x⁴ and the kinetic part of the acceptance: n = 60,000
// independent replicas per rung; |z| < 5.6 for 24 scores, 2e-8 each. It kills:
// always or never accepted, H without its kinetic part, a half-kick left out at
// the end, momenta without τ, a kick with the jitter not squared, and energies or
// gradients of a rejected end (the second trajectory begins with them).
func TestHMCKeepsTheLaw(t *testing.T) {
	const n = 60_000
	c := []float64{1, 6}
	s := kernel.Schedule{StepSize: []float64{0.16, 0.12}, Temperature: []float64{1, 4}, Iterations: 3}
	for _, leapfrog := range []int{1, 3} {
		b := kernel.NewBlock(2*n, 2)
		noise := generators(2 * n)
		for i := range b.R {
			b.Rung[i] = 1 - i%2
			for j := range c {
				b.X[j*b.R+i] = math.Sqrt(s.Temperature[b.Rung[i]]/c[j]) * noise.Of(i).NormFloat64()
			}
		}
		u := func(b *kernel.Block) {
			for i := range b.Energy {
				x, y := b.X[i], b.X[b.R+i]
				b.Energy[i] = (c[0]*x*x + c[1]*y*y) / 2
				b.Grad[i], b.Grad[b.R+i] = c[0]*x, c[1]*y
			}
		}
		u(b)
		at := kernel.NewAt(2)
		path := kernel.NewTrajectory(b, leapfrog, nil)
		for k := 1; k <= s.Iterations; k++ {
			s.Set(at, k)
			follow(path, b, at, noise, leapfrog, u, nil)
			moves := make([]kernel.Moves, 2)
			path.Accept(b, at, noise, moves)
			for r, m := range moves {
				if share := float64(m.Accepted) / float64(m.Proposed); m.Proposed != n || share < 0.3 || share > 0.97 {
					t.Errorf("%d steps, rung %d: %d of %d accepted", leapfrog, r+1, m.Accepted, m.Proposed)
				}
			}
			for r, tau := range s.Temperature {
				for j, cj := range c {
					var x2, x4 float64
					for i := 1 - r; i < b.R; i += 2 {
						w := b.X[j*b.R+i] * b.X[j*b.R+i] * cj / tau
						x2 += w / n
						x4 += w * w / n
					}
					z2, z4 := (x2-1)/math.Sqrt(2.0/n), (x4-3)/math.Sqrt(96.0/n)
					if !(math.Abs(z2) < 5.6) || !(math.Abs(z4) < 5.6) {
						t.Errorf("%d steps, trajectory %d, rung %d, coordinate %d: E x² and E x⁴ are off by %.1f and %.1f standard errors",
							leapfrog, k, r+1, j+1, z2, z4)
					}
				}
			}
		}
	}
}

// Where the density is narrow steps are shorter more often, and the acceptance makes up for it. Replicas
// that begin in the law of a funnel, v normal and z = x exp(−v/2) normal, are in it after each of three
// trajectories: U is τ times its energy, part of which is a base law, at two temperatures. Means of v, v², z²
// and v(z² − 1): n = 60,000 independent replicas per rung; |z| < 5.6 for 24 scores, 2e-8 each.
//
// Mutants: the odds of the way back are left out; those of longer steps are; they are those of the way there
// over those back.
func TestShorterStepsKeepTheLaw(t *testing.T) {
	const n, leapfrog = 60_000, 3
	s := kernel.Schedule{StepSize: []float64{0.6, 0.3}, Temperature: []float64{1, 2}, Iterations: 3}
	b, at, noise := kernel.NewBlock(2*n, 2), kernel.NewAt(2), generators(2*n)
	b.WithBase()
	for i := range b.R {
		b.Rung[i] = i % 2
		b.X[i] = noise.Of(i).NormFloat64()
		b.X[b.R+i] = math.Exp(b.X[i]/2) * noise.Of(i).NormFloat64()
	}
	u := func(b *kernel.Block) {
		for i, r := range b.Rung {
			v, x, tau := b.X[i], b.X[b.R+i], s.Temperature[r]
			w := x * math.Exp(-v)
			b.Energy[i], b.Base[i] = tau*(x*w+v)/2, v*v/2
			b.Grad[i], b.Grad[b.R+i] = tau*(1-x*w)/2, tau*w
			b.BaseGrad[i], b.BaseGrad[b.R+i] = v, 0
		}
	}
	u(b)
	path, moves := kernel.NewTrajectory(b, leapfrog, nil), make([]kernel.Moves, 2)
	for k := 1; k <= s.Iterations; k++ {
		s.Set(at, k)
		follow(path, b, at, noise, leapfrog, u, nil)
		path.Accept(b, at, noise, moves)
		for r := range s.Temperature {
			var sum [4]float64
			for i := r; i < b.R; i += 2 {
				v, x := b.X[i], b.X[b.R+i]
				z2 := x * x * math.Exp(-v)
				for j, f := range []float64{v, (v*v - 1) / math.Sqrt2, (z2 - 1) / math.Sqrt2, v * (z2 - 1) / math.Sqrt2} { // of mean 0 and variance 1
					sum[j] += f
				}
			}
			for j := range sum {
				if z := sum[j] / math.Sqrt(n); !(math.Abs(z) < 5.6) {
					t.Errorf("trajectory %d, rung %d: mean %d is off by %.1f standard errors", k, r+1, j+1, z)
				}
			}
		}
	}
	for r, m := range moves {
		if share := float64(m.Accepted) / float64(m.Proposed); share < 0.3 || share > 0.97 {
			t.Errorf("rung %d: %.3f accepted", r+1, share)
		}
	}
}

// places are widths 1 and 3, the wider the more probable the farther from 0, but never above 2.
type places struct{}

func (places) Factors() []float64 { return []float64{1, 3} }

func (places) Odds(r int) func(logs, x []float64) {
	return func(logs, x []float64) {
		for i := range r {
			logs[i], logs[r+i] = math.Log(1-wider(x[i])), math.Log(wider(x[i]))
		}
	}
}

func wider(x float64) float64 {
	if x > 2 {
		return 0
	}
	return x * x / (0.2 + x*x)
}

// Steps whose width is drawn by place keep the law, whatever the odds are. Replicas that begin in that of two
// normal laws, of sd ½ about 0 and sd 2 about 1, above a wall at −1, are in it after each of three
// trajectories, of one step and of three, at two temperatures of U/τ with a base law. Of four functions
// the change of each replica has mean
// 0, n = 60,000 independent ones per rung; |z| < 5.6 for 48 scores, 2e-8 each.
//
// Mutants: the odds of the way back are left out; they are the other way round; those of the beginning are
// looked up at the end; a width that cannot be there is one that can.
func TestWidthsKeepTheLaw(t *testing.T) {
	const n = 60_000
	s := kernel.Schedule{StepSize: []float64{0.2, 0.1}, Temperature: []float64{1, 2}, Iterations: 3}
	box, err := domain.NewBox([]float64{-1}, []float64{100})
	if err != nil {
		t.Fatal(err)
	}
	wall, err := domain.NewReflector(box, domain.Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	laws := [2]struct{ mean, sd float64 }{{0, 0.5}, {1, 2}}
	u := func(b *kernel.Block) {
		for i, r := range b.Rung {
			p, slope, x := 0.0, 0.0, b.X[i]
			for _, l := range laws {
				q := math.Exp(-(x-l.mean)*(x-l.mean)/(2*l.sd*l.sd)) / l.sd
				p, slope = p+q, slope+q*(x-l.mean)/(l.sd*l.sd)
			}
			tau := s.Temperature[r]
			b.Energy[i], b.Grad[i] = tau*(-math.Log(p)-0.1*x), tau*(slope/p-0.1)
			b.Base[i], b.BaseGrad[i] = 0.1*x, 0.1
		}
	}
	for _, leapfrog := range []int{1, 3} {
		b, at, noise := kernel.NewBlock(2*n, 1), kernel.NewAt(2), generators(2*n)
		b.WithBase()
		for i := range b.R {
			b.Rung[i] = i % 2
			rng := noise.Of(i)
			for b.X[i] = -2; b.X[i] < -1; {
				l := laws[rng.IntN(2)]
				b.X[i] = l.mean + l.sd*rng.NormFloat64()
			}
		}
		u(b)
		before := slices.Clone(b.X)
		path, moves := kernel.NewTrajectory(b, leapfrog, places{}), make([]kernel.Moves, 2)
		for k := 1; k <= s.Iterations; k++ {
			s.Set(at, k)
			follow(path, b, at, noise, leapfrog, u, wall)
			path.Accept(b, at, noise, moves)
			for r := range s.Temperature {
				for j, f := range []func(x float64) float64{
					func(x float64) float64 { return x }, math.Abs,
					func(x float64) float64 { return math.Exp(-x * x) }, func(x float64) float64 { return math.Tanh(5 * (x - 2)) },
				} {
					sum, squares := 0.0, 0.0
					for i := r; i < b.R; i += 2 {
						change := f(b.X[i]) - f(before[i])
						sum, squares = sum+change, squares+change*change
					}
					if z := sum / math.Sqrt(squares); !(math.Abs(z) < 5.6) {
						t.Errorf("%d steps, trajectory %d, rung %d: mean %d is off by %.1f standard errors", leapfrog, k, r+1, j+1, z)
					}
				}
			}
		}
		for r, m := range moves {
			if share := float64(m.Accepted) / float64(m.Proposed); share < 0.3 || share > 0.97 {
				t.Errorf("%d steps, rung %d: %.3f accepted", leapfrog, r+1, share)
			}
		}
	}
}

// At infinite temperature no density is followed: steps have one length, and all ends are taken, also where the
// width of the beginning cannot be.
//
// Mutants: widths there as elsewhere.
func TestWidthsOfTheUniformLaw(t *testing.T) {
	const n = 100
	b, at, noise := kernel.NewBlock(n, 1), kernel.NewAt(1), generators(n)
	for i := range b.R {
		b.Rung[i], b.X[i] = 0, 1.9
	}
	s := kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{math.Inf(1)}, Iterations: 1}
	s.Set(at, 1)
	path, moves := kernel.NewTrajectory(b, 1, places{}), make([]kernel.Moves, 1)
	follow(path, b, at, noise, 1, func(*kernel.Block) {}, nil)
	path.Accept(b, at, noise, moves)
	farthest := 0.0
	for _, x := range b.X {
		farthest = max(farthest, math.Abs(x-1.9))
	}
	if moves[0].Accepted != n || !(farthest < 6*math.Sqrt2) {
		t.Errorf("%d of %d accepted, the longest step %g", moves[0].Accepted, n, farthest)
	}
}

// Acceptance corrects kicks of any length, so that the law does not tell whether they
// are the right one: H does. Trajectories of length 1.6 in 50 steps, hω < 0.08, keep H up
// to (hω)²/8 < 10⁻³, where the mean loss of acceptance is half that: more than 0.998
// of 5,000 are accepted, at both temperatures. It kills: kicks uphill, of
// another length, with the jitter not squared (0.95), with the temperature in
// them, and momenta that are drawn afresh on the way.
func TestTrajectoriesKeepH(t *testing.T) {
	const n = 5000
	b, at, noise := kernel.NewBlock(n, 2), kernel.NewAt(2), generators(n)
	(&kernel.Schedule{StepSize: []float64{5e-4, 2.5e-4}, Temperature: []float64{0.5, 3}}).Set(at, 1)
	for i := range b.R {
		b.Rung[i] = i % 2
		for j := i; j < len(b.X); j += b.R {
			b.X[j] = 0.5 * noise.Of(i).NormFloat64()
		}
	}
	ridge(b)
	path, moves := kernel.NewTrajectory(b, 50, nil), make([]kernel.Moves, 2)
	follow(path, b, at, noise, 50, ridge, nil)
	path.Accept(b, at, noise, moves)
	for r, m := range moves {
		if share := float64(m.Accepted) / float64(m.Proposed); share < 0.998 {
			t.Errorf("rung %d: %.4f accepted", r+1, share)
		}
	}
}

// shapes are domains with straight walls, corners that open and corners that do
// not, and curved walls.
func shapes(t *testing.T) map[string]domain.Domain {
	l, err := domain.NewPolygon([][2]float64{{-1, -1}, {2, -1}, {2, 0.5}, {0.5, 0.5}, {0, 2}, {-1, 1.5}})
	if err != nil {
		t.Fatal(err)
	}
	ball, err := domain.NewBall([]float64{0.2, 0.1}, 1.2)
	if err != nil {
		t.Fatal(err)
	}
	flower, err := domain.NewFlower(5, 3, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]domain.Domain{"polygon": l, "ball": ball, "flower": flower}
}

// A point is a state with its momentum.
type point [4]float64

// travel takes points along trajectories of n steps, whose length has a factor, and returns their ends and
// the mirrorings.
func travel(points []point, s kernel.Schedule, n int, factor float64, r domain.Reflector) (ends []point, hits [][]int) {
	ends, hits = make([]point, len(points)), make([][]int, len(points))
	for i, p := range points {
		b, at := kernel.NewBlock(1, 2), kernel.NewAt(1)
		path := kernel.NewTrajectory(b, 2, nil)
		copy(b.X, p[:2])
		ridge(b)
		s.Set(at, 1)
		noise := generators(1)
		path.Launch(b, at, noise, factor, p[2:])
		for range n {
			follow(path, b, at, noise, 1, ridge, r)
			hits[i] = append(hits[i], b.Hits[0])
		}
		path.Land(b, at)
		ends[i] = point{b.X[0], b.X[1], b.V[0], b.V[1]}
	}
	return ends, hits
}

// A trajectory is followed, its momentum reversed, and followed back to where it
// began, under specular reflection and under refusal; and it keeps volume: the
// determinant of its map is 1. That is looked at where neighbours 1e-6 away meet the
// walls equally often and the path is not chaotic (|map| < 30: the errors of
// central differences, up to 1e-8, count by the cube of it). It kills: kicks that are not half at both
// ends (the way back is off by a half-kick), a factor of the step that changes on
// the way, and a momentum that is not mirrored with its path.
func TestTrajectoriesRunBackwards(t *testing.T) {
	all := shapes(t)
	flights := rapid.Custom(func(t *rapid.T) flight { return drawFlight(t, all) })
	rapid.Check(t, func(t *rapid.T) { flights.Draw(t, "flight").check(t, all) })
	met, kept := 0, 0
	for seed := range 100 { // the same ones always, so that their number is no matter of chance
		switch hits, ok := flights.Example(seed).check(t, all); {
		case ok && hits > 0:
			met++
			fallthrough
		case ok:
			kept++
		}
	}
	if t.Logf("%d trajectories looked at, %d of them met a wall", kept, met); met < 10 || kept < 20 {
		t.Error("too few to tell")
	}
}

// A flight is a trajectory to follow.
type flight struct {
	shape    string
	rule     domain.Rule
	from     point
	schedule kernel.Schedule
	steps    int
	factor   float64
}

func drawFlight(t *rapid.T, all map[string]domain.Domain) flight {
	f := flight{
		shape: rapid.SampledFrom([]string{"polygon", "ball", "flower"}).Draw(t, "shape"),
		rule:  rapid.SampledFrom([]domain.Rule{domain.Specular, domain.Refuse}).Draw(t, "rule"),
	}
	within, speed := rapid.Float64Range(-1.2, 1.2), rapid.Float64Range(-1, 1)
	f.from = rapid.Custom(func(t *rapid.T) point {
		return point{within.Draw(t, "x"), within.Draw(t, "y")}
	}).Filter(func(p point) bool { return all[f.shape].Contains(p[:2]) }).Draw(t, "state")
	f.from[2], f.from[3] = speed.Draw(t, "v"), speed.Draw(t, "w")
	f.schedule = kernel.Schedule{StepSize: []float64{rapid.Float64Range(0.002, 0.05).Draw(t, "step")},
		Temperature: []float64{2}, Iterations: 1}
	f.steps, f.factor = rapid.IntRange(1, 9).Draw(t, "steps"), rapid.Float64Range(0.125, 1.2).Draw(t, "factor")
	return f
}

// check follows a trajectory and returns the most mirrorings of a step, and whether it
// could be looked at.
func (f flight) check(t rapid.TB, all map[string]domain.Domain) (met int, ok bool) {
	t.Helper()
	r, err := domain.NewReflector(all[f.shape], f.rule, 0)
	if err != nil {
		t.Fatal(err)
	}
	points := []point{f.from}
	const h = 1e-6
	for j := range f.from {
		for _, sign := range []float64{1, -1} {
			q := f.from
			if q[j] += sign * h; !all[f.shape].Contains(q[:2]) {
				return 0, false // begun on the wall
			}
			points = append(points, q)
		}
	}
	ends, hits := travel(points, f.schedule, f.steps, f.factor, r)
	back := ends[0]
	back[2], back[3] = -back[2], -back[3]
	again, _ := travel([]point{back}, f.schedule, f.steps, f.factor, r)
	again[0][2], again[0][3] = -again[0][2], -again[0][3]
	var m [4][4]float64
	norm := 0.0
	for j := range m {
		for i := range m {
			m[i][j] = (ends[1+2*j][i] - ends[2+2*j][i]) / (2 * h)
			norm = math.Hypot(norm, m[i][j])
		}
	}
	if norm > 30 || slices.ContainsFunc(hits, func(h []int) bool { return !slices.Equal(h, hits[0]) }) {
		return 0, false
	}
	for j, v := range again[0] {
		if math.Abs(v-f.from[j]) > 1e-7 {
			t.Errorf("%s, %s: back at %v, begun at %v", f.shape, f.rule, again[0], f.from)
		}
	}
	if d := determinant(m); math.Abs(math.Abs(d)-1) > 1e-3 {
		t.Errorf("%s, %s: volume changes by a factor of %.6f", f.shape, f.rule, d)
	}
	return slices.Max(hits[0]), true
}

// determinant is that of m, by elimination with pivots.
func determinant(m [4][4]float64) float64 {
	det := 1.0
	for k := range m {
		for i := k + 1; i < len(m); i++ {
			if math.Abs(m[i][k]) > math.Abs(m[k][k]) {
				m[i], m[k] = m[k], m[i]
				det = -det
			}
		}
		det *= m[k][k]
		for i := k + 1; i < len(m); i++ {
			f := m[i][k] / m[k][k]
			for j := k; j < len(m); j++ {
				m[i][j] -= f * m[k][j]
			}
		}
	}
	return det
}

// Ends of energy NaN, +Inf and −Inf, of a gradient that is not finite, and any
// that a NaN on the way leads to are left for the beginning, with its energy and
// gradient, bit for bit; at infinite temperature energies of +Inf and gradients
// are of no concern. Trajectories that came to a state of finite energy whose gradient
// is NaN are counted, unless its density is next to none beside that of the beginning. It kills: a
// missing restoration of state, energy or gradient, an end of energy −Inf that is taken, and
// gradients that are not looked at, or whatever the energy.
func TestEndsThatAreNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		energy, slope, tau float64
		at                 int // the leapfrog step of three that finds them
		taken, undefined   bool
	}{
		"NaN":                         {nan, 0, 1, 3, false, false},
		"infinite":                    {inf, 0, 1, 3, false, false},
		"minus infinite":              {-inf, 0, 1, 3, false, false},
		"slope":                       {0, inf, 1, 3, false, false},
		"slope NaN":                   {0, nan, 1, 3, false, true},
		"slope NaN on the way":        {0, nan, 1, 2, false, true},
		"slope NaN, 40 up on the way": {40, nan, 1, 2, false, true},
		"slope NaN, far up":           {60, nan, 1, 3, false, false},
		"slope NaN, 60 up, warm":      {60, nan, 2, 3, false, true},
		"all NaN":                     {nan, nan, 1, 3, false, false},
		"slope NaN, minus infinite":   {-inf, nan, 1, 3, false, false},
		"energy NaN on the way":       {nan, 0, 1, 1, true, false},
		"infinite temperature":        {inf, nan, inf, 3, true, false},
		"infinite temperature, NaN":   {0, nan, inf, 1, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, at, noise := kernel.NewBlock(2, 2), kernel.NewAt(2), generators(2)
			b.Rung[0], b.Rung[1] = 1, 0
			(&kernel.Schedule{StepSize: []float64{1e-3, 1e-3}, Temperature: []float64{0.1, c.tau}}).Set(at, 1)
			path := kernel.NewTrajectory(b, 3, nil)
			copy(b.X, []float64{0.5, 0.1, -0.2, 0.3})
			ridge(b)
			begin := kernel.Clone(b)
			for k := 1; k <= 3; k++ {
				follow(path, b, at, noise, 1, func(b *kernel.Block) {
					ridge(b)
					if k == c.at {
						b.Energy[0] += c.energy
						b.Grad[0] += c.slope
					}
				}, nil)
			}
			end := kernel.Clone(b)
			moves := make([]kernel.Moves, 2)
			path.Accept(b, at, noise, moves)
			want := begin
			if c.taken {
				want = end
			}
			for j := 0; j < 4; j += 2 {
				if b.X[j] != want.X[j] || math.Float64bits(b.Grad[j]) != math.Float64bits(want.Grad[j]) ||
					math.Float64bits(b.Energy[0]) != math.Float64bits(want.Energy[0]) {
					t.Fatalf("%+v, want %+v", b, want)
				}
			}
			if moves[1].Proposed != 1 || (moves[1].Accepted == 1) != c.taken || (moves[1].Undefined == 1) != c.undefined ||
				moves[0].Proposed != 1 || moves[0].Undefined != 0 {
				t.Errorf("%+v", moves)
			}
			if b.X[1] == begin.X[1] { // at this step the neighbour is accepted
				t.Error("the neighbour did not move")
			}
		})
	}
}

// Replicas of a normal law leave where they are though steps of the usual length, hω from 3.2 to 4.8,
// are unstable: eight of them multiply a displacement by 10⁷ and more, so that less than one in 10⁶ is
// accepted. A sixteenth of trajectories at least is shorter, a third of these by more than 4, so hω < 1 and
// nearly all are accepted. Of 100 trajectories none is such one with the chance 0.9793¹⁰⁰ = 0.12, of
// 1,000 with 8e-10: all of 50 replicas have moved but for 4e-8. Steps are shorter with the mean probability
// 0.49 here, that of the mean of x² between 1/16 and 0.9: of 50,000 trajectories so many are accepted at most,
// and more than twice as many as would be if a sixteenth were shorter.
//
// Mutants: no trajectory is shorter; they are shorter by less; a sixteenth is everywhere.
func TestReplicasLeaveNarrowPlaces(t *testing.T) {
	const n, leapfrog = 50, 8
	u := func(b *kernel.Block) {
		for i, x := range b.X {
			b.Energy[i], b.Grad[i] = x*x/2, x
		}
	}
	b, at, noise := kernel.NewBlock(n, 1), kernel.NewAt(1), generators(n)
	clear(b.Rung)
	for i := range b.X {
		b.X[i] = noise.Of(i).NormFloat64()
	}
	from := slices.Clone(b.X)
	u(b)
	s := kernel.Schedule{StepSize: []float64{8}, Temperature: []float64{1}, Iterations: 1000} // steps of length 4
	path, moves := kernel.NewTrajectory(b, leapfrog, nil), make([]kernel.Moves, 1)
	for k := 1; k <= s.Iterations; k++ {
		s.Set(at, k)
		follow(path, b, at, noise, leapfrog, u, nil)
		path.Accept(b, at, noise, moves)
	}
	for i, x := range b.X {
		if x == from[i] {
			t.Errorf("replica %d has not moved", i)
		}
	}
	if share := float64(moves[0].Accepted) / float64(moves[0].Proposed); share > 0.49 || share < 2.0/16 {
		t.Errorf("%.3f are accepted", share)
	}
}

// A trajectory allocates nothing.
func TestTrajectoryAllocatesNothing(t *testing.T) {
	b, at, noise := kernel.NewBlock(3, 2), kernel.NewAt(3), generators(3)
	(&kernel.Schedule{StepSize: []float64{1e-2, 1e-2, 1}, Temperature: []float64{1, 2, math.Inf(1)}}).Set(at, 1)
	path, moves := kernel.NewTrajectory(b, 5, nil), make([]kernel.Moves, 3)
	if n := testing.AllocsPerRun(100, func() {
		for range 5 {
			path.Leapfrog(b, at, noise)
			ridge(b)
		}
		path.Accept(b, at, noise, moves)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestHMCValidate(t *testing.T) {
	for _, n := range []int{-1, 0} {
		if (&kernel.HMC{Leapfrog: n}).Validate() == nil {
			t.Errorf("%d leapfrog steps were taken", n)
		}
	}
	if err := (&kernel.HMC{Leapfrog: 1}).Validate(); err != nil {
		t.Error(err)
	}
}
