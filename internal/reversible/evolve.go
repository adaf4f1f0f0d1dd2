package reversible

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	window    = 1e3   // largest ratio of times served by one Krylov space
	pole      = 12.0  // σt of the pole of a time: near best for one real pole
	mostBasis = 90    // vectors of a Krylov space
	settled   = 3e-11 // change of a solution over the last poles, relative to it
	least     = 1e-13 // the same, relative to the start, accepted where rounding allows no better
)

// Evolve returns e^{tL} f at the given times, rising and ≥ 0. A density dμ/dπ
// evolves by the same semigroup. Each result is right to about 1e-10 of its
// distance from the mean in L²(π), keeps the mean of f to rounding and lies not
// below the least value of f.
//
// The method is Galerkin's in a rational Krylov space with real poles near −1/t
// (Moret and Novati 2004; van den Eshof and Hochbruck 2006): however large the
// rates, about thirty linear systems serve one time. Beside the chain and the
// results it needs 20 to 50 functions, 90 at most, 8 bytes per edge, and up to
// four times what Solve needs. It fails if ctx ends.
func (c *Chain) Evolve(ctx context.Context, f []float64, times []float64) ([][]float64, error) {
	if err := c.fits(f); err != nil {
		return nil, err
	}
	for i, t := range times {
		if !(t >= 0) || math.IsInf(t, 1) || i > 0 && t < times[i-1] {
			return nil, fmt.Errorf("time %d is %g: expected finite times, rising from 0 on", i, t)
		}
	}
	if unit := c.unit(); unit != 1 {
		scaled := slices.Clone(times)
		for i := range scaled {
			scaled[i] = min(scaled[i]*unit, math.MaxFloat64)
		}
		return c.slowed(unit).Evolve(ctx, f, scaled)
	}
	out := make([][]float64, 0, len(times))
	at, now := 0.0, f
	for len(out) < len(times) {
		rest := times[len(out):]
		if rest[0] == at {
			out = append(out, slices.Clone(now))
			continue
		}
		var spans []float64
		for _, t := range rest {
			if span := t - at; len(spans) == 0 || span <= window*spans[0] {
				spans = append(spans, span)
			}
		}
		more, err := c.evolve(ctx, now, spans)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
		at, now = times[len(out)-1], out[len(out)-1]
	}
	return out, nil
}

// evolve serves the times of one window from one Krylov space.
func (c *Chain) evolve(ctx context.Context, f, times []float64) ([][]float64, error) {
	mean := c.mean(f)
	start := make([]float64, len(f))
	for i, v := range f {
		start[i] = v - mean
	}
	k := &krylov{chain: c, times: times, size: c.norm(start)}
	if k.size > 0 {
		if err := k.grow(ctx, start); err != nil {
			return nil, err
		}
	}
	lowest := slices.Min(f)
	out := make([][]float64, len(times))
	for t := range times {
		u := make([]float64, len(f))
		for j, v := range k.basis {
			floats.AddScaled(u, k.solution[t][j], v)
		}
		c.settle(u, mean, lowest)
		out[t] = u
	}
	return out, nil
}

// settle adds the mean to u and lifts what rounding left below the lowest value,
// such that the mean stays.
func (c *Chain) settle(u []float64, mean, lowest float64) {
	above := mean - lowest
	if !(above > 0) {
		for i := range u {
			u[i] = mean
		}
		return
	}
	drift := c.mean(u)
	for i := range u {
		u[i] = max(0, u[i]-drift+above)
	}
	scale := above / c.mean(u)
	for i := range u {
		u[i] = lowest + scale*u[i]
	}
}

// A krylov is a space that holds the solutions for a window of times.
type krylov struct {
	chain    *Chain
	times    []float64
	size     float64     // of the start
	basis    [][]float64 // orthonormal in L²(π), of mean 0, the start first
	form     [][]float64 // Dirichlet forms, below and on the diagonal
	solution [][]float64 // per time: coordinates of the solution
	flux     []float64
}

// A shift is one pole of the space, ready to be solved with.
type shift struct {
	problem
	mg      *multigrid
	scratch *scratch
}

// shifts spreads poles over the times. Poles far beyond all rates are as good as
// one there, and so are those far below the slowest.
func (k *krylov) shifts() []shift {
	mean, most := k.chain.rates()
	first, last := k.times[0], k.times[len(k.times)-1]
	s := make([]shift, 1+int(math.Ceil(math.Log10(last/first))))
	for i := range s {
		t := last
		if i > 0 {
			t = last * math.Pow(first/last, float64(i)/float64(len(s)-1))
		}
		s[i].chain, s[i].sigma = k.chain, min(max(pole/t, 1e-18*mean), 10*most)
		s[i].mg = newMultigrid(k.chain.net, k.chain.mass, s[i].sigma)
		s[i].scratch = s[i].mg.scratch()
	}
	return s
}

// rates returns the mean, under π, and the largest rate of leaving a state.
func (c *Chain) rates() (mean, most float64) {
	for i, m := range c.mass {
		out := 0.0
		for _, w := range c.net.c[c.net.start[i]:c.net.start[i+1]] {
			out += w
		}
		mean, most = mean+out, max(most, out/m)
	}
	return mean, most
}

// grow adds one direction per pole in turn until no solution changes any more.
// The later a direction, the less it counts and the less exact it need be.
func (k *krylov) grow(ctx context.Context, start []float64) error {
	shifts := k.shifts()
	stride := max(3, len(shifts))
	right, x := make([]float64, len(start)), slices.Clone(start)
	change := 1.0
	for k.add(x) {
		if len(k.basis)%stride == 0 {
			if change, _ = k.update(); change <= settled {
				return nil
			}
		}
		if len(k.basis) == mostBasis {
			break
		}
		s := &shifts[len(k.basis)%len(shifts)]
		last := k.basis[len(k.basis)-1]
		for i, m := range k.chain.mass {
			right[i] = m * last[i]
		}
		x = make([]float64, len(start))
		if err := s.mg.solve(ctx, s.scratch, &s.problem, x, right, 0.1*settled/min(change, 1)); err != nil {
			return err
		}
	}
	if change, ofStart := k.update(); len(k.basis) == mostBasis && change > settled && ofStart > least {
		return fmt.Errorf("no convergence with %d directions for times from %g to %g: ask for fewer times at once",
			mostBasis, k.times[0], k.times[len(k.times)-1])
	}
	return nil // the space is invariant
}

// add makes v orthonormal to the basis and appends it, with its forms. It
// returns false if nothing but rounding was left.
func (k *krylov) add(v []float64) bool {
	c := k.chain
	before := c.norm(v)
	for range 2 {
		(&problem{chain: c}).centre(v)
		for _, q := range k.basis {
			floats.AddScaled(v, -c.dot(v, q), q)
		}
	}
	after := c.norm(v)
	if !(after > lost*before) {
		return false
	}
	floats.Scale(1/after, v)
	k.basis = append(k.basis, v)
	if k.flux == nil {
		k.flux = make([]float64, len(c.net.c)/2)
	}
	c.flux(k.flux, v)
	row := make([]float64, len(k.basis))
	for j, q := range k.basis {
		row[j] = c.against(k.flux, q)
	}
	k.form = append(k.form, row)
	return true
}

// update sets the solutions and returns their largest change, relative to
// themselves and to the start.
func (k *krylov) update() (relative, ofStart float64) {
	n := len(k.basis)
	form := make([]float64, n*n)
	for i, row := range k.form {
		for j, v := range row {
			form[i*n+j], form[j*n+i] = v, v
		}
	}
	value, vector := eigen(form, n)
	now := make([][]float64, len(k.times))
	for t, time := range k.times {
		y := make([]float64, n)
		for i, v := range value {
			a := k.size * vector[i*n] * math.Exp(-time*v)
			floats.AddScaled(y, a, vector[i*n:(i+1)*n])
		}
		change := 0.0
		for j, v := range y {
			old := 0.0
			if k.solution != nil && j < len(k.solution[t]) {
				old = k.solution[t][j]
			}
			change += (v - old) * (v - old)
		}
		if change > 0 {
			relative = max(relative, math.Sqrt(change/floats.Dot(y, y)))
			ofStart = max(ofStart, math.Sqrt(change)/k.size)
		}
		now[t] = y
	}
	k.solution = now
	return relative, ofStart
}

// flux sets out to c_ij (f_i − f_j) of the edges, i < j, in the order of rows.
func (c *Chain) flux(out, f []float64) {
	e := 0
	for i := range c.mass {
		for k := c.net.start[i]; k < c.net.start[i+1]; k++ {
			if j := c.net.col[k]; int(j) > i {
				out[e] = c.net.c[k] * (f[i] - f[j])
				e++
			}
		}
	}
}

// against is Σ flux (f_i − f_j): the Dirichlet form of two functions, right to
// rounding relative to the roots of their own forms.
func (c *Chain) against(flux, f []float64) float64 {
	e, sum := 0, 0.0
	for i := range c.mass {
		part := 0.0
		for _, j := range c.net.col[c.net.start[i]:c.net.start[i+1]] {
			if int(j) > i {
				part += flux[e] * (f[i] - f[j])
				e++
			}
		}
		sum += part
	}
	return sum
}
