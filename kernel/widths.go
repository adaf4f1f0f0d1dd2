package kernel

import (
	"github.com/r2sgld/r2sgld/internal/vector/lane"
	"github.com/r2sgld/r2sgld/stream"
)

// Widths are how wide a density is from place to place, beside where it is narrowest. A
// trajectory has steps that are longer by one of them: it is drawn where the trajectory begins,
// with probabilities that depend on the place, and the probability of the same width at the end
// is part of the acceptance. That keeps the law whatever the probabilities are: a state and its
// width have a joint law, of which the width is drawn given the state, and the state moves given
// the width.
type Widths interface {
	// Factors are the widths, each finite and above 0.
	Factors() []float64
	// Odds returns what writes the logarithms of their probabilities at r states, laid out as
	// those of a block: that of factor k at state i into logs[k*r+i]. It allocates nothing.
	Odds(r int) func(logs, x []float64)
}

// Alike is the Widths of a density that is as wide everywhere.
type Alike struct{}

// Factors is 1 alone.
func (Alike) Factors() []float64 { return []float64{1} }

// Odds returns what writes log 1.
func (Alike) Odds(int) func(logs, x []float64) { return func(logs, _ []float64) { clear(logs) } }

// choices are the widths that trajectories of a block have.
type choices struct {
	factors    []float64
	odds       func(logs, x []float64)
	there, end []float64 // logarithms of probabilities where they began, and where they ended
	chosen     []int     // of each replica, the factor; −1 is 1 for certain
}

func newChoices(w Widths, r int) *choices {
	if w == nil {
		w = Alike{}
	}
	c := &choices{factors: w.Factors(), odds: w.Odds(r), chosen: make([]int, r)}
	c.there, c.end = make([]float64, len(c.factors)*r), make([]float64, len(c.factors)*r)
	return c
}

// draw draws a width for each replica, where there is a choice, and writes the factors into f. It is 1 at
// infinite temperature, where no density is followed.
func (c *choices) draw(f []float64, b *Block, at *At, noise *stream.Lanes) {
	if len(c.factors) == 1 {
		for i := range f {
			f[i] = c.factors[0]
		}
		return
	}
	c.odds(c.there, b.X)
	for i, u := range noise.Uniforms(1) {
		if c.chosen[i], f[i] = -1, 1; at.Drift[b.Rung[i]] == 0 {
			continue
		}
		k := 0
		for ; k+1 < len(c.factors); k++ {
			if u -= lane.Exp(c.there[k*b.R+i]); u < 0 {
				break
			}
		}
		c.chosen[i], f[i] = k, c.factors[k]
	}
}

// look finds the probabilities at the ends.
func (c *choices) look(b *Block) {
	if len(c.factors) > 1 {
		c.odds(c.end, b.X)
	}
}

// back is the logarithm of the probability of the width of replica i at the end over that where its
// trajectory began.
func (c *choices) back(i int) float64 {
	if c.chosen[i] < 0 {
		return 0
	}
	at := c.chosen[i]*len(c.chosen) + i
	return c.end[at] - c.there[at]
}
