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
	x, grad   []float64             // of a block as evaluators have it
}

// evaluate writes energies and gradients of len(energy) states.
func (s *sizes) evaluate(energy, grad, x []float64) error {
	d := s.potential.Dim()
	for len(energy) > 0 {
		k := bits.Len(uint(len(energy))) - 1
		n := 1 << k
		for len(s.of) <= k {
			s.of = append(s.of, nil)
		}
		if s.of[k] == nil {
			s.of[k] = s.potential.Evaluator(n, nil)
		}
		if len(s.x) < n*d {
			s.x, s.grad = make([]float64, n*d), make([]float64, n*d)
		}
		turn(s.x[:n*d], x[:n*d], n, d)
		s.of[k].Eval(energy[:n], s.grad[:n*d], s.x[:n*d])
		if err := potential.Err(s.of[k]); err != nil {
			return err
		}
		turn(grad[:n*d], s.grad[:n*d], d, n)
		energy, grad, x = energy[n:], grad[n*d:], x[n*d:]
	}
	return nil
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
	if !pure(p) {
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
