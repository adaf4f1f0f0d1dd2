package deep

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/study"
)

// guessing is the share of the NLL of a guess, log classes, from which on a model is said
// to know nothing. A model that knows nothing has that NLL or more in expectation, and
// less by chance: if log p of its classes differ by 0.2, by 0.2/sqrt n on n test images. One
// per cent of log 10 is nearly four times that for 1,000 images.
const guessing = 0.99

// came reports whether a run came to something: its losses are finite, and its average
// predicts better than a guess does.
func (o *outcome) came(r *run) bool {
	return r.Fault == "" && r.Average.NLL < guessing*math.Log(float64(o.network.Outputs))
}

// failed counts the runs that came to nothing.
func (o *outcome) failed() (n int) {
	for _, r := range o.runs {
		if !o.came(r) {
			n++
		}
	}
	return n
}

// of lists the outcomes of the sweep of one method, steps rising.
func (m *inquiry) of(method string) (out []*outcome) {
	for _, o := range m.swept {
		if o.method == method {
			out = append(out, o)
		}
	}
	return out
}

// largest is the largest step of the sweep up to which no run of a method failed; 0 if
// the smallest did.
func (m *inquiry) largest(method string) (eta float64) {
	for _, o := range m.of(method) {
		if o.failed() > 0 {
			break
		}
		eta = o.settings.StepSize[0]
	}
	return eta
}

func (m *inquiry) sweepRows() (out [][]string) {
	metrics := m.metrics()
	for i := range m.steps {
		for _, name := range sweeping() {
			o := m.of(name)[i]
			row := []string{fmt.Sprintf("%g", m.steps[i]), told(name)}
			for _, c := range metrics[:3] {
				row = append(row, study.IntervalOf(o.well(func(r *run) float64 { return c.of(r.Average) })).PlusMinus())
			}
			row = append(row, study.IntervalOf(o.well(func(r *run) float64 { return r.Single.NLL })).PlusMinus(),
				fmt.Sprintf("%d of %d", o.broken(), len(o.runs)), fmt.Sprintf("%d of %d", o.failed(), len(o.runs)), fmt.Sprintf("%.2g", o.reflected()))
			out = append(out, row)
		}
	}
	return out
}

// times counts repetitions.
func times(n int) string {
	if n == 1 {
		return "1 repetition"
	}
	return fmt.Sprintf("%d repetitions", n)
}
