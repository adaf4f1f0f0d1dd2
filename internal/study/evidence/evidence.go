// Package evidence answers how well the evidence of a density on a constrained domain
// is found: log Z of five problems where it is known, by exact kernels and stepping
// stones from the uniform law, beside nested sampling by other programs.
package evidence

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
)

// Title says what the study is about.
const Title = "Evidence: exact kernels and stepping stones beside nested sampling"

// Here says why its cases are done on one machine.
const Here = "the processor time of its runs is compared"

// Results are all numbers of the study.
type Results struct {
	Problems []Problem `json:"problems"`
	Peers    *Peers    `json:"peers"`
	Timings  []Timing  `json:"timings"`
}

// A Problem is a likelihood on a region with its exact evidence, and what runs found.
// Evidence is the log of the mean of the likelihood over the region.
type Problem struct {
	ID        string  `json:"id"` // E1, …, E4-10
	Name      string  `json:"name"`
	Dim       int     `json:"dimension"`
	Exact     float64 `json:"exact"`      // log of the mean of L over the region
	LogVolume float64 `json:"log_volume"` // of the region
	Runs      []Trial `json:"runs"`
	RMS       float64 `json:"rms_error"`
	Mean      float64 `json:"mean_error"`
	Covered   Covered `json:"covered"` // how many runs

	task
}

// A Trial is one run of ours.
type Trial struct {
	Seed  uint64  `json:"seed"`
	LogZ  float64 `json:"log_z"` // log ∫ L, as the program tells it, less the exact log volume
	Error float64 `json:"error"` // of that
	SE    float64 `json:"se"`    // as the program states it
	Gap   float64 `json:"gap"`   // forward less backward stepping stones
	Calls int64   `json:"calls"` // of the potential and its gradient, one point each, warm-up and all
	Rungs int     `json:"rungs"`
}

// Covered counts the runs whose error is at most the gap, one standard error, and the
// larger of the gap and two standard errors.
type Covered struct {
	Gap int `json:"by_gap"`
	SE  int `json:"by_se"`
	Bar int `json:"by_bar"`
}

// A Timing is the CPU time of the runs of a problem.
type Timing struct {
	Case    string    `json:"case"`
	Seconds []float64 `json:"cpu_seconds"` // by seed
	Limit   float64   `json:"limit"`       // of the mean
}

// timed is a run and its CPU seconds.
type timed struct {
	Trial   Trial
	Seconds float64
}

// effort is how much is run.
type effort struct {
	seeds  int
	target float64 // standard error of log Z that a run goes on to
}

func effortOf(s study.Scale) effort {
	if s == study.Smoke {
		return effort{2, 0.1}
	}
	return effort{8, target}
}

// Run runs the study of the evidence. Its runs follow each other on one processor
// core, whatever the options say, so that their CPU times mean something. It fails if a run
// does, or ctx ends.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) { return effortOf(o.Scale).study(ctx, o) })
}

// study makes all runs and tells them.
func (e effort) study(ctx context.Context, o study.Options) (*study.Study, error) {
	r, err := e.run(ctx, o)
	if err != nil {
		return nil, err
	}
	s := o.Begin("evidence", Title)
	s.Claims, s.Results = r.claims(), r
	s.Effort = fmt.Sprintf("%d seeds a problem, to a standard error of %g of log Z; nested sampling as measured on %s", e.seeds, e.target,
		r.Peers.Made)
	for i := range r.Problems {
		s.Settings = append(s.Settings, study.Setting{Name: r.Problems[i].ID + ", " + r.Problems[i].Name, Text: r.Problems[i].text(target)})
	}
	s.Hint = "Run them with r2sgld sample FILE.yaml --threads 1 --seed 1; log_evidence in summary.json is of the integral, to which the " +
		"log volume belongs."
	s.Sections, err = r.sections()
	return s, err
}

// run makes all runs.
func (e effort) run(ctx context.Context, o study.Options) (*Results, error) {
	peers, err := readPeers()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "r2sgld-evidence-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one processor core
	o.Threads = 1
	r := &Results{Peers: peers}
	for _, t := range tasks() {
		p := Problem{ID: t.id, Name: t.name, Dim: t.dim, Exact: t.exact, LogVolume: t.logVolume, task: t}
		spent := Timing{Case: t.id, Limit: t.limit}
		runs, err := study.Gather(ctx, o, "evidence: "+t.id, e.seeds, func(ctx context.Context, k int) (timed, error) {
			run, seconds, err := t.run(ctx, dir, e.target, o.Seed+uint64(k))
			if err != nil {
				err = fmt.Errorf("%s, seed %d: %w", t.id, o.Seed+uint64(k), err)
			}
			return timed{run, seconds}, err
		})
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			p.Runs, spent.Seconds = append(p.Runs, run.Trial), append(spent.Seconds, run.Seconds)
		}
		p.settle()
		o.Announce("evidence: %s, %s: error %s (root mean square), %.2f CPU seconds a run", p.ID, p.Name, show(p.RMS), diag.Mean(spent.Seconds))
		r.Problems, r.Timings = append(r.Problems, p), append(r.Timings, spent)
	}
	return r, nil
}
