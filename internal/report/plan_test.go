package report

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// The lines that a person sees, letter by letter.
func TestPlanText(t *testing.T) {
	nan := math.NaN()
	network := &tune.Plan{Dimension: 278_324, Ladders: 1, Noisy: true, Rule: "metropolis", Barrier: 291.77,
		Rungs: []tune.Energies{{Beta: 1, SD: 373.04, Noise: 1100}, {Beta: 0.5}, {Beta: 1.0 / 3}, {Beta: 0.25}},
		Pairs: []tune.Trade{{Log10Acceptance: -6043.2}, {Log10Acceptance: -3000}, {Log10Acceptance: -1240}},
		Half:  tune.Half{Rungs: 585, Ratio: 1.002378}, NoisyHalf: tune.Half{Rungs: 1400, Ratio: 1.00099}, Iterations: 24_000,
		RoundTrips: nan, Independent: 0, ESS: nan, Worst: "w1", Costs: tune.Costs{Seconds: 86_400, Memory: 3.2e9, Disk: 2.1e12},
		Advice: []string{"With these settings rungs will not trade."}}
	auto := &tune.Plan{Dimension: 2, Ladders: 4, Rule: "metropolis", Barrier: 1.509,
		Rungs: []tune.Energies{{Beta: 1, SD: 1.23}, {Beta: 0.4}, {Beta: 0}},
		Pairs: []tune.Trade{{Log10Acceptance: math.Log10(0.54)}, {Log10Acceptance: math.Log10(0.007)}},
		Tuned: &tune.Tuned{Rounds: 4, WarmUp: 15_000, Seconds: 0.11, Bias: 0.005, Whitened: true, Needed: 10_913},
		Half:  tune.Half{Rungs: 2, Ratio: math.Inf(1)}, Iterations: 100_000,
		RoundTrips: 98_912, Independent: 120_000, ESS: 3841, Worst: "β", Costs: tune.Costs{Seconds: 0.5, Memory: 12.7e6, Disk: 900}}
	single := &tune.Plan{Ladders: 1, Rungs: []tune.Energies{{Beta: 1, SD: 0.0123}}, Iterations: 1, RoundTrips: nan, Independent: nan, ESS: 100,
		Worst: "x", Costs: tune.Costs{Seconds: 400}}
	for _, c := range []struct {
		plan *tune.Plan
		want string
	}{{network, ` 4 rungs, temperature 1 : 4, noisy energies, 1 ladder
   sd of U at rung 1                          373    iterations per ladder          24,000
   sd of Ũ − U                              1,100    round trips in these             none
   acceptance per pair    1e−6043 1e−3000 1e−1240    ESS of the worst, w1   not to be told
   barrier Λ̂                                  292    time                           24.0 h
   rungs for one in two        585 (ratio 1.0024)    memory, disk           3.2 GB, 2.1 TB
     with noisy energies    1,400 (ratio 1.00099)
 ! With these settings rungs will not trade.
`}, {auto, ` 3 rungs, temperature 1 : ∞, exact energies, 4 ladders, whitened
 found in 4 rounds of warm-up (15,000 iterations, 0.1 s); step bias 0.50 % of a variance
   sd of U at rung 1           1.23    iterations per ladder             100,000
   acceptance per pair   0.54 0.007      needed                           10,900
   barrier Λ̂                   1.51    round trips in these         about 98,900
   rungs for one in two           2    ESS of the worst, β                 3,840
                                       time                                0.5 s
                                       memory, disk           12.7 MB, 900 bytes
`}, {single, ` 1 rung, 1 ladder
   sd of U at rung 1  0.0123    iterations per ladder                 1
                                ESS of the worst, x                 100
                                time                              7 min
                                memory, disk           0 bytes, 0 bytes
`}} {
		if got := PlanText(c.plan, text.Style{}); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	if got := PlanText(network, text.Style{Color: true}); got == PlanText(network, text.Style{}) {
		t.Error("a warning is not marked where colour helps")
	}
}

func TestPowers(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want string
	}{{[]float64{0}, "1.00"}, {[]float64{-1, -2.3, -3.4}, "0.10 0.005 0.0004"}, {[]float64{-4, math.Inf(-1)}, "1e−4 0"},
		{[]float64{-1e9, -5}, "0 1e−5"},
		{[]float64{-1, -1.1, -1.2, -0.9, -0.8, -5}, "1e−5 … 0.16"}} {
		if got := powers(c.v); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}
