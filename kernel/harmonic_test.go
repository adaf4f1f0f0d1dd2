package kernel_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A truncated is a Gaussian between walls with the moments and probabilities of its
// law (testdata/gauss_*.json say how they were found).
type truncated struct {
	Mu     []float64
	Q      [][]float64
	Domain struct {
		Kind         string
		Lower, Upper []float64
		A            []float64
		B            float64
		Center       []float64
		Radius       float64
	}
	Truth struct {
		Mean   []float64
		Cov    [][]float64
		Events map[string]float64
	}
}

func readTruncated(t *testing.T, name string) (*truncated, *kernel.Gaussian, domain.Domain) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r := &truncated{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	var d domain.Domain
	switch c := r.Domain; c.Kind {
	case "box":
		d, err = domain.NewBox(c.Lower, c.Upper)
	case "halfspace":
		d, err = domain.NewHalfSpace(c.A, c.B)
	case "ball":
		d, err = domain.NewBall(c.Center, c.Radius)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, &kernel.Gaussian{Mean: r.Mu, Precision: symmetric(r.Q)}, d
}

func symmetric(a [][]float64) *mat.SymDense {
	s := mat.NewSymDense(len(a), nil)
	for i := range a {
		for j := range i + 1 {
			s.SetSym(i, j, (a[i][j]+a[j][i])/2)
		}
	}
	return s
}

// events are those of testdata.
var events = map[string]map[string]func(x []float64) bool{
	"gauss_box": {
		"x1<0.5":                 func(x []float64) bool { return x[0] < 0.5 },
		"x2>0":                   func(x []float64) bool { return x[1] > 0 },
		"x3<0.5":                 func(x []float64) bool { return x[2] < 0.5 },
		"x1>1 and x2<-0.5":       func(x []float64) bool { return x[0] > 1 && x[1] < -0.5 },
		"x1<0.05":                func(x []float64) bool { return x[0] < 0.05 },
		"within 0.1 of any face": func(x []float64) bool { return min(x[0], 1.5-x[0], x[1]+1, 0.5-x[1], x[2], 2-x[2]) < 0.1 },
	},
	"gauss_halfspace": {
		"x1<0":                        func(x []float64) bool { return x[0] < 0 },
		"x2>0":                        func(x []float64) bool { return x[1] > 0 },
		"x3<0":                        func(x []float64) bool { return x[2] < 0 },
		"a.x > b-0.1 (near the wall)": func(x []float64) bool { return x[0]-2*x[1]+x[2]/2 > 0.4 },
		"a.x < -1":                    func(x []float64) bool { return x[0]-2*x[1]+x[2]/2 < -1 },
	},
	"gauss_ball": {
		"x1<0":                    func(x []float64) bool { return x[0] < 0 },
		"x2>0":                    func(x []float64) bool { return x[1] > 0 },
		"x5<-0.5":                 func(x []float64) bool { return x[4] < -0.5 },
		"|x|<1":                   func(x []float64) bool { return length(x) < 1 },
		"|x|<1.2":                 func(x []float64) bool { return length(x) < 1.2 },
		"|x|>1.4 (near the wall)": func(x []float64) bool { return length(x) > 1.4 },
		"x1+x2+x3+x4+x5>0.5":      func(x []float64) bool { return x[0]+x[1]+x[2]+x[3]+x[4] > 0.5 },
	},
}

func length(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s)
}

// scores collects sums of functions of independent chains, whose spread is that
// between chains.
type scores struct {
	name []string
	want []float64
	of   []func(x []float64) float64
	sum  [][]float64 // per function, per chain
}

func (s *scores) add(name string, want float64, of func(x []float64) float64) {
	s.name, s.want, s.of = append(s.name, name), append(s.want, want), append(s.of, of)
}

// moments adds means, second moments and events of a reference.
func (s *scores) moments(name string, r *truncated) {
	m := r.Truth.Mean
	for i := range m {
		s.add("mean", m[i], func(x []float64) float64 { return x[i] })
		for j := range i + 1 {
			s.add("second moment", r.Truth.Cov[i][j]+m[i]*m[j], func(x []float64) float64 { return x[i] * x[j] })
		}
	}
	for event, in := range events[name] {
		s.add(event, r.Truth.Events[event], func(x []float64) float64 {
			if in(x) {
				return 1
			}
			return 0
		})
	}
}

// see adds the states of a block, one chain per replica.
func (s *scores) see(b *kernel.Block) {
	x := make([]float64, b.D)
	for len(s.sum) < len(s.of) {
		s.sum = append(s.sum, make([]float64, b.R))
	}
	for i := range b.R {
		b.State(x, i)
		for k, f := range s.of {
			s.sum[k][i] += f(x)
		}
	}
}

// z are the scores after n draws of each chain.
func (s *scores) z(n int) []float64 {
	z := make([]float64, len(s.of))
	for k, sum := range s.sum {
		var mean, square float64
		r := float64(len(sum))
		for _, v := range sum {
			mean += v / float64(n) / r
		}
		for _, v := range sum {
			e := v/float64(n) - mean
			square += e * e / (r - 1)
		}
		z[k] = (mean - s.want[k]) / math.Sqrt(square/r)
	}
	return z
}

// hot are r replicas, all on one rung of temperature tau.
func hot(r, d int, tau float64) (*kernel.Block, *kernel.At, *stream.Lanes) {
	b, at := kernel.NewBlock(r, d), kernel.NewAt(1)
	clear(b.Rung)
	(&kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{tau}}).Set(at, 1)
	return b, at, generators(r)
}

// Truncated Gaussians in a box, and with the mode outside of a half-space and of a
// ball, at temperature 2.5 with P in proportion, which is the law of the reference:
// means, second moments, and probabilities of regions, among them those near the
// wall. The standard error is that between 400 chains of 250 draws: |z| < 5.6, 112
// scores of 4e-8 each. Starts are forgotten within 30 draws. It kills: a normal that
// is not that of the metric of the Gaussian, no reflection, the other root of a hit, a velocity that
// is not drawn afresh, and one without the temperature.
func TestHarmonicLaw(t *testing.T) {
	pace.Slow(t)
	for _, name := range []string{"gauss_box", "gauss_halfspace", "gauss_ball"} {
		for _, jitter := range []float64{0, 0.5} {
			t.Run(name, func(t *testing.T) {
				r, g, d := readTruncated(t, name)
				const tau = 2.5
				g.Precision.ScaleSym(tau, g.Precision)
				f, err := kernel.NewFlow(g, d, kernel.Harmonic{Jitter: jitter})
				if err != nil {
					t.Fatal(err)
				}
				const chains, burn = 400, 30
				n := 250
				if pace.Soaking() {
					n = 5000
				}
				b, at, noise := hot(chains, len(r.Mu), tau)
				start, err := domain.Interior(t.Context(), d, nil)
				if err != nil {
					t.Fatal(err)
				}
				for j, x := range start {
					for i := range chains {
						b.X[j*chains+i] = x
					}
				}
				var s scores
				s.moments(name, r)
				o, hits := f.Orbit(), 0
				for k := range burn + n {
					o.Move(b, at, noise)
					for i, h := range b.Hits {
						hits += h
						if o.Stuck[i] {
							t.Fatalf("draw %d of chain %d is stuck", k, i)
						}
					}
					if k >= burn {
						s.see(b)
					}
				}
				worst := 0.0
				for k, z := range s.z(n) {
					if worst = max(worst, math.Abs(z)); !(math.Abs(z) < 5.6) {
						t.Errorf("%s (%d) is off by %.1f standard errors", s.name[k], k, z)
					}
				}
				t.Logf("%.2f mirrorings a draw, largest |z| %.1f of %d", float64(hits)/float64(chains*(burn+n)), worst, len(s.of))
			})
		}
	}
}

// flowOf is that of a round Gaussian of two coordinates.
func flowOf(d domain.Domain, mean []float64, h kernel.Harmonic) (*kernel.Flow, error) {
	return kernel.NewFlow(&kernel.Gaussian{Mean: mean, Precision: mat.NewSymDense(2, []float64{1, 0, 0, 1})}, d, h)
}

// Settings out of range, domains of other walls and precisions that bound nothing
// are errors.
func TestHarmonicRefuses(t *testing.T) {
	for _, h := range []kernel.Harmonic{{Time: -1}, {Time: math.Pi}, {Time: math.NaN()}, {Jitter: 1}, {Jitter: -0.1}, {Jitter: math.NaN()},
		{Time: 2, Jitter: 0.6}, {Cap: -1}} {
		if _, err := flowOf(nil, []float64{0, 0}, h); err == nil {
			t.Errorf("%+v was taken", h)
		}
	}
	for _, h := range []kernel.Harmonic{{}, {Time: 3.1}, {Jitter: 0.9}, {Cap: 1}} {
		if _, err := flowOf(nil, []float64{0, 0}, h); err != nil {
			t.Error(err)
		}
	}
	flower, err := domain.NewFlower(5, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	cube, err := domain.NewBox([]float64{0, 0, 0}, []float64{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []domain.Domain{flower, cube} {
		if _, err := flowOf(d, []float64{0, 0}, kernel.Harmonic{}); err == nil {
			t.Errorf("a domain of type %T was taken", d)
		}
	}
	for _, p := range [][]float64{{1, 1, 1, 1}, {1, 0, 0, 0}, {1, 2, 2, 1}, {-1, 0, 0, 1}} {
		if _, err := kernel.NewFlow(&kernel.Gaussian{Mean: []float64{0, 0}, Precision: mat.NewSymDense(2, p)}, nil,
			kernel.Harmonic{}); err == nil {
			t.Errorf("the precision %v was taken", p)
		}
	}
}

// Without walls draws are independent of the state, N(0, τI), and replicas at
// infinite temperature make a step of normal noise.
func TestHarmonicFree(t *testing.T) {
	b, at, noise := kernel.NewBlock(2, 2), kernel.NewAt(2), generators(2)
	(&kernel.Schedule{StepSize: []float64{1, 1}, Temperature: []float64{1, math.Inf(1)}}).Set(at, 1)
	free, err := flowOf(nil, []float64{0, 0}, kernel.Harmonic{})
	if err != nil {
		t.Fatal(err)
	}
	copy(b.X, []float64{0.1, 0.2, 0.3, 0.4})
	free.Orbit().Move(b, at, noise)
	xi := generators(2).Normals(2)
	for j := range 2 {
		if v := xi[2*j]; math.Abs(b.X[2*j]-v) > 1e-15*(1+math.Abs(v)) {
			t.Errorf("coordinate %d is %g, the noise %g", j, b.X[2*j], v)
		}
	}
	for j, from := range []float64{0.2, 0.4} {
		if v := from + at.Noise[1]*xi[2*j+1]; b.X[2*j+1] != v {
			t.Errorf("coordinate %d of the replica at infinite temperature is %g, a step of noise %g", j, b.X[2*j+1], v)
		}
	}
	if b.From[1] != 0.2 || b.From[0] != 0.1 {
		t.Errorf("states %v from %v", b.X, b.From)
	}
}

// A path that meets more walls than the cap is given up, and the replica stays and
// says so. It kills: a cap that is not looked at.
func TestHarmonicCap(t *testing.T) {
	thin, err := domain.NewBox([]float64{-1e-3, -1}, []float64{1e-3, 1})
	if err != nil {
		t.Fatal(err)
	}
	for limit, stuck := range map[int]bool{3: true, 0: false} {
		f, err := flowOf(thin, []float64{0, 0}, kernel.Harmonic{Cap: limit})
		if err != nil {
			t.Fatal(err)
		}
		b, at, noise := hot(50, 2, 0.01)
		o := f.Orbit()
		o.Move(b, at, noise)
		n := 0
		for i, s := range o.Stuck {
			if s {
				n++
			}
			if !thin.Contains([]float64{b.X[i], b.X[50+i]}) || s && b.X[i] != b.From[i] || !s && b.X[i] == b.From[i] || limit > 0 &&
				b.Hits[i] > limit {
				t.Errorf("cap %d, replica %d: stuck is %v, from %g to %g by %d mirrorings", limit, i, s, b.From[i], b.X[i], b.Hits[i])
			}
		}
		if stuck != (n > 40) || !stuck && n > 0 {
			t.Errorf("cap %d: %d of 50 replicas are stuck", limit, n)
		}
	}
}

// However wide a Gaussian, a few paths that are given up tell how long they may be: 1e150
// times the width of the box takes no longer than a million.
func TestHarmonicTuneOfTheWidest(t *testing.T) {
	box, err := domain.NewBox([]float64{0, 0}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := flowOf(box, []float64{0.5, 0}, kernel.Harmonic{})
	if err != nil {
		t.Fatal(err)
	}
	b, at := kernel.NewBlocks(50, 1, 2), kernel.NewAt(1)
	(&kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{1e300}}).Set(at, 1)
	for i := range b.X {
		b.X[i] = 0.5
	}
	o, noise := f.Orbit(), generators(b.R)
	for range 30 {
		o.Move(b, at, noise)
		o.Tune(b)
	}
	o.Move(b, at, noise)
	if i := slices.Index(o.Stuck, true); i >= 0 || slices.Min(b.Hits) == 0 {
		t.Errorf("replica %d is stuck; the fewest mirrorings are %d", i, slices.Min(b.Hits))
	}
}

// A rung a million times hotter than its box is wide goes shorter ways after a
// warm-up, so that no replica is stuck, and keeps the uniform law, which its
// Gaussian is there to 1e-6: of 500 chains the variance about the middle after 100
// draws more is 1/12 within 4.9 standard errors of sqrt(1/180/500). The cold rung
// goes on all the way, and forgets where it was.
func TestHarmonicTune(t *testing.T) {
	box, err := domain.NewBox([]float64{0, 0}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := flowOf(box, []float64{0.5, 0}, kernel.Harmonic{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 500
	b, at := kernel.NewBlocks(n, 2, 2), kernel.NewAt(2)
	(&kernel.Schedule{StepSize: []float64{1, 1}, Temperature: []float64{1e6, 1e-4}}).Set(at, 1)
	for i := range b.R {
		b.X[i] = 0.5
	}
	o, noise := f.Orbit(), generators(b.R)
	for range 30 {
		o.Move(b, at, noise)
		o.Tune(b)
	}
	for i := 0; i < b.R; i += 2 {
		if o.Times[i+1] != math.Pi/2 || o.Times[i] > 0.1 {
			t.Fatalf("times of travel %v", o.Times[i:i+2])
		}
	}
	for range 100 {
		o.Move(b, at, noise)
		if i := slices.Index(o.Stuck, true); i >= 0 {
			t.Fatalf("replica %d is stuck", i)
		}
	}
	b.X[b.R-1] = 0.9
	if o.Move(b, at, noise); math.Abs(b.X[b.R-1]-0.5) > 0.06 {
		t.Errorf("the cold replica goes from 0.9 to %g", b.X[b.R-1])
	}
	variance := 0.0
	for i := 0; i < b.R; i += 2 {
		variance += (b.X[i] - 0.5) * (b.X[i] - 0.5) / n
	}
	if z := (variance - 1.0/12) / math.Sqrt(1.0/180/n); !(math.Abs(z) < 4.9) {
		t.Errorf("variance %.4f (z = %.1f)", variance, z)
	}
}

// What a move does depends on the block and the streams alone, not on the moves
// before, and it allocates nothing.
func TestHarmonicMovesAnew(t *testing.T) {
	ball, err := domain.NewBall([]float64{1, 0}, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	f, err := flowOf(ball, []float64{0, 0}, kernel.Harmonic{Jitter: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	one, two := f.Orbit(), f.Orbit()
	b, at, noise := hot(3, 2, 1)
	c, _, same := hot(3, 2, 1)
	for k := range 20 {
		if k%3 == 0 {
			two = f.Orbit()
		}
		one.Move(b, at, noise)
		two.Move(c, at, same)
		if !slices.Equal(b.X, c.X) {
			t.Fatalf("move %d of a new workspace leads to %v, of an old one to %v", k, c.X, b.X)
		}
	}
	if n := testing.AllocsPerRun(100, func() { one.Move(b, at, noise) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// ExampleFlow draws from N(0, I) in a triangle.
func ExampleFlow() {
	triangle, err := domain.NewSimplex(2, 1)
	if err != nil {
		panic(err)
	}
	g, err := kernel.FindGaussian(potential.Func(2, func(grad, x []float64) float64 {
		copy(grad, x)
		return (x[0]*x[0] + x[1]*x[1]) / 2
	}), triangle, []float64{0.3, 0.3})
	if err != nil {
		panic(err)
	}
	f, err := kernel.NewFlow(g, triangle, kernel.Harmonic{})
	if err != nil {
		panic(err)
	}
	b, at := kernel.NewBlock(1, 2), kernel.NewAt(1)
	copy(b.X, []float64{0.3, 0.3})
	(&kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{1}}).Set(at, 1)
	noise := stream.New(1, 0).Lanes(1, stream.Kernel)
	o, mean := f.Orbit(), 0.0
	for range 20_000 {
		o.Move(b, at, noise)
		mean += b.X[0] / 20_000
	}
	fmt.Printf("mean %.2f, mirrorings %v\n", mean, b.Hits[0] > 0)
	// Output: mean 0.32, mirrorings true
}
