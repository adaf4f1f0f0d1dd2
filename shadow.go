package r2sgld

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A shadow is a second set of replicas that sees each step of those of a ladder, its lead,
// and changes none: the observer of a certificate. A nil shadow does nothing. It makes two
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
	replicas
	trading
	lead   *replicas
	next   *shadow   // that of the shadow; nil without
	draws  Draws     // of the coldest rung
	rest   int       // bytes of the newest copy of the state, numbers aside
	mean   []float64 // of the lead's step, by rung: coordinate j of rung r is mean[r*D+j]
	xi     []float64 // its noise, standard normal, likewise
	apart  []float64 // how far the lead's step and that of the shadow lie apart
	second []float64 // the noise of the second half where walls do not mirror it, by replica as in the block
}

// certify gives l, a ladder of the run, its shadow and that of the shadow, still at the
// origin.
func (r *run) certify(l *ladder) error {
	half, err := r.shade(&l.replicas, -1-2*l.index)
	l.shadow = half
	if err != nil {
		return err
	}
	half.next, err = r.shade(&half.replicas, -2-2*l.index)
	if err != nil {
		return err
	}
	half.exchange.Follow(l.exchange)
	half.next.exchange.Follow(half.exchange)
	return nil
}

// shade returns a shadow of l, whose streams are those of a ladder that no run has.
func (r *run) shade(l *replicas, streams int) (*shadow, error) {
	d, rungs := l.block.D, l.block.R
	half := *l.schedule
	half.StepSize = slices.Clone(half.StepSize)
	for i := range half.StepSize {
		half.StepSize[i] /= 2
	}
	s := &shadow{replicas: r.replicas(&half, stream.New(r.settings.Seed, streams)), lead: l, draws: newDraws(1, false),
		mean: make([]float64, rungs*d), xi: make([]float64, rungs*d), apart: make([]float64, d), second: make([]float64, rungs*d)}
	s.fresh, s.source = l.fresh, leadSource{l}
	if r.domain != nil && r.settings.Boundary != domain.Refuse {
		s.block.V = make([]float64, rungs*d)
	}
	var err error
	if s.trading, err = r.trading(s.streams); err != nil {
		return nil, err
	}
	if err = r.join(&s.replicas); err != nil {
		return nil, err
	}
	r.workspace(&s.trading, &s.replicas)
	return s, nil
}

// A leadSource gives a shadow the states of its lead.
type leadSource struct{ lead *replicas }

func (s leadSource) draw(l *replicas, h *hand, _ int) {
	s.lead.block.State(h.to, s.lead.block.Replica(l.fresh))
}

// join puts the shadow, and its own, where its lead is.
func (s *shadow) join() {
	if s == nil {
		return
	}
	b, lead := s.block, s.lead.block
	b.Copy(lead)
	s.evaluate()
	s.next.join()
}

// observe hears of the steps that the lead has made, before a wall changes them.
func (s *shadow) observe() {
	if s != nil {
		s.note()
	}
}

// note finds mean and noise of the lead's steps.
func (s *shadow) note() {
	b, at := s.lead.block, s.lead.at
	for i, r := range b.Rung {
		if r == s.fresh {
			continue
		}
		drift(s.mean[r*b.D:(r+1)*b.D], b.From, b, i, at.Drift[r], at.Temperature[r])
		for j := range b.D {
			if s.xi[r*b.D+j] = 0; at.Noise[r] > 0 {
				s.xi[r*b.D+j] = (b.X[j*b.Stride+i] - s.mean[r*b.D+j]) / at.Noise[r]
			}
		}
	}
}

// drift writes where the drift of a step of size eta at temperature tau takes replica
// i of b from its state in x.
func drift(mean, x []float64, b *kernel.Block, i int, eta, tau float64) {
	for j := range mean {
		at := j*b.Stride + i
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
	if s == nil {
		return nil
	}
	s.streams.Begin(k)
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
	s.next.observe()
	s.look()
	s.reflect()
	s.evaluate()
	if s.notFinite() >= 0 {
		if err := potential.Err(s.potential); err != nil {
			return err
		}
		s.join() // as good a start as any; the lead's energies are finite
		return nil
	}
	return s.next.follow(k)
}

// trade lets the rungs of iteration k trade, after those of the lead.
func (s *shadow) trade(k int) error {
	if s == nil {
		return nil
	}
	if err := s.trading.trade(&s.replicas, k); err != nil {
		return err
	}
	return s.next.trade(k)
}

// split makes the first step and leaves the noise of the second in second, both of
// one standard deviation: the walls mirror it as it is.
func (s *shadow) split(second []float64) {
	b, d := s.block, s.block.D
	copy(b.From, b.X)
	own := s.noise.Normals(d)
	for i, r := range b.Rung {
		if r == s.fresh {
			continue
		}
		noise := s.xi[r*d : (r+1)*d]
		s.couple(i, r, noise)
		drift(s.apart, b.From, b, i, s.at.Drift[r], s.at.Temperature[r])
		for j, xi := range noise {
			zeta := own[j*b.R+i]
			b.X[j*b.Stride+i] = s.apart[j] + s.at.Noise[r]*math.Sqrt2/2*(xi+zeta)
			second[j*b.Stride+i] = math.Sqrt2 / 2 * (xi - zeta)
		}
	}
}

// step makes the second step.
func (s *shadow) step(noise []float64) {
	b := s.block
	copy(b.From, b.X)
	for i, r := range b.Rung {
		drift(s.apart, b.From, b, i, s.at.Drift[r], s.at.Temperature[r])
		for j, m := range s.apart {
			b.X[j*b.Stride+i] = m + s.at.Noise[r]*noise[j*b.Stride+i]
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
	meet(noise, s.apart, &s.random(i).Rand)
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
	if s == nil {
		return
	}
	i := s.block.Replica(0)
	s.draws.add(0, s.frame.shown(s.block.State(s.from, i)), s.block.Energy[i], 0)
	s.next.keep()
}

// halve drops every second draw.
func (s *shadow) halve() {
	if s == nil {
		return
	}
	s.draws.halve()
	s.next.halve()
}

// room makes room for n draws.
func (s *shadow) room(n int) {
	if s == nil {
		return
	}
	s.draws.room(n, s.block.D)
	s.next.room(n)
}

// own gives the shadow, and its own, a workspace anew.
func (s *shadow) own(r *run) error {
	if s == nil {
		return nil
	}
	err := r.join(&s.replicas)
	r.workspace(&s.trading, &s.replicas)
	return errors.Join(err, s.next.own(r))
}

// close ends what the evaluators keep outside of this program.
func (s *shadow) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.lanes.close(), closeAll(s.full), s.next.close())
}

// picture is what a checkpoint keeps of the shadow.
func (s *shadow) picture() picture {
	p := picture{replicas: &s.replicas, states: s.block, draws: s.draws, parts: []part{s.exchange}}
	if s.next != nil {
		p.parts = append(p.parts, s.next)
	}
	return p
}

// AppendBinary appends all that the rest of the shadow's run depends on.
func (s *shadow) AppendBinary(b []byte) ([]byte, error) {
	p := s.picture()
	p.counts = [...]int{0, s.schedule.Iterations, 0, 1}
	return p.encode(b, &s.rest)
}

// UnmarshalBinary takes the shadow to where AppendBinary saw it.
func (s *shadow) UnmarshalBinary(b []byte) error {
	p := s.picture()
	return p.decode(b)
}
