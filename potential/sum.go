package potential

import (
	"errors"
	"fmt"

	"github.com/r2sgld/r2sgld/stream"
)

// Sum is the sum of potentials of equal dimension, for instance a likelihood
// and priors.
func Sum(terms ...Potential) (Potential, error) {
	switch len(terms) {
	case 0:
		return nil, errors.New("potential: a sum of nothing")
	case 1:
		return terms[0], nil
	}
	for _, t := range terms {
		if t.Dim() != terms[0].Dim() {
			return nil, fmt.Errorf("potential: a sum of potentials of dimensions %d and %d", terms[0].Dim(), t.Dim())
		}
	}
	return sum(terms), nil
}

type sum []Potential

func (p sum) Dim() int { return p[0].Dim() }

func (p sum) Evaluator(r int, s *stream.Set) Evaluator {
	e := &sumEvaluator{energy: make([]float64, r), grad: make([]float64, r*p.Dim())}
	for _, t := range p {
		e.terms = append(e.terms, t.Evaluator(r, s))
	}
	return e
}

type sumEvaluator struct {
	terms        []Evaluator
	energy, grad []float64
}

func (e *sumEvaluator) Eval(energy, grad, x []float64) {
	e.terms[0].Eval(energy, grad, x)
	for _, t := range e.terms[1:] {
		t.Eval(e.energy, e.grad, x)
		for i, u := range e.energy {
			energy[i] += u
		}
		for i, g := range e.grad {
			grad[i] += g
		}
	}
}
