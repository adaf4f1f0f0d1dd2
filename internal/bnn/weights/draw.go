package weights

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// Restore returns the parameters and the buffers of a network that a file holds. Every
// tensor of the layout must be there, in its shape; num_batches_tracked is passed over,
// any other tensor is an error.
func (f *File) Restore(l bnn.Layout) (parameters, buffers []float64, err error) {
	left := make(map[string]Tensor, len(f.Tensors))
	for _, t := range f.Tensors {
		left[t.Name] = t
	}
	fill := func(tensors []bnn.Tensor, to []float64) error {
		for _, want := range tensors {
			t, ok := left[want.Name]
			if !ok {
				return fmt.Errorf("the file has no tensor %q: it is of another network", want.Name)
			}
			if !slices.Equal(t.Shape, want.Shape) || len(t.Values) != want.Size {
				return fmt.Errorf("tensor %q has the shape %v, the network's %v: it is of another network", want.Name, t.Shape, want.Shape)
			}
			copy(to[want.Offset:want.Offset+want.Size], t.Values)
			delete(left, want.Name)
		}
		return nil
	}
	parameters, buffers = make([]float64, l.Size()), make([]float64, l.BufferSize())
	if err = fill(l.Parameters, parameters); err == nil {
		err = fill(l.Buffers, buffers)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, t := range f.Tensors {
		if _, extra := left[t.Name]; extra && !strings.HasSuffix(t.Name, ".num_batches_tracked") {
			return nil, nil, fmt.Errorf("tensor %q is not of this network, which has %d others", t.Name, len(l.Parameters)+len(l.Buffers))
		}
	}
	return parameters, buffers, nil
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
