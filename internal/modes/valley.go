package modes

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	bends      = 6             // times that the parts of a way are parted in two
	mostTried  = 3             // ways from a minimum to each valley
	mostPieces = mostModes / 4 // modes of a valley: others need room as well
)

// Unite notes in which valley modes lie of which that is not known. A ring, or a shell, of equal E is
// one valley, though normal laws cover it by pieces.
func (s *Search) Unite(ctx context.Context, t Target) error {
	t.idle = &idle{}
	defer t.idle.close()
	for i := range s.Modes {
		if s.Modes[i].Valley == 0 {
			if err := s.unite(ctx, &t, &s.Modes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unite has a mode lie in a valley of its own, and with each mode that a way leads to on which E does
// not rise.
func (s *Search) unite(ctx context.Context, t *Target, m *Mode) error {
	for _, o := range s.Modes {
		m.Valley = max(m.Valley, o.Valley+1)
	}
	return s.reach(ctx, t, m)
}

// full reports whether no more modes are kept of a valley of which E at its floor is that.
func (s *Search) full(e float64) bool {
	for _, m := range s.Modes {
		if math.Abs(m.Energy-e) < barrier && s.pieces(m.Valley) >= mostPieces {
			return true
		}
	}
	return false
}

// pieces is how many modes are kept of a valley.
func (s *Search) pieces(valley int) (n int) {
	for _, m := range s.Modes {
		if m.Valley == valley {
			n++
		}
	}
	return n
}

// reach has m, a mode that is alone in its valley, be in one with those that a level way leads to.
func (s *Search) reach(ctx context.Context, t *Target, m *Mode) error {
	type other struct {
		*Mode
		far float64
	}
	var near []other
	for i := range s.Modes {
		o := &s.Modes[i]
		if far := t.apart(m.X, o.X); o.Valley > 0 && o != m && far <= min(t.softest(m), t.softest(o)) {
			near = append(near, other{o, far})
		}
	}
	slices.SortStableFunc(near, func(a, b other) int { return cmp.Compare(a.far, b.far) })
	tried := map[int]int{}
	for _, o := range near {
		if o.Valley == m.Valley || tried[o.Valley] == mostTried {
			continue
		}
		tried[o.Valley]++
		level, asked, err := t.level(ctx, m, o.Mode)
		if s.Gradients += int64(asked); err != nil {
			return err
		}
		if !level {
			continue
		}
		one, gone := min(o.Valley, m.Valley), max(o.Valley, m.Valley)
		for i := range s.Modes {
			if s.Modes[i].Valley == gone {
				s.Modes[i].Valley = one
			}
		}
	}
	return nil
}

// apart is the distance of two points, in widths.
func (t *Target) apart(a, b []float64) float64 {
	sum := 0.0
	for j, w := range t.Width {
		sum += (a[j] - b[j]) * (a[j] - b[j]) / (w * w)
	}
	return math.Sqrt(sum)
}

// softest is the standard deviation of the normal law at a mode in the direction in which E is
// flattest, in widths.
func (t *Target) softest(m *Mode) float64 {
	if m.soft == 0 {
		l := mat.NewDense(len(m.X), len(m.X), nil)
		for i, row := range m.L {
			for j, v := range row {
				l.Set(i, j, v/t.Width[i])
			}
		}
		var svd mat.SVD
		if m.soft = math.Inf(-1); svd.Factorize(l, mat.SVDNone) {
			m.soft = svd.Values(nil)[0]
		}
	}
	return m.soft
}

// level reports whether it finds a way from a to b, in the domain, on which E does not rise, and how
// many gradients that took. It parts a way that does not hold what it is to at its middle, from where
// it goes down to the floor of the valley.
func (t *Target) level(ctx context.Context, a, b *Mode) (bool, int, error) {
	v := t.idle.take(t.Energy, between)
	defer t.idle.put(v)
	asked, top := 0, max(a.Energy, b.Energy)+barrier
	ways := [][2][]float64{{a.X, b.X}}
	for bend := 0; ; bend++ {
		var steep [][2][]float64
		for _, w := range ways {
			if t.Domain == nil || !leaves(t.Domain.Tracer(), w[0], w[1], make([]float64, len(a.X))) {
				if err := cmp.Or(ctx.Err(), v.walk(w[0], w[1], 0, 1)); err != nil {
					return false, asked, err
				}
				if asked += between; !slices.ContainsFunc(v.energy, func(e float64) bool { return !(e <= top) }) {
					continue
				}
			}
			steep = append(steep, w)
		}
		if len(steep) == 0 || bend == bends {
			return len(steep) == 0, asked, nil
		}
		middles, n, err := t.floor(ctx, steep)
		if asked += n; err != nil || middles == nil {
			return false, asked, err
		}
		ways = ways[:0]
		for i, w := range steep {
			ways = append(ways, [2][]float64{w[0], middles[i]}, [2][]float64{middles[i], w[1]})
		}
	}
}

// floor goes down from the middles of straight ways; nil where one is outside the domain or leads to
// an end of its way. It took so many gradients.
func (t *Target) floor(ctx context.Context, ways [][2][]float64) (ends [][]float64, asked int, err error) {
	const nearer = 0.9 // to both ends than they are apart
	all := make([]*descent, len(ways))
	for i, w := range ways {
		x := make([]float64, len(w[0]))
		for j := range x {
			x[j] = (w[0][j] + w[1][j]) / 2
		}
		if t.Domain != nil && !t.Domain.Contains(x) {
			return nil, 0, nil
		}
		all[i] = newDescent(t, x)
	}
	err = t.settle(ctx, all, mostAsked, rough, func(int, *descent) bool { return false })
	lost := false
	for i, w := range all {
		asked += w.asked
		ends = append(ends, w.x)
		lost = lost || !w.begun || max(t.apart(w.x, ways[i][0]), t.apart(w.x, ways[i][1])) > nearer*t.apart(ways[i][0], ways[i][1])
	}
	if lost {
		return nil, asked, err
	}
	return ends, asked, err
}

// Valleys says of every mode which is the first that lies in the same valley.
func Valleys(all []Mode) []int {
	out := make([]int, len(all))
	for i, m := range all {
		if out[i] = i; m.Valley > 0 {
			out[i] = slices.IndexFunc(all, func(o Mode) bool { return o.Valley == m.Valley })
		}
	}
	return out
}

// Pieces are the places of the modes of each valley, by the first of them, in their order.
func Pieces(all []Mode) iter.Seq2[int, []int] {
	valley := Valleys(all)
	return func(yield func(int, []int) bool) {
		for k := range all {
			if valley[k] != k {
				continue
			}
			var of []int
			for i, first := range valley {
				if first == k {
					of = append(of, i)
				}
			}
			if !yield(k, of) {
				return
			}
		}
	}
}

// pick are those of all at some places.
func pick(all []Mode, at []int) (some []Mode) {
	for _, k := range at {
		some = append(some, all[k])
	}
	return some
}
