// Package training answers what becomes of a configuration of the command train: it
// trains every repetition, shows how far it is, and leaves a run folder with metrics,
// summary, predictions, figures and checkpoints.
package training

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Job is a training to be made, of one repetition or several.
type Job struct {
	job.Request
	Network  bnn.Network
	Data     bnn.Data
	Settings bnn.Settings // of the first repetition; the others have other streams
	Repeats  int
	Save     bool // writes kept models to models/, for other programs
	// Precision is that of [bnn.Setup].
	Precision string
	// Devices are those of this machine that networks move on.
	Devices []string
	// Engine makes the engine of one repetition.
	Engine func(context.Context, bnn.Setup) (bnn.Engine, error)
}

// Run makes the training and returns its summary, which is also in the folder. Its
// error is a *job.Refused if nothing was written, a *job.Interrupted if the
// context ended, and says what is kept if the training failed.
func (j *Job) Run(ctx context.Context) (*Summary, error) {
	if j.Data.Test == nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s: there are no test images: predictions are judged on images that were not trained on",
			j.Name)}
	}
	x := &execution{Job: j, begun: time.Now()}
	if err := x.open(ctx, 0); err != nil { // before anything is written
		return nil, &job.Refused{Err: fmt.Errorf("%s: %w", j.Name, err)}
	}
	defer x.close()
	j.Command, j.Seed = command, &j.Settings.Seed
	folder, err := j.Open(job.KindOf(command, outputs()))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	x.folder = folder
	sum, err := x.run(ctx)
	if err != nil {
		return nil, folder.Stopped(err)
	}
	folder.Log.Info("done", "seconds", sum.Seconds)
	return sum, folder.Close()
}

// command is that of the program.
const command = "train"

// outputs are the files that a training writes beside run.json.
func outputs() []string {
	names := append(store.TrainingFiles(), "summary.json", "metrics.jsonl", "predictions-#.npz", "models/repeat-#/draw-####.safetensors")
	return append(names, job.FigureFiles("curves", "reliability", "entropy", "index", "layers", "reflections")...)
}

// regresses reports whether outputs are of a regression, not of classes.
func (j *Job) regresses() bool { return j.Data.Train.Targets != nil }

// rmse is the root of the mean squared error of the outputs of a regression, whose loss
// is ½ Σ (output − target)².
func (j *Job) rmse(s *bnn.Scores) float64 { return math.Sqrt(2 * s.NLL / float64(j.Network.Outputs)) }

// An execution is a job at work.
type execution struct {
	*Job
	folder  *job.Folder
	begun   time.Time
	engine  bnn.Engine
	opened  int // the repetition that engine is of
	metrics store.File
	done    []finding // of the repetitions that are complete
	table   *table
	last    time.Time // of the newest checkpoint
}

// open makes the engine of a repetition, unless it is there.
func (x *execution) open(ctx context.Context, repeat int) error {
	if x.engine != nil && x.opened == repeat {
		return nil
	}
	x.close()
	s := x.Settings
	s.Ladder = repeat
	setup := s.Setup(x.Network)
	setup.Precision = x.Precision
	engine, err := x.Engine(ctx, setup)
	if err != nil {
		return err
	}
	x.engine, x.opened = engine, repeat
	return nil
}

// close ends the engine. That it cannot changes no result.
func (x *execution) close() {
	if x.engine != nil {
		_ = x.engine.Close()
	}
	x.engine = nil
}

// run trains all repetitions and writes what they found.
func (x *execution) run(ctx context.Context) (*Summary, error) {
	from, err := x.restore()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	if err := x.beginMetrics(from); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	defer x.metrics.Close()
	fmt.Fprint(x.Terminal, x.introduction())
	x.table = newTable(x.Job, x.Terminal)
	for repeat := len(x.done); repeat < x.Repeats; repeat++ {
		f, err := x.repeat(ctx, repeat, from)
		if err != nil {
			return nil, x.explain(ctx, repeat, err)
		}
		from = nil
		x.done = append(x.done, *f)
	}
	work := report.StartWork(x.Terminal, x.Name, "summing up, figures")
	defer work.Stop()
	sum := x.summarise()
	figures, err := x.leave(ctx, sum)
	work.Stop()
	if err != nil {
		return nil, x.explain(ctx, x.Repeats-1, err)
	}
	if err := x.folder.Install(); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	x.show(sum, figures)
	return sum, nil
}

// repeat trains one repetition, from a checkpoint if there is one.
func (x *execution) repeat(ctx context.Context, repeat int, from *bnn.Checkpoint) (*finding, error) {
	if err := x.open(ctx, repeat); err != nil {
		return nil, err
	}
	s := x.Settings
	s.Ladder = repeat
	x.folder.Log.Info("start", "repeat", repeat+1, "method", s.Method, "resumed", from != nil)
	x.table.begin(repeat, from)
	x.last = time.Now()
	res, err := bnn.Train(ctx, x.engine, x.Data, s, bnn.Observer{
		Resume: from,
		Epoch: func(e bnn.Epoch) error {
			x.table.epoch(e)
			x.tell(repeat, e)
			return x.writeMetrics(repeat, e)
		},
		Step: x.table.step,
		Keep: func(d bnn.Draw) error { return x.keep(repeat, d) },
		Due:  func() bool { return time.Since(x.last) >= x.Checkpoint },
		Save: func(c *bnn.Checkpoint) error { return x.save(repeat, c) },
	})
	x.table.work.Stop()
	if err != nil {
		return nil, err
	}
	return x.found(repeat, res)
}

// tell writes an epoch into the log, for those who watch.
func (x *execution) tell(repeat int, e bnn.Epoch) {
	scores := []any{slog.Float64("loss", e.Loss[0])}
	add := func(s *bnn.Scores, of string) {
		switch {
		case s == nil:
		case x.table.regresses():
			scores = append(scores, slog.Float64("RMSE"+of, x.table.rmse(s)))
		default:
			scores = append(scores, slog.Float64("accuracy"+of, s.Accuracy), slog.Float64("NLL"+of, s.NLL))
		}
	}
	add(e.Single, "")
	add(e.Average, " of the average")
	x.folder.Log.Info("epoch", "epoch", repeat*x.Settings.Epochs+e.Epoch, "of", x.Repeats*x.Settings.Epochs, slog.Group("scores", scores...))
}

// explain says what an unfinished training means to the user.
func (x *execution) explain(ctx context.Context, repeat int, err error) error {
	var broken *bnn.NotFinite
	switch {
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		epochs := repeat*x.Settings.Epochs + x.table.epochs
		return &job.Interrupted{Dir: x.Dir, Done: epochs, Of: x.Repeats * x.Settings.Epochs, Unit: "epochs"}
	case errors.As(err, &broken) && broken.Last == nil:
		return fmt.Errorf("%s: repetition %d: %w.\nIt broke before there was anything to keep: start a new run with a smaller "+
			"sampler.step_size (or lower temperatures)", x.Name, repeat+1, err)
	case errors.As(err, &broken):
		return fmt.Errorf("%s: repetition %d: %w.\nThe state before it is in %s/checkpoints, and a resume would break at the same place: "+
			"start a new run with a smaller sampler.step_size (or lower temperatures)", x.Name, repeat+1, err, x.Dir)
	}
	return x.folder.Failed(err)
}
