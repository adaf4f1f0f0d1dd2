package runner

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/kernel"
)

// What the figures of a ladder show: its last iterations.
const (
	windowLabels = 8192 // iterations whose labels are kept
	windowSteps  = 400  // iterations whose steps are kept
)

// A window remembers the end of one ladder, in rings: which rung each replica
// held, and the steps of a cold and a hot rung in the first two coordinates. It is
// the recorder of that ladder and passes all it sees on.
type window struct {
	next      r2sgld.Recorder
	whitening *r2sgld.Whitening
	hot       int // the rung shown beside the coldest; 0 is none
	rungs     int
	now       []int // labels after the last iteration
	last      int   // iteration
	seen      int   // iterations in a row before and with it
	labels    []uint16
	steps     []float64 // of each iteration: cold, hot; of each from, to, mirrorings, swapped
	at        [2]float64
}

const stepNumbers = 6

func newWindow(s r2sgld.Settings, d int, next r2sgld.Recorder) *window {
	w := &window{next: next, whitening: s.Whitening, rungs: len(s.Temperature)}
	for w.hot+1 < w.rungs && !math.IsInf(s.Temperature[w.hot+1], 1) {
		w.hot++
	}
	w.labels = make([]uint16, windowLabels*w.rungs)
	if d >= 2 && !s.Unbiased() && !s.Mirror { // whose paths are no steps of these coordinates
		w.steps = make([]float64, windowSteps*2*stepNumbers)
	}
	return w
}

// Record implements r2sgld.Recorder.
func (w *window) Record(k int, b *kernel.Block) error {
	if k != w.last+1 {
		w.seen = 0
	}
	row := w.labels[k%windowLabels*w.rungs:][:w.rungs]
	for i, r := range b.Rung {
		row[i] = uint16(r)
	}
	if w.steps != nil && w.seen > 0 {
		w.step(k, b)
	}
	w.now = append(w.now[:0], b.Rung...)
	w.last, w.seen = k, w.seen+1
	if w.next == nil {
		return nil
	}
	return w.next.Record(k, b)
}

// step remembers the steps of the rungs shown: of the replicas that held them
// before labels traded.
func (w *window) step(k int, b *kernel.Block) {
	at := w.steps[k%windowSteps*2*stepNumbers:][:2*stepNumbers]
	for i, r := range w.now {
		if r != 0 && r != w.hot {
			continue
		}
		to := at[:stepNumbers]
		if r != 0 {
			to = at[stepNumbers:]
		}
		copy(to, w.plane(b.From, b.Stride, i))
		copy(to[2:], w.plane(b.X, b.Stride, i))
		to[4], to[5] = float64(b.Hits[i]), 0
		if b.Rung[i] != r {
			to[5] = 1
		}
	}
}

// plane is the first two of the user's coordinates of replica i.
func (w *window) plane(z []float64, replicas, i int) []float64 {
	for j := range w.at {
		if w.whitening == nil {
			w.at[j] = z[j*replicas+i]
			continue
		}
		w.at[j] = w.whitening.Center[j]
		for k, l := range w.whitening.L[j] {
			w.at[j] += l * z[k*replicas+i]
		}
	}
	return w.at[:]
}

// record returns the labels, for figure.IndexProcess.
func (w *window) record() (first int, rung [][]int) {
	n := min(w.seen, windowLabels)
	rung = make([][]int, w.rungs)
	first = w.last - n + 1
	for i := range rung {
		rung[i] = make([]int, n)
		for k := range n {
			rung[i][k] = int(w.labels[(first+k)%windowLabels*w.rungs+i])
		}
	}
	return first, rung
}

// paths returns the steps of the coldest and, if there is one, the hot rung.
func (w *window) paths() (first int, cold, hot []figure.Step) {
	n := min(w.seen-1, windowSteps)
	if w.steps == nil || n < 1 {
		return 0, nil, nil
	}
	first = w.last - n + 1
	for k := first; k <= w.last; k++ {
		v := w.steps[k%windowSteps*2*stepNumbers:]
		cold = append(cold, stepOf(v))
		if w.hot > 0 {
			hot = append(hot, stepOf(v[stepNumbers:]))
		}
	}
	return first, cold, hot
}

func stepOf(v []float64) figure.Step {
	return figure.Step{From: [2]float64{v[0], v[1]}, X: [2]float64{v[2], v[3]}, Mirrorings: int(v[4]), Swapped: v[5] != 0}
}

// AppendBinary appends what is remembered, so that figures do not depend on
// interruptions.
func (w *window) AppendBinary(b []byte) ([]byte, error) {
	now := make([]uint16, w.rungs)
	for i, r := range w.now {
		now[i] = uint16(r)
	}
	for _, part := range []any{int64(w.last), int64(w.seen), now, w.labels, w.steps} {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// UnmarshalBinary restores what AppendBinary saved.
func (w *window) UnmarshalBinary(b []byte) error {
	var last, seen int64
	now := make([]uint16, w.rungs)
	for _, part := range []any{&last, &seen, now, w.labels, w.steps} {
		n, err := binary.Decode(b, binary.LittleEndian, part)
		if err != nil {
			return errors.New("the record of the last iterations is cut short")
		}
		b = b[n:]
	}
	rung := func(r uint16) bool { return int(r) >= w.rungs }
	if len(b) > 0 || seen < 0 || last < 0 || last > 1e12 || seen > last+1 || slices.ContainsFunc(now, rung) ||
		slices.ContainsFunc(w.labels, rung) {
		return errors.New("the record of the last iterations is that of no run")
	}
	w.last, w.seen, w.now = int(last), int(seen), w.now[:0]
	for _, r := range now {
		w.now = append(w.now, int(r))
	}
	return nil
}
