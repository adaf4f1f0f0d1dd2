package deep

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// What the posterior of is sampled: a perceptron 49-20-10 with tanh, 1,210 parameters.
const (
	posteriorTrain  = 1000 // the first training images
	posteriorTest   = 2000 // the first test images
	posteriorSide   = 7    // of a picture after averaging over 4 × 4 pixels
	posteriorHidden = 20
	posteriorDecay  = 5.0 // λ
	posteriorBound  = 4.0 // nine standard deviations of the prior
)

// posteriorNetwork is the network.
func posteriorNetwork() bnn.Network {
	return bnn.Network{Kind: "mlp", Norm: "none", Activation: "tanh", Hidden: []int{posteriorHidden},
		Input: [3]int{1, posteriorSide, posteriorSide}, Outputs: 10}
}

// posteriorData are the first images of Fashion-MNIST, averaged over 4 × 4 pixels.
func posteriorData(folder string) (bnn.Data, error) {
	train, test, err := images.Load(images.IDX, folder)
	if err != nil {
		return bnn.Data{}, err
	}
	var d bnn.Data
	if d.Train, err = coarse(train, posteriorTrain); err != nil {
		return d, err
	}
	d.Test, err = coarse(test, posteriorTest)
	return d, err
}

// coarse are the first n pictures of a set with a quarter of the height and width, of
// mean about 0 and standard deviation about 1.
func coarse(s *images.Set, n int) (*images.Set, error) {
	const from = 4 * posteriorSide
	if s.Channels != 1 || s.Height != from || s.Width != from || s.Len() < n {
		return nil, fmt.Errorf("%s: %d pictures of %d×%d×%d, not at least %d of 1×%d×%d", s.Name, s.Len(), s.Channels, s.Height, s.Width, n, from,
			from)
	}
	c := &images.Set{Name: fmt.Sprintf("%s (%d pictures of %d×%d)", s.Name, n, posteriorSide, posteriorSide), Channels: 1,
		Height: posteriorSide, Width: posteriorSide,
		Labels: s.Labels[:n], Classes: s.Classes, Names: s.Names}
	for i := range n {
		picture := s.Pixels[i*from*from:]
		for y := range posteriorSide {
			for x := range posteriorSide {
				sum := 0
				for k := range 16 {
					sum += int(picture[(4*y+k/4)*from+4*x+k%4])
				}
				c.Values = append(c.Values, float32((float64(sum)/(16*255)-0.286)/0.32))
			}
		}
	}
	return c, nil
}
