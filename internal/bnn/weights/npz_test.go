package weights_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/weights"
)

// The strict reader of package images reads what is written, in the same order: floating-point numbers as targets, integers as labels.
func TestEncodeNPZ(t *testing.T) {
	x := weights.Array{Name: "x", Shape: []int{3, 2}, Values: []float64{1, 2, 3, 4, 5, 6}}
	y := weights.Array{Name: "y", Shape: []int{3}, Values: []float64{0.5, -1, 7}}
	text, err := weights.EncodeNPZ([]weights.Array{x, y})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	set, _, err := images.Load(images.NPZ, file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float32{1, 2, 3, 4, 5, 6}, set.Values); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float32{0.5, -1, 7}, set.Targets); d != "" {
		t.Error(d)
	}
	y = weights.Array{Name: "y", Shape: []int{3}, Integers: []int64{1, 0, 1}}
	if text, err = weights.EncodeNPZ([]weights.Array{x, y}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if set, _, err = images.Load(images.NPZ, file); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int32{1, 0, 1}, set.Labels); d != "" {
		t.Error(d)
	}
	if _, err := weights.EncodeNPZ([]weights.Array{{Name: "z", Shape: []int{1}, Values: []float64{1}, Integers: []int64{1}}}); err == nil {
		t.Error("numbers of two kinds were accepted")
	}
	if _, err := weights.EncodeNPZ([]weights.Array{{Name: "z", Shape: []int{4}, Values: []float64{1}}}); err == nil {
		t.Error("a shape that is not filled was accepted")
	}
}
