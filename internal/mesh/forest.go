package mesh

// A forest knows which of some things are connected: each has a link towards the root of its
// part, which links to itself.
type forest []int32

// newForest returns that of n things that are not connected.
func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

// join connects a and b, and reports whether they were apart.
func (f forest) join(a, b int32) bool {
	a, b = f.root(a), f.root(b)
	f[max(a, b)] = min(a, b)
	return a != b
}

func (f forest) root(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}
