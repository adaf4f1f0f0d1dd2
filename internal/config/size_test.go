package config

import (
	"fmt"
	"strings"
	"testing"
)

// Domains whose squares leave floating point are refused with advice, never with
// a panic; sizes that physics knows are taken.
func TestSizesOfDomains(t *testing.T) {
	for _, e := range []string{"1e-310", "1e-200", "1e-162", "1e-90", "1e-60", "1e-40", "1", "1e40", "1e90", "1e120", "1e200"} {
		for _, shape := range []string{"box: {x: [0, E], y: [0, E]}", "ball: {center: [0, 0], radius: E}",
			"ellipsoid: {center: [0, 0], axes: [E, E]}",
			"polygon: [[0, 0], [E, 0], [0, E]]", "octagon: {radius: E}", "heart: {radius: E}", "flower: {petals: 5, offset: 3, radius: E}"} {
			text := fmt.Sprintf("variables: [x, y]\npotential: \"0\"\ndomain: {%s}\n", strings.ReplaceAll(shape, "E", e))
			_, err := Parse("sample", "f.yaml", []byte(text), nil)
			if fair := len(e) < 5 || e == "1e-40"; fair != (err == nil) {
				t.Errorf("%s: %v", strings.ReplaceAll(shape, "E", e), err)
			}
		}
	}
}
