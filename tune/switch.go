package tune

import (
	"cmp"
	"context"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
)

// dearer is how many times fewer iterations method auto makes with kernel HMC than with
// SGLD: a trajectory takes several gradients, and its end is nearly a fresh draw.
const dearer = 100

// A WarmUp is how method auto comes to its ladder.
type WarmUp struct {
	AnyKernel bool                             // kernel HMC may take the place of SGLD
	From      *Found                           // what an interrupted warm-up had found; nil begins anew
	Recorder  func(ladder int) r2sgld.Recorder // of its rounds; nil is none
	Show      func(*Found) error               // hears of every round
	Switched  func()                           // hears that kernel HMC takes over
}

// quiet is a warm-up of which nobody hears.
func quiet(anyKernel bool) WarmUp {
	return WarmUp{AnyKernel: anyKernel, Show: func(*Found) error { return nil }, Switched: func() {}}
}

// Run tunes a ladder for p ([Tune]) and, where the potential jumps, or has features
// narrower than a step, and w allows for it, another with kernel HMC, which keeps the law of such a potential as SGLD does not. It
// returns what it found with the settings and the stopping rule of the run, which holds as
// many draws as [Until.Hold] says.
func (w WarmUp) Run(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until) (*Found, r2sgld.Settings, Until, error) {
	if f := w.From; f != nil && f.Leapfrog > 0 && s.HMC == nil { // it was stopped after the switch
		s, u = exactly(s, u)
	}
	tune := func(from *Found) (*Found, error) {
		own := s
		own.Recorder = w.Recorder
		return Tune(ctx, p, own, from, w.Show)
	}
	f, err := tune(w.From)
	if err == nil && f.Jumps && w.AnyKernel && !s.Unbiased() {
		w.Switched()
		s, u = exactly(s, u)
		f, err = tune(nil)
	}
	if err != nil {
		return nil, s, u, err
	}
	s = f.Apply(s)
	s.MaxDraws = u.Hold(s, cmp.Or(len(p.ReportedNames()), p.Potential.Dim()))
	return f, s, u, nil
}

// exactly returns s and u with kernel HMC in place of SGLD. A first round has a hundredth of
// the iterations, of which all draws are kept; there is no bias that a certificate could
// tell.
func exactly(s r2sgld.Settings, u Until) (r2sgld.Settings, Until) {
	s.HMC, s.Certificate = &kernel.HMC{Leapfrog: firstLeapfrog}, false
	s.Iterations = max(dearer, s.Iterations/dearer)
	s.BurnIn, s.Thin = s.Iterations/40, 1
	u.Iterations, u.Bias = max(s.Iterations, u.Iterations/dearer), 0
	if u.Evidence == 0 {
		u = u.WithDefaults(s.Iterations)
	}
	return s, u
}
