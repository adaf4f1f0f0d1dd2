package exchange

import (
	"math"
	"math/rand/v2"
)

// A Scheme says which pairs of rungs a sweep visits. A ladder lists its pairs:
// at p is the pair of the neighbours p and p+1, and if all pairs trade, those
// that are further apart come after these.
type Scheme interface {
	// Pairs appends where in the list the pairs are that sweep n = 0, 1, … visits,
	// one after another. traded[p] is the sweep in which pair p last traded, −1 if
	// it never did; it is as long as the list.
	Pairs(dst []int, n int, traded []int64, rng *rand.Rand) []int
}

// InSequence visits every pair of the list in every sweep. Labels move on within
// the sweep, so that one replica can travel far: ADJ if the list has neighbours
// only, APE if it has all pairs.
type InSequence struct{}

// Pairs implements Scheme.
func (InSequence) Pairs(dst []int, _ int, traded []int64, _ *rand.Rand) []int {
	for p := range traded {
		dst = append(dst, p)
	}
	return dst
}

// DEO is deterministic even-odd: pairs (0,1), (2,3), … on even sweeps and
// (1,2), (3,4), … on odd ones.
type DEO struct{}

// Pairs implements Scheme.
func (DEO) Pairs(dst []int, n int, traded []int64, _ *rand.Rand) []int {
	return alternate(dst, n, traded)
}

func alternate(dst []int, parity int, traded []int64) []int {
	for p := parity % 2; p < len(traded); p += 2 {
		dst = append(dst, p)
	}
	return dst
}

// SEO is stochastic even-odd: a fair coin says which of the two sets of pairs
// that [DEO] alternates between a sweep visits.
type SEO struct{}

// Pairs implements Scheme.
func (SEO) Pairs(dst []int, _ int, traded []int64, rng *rand.Rand) []int {
	return alternate(dst, int(rng.Uint64()>>63), traded)
}

// Windowed is [DEO] slowed down: in a window of sweeps only pairs of its parity
// may trade, and parity alternates from window to window. A window of one sweep
// is DEO.
type Windowed struct {
	Length int // W ≥ 1, sweeps
	// Gate is last: one attempt of each pair, in the window's last sweep; open: one
	// in every sweep; or once: in every sweep until the pair has traded in this
	// window, which is biased (Deng et al. 2023).
	Gate string
	// Together leaves out parity: every pair belongs to every window, in sequence.
	// Windows then begin when n+1 is a multiple of W, as in Algorithm 2 of the
	// paper, whose iterations count from one.
	Together bool
}

// Pairs implements Scheme.
func (w Windowed) Pairs(dst []int, n int, traded []int64, rng *rand.Rand) []int {
	begun := n / w.Length * w.Length
	if w.Together {
		begun = (n+1)/w.Length*w.Length - 1
	}
	if w.Gate == "last" && n != begun+w.Length-1 {
		return dst
	}
	from := len(dst)
	if w.Together {
		dst = InSequence{}.Pairs(dst, n, traded, rng)
	} else {
		dst = alternate(dst, n/w.Length, traded)
	}
	if w.Gate != "once" {
		return dst
	}
	open := dst[:from]
	for _, p := range dst[from:] {
		if traded[p] < int64(begun) || traded[p] < 0 {
			open = append(open, p)
		}
	}
	return open
}

// Window is the length W = ⌈(log P + log log P)/(−log(1−𝕊))⌉, at least 1, of the
// windows of [Windowed] for P rungs and swaps that succeed with probability 𝕊 in
// (0,1): long enough for a pair to trade in all but about 1/(P log P) of them.
func Window(rungs int, target float64) int {
	p := math.Log(float64(rungs))
	w := math.Ceil((p + math.Log(p)) / -math.Log1p(-target))
	if !(w >= 1) {
		return 1
	}
	return int(min(w, math.MaxInt32))
}
