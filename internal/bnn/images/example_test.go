package images_test

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// Fashion-MNIST as Debian's package dataset-fashion-mnist installs it, and 500 of its
// training examples.
func ExampleLoad() {
	train, test, err := images.Load(images.IDX, "/usr/share/datasets/fashion-mnist")
	if err != nil {
		fmt.Println(err)
		return
	}
	small, err := train.Subset(500, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := make([]int, small.Classes)
	for _, l := range small.Labels {
		counts[l]++
	}
	mean, sd := train.Moments()
	fmt.Println(train.Len(), test.Len(), train.Height, train.Width)
	fmt.Println(counts)
	fmt.Printf("%.4f %.4f\n", mean[0], sd[0])
	// Output:
	// 60000 10000 28 28
	// [50 50 50 50 50 50 50 50 50 50]
	// 0.2860 0.3530
}
