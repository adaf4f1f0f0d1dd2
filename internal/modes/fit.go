package modes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

const (
	trusted    = 0.7  // Pareto shape below which importance sampling is (Vehtari et al. 2024)
	unknown    = 10.0 // Pareto shape that tells nothing
	negligible = 14.0 // below the largest log mass
	mostParts  = 48
	scarce     = 0.25 // of an equal share of the draws: no part has fewer
	mostLooks  = 3    // for what the parts know nothing of
	unheardOf  = 0.02 // share that may lie where the mixture knows nothing of, as far as can be seen
	leastIn    = 0.02 // share of the draws of a part that lie in the domain, as far as its weight makes up for them
	sharpening = 4    // rounds of importance sampling; where draws cannot be trusted two more of twice as many, up to twice
	fitDraws   = 2048 // of each at first, and as many more for every eight parts
	mostDraws  = 4 * fitDraws
)

// A Fit is the mixture that resembles the density, one part per mode, and how well it does.
type Fit struct {
	Mixture     Mixture   `json:"mixture"`
	LogZ        float64   `json:"log_z"` // log ∫ exp(−E) over the domain, by importance sampling, as far as the modes are known
	SE          float64   `json:"log_z_se"`
	Share       float64   `json:"ess_share"` // effective sample size of a draw
	K           float64   `json:"pareto_k"`  // of the weights, [unknown] at most: estimates are to be trusted below 0.7 (Vehtari et al. 2024)
	Inside      float64   `json:"inside"`    // share of draws that lie in the domain
	Weight      []float64 `json:"weight"`    // of every part in the density, and its standard error
	WeightSE    []float64 `json:"weight_se"`
	Basin       []float64 `json:"basins"`  // of every mode: the share of the density where its normal law is the densest
	Squares     []float64 `json:"squares"` // of the parts of 1 that the draws there have of Basin, added
	Evaluations int64     `json:"evaluations"`

	draws int        // of a round, for fewer than eight parts, and so of all later ones
	near  *Partition // of the modes where parts begin
	rough Target     // what hot chains go by
}

// Fit fits a mixture to the modes of s, in rounds of importance sampling that move its parts
// towards the density (population Monte Carlo, Cappé et al. 2008); those that move parts are by a sketch,
// where there is one. Draws become more while they cannot be trusted. It returns nil if there is none to be had.
func (s *Search) Fit(ctx context.Context, t Target, rng *rand.Rand) (*Fit, error) {
	d := len(t.Width)
	f := &Fit{draws: fitDraws}
	wide := wider(d)
	for _, m := range s.Modes {
		if m.Log < s.Modes[0].Log-negligible || len(f.Mixture.Parts) == mostParts {
			break
		}
		p := Part{Weight: math.Exp(m.Log - s.Modes[0].Log), Center: slices.Clone(m.X), L: scaled(m.L, wide)}
		f.Mixture.Parts = append(f.Mixture.Parts, p)
	}
	if len(f.Mixture.Parts) == 0 {
		return nil, nil
	}
	f.near = NewPartition(s.Modes[:len(f.Mixture.Parts)])
	normalise(f.Mixture.Parts)
	rough, part, err := s.tied(t)
	if err != nil {
		return nil, err
	}
	f.rough = rough
	for rounds := sharpening - 1; ; rounds, f.draws = 1, 2*f.draws {
		before := f.Evaluations
		for range rounds {
			if err := f.sharpen(ctx, rough, rng, wide, true); err != nil || f.Share == 0 {
				return nil, err
			}
		}
		f.Evaluations = before + int64(part*float64(f.Evaluations-before))
		if err := f.sharpen(ctx, t, rng, wide, false); err != nil || f.Share == 0 {
			return nil, err
		}
		if f.K < trusted || f.draws == mostDraws {
			return f, nil
		}
	}
}

// Defend puts a wide law of so much weight beside the parts: the given one, or the uniform law
// of the box that holds a bounded domain, or else, and where t is near, one that surrounds the parts, where
// their own draws can be trusted. It reports whether the parts hold the density up to a share of
// most: what they miss the draws of the wide law find, if it is not too small.
func (f *Fit) Defend(ctx context.Context, t Target, rng *rand.Rand, wide *r2sgld.Guide, weight, most float64) (bool, error) {
	law := &f.Mixture
	switch {
	case wide != nil:
		law.Wide = wide
	case t.Domain != nil && domain.Bounded(t.Domain) && !t.Near:
		law.Lo, law.Hi = domain.BoundsOf(t.Domain, len(t.Width))
	default:
		if known, err := f.look(ctx, t, rng); !known || err != nil {
			return false, err
		}
		if law.Wide = law.Surrounding(); law.Wide == nil {
			return false, nil
		}
	}
	for i := range law.Parts {
		law.Parts[i].Weight *= 1 - weight
	}
	if err := f.sharpen(ctx, t, rng, 1, false); err != nil || f.Share == 0 {
		return false, err
	}
	held := floats.Sum(f.Weight)
	if !(held > 0) {
		return false, nil
	}
	for i := range f.Weight {
		f.Weight[i], f.WeightSE[i] = f.Weight[i]/held, f.WeightSE[i]/held
	}
	return held >= 1-most, nil
}

// look has hot chains look for what the parts know nothing of, which becomes a part. It reports
// whether they know all that was seen, and their draws can be trusted.
func (f *Fit) look(ctx context.Context, t Target, rng *rand.Rand) (bool, error) {
	for range mostLooks {
		if !(f.K < trusted) {
			return false, nil
		}
		p, err := f.roam(ctx, f.rough, rng)
		if err != nil || p.Weight <= unheardOf {
			return err == nil, err
		}
		if p.L == nil || !(p.Weight < math.Inf(1)) || len(f.Mixture.Parts) == mostParts {
			return false, nil
		}
		f.Mixture.Parts = append(f.Mixture.Parts, p)
		normalise(f.Mixture.Parts)
		for round := range 2 * sharpening { // every second one moves parts, until draws can be trusted
			if err := f.sharpen(ctx, t, rng, wider(len(t.Width)), round%2 == 1); err != nil || f.Share == 0 {
				return false, err
			}
			if round%2 == 0 && f.K < trusted {
				break
			}
		}
	}
	return false, nil
}

// wider is how many times as wide as the density a part is, so that its draws reach what is not
// normal.
func wider(d int) float64 { return 1 + 1/(1+math.Sqrt(float64(d))) }

// normalise makes the weights add to 1, and has every part drawn often enough that draws can
// tell what it holds: the normal law at a minimum may say far too little of that.
func normalise(parts []Part) {
	sum := 0.0
	for _, p := range parts {
		sum += p.Weight
	}
	for i := range parts {
		parts[i].Weight = max(parts[i].Weight/sum, scarce/float64(len(parts)))
	}
	sum = 0
	for _, p := range parts {
		sum += p.Weight
	}
	for i := range parts {
		parts[i].Weight /= sum
	}
}

// sharpen draws from the mixture, weighs the draws, and moves the parts if asked to.
func (f *Fit) sharpen(ctx context.Context, t Target, rng *rand.Rand, wide float64, move bool) error {
	d, k := len(t.Width), len(f.Mixture.Parts)
	n := f.draws * (1 + k/8)
	at, y := make([]float64, 0, n*d), make([]float64, d) // draws in the domain
	for range n {
		if f.Mixture.Draw(y, rng); t.Domain == nil || t.Domain.Contains(y) {
			at = append(at, y...)
		}
	}
	energy, err := t.energies(ctx, at)
	if err != nil {
		return err
	}
	f.Evaluations += int64(len(energy))
	g := newEvaluator(&f.Mixture, lanes)
	law := g.eval.(*mixed)
	logs := make([]float64, 0, n) // of weights
	var owner []float64           // which part each draw belongs to, in parts
	for from := 0; from < len(energy); from += lanes {
		if err := g.block(at, from); err != nil {
			return err
		}
		for i, e := range energy[from:min(from+lanes, len(energy))] {
			l := g.energy[i] - e
			if l != l || math.IsInf(l, 1) {
				l = math.Inf(-1)
			}
			logs = append(logs, l)
			for p := range k {
				owner = append(owner, math.Exp(law.logs[p*lanes+i]+g.energy[i]))
			}
		}
	}
	f.weigh(logs, owner, n)
	switch {
	case f.Share == 0:
	case move:
		f.move(at, logs, owner, n, wide)
	default:
		f.settle(at, logs, n)
	}
	return nil
}

// energies are E at points, n × d.
func (t *Target) energies(ctx context.Context, at []float64) ([]float64, error) {
	out, workers := make([]float64, len(at)/len(t.Width)), 1
	if potential.Lanewise(t.Energy) { // which knows no past either
		workers = max(1, t.Threads)
	}
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		g.Go(func() error {
			v := newEvaluator(t.Energy, lanes)
			defer v.close()
			for from := w * lanes; from < len(out); from += workers * lanes {
				if err := cmp.Or(ctx.Err(), v.block(at, from)); err != nil {
					return err
				}
				copy(out[from:], v.energy)
			}
			return nil
		})
	}
	return out, g.Wait()
}

// weigh tells what n draws, of which those in the domain have weights exp(logs), say of the
// density.
func (f *Fit) weigh(logs, owner []float64, n int) {
	k := len(f.Mixture.Parts)
	top := math.Inf(-1)
	for _, l := range logs {
		top = max(top, l)
	}
	f.Inside, f.Share = float64(len(logs))/float64(n), 0
	if math.IsInf(top, -1) {
		return
	}
	sum, squares := 0.0, 0.0
	w := make([]float64, len(logs))
	for i, l := range logs {
		w[i] = math.Exp(l - top)
		sum, squares = sum+w[i], squares+w[i]*w[i]
	}
	mean := sum / float64(n)
	f.LogZ = top + math.Log(mean)
	f.SE = math.Sqrt(max(0, squares/float64(n)-mean*mean)/float64(n)) / mean
	f.Share, f.K = sum*sum/squares/float64(n), shape(logs)
	f.Weight, f.WeightSE = make([]float64, k), make([]float64, k)
	for p := range k {
		for i, v := range w {
			f.Weight[p] += v / sum * owner[i*k+p]
		}
		for i, v := range w {
			r := v / sum * (owner[i*k+p] - f.Weight[p])
			f.WeightSE[p] += r * r
		}
		f.WeightSE[p] = math.Sqrt(f.WeightSE[p])
	}
}

// settle tells what modes have of the density by n draws, of which those in the domain are at
// with weights exp(logs). Parts may have moved away from the modes at which they began.
func (f *Fit) settle(at, logs []float64, n int) {
	d := len(at) / len(logs)
	f.Basin, f.Squares = make([]float64, f.near.modes), make([]float64, f.near.modes)
	for i, l := range logs {
		k, w := f.near.Near(at[i*d:(i+1)*d]), math.Exp(l-f.LogZ)/float64(n)
		f.Basin[k] += w
		f.Squares[k] += w * w
	}
}

// shape is the Pareto shape of weights exp(logs), [unknown] at most.
func shape(logs []float64) float64 {
	finite := make([]float64, 0, len(logs))
	for _, l := range logs {
		if !math.IsInf(l, -1) {
			finite = append(finite, l)
		}
	}
	if k := diag.PSIS(finite, 1); k < unknown {
		return k
	}
	return unknown
}

// move moves the parts to where the weighted draws are, or towards there where few have nearly all of
// the weight, and weighs them so that their draws in the domain are as many as the density has there.
func (f *Fit) move(at, logs, owner []float64, drawn int, wide float64) {
	k := len(f.Mixture.Parts)
	d := len(at) / len(logs)
	for p := range f.Mixture.Parts {
		part := &f.Mixture.Parts[p]
		belongs := make([]float64, len(logs))
		for i := range belongs {
			belongs[i] = owner[i*k+p]
		}
		part.Weight = f.Weight[p] / max(leastIn, floats.Sum(belongs)/(part.Weight*float64(drawn)))
		least := float64(4 * d)
		own, enough, power := tempered(logs, belongs, least)
		if !(enough > least) {
			continue
		}
		sum, mean := floats.Sum(own), make([]float64, d)
		for i, v := range own {
			floats.AddScaled(mean, v/sum, at[i*d:][:d])
		}
		inflate := 1 + power*(wide*wide-1) // of variances: at power 0 draws are as wide as the part already
		c := mat.NewSymDense(d, nil)
		y := mat.NewVecDense(d, nil)
		for i, v := range own {
			if v == 0 {
				continue
			}
			for j := range mean {
				y.SetVec(j, at[i*d+j]-mean[j])
			}
			c.SymRankOne(c, v/sum, y)
		}
		prior := float64(2 * d)
		for i := range d {
			for j := range i + 1 {
				was := 0.0
				for l := range j + 1 {
					was += part.L[i][l] * part.L[j][l]
				}
				c.SetSym(i, j, (enough*c.At(i, j)*inflate+prior*was)/(enough+prior))
			}
		}
		if l := factor(c); l != nil {
			part.Center, part.L = mean, l
		}
	}
	normalise(f.Mixture.Parts)
}

// tempered are weights exp(power·logs) times belongs, up to a factor, and how many draws that is as good
// as: of power 1, or else of the highest with which it is more than least, 0 where there is none. They are
// those of a law between that of the draws and the density (Koblents & Míguez 2015).
func tempered(logs, belongs []float64, least float64) (own []float64, enough, power float64) {
	own = make([]float64, len(logs))
	top := math.Inf(-1)
	for i, l := range logs {
		if belongs[i] > 0 {
			top = max(top, l)
		}
	}
	at := func(power float64) float64 {
		for i, l := range logs {
			own[i] = belongs[i] * math.Exp(power*(l-top))
		}
		sum := floats.Sum(own)
		return sum * sum / floats.Dot(own, own)
	}
	if enough = at(1); enough > least {
		return own, enough, 1
	}
	high := 1.0
	for range 20 {
		if mid := (power + high) / 2; at(mid) > least {
			power = mid
		} else {
			high = mid
		}
	}
	if power == 0 {
		return own, 0, 0
	}
	return own, at(power), power
}
