package potential

// Few is what p may be taken for where much is tried and little kept, as where descents begin, and
// the part of the work of p that it takes. Its energies have about the form of those of p, and its
// minima lie near those of p. It is p itself, and 1, unless p has a method
// Few() (Potential, float64).
func Few(p Potential) (Potential, float64) {
	if f, ok := p.(interface{ Few() (Potential, float64) }); ok {
		return f.Few()
	}
	return p, 1
}

// Few is that of the potential, in the same coordinates.
func (p *charted) Few() (Potential, float64) {
	few, part := Few(p.Potential)
	if part == 1 {
		return p, 1
	}
	return Charted(few, p.chart), part
}

// Few is that of the potential, in the same coordinates.
func (p affine) Few() (Potential, float64) {
	few, part := Few(p.Potential)
	if part == 1 {
		return p, 1
	}
	return Affine(few, p.c, p.l), part
}

// Few is the sum of those of the terms. Terms that have none take no time beside others.
func (p sum) Few() (Potential, float64) {
	terms, least := make(sum, len(p)), 1.0
	for i, t := range p {
		few, part := Few(t)
		terms[i], least = few, min(least, part)
	}
	if least == 1 {
		return p, 1
	}
	return terms, least
}
