package config

import (
	"slices"

	"github.com/r2sgld/r2sgld/kernel"
)

// A method is what a name such as r-cycsgld stands for.
type method struct {
	name     string
	wall     wall
	rungs    rungs
	move     move
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

// A move is how a rung moves: a kernel, or its step with momentum.
type move string

const (
	langevin move = "sgld"
	momentum move = "sghmc"
	mala     move = "mala" // HMC of single steps
	hmc      move = "hmc"
	harmonic move = "harmonic"
)

// kernels are the values of the key kernel.
var kernels = []string{string(langevin), string(mala), string(hmc), string(harmonic), kernelAuto}

// kernelAuto leaves the choice of the kernel to the potential.
const kernelAuto = "auto"

// accepts reports whether trajectories are accepted or not.
func (m move) accepts() bool { return m == mala || m == hmc }

// exact reports whether the kernel has no bias from its step.
func (m move) exact() bool { return m.accepts() || m == harmonic }

// methods are the known methods, the default of a sampler section that sets
// anything by hand first.
func methods() []method {
	all := []method{{"r2sgld", reflected, several, langevin, ""}, {"auto", reflected, found, langevin, ""}}
	for _, m := range []move{langevin, momentum} {
		for _, w := range []wall{free, penalised, reflected} {
			before := ""
			if w != free {
				before = string(w) + "-"
			}
			all = append(all, method{before + string(m), w, one, m, ""},
				method{before + "cyc" + string(m), w, one, m, kernel.Cosine},
				method{before + "re" + string(m), w, several, m, ""})
		}
	}
	return append(all, method{"r2sghmc", reflected, several, momentum, ""},
		method{"r-hmc", reflected, one, hmc, ""},
		method{"projected-sgld", projected, one, langevin, ""},
		method{"myula", proximal, one, langevin, ""},
		method{"mirror-sgld", mirrored, one, langevin, ""},
		method{"rejection-sgld", rejected, one, langevin, ""})
}

func methodNames() (names []string) {
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return names
}

// methodOf is the method of a name, which must be one.
func methodOf(name string) method { return methods()[slices.Index(methodNames(), name)] }
