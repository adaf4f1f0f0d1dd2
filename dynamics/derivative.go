package dynamics

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/slope"
)

// A Derivative says how dX/dt is found from the data: from the values that a state has,
// whatever the gaps between them; where a value is missing there is no derivative.
//
//   - central: (f[t+1] − f[t−1])/(time[t+1] − time[t−1]) at the interior values. On
//     uneven times this is the slope of the chord over both gaps.
//   - savgol (Savitzky and Golay 1964): the slope at a value of the least-squares
//     polynomial through the window centred on it, at the values with a whole
//     window; times may be uneven.
//   - spline: the slope of the cubic smoothing spline (Reinsch 1967; Green and
//     Silverman 1994, chapter 2) at the interior values.
//   - column: as given in the file; divided by the state for log-derivative.
type Derivative struct {
	Kind   string // central (also ""), savgol, spline or column
	Window int    // savgol: values of a window, odd
	Order  int    // savgol: degree of its polynomial, 1 ≤ Order < Window
	// Smoothing is the penalty λ ≥ 0 of spline: it minimises
	// Σ(value − g)² + λ∫g″², in units of time³. 0 chooses λ for each state by
	// generalised cross-validation.
	Smoothing float64
}

// rowSlopes are the derivatives of some states at some rows of a series.
type rowSlopes struct {
	Row   []int       // the rows of the series where any state has one
	Value [][]float64 // by state, then by row; NaN where the state has none
	// SD is the standard deviation of each value, by state, then by row, that of
	// the noise of the data (for log, of their logarithms) being 1: every
	// estimator is linear in the data. nil is not known (column).
	SD [][]float64
	// made says of which data each value is made, by state; nil where values
	// count as independent (central, column).
	made [][]slope.Stencil
}

// slopes estimates the derivatives of states, or with log those of their
// logarithms, which need positive data.
func (s *Series) slopes(d Derivative, states []string, log bool) (*rowSlopes, error) {
	values := make([][]float64, len(states))
	var errs []error
	for i, name := range states {
		v, ok := s.Values[name]
		if !ok {
			return nil, &ModelError{[]string{"model", "equations", name}, -1,
				fmt.Errorf("the data have no state %q%s", name, suggest(name, s.States))}
		}
		values[i] = v
		if log {
			values[i] = make([]float64, len(v))
			for t, x := range v {
				if x <= 0 {
					errs = append(errs, &DataError{s.File, s.Line.At(t), 0, fmt.Sprintf(
						"%s = %v: the likelihood log-derivative needs positive data; use derivative", name, x)})
				}
				values[i][t] = math.Log(x)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs[:min(len(errs), patient)]...)
	}
	switch d.Kind {
	case "", "central":
		out, err := s.estimates(values, func(_ int, times, v []float64, _ []int) (*slope.Estimate, error) { return slope.Central(times, v), nil })
		if err == nil {
			out.made = nil
		}
		return out, err
	case "savgol":
		return s.savgol(d, values)
	case "spline":
		return s.estimates(values, func(i int, times, v []float64, _ []int) (*slope.Estimate, error) {
			e, err := slope.Spline(times, v, d.Smoothing)
			if err != nil {
				err = &ModelError{[]string{"model", "derivative", "spline"}, -1, fmt.Errorf("state %q: %w", states[i], err)}
			}
			return e, err
		})
	case "column":
		return s.column(states, log)
	}
	kinds := derivativeKinds()
	return nil, &ModelError{[]string{"model", "derivative"}, 0,
		fmt.Errorf("unknown derivative %q%s (known: %s)", d.Kind, suggest(d.Kind, kinds), quoted(kinds))}
}

func derivativeKinds() []string { return []string{"central", "savgol", "spline", "column"} }

// estimates applies an estimator to the values that each state has and lines up
// the results. An estimator gets the number of the state, times, values and rows.
func (s *Series) estimates(values [][]float64, estimator func(i int, times, v []float64, row []int) (*slope.Estimate, error)) (*rowSlopes,
	error) {
	out := &rowSlopes{}
	n := s.rows()
	has := make([]bool, n)
	full, sds, made := make([][]float64, len(values)), make([][]float64, len(values)), make([][]slope.Stencil, len(values))
	for i, v := range values {
		row, times, existing := s.existing(v)
		e, err := estimator(i, times, existing, row)
		if err != nil {
			return nil, err
		}
		full[i], sds[i], made[i] = nans(n), nans(n), make([]slope.Stencil, n)
		for k, v := range e.Value {
			t := row[e.First+k]
			has[t] = true
			full[i][t], made[i][t] = v, e.Made[k]
			sds[i][t] = e.Made[k].SD()
		}
	}
	for t, ok := range has {
		if ok {
			out.Row = append(out.Row, t)
		}
	}
	for i := range values {
		out.Value, out.SD = append(out.Value, pick(full[i], out.Row)), append(out.SD, pick(sds[i], out.Row))
		out.made = append(out.made, pick(made[i], out.Row))
	}
	return out, nil
}

// existing returns the rows, times and values that are not missing.
func (s *Series) existing(v []float64) (row []int, times, values []float64) {
	for t, x := range v {
		if !math.IsNaN(x) {
			row, times, values = append(row, t), append(times, s.Time[t]), append(values, x)
		}
	}
	return row, times, values
}

// pick is v at the given places.
func pick[T any](v []T, at []int) []T {
	out := make([]T, len(at))
	for i, t := range at {
		out[i] = v[t]
	}
	return out
}

func nans(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}

func (s *Series) column(states []string, log bool) (*rowSlopes, error) {
	out := &rowSlopes{Value: make([][]float64, len(states))}
	for t := range s.rows() {
		out.Row = append(out.Row, t)
	}
	for i, name := range states {
		given, ok := s.Given[name]
		if !ok {
			return nil, &ModelError{[]string{"data", "derivatives"}, -1,
				fmt.Errorf("derivative: column needs the column with the derivative of %q: add data.derivatives: {%s: …}", name, name)}
		}
		out.Value[i] = append(out.Value[i], given...)
		if log {
			for t, x := range s.Values[name] {
				out.Value[i][t] /= x
			}
		}
	}
	return out, nil
}

func (s *Series) savgol(d Derivative, values [][]float64) (*rowSlopes, error) {
	bad := func(format string, args ...any) error {
		return &ModelError{[]string{"model", "derivative", "savgol"}, -1, fmt.Errorf(format, args...)}
	}
	switch {
	case d.Window < 3 || d.Window%2 == 0:
		return nil, bad("the window %d must be odd and at least 3", d.Window)
	case d.Order < 1 || d.Order >= d.Window:
		return nil, bad("the order %d must be at least 1 and less than the window %d", d.Order, d.Window)
	}
	return s.estimates(values, func(_ int, times, v []float64, row []int) (*slope.Estimate, error) {
		if n := len(v); d.Window > n-2 {
			return nil, bad("the window of %d rows leaves fewer than three of the %d rows of %s", d.Window, n, s.File)
		}
		e, at, err := slope.SavitzkyGolay(times, v, d.Window, d.Order)
		if err != nil {
			return nil, bad("at line %d of %s: %w; take a lower order", s.Line.At(row[at]), s.File, err)
		}
		return e, nil
	})
}
