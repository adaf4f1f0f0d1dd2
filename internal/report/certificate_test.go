package report

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/tune"
)

// shifted is a parameter of unit standard deviation whose mean is off by bias.
func shifted(name string, bias, se, mcse float64) Parameter {
	return Parameter{Name: name, SD: 1, MCSEMean: mcse, Bias: &bias, BiasSE: &se, RHat: 1, ESSBulk: 1000, ESSTail: 1000}
}

// The line names the largest biases first and counts the others.
func TestCertificateLine(t *testing.T) {
	for want, ps := range map[string][]Parameter{
		"": {{Name: "x", SD: 1}},
		" step bias of the means: y 0.0300 ± 0.0020, x −0.00210 ± 0.00040\n": {shifted("x", -0.0021, 0.0004, 1), shifted("y", 0.03, 0.002, 1)},
		" step bias of the means: e 0.500 ± 0.010, d 0.400 ± 0.010, c 0.300 ± 0.010, b 0.200 ± 0.010, less for 1 more\n": {
			shifted("a", 0.1, 0.01, 1), shifted("b", 0.2, 0.01, 1), shifted("c", 0.3, 0.01, 1), shifted("d", 0.4, 0.01,
				1), shifted("e", 0.5, 0.01, 1)},
	} {
		s := &Summary{Parameters: ps}
		if got := s.certificate(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A bias is warned of where it is larger than chance and certain, the worst one with
// the step that would do. It kills: no regard for the standard error of the bias, the
// inverted ratio, and the first in place of the worst.
func TestBiased(t *testing.T) {
	set := r2sgld.Settings{StepSize: []float64{0.04, 0.1}}
	for _, c := range []struct {
		ps   []Parameter
		want string
	}{
		{[]Parameter{{Name: "x", SD: 1, MCSEMean: 1e-3}}, ""},
		{[]Parameter{shifted("x", 0.01, 0.004, 0.001)}, ""},
		{[]Parameter{shifted("x", 0.01, 0.001, 0.02)}, ""},
		{[]Parameter{shifted("x", 0.02, 0.001, 0.01), shifted("y", -0.02, 0.001, 0.005), shifted("z", 0.01, 0.01, 0.001)},
			"y: the step shifts the mean by −0.0200 ± 0.0010, chance by 0.005 only, and those of 1 other parameter likewise. The bias goes like " +
				"the step: with 0.25 of the step size (0.01 at the coldest rung) and 4 times the iterations it would be no larger. Halve the step " +
				"to halve the bias."},
	} {
		if got := (&Summary{Parameters: c.ps}).biased(set); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What is said at the end of a run that asked for a bias.
func TestStoppedByTheBias(t *testing.T) {
	u := tune.Until{RHat: 1.01, ESS: 400, Bias: 0.02}
	for _, c := range []struct {
		p    Parameter
		ess  float64
		met  bool
		bias float64
		want string
	}{
		{shifted("x", -0.01, 0.002, 1), 500, true, 0.014, ""},
		{shifted("x", -0.05, 0.005, 1), 500, false, 0.06, "steps of 0.3 of those found"},
		{shifted("x", 0.02, 0.01, 1), 500, false, 0.04, "at its limit before the bias"},
		{shifted("x", -0.05, 0.005, 1), 300, false, 0.06, "at its limit before R̂"},
		{Parameter{Name: "x", SD: 1}, 500, false, math.NaN(), "at its limit before the bias"},
	} {
		s := &Summary{Parameters: []Parameter{c.p}}
		s.Stopped(u, 1, c.ess, c.met)
		if got := *s.Until.Bias; math.Abs(got-c.bias) > 1e-12 && got == got || (got == got) != (c.bias == c.bias) {
			t.Errorf("bias %g, want %g", got, c.bias)
		}
		if got := strings.Join(s.Warnings, "\n"); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Sizes that no whole number holds are written all the same.
func TestWholeSizes(t *testing.T) {
	for v, want := range map[float64]string{1234.9: "1,234", 1e300: "1e+300", math.Inf(1): "+Inf", 0: "0"} {
		if got := whole(v); got != want {
			t.Errorf("%g: %q, not %q", v, got, want)
		}
	}
}
