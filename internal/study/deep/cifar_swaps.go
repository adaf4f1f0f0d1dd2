package deep

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/training"
)

func (m *inquiry) swapsTold() string {
	p := m.plans[0]
	told := fmt.Sprintf("A net of %s parameters has energies that differ by far more between these temperatures than they fluctuate: by the rule of Metropolis a swap has a mean probability of 10^%.0f at best, and %s rungs between the same temperatures would be needed for one swap in two to succeed, with energies over all data. ",
		text.Count(p.Parameters), likeliest(p)/math.Ln10, text.Count(p.Needed))
	return told + "The rungs here trade by rule indicator, the paper's Algorithm 2: whenever the hotter net fits the minibatch better by a margin that adapts to a target rate, without a random number. That is a population optimiser, which lets the best of four nets go on with the smallest step; it keeps no law, and its draws are not of the posterior. What it gains is judged by predictions alone."
}

// likeliest is the largest logarithm of a mean swap probability of a plan.
func likeliest(p *bnn.Plan) float64 {
	most := math.Inf(-1)
	for _, x := range p.LogAcceptance {
		most = math.Max(most, x)
	}
	return most
}

func (m *inquiry) planTable() study.Table {
	t := study.Table{Title: "The ladder by rule metropolis, forecast", Columns: []string{"network", "pair", "temperatures", "probability of a swap", "with energies over all data", "sd of U, cold rung", "sd of the minibatch noise of the pair", "barrier Λ", "rungs for one in two"},
		Caption: "Of a nearly Gaussian law in equilibrium; the noise of minibatches is measured in a short pilot. Temperatures are those of the first epoch."}
	for i, p := range m.plans {
		for k := range p.LogAcceptance {
			t.Rows = append(t.Rows, []string{toldNet(m.subjects[i].kind), fmt.Sprintf("%d and %d", k+1, k+2), fmt.Sprintf("%g, %g", p.Temperature[k], p.Temperature[k+1]),
				training.Probability(p.LogAcceptance[k]), training.Probability(p.Exact[k]), fmt.Sprintf("%.3g", p.Expected[k]), fmt.Sprintf("%.3g", p.PairNoise[k]), fmt.Sprintf("%.4g", p.Barrier), text.Count(p.Needed)})
		}
	}
	return t
}

func (m *inquiry) swapTable() study.Table {
	t := study.Table{Title: "Swaps by rule indicator, as they were", Columns: []string{"network", "method", "pair", "attempts", "traded", "rate", "round trips of a training"},
		Caption: "Sums over the repetitions, a mean for the round trips."}
	for _, o := range m.outcomes {
		if !bnn.Exchanges(o.settings.Method) {
			continue
		}
		var all [][]exchange.Pair
		for _, r := range o.complete() {
			all = append(all, r.epochs[len(r.epochs)-1].Pairs)
		}
		trips := study.IntervalOf(o.column(func(r *run) float64 { return float64(r.roundTrips) }))
		for _, p := range training.Traded(all...) {
			t.Rows = append(t.Rows, []string{toldNet(o.network.Kind), told(o.settings.Method), fmt.Sprintf("%d and %d", p.Rungs[0], p.Rungs[1]),
				text.Count(p.Attempts), text.Count(p.Accepted), text.Short(p.Rate, 3), trips.PlusMinus()})
		}
	}
	return t
}

// traded is the share of all swaps of a training that traded, NaN without any.
func (r *run) traded() float64 {
	var attempts, traded int64
	for _, p := range training.Traded(r.epochs[len(r.epochs)-1].Pairs) {
		attempts, traded = attempts+p.Attempts, traded+p.Accepted
	}
	if attempts == 0 {
		return math.NaN()
	}
	return float64(traded) / float64(attempts)
}
