package weights_test

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/weights"
)

// A draw of a linear map as a file, and back.
func Example() {
	layout := bnn.Layout{Parameters: []bnn.Tensor{
		{Name: "fc.weight", Role: bnn.Weight, Shape: []int{2, 2}, Size: 4},
		{Name: "fc.bias", Role: bnn.Bias, Shape: []int{2}, Offset: 4, Size: 2},
	}}
	draw, err := weights.Draw(layout, []float64{1, 2, 3, 4, 0.5, -0.5}, nil, map[string]string{"format": "pt"})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := weights.Encode(draw)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := weights.Decode(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range f.Tensors {
		fmt.Println(t.Name, t.Shape, t.Values)
	}
	// Output:
	// fc.weight [2 2] [1 2 3 4]
	// fc.bias [2] [0.5 -0.5]
}
