package multimodal

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A walker is a baseline that is no method of the program: one chain of reflected Langevin
// steps whose draws stand for the law only in part.
type walker interface {
	// walk makes one step of the state of c, at which U is u with slopes grad, in iteration k,
	// and returns what the draw there weighs, up to a factor; 0 is no draw.
	walk(c *chain, k int) float64
}

// A chain is one of Langevin steps, mirrored at the nearest point of the wall.
type chain struct {
	x, from, grad, u []float64
	energy           potential.Evaluator
	mirror           domain.Reflector
	streams          *stream.Set
	noise, choice    *stream.Rand
	hits, fallbacks  int64
}

// step moves the chain along a multiple of the slopes.
func (c *chain) step(size, tau, multiple float64) {
	copy(c.from, c.x)
	sd := math.Sqrt(2 * size * tau)
	for i := range c.x {
		c.x[i] += -size*multiple*c.grad[i] + sd*c.noise.NormFloat64()
	}
	hits, ok := c.mirror.Reflect(c.from, c.x, nil)
	if hits > 0 {
		c.hits++
	}
	if !ok {
		c.fallbacks++
	}
	c.energy.Eval(c.u, c.grad, c.x)
}

// gain is that of stochastic approximation in iteration k.
func gain(rate float64, k int) float64 { return rate / (math.Pow(float64(k), 0.75) + 1000) }

// A contour is contour SGLD (Deng, Lin and Liang 2020) at temperature 1: it learns the mass
// θ of each bin of the energy and moves by U + log Ψ(U), Ψ being θ with its logarithm on
// straight lines, so that all energies are visited alike. A draw weighs Ψ.
type contour struct {
	size       float64 // of a step
	low, width float64 // of the first bin; the last one has all that is above
	rate       float64 // of learning; where it is high θ runs away at local minima of U
	theta      []float64
}

// newContour has bins from low, which must be the least energy, to high: next to a bin that
// is never visited log Ψ has no slope.
func newContour(size, low, high, width, rate float64) *contour {
	n := int(math.Ceil((high - low) / width))
	c := &contour{size, low, width, rate, make([]float64, n)}
	for i := range c.theta {
		c.theta[i] = 1 / float64(n)
	}
	return c
}

// bin is that of an energy.
func (w *contour) bin(u float64) int {
	return min(max(int((u-w.low)/w.width), 0), len(w.theta)-1)
}

// slope is that of log Ψ in a bin.
func (w *contour) slope(bin int) float64 {
	return math.Log(w.theta[bin]/w.theta[max(bin-1, 0)]) / w.width
}

// psi is Ψ(u).
func (w *contour) psi(u float64) float64 {
	bin := w.bin(u)
	return w.theta[max(bin-1, 0)] * math.Exp(w.slope(bin)*(u-w.low-float64(bin)*w.width))
}

func (w *contour) walk(c *chain, k int) float64 {
	c.step(w.size, 1, 1+w.slope(w.bin(c.u[0])))
	weight, bin := w.psi(c.u[0]), w.bin(c.u[0])
	by := gain(w.rate, k) * w.theta[bin]
	for i := range w.theta {
		w.theta[i] -= by * w.theta[i]
	}
	w.theta[bin] += by
	return weight
}

// A tempering is simulated tempering (Marinari and Parisi 1992) between the temperatures 1
// and 10: the chain tries the other one after every step, and learns the weight of both with
// which it is at each half of the time. Draws at temperature 1 weigh 1.
type tempering struct {
	size     [2]float64 // of a step
	variance float64    // of the energies' noise
	hot      int        // 0 or 1
	bonus    float64    // of being hot, in the logarithm of its weight
}

func (w *tempering) walk(c *chain, k int) float64 {
	tau := [2]float64{1, 10}
	c.step(w.size[w.hot], tau[w.hot], 1)
	other := 1 - w.hot
	delta := 1/tau[w.hot] - 1/tau[other]
	log := delta*c.u[0] - delta*delta*w.variance/2 + w.bonus*float64(other-w.hot)
	if c.choice.Float64() < math.Exp(log) {
		w.hot = other
	}
	w.bonus -= gain(10, k) * (float64(w.hot) - 0.5)
	return 1 - float64(w.hot)
}

// walkers are the makers of those of the study, by label.
func walkers() map[string]func() walker {
	return map[string]func() walker{
		"R-contour SGLD":        func() walker { return newContour(5e-4, -4, 5, 1, 3) },
		"R-simulated tempering": func() walker { return &tempering{size: [2]float64{5e-4, 1.5e-3}, variance: 0.05 * 0.05} },
	}
}

// wander runs a case of a walker.
func (p plan) wander(ctx context.Context, run *config.Run) (*outcome, error) {
	begin := time.Now()
	o := newOutcome(p)
	m := p.scene.own()
	for i := range p.runs {
		c, err := newChain(run, stream.New(p.own(), i))
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", p.name(), err)
		}
		x, weights, err := c.follow(ctx, p.walker(), p.protocol.iterations)
		if err != nil {
			return nil, err
		}
		draws := resampled(x, weights, c.choice.Float64())
		burn, held := o.addDraws(m, draws), len(draws)/2
		var mean [2]float64
		for j := burn; j < held; j++ {
			a, b := draws[2*j], draws[2*j+1]
			mean[0] += p.scene.target.energy(a, b) / float64(held-burn)
			mean[1] += (a*a + b*b) / float64(held-burn)
		}
		o.Means = append(o.Means, mean)
		o.Hit[0] += float64(c.hits) / float64(p.protocol.iterations*p.runs)
		o.Fallbacks += c.fallbacks
		o.Steps += int64(p.protocol.iterations)
	}
	o.Took = time.Since(begin)
	return o, nil
}

// newChain is a chain of the problem of a configuration.
func newChain(run *config.Run, s *stream.Set) (*chain, error) {
	mirror, err := domain.NewReflector(run.Problem.Domain, domain.Nearest, 20)
	if err != nil {
		return nil, err
	}
	c := &chain{x: make([]float64, 2), from: make([]float64, 2), grad: make([]float64, 2), u: make([]float64, 1), mirror: mirror, streams: s,
		energy: run.Problem.Potential.Evaluator(1, s), noise: s.Of(0, stream.Kernel), choice: s.Of(0, stream.Swap)}
	c.energy.Eval(c.u, c.grad, c.x)
	return c, nil
}

// follow makes iterations, and returns the states that are draws with their weights.
func (c *chain) follow(ctx context.Context, w walker, iterations int) (x, weights []float64, err error) {
	for k := 1; k <= iterations; k++ {
		if k%1000 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		c.streams.Begin(k)
		if weight := w.walk(c, k); weight > 0 {
			x, weights = append(x, c.x...), append(weights, weight)
		}
	}
	return x, weights, nil
}

// resampled are as many draws as there are, each as often as its weight has it and u in
// [0, 1) rounds, in their order.
func resampled(x, weights []float64, u float64) []float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	out := make([]float64, 0, len(x))
	sum, n := 0.0, float64(len(weights))
	for i, w := range weights {
		for sum += w / total * n; u < sum && len(out) < len(x); u++ {
			out = append(out, x[2*i], x[2*i+1])
		}
	}
	return out
}
