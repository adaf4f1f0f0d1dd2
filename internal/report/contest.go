package report

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// A Kernel is which kernel method auto took, where it tried both, and why.
type Kernel struct {
	Taken string `json:"taken"`
	// Because is "draws" where it made more effective draws of a gradient, "features" where the
	// potential jumps, or has features narrower than a step of sgld, and "holes" where it is
	// +Inf in part of the domain.
	Because string `json:"because"`
	// Effective draws of a gradient, the least of all parameters, in rounds of the warm-up.
	SGLD float64 `json:"sgld_draws_per_gradient"`
	HMC  float64 `json:"hmc_draws_per_gradient"`
}

// kernelOf is the choice that f stands for; nil where one kernel was tried alone.
func kernelOf(f *tune.Found) *Kernel {
	switch {
	case f.Rival == nil:
		return nil
	case f.Taken != "":
		return &Kernel{"hmc", f.Taken, f.Rival.Efficiency(), f.Efficiency()}
	}
	return &Kernel{"sgld", tune.ForDraws, f.Efficiency(), f.Rival.Efficiency()}
}

// Contest is the line that says which kernel goes on.
func Contest(f *tune.Found) string {
	k := kernelOf(f)
	switch k.Because {
	case tune.ForHoles:
		return " the potential is +Inf in part of the domain, where steps of kernel sgld end: kernel hmc, whose law is exact, takes their place\n"
	case tune.ForFeatures:
		return " the potential jumps, or has features narrower than a step, which steps of kernel sgld do not see: kernel hmc, whose law is " +
			"exact, takes their place\n"
	}
	more, less, other, law := k.SGLD, k.HMC, "hmc", "; its law has the bias of its steps, that of sampler.kernel: hmc is exact"
	if k.Taken == "hmc" {
		more, less, other, law = less, more, "sgld", ", and its law is exact"
	}
	if k.Taken == "hmc" && more < less {
		law = ", which so few draws do not tell apart, and its law is exact"
	}
	return fmt.Sprintf(" kernel %s: %s effective draws of 1,000 gradients, %s of %s%s\n", k.Taken, text.Short(1000*more, 2),
		text.Short(1000*less, 2), other, law)
}
