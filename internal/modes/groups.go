package modes

import "math"

// Groups are the sets of modes that single linkage joins on its way from each mode by itself to all
// of them, the closest first: of two modes or more, and not all. The distance of two modes is the
// lesser of those of either minimum from the other, in standard deviations of the normal law there.
func Groups(all []Mode) [][]int {
	n := len(all)
	inv, far, z := make([][][]float64, n), make([][]float64, n), []float64(nil)
	for i, m := range all {
		inv[i], far[i], z = inverse(m.L), make([]float64, n), make([]float64, len(m.X))
	}
	for i := range n {
		for j := range i {
			far[i][j] = min(white(z, inv[i], all[j].X, all[i].X), white(z, inv[j], all[i].X, all[j].X))
		}
	}
	group, out := make([]int, n), [][]int{}
	for i := range group {
		group[i] = i
	}
	for left := n; left > 2; left-- { // the last join is of all
		a, b, least := -1, -1, math.Inf(1)
		for i := range n {
			for j := range i {
				if group[i] != group[j] && (a < 0 || far[i][j] < least) {
					a, b, least = group[j], group[i], far[i][j]
				}
			}
		}
		var joined []int
		for i, g := range group {
			if g == b {
				group[i] = a
			}
			if group[i] == a {
				joined = append(joined, i)
			}
		}
		out = append(out, joined)
	}
	return out
}
