package potential

// Exact returns p without noise, and whether p has any: synthetic noise is left
// out and minibatches become all rows, through sums and wrappers. It returns p
// itself and false where p draws nothing at random, and nil and true where p is
// noisy and nobody knows its exact part, as for a program whose answers depend
// on a seed.
//
// A potential that draws at random has a method Exact() (Potential, bool) with
// this meaning; one that has none and an [EnergyNoise] other than 0 is noisy and
// without an exact part.
func Exact(p Potential) (exact Potential, noisy bool) {
	if n, ok := p.(interface{ Exact() (Potential, bool) }); ok {
		return n.Exact()
	}
	if EnergyNoise(p) != 0 {
		return nil, true
	}
	return p, false
}

// exactly is Exact of p, which wraps a potential as wrap does.
func exactly(p, wrapped Potential, wrap func(exact Potential) Potential) (Potential, bool) {
	exact, noisy := Exact(wrapped)
	switch {
	case !noisy:
		return p, false
	case exact == nil:
		return nil, true
	}
	return wrap(exact), true
}

// Exact leaves the synthetic noise out.
func (p noisy) Exact() (Potential, bool) {
	exact, _ := Exact(p.Potential)
	return exact, true
}

// Exact penalises the exact potential.
func (p penalised) Exact() (Potential, bool) {
	return exactly(p, p.Potential, func(exact Potential) Potential { return Penalised(exact, p.xi, p.outside) })
}

// Exact is the exact potential in the same coordinates.
func (p affine) Exact() (Potential, bool) {
	return exactly(p, p.Potential, func(exact Potential) Potential { return Affine(exact, p.c, p.l) })
}

// Exact is the sum of the exact terms.
func (p sum) Exact() (Potential, bool) {
	terms, some := make(sum, len(p)), false
	for i, t := range p {
		exact, noisy := Exact(t)
		if exact == nil {
			return nil, true
		}
		terms[i], some = exact, some || noisy
	}
	if !some {
		return p, false
	}
	return terms, true
}

// Exact is the regression over all rows.
func (p *Regression) Exact() (Potential, bool) {
	if p.batch == p.rows {
		return p, false
	}
	whole := *p
	whole.batch = p.rows
	return &whole, true
}

// Exact is the regression over all rows.
func (p *Residuals) Exact() (Potential, bool) {
	if p.batch == p.rows {
		return p, false
	}
	whole := *p
	whole.batch = p.rows
	return &whole, true
}
