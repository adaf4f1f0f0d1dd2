package kernel_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
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
func hot(r, d int, tau float64) (*kernel.Block, *kernel.At, []*stream.Rand) {
	b, at := kernel.NewBlock(r, d), kernel.NewAt(1)
	clear(b.Rung)
	(&kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{tau}}).Set(at, 1)
	return b, at, generators(r)
}

// Truncated Gaussians in a box, and with the mode outside of a half-space and of a
// ball, at temperature 2.5 with P in proportion, which is the law of the reference:
// means, second moments, and probabilities of regions, among them those near the
// wall. The standard error is that between 400 chains of 250 draws: |z| < 5.6, 112
// scores of 4e-8 each. Starts are forgotten within 50 draws. It kills: a normal that
// is not that of the metric of the Gaussian, no reflection, the other root of a hit, a velocity that
// is not drawn afresh, and one without the temperature.
func TestHarmonicLaw(t *testing.T) {
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
				const chains, burn, n = 400, 50, 250
				b, at, noise := hot(chains, len(r.Mu), tau)
				start, err := domain.Interior(d, nil)
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
						t.Errorf("%s is off by %.1f standard errors", s.name[k], z)
					}
				}
				t.Logf("%.2f mirrorings a draw, largest |z| %.1f of %d", float64(hits)/(chains*(burn+n)), worst, len(s.of))
			})
		}
	}
}
