package derived

import (
	"errors"
	"slices"
	"testing"
)

// fixed are outputs that are always the same.
type fixed struct {
	name string
	v    float64
	err  error
}

func (f fixed) OutputNames() []string { return []string{f.name} }
func (f fixed) Outputs(states [][]float64, seed int64) ([][]float64, error) {
	return slices.Repeat([][]float64{{f.v + float64(seed)}}, len(states)), f.err
}

// Outputs one after another are those of each, and the first error of them ends all.
func TestTogether(t *testing.T) {
	f, err := New([]string{"sum", "first"}, []string{"x + `b.c`", "x"}, []string{"x", "b.c"})
	if err != nil {
		t.Fatal(err)
	}
	all := Together{fixed{"one", 1, nil}, f}
	if got := all.OutputNames(); !slices.Equal(got, []string{"one", "sum", "first"}) {
		t.Errorf("names %v", got)
	}
	got, err := all.Outputs([][]float64{{1, 2}, {3, 5}}, 7)
	if err != nil || !slices.Equal(got[0], []float64{8, 3, 1}) || !slices.Equal(got[1], []float64{8, 8, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := append(all, fixed{"two", 2, broken}).Outputs([][]float64{{1, 2}}, 0); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, err := New([]string{"z"}, []string{"z"}, []string{"x"}); err == nil {
		t.Error("a formula of what is not there")
	}
}
