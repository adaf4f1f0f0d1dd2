package mixing

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/study"
)

// A Power is the slope of log y over log x with the 95 % t interval of the line of
// least squares. The numbers are exact, so that the interval tells how far y is from
// a power; with two points it is the whole line.
type Power struct {
	Slope float64 `json:"slope"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// powerOf fits y = c·x^slope to at least two different x > 0 and as many y > 0.
func powerOf(x, y []float64) Power {
	u, v := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		u[i], v[i] = math.Log(x[i]), math.Log(y[i])
	}
	level, slope := stat.LinearRegression(u, v, nil, false)
	p := Power{slope, math.Inf(-1), math.Inf(1)}
	if len(x) == 2 {
		p.Low, p.High = slope, slope
	}
	if len(x) > 2 {
		rest, spread, mean := 0.0, 0.0, stat.Mean(u, nil)
		for i := range u {
			rest += square(v[i] - level - slope*u[i])
			spread += square(u[i] - mean)
		}
		free := float64(len(x) - 2)
		half := distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(0.975) * math.Sqrt(rest/free/spread)
		p.Low, p.High = slope-half, slope+half
	}
	return p
}

// MarshalJSON writes null for a power that is not known.
func (p Power) MarshalJSON() ([]byte, error) {
	if math.IsNaN(p.Slope) {
		return []byte("null"), nil
	}
	type plain Power
	return json.Marshal(plain(p))
}

// number is the power under a name.
func (p Power) number(name string) study.Number {
	return study.Number{Name: name, Value: p.Slope, Low: p.Low, High: p.High}
}

// String tells the power with its interval; one of no width to three decimals.
func (p Power) String() string {
	if half := (p.High - p.Low) / 2; half < 5e-4 {
		return signed(p.Slope, 3)
	}
	return p.number("").PlusMinus()
}

// locals are the slopes between neighbours.
func locals(x, y []float64) []float64 {
	var out []float64
	for i := 1; i < len(x); i++ {
		out = append(out, math.Log(y[i]/y[i-1])/math.Log(x[i]/x[i-1]))
	}
	return out
}

func square(v float64) float64 { return v * v }

// show prints a number with four digits and a minus sign.
func show(v float64) string { return study.Exactly("", v).String() }

// signed prints decimals with a minus sign.
func signed(v float64, decimals int) string {
	s := fmt.Sprintf("%.*f", decimals, math.Abs(v))
	if v < 0 {
		return "−" + s
	}
	return s
}

// logarithmic returns n numbers from a to b in equal ratios.
func logarithmic(a, b float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = a * math.Pow(b/a, float64(i)/float64(n-1))
	}
	return out
}
