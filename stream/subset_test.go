package stream

import "testing"

// Every pair of 5 numbers is drawn equally often: χ² with 9 degrees of freedom
// exceeds 48 with probability 2e-7.
func TestSubsetsAreUniform(t *testing.T) {
	b := New(3, 0).Subset(5, 2)
	count := map[int]float64{}
	const calls = 20000
	for range calls {
		r := b.Draw()
		if r[0] == r[1] {
			t.Fatal("a number was drawn twice")
		}
		count[min(r[0], r[1])*5+max(r[0], r[1])]++
	}
	chi2 := 0.0
	for _, c := range count {
		chi2 += (c - calls/10) * (c - calls/10) / (calls / 10)
	}
	if len(count) != 10 || chi2 > 48 {
		t.Errorf("%d pairs, χ² = %.1f", len(count), chi2)
	}
}
