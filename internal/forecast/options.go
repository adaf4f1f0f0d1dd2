package forecast

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// assignments reads NAME=VALUE, several of them parted by commas outside of
// parentheses. Spaces do not count.
func assignments(flag string, texts []string) ([]Value, error) {
	var out []Value
	var errs []error
	for _, t := range texts {
		for _, part := range expression.Arguments(strings.Join(strings.Fields(t), "")) {
			at := strings.LastIndexByte(part, '=')
			if at <= 0 {
				errs = append(errs, fmt.Errorf("--%s %s: write NAME=VALUE", flag, part))
				continue
			}
			name := part[:at]
			v, err := text.Float(part[at+1:])
			switch {
			case err != nil || v-v != 0:
				errs = append(errs, fmt.Errorf("--%s %s: %q is not a finite number", flag, part, part[at+1:]))
			case slices.ContainsFunc(out, func(o Value) bool { return o.Name == name }):
				errs = append(errs, fmt.Errorf("--%s: %s is given twice", flag, name))
			}
			out = append(out, Value{Name: name, Value: v})
		}
	}
	return out, errors.Join(errs...)
}

// solver are the options of the solver for states as large as those of the data.
func (o *Options) solver(src *source) (ode.Options, error) {
	q := ode.Options{Method: o.Solver, RTol: o.RTol}
	least := math.Inf(1) // of those states that have data
	for _, values := range src.data.Values {
		a := 0.0
		for _, v := range values {
			if v == v {
				a = math.Max(a, 1e-10*math.Abs(v))
			}
		}
		if a > 0 {
			least = math.Min(least, a)
		}
		q.ATol = append(q.ATol, a)
	}
	for i, a := range q.ATol {
		if a == 0 {
			a = least
		}
		switch {
		case o.ATol != nil && *o.ATol >= 1e9*a:
			return q, fmt.Errorf("--atol %g: must be below a tenth of the largest value of each state, which is %.4g of %s", *o.ATol, 1e10*a,
				src.model.States[i])
		case o.ATol != nil:
			q.ATol[i] = *o.ATol
		case math.IsInf(a, 1): // all data are 0
			q.ATol[i] = 1e-10
		default:
			q.ATol[i] = a
		}
	}
	if _, err := ode.NewSolver(len(q.ATol), q); err != nil {
		return q, fmt.Errorf("--solver: %w", err)
	}
	return q, nil
}

// grid are the times of the simulation, from its start on.
func (o *Options) grid(src *source, from float64) ([]float64, error) {
	if o.Times != "" {
		return o.fileTimes(src, from)
	}
	until := src.end()
	if o.Until != "" {
		v, err := text.Float(strings.TrimPrefix(o.Until, "+"))
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("--until %s: must be a time, or +T for so much beyond the data", o.Until)
		}
		if strings.HasPrefix(o.Until, "+") {
			v += until
		}
		until = v
	}
	if math.Abs(until-from) > farthest {
		return nil, fmt.Errorf("--until %s: from %g to %g is further than can be computed, %g", o.Until, from, until, farthest)
	}
	if until == from {
		return nil, fmt.Errorf("nothing to simulate: it begins and ends at %g; give --until", from)
	}
	var points int
	if o.Points != nil {
		points = *o.Points
	} else {
		t := src.data.Time
		points = int(math.Min(5000, math.Max(500, 1+math.Round(math.Abs(until-from)*float64(len(t)-1)/(t[len(t)-1]-t[0])))))
	}
	return simulation.Grid(from, until, points), nil
}

// fileTimes reads the times from a file.
func (o *Options) fileTimes(src *source, from float64) ([]float64, error) {
	file, column := o.Times, src.run.Resolved.Series().Time
	if _, err := os.Stat(file); err != nil {
		if i := strings.LastIndexByte(file, ':'); i > 0 {
			file, column = file[:i], file[i+1:]
			if column == "" {
				return nil, fmt.Errorf("--times %s: no column is named after the colon; write FILE:COLUMN", o.Times)
			}
		}
	}
	if column == "" {
		return nil, errors.New("--times: the data have no column of times; write FILE:COLUMN")
	}
	series, err := dynamics.ReadSeries(file, dynamics.Columns{Time: column, Least: 1})
	if err != nil {
		return nil, fmt.Errorf("--times: %w", err)
	}
	times := slices.Clone(series.Time)
	if times[len(times)-1] <= from {
		if slices.Reverse(times); times[len(times)-1] == from {
			return nil, fmt.Errorf("--times: nothing to simulate: the only time is the start, %g", from)
		}
	} else if times[0] < from {
		return nil, fmt.Errorf("--times: %g lies before the start at %g: give --start-time, with --start unless it is that of a row of "+
			"the data", times[0], from)
	}
	return times, nil
}
