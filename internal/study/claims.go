package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Verdict says what became of a claim.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "holds"
	Fails      Verdict = "does not hold"
	Depends    Verdict = "depends" // on something that Why names
	Untestable Verdict = "not testable here"
)

// Among is the verdict on what is so in some of all cases.
func Among(some, all int) Verdict {
	switch {
	case all == 0:
		return Untestable
	case some == all:
		return Holds
	case some == 0:
		return Fails
	}
	return Depends
}

// verdicts are all verdicts, in the order in which they are counted.
func verdicts() []Verdict { return []Verdict{Holds, Fails, Depends, Untestable} }

// A Meaning says what a verdict stands for.
type Meaning struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"means"`
}

// legend is what the verdicts stand for.
func legend() []Meaning {
	return []Meaning{
		{Holds, "our runs show what is claimed"},
		{Fails, "our runs contradict it, or show none of it"},
		{Depends, "so in some cases and not in others; the reason names them"},
		{Untestable, "runs like these cannot decide it"},
	}
}

// brackets says what intervals are.
const brackets = "Brackets and ± are 95 % t intervals over runs; brackets are clipped to what is possible (shares to 0 to 1, KL and " +
	"distances at 0)."

// A Number is a result with its 95 % interval; NaN where there is none.
type Number struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Clipped bool    `json:"clipped,omitempty"` // the interval reached beyond what is possible
}

// Exactly is a number without an interval.
func Exactly(name string, v float64) Number {
	return Number{Name: name, Value: v, Low: math.NaN(), High: math.NaN()}
}

// Within returns n with its interval clipped to [low, high], which is all that is
// possible.
func (n Number) Within(low, high float64) Number {
	if n.Low < low {
		n.Low, n.Clipped = low, true
	}
	if n.High > high {
		n.High, n.Clipped = high, true
	}
	return n
}

// String returns "0.031 (0.029 to 0.034)": with an interval as many decimals as
// show two digits of its half width, otherwise four digits; "–" if it is not
// known.
func (n Number) String() string {
	if math.IsNaN(n.Low) || math.IsNaN(n.High) || math.IsNaN(n.Value) {
		return digits(n.Value)
	}
	half := (n.High - n.Low) / 2
	if !(half > 0) || math.IsInf(half, 0) {
		return digits(n.Value) + " (" + digits(n.Low) + " to " + digits(n.High) + ")"
	}
	f := toDigits(half)
	return f(n.Value) + " (" + f(n.Low) + " to " + f(n.High) + ")"
}

// PlusMinus returns "0.0312 ± 0.0022", in as many decimals as show two digits of
// the half width; the value alone if it has no interval, or one of no width.
func (n Number) PlusMinus() string {
	half := (n.High - n.Low) / 2
	if !(half > 0) || math.IsInf(half, 0) || math.IsNaN(n.Value) {
		return digits(n.Value)
	}
	f := toDigits(half)
	return f(n.Value) + " ± " + f(half)
}

// toDigits returns what prints numbers so that two digits of half show, if it is
// neither tiny nor huge.
func toDigits(half float64) func(float64) string {
	_, exponent, _ := strings.Cut(strconv.FormatFloat(half, 'e', 1, 64), "e")
	e, err := strconv.Atoi(exponent)
	if d := 1 - e; err == nil && d <= 8 && d >= -6 {
		return func(v float64) string { return minus(strconv.FormatFloat(v, 'f', max(0, d), 64)) }
	}
	return digits
}

// digits prints whole numbers in full and others with four digits.
func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == math.Trunc(v) && math.Abs(v) < 1e9:
		return minus(fmt.Sprintf("%.0f", v))
	}
	return minus(fmt.Sprintf("%.4g", v))
}

// minus prints minus signs, and none before a zero.
func minus(s string) string {
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.ReplaceAll(s, "-", "−")
}

// A Claim is an empirical claim of the paper and what a study found.
type Claim struct {
	ID      string   `json:"id"`      // such as multimodal-best: letters, digits, - and _
	Section string   `json:"section"` // of the paper: "5.2", "Appendix D.3"
	Text    string   `json:"text"`    // in our words
	Test    string   `json:"test"`    // how it was tested, or would be
	Numbers []Number `json:"numbers"` // key numbers first
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why"`             // what in the numbers decides; its first sentence stands for all
	Basis   string   `json:"basis,omitempty"` // what all numbers are of: "flower, protocol paper"
	Scale   Scale    `json:"scale"`           // of the study, which sets it
}

// validName is what a picture or a claim may be called: it becomes a file or an anchor.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// check returns every fault of a claim: one without a test, a why, a number that
// is known (unless it is not testable), or with a verdict that there is not.
func (c Claim) check() error {
	var faults []error
	fault := func(format string, a ...any) {
		faults = append(faults, fmt.Errorf("claim %q: "+format, append([]any{c.ID}, a...)...))
	}
	if !validName.MatchString(c.ID) {
		fault("an ID is made of letters, digits, - and _")
	}
	for _, f := range []struct{ what, text string }{
		{"section", c.Section}, {"text", c.Text}, {"test", c.Test}, {"why", c.Why},
	} {
		if strings.TrimSpace(f.text) == "" {
			fault("it has no %s", f.what)
		}
	}
	if !slices.Contains(verdicts(), c.Verdict) {
		fault("verdict %q is none of %q", c.Verdict, verdicts())
	}
	known := 0
	for i, n := range c.Numbers {
		if !math.IsNaN(n.Value) {
			known++
		}
		if n.Name == "" {
			fault("number %d has no name", i+1)
		}
		if math.IsNaN(n.Low) != math.IsNaN(n.High) || n.Low > n.High {
			fault("number %q has the interval %g to %g", n.Name, n.Low, n.High)
		}
	}
	if known == 0 && c.Verdict != Untestable {
		fault("verdict %q without a number", c.Verdict)
	}
	return errors.Join(faults...)
}

// merge returns the claims of all studies in their order. Claims of one ID
// become one, where it first stands: tests, numbers and reasons are joined; the
// verdict stands if they agree, those not testable aside, and depends otherwise.
// It returns every fault of a claim.
func merge(studies []*Study) ([]Claim, error) {
	var out []Claim
	var faults []error
	at := map[string]int{}
	for _, s := range studies {
		for _, c := range s.Claims {
			faults = append(faults, c.check())
			c.Scale = s.Scale
			i, known := at[c.ID]
			if !known {
				at[c.ID] = len(out)
				out = append(out, c)
				continue
			}
			if out[i].Section != c.Section || out[i].Text != c.Text {
				faults = append(faults, fmt.Errorf("claim %q: it is two different claims: %q (%s) and %q (%s)",
					c.ID, out[i].Text, out[i].Section, c.Text, c.Section))
			}
			out[i] = join(out[i], c)
		}
	}
	return out, errors.Join(faults...)
}

func join(a, b Claim) Claim {
	both := func(s, t string) string {
		if s == t {
			return s
		}
		return s + " " + t
	}
	if a.Basis != b.Basis { // of each number, then
		a.Numbers, b.Numbers, a.Basis = a.named(), b.named(), ""
	}
	a.Test, a.Why = both(a.Test, b.Test), both(a.Why, b.Why)
	a.Numbers = append(slices.Clip(a.Numbers), b.Numbers...)
	if b.Scale == Smoke || b.Scale == Small && a.Scale == Paper { // the least that it rests on
		a.Scale = b.Scale
	}
	switch {
	case a.Verdict == b.Verdict || b.Verdict == Untestable:
	case a.Verdict == Untestable:
		a.Verdict = b.Verdict
	default:
		a.Verdict = Depends
	}
	return a
}

// named returns the numbers with their basis in their names.
func (c Claim) named() []Number {
	out := slices.Clone(c.Numbers)
	for i := range out {
		if c.Basis != "" {
			out[i].Name += " (" + c.Basis + ")"
		}
	}
	return out
}

// glance reports whether a claim rests on the runs of scale smoke.
func glance(claims []Claim) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Scale == Smoke })
}

// warning is what a reader of scale smoke should know first.
const warning = "Scale smoke: few and short runs, to see that it works. Verdicts and numbers mean little; --scale paper gives those " +
	"that count."

// tally counts verdicts: "3 hold · 1 does not hold · 2 depend".
func tally(claims []Claim) string {
	words := map[Verdict][2]string{Holds: {"holds", "hold"}, Fails: {"does not hold", "do not hold"},
		Depends: {"depends", "depend"}, Untestable: {"is not testable here", "are not testable here"}}
	var parts []string
	for _, v := range verdicts() {
		n := 0
		for _, c := range claims {
			if c.Verdict == v {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, "1 "+words[v][0])
		case n > 1:
			parts = append(parts, fmt.Sprint(n, " ", words[v][1]))
		}
	}
	return cmp.Or(strings.Join(parts, " · "), "no claims")
}
