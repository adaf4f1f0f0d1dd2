package training

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/text"
)

// PlanText tells a plan.
func PlanText(p *bnn.Plan, s bnn.Settings) string {
	var b strings.Builder
	n := len(p.Temperature)
	fmt.Fprintf(&b, " %s parameters · %s iterations · %s images/s · %s, evaluation apart · %s MB\n", text.Count(p.Parameters),
		text.Count(p.Iterations),
		speed(p.Rate), time.Duration(p.Seconds*float64(time.Second)).Round(time.Second), text.Count((p.Usage.Peak+p.Usage.Device)>>20))
	if n < 2 {
		return b.String()
	}
	fmt.Fprintf(&b, " %d rungs, temperature %g : %g, energies over minibatches of %s\n", n, p.Temperature[0],
		p.Temperature[n-1], text.Count(s.Batch))
	rows := [][]string{
		{"sd of U at rung 1", text.Short(p.Expected[0], 3), "acceptance per pair", span(p.LogAcceptance)},
		{"sd of Ũ − U", text.Short(p.Noise[0], 3), "with energies over all data", span(p.Exact)},
		{"barrier Λ", text.Short(p.Barrier, 3), "rungs for one in two", text.Count(p.Needed)},
	}
	trips := "none"
	if !(p.RoundTrips < 1) {
		trips = speed(p.RoundTrips)
	}
	rows = append(rows, []string{"", "", fmt.Sprintf("round trips in your %d epochs, at most", s.Epochs), trips})
	for _, r := range rows {
		fmt.Fprintf(&b, "   %-20s %8s    %-40s %s\n", r[0], r[1], r[2], r[3])
	}
	if p.RoundTrips < 1 {
		fmt.Fprintf(&b, " With these settings rungs will not trade under rule metropolis. What will: temperature ratio %.4f with energies "+
			"over all data, swap: %s (which doubles the time); or rule indicator (an optimiser, not a sampler).\n",
			p.Ratio, exactSwap(p.FullEvery))
	}
	if s.Swap.Rule == "indicator" {
		b.WriteString(" Rule indicator, as here, trades whenever the hotter net fits better: a population optimiser. Its draws follow no law.\n")
	}
	return b.String()
}

// span tells the range of probabilities given by their natural logarithms.
func span(logs []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range logs {
		low, high = min(low, v), max(high, v)
	}
	if a, b := Probability(low), Probability(high); a != b {
		return a + " … " + b
	}
	return Probability(low)
}

// Probability prints a probability that is given by its natural logarithm: "never" below
// 1e-300, a dash if it is NaN.
func Probability(ln float64) string {
	switch {
	case math.IsNaN(ln):
		return "–"
	case ln < -300*math.Ln10:
		return "never"
	case ln < math.Log(1e-3):
		return fmt.Sprintf("1e%.0f", ln/math.Ln10)
	}
	return text.Short(math.Exp(min(ln, 0)), 2)
}

// exactSwap is the swap section of exact swaps, with energies over all data every so
// many iterations.
func exactSwap(every int) string {
	return fmt.Sprintf("{scheme: deo, rule: metropolis, energies: full, every: %d}", every)
}
