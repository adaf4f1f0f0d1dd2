package modes

import "math"

// Groups are the sets of modes that single linkage joins on its way from each valley by itself to all
// of them, the closest first: of two valleys or more, and not all.
func Groups(all []Mode) [][]int {
	n, group, far := len(all), Valleys(all), make([][]float64, len(all))
	for i := range all {
		far[i] = make([]float64, n)
		for j := range i {
			far[i][j] = all[i].far(&all[j])
		}
	}
	left, out := 0, [][]int{}
	for i, g := range group {
		if g == i {
			left++
		}
	}
	for ; left > 2; left-- { // the last join is of all
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

// far is the distance of two modes: the lesser of those of either minimum from the other, by the normal
// law there, in standard deviations, squared.
func (m *Mode) far(o *Mode) float64 {
	z := make([]float64, len(m.X))
	return min(white(z, m.inverse(), o.X, m.X), white(z, o.inverse(), m.X, o.X))
}

// inverse is that of L, which is kept.
func (m *Mode) inverse() [][]float64 {
	if m.inv == nil {
		m.inv = inverse(m.L)
	}
	return m.inv
}
