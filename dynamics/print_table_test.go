package dynamics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAligned(t *testing.T) {
	p := &Problem{Parameters: []string{"a"}, model: &Model{}, equations: []equation{
		{state: "x", text: "a*y"},
		{state: "y", terms: []term{{"y.1", "1", 1}, {"y.x*y", "x*y", 2}}},
	}}
	p.Parameters = []string{"a", "y.1", "y.x*y"}
	got := Aligned(p.Print([]float64{2, 1, -3}, []float64{0.1, 0.2, 0.3}))
	want := `\begin{aligned}
\dot{x} &= \left(2.00 \pm 0.10\right) y \\
\dot{y} &= 1.00 \pm 0.20 - \left(3.00 \pm 0.30\right) x y
\end{aligned}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCoefficientTable(t *testing.T) {
	p := &Problem{Parameters: []string{"a", "y.x"}, model: &Model{Fixed: []Value{{"y.y", 2}, {"y.1", 0}, {"y.x*y", 0}, {"y.x^2", 0}}},
		equations: []equation{
			{state: "x", text: "a*y", parameters: []string{"a"}},
			{state: "y", parameters: []string{"y.x"},
				terms: []term{{"y.1", "1", 1}, {"y.x", "x", 1}, {"y.y", "y", 1}, {"y.x*y", "x*y", 1}, {"y.x^2", "x^2", 1}}},
		},
		Terms: []Term{{Parameter: "y.1", Inclusion: 0.3}, {Parameter: "y.x", Inclusion: 0.98765}, {Parameter: "y.y", Inclusion: 1},
			{Parameter: "y.x*y", Inclusion: 0.004}, {Parameter: "y.x^2"}}}
	header, cells := CoefficientTable(p.Coefficients([]Estimate{{-0.00123, 0.034, -0.05, 0.06}, {1234567, 89, 1234500, 1234600}}), "5 %",
		"95 %")
	if want := []string{"equation", "term", "mean", "sd", "5 %", "95 %", "inclusion"}; !cmp.Equal(header, want) {
		t.Error(header)
	}
	want := [][]string{
		{"x′", "a", "−0.001", "0.034", "−0.050", "0.060", ""},
		{"y′", "x", "1234567", "89", "1234500", "1234600", "0.988"},
		{"y′", "y", "2", "", "", "", "1.000"},
		{"y′", "1", "", "", "", "", "0.300"},
	}
	if d := cmp.Diff(want, cells); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		v, sd float64
		want  string
	}{{1.5e-9, 2e-10, "1.50e−09"}, {-0.0001, 0.1, "0.00"}, {3e9, 1e3, "3.0000000e+09"}, {-2.5, 0, "−2.5"}, {7, math.Inf(1), "7"}} {
		if got := rounded(c.v, c.sd); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.v, c.sd, got, c.want)
		}
	}
	p.Terms = nil
	if header, cells = CoefficientTable(p.Coefficients([]Estimate{{1, math.NaN(), 0, 0}, {}}), "5 %", "95 %"); len(header) != 6 ||
		len(cells) != 3 || len(cells[0]) != 6 {
		t.Errorf("%v %v", header, cells)
	}
}
