package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
)

// Data says what a likelihood explains. Models can be compared if theirs are
// equal.
type Data struct {
	SHA256     string `json:"data_sha256"` // of the observed values
	Rows       int    `json:"rows"`
	Observed   int    `json:"observed"`   // values of all states; those that are missing do not count
	Likelihood string `json:"likelihood"` // as "log-derivative of H, L (central)"
}

// An Explained is what a model says of its data.
type Explained struct {
	Parameters int
	Noise      string // estimate or given
	// LogDensity returns what writes the log densities of some data, or of all for nil, at a
	// state, and reports whether they are densities. It has a workspace of its own.
	LogDensity func(some []int) func(dst, x []float64) bool
	Data
}

// Of is what a problem explains.
func Of(p *dynamics.Problem) *Explained {
	return &Explained{len(p.Parameters), p.Likelihood.NoiseKind(), p.Likelihood.LogDensity,
		Data{p.DataSHA256(), len(p.Time), p.Data(), p.Likelihood.Name()}}
}

// A Predictive is the content of predictive.json: how well a model predicts its
// data. Numbers that are not known are NaN here and null in the file.
type Predictive struct {
	ELPDLOO   float64   `json:"elpd_loo"`
	SELOO     float64   `json:"se_loo"`
	PLOO      float64   `json:"p_loo"`
	KMax      float64   `json:"pareto_k_max"`       // NaN if a datum has none, or too few draws differ
	KAbove    int       `json:"pareto_k_above_0.7"` // data; those without a shape count
	ELPDWAIC  float64   `json:"elpd_waic"`
	SEWAIC    float64   `json:"se_waic"`
	PWAIC     float64   `json:"p_waic"`
	Draws     int       `json:"draws"` // used
	Every     int       `json:"every"` // of so many data one is in Pointwise; 0 and 1 are all
	Noise     string    `json:"noise"` // estimate or given
	Hash      string    `json:"hash"`  // of the run, as in run.json; "" is not known
	Pointwise Pointwise `json:"pointwise"`
	Data
}

// Pointwise is a number for each datum: rows of the first state in the order of
// names, rows of the next; of very many data, for one of every so many.
type Pointwise struct {
	ELPDLOO  Terms `json:"elpd_loo"`
	ELPDWAIC Terms `json:"elpd_waic"`
	K        Terms `json:"pareto_k"`
}

// Terms are numbers of which some may not be known.
type Terms []float64

// UnmarshalJSON reads null as NaN.
func (t *Terms) UnmarshalJSON(b []byte) error {
	var v []*float64
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*t = make(Terms, len(v))
	for i, x := range v {
		(*t)[i] = math.NaN()
		if x != nil {
			(*t)[i] = *x
		}
	}
	return nil
}

// UnmarshalJSON reads null as NaN, and so what is missing.
func (p *Predictive) UnmarshalJSON(b []byte) error {
	type plain Predictive // without this method
	nan := math.NaN()
	v := plain{ELPDLOO: nan, SELOO: nan, PLOO: nan, KMax: nan, ELPDWAIC: nan, SEWAIC: nan, PWAIC: nan}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*p = Predictive(v)
	return nil
}

const (
	mostDraws = 4000    // at which densities are evaluated, for few data
	leastMost = 500     // for many
	densities = 10e6    // draws × data between the two: some seconds
	trusted   = 0.7     // the largest Pareto shape that can be trusted
	rough     = 16      // draws of the sum over all data, where some are left out
	block     = 1 << 16 // data that are looked at together then
	together  = 1 << 12 // data whose densities at all draws are held
)

// Predict computes the predictive densities of a model's data from draws of
// its posterior: draws[j] are the chains of parameter j, a slice per ladder, as
// Result.Chains(j) has them. At most 4,000 draws are used, evenly from all
// ladders; of more than 2,500 data fewer, down to 500. Of more than 20,000 data one of
// every so many is looked at, the same in all models of the data: what leaving a datum
// out changes beside its mean log density is scaled up from them, and the sum of those is
// over all data (the difference estimator of Magnusson et al. 2020). With noise: paper
// there is no likelihood, which is an error.
func Predict(ctx context.Context, e *Explained, draws [][][]float64) (*Predictive, error) {
	n := e.Observed
	some := sampled(n, int(densities)/leastMost)
	states, ladders, err := thin(e.Parameters, draws, min(max(leastMost, int(densities)/n), mostDraws))
	if err != nil {
		return nil, err
	}
	out := &Predictive{Draws: len(states), Every: (n + len(some) - 1) / len(some), Noise: e.Noise, Data: e.Data}
	for from := 0; from < len(some); from += together {
		n := min(together, len(some)-from)
		if err := out.look(ctx, e.LogDensity(some[from:from+n]), n, states, ladders); err != nil {
			return nil, err
		}
	}
	out.ELPDLOO, out.SELOO = diag.SumSE(out.Pointwise.ELPDLOO)
	out.ELPDWAIC, out.SEWAIC = diag.SumSE(out.Pointwise.ELPDWAIC)
	if len(some) < n {
		if err := out.scaleUp(ctx, e, states, some); err != nil {
			return nil, err
		}
	}
	out.KMax = math.Inf(-1)
	for _, k := range out.Pointwise.K {
		out.KMax = math.Max(out.KMax, k) // NaN stays
		if !(k <= trusted) {
			out.KAbove++
		}
	}
	return out, nil
}

// look adds what leaving each of n data out tells, whose log densities at a state are written by densities.
func (out *Predictive) look(ctx context.Context, densities func(dst, x []float64) bool, n int, states [][]float64, ladders int) error {
	terms, logLik := make([]float64, n), make([][]float64, n)
	for i := range logLik {
		logLik[i] = make([]float64, len(states))
	}
	for s, x := range states {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !densities(terms, x) {
			return errors.New("noise: paper is no likelihood, so that nothing is predicted: use noise: estimate, or give it")
		}
		for i := range logLik {
			logLik[i][s] = terms[i]
		}
	}
	to := &out.Pointwise
	for i, l := range logLik {
		if err := ctx.Err(); err != nil {
			return err
		}
		loo, waic := diag.LOO(logLik[i:i+1], []float64{diag.RelativeEfficiency(split(l, ladders))}), diag.WAIC(logLik[i:i+1])
		to.ELPDLOO, to.ELPDWAIC, to.K = append(to.ELPDLOO, loo.Estimate), append(to.ELPDWAIC, waic.Estimate), append(to.K, loo.K[0])
		out.PLOO, out.PWAIC = out.PLOO+loo.P, out.PWAIC+waic.P
	}
	return nil
}

// sampled are at most most of n data, by their places: all, or one drawn in each of
// equal parts, the same whenever n is.
func sampled(n, most int) []int {
	every := (n + most - 1) / most
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	var out []int
	for from := 0; from < n; from += every {
		out = append(out, from+rng.IntN(min(every, n-from)))
	}
	return out
}

// scaleUp turns what is known of some data into sums over all.
func (out *Predictive) scaleUp(ctx context.Context, e *Explained, states [][]float64, some []int) error {
	n, m := float64(e.Observed), float64(len(some))
	whole, means := 0.0, make([]float64, 0, len(some)) // of mean log densities, the sum and those of some
	for from := 0; from < e.Observed; from += block {
		mean := make([]float64, min(block, e.Observed-from))
		one, at := make([]float64, len(mean)), make([]int, len(mean))
		for i := range at {
			at[i] = from + i
		}
		densities := e.LogDensity(at)
		for s := range rough {
			if err := ctx.Err(); err != nil {
				return err
			}
			densities(one, states[(2*s+1)*len(states)/(2*rough)])
			for i, l := range one {
				mean[i] += l / rough
			}
		}
		for _, v := range mean {
			whole += v
		}
		for k := len(means); k < len(some) && some[k] < from+len(mean); k++ {
			means = append(means, mean[some[k]-from])
		}
	}
	sum := func(pointwise []float64, se float64) (float64, float64) {
		rest := make([]float64, len(some))
		for i, v := range means {
			rest[i] = pointwise[i] - v
		}
		gap, err := diag.SumSE(rest)
		return whole + n/m*gap, math.Hypot(se*math.Sqrt(n/m), err*n/m)
	}
	out.ELPDLOO, out.SELOO = sum(out.Pointwise.ELPDLOO, out.SELOO)
	out.ELPDWAIC, out.SEWAIC = sum(out.Pointwise.ELPDWAIC, out.SEWAIC)
	out.PLOO, out.PWAIC = out.PLOO*n/m, out.PWAIC*n/m
	return nil
}

// thin returns at most most states of d parameters, evenly from all ladders,
// ladder after ladder.
func thin(d int, draws [][][]float64, most int) (states [][]float64, ladders int, err error) {
	if len(draws) != d {
		return nil, 0, fmt.Errorf("draws of %d parameters for a model of %d", len(draws), d)
	}
	ladders, shortest := len(draws[0]), math.MaxInt
	for j := range draws {
		if len(draws[j]) != ladders {
			return nil, 0, fmt.Errorf("parameter %d has draws of %d ladders, the first of %d", j+1, len(draws[j]), ladders)
		}
		for _, c := range draws[j] {
			shortest = min(shortest, len(c))
		}
	}
	if ladders == 0 || shortest == 0 {
		return nil, 0, errors.New("there are no draws to predict from: run longer")
	}
	m := min(shortest, max(1, most/ladders))
	for l := range ladders {
		for i := range m {
			x := make([]float64, d)
			for j := range x {
				x[j] = draws[j][l][(2*i+1)*shortest/(2*m)]
			}
			states = append(states, x)
		}
	}
	return states, ladders, nil
}

// split cuts x into n chains.
func split(x []float64, n int) [][]float64 {
	chains, size := make([][]float64, n), len(x)/n
	for i := range chains {
		chains[i] = x[i*size : (i+1)*size]
	}
	return chains
}
