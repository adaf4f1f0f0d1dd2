package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Bins is how many bins of equal width the top probability falls in, for calibration:
// [0, 1/15), [1/15, 2/15) … [14/15, 1].
const Bins = 15

// A Bin is the examples whose top probability falls in one bin.
type Bin struct {
	Count      int     `json:"count"`
	Confidence float64 `json:"confidence"` // mean top probability; 0 of an empty bin
	Accuracy   float64 `json:"accuracy"`   // share of right ones; 0 of an empty bin
}

// Scores say how good predictions are. Means are over examples.
type Scores struct {
	Accuracy float64 `json:"accuracy"` // share whose top class is the label (the first, of ties)
	NLL      float64 `json:"nll"`      // mean −log p(label), in nats
	Brier    float64 `json:"brier"`    // mean Σ (p − 1{label})², in [0, 2]
	// ECE is Σ count/n |accuracy − confidence| over the bins (Naeini et al. 2015).
	ECE float64 `json:"ece"`
	// ScaledNLL is the NLL of probabilities proportional to p^(1/T), at the temperature
	// T that makes it least on other examples (Guo et al. 2017).
	ScaledNLL   float64 `json:"nll_scaled"`
	Temperature float64 `json:"temperature"` // that T, in [0.01, 100]
	// AURC is the area under the risk–coverage curve: the error rate among the k
	// examples of largest top probability, over k/n from 1/n to 1 by trapezia, divided
	// by 1 − 1/n, as torch-uncertainty computes it. Examples of equal top probability
	// (within 1e-14) err evenly.
	AURC        float64 `json:"aurc"`
	Entropy     float64 `json:"entropy"` // mean −Σ p log p, in nats
	Reliability []Bin   `json:"reliability"`
}

// Held are predictions for other examples than those scored, with their labels.
type Held struct {
	Predictions *Predictions
	Labels      []int32
}

// Score scores predictions against labels in [0, classes). The temperature is fitted
// on what is held, and ScaledNLL is of all examples; where held is nil, it is fitted on
// the examples 0, 2, 4 … and ScaledNLL is of the examples 1, 3, 5 … alone. Two examples
// at least are needed.
func Score(p *Predictions, labels []int32, held *Held) (*Scores, error) {
	if err := p.labelled(labels); err != nil {
		return nil, err
	}
	n := p.Len()
	if n < 2 {
		return nil, fmt.Errorf("one example has no scores: predict two at least")
	}
	s := &Scores{Reliability: make([]Bin, Bins)}
	tops := make([]top, n)
	for i, label := range labels {
		row := p.row(i)
		s.NLL -= row[label]
		for j, l := range row {
			d := math.Exp(l)
			s.Entropy -= d * l
			if j == int(label) {
				d--
			}
			s.Brier += d * d
		}
		best := argmax(row)
		tops[i] = top{confidence: math.Exp(row[best]), wrong: best != int(label)}
	}
	s.NLL /= float64(n)
	s.Brier /= float64(n)
	s.Entropy /= float64(n)
	s.calibration(tops)
	s.AURC = riskCoverage(tops)
	return s, s.scale(p, labels, held)
}

func (p *Predictions) labelled(labels []int32) error {
	if len(labels) != p.Len() {
		return fmt.Errorf("%d labels for the predictions of %d examples: there must be one each", len(labels), p.Len())
	}
	for i, l := range labels {
		if l < 0 || int(l) >= p.classes {
			return fmt.Errorf("label %d of example %d: those of %d classes are 0 … %d", l, i+1, p.classes, p.classes-1)
		}
	}
	return nil
}

// A top is the most probable class of an example.
type top struct {
	confidence float64
	wrong      bool
}

// calibration fills accuracy, bins and their error.
func (s *Scores) calibration(tops []top) {
	right := 0
	for _, t := range tops {
		b := &s.Reliability[min(int(t.confidence*Bins), Bins-1)]
		b.Count++
		b.Confidence += t.confidence
		if !t.wrong {
			b.Accuracy++
			right++
		}
	}
	s.Accuracy = float64(right) / float64(len(tops))
	for i := range s.Reliability {
		b := &s.Reliability[i]
		s.ECE += math.Abs(b.Accuracy-b.Confidence) / float64(len(tops))
		if b.Count > 0 {
			b.Accuracy /= float64(b.Count)
			b.Confidence /= float64(b.Count)
		}
	}
}

// rounding is how far top probabilities may lie apart that are equal but for the order
// of classes in their sums.
const rounding = 1e-14

// riskCoverage is AURC. It sorts tops.
func riskCoverage(tops []top) float64 {
	slices.SortFunc(tops, func(a, b top) int { return cmp.Compare(b.confidence, a.confidence) })
	n := len(tops)
	area, before, errors := 0.0, 0.0, 0.0
	for start := 0; start < n; {
		end, wrong := start, 0.0
		for ; end < n && tops[start].confidence-tops[end].confidence <= rounding; end++ {
			if tops[end].wrong {
				wrong++
			}
		}
		for k := start + 1; k <= end; k++ {
			risk := (errors + wrong*float64(k-start)/float64(end-start)) / float64(k)
			if k > 1 {
				area += (before + risk) / 2
			}
			before = risk
		}
		errors += wrong
		start = end
	}
	return area / float64(n-1) // widths of 1/n, over 1 − 1/n
}

// scale fits the temperature and fills the scaled score.
func (s *Scores) scale(p *Predictions, labels []int32, held *Held) error {
	fit, on, step := Held{p, labels}, 1, 2
	if held != nil {
		if err := held.Predictions.labelled(held.Labels); err != nil {
			return fmt.Errorf("examples for the temperature: %w", err)
		}
		fit, on, step = *held, 0, 1
	}
	beta := fit.sharpness(step)
	s.Temperature = 1 / beta
	count := 0
	for i := on; i < p.Len(); i += step {
		row := p.row(i)
		s.ScaledNLL += logSumExp(row, beta) - beta*row[labels[i]]
		count++
	}
	s.ScaledNLL /= float64(count)
	return nil
}

// sharpness is the β = 1/T in [0.01, 100] that makes Σ log Σ_j p_j^β − β log p(label)
// least, over every step-th example: a convex function, whose derivative is brought to
// zero by Newton's method inside a bracket.
func (h Held) sharpness(step int) float64 {
	low, high, beta := 0.01, 100.0, 1.0
	if s, _ := h.slope(low, step); s > 0 {
		return low
	}
	if s, _ := h.slope(high, step); s < 0 {
		return high
	}
	for range 200 {
		slope, curvature := h.slope(beta, step)
		switch {
		case slope == 0: // also where all probabilities are equal, or 0 and 1
			return beta
		case slope > 0:
			high = beta
		default:
			low = beta
		}
		next := beta - slope/curvature
		if !(next > low && next < high) {
			next = math.Sqrt(low * high)
		}
		if math.Abs(next-beta) <= 1e-13*beta {
			break
		}
		beta = next
	}
	return beta
}

// slope is the first and the second derivative of what sharpness makes least.
func (h Held) slope(beta float64, step int) (first, second float64) {
	for i := 0; i < h.Predictions.Len(); i += step {
		row := h.Predictions.row(i)
		at := row[argmax(row)]
		sum, mean, square := 0.0, 0.0, 0.0
		for _, l := range row {
			w := math.Exp(beta * (l - at))
			sum += w
			mean += w * (l - at)
			square += w * (l - at) * (l - at)
		}
		mean /= sum
		first += mean - (row[h.Labels[i]] - at)
		second += square/sum - mean*mean
	}
	return first, second
}
