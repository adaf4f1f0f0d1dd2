package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/simulation"
)

// A plan is a simulation that makes sense.
type plan struct {
	asked   *Options
	src     *source
	options simulation.Options
	draws   [][]float64
	of      int // draws of the run
	mode    []float64
	set     []Value
	noise   bool
	other   *rival
	notes   []string // warnings
}

// A rival is what trajectories are compared with: parameters of a model, or data.
type rival struct {
	name  string
	model *simulation.Model // nil: data
	x     []float64
	data  observed
	start []float64
	mode  []Value // what the truth takes from the mode of the run
}

// plan checks options against the run.
func (o *Options) plan(src *source) (*plan, error) {
	p := &plan{asked: o, src: src, mode: src.point("mode")}
	from, start, err := src.begin(o)
	if err != nil {
		return nil, err
	}
	times, err := o.grid(src, from)
	if err != nil {
		return nil, err
	}
	solver, err := o.solver(src)
	if err != nil {
		return nil, err
	}
	p.options = simulation.Options{From: from, Start: start, Times: times, Solver: solver, Threads: o.Threads}
	if err := p.parameters(start); err != nil {
		return nil, err
	}
	p.noteStart()
	p.noteModes()
	if text := disagreement(src.parameters); text != "" {
		p.notes = append(p.notes, text)
	}
	p.noise = (o.Noise == nil || *o.Noise) && src.model.Noise != nil
	if o.Noise != nil && *o.Noise && !p.noise {
		return nil, errors.New("--noise: this run knows the noise of the derivatives only, not of the data: " +
			"identify with model.likelihood=trajectory")
	}
	if len(o.Truth) > 0 {
		p.other, err = p.truth(start)
	} else if o.Against != "" {
		p.other, err = p.against(start)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parameters chooses them and makes the changes that were asked for.
func (p *plan) parameters(start []float64) (err error) {
	o, src := p.asked, p.src
	if p.set, err = assignments("set", o.Set); err != nil {
		return err
	}
	given, err := assignments("start", o.Start)
	if err != nil {
		return err
	}
	var index []int
	for _, v := range p.set {
		for _, s := range given {
			if v.Name == s.Name+".initial" {
				return fmt.Errorf("--set %s=%g and --start %s=%g are two values of one start: give one of them", v.Name, v.Value, s.Name, s.Value)
			}
		}
		j, err := src.index("set", v.Name)
		if err != nil {
			return err
		}
		index = append(index, j)
	}
	p.draws, p.of = [][]float64{src.point(o.From)}, 1
	if o.From == "draws" {
		if p.draws, p.of, err = src.draws(o.Draws); err != nil {
			return err
		}
	}
	var changed []string
	change := func(j int, v float64) {
		changed = append(changed, fmt.Sprintf("%s = %g", src.run.Model.Parameters[j], v))
		for _, x := range append(p.draws, p.mode) {
			x[j] = v
		}
	}
	for i, v := range p.set {
		change(index[i], v.Value)
	}
	if p.options.From == src.run.Model.InitialTime() {
		for i, state := range src.model.States {
			if j := slices.Index(src.run.Model.Parameters, state+".initial"); j >= 0 && start[i] == start[i] {
				change(j, start[i])
			}
		}
	}
	if len(changed) > 0 {
		return src.inside(strings.Join(changed, ", "), p.draws)
	}
	if o.From != "draws" && src.inside("", p.draws) != nil {
		p.notes = append(p.notes, fmt.Sprintf("the %ss of the parameters, each by itself, together break the constraints of the run: --from "+
			"draws does not.", o.From))
	}
	return nil
}

// noteModes says where medians stand for modes.
func (p *plan) noteModes() {
	set := func(name string) bool {
		return slices.ContainsFunc(p.set, func(v Value) bool { return v.Name == name })
	}
	left := slices.DeleteFunc(slices.Clone(p.src.modeless), set)
	if len(left) == 0 {
		return
	}
	where := " wherever the mode is asked for: the phase portrait, --lyapunov, --truth"
	if p.asked.From == "mode" {
		where = "; --from draws shows them all"
	}
	p.notes = append(p.notes, medians(left)+where+".")
}

// medians says that medians stand for the modes of these parameters.
func medians(names []string) string {
	return fmt.Sprintf("the mode of %s cannot be told: several peaks are about as high. The median stands for it", several(names))
}

// several lists names, the first six of many.
func several(names []string) string {
	if n := len(names); n > 7 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:6], ", "), n-6)
	}
	return strings.Join(names, ", ")
}

// disagreement warns of a run whose ladders disagree; "" if they do not.
func disagreement(ps []report.Parameter) string {
	worst := slices.MaxFunc(ps, func(a, b report.Parameter) int { return cmp.Compare(a.RHat, b.RHat) })
	if !(worst.RHat > 1.01) {
		return ""
	}
	return fmt.Sprintf("%s: R̂ %.3f: the ladders of this run disagree, and trajectories are no better than its draws. Run longer (r2sgld "+
		"resume).", worst.Name, worst.RHat)
}

// noteStart says where the first row of the data does not tell the start.
func (p *plan) noteStart() {
	src := p.src
	if p.options.From != src.run.Model.InitialTime() {
		return
	}
	for i, state := range src.model.States {
		if p.options.Start[i] == p.options.Start[i] || slices.Contains(src.run.Model.Parameters, state+".initial") {
			continue
		}
		v := src.data.Values[i]
		if k := slices.IndexFunc(v, func(x float64) bool { return x == x }); k > 0 {
			p.notes = append(p.notes, fmt.Sprintf("the first row of the data has no %s: the start takes that of the time %g. Give --start %s=… if "+
				"you know better.",
				state, src.data.Time[k], state))
		}
	}
}

// truth is a comparison with known parameters. Of a library, those that are not
// given are 0; initial values and noise are those of the mode unless given.
func (p *plan) truth(start []float64) (*rival, error) {
	values, err := assignments("truth", p.asked.Truth)
	if err != nil {
		return nil, err
	}
	src := p.src
	names := src.run.Model.Parameters
	x := slices.Repeat([]float64{math.NaN()}, len(names))
	for _, v := range values {
		j, err := src.index("truth", v.Name)
		if err != nil {
			return nil, err
		}
		x[j] = v.Value
	}
	var missing []string
	var taken []Value
	for j, name := range names {
		switch state, initial := strings.CutSuffix(name, ".initial"); {
		case x[j] == x[j]:
		case initial || strings.HasSuffix(name, ".noise"):
			x[j] = p.mode[j]
			if i := slices.Index(src.model.States, state); initial && !(i >= 0 && start[i] == start[i]) {
				taken = append(taken, Value{name, x[j]})
			}
		case len(src.run.Resolved.System().Library) > 0:
			x[j] = 0
		default:
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("--truth lacks %s", strings.Join(missing, ", "))
	}
	return &rival{name: "the truth", model: src.model, x: x, start: start, mode: taken}, nil
}

// against is a comparison with the mode of another run or with data.
func (p *plan) against(start []float64) (*rival, error) {
	path := p.asked.Against
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	if !info.IsDir() {
		d, err := p.src.read(path, 1)
		if err != nil {
			return nil, fmt.Errorf("--against: %w", err)
		}
		for i, v := range d.Values {
			if !slices.ContainsFunc(v, func(x float64) bool { return x == x }) {
				return nil, fmt.Errorf("--against: %s has no data of %s: compare with --truth or another run", path, p.src.model.States[i])
			}
		}
		if d = between(d, p.options.Times); len(d.Time) == 0 {
			return nil, fmt.Errorf("--against: %s has no whole row in the time of the simulation", path)
		}
		return &rival{name: filepath.Base(path), data: d}, nil
	}
	other, err := openSource(path)
	if refused := (*job.Refused)(nil); errors.As(err, &refused) {
		err = refused.Err // which says once for all that nothing was written
	}
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	if !slices.Equal(other.model.States, p.src.model.States) {
		return nil, fmt.Errorf("--against: %s has the states %s, not %s", path, strings.Join(other.model.States, ", "),
			strings.Join(p.src.model.States, ", "))
	}
	whole := !slices.ContainsFunc(start, math.IsNaN)
	if t := other.run.Model.InitialTime(); t != p.options.From && !whole {
		return nil, fmt.Errorf("--against: %s starts at %g, not at %g: give --start", path, t, p.options.From)
	}
	if len(other.modeless) > 0 {
		p.notes = append(p.notes, fmt.Sprintf("--against %s: %s.", path, medians(other.modeless)))
	}
	return &rival{name: other.run.Name + " (" + filepath.Base(path) + ")", model: other.model, x: other.point("mode"), start: start}, nil
}

// between are the rows of data that are whole and lie in the time of the
// simulation, in its order.
func between(d observed, times []float64) observed {
	first, last := times[0], times[len(times)-1]
	out := observed{Values: make([][]float64, len(d.Values))}
	for k, t := range d.Time {
		row := make([]float64, len(d.Values))
		for i := range row {
			row[i] = d.Values[i][k]
		}
		if t < min(first, last) || t > max(first, last) || slices.ContainsFunc(row, math.IsNaN) {
			continue
		}
		out.Time = append(out.Time, t)
		for i, v := range row {
			out.Values[i] = append(out.Values[i], v)
		}
	}
	if last < first {
		slices.Reverse(out.Time)
		for _, v := range out.Values {
			slices.Reverse(v)
		}
	}
	return out
}

// initial says where the state at the start is from.
func (p *plan) initial() string {
	src, given := p.src, 0
	for _, v := range p.options.Start {
		if v == v {
			given++
		}
	}
	rest := "the first row of the data, taken as exact"
	free := slices.ContainsFunc(src.run.Model.Parameters, func(n string) bool { return strings.HasSuffix(n, ".initial") })
	fixed := slices.ContainsFunc(src.run.Resolved.System().Fixed, func(e key.Entry) bool { return strings.HasSuffix(e.Key, ".initial") })
	switch {
	case p.options.From != src.run.Model.InitialTime():
		if given = len(p.asked.Start); given == 0 {
			return fmt.Sprintf("the data at %g, taken as exact", p.options.From)
		}
		rest = fmt.Sprintf("the data at %g, taken as exact", p.options.From)
	case free && fixed:
		rest = "the initial parameters, and those fixed"
	case free:
		rest = "the initial parameters"
	case fixed:
		rest = "the initial values that the run fixes"
	}
	switch {
	case given == 0:
		return rest
	case given >= len(p.options.Start):
		return "as given"
	}
	return "as given, else " + rest
}
