package tune

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/stream"
)

const (
	missed     = 0.01 // weight of a mode without a draw that is told of
	rarely     = 6    // starts that lead to a mode of which there may be more
	lookedAt   = 4000 // draws of a ladder by which the weights of modes are told, about
	fewLooked  = 500  // where these are dear
	mostWork   = 1e8  // products of numbers for the draws of a ladder
	freshly    = 0.25 // of the gradients of the search, for starts after the run and, again, for barriers
	between    = 32   // draws of each rung that descents start from after the run
	overlooked = 0.05 // that a mode is missed which so few starts lead to
	mostCores  = 8    // modes whose cores are looked at
	lawDraws   = 400  // of the normal law at a mode without a draw
)

// An Audit says of every mode that is known what the cold draws know of it, and what modes
// may be unknown.
type Audit struct {
	Modes []Visited `json:"modes"` // of those that matter: those found before the run first, the heaviest of them first
	// Missing are those of Modes, counted from 0, that hold more than a hundredth of the
	// density by what was known of them without draws, and have none.
	Missing []int `json:"missing"`
	// Rare are those that hold more than a hundredth of the density and that six starts or
	// fewer led to: of modes three times as hard to find one in eight is missed, or more.
	Rare []int `json:"rare"`
	// Starts is the number of descents that ended in a mode, before the run and after it; a
	// mode that fewer than one in Unseen of such starts lead to is missed with a probability
	// of 5 % or more.
	Starts int `json:"starts"`
	Unseen int `json:"unseen"`
	// RHat and ESS are the worst of the indicators of the modes, and of groups of them that lie apart
	// from others, among cold draws; NaN where there is but one mode.
	RHat float64 `json:"rhat"`
	ESS  float64 `json:"ess"`
	// Barriers join the basins of Modes to one, the lowest barrier first.
	Barriers []modes.Join `json:"barriers"`
	// Cores are those of Modes of which draws have another share, within about a standard
	// deviation, than the density; none where both agree or nothing can be said.
	Cores []modes.Core `json:"cores,omitempty"`

	of []int // the places of Modes among all that were found, of a valley that of its first
}

// A Visited mode is one with its share of the cold draws.
type Visited struct {
	At     []float64 `json:"at"`        // the minimum of −log of the density, as draws are told
	Energy float64   `json:"energy"`    // −log of the density there
	Weight float64   `json:"weight"`    // of the cold draws
	SE     float64   `json:"weight_se"` // standard error of that
	// weight by importance sampling, or by the normal law at the mode, before the run; without a draw, by what the domain has of that law
	Expected float64 `json:"expected"`
	// ExpectedSE is its standard error; NaN where Expected is not by importance sampling
	ExpectedSE float64 `json:"expected_se"`
	ESS        float64 `json:"ess"`      // of the indicator
	Passages   int     `json:"passages"` // of ladders into the mode, from draw to draw
	Starts     int     `json:"starts"`   // that lead to it
}

// placed reports whether draws of p can be told in the coordinates that modes are known in.
func placed(p r2sgld.Problem) bool { return p.Chart == nil || p.Chart.Coordinates != nil }

// told is how many numbers a draw of p has.
func told(p r2sgld.Problem) int { return cmp.Or(len(p.ReportedNames()), p.Potential.Dim()) }

// states are draws of p in the coordinates of its potential.
func states(p r2sgld.Problem, draws []float64) []float64 {
	if p.Chart == nil {
		return draws
	}
	n, d := told(p), p.Potential.Dim()
	out := make([]float64, len(draws)/n*d)
	for i := range len(draws) / n {
		p.Chart.Coordinates(out[i*d:(i+1)*d], draws[i*n:(i+1)*n])
	}
	return out
}

// stateOf is draw k of the coldest rung of a ladder of p in the coordinates of its potential.
func stateOf(p r2sgld.Problem, l r2sgld.Ladder, k int) []float64 {
	d := len(l.X[0]) / len(l.Energy[0])
	return states(p, l.X[0][k*d:(k+1)*d])
}

// reported is a state of p as draws are told.
func reported(p r2sgld.Problem, state []float64) []float64 {
	if p.Chart == nil {
		return state
	}
	x := make([]float64, told(p))
	p.Chart.Point(x, state)
	return x
}

// owners tells of cold draws of every ladder of a run on p which place each lies near, which takes so many
// products of numbers.
func owners(p r2sgld.Problem, res *r2sgld.Result, work int, tells func(x []float64) int) near {
	all := near{make([][]int, len(res.Ladders)), make([]int, len(res.Ladders))}
	shortest := math.MaxInt
	for i, l := range res.Ladders {
		m := len(l.Energy[0])
		step := max(1, m/max(fewLooked, min(lookedAt, mostWork/work)))
		for k := step - 1; k < m; k += step {
			all.of[i] = append(all.of[i], tells(stateOf(p, l, k)))
		}
		all.step[i], shortest = step, min(shortest, len(all.of[i]))
	}
	for i, o := range all.of {
		all.of[i] = o[:shortest]
	}
	return all
}

// near tells near which mode of m each of the draws of a run lies.
func (m *Modes) near(p r2sgld.Problem, res *r2sgld.Result) near {
	part := modes.NewPartition(m.Search.Modes)
	return owners(p, res, part.Work(), part.Near)
}

// audited reports whether draws of p can tell what they know of the modes m, which may be nil.
func (m *Modes) audited(p r2sgld.Problem) bool {
	return m != nil && len(m.Search.Modes) > 0 && placed(p)
}

// seen is what the draws of res, of a run on p, know of the modes m by the normal laws there.
// m may be nil: what is seen is then nil.
func (m *Modes) seen(p r2sgld.Problem, res *r2sgld.Result) *Audit {
	if !m.audited(p) {
		return nil
	}
	return m.audit(p, m.near(p, res), ownBasins(len(m.Search.Modes)))
}

// inspect is what the draws of res, of a run on p, know of the modes m, by the basins that they lie
// in, with the barriers between these and the cores of them. m may be nil: it is then nil.
func (m *Modes) inspect(ctx context.Context, p r2sgld.Problem, set r2sgld.Settings, res *r2sgld.Result) (*Audit, error) {
	if !m.audited(p) {
		return nil, nil
	}
	draws := m.near(p, res)
	s, err := m.follow(ctx, p, set.Threads, res, draws)
	if err != nil {
		return nil, err
	}
	a := m.audit(p, draws, s)
	return a, cmp.Or(m.join(ctx, p, a), m.hold(ctx, p, set.Seed, res, a))
}

// audit says what draws know of the modes m, whose basins share what lies near them.
func (m *Modes) audit(p r2sgld.Problem, draws near, s *sharing) *Audit {
	a := &Audit{RHat: math.NaN(), ESS: math.NaN(), Missing: []int{}, Rare: []int{}, Starts: m.Search.Settled}
	a.Unseen = int(float64(a.Starts) / -math.Log(overlooked))
	byLaws, cut := m.expected(), []float64(nil)
	for k := range m.Search.Modes {
		if byLaws[k] > missed*missed && !m.sampled(k) && !draws.any(k) {
			if cut == nil {
				cut = m.cut(p.Domain)
			}
			byLaws[k] = cut[k]
		}
	}
	s = s.joined(modes.Valleys(m.Search.Modes))
	expected := s.basins(byLaws)
	for k, of := range modes.Pieces(m.Search.Modes) {
		o, law := m.Search.Modes[k], 0.0
		v := Visited{At: reported(p, o.X), Energy: o.Energy, Expected: expected[k], ESS: math.NaN()}
		for _, i := range of {
			law += byLaws[i]
			v.Starts += m.Search.Modes[i].Starts
		}
		v.ExpectedSE = math.Hypot(m.chance(s.to(k), v.Expected), s.chance(byLaws, k))
		chains, share := draws.indicators(of...)
		v.Passages = passages(chains)
		v.Weight, v.SE = s.share(draws.of, k)
		switch {
		case share > 0 && share < 1:
			v.ESS = diag.ESSMean(chains)
			a.mixing(chains, share)
		case share == 0 && law > missed:
			a.Missing = append(a.Missing, len(a.Modes))
		}
		if max(v.Weight, v.Expected) > missed && v.Starts <= rarely {
			a.Rare = append(a.Rare, len(a.Modes))
		}
		if v.Weight > 0 || share > 0 || law > missed*missed {
			a.Modes, a.of = append(a.Modes, v), append(a.of, k)
		}
	}
	for _, group := range modes.Groups(m.Search.Modes) {
		a.mixing(draws.indicators(group...))
	}
	return a
}

// mixing notes R̂ and effective sample size of indicators of such a share of the draws.
func (a *Audit) mixing(chains [][]float64, share float64) {
	if min(share, 1-share) > missed {
		a.RHat = worse(a.RHat, diag.Agreement(chains), math.Max)
		a.ESS = worse(a.ESS, diag.ESSMean(chains), math.Min)
	}
}

// join completes a by the barriers between its modes, in the coordinates of the potential of p.
func (m *Modes) join(ctx context.Context, p r2sgld.Problem, a *Audit) error {
	u, err := quiet(p)
	if err != nil {
		return err
	}
	var at []modes.Mode
	var of []int // the place in a.Modes of each
	for k, first := range modes.Valleys(m.Search.Modes) {
		if i := slices.Index(a.of, first); i >= 0 {
			at, of = append(at, m.Search.Modes[k]), append(of, i)
		}
	}
	target, asked := modes.Target{Energy: u, Domain: p.Domain}, int64(0)
	a.Barriers, asked, err = target.Joins(ctx, at, int64(freshly*float64(m.gradients())))
	for i, j := range a.Barriers {
		a.Barriers[i].Between = [2]int{of[j.Between[0]], of[j.Between[1]]}
	}
	m.Search.Gradients += asked
	return err
}

// hold completes a by the cores of its heaviest modes, against the cold draws of res.
func (m *Modes) hold(ctx context.Context, p r2sgld.Problem, seed uint64, res *r2sgld.Result, a *Audit) error {
	if len(a.of) == 0 {
		return nil
	}
	u, err := quiet(p)
	if err != nil {
		return err
	}
	var of []modes.Mode
	for _, k := range a.of[:min(len(a.of), mostCores)] {
		of = append(of, m.Search.Modes[k])
	}
	d, draws := told(p), make([][]float64, len(res.Ladders))
	for i, l := range res.Ladders {
		n := len(l.Energy[0])
		for k, step := 0, max(1, n/lookedAt); k < n; k += step {
			draws[i] = append(draws[i], states(p, l.X[0][k*d:(k+1)*d])...)
		}
	}
	target, asked := modes.Target{Energy: u, Domain: p.Domain}, int64(0)
	a.Cores, asked, err = target.Cores(ctx, of, draws, &stream.New(seed, streamOf).Of(2, stream.Pilot).Rand)
	m.Search.Gradients += asked
	return err
}

// worse is the worse of two, of which the first may be not known yet.
func worse(a, b float64, of func(a, b float64) float64) float64 {
	if a != a {
		return b
	}
	return of(a, b)
}

// expected are the weights of the modes by what was known before the run: by importance
// sampling where that can be reliable, else by the normal laws at them.
func (m *Modes) expected() []float64 {
	w, top, sum, fitted := make([]float64, len(m.Search.Modes)), m.top(), 0.0, 0.0
	for k, o := range m.Search.Modes {
		w[k] = math.Exp(o.Log - top)
		if sum += w[k]; m.sampled(k) {
			fitted += w[k]
		}
	}
	for k := range w {
		if w[k] /= sum; m.sampled(k) {
			w[k] = m.Fit.Basin[k] * fitted / sum
		}
	}
	return w
}

// chance is the standard error of a weight by importance sampling to which each mode adds so
// much; NaN where it is not by that alone.
func (m *Modes) chance(adds []float64, weight float64) float64 {
	sum := 0.0
	for j, a := range adds {
		switch {
		case m.sampled(j) && j < len(m.Fit.Squares):
			sum += m.Fit.Squares[j] * (a - weight) * (a - weight)
		case a > 0:
			return math.NaN()
		}
	}
	return math.Sqrt(sum)
}

// sampled reports whether importance sampling tells the weight of mode k.
func (m *Modes) sampled(k int) bool {
	return m.Fit != nil && m.Fit.K < reliable && k < len(m.Fit.Basin)
}

// cut are the weights of the normal laws at the modes, of each what lies in the domain: walls
// take as much from modes that are alike. Where no draw of any law lies there they are those of
// the whole laws.
func (m *Modes) cut(dom domain.Domain) []float64 {
	out, top, sum := make([]float64, len(m.Search.Modes)), m.top(), 0.0
	for k, o := range m.Search.Modes {
		out[k] = math.Exp(o.Log-top) * inside(o, dom)
		sum += out[k]
	}
	if sum == 0 {
		return m.expected()
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// inside is the part of the normal law at a mode that lies in a domain; nil is everywhere. In a
// cusp it is next to none.
func inside(o modes.Mode, dom domain.Domain) float64 {
	if dom == nil {
		return 1
	}
	law, rng := modes.Mixture{Parts: []modes.Part{{Weight: 1, Center: o.X, L: o.L}}}, rand.New(rand.NewPCG(1, 1))
	x, in := make([]float64, len(o.X)), 0
	for range lawDraws {
		if law.Draw(x, rng); dom.Contains(x) {
			in++
		}
	}
	return float64(in) / lawDraws
}

// top is the largest log mass of a mode.
func (m *Modes) top() float64 {
	top := math.Inf(-1)
	for _, o := range m.Search.Modes {
		top = max(top, o.Log)
	}
	return top
}

// reliable is the Pareto shape below which importance sampling is (Vehtari et al. 2024).
const reliable = 0.7

// renew looks for modes once more when a run on p has ended: from starts of its own and from
// draws of all rungs. It returns m with those that are new.
func (m *Modes) renew(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) (*Modes, error) {
	if m == nil || len(m.Search.Modes) == 0 {
		return m, nil
	}
	next, search := *m, *m.Search
	search.Modes = slices.Clone(search.Modes)
	next.Search = &search
	p.Guide = nil
	s.Seed += 0x8e9d5aeb3f2c1b47 // starts of its own
	t, err := newTuner(ctx, p, s)
	if err != nil {
		return nil, err
	}
	target, _, err := t.target(p, cmp.Or(s.Threads, runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, err
	}
	starts, err := t.scatter(ctx, &search, stream.New(s.Seed, streamOf).Of(1, stream.Pilot))
	if err != nil {
		return nil, err
	}
	var warm []float64
	if placed(p) {
		for r := range res.Ladders[0].X {
			warm = append(warm, states(p, drawsOf(res, r, between))...)
		}
	}
	return &next, search.Again(ctx, target, warm, starts, int64(freshly*float64(m.Search.Gradients)))
}
