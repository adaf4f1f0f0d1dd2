package lane

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// Errors against mpmath's 60 digits are within what the comments promise.
func TestErrors(t *testing.T) {
	functions := map[string]struct {
		of    func(float64) float64
		units float64
	}{
		"exp": {Exp, 1}, "expm1": {Expm1, 1.7}, "sigmoid": {Sigmoid, 2}, "softplus": {Softplus, 1.7}, "tanh": {Tanh, 1.5},
		"log": {Log, 0.9}, "log1p": {Log1p, 0.9}, "sin": {Sin, 0.9}, "cos": {Cos, 0.9}, "tan": {Tan, 2},
		"erf": {Erf, 1.5}, "erfc": {Erfc, 2}, "phi": {Phi, 2},
	}
	file, err := os.Open("testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var name string
		var x, near, lacks float64
		if _, err := fmt.Sscan(s.Text(), &name, &x, &near, &lacks); err != nil {
			t.Fatal(s.Text(), err)
		}
		f := functions[name]
		unit := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
		y := f.of(x)
		if e := math.Abs((y-near)-lacks) / unit; !(e < f.units) {
			t.Errorf("%s(%v) = %v, want %v: %.3g units", name, x, y, near, e)
		}
		lines++
	}
	if lines < 2000 {
		t.Errorf("%d lines of references", lines)
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	tests := []struct {
		name string
		of   func(float64) float64
		x, y []float64
	}{
		{"Exp", Exp, []float64{inf, -inf, nan, 0, zero, 710, -746, 709.782712893384, -745.1332191019411},
			[]float64{inf, 0, nan, 1, 1, inf, 0, 1.7976931348622732e308, 5e-324}},
		{"Expm1", Expm1, []float64{inf, -inf, nan, 0, zero, 5e-324, 709.782712893384},
			[]float64{inf, -1, nan, 0, zero, 5e-324, 1.7976931348622732e308}},
		{"Log", Log, []float64{inf, 0, zero, -1, nan, 1, 5e-324},
			[]float64{inf, -inf, -inf, nan, nan, 0, -744.4400719213812}},
		{"Log1p", Log1p, []float64{inf, -1, -2, nan, 0, zero, 5e-324}, []float64{inf, -inf, nan, nan, 0, zero, 5e-324}},
		{"Sigmoid", Sigmoid, []float64{inf, -inf, nan, 0, -800}, []float64{1, 0, nan, 0.5, 0}},
		{"Softplus", Softplus, []float64{inf, -inf, nan, 0, 1e300}, []float64{inf, 0, nan, math.Ln2, 1e300}},
		{"Tanh", Tanh, []float64{inf, -inf, nan, 0, zero, 5e-324, 1e300},
			[]float64{1, -1, nan, 0, zero, 5e-324, 1}},
		{"Erf", Erf, []float64{inf, -inf, nan, 0, zero, 5e-324, 1e300}, []float64{1, -1, nan, 0, zero, 5e-324, 1}},
		{"Erfc", Erfc, []float64{inf, -inf, nan, 0, zero, 28, -28, 1e300, -1e300}, []float64{0, 2, nan, 1, 1, 0, 2, 0, 2}},
		{"Phi", Phi, []float64{inf, -inf, nan, 0, 1e300, -1e300}, []float64{1, 0, nan, 0.5, 1, 0}},
		{"Sin", Sin, []float64{inf, nan, 0, zero, 5e-324}, []float64{nan, nan, 0, zero, 5e-324}},
		{"Cos", Cos, []float64{inf, nan, 0, 1e22}, []float64{nan, nan, 1, 0.5232147853951389}},
		{"Tan", Tan, []float64{inf, nan, 0, zero}, []float64{nan, nan, 0, zero}},
	}
	for _, test := range tests {
		for i, x := range test.x {
			y, want := test.of(x), test.y[i]
			if math.Float64bits(y) != math.Float64bits(want) && !(y != y && want != want) {
				t.Errorf("%s(%v) = %v, want %v", test.name, x, y, want)
			}
		}
	}
}

// Known answers of Random123 (tests/kat_vectors, philox4x32 10).
func TestPhilox(t *testing.T) {
	for _, k := range []struct{ key, low, high, a, b uint64 }{
		{0, 0, 0, 0xe169c58d_6627e8d5, 0x9b00dbd8_bc57ac4c},
		{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 0x41c83b0e_408f276d, 0x6d5451fd_a20bc7c6},
		{0x299f31d0_a4093822, 0x85a308d3_243f6a88, 0x03707344_13198a2e, 0x94fdcceb_d16cfe09, 0x24126ea1_5001e420},
	} {
		if a, b := Philox(k.key, k.low, k.high); a != k.a || b != k.b {
			t.Errorf("Philox(%x, %x, %x) = %x, %x, want %x, %x", k.key, k.low, k.high, a, b, k.a, k.b)
		}
	}
}

// Normals are those of Box and Muller, from end to end.
func TestNormals(t *testing.T) {
	const last = 1<<64 - 1
	for _, a := range []uint64{0, 1 << 12, 1 << 40, 1 << 63, last} {
		for _, b := range []uint64{0, 1<<61 + 1<<52, 1<<62 - 1<<20, 1 << 62, 1 << 63, 3<<62 + 1<<30, last} {
			x, y := Normals(a, b)
			r := math.Sqrt(-2 * math.Log((float64(a>>12)+0.5)/(1<<52)))
			sin, cos := math.Sincos(((float64(b>>12)+0.5)/(1<<52) - 0.125) * 2 * math.Pi)
			if math.Abs(x-r*cos) > 2e-15*r || math.Abs(y-r*sin) > 2e-15*r {
				t.Errorf("Normals(%x, %x) = %v, %v, want %v, %v", a, b, x, y, r*cos, r*sin)
			}
		}
	}
	if x, y := Normals(0, 1<<61); !(math.Hypot(x, y) > 8.5) {
		t.Errorf("the farthest normals are %v, %v", x, y)
	}
}
