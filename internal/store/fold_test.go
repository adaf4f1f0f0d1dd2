package store

import (
	"slices"
	"testing"
)

// Entries of a whole array become one, in the order of its indices, the last fastest; what is
// not whole stays as it is called.
func TestFolded(t *testing.T) {
	names := []string{"z", "x[1,1]", "x[2,1]", "x[1,2]", "x[2,2]", "y[1]", "y[3]", "w[1]", "w"}
	columns := make([][]float64, len(names))
	for j := range columns {
		columns[j] = []float64{float64(10 * j), float64(10*j + 1), float64(10*j + 2), float64(10*j + 3)} // two chains of two
	}
	got := Folded(names, 2, columns)
	want := []struct {
		name  string
		shape []int
		first []float64 // of chain 1, draw 0
	}{{"z", []int{2, 2}, []float64{2}}, {"x", []int{2, 2, 2, 2}, []float64{12, 32, 22, 42}}, {"y[1]", []int{2, 2}, []float64{52}},
		{"y[3]", []int{2, 2}, []float64{62}}, {"w[1]", []int{2, 2}, []float64{72}}, {"w", []int{2, 2}, []float64{82}}}
	if len(got) != len(want) {
		t.Fatalf("%d arrays, want %d", len(got), len(want))
	}
	for i, a := range got {
		w := want[i]
		n := len(w.first)
		if a.Name != w.name || !slices.Equal(a.Shape, w.shape) || !slices.Equal(a.Values[2*n:3*n], w.first) {
			t.Errorf("array %s of shape %v begins chain 1 with %v, want %s, %v, %v", a.Name, a.Shape, a.Values[2*n:3*n], w.name, w.shape, w.first)
		}
		if err := a.check(); err != nil {
			t.Error(err)
		}
	}
	if a := got[1]; !slices.Equal(a.Dims, []string{"chain", "draw", "x_dim_0", "x_dim_1"}) {
		t.Errorf("dimensions %q", a.Dims)
	}
}
