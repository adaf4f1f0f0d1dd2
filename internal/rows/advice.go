package rows

import (
	"fmt"
	"slices"
	"strings"
)

// advice names the fewest vectors, the first of those asked for among them, whose entries change places at x
// without a change of the density; "" is none.
func (l *Labels) advice(x []float64, was float64, all func(x []float64) float64, inside func(x []float64) bool) string {
	var best []string
	for part := uint(1); part < 1<<min(len(l.known), mostFree); part++ {
		var names []string
		var at [][]int
		for i, v := range l.known {
			if part>>i&1 == 1 {
				names, at = append(names, v.bare), append(at, v.order)
			}
		}
		fewer := slices.Contains(names, l.Vectors[0]) && len(names) != len(l.Vectors) && (best == nil || len(names) < len(best))
		if fewer && l.alikeBy(x, at, was, all, inside) {
			best = names
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf(". Here labels: [%s] would do", strings.Join(best, ", "))
}

// alikeBy reports whether x stays inside, and the density there, as components change places in some vectors.
func (l *Labels) alikeBy(x []float64, at [][]int, was float64, all func(x []float64) float64, inside func(x []float64) bool) bool {
	for k := range l.entries[1:] {
		if y := l.exchanged(x, k, at); !inside(y) || differ(was, all(y)) {
			return false
		}
	}
	return true
}

func everywhere([]float64) bool { return true }
