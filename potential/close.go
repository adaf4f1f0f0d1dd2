package potential

import (
	"errors"
	"io"
)

// Close ends what e and the evaluators in it hold outside this program's
// memory, such as processes. Every evaluator must be closed once it is no longer
// needed and may not be used afterwards. An evaluator that holds something has a
// method Close() error.
func Close(e Evaluator) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Err says why e, or an evaluator in it, answers NaN for good: its first
// failure, nil as long as there was none. An evaluator that can fail has a method
// Err() error.
func Err(e Evaluator) error {
	if f, ok := e.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}

// A wrapper is an evaluator within another.
type wrapper struct{ Evaluator }

func (w wrapper) Close() error { return Close(w.Evaluator) }

func (w wrapper) Err() error { return Err(w.Evaluator) }

// Close closes all terms.
func (e *sumEvaluator) Close() error {
	var all []error
	for _, t := range e.terms {
		all = append(all, Close(t))
	}
	return errors.Join(all...)
}

// Err is the first failure in the order of the terms.
func (e *sumEvaluator) Err() error {
	for _, t := range e.terms {
		if err := Err(t); err != nil {
			return err
		}
	}
	return nil
}
