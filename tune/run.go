package tune

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld"
)

// Options are what a run may be told beside its settings, and who hears of it while it goes
// on. The zero value is that of a run of its own, of which nobody hears.
type Options struct {
	From     *Found                           // what an interrupted warm-up had found; nil begins anew
	Recorder func(ladder int) r2sgld.Recorder // of the rounds of warm-up; nil is none
	Looking  func(now bool)                   // hears that modes begin to be looked for, or that the search is over
	Show     func(*Found) error               // hears of every round of warm-up
	Chosen   func(*Found) error               // hears which kernel goes on, where both were tried
	// Ready hears what was found when the warm-up is over, and returns the settings that the
	// run goes on with: those that it is given, with a recorder, a checkpoint and the like.
	Ready func(*Found, r2sgld.Settings, Until) (r2sgld.Settings, error)
	// Judging hears that a round of the run is over and its draws are looked at.
	Judging func()
	// Further are chains of further quantities of the draws, of which R̂ and effective sample sizes
	// are asked like those of parameters; nil is none.
	Further func(*r2sgld.Result) ([][][]float64, error)
	// Review hears what was seen of a round of the run, and how many iterations per ladder it
	// is to go on to; as many as there are end it. It returns to how many it goes on.
	Review func(res *r2sgld.Result, j Judgement, next int) (int, error)

	modes *Modes // that were found; nil where none were looked for
}

// look tells that modes are looked for, if anybody hears.
func (o Options) look(now bool) {
	if o.Looking != nil {
		o.Looking(now)
	}
}

// An Outcome is what a run found.
type Outcome struct {
	*r2sgld.Result
	Settings  r2sgld.Settings // in use
	Judgement Judgement       // of the draws
	Audit     *Audit          // of the modes; nil where none were looked for
	Slopes    []Slope         // of the parameters, far out; nil where they are not known
	Searched  int64           // gradients of the search for modes, before the run and after it
	Seconds   float64         // of sampling
}

// FirstRound is the length of the first round of a run after its warm-up, where nothing is
// said of it: how many iterations per ladder, how many of them are burn-in, and every which
// draw is kept. Kernels without bias make dear iterations, all of which are kept.
func FirstRound(unbiased bool) (iterations, burnIn, thin int) {
	if unbiased {
		return 1000, 25, 1
	}
	return 100_000, 500, 10
}

// Run finds the settings that suit p, samples with them in rounds, each of which doubles the
// draws, and goes on until u is met or its limit reached. It is what method auto does.
//
// The first round has the iterations, the burn-in and the thinning of s, or, where its
// iterations are 0, those of [FirstRound]. Numbers of u that are 0 are those of
// [Until.WithDefaults]. Draws are thinned as Until.hold says unless s has MaxDraws.
//
// The warm-up is that of [Tune], with the kernel of s. Where that is nil it is chosen.
// Harmonic is for a [Gaussian]. Else, where energies and walls are exact, a few short rounds
// of kernel HMC follow those of SGLD, from the same states, and HMC goes on if it makes more
// effective draws of a gradient. It goes on as well where the potential is +Inf in part of
// the domain, jumps, or has features narrower than a step of SGLD, whose law it keeps as SGLD
// does not.
func Run(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until, o Options) (*Outcome, error) {
	s = withLengths(withKernel(p, s, u))
	u = u.WithDefaults(s.Iterations)
	given := s.MaxDraws
	found, s, u, err := o.warmUp(ctx, p, s, u)
	if err != nil {
		return nil, err
	}
	p = found.Modes.Problem(p)
	s.MaxDraws = cmp.Or(given, s.MaxDraws)
	s.Iterations = min(s.Iterations, u.Iterations)
	s.Certificate = s.Certificate || u.Bias > 0
	out := &Outcome{Settings: s}
	if o.Ready != nil {
		if s, err = o.Ready(found, s, u); err != nil {
			return nil, err
		}
	}
	begun, judged := time.Now(), 0
	judge := func(res *r2sgld.Result) (err error) {
		judged = res.Ladders[0].Iterations
		out.Judgement, err = o.judge(ctx, u, p, s, found.Modes, res)
		return err
	}
	s.Most = u.Iterations
	s.Review = func(res *r2sgld.Result) (int, error) {
		seconds, n := time.Since(begun).Seconds(), res.Ladders[0].Iterations
		if o.Judging != nil {
			o.Judging()
		}
		if err := judge(res); err != nil {
			return n, err
		}
		next := n
		if !out.Judgement.Done {
			next = u.Next(n, n-res.Ladders[0].Resumed, seconds)
		}
		if o.Review == nil {
			return next, nil
		}
		return o.Review(res, out.Judgement, next)
	}
	if out.Result, err = r2sgld.Sample(ctx, p, s); err != nil {
		return nil, err
	}
	out.Seconds = time.Since(begun).Seconds()
	if judged != out.Ladders[0].Iterations { // no round was left to be made
		if err := judge(out.Result); err != nil {
			return nil, err
		}
	}
	if err := o.audit(ctx, p, s, found.Modes, out); err != nil {
		return nil, err
	}
	if s.Coldest() == 1 {
		out.Slopes = slopesFarOut(ctx, p, s, out.Cold())
		err = ctx.Err() // which leaves some unknown
	}
	return out, err
}

// judge says how far res has come by u, further quantities included. Where draws of parameters suffice, but
// end on a side before the density does, there is more to run for.
func (o Options) judge(ctx context.Context, u Until, p r2sgld.Problem, s r2sgld.Settings, m *Modes, res *r2sgld.Result) (j Judgement, err error) {
	var further [][][]float64
	if o.Further != nil {
		if further, err = o.Further(res); err != nil {
			return j, err
		}
	}
	j = u.judge(p, res, m.seen(p, res), further)
	// What steps, walls and swaps are biased by is told by itself.
	if !j.Met || u.ESS == 0 || !s.Unbiased() || !exact(p, s) || s.Penalty != nil || len(res.Names) != p.Potential.Dim() {
		return j, nil
	}
	chains := res.Cold()
	if j.Short = ShortTails(ctx, p, s, chains, min(shortMost, int(res.Gradients()/shortWork))); len(j.Short) > 0 {
		endless := EndlessTails(ctx, p, s, chains)
		j.Short = slices.DeleteFunc(j.Short, func(s Short) bool { return slices.Contains(endless, Endless{s.Variable, s.Upper}) })
	}
	if len(j.Short) > 0 {
		j.Met, j.Done = false, false
	}
	return j, ctx.Err()
}

// audit looks for modes once more, from the draws, and inspects those that are known then.
func (o Options) audit(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, m *Modes, out *Outcome) error {
	o.look(m != nil)
	known, err := m.renew(ctx, p, s, out.Result)
	if err != nil {
		return err
	}
	if out.Audit, err = known.inspect(ctx, p, s, out.Result); err != nil {
		return err
	}
	if o.look(false); known != nil {
		out.Searched = known.gradients()
	}
	return nil
}

// withLengths are settings with those of the first round where nothing is said of them.
func withLengths(s r2sgld.Settings) r2sgld.Settings {
	first, burnIn, thin := FirstRound(s.Unbiased())
	if s.Iterations == 0 {
		s.Iterations, s.BurnIn = first, cmp.Or(s.BurnIn, burnIn)
	}
	s.Thin = cmp.Or(s.Thin, thin)
	return s
}

// Sample is [Run] of which nobody hears. It returns the draws with the settings in use.
func Sample(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until) (*r2sgld.Result, r2sgld.Settings, error) {
	out, err := Run(ctx, p, s, u, Options{})
	if err != nil {
		return nil, s, err
	}
	return out.Result, out.Settings, nil
}
