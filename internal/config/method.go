package config

import (
	"cmp"
	"slices"

	"github.com/r2sgld/r2sgld/kernel"
)

// A method is what a name such as r-cycsgld stands for.
type method struct {
	name     string
	wall     wall
	rungs    rungs
	move     mover
	schedule kernel.Kind // that belongs to it; "" is any
}

// A wall is what a method makes of the domain.
type wall string

const (
	free      wall = ""          // nothing: steps go where they go
	penalised wall = "p"         // pulls back by a penalty
	reflected wall = "r"         // reflects, by the rule boundary
	projected wall = "project"   // boundary project
	proximal  wall = "proximal"  // a penalty that is the envelope of the domain, of width smoothing
	mirrored  wall = "mirror"    // moves in the dual coordinates of a mirror map
	rejected  wall = "rejection" // drops draws outside
)

// reflects reports that steps end inside, by a rule.
func (w wall) reflects() bool { return w == reflected || w == projected }

// rungs are how many temperatures a method has.
type rungs int

const (
	one     rungs = iota
	several       // which trade
	found         // several, which method auto finds with all the rest
)

func (m method) exchanges() bool { return m.rungs != one }
func (m method) auto() bool      { return m.rungs == found }

// A mover is a kernel by the name that configurations have for it.
type mover struct {
	name string
	keys []string // of the sampler, that belong to it
	of   func(*Sampler) kernel.Kernel
}

// movers are all kernels, in the order of the key kernel. A new one is a line here.
func movers() []mover {
	return []mover{
		{langevin, nil, func(*Sampler) kernel.Kernel { return kernel.Langevin{} }},
		{"mala", nil, func(*Sampler) kernel.Kernel { return kernel.HMC{Leapfrog: 1} }},
		{exact, []string{"leapfrog"}, func(s *Sampler) kernel.Kernel { return kernel.HMC{Leapfrog: cmp.Or(s.Leapfrog, 10)} }},
		{gaussian, nil, func(*Sampler) kernel.Kernel { return kernel.Harmonic{} }},
		{momentum, []string{"momentum", "noise_estimate"}, func(s *Sampler) kernel.Kernel {
			return kernel.Momentum{Mu: *cmp.Or(s.Momentum, new(0.9)), NoiseEstimate: *cmp.Or(s.NoiseEstimate, new(0.0))}
		}},
	}
}

// The kernels that are taken without being asked for.
const (
	langevin = "sgld"
	exact    = "hmc"      // where energies are exact
	gaussian = "harmonic" // where the law is Gaussian
	momentum = "sghmc"    // by methods that bear its name
)

// kernelAuto leaves the choice of the kernel to the potential.
const kernelAuto = "auto"

// kernelNames are the values of the key kernel.
func kernelNames() (names []string) {
	for _, m := range movers() {
		if m.name != momentum {
			names = append(names, m.name)
		}
	}
	return append(names, kernelAuto)
}

// moverOf is the kernel of a name, which must be one.
func moverOf(name string) mover {
	all := movers()
	return all[slices.IndexFunc(all, func(m mover) bool { return m.name == name })]
}

// traits are those of the kernel of the method.
func (l *loader) traits() kernel.Traits { return l.method.move.of(&l.sampler).Traits() }

// moveBy makes a kernel that of the run; method auto finds how many steps it takes.
func (l *loader) moveBy(name string) {
	l.method.move, l.sampler.Kernel = moverOf(name), name
	if slices.Contains(l.method.move.keys, "leapfrog") && !l.method.auto() {
		l.sampler.Leapfrog = l.traits().Steps
	}
}

// methods are the known methods, the default of a sampler section that sets
// anything by hand first.
func methods() []method {
	plain, heavy := moverOf(langevin), moverOf(momentum)
	all := []method{{"r2sgld", reflected, several, plain, ""}, {"auto", reflected, found, plain, ""}}
	for _, m := range []mover{plain, heavy} {
		for _, w := range []wall{free, penalised, reflected} {
			before := ""
			if w != free {
				before = string(w) + "-"
			}
			all = append(all, method{before + m.name, w, one, m, ""},
				method{before + "cyc" + m.name, w, one, m, kernel.Cosine},
				method{before + "re" + m.name, w, several, m, ""})
		}
	}
	return append(all, method{"r2sghmc", reflected, several, heavy, ""},
		method{"r-hmc", reflected, one, moverOf(exact), ""},
		method{"projected-sgld", projected, one, plain, ""},
		method{"myula", proximal, one, plain, ""},
		method{"mirror-sgld", mirrored, one, plain, ""},
		method{"rejection-sgld", rejected, one, plain, ""})
}

func methodNames() (names []string) {
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return names
}

// methodOf is the method of a name, which must be one.
func methodOf(name string) method { return methods()[slices.Index(methodNames(), name)] }
