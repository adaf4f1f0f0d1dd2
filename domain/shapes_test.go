package domain

// A shape is a test domain with what is known about it exactly.
type shape struct {
	name     string
	d        Domain
	inside   []float64 // a point well inside
	inradius float64   // radius of the largest ball inside (or a lower bound of it)
	size     float64   // about the diameter
	volume   float64   // exact; 0 when not known
	// mean and second are E x_i and E x_i² under the uniform law, exact to 1e-6;
	// nil when Ω is unbounded.
	mean, second []float64
	// cdf is the distribution function of coordinate 0 under the uniform law,
	// exact to 1e-6, or nil.
	cdf func(x float64) float64
	// curved says that the rule nearest is visibly biased on this shape: the
	// same test that specular passes must fail under nearest.
	curved bool
	// far says that Nearest is not known.
	far bool
}
