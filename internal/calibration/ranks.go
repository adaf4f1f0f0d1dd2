package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// most is how many draws of a posterior the truth is ranked among: ranks go from 0 to most.
const most = 99

// A test tells whether n ranks are uniform: at every rank it compares how many are below with
// the binomial law, and takes the smallest of these probabilities, whose law it knows by
// simulation (Säilynoja, Bürkner and Vehtari 2022).
type test struct {
	n    int
	p    [][]float64 // of each rank k from 1 on: two-sided probability of each count of ranks below k
	null []float64   // the smallest probabilities of uniform ranks, sorted
}

// simulations is how many sets of uniform ranks there are.
const simulations = 20_000

func newTest(n int) *test {
	t := &test{n: n}
	for k := 1; k <= most; k++ {
		law := distuv.Binomial{N: float64(n), P: float64(k) / (most + 1)}
		p, below := make([]float64, n+1), 0.0
		for c := range p {
			at := law.Prob(float64(c))
			p[c] = min(1, 2*min(below+at, 1-below))
			below += at
		}
		t.p = append(t.p, p)
	}
	rng := rand.New(rand.NewPCG(2022, 30))
	ranks := make([]int, n)
	for range simulations {
		for i := range ranks {
			ranks[i] = rng.IntN(most + 1)
		}
		t.null = append(t.null, t.smallest(ranks))
	}
	slices.Sort(t.null)
	return t
}

// below counts the ranks below each rank from 1 on.
func below(ranks []int) []int {
	count := make([]int, most+1)
	for _, r := range ranks {
		count[r]++
	}
	for k := range most {
		count[k+1] += count[k]
	}
	return count[:most]
}

func (t *test) smallest(ranks []int) float64 {
	least := 1.0
	for k, c := range below(ranks) {
		least = min(least, t.p[k][c])
	}
	return least
}

// probability is that with which uniform ranks would look as odd as these, or odder.
func (t *test) probability(ranks []int) float64 {
	as := sort.Search(len(t.null), func(i int) bool { return t.null[i] > t.smallest(ranks)*(1+1e-12) })
	return float64(1+as) / float64(1+len(t.null))
}

// band is between which shares of ranks below each rank from 1 on all of 95 of 100 sets of
// uniform ranks stay, less what is expected.
func (t *test) band() (low, high []float64) {
	level := t.null[len(t.null)/20]
	for k, p := range t.p {
		first := slices.IndexFunc(p, func(v float64) bool { return v >= level })
		last := len(p) - 1
		for p[last] < level {
			last--
		}
		at := float64(k+1) / (most + 1)
		low, high = append(low, float64(first)/float64(t.n)-at), append(high, float64(last)/float64(t.n)-at)
	}
	return low, high
}

// differences are the shares of ranks below each rank from 1 on, less what is expected.
func differences(ranks []int) []float64 {
	var out []float64
	for k, c := range below(ranks) {
		out = append(out, float64(c)/float64(len(ranks))-float64(k+1)/(most+1))
	}
	return out
}

// shape is the mean of ranks, on a scale from 0 to 1, and their standard deviation in units of
// that of uniform ones: above 1 posteriors are too narrow.
func shape(ranks []int) (mean, spread float64) {
	n := float64(len(ranks))
	for _, r := range ranks {
		mean += float64(r) / most / n
	}
	for _, r := range ranks {
		spread += math.Pow(float64(r)/most-mean, 2) / n
	}
	uniform := (math.Pow(most+1, 2) - 1) / 12 / (most * most)
	return mean, math.Sqrt(spread / uniform)
}

// rank is how many of the draws at the places that are looked at are below a value.
func rank(draws []float64, value float64) (r int) {
	for k := range most {
		if draws[place(k, len(draws))] < value {
			r++
		}
	}
	return r
}
