// Package calibration answers whether the posteriors of a model can be believed: parameters
// drawn from the priors, and data drawn from the model by them, must rank uniformly among the
// draws of the posterior of those data (Talts et al. 2018, Modrák et al. 2023).
package calibration

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/stream"
)

// Command is that of the program.
const Command = "calibrate"

// A Job is a calibration to be made.
type Job struct {
	job.Request
	Model        *Model
	Replications int
	Threads      int          // replications at once; changes no number
	Others       cases.Others // do replications as well; nil is nobody
	Tally        *cases.Tally // counts them; nil is nothing

	config *Config
}

// logLikelihood is the name of what is ranked beside the parameters.
const logLikelihood = "log likelihood"

// A Replication is a set of parameters that was drawn, and where it ranks.
type Replication struct {
	Truth     []float64 `json:"truth"`
	Ranks     []int     `json:"ranks"` // of the parameters and of the log likelihood
	Converged bool      `json:"converged"`
	Failed    string    `json:"failed,omitempty"` // why there are no ranks
}

// A Summary is what was found, the content of summary.json.
type Summary struct {
	Schema       int         `json:"schema"`
	Name         string      `json:"name"`
	Hash         string      `json:"hash"`
	Seed         uint64      `json:"seed"`
	Replications int         `json:"replications"`
	Ranks        int         `json:"ranks"` // draws that truths are ranked among
	Failed       int         `json:"failed"`
	Unconverged  int         `json:"unconverged"` // whose rule was not met
	Parameters   []Parameter `json:"parameters"`
	Calibrated   bool        `json:"calibrated"` // whether all are
	Warnings     []string    `json:"warnings"`

	ranks [][]int
	all   []*Replication
	test  *test
}

// A Parameter is how the truths of one rank.
type Parameter struct {
	Name       string  `json:"name"`
	Ranks      int     `json:"ranks"`  // how many
	P          float64 `json:"p"`      // of ranks as odd as these, or odder, were they uniform
	Mean       float64 `json:"mean"`   // rank, from 0 to 1
	Spread     float64 `json:"spread"` // sd of the ranks in units of that of uniform ones
	Calibrated bool    `json:"calibrated"`
}

// alarm is the probability with which a model whose posteriors are right is said to have one
// that is not.
const alarm = 0.01

// outputs are the files that may be left beside run.json.
func outputs() []string {
	return append(append(job.FigureFiles("calibration"), store.TrainingFiles()...), "summary.json", "replications.csv")
}

// An execution is a job at work.
type execution struct {
	*Job
	folder *job.Folder

	mu    sync.Mutex
	all   []*Replication // nil of those to come
	made  int            // the others
	saved time.Time
	kept  int // replications in the newest checkpoint
}

// Run makes the replications that are not made yet and writes what they say. Its error is a
// *job.Refused if nothing was written, and a *job.Interrupted if the context ended.
func (j *Job) Run(ctx context.Context) (*Summary, error) {
	j.Command = Command
	folder, err := j.Open(job.KindOf(Command, outputs()))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	x := &execution{Job: j, folder: folder, all: make([]*Replication, j.Replications), saved: time.Now()}
	sum, err := x.run(ctx)
	if err != nil {
		return nil, folder.Stopped(err)
	}
	folder.Log.Info("done", "replications", j.Replications)
	return sum, folder.Close()
}

func (x *execution) run(ctx context.Context) (*Summary, error) {
	fmt.Fprintf(x.Terminal, "%s: %s of %s, ranked among %d draws each\n", x.Name, text.Counted(x.Replications, "replication"),
		text.Counted(len(x.Model.Names), "parameter"), most)
	if x.Resume {
		if err := x.restore(); err != nil {
			return nil, err
		}
		if err := x.folder.WriteManifest(); err != nil {
			return nil, err
		}
	}
	if err := x.replicate(ctx); err != nil {
		return nil, x.explain(ctx, err)
	}
	sum, err := x.summarise()
	var figures []string
	if err == nil {
		figures, err = x.leave(ctx, sum)
	}
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	if err := x.folder.Install(); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	fmt.Fprint(x.Out, sum.Text(text.StyleOf(x.Out)))
	x.Warn(sum.Warnings...)
	fmt.Fprintf(x.Out, " wrote %s/: summary.json, replications.csv", x.Dir)
	if len(figures) > 0 {
		fmt.Fprintf(x.Out, ", figures (%s)", strings.Join(figures, " "))
	}
	fmt.Fprintln(x.Out)
	return sum, nil
}

// explain says what an unfinished calibration means to the user.
func (x *execution) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &job.Interrupted{Dir: x.Dir, Done: x.kept, Of: x.Replications, Unit: "replications"}
	}
	return x.folder.Failed(err)
}

// section is that of the checkpoints.
const section = "replications"

// restore reads the replications that were made.
func (x *execution) restore() error {
	c, path, err := x.folder.Newest("calibration", true)
	if c == nil || err != nil {
		return err
	}
	data, _ := c.Section(section)
	var all []*Replication
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("%s holds no replications: %w", path, err)
	}
	for i, r := range all {
		if r == nil || i >= len(x.all) {
			continue
		}
		if !x.fits(r) {
			return fmt.Errorf("%s: replication %d is of another model", path, i+1)
		}
		x.all[i] = r
		x.made++
	}
	x.kept = x.made
	return nil
}

// fits reports whether a replication is one of this model.
func (x *execution) fits(r *Replication) bool {
	return r.Failed != "" || len(r.Truth) == len(x.Model.Names) && len(r.Ranks) == len(r.Truth)+1 &&
		!slices.ContainsFunc(r.Ranks, func(v int) bool { return v < 0 || v > most })
}

// replicate makes what is to be made, several at once.
func (x *execution) replicate(ctx context.Context) error {
	work := report.StartBar(x.Terminal, x.Name, func() float64 { return float64(x.done()) / float64(x.Replications) },
		func() string { return fmt.Sprintf("replication %d of %d", x.done(), x.Replications) })
	defer work.Stop()
	l := &cases.List{Hands: x.Threads, Case: x.told, Home: x.home, Others: x.Others, Tally: x.Tally, Do: func(ctx context.Context, i int) error {
		r, err := x.Model.replicate(ctx, x.seed(), i)
		if err != nil {
			return err
		}
		return x.keep(i, r)
	}}
	for i, r := range x.all {
		if r == nil {
			l.Left = append(l.Left, i)
		}
	}
	l.Tally.Begin(x.Name, x.Replications, x.made)
	err := l.Work(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Join(err, ctx.Err(), x.save())
}

func (x *execution) seed() uint64 { return *x.Seed }

// done is how many replications there are.
func (x *execution) done() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.made
}

// keep keeps a replication, and from time to time all on disk.
func (x *execution) keep(i int, r *Replication) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all[i] = r
	if x.made++; time.Since(x.saved) < x.Checkpoint {
		return nil
	}
	return x.save()
}

// save writes a checkpoint of all replications, if there are new ones.
func (x *execution) save() error {
	if x.made == x.kept {
		return nil
	}
	data, err := json.Marshal(x.all)
	if err == nil {
		err = x.folder.Save(x.made, store.Section{Name: section, Data: data})
	}
	if err == nil {
		x.kept, x.saved = x.made, time.Now()
	}
	return err
}

// draws is the purpose of the random numbers of parameters and data.
const draws stream.Purpose = "calibration"

// replicate draws parameters and data and ranks the parameters. The error is that of the
// context.
func (m *Model) replicate(ctx context.Context, seed uint64, i int) (*Replication, error) {
	rng := &stream.New(seed, i).Of(0, draws).Rand
	r := &Replication{}
	fail := func(what string, err error) (*Replication, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Failed = fmt.Sprintf("%s: %v", what, err)
		return r, nil
	}
	truth, err := m.draw(ctx, rng)
	if err != nil {
		return fail("drawing parameters", err)
	}
	r.Truth = truth
	data, err := m.imitate(ctx, truth, rng)
	if err != nil {
		return fail("drawing data", err)
	}
	p, density, err := m.fit(ctx, data, truth, rng.Uint64()>>1)
	if err != nil {
		return fail("fitting", err)
	}
	r.Converged = p.converged
	for j, v := range truth {
		r.Ranks = append(r.Ranks, rank(p.draws[j], v))
	}
	at := 0
	for _, v := range p.density {
		if v < density {
			at++
		}
	}
	r.Ranks = append(r.Ranks, at)
	return r, nil
}

// summarise tests the ranks.
func (x *execution) summarise() (*Summary, error) {
	s := &Summary{Schema: 1, Name: x.Name, Hash: x.Hash, Seed: x.seed(), Replications: x.Replications, Ranks: most, Calibrated: true,
		Warnings: slices.Clone(x.Warnings), all: x.all}
	names := append(slices.Clone(x.Model.Names), logLikelihood)
	s.ranks = make([][]int, len(names))
	reasons := map[string]int{}
	for _, r := range x.all {
		if r.Failed != "" {
			s.Failed++
			reasons[r.Failed]++
			continue
		}
		if !r.Converged {
			s.Unconverged++
		}
		for j, v := range r.Ranks {
			s.ranks[j] = append(s.ranks[j], v)
		}
	}
	n := x.Replications - s.Failed
	if n < least {
		why, most := "", 0
		for r, k := range reasons {
			if k > most || k == most && r < why {
				why, most = r, k
			}
		}
		return nil, fmt.Errorf("%d of %d replications failed, most often: %s", s.Failed, x.Replications, why)
	}
	s.test = newTest(n)
	for j, name := range names {
		p := Parameter{Name: name, Ranks: n, P: s.test.probability(s.ranks[j])}
		p.Mean, p.Spread = shape(s.ranks[j])
		p.Calibrated = p.P >= alarm/float64(len(names))
		s.Calibrated = s.Calibrated && p.Calibrated
		s.Parameters = append(s.Parameters, p)
	}
	s.warn(reasons)
	return s, nil
}

// How many replications tell anything, and how many there may be.
const (
	least    = 20
	greatest = 100_000
)

// warn says what is amiss.
func (s *Summary) warn(reasons map[string]int) {
	var bad []string
	for _, p := range s.Parameters {
		if !p.Calibrated {
			bad = append(bad, p.Name+p.way())
		}
	}
	if bad != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("not calibrated: %s. Either the posterior that is computed is not that of the model and "+
			"its priors, or data "+
			"drawn by the priors are such that runs do not converge.", strings.Join(bad, ", ")))
	}
	if s.Failed > 0 {
		var all []string
		for r, n := range reasons {
			all = append(all, fmt.Sprintf("%d× %s", n, r))
		}
		slices.Sort(all)
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s of %d failed and do not count, which itself may bias ranks: %s. Priors under which "+
			"such data are rare help.",
			text.Counted(s.Failed, "replication"), s.Replications, strings.Join(all[:min(3, len(all))], "; ")))
	}
	if s.Unconverged > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s of %d did not meet the stopping rule (sampler.until) and count as they are.",
			text.Counted(s.Unconverged, "run"), s.Replications))
	}
}

// way is in which way ranks are not uniform, by three standard errors.
func (p *Parameter) way() string {
	n := float64(p.Ranks)
	shift, spread := 3*math.Sqrt(1/(12*n)), 1.5*math.Sqrt(0.8/n) // the kurtosis is 1.8
	switch {
	case p.Mean > 0.5+shift:
		return " (posteriors too low)"
	case p.Mean < 0.5-shift:
		return " (posteriors too high)"
	case p.Spread > 1+spread:
		return " (posteriors too narrow)"
	case p.Spread < 1-spread:
		return " (posteriors too wide)"
	}
	return ""
}

// Text is the table.
func (s *Summary) Text(style text.Style) string {
	cells := [][]string{{"parameter", "", "p", "mean rank", "spread"}}
	for _, p := range s.Parameters {
		verdict := "calibrated"
		if !p.Calibrated {
			verdict = style.Warn("not calibrated") + p.way()
		}
		cells = append(cells, []string{p.Name, verdict, fmt.Sprintf("%.3f", p.P), fmt.Sprintf("%.3f", p.Mean), fmt.Sprintf("%.3f", p.Spread)})
	}
	return "\n" + text.Grid(cells, 2, style) + "\n"
}

// leave writes every file, summary.json last.
func (x *execution) leave(ctx context.Context, s *Summary) ([]string, error) {
	if err := x.folder.WriteFile("replications.csv", s.table(x.Model.Names)); err != nil {
		return nil, err
	}
	drawn := job.Pictures{Write: x.folder.WriteFile}
	f, err := figure.Curves(s.lines())
	if err := drawn.Add(ctx, "calibration", f, err); err != nil {
		return nil, err
	}
	s.Warnings = append(s.Warnings, drawn.Warnings...)
	return drawn.Names, x.folder.WriteJSON("summary.json", s)
}

// table is replications.csv: truths and ranks.
func (s *Summary) table(names []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"replication"}
	for _, n := range names {
		header = append(header, n, n+".rank")
	}
	_ = w.Write(append(header, logLikelihood+".rank", "converged", "failed")) // to memory, as all that follows
	for i, r := range s.all {
		cells := []string{strconv.Itoa(i + 1)}
		for j := range names {
			truth := ""
			if j < len(r.Truth) {
				truth = strconv.FormatFloat(r.Truth[j], 'g', -1, 64)
			}
			cells = append(cells, truth, r.rank(j))
		}
		_ = w.Write(append(cells, r.rank(len(names)), strconv.FormatBool(r.Converged), r.Failed))
	}
	w.Flush()
	return b.Bytes()
}

// rank is a rank as a table has it; "" of a replication that failed.
func (r *Replication) rank(j int) string {
	if j >= len(r.Ranks) {
		return ""
	}
	return strconv.Itoa(r.Ranks[j])
}

// mostShown is how many parameters the figure shows.
const mostShown = 12

// lines are the shares of ranks below each, less what is expected, with the band of uniform
// ones.
func (s *Summary) lines() figure.Lines {
	q := figure.Lines{X: figure.Axis{Name: "rank, of 1"}, Y: figure.Axis{Name: "share below, less expected"},
		Caption: fmt.Sprintf("%s; uniform ranks stay within the band with a probability of 95 %%", text.Counted(len(s.ranks[0]), "replication"))}
	low, high := s.test.band()
	var at, zero []float64
	for k := 1; k <= most; k++ {
		at, zero = append(at, float64(k)/(most+1)), append(zero, 0)
	}
	order := make([]int, len(s.Parameters))
	for i := range order {
		order[i] = i
	}
	if len(order) > mostShown { // the oddest, in their order
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Parameters[a].P, s.Parameters[b].P) })
		order = order[:mostShown]
		slices.Sort(order)
		q.Caption += fmt.Sprintf("; the oddest %d of %d", mostShown, len(s.Parameters))
	}
	for _, j := range order {
		q.Panels = append(q.Panels, figure.LinePanel{Title: s.Parameters[j].Name, Lines: []figure.Line{
			{Name: "uniform", X: at, Y: zero, Low: low, High: high, Dashed: true}, {Name: "ranks", X: at, Y: differences(s.ranks[j])}}})
	}
	return q
}
