// Package images answers what pictures there are: labelled sets of them in the file
// formats in which they are published.
package images

// A Set is examples in order, of one shape. Either Pixels or Values holds them.
type Set struct {
	Name                    string // for messages: "fashion-mnist, training"
	Channels, Height, Width int
	Pixels                  []byte    // N × Channels × Height × Width
	Values                  []float32 // likewise: numbers that are taken as they are
	Labels                  []int32   // N, in [0, Classes); nil of sets without labels
	Targets                 []float32 // N × Outputs, of regressions; nil of classes
	Classes                 int
	Names                   []string // of the classes; nil if they have none
}

// Len is the number N of examples.
func (s *Set) Len() int {
	each := s.Channels * s.Height * s.Width
	switch {
	case each == 0:
		return 0
	case s.Values != nil:
		return len(s.Values) / each
	}
	return len(s.Pixels) / each
}
