package reversible

import (
	"slices"
)

// A network holds symmetric conductances in compressed rows: those of row i lie
// at start[i] to start[i+1], columns rising, without a diagonal.
type network struct {
	start []int
	col   []int32
	c     []float64
}

// assemble adds up edges, times a scale, on n states.
func assemble(n int, edges []Edge, scale float64) network {
	w := network{start: make([]int, n+1)}
	for _, e := range edges {
		if e.Weight*scale > 0 {
			w.start[e.I+1]++
			w.start[e.J+1]++
		}
	}
	for i := range n {
		w.start[i+1] += w.start[i]
	}
	w.col, w.c = make([]int32, w.start[n]), make([]float64, w.start[n])
	next := slices.Clone(w.start)
	for _, e := range edges {
		if c := e.Weight * scale; c > 0 {
			w.col[next[e.I]], w.c[next[e.I]] = int32(e.J), c
			w.col[next[e.J]], w.c[next[e.J]] = int32(e.I), c
			next[e.I]++
			next[e.J]++
		}
	}
	return w.transpose().merge()
}

// times returns w with all conductances times a factor.
func (w network) times(factor float64) network {
	w.c = slices.Clone(w.c)
	for i := range w.c {
		w.c[i] *= factor
	}
	return w
}

// transpose sorts the columns of a symmetric network; repeated ones stay in the
// order in which they were.
func (w network) transpose() network {
	n := len(w.start) - 1
	t := network{start: make([]int, n+1), col: make([]int32, len(w.col)), c: make([]float64, len(w.c))}
	for _, j := range w.col {
		t.start[j+1]++
	}
	for i := range n {
		t.start[i+1] += t.start[i]
	}
	next := slices.Clone(t.start)
	for i := range n {
		for k := w.start[i]; k < w.start[i+1]; k++ {
			j := w.col[k]
			t.col[next[j]], t.c[next[j]] = int32(i), w.c[k]
			next[j]++
		}
	}
	return t
}

// merge adds neighbours of equal column, in place.
func (w network) merge() network {
	to, from := 0, 0
	for i := range len(w.start) - 1 {
		begin := to
		for end := w.start[i+1]; from < end; from++ {
			if to > begin && w.col[to-1] == w.col[from] {
				w.c[to-1] += w.c[from]
				continue
			}
			w.col[to], w.c[to] = w.col[from], w.c[from]
			to++
		}
		w.start[i+1] = to
	}
	w.col, w.c = w.col[:to], w.c[:to]
	return w
}

// plus returns the sum of two networks.
func (w network) plus(v network) network {
	n := len(w.start) - 1
	s := network{
		start: make([]int, n+1),
		col:   make([]int32, 0, len(w.col)+len(v.col)),
		c:     make([]float64, 0, len(w.col)+len(v.col)),
	}
	for i := range n {
		k, l := w.start[i], v.start[i]
		for k < w.start[i+1] || l < v.start[i+1] {
			if l == v.start[i+1] || k < w.start[i+1] && w.col[k] <= v.col[l] {
				s.col, s.c = append(s.col, w.col[k]), append(s.c, w.c[k])
				k++
			} else {
				s.col, s.c = append(s.col, v.col[l]), append(s.c, v.c[l])
				l++
			}
		}
		s.start[i+1] = len(s.col)
	}
	return s.merge()
}

// flow is Σ_j c_ij (f_j − f_i).
func (w network) flow(i int, f []float64) float64 {
	begin, end := w.start[i], w.start[i+1]
	col, c := w.col[begin:end], w.c[begin:end]
	here, sum := f[i], 0.0
	for k, j := range col {
		sum += c[k] * (f[j] - here)
	}
	return sum
}

// at is c_ij.
func (w network) at(i, j int) float64 {
	begin, end := w.start[i], w.start[i+1]
	if k, ok := slices.BinarySearch(w.col[begin:end], int32(j)); ok {
		return w.c[begin+k]
	}
	return 0
}

// parts counts the connected components.
func (w network) parts() int {
	seen := make([]bool, len(w.start)-1)
	var stack []int32
	count := 0
	for i := range seen {
		if seen[i] {
			continue
		}
		count++
		seen[i] = true
		for stack = append(stack[:0], int32(i)); len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, j := range w.col[w.start[at]:w.start[at+1]] {
				if !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
	}
	return count
}
