package rows

import (
	"slices"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// constants are numbers of n rows: one that all have, or one of each.
type constants struct {
	n    int
	one  float64
	each vector.Column // nil where all have the same
}

// at is that of a row.
func (c constants) at(row int) float64 {
	if c.each == nil {
		return c.one
	}
	return c.each.At(row)
}

// values are the numbers of all rows, not to be changed.
func (c constants) values() []float64 {
	if c.each != nil {
		return vector.All(c.each)
	}
	return c.rows(make([]float64, c.n), 0)
}

// rows are as many numbers as there is room for, from a row on, not to be changed.
func (c constants) rows(room []float64, from int) []float64 {
	if c.each != nil {
		return c.each.Rows(room, from)
	}
	fill(room, c.one)
	return room
}

// add adds others, row by row.
func (c *constants) add(by constants) {
	if c.each == nil && by.each == nil {
		c.one += by.one
		return
	}
	sums, ok := c.each.(vector.Doubles) // of those before
	if !ok {
		sums = make(vector.Doubles, c.n)
		fill(sums, c.one)
	}
	for i := range sums {
		sums[i] += by.at(i)
	}
	c.each = sums
}

// total is the sum of all, to the last bit that of [sum].
func (c constants) total() float64 {
	if c.each != nil {
		return sum(c.values())
	}
	quarter, last := 0.0, 0.0
	for range c.n / 4 {
		quarter += c.one
	}
	last = (quarter + quarter) + (quarter + quarter)
	for range c.n % 4 {
		last += c.one
	}
	return last
}

// part are those of some rows.
func (c constants) part(some []int) constants {
	c.n = len(some)
	if c.each != nil {
		c.each = c.each.Taken(c.n, slices.All(some))
	}
	return c
}

// first is the first row whose number is as asked; −1 is none.
func (c constants) first(is func(v float64) bool) int {
	for i := range c.n {
		if is(c.at(i)) {
			return i
		}
		if c.each == nil {
			break
		}
	}
	return -1
}
