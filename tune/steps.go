package tune

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
)

// checkWork is how many gradients of a run pay for one of a check of its draws.
const checkWork = 8

// affordable is at how many draws a check of a run may look that asks for so many gradients at each: most, if they are paid for.
func affordable(res *r2sgld.Result, most, each int) int {
	return min(most, int(res.Gradients()/checkWork)/each)
}

// drawsOf gathers at most most draws of a rung, evenly from all ladders, n × d.
func drawsOf(res *r2sgld.Result, rung, most int) []float64 {
	var x []float64
	each := max(1, most/len(res.Ladders))
	for _, l := range res.Ladders {
		n := len(l.Energy[rung])
		d := len(l.X[rung]) / n
		for i := range min(each, n) {
			k := (i + 1) * n / min(each, n)
			x = append(x, l.X[rung][(k-1)*d:k*d]...)
		}
	}
	return x
}

// whitening is that of the draws of a round; the one now in use if that does
// nearly as well.
func (t *tuner) whitening(res *r2sgld.Result, now *r2sgld.Whitening) *r2sgld.Whitening {
	if falling(res, 0) {
		return now
	}
	x := drawsOf(res, 0, max(4*mostStates, 40*min(t.d, manyNames)))
	seen := t.probe.slopes().around(x, t.d, nil)
	if len(seen) < 2*t.d {
		return t.s.Whitening
	}
	c := localCovariance(t.probe.ctx, seen, 1/t.coldest, t.spread)
	if c == nil {
		return t.s.Whitening
	}
	next := whitening(c, mean(x, t.d))
	if effort(next) >= effort(now) && through(c, now) <= good*max(sufficient(t.d, now), through(c, next)) {
		return now
	}
	return next
}

// steps sets the diffusion of every rung of next from the draws of the ladder
// before.
func (t *tuner) steps(next *Found, before []float64, res *r2sgld.Result) {
	seen, transit := make([][]point, len(before)), make([]bool, len(before))
	for r := range before {
		seen[r] = t.probe.around(drawsOf(res, r, mostStates), t.d, next.Whitening)
		transit[r] = falling(res, r)
	}
	next.Singular = singular(seen[0], nil)
	for _, s := range seen {
		t.relate(s, next.Whitening)
	}
	widest := t.widest(t.fill, next.Whitening)
	next.Diffusion = nil
	for i, b := range next.Beta {
		stiff, beta := 0.0, b
		for _, r := range beside(before, b) {
			s, at := t.stiffness(seen[r], b, before[r], !transit[r])
			stiff, beta = max(stiff, s), at
		}
		h := t.diffusion(stiff, beta, widest)
		next.Diffusion = append(next.Diffusion, h)
		if i == 0 {
			next.Bias = h * b * stiff / 2
		}
	}
	if t.s.Traits().Metropolis {
		next.Bias, next.Leapfrog = 0, t.leapfrog()
	}
}

// relate takes slopes and curvatures at points, seen in the coordinates of w, to the lengths that steps of
// trajectories have there, the shortest being 1: see [r2sgld.Guide.Widths].
func (t *tuner) relate(seen []point, w *r2sgld.Whitening) {
	widths := t.p.Guide.Widths(w)
	factors := widths.Factors()
	if !t.s.Traits().Metropolis || len(factors) == 1 {
		return
	}
	odds, logs := widths.Odds(1), make([]float64, len(factors))
	for i := range seen {
		odds(logs, seen[i].at)
		square := 0.0
		for k, f := range factors {
			square += math.Exp(logs[k]) * f * f
		}
		seen[i].curvature *= square
		floats.Scale(math.Sqrt(square), seen[i].slope)
	}
}

// StepBias is by how much, relative, the steps of a run on p with settings s make
// variances too large in the stiffest directions, walls aside: s/(1 − s) where s is half
// the step size times the high quantile of the curvature at the draws of a rung (momentum
// μ divides s by 1 + μ), what the noise of gradients adds included, on average where step
// sizes vary. It returns the largest and the rung, the coldest being 0; +Inf where steps are
// not stable, and 0 where steps have no bias, or curvatures are not known.
func StepBias(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) (worst float64, rung int) {
	if s.Unbiased() || s.Mirror || p.Chart != nil {
		return 0, 0
	}
	mu := s.Traits().Momentum.Mu
	q := newProbe(p.Potential, s.Seed).on(s.Threads)
	looked := affordable(res, mostStates, q.each()*len(s.StepSize))
	for r, eta := range s.StepSize {
		beta := 1.0
		if len(s.Temperature) > 0 {
			beta = 1 / s.Temperature[r]
		}
		if beta == 0 {
			continue
		}
		seen := q.around(drawsOf(res, r, looked), p.Potential.Dim(), s.Whitening)
		w := weights(seen, 0)
		half := eta * (quantile(seen, w) + noise(seen, w)*beta) / 2 / (1 + mu)
		if bias := widened(s, half); bias > worst {
			worst, rung = bias, r
		}
	}
	return worst, rung
}

// Unstable is the share of the cold draws of a run on p with settings s where steps of its
// trajectories are beyond the limit of stability: step size times curvature above 2. It is 0
// where nothing has trajectories, or independent draws from far away reach the cold rung: the
// ladder begins at the law at infinite temperature, or at that of guide.
func Unstable(p r2sgld.Problem, s r2sgld.Settings, guide *Modes, res *r2sgld.Result) (share float64) {
	if !s.Unbiased() || s.Traits().Paths || p.Chart != nil || p.HasReference() || guide != nil && guide.Guided {
		return 0
	}
	q := newProbe(p.Potential, s.Seed).on(s.Threads)
	looked := 0
	for _, most := range []int{mostStates, sureStates} {
		n := affordable(res, most, q.each())
		if n == looked && n > 0 {
			break
		}
		looked = n
		seen := q.around(drawsOf(res, 0, n), p.Potential.Dim(), s.Whitening)
		beyond := 0
		for _, o := range seen {
			if s.StepSize[0]*o.curvature > 2 {
				beyond++
			}
		}
		if share = float64(beyond) / float64(max(1, len(seen))); share < promising {
			break
		}
	}
	return share
}

const (
	sureStates = 2048 // draws at which curvatures are measured where fewer tell of steps that are not stable
	promising  = 0.05 // a share of these that makes more of them worth a look
)

// widened is by how much steps make a variance too large, on average over the draws that are
// kept where they vary; half is s at the given step size.
func widened(s r2sgld.Settings, half float64) (bias float64) {
	looks, n := 256, float64(s.Iterations-s.BurnIn)
	if s.Decay.Kind == "" || s.Decay.Kind == kernel.Constant {
		looks = 1
	}
	for i := range looks {
		_, at := math.Modf(float64(i) * math.Phi) // no cycle keeps pace with that
		h := half * s.Decay.Factor(s.BurnIn+1+int(n*at), s.Iterations)
		if !(h < 1) {
			return math.Inf(1)
		}
		bias += h / (1 - h) / float64(looks)
	}
	return bias
}

// Singular reports whether a few of the cold draws of a run on p with settings s have slopes that
// outweigh all others, or the density is infinite at a place below them; false where that
// is not known.
func Singular(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) bool {
	if p.Chart != nil { // draws are told in other coordinates than those of the potential
		return false
	}
	d, q := p.Potential.Dim(), newProbe(p.Potential, s.Seed).on(s.Threads)
	most := affordable(res, math.MaxInt, 1)
	x, tops := drawsOf(res, 0, min(most, mostStates)), drawsOf(res, 0, min(most/perDescent, 4*mostStates))
	return singular(q.slopes().around(x, d, nil), nil) || q.infinite(p.Domain, tops, d, most-(len(x)+len(tops))/d)
}

// singular reports whether one of the slopes at cold draws outweighs all others: as
// they do where the density has no bounded slope at a wall, or a mode so narrow that
// few draws are in it. Those that are harmless do not count; nil is none.
func singular(seen []point, harmless func(seen []point, i int) bool) bool {
	if len(seen) < mostStates/2 {
		return false
	}
	for j := range seen[0].slope {
		most, sum, at := 0.0, 0.0, 0
		for i, p := range seen {
			v := p.slope[j] * p.slope[j]
			if sum += v; v > most {
				most, at = v, i
			}
		}
		if most > outweighs*sum && (harmless == nil || !harmless(seen, at)) {
			return true
		}
	}
	return false
}

// repelled reports whether the slope at draw i drives it back among the others: none lies farther
// where the energy rises, and half of them or more have none that is higher, as at a wall where the
// density falls to 0. Trajectories turn there.
func repelled(seen []point, i int) bool {
	p, higher := seen[i], 0
	for _, o := range seen {
		if o.energy > p.energy {
			higher++
		}
		ahead := 0.0
		for j, s := range p.slope {
			ahead += s * (o.at[j] - p.at[j])
		}
		if ahead > 0 {
			return false
		}
	}
	return 2*higher <= len(seen)
}

// outweighs is the share of the squared slopes that one of mostStates draws has at
// most: of normal laws it is 0.1, of one that grows like 1 over the distance from a
// wall a third and more.
const outweighs = 1.0 / 3

// beside are the rungs whose draws tell of inverse temperature b: the one that has
// it, or both its neighbours. beta are those of the rungs, cold first, b no other
// than between their ends.
func beside(beta []float64, b float64) []int {
	for r, at := range beta {
		if at == b {
			return []int{r}
		}
		if at < b {
			return []int{max(0, r-1), r}
		}
	}
	return []int{len(beta) - 1}
}

// falling reports whether the energies of a rung still fall: by more, from the first
// half of the draws to the second, than twice what they vary in that.
func falling(res *r2sgld.Result, rung int) bool {
	var first, second []float64
	for _, l := range res.Ladders {
		u := l.Energy[rung]
		first, second = append(first, u[:len(u)/2]...), append(second, u[len(u)/2:]...)
	}
	if len(first) == 0 {
		return false
	}
	m, sd := stat.MeanStdDev(second, nil)
	return stat.Mean(first, nil)-m > 2*sd
}
