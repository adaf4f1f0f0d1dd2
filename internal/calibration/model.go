package calibration

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/tune"
)

// A Model is a configuration whose priors and likelihood can be drawn from.
type Model struct {
	Names []string // of the parameters

	run     *config.Run
	load    func(data []byte) (*config.Run, error)
	draw    func(ctx context.Context, rng *rand.Rand) ([]float64, error) // parameters from the priors, within the domain
	imitate func(ctx context.Context, x []float64, rng *rand.Rand) ([]byte, error)
}

// modelOf makes a model of a run; load is its configuration with other data. Its error says what
// keeps its data from being drawn.
func modelOf(ctx context.Context, run *config.Run, load func(data []byte) (*config.Run, error)) (*Model, error) {
	m := &Model{run: run, load: load, Names: run.Problem.ReportedNames()}
	var err error
	if run.Rows != nil {
		err = m.ofRows()
	} else {
		err = m.ofTrajectories(ctx)
	}
	return m, err
}

// ofRows draws the parameters and the data of a model of rows.
func (m *Model) ofRows() error {
	d := m.run.Problem.Reported()
	draw := m.run.Rows.Draws(domain.BoundsOf(d, len(m.Names)))
	if draw == nil {
		return errors.New("parameters are drawn from their priors: every one needs a prior, or walls on both sides")
	}
	m.draw = func(ctx context.Context, rng *rand.Rand) ([]float64, error) {
		x := make([]float64, len(m.Names))
		for range mostTries {
			if ctx.Err() != nil {
				break
			}
			lawful := true
			draw(x, rng)
			for _, v := range x {
				lawful = lawful && v-v == 0
			}
			if lawful && (d == nil || d.Contains(x)) {
				return x, nil
			}
		}
		return nil, errors.Join(ctx.Err(), fmt.Errorf("none of %d draws from the priors lies in the domain", mostTries))
	}
	im, err := m.run.Rows.Imitate()
	if err != nil {
		return err
	}
	m.imitate = func(_ context.Context, x []float64, rng *rand.Rand) ([]byte, error) { return im.Table(x, rng) }
	return nil
}

// mostTries is how many draws of the priors are made for one in the domain, at most.
const mostTries = 100_000

// ofTrajectories draws the parameters and the data of a model of trajectories.
func (m *Model) ofTrajectories(ctx context.Context) (err error) {
	if m.imitate, err = trajectories(m.run); err != nil {
		return err
	}
	p := m.run.Problem
	if p.Guide = nil; p.Base == nil {
		return errors.New("parameters are drawn from their priors: every one needs a prior, or walls on both sides, and the run method auto")
	}
	law, err := p.Reference(ctx)
	if err != nil {
		return err
	}
	m.draw = func(ctx context.Context, rng *rand.Rand) ([]float64, error) {
		y, x := make([]float64, p.Potential.Dim()), make([]float64, len(m.Names))
		if err := law.Draw(ctx, y, rng); err != nil || p.Chart == nil {
			return y, err
		}
		p.Chart.Point(x, y)
		return x, nil
	}
	return nil
}

// trajectories draws the data of a model of trajectories.
func trajectories(run *config.Run) (func(ctx context.Context, x []float64, rng *rand.Rand) ([]byte, error), error) {
	model, err := simulation.Of(run.Model)
	if err != nil {
		return nil, err
	}
	if model.Noise == nil || run.Resolved.System().Likelihood != system.Trajectory {
		return nil, errors.New("data are drawn by trajectories and their noise: identify with model.likelihood=trajectory")
	}
	times := run.Model.Time
	solver := ode.Options{Method: ode.DOP853, RTol: 1e-8, ATol: slices.Repeat([]float64{1e-10}, len(model.States))}
	t := observedTable(run, model)
	return func(ctx context.Context, x []float64, rng *rand.Rand) ([]byte, error) {
		r, err := simulation.Run(ctx, model, [][]float64{x}, simulation.Options{From: times[0], Times: times, Threads: 1, Solver: solver})
		if err != nil {
			return nil, err
		}
		sd := make([]float64, len(model.States))
		model.Noise(sd, x)
		return t.noisy(r, sd, rng)
	}, nil
}

// A stateTable is where a table of data has which state, and at which times.
type stateTable struct {
	header   []string
	timed    bool                     // its first column is the time
	column   []int                    // which state each other column is of
	observed map[int]map[float64]bool // by state, the times with a value
}

// observedTable is that of the data of a run.
func observedTable(run *config.Run, model *simulation.Model) *stateTable {
	d := run.Resolved.Series()
	t := &stateTable{timed: d.Time != "", observed: map[int]map[float64]bool{}}
	if t.timed {
		t.header = []string{d.Time}
	}
	for _, e := range d.States {
		t.header, t.column = append(t.header, fmt.Sprint(e.Value)), append(t.column, slices.Index(model.States, e.Key))
	}
	for _, r := range run.Model.Responses {
		at := map[float64]bool{}
		for _, time := range r.Time {
			at[time] = true
		}
		t.observed[slices.Index(model.States, r.State)] = at
	}
	return t
}

// noisy is a table of a trajectory with noise of these standard deviations; its error says
// which number is none.
func (t *stateTable) noisy(r *simulation.Result, sd []float64, rng *rand.Rand) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write(t.header) // to memory, as all that follows
	for k, time := range r.Times {
		var cells []string
		if t.timed {
			cells = append(cells, strconv.FormatFloat(time, 'g', -1, 64))
		}
		for _, i := range t.column {
			v, e := r.Paths[0][k*len(r.Model.States)+i], sd[i]*rng.NormFloat64()
			if r.Model.LogNormal {
				v *= math.Exp(e)
			} else {
				v += e
			}
			switch {
			case !t.observed[i][time]:
				cells = append(cells, "")
			case v-v != 0 || r.Model.LogNormal && v <= 0:
				return nil, fmt.Errorf("%s is %g at time %g", r.Model.States[i], v, time)
			default:
				cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return out.Bytes(), nil
}

// A posterior is what a run says of the parameters.
type posterior struct {
	draws     [][]float64 // of each parameter, the chains one after another
	density   []float64   // log likelihood of each draw
	converged bool
}

// fit draws from the posterior of other data, and writes the log likelihood at the truth.
func (m *Model) fit(ctx context.Context, data []byte, truth []float64, seed uint64) (*posterior, float64, error) {
	r, err := m.load(data)
	if err != nil {
		return nil, 0, err
	}
	if names := r.Problem.ReportedNames(); !slices.Equal(names, m.Names) {
		return nil, 0, fmt.Errorf("the parameters are %v, not %v", names, m.Names)
	}
	r.Settings.Seed, r.Settings.Threads = seed, 1
	out := &posterior{converged: true}
	var res *r2sgld.Result
	if r.Until == nil {
		res, err = r2sgld.Sample(ctx, r.Problem, r.Settings)
	} else {
		var o *tune.Outcome
		if o, err = tune.Run(ctx, r.Problem, r.Settings, *r.Until, tune.Options{}); err == nil {
			res, out.converged = o.Result, o.Judgement.Met
		}
	}
	if err != nil {
		return nil, 0, err
	}
	var log func(dst, x []float64) bool
	var n int
	if r.Rows != nil {
		log, n = r.Rows.Likelihood.LogDensity(nil), r.Rows.Likelihood.Rows()
	} else {
		e := compare.Of(r.Model)
		log, n = e.LogDensity(nil), e.Data.Observed
	}
	value, x := make([]float64, n), make([]float64, len(m.Names))
	sum := func() (s float64) {
		log(value, x)
		for _, v := range value {
			s += v
		}
		return s
	}
	for j := range m.Names {
		out.draws = append(out.draws, slices.Concat(res.Chains(j)...))
	}
	for k := range most {
		for j := range x {
			x[j] = out.draws[j][place(k, len(out.draws[j]))]
		}
		out.density = append(out.density, sum())
	}
	copy(x, truth)
	return out, sum(), nil
}

// place is where draw k of those that are looked at is, among n.
func place(k, n int) int { return (2*k + 1) * n / (2 * most) }
