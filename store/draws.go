package store

import (
	"errors"
	"fmt"
)

// Draws are the draws of a run, ladder by ladder.
type Draws struct {
	Names       []string  // of the d parameters, distinct
	Chains      []Chain   // one per ladder, of equal lengths and numbers of rungs
	Warmup      []Chain   // likewise; nil if burn-in was not kept
	Temperature []float64 // τ > 0 per rung, cold first; nil is 1 for the cold rung and unknown for others
	BurnIn      int       // iterations before the first draw
	Thin        int       // iterations per draw; 0 is 1
	Observed    []Array   // what was fitted, if anything
	Model       string    // name of the run
	Seed        uint64
	Version     string // of the program
}

// A Chain is what one ladder drew. Only the cold rung is required.
type Chain struct {
	X      [][]float64 // X[rung] is n × d, draw by draw, the coldest rung first
	Energy [][]float64 // Energy[rung] is U at each draw, length n; may be short of rungs
	Stats  []Column    // further numbers of the ladder per draw; same names in every chain
}

// A Column is a named number per draw.
type Column struct {
	Name   string
	Values []float64
}

// An Array is a named array of numbers with named dimensions. One named like
// its only dimension is the coordinate of that dimension.
type Array struct {
	Name   string
	Dims   []string
	Shape  []int
	Values []float64 // the last dimension varies fastest
}

// N is the number of draws per chain.
func (d *Draws) N() int { return length(d.Chains, len(d.Names)) }

// Parameter returns the cold draws of parameter j, one slice per chain.
func (d *Draws) Parameter(j int) [][]float64 {
	chains := make([][]float64, len(d.Chains))
	for i, c := range d.Chains {
		chains[i] = c.parameter(0, j, len(d.Names))
	}
	return chains
}

func (c *Chain) parameter(rung, j, dim int) []float64 {
	x := c.X[rung]
	values := make([]float64, len(x)/dim)
	for i := range values {
		values[i] = x[i*dim+j]
	}
	return values
}

// arrayNames are those of the parameters in a store.
func (d *Draws) arrayNames() []string { return arrayNames(d.Names, "chain", "draw", "rung") }

// tau is the temperature of the cold rung.
func (d *Draws) tau() float64 {
	if len(d.Temperature) == 0 {
		return 1
	}
	return d.Temperature[0]
}

// stats are the columns of a chain beside the parameters: lp = −U/τ and the
// energy U if that is known, and what else was given.
func (d *Draws) stats(c Chain) []Column {
	var cols []Column
	if len(c.Energy) > 0 {
		lp := make([]float64, len(c.Energy[0]))
		for i, u := range c.Energy[0] {
			lp[i] = -u / d.tau()
		}
		cols = append(cols, Column{"lp", lp}, Column{"energy", c.Energy[0]})
	}
	for _, s := range c.Stats {
		if len(c.Energy) == 0 || s.Name != "lp" && s.Name != "energy" {
			cols = append(cols, s)
		}
	}
	return cols
}

func length(chains []Chain, dim int) int {
	if len(chains) == 0 || len(chains[0].X) == 0 || dim == 0 {
		return 0
	}
	return len(chains[0].X[0]) / dim
}

// check says what is wrong with the shape of d.
func (d *Draws) check() error {
	if err := d.checkNames(); err != nil {
		return err
	}
	if len(d.Chains) == 0 {
		return errors.New("draws without chains")
	}
	if err := checkChains(d.Chains, len(d.Names)); err != nil {
		return err
	}
	if d.Warmup != nil && len(d.Warmup) != len(d.Chains) {
		return fmt.Errorf("%d chains, but %d of warm-up", len(d.Chains), len(d.Warmup))
	}
	if err := checkChains(d.Warmup, len(d.Names)); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	return nil
}

// checkNames says what is wrong with all but the draws.
func (d *Draws) checkNames() error {
	if len(d.Names) == 0 {
		return errors.New("draws without parameters")
	}
	seen := map[string]int{}
	for i, n := range d.Names {
		if n == "" {
			return fmt.Errorf("parameter %d has no name", i+1)
		}
		if j := seen[n]; j > 0 {
			return fmt.Errorf("parameters %d and %d are both named %q", j, i+1, n)
		}
		seen[n] = i + 1
	}
	for _, t := range d.Temperature {
		if !(t > 0) {
			return fmt.Errorf("temperature %g is not positive", t)
		}
	}
	for _, a := range d.Observed {
		if err := a.check(); err != nil {
			return fmt.Errorf("observed %q: %w", a.Name, err)
		}
	}
	return nil
}

func checkChains(chains []Chain, dim int) error {
	n := length(chains, dim)
	for i, c := range chains {
		if err := c.check(n, dim, chains[0]); err != nil {
			return fmt.Errorf("chain %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *Chain) check(n, dim int, first Chain) error {
	if len(c.X) == 0 {
		return errors.New("no draws of the cold rung")
	}
	if len(c.X) != len(first.X) || len(c.Energy) != len(first.Energy) || len(c.Stats) != len(first.Stats) {
		return errors.New("its rungs, energies or statistics are not those of chain 1")
	}
	if len(c.Energy) > len(c.X) {
		return fmt.Errorf("energies of %d rungs, but draws of %d", len(c.Energy), len(c.X))
	}
	for r, x := range c.X {
		if len(x) != n*dim {
			return fmt.Errorf("rung %d has %d numbers where %d draws of %d parameters were expected: cut the chains to equal lengths", r+1, len(x), n, dim)
		}
	}
	for r, u := range c.Energy {
		if len(u) != n {
			return fmt.Errorf("rung %d has %d energies for %d draws", r+1, len(u), n)
		}
	}
	for i, s := range c.Stats {
		if s.Name == "" || s.Name != first.Stats[i].Name {
			return fmt.Errorf("statistic %d is named %q here and %q in chain 1", i+1, s.Name, first.Stats[i].Name)
		}
		if len(s.Values) != n {
			return fmt.Errorf("statistic %q has %d values for %d draws", s.Name, len(s.Values), n)
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

// WriteDraws writes draws.zarr and one draws-N.csv per chain, each whole or
// not at all.
func (f *Folder) WriteDraws(d *Draws) error {
	if err := f.WriteZarr(d); err != nil {
		return err
	}
	return f.WriteStanCSV(d)
}
