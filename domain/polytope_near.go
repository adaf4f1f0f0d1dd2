package domain

// A polyNear keeps the rows near a place, so that small steps around it are compared
// with those alone. Whether that pays is found as the run goes.
type polyNear struct {
	place []float64
	reach float64 // other rows are farther from place than that; 0 when there is no place
	rows  []int32
	calm  int // steps that stayed inside, all rows compared, less those to wait for
	saved int // steps for which the rows here were enough
}

// The share of the rows that may be near, the smallest number of rows of which that
// is any use, the calm steps before it is tried, the steps of which it must save as
// many, and the steps before it is tried again.
const (
	nearShare = 8
	nearRows  = 64
	nearCalm  = 8
	nearSaves = 4
	nearWait  = 64
)

// nearby returns room for the rows near a place, none where it would be of no use.
func (k *polyRows) nearby() polyNear {
	if k.m < nearRows || k.coef.start != nil {
		return polyNear{calm: -1 << 62}
	}
	return polyNear{place: make([]float64, k.d), rows: make([]int32, 0, k.m/nearShare)}
}

// clears reports that x certainly lies behind all general rows of k: exactly behind
// those near, and too near the place to reach others.
func (n *polyNear) clears(k *polyRows, x []float64) bool {
	if n.reach == 0 {
		return false
	}
	if !(distance(x, n.place) < n.reach) {
		n.reach = 0
		if n.saved < nearSaves {
			n.calm = -nearWait
		}
		return false
	}
	i := 0
	for ; i+4 <= len(n.rows); i += 4 {
		a, b, c, e := n.rows[i], n.rows[i+1], n.rows[i+2], n.rows[i+3]
		y0, y1, y2, y3 := dots(k.row(a), k.row(b), k.row(c), k.row(e), x)
		if !(y0 <= k.b[a] && y1 <= k.b[b] && y2 <= k.b[c] && y3 <= k.b[e]) {
			return false
		}
	}
	for ; i < len(n.rows); i++ {
		if !k.behind(int(n.rows[i]), x) {
			return false
		}
	}
	n.saved++
	return true
}

// consider looks, after a step of some length that ended inside at x with slacks s,
// whether few rows are within several steps, and keeps those.
func (n *polyNear) consider(k *polyRows, s, x []float64, length, margin float64) {
	for _, steps := range [...]float64{8, 4} {
		n.rows = n.rows[:0]
		if reach := steps * length; n.collect(k, s, reach+margin) && reach > 0 {
			copy(n.place, x)
			n.reach, n.saved = reach, 0
			return
		}
	}
	n.calm = -nearWait
}

// collect adds the rows of slack below limit, unless there are too many.
func (n *polyNear) collect(k *polyRows, s []float64, limit float64) bool {
	for i := 0; i < k.m; i += 8 {
		if i = k.near(s, s, i, 0, limit); i >= k.m {
			break
		}
		for l := i; l < min(i+8, k.m); l++ {
			if s[l] >= limit {
				continue
			}
			if len(n.rows) == cap(n.rows) {
				return false
			}
			n.rows = append(n.rows, int32(l))
		}
	}
	return true
}
