package evidence

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// run makes one run as r2sgld sample does, figures aside, in a folder of its own under
// dir, and returns its CPU seconds: from the text of the configuration to the summary on
// disk, of the whole process, in which nothing else runs.
func (t *task) run(ctx context.Context, dir string, to float64, seed uint64) (Trial, float64, error) {
	runtime.GC() // what runs before left is not of this one
	begun := cpuSeconds()
	c, err := config.Parse("sample", t.file+".yaml", []byte(t.text(to)), []string{fmt.Sprintf("sampler.seed=%d", seed)})
	if err != nil {
		return Trial{}, 0, err
	}
	calls := &counted{Potential: c.Problem.Potential}
	c.Problem.Potential = calls
	c.Settings.Threads = 1
	hash, err := c.Resolved.Hash()
	if err != nil {
		return Trial{}, 0, err
	}
	j := &runner.Job{Method: c.Resolved.Sampler.Method, Problem: c.Problem, Settings: c.Settings, Until: c.Until, Bare: true,
		Request: job.Request{Command: c.Command, Name: c.Name, Warnings: c.Warnings, Config: c.Resolved, Hash: hash,
			Dir: filepath.Join(dir, fmt.Sprintf("%s-%d", t.file, seed)), Checkpoint: time.Hour, Out: io.Discard, Terminal: io.Discard}}
	sum, err := j.Run(ctx)
	if err != nil {
		return Trial{}, 0, err
	}
	seconds := cpuSeconds() - begun
	e := sum.LogEvidence
	if e.Reason != "" {
		return Trial{}, 0, fmt.Errorf("no log evidence: %s", e.Reason)
	}
	out := Trial{Seed: seed, LogZ: e.Estimate - t.logVolume, SE: e.Error, Gap: e.Forward - e.Backward, Calls: calls.points(),
		Rungs: len(sum.Ladder.InverseTemperature)}
	out.Error = out.LogZ - t.exact
	return out, seconds, nil
}

// counted counts the points at which a potential is evaluated. On one thread its
// evaluators are asked one after the other.
type counted struct {
	potential.Potential
	asked []*counting
}

// A counting is an evaluator of r states at once.
type counting struct {
	potential.Evaluator
	r, calls int64
}

// Evaluator implements potential.Potential.
func (c *counted) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := &counting{Evaluator: c.Potential.Evaluator(r, s), r: int64(r)}
	c.asked = append(c.asked, e)
	return e
}

// Eval implements potential.Evaluator.
func (c *counting) Eval(energy, grad, x []float64) {
	c.calls++
	c.Evaluator.Eval(energy, grad, x)
}

// points is how many points were asked for.
func (c *counted) points() int64 {
	n := int64(0)
	for _, e := range c.asked {
		n += e.r * e.calls
	}
	return n
}

// bar is the error bar of a run: the gap or, if larger, two standard errors.
func (r *Trial) bar() float64 { return math.Max(math.Abs(r.Gap), 2*r.SE) }

// settle sums the runs up.
func (p *Problem) settle() {
	p.RMS, p.Mean, p.Covered = 0, 0, Covered{}
	n := float64(len(p.Runs))
	for i := range p.Runs {
		r := &p.Runs[i]
		off := math.Abs(r.Error)
		p.RMS += off * off / n
		p.Mean += r.Error / n
		for _, c := range []struct {
			bar  float64
			into *int
		}{{math.Abs(r.Gap), &p.Covered.Gap}, {r.SE, &p.Covered.SE}, {r.bar(), &p.Covered.Bar}} {
			if off <= c.bar {
				*c.into++
			}
		}
	}
	p.RMS = math.Sqrt(p.RMS)
}

// calls is the mean number of calls of a run.
func (p *Problem) calls() float64 {
	sum := 0.0
	for i := range p.Runs {
		sum += float64(p.Runs[i].Calls)
	}
	return sum / float64(len(p.Runs))
}

// stated is the mean standard error that runs state.
func (p *Problem) stated() float64 {
	sum := 0.0
	for i := range p.Runs {
		sum += p.Runs[i].SE
	}
	return sum / float64(len(p.Runs))
}

// error is that of the runs.
func (p *Problem) error() float64 { return errorOf(len(p.Runs), p.RMS, p.stated()) }

// callsFor is how many calls an error takes.
func (p *Problem) callsFor(to float64) float64 { return callsFor(to, p.calls(), p.error()) }
