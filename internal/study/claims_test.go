package study

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/text"
)

func valid() Claim {
	return Claim{"a-b", "5.2", "It is so.", "We looked.", []Number{{"share", 0.5, 0.4, 0.6, false}}, Holds, "It was so.", "", Paper}
}

func TestClaimCheck(t *testing.T) {
	if err := valid().check(); err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for fault, spoil := range map[string]func(c *Claim){
		"ID":          func(c *Claim) { c.ID = "a b" },
		"no test":     func(c *Claim) { c.Test = " \n" },
		"no why":      func(c *Claim) { c.Why = "" },
		"no section":  func(c *Claim) { c.Section = "" },
		"no text":     func(c *Claim) { c.Text = "" },
		"is none of":  func(c *Claim) { c.Verdict = "Holds" },
		"without":     func(c *Claim) { c.Numbers = nil },
		"holds\" wit": func(c *Claim) { c.Numbers[0].Value = nan },
		"0.7 to 0.6":  func(c *Claim) { c.Numbers[0].Low = 0.7 },
		"NaN to 0.6":  func(c *Claim) { c.Numbers[0].Low = nan },
		"no name":     func(c *Claim) { c.Numbers[0].Name = "" },
	} {
		c := valid()
		spoil(&c)
		if err := c.check(); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
	c := valid()
	c.Verdict, c.Numbers = Untestable, nil
	if err := c.check(); err != nil {
		t.Error(err)
	}
	c = Claim{}
	if err := c.check(); strings.Count(fmt.Sprint(err), "\n") != 7-1 { // all at once
		t.Error(err)
	}
}

func TestMerge(t *testing.T) {
	one, two := valid(), valid()
	two.Test, two.Why, two.Numbers = "We looked again.", "Still so.", []Number{{"share, again", 0.51, 0.5, 0.52, false}}
	other := valid()
	other.ID = "c"
	for want, verdicts := range map[Verdict][][2]Verdict{
		Holds:      {{Holds, Holds}, {Holds, Untestable}, {Untestable, Holds}},
		Fails:      {{Fails, Fails}, {Untestable, Fails}},
		Depends:    {{Holds, Fails}, {Fails, Holds}, {Depends, Holds}, {Fails, Depends}},
		Untestable: {{Untestable, Untestable}},
	} {
		for _, v := range verdicts {
			one.Verdict, two.Verdict = v[0], v[1]
			got, err := merge([]*Study{{Claims: []Claim{one, other}}, {Claims: []Claim{two}}})
			if err != nil || len(got) != 2 || got[1].ID != "c" || got[0].Verdict != want {
				t.Fatalf("%v: %v %+v", v, err, got)
			}
			if got[0].Why != "It was so. Still so." || len(got[0].Numbers) != 2 || len(one.Numbers) != 1 {
				t.Errorf("joined: %+v", got[0])
			}
		}
	}
	two.Text = "It is not so."
	if _, err := merge([]*Study{{Claims: []Claim{one}}, {Claims: []Claim{two}}}); err == nil {
		t.Error("two claims of one ID")
	}
	two.ID, two.Verdict = "d", "so-so"
	if _, err := merge([]*Study{{Claims: []Claim{one}}, {Claims: []Claim{two}}}); err == nil {
		t.Error("an unknown verdict")
	}
}

func TestNumberString(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		n    Number
		want string
	}{
		{Number{"", 0.03123, 0.0291, 0.03342, false}, "0.0312 (0.0291 to 0.0334)"},
		{Number{"", -0.021, -0.17, 0.13, false}, "−0.02 (−0.17 to 0.13)"},
		{Number{"", 12345.6, 12000, 12700, false}, "12346 (12000 to 12700)"},
		{Number{"", 0.296, nan, nan, false}, "0.296"},
		{Number{"", 40000, nan, nan, false}, "40000"},
		{Number{"", 1, 1, 1, false}, "1 (1 to 1)"},
		{Number{"", 1, 0.5, math.Inf(1), false}, "1 (0.5 to ∞)"},
		{Number{"", nan, nan, nan, false}, "–"},
		{Number{"", math.Inf(-1), nan, nan, false}, "−∞"},
		{Number{"", 1.5e-12, 1e-12, 2e-12, false}, "1.5e−12 (1e−12 to 2e−12)"},
		{Number{"", -0.0001, -0.2, 0.2, false}, "0.00 (−0.20 to 0.20)"},
	} {
		if got := c.n.String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.n, got, c.want)
		}
	}
}

// An interval ends where nothing is possible, and says so; what is possible stays.
func TestNumberWithin(t *testing.T) {
	n := Number{Name: "share", Value: 0.2, Low: -0.5, High: 0.9}
	if got, want := n.Within(0, 1), (Number{"share", 0.2, 0, 0.9, true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := n.Within(0, 1).Within(0, 0.5); got.High != 0.5 || got.Low != 0 {
		t.Errorf("%+v", got)
	}
	if got := n.Within(-1, 1); got != n {
		t.Errorf("%+v, want %+v", got, n)
	}
	if got := (Number{Value: 1, Low: math.NaN(), High: math.NaN()}).Within(0, 1); got.Clipped || !math.IsNaN(got.Low) {
		t.Errorf("no interval is clipped to %+v", got)
	}
}

// What all numbers are of is told once, and joined claims keep it with each.
func TestBasis(t *testing.T) {
	one, two := valid(), valid()
	one.Basis, two.Basis = "flower", "star"
	var b bytes.Buffer
	if err := ClaimsTable(&b, []Claim{one}, text.Style{}); err != nil || strings.Count(b.String(), "(flower)") != 1 {
		t.Errorf("%v\n%s", err, b.String())
	}
	got, err := merge([]*Study{{Claims: []Claim{one}}, {Claims: []Claim{two}}})
	if err != nil || got[0].Numbers[0].Name != "share (flower)" || got[0].Numbers[1].Name != "share (star)" || got[0].Basis != "" {
		t.Errorf("%v %+v", err, got)
	}
}

// The terminal and the page warn of scale smoke, and of nothing else.
func TestGlanceWarns(t *testing.T) {
	for _, scale := range []Scale{Smoke, Paper} {
		s := inventedStudies(t)[1:]
		s[0].Scale = scale
		claims, err := merge(s)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := ClaimsTable(&b, claims, text.Style{Width: 200}); err != nil {
			t.Fatal(err)
		}
		page := string(pageOf(t, s))
		if want := scale == Smoke; strings.Contains(b.String(), warning) != want || strings.Contains(page, warning) != want {
			t.Errorf("scale %s: %s", scale, b.String())
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for want, n := range map[string][2]float64{
		"0.0312 ± 0.0022": {0.03123, 0.00218}, "0.019 ± 0.031": {0.0193, 0.0306}, "3.1 ± 2.2": {3.11, 2.18}, "1.00 ± 0.10": {1, 0.0999},
		"0.000074 ± 0.000012": {7.4e-5, 1.2e-5}, "−0.5 ± 1.2": {-0.5, 1.23}, "0": {0, 0}, "3.142": {math.Pi, math.NaN()},
		"–": {math.NaN(), math.NaN()},
	} {
		if got := (Number{Value: n[0], Low: n[0] - n[1], High: n[0] + n[1]}).PlusMinus(); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}

func TestClaimsTableKeepsWidthAndWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé家]{1,30}`)
		sentence := rapid.Map(rapid.SliceOfN(word, 1, 20), func(w []string) string { return strings.Join(w, " ") })
		var claims []Claim
		for range rapid.IntRange(0, 4).Draw(t, "claims") {
			c := valid()
			c.Text, c.Section = sentence.Draw(t, "text"), sentence.Draw(t, "section")
			c.Verdict = rapid.SampledFrom(verdicts()).Draw(t, "verdict")
			for range rapid.IntRange(0, 5).Draw(t, "numbers") {
				c.Numbers = append(c.Numbers, Number{sentence.Draw(t, "name"), rapid.Float64().Draw(t, "value"), math.NaN(), math.NaN(), false})
			}
			claims = append(claims, c)
		}
		width := rapid.IntRange(50, 200).Draw(t, "width")
		var b bytes.Buffer
		if err := ClaimsTable(&b, claims, text.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if n := text.Columns(line); n >= width || strings.HasSuffix(line, " ") {
				t.Fatalf("a line of %d in %d columns: %q", n, width, line)
			}
		}
		for _, c := range claims {
			if !strings.Contains(b.String(), string(c.Verdict)) {
				t.Fatalf("no %q in\n%s", c.Verdict, b.String())
			}
			if len(c.Numbers) > tellings && !strings.Contains(b.String(), "more") {
				t.Fatal("numbers are left out silently")
			}
		}
	})
}

func TestClaimsTableColors(t *testing.T) {
	claims := []Claim{valid(), valid()}
	claims[1].Verdict = Fails
	var plain, colored bytes.Buffer
	if err := ClaimsTable(&plain, claims, text.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := ClaimsTable(&colored, claims, text.Style{Color: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") || strings.Count(colored.String(), "\x1b[31mdoes not hold\x1b[0m") != 1 {
		t.Errorf("%q\n%q", plain.String(), colored.String())
	}
	strip := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(colored.String())
	if strip != plain.String() {
		t.Error("colours move letters")
	}
	if err := ClaimsTable(full{}, claims, text.Style{}); err == nil {
		t.Error("no error of the writer")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func ExampleClaimsTable() {
	nan := math.NaN()
	err := ClaimsTable(os.Stdout, []Claim{{
		ID: "best", Section: "5.2", Text: "r2SGLD comes closest to the truth among nine methods.", Test: "KL divergence of cells",
		Numbers: []Number{{"KL of r2SGLD", 0.0312, 0.0291, 0.0334, false}, {"KL of the next", 0.452, 0.31, 0.61, false}},
		Verdict: Holds, Why: "Its interval lies below all others.",
	}, {
		ID: "swaps", Section: "5.2", Text: "Swaps are accepted in 5 to 20 % of attempts.", Test: "share accepted",
		Numbers: []Number{{"rate", 0.296, nan, nan, false}}, Verdict: Fails, Why: "Exact swaps are accepted more often.",
	}}, text.Style{Width: 90})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// paper  claim                             verdict        numbers
	//  5.2    r2SGLD comes closest to the       holds          KL of r2SGLD:
	//         truth among nine methods.                          0.0312 (0.0291 to 0.0334)
	//                                                          KL of the next:
	//                                                            0.45 (0.31 to 0.61)
	//         → Its interval lies below all others.
	//  5.2    Swaps are accepted in 5 to 20 %   does not hold  rate: 0.296
	//         of attempts.
	//         → Exact swaps are accepted more often.
	//
	//  holds: our runs show what is claimed
	//  does not hold: our runs contradict it, or show none of it
	//  Brackets and ± are 95 % t intervals over runs; brackets are clipped to what is possible
	//  (shares to 0 to 1, KL and distances at 0). All numbers, the tests and the reasons in
	//  full: report.html.
	//  1 holds · 1 does not hold
}
