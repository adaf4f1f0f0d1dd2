// Package score answers how good predicted probabilities are: on labelled examples,
// beside those of another model, and for telling what is no example at all.
package score

import (
	"fmt"
	"math"
)

// Predictions are the probabilities that a model gives to the classes of every
// example, kept as logarithms: none is zero, so that no score is infinite.
type Predictions struct {
	classes int
	logs    []float64 // n × classes
}

// FromLogits returns softmax of the logits, n × classes by examples, computed in
// float64 by log-sum-exp. A logit that is not finite is an error.
func FromLogits[T float32 | float64](logits []T, classes int) (*Predictions, error) {
	if err := whole(len(logits), classes); err != nil {
		return nil, err
	}
	p := &Predictions{classes: classes, logs: make([]float64, len(logits))}
	for i, z := range logits {
		if math.IsNaN(float64(z)) || math.IsInf(float64(z), 0) {
			return nil, fmt.Errorf("logit %d of example %d is %g: the model has diverged", i%classes, i/classes+1, z)
		}
		p.logs[i] = float64(z)
	}
	for i := range p.Len() {
		normalise(p.logs[i*classes : (i+1)*classes])
	}
	return p, nil
}

// FromProbabilities takes probabilities, n × classes by examples, each in [0, 1] and
// those of an example of sum 1 within 1e-5. A zero counts as the smallest positive
// number, 4.9e-324.
func FromProbabilities(probabilities []float64, classes int) (*Predictions, error) {
	if err := whole(len(probabilities), classes); err != nil {
		return nil, err
	}
	p := &Predictions{classes: classes, logs: make([]float64, len(probabilities))}
	for i := range p.Len() {
		sum := 0.0
		for j, v := range probabilities[i*classes : (i+1)*classes] {
			if !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("probability %d of example %d is %g: it must be in [0, 1]", j, i+1, v)
			}
			sum += v
			p.logs[i*classes+j] = math.Log(max(v, math.SmallestNonzeroFloat64))
		}
		if math.Abs(sum-1) > 1e-5 {
			return nil, fmt.Errorf("the probabilities of example %d have the sum %g: it must be 1", i+1, sum)
		}
	}
	return p, nil
}

func whole(n, classes int) error {
	if classes < 2 || n == 0 || n%classes != 0 {
		return fmt.Errorf("%d numbers are no table with %d columns: rows of 2 classes or more were expected", n, classes)
	}
	return nil
}

// normalise subtracts log Σ exp(row) from a row.
func normalise(row []float64) {
	l := logSumExp(row, 1)
	for j := range row {
		row[j] -= l
	}
}

// logSumExp is log Σ_j exp(β row_j), for β > 0.
func logSumExp(row []float64, beta float64) float64 {
	top := row[argmax(row)]
	sum := 0.0
	for _, z := range row {
		sum += math.Exp(beta * (z - top))
	}
	return beta*top + math.Log(sum)
}

// argmax is the first place of the largest number.
func argmax(row []float64) int {
	best := 0
	for j, v := range row {
		if v > row[best] {
			best = j
		}
	}
	return best
}

// Len is the number n of examples.
func (p *Predictions) Len() int { return len(p.logs) / p.classes }

// Classes is the number of classes.
func (p *Predictions) Classes() int { return p.classes }

func (p *Predictions) row(i int) []float64 { return p.logs[i*p.classes : (i+1)*p.classes] }

// Probabilities returns the probabilities, n × classes by examples.
func (p *Predictions) Probabilities() []float64 {
	out := make([]float64, len(p.logs))
	for i, l := range p.logs {
		out[i] = math.Exp(l)
	}
	return out
}

// Entropy returns −Σ p log p of every example, in nats: in [0, log classes].
func (p *Predictions) Entropy() []float64 {
	out := make([]float64, p.Len())
	for i := range out {
		for _, l := range p.row(i) {
			out[i] -= math.Exp(l) * l
		}
	}
	return out
}

// Agreement is the share of examples to which two models give the same top class
// (the first, of ties).
func Agreement(p, q *Predictions) (float64, error) {
	if err := p.alike(q); err != nil {
		return 0, err
	}
	same := 0
	for i := range p.Len() {
		if argmax(p.row(i)) == argmax(q.row(i)) {
			same++
		}
	}
	return float64(same) / float64(p.Len()), nil
}

// TotalVariation is the mean over the examples of ½ Σ |p − q|, in [0, 1] (Izmailov
// et al. 2021).
func TotalVariation(p, q *Predictions) (float64, error) {
	if err := p.alike(q); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, l := range p.logs {
		sum += math.Abs(math.Exp(l) - math.Exp(q.logs[i]))
	}
	return sum / 2 / float64(p.Len()), nil
}

func (p *Predictions) alike(q *Predictions) error {
	if p.classes != q.classes || len(p.logs) != len(q.logs) {
		return fmt.Errorf("predictions of %d examples in %d classes and of %d in %d cannot be compared: make both on one set", p.Len(),
			p.classes, q.Len(), q.classes)
	}
	return nil
}
