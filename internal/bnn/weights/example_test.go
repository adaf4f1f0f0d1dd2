package weights_test

import (
	"bytes"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/weights"
)

// A draw of a linear map as a file.
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
	fmt.Printf("%s\n% x\n", bytes.TrimRight(b[8:len(b)-24], " "), b[len(b)-24:])
	// Output:
	//
	// {"__metadata__":{"format":"pt"},"fc.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"fc.bias":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}
	// 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 00 3f 00 00 00 bf
}
