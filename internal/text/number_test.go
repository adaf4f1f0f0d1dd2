package text

import "testing"

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
		if got := PlusMinus(c.v, c.se); got != c.want {
			t.Errorf("%g, %g: %q, want %q", c.v, c.se, got, c.want)
		}
	}
}
