package potential

// Rough is what p may be taken for where draws are not kept, in a warm-up, or where steps are measured: a potential
// that takes less work and whose energies differ by little. It is p itself unless p has a
// method Rough() Potential.
func Rough(p Potential) Potential {
	if r, ok := p.(interface{ Rough() Potential }); ok {
		return r.Rough()
	}
	return p
}

// Rough is the rough potential in the same coordinates.
func (p *charted) Rough() Potential { return Charted(Rough(p.Potential), p.chart) }

// Rough is the rough potential in the same coordinates.
func (p affine) Rough() Potential { return Affine(Rough(p.Potential), p.c, p.l) }

// Rough is the sum of the rough terms.
func (p sum) Rough() Potential {
	terms := make(sum, len(p))
	for i, t := range p {
		terms[i] = Rough(t)
	}
	return terms
}
