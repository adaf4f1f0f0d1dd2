package potential

import "github.com/r2sgld/r2sgld/stream"

// Distance adds ½ξ·dist(x, Ω)² to the energy of every state x outside a domain Ω
// and its gradient ξ(x − p), p the nearest point, to that of the potential: the
// Moreau envelope of the constraint with which proximal Langevin dynamics (MYULA,
// Durmus, Moulines & Pereyra 2018) go, λ = 1/ξ. Unlike [Penalised] it vanishes on
// Ω alone and its law is known. Each call of project returns a projection for one
// goroutine, which writes the point of Ω nearest to x into near and reports
// whether x lies outside: see domain.Projection. Where Ω is convex the penalised
// potential is as smooth as p is, with ξ more in the Lipschitz constant of its
// gradient; elsewhere the gradient jumps where the nearest point does.
func Distance(p Potential, xi float64, project func() func(near, x []float64) (outside bool)) Potential {
	return distant{p, xi, project}
}

type distant struct {
	Potential
	xi      float64
	project func() func(near, x []float64) bool
}

func (p distant) Evaluator(r int, s *stream.Set) Evaluator {
	d := p.Dim()
	return &distantEvaluator{wrapper{p.Potential.Evaluator(r, s)}, p.xi, p.project(), make([]float64, d), make([]float64, d)}
}

type distantEvaluator struct {
	wrapper
	xi      float64
	project func(near, x []float64) bool
	x, near []float64
}

func (e *distantEvaluator) Eval(energy, grad, x []float64) {
	e.Evaluator.Eval(energy, grad, x)
	r := len(energy)
	for i := range energy {
		for j := range e.x {
			e.x[j] = x[j*r+i]
		}
		if !e.project(e.near, e.x) {
			continue
		}
		d2 := 0.0
		for j, v := range e.x {
			v -= e.near[j]
			d2 += v * v
			grad[j*r+i] += e.xi * v
		}
		energy[i] += 0.5 * e.xi * d2
	}
}

// EnergyNoise is that of the potential.
func (p distant) EnergyNoise() float64 { return EnergyNoise(p.Potential) }

// Exact penalises the exact potential.
func (p distant) Exact() (Potential, bool) {
	return exactly(p, p.Potential, func(exact Potential) Potential { return Distance(exact, p.xi, p.project) })
}

// A MirrorMap maps dual coordinates y, all of R^d, to points x of a domain and
// gradients back. Its methods are called from several goroutines at once.
type MirrorMap interface {
	// Primal writes the point x of y.
	Primal(x, y []float64)
	// Pull turns g = ∇U(x(y)) into the gradient of U(x(y)) − τ log|det ∂x/∂y|.
	Pull(g, y []float64, tau float64)
}

// Mirrored is p in the dual coordinates y of a mirror map (domain.Mirror): its
// gradient is that of U(x(y)) − tau·log|det ∂x/∂y|, so that dynamics at
// temperature tau sample exp(−U/tau) of x; its energy is U(x(y)) alone, that of
// the point. Two temperatures are exchanged by these energies, for the
// determinant is common to both, but each needs a potential of its own.
func Mirrored(p Potential, m MirrorMap, tau float64) Potential { return mirrored{p, m, tau} }

type mirrored struct {
	Potential
	m   MirrorMap
	tau float64
}

func (p mirrored) Evaluator(r int, s *stream.Set) Evaluator {
	d := p.Dim()
	return &mirroredEvaluator{wrapper{p.Potential.Evaluator(r, s)}, p.m, p.tau,
		make([]float64, d*r), make([]float64, d), make([]float64, d)}
}

type mirroredEvaluator struct {
	wrapper
	m    MirrorMap
	tau  float64
	x    []float64 // the points of all states
	y, z []float64 // one state
}

func (e *mirroredEvaluator) Eval(energy, grad, y []float64) {
	r := len(energy)
	for i := range energy {
		for j := range e.y {
			e.y[j] = y[j*r+i]
		}
		e.m.Primal(e.z, e.y)
		for j, v := range e.z {
			e.x[j*r+i] = v
		}
	}
	e.Evaluator.Eval(energy, grad, e.x)
	for i := range energy {
		for j := range e.y {
			e.y[j], e.z[j] = y[j*r+i], grad[j*r+i]
		}
		e.m.Pull(e.z, e.y, e.tau)
		for j, v := range e.z {
			grad[j*r+i] = v
		}
	}
}

// EnergyNoise is that of the potential.
func (p mirrored) EnergyNoise() float64 { return EnergyNoise(p.Potential) }

// Exact is the exact potential in the same coordinates.
func (p mirrored) Exact() (Potential, bool) {
	return exactly(p, p.Potential, func(exact Potential) Potential { return Mirrored(exact, p.m, p.tau) })
}
