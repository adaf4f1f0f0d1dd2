package sampler

import (
	"cmp"
	"slices"

	"github.com/r2sgld/r2sgld/kernel"
)

// A Method is what a name such as r-cycsgld stands for.
type Method struct {
	Name     string
	Wall     Wall
	Rungs    Rungs
	Move     Mover
	Schedule kernel.Kind // that belongs to it; "" is any
}

// A Wall is what a method makes of the domain.
type Wall string

// The walls.
const (
	Free      Wall = ""          // nothing: steps go where they go
	Penalised Wall = "p"         // pulls back by a penalty
	Reflected Wall = "r"         // reflects, by the rule boundary
	Projected Wall = "project"   // boundary project
	Proximal  Wall = "proximal"  // a penalty that is the envelope of the domain, of width smoothing
	Mirrored  Wall = "mirror"    // moves in the dual coordinates of a mirror map
	Rejected  Wall = "rejection" // drops draws outside
)

// Reflects reports that steps end inside, by a rule.
func (w Wall) Reflects() bool { return w == Reflected || w == Projected }

// Rungs are how many temperatures a method has.
type Rungs int

// The rungs.
const (
	One     Rungs = iota
	Several       // which trade
	Found         // several, which method auto finds with all the rest
)

// Exchanges reports whether rungs trade.
func (m Method) Exchanges() bool { return m.Rungs != One }

// Auto reports whether it is method auto.
func (m Method) Auto() bool { return m.Rungs == Found }

// A Mover is a kernel by the name that configurations have for it.
type Mover struct {
	Name string
	keys []string // of the sampler, that belong to it
	Of   func(*Sampler) kernel.Kernel
}

// movers are all kernels, in the order of the key kernel. A new one is a line here.
func movers() []Mover {
	return []Mover{
		{Langevin, nil, func(*Sampler) kernel.Kernel { return kernel.Langevin{} }},
		{"mala", nil, func(*Sampler) kernel.Kernel { return kernel.HMC{Leapfrog: 1} }},
		{Exact, []string{"leapfrog"}, func(s *Sampler) kernel.Kernel { return kernel.HMC{Leapfrog: cmp.Or(s.Leapfrog, 10)} }},
		{Gaussian, nil, func(*Sampler) kernel.Kernel { return kernel.Harmonic{} }},
		{Momentum, []string{"momentum", "noise_estimate"}, func(s *Sampler) kernel.Kernel {
			return kernel.Momentum{Mu: *cmp.Or(s.Momentum, new(0.9)), NoiseEstimate: *cmp.Or(s.NoiseEstimate, new(0.0))}
		}},
	}
}

// The kernels that are taken without being asked for.
const (
	Langevin = "sgld"
	Exact    = "hmc"      // where energies are exact
	Gaussian = "harmonic" // where the law is Gaussian
	Momentum = "sghmc"    // by methods that bear its name
)

// Auto leaves the choice of the kernel to the potential.
const Auto = "auto"

// KernelNames are the values of the key kernel.
func KernelNames() (names []string) {
	for _, m := range movers() {
		if m.Name != Momentum {
			names = append(names, m.Name)
		}
	}
	return append(names, Auto)
}

// MoverOf is the kernel of a name, which must be one.
func MoverOf(name string) Mover {
	all := movers()
	return all[slices.IndexFunc(all, func(m Mover) bool { return m.Name == name })]
}

// Traits are those of the kernel of the method.
func (l *Choice) Traits() kernel.Traits { return l.Method.Move.Of(&l.Sampler).Traits() }

// MoveBy makes a kernel that of the run; method auto finds how many steps it takes.
func (l *Choice) MoveBy(name string) {
	l.Method.Move, l.Sampler.Kernel = MoverOf(name), name
	if slices.Contains(l.Method.Move.keys, "leapfrog") && !l.Method.Auto() {
		l.Sampler.Leapfrog = l.Traits().Steps
	}
}

// Methods are the known methods, the default of a sampler section that sets
// anything by hand first.
func Methods() []Method {
	plain, heavy := MoverOf(Langevin), MoverOf(Momentum)
	all := []Method{{"r2sgld", Reflected, Several, plain, ""}, {"auto", Reflected, Found, plain, ""}}
	for _, m := range []Mover{plain, heavy} {
		for _, w := range []Wall{Free, Penalised, Reflected} {
			before := ""
			if w != Free {
				before = string(w) + "-"
			}
			all = append(all, Method{before + m.Name, w, One, m, ""},
				Method{before + "cyc" + m.Name, w, One, m, kernel.Cosine},
				Method{before + "re" + m.Name, w, Several, m, ""})
		}
	}
	return append(all, Method{"r2sghmc", Reflected, Several, heavy, ""},
		Method{"r-hmc", Reflected, One, MoverOf(Exact), ""},
		Method{"projected-sgld", Projected, One, plain, ""},
		Method{"myula", Proximal, One, plain, ""},
		Method{"mirror-sgld", Mirrored, One, plain, ""},
		Method{"rejection-sgld", Rejected, One, plain, ""})
}

// MethodNames are the names of methods.
func MethodNames() (names []string) {
	for _, m := range Methods() {
		names = append(names, m.Name)
	}
	return names
}

// methodOf is the method of a name, which must be one.
func methodOf(name string) Method { return Methods()[slices.Index(MethodNames(), name)] }
