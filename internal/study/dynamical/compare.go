package dynamical

import "github.com/r2sgld/r2sgld/internal/study"

// ruleText says how verdicts are reached.
func ruleText() string {
	return study.Rule("paired t over runs that share start, noise and minibatches, in every comparison (free coefficients, start, method)", "; nor if a and b are the same numbers")
}
