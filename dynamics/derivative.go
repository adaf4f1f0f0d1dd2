package dynamics

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Derivative says how dX/dt is found from the data.
type Derivative struct {
	Kind   string // central (also ""), savgol or column
	Window int    // savgol: rows of a window, odd
	Order  int    // savgol: degree of its polynomial, 1 ≤ Order < Window
}

// Slopes are the derivatives of some states at some rows of a series.
type Slopes struct {
	Row   []int       // the rows of the series
	Value [][]float64 // by state, then by row
}

// Slopes estimates the derivatives of states, or with log those of their
// logarithms, which need positive data.
//
//   - central: (f[t+1] − f[t−1])/(time[t+1] − time[t−1]) at the interior rows. On
//     uneven times this is the slope of the chord over both gaps.
//   - savgol (Savitzky and Golay 1964): the slope at a row of the least-squares
//     polynomial through the window centred on it, at the rows with a whole
//     window, so that all rows have the same noise; times may be uneven.
//   - column: as given in the file, at all rows; with log divided by the state.
func (s *Series) Slopes(d Derivative, states []string, log bool) (*Slopes, error) {
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
					errs = append(errs, &DataError{s.File, s.Line[t], 0, fmt.Sprintf(
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
		return s.central(values), nil
	case "savgol":
		return s.savgol(d, values)
	case "column":
		return s.column(states, log)
	}
	kinds := []string{"central", "savgol", "column"}
	return nil, &ModelError{[]string{"model", "derivative"}, 0,
		fmt.Errorf("unknown derivative %q%s (known: %s)", d.Kind, suggest(d.Kind, kinds), quoted(kinds))}
}

func (s *Series) central(values [][]float64) *Slopes {
	out := &Slopes{Value: make([][]float64, len(values))}
	for t := 1; t < s.Rows()-1; t++ {
		out.Row = append(out.Row, t)
		for i, v := range values {
			out.Value[i] = append(out.Value[i], (v[t+1]-v[t-1])/(s.Time[t+1]-s.Time[t-1]))
		}
	}
	return out
}

func (s *Series) column(states []string, log bool) (*Slopes, error) {
	out := &Slopes{Value: make([][]float64, len(states))}
	for t := range s.Rows() {
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

func (s *Series) savgol(d Derivative, values [][]float64) (*Slopes, error) {
	bad := func(format string, args ...any) (*Slopes, error) {
		return nil, &ModelError{[]string{"model", "derivative", "savgol"}, -1, fmt.Errorf(format, args...)}
	}
	switch n := s.Rows(); {
	case d.Window < 3 || d.Window%2 == 0:
		return bad("the window %d must be odd and at least 3", d.Window)
	case d.Order < 1 || d.Order >= d.Window:
		return bad("the order %d must be at least 1 and less than the window %d", d.Order, d.Window)
	case d.Window > n-2:
		return bad("the window of %d rows leaves fewer than three of the %d rows of %s", d.Window, n, s.File)
	}
	out := &Slopes{Value: make([][]float64, len(values))}
	weight := make([]float64, d.Window)
	for t := d.Window / 2; t < s.Rows()-d.Window/2; t++ {
		from := t - d.Window/2
		if err := slopeWeights(weight, s.Time[from:from+d.Window], s.Time[t], d.Order); err != nil {
			return bad("at line %d of %s: %w; take a lower order", s.Line[t], s.File, err)
		}
		out.Row = append(out.Row, t)
		for i, v := range values {
			slope := 0.0
			for k, w := range weight {
				slope += w * (v[from+k] - v[t])
			}
			out.Value[i] = append(out.Value[i], slope)
		}
	}
	return out, nil
}

// slopeWeights writes the weights of the values at the given times in the slope
// at time at of their least-squares polynomial.
func slopeWeights(weight, times []float64, at float64, order int) error {
	unit := 0.0
	for _, t := range times {
		unit = math.Max(unit, math.Abs(t-at))
	}
	a := mat.NewDense(len(times), order+1, nil)
	for i, t := range times {
		power := 1.0
		for k := range order + 1 {
			a.Set(i, k, power)
			power *= (t - at) / unit
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	if qr.Cond() > 1e12 {
		return errors.New("a polynomial of this order is not determined by its window")
	}
	// The slope is e₁ᵀ R⁻¹ Qᵀ f: solve Aᵀ w = e₁ with the smallest w.
	e := mat.NewVecDense(order+1, nil)
	e.SetVec(1, 1)
	var w mat.VecDense
	if err := qr.SolveVecTo(&w, true, e); err != nil {
		return err
	}
	for i := range weight {
		weight[i] = w.AtVec(i) / unit
	}
	return nil
}
