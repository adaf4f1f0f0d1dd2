package report

import (
	"math"
	"strings"
	"testing"
)

// Things are counted in words.
//
// Mutants it kills: 0 as one, "days" as "daies", "swap intensitys", no commas.
func TestCounted(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{1, "step", "1 step"}, {2, "step", "2 steps"}, {0, "fallback", "0 fallbacks"}, {12000, "draw", "12,000 draws"},
		{1, "swap intensity", "1 swap intensity"}, {3, "swap intensity", "3 swap intensities"}, {1461, "day", "1,461 days"},
	} {
		if got := Counted(c.n, c.noun); got != c.want {
			t.Errorf("%d, %s: %q, want %q", c.n, c.noun, got, c.want)
		}
		if got := Counted(int64(c.n), c.noun); got != c.want {
			t.Errorf("%d, %s: %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

// Numbers whose errors are far smaller than their digits, or that have more digits than
// tell anything, stay readable.
func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		v, se float64
		want  string
	}{
		{1.3862944, 0.0025, "1.3863 ± 0.0025"},
		{1.3862944, 4.7e-15, "1.386294 ± 0.000000"},
		{1.3862944, 0, "1.386 ± 0.000"},
		{-1e300, 0, "−1e+300 ± 0.000"},
	} {
		if got := plusMinus(c.v, c.se); got != c.want {
			t.Errorf("%g, %g: %q, want %q", c.v, c.se, got, c.want)
		}
	}
}

// The line of log Z has the error of an estimated volume, and of the step what it adds
// where it may add anything.
func TestFooterEvidence(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e    Evidence
		want string
	}{
		{Evidence{1.21, 1.19, 1.2, 0.02, nan, 0.5, 0, -0.011, 0.004, ""}, " log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500; the step adds −0.0110 ± 0.0040)"},
		{Evidence{1.21, 1.19, 1.2, 0.02, nan, 0.5, 0.012, 0, 0, ""}, " log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500 ± 0.012)"},
		{Evidence{1.21, 1.01, 1.2, 0.02, 0.11, 0.5, 0, 0, 0, ""}, " log Z 1.200 ± 0.020 (log volume 0.500)"},
		{Evidence{1.21, 1.01, 1.2, 0.02, 0.09, 0.5, 0, 0, 0, ""}, " log Z 1.200 ± 0.020 (forward 1.210, backward 1.010, apart by 0.200 ± 0.090, log volume 0.500)"},
	} {
		if got := strings.Split((&Summary{LogEvidence: c.e}).Footer(), "\n")[1]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The seconds of a resumed run say what they count from.
func TestFooterSince(t *testing.T) {
	for since, want := range map[string]string{"": " · 1.5 s", " since the resume": " · 1.5 s since the resume"} {
		s := &Summary{Seconds: 1.51, since: since, LogEvidence: NewEvidence()}
		if got := strings.SplitN(s.Footer(), "\n", 2)[0]; !strings.HasSuffix(got, want) {
			t.Errorf("%q, want its end to be %q", got, want)
		}
	}
}
