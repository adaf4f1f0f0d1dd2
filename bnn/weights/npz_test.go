package weights_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/bnn/images"
	"github.com/r2sgld/r2sgld/bnn/weights"
)

// The strict reader of package images reads what is written, in the same order.
func TestEncodeNPZ(t *testing.T) {
	x := weights.Tensor{Name: "x", Shape: []int{3, 2}, Values: []float64{1, 2, 3, 4, 5, 6}}
	y := weights.Tensor{Name: "y", Shape: []int{3}, Values: []float64{0.5, -1, 7}}
	text, err := weights.EncodeNPZ([]weights.Tensor{x, y})
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
	if _, err := weights.EncodeNPZ([]weights.Tensor{{Name: "z", Shape: []int{4}, Values: []float64{1}}}); err == nil {
		t.Error("a shape that is not filled was accepted")
	}
}
