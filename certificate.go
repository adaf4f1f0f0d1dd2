package r2sgld

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A shadow is a second set of replicas beside those of a ladder, its lead. It makes two
// steps of half the size for each of theirs, driven by the same noise, so that it stays
// near them, and what the means of the two differ by is half of the bias of the step, to
// first order. The shadow of a run has a shadow itself, with a quarter of the run's step:
// what the two differ by tells how far the bias is of first order.
//
// The noise ξ of a step is split into (ξ+ζ)/√2 and (ξ−ζ)/√2, with ζ of its own, which
// are independent and standard normal. Where the first half is mirrored at the wall,
// the second is mirrored along, as the rest of the whole step is. Replicas on the
// same rung belong together: where labels traded in one set and not in the other, or
// two have fallen into different modes, the noise is coupled so that they meet again
// (see [meet]). Every coupling depends on the past only, so that the shadow, seen
// alone, has the law of a run with half the step.
type shadow struct {
	ladder
	mean   []float64 // of the lead's step, by rung: coordinate j of rung r is mean[r*D+j]
	xi     []float64 // its noise, standard normal, likewise
	apart  []float64 // how far the lead's step and that of the shadow lie apart
	second []float64 // the noise of the second half where walls do not mirror it, by replica as in the block
}

// certifiable says why a run cannot be certified, if so.
func (r *run) certifiable() error {
	s := r.settings
	if !s.Certificate {
		return nil
	}
	switch {
	case r.traits.Exact:
		return errors.New("a certificate measures the bias of the step, and exact kernels have none. Leave the certificate out")
	case !r.traits.Coupled:
		return fmt.Errorf("a certificate couples steps of SGLD with half as large ones, and is not known for %s: take SGLD, or compare with a run at half the step size", r.traits.Name)
	case r.problem.Domain != nil && (s.Boundary == domain.Nearest || s.Boundary == domain.Project):
		return fmt.Errorf("a certificate takes the bias to go like the step, and that of boundary %s goes like its square root, or does not vanish: take %s or %s", s.Boundary, domain.Specular, domain.Refuse)
	case s.Penalty != nil && !s.Penalty.Distance:
		return errors.New("a certificate takes the bias to go like the step, and a force that jumps at the wall has another: take the penalty of the distance, or a boundary that reflects")
	case s.Inside:
		return errors.New("a certificate compares draws one by one, and those outside the domain are left out: take a boundary that reflects")
	}
	return nil
}

// certify gives l, a ladder of the run, its shadow and that of the shadow, still at the
// origin.
func (r *run) certify(l *ladder) error {
	half, err := r.shade(l, -1-2*l.index)
	if err != nil {
		return err
	}
	quarter, err := r.shade(&half.ladder, -2-2*l.index)
	if err != nil {
		return err
	}
	half.exchange.Follow(l.exchange)
	quarter.exchange.Follow(half.exchange)
	return nil
}

// shade gives l a shadow, whose streams are those of a ladder that no run has.
func (r *run) shade(l *ladder, streams int) (*shadow, error) {
	d, rungs := l.block.D, l.block.R
	half := *l.schedule
	half.StepSize = slices.Clone(half.StepSize)
	for i := range half.StepSize {
		half.StepSize[i] /= 2
	}
	s := &shadow{ladder: ladder{index: l.index, schedule: &half, block: kernel.NewBlock(rungs, d), streams: stream.New(r.settings.Seed, streams),
		names: l.names, whitening: l.whitening, chart: l.chart, mirror: l.mirror, fresh: l.fresh, lead: l, stride: 1, traits: l.traits,
		draws: Draws{X: make([][]float64, 1), Energy: make([][]float64, 1)}, tally: make([]domain.Tally, rungs), corners: newCorners(rungs)},
		mean: make([]float64, rungs*d), xi: make([]float64, rungs*d), apart: make([]float64, d), second: make([]float64, rungs*d)}
	for i := range rungs {
		s.noise = append(s.noise, s.streams.Of(i, stream.Kernel))
	}
	s.uniform = s.streams.Of(0, stream.Swap)
	if r.domain != nil && r.settings.Boundary != domain.Refuse {
		s.block.V = make([]float64, rungs*d)
	}
	if l.block.Base != nil {
		s.block.WithBase()
	}
	var err error
	if s.exchange, err = exchange.New(rungs, r.settings.Swap); err != nil {
		return nil, err
	}
	l.shadow = s
	return s, r.workspace(&s.ladder)
}

// join puts the shadow, and its own, where its lead is.
func (s *shadow) join() {
	b, lead := s.block, s.lead.block
	copy(b.X, lead.X)
	copy(b.Rung, lead.Rung)
	s.evaluate()
	if s.shadow != nil {
		s.shadow.join()
	}
}

// observe finds mean and noise of the steps that the lead has made, before a wall
// changes them.
func (s *shadow) observe() {
	b, at := s.lead.block, s.lead.at
	for i, r := range b.Rung {
		if r == s.fresh {
			continue
		}
		drift(s.mean[r*b.D:(r+1)*b.D], b.From, b, i, at.Drift[r], at.Temperature[r])
		for j := range b.D {
			if s.xi[r*b.D+j] = 0; at.Noise[r] > 0 {
				s.xi[r*b.D+j] = (b.X[j*b.R+i] - s.mean[r*b.D+j]) / at.Noise[r]
			}
		}
	}
}

// drift writes where the drift of a step of size eta at temperature tau takes replica
// i of b from its state in x.
func drift(mean, x []float64, b *kernel.Block, i int, eta, tau float64) {
	for j := range mean {
		at := j*b.R + i
		mean[j] = x[at]
		if eta == 0 { // an infinite gradient is of no concern then
			continue
		}
		mean[j] -= eta * b.Grad[at]
		if b.Base != nil {
			mean[j] -= eta * tau * b.BaseGrad[at]
		}
	}
}

// follow makes the two steps of half the size for a step that the lead has made in
// iteration k, before labels trade. It fails where the potential does.
func (s *shadow) follow(k int) error {
	s.schedule.Iterations = s.lead.schedule.Iterations
	s.schedule.Set(s.at, k)
	second := s.block.V
	if second == nil {
		second = s.second
	}
	s.split(second)
	if err := s.land(k); err != nil {
		return err
	}
	s.step(second)
	return s.land(k)
}

// land ends a step inside the domain, and has the shadow's own shadow follow it.
func (s *shadow) land(k int) error {
	if s.shadow != nil {
		s.shadow.observe()
	}
	s.reflect()
	s.evaluate()
	if s.notFinite() >= 0 {
		if err := potential.Err(s.potential); err != nil {
			return err
		}
		s.join() // as good a start as any; the lead's energies are finite
		return nil
	}
	if s.shadow == nil {
		return nil
	}
	return s.shadow.follow(k)
}

// trade lets the rungs of iteration k trade, after those of the lead.
func (s *shadow) trade(k int) error {
	err := s.ladder.trade(k)
	if err == nil && s.shadow != nil {
		err = s.shadow.trade(k)
	}
	return err
}

// split makes the first step and leaves the noise of the second in second, both of
// one standard deviation: the walls mirror it as it is.
func (s *shadow) split(second []float64) {
	b, d := s.block, s.block.D
	b.From, b.X = b.X, b.From
	for i, rng := range s.noise {
		r := b.Rung[i]
		if r == s.fresh {
			continue
		}
		noise := s.xi[r*d : (r+1)*d]
		s.couple(i, r, noise)
		drift(s.apart, b.From, b, i, s.at.Drift[r], s.at.Temperature[r])
		for j, xi := range noise {
			zeta := rng.NormFloat64()
			b.X[j*b.R+i] = s.apart[j] + s.at.Noise[r]*math.Sqrt2/2*(xi+zeta)
			second[j*b.R+i] = math.Sqrt2 / 2 * (xi - zeta)
		}
	}
}

// step makes the second step.
func (s *shadow) step(noise []float64) {
	b := s.block
	b.From, b.X = b.X, b.From
	for i, r := range b.Rung {
		drift(s.apart, b.From, b, i, s.at.Drift[r], s.at.Temperature[r])
		for j, m := range s.apart {
			b.X[j*b.R+i] = m + s.at.Noise[r]*noise[j*b.R+i]
		}
	}
}

// couple turns the noise of the lead's step on rung r into that of both steps of
// replica i, which holds it.
func (s *shadow) couple(i, r int, noise []float64) {
	sd := s.lead.at.Noise[r]
	if sd == 0 {
		return
	}
	drift(s.apart, s.block.From, s.block, i, s.lead.at.Drift[r], s.lead.at.Temperature[r])
	for j, m := range s.mean[r*s.block.D : (r+1)*s.block.D] {
		s.apart[j] = (m - s.apart[j]) / sd
	}
	meet(noise, s.apart, &s.noise[i].Rand)
}

// near is the distance, in standard deviations of a step and for each root of the
// dimension, up to which two replicas are driven by the same noise.
const near = 0.5

// meet turns standard normal noise, which drives a step, into that of a step whose
// mean is apart standard deviations away: standard normal again, whatever apart is.
// Near each other both have the same noise, and what draws states together draws them
// together. Farther apart, as in different modes, noise is taken that brings them to
// the same state with the largest probability there is, and is mirrored else, so that
// their distance makes a random walk that ends (Eberle and Majka 2019).
func meet(noise, apart []float64, rng *rand.Rand) {
	square, along := 0.0, 0.0
	for j, z := range apart {
		square += z * z
		along += z * noise[j]
	}
	if !(square > near*near*float64(len(apart))) || math.IsInf(square, 1) {
		return
	}
	if s := -along - square/2; s >= 0 || rng.Float64() < math.Exp(s) {
		for j, z := range apart {
			noise[j] += z
		}
		return
	}
	for j, z := range apart {
		noise[j] -= 2 * along / square * z
	}
}

// keep keeps the state and energy of the coldest rung.
func (s *shadow) keep() {
	i := s.block.Replica(0)
	x := s.shown(s.block.State(s.from, i))
	s.draws.X[0] = append(s.draws.X[0], x...)
	s.draws.Energy[0] = append(s.draws.Energy[0], s.block.Energy[i])
	if s.shadow != nil {
		s.shadow.keep()
	}
}

// halve drops every second draw.
func (s *shadow) halve() {
	s.draws.halve()
	if s.shadow != nil {
		s.shadow.halve()
	}
}

// room makes room for n draws.
func (s *shadow) room(n int) {
	s.draws = Draws{X: [][]float64{make([]float64, 0, n*s.block.D)}, Energy: [][]float64{make([]float64, 0, n)}}
	if s.shadow != nil {
		s.shadow.room(n)
	}
}

// AppendBinary appends all that the rest of the shadow's run depends on.
func (s *shadow) AppendBinary(b []byte) ([]byte, error) { return s.appendState(b) }

// UnmarshalBinary takes the shadow to where AppendBinary saw it.
func (s *shadow) UnmarshalBinary(b []byte) error { return s.restoreState(b) }

// Certified reports whether the run has a certificate.
func (r *Result) Certified() bool { return len(r.Ladders) > 0 && r.Ladders[0].Quarter.Energy != nil }

// Bias estimates by how much the mean of f over the draws of the coldest rung is off
// because the step is not infinitely small, E f with the steps of the run less E f
// with ever smaller ones, and the standard error of the estimate: the bias lies within
// two of them with a probability of 95 % or more. f sees a state, in the user's
// coordinates, and its U; it must not keep x. To remove the bias, subtract the estimate.
// NaN without a certificate, with too few draws, and where the potential jumps, which
// steps of no size see.
//
// Of f's means m at the run's step η, at half of it and at a quarter, both
// D₁ = 2(m(η) − m(η/2)) and D₂ = 4(m(η/2) − m(η/4)) are the bias where it goes like the
// step. Where it has a term cη^p besides, p > 1, D₁ has 2(1 − q) of that and D₂
// 4q(1 − q), q = 2^−p, so that the bias is D₂ and (1 − 2q)/(2 − 2q) of D₁ − D₂: none at
// p = 1, 0.23 at 3/2, which walls have, 1/3 at 2, a half at most. The estimate takes 1/3,
// which is right for smooth potentials, (D₁ + 2D₂)/3, and may be off by as much,
// |D₁ − D₂|/3, whatever p is. Terms of two orders, 3/2 and 2 say, can hide each other in
// D₁ − D₂: a twentieth of the estimate is the least that it is taken to be off by. Half
// of that error, which is no matter of chance, is in the standard error.
func (r *Result) Bias(f func(x []float64, energy float64) float64) (bias, se float64) {
	if !r.Certified() || r.Jumps(-1).Certain() {
		return math.NaN(), math.NaN()
	}
	d := len(r.Names)
	differences := func(factor float64, of, from func(Ladder) Draws) [][]float64 {
		return r.alike(func(l Ladder) []float64 {
			a, b := of(l), from(l)
			v := make([]float64, len(b.Energy[0]))
			for i := range v {
				v[i] = factor * (f(a.X[0][i*d:(i+1)*d], a.Energy[0][i]) - f(b.X[0][i*d:(i+1)*d], b.Energy[0][i]))
			}
			return v
		})
	}
	whole, half, quarter := func(l Ladder) Draws { return l.Draws }, func(l Ladder) Draws { return l.Half }, func(l Ladder) Draws { return l.Quarter }
	d1, d2 := differences(2, whole, half), differences(4, half, quarter)
	n, off, same := 0, 0.0, true
	for i, c := range d2 {
		for k, v := range c {
			u := d1[i][k]
			n, off, same = n+1, off+u-v, same && u == 0 && v == 0
			c[k] = (u + 2*v) / 3
			bias += c[k]
		}
	}
	if same && n > 0 {
		return 0, 0
	}
	bias, off = bias/float64(n), off/float64(n)
	rest := max(math.Abs(off)/3, math.Abs(bias)/20)
	return bias, diag.MCSEMean(d2) + rest/2
}

// MeanBias is [Result.Bias] of coordinate j.
func (r *Result) MeanBias(j int) (bias, se float64) {
	return r.Bias(func(x []float64, _ float64) float64 { return x[j] })
}
