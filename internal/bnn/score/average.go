package score

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Of is what an average of models averages.
type Of string

// What can be averaged.
const (
	Probabilities Of = "probabilities" // Bayesian model average
	Logits        Of = "logits"        // as the paper's code does: a geometric mean, made one by softmax
)

// An Average is the running average of models, by their predictions for one set of
// examples. Adding costs no memory.
type Average struct {
	of      Of
	classes int
	count   uint64
	sums    []float64 // Probabilities: log Σ p; Logits: Σ of the logits, each less its log-sum-exp
}

// NewAverage returns an average of no models yet, for n examples.
func NewAverage(of Of, n, classes int) (*Average, error) {
	if of != Probabilities && of != Logits {
		return nil, fmt.Errorf("an average of %q: choose %s or %s", of, Probabilities, Logits)
	}
	if err := whole(n*classes, classes); err != nil {
		return nil, err
	}
	return &Average{of: of, classes: classes, sums: make([]float64, n*classes)}, nil
}

// Count is the number of models added.
func (a *Average) Count() int { return int(a.count) }

// Add adds a model by its logits. After an error the average is as it was.
func (a *Average) Add(logits []float32) error {
	if len(logits) != len(a.sums) {
		return fmt.Errorf("%d logits cannot go into an average of %d: add predictions for the same examples", len(logits), len(a.sums))
	}
	p, err := FromLogits(logits, a.classes)
	if err != nil {
		return err
	}
	switch {
	case a.count == 0:
		copy(a.sums, p.logs)
	case a.of == Logits:
		for i, l := range p.logs {
			a.sums[i] += l
		}
	default:
		for i, l := range p.logs {
			high, low := max(a.sums[i], l), min(a.sums[i], l)
			a.sums[i] = high + math.Log1p(math.Exp(low-high))
		}
	}
	a.count++
	return nil
}

// Predictions returns the average of the models added, of which there must be one.
func (a *Average) Predictions() (*Predictions, error) {
	if a.count == 0 {
		return nil, fmt.Errorf("an average of no models predicts nothing: add one")
	}
	p := &Predictions{classes: a.classes, logs: make([]float64, len(a.sums))}
	for i, s := range a.sums {
		if a.of == Logits {
			p.logs[i] = s / float64(a.count)
		} else {
			p.logs[i] = s - math.Log(float64(a.count))
		}
	}
	if a.of == Logits {
		for i := range p.Len() {
			normalise(p.row(i))
		}
	}
	return p, nil
}

// marks start what AppendBinary writes.
var marks = map[Of]string{Probabilities: "avg1", Logits: "avl1"}

// AppendBinary appends the average, for a checkpoint.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, marks[a.of]...)
	b = binary.LittleEndian.AppendUint64(b, a.count)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(a.sums)))
	for _, s := range a.sums {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s))
	}
	return b, nil
}

// UnmarshalBinary sets an average, made by NewAverage with the same arguments, to what
// AppendBinary saved.
func (a *Average) UnmarshalBinary(b []byte) error {
	const head = 4 + 8 + 8
	if len(b) != head+8*len(a.sums) || string(b[:4]) != marks[a.of] || binary.LittleEndian.Uint64(b[12:]) != uint64(len(a.sums)) {
		return fmt.Errorf("average of models: the saved state (%d bytes) is not that of an average of %s with %d numbers",
			len(b), a.of, len(a.sums))
	}
	a.count = binary.LittleEndian.Uint64(b[4:])
	for i := range a.sums {
		a.sums[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[head+8*i:]))
	}
	return nil
}
