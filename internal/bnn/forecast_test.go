package bnn_test

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/kernel"
)

// Examples that are all equal have no noise, and rungs of a law in two dimensions trade.
func TestForecastOfLine(t *testing.T) {
	data, network := line(lineExamples)
	s := lineSettings(t, "resghmc", 10)
	s.StepSize, s.Temperature = []float64{0.05}, []float64{1, 4}
	s.Swap = exchange.Settings{Every: 5}
	p, err := bnn.Forecast(t.Context(), open(t, s, network), data, s, 200)
	if err != nil {
		t.Fatal(err)
	}
	if p.Noise[0] > 1e-9 || p.Noise[1] > 1e-9 || p.PairNoise[0] > 1e-9 || p.LogAcceptance[0] != p.Exact[0] {
		t.Errorf("noise %g, of the pair %g", p.Noise, p.PairNoise)
	}
	rate := math.Exp(p.LogAcceptance[0])
	if trips := 2000 / (2 + 2*(1-rate)/rate); p.Iterations != 10_000 || math.Abs(p.RoundTrips/trips-1) > 1e-9 {
		t.Errorf("%d iterations, %g round trips instead of %g", p.Iterations, p.RoundTrips, trips)
	}
	if barrier := math.Sqrt(1/math.Pi) * math.Log(4); math.Abs(p.Barrier-barrier) > 1e-12 || p.Needed != 3 || math.Abs(p.Ratio-2) > 1e-12 {
		t.Errorf("barrier %g, %d rungs, ratio %g", p.Barrier, p.Needed, p.Ratio)
	}
	// U less the prior's share at the mode is a few temperatures above its least.
	least := 1000.0/2 - 1000*1000*1.25/(2*(lineDecay+1250))
	if math.Abs(p.Energy[0]-least) > 30 || p.Expected[1] != 4 {
		t.Errorf("energy %g above %g, sd %g", p.Energy, least, p.Expected)
	}
	if !(p.Rate > 0 && p.Seconds > 0 && p.FullEvery > 1) {
		t.Errorf("rate %g, seconds %g, passes every %d", p.Rate, p.Seconds, p.FullEvery)
	}
}

// The noise of a minibatch of B of N energies, drawn without replacement, has variance
// N²S²/B (1 − B/N), S² being theirs, whatever the order of the files: an engine whose loss
// is the mean label says so of labels one class after the other and shuffled. Three passes
// over 8 minibatches estimate it with 21 degrees of freedom, for which χ²/21 is within 0.117
// and 3.4 but for a share 1e-6 (two-sided). Kills minibatches cut in order, each of one
// class and with 29 times the variance.
func TestForecastOfSortedClasses(t *testing.T) {
	data := cloudData()
	data.Train = bnntest.Clouds(900, 0.4, 1)
	s := small(t, "resghmc")
	s.Batch = 30
	for name, label := range map[string]func(i int32) float64{
		"sorted":   func(i int32) float64 { return float64(i / 300) },
		"shuffled": func(i int32) float64 { return float64(data.Train.Labels[i]) },
	} {
		w := &spy{Engine: open(t, s, perceptron), losses: func(l []float64, b bnn.Batch) {
			clear(l)
			for _, i := range b.Indices {
				l[0] += label(i) / float64(len(b.Indices))
			}
		}}
		p, err := bnn.Forecast(t.Context(), w, data, s, 12)
		if err != nil {
			t.Fatal(err)
		}
		const variance = 900.0 * 900 * (600.0 / 899) / 30 * (1 - 30.0/900)
		for _, sd := range []float64{p.Noise[0], p.PairNoise[0]} {
			if ratio := sd * sd / variance; ratio < 0.117 || ratio > 3.4 || w.reads != 24 {
				t.Errorf("%s: sd %.0f instead of %.0f, from %d minibatches", name, sd, math.Sqrt(variance), w.reads)
			}
		}
	}
}

// The paper's ladder cannot trade by rule metropolis.
func TestForecastOfPaper(t *testing.T) {
	s := small(t, "r2sghmc")
	p, err := bnn.Forecast(t.Context(), open(t, s, perceptron), cloudData(), s, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.PairNoise) != 3 || p.Noise[0] <= 0 || p.PairNoise[2] <= 0 || p.LogAcceptance[0] >= p.Exact[0] || p.Parameters != 27 {
		t.Errorf("%+v", p)
	}
	if _, err := bnn.Forecast(t.Context(), open(t, s, perceptron), cloudData(), s, 1); err == nil {
		t.Error("a pilot of one iteration was made")
	}
	one := small(t, "sghmc")
	if p, err := bnn.Forecast(t.Context(), open(t, one, perceptron), cloudData(), one, 10); err != nil || p.Needed != 1 ||
		p.LogAcceptance != nil {
		t.Errorf("one rung: %+v, %v", p, err)
	}
}

// A ladder as planned trades as planned, and replicas travel through all of it: a small
// network under rule metropolis with energies over all data. The law is not quite
// Gaussian: 0.12 are for that, and kill a barrier without its root or for another ratio.
func TestPlannedLadder(t *testing.T) {
	network := perceptron
	network.Norm = "none"
	s := small(t, "resghmc")
	s.Epochs, s.Batch, s.Decay, s.Measure.Every = soak(1500), 50, kernel.Decay{}, 0
	s.StepSize, s.Temperature = []float64{1}, []float64{1, 4}
	s.Swap = exchange.Settings{}
	data := cloudData()
	data.Test, data.Outside = nil, nil
	p, err := bnn.Forecast(t.Context(), open(t, s, network), data, s, 10)
	if err != nil {
		t.Fatal(err)
	}
	s.Temperature = s.Temperature[:1]
	for len(s.Temperature) < p.Needed {
		s.Temperature = append(s.Temperature, s.Temperature[len(s.Temperature)-1]*p.Ratio)
	}
	r := train(t, s, network, data, bnn.Observer{})
	for _, pair := range r.Swaps.Pairs {
		if rate := pair.MeanProbability(); math.Abs(rate-0.5) > 0.12 {
			t.Errorf("rungs %d and %d trade with probability %.3f instead of one half", pair.Cold+1, pair.Hot+1, rate)
		}
	}
	t.Logf("%d rungs, %d round trips, %v", p.Needed, r.Swaps.RoundTrips, r.Swaps.Rejections())
	if r.Swaps.RoundTrips < 10 {
		t.Errorf("%d round trips", r.Swaps.RoundTrips)
	}
}
