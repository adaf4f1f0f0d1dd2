package theory_test

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/theory"
)

// A simulation runs the sampler for as long as its slowest modes take to forget many
// times, and estimates from autocorrelations how fast they do.
type simulation struct {
	problem     theory.Problem
	temperature []float64
	step        float64 // η
	every       int     // iterations between swaps
	bias        float64 // of a rate by the step, at most, relative
	times       int     // relaxation times of all ladders, burn-in aside
}

// A slow is a mode that is to decay at a rate.
type slow struct {
	rate float64
	mode *sheet
}

// A sheet is a function of the plane, bilinear between the centres of a grid.
type sheet struct {
	n            [2]int
	origin, side [2]float64
	value        []float64 // NaN where nothing is known, until spread fills it
}

func newSheet(n [2]int, origin, side [2]float64) *sheet {
	s := &sheet{n, origin, side, make([]float64, n[0]*n[1])}
	for i := range s.value {
		s.value[i] = math.NaN()
	}
	return s
}

// spread continues the function beyond where it is known, by the mean of neighbours.
func (s *sheet) spread() *sheet {
	for range 3 {
		old := append([]float64(nil), s.value...)
		for i := range old {
			sum, n := 0.0, 0.0
			for k := range 9 {
				c, r := i%s.n[0]+k%3-1, i/s.n[0]+k/3-1
				if c >= 0 && c < s.n[0] && r >= 0 && r < s.n[1] && !math.IsNaN(old[r*s.n[0]+c]) {
					sum, n = sum+old[r*s.n[0]+c], n+1
				}
			}
			if math.IsNaN(old[i]) && n > 0 {
				s.value[i] = sum / n
			}
		}
	}
	for i, v := range s.value {
		if math.IsNaN(v) { // too far out to be visited
			s.value[i] = 0
		}
	}
	return s
}

func (s *sheet) at(x, y float64) float64 {
	var i [2]int
	var f [2]float64
	for j, v := range [2]float64{x, y} {
		if s.n[j] > 1 {
			v = min(max((v-s.origin[j])/s.side[j]-0.5, 0), float64(s.n[j]-1)-1e-9)
			i[j] = int(v)
			f[j] = v - float64(i[j])
		}
	}
	row := func(r int) float64 {
		v := s.value[r*s.n[0]:]
		if s.n[0] == 1 {
			return v[0]
		}
		return v[i[0]] + f[0]*(v[i[0]+1]-v[i[0]])
	}
	a := row(i[1])
	if s.n[1] == 1 {
		return a
	}
	return a + f[1]*(row(i[1]+1)-a)
}

// slowModes are the k slowest of one rung.
func slowModes(t *testing.T, p *theory.Process, k int) []slow {
	t.Helper()
	modes, err := p.Modes(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]slow, k)
	for i, m := range modes {
		s := newSheet(p.Mesh.Shape, p.Mesh.Origin, p.Mesh.Side)
		for c, v := range m.Rung[0] {
			s.value[p.Mesh.Index[c]] = v
		}
		out[i] = slow{m.Value, s.spread()}
	}
	return out
}

// pairSheet is a function of the states of two rungs on an interval: along x lies the
// cold one.
func pairSheet(p *theory.Process, f []float64) *sheet {
	m, hot := p.Mesh, p.Rungs[1].Cell
	n := m.Shape[0]
	s := newSheet([2]int{n, n}, [2]float64{m.Origin[0], m.Origin[0]}, [2]float64{m.Side[0], m.Side[0]})
	for i, ci := range p.Rungs[0].Cell {
		for j, cj := range hot {
			s.value[int(cj)*n+int(ci)] = f[i*len(hot)+j]
		}
	}
	return s.spread()
}

// slowest is the slowest mode of two rungs on an interval that swap at random times.
func slowest(t *testing.T, p *theory.Process) slow {
	t.Helper()
	s, err := p.Chain.Spectrum(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return slow{s.Values[0], pairSheet(p, s.Functions[0])}
}

// periodic is the slowest mode of two rungs on an interval whose swaps come every
// 1/r exactly, as the sampler makes them, by the power method: of half a period
// without swaps, one attempt, and another half.
func periodic(t *testing.T, p *theory.Process) slow {
	t.Helper()
	s, err := p.Chain.Spectrum(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	period, pi := 1/p.Intensity, p.Chain.Mass()
	half := func(f []float64) []float64 {
		g, err := p.Alone.Evolve(t.Context(), f, []float64{period / 2})
		if err != nil {
			t.Fatal(err)
		}
		return g[0]
	}
	f, rate, other := s.Functions[0], 0.0, swapped(p)
	for range 8 {
		a := half(f)
		b := make([]float64, len(a))
		for i, k := range other {
			b[i] = a[i]
			if k >= 0 {
				b[i] += min(1, pi[k]/pi[i]) * (a[k] - a[i])
			}
		}
		g := half(b)
		var mean, ff, fg float64
		for i, w := range pi {
			mean, ff, fg = mean+w*g[i], ff+w*f[i]*f[i], fg+w*f[i]*g[i]
		}
		rate = -math.Log(fg/ff) / period
		for i := range g {
			g[i] -= mean
		}
		f = g
	}
	return slow{rate, pairSheet(p, f)}
}

// swapped is the state in which each state of two rungs ends by a swap, −1 if none.
func swapped(p *theory.Process) []int {
	cold, hot := p.Rungs[0].Cell, p.Rungs[1].Cell
	at := map[[2]int32]int{}
	for i, ci := range cold {
		for j, cj := range hot {
			at[[2]int32{ci, cj}] = i*len(hot) + j
		}
	}
	out := make([]int, p.Chain.Len())
	for i, ci := range cold {
		for j, cj := range hot {
			k, ok := at[[2]int32{cj, ci}]
			if !ok {
				k = -1
			}
			out[i*len(hot)+j] = k
		}
	}
	return out
}

// agrees holds the rates of modes against those at which their autocorrelation falls
// in the sampler over about half the relaxation time of the first: to 4.9 standard
// errors of some 2.5 % beyond the bias of the step. Mutants: temperatures 1.15 times as
// high; the next modes for the slowest.
func (s simulation) agrees(t *testing.T, modes ...slow) {
	t.Helper()
	const ladders = 64
	if pace.Soaking() {
		s.times *= 5
	}
	every := max(s.every, 1)
	life := 1 / (modes[0].rate * s.step * float64(every)) // attempts to swap in a relaxation time
	thin := max(1, int(life/8))
	lag := max(1, int(math.Round(life/2/float64(thin))))
	// Draws are half way between two attempts, for which the modes of periodic are made.
	burn := int(5*life)*every + every/2
	res, err := r2sgld.Sample(t.Context(), r2sgld.Problem{Potential: s.problem.Potential, Domain: s.problem.Domain}, r2sgld.Settings{
		Seed: 8, Ladders: ladders, Iterations: burn + int(float64(s.times)*life)/ladders*every, BurnIn: burn, Thin: thin * every,
		StepSize: []float64{s.step}, Temperature: s.temperature,
		Swap: exchange.Settings{Scheme: "adj", Every: every},
	})
	if err != nil {
		t.Fatal(err)
	}
	frame := float64(thin*every) * s.step
	for i, m := range modes {
		got, se := decayRate(res, lag, frame, func(p [2]float64) float64 { return m.mode.at(p[0], p[1]) })
		z := max(0, math.Abs(got-m.rate)-s.bias*m.rate) / se
		t.Logf("mode %d: autocorrelation time %.4g ± %.2g (%.1f %%), 1/λ = %.4g: off by %+.1f %%, z = %.1f beyond %.1f %%",
			i+1, 1/got, se/(got*got), 100*se/got, 1/m.rate, 100*(m.rate/got-1), z, 100*s.bias)
		if !(z < 4.9) || !(se < 0.03*m.rate) {
			t.Errorf("mode %d falls at rate %.4g ± %.2g, want %.4g", i+1, got, se, m.rate)
		}
	}
	// It is the slowest: no coordinate of any rung forgets in a longer time.
	for j := range len(s.temperature) * s.problem.Domain.Dim() {
		got, se := decayRate(res, lag, frame, func(p [2]float64) float64 { return p[j] })
		t.Logf("coordinate %d: rate %.4g ± %.2g, λ₁ = %.4g", j+1, got, se, modes[0].rate)
		if !(got > (1-s.bias)*modes[0].rate-4.9*se) {
			t.Errorf("coordinate %d falls at rate %.4g ± %.2g, slower than λ₁ = %.4g", j+1, got, se, modes[0].rate)
		}
	}
}

// decayRate is −log ρ/t, ρ the autocorrelation of a function of the coordinates of all
// rungs after time t, with the standard error of the jackknife over ladders.
func decayRate(res *r2sgld.Result, lag int, frame float64, f func([2]float64) float64) (rate, se float64) {
	values := make([][]float64, len(res.Ladders))
	mean, n := 0.0, 0.0
	for i, l := range res.Ladders {
		for k := range l.Energy[0] {
			v := f(coordinates(l, k))
			values[i] = append(values[i], v)
			mean, n = mean+v, n+1
		}
	}
	mean /= n
	now, later := make([]float64, len(values)), make([]float64, len(values))
	allNow, allLater := 0.0, 0.0
	for i, v := range values {
		for k, b := range v[lag:] {
			a, b := v[k]-mean, b-mean
			now[i] += (a*a + b*b) / 2
			later[i] += a * b
		}
		allNow, allLater = allNow+now[i], allLater+later[i]
	}
	of := func(now, later float64) float64 { return -math.Log(later/now) / (float64(lag) * frame) }
	without := make([]float64, len(now))
	for i := range without {
		without[i] = of(allNow-now[i], allLater-later[i])
	}
	return significance.Jackknife(of(allNow, allLater), without)
}

// coordinates of draw k: of the plane, or of the cold rung and the hot one.
func coordinates(l r2sgld.Ladder, k int) (p [2]float64) {
	d := len(l.X[0]) / len(l.Energy[0])
	for r, x := range l.X {
		copy(p[r*d:], x[k*d:k*d+d])
	}
	return p
}

// A double well cut close to its bottom by a wall. Mutant: no wall.
func TestSimulationOnAnInterval(t *testing.T) {
	pace.Slow(t)
	p := theory.Problem{Potential: wells(1), Domain: interval(t, -0.9, 1.4)}
	tau := []float64{0.5}
	// The step's bias is of the order ηU″/2, U″ being 8 in a well.
	s := simulation{problem: p, temperature: tau, step: 1e-3, bias: 0.004, times: 5000}
	s.agrees(t, slowModes(t, process(t, p, tau, 0, 200), 1)...)
}

// The 25-mode energy in the flower. U″ is 79 in the wells, and as far below zero
// between them. Mutant: no wall.
func TestSimulationInTheFlower(t *testing.T) {
	pace.Slow(t)
	flower, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := theory.Problem{Potential: modes25(), Domain: flower}
	temperatures := []float64{3}
	if pace.Soaking() {
		temperatures = []float64{3, 1}
	}
	for _, v := range temperatures {
		tau := []float64{v}
		s := simulation{problem: p, temperature: tau, step: 5e-4, bias: 0.02, times: 5000}
		s.agrees(t, slowModes(t, process(t, p, tau, 0, 120), 2)...)
	}
}

// Two rungs in a double well: swaps so often that more would not gain a thing, where
// theirs is the rate of the process that swaps at random times, and so rarely that
// half as many would be a quarter slower, where it matters that they come at fixed times.
// Mutant: every second attempt left out. U″ is 16 in a well.
func TestSimulationOfTwoRungs(t *testing.T) {
	pace.Slow(t)
	tau := []float64{0.3, 2}
	alone := process(t, twoWells(t), tau, 0, 60)
	for _, every := range []int{1, 500} {
		step := 2e-3
		if every > 1 {
			step = 1e-3
		}
		p, err := alone.With(1 / (step * float64(every)))
		if err != nil {
			t.Fatal(err)
		}
		s := simulation{problem: twoWells(t), temperature: tau, step: step, every: every, bias: 8 * step, times: 5000}
		random, fixed := slowest(t, p), periodic(t, p)
		t.Logf("swaps every %d iterations: gap %.4g, at fixed times %.4g", every, random.rate, fixed.rate)
		if every == 1 {
			s.agrees(t, random)
		} else {
			s.agrees(t, fixed)
		}
	}
}
