package bnn

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
)

// outputs are those of a model, by examples of the sets outside of training.
type outputs struct {
	test, outside []float32 // nil without such a set
}

// A mixture is the average of models.
type mixture struct {
	Models  int
	Classes int       // outputs of an example
	Sums    []float64 // of the outputs of loss squared
	Of      score.Of
	test    *score.Average
	outside *score.Average
}

// add adds a model.
func (m *mixture) add(o *outputs, data Data) error {
	m.Models++
	if o.test == nil {
		return nil
	}
	m.Classes = len(o.test) / data.Test.Len()
	if squared(data.Test) {
		if m.Sums == nil {
			m.Sums = make([]float64, len(o.test))
		}
		for i, y := range o.test {
			m.Sums[i] += float64(y)
		}
		return nil
	}
	if err := m.room(data); err != nil {
		return err
	}
	if err := m.test.Add(o.test); err != nil {
		return err
	}
	if m.outside != nil {
		return m.outside.Add(o.outside)
	}
	return nil
}

// room makes the averages of classes.
func (m *mixture) room(data Data) (err error) {
	if m.test != nil {
		return nil
	}
	if m.test, err = score.NewAverage(m.Of, data.Test.Len(), m.Classes); err != nil || data.Outside == nil {
		return err
	}
	m.outside, err = score.NewAverage(m.Of, data.Outside.Len(), m.Classes)
	return err
}

// predictions are those of the average.
func (m *mixture) predictions() (p Predictions, err error) {
	if m.Sums != nil {
		p.Outputs = make([]float64, len(m.Sums))
		for i, sum := range m.Sums {
			p.Outputs[i] = sum / float64(m.Models)
		}
		return p, nil
	}
	if m.test == nil {
		return p, nil
	}
	if p.Test, err = m.test.Predictions(); err != nil || m.outside == nil {
		return p, err
	}
	p.Outside, err = m.outside.Predictions()
	return p, err
}

// saved returns the averages of classes as bytes, for a checkpoint.
func (m *mixture) saved() (b [][]byte, err error) {
	for _, a := range []*score.Average{m.test, m.outside} {
		if a == nil {
			continue
		}
		one, err := a.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		b = append(b, one)
	}
	return b, nil
}

// restore makes the averages of classes as they were saved.
func (m *mixture) restore(b [][]byte, data Data) error {
	m.test, m.outside = nil, nil
	if len(b) == 0 {
		return nil
	}
	if data.Test == nil || m.Classes < 2 || m.Classes > math.MaxInt32 {
		return fmt.Errorf("an average over a test set in %d classes where there is none", m.Classes)
	}
	if want := data.Test.Len() * m.Classes * 8; len(b[0]) < want {
		return fmt.Errorf("an average of %d bytes instead of %d", len(b[0]), want)
	}
	if err := m.room(data); err != nil {
		return err
	}
	all := []*score.Average{m.test}
	if m.outside != nil {
		all = append(all, m.outside)
	}
	if len(all) != len(b) {
		return fmt.Errorf("averages over %d sets instead of %d", len(b), len(all))
	}
	for i, a := range all {
		if err := a.UnmarshalBinary(b[i]); err != nil {
			return err
		}
	}
	return nil
}

// squared reports whether a set is one of a regression.
func squared(s *images.Set) bool { return s.Targets != nil }

// predictions are those of one model.
func (o *outputs) predictions(data Data) (p Predictions, err error) {
	if o.test == nil {
		return p, nil
	}
	if squared(data.Test) {
		p.Outputs = make([]float64, len(o.test))
		for i, y := range o.test {
			p.Outputs[i] = float64(y)
		}
		return p, nil
	}
	classes := len(o.test) / data.Test.Len()
	if p.Test, err = score.FromLogits(o.test, classes); err != nil || o.outside == nil {
		return p, err
	}
	p.Outside, err = score.FromLogits(o.outside, classes)
	return p, err
}

// Scores judges predictions of a test set; nil without predictions or labels.
func (p Predictions) Scores(test *images.Set) (*Scores, error) {
	if p.Outputs != nil {
		return squaredScores(p.Outputs, test), nil
	}
	if p.Test == nil || test.Labels == nil {
		return nil, nil
	}
	all, err := score.Score(p.Test, test.Labels, nil)
	if err != nil {
		return nil, err
	}
	s := &Scores{Scores: *all}
	if p.Outside != nil {
		s.Detection, err = score.Detect(p.Test, p.Outside)
	}
	return s, err
}

// squaredScores are those of outputs of a regression.
func squaredScores(outputs []float64, test *images.Set) *Scores {
	x, loss := math.NaN(), 0.0
	for i, y := range outputs {
		d := y - float64(test.Targets[i])
		loss += d * d / 2
	}
	return &Scores{Scores: score.Scores{Accuracy: x, NLL: loss / float64(test.Len()), Brier: x, ECE: x, ScaledNLL: x,
		Temperature: x, AURC: x, Entropy: x}}
}

// curve is what is noted of predictions in every epoch.
func (p Predictions) curve(test *images.Set) (*Scores, error) {
	s, err := p.Scores(test)
	if s != nil {
		s.Reliability = nil
	}
	return s, err
}
