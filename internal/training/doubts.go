package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// noBetter is the share of the loss of a guess, log classes, from which on a network is
// said to know nothing: the loss of a network that guesses differs from log classes by
// what it makes of the shares of the classes and of chance, less than 2 % where classes
// are about as frequent as each other.
const noBetter = 0.98

// warnings are those of the configuration, the reasons why draws are not of the
// posterior as one.
func (x *execution) warnings() []string {
	why := x.Settings.Bias(x.Network.Norm == "batch")
	out := []string{}
	if len(why) > 0 {
		out = append(out, "no draws of the posterior: "+strings.Join(why, "; "))
	}
	for _, w := range x.Warnings {
		if !slices.Contains(why, w) {
			out = append(out, w)
		}
	}
	return out
}

// doubts say what looks wrong in what was found.
func (x *execution) doubts() (out []string) {
	if !x.regresses() {
		out = x.unlearnt()
	}
	for r := range x.Settings.Rungs() {
		most, epoch := 0.0, 0
		for _, f := range x.done {
			for _, e := range f.Epochs {
				if e.Reflected[r] > most {
					most, epoch = e.Reflected[r], e.Epoch
				}
			}
		}
		if most > 0.5 {
			out = append(out, fmt.Sprintf(
				"rung %d: %.0f %% of the coordinates met a wall in a step of epoch %d: the step is as wide as the bound; take a smaller "+
					"sampler.step_size or a wider bound", r+1, 100*most, epoch))
		}
	}
	return out
}

// unlearnt says which networks learnt nothing.
func (x *execution) unlearnt() []string {
	idle := 0
	for i := range x.done {
		if x.idle(&x.done[i]) {
			idle++
		}
	}
	if idle > 0 {
		where := ""
		if len(x.done) > 1 {
			where = fmt.Sprintf(" in %d of %d repetitions", idle, len(x.done))
		}
		return []string{fmt.Sprintf(
			"the network learnt nothing%s: try sampler.step_size a tenth of %.3g, or more epochs if the loss was "+
				"still falling", where, x.Settings.StepSize)}
	}
	var hot []string
	for r := 1; r < x.Settings.Rungs(); r++ {
		if !slices.ContainsFunc(x.done, func(f finding) bool { return f.learnt(r, x.Network.Outputs) }) {
			hot = append(hot, fmt.Sprint(r+1))
		}
	}
	switch len(hot) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("rung %s fits no better than a guess: the pair below it trades nothing of use", hot[0])}
	}
	return []string{fmt.Sprintf("rungs %s fit no better than a guess: the pairs with them trade nothing of use", strings.Join(hot, ", "))}
}

// learnt reports whether the training loss of a rung was below that of a guess in the
// last epoch.
func (f *finding) learnt(rung, classes int) bool {
	e := f.Epochs[len(f.Epochs)-1]
	return rung >= len(e.Loss) || e.Loss[rung] < noBetter*math.Log(float64(classes))
}

// idle reports whether the cold rung's last model knows nothing: its training loss is
// that of a guess, or on test images it is neither right more often than who always names
// the most frequent class, by more than two binomial standard errors, nor has a lower NLL
// than who names the shares of the classes.
func (x *execution) idle(f *finding) bool {
	if !f.learnt(0, x.Network.Outputs) {
		return true
	}
	if f.Single == nil {
		return false
	}
	counts := make([]float64, x.Network.Outputs)
	n := float64(len(x.Data.Test.Labels))
	for _, l := range x.Data.Test.Labels {
		counts[l]++
	}
	entropy := 0.0
	for _, c := range counts {
		if c > 0 {
			entropy -= c / n * math.Log(c/n)
		}
	}
	share := slices.Max(counts) / n
	return f.Single.Accuracy <= share+2*math.Sqrt(share*(1-share)/n) && f.Single.NLL >= noBetter*entropy
}
