package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/kernel"
)

// Resolved is a configuration with every default filled in: it determines the
// run. Its JSON is a configuration again, which loads to the same run.
type Resolved struct {
	Name      string          `json:"name"`
	Variables []string        `json:"variables,omitempty"` // of sample
	Potential any             `json:"potential,omitempty"` // of sample: text or *Command
	Noise     *Noise          `json:"noise,omitempty"`     // of sample
	Data      any             `json:"data,omitempty"`      // of identify *system.Data, of fit *Table
	Model     any             `json:"model,omitempty"`     // of identify *system.Model, of fit *RowModel
	Domain    any             `json:"domain,omitempty"`    // of sample, as written
	Sampler   sampler.Sampler `json:"sampler"`
	Outputs   Ordered         `json:"outputs,omitempty"` // of sample
	Figures   *Figures        `json:"figures,omitempty"`
}

// Series are the data of identify; nil of other commands.
func (r *Resolved) Series() *system.Data {
	d, _ := r.Data.(*system.Data)
	return d
}

// Table is the data of fit; nil of other commands.
func (r *Resolved) Table() *Table {
	t, _ := r.Data.(*Table)
	return t
}

// System is the model of identify; nil of other commands.
func (r *Resolved) System() *system.Model {
	m, _ := r.Model.(*system.Model)
	return m
}

// Figures says what figures show.
type Figures struct {
	None       bool     `json:"-"` // there are none
	Parameters []string `json:"parameters"`
}

// MarshalJSON writes the section as a configuration has it.
func (f Figures) MarshalJSON() ([]byte, error) {
	if f.None {
		return []byte(`"none"`), nil
	}
	type section Figures
	return json.Marshal(section(f))
}

// Command is a potential that lives in another program.
type Command struct {
	Args      []string `json:"command"`
	Timeout   float64  `json:"timeout"` // seconds
	Directory string   `json:"directory"`
}

// Noise is synthetic noise: standard deviations.
type Noise struct {
	Gradient float64 `json:"gradient"`
	Energy   float64 `json:"energy"`
}

// Ordered is a JSON object that keeps the order of its keys.
type Ordered = key.Ordered

// Law is a fingerprint of all that a run that goes on from a checkpoint must
// share with the run that made it: everything but the number of iterations
// (which a cosine schedule spans, so that it belongs to it there), the step
// sizes, the cap and the swaps. 64 hexadecimal digits.
func (r Resolved) Law() (string, error) {
	if r.Sampler.Schedule.Kind != kernel.Cosine {
		r.Sampler.Iterations = 0
	}
	r.Sampler.StepSize, r.Sampler.Cap, r.Sampler.Swap, r.Sampler.Until = nil, 0, sampler.Swap{}, nil
	return r.Hash()
}

// Hash is a fingerprint of all that determines the draws: equal for two
// configurations that differ in their layout, the order of their keys, the
// folder of the data, the figures or what follows from draws only. 64 hexadecimal digits.
func (r Resolved) Hash() (string, error) {
	r.Figures, r.Outputs = nil, nil
	if m, ok := r.Model.(interface{ Drawn() any }); ok {
		r.Model = m.Drawn()
	}
	if d, ok := r.Data.(interface{ Elsewhere() any }); ok {
		r.Data = d.Elsewhere()
	}
	return hashOf(r)
}

// hashOf is the fingerprint of a configuration with every default filled in.
func hashOf(resolved any) (string, error) {
	text, err := json.Marshal(resolved)
	if err != nil {
		return "", fmt.Errorf("hash of the configuration: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
