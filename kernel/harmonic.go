package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/stream"
)

// Harmonic is the kernel of exact Hamiltonian dynamics of a Gaussian U: in every
// iteration each replica gets a fresh velocity and follows its ellipse about the
// mean, x(t) = m + (x − m) cos t + u sin t, for a time, specularly reflected in the
// metric of the Gaussian at walls, whose hits are found in closed form (Pakman &
// Paninski 2014). Nothing is rejected, and exp(−U/τ) on the domain is kept exactly.
// There is no step size; that of a rung at infinite temperature is for reflected steps.
// Times of travel of rungs that meet many walls are shortened within the burn-in.
type Harmonic struct {
	// Time is that of travel, 0 < Time < π; 0 is π/2, where without walls draws are
	// independent.
	Time float64
	// Jitter is the half-width of a factor of Time, uniform about 1 and drawn for
	// each path: 0 ≤ Jitter < 1 and (1 + Jitter)·Time < π.
	Jitter float64
	// Cap is the largest number of mirrorings of a path, after which it is given up
	// and the replica stays; 0 is [domain.SpecularCap].
	Cap int
}

// Validate reports what is wrong with h, or nil.
func (h Harmonic) Validate() error {
	switch {
	case !(h.Jitter >= 0 && h.Jitter < 1):
		return fmt.Errorf("jitter %g of the time of travel must be in [0, 1)", h.Jitter)
	case !(h.Time >= 0 && h.time()*(1+h.Jitter) < math.Pi):
		return fmt.Errorf("time of travel %g with jitter %g: it must stay above 0 and below π, half a period", h.Time, h.Jitter)
	case h.Cap < 0:
		return fmt.Errorf("cap %d: the largest number of mirrorings of a path is at least 1 (0: the default)", h.Cap)
	}
	return nil
}

// Suits reports what about c the kernel cannot do with, or nil.
func (h Harmonic) Suits(c Conditions) error {
	if c.Rule != "" && c.Rule != domain.Specular && c.Rule != domain.Free {
		return fmt.Errorf("the harmonic kernel reflects its paths itself: boundary %s is not for it, use %s", c.Rule, domain.Specular)
	}
	return errors.Join(c.notMirrored(h), c.noBase())
}

// Traits are those of paths in closed form.
func (h Harmonic) Traits() Traits {
	return Traits{Name: "the harmonic kernel", Exact: true, Paths: true, Steps: 1, GivenUp: "replicas stayed where they were"}
}

// Prepare finds the Gaussian that the potential is, and returns the maker of a mover
// along its flow.
func (h Harmonic) Prepare(t Target) (func(*Block) Mover, error) {
	z := make([]float64, t.Potential.Dim())
	if err := t.Point(z); err != nil {
		return nil, err
	}
	g, err := findGaussian(t.Potential, t.Domain, z)
	if err != nil {
		return nil, err
	}
	if h.Cap == 0 {
		h.Cap = t.Cap
	}
	f, err := newFlow(g, t.Domain, h)
	if err != nil {
		return nil, err
	}
	return func(*Block) Mover { return &orbits{orbit: f.Orbit(), gaussian: g} }, nil
}

// orbits are those of a block.
type orbits struct {
	stateless
	orbit    *orbit
	gaussian *gaussian
}

func (o *orbits) Step(b *Block, at *At, noise *stream.Lanes) { o.orbit.Move(b, at, noise) }

// Check holds the energies against those of the Gaussian: gradients move nothing.
func (o *orbits) Check(b *Block) error {
	x, grad := o.orbit.x, o.orbit.u
	for i, energy := range b.Energy {
		for j := range x {
			x[j], grad[j] = b.X[j*b.Stride+i], b.Grad[j*b.Stride+i]
		}
		if o.gaussian.clearly(x, grad, energy) {
			continue
		}
		if err := o.gaussian.agrees(x, nil, energy); err != nil {
			return err
		}
	}
	return nil
}

func (o *orbits) Warm(b *Block) { o.orbit.Tune(b) }

func (o *orbits) Stuck(i int) bool { return o.orbit.Stuck[i] }

func (o *orbits) Numbers() []*[]float64 { return []*[]float64{&o.orbit.Times} }

func (h Harmonic) time() float64 {
	if h.Time == 0 {
		return math.Pi / 2
	}
	return h.Time
}

// A Gaussian is U(x) = ½ (x − m)ᵀP(x − m) and a constant, P positive definite.
type gaussian struct {
	Mean      []float64
	Precision *mat.SymDense
	Bottom    float64 // the constant
}

// flow is the dynamics of a Gaussian between walls. It does not change, and
// several goroutines may use it, each with its own orbit.
type flow struct {
	settings Harmonic
	mean     []float64
	inside   domain.Domain // nil is all of space
	root     *matrix       // M with MMᵀ = P⁻¹
	inverse  *matrix       // P⁻¹; nil without quadratic walls
	plane    *planes
	curved   []*quadric
	reach    float64 // tan(Time/2)
}

// newFlow returns the dynamics of g in d, nil for all of space. It fails where d is
// not a set of linear and quadratic inequalities (see [domain.InequalitiesOf]) and
// where P is not positive definite.
func newFlow(g *gaussian, d domain.Domain, h Harmonic) (*flow, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	n := len(g.Mean)
	if k := g.Precision.SymmetricDim(); k != n || d != nil && d.Dim() != n {
		return nil, fmt.Errorf("a mean of %d coordinates, a precision of %d and a domain do not agree", n, k)
	}
	walls, err := domain.InequalitiesOf(d)
	if err != nil {
		return nil, fmt.Errorf("harmonic kernel: %w", err)
	}
	root, cov, err := inverseRoot(g.Precision)
	if err != nil {
		return nil, err
	}
	if h.Cap == 0 {
		h.Cap = domain.SpecularCap
	}
	f := &flow{settings: h, mean: append([]float64(nil), g.Mean...), inside: d, reach: math.Tan(h.time() / 2),
		root: newMatrix(root)}
	f.plane = newPlanes(walls, f.mean, cov)
	if len(walls.Quadratic) > 0 {
		f.inverse = newMatrix(cov)
	}
	for _, q := range walls.Quadratic {
		f.curved = append(f.curved, newQuadric(q, f.mean))
	}
	return f, nil
}

// inverseRoot returns M, lower triangular, with MMᵀ = P⁻¹, and P⁻¹. Unlike units
// are no obstacle.
func inverseRoot(precision *mat.SymDense) (root *mat.TriDense, cov *mat.SymDense, err error) {
	p, scale := standardised(precision)
	n := len(scale)
	var c mat.Cholesky
	if !c.Factorize(p) {
		return nil, nil, errors.New(
			"the precision of the Gaussian is not positive definite: some direction is not bounded by the potential; give it a prior, or take " +
				"another kernel")
	}
	cov = mat.NewSymDense(n, nil)
	if err := c.InverseTo(cov); err != nil || !c.Factorize(cov) {
		return nil, nil, errors.New(
			"the precision of the Gaussian is nearly singular: some direction is hardly bounded by the potential; give it a prior, or take " +
				"another kernel")
	}
	root = mat.NewTriDense(n, mat.Lower, nil)
	c.LTo(root)
	for i, s := range scale {
		for j := range i + 1 {
			root.SetTri(i, j, s*root.At(i, j))
			cov.SetSym(i, j, s*cov.At(i, j)*scale[j])
		}
	}
	return root, cov, nil
}

// standardised is P in coordinates x_i/scale_i, in which it has a unit diagonal.
func standardised(precision *mat.SymDense) (p *mat.SymDense, scale []float64) {
	n := precision.SymmetricDim()
	p, scale = mat.NewSymDense(n, nil), make([]float64, n)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(precision.At(i, i))
		for j := range i + 1 {
			p.SetSym(i, j, scale[i]*precision.At(i, j)*scale[j])
		}
	}
	return p, scale
}

// orbit moves replicas along a flow: one goroutine at a time.
type orbit struct {
	*flow
	// Stuck says of each replica of the last Move whether it stayed where it was,
	// for more mirrorings than the cap or an end outside by rounding.
	Stuck []bool
	// Times are those of travel, as [Harmonic.Time], per [Block.Slot]; nil is that of the
	// flow for all.
	Times []float64

	gone   []float64 // how far the last path of each replica came until it was given up, as a time
	x, u   []float64 // where the path is, and how it goes on
	white  []float64 // normal numbers; then, the direction of a mirroring
	planes planePath
	curved []quadricPath
}

// Orbit returns a workspace.
func (f *flow) Orbit() *orbit {
	n, m := len(f.mean), len(f.plane.b)
	o := &orbit{flow: f, x: vector(n), u: vector(n), white: vector(n),
		planes: planePath{planes: f.plane, slack: make([]float64, m), rate: make([]float64, m), row: make([]float64, m)}}
	for _, q := range f.curved {
		k := len(q.at)
		o.curved = append(o.curved, quadricPath{quadric: q, y: make([]float64, k), v: make([]float64, k), n: make([]float64, k),
			w: make([]float64, k), full: make([]float64, n)})
	}
	return o
}

// Move takes every replica of b to its next draw. Replica i draws from lane i.
// Replicas at infinite temperature, where there is no Gaussian, make a step of
// normal noise, walls aside. The states before are left in b.From, the
// mirrorings in b.Hits; Grad and Energy belong to From until they are evaluated
// anew. States must lie in the domain. It allocates nothing after its first call.
func (o *orbit) Move(b *Block, at *At, noise *stream.Lanes) {
	if len(o.Stuck) != b.R {
		o.Stuck, o.gone = make([]bool, b.R), make([]float64, b.R)
	}
	copy(b.From, b.X)
	xi := noise.Normals(b.D)
	for i := range b.R {
		for j := range o.x {
			o.x[j] = b.From[j*b.Stride+i]
		}
		hits, ok := 0, true
		if sd := math.Sqrt(at.Temperature[b.Rung[i]]); math.IsInf(sd, 1) {
			for j, x := range o.x {
				o.x[j] = x + at.Noise[b.Rung[i]]*xi[j*b.R+i]
			}
		} else {
			o.launch(sd, xi[i:], b.R)
			hits, o.gone[i], ok = o.follow(o.end(b.Slot(i), noise.Of(i)))
			ok = ok && (o.clear((1+sd)*float64(1+hits)) || o.inside.Contains(o.x))
		}
		b.Hits[i], o.Stuck[i] = hits, !ok
		for j, x := range o.x {
			if !ok {
				x = b.From[j*b.Stride+i]
			}
			b.X[j*b.Stride+i] = x
		}
	}
}

// launch makes the velocity u ~ N(0, τ P⁻¹) of standard normal numbers, every n-th of xi.
func (o *orbit) launch(sd float64, xi []float64, n int) {
	for j := range o.white {
		o.white[j] = sd * xi[j*n]
	}
	o.root.mul(o.u, o.white)
}

// end is tan(T/2) of the time to travel.
func (o *orbit) end(slot int, rng *stream.Rand) float64 {
	if o.settings.Jitter == 0 && o.Times == nil {
		return o.reach
	}
	time := o.settings.time()
	if o.Times != nil {
		time = o.Times[slot]
	}
	if o.settings.Jitter > 0 {
		time *= 1 + o.settings.Jitter*(2*rng.Float64()-1)
	}
	return math.Tan(time / 2)
}

// Mirrorings of a path above which Tune makes it shorter, and below which longer.
const (
	manyHits = 100
	fewHits  = 30
)

// Tune makes the times of travel of rungs shorter whose last paths met too many
// walls, as hot ones do whose law is far wider than the domain, and longer again,
// up to the time of the flow, where they met few. It is for the warm-up: draws keep
// the law of a rung only as long as its time stays as it is.
func (o *orbit) Tune(b *Block) {
	if o.Times == nil {
		o.Times = make([]float64, b.R)
		for r := range o.Times {
			o.Times[r] = o.settings.time()
		}
	}
	for i, hits := range b.Hits {
		switch time := &o.Times[b.Slot(i)]; {
		case hits > manyHits && o.Stuck[i]:
			*time = min(*time/10, o.gone[i]*manyHits/float64(hits))
		case hits > manyHits:
			*time *= max(0.1, manyHits/float64(hits))
		case hits < fewHits:
			*time = min(1.1**time, o.settings.time())
		}
	}
}

// follow goes the way from x with velocity u. Times are told by s = tan(t/2), which
// makes sines and cosines rational. It reports false after too many mirrorings, and the time
// until then, but for what is of third order in the short times between them.
func (o *orbit) follow(end float64) (hits int, gone float64, ok bool) {
	o.planes.begin(o.x, o.u)
	for ; ; hits++ {
		s, plane := o.planes.first(end)
		curved := -1
		for k := range o.curved {
			if t := o.curved[k].first(o.x, o.u, s); t < s {
				s, curved = t, k
			}
		}
		turn := newRotation(s)
		o.rotate(turn)
		switch {
		case curved >= 0:
			q := &o.curved[curved]
			o.planes.follow(turn, o.white, q.mirror(o.x, o.u, o.white, o.inverse))
			q.on = true
		case plane >= 0:
			o.planes.mirror(o.u, turn, plane)
		default:
			o.planes.land(turn)
			return hits, 0, true
		}
		gone += 2 * s
		if hits == o.settings.Cap {
			return hits, gone, false
		}
		end = (end - s) / (1 + end*s)
	}
}

// clear reports that x lies in the domain, by more than the rounding of paths of a
// size can make up for; it may be false when unsure.
func (o *orbit) clear(size float64) bool {
	return o.inside == nil || len(o.curved) == 0 && o.planes.clear(size)
}

// A rotation is by t along the ellipse: cos t, sin t and 1 − cos t.
type rotation struct{ cos, sin, versine float64 }

func newRotation(s float64) rotation {
	w := 2 * s / (1 + s*s)
	return rotation{1 - s*w, w, s * w}
}

// rotate takes x and u along their ellipse.
func (o *orbit) rotate(r rotation) {
	u := o.u[:len(o.x)]
	mean := o.mean[:len(o.x)]
	for j, x := range o.x {
		a, v := x-mean[j], u[j]
		o.x[j] = x + (r.sin*v - r.versine*a)
		u[j] = r.cos*v - r.sin*a
	}
}
