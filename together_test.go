package r2sgld_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
)

// An oval is the inside of Cassini's, |z² − 9/4| ≤ 1.7², which is not convex.
type oval struct{}

func (oval) Dim() int                 { return 2 }
func (oval) Bind() domain.SurfaceEval { return oval{} }
func (o oval) Value(x []float64) float64 {
	return o.Gradient(make([]float64, 2), x)
}
func (oval) Gradient(g, x []float64) float64 {
	const a, b = 1.5, 1.7
	r2 := x[0]*x[0] + x[1]*x[1]
	g[0], g[1] = 4*r2*x[0]-4*a*a*x[0], 4*r2*x[1]+4*a*a*x[1]
	return r2*r2 - 2*a*a*(x[0]*x[0]-x[1]*x[1]) + a*a*a*a - b*b*b*b
}

// A distantOval is the same, asked for elsewhere. It fails after so many states, unless that is 0.
type distantOval struct {
	oval
	asked *asked
}

type asked struct{ requests, states, fails atomic.Int64 }

var errAway = errors.New("nobody answers")

func (o distantOval) Bind() domain.SurfaceEval { return o }

func (o distantOval) Err() error {
	if n := o.asked.fails.Load(); n > 0 && o.asked.states.Load() >= n {
		return errAway
	}
	return nil
}

func (o distantOval) Value(x []float64) float64 { return o.Gradient(make([]float64, 2), x) }

func (o distantOval) Gradient(g, x []float64) float64 {
	v := []float64{0}
	o.Block(v, g, x)
	return v[0]
}

func (o distantOval) Block(v, grad, x []float64) {
	o.asked.requests.Add(1)
	o.asked.states.Add(int64(len(v)))
	n, g := len(v), make([]float64, 2)
	for i := range v {
		if v[i] = o.oval.Gradient(g, []float64{x[i], x[n+i]}); o.Err() != nil {
			v[i] = math.NaN()
		}
		grad[i], grad[n+i] = g[0], g[1]
	}
}

// ovalDomain is the oval under a line, in a box.
func ovalDomain(s domain.Surface) domain.Domain {
	set := must(domain.NewImplicit([]domain.Surface{s}, []string{"oval"}, []float64{-2.4, -1.2}, []float64{2.4, 1.2}))
	return must(domain.NewIntersection(set, must(domain.NewHalfSpace([]float64{-1, 1}, 2))))
}

// inCrowds are runs whose replicas ask together.
func inCrowds() map[string]func(*r2sgld.Problem, *r2sgld.Settings) {
	distant := func(bend func(*r2sgld.Settings)) func(*r2sgld.Problem, *r2sgld.Settings) {
		return func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Domain, s.StepSize = ovalDomain(distantOval{asked: &asked{}}), []float64{0.01, 0.02, 0.04}
			bend(s)
		}
	}
	return map[string]func(*r2sgld.Problem, *r2sgld.Settings){
		"crowd":        distant(func(*r2sgld.Settings) {}),
		"crowd, drawn": distant(func(s *r2sgld.Settings) { s.Temperature[2] = infinity }),
		"crowd, HMC, whitened": distant(func(s *r2sgld.Settings) {
			s.Kernel, s.StepSize = kernel.HMC{Leapfrog: 3}, []float64{0.05, 0.1, 0.2}
			s.Whitening = &r2sgld.Whitening{Center: []float64{0.1, 0}, L: [][]float64{{1, 0}, {0.3, 0.5}}}
		}),
		"crowd, certificate":  distant(func(s *r2sgld.Settings) { s.Certificate = true }),
		"crowd, refuse":       distant(func(s *r2sgld.Settings) { s.Boundary = domain.Refuse }),
		"crowd, momentum":     distant(func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.6} }),
		"crowd, left outside": distant(func(s *r2sgld.Settings) { s.Boundary, s.Inside = domain.Free, true }),
	}
}

// A run whose walls are asked for elsewhere makes the draws of one whose walls are here, to the last
// bit: with the same noise, mirrorings, swaps and counts. No draw is outside, and what is asked is
// asked for many replicas at once.
//
// Mutants it kills: a state of another replica, a hand that counts for another rung, steps that are
// counted twice, hot draws of other numbers, draws held against another domain.
func TestWallsFromElsewhere(t *testing.T) {
	for name, bend := range inCrowds() {
		t.Run(name, func(t *testing.T) {
			p, s := small()
			p.Potential, s.Iterations, s.MaxDraws = multimodal, 500, 90
			bend(&p, &s)
			there := sample(t, p, s)
			line := p.Domain.(interface{ Members() []domain.Domain }).Members()[0].(interface {
				Surfaces() []domain.Surface
			}).Surfaces()[0].(distantOval).asked
			p.Domain = ovalDomain(oval{})
			here := sample(t, p, s)
			free := s.Boundary == domain.Free
			if (there.Asked() == 0) != free || here.Asked() != 0 {
				t.Errorf("%d asked for elsewhere, %d here", there.Asked(), here.Asked())
			}
			if tally := there.Tally(-1); !free && (tally.Outside > 0 || tally.Reflected < 100) {
				t.Errorf("%+v", tally)
			}
			if !free && name != "crowd, certificate" && 4*line.requests.Load() > line.states.Load() {
				t.Errorf("%d requests for %d states", line.requests.Load(), line.states.Load())
			}
			for i := range there.Ladders {
				there.Ladders[i].Asked = 0
			}
			if !reflect.DeepEqual(there, here) {
				t.Error("other draws than with the walls here")
			}
		})
	}
}

// A run ends with the reason where the walls are not told any more, be it at a draw, and does not
// count draws outside then.
//
// Mutants it kills: a failure at the last draw that is taken for a draw outside.
func TestWallsThatFail(t *testing.T) {
	p, s := small()
	p.Potential, s.Iterations, s.Ladders, s.Threads = multimodal, 200, 2, 1
	inCrowds()["crowd"](&p, &s)
	line := &asked{}
	p.Domain = ovalDomain(distantOval{asked: line})
	sample(t, p, s)
	all := line.states.Load()
	for _, after := range []int64{1, all / 7, all / 2, all - 1, all} {
		line = &asked{}
		line.fails.Store(after)
		p.Domain = ovalDomain(distantOval{asked: line})
		s.Keeper = func(int) r2sgld.Keeper { return keeping{t, line} }
		if _, err := r2sgld.Sample(t.Context(), p, s); !errors.Is(err, errAway) {
			t.Errorf("after %d of %d states: %v", after, all, err)
		}
	}
}

// keeping fails the test where a draw outside is kept.
type keeping struct {
	t    *testing.T
	line *asked
}

func (k keeping) Keep(states [][]float64, _ []float64) error {
	if (oval{}).Value(states[0]) > 0 || !slices.ContainsFunc(states[0], func(v float64) bool { return v != 0 }) {
		k.t.Errorf("%v is kept", states[0])
	}
	return nil
}

func (keeping) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (keeping) UnmarshalBinary([]byte) error          { return nil }
