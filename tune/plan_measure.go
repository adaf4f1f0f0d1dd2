package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

const (
	planDraws   = 400  // of a rung, at which energies are compared
	planNoisy   = 200  // of a rung, at which noisy energies are evaluated
	planBatches = 10   // minibatches at each
	shortDraws  = 1000 // of a rung and ladder, unless they take more than
	shortBytes  = 1 << 28
	trialNames  = 500 // coordinates whose effective sample sizes are looked at, about
	fewestTrips = 10
	undecided   = 1.2 // R̂ of a short run above which effective sample sizes mean nothing
	quietStream = 0x6a09e667f3bcc909
	shortStream = 0xbb67ae8584caa73b
)

// A view is what the energies at draws tell.
type view struct {
	rungs    []Energies
	variance []float64 // of the difference of noisy energies, per pair
	seconds  float64   // of energies over all data for one block; 0 if these are not known
}

func newView(temperature []float64) *view {
	v := &view{rungs: make([]Energies, len(temperature)), variance: make([]float64, len(temperature)-1)}
	for r, tau := range temperature {
		v.rungs[r].Beta = 1 / tau
	}
	return v
}

// short are settings of a short run of states of dimension d.
func short(s r2sgld.Settings, d, n int) r2sgld.Settings {
	row := 8 * (d + 1) * len(s.Temperature) * s.Ladders
	draws := max(64, min(shortDraws, shortBytes/row))
	s.Iterations, s.BurnIn = n, n/2
	s.Thin, s.MaxDraws = max(1, n/2/draws), 0
	s.Decay = kernel.Decay{}
	certificate := s.Certificate // it takes its time
	s = s.Alone()
	s.Certificate = certificate
	return s
}

// take takes the energies of draws as they are, without noise.
func (v *view) take(res *r2sgld.Result) {
	for r := range v.rungs {
		e := &v.rungs[r]
		e.U = energiesOf(res, r, planDraws)
		e.Mean, e.SD = moments(energiesOf(res, r, math.MaxInt))
	}
}

// energiesOf gathers at most most energies of a rung, evenly from all ladders.
func energiesOf(res *r2sgld.Result, rung, most int) []float64 {
	var u []float64
	each := max(1, most/len(res.Ladders))
	for _, l := range res.Ladders {
		traded := l.Traded(rung)
		n := len(traded)
		for i := range min(each, n) {
			u = append(u, traded[(i+1)*n/min(each, n)-1])
		}
	}
	return u
}

// moments are mean and standard deviation of the finite values.
func moments(u []float64) (mean, sd float64) {
	var m diag.Running
	for _, v := range u {
		if v-v == 0 {
			m.Add(v)
		}
	}
	return m.Mean(), math.Sqrt(m.Variance())
}

// look evaluates energies at draws, with noise on several minibatches, which all
// rungs share, and without where that can be.
func (v *view) look(p, exact potential.Potential, res *r2sgld.Result, seed uint64) error {
	rungs, d := len(v.rungs), p.Dim()
	x := make([][]float64, rungs)
	for r := range x {
		x[r] = drawsOf(res, r, planNoisy)
	}
	set := stream.New(seed, streamOf+1)
	noisy := p.Evaluator(rungs, set)
	var whole potential.Evaluator
	if exact != nil {
		whole = exact.Evaluator(rungs, set)
	}
	block, slope, u := make([]float64, rungs*d), make([]float64, rungs*d), make([]float64, rungs)
	batch := make([][]float64, planBatches)
	for b := range batch {
		batch[b] = make([]float64, rungs)
	}
	n := len(x[0]) / d
	for i := range n {
		for r := range x {
			for j := range d {
				block[j*rungs+r] = x[r][i*d+j]
			}
		}
		for _, energy := range batch {
			noisy.Eval(energy, slope, block)
		}
		begun := time.Now()
		if whole != nil {
			whole.Eval(u, slope, block)
			v.seconds += time.Since(begun).Seconds() / float64(n)
		}
		v.add(batch, u, whole != nil, n)
	}
	for r := range v.rungs {
		e := &v.rungs[r]
		e.Noise = math.Sqrt(e.Noise)
		e.Mean, e.SD = moments(e.U)
	}
	err := errors.Join(potential.Err(noisy), potential.Close(noisy))
	if whole != nil {
		err = errors.Join(err, potential.Err(whole), potential.Close(whole))
	}
	return err
}

// add takes the energies of one of n blocks on several minibatches, and those
// without noise if they are known.
func (v *view) add(batch [][]float64, exact []float64, known bool, n int) {
	each := make([]float64, len(batch))
	for r := range v.rungs {
		for b, energy := range batch {
			each[b] = energy[r]
		}
		e := &v.rungs[r]
		if known {
			e.U = append(e.U, exact[r])
			for _, u := range each {
				e.Noise += (u - exact[r]) * (u - exact[r]) / float64(n*len(batch))
			}
		} else {
			e.U = append(e.U, diag.Mean(each))
			e.Noise += diag.Variance(each) / float64(n)
		}
		if r == 0 {
			continue
		}
		for b, energy := range batch {
			each[b] = energy[r-1] - energy[r]
		}
		v.variance[r-1] += diag.Variance(each) / float64(n)
	}
}

// A trial is what a short run of the settings themselves tells.
type trial struct {
	iterations int     // per ladder
	seconds    float64 // an iteration of all ladders side by side
	single     float64 // an iteration of one ladder, with as many threads as there are for it
	ess        float64 // of the worst parameter, per iteration; NaN where ladders do not agree
	worst      string  // its name
	rhat       float64
	evidence   float64 // squared standard error of log Z times iterations; NaN where it is not known
	trips      int64   // of all ladders, after burn-in
}

// A clock notes when a ladder's first and last iterations end.
type clock struct {
	last  int
	begun time.Time
	ended time.Time
}

func (c *clock) Record(k int, _ *kernel.Block) error {
	switch k {
	case 1:
		c.begun = time.Now()
	case c.last:
		c.ended = time.Now()
	}
	return nil
}

// try runs s itself for n iterations.
func try(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, n int) (*r2sgld.Result, *trial, error) {
	s = short(s, p.Potential.Dim(), n)
	s.Seed += shortStream
	clocks := make([]clock, s.Ladders)
	s.Recorder = func(ladder int) r2sgld.Recorder {
		clocks[ladder].last = n
		return &clocks[ladder]
	}
	res, err := r2sgld.Sample(ctx, p, s)
	if err != nil {
		return nil, nil, fmt.Errorf("short run: %w", err)
	}
	t := &trial{iterations: n - s.BurnIn}
	t.time(clocks, n)
	if s := res.Swaps(); len(s.Pairs) > 0 {
		t.trips = s.RoundTrips
	}
	t.judge(res)
	return res, t, nil
}

// time reads the clocks of ladders that have done n iterations.
func (t *trial) time(clocks []clock, n int) {
	from, to := clocks[0].begun, clocks[0].ended
	for i := range clocks {
		c := &clocks[i]
		if c.begun.Before(from) {
			from = c.begun
		}
		if c.ended.After(to) {
			to = c.ended
		}
		t.single += c.ended.Sub(c.begun).Seconds() / float64((n-1)*len(clocks))
	}
	t.seconds = to.Sub(from).Seconds() / float64(n-1)
}

// judge looks for the worst parameter, among very many for the worst of every so
// many, and at the error of log Z.
func (t *trial) judge(res *r2sgld.Result) {
	least, step := math.Inf(1), max(1, len(res.Names)/trialNames)
	for j := 0; j < len(res.Names); j += step {
		chains := res.Chains(j)
		ess, rhat := math.Min(diag.ESSBulk(chains), diag.ESSTail(chains)), diag.Agreement(chains)
		if !(rhat <= t.rhat) {
			t.rhat = rhat
		}
		if !(ess >= least) { // NaN, or smaller
			least, t.worst = ess, res.Names[j]
		}
	}
	if !(t.rhat < undecided) {
		least = math.NaN()
	}
	t.ess = least / float64(t.iterations)
	se := Evidence(res).Error
	t.evidence = se * se * float64(t.iterations)
}
