package sparse

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// enumerable is how many candidates may be chosen from one by one: 65,536
	// supports.
	enumerable = 16
	// sweeps of the chain over supports beyond that, after as many tenths.
	sweeps = 3000
)

// posterior weighs the supports: all of them, or with more than enumerable
// candidates those that a chain of a fixed seed visits.
func (c *candidates) posterior() *Posterior {
	e := newEvidence(c)
	if e.d-e.held <= enumerable {
		return e.enumerate()
	}
	return e.sample(sweeps, rand.New(rand.NewPCG(1, 2)))
}

// enumerate visits all supports depth first: each is its parent with one
// candidate more at the end of the Cholesky factor, which costs O(k²) and lets no
// rounding error pile up as updates and downdates along a Gray code would.
// Supports with collinear candidates have no weight.
func (e *evidence) enumerate() *Posterior {
	var models []Model
	nodes := make([]float64, len(e.shrink))
	f := newLadder(e)
	for a := range e.held {
		f.push(a)
	}
	var visit func(s support, from, size int, r float64)
	visit = func(s support, from, size int, r float64) {
		models = append(models, Model{s, e.weight(size, r, nodes)})
		for a := from; a < e.d; a++ {
			if !f.push(a) {
				continue
			}
			s.flip(a)
			z := f.z[len(f.z)-1]
			visit(s, a+1, size+1, r+z*z)
			s.flip(a)
			f.pop()
		}
	}
	visit(support{}, e.held, 0, 0)
	weights := make([]float64, len(models))
	for i := range models {
		weights[i] = models[i].Probability
	}
	all := logSum(weights)
	for i := range models {
		models[i].Probability = math.Exp(weights[i] - all)
	}
	return e.average(models, nil)
}

// load puts the forced candidates and those of a support on a ladder; false if
// those of the support are collinear.
func (f *ladder) load(s *support) (held int, ok bool) {
	f.clear()
	for a := range f.e.held {
		f.push(a)
	}
	held = len(f.members)
	for a := f.e.held; a < f.e.d; a++ {
		if s.Has(a) && !f.push(a) {
			return held, false
		}
	}
	return held, true
}

// average makes the posterior of models with their probabilities. inclusion, by
// place in the order, is known already or nil.
func (e *evidence) average(models []Model, inclusion []float64) *Posterior {
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(b.Probability, a.Probability) })
	p := &Posterior{Inclusion: make([]float64, e.d), Mean: make([]float64, e.d), SD: make([]float64, e.d)}
	f := newLadder(e)
	mean, square, nodes := make([]float64, e.d), make([]float64, e.d), make([]float64, len(e.shrink))
	for _, m := range models {
		if m.Probability < 1e-9 {
			break
		}
		held, ok := f.load(&m.support)
		if !ok {
			continue
		}
		f.moments(mean, square, nodes, held)
		for i, a := range f.members {
			j := e.order[a]
			if i >= held {
				p.Inclusion[j] += m.Probability
			}
			p.Mean[j] += m.Probability * mean[i]
			p.SD[j] += m.Probability * square[i]
		}
	}
	for a, j := range e.order {
		switch {
		case a < e.held:
			p.Inclusion[j] = 1
		case inclusion != nil:
			p.Inclusion[j] = inclusion[a]
		}
		p.Inclusion[j] = math.Min(p.Inclusion[j], 1)
		p.SD[j] = math.Sqrt(math.Max(0, p.SD[j]-p.Mean[j]*p.Mean[j]))
	}
	for _, m := range models[:min(len(models), 100)] {
		own := Model{Probability: m.Probability}
		for a, j := range e.order {
			if a < e.held || m.Has(a) {
				own.flip(j)
			}
		}
		p.Models = append(p.Models, own)
	}
	return p
}

// A chain walks over supports by Gibbs sweeps and swaps.
type chain struct {
	e      *evidence
	f      *ladder
	rng    *rand.Rand
	now    support
	weight float64
	cache  map[support]float64
	nodes  []float64
}

// sample averages over a chain of supports: in each sweep every candidate in
// turn is drawn given the others (inclusion is the mean of these conditional
// probabilities), and then one that is in changes places with one that is not, by
// Metropolis' rule, for collinear candidates that stand for one another. It
// starts where sequential thresholding ends.
func (e *evidence) sample(sweeps int, rng *rand.Rand) *Posterior {
	k := &chain{e: e, f: newLadder(e), rng: rng, cache: map[support]float64{},
		nodes: make([]float64, len(e.shrink))}
	k.now = e.threshold()
	k.weight = k.of(k.now)
	inclusion := make([]float64, e.d)
	place := map[support]int{}
	var models []Model
	burn := sweeps / 10
	for sweep := range burn + sweeps {
		for a := e.held; a < e.d; a++ {
			p := k.gibbs(a)
			if sweep >= burn {
				inclusion[a] += p / float64(sweeps)
			}
		}
		k.swap()
		if sweep < burn {
			continue
		}
		i, ok := place[k.now]
		if !ok {
			i = len(models)
			place[k.now] = i
			models = append(models, Model{support: k.now})
		}
		models[i].Probability += 1 / float64(sweeps)
	}
	return e.average(models, inclusion)
}

// of is the log weight of a support, −Inf if it is collinear.
func (k *chain) of(s support) float64 {
	if w, ok := k.cache[s]; ok {
		return w
	}
	w := math.Inf(-1)
	if held, ok := k.f.load(&s); ok {
		r := 0.0
		for _, z := range k.f.z[held:] {
			r += z * z
		}
		w = k.e.weight(len(k.f.members)-held, r, k.nodes)
	}
	k.cache[s] = w
	return w
}

// gibbs draws candidate a given the others and returns its probability.
func (k *chain) gibbs(a int) float64 {
	other := k.now
	other.flip(a)
	w := k.of(other)
	moved := 1 / (1 + math.Exp(k.weight-w))
	in := moved
	if k.now.Has(a) {
		in = 1 - moved
	}
	if k.rng.Float64() < moved {
		k.now, k.weight = other, w
	}
	return in
}

func (k *chain) swap() {
	n, d := k.now.size(), k.e.d-k.e.held
	if n == 0 || n == d {
		return
	}
	in, out := k.rng.IntN(n), k.rng.IntN(d-n)
	other := k.now
	for a := k.e.held; a < k.e.d; a++ {
		rank := &out
		if k.now.Has(a) {
			rank = &in
		}
		if *rank == 0 {
			other.flip(a)
		}
		*rank--
	}
	if w := k.of(other); math.Log(k.rng.Float64()) < w-k.weight {
		k.now, k.weight = other, w
	}
}

// threshold is sequentially thresholded least squares (Brunton, Proctor and Kutz
// 2016): of the least-squares fit the terms whose size is below a twentieth of
// the whole fit's are left out, until none is.
func (e *evidence) threshold() support {
	var s support
	f := newLadder(e)
	for a := range e.held {
		f.push(a)
	}
	for a := e.held; a < e.d; a++ {
		if f.push(a) {
			s.flip(a)
		}
	}
	size := math.Sqrt(f.explained())
	for {
		held, _ := f.load(&s)
		k := len(f.members)
		beta := slices.Clone(f.z)
		for i := k - 1; i >= 0; i-- {
			for m := i + 1; m < k; m++ {
				beta[i] -= f.l[m][i] * beta[m]
			}
			beta[i] /= f.l[i][i]
		}
		before := s
		for i := held; i < k; i++ {
			if math.Abs(beta[i]) < size/20 {
				s.flip(f.members[i])
			}
		}
		if s == before {
			return s
		}
	}
}
