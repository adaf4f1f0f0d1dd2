package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// An execution is a job at work.
type execution struct {
	*Job
	folder   *job.Folder
	begun    time.Time
	found    *tune.Found // of method auto
	table    *report.Rounds
	progress *report.Progress
	work     *report.Work // after sampling
	stream   *store.Writer
	drawn    *store.Run // what the store is told of the draws
	followed *followed  // outputs of the draws that were looked at last; nil before
	window   *window
	goal     int    // iterations of all ladders asked for
	reached  int    // iterations of all ladders in the newest checkpoint
	from     string // the checkpoint that the run goes on from
	unsaved  error
	stop     context.CancelCauseFunc // ends the run
	volume   volume                  // of the domain
	unknown  string                  // why it is not known, for a warning
	chosen   string                  // the table of a library's coefficients; "" without
	exact    bool                    // whether swaps keep the law of every rung

	over      string             // why a limit ended the run; "" where none did
	judgement tune.Judgement     // of the stopping rule, of the last round
	audit     *tune.Audit        // of the modes; nil where none were looked for
	predicted []figure.Predicted // outcomes with draws of them, of fit
	searched  int64              // gradients of the search for them
	slopes    []tune.Slope       // of the parameters, far out; nil where they are not known
	sampling  time.Time          // when the sampling began
}

// run takes the job through warm-up, sampling and all that is left behind.
func (x *execution) run(ctx context.Context) (*report.Summary, error) {
	ctx, x.stop = context.WithCancelCause(ctx)
	defer x.stop(nil)
	what := x.what()
	fmt.Fprintf(x.Terminal, "%s: %s\n", x.Name, what)
	x.folder.Log.Info("begin", "method", x.Method, "what", what, "resumed", x.Resume)
	x.tellGradient()
	sample := x.sample
	if x.Until != nil {
		sample = x.tuned
	}
	res, seconds, err := x.fromWhole(ctx, sample)
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	for i, l := range res.Ladders {
		if len(l.Energy[0]) < leastDraws {
			return nil, fmt.Errorf("%s: ladder %d kept %s: the others lay outside the domain, which an unconstrained run does not find. Run "+
				"longer (r2sgld resume %s --iterations N), or take a method that reflects",
				x.Name, i+1, text.Counted(len(l.Energy[0]), "draw"), text.Word(x.Dir))
		}
	}
	return x.finish(ctx, res, seconds)
}

// fromWhole samples, from an earlier checkpoint where the states in the newest are none.
func (x *execution) fromWhole(ctx context.Context, sample func(context.Context) (*r2sgld.Result, float64, error)) (*r2sgld.Result, float64,
	error) {
	asked := x.Job
	for {
		res, seconds, err := sample(ctx)
		if x.progress != nil {
			x.progress.Stop()
		}
		if bad, ok := errors.AsType[*r2sgld.BadState](err); !ok || !x.folder.Skip(x.from, bad) {
			return res, seconds, err
		}
		x.Job = asked
	}
}

// leastDraws is how many draws of a ladder can be told anything of.
const leastDraws = 4

// sample runs the ladders with the settings that were asked for.
func (x *execution) sample(ctx context.Context) (*r2sgld.Result, float64, error) {
	s, err := x.ready(ctx)
	if err != nil {
		return nil, 0, err
	}
	s.Keeper = func(ladder int) r2sgld.Keeper { return x.stream.Chain(ladder) } // method auto writes what it holds when it ends
	res, err := r2sgld.Sample(ctx, x.Problem, s)
	return res, time.Since(x.sampling).Seconds(), err
}

// walls warns of those near which the steps are wrong.
func (x *execution) walls(ctx context.Context) error {
	if x.Settings.Unbiased() || x.Model != nil {
		return nil
	}
	at, err := tune.SteepWall(ctx, x.Problem, x.Settings.Start, x.Settings.Seed)
	if err == nil && at != nil {
		x.Warn(report.SteepWall(x.Problem, x.Settings, at, x.Again))
	}
	return err
}

// tuned finds step sizes and temperatures, or goes on from those that an interrupted run
// had found, and runs until the rule is met.
func (x *execution) tuned(ctx context.Context) (*r2sgld.Result, float64, error) {
	var from *tune.Found
	if x.Resume {
		var err error
		if from, err = x.readTuned(); err != nil {
			return nil, 0, told{fmt.Errorf("%s: %w", x.Name, err)}
		}
	}
	work := report.StartWarming(x.Terminal, x.Name, max(1, x.Settings.Ladders))
	work.NotedIn(x.folder.Log)
	defer work.Stop()
	next := func(f *tune.Found) { work.Round(len(f.Rounds)+1, 2*f.Rounds[len(f.Rounds)-1].Iterations) }
	if from != nil && len(from.Rounds) > 0 {
		next(from)
	}
	o := tune.Options{From: from, Recorder: work.Recorder, Review: x.review, Further: x.further}
	o.Looking = func(now bool) {
		switch {
		case x.progress != nil && now:
			x.progress.Doing("looking for modes")
		case x.progress != nil:
		case now:
			work.Doing("looking for modes")
		default:
			work.Doing("warm-up 1")
		}
	}
	o.Show = func(f *tune.Found) error {
		x.round(f)
		if next(f); f.Done {
			work.Doing("warm-up ends")
		}
		return x.keep(f)
	}
	o.Chosen = func(f *tune.Found) error {
		fmt.Fprint(x.Terminal, report.Contest(f))
		work.Doing("warm-up")
		return x.keep(f)
	}
	o.Ready = func(f *tune.Found, s r2sgld.Settings, u tune.Until) (r2sgld.Settings, error) {
		work.Stop()
		asked := *x.Job // which stays as it was asked for
		asked.Settings, asked.Until = s, &u
		asked.Problem = f.Modes.Problem(x.Problem)
		x.Job, x.found = &asked, f
		if why := x.exceeded(s.Iterations); why != "" {
			return s, told{fmt.Errorf("%s: the first round does not fit: %s. The warm-up is kept; go on with: r2sgld resume %s, with a larger limit",
				x.Name, why, text.Word(x.Dir))}
		}
		return x.ready(ctx)
	}
	o.Judging = func() { x.progress.Doing("judging the draws") }
	out, err := tune.Run(ctx, x.Problem, x.Settings, *x.Until, o)
	if err != nil {
		return nil, 0, err
	}
	x.judgement, x.audit, x.searched, x.slopes = out.Judgement, out.Audit, out.Searched, out.Slopes
	return out.Result, out.Seconds, nil
}

// A told error says all that there is to say.
type told struct{ error }

// keep writes what was found, for an interrupted warm-up to go on with.
func (x *execution) keep(f *tune.Found) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return x.folder.WriteJSON(job.TunedFile, tuned{checksum(text), f})
}

// A tuned is the content of job.TunedFile: what was found, and its checksum.
type tuned struct {
	SHA256 string      `json:"sha256"`
	Found  *tune.Found `json:"found"`
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// readTuned reads what an interrupted warm-up had found; nil if it had found
// nothing.
func (x *execution) readTuned() (*tune.Found, error) {
	var t struct { // the text itself: members that an older version wrote belong to its checksum
		SHA256 string          `json:"sha256"`
		Found  json.RawMessage `json:"found"`
	}
	if err := x.folder.ReadJSON(job.TunedFile, &t); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	var found *tune.Found
	if err := errors.Join(json.Compact(&text, t.Found), json.Unmarshal(t.Found, &found)); err != nil || found == nil {
		return nil, fmt.Errorf("%s holds no ladder: start the run anew", job.TunedFile)
	}
	if checksum(text.Bytes()) != t.SHA256 {
		return nil, fmt.Errorf("%s was changed: its checksum is not that of its content. Start the run anew", job.TunedFile)
	}
	return found, nil
}

// ready makes all ready for sampling with the settings that are known now, and returns
// those with progress, checkpoints and the state to go on from.
func (x *execution) ready(ctx context.Context) (r2sgld.Settings, error) {
	s := x.Settings
	if err := x.measureVolume(ctx); err != nil {
		return s, err
	}
	how := x.how()
	fmt.Fprintln(x.Terminal, how)
	if x.found != nil {
		fmt.Fprint(x.Terminal, report.Sighted(x.found.Sighting()))
	}
	if err := x.walls(ctx); err != nil {
		return s, err
	}
	var err error
	x.drawn = x.description()
	if x.stream, err = x.folder.NewWriter(x.drawn, max(1, s.Ladders)); err != nil {
		return s, err
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
	if x.Resume {
		if s.Resume, x.reached, err = x.states(); err != nil {
			return s, told{err}
		}
		if x.Until != nil {
			x.extend(roundAt(*x.Until, s.Iterations, max(1, s.Ladders), x.reached))
		}
		if err = x.folder.WriteManifest(); err != nil { // only now: a resume that cannot be leaves the run as it was
			return s, err
		}
	}
	s.Checkpoint = &r2sgld.Checkpoint{Every: x.Checkpoint, Save: x.save}
	x.folder.Log.Info("start", "name", x.Name, "method", x.Method, "how", how, "ladders", s.Ladders, "iterations", s.Iterations,
		"inverse_temperature", inverse(s.Temperature), "until", x.Until, "resumed", x.Resume)
	x.progress.Start(x.Terminal)
	x.progress.NotedIn(x.folder.Log)
	x.sampling = time.Now()
	return s, nil
}

// save writes a checkpoint. That it cannot is told once; it is tried again, unless the folder
// is no longer there.
func (x *execution) save(iterations int, states [][]byte) error {
	err := x.write(iterations, states)
	if err != nil {
		x.folder.Log.Error("checkpoint", "error", err.Error())
		if errors.Is(err, store.ErrMoved) {
			x.stop(err)
		} else if x.unsaved == nil {
			x.Warn(fmt.Sprintf("no checkpoint: %v", err))
		}
	} else {
		x.reached = iterations
	}
	x.unsaved = err
	return err
}

func (x *execution) write(iterations int, states [][]byte) error {
	if err := x.stream.Sync(); err != nil {
		return err
	}
	sections := make([]store.Section, len(states))
	for i, state := range states {
		sections[i] = store.Section{Name: section(i), Data: state}
	}
	return x.folder.Save(iterations, sections...)
}

// review shows a round of method auto, and ends the run before it exceeds a limit.
func (x *execution) review(res *r2sgld.Result, j tune.Judgement, next int) (int, error) {
	x.judgement = j
	n := res.Ladders[0].Iterations
	stats, e := res.Swaps(), x.logZ(res)
	round := report.Round{Name: fmt.Sprint(1 + bits.Len(uint((n-1)/x.Settings.Iterations))), Draws: held(res), RoundTrips: stats.RoundTrips,
		Rejection: stats.Rejections(),
		RHat:      j.RHat, ESS: j.ESS, LogZ: e.Estimate, LogZError: e.Error, Seconds: time.Since(x.begun).Seconds()}
	if next > n {
		if x.over = x.exceeded(next); x.over != "" {
			next = n
		}
	}
	x.line(x.Problem, round, "round", "round", round.Name, "iterations", n, "next", next)
	if next > n {
		x.progress.Doing("")
		if len(j.Short) > 0 {
			_, where, others := report.Beyond(res.Names, j.Short)
			fmt.Fprintf(x.Terminal, " %s draws end before the density does%s: the run goes on\n", where, others)
		}
		if n == x.Settings.Iterations {
			fmt.Fprintf(x.Terminal, " goes on for at most %s iterations a ladder (sampler.until.iterations)%s\n", text.Count(x.Until.Iterations),
				x.atMost(n, time.Since(x.sampling).Seconds()))
		}
	}
	x.extend(next)
	return next, nil
}

// extend notes that every ladder goes on to so many iterations.
func (x *execution) extend(iterations int) {
	x.progress.Extend(iterations)
	x.goal = iterations * max(1, x.Settings.Ladders)
}

// roundAt is the length of the round in which ladders that began with a first one have
// made so many iterations in all.
func roundAt(u tune.Until, first, ladders, reached int) int {
	n := first
	for n*ladders < reached {
		next := u.Next(n, 0, 0)
		if next == n { // its limit was another
			return (reached + ladders - 1) / ladders
		}
		n = next
	}
	return n
}

// atMost says how long a run may take, of which n iterations took some seconds.
func (x *execution) atMost(n int, seconds float64) string {
	if all := seconds / float64(n) * float64(x.Until.Iterations); x.Until.Seconds == 0 && all > 1 {
		return fmt.Sprintf(", about %v", time.Duration(all*float64(time.Second)).Round(time.Second))
	}
	return ""
}
