// Package sampler answers how a configuration says that states move: by which method and
// kernel, on which rungs, and until when.
package sampler

import (
	"encoding/json"
	"math"

	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/tune"
)

// A Choice is how states move, being read from the sampler section.
type Choice struct {
	*key.Reader
	Node     *yamlpos.Node // the section
	OfModel  bool          // the run is one of identify or fit
	OfRows   bool          // it is one of fit
	Method   Method
	Sampler  Sampler
	Infinite *yamlpos.Node // the entry of the temperatures that is infinite; nil is none
}

// The starts of the key init that are no point.
const (
	FromUniform = "uniform"
	FromPrior   = "prior"
)

// InitWords are the values of init that are no point.
func (l *Choice) InitWords() []string {
	if l.OfModel {
		return []string{FromUniform, FromPrior}
	}
	return []string{FromUniform}
}

// Sampler is the sampler section. Method auto finds what it leaves out.
type Sampler struct {
	Method        string       `json:"method"`
	Iterations    int          `json:"iterations"`
	BurnIn        *int         `json:"burn_in,omitempty"`
	Thin          int          `json:"thin,omitempty"`
	StepSize      []float64    `json:"step_size,omitempty"`
	Temperature   Temperatures `json:"temperature,omitempty"`
	Schedule      kernel.Decay `json:"schedule,omitzero"`
	Swap          Swap         `json:"swap,omitzero"`
	Ladders       int          `json:"ladders"`
	Boundary      string       `json:"boundary,omitempty"`
	Cap           int          `json:"cap,omitempty"`
	Penalty       *Penalty     `json:"penalty,omitempty"`
	Smoothing     float64      `json:"smoothing,omitempty"` // of method myula
	Kernel        string       `json:"kernel,omitempty"`    // "" is sgld, or momentum
	Leapfrog      int          `json:"leapfrog,omitempty"`  // of kernel hmc
	Momentum      *float64     `json:"momentum,omitempty"`
	NoiseEstimate *float64     `json:"noise_estimate,omitempty"`
	Init          any          `json:"init"` // "uniform", a point or several
	Seed          *uint64      `json:"seed"`
	Whiten        *bool        `json:"whiten,omitempty"`
	Minibatch     any          `json:"minibatch,omitempty"`   // of fit: rows, or auto; nil is all rows
	Until         *tune.Until  `json:"until,omitempty"`       // of method auto
	Certificate   bool         `json:"certificate,omitempty"` // of the bias of the step
}

// Temperatures are temperatures per rung, the last perhaps infinite.
type Temperatures []float64

// MarshalJSON writes an infinite temperature as "inf".
func (t Temperatures) MarshalJSON() ([]byte, error) {
	v := make([]any, len(t))
	for i, x := range t {
		if v[i] = x; math.IsInf(x, 1) {
			v[i] = "inf"
		}
	}
	return json.Marshal(v)
}

// Penalty pulls states outside the domain back.
type Penalty struct {
	Strength float64 `json:"strength"`
	Form     string  `json:"form"`
}

// The forms of a penalty; see r2sgld.Penalty.
const (
	Force    = "force"
	Distance = "distance"
)

// Starts are the points of Init; none where draws are uniform.
func (s *Sampler) Starts() [][]float64 {
	points, _ := s.Init.([]key.Ordered)
	if o, ok := s.Init.(key.Ordered); ok {
		points = []key.Ordered{o}
	}
	var all [][]float64
	for _, o := range points {
		x := make([]float64, len(o))
		for i, e := range o {
			x[i] = e.Value.(float64)
		}
		all = append(all, x)
	}
	return all
}
