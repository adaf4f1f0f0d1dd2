package images

import (
	"testing"
)

// fashion is where Debian's package dataset-fashion-mnist puts its files.
const fashion = "/usr/share/datasets/fashion-mnist"

func TestFashion(t *testing.T) {
	train, test, err := Load(IDX, fashion)
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 60000 || test.Len() != 10000 || train.Classes != 10 || train.shape() != [3]int{1, 28, 28} {
		t.Fatal(train.Len(), test.Len(), train.Classes, train.shape())
	}
	mean, sd := train.Moments()
	// The published moments of the training set; the mutant that divides by 256.
	if d := mean[0] - 0.2860; d*d > 1e-8 {
		t.Error(mean)
	}
	if d := sd[0] - 0.3530; d*d > 1e-8 {
		t.Error(sd)
	}
}
