// Package modes answers where the modes of a density are and how much of its mass each of
// them has, before anything is sampled: it goes down −log of the density from many starts,
// along walls where it must, tells apart the basins that they end in, and fits a mixture of
// normal laws to them.
package modes

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A Target is the density exp(−E) on a domain.
type Target struct {
	Energy  potential.Potential // E; it draws nothing at random
	Domain  domain.Domain       // nil is all of R^d
	Width   []float64           // of what starts fill, per coordinate: positive
	Flat    float64             // least second derivative per square of a width: modes are no wider than its root tells
	Threads int                 // descents side by side; changes nothing else
	Near    bool                // what samples E knows little of it far from its modes: no law reaches there

	idle *idle // evaluators that wait
}

// A Mode is a basin of E: all points that lead down to the same minimum.
type Mode struct {
	X      []float64   `json:"x"`        // the minimum
	Energy float64     `json:"energy"`   // E there
	L      [][]float64 `json:"l"`        // L Lᵀ is the covariance of the normal law fitted there
	Log    float64     `json:"log_mass"` // log ∫ exp(−E) over the basin, by that law
	Starts int         `json:"starts"`   // of all, that end there
	Valley int         `json:"valley"`   // its number: E does not rise on the way to any mode of the same one; 0 where that is not known
	inv    [][]float64 // of L
	soft   float64     // see softest; 0 where that is not known
}

// Holds reports whether x is next to the minimum, within a tenth of a standard deviation in each coordinate.
func (m Mode) Holds(x []float64) bool {
	for j, v := range x {
		sd := 0.0
		for _, l := range m.L[j] {
			sd = math.Hypot(sd, l)
		}
		if !(math.Abs(v-m.X[j]) <= sd/10) {
			return false
		}
	}
	return true
}

const (
	lanes     = 32  // points that are evaluated at once
	chunk     = 128 // descents of a goroutine
	batch     = 512 // starts at once, at most
	rough     = 1e-2
	fine      = 1e-6
	mostAsked = 60  // points of a descent before it is looked at
	mostFine  = 300 // more of one that is taken to its end
	mostEnds  = 64  // descents of a batch that are taken to their end, for no more gradients than all took
	mostModes = 64
)

// A Search is what many starts led to.
type Search struct {
	Modes     []Mode `json:"modes"`     // those of the first search first, the one of most mass before the others
	Starts    int    `json:"starts"`    // all of them
	Settled   int    `json:"settled"`   // of them, those that ended in a mode
	Gradients int64  `json:"gradients"` // of all; those that take a part of the work count for that part
	Fall      *Fall  `json:"-"`         // nil where E seems to be bounded below

	cover   cover    // of the modes, in the order that they were found in
	told    int      // starts that one gradient told the mode of
	deepest *descent // of those that have not come to an end
}

// A Fall is a point far from all starts where E is lower than −log of a density is, and goes on falling.
type Fall struct {
	X      []float64
	Energy float64
}

// Find goes down from starts, which draw writes: points of the domain, at least few and at
// most many of them, until so many gradients are spent: more where a mode that matters has but few
// starts, for then others are likely missed. Where a part of the work tells about what E is
// ([potential.Few]) the search is of that, and from the minima that it finds descents go on by all
// of E. Equal arguments give equal results.
func Find(ctx context.Context, t Target, draw func(x []float64) error, few, many int, gradients int64) (*Search, error) {
	sketch, part := t.sketch()
	s, err := find(ctx, sketch, draw, few, many, gradients)
	if err != nil || part == 1 {
		return s, err
	}
	return s.refined(ctx, t, part)
}

// find is Find by all of E.
func find(ctx context.Context, t Target, draw func(x []float64) error, few, many int, gradients int64) (*Search, error) {
	d := len(t.Width)
	t.idle = &idle{}
	defer t.idle.close()
	s := &Search{}
	for size := few; ; size = min(2*size, batch) {
		most, spend := many, gradients
		if s.thin() {
			most, spend = stretch*many, stretch*gradients
		}
		n := min(size, most-s.counted())
		if s.Starts >= few && (n <= 0 || s.Gradients >= spend) {
			break
		}
		starts := make([]float64, n*d)
		for i := range n {
			if err := cmp.Or(ctx.Err(), draw(starts[i*d:(i+1)*d])); err != nil {
				return nil, err
			}
		}
		s.Starts += n
		if err := s.batch(ctx, &t, starts); err != nil {
			return nil, err
		}
	}
	s.sort()
	if len(s.Modes) == 0 && t.Flat < 1 {
		s.fall(&t)
	}
	return s, nil
}

// fall looks whether E falls on and on where the deepest descent leads. A program may fail so far away,
// which tells nothing.
func (s *Search) fall(t *Target) {
	const (
		far  = 1e9 // widths away, and as many times that
		deep = 1e6 // times E where the descent is
	)
	w := s.deepest
	if w == nil {
		return
	}
	v := newEvaluator(t.Energy, 1)
	defer v.close()
	steepest, low := floats.Norm(w.g, math.Inf(1)), -deep*max(1, math.Abs(w.e))
	var x []float64
	for _, away := range []float64{far, far * far} {
		x = slices.Clone(w.x)
		for j := range x {
			x[j] -= away * t.Width[j] * w.g[j] / steepest
		}
		if t.Domain != nil && !t.Domain.Contains(x) {
			return
		}
		v.set(0, x)
		if v.run() != nil || !(v.energy[0] < low) {
			return
		}
		low = v.energy[0]
	}
	s.Fall = &Fall{x, low}
}

// sort puts the mode of most mass before the others.
func (s *Search) sort() {
	slices.SortStableFunc(s.Modes, func(a, b Mode) int { return cmp.Compare(b.Log, a.Log) })
}

// counted are the starts as there may be so many of: three that one gradient told the mode of
// are one.
func (s *Search) counted() int { return s.Starts - s.told*2/3 }

// Again goes down from points that are no starts and count as none, n × d, and from more
// starts until so many more gradients are spent. New modes come after those that are known.
func (s *Search) Again(ctx context.Context, t Target, points []float64, draw func(x []float64) error, gradients int64) error {
	t.idle = &idle{}
	defer t.idle.close()
	s.cover = nil // as of a search that was read from a file
	was := s.Settled
	counts := make([]int, len(s.Modes))
	for i, m := range s.Modes {
		counts[i] = m.Starts
	}
	if err := s.batch(ctx, &t, points); err != nil {
		return err
	}
	s.Settled = was
	for i := range s.Modes {
		if s.Modes[i].Starts = 0; i < len(counts) {
			s.Modes[i].Starts = counts[i]
		}
	}
	for most := s.Gradients + gradients; s.Gradients < most; {
		starts := make([]float64, chunk*len(t.Width))
		for i := 0; i < len(starts); i += len(t.Width) {
			if err := cmp.Or(ctx.Err(), draw(starts[i:i+len(t.Width)])); err != nil {
				return err
			}
		}
		s.Starts += chunk
		if err := s.batch(ctx, &t, starts); err != nil {
			return err
		}
	}
	return nil
}

const (
	stretch = 10  // of the gradients that are to be spent, where modes have few starts
	sure    = 50  // starts of a mode: one ten times as hard to find is missed with a probability of exp(−5)
	matters = 7.0 // log mass below the largest
)

// Add adds a mode that is known without a search: the image of mode i by a map of the density to
// itself, with a normal law to first order. It is left out where that has none.
func (s *Search) Add(i int, to func(y, x []float64)) {
	const bit = 1e-5 // of a standard deviation
	of := s.Modes[i]
	d := len(of.X)
	at, up, x := make([]float64, d), make([]float64, d), slices.Clone(of.X)
	to(at, x)
	rows := make([][]float64, d)
	for k := range rows {
		rows[k] = make([]float64, d)
	}
	for j := range d { // column j of the Jacobian times L
		for k := range d {
			x[k] = of.X[k] + bit*of.L[k][j]
		}
		to(up, x)
		for k := range d {
			rows[k][j] = (up[k] - at[k]) / bit
		}
	}
	if l := triangle(rows); l != nil && len(s.Modes) < mostModes {
		s.cover = nil
		s.Modes = append(s.Modes, Mode{X: at, Energy: of.Energy, L: l, Log: of.Log, inv: inverse(l)})
	}
}

// thin reports whether a mode that matters has few starts.
func (s *Search) thin() bool {
	if len(s.Modes) == mostModes {
		return false
	}
	most := math.Inf(-1)
	for _, m := range s.Modes {
		most = max(most, m.Log)
	}
	starts := map[int]int{}
	for _, m := range s.Modes {
		starts[m.Valley] += m.Starts
	}
	for _, m := range s.Modes {
		if m.Log > most-matters && starts[m.Valley] < sure {
			return true
		}
	}
	return false
}

// batch goes down from x, and through the walls between modes, and counts to where.
func (s *Search) batch(ctx context.Context, t *Target, x []float64) error {
	d := len(t.Width)
	all := make([]*descent, len(x)/d)
	for i := range all {
		all[i] = newDescent(t, x[i*d:(i+1)*d])
	}
	for i := range s.Modes { // those that were read from a file have none
		s.Modes[i].inverse()
	}
	if err := s.survey(ctx, t); err != nil {
		return err
	}
	home, err := s.down(ctx, t, all)
	if err != nil {
		return err
	}
	if err := s.tunnel(ctx, t, all); err != nil {
		return err
	}
	for i, w := range all {
		if home[i] >= 0 && w.asked == 1 {
			s.told++
		}
		s.count(home[i], w.seen)
	}
	return nil
}

// count counts a start that led to the mode home, -1 for none, and saw those of seen: for one mode of
// every valley.
func (s *Search) count(home int, seen uint64) {
	if home >= 0 {
		s.Modes[home].Starts++
		seen |= 1 << home
	}
	if seen != 0 {
		s.Settled++
	}
	for counted := seen; seen != 0; seen &= seen - 1 {
		k := bits.TrailingZeros64(seen)
		before := counted & (1<<k - 1)
		if home >= 0 {
			before |= 1 << home
		}
		if !s.beside(k, before) {
			s.Modes[k].Starts++
		}
	}
}

// beside reports whether mode k lies in the valley of one of some, as bits.
func (s *Search) beside(k int, some uint64) bool {
	for ; some != 0; some &= some - 1 {
		if s.Modes[bits.TrailingZeros64(some)].Valley == s.Modes[k].Valley {
			return true
		}
	}
	return false
}

// down takes descents to the modes that they end in, -1 for none.
func (s *Search) down(ctx context.Context, t *Target, all []*descent) (home []int, err error) {
	n := len(all)
	home = make([]int, n)
	for i := range home {
		home[i] = -1
	}
	known, cover := s.Modes, s.cover
	err = t.settle(ctx, all, mostAsked, rough, func(i int, w *descent) bool {
		if home[i] = cover.scan(w, known); home[i] < 0 {
			home[i] = within(known, w)
		}
		return home[i] >= 0
	})
	if err != nil {
		return nil, err
	}
	order := make([]int, 0, n)
	for i, w := range all {
		s.Gradients += int64(w.asked)
		if w.begun && home[i] < 0 {
			if !w.over() && (s.deepest == nil || w.e < s.deepest.e) {
				s.deepest = w
			}
			order = append(order, i)
		}
	}
	last := make([]int, len(all)) // 1 for what likely is one more piece of a valley
	for _, i := range order {
		if s.full(all[i].e) {
			last[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(last[a], last[b]), cmp.Compare(all[a].e, all[b].e))
	})
	return home, s.ends(ctx, t, all, order, home)
}

// settle takes descents down until they are over, have asked for so many more points, or home says
// that they need no more.
func (t *Target) settle(ctx context.Context, all []*descent, most int, tol float64, home func(int, *descent) bool) error {
	for _, w := range all {
		w.most = w.asked + most
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, t.Threads))
	for begin := 0; begin < len(all); begin += chunk {
		part := all[begin:min(begin+chunk, len(all))]
		g.Go(func() error {
			v := newEvaluator(t.Energy, min(lanes, len(part))) // whose past is that of these descents alone
			defer v.close()
			return v.settle(ctx, part, tol, func(k int, w *descent) bool { return home(begin+k, w) })
		})
	}
	return g.Wait()
}

// settle takes descents down, as many at a time as there are lanes.
func (v *evaluator) settle(ctx context.Context, all []*descent, tol float64, home func(int, *descent) bool) error {
	lane, next := make([]int, v.r), 0
	for i := range lane {
		lane[i] = next
		v.set(i, all[min(next, len(all)-1)].next) // spare lanes look where the last does
		next++
	}
	for busy := true; busy; {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, k := range lane {
			if k < len(all) {
				v.set(i, all[k].next)
			}
		}
		if err := v.run(); err != nil {
			return err
		}
		busy = false
		for i, k := range lane {
			if k >= len(all) {
				continue
			}
			w := all[k]
			w.hear(v.energy[i], v.slopeOf(i), tol)
			if w.over() || w.asked >= w.most || w.tries == 0 && w.begun && home(k, w) {
				lane[i] = next
				next++
			}
			busy = busy || lane[i] < len(all)
		}
	}
	return nil
}

// within is the mode in whose basin w certainly is, -1 for none: where E is that of the
// normal law fitted to the mode, and no wall stands between.
func within(modes []Mode, w *descent) int {
	for i := range modes {
		m := &modes[i]
		far := white(w.v, m.inv, w.x, m.X)
		if d := float64(len(w.x)); far <= d+6*math.Sqrt(2*d) && math.Abs(w.e-m.Energy-far/2) <= 0.5+far/8 && w.sees(m.X) {
			return i
		}
	}
	return -1
}

// add adds the minimum that w is at, with the covariance of its normal law, unless it is one of the
// known ones after all, or one more of a valley that has enough of them; it returns which, -1 for none.
func (s *Search) add(ctx context.Context, t *Target, w *descent, cov *mat.SymDense) (int, error) {
	m := Mode{X: slices.Clone(w.x), Energy: w.e}
	if m.L = factor(cov); m.L == nil {
		return -1, nil
	}
	m.inv = inverse(m.L)
	for i := range s.Modes {
		o := &s.Modes[i]
		if math.Abs(o.Energy-m.Energy) < 0.1 && min(white(w.v, o.inv, m.X, o.X), white(w.v, m.inv, o.X, m.X)) < 0.05 && w.near(o.X) {
			return i, nil
		}
		if same, err := t.connected(o, &m, s); err != nil || same {
			return i, err
		}
	}
	m.Log = -m.Energy + float64(len(m.X))/2*math.Log(2*math.Pi)
	for i := range m.L {
		m.Log += math.Log(m.L[i][i])
	}
	s.Modes = append(s.Modes, m)
	k := len(s.Modes) - 1
	if err := s.unite(ctx, t, &s.Modes[k]); err != nil {
		return -1, err
	}
	if s.pieces(s.Modes[k].Valley) > mostPieces {
		s.Modes = s.Modes[:k]
		return -1, nil
	}
	return k, nil
}

const (
	between = 15   // points between two minima
	barrier = 0.05 // of E, that is none
)
