// Package derived answers what follows from states: numbers that formulas of their coordinates say.
package derived

import (
	"slices"

	"github.com/r2sgld/r2sgld/expression"
)

// Formulas are numbers with names, each by a formula of the coordinates of a state.
type Formulas struct {
	names []string
	of    *expression.System
}

// New compiles formulas, one for each name, of coordinates. Its error is that of [expression.CompileSystem].
func New(names, formulas, coordinates []string) (*Formulas, error) {
	of, err := expression.CompileSystem(formulas, coordinates)
	return &Formulas{slices.Clone(names), of}, err
}

// OutputNames are the names.
func (f *Formulas) OutputNames() []string { return slices.Clone(f.names) }

// Outputs returns a number for each name of each state. The seed is of no use.
func (f *Formulas) Outputs(states [][]float64, _ int64) ([][]float64, error) {
	e := f.of.Evaluator()
	out := make([][]float64, len(states))
	for s, x := range states {
		copy(e.Input, x)
		e.Values()
		out[s] = slices.Clone(e.Value)
	}
	return out, nil
}

// Outputs are what is known of states beside their energies: numbers with names.
type Outputs interface {
	OutputNames() []string
	// Outputs returns a number for each name of each state. What is drawn follows from the seed.
	Outputs(states [][]float64, seed int64) ([][]float64, error)
}

// Together are outputs one after another.
type Together []Outputs

// OutputNames are those of all.
func (t Together) OutputNames() (names []string) {
	for _, of := range t {
		names = append(names, of.OutputNames()...)
	}
	return names
}

// Outputs returns the numbers of all for each state.
func (t Together) Outputs(states [][]float64, seed int64) ([][]float64, error) {
	out := make([][]float64, len(states))
	for _, of := range t {
		more, err := of.Outputs(states, seed)
		if err != nil {
			return nil, err
		}
		for s := range out {
			out[s] = append(out[s], more[s]...)
		}
	}
	return out, nil
}
