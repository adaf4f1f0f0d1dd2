package sampler

import (
	"cmp"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// Settle fills the defaults that do not depend on the problem into the sampler.
func (s *Sampler) Settle(m Method, iterations, burnIn, thin int, temperature []float64) {
	if s.Iterations == 0 {
		s.Iterations = iterations
	}
	if s.BurnIn == nil {
		v := min(burnIn, s.Iterations/10)
		s.BurnIn = &v
	}
	s.Thin = cmp.Or(s.Thin, thin)
	s.settleAny()
	if s.Temperature == nil {
		s.Temperature = temperature
		if !m.Exchanges() {
			s.Temperature = temperature[:1]
		}
	}
	if len(s.StepSize) == 1 {
		s.StepSize = slices.Repeat(s.StepSize, len(s.Temperature))
	}
	if m.Exchanges() {
		s.swapDefaults()
	}
	switch {
	case m.Wall == Projected:
		s.Boundary = string(domain.Project)
	case m.Wall == Reflected:
		s.Boundary = cmp.Or(s.Boundary, string(domain.Specular))
	case m.Wall == Penalised && s.Penalty == nil:
		s.Penalty = &Penalty{Strength: 1, Form: Force}
	}
}

// settleAny fills in what is the same for every method.
func (s *Sampler) settleAny() {
	s.Ladders = cmp.Or(s.Ladders, 4)
	if s.Seed == nil {
		seed := uint64(1)
		s.Seed = &seed
	}
}

// SettleAuto fills the defaults of method auto in, of which the first round of a run has so many iterations.
func (s *Sampler) SettleAuto(first int) {
	s.Iterations = cmp.Or(s.Iterations, first)
	s.settleAny()
	if s.Until == nil {
		s.Until = &tune.Until{}
	}
	*s.Until = s.Until.WithDefaults(s.Iterations)
	s.Iterations = min(s.Iterations, s.Until.Iterations)
	s.swapDefaults()
}

// swapDefaults fills in how rungs trade.
func (s *Sampler) swapDefaults() {
	w, with := &s.Swap, s.Swap.WithDefaults(len(s.Temperature))
	w.Scheme, w.Rule, w.Every, w.Correction = with.Scheme, with.Rule, with.Every, with.Correction
}

// NoisyEnergies sees to σ̃² where the energies carry noise and nothing is said of
// it: variance, if that is known, else an estimate on line. It may be given.
func (s *Sampler) NoisyEnergies(u potential.Potential, given bool) {
	noise := potential.EnergyNoise(u)
	w := &s.Swap
	if noise == 0 || given || w.Full() {
		return
	}
	if w.Variance = 2 * noise * noise; math.IsNaN(noise) {
		w.Variance, w.Estimate = 0, OnLine()
	}
}

// Settings turns the resolved sampler into settings of a run of states of
// dimension d.
func (s *Sampler) Settings(m Method, d int) r2sgld.Settings {
	_, burnIn, thin := tune.FirstRound(m.Move.Of(s).Traits().Exact)
	most := 0 // of method auto what its stopping rule asks for
	if !m.Auto() {
		burnIn, thin, most = *s.BurnIn, s.Thin, tune.MostHeld(d, s.Ladders, max(len(s.Temperature), 8))
	}
	out := r2sgld.Settings{
		Seed: *s.Seed, Ladders: s.Ladders, Iterations: s.Iterations, BurnIn: burnIn, Thin: thin,
		StepSize: s.StepSize, Temperature: s.Temperature,
		Decay: s.Schedule, Swap: s.Swap.Settings, FullEnergies: s.Swap.Full(),
		Boundary: domain.Rule(s.Boundary), Cap: s.Cap,
		Certificate: s.Certificate,
		MaxDraws:    most,
	}
	if !m.Wall.Reflects() && m.Wall != Mirrored {
		out.Boundary = domain.Free
	}
	out.Mirror, out.Inside = m.Wall == Mirrored, m.Wall == Rejected
	if p := s.Penalty; p != nil && p.Strength > 0 {
		out.Penalty = &r2sgld.Penalty{Strength: p.Strength, Distance: p.Form == Distance}
	}
	if m.Wall == Proximal {
		out.Penalty = &r2sgld.Penalty{Strength: 1 / s.Smoothing, Distance: true}
	}
	if s.Kernel != "" || !m.Auto() { // else package tune may take any
		out.Kernel = m.Move.Of(s)
	}
	return out
}

// LongEnough reports a first round of method auto that nothing could be told from.
func (l *Choice) LongEnough() {
	least := autoLeast
	if l.Traits().Exact {
		least = autoLeastPaths
	}
	report := func(k *yamlpos.Node, n int) {
		if n > 0 && n < least {
			l.Report(k, "the first round of method auto needs at least %d iterations; found %d", least, n)
		}
	}
	report(l.Node.Field("iterations"), l.Sampler.Iterations)
	if u := l.Sampler.Until; u != nil {
		report(l.Node.Field("until").Field("iterations"), u.Iterations)
	}
}
