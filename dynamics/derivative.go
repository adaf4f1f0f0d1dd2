package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Derivative says how dX/dt is found from the data.
type Derivative struct {
	Kind   string // central (also ""), savgol, spline or column
	Window int    // savgol: values of a window, odd
	Order  int    // savgol: degree of its polynomial, 1 ≤ Order < Window
	// Smoothing is the penalty λ ≥ 0 of spline: it minimises
	// Σ(value − g)² + λ∫g″², in units of time³. 0 chooses λ for each state by
	// generalised cross-validation.
	Smoothing float64
}

// Slopes are the derivatives of some states at some rows of a series.
type Slopes struct {
	Row   []int       // the rows of the series where any state has one
	Value [][]float64 // by state, then by row; NaN where the state has none
	// SD is the standard deviation of each value, by state, then by row, that of
	// the noise of the data (for log, of their logarithms) being 1: every
	// estimator is linear in the data. nil is not known (column).
	SD [][]float64
	// made says of which data each value is made, by state; nil where values
	// count as independent (central, column).
	made [][]stencil
}

// A stencil is a linear function of consecutive existing values of a state, and
// the value that it is at, which is one of them or next to them.
type stencil struct {
	from   int
	weight []float64
	at     int
}

// of is the weight of a value.
func (s stencil) of(value int) float64 {
	if k := value - s.from; k >= 0 && k < len(s.weight) {
		return s.weight[k]
	}
	return 0
}

// sd is the standard deviation of the function for unit noise of the values.
func (s stencil) sd() float64 {
	sum := 0.0
	for _, w := range s.weight {
		sum += w * w
	}
	return math.Sqrt(sum)
}

// estimate is the derivative of one state at some of its values.
type estimate struct {
	first int // value i is the derivative at value first+i of the state
	value []float64
	made  []stencil
}

// Slopes estimates the derivatives of states, or with log those of their
// logarithms, which need positive data. Every estimator works on the values that
// a state has, whatever the gaps between them; where a value is missing there is
// no derivative.
//
//   - central: (f[t+1] − f[t−1])/(time[t+1] − time[t−1]) at the interior values. On
//     uneven times this is the slope of the chord over both gaps.
//   - savgol (Savitzky and Golay 1964): the slope at a value of the least-squares
//     polynomial through the window centred on it, at the values with a whole
//     window; times may be uneven.
//   - spline: the slope of the cubic smoothing spline (Reinsch 1967; Green and
//     Silverman 1994, chapter 2) at the interior values.
//   - column: as given in the file; with log divided by the state.
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
		out, err := s.estimates(values, func(_ int, times, v []float64, _ []int) (*estimate, error) { return central(times, v), nil })
		if err == nil {
			out.made = nil
		}
		return out, err
	case "savgol":
		return s.savgol(d, values)
	case "spline":
		return s.estimates(values, func(i int, times, v []float64, _ []int) (*estimate, error) {
			e, err := splineSlopes(times, v, d.Smoothing)
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
func (s *Series) estimates(values [][]float64, estimator func(i int, times, v []float64, row []int) (*estimate, error)) (*Slopes, error) {
	out := &Slopes{}
	n := s.Rows()
	has := make([]bool, n)
	full, sds, made := make([][]float64, len(values)), make([][]float64, len(values)), make([][]stencil, len(values))
	for i, v := range values {
		row, times, existing := s.existing(v)
		e, err := estimator(i, times, existing, row)
		if err != nil {
			return nil, err
		}
		full[i], sds[i], made[i] = nans(n), nans(n), make([]stencil, n)
		for k, slope := range e.value {
			t := row[e.first+k]
			has[t] = true
			full[i][t], made[i][t] = slope, e.made[k]
			sds[i][t] = e.made[k].sd()
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

func central(times, v []float64) *estimate {
	e := &estimate{first: 1}
	for t := 1; t < len(v)-1; t++ {
		gap := times[t+1] - times[t-1]
		e.value = append(e.value, (v[t+1]-v[t-1])/gap)
		e.made = append(e.made, stencil{t - 1, []float64{-1 / gap, 0, 1 / gap}, t})
	}
	return e
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
	bad := func(format string, args ...any) error {
		return &ModelError{[]string{"model", "derivative", "savgol"}, -1, fmt.Errorf(format, args...)}
	}
	switch {
	case d.Window < 3 || d.Window%2 == 0:
		return nil, bad("the window %d must be odd and at least 3", d.Window)
	case d.Order < 1 || d.Order >= d.Window:
		return nil, bad("the order %d must be at least 1 and less than the window %d", d.Order, d.Window)
	}
	return s.estimates(values, func(_ int, times, v []float64, row []int) (*estimate, error) {
		half := d.Window / 2
		if n := len(v); d.Window > n-2 {
			return nil, bad("the window of %d rows leaves fewer than three of the %d rows of %s", d.Window, n, s.File)
		}
		e := &estimate{first: half}
		for t := half; t < len(v)-half; t++ {
			from := t - half
			weight := make([]float64, d.Window)
			if err := slopeWeights(weight, times[from:from+d.Window], times[t], d.Order); err != nil {
				return nil, bad("at line %d of %s: %w; take a lower order", s.Line[row[t]], s.File, err)
			}
			slope := 0.0
			for k, w := range weight {
				slope += w * (v[from+k] - v[t])
			}
			e.value, e.made = append(e.value, slope), append(e.made, stencil{from, weight, t})
		}
		return e, nil
	})
}

// slopeWeights writes the weights of the values at the given times in the slope
// at time at of their least-squares polynomial.
func slopeWeights(weight, times []float64, at float64, order int) error {
	unit := 0.0
	for _, t := range times {
		unit = math.Max(unit, math.Abs(t-at))
	}
	if order == len(times)-1 && interpolated(weight, times, at, unit) {
		return nil
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

// interpolated is slopeWeights for the polynomial through all values, at one of the
// times; false where these are too near each other for products of their differences.
func interpolated(weight, times []float64, at, unit float64) bool {
	m := slices.Index(times, at)
	if m < 0 {
		return false
	}
	weight[m] = 0
	for j, t := range times {
		if j > 0 && t-times[j-1] < 0.1*unit {
			return false
		}
		if j == m {
			continue
		}
		weight[j] = 1 / (t - at)
		for k, u := range times {
			if k != j && k != m {
				weight[j] *= (at - u) / (t - u)
			}
		}
		weight[m] -= 1 / (t - at)
	}
	return true
}
