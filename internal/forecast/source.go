package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// mostDraws is the number of draws of a chain that are read, unless there are fewer.
const mostDraws = 1 << 17

// A source is a finished run.
type source struct {
	dir        string
	run        *config.Run
	parameters []report.Parameter // of the summary, in the order of the model

	model    *simulation.Model // of identify, with the data
	data     observed
	modeless []string // those whose mode is not known, and which have the median for it
}

// openSource reads the folder of a run of identify. Its error says that nothing was begun.
func openSource(dir string) (*source, error) {
	s, err := open(dir, "identify")
	if err == nil {
		err = s.system()
	}
	return s, err
}

// system reads what a run of identify is of.
func (s *source) system() (err error) {
	if s.model, err = simulation.Of(s.run.Model); err != nil {
		return &job.Refused{Err: fmt.Errorf("%s cannot be simulated: %w", s.dir, err)}
	}
	if s.data, err = s.read(s.run.Resolved.Series().File, 0); err != nil {
		return &job.Refused{Err: err}
	}
	return nil
}

// open reads the folder of a run of one of some commands.
func open(dir string, commands ...string) (*source, error) {
	refuse := func(err error) (*source, error) { return nil, &job.Refused{Err: err} }
	folder, m, err := job.Read(dir)
	if err != nil {
		return refuse(err)
	}
	if m.Command == "" {
		return refuse(fmt.Errorf("%s is no run folder: its run.json names no command", dir))
	}
	if !slices.Contains(commands, m.Command) {
		return refuse(fmt.Errorf("%s is a run of %s, which has nothing to simulate: give one of %s", dir, m.Command,
			strings.Join(commands, " or ")))
	}
	var sum struct {
		Parameters []estimate `json:"parameters"`
	}
	if err := folder.ReadJSON("summary.json", &sum); errors.Is(err, fs.ErrNotExist) {
		return refuse(fmt.Errorf("%s is not finished: r2sgld resume %s", dir, text.Word(dir)))
	} else if err != nil {
		return refuse(err)
	}
	name := filepath.Join(dir, "run.json")
	r, err := config.Parse(m.Command, name, m.Config, nil)
	if err != nil {
		return nil, err
	}
	hash, err := r.Resolved.Hash()
	if err := m.Intact(name, hash, err); err != nil {
		return nil, err
	}
	s := &source{dir: dir, run: r}
	for _, p := range s.names() {
		i := slices.IndexFunc(sum.Parameters, func(q estimate) bool { return q.Name == p })
		if i < 0 {
			return refuse(fmt.Errorf("%s: the summary lacks the parameter %q: it was changed", dir, p))
		}
		q := sum.Parameters[i]
		if q.Mode == nil { // several peaks are about as high
			q.Mode = &q.Q50
			s.modeless = append(s.modeless, p)
		}
		q.Parameter.Mode = *q.Mode
		s.parameters = append(s.parameters, q.Parameter)
	}
	return s, nil
}

// names are those of the parameters.
func (s *source) names() []string {
	if s.run.Model != nil {
		return s.run.Model.Parameters
	}
	return s.run.Problem.ReportedNames()
}

// read reads a file with the columns of the run's data and at least so many rows;
// 0 is as many as it takes to identify.
func (s *source) read(file string, least int) (observed, error) {
	d := s.run.Resolved.Series()
	c := dynamics.Columns{Time: d.Time, Least: least}
	for _, e := range d.States {
		c.States = append(c.States, dynamics.Named{Name: e.Key, Column: fmt.Sprint(e.Value)})
	}
	series, err := dynamics.ReadSeries(file, c)
	if err != nil {
		return observed{}, err
	}
	out := observed{Time: series.Time}
	for _, state := range s.model.States {
		v, observed := series.Values[state]
		if !observed {
			v = slices.Repeat([]float64{math.NaN()}, len(series.Time))
		}
		out.Values = append(out.Values, v)
	}
	return out, nil
}

// end is the last time of the data.
func (s *source) end() float64 { return s.data.Time[len(s.data.Time)-1] }

// timeName is what the data call the time.
func (s *source) timeName() string { return cmp.Or(s.run.Resolved.Series().Time, "row") }

// An estimate is a parameter of a summary, whose mode may be null.
type estimate struct {
	report.Parameter
	Mode *float64 `json:"mode"`
}

// point is the mean or the mode of every parameter, the median of those that have none.
func (s *source) point(from string) []float64 {
	x := make([]float64, len(s.parameters))
	for j, p := range s.parameters {
		if x[j] = p.Mode; from == "mean" {
			x[j] = p.Mean
		}
	}
	return x
}

// draws returns at most n draws of the run, spread evenly over all ladders, and
// how many there are.
func (s *source) draws(n int) (x [][]float64, of int, err error) {
	d, err := store.Read(mostDraws, s.dir)
	if err != nil {
		return nil, 0, err
	}
	if names := s.names(); !slices.Equal(d.Names, names) {
		return nil, 0, fmt.Errorf("%s: the draws are of %s, not of %s: they were changed", s.dir, strings.Join(d.Names, ", "),
			strings.Join(names, ", "))
	}
	var flat [][]float64 // by parameter
	for j := range d.Names {
		flat = append(flat, slices.Concat(d.X[j]...))
	}
	total := len(flat[0])
	if total == 0 {
		return nil, 0, fmt.Errorf("%s holds no draws", s.dir)
	}
	n = min(n, total)
	for i := range n {
		row := make([]float64, len(flat))
		for j := range flat {
			row[j] = flat[j][i*total/n]
		}
		x = append(x, row)
	}
	return x, d.Kept * d.Chains(), nil
}

// index is the place of a parameter of the run.
func (s *source) index(flag, name string) (int, error) {
	if j := slices.Index(s.run.Model.Parameters, name); j >= 0 {
		return j, nil
	}
	for _, e := range s.run.Resolved.System().Fixed {
		if e.Key == name {
			return 0, fmt.Errorf("--%s: %s is fixed at %v in this run: identify with another value (--set model.fixed.%s=…)", flag, name,
				e.Value, name)
		}
	}
	return 0, fmt.Errorf("--%s: no parameter %q%s", flag, name, yamlpos.Suggest(name, "parameters", s.run.Model.Parameters))
}

// inside refuses parameters that break the constraints of the run.
func (s *source) inside(what string, x [][]float64) error {
	d := s.run.Problem.Reported()
	if d == nil {
		return nil
	}
	outside := 0
	for _, p := range x {
		if !d.Contains(p) {
			outside++
		}
	}
	switch {
	case outside == 0:
		return nil
	case len(x) == 1:
		return fmt.Errorf("%s breaks the constraints of the run", what)
	}
	return fmt.Errorf("with %s, %s of %s draws break the constraints of the run", what, text.Count(outside), text.Count(len(x)))
}

// begin is when and where trajectories start: the time, and the state with NaN
// where the model says it.
func (s *source) begin(o *Options) (from float64, start []float64, err error) {
	from = s.run.Model.InitialTime()
	start = slices.Repeat([]float64{math.NaN()}, len(s.model.States))
	values, err := assignments("start", o.Start)
	if err != nil {
		return 0, nil, err
	}
	for _, v := range values {
		i := slices.Index(s.model.States, v.Name)
		if i < 0 {
			return 0, nil, fmt.Errorf("--start: no state %q%s", v.Name, yamlpos.Suggest(v.Name, "states", s.model.States))
		}
		start[i] = v.Value
	}
	if o.StartTime == nil || *o.StartTime == from {
		return from, start, nil
	}
	from = *o.StartTime
	row := slices.Index(s.data.Time, from)
	for i, name := range s.model.States {
		if start[i] == start[i] {
			continue
		}
		if row >= 0 {
			start[i] = s.data.Values[i][row]
		}
		if start[i] != start[i] {
			return 0, nil, fmt.Errorf("the data have no value of %s at the time %g: give --start %s=…", name, from, name)
		}
	}
	return from, start, nil
}
