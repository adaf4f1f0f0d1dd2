package report

import (
	"fmt"
	"testing"
)

// The share of the density that the only mode has by importance sampling is 1 to rounding: a
// run writes 1 + 2e-16 as well, and its modes can be read.
func TestBasinsByRounding(t *testing.T) {
	const file = `{"name": "one", "parameters": [{"name": "x", "sd": 1}], "modes": {"starts": 9, "modes": [
		{"at": [0], "energy": 1, "weight": 1, "weight_se": 0, "expected": %s}]}}`
	for expected, sound := range map[string]bool{"1": true, "1.0000000000000002": true, "1.1": false, "-1e-3": false} {
		if _, err := ReadBasins(fmt.Appendf(nil, file, expected)); (err == nil) != sound {
			t.Errorf("%s: %v", expected, err)
		}
	}
}
