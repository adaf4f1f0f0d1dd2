package weights

import (
	"encoding/json"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// Draw returns a draw of a network as a file: its parameters and buffers, in the order
// and under the names of the layout, which are those of PyTorch's state_dict (but for
// num_batches_tracked, which nothing needs).
func Draw(l bnn.Layout, parameters, buffers []float64, metadata map[string]string) (*File, error) {
	if len(parameters) != l.Size() || len(buffers) != l.BufferSize() {
		return nil, fmt.Errorf("a draw of %d parameters and %d buffers, the network has %d and %d", len(parameters), len(buffers),
			l.Size(), l.BufferSize())
	}
	f := &File{Metadata: metadata}
	for _, t := range l.Parameters {
		f.Tensors = append(f.Tensors, Tensor{t.Name, t.Shape, parameters[t.Offset : t.Offset+t.Size]})
	}
	for _, t := range l.Buffers {
		f.Tensors = append(f.Tensors, Tensor{t.Name, t.Shape, buffers[t.Offset : t.Offset+t.Size]})
	}
	return f, nil
}

// Describe returns the metadata by which others can use a draw: format (pt), network,
// norm, input (channels, height, width) and outputs, and mean and sd, which pixels/255
// are less and over. Lists are JSON.
func Describe(n bnn.Network, mean, sd []float64) (map[string]string, error) {
	m := map[string]string{"format": "pt", "network": n.Kind, "norm": n.Norm}
	for key, v := range map[string]any{"input": n.Input, "outputs": n.Outputs, "mean": mean, "sd": sd} {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
		m[key] = string(text)
	}
	return m, nil
}
