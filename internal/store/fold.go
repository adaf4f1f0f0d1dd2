package store

import (
	"fmt"
	"slices"
)

// Folded are arrays of draws of chains, (chain, draw, …), of numbers that are called
// x[1], x[2] … or y[1,2] …: those of one whole array are one array, in the order in which the
// first of each stands. columns[j] are the draws of names[j], chain by chain, all of one length.
func Folded(names []string, chains int, columns [][]float64) []Array {
	var out []Array
	members := map[string][]int{} // of what may be an array
	for j, n := range names {
		if base, at := splitIndex(n); at != nil {
			members[base] = append(members[base], j)
		}
	}
	done := map[string]bool{}
	for j, n := range names {
		base, _ := splitIndex(n)
		if done[base] {
			continue
		}
		shape := shapeOf(names, members[base])
		if shape == nil || slices.Contains(names, base) {
			out = append(out, foldedArray(n, nil, chains, columns[j:j+1]))
			continue
		}
		done[base] = true
		parts := make([][]float64, len(members[base]))
		for _, k := range members[base] {
			_, at := splitIndex(names[k])
			place := 0
			for i, v := range at {
				place = place*shape[i] + v - 1
			}
			parts[place] = columns[k]
		}
		out = append(out, foldedArray(base, shape, chains, parts))
	}
	return out
}

// shapeOf is that of the array whose entries have these names, or nil if they are not all of one.
func shapeOf(names []string, members []int) []int {
	var shape []int
	size := 1
	for _, j := range members {
		_, at := splitIndex(names[j])
		if shape == nil {
			shape = slices.Clone(at)
		}
		if len(at) != len(shape) {
			return nil
		}
		for i, v := range at {
			shape[i] = max(shape[i], v)
		}
	}
	for _, n := range shape {
		size *= n
	}
	if size != len(members) { // names are distinct: as many are all
		return nil
	}
	return shape
}

// foldedArray is an array whose entries have these draws.
func foldedArray(name string, shape []int, chains int, parts [][]float64) Array {
	n := len(parts[0])
	a := Array{Name: name, Dims: []string{"chain", "draw"}, Shape: append([]int{chains, n / chains}, shape...),
		Values: make([]float64, 0, n*len(parts))}
	for i := range shape {
		a.Dims = append(a.Dims, fmt.Sprintf("%s_dim_%d", name, i))
	}
	for k := range n {
		for _, p := range parts {
			a.Values = append(a.Values, p[k])
		}
	}
	return a
}
