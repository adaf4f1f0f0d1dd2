package fleet

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/r2sgld/r2sgld/potential"
)

// sizes are evaluators of a potential for blocks of any number of states: powers of two are
// put together, so that there are few. States are one after the other. One goroutine at a
// time.
type sizes struct {
	potential potential.Potential
	of        []potential.Evaluator // of 1, 2, 4, … states
	takes     []pace                // what each takes
	x, grad   []float64             // of a block as evaluators have it
	energy    []float64
}

// evaluate writes energies and gradients of len(energy) states.
func (s *sizes) evaluate(energy, grad, x []float64) error {
	d := s.potential.Dim()
	for len(energy) > 0 {
		k := s.next(len(energy))
		r := 1 << k
		n := min(r, len(energy))
		if s.of[k] == nil {
			s.of[k] = s.potential.Evaluator(r, nil)
		}
		if len(s.energy) < r {
			s.x, s.grad, s.energy = make([]float64, r*d), make([]float64, r*d), make([]float64, r)
		}
		for i := range r { // the last one stands for those beyond it
			for j, v := range x[min(i, n-1)*d:][:d] {
				s.x[j*r+i] = v
			}
		}
		begun := time.Now()
		s.of[k].Eval(s.energy[:r], s.grad[:r*d], s.x[:r*d])
		if err := potential.Err(s.of[k]); err != nil {
			return err
		}
		s.takes[k].note(time.Since(begun))
		copy(energy, s.energy[:n])
		for i := range n {
			for j := range d {
				grad[i*d+j] = s.grad[j*r+i]
			}
		}
		energy, grad, x = energy[n:], grad[n*d:], x[n*d:]
	}
	return nil
}

// next is the power of two that comes next of n states: the largest that is not above n, or the
// one above n where that is known to take less than the powers of which n is the sum, as it does
// where vectors take many states at the price of one.
func (s *sizes) next(n int) int {
	k := bits.Len(uint(n)) - 1
	for len(s.of) <= k+1 {
		s.of, s.takes = append(s.of, nil), append(s.takes, pace{})
	}
	sum := 0.0
	for j := range k + 1 {
		if n>>j&1 == 0 {
			continue
		}
		if !s.takes[j].known {
			return k
		}
		sum += s.takes[j].mean
	}
	if more := s.takes[k+1].or(2 * s.takes[k].mean); n != 1<<k && more < sum {
		return k + 1
	}
	return k
}

// close ends what the evaluators hold.
func (s *sizes) close() error {
	var errs []error
	for _, e := range s.of {
		if e != nil {
			errs = append(errs, potential.Close(e))
		}
	}
	s.of = nil
	return errors.Join(errs...)
}

// turn writes an n × d table by its columns.
func turn(dst, x []float64, n, d int) {
	for i := range n {
		for j, v := range x[i*d:][:d] {
			dst[j*n+i] = v
		}
	}
}

// variantOf is what a potential becomes by the letters of a variant, which [shared] adds.
func variantOf(p potential.Potential, variant string) (potential.Potential, error) {
	for _, letter := range variant {
		switch letter {
		case exact:
			e, noisy := potential.Exact(p)
			if !noisy || e == nil {
				return nil, fmt.Errorf("no exact potential in variant %q", variant)
			}
			p = e
		case few:
			p, _ = potential.Few(p)
		case rough:
			p = potential.Rough(p)
		default:
			return nil, fmt.Errorf("variant %q is not known", variant)
		}
	}
	if !Pure(p) {
		return nil, fmt.Errorf("variant %q does not take states one by one", variant)
	}
	return p, nil
}

// answerTo evaluates a block.
func (s *sizes) answerTo(b *block) *answer {
	a := &answer{id: b.id, n: b.n, d: b.d, values: make([]float64, b.n*(b.d+1))}
	begun := time.Now()
	if err := s.evaluate(a.values[:b.n], a.values[b.n:], b.x); err != nil {
		return &answer{id: b.id, failed: err.Error()}
	}
	a.took = time.Since(begun) / time.Duration(b.n)
	return a
}
