package tune

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// mostHarmonic is the largest dimension in which a Gaussian is looked for unasked.
const mostHarmonic = 400

// Gaussian reports whether kernel Harmonic is to be taken for p without being asked: in up
// to 400 dimensions, where the potential says that it is quadratic ([potential.Quadratic])
// and [Suits] finds nothing against it.
func Gaussian(p r2sgld.Problem, start []float64) bool {
	return p.Base == nil && p.Potential.Dim() <= mostHarmonic && potential.Quadratic(p.Potential) && Suits(kernel.Harmonic{}, p, start) == nil
}

// Suits is what keeps kernel k from moving on p, as seen from where a run starts or, if that
// is nil, from the middle of the domain; nil if nothing does.
func Suits(k kernel.Kernel, p r2sgld.Problem, start []float64) error {
	point := func(z []float64) error {
		if copy(z, start) > 0 {
			return nil
		}
		lo, hi := domain.BoundsOf(p.Domain, len(z))
		for j := range z {
			if m := lo[j] + (hi[j]-lo[j])/2; m-m == 0 {
				z[j] = m
			}
		}
		return nil
	}
	_, err := k.Prepare(kernel.Target{Potential: p.Potential, Domain: p.Domain, Point: point})
	return err
}

// withKernel returns s with kernel Harmonic where no kernel is given, nothing speaks of
// steps or of walls that other kernels know, and p is Gaussian.
func withKernel(p r2sgld.Problem, s r2sgld.Settings, u Until) r2sgld.Settings {
	steps := s.Kernel != nil || s.Certificate || u.Bias > 0 || s.Decay.Kind != "" && s.Decay.Kind != kernel.Constant
	walls := s.Boundary != "" && s.Boundary != domain.Specular || s.Penalty != nil || s.Mirror || s.Inside
	if !steps && !walls && p.Potential != nil && Gaussian(p, s.Start) {
		s.Kernel = kernel.Harmonic{}
	}
	return s
}
