package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/text"
)

// The line of log Z has the error of an estimated volume, and of the step what it adds
// where it may add anything.
func TestFooterEvidence(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e    Evidence
		want string
	}{
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.19, Estimate: 1.2, Error: 0.02, GapError: nan, Trimmed: nan}, 0.5, 0, -0.011, 0.004, "", false,
			nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500; the step adds −0.0110 ± 0.0040)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.19, Estimate: 1.2, Error: 0.02, GapError: nan, Trimmed: nan}, 0.5, 0.012, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500 ± 0.012)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.11, Trimmed: nan}, 0.5, 0, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (log volume 0.500)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.09, Trimmed: nan}, 0.5, 0, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.010, apart by 0.200 ± 0.090, log volume 0.500)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.09, Trimmed: -0.019, TrimmedError: 0.01},
			0.5, 0, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (log volume 0.500)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.09, Trimmed: -0.021, TrimmedError: 0.01},
			0.5, 0, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.010, apart by 0.200 ± 0.090, log volume 0.500)"},
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

// A terminal shows few outputs: of long arrays the first entries, so that none crowds out others, and how many
// more there are.
// Mutants: the first outputs alone; entries that are not counted.
func TestOutputTableFoldsArrays(t *testing.T) {
	var ps []Parameter
	add := func(name string, n int) {
		for k := range n {
			ps = append(ps, Parameter{Name: fmt.Sprintf("%s[%d]", name, k+1)})
		}
	}
	if got := OutputTable(nil, text.Style{}); got != "" {
		t.Errorf("no outputs: %q", got)
	}
	add("long", 18)
	ps = append(ps, Parameter{Name: "odds"})
	got := OutputTable(ps, text.Style{})
	if strings.Count(got, "\n") != 21 || !strings.Contains(got, " output ") || strings.Contains(got, "more") {
		t.Errorf("19 outputs: %s", got)
	}
	add("cor", 4)
	got = OutputTable(ps, text.Style{}) // 15 of long, the others whole
	if strings.Count(got, "long[") != 15 || strings.Count(got, "cor[") != 4 || !strings.Contains(got, "odds") ||
		!strings.HasSuffix(got, " and 3 outputs more in summary.json\n") {
		t.Errorf("23 outputs: %s", got)
	}
	for k := range 30 {
		ps = append(ps, Parameter{Name: fmt.Sprint("x", k)})
	}
	if got := OutputTable(ps, text.Style{}); strings.Count(got, "\n") != 23 || !strings.Contains(got, "and 33 outputs more") {
		t.Errorf("53 outputs: %s", got)
	}
}

// Outputs that are not numbers in all draws are told, few by name.
func TestUndefinedOutputs(t *testing.T) {
	nan := math.NaN()
	ps := []Parameter{{Name: "a"}, {Name: "b", Q50: nan}}
	if got := Undefined(ps[:1]); got != nil {
		t.Errorf("defined outputs: %q", got)
	}
	if got := Undefined(ps); len(got) != 1 || !strings.HasPrefix(got[0], "b: not a finite number") {
		t.Errorf("%q", got)
	}
	if got := Undefined(slices.Repeat(ps, 9)); len(got) != 1 || !strings.HasPrefix(got[0], "b, b, b, b, b, …: ") {
		t.Errorf("%q", got)
	}
}
