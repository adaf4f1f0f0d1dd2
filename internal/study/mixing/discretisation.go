package mixing

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/potential"
)

// Discretisation is what the step costs. All distances are W1.
type Discretisation struct {
	Orders   []Order `json:"stationary"`     // from the stationary law of the steps to π
	Times    []Order `json:"at_time"`        // from the law of the steps to that of the diffusion, at one time
	Gradient []Order `json:"gradient_noise"` // between the stationary laws with and without noise
	Energy   []Order `json:"energy_noise"`   // likewise of the cold of two rungs
}

// An Order is how a distance depends on something.
type Order struct {
	Name     string    `json:"name"`
	Rule     string    `json:"rule"`  // of the boundary
	Of       string    `json:"of"`    // step size, or standard deviation of the noise
	X        []float64 `json:"x"`     // values of that, rising
	W1       []float64 `json:"w1"`    //
	Fit      Power     `json:"fit"`   // of W1 over X, of the smaller half of these
	Local    []float64 `json:"local"` // slopes between neighbours
	Bound    float64   `json:"bound"` // the power that the theorem allows
	Vanishes bool      `json:"vanishes"`
}

// rounding is the W1 below which nothing but rounding is left.
const rounding = 1e-11

// fit sets what follows from the distances.
func (o *Order) fit() {
	most := 0.0
	for _, v := range o.W1 {
		most = math.Max(most, v)
	}
	if o.Vanishes = most < rounding; o.Vanishes {
		o.Fit = Power{math.NaN(), math.NaN(), math.NaN()}
		return
	}
	// The order is that of small x: the lower half on a logarithmic axis.
	n, middle := 0, math.Sqrt(o.X[0]*o.X[len(o.X)-1])
	for n < len(o.X) && (n < 3 || o.X[n] <= middle*(1+1e-9)) {
		n++
	}
	o.Fit, o.Local = powerOf(o.X[:n], o.W1[:n]), locals(o.X, o.W1)
}

// A scene is a law on an interval, for steps.
type scene struct {
	name   string
	u      potential.Potential
	lo, hi float64
	disk   func(r float64) (value, slope float64) // U of a disk of radius hi; nil is an interval
}

// pushed is U = (x + 1)²/2 on [0, 2], whose force pushes into the wall at 0.
func pushed() scene {
	return scene{"[0, 2], U = (x + 1)²/2", potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = x[0] + 1
		return square(x[0]+1) / 2
	}), 0, 2, nil}
}

// disks are those of radius 1 with a law that depends on the distance from the centre alone.
func disks() (out []scene) {
	for _, of := range []struct {
		name string
		a    float64 // U = a|x|²
	}{{"U = 0", 0}, {"U = |x|²/2", 0.5}, {"U = −|x|²", -1}} {
		out = append(out, scene{"disk, " + of.name, potential.Func(1, func(grad, x []float64) float64 {
			grad[0] = 2 * of.a * x[0]
			return of.a * x[0] * x[0]
		}), 0, 1, func(r float64) (float64, float64) { return of.a * r * r, 2 * of.a * r }})
	}
	return out
}

// along is the potential with which the law is one on [lo, hi].
func (s scene) along() potential.Potential {
	if s.disk == nil {
		return s.u
	}
	return potential.Func(1, scheme.Radial(s.disk, 1))
}

// scenes are all of them.
func scenes() []scene {
	return []scene{pushed(), {"[−2, 2], double well", well(), -2, 2, nil}, {"[−2, 2], slice of the 25 modes", modes(1), -2, 2, nil},
		{"[0, 2], U = 0", nil, 0, 2, nil}}
}

// step is a step of size eta on the scene, at temperature 1.
func (s scene) step(eta float64, rule domain.Rule) scheme.Step {
	return scheme.Step{U: s.u, Lo: s.lo, Hi: s.hi, Temperature: 1, StepSize: eta, Rule: rule, Disk: s.disk != nil}
}

// stationaryLaw is what a step leaves as it is.
func stationaryLaw(s scheme.Step) (*scheme.Law, error) {
	k, err := scheme.New(s)
	if err != nil {
		return nil, err
	}
	return k.Stationary()
}

// discretisation computes all distances.
func (e effort) discretisation(ctx context.Context, o study.Options) (Discretisation, error) {
	var d Discretisation
	for _, part := range []struct {
		what string
		jobs []job
		into *[]Order
	}{
		{"step size", e.stationaryJobs(), &d.Orders},
		{"time", e.timeJobs(), &d.Times},
		{"gradient noise", e.gradientJobs(), &d.Gradient},
		{"energy noise", e.energyJobs(), &d.Energy},
	} {
		var err error
		if *part.into, err = each(ctx, o, "discretisation, "+part.what, len(part.jobs), func(ctx context.Context, i int) (Order, error) {
			return part.jobs[i].run(ctx)
		}); err != nil {
			return d, err
		}
	}
	return d, nil
}

// A job computes distances.
type job struct {
	name, rule, of string
	x              []float64
	bound          float64
	distance       func(x float64) (float64, error)
}

func (j job) run(ctx context.Context) (Order, error) {
	out := Order{Name: j.name, Rule: j.rule, Of: j.of, X: j.x, Bound: j.bound}
	for _, x := range j.x {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		w, err := j.distance(x)
		if err != nil {
			return out, fmt.Errorf("%s, %s, %s %g: %w", j.name, j.rule, j.of, x, err)
		}
		out.W1 = append(out.W1, w)
	}
	out.fit()
	return out, nil
}

const (
	byStep     = "step size"
	byGradient = "noise of the gradient"
	byEnergy   = "noise of the energy difference"
)

// rules are the boundary rules that are compared: on a disk that of the paper.
func (s scene) rules() []domain.Rule {
	if s.disk != nil {
		return []domain.Rule{domain.Nearest}
	}
	return []domain.Rule{domain.Specular, domain.Project, domain.Refuse}
}

// ruleName is what a rule is called in text.
func ruleName(r domain.Rule) string {
	return map[domain.Rule]string{domain.Specular: "reflection", domain.Nearest: "reflection",
		domain.Project: "projection", domain.Refuse: "refusal"}[r]
}

// stationaryJobs compare the stationary laws of steps with π, and that of the cold of
// two rungs that swap.
func (e effort) stationaryJobs() []job {
	var out []job
	for _, s := range slices.Concat(scenes(), disks()) {
		for _, rule := range s.rules() {
			out = append(out, job{s.name, ruleName(rule), byStep, logarithmic(e.least, 1e-2, e.steps), 0.25, func(eta float64) (float64, error) {
				law, err := stationaryLaw(s.step(eta, rule))
				if err != nil {
					return 0, err
				}
				target, err := scheme.Target(s.along(), s.lo, s.hi, 1)
				if err != nil {
					return 0, err
				}
				return scheme.W1(law, target), nil
			}})
		}
	}
	for _, s := range scenes()[:3] {
		out = append(out, job{s.name + ", swaps with τ = 10", ruleName(domain.Specular), byStep, logarithmic(e.leastPair, 2e-2, e.pairSteps),
			0.25, func(eta float64) (float64, error) {
				law, err := s.pair(eta, 0, 0)
				if err != nil {
					return 0, err
				}
				target, err := scheme.Target(s.u, s.lo, s.hi, 1)
				if err != nil {
					return 0, err
				}
				return scheme.W1(law, target), nil
			}})
	}
	return out
}

// pair is the stationary law of the cold rung of two, which try to swap after every
// iteration with noise sigma in the energy difference and a correction.
func (s scene) pair(eta, sigma, correction float64) (*scheme.Law, error) {
	p, err := scheme.NewPair(scheme.PairStep{U: s.u, Lo: s.lo, Hi: s.hi, Temperature: [2]float64{1, 10}, StepSize: [2]float64{eta, eta},
		Attempt: 1, EnergyNoise: sigma, Correction: correction})
	if err != nil {
		return nil, err
	}
	joint, err := p.Stationary()
	if err != nil {
		return nil, err
	}
	return joint.Cold, nil
}

// duration is the time T at which laws are compared.
const duration = 0.5

// timeJobs compare the laws of steps and of the diffusion at a time, from a point.
func (e effort) timeJobs() []job {
	var steps []float64
	for _, eta := range logarithmic(math.Max(e.least, 1e-5), 2e-2, e.steps) {
		steps = append(steps, duration/math.Round(duration/eta))
	}
	var out []job
	for _, s := range slices.Concat(scenes(), disks()) {
		exact := sync.OnceValues(s.diffused)
		for _, rule := range s.rules() {
			out = append(out, job{s.name, ruleName(rule), byStep, steps, 0.25, func(eta float64) (float64, error) {
				law, err := exact()
				if err != nil {
					return 0, err
				}
				return s.apart(law, eta, rule)
			}})
		}
	}
	return out
}

// start is where laws start that are compared at a time: a quarter of the way.
func (s scene) start() (*scheme.Law, error) { return scheme.Point(s.lo, s.hi, s.lo+(s.hi-s.lo)/4) }

// diffused is the law of the diffusion at time duration.
func (s scene) diffused() (*scheme.Law, error) {
	start, err := s.start()
	if err != nil {
		return nil, err
	}
	d, err := scheme.NewDiffusion(s.along(), s.lo, s.hi, 1)
	if err != nil {
		return nil, err
	}
	return d.After(start, duration)
}

// apart is the distance from it of the law of steps at that time.
func (s scene) apart(diffused *scheme.Law, eta float64, rule domain.Rule) (float64, error) {
	start, err := s.start()
	if err != nil {
		return 0, err
	}
	k, err := scheme.New(s.step(eta, rule))
	if err != nil {
		return 0, err
	}
	law, err := k.After(start, int(math.Round(duration/eta)))
	if err != nil {
		return 0, err
	}
	return scheme.W1(law, diffused), nil
}

// gradientJobs: noise of the gradient alone, first its size, then the step.
func (e effort) gradientJobs() []job {
	const eta, sd = 1e-3, 1.0
	var out []job
	for _, s := range scenes()[:3] {
		distance := func(eta, sd float64) (float64, error) {
			step := s.step(eta, domain.Specular)
			quiet, err := stationaryLaw(step)
			if err != nil {
				return 0, err
			}
			step.GradientNoise = sd
			noisy, err := stationaryLaw(step)
			if err != nil {
				return 0, err
			}
			return scheme.W1(quiet, noisy), nil
		}
		out = append(out,
			job{fmt.Sprintf("%s, step %g", s.name, eta), ruleName(domain.Specular), byGradient, logarithmic(0.1, 10, e.steps), 1,
				func(x float64) (float64, error) { return distance(eta, x) }},
			job{fmt.Sprintf("%s, noise %g", s.name, sd), ruleName(domain.Specular), byStep, logarithmic(math.Max(e.least, 1e-4), 1e-2, e.steps), 0,
				func(x float64) (float64, error) { return distance(x, sd) }})
	}
	return out
}

// energyJobs: noise of the energies alone, with each correction.
func (e effort) energyJobs() []job {
	const sd = 1.0
	var out []job
	s := scenes()[1]
	var mu sync.Mutex
	laws := map[float64]func() (*scheme.Law, error){} // by step
	quietAt := func(eta float64) (*scheme.Law, error) {
		mu.Lock()
		law, ok := laws[eta]
		if !ok {
			law = sync.OnceValues(func() (*scheme.Law, error) { return s.pair(eta, 0, 0) })
			laws[eta] = law
		}
		mu.Unlock()
		return law()
	}
	for _, c := range []struct {
		name string
		c    float64
	}{{"C = 2", 2}, {"C = 1", 1}, {"no correction", 0}} {
		distance := func(eta, sd float64) (float64, error) {
			quiet, err := quietAt(eta)
			if err != nil {
				return 0, err
			}
			noisy, err := s.pair(eta, sd, c.c)
			if err != nil {
				return 0, err
			}
			return scheme.W1(quiet, noisy), nil
		}
		out = append(out,
			job{fmt.Sprintf("%s, %s, step %g", s.name, c.name, 2*e.leastPair), ruleName(domain.Specular), byEnergy, logarithmic(0.1, 3, e.pairSteps),
				0.5,
				func(x float64) (float64, error) { return distance(2*e.leastPair, x) }},
			job{fmt.Sprintf("%s, %s, noise %g", s.name, c.name, sd), ruleName(domain.Specular), byStep, logarithmic(e.leastPair, 2e-2, e.pairSteps),
				-0.25,
				func(x float64) (float64, error) { return distance(x, sd) }})
	}
	return out
}
