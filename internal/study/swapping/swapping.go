// Package swapping answers whether what the paper says of swaps holds where no state
// matters: how schemes move replicas between rungs, whether the correction of Algorithm 2
// settles, how many round trips it makes. Energies are drawn afresh from their law in every
// iteration, in place of a kernel, so that labels alone are a process.
package swapping

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Title says what the study is about.
const Title = "Swaps: schemes, the correction of Algorithm 2, round trips (appendix)"

// Results are all numbers of the study.
type Results struct {
	Schemes []Scheme `json:"schemes"`
	Levels  []Level  `json:"levels"`
	Trips   []Trip   `json:"trips"`
}

// A Scheme is a ladder that trades by one.
type Scheme struct {
	Name    string         `json:"scheme"`
	Rungs   int            `json:"rungs"`
	Exact   float64        `json:"swap_probability"` // of neighbours, exact
	Rate    study.Interval `json:"rate"`             // share of all attempts that traded
	Sweeps  study.Interval `json:"sweeps_per_trip"`  // and replica
	Attempt study.Interval `json:"attempts_per_trip"`

	rate, sweeps, attempts []float64 // by run
}

// A Level is 𝒞 of rule indicator on its way.
type Level struct {
	Gain  string           `json:"gain"`
	Exact float64          `json:"untraded"` // 𝒞 where a share 𝕊 of the pairs would trade if none did
	Limit float64          `json:"limit"`    // mean 𝒞 at the last look with the gain that falls
	At    []int            `json:"iterations"`
	Off   []study.Interval `json:"off"` // distance of 𝒞 from the limit, root mean square of the last tenth

	off [][]float64
}

// A Trip is how often replicas go round by Algorithm 2 as printed.
type Trip struct {
	Target float64        `json:"target"` // 𝕊
	Window int            `json:"window"`
	Trips  study.Interval `json:"trips"` // of a replica, in 1,000 epochs
}

// What the paper has: four rungs, batches of 2,048 of 50,000 images, 1,000 epochs.
const (
	paperRungs      = 4
	paperIterations = 1000 * 25
)

// effort is how much is run.
type effort struct {
	rungs  []int
	sweeps int
	runs   int
	levels []int // iterations at which 𝒞 is looked at
	trips  int   // iterations
	target []float64
}

func effortOf(s study.Scale) effort {
	if s == study.Smoke {
		return effort{[]int{4, 8}, 2000, 3, []int{100, 2000}, paperIterations, []float64{0.005, 0.05}}
	}
	return effort{[]int{4, 10, 30}, 40_000, 10, []int{1000, 25_000, 400_000}, paperIterations,
		[]float64{0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2}}
}

// Run runs the study of swaps. It fails if ctx ends.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) { return effortOf(o.Scale).study(ctx, o) })
}

func (e effort) study(ctx context.Context, o study.Options) (s *study.Study, err error) {
	r := &Results{}
	if r.Schemes, err = e.schemes(ctx, o); err != nil {
		return nil, err
	}
	if r.Levels, err = e.adapted(ctx, o); err != nil {
		return nil, err
	}
	if r.Trips, err = e.roundTrips(ctx, o); err != nil {
		return nil, err
	}
	s = o.Begin("swaps", Title)
	s.Claims, s.Results = r.claims(e.runs), r
	s.Effort = fmt.Sprintf("%d runs of %s sweeps a scheme, of up to %s iterations of rule indicator", e.runs, text.Count(e.sweeps),
		text.Count(e.levels[len(e.levels)-1]))
	s.Rule = study.Rule("Welch's t in every comparison (rungs, swap probability, scheme)", "")
	s.Sections, err = prose().Sections(r, nil)
	return s, err
}

// A ladder is one of normal laws in four dimensions at temperatures ratio^p.
type ladder struct {
	tau    []float64
	rung   []int
	energy []float64
	rng    *rand.Rand
}

func newLadder(rungs int, ratio float64, rng *rand.Rand) *ladder {
	l := &ladder{make([]float64, rungs), make([]int, rungs), make([]float64, rungs), rng}
	for p := range rungs {
		l.tau[p], l.rung[p] = math.Pow(ratio, float64(p)), p
	}
	return l
}

// draw draws the energies afresh: a half of four squares is a sum of two exponential times.
func (l *ladder) draw() {
	for i, r := range l.rung {
		l.energy[i] = l.tau[r] * (l.rng.ExpFloat64() + l.rng.ExpFloat64())
	}
}

// accepted is the exact swap probability of neighbours with that ratio of temperatures.
func accepted(ratio float64) float64 { return 2 * mathext.RegIncBeta(2, 2, 1/(1+ratio)) }

// run makes sweeps, and tells what is after each.
func (l *ladder) run(s exchange.Settings, sweeps int, after func(k int, e *exchange.Exchange)) (*exchange.Exchange, error) {
	e, err := exchange.New(len(l.tau), s)
	if err != nil {
		return nil, err
	}
	for k := 1; k <= sweeps; k++ {
		l.draw()
		e.Sweep(k, l.rung, l.energy, l.tau, l.rng)
		if after != nil {
			after(k, e)
		}
	}
	return e, nil
}

// chance is that of a run of a case.
func chance(seed uint64, name string, run int) *rand.Rand {
	return rand.New(rand.NewPCG(study.SeedOf(seed, "swaps "+name), uint64(run)))
}

// schemes compares them.
func (e effort) schemes(ctx context.Context, o study.Options) ([]Scheme, error) {
	var all []Scheme
	var ratios []float64
	for _, rungs := range e.rungs {
		for _, ratio := range []float64{1.5, 4} {
			for _, name := range []string{"deo", "adj", "ape", "seo"} {
				all, ratios = append(all, Scheme{Name: name, Rungs: rungs, Exact: accepted(ratio)}), append(ratios, ratio)
			}
		}
	}
	found, err := study.Gather(ctx, o, "swaps: schemes", len(all)*e.runs, func(_ context.Context, j int) (out [3]float64, err error) {
		c, ratio := all[j/e.runs], ratios[j/e.runs]
		l := newLadder(c.Rungs, ratio, chance(o.Seed, fmt.Sprint(c.Name, c.Rungs, ratio), j%e.runs))
		x, err := l.run(exchange.Settings{Scheme: c.Name}, e.sweeps, nil)
		if err != nil {
			return out, err
		}
		s := x.Statistics()
		var tried, traded float64
		for _, p := range s.Pairs {
			tried, traded = tried+float64(p.Attempts), traded+float64(p.Accepted)
		}
		n := float64(c.Rungs) / math.Max(float64(s.RoundTrips), 0.5)
		return [3]float64{traded / tried, float64(e.sweeps) * n, tried * n}, nil
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := &all[i]
		for _, f := range found[i*e.runs : (i+1)*e.runs] {
			c.rate, c.sweeps, c.attempts = append(c.rate, f[0]), append(c.sweeps, f[1]), append(c.attempts, f[2])
		}
		c.Rate, c.Sweeps, c.Attempt = study.IntervalOf(c.rate), study.IntervalOf(c.sweeps), study.IntervalOf(c.attempts)
	}
	return all, nil
}

// wanted is the 𝕊 at which 𝒞 is looked at, indicatorRatio the ratio of temperatures there.
const wanted, indicatorRatio = 0.1, 1.5

// fixedPoint is 𝒞 with which a share of the pairs has U_{p+1} + 𝒞 < U_p, by bisection.
func fixedPoint(rungs int, ratio, share float64) float64 {
	low, high := -100.0, 100.0
	for range 80 {
		if c := (low + high) / 2; trading(rungs, ratio, c) > share {
			low = c
		} else {
			high = c
		}
	}
	return (low + high) / 2
}

// trading is the mean over the pairs of P(U_{p+1} + c < U_p), U_p of the law of τ_p times a
// Gamma variable of shape 2.
func trading(rungs int, ratio, c float64) float64 {
	const n, far = 20_000, 40.0
	sum := 0.0
	for p := range rungs - 1 {
		cold := math.Pow(ratio, float64(p))
		for i := range n {
			u := far * (float64(i) + 0.5) / n // of the cold energy, in its temperature
			if above := (u*cold - c) / (cold * ratio); above > 0 {
				sum += u * math.Exp(-u) * far / n * mathext.GammaIncReg(2, above)
			}
		}
	}
	return sum / float64(rungs-1)
}

// indicator is Algorithm 2 as printed.
func indicator(target, gain float64) exchange.Settings {
	return exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Gate: "once", Parity: "off", Adapt: "after",
		Target: target, Gain: gain}
}

// adapted follows 𝒞, with a constant gain as printed and with one that falls.
func (e effort) adapted(ctx context.Context, o study.Options) ([]Level, error) {
	all := []Level{{Gain: "constant, 0.05"}, {Gain: "min(½, 600/(k^0.8 + 1000))/10"}}
	gains := []float64{0.05, 0}
	found, err := study.Gather(ctx, o, "swaps: correction", len(all)*e.runs, func(_ context.Context, j int) ([][2]float64, error) {
		l := newLadder(paperRungs, indicatorRatio, chance(o.Seed, all[j/e.runs].Gain, j%e.runs))
		moments := make([][2]float64, len(e.levels)) // means of 𝒞 and its square
		_, err := l.run(indicator(wanted, gains[j/e.runs]), e.levels[len(e.levels)-1], func(k int, x *exchange.Exchange) {
			for i, n := range e.levels {
				if k > n-n/10 && k <= n {
					c := x.Level()
					moments[i][0] += c / float64(n/10)
					moments[i][1] += c * c / float64(n/10)
				}
			}
		})
		return moments, err
	})
	if err != nil {
		return nil, err
	}
	last, limit := len(e.levels)-1, 0.0
	for _, f := range found[e.runs:] {
		limit += f[last][0] / float64(e.runs)
	}
	for i := range all {
		c := &all[i]
		c.Limit, c.Exact, c.At = limit, fixedPoint(paperRungs, indicatorRatio, wanted), e.levels
		for k := range e.levels {
			var v []float64
			for _, f := range found[i*e.runs : (i+1)*e.runs] {
				v = append(v, math.Sqrt(f[k][1]-2*limit*f[k][0]+limit*limit))
			}
			c.off, c.Off = append(c.off, v), append(c.Off, study.IntervalOf(v))
		}
	}
	return all, nil
}

// roundTrips counts round trips by Algorithm 2.
func (e effort) roundTrips(ctx context.Context, o study.Options) ([]Trip, error) {
	found, err := study.Gather(ctx, o, "swaps: round trips", len(e.target)*e.runs, func(_ context.Context, j int) ([2]float64, error) {
		target := e.target[j/e.runs]
		l := newLadder(paperRungs, indicatorRatio, chance(o.Seed, fmt.Sprint("trips", target), j%e.runs))
		x, err := l.run(indicator(target, 0), e.trips, nil)
		if err != nil {
			return [2]float64{}, err
		}
		return [2]float64{float64(x.Statistics().RoundTrips) / paperRungs, float64(indicator(target, 0).WithDefaults(paperRungs).Window)}, nil
	})
	if err != nil {
		return nil, err
	}
	var out []Trip
	for i, target := range e.target {
		var v []float64
		for _, f := range found[i*e.runs : (i+1)*e.runs] {
			v = append(v, f[0])
		}
		out = append(out, Trip{target, int(found[i*e.runs][1]), study.IntervalOf(v)})
	}
	return out, nil
}
