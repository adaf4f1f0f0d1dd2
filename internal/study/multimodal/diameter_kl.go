package multimodal

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/stream"
)

// klLevels are the KL that iterations are counted to.
func klLevels() []float64 { return []float64{1, 0.5, 0.2, 0.1} }

// floorRuns is the number of samples of independent draws.
const floorRuns = 40

// domain scores the runs in one octagon. Up to the paper's length the scores are
// of the paper's number of runs, past it of all that are long enough.
func (e effort) domain(s *scene, runs []*stroll, seed uint64) DiameterDomain {
	first := runs[0]
	d := DiameterDomain{Circumradius: s.radius, Diameter: 2 * s.radius, Cells: s.cells.K(), SwapRate: first.swaps,
		Exact: s.region.SwapProbability(1, 10), Reflected: first.hit}
	var watchers []*watcher
	for _, r := range runs {
		watchers = append(watchers, r.watchers...)
		d.Fallbacks += r.failed
	}
	for _, n := range e.marks {
		use := watchers
		if n <= paperLength {
			use = first.watchers
		}
		if row, ok := scoreRow(use, n, false); ok {
			dropped, _ := scoreRow(use, n, true)
			d.All, d.Dropped = append(d.All, row), append(d.Dropped, dropped)
		}
	}
	var marks []int // of independent draws, which are soon below any level
	for n := 1; n < e.marks[0]; n *= 2 {
		marks = append(marks, n)
	}
	marks = append(marks, e.marks[:len(d.All)]...)
	floor := make([][]Score, len(marks))
	for i, n := range marks {
		for run := range floorRuns {
			floor[i] = append(floor[i], s.cells.independent(n, stream.New(seed, run).Of(n, "iid draws")))
		}
	}
	for i, n := range marks {
		if n >= e.marks[0] {
			d.Floor = append(d.Floor, DiameterFloor{n, interval(column(floor[i], klIn)), interval(column(floor[i], klBack))})
		}
	}
	for _, level := range klLevels() {
		chain, ok := passage(e.marks, level, func(run, i int) float64 { return watchers[run].score(e.marks[i], false).KLIn }, len(watchers))
		iid, fine := passage(marks, level, func(run, i int) float64 { return floor[i][run].KLIn }, floorRuns)
		if n := (Needed{level, chain, nil}); ok {
			if fine {
				n.IID = &iid
			}
			d.Needed = append(d.Needed, n)
		}
	}
	return d
}

// scoreRow scores the first n draws of those runs that are long enough.
func scoreRow(runs []*watcher, n int, drop bool) (DiameterScore, bool) {
	var all []Score
	for _, w := range runs {
		if s := w.score(n, drop); s.KLIn == s.KLIn {
			all = append(all, s)
		}
	}
	return DiameterScore{n, len(all), interval(column(all, klIn)), interval(column(all, klBack)), interval(column(all, w1))}, len(all) > 1
}

// independent scores n independent draws from the truth.
func (c *cells) independent(n int, rng *stream.Rand) Score {
	counts, left := make([]int, c.K()+1), 1.0
	for k, p := range c.mass {
		if n == 0 {
			break
		}
		draws := n
		if share := p / left; share < 1 && k < c.K()-1 {
			draws = int(distuv.Binomial{N: float64(n), P: share, Src: rng}.Rand())
		}
		counts[k] = draws
		n -= draws
		left -= p
	}
	return c.score(counts)
}

// floorOf is the KL of n independent draws.
func (c *cells) floorOf(n int, seed uint64) Interval {
	var all []Score
	for run := range floorRuns {
		all = append(all, c.independent(n, stream.New(seed, run).Of(n, "iid draws")))
	}
	return interval(column(all, klAll))
}

// A Passage is the number of iterations after which a mean KL stays below a level.
type Passage struct {
	Iterations float64 `json:"iterations"`
	Low        float64 `json:"low"` // 95 % interval
	High       float64 `json:"high"`
	LogError   float64 `json:"log_error"` // standard error of the logarithm
	Runs       int     `json:"runs"`
}

// passage finds where the mean over runs of kl, on straight lines between marks in
// logarithms, falls below level for good. A run too short for a mark has NaN there.
// The error is that of the jackknife over runs. It is false where no mark lies
// below or none above.
func passage(marks []int, level float64, kl func(run, mark int) float64, runs int) (Passage, bool) {
	sum, count := make([]float64, len(marks)), make([]float64, len(marks))
	values := make([][]float64, runs)
	for run := range runs {
		for i := range marks {
			v := kl(run, i)
			values[run] = append(values[run], v)
			if v == v {
				sum[i], count[i] = sum[i]+v, count[i]+1
			}
		}
	}
	without := make([]float64, runs)
	mean := make([]float64, len(marks))
	for run := range runs {
		for i, v := range values[run] {
			mean[i] = sum[i] / count[i]
			if v == v {
				mean[i] = (sum[i] - v) / (count[i] - 1)
			}
		}
		without[run] = crossing(marks, mean, level)
	}
	for i := range mean {
		mean[i] = sum[i] / count[i]
	}
	n := crossing(marks, mean, level)
	value, se := significance.Jackknife(n, without)
	q := tQuantile(float64(runs-1)) * se
	return Passage{math.Exp(value), math.Exp(value - q), math.Exp(value + q), se, runs}, value == value && se > 0
}

// crossing is the logarithm of where the means fall below the level for good, NaN
// if they do not, or were never above.
func crossing(marks []int, mean []float64, level float64) float64 {
	i := len(mean) - 1
	for i >= 0 && !(mean[i] > level) {
		i--
	}
	if i < 0 || i == len(mean)-1 || mean[i+1] != mean[i+1] {
		return math.NaN()
	}
	x0, x1 := math.Log(float64(marks[i])), math.Log(float64(marks[i+1]))
	y0, y1 := math.Log(mean[i]), math.Log(mean[i+1])
	return x0 + (x1-x0)*(y0-math.Log(level))/(y0-y1)
}

// needed returns what was needed to a level, nil if it was not reached.
func (d *DiameterDomain) needed(level float64) *Needed {
	for i := range d.Needed {
		if d.Needed[i].KL == level {
			return &d.Needed[i]
		}
	}
	return nil
}

// powers fits powers of the radius to the iterations needed, for the levels that
// every octagon reached.
func powers(domains []DiameterDomain) []DiameterPower {
	var out []DiameterPower
	for _, level := range klLevels() {
		var r []float64
		var n, se [3][]float64 // of chains, independent draws, and the ratio
		runs := 0
		for i := range domains {
			v := domains[i].needed(level)
			if v == nil {
				break
			}
			r, runs = append(r, domains[i].Circumradius), v.Chain.Runs
			n[0], se[0] = append(n[0], v.Chain.Iterations), append(se[0], v.Chain.LogError)
			if v.IID != nil {
				n[1], se[1] = append(n[1], v.IID.Iterations), append(se[1], v.IID.LogError)
				n[2], se[2] = append(n[2], v.Chain.Iterations/v.IID.Iterations), append(se[2], math.Hypot(v.Chain.LogError, v.IID.LogError))
			}
		}
		if len(r) < len(domains) {
			continue
		}
		p := DiameterPower{KL: level, Chain: fitPower(r, n[0], se[0], runs-1)}
		if len(n[1]) == len(r) {
			iid, ratio := fitPower(r, n[1], se[1], floorRuns-1), fitPower(r, n[2], se[2], runs-1)
			p.IID, p.Ratio = &iid, &ratio
		}
		out = append(out, p)
	}
	return out
}
