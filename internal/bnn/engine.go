package bnn

import (
	"cmp"
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// A Network names an architecture. Its parameters are one vector θ of float
// numbers, whatever engine holds it.
type Network struct {
	// Kind is resnet8, resnet20, resnet32, resnet44, resnet56, resnet110 (basic
	// blocks), bottleneck56 (the net that the paper's code calls ResNet56), lenet or
	// mlp.
	Kind string `json:"kind"`
	// Norm is batch, frn (FilterResponseNorm with swish) or, of lenet and mlp only,
	// none. "" is batch, of lenet and mlp none. The layers of mlp have no height and
	// width to take means over: there frn is swish without normalisation.
	Norm string `json:"norm"`
	// Activation of lenet and mlp without normalisation: relu, tanh, swish. "" is relu,
	// of nets with frn always swish.
	Activation string `json:"activation,omitempty"`
	Hidden     []int  `json:"hidden,omitzero"` // widths of the hidden layers of mlp; none is a linear map
	Input      [3]int `json:"-"`               // channels, height, width
	Outputs    int    `json:"-"`               // classes; or the length of the target, of loss squared
	// Loss is cross-entropy, −log p(label), or squared, ½ Σ (output − target)². ""
	// is cross-entropy.
	Loss string `json:"-"`
}

// WithDefaults returns the network with what empty words stand for.
func (n Network) WithDefaults() Network {
	norm, activation := "batch", "relu"
	if n.Kind == "lenet" || n.Kind == "mlp" {
		norm = "none"
	}
	if n.Norm = cmp.Or(n.Norm, norm); n.Norm == "frn" {
		activation = "swish"
	}
	n.Activation = cmp.Or(n.Activation, activation)
	n.Loss = cmp.Or(n.Loss, "cross-entropy")
	return n
}

// A Role is what a layer's numbers do.
type Role string

// The roles. Scale and Shift are those of a normalisation.
const (
	Weight Role = "weight"
	Bias   Role = "bias"
	Scale  Role = "scale"
	Shift  Role = "shift"
)

// A Tensor is a named piece of a vector of parameters or of buffers, in the order
// and under the name of PyTorch's state_dict.
type Tensor struct {
	Name   string
	Role   Role
	Shape  []int
	Offset int // of its first number in the vector
	Size   int // how many
}

// A Layout says where the numbers of a network lie.
type Layout struct {
	Parameters []Tensor // one after the other in θ
	Buffers    []Tensor // likewise, the running means and variances of batch norm
}

// Size is the number of parameters.
func (l Layout) Size() int { return size(l.Parameters) }

// BufferSize is the number of buffers.
func (l Layout) BufferSize() int { return size(l.Buffers) }

func size(tensors []Tensor) int {
	n := 0
	for _, t := range tensors {
		n += t.Size
	}
	return n
}

// An Augmentation changes the images of a minibatch at random, each in its own way,
// the same for every replica.
type Augmentation struct {
	Crop  int     `json:"crop"`  // zero pixels put around an image before a window of its size is cut out at random
	Flip  bool    `json:"flip"`  // left to right, every second one
	Erase float64 `json:"erase"` // probability of erasing a rectangle (Zhong et al. 2020): area 0.02 … 0.4, aspect 0.3 … 3.33
	Seed  uint64  `json:"-"`     // of this minibatch
}

// A Batch names examples of a set that was loaded.
type Batch struct {
	Set     int
	Indices []int32      // in [0, length of the set)
	Augment Augmentation // the zero value changes nothing
}

// A Move is what one replica shall do in one step, with g = Weight·∇(mean loss) +
// Decay·θ at where it stands:
//
//	v ← Scale·v + Lean·g                        (momentum into another equilibrium)
//	v ← Momentum·v − StepSize·g + Noise·ξ
//	θ ← θ + v, each coordinate folded into [−Bound, Bound], v turned at each fold.
//
// A coordinate is in bounds after a step of any size. Where θ + v was beyond 2²⁰·Bound in
// float32 (2⁴⁸·Bound in float64), where rounding alone is 1/16 (1/32) of Bound and soon all
// that is left, [Outcome].Square says so.
type Move struct {
	Scale, Lean float64 // 1 and 0 leave the momentum alone
	Weight      float64 // the number of training examples
	Decay       float64 // λ ≥ 0, of the prior N(0, 1/λ)
	StepSize    float64 // η ≥ 0
	Noise       float64 // sqrt(2η(1−μ−β̂)τ) ≥ 0
	Momentum    float64 // μ in [0, 1)
	Bound       float64 // b > 0; +Inf is none
	// AsReleased mirrors once (θ beyond b becomes 2b − θ, wherever that is) and leaves
	// v alone, as the paper's code does.
	AsReleased bool
}

// An Outcome is what became of a replica in a step.
type Outcome struct {
	Loss      float64 // mean over the minibatch at where the replica is now, in training mode
	Square    float64 // Σ θ² there; NaN after a move too far to be folded
	Reflected int64   // coordinates that met the wall in this step
}

// A State is all that a replica is.
type State struct {
	Parameters []float64 // θ
	Momenta    []float64 // v
	Gradient   []float64 // ∇(mean loss) at θ on the last minibatch, what the next move follows
	Buffers    []float64 // of batch norm
	Step       uint64    // how often it has moved: the counter of its noise
}

// Clone returns a copy that shares nothing.
func (s *State) Clone() *State {
	return &State{Parameters: slices.Clone(s.Parameters), Momenta: slices.Clone(s.Momenta), Gradient: slices.Clone(s.Gradient),
		Buffers: slices.Clone(s.Buffers), Step: s.Step}
}

// Usage is what an engine has used so far.
type Usage struct {
	Resident int64   // bytes of memory of the processes now
	Peak     int64   // bytes at most
	Device   int64   // bytes at most on accelerators
	CPU      float64 // seconds
}

// An Engine holds R replicas of one network and moves them: in memory, in another
// process, on an accelerator. It is for one goroutine. An error is final: the engine
// may be closed only.
type Engine interface {
	Layout() Layout
	Replicas() int
	// Load hands over the examples called set by later batches. Pixels become
	// (p/255 − mean)/sd of their channel.
	Load(set int, s *images.Set, mean, sd []float64) error
	// Start evaluates loss and gradient of every replica where it stands.
	Start(b Batch) ([]Outcome, error)
	// Advance moves every replica, moves[i] that of replica i, and evaluates loss and
	// gradient on the minibatch at where it comes to.
	Advance(moves []Move, b Batch) ([]Outcome, error)
	// Losses returns the mean loss of every replica on a minibatch, in training mode,
	// and changes nothing.
	Losses(b Batch) ([]float64, error)
	// Gradient returns the mean loss of a replica and its gradient on a minibatch, in
	// training mode, and changes nothing.
	Gradient(replica int, b Batch) (loss float64, gradient []float64, err error)
	// Predict returns the outputs (logits) of a replica for a whole set, by examples,
	// in evaluation mode: with the buffers that belong to it.
	Predict(replica, set int) ([]float32, error)
	// Recompute sets the buffers of a replica to the means over the batches.
	Recompute(replica int, batches []Batch) error
	State(replica int) (*State, error)
	SetState(replica int, s *State) error
	Usage() (Usage, error)
	Close() error
}
