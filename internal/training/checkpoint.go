package training

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/weights"
	"github.com/r2sgld/r2sgld/internal/store"
)

// The sections of a checkpoint.
const (
	sectionDone     = "repetitions" // the findings of complete ones
	sectionTraining = "training"    // the state of the one under way
)

// save writes a checkpoint of a repetition under way.
func (x *execution) save(repeat int, c *bnn.Checkpoint) error {
	state, err := c.AppendBinary(nil)
	if err != nil {
		return err
	}
	var done bytes.Buffer
	if err := gob.NewEncoder(&done).Encode(x.done); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := x.metrics.Sync(); err != nil {
		return err
	}
	err = x.folder.Save(repeat*x.iterations()+c.Iteration, store.Section{Name: sectionDone, Data: done.Bytes()},
		store.Section{Name: sectionTraining, Data: state})
	x.last = time.Now()
	return err
}

// iterations is the number of them in a repetition.
func (x *execution) iterations() int {
	return x.Settings.Epochs * x.Settings.Steps(x.Data.Train.Len())
}

// restore reads the newest whole checkpoint of this run: the findings of complete
// repetitions, and the state of the one under way, nil if there is none.
func (x *execution) restore() (*bnn.Checkpoint, error) {
	if !x.Resume {
		return nil, nil
	}
	c, path, err := x.folder.Newest("the training", false)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, x.folder.WriteManifest()
	}
	done, ok := c.Section(sectionDone)
	state, there := c.Section(sectionTraining)
	if !ok || !there {
		return nil, fmt.Errorf("%s is no checkpoint of a training", path)
	}
	if err := gob.NewDecoder(bytes.NewReader(done)).Decode(&x.done); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(x.done) >= x.Repeats {
		return nil, fmt.Errorf("%s tells of %d complete repetitions and one under way, of %d", path, len(x.done), x.Repeats)
	}
	from := new(bnn.Checkpoint)
	if err := from.UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return from, x.folder.WriteManifest()
}

// beginMetrics opens metrics.jsonl with the epochs that are known already.
func (x *execution) beginMetrics(from *bnn.Checkpoint) (err error) {
	var known bytes.Buffer
	add := func(repeat int, epochs []bnn.Epoch) {
		for _, e := range epochs {
			line, fault := metricsLine(repeat, e)
			err = errors.Join(err, fault)
			known.Write(line)
		}
	}
	for i, f := range x.done {
		add(i, f.Epochs)
	}
	if from != nil {
		add(len(x.done), from.Epochs)
	}
	if err != nil {
		return err
	}
	if err := x.folder.WriteFile("metrics.jsonl", known.Bytes()); err != nil {
		return err
	}
	x.metrics, err = x.folder.Append("metrics.jsonl")
	return err
}

// writeMetrics adds the line of an epoch.
func (x *execution) writeMetrics(repeat int, e bnn.Epoch) error {
	line, err := metricsLine(repeat, e)
	if err == nil {
		_, err = x.metrics.Write(line)
	}
	return err
}

// metricsLine is the line of an epoch in metrics.jsonl.
func metricsLine(repeat int, e bnn.Epoch) ([]byte, error) {
	text, err := store.JSON(newRecord(repeat, e))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// keep writes a kept model for other programs.
func (x *execution) keep(repeat int, d bnn.Draw) error {
	if !x.Save {
		return nil
	}
	about, err := weights.Describe(x.Network, x.Data.Mean, x.Data.SD)
	if err != nil {
		return err
	}
	for key, value := range map[string]string{"program": "r2sgld " + r2sgld.Version, "run": x.Name, "method": x.Settings.Method,
		"repeat": fmt.Sprint(repeat + 1), "draw": fmt.Sprint(d.Number), "epoch": fmt.Sprint(d.Epoch)} {
		about[key] = value
	}
	file, err := weights.Draw(x.engine.Layout(), d.Parameters, d.Buffers, about)
	if err != nil {
		return err
	}
	text, err := weights.Encode(file)
	if err != nil {
		return err
	}
	return x.folder.WriteFile(fmt.Sprintf("models/repeat-%d/draw-%04d.safetensors", repeat+1, d.Number), text)
}
