package figure

import (
	"cmp"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/text"
)

// A demand is what is asked of the values of a column, which must be finite numbers
// unless it says otherwise.
type demand uint

const (
	rising      demand = 1 << iota // each is above the last
	ascending                      // none is below the last
	positive                       // above 0
	nonNegative                    // at least 0
	fraction                       // in [0, 1]
	logarithmic                    // above 0, for an axis of logarithms
	gappy                          // NaN where there is none
	optional                       // nil is none
)

// A column is values that a figure draws.
type column struct {
	name   string // "" adds nothing to what the figure is called
	values []float64
	length int // how many there must be; anyLength is any number
	demand demand
}

const anyLength = -1

// beside says of a column that it is not as long as others.
const beside = "%d values beside %d: all columns must be equally long"

// A check finds the first fault in what a figure is given.
type check struct {
	what string // is checked
	err  error
}

// must records a fault unless ok. What comes after the first is not looked at.
func (c *check) must(ok bool, format string, args ...any) {
	if c.err == nil && !ok {
		c.err = fmt.Errorf("figure: %s: %s", c.what, fmt.Sprintf(format, args...))
	}
}

// part turns to another part of the figure.
func (c *check) part(format string, args ...any) { c.what = fmt.Sprintf(format, args...) }

// columns checks columns in their order: lengths, then values.
func (c *check) columns(columns ...column) {
	what := c.what
	named := func(q column) {
		if c.what = what; q.name != "" {
			c.what += ", " + q.name
		}
	}
	for _, q := range columns {
		if named(q); q.length != anyLength && (q.values != nil || q.demand&optional == 0) {
			c.must(len(q.values) == q.length, beside, len(q.values), q.length)
		}
	}
	for _, q := range columns {
		named(q)
		c.values(q)
	}
	c.what = what
}

// values checks the values of a column one by one.
func (c *check) values(q column) {
	for i, v := range q.values {
		if fault := q.demand.fault(v); fault != "" {
			c.must(false, "value %d is %g: %s", i+1, v, fault)
			return
		}
		if i > 0 && (q.demand&rising != 0 && v <= q.values[i-1] || q.demand&ascending != 0 && v < q.values[i-1]) {
			c.must(false, "value %d is %g after %g: %s must rise", i+1, v, q.values[i-1], cmp.Or(q.name, "values"))
			return
		}
	}
}

// fault says what is wrong with a value, or nothing.
func (d demand) fault(v float64) string {
	switch {
	case math.IsNaN(v) && d&gappy != 0:
		return ""
	case math.IsNaN(v) || math.Abs(v) > 1e300:
		return "leave it out or mend it before drawing"
	case d&positive != 0 && v <= 0:
		return "it must be above 0"
	case d&logarithmic != 0 && v <= 0:
		return "a logarithmic axis has no place for what is not above 0"
	case d&nonNegative != 0 && v < 0:
		return "it must be at least 0"
	case d&fraction != 0 && (v < 0 || v > 1):
		return "it must be in [0, 1]"
	}
	return ""
}

// onLog is what an axis asks if it is logarithmic.
func onLog(log bool) demand {
	if log {
		return logarithmic
	}
	return 0
}

// finite checks that values can be drawn.
func (c *check) finite(name string, values ...float64) {
	c.columns(column{name, values, anyLength, 0})
}

// each checks that there are n things for m others.
func (c *check) each(n int, things string, m int, others string) {
	c.must(n == m, "%d %s for %d %s: give one each", n, things, m, others)
}

// ends checks that an interval has both ends or none.
func (c *check) ends(low, high []float64) {
	c.must((low == nil) == (high == nil), "an interval has two ends: give both or none")
}

// panels checks the number of parameters, a panel each.
func (c *check) panels(n int) {
	c.must(n > 0, "nothing to draw: give at least one parameter")
	c.must(n <= MostPanels, "%d parameters are too many for one figure: choose up to %d", n, MostPanels)
}

// method checks that a method has a colour.
func (c *check) method(name string) {
	if _, err := methodLine(name); err != nil && c.err == nil {
		c.err = err
	}
}

// view checks a range of an axis; zero is none.
func (c *check) view(axis Axis, v [2]float64, log bool) {
	if v != ([2]float64{}) {
		c.given(axis, v, log)
	}
}

// given checks a range that an axis must have.
func (c *check) given(axis Axis, v [2]float64, log bool) {
	inner := check{"view of " + axis.Name, c.err}
	inner.finite("", v[:]...)
	inner.must(v[0] < v[1] && !(log && v[0] <= 0), "from %g to %g: it must rise, on a logarithmic axis from above 0", v[0], v[1])
	c.err = inner.err
}

// temperatures checks those of a ladder; +Inf is the uniform law.
func (c *check) temperatures(t []float64) {
	c.must(len(t) >= 2, "%s: a ladder has at least two", text.Counted(len(t), "rung"))
	for p, v := range t {
		c.must(v > 0 && (p == 0 || v > t[p-1]), "temperature %d is %g: temperatures must be above 0 and rise", p+1, v)
	}
}
