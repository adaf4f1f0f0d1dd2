package potential

// Quadratic reports whether p says of itself that it is a polynomial of degree two or less
// in its coordinates: a formula as it is written, a regression, sums of them and what they
// are in affine coordinates. The density is then Gaussian if its curvature is positive
// definite, and package tune takes kernel.Harmonic for it.
//
// A potential that knows has a method Quadratic() bool with this meaning; one that has none
// is taken for any other.
func Quadratic(p Potential) bool {
	q, ok := p.(interface{ Quadratic() bool })
	return ok && q.Quadratic()
}

// Quadratic is that of the formula as it is written.
func (p formula) Quadratic() bool {
	_, ok := p.f.Quadratic()
	return ok
}

// Quadratic is that of the potential.
func (p affine) Quadratic() bool { return Quadratic(p.Potential) }

// Quadratic is that of all terms.
func (p sum) Quadratic() bool {
	for _, t := range p {
		if !Quadratic(t) {
			return false
		}
	}
	return true
}

// Quadratic is true: squares of what is linear are summed.
func (p *Regression) Quadratic() bool { return true }
