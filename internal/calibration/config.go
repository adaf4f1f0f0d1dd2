package calibration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Config determines a calibration. The configuration of the model is kept as it was written:
// what its defaults are depends on the data.
type Config struct {
	Command      string   `json:"command"` // fit or identify
	File         string   `json:"file"`    // of the configuration, absolute
	Text         string   `json:"text"`
	Set          []string `json:"set,omitempty"`
	Replications int      `json:"replications"`
	Model        string   `json:"model"` // hash of the resolved configuration, that of the data included
}

// Read reads the configuration of a model.
func Read(file string, set []string, replications int) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &job.Refused{Err: err}
	}
	c := &Config{Command: config.CommandOf(text), Text: string(text), Set: set, Replications: replications}
	c.File, err = filepath.Abs(file)
	return c, err
}

// Job makes the job, with the programs that may run.
func (c *Config) Job(ctx context.Context, programs config.Programs) (*Job, error) {
	if c.Command != "fit" && c.Command != "identify" {
		return nil, &job.Refused{Err: fmt.Errorf("%s is a configuration of %s: calibration is of models with data, of fit or identify", c.File,
			c.Command)}
	}
	if c.Replications < least || c.Replications > greatest {
		return nil, &job.Refused{Err: fmt.Errorf("--replications %d: at least %d tell anything, and %d are more than anybody needs",
			c.Replications, least, greatest)}
	}
	load := func(data []byte) (*config.Run, error) {
		p := programs
		if data != nil {
			p.Data = data
		}
		return p.Parse(c.Command, c.File, []byte(c.Text), c.Set)
	}
	run, err := load(nil)
	if err != nil {
		return nil, err
	}
	m, err := modelOf(ctx, run, load)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s cannot be calibrated: %w", run.Name, err)}
	}
	if c.Model, err = run.Resolved.Hash(); err != nil {
		return nil, err
	}
	j := &Job{config: c, Model: m, Replications: c.Replications, Request: job.Request{Name: run.Name, Seed: &run.Settings.Seed, Config: c,
		Warnings: run.Warnings}}
	j.Hash, err = c.hash()
	return j, err
}

// hash is the checksum of all that determines the replications.
func (c *Config) hash() (string, error) {
	text, err := store.JSON(c)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Resume makes the job of a folder again.
func Resume(ctx context.Context, dir string, m job.Manifest[json.RawMessage], programs config.Programs) (*Job, error) {
	var c Config
	if err := json.Unmarshal(m.Config, &c); err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s holds no calibration: %w", dir, err)}
	}
	model := c.Model
	j, err := c.Job(ctx, programs)
	if err != nil {
		return nil, err
	}
	if c.Model != model {
		return nil, &job.Refused{Err: errors.New("the data are no longer those of this calibration: start a new one")}
	}
	if err := m.Intact(filepath.Join(dir, "run.json"), j.Hash, nil); err != nil {
		return nil, err
	}
	j.Dir, j.Resume = dir, true
	return j, nil
}
