package simulation

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/ode"
)

// A sine has its period; what does not repeat itself, too few waves and waves
// shorter than four steps have none. 1e-4 kills straight lines in place of the
// cubic, which are off by 1.9e-4 of the peaks.
func TestPeriod(t *testing.T) {
	times := Grid(2, 52, 301)
	for name, c := range map[string]struct {
		f    func(t float64) float64
		want float64
	}{
		"sine":     {func(t float64) float64 { return 3 + math.Sin(t) }, 2 * math.Pi},
		"peaks":    {func(t float64) float64 { return math.Exp(2 * math.Sin(t)) }, 2 * math.Pi},
		"chirp":    {func(t float64) float64 { return math.Sin(t * t / 20) }, 0},
		"two":      {func(t float64) float64 { return math.Sin(t / 5) }, 0},
		"constant": {func(t float64) float64 { return 7 }, 0},
		"line":     {func(t float64) float64 { return t }, 0},
		"short":    {func(t float64) float64 { return math.Sin(12 * t) }, 0}, // three steps a wave
	} {
		s := &steps{dim: 1}
		for _, at := range times {
			s.note(at, []float64{c.f(at)})
		}
		got := s.period(0, func(k int) float64 { return (c.f(s.t[k]+1e-5) - c.f(s.t[k]-1e-5)) / 2e-5 })
		if got == got != (c.want > 0) || math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: period %g, want %g", name, got, c.want)
		}
	}
}

// The period is that of the trajectory, forwards and backwards, however far apart
// the times are: 20 apart, a wave of 9.49 looks like one of 189. Of too short a
// time between the first and the last, and of what blows up, there is none.
func TestPeriodBetweenTimes(t *testing.T) {
	m := &Model{States: []string{"x", "v"}, Initial: func(dst, _ []float64) { dst[0], dst[1] = 1, 0 },
		System: func(p []float64) ode.System {
			w := 2 * math.Pi / p[0]
			return ode.System{Dim: 2, F: func(dy []float64, t float64, y []float64) {
				dy[0], dy[1] = y[1], -w*w*y[0]
				if t > p[1] {
					dy[0] = math.NaN()
				}
			}}
		}}
	draws := [][]float64{{9.49, math.Inf(1)}, {9.49, math.Inf(1)}, {5, 60}}
	for _, method := range []ode.Method{ode.DormandPrince, ode.DOP853, ode.LSODA} {
		for _, c := range []struct {
			times []float64
			n     int
		}{{Grid(0, 2000, 101), 2}, {Grid(0, -2000, 101), 3}, {Grid(0, 2000, 4001), 2}, {[]float64{100, 1000}, 2}, {[]float64{2000}, 0},
			{[]float64{990, 1000}, 0}} {
			r := simulate(t, m, draws, Options{Times: c.times, Solver: ode.Options{Method: method, RTol: 1e-7}})
			for i := range m.States {
				p, n := r.Periods(i, 90)
				if n != c.n || n > 0 && math.Abs(p.High-9.49) > 1e-3 {
					t.Errorf("%s to %g by %d: %d periods, %+v", method, c.times[len(c.times)-1], len(c.times), n, p)
				}
			}
		}
	}
}

// The Brusselator comes to its limit cycle from far outside; over eight waves and two
// hundred both its states have the period of the cycle, to the thousandth that gaps may
// differ by. Kills means over all gaps (two thousandths off over eight).
func TestPeriodAfterTransient(t *testing.T) {
	m := &Model{States: []string{"x", "y"}, Initial: func(dst, _ []float64) { dst[0], dst[1] = 4, 8 },
		System: func(p []float64) ode.System {
			return ode.System{Dim: 2, F: func(dy []float64, _ float64, y []float64) {
				dy[0], dy[1] = 1-(p[0]+1)*y[0]+y[0]*y[0]*y[1], p[0]*y[0]-y[0]*y[0]*y[1]
			}}
		}}
	for _, b := range []float64{2.1, 2.3, 2.8} {
		var want float64
		for _, until := range []float64{1300, 55} {
			r := simulate(t, m, [][]float64{{b}}, Options{Times: Grid(0, until, 501), Solver: ode.Options{RTol: 1e-9}})
			for i, name := range m.States {
				p, n := r.Periods(i, 90)
				if want == 0 {
					want = p.Median
				}
				if n != 1 || math.Abs(p.Median-want) > settled*want {
					t.Errorf("b = %g, %s until %g: period %g of %d, want %g", b, name, until, p.Median, n, want)
				}
			}
		}
	}
}
