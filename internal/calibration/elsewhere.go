package calibration

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/config"
)

// A replica is a replication that another machine is asked for.
type replica struct {
	Config Config `json:"config"`
	Data   string `json:"data"` // the path of the file
	Number int    `json:"number"`
}

// told is what others are told of a replication.
func (x *execution) told(i int) (cases.Case, error) {
	resolved, err := json.Marshal(x.Model.run.Resolved)
	if err != nil {
		return cases.Case{}, err
	}
	files, err := config.Inputs(resolved)
	if err != nil {
		return cases.Case{}, err
	}
	text, err := json.Marshal(replica{*x.config, config.DataFile(resolved), i})
	return cases.Case{Title: fmt.Sprintf("%s replication %d", x.Name, i+1), Command: Command, Config: text, Files: files}, err
}

// home takes a replication that was made elsewhere.
func (x *execution) home(i int, dir, _ string) error {
	text, err := os.ReadFile(filepath.Join(dir, outcome))
	if err != nil {
		return err
	}
	r := new(Replication)
	if err := json.Unmarshal(text, r); err != nil {
		return err
	}
	if !x.fits(r) {
		return fmt.Errorf("replication %d is of another model", i+1)
	}
	return x.keep(i, r)
}

// outcome is the file that a replication leaves.
const outcome = "replication.json"

// newest is the model of the last replication that was made for another machine: the next is
// most often of the same.
var newest struct {
	sync.Mutex
	hash string
	job  *Job
}

// Elsewhere makes a replication for another machine, whose file lies where place says, in a
// folder that it makes.
func Elsewhere(ctx context.Context, text []byte, place func(path string) string, dir string) error {
	var of replica
	if err := json.Unmarshal(text, &of); err != nil {
		return err
	}
	j, err := of.job(ctx, place)
	if err != nil {
		return err
	}
	r, err := j.Model.replicate(ctx, *j.Seed, of.Number)
	if err != nil {
		return err
	}
	out, err := json.Marshal(r)
	if err == nil {
		err = os.Mkdir(dir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, outcome), out, 0o666)
	}
	return err
}

// job is that of the calibration.
func (r *replica) job(ctx context.Context, place func(path string) string) (*Job, error) {
	newest.Lock()
	defer newest.Unlock()
	hash, err := r.Config.hash()
	if err != nil || hash == newest.hash {
		return newest.job, err
	}
	programs := config.Programs{Within: place("")}
	if programs.Data, err = os.ReadFile(place(r.Data)); err != nil {
		return nil, err
	}
	model := r.Config.Model
	j, err := r.Config.Job(ctx, programs)
	if err == nil && r.Config.Model != model {
		err = fmt.Errorf("the model is another one here")
	}
	if err == nil {
		newest.hash, newest.job = hash, j
	}
	return j, err
}
