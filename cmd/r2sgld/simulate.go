package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/forecast"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// simulated are the flags of simulate.
type simulated struct {
	common
	forecast.Options
	startTime, atol, apart float64
	points                 int
	noise                  bool
}

func simulateCommand() *cobra.Command {
	var s simulated
	cmd := &cobra.Command{
		Use:   "simulate RUN",
		Short: "Trajectories from an identify run, or predictions of rows from a fit run",
		Long: `Trajectories of the equations of an identify run, from the mode, the mean or draws
of their parameters, with bands. What lies beyond the data is a forecast. The folder
gets simulation.csv (the band of every state at every time), simulation.json and the
figures forecast, phase and, of a comparison, parting.

Bands are those of trajectories: what the parameters leave open. Where the noise of
the data is known (likelihood: trajectory), the interval of an observation stands
beside them; --noise=false leaves it out.

From a fit run, predictions of what its likelihood is of, for each row of its data or
of --data: mean and interval, and beside it what was observed, if it is there.`,
		Example: `  r2sgld simulate runs/lynx-hare
  r2sgld simulate runs/lynx-hare --until +20 --set beta=0.03
  r2sgld simulate runs/o-rings --data launches.csv
  r2sgld simulate runs/lorenz --from mode --apart 5 --lyapunov \
    --truth x.x=-10,x.y=10,y.x=28,y.y=-1,y.x*z=-1,z.z=-2.6667,z.x*y=1`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.choose(cmd.Flags().Changed)
			return s.run(cmd.Context(), args[0])
		},
	}
	s.register(cmd)
	return cmd
}

func (s *simulated) register(cmd *cobra.Command) {
	s.display(cmd)
	f := cmd.Flags()
	f.StringVar(&s.From, "from", "draws", "parameters: draws, mean or mode (of each parameter by itself)")
	f.StringVar(&s.Until, "until", "", "last time, or +T: so much beyond the data (default the last time of the data)")
	f.Float64Var(&s.startTime, "start-time", 0, "first time: that of a row of the data, or give --start (default the first of the data)")
	f.StringSliceVar(&s.Start, "start", nil,
		"initial state, as in x=1,y=2 (default the initial parameters of a trajectory run, else the data)")
	f.IntVar(&s.points, "points", 0, "times, evenly spaced (default as dense as the data, from 500 to 5000)")
	f.StringVar(&s.Times, "times", "", "CSV file with the times in place of --until and --points, FILE or FILE:COLUMN")
	f.IntVar(&s.Draws, "draws", 1000, "draws at most, spread evenly over all")
	f.StringVar(&s.Data, "data", "", "of a fit run: CSV file with the columns of its model, a row per prediction "+
		"(default the data of the run)")
	f.Float64Var(&s.Level, "level", 90, "of the intervals, in percent")
	f.BoolVar(&s.noise, "noise", true, "intervals of observations as well, where the noise of the data is known")
	f.StringArrayVar(&s.Set, "set", nil, "change a parameter, as in --set beta=0.03 (repeatable)")
	f.StringArrayVar(&s.Truth, "truth", nil,
		"compare with known parameters, as in sigma=10,rho=28; initial values not given are those of the mode, terms of a library 0 (repeatable)")
	f.StringVar(&s.Against, "against", "", "compare with the mode of another run, or with data: a CSV file with the columns of the run")
	f.Float64Var(&s.apart, "apart", 1,
		"distance from which on trajectories are apart: root of the sum of squares over the states, in their units")
	f.StringVar((*string)(&s.Solver), "solver", string(ode.DOP853), "dopri5, dop853, or lsoda for stiff equations")
	f.Float64Var(&s.RTol, "rtol", 1e-8, "relative tolerance of a step")
	f.Float64Var(&s.atol, "atol", 0, "absolute tolerance of a step (default 1e-10 of the largest value of each state)")
	f.BoolVar(&s.Lyapunov, "lyapunov", false, "largest Lyapunov exponent at the mode, over a hundred times the length of the data")
	f.BoolVar(&s.Keep, "keep", false, "write every trajectory into trajectories.csv, with random observations if --noise; of a fit run "+
		"every draw into draws.csv")
	f.StringVar(&s.Out, "out", "", "folder (default RUN/simulation)")
	f.BoolVar(&s.Force, "force", false, "write into a folder that is not empty; a simulation in it is replaced")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of random observations")
	f.IntVar(&s.Threads, "threads", 0, "trajectories at once; changes no number (default all processors)")
}

// choose takes over what has no value unless it is given.
func (s *simulated) choose(given func(flag string) bool) {
	s.StartTime, s.ATol, s.Apart = ifGiven(given("start-time"), &s.startTime), ifGiven(given("atol"), &s.atol),
		ifGiven(given("apart"), &s.apart)
	s.Points, s.Noise = ifGiven(given("points"), &s.points), ifGiven(given("noise"), &s.noise)
}

// ifGiven is the value of a flag, nil unless the user set it.
func ifGiven[T any](given bool, value *T) *T {
	if !given {
		return nil
	}
	return value
}

// run simulates and says what was found.
func (s *simulated) run(ctx context.Context, dir string) error {
	leaving(func() string { return "stopped; simulate again: r2sgld simulate " + dir })
	_, progress := s.screen()
	work := report.StartWork(progress, "simulate", "trajectories and figures")
	r, err := forecast.Make(ctx, dir, s.Options)
	work.Stop()
	switch {
	case err != nil:
		return err
	case s.json:
		return s.printJSON(r.Told)
	case s.quiet:
		return nil
	}
	fmt.Fprint(s.stdout(), r.Text(text.StyleOf(s.stdout())))
	text.Warn(s.stderr(), r.Warned()...)
	wrote := strings.Join(r.Files, ", ")
	if len(r.Figures) > 0 {
		wrote += fmt.Sprintf(", figures (%s)", strings.Join(r.Figures, " "))
	}
	_, err = fmt.Fprintf(s.stdout(), "\n wrote %s/: %s\n", r.Dir, wrote)
	return err
}
