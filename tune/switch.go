package tune

import (
	"cmp"
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
)

// warmUp tunes a ladder for p. It returns what it found with the settings and the
// stopping rule of the run, which holds as many draws as Until.hold says.
func (o Options) warmUp(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until) (*Found, r2sgld.Settings, Until, error) {
	found, err := o.scout(ctx, p, s)
	if err != nil {
		return nil, s, u, err
	}
	o.modes = found
	s = found.settings(s)
	f, err := o.tune(ctx, found.Problem(p), s, u)
	if err != nil {
		return nil, s, u, err
	}
	if f.Taken != "" {
		s, u = exactly(s, u, f)
	}
	s = f.apply(s)
	s.MaxDraws = u.hold(s, told(p))
	return f, s, u, nil
}

// scout are the modes that an interrupted warm-up had found, or those that are found now.
func (o Options) scout(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings) (*Modes, error) {
	if o.From != nil {
		if err := o.From.Modes.validate(p.Potential.Dim()); err != nil {
			return nil, fmt.Errorf("what was found before is no ladder: %w", err)
		}
		return o.From.Modes, nil
	}
	o.look(modal(p, s))
	defer o.look(false)
	return scout(ctx, p, s)
}

// tune makes rounds until a ladder is found, of p that has the modes of o.
func (o Options) tune(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until) (*Found, error) {
	own := s
	own.Recorder = o.Recorder
	t, err := newTuner(ctx, p, own)
	if err != nil {
		return nil, err
	}
	both := s.Kernel == nil
	t.both = both && !t.probe.noisy
	compared := both && !s.Certificate && u.Bias == 0 && exact(p, s)
	f := o.From
	if f == nil {
		if f, err = t.first(); err == nil {
			f.Modes = o.modes
		}
	} else if err = t.check(f, both); err != nil {
		err = fmt.Errorf("what was found before is no ladder: %w", err)
	}
	for cmp.Or(ctx.Err(), err) == nil {
		switch hmc := both && f.Leapfrog > 0; {
		case hmc && f.Taken == "" && t.tried(f, s.Iterations):
			f = f.choose(u.ESS)
			err = tell(o.Chosen, f)
		case both && !hmc && (t.sgldEnds(f) || f.Done && f.Jumps || compared && f.Rival == nil && len(f.Rounds) >= fewest):
			f = t.pilot(f)
		case f.Done:
			return f, nil
		default:
			if f, err = t.of(f).round(ctx, f); err == nil && !t.sgldEnds(f) {
				err = tell(o.Show, f)
			}
		}
	}
	return nil, cmp.Or(ctx.Err(), err)
}

// tell tells f to hear, if anybody does.
func tell(hear func(*Found) error, f *Found) error {
	if hear == nil {
		return nil
	}
	return hear(f)
}

// check reports what keeps f, and the other kernel's ladder in it, from being a ladder of
// this target.
func (t *tuner) check(f *Found, both bool) error {
	if !both {
		return f.validate(t.s)
	}
	if r := f.Rival; r != nil {
		if (r.Leapfrog > 0) == (f.Leapfrog > 0) {
			return fmt.Errorf("two ladders of the same kernel")
		}
		if err := r.validate(t.of(r).s); err != nil {
			return err
		}
	} else if f.Leapfrog > 0 {
		return fmt.Errorf("trajectories of %d steps", f.Leapfrog)
	}
	return f.validate(t.of(f).s)
}

// of is the tuner of the kernel that f is a ladder of.
func (t *tuner) of(f *Found) *tuner {
	if f.Leapfrog == 0 || t.s.Unbiased() {
		return t
	}
	other := *t
	other.s.Kernel = rival(firstLeapfrog)
	return &other
}

// rival is the kernel that is tried beside SGLD.
func rival(steps int) kernel.Kernel { return kernel.HMC{Leapfrog: steps} }

// roundPart is how many times fewer gradients the first round of a run takes with kernel
// HMC than with SGLD, in whose place it stands, for it makes more effective draws of them.
// Not so for holes and features narrower than a step of SGLD: visits to a narrow well are rare and of
// unequal length, and what draws tell of their own precision is then too good while there
// are few.
const roundPart = 4

// exactly returns s and u with kernel HMC as f has it in place of SGLD. All draws of a round
// are kept; there is no bias that a certificate could tell.
func exactly(s r2sgld.Settings, u Until, f *Found) (r2sgld.Settings, Until) {
	const least = 100
	s.Kernel, s.Certificate = rival(f.Leapfrog), false
	part := f.Leapfrog
	if f.Taken == ForDraws {
		part *= roundPart
	}
	s.Iterations = max(least, s.Iterations/part)
	s.BurnIn, s.Thin = s.Iterations/40, 1
	u.Iterations, u.Bias = max(s.Iterations, u.Iterations/part), 0
	if u.Evidence == 0 {
		u = u.WithDefaults(s.Iterations)
	}
	return s, u
}
