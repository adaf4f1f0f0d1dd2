package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/runner"
	"github.com/r2sgld/r2sgld/simulation"
	"github.com/r2sgld/r2sgld/store"
)

// simulated are the flags of simulate.
type simulated struct {
	common
	from, until, times, solver, against string
	start, truth                        []string
	startTime, level, rtol, atol, apart float64
	points, draws                       int
	noise, lyapunov, keep               bool
	given                               func(flag string) bool // whether the user set it
}

func simulateCommand() *cobra.Command {
	var s simulated
	cmd := &cobra.Command{
		Use:   "simulate RUN",
		Short: "Trajectories from an identify run: from its mode, mean or draws, with bands",
		Long: `Trajectories of the equations of an identify run, from the mode, the mean or draws
of their parameters, with bands. What lies beyond the data is a forecast. The folder
gets simulation.csv (the band of every state at every time), simulation.json and the
figures forecast, phase and, of a comparison, parting.

Bands are those of trajectories: what the parameters leave open. Where the noise of
the data is known (likelihood: trajectory), the interval of an observation stands
beside them; --noise=false leaves it out.`,
		Example: `  r2sgld simulate runs/lynx-hare
  r2sgld simulate runs/lynx-hare --until +20 --set beta=0.03
  r2sgld simulate runs/lorenz --from mode --truth sigma=10,rho=28,beta=2.6667 --lyapunov`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.given = cmd.Flags().Changed
			return s.run(cmd.Context(), args[0])
		},
	}
	s.register(cmd)
	return cmd
}

func (s *simulated) register(cmd *cobra.Command) {
	s.display(cmd)
	f := cmd.Flags()
	f.StringVar(&s.from, "from", "draws", "parameters: draws, mean or mode (of each parameter by itself)")
	f.StringVar(&s.until, "until", "", "last time, or +T: so much beyond the data (default the last time of the data)")
	f.Float64Var(&s.startTime, "start-time", 0, "first time: that of a row of the data, or give --start (default the first of the data)")
	f.StringSliceVar(&s.start, "start", nil, "initial state, as in x=1,y=2 (default the initial parameters of a trajectory run, else the data)")
	f.IntVar(&s.points, "points", 0, "times, evenly spaced (default as dense as the data, from 500 to 5000)")
	f.StringVar(&s.times, "times", "", "CSV file with the times in place of --until and --points, FILE or FILE:COLUMN")
	f.IntVar(&s.draws, "draws", 1000, "draws at most, spread evenly over all")
	f.Float64Var(&s.level, "level", 90, "of the intervals, in percent")
	f.BoolVar(&s.noise, "noise", true, "intervals of observations as well, where the noise of the data is known")
	f.StringArrayVar(&s.set, "set", nil, "change a parameter, as in --set beta=0.03 (repeatable)")
	f.StringArrayVar(&s.truth, "truth", nil, "compare with known parameters, as in sigma=10,rho=28 (repeatable)")
	f.StringVar(&s.against, "against", "", "compare with the mode of another run, or with data: a CSV file with the columns of the run")
	f.Float64Var(&s.apart, "apart", 1, "distance from which on trajectories are apart")
	f.StringVar(&s.solver, "solver", string(ode.DOP853), "dopri5, dop853, or lsoda for stiff equations")
	f.Float64Var(&s.rtol, "rtol", 1e-8, "relative tolerance of a step")
	f.Float64Var(&s.atol, "atol", 0, "absolute tolerance of a step (default 1e-10 of the largest value of each state)")
	f.BoolVar(&s.lyapunov, "lyapunov", false, "largest Lyapunov exponent at the mode, over a hundred times the length of the data")
	f.BoolVar(&s.keep, "keep", false, "write every trajectory into trajectories.csv, with random observations if --noise")
	f.StringVar(&s.out, "out", "", "folder (default RUN/simulation)")
	f.BoolVar(&s.force, "force", false, "write into a folder that is not empty")
	f.Uint64Var(&s.seed, "seed", 1, "seed of the random observations of --keep")
	f.IntVar(&s.threads, "threads", 0, "trajectories at once; changes no number (default all processors)")
}

// run simulates and leaves the folder.
func (s *simulated) run(ctx context.Context, dir string) error {
	if err := s.check(); err != nil {
		return &runner.Refused{Err: err}
	}
	src, err := openSource(dir)
	if err != nil {
		return err
	}
	p, err := s.prepare(src)
	if err != nil {
		return &runner.Refused{Err: err}
	}
	out := s.out
	if out == "" {
		out = filepath.Join(dir, "simulation")
	}
	folder, err := simulation.Take(store.Disk{}, filepath.Clean(out), s.force)
	if err != nil {
		return &runner.Refused{Err: err}
	}
	defer folder.Close()
	o, err := p.outcome(ctx)
	if err != nil {
		err = errors.Join(err, folder.Discard())
		if ctx.Err() != nil {
			return fmt.Errorf("stopped; nothing was written: %w", context.Cause(ctx))
		}
		return fmt.Errorf("%s: %w.\nnothing was written", src.run.Name, err)
	}
	figures, err := o.Write(folder)
	switch {
	case err != nil:
		return err
	case s.json:
		return printJSON(o.Report)
	case s.quiet:
		return nil
	}
	fmt.Print(o.Report.Text())
	for _, w := range o.Report.Warnings {
		fmt.Fprintln(os.Stderr, " ! "+w)
	}
	files := "simulation.csv, simulation.json"
	if s.keep {
		files += ", trajectories.csv"
	}
	fmt.Printf("\n wrote %s/: %s, figures (%s)\n", filepath.Clean(out), files, strings.Join(figures, " "))
	return nil
}

// check says what is wrong with the flags, whatever the run.
func (s *simulated) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !slices.Contains([]string{"draws", "mean", "mode"}, s.from) {
		bad("--from %s: must be draws, mean or mode", s.from)
	}
	if s.given("points") && (s.points < 2 || s.points > 1_000_000) {
		bad("--points %d: must be from 2 to 1000000", s.points)
	}
	if s.draws < 1 {
		bad("--draws %d: must be at least 1", s.draws)
	}
	if !(s.level > 0 && s.level < 100) {
		bad("--level %g: must be between 0 and 100, in percent", s.level)
	}
	if !(s.apart > 0) || math.IsInf(s.apart, 1) {
		bad("--apart %g: must be a positive distance", s.apart)
	}
	if s.given("atol") && (!(s.atol >= 0) || math.IsInf(s.atol, 1)) {
		bad("--atol %g: must be finite and not negative", s.atol)
	}
	if s.given("start-time") && s.startTime-s.startTime != 0 {
		bad("--start-time %g: must be a finite time", s.startTime)
	}
	if s.threads < 0 {
		bad("--threads %d: must not be negative", s.threads)
	}
	if s.times != "" && (s.until != "" || s.given("points")) {
		bad("--times says it all: remove --until and --points")
	}
	if s.against != "" && len(s.truth) > 0 {
		bad("--truth and --against exclude each other")
	}
	if s.given("apart") && s.against == "" && len(s.truth) == 0 {
		bad("--apart belongs to a comparison: add --truth or --against")
	}
	return errors.Join(errs...)
}

// solverOptions are those of the flags for states as large as those of the data.
func (s *simulated) solverOptions(src *source) (ode.Options, error) {
	o := ode.Options{Method: ode.Method(s.solver), RTol: s.rtol}
	least := math.Inf(1) // of those states that have data
	for _, values := range src.data.Values {
		a := 0.0
		for _, v := range values {
			if v == v {
				a = math.Max(a, 1e-10*math.Abs(v))
			}
		}
		if a > 0 {
			least = math.Min(least, a)
		}
		o.ATol = append(o.ATol, a)
	}
	for i, a := range o.ATol {
		switch {
		case s.given("atol"):
			o.ATol[i] = s.atol
		case a == 0 && math.IsInf(least, 1):
			o.ATol[i] = 1e-10
		case a == 0:
			o.ATol[i] = least
		}
	}
	_, err := ode.NewSolver(len(o.ATol), o)
	return o, err
}

// assignments reads NAME=VALUE, several of them parted by commas outside of
// parentheses. Spaces do not count.
func assignments(flag string, texts []string) ([]simulation.Value, error) {
	var out []simulation.Value
	var errs []error
	for _, text := range texts {
		for _, part := range splitOutside(strings.Join(strings.Fields(text), "")) {
			at := strings.LastIndexByte(part, '=')
			if at <= 0 {
				errs = append(errs, fmt.Errorf("--%s %s: write NAME=VALUE", flag, part))
				continue
			}
			name := part[:at]
			v, err := strconv.ParseFloat(part[at+1:], 64)
			switch {
			case err != nil || v-v != 0:
				errs = append(errs, fmt.Errorf("--%s %s: %q is not a finite number", flag, part, part[at+1:]))
			case slices.ContainsFunc(out, func(o simulation.Value) bool { return o.Name == name }):
				errs = append(errs, fmt.Errorf("--%s: %s is given twice", flag, name))
			}
			out = append(out, simulation.Value{Name: name, Value: v})
		}
	}
	return out, errors.Join(errs...)
}

// splitOutside splits at commas outside of parentheses.
func splitOutside(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// grid are the times of the simulation, from its start on.
func (s *simulated) grid(src *source, from float64) ([]float64, error) {
	if s.times != "" {
		return s.fileTimes(src, from)
	}
	until := src.end()
	if s.until != "" {
		v, err := strconv.ParseFloat(strings.TrimPrefix(s.until, "+"), 64)
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("--until %s: must be a time, or +T for so much beyond the data", s.until)
		}
		if strings.HasPrefix(s.until, "+") {
			v += until
		}
		until = v
	}
	if until == from {
		return nil, fmt.Errorf("nothing to simulate: it begins and ends at %g; give --until", from)
	}
	points := s.points
	if points == 0 {
		t := src.data.Time
		points = int(math.Min(5000, math.Max(500, 1+math.Round(math.Abs(until-from)*float64(len(t)-1)/(t[len(t)-1]-t[0])))))
	}
	return simulation.Grid(from, until, points), nil
}

// fileTimes reads the times from a file.
func (s *simulated) fileTimes(src *source, from float64) ([]float64, error) {
	file, column := s.times, src.run.Resolved.Data.Time
	if _, err := os.Stat(file); err != nil {
		if i := strings.LastIndexByte(file, ':'); i > 0 {
			file, column = file[:i], file[i+1:]
		}
	}
	if column == "" {
		return nil, errors.New("--times: the data have no column of times; write FILE:COLUMN")
	}
	series, err := dynamics.ReadSeries(file, dynamics.Columns{Time: column})
	if err != nil {
		return nil, fmt.Errorf("--times: %w", err)
	}
	times := slices.Clone(series.Time)
	if times[len(times)-1] <= from {
		slices.Reverse(times)
	} else if times[0] < from {
		return nil, fmt.Errorf("--times: %g lies before the start at %g: give --start-time, with --start unless it is that of a row of the data", times[0], from)
	}
	return times, nil
}
