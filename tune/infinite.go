package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/domain"
)

const (
	steep      = 0.05            // least power of the inverse distance from a pole that counts
	above      = 1.0 / 96        // share of the draws that must have a pole below them
	closest    = 1.0 / (1 << 20) // of their distance, where the power still holds
	located    = closest / 64    // of the distance, to which a pole is found
	longest    = 10.0            // standard deviations of the draws: of a straight way
	apart      = 1.0 / (1 << 10) // of a way, at which it is looked at first
	turns      = 32              // of a descent, at most
	looks      = 200             // at a way, at most
	perDescent = 16              // looks: a descent takes fewer as a rule
	rounded    = 16 * 0x1p-52    // of a coordinate, which distances may be off by
)

// A descent looks below draws for a pole: a place at a wall or inside where U falls like a
// multiple of the logarithm of the distance from it.
type descent struct {
	look     func(slope, at []float64) bool
	within   domain.Domain // nil is everywhere
	tracer   domain.Tracer
	width    []float64 // standard deviations of the draws
	from, at []float64 // the draw, and where its descent has come to
	way      []float64 // straight down the slope from there
	there, a []float64 // the last place that was looked at, and the slope there
}

// infinite reports whether the density is infinite at a wall or inside: whether from a
// share of the draws x, n × d, slopes lead to a pole, of a power that holds down to a
// millionth of the distance. Steps hardly enter such a layer, so that the slopes at draws
// need not tell. After most looks in all it goes no further.
func (q *probe) infinite(within domain.Domain, x []float64, d, most int) bool {
	if q.exact == nil || len(x) == 0 {
		return false
	}
	seen := q.slopes().around(x, d, nil)
	if len(seen) < 2 {
		return false
	}
	m, width := newMeter(q.slopes(), d, nil, q.places(len(seen))), widths(seen)
	defer m.close()
	need := max(4, int(float64(len(seen))*above))
	m.abreast(len(seen), func(i int, look func(slope, at []float64) bool) bool {
		counted := func(slope, at []float64) bool {
			most--
			return most >= 0 && look(slope, at)
		}
		if newDescent(counted, within, width, seen[i]).infinite() {
			need--
		}
		return need > 0 && most > 0 && q.ctx.Err() == nil
	})
	return need <= 0
}

func newDescent(look func(slope, at []float64) bool, within domain.Domain, width []float64, p point) *descent {
	w := &descent{look: look, within: within, width: width, from: p.at, at: slices.Clone(p.at), a: slices.Clone(p.slope)}
	w.way, w.there = make([]float64, len(width)), make([]float64, len(width))
	if within != nil {
		w.tracer = within.Tracer()
	}
	return w
}

// infinite reports whether a pole lies below the draw. Where a way passes a pole by, slopes along
// it cease to grow near the pole, and point at it more closely there.
func (w *descent) infinite() bool {
	for range turns {
		if !w.aim() {
			break
		}
		part := w.follow()
		floats.AddScaled(w.at, part, w.way)
		if step := part * w.length(w.way); step <= located*w.gone() || !w.slope(0) {
			break
		}
	}
	return w.falls()
}

// aim sets the way, down the slope in units in which the draws are equally wide in all
// coordinates, to a wall or as long as ways are. It reports whether there is a slope.
func (w *descent) aim() bool {
	norm := 0.0
	for j, s := range w.a {
		norm = math.Hypot(norm, s*w.width[j])
	}
	if !(norm > 0) || math.IsInf(norm, 0) {
		return false
	}
	for j, s := range w.a {
		w.way[j] = -longest * s * w.width[j] / norm * w.width[j]
	}
	if w.tracer != nil {
		part, _ := w.tracer.Exit(w.at, w.way, domain.None)
		floats.Scale(part, w.way)
	}
	return true
}

// follow goes along the way as long as U falls faster and faster, as it does towards a pole
// and not to the bottom of what is smooth, and returns how far, in parts of it: to its end, or
// to a place where U turns, where that is approached so.
func (w *descent) follow() float64 {
	near, far, fall := 0.0, 1.0, -floats.Dot(w.a, w.way)
	t := apart
	for range looks {
		faster := -1.0
		if w.slope(t) {
			faster = -floats.Dot(w.a, w.way)
		}
		switch {
		case faster <= 0: // beyond a turn, or U is infinite
			far = t
		case faster <= fall:
			return near
		default:
			near, fall = t, faster
		}
		if far-near <= located*far {
			return far
		}
		t = (near + far) / 2
		if near > 0 {
			t = min(t, 2*near)
		}
	}
	return near
}

// slope looks at the slope so far along the way, and reports whether there is one.
func (w *descent) slope(part float64) bool {
	for j, v := range w.way {
		w.there[j] = w.at[j] + part*v
	}
	return (w.within == nil || w.within.Contains(w.there)) && w.look(w.a, w.there)
}

// gone sets the way to the straight one from the draw, and returns its length.
func (w *descent) gone() float64 {
	floats.SubTo(w.way, w.at, w.from)
	return w.length(w.way)
}

// length is that of v in standard deviations of the draws.
func (w *descent) length(v []float64) (sum float64) {
	for j, width := range w.width {
		if width > 0 {
			sum = math.Hypot(sum, v[j]/width)
		}
	}
	return sum
}

// falls reports whether U falls like a multiple of the logarithm of the distance from where
// the descent has come to, all along the straight way from the draw. A distance of which a
// millionth is rounding tells nothing.
func (w *descent) falls() bool {
	if w.gone()*closest <= rounded*w.length(w.at) {
		return false
	}
	for left := 1.0; left >= closest; left /= 2 {
		if !w.slope(-left) || -left*floats.Dot(w.a, w.way) < steep {
			return false
		}
	}
	return true
}

// widths are the standard deviations of the coordinates.
func widths(seen []point) []float64 {
	w, one := make([]float64, len(seen[0].at)), make([]float64, len(seen))
	for j := range w {
		for i, p := range seen {
			one[i] = p.at[j]
		}
		w[j] = stat.StdDev(one, nil)
	}
	return w
}
