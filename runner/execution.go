package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/report"
	"github.com/r2sgld/r2sgld/store"
	"github.com/r2sgld/r2sgld/tune"
)

// An execution is a job at work.
type execution struct {
	*Job
	folder   *store.Folder
	log      *slog.Logger
	begun    time.Time
	found    *tune.Found // of method auto
	table    report.Rounds
	progress *report.Progress
	stream   *store.Writer
	window   *window
	goal     int // iterations of all ladders asked for
	reached  int // iterations of all ladders in the newest checkpoint
	unsaved  error
	volume   volume // of the domain
	unknown  string // why it is not known, for a warning
	chosen   string // the table of a library's coefficients; "" without
	exact    bool   // whether swaps keep the law of every rung

	judgement tune.Judgement // of the stopping rule
	judged    int            // iterations per ladder that it saw; 0 is none yet
}

// run takes the job through warm-up, sampling and all that is left behind.
func (x *execution) run(ctx context.Context) (*report.Summary, error) {
	fmt.Fprintf(x.Terminal, "%s: %s\n", x.Name, x.what())
	if x.Until != nil {
		if err := x.tune(ctx); err != nil {
			return nil, err
		}
	}
	x.measureVolume()
	x.exact = len(report.SwapBias(x.Problem, x.Settings)) == 0
	fmt.Fprint(x.Terminal, x.how())
	res, seconds, err := x.sample(ctx)
	if err != nil {
		return nil, err
	}
	return x.finish(ctx, res, seconds)
}

// tunedFile holds what the warm-up of method auto has found.
const tunedFile = "tuned.json"

// tune finds step sizes and temperatures, or reads those that an interrupted run
// had found, and puts them into the settings.
func (x *execution) tune(ctx context.Context) error {
	var from *tune.Found
	if x.Resume {
		var err error
		if from, err = x.readTuned(); err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
	}
	x.table.W, x.table.LogZ = x.Terminal, x.Problem.HasReference()
	var err error
	x.found, err = tune.Tune(ctx, x.Problem, x.Settings, from, func(f *tune.Found) error {
		x.warmUp(f)
		sum, err := checksum(f)
		if err != nil {
			return err
		}
		return x.folder.WriteJSON(tunedFile, tuned{sum, f})
	})
	if err != nil {
		return x.explain(ctx, err)
	}
	x.Settings = x.found.Apply(x.Settings)
	return nil
}

// A tuned is the content of tunedFile: what was found, and its checksum.
type tuned struct {
	SHA256 string      `json:"sha256"`
	Found  *tune.Found `json:"found"`
}

func checksum(f *tune.Found) (string, error) {
	text, err := json.Marshal(f)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// readTuned reads what an interrupted warm-up had found; nil if it had found
// nothing.
func (x *execution) readTuned() (*tune.Found, error) {
	var t tuned
	if err := x.folder.ReadJSON(tunedFile, &t); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if t.Found == nil {
		return nil, fmt.Errorf("%s holds no ladder: start the run anew", tunedFile)
	}
	if sum, err := checksum(t.Found); err != nil || sum != t.SHA256 {
		return nil, errors.Join(err, fmt.Errorf("%s was changed: its checksum is not that of its content. Start the run anew", tunedFile))
	}
	return t.Found, nil
}

// warmUp shows a round of warm-up.
func (x *execution) warmUp(f *tune.Found) {
	nan := math.NaN()
	r := f.Rounds[len(f.Rounds)-1]
	x.log.Info("warm-up", "round", len(f.Rounds), "iterations", r.Iterations, "barrier", r.Barrier, "rungs", len(f.Beta))
	x.table.Line(report.Round{Name: fmt.Sprintf("warm-up %d", len(f.Rounds)), RoundTrips: r.RoundTrips, Rejection: r.Rejection,
		RHat: nan, ESS: nan, LogZ: nan, Seconds: time.Since(x.begun).Seconds()})
}

// sample runs the ladders with progress and checkpoints.
func (x *execution) sample(ctx context.Context) (*r2sgld.Result, float64, error) {
	s := x.Settings
	var err error
	if x.stream, err = x.folder.NewWriter(x.description(), max(1, s.Ladders)); err != nil {
		return nil, 0, x.explain(ctx, err)
	}
	x.goal = max(1, s.Ladders) * s.Iterations
	x.progress = report.NewProgress(x.Name, s)
	x.window = newWindow(s, x.Problem.Potential.Dim(), x.progress.Recorder(0))
	s.Recorder = func(ladder int) r2sgld.Recorder {
		if ladder == 0 {
			return x.window
		}
		return x.progress.Recorder(ladder)
	}
	s.Keeper = func(ladder int) r2sgld.Keeper { return x.stream.Chain(ladder) }
	if x.Resume {
		if s.Resume, err = x.states(x.folder, x.log); err != nil {
			return nil, 0, err
		}
		if err = x.writeManifest(x.folder); err != nil { // only now: a resume that cannot be leaves the run as it was
			return nil, 0, x.explain(ctx, err)
		}
	}
	s.Checkpoint = &r2sgld.Checkpoint{Every: x.Checkpoint, Save: x.save}
	begun := time.Now()
	if x.Until != nil {
		s.Review = func(res *r2sgld.Result) (int, error) { return x.review(res, time.Since(begun).Seconds()), nil }
	}
	x.log.Info("start", "name", x.Name, "method", x.Method, "ladders", s.Ladders, "iterations", s.Iterations, "resumed", x.Resume)
	x.progress.Start(x.Terminal, x.Redraw)
	res, err := r2sgld.Sample(ctx, x.Problem, s)
	x.progress.Stop()
	if err != nil {
		return nil, 0, x.explain(ctx, err)
	}
	for i, l := range res.Ladders {
		if len(l.Energy[0]) < leastDraws {
			return nil, 0, fmt.Errorf("%s: ladder %d kept %s: the others lay outside the domain, which an unconstrained run does not find. Run longer (r2sgld resume %s --iterations N), or take a method that reflects",
				x.Name, i+1, report.Counted(len(l.Energy[0]), "draw"), x.Dir)
		}
	}
	return res, time.Since(begun).Seconds(), nil
}

// leastDraws is how many draws of a ladder can be told anything of.
const leastDraws = 4

// save writes a checkpoint. That it cannot is told once; it is tried again.
func (x *execution) save(iterations int, states [][]byte) error {
	path, err := x.write(iterations, states)
	if err != nil {
		x.log.Error("checkpoint", "error", err.Error())
		if x.unsaved == nil {
			x.progress.Aside(func() { fmt.Fprintf(x.Terminal, " ! no checkpoint: %v\n", err) })
		}
	} else {
		x.reached = iterations
		x.log.Info("checkpoint", "path", path, "iteration", iterations)
	}
	x.unsaved = err
	return err
}

func (x *execution) write(iterations int, states [][]byte) (path string, err error) {
	if err := x.stream.Sync(); err != nil {
		return "", err
	}
	c := &store.Checkpoint{Version: r2sgld.Version, Arch: runtime.GOARCH, Config: x.Hash, Name: x.Name, Iteration: iterations}
	for i, state := range states {
		c.Sections = append(c.Sections, store.Section{Name: section(i), Data: state})
	}
	return x.folder.WriteCheckpoint(c)
}

// review judges a round of method auto and says how far to go on.
func (x *execution) review(res *r2sgld.Result, seconds float64) int {
	n := res.Ladders[0].Iterations
	j := x.judge(res)
	stats := res.Swaps()
	round := report.Round{Name: fmt.Sprint(1 + bits.Len(uint((n-1)/x.Settings.Iterations))), RoundTrips: stats.RoundTrips, RHat: j.RHat, ESS: j.ESS, LogZ: math.NaN(),
		Seconds: time.Since(x.begun).Seconds()}
	for _, l := range res.Ladders {
		round.Draws += len(l.Energy[0]) * l.Stride
	}
	round.Rejection = stats.Rejections()
	e := x.logZ(res)
	round.LogZ, round.LogZError = e.Estimate, e.SE
	x.progress.Aside(func() { x.table.Line(round) })
	next := n
	if !j.Done {
		next = x.Until.Next(n, n-res.Ladders[0].Resumed, seconds)
	}
	x.progress.Extend(next)
	x.goal = next * len(res.Ladders)
	return next
}

// judge is the judgement of the stopping rule on a result of the run, made once.
func (x *execution) judge(res *r2sgld.Result) tune.Judgement {
	if n := res.Ladders[0].Iterations; x.judged != n {
		x.judged, x.judgement = n, x.Until.Judge(res)
	}
	return x.judgement
}

// explain says what an unfinished run means to the user.
func (x *execution) explain(ctx context.Context, err error) error {
	s := x.Settings
	var blown *r2sgld.BlowUp
	switch {
	case errors.As(err, &blown) && x.stream == nil:
		return fmt.Errorf("%s: %w", x.Name, err)
	case errors.As(err, &blown):
		steps := slices.Clone(s.StepSize)
		if len(steps) > 0 {
			steps[blown.Rung-1] /= 10
		}
		advice := fmt.Sprintf("A checkpoint from before is kept; try a tenth of the step: r2sgld resume %s --set sampler.step_size=[%s]",
			x.Dir, strings.Trim(strings.ReplaceAll(fmt.Sprint(steps), " ", ","), "[]"))
		if x.Until != nil || s.Harmonic != nil {
			advice = "A checkpoint from before is kept. The energy is not finite in a corner of the domain: keep the domain away from there."
		}
		return fmt.Errorf("%s: %w.\n%s", x.Name, err, advice)
	case ctx.Err() != nil && x.unsaved == nil:
		return &Interrupted{Dir: x.Dir, Done: x.reached, Of: x.goal}
	}
	return fmt.Errorf("%s: %w\nonce that is mended, go on from the last checkpoint with: r2sgld resume %s", x.Name, err, x.Dir)
}

// finish makes and writes all that a finished run leaves behind and shows the
// tables.
func (x *execution) finish(ctx context.Context, res *r2sgld.Result, seconds float64) (*report.Summary, error) {
	sum := report.New(x.Name, x.Method, x.Problem, x.Settings, res, seconds)
	names, err := x.leave(ctx, res, sum)
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	x.show(sum, names, len(res.Ladders))
	return sum, nil
}

// leave completes the summary and writes every file, summary.json last. It
// returns the names of the figures.
func (x *execution) leave(ctx context.Context, res *r2sgld.Result, sum *report.Summary) (figures []string, err error) {
	if sum.LogEvidence, err = x.evidence(ctx, res); err != nil {
		return nil, err
	}
	if x.unknown != "" {
		sum.Warnings = append(sum.Warnings, x.unknown)
	}
	sum.Warnings = append(sum.Warnings, x.Warnings...)
	if x.Problem.Base == nil { // far out in a prior U has no bound, and the backward mean no variance
		sum.OneSided()
	}
	if x.found == nil && tune.Singular(x.Problem, res, x.Settings.Seed) {
		sum.Singular()
	}
	if f := x.found; f != nil {
		sum.Tuned(f)
		j := x.judge(res)
		sum.Stopped(*x.Until, j.RHat, j.ESS, j.Met)
	}
	if x.Model != nil {
		sum.Explain(x.equations(sum.Parameters), x.fits(sum.Parameters))
		sum.LaTeX = x.latex(sum.Parameters)
		if len(x.Model.Terms) > 0 {
			sum.Coefficients, x.chosen = x.coefficients(sum.Parameters)
		}
		if w := x.against(res); w != "" {
			sum.Warnings = append(sum.Warnings, w)
		}
		if err := x.folder.WriteFile("equations.tex", []byte(sum.LaTeX+"\n")); err != nil {
			return nil, err
		}
		sum.Marginal = x.marginal(sum.LogEvidence)
		sum.Warnings = append(sum.Warnings, x.Model.Warnings...)
	}
	x.answer(sum)
	if x.Model != nil {
		if err := x.predict(ctx, res); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := x.stream.Finish(cmp.Or(x.Settings.Threads, runtime.GOMAXPROCS(0))); err != nil {
		return nil, err
	}
	if !x.Bare {
		if figures, err = x.figures(ctx, res, sum); err != nil {
			return nil, err
		}
	}
	return figures, x.folder.WriteJSON("summary.json", sum)
}
