package spread

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// A proof is a step of a replica on this machine.
type proof struct {
	replica       int
	before, after *bnn.State
	step          *advance
	outcome       bnn.Outcome
}

// proved is a place that was put to the proof.
type proved struct {
	place Place
	took  time.Duration
	err   error
}

// errOther says of a place that it has other numbers than this machine.
var errOther = errors.New("computes other bits than this machine: another processor, another libtorch, or a device of another kind")

// welcome gives replicas to places that have proved themselves since the last call.
func (e *Engine) welcome() error {
	came := false
	for {
		select {
		case p := <-e.proved:
			switch {
			case p.err == nil:
				e.longest = max(e.longest, p.took)
				e.Others.Taken(p.place)
				e.seats = append(e.seats, &seat{place: p.place})
				came = true
			case errors.Is(p.err, errOther):
				e.Others.Refused(p.place, p.err)
			default:
				e.Others.Lost(p.place, p.err)
			}
			continue
		default:
		}
		if came {
			return e.arrange()
		}
		return nil
	}
}

// prove moves all replicas, and puts places that have come to the proof, by a step of a replica here.
func (e *Engine) prove(d *advance) ([]bnn.Outcome, error) {
	came := e.Others.Come()
	if len(came) == 0 || e.proof != nil {
		e.putToProof(came)
		return e.act(d)
	}
	p := &proof{replica: e.home().holds[0], step: d}
	var err error
	if p.before, err = e.home().engine.State(0); err != nil {
		return nil, err
	}
	out, err := e.act(d)
	if err != nil {
		return nil, err
	}
	if p.after, err = e.State(p.replica); err != nil {
		return nil, err
	}
	p.outcome, e.proof = out[p.replica], p
	e.putToProof(came)
	return out, nil
}

// putToProof has places make the step, while the run goes on.
func (e *Engine) putToProof(places []Place) {
	for _, place := range places {
		p, sets := e.proof, slices.Clone(e.sets)
		most := lateness * max(e.Patience, e.longest) // examples are sent first
		go func() {
			began := time.Now()
			late := time.AfterFunc(most, func() { e.Others.Cut(place, most) })
			defer context.AfterFunc(e.ctx, func() { late.Stop() })()
			err := e.passes(place, p, sets)
			late.Stop()
			select {
			case e.proved <- proved{place, time.Since(began), err}:
			case <-e.ctx.Done():
			}
		}()
	}
}

// passes says how a place does not make the step as this machine does.
func (e *Engine) passes(place Place, p *proof, sets []set) error {
	replicas := []int{p.replica}
	engine, err := e.opened(place, sets, replicas, map[int]*bnn.State{p.replica: p.before})
	if err != nil {
		return err
	}
	defer engine.Close()
	out, err := p.step.do(engine, replicas)
	if err != nil {
		return err
	}
	s, err := engine.State(0)
	if err != nil {
		return err
	}
	if err := e.fits(s); err != nil {
		return err
	}
	o := p.outcome
	if len(out) != 1 || !e.Agree([]float64{out[0].Loss, out[0].Square}, []float64{o.Loss, o.Square}) || s.Step != p.after.Step {
		return errOther
	}
	for i, got := range [][]float64{s.Parameters, s.Momenta, s.Gradient, s.Buffers} {
		if want := [][]float64{p.after.Parameters, p.after.Momenta, p.after.Gradient, p.after.Buffers}[i]; !e.Agree(got, want) {
			return errOther
		}
	}
	return nil
}

// nearness is what rounding to half precision leaves of a step of a network, with room.
const nearness = 0.05

// Near reports whether numbers are the same but for rounding: their difference within nearness of
// all of them, by length, and none where the others have a number.
func Near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	apart, size := 0.0, 0.0
	for i, v := range a {
		w := b[i]
		switch {
		case v == w || v != v && w != w:
		case v-w != v-w || math.IsInf(v-w, 0):
			return false
		default:
			apart = math.Hypot(apart, v-w)
		}
		if w-w == 0 {
			size = math.Hypot(size, w)
		}
	}
	return apart <= nearness*size
}
