package exchange

import (
	"math"
	"math/rand/v2"
)

// pairs appends where in the list of pairs those are that sweep n = 0, 1, …
// visits, one after another. At p of the list is the pair of the neighbours p and
// p+1; if all pairs trade, those that are further apart come after these.
// traded[p] is the sweep in which pair p last traded, −1 if it never did.
//
// Scheme deo is deterministic even-odd: pairs (0,1), (2,3), … on even sweeps and
// (1,2), (3,4), … on odd ones; seo leaves it to a fair coin which of the two. Schemes
// adj and ape visit the whole list in every sweep, and labels move on within it, so
// that one replica can travel far.
func (s *Settings) pairs(dst []int, n int, traded []int64, rng *rand.Rand) []int {
	switch s.Scheme {
	case "deo":
		return alternate(dst, n, traded)
	case "seo":
		return alternate(dst, int(rng.Uint64()>>63), traded)
	case "windowed-deo":
		return s.windowed(dst, n, traded)
	}
	return inSequence(dst, traded)
}

func inSequence(dst []int, traded []int64) []int {
	for p := range traded {
		dst = append(dst, p)
	}
	return dst
}

func alternate(dst []int, parity int, traded []int64) []int {
	for p := parity % 2; p < len(traded); p += 2 {
		dst = append(dst, p)
	}
	return dst
}

// windowed is deo slowed down: in a window of W sweeps only pairs of its parity may
// trade, and parity alternates from window to window. A window of one sweep is deo.
//
// Gate last makes one attempt of each pair, in the window's last sweep; open one in
// every sweep; and once one in every sweep until the pair has traded in this window,
// which is biased (Deng et al. 2023). With parity off every pair belongs to every
// window, in sequence. Windows then begin when n+1 is a multiple of W, as in
// Algorithm 2 of the paper, whose iterations count from one.
func (s *Settings) windowed(dst []int, n int, traded []int64) []int {
	together := s.Parity == "off"
	begun := n / s.Window * s.Window
	if together {
		begun = (n+1)/s.Window*s.Window - 1
	}
	if s.Gate == "last" && n != begun+s.Window-1 {
		return dst
	}
	from := len(dst)
	if together {
		dst = inSequence(dst, traded)
	} else {
		dst = alternate(dst, n/s.Window, traded)
	}
	if s.Gate != "once" {
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

// windowFor is the length W = ⌈(log P + log log P)/(−log(1−𝕊))⌉, at least 1, of the
// windows of scheme windowed-deo for P rungs and swaps that succeed with probability 𝕊 in
// (0,1): long enough for a pair to trade in all but about 1/(P log P) of them.
func windowFor(rungs int, target float64) int {
	p := math.Log(float64(rungs))
	w := math.Ceil((p + math.Log(p)) / -math.Log1p(-target))
	if !(w >= 1) {
		return 1
	}
	return int(min(w, math.MaxInt32))
}
