package torch

import (
	"context"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

func classifier(hidden ...int) bnn.Network {
	return bnn.Network{Kind: "mlp", Activation: "tanh", Hidden: hidden, Input: [3]int{1, 1, 2}, Outputs: 3}
}

const (
	cloudDecay = 2.0
	// cloudCurvature is about the largest of the second derivatives of U: λ + N·E(x²+1)/4.
	cloudCurvature = 30.0
)

func cloudData() bnn.Data {
	return bnn.Data{Train: bnntest.Clouds(40, 0.8, 1), Test: bnntest.Clouds(6, 0.8, 2)}
}

// A table holds numbers of draws: [quantity][chain][draw].
type table [][][]float64

func newTable(quantities, chains int) table {
	c := make(table, quantities)
	for q := range c {
		c[q] = make([][]float64, chains)
	}
	return c
}

func (c table) add(chain int, quantities []float64) {
	for q, v := range quantities {
		c[q][chain] = append(c[q][chain], v)
	}
}

// probabilities are those of outputs.
func probabilities(logits []float32) []float64 {
	p := make([]float64, len(logits))
	for i := 0; i < len(p); i += 3 {
		sum := 0.0
		for j := i; j < i+3; j++ {
			p[j] = math.Exp(float64(logits[j]))
			sum += p[j]
		}
		for j := i; j < i+3; j++ {
			p[j] /= sum
		}
	}
	return p
}

// hmc are draws of the posterior by Hamiltonian Monte Carlo of this project on
// gradients in Go, between walls at ±bound: parameters, or predictions on the test set.
func hmc(t *testing.T, network bnn.Network, bound float64, predict bool) table {
	t.Helper()
	network.Norm = "none"
	data := cloudData()
	open := func(n int) (bnn.Engine, error) { return bnntest.Open(bnn.Setup{Network: network, Replicas: n}) }
	p, err := bnn.NewPotential(open, data, cloudDecay)
	must(t, err)
	d := p.Dim()
	problem := r2sgld.Problem{Potential: p}
	if !math.IsInf(bound, 1) {
		low, high := make([]float64, d), make([]float64, d)
		for j := range low {
			low[j], high[j] = -bound, bound
		}
		problem.Domain, err = domain.NewBox(low, high)
		must(t, err)
	}
	start := make([]float64, d)
	for j := range start { // hidden units must differ
		start[j] = 0.3 * math.Sin(float64(j+1))
	}
	r, err := r2sgld.Sample(context.Background(), problem, r2sgld.Settings{Seed: 2, Ladders: 4, Iterations: soak(1500), BurnIn: 100,
		Start: start, StepSize: []float64{0.014}, Kernel: kernel.HMC{Leapfrog: 9}})
	must(t, err)
	t.Logf("HMC accepts %.2f", r.Acceptance()[0])
	if !predict {
		draws := make(table, d)
		for j := range draws {
			draws[j] = r.Chains(j)
		}
		return draws
	}
	e := get[bnn.Engine](t)(open(1))
	must(t, e.Load(1, data.Test, nil, nil))
	s := get[*bnn.State](t)(e.State(0))
	draws := newTable(18, 4)
	for c, l := range r.Ladders {
		for i := range l.Energy[0] {
			copy(s.Parameters, l.X[0][i*d:])
			must(t, e.SetState(0, s))
			draws.add(c, probabilities(get[[]float32](t)(e.Predict(0, 1))))
		}
	}
	return draws
}

// compare holds means and standard deviations of all quantities against each other: 4 MCSE + the
// bias of the step, in standard deviations. Among so many quantities another seed would
// give a false alarm in less than 1 % of the cases.
func compare(t *testing.T, got, want table, bias float64) {
	t.Helper()
	worst, square := 0.0, 0.0
	for q := range want {
		g, w := join(got[q]), join(want[q])
		sd := diag.SD(w)
		for _, c := range []struct {
			what         string
			a, b, ea, eb float64
		}{
			{"mean", diag.Mean(g), diag.Mean(w), diag.MCSEMean(got[q]), diag.MCSEMean(want[q])},
			{"sd", diag.SD(g), sd, diag.MCSESd(got[q]), diag.MCSESd(want[q])},
		} {
			se := math.Hypot(c.ea, c.eb)
			worst = max(worst, se/sd)
			square += se * se / (sd * sd) / float64(2*len(want))
			if !(math.Abs(c.a-c.b) <= 4*se+bias*sd) {
				t.Errorf("quantity %d: %s %.4f instead of %.4f ± %.4f", q, c.what, c.a, c.b, se)
			}
		}
	}
	typical := math.Sqrt(square)
	t.Logf("MCSE of %d quantities: %.1f %% of a standard deviation, at most %.1f %%", len(want), 100*typical, 100*worst)
	// Between seeds the root mean square varies by a fortieth (4.3 to 4.5 % of the ladder),
	// the largest by a quarter.
	if !(typical < 0.065) {
		t.Error("errors are too large to say")
	}
}

func join(chains [][]float64) []float64 {
	var all []float64
	for _, c := range chains {
		all = append(all, c...)
	}
	return all
}

// Logistic regression and a network with a hidden layer at temperature 1 by SGHMC on all data
// have the posterior that HMC finds on other gradients. The step's own bias is
// ηh/(4(1+μ)) = 1 % of a standard deviation at most, 2 % are allowed. Kills a
// temperature of 0.8, a prior or a likelihood of 0.7 or 0.8 times what it should be.
func TestPosteriorBySGHMC(t *testing.T) {
	pace.Slow(t)
	for name, network := range map[string]bnn.Network{"logistic": classifier(), "hidden layer": classifier(4)} {
		t.Run(name, func(t *testing.T) {
			predict, data := len(network.Hidden) > 0, cloudData()
			want := hmc(t, network, math.Inf(1), predict)
			const replicas = 4
			e := get[bnn.Engine](t)(Open(context.Background(), bnn.Setup{Network: network, Replicas: replicas, Seed: 3}, here(t)))
			defer func() { must(t, e.Close()) }()
			must(t, e.Load(0, data.Train, []float64{0}, []float64{1}))
			must(t, e.Load(1, data.Test, []float64{0}, []float64{1}))
			all := bnn.Batch{}
			for i := range data.Train.Len() {
				all.Indices = append(all.Indices, int32(i))
			}
			const mu, eta = 0.9, 0.08 / cloudCurvature
			m := bnn.Move{Scale: 1, Weight: float64(data.Train.Len()), Decay: cloudDecay, StepSize: eta, Momentum: mu,
				Noise: math.Sqrt(2 * eta * (1 - mu)), Bound: math.Inf(1)}
			get[[]bnn.Outcome](t)(e.Start(all))
			draws := newTable(len(want), replicas)
			for k := range soak(3500) {
				get[[]bnn.Outcome](t)(e.Advance(moves(replicas, m), all))
				if k < 300 || k%5 > 0 {
					continue
				}
				for r := range replicas {
					if predict {
						draws.add(r, probabilities(get[[]float32](t)(e.Predict(r, 1))))
					} else {
						draws.add(r, get[*bnn.State](t)(e.State(r)).Parameters)
					}
				}
			}
			compare(t, draws, want, 0.02)
		})
	}
}

// Rungs between walls, planned by a forecast, make round trips by rule metropolis, as many
// as the forecast says or, as walls bring energies nearer, twice that, and the cold one keeps the law that HMC finds between the
// same walls: predictions within 4 MCSE + 3 % of a standard deviation, for the step's
// bias (1.3 %) and that of swaps between rungs with different ones. Kills walls that are left
// out, half the prior, and swaps by mean losses or by the prior's energy alone.
func TestLadderMakesRoundTrips(t *testing.T) {
	pace.Slow(t)
	network, data := classifier(4), cloudData()
	s := constant(t, "r2sghmc")
	s.Batch, s.WeightDecay, s.Bound, s.Momentum = data.Train.Len(), cloudDecay, 1.2, 0.9
	s.StepSize = []float64{0.08 / cloudCurvature * float64(data.Train.Len())}
	s.Swap, s.Average.From = exchange.Settings{Every: 5}, 0.1
	s.Temperature, s.Epochs = []float64{1, 4}, soak(4500)
	open := func() bnn.Engine {
		return get[bnn.Engine](t)(Open(context.Background(), s.Setup(network), here(t)))
	}
	pilot := open()
	plan, err := bnn.Forecast(context.Background(), pilot, data, s, 50)
	must(t, err)
	must(t, pilot.Close())
	s.Temperature = nil
	for r := range plan.Needed {
		s.Temperature = append(s.Temperature, math.Pow(plan.Ratio, float64(r)))
	}
	draws := newTable(18, 1)
	r := sample(t, s, network, "float32", data, func(d bnn.Draw) { draws.add(0, probabilities(d.Logits)) })
	e := open()
	defer func() { must(t, e.Close()) }()
	if plan, err = bnn.Forecast(context.Background(), e, data, s, 2); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rungs, ratio %.2f, barrier %.2f (forecast %.2f), rejections %.2f, %d round trips (forecast %.0f), reflected %.3f",
		len(s.Temperature), plan.Ratio, r.Swaps.Barrier(), plan.Barrier, r.Swaps.Rejections(), r.Swaps.RoundTrips, plan.RoundTrips, r.Epochs[len(
			r.Epochs)-1].Reflected)
	if trips := float64(r.Swaps.RoundTrips); trips < plan.RoundTrips/2 || trips > 4*plan.RoundTrips {
		t.Errorf("%g round trips, where %.0f were forecast", trips, plan.RoundTrips)
	}
	compare(t, draws, hmc(t, network, s.Bound, true), 0.03)
}
