package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Config determines a sweep: the configurations of all its cases, with every default filled
// in, and what they were made of.
type Config struct {
	Command string    `json:"command"` // sample, identify or fit
	File    string    `json:"file"`    // of the configuration, absolute
	Set     []string  `json:"set,omitempty"`
	Over    []Axis    `json:"over"`
	Cases   []Settled `json:"cases"`
}

// Settled is the configuration of a case with every default filled in.
type Settled struct {
	Hash   string          `json:"hash"`
	Config json.RawMessage `json:"config"`
}

// commands are those whose runs may be cases.
var commands = map[string]bool{"sample": true, "identify": true, "fit": true}

// New makes the job of a sweep over axes, as --over has them. All configurations are read,
// and nothing is written.
func New(ctx context.Context, file string, set, over []string, programs config.Programs) (*Job, error) {
	c := &Config{Set: set}
	if len(over) == 0 {
		return nil, refused("--over is missing: say over which values, as in --over sampler.seed=1..10")
	}
	for _, said := range over {
		a, err := ParseAxis(said)
		if err != nil {
			return nil, &job.Refused{Err: err}
		}
		c.Over = append(c.Over, a)
	}
	for _, said := range set {
		key, _, _ := strings.Cut(said, "=")
		if key = strings.TrimSpace(key); slices.ContainsFunc(c.Over, func(a Axis) bool { return a.Key == key }) {
			return nil, refused("%s has one value by --set, or a flag of its own, and others by --over: leave one of them out", key)
		}
	}
	all, err := grid(c.Over)
	if err != nil {
		return nil, &job.Refused{Err: err}
	}
	content, err := config.Text(file)
	if err != nil {
		return nil, err
	}
	if c.Command = config.CommandOf(content); !commands[c.Command] {
		return nil, refused("%s is a configuration of %s: sweeps are of runs of sample, identify or fit", file, c.Command)
	}
	if c.File, err = filepath.Abs(file); err != nil {
		return nil, err
	}
	name, err := c.resolve(ctx, file, content, all, programs)
	if err != nil {
		return nil, err
	}
	return c.job(name, all)
}

func refused(format string, args ...any) error {
	return &job.Refused{Err: fmt.Errorf(format, args...)}
}

// resolve reads the configurations of all cases and returns the name of the first.
func (c *Config) resolve(ctx context.Context, file string, content []byte, all [][]string, programs config.Programs) (string, error) {
	c.Cases = make([]Settled, len(all))
	var name string
	one := func(ctx context.Context, i int) error {
		set := append([]string(nil), c.Set...)
		for k, v := range all[i] {
			set = append(set, c.Over[k].Key+"="+v)
		}
		ctx, stop := context.WithCancel(ctx) // and so the programs of the configuration
		defer stop()
		p := programs
		p.Context = ctx
		r, err := p.Parse(c.Command, file, content, set)
		if err != nil {
			return fmt.Errorf("with %s:\n%w", c.label(all[i]), c.over(err))
		}
		if i == 0 {
			name = r.Name
		}
		hash, err := r.Resolved.Hash()
		if err != nil {
			return err
		}
		text, err := store.JSON(r.Resolved)
		c.Cases[i] = Settled{hash, text}
		return err
	}
	if err := one(ctx, 0); err != nil { // what is wrong with all is told once
		return "", err
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := 1; i < len(all) && within.Err() == nil; i++ {
		g.Go(func() error { return one(within, i) })
	}
	if err := errors.Join(g.Wait(), ctx.Err()); err != nil {
		return "", err
	}
	if err := c.compact(); err != nil {
		return "", err
	}
	first := map[string]int{}
	for i, s := range c.Cases {
		if k, twice := first[string(s.Config)]; twice {
			return "", refused("%s and %s are the same run", c.label(all[k]), c.label(all[i]))
		}
		first[string(s.Config)] = i
	}
	return name, nil
}

// over is an error of a configuration, as of --over where --set has the key from there.
func (c *Config) over(err error) error {
	var problems config.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for i, p := range problems {
		key, set := strings.CutPrefix(p.File, "--set ")
		if set && slices.ContainsFunc(c.Over, func(a Axis) bool { return a.Key == key }) {
			problems[i].File = "--over " + key
		}
	}
	return problems
}

// compact takes spaces out of the configurations, which are one text then, however they lie in
// a file.
func (c *Config) compact() error {
	for i, s := range c.Cases {
		var b bytes.Buffer
		if err := json.Compact(&b, s.Config); err != nil {
			return err
		}
		c.Cases[i].Config = b.Bytes()
	}
	return nil
}

// label tells a case by its values.
func (c *Config) label(values []string) string {
	var parts []string
	for k, v := range values {
		parts = append(parts, c.Over[k].Key+"="+v)
	}
	return strings.Join(parts, " ")
}

// job is the job that makes a sweep.
func (c *Config) job(name string, all [][]string) (*Job, error) {
	j := &Job{config: c, Request: job.Request{Command: Command, Name: name, Config: c}}
	for i, values := range all {
		j.cases = append(j.cases, &one{Settled: c.Cases[i], number: i + 1, values: values, title: c.label(values)})
	}
	text, err := store.JSON(c)
	sum := sha256.Sum256(text)
	j.Hash = hex.EncodeToString(sum[:])
	return j, err
}

// Resume makes the job of a folder again.
func Resume(dir string, m job.Manifest[json.RawMessage]) (*Job, error) {
	var c Config
	if err := json.Unmarshal(m.Config, &c); err != nil {
		return nil, refused("%s holds no sweep: %w", dir, err)
	}
	all, err := grid(c.Over)
	if err == nil && (len(all) != len(c.Cases) || !commands[c.Command]) {
		err = fmt.Errorf("%d cases for %d combinations of values", len(c.Cases), len(all))
	}
	if err != nil {
		return nil, refused("%s holds no sweep: %w", dir, err)
	}
	if err := c.compact(); err != nil {
		return nil, err
	}
	j, err := c.job(m.Name, all)
	if err != nil {
		return nil, err
	}
	if err := m.Intact(filepath.Join(dir, "run.json"), j.Hash, nil); err != nil {
		return nil, err
	}
	j.Dir, j.Resume = dir, true
	return j, nil
}
