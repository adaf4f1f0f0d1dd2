package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
	"github.com/r2sgld/r2sgld/tune"
)

// A volume is the log volume of a domain and its standard error.
type volume struct{ log, se float64 }

// volumeLadder is a ladder that no run has; its stream estimates volumes.
const volumeLadder = 1 << 41

// measureVolume finds out what log Z needs: whether swaps are exact and, if the hottest
// rung is its uniform law, the volume of the domain; NaN where there is none to be known.
func (x *execution) measureVolume(ctx context.Context) error {
	x.exact = len(report.SwapBias(x.Problem, x.Settings)) == 0
	x.volume = volume{math.NaN(), math.NaN()}
	s := x.Settings
	if n := len(s.Temperature); n == 0 || !math.IsInf(s.Temperature[n-1], 1) {
		return nil
	}
	log, se, err := x.Problem.Mass(ctx, &stream.New(s.Seed, volumeLadder).Of(0, stream.Pilot).Rand)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		x.unknown = fmt.Sprintf("no log evidence: the volume of the domain is not known: %v.", err)
	default:
		x.volume = volume{log, se}
	}
	return nil
}

// starts says what is amiss with uniform starts; nothing if they are uniform.
func (x *execution) starts(ctx context.Context) (string, error) {
	p := x.Problem
	if p.Base != nil || x.Settings.Start != nil || p.Domain == nil || domain.Convex(p.Domain) || !domain.Bounded(p.Domain) {
		return "", nil
	}
	law, err := p.Reference(ctx)
	if err != nil || law.Note == "" {
		return "", ctx.Err()
	}
	return "starts: " + law.Note + ".", nil
}

// logZ is the evidence of a result with its volume, the bias of the step not yet
// known.
func (x *execution) logZ(res *r2sgld.Result) report.Evidence {
	e := report.NewEvidence()
	if e.Reason = x.whyNot(); e.Reason != "" {
		return e
	}
	var of exchange.Evidence
	if x.Until != nil && x.Until.Evidence > 0 && x.Settings.Unbiased() {
		of = x.judgement.Evidence
	} else {
		of = x.pool(res)
	}
	e.Forward, e.Backward, e.Estimate = x.volume.log+of.Forward, x.volume.log+of.Backward, x.volume.log+of.Estimate
	e.Error, e.GapError = math.Hypot(of.Error, x.volume.se), of.GapError
	e.Trimmed, e.TrimmedError = of.Trimmed, of.TrimmedError
	e.LogVolume, e.LogVolumeSE, e.Fitted, e.Bottleneck = x.volume.log, x.volume.se, x.Problem.Guide != nil, of.Bottleneck
	e.Doubt()
	return e
}

// whyNot says why the evidence is not known; nothing if it is.
func (x *execution) whyNot() string {
	d, tau := x.Problem.Domain, x.Settings.Temperature
	switch {
	case d != nil && x.Settings.Boundary == domain.Free:
		return "the method lets steps leave the domain"
	case !x.Problem.HasReference():
		return "no bounds of the domain are known all around, and so there is no uniform law to begin at: bound each variable by numbers"
	case len(tau) == 0 || !math.IsInf(tau[len(tau)-1], 1):
		return "no rung has the uniform law: use method auto, or end sampler.temperature in inf"
	case x.Problem.Guide != nil && math.IsNaN(potential.EnergyNoise(x.Problem.Potential)):
		return "minibatches tell energies with noise of a law that is not known: leave them out for log Z"
	case !x.exact:
		return "its swaps are biased: use rule metropolis (sampler.swap)"
	case math.IsNaN(x.volume.log):
		return x.unknown
	}
	return ""
}

// pool is the evidence of all ladders together, volume aside. Exact kernels keep a draw
// of every iteration, and all of them tell it; of others the stepping stones, which are
// noted more often than draws are kept, with an error from the draws. Where swaps see
// other energies than the draws have, the ladders alone tell the error.
func (x *execution) pool(res *r2sgld.Result) exchange.Evidence {
	switch {
	case x.Settings.FullEnergies:
		var all []exchange.Statistics
		for _, l := range res.Ladders {
			all = append(all, l.Swaps)
		}
		return exchange.EvidenceOf(all...)
	case x.Settings.Unbiased():
		return tune.Evidence(res)
	}
	return tune.Noted(res)
}

// coarser is the factor of the step of the run that tells what the step adds to
// log Z.
const coarser = 4

// evidence is that of the run, the bias of its step counted among its errors. To
// first order in the step a run with coarser steps differs by coarser − 1 times
// that; where modes are narrow it differs by more, so that the bias is told but not
// taken off. Biased swaps have no evidence.
func (x *execution) evidence(ctx context.Context, res *r2sgld.Result) (report.Evidence, error) {
	e := x.logZ(res)
	switch {
	case math.IsNaN(e.Estimate):
		return e, nil
	case x.Settings.Unbiased(): // steps add nothing
		e.StepBias, e.StepBiasSE = 0, 0
		return e, nil
	}
	fmt.Fprintf(x.Terminal, " a shorter run with %d times the step tells what the step adds to log Z …\n", coarser)
	s := x.Settings.Alone()
	s.Seed += 0x632be59bd9b4e019 // noise of its own
	s.StepSize = nil
	for _, eta := range x.Settings.StepSize {
		s.StepSize = append(s.StepSize, coarser*eta)
	}
	if x.Problem.Chart == nil { // else draws are told in other coordinates than states
		s.States = nil
		for _, l := range res.Ladders {
			var states [][]float64
			for r, v := range l.X {
				d := len(v) / len(l.Energy[r])
				states = append(states, v[len(v)-d:])
			}
			s.States = append(s.States, states)
		}
	}
	s.Iterations = max(100, res.Ladders[0].Iterations/2)
	s.BurnIn, s.Thin, s.MaxDraws = s.Iterations/20, 8, 4096
	rough, err := r2sgld.Sample(ctx, x.Problem, s)
	var blown *r2sgld.BlowUp
	switch {
	case errors.As(err, &blown):
		return e, nil // the bias stays unknown
	case err != nil:
		return e, err
	}
	e.StepBias, e.StepBiasSE, e.Error = stepBias(x.pool(res), x.pool(rough))
	e.Error = math.Hypot(e.Error, x.volume.se)
	return e, nil
}

// weigh adds log Z to a summary, and to its warnings what is amiss with what it rests on.
func (x *execution) weigh(ctx context.Context, res *r2sgld.Result, sum *report.Summary) (err error) {
	if sum.LogEvidence, err = x.evidence(ctx, res); err != nil {
		return err
	}
	sum.Lost(x.Until != nil)
	if x.unknown != "" {
		sum.Warnings = append(sum.Warnings, x.unknown)
	}
	note, err := x.starts(ctx)
	if note != "" {
		sum.Warnings = append(sum.Warnings, note)
	}
	return err
}

// stepBias is what the step adds to log Z by a run with coarser steps, to first order, its
// standard error, and that of log Z. Taken off, the bias would leave the error of
// (coarser·fine − rough)/(coarser − 1); not taken off, it adds to that. An estimate of it
// near 0 may be so by chance, by the same that shifts log Z the other way.
func stepBias(fine, rough exchange.Evidence) (bias, se, of float64) {
	bias = (rough.Estimate - fine.Estimate) / (coarser - 1)
	se = math.Hypot(rough.Error, fine.Error) / (coarser - 1)
	return bias, se, math.Hypot(bias, math.Hypot(coarser*fine.Error, rough.Error)/(coarser-1))
}

// marginal turns log Z into the log marginal likelihood of a model.
func (x *execution) marginal(ctx context.Context, e report.Evidence) (*report.Marginal, error) {
	m := &report.Marginal{Log: math.NaN(), SE: math.NaN()}
	own := x.Problem
	own.Guide = nil
	switch {
	case !own.HasReference():
		m.Reason = "the domain is not bounded, and a flat prior on it no density: bound every parameter (model.constraints)"
	case e.Reason != "" && e.Untrusted == nil:
		m.Reason = e.Reason
	case x.Settings.Temperature[0] != 1:
		m.Reason = "the coldest temperature is not 1"
	case math.IsNaN(x.Model.Likelihood.LogConstant()):
		m.Reason = "noise: paper is no likelihood"
	}
	if m.Reason != "" {
		return m, ctx.Err()
	}
	mass, se, err := x.priorMass(ctx)
	if err != nil {
		m.Reason = err.Error()
		return m, ctx.Err()
	}
	// The volume is part of both when the prior is flat: its error cancels.
	of := func(e report.Estimate) report.Estimate {
		if !x.Model.Prior.Any() && x.Problem.Guide == nil {
			e.SE = math.Sqrt(max(0, e.SE*e.SE-x.volume.se*x.volume.se))
		} else {
			e.SE = math.Hypot(e.SE, se)
		}
		return report.Estimate{Estimate: e.Estimate + x.Model.Likelihood.LogConstant() - mass, SE: e.SE}
	}
	if u := e.Untrusted; u != nil {
		it := of(*u)
		m.Reason, m.Untrusted = e.Reason, &it
		return m, ctx.Err()
	}
	it := of(report.Estimate{Estimate: e.Estimate, SE: e.Error})
	m.Log, m.SE = it.Estimate, it.SE
	return m, ctx.Err()
}

// isBox reports whether every wall of d speaks of one coordinate.
func isBox(d domain.Domain) bool {
	s, err := domain.InequalitiesOf(d)
	return err == nil && len(s.Quadratic) == 0 && !slices.ContainsFunc(s.A, func(a []float64) bool {
		speaks := 0
		for _, v := range a {
			if v != 0 {
				speaks++
			}
		}
		return speaks > 1
	})
}

// priorMass is the log of the integral of the prior over the domain.
func (x *execution) priorMass(ctx context.Context) (log, se float64, err error) {
	d, volume := x.Problem.Domain, x.volume
	if x.Problem.Guide != nil { // the volume is that of the guide's law
		own := x.Problem
		own.Guide = nil
		if volume.log, volume.se, err = own.Mass(ctx, &stream.New(x.Settings.Seed, volumeLadder).Of(2, stream.Pilot).Rand); err != nil {
			return 0, 0, err
		}
	}
	if b := x.Problem.Base; b != nil {
		return b.LogMass + volume.log, volume.se, nil
	}
	if !x.Model.Prior.Any() {
		if x.Problem.Guide != nil {
			return volume.log, volume.se, nil
		}
		return volume.log, 0, nil
	}
	if isBox(d) {
		lo, hi := domain.BoundsOf(d, d.Dim())
		return x.Model.Prior.LogMassBox(lo, hi), 0, nil
	}
	law, err := domain.Uniform(ctx, d)
	if err != nil {
		return 0, 0, err
	}
	if n := law.Note; n != "" {
		return 0, 0, fmt.Errorf("the mass of the prior is not known: %s", n)
	}
	rng := &stream.New(x.Settings.Seed, volumeLadder).Of(1, stream.Pilot).Rand
	log, se, err = x.Model.Prior.LogMass(volume.log, 100_000, func(v []float64) error { return law.Draw(ctx, v, rng) })
	return log, math.Hypot(se, volume.se), err
}

// restricted is the log marginal likelihood of a model of rows where the domain leaves a part
// of its priors, which log Z is then divided by; nil where it leaves all of them, or where
// they have no law.
func (x *execution) restricted(ctx context.Context, e report.Evidence) (*report.Marginal, error) {
	b := x.Problem.Base
	if b == nil || math.IsNaN(e.Estimate) {
		return nil, nil
	}
	mass, se, err := x.priorMass(ctx)
	if mass -= x.Rows.LogMass; err != nil || math.Abs(mass) < 1e-9 {
		return nil, err
	}
	return &report.Marginal{Log: e.Estimate - mass, SE: math.Hypot(e.Error, se)}, nil
}

// predict writes how well the model predicts its data.
func (x *execution) predict(ctx context.Context, res *r2sgld.Result) error {
	e := x.explained()
	if e == nil {
		return nil
	}
	draws := make([][][]float64, len(res.Names))
	for j := range draws {
		draws[j] = res.Chains(j)
	}
	p, err := compare.Predict(ctx, e, draws)
	if err != nil {
		return err
	}
	p.Hash = x.Hash
	return x.folder.WriteJSON("predictive.json", p)
}

// explained is what the model says of its data; nil where it is no likelihood.
func (x *execution) explained() *compare.Explained {
	switch {
	case x.Rows != nil:
		what, sum := x.Rows.Likelihood.Observed()
		n := x.Rows.Likelihood.Rows()
		return &compare.Explained{Parameters: x.Rows.Likelihood.Dim(), Noise: "given", LogDensity: x.Rows.Likelihood.LogDensity,
			Data: compare.Data{SHA256: sum, Rows: n, Observed: n, Likelihood: what}}
	case x.Model != nil && x.Model.Likelihood.NoiseKind() != "paper":
		return compare.Of(x.Model)
	}
	return nil
}
