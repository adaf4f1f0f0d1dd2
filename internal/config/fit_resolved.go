package config

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A Table says where the rows of fit are.
type Table struct {
	File      string   `json:"file"` // absolute
	SHA256    string   `json:"sha256"`
	Where     []string `json:"where,omitempty"`
	Missing   string   `json:"missing"`             // refuse or drop
	Precision string   `json:"precision,omitempty"` // float64, which "" is, or float32
}

// Elsewhere is the same table in a file of which the name alone is told.
func (t *Table) Elsewhere() any {
	e := *t
	e.File = filepath.Base(t.File)
	return &e
}

// A RowModel is a model of rows, as written.
type RowModel struct {
	Parameters  Ordered  `json:"parameters"`
	Let         Ordered  `json:"let,omitempty"`
	Likelihood  []string `json:"likelihood,omitempty"`
	LogLik      []string `json:"log_lik,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Outputs     Ordered  `json:"outputs,omitempty"`
}

// Drawn is the same model without what follows from draws.
func (m *RowModel) Drawn() any {
	d := *m
	d.Outputs = nil
	return &d
}

// idle tells which parameters no formula names.
func (f *fitReader) idle() (told []string) {
	r := f.resolved
	for _, name := range f.model.Idle(slices.Concat(r.Likelihood, r.LogLik, r.Constraints)) {
		told = append(told, fmt.Sprintf("parameter %s stands in no formula: the rows tell nothing of it, and its law stays that of its prior.", name))
	}
	return told
}
