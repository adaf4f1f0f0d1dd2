package report

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
)

// The line of log Z has the error of an estimated volume, and of the step what it adds
// where it may add anything.
func TestFooterEvidence(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e    Evidence
		want string
	}{
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.19, Estimate: 1.2, Error: 0.02, GapError: nan}, 0.5, 0, -0.011, 0.004, "", false,
			nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500; the step adds −0.0110 ± 0.0040)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.19, Estimate: 1.2, Error: 0.02, GapError: nan}, 0.5, 0.012, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (forward 1.210, backward 1.190, log volume 0.500 ± 0.012)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.11}, 0.5, 0, 0, 0, "", false, nil},
			" log Z 1.200 ± 0.020 (log volume 0.500)"},
		{Evidence{exchange.Evidence{Forward: 1.21, Backward: 1.01, Estimate: 1.2, Error: 0.02, GapError: 0.09}, 0.5, 0, 0, 0, "", false, nil},
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
