package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Run is what a store tells of a run beside its draws.
type Run struct {
	Names       []string  // of the d parameters, distinct
	Temperature []float64 // τ > 0 per rung, cold first; nil is one rung of 1
	BurnIn      int       // iterations before the first draw
	Thin        int       // iterations per draw; 0 is 1
	Groups      []Group   // what else there is to tell, such as the observed_data
	Model       string    // name of the run
	Seed        uint64
	Version     string // of the program
	// Beside returns what tells −log of the density that U leaves out of a cold draw, such as that of priors,
	// up to a constant, for one chain; nil leaves nothing out.
	Beside func() func(x []float64) float64
	// Unequal says that chains may keep differing numbers of draws; of each as many
	// are told as the shortest has.
	Unequal bool
}

// A Group is one of those of ArviZ beside the posterior: observed_data, constant_data,
// posterior_predictive, log_likelihood, prior, prior_predictive, or outputs: what a program
// says of draws.
type Group struct {
	Name   string
	Arrays []Array
}

// groups are the names that a group may have.
var groups = []string{"observed_data", "constant_data", "posterior_predictive", "log_likelihood", "prior", "prior_predictive", "outputs"}

// An Array is a named array of numbers with named dimensions. One named like
// its only dimension is the coordinate of that dimension.
type Array struct {
	Name   string
	Dims   []string
	Shape  []int
	Values []float64 // the last dimension varies fastest
	Whole  bool      // they are whole numbers, and written as such
}

// Numbered is the coordinate of a dimension whose places are 0, step, 2·step, …
func Numbered(dim string, n, step int) Array {
	a := Array{Name: dim, Dims: []string{dim}, Shape: []int{n}, Whole: true}
	for i := range n {
		a.Values = append(a.Values, float64(i*step))
	}
	return a
}

// Draws are draws of the cold rung, as they were read.
type Draws struct {
	Names  []string      // of the d parameters, distinct
	X      [][][]float64 // X[j][chain] are those of parameter j, Kept/Stride of each chain
	Kept   int           // draws of each chain that are there
	Stride int           // draws Stride, 2 Stride, …, counted from 1, were read

	Outputs *Draws // what a program says of draws, or what bears labels; nil without
}

// Chains is the number of chains.
func (d *Draws) Chains() int {
	if len(d.X) == 0 {
		return 0
	}
	return len(d.X[0])
}

// strideOf is the power of two by which n draws become at most so many; 1 if
// most is 0.
func strideOf(n, most int) int {
	m := 1
	for most > 0 && n/m > most {
		m *= 2
	}
	return m
}

// arrayNames are those of the parameters in a store.
func (r *Run) arrayNames() []string { return arrayNames(r.Names, "chain", "draw", "rung") }

// tau is the temperature of the cold rung.
func (r *Run) tau() float64 {
	if len(r.Temperature) == 0 {
		return 1
	}
	return r.Temperature[0]
}

func (r *Run) check() error {
	if err := checkNames(r.Names); err != nil {
		return err
	}
	for _, t := range r.Temperature {
		if !(t > 0) {
			return fmt.Errorf("temperature %g is not positive", t)
		}
	}
	for _, g := range r.Groups {
		if err := g.check(); err != nil {
			return err
		}
	}
	return nil
}

func checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("draws without parameters")
	}
	seen := map[string]int{}
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("parameter %d has no name", i+1)
		}
		if j := seen[n]; j > 0 {
			return fmt.Errorf("parameters %d and %d are both named %q", j, i+1, n)
		}
		seen[n] = i + 1
	}
	return nil
}

func (g *Group) check() error {
	if !slices.Contains(groups, g.Name) {
		return fmt.Errorf("there is no group %q (there are %s)", g.Name, strings.Join(groups, ", "))
	}
	for _, a := range g.Arrays {
		if err := a.check(); err != nil {
			return fmt.Errorf("%s: %q: %w", g.Name, a.Name, err)
		}
	}
	return nil
}

func (a *Array) check() error {
	if a.Name == "" || len(a.Dims) != len(a.Shape) {
		return errors.New("an array needs a name and one name per dimension")
	}
	n := 1
	for i, s := range a.Shape {
		if s < 0 || a.Dims[i] == "" {
			return fmt.Errorf("dimension %d: %q of length %d", i+1, a.Dims[i], s)
		}
		n *= s
	}
	if n != len(a.Values) {
		return fmt.Errorf("shape %v holds %d numbers, not %d", a.Shape, n, len(a.Values))
	}
	return nil
}
