package potential

// Lanewise reports whether p says of its evaluators that what they make of a state depends
// on that state and the random streams of its replica alone: on no other state of the
// block, however many there are, and on none that they saw before. Ladders may then share
// an evaluator.
//
// A potential that knows has a method Lanewise() bool with this meaning; of one that has
// none it is not taken to be so.
func Lanewise(p Potential) bool {
	l, ok := p.(interface{ Lanewise() bool })
	return ok && l.Lanewise()
}

// Lanewise is true: registers have a lane for each state.
func (p formula) Lanewise() bool { return true }

// Lanewise is true: states come one by one.
func (p scalar) Lanewise() bool { return true }

// Lanewise is that of the potential: the noise of a state is of its own stream.
func (p noisy) Lanewise() bool { return Lanewise(p.Potential) }

// Lanewise is that of the potential.
func (p affine) Lanewise() bool { return Lanewise(p.Potential) }

// Lanewise is that of the potential.
func (p penalised) Lanewise() bool { return Lanewise(p.Potential) }

// Lanewise is that of the potential.
func (p mirrored) Lanewise() bool { return Lanewise(p.Potential) }

// Lanewise is that of the potential.
func (p *charted) Lanewise() bool { return Lanewise(p.Potential) }

// Lanewise is that of all terms.
func (p sum) Lanewise() bool {
	for _, t := range p {
		if !Lanewise(t) {
			return false
		}
	}
	return true
}

// Lanewise reports whether all rows are used: a minibatch belongs to a ladder.
func (p *Regression) Lanewise() bool { return p.batch == p.rows }

// Lanewise is true of all rows: those of a minibatch belong to a ladder.
func (p *Residuals) Lanewise() bool { return p.batch == p.rows }
