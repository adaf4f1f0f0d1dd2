package score

import (
	"cmp"
	"fmt"
	"slices"
)

// A Detection says how well the entropy of predictions tells examples of another kind
// from those of the kind that was learnt.
type Detection struct {
	// AUROC is the probability that an outside example has the larger entropy, ties
	// counting half: 0.5 is by chance.
	AUROC float64 `json:"auroc"`
	// FPR95 is the share of inside examples taken for outside ones, at the largest
	// threshold (entropy ≥ threshold) that finds 95 % of the outside ones.
	FPR95   float64 `json:"fpr95"`
	Inside  float64 `json:"entropy_inside"`  // mean entropy in nats
	Outside float64 `json:"entropy_outside"` // likewise
}

// Detect compares the entropies of predictions for inside and outside examples.
func Detect(inside, outside *Predictions) (*Detection, error) {
	if inside.classes != outside.classes {
		return nil, fmt.Errorf("predictions in %d classes inside and in %d outside: one model must make both", inside.classes, outside.classes)
	}
	in, out := inside.Entropy(), outside.Entropy()
	d := &Detection{Inside: mean(in), Outside: mean(out)}
	d.AUROC, d.FPR95 = detect(in, out)
	return d, nil
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// detect walks down the values of both, a group of equal ones at a time.
func detect(in, out []float64) (auroc, fpr95 float64) {
	type example struct {
		value   float64
		outside bool
	}
	all := make([]example, 0, len(in)+len(out))
	for _, v := range in {
		all = append(all, example{v, false})
	}
	for _, v := range out {
		all = append(all, example{v, true})
	}
	slices.SortFunc(all, func(a, b example) int { return cmp.Compare(b.value, a.value) })
	found, wrong, reached := 0, 0, false
	area := 0 // twice the pairs in which the outside example is above
	for start := 0; start < len(all); {
		end, foundNow, wrongNow := start, 0, 0
		for ; end < len(all) && all[end].value == all[start].value; end++ {
			if all[end].outside {
				foundNow++
			} else {
				wrongNow++
			}
		}
		area += wrongNow * (2*found + foundNow)
		found, wrong = found+foundNow, wrong+wrongNow
		if !reached && 20*found >= 19*len(out) {
			reached, fpr95 = true, float64(wrong)/float64(len(in))
		}
		start = end
	}
	return float64(area) / 2 / float64(len(in)) / float64(len(out)), fpr95
}
