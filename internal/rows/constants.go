package rows

// constants are numbers of n rows: one that all have, or one of each.
type constants struct {
	n    int
	one  float64
	each []float64 // nil where all have the same
}

// at is that of a row.
func (c constants) at(row int) float64 {
	if c.each == nil {
		return c.one
	}
	return c.each[row]
}

// values are the numbers of all rows, not to be changed.
func (c constants) values() []float64 {
	if c.each != nil {
		return c.each
	}
	out := make([]float64, c.n)
	fill(out, c.one)
	return out
}

// add adds others, row by row.
func (c *constants) add(by constants) {
	if c.each == nil && by.each == nil {
		c.one += by.one
		return
	}
	if c.each == nil {
		c.each = c.values()
	}
	for i := range c.each {
		c.each[i] += by.at(i)
	}
}

// total is the sum of all, to the last bit that of [sum].
func (c constants) total() float64 {
	if c.each != nil {
		return sum(c.each)
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
		c.each = taken(c.each, some)
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
