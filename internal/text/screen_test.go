package text

import "testing"

// A terminal that knows no escape sequences gets none, nor one whose user wants no colours.
func TestColoured(t *testing.T) {
	for _, c := range []struct {
		term, no string
		want     bool
	}{{"xterm", "", true}, {"", "", true}, {"xterm", "1", false}, {"dumb", "", false}} {
		t.Setenv("TERM", c.term)
		t.Setenv("NO_COLOR", c.no)
		if coloured() != c.want {
			t.Errorf("%+v", c)
		}
	}
}
