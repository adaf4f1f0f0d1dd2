package study

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

// Comparisons are told with the clearest of them, and few runs decide nothing.
func ExampleComparisons() {
	cs := Comparisons{
		{About: "disc", A: Interval{1, 0.1}, B: Interval{2, 0.1}, P: 1e-6},
		{About: "box", A: Interval{1, 0.1}, B: Interval{1.5, 0.2}, P: 0.001},
		{About: "flower", A: Interval{1, 0.1}, B: Interval{1.1, 0.3}, P: 0.04},
	}.Adjusted()
	fmt.Println(cs.Tell("a", "b"))
	fmt.Println(cs.Verdict(10))
	fmt.Println(cs[2:].Claim(Claim{Why: "One of one."}, 10).Verdict)
	fmt.Println(Comparisons{{A: Interval{1, 1}, B: Interval{2, 1}, P: 0.5}}.Claim(Claim{Why: "Near."}, Enough-1).Why)
	// Output:
	// a is below b on average in 3 of 3 comparisons, significantly in 3, and significantly above in 0. Most clearly below: disc, 1.00 ± 0.10 against 2.00 ± 0.10.
	// holds
	// holds
	// Near. The runs are too few to decide it.
}

// An interval is that of Student's t (2.262157 with 9 degrees of freedom); its JSON has
// null for what is not known.
func TestInterval(t *testing.T) {
	if i := IntervalOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); math.Abs(i.Half-2.262157*math.Sqrt(55.0/6/10)) > 1e-6 || i.Mean != 5.5 {
		t.Errorf("interval %v", i)
	}
	b, err := json.Marshal([]Interval{{0.0216233333, 0.000786}, IntervalOf([]float64{1}), IntervalOf(nil)})
	if err != nil || string(b) != `[{"mean":0.0216233333,"half95":0.000786},{"mean":1,"half95":null},{"mean":null,"half95":null}]` {
		t.Errorf("%s %v", b, err)
	}
	if got := string(Interval{0.0216233333, 0.000786}.JSON(3)); got != `{"mean":0.0216,"half95":0.000786}` {
		t.Error(got)
	}
	if n := (Interval{0.1, 0.3}).Positive("KL"); n.Low != 0 || !n.Clipped || n.High != 0.4 {
		t.Errorf("%+v", n)
	}
}
