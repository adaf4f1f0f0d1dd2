package dynamical

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/tune"
)

// An own run is method auto, which is what the program does if nothing is said.
type own struct {
	v     *variant
	what  string // which law
	text  string // the configuration
	more  []string
	noise string
	judged
}

// What is judged of an own run can be kept.
type judged struct {
	// Exact are mean, standard deviation and their errors, of the key coefficients
	Exact [][4]float64
	Found []found
	Draws int
	Rungs int
	RHat  float64
	ESS   float64
	Took  float64
}

// found is what was found of a coefficient.
type found struct {
	Mean, MCSE, SD, SDMCSE, Mode float64
}

// owns are the laws that method auto is tried on.
func (m *inquiry) owns() []*own {
	key, all := m.system.variants[0], m.system.variants[1]
	var given []string
	for _, s := range m.system.states {
		given = append(given, s+": 1")
	}
	full := "{" + strings.Join(given, ", ") + "}"
	out := []*own{
		{v: key, what: "U as in the paper", noise: "paper"},
		{v: key, what: "U as in the paper, with constraints that bind", noise: "paper", more: m.system.binding},
	}
	if m.Scale != study.Smoke {
		out = append(out, &own{v: all, what: "U as in the paper", noise: "paper"},
			&own{v: key, what: "likelihood of the data", noise: full}, &own{v: all, what: "likelihood of the data", noise: full})
	}
	for _, o := range out {
		o.text = o.v.system.dataText() + o.v.modelText(0, o.noise, true, o.more...) + fmt.Sprintf("sampler:\n  seed: %d\n",
			study.SeedOf(m.Seed, "own "+o.v.name+o.what))
	}
	return out
}

// defaults runs method auto.
func (m *inquiry) defaults(ctx context.Context) error {
	m.own = m.owns()
	return m.timed("method auto", func() error {
		found, err := study.Gather(ctx, m.Options, m.system.name+": method auto", len(m.own), func(ctx context.Context, i int) (judged, error) {
			return m.own[i].run(ctx, m)
		})
		for i, j := range found {
			m.own[i].judged = j
		}
		return err
	})
}

func (o *own) run(ctx context.Context, m *inquiry) (out judged, err error) {
	run, err := load(m.dir, o.what, o.text)
	if err != nil {
		return out, err
	}
	if m.Scale == study.Smoke {
		run.Settings.Iterations = 10_000
		run.Until.Iterations = 40_000
	}
	run.Settings.MaxDraws = tune.MostHeld(len(o.v.parameters), run.Settings.Ladders, 8)
	begin := time.Now()
	res, s, err := tune.Sample(ctx, run.Problem, run.Settings, *run.Until)
	if err != nil {
		return out, fmt.Errorf("%s, %s: %w", o.v.told, o.what, err)
	}
	out.Took, out.Rungs = time.Since(begin).Seconds(), len(s.Temperature)
	j := run.Until.Judge(res)
	out.RHat, out.ESS = j.RHat, j.ESS
	for _, k := range o.v.key {
		q := o.v.quantities[k]
		chains := make([][]float64, len(res.Ladders))
		for i, l := range res.Ladders {
			d := len(o.v.parameters)
			for t := 0; t < len(l.X[0]); t += d {
				chains[i] = append(chains[i], q.of(l.X[0][t:t+d]))
			}
		}
		sum := diag.Summarize(q.name, chains, math.Inf(-1), math.Inf(1))
		out.Draws = len(chains) * len(chains[0])
		out.Found = append(out.Found, found{sum.Mean, sum.MCSEMean, sum.SD, diag.MCSESd(chains),
			diag.Mode(slices.Concat(chains...), math.Inf(-1), math.Inf(1))})
	}
	out.Exact = truncated(o.v, run.Model, o.more, run.Problem.Reported().Contains, m.Scale)
	return out, nil
}

// truncated is the exact law of the key coefficients: of a normal law in closed
// form or, with constraints that bind, by rejection. It returns mean, standard
// deviation and the standard errors of both.
func truncated(v *variant, p *dynamics.Problem, more []string, keep func([]float64) bool, scale study.Scale) [][4]float64 {
	out := make([][4]float64, len(v.key))
	if more == nil {
		r := &ruler{v: v, exact: p}
		r.law()
		for i, k := range v.key {
			out[i] = [4]float64{r.mean[k], r.sd[k], 0, 0}
		}
		return out
	}
	n := 4_000_000
	if scale == study.Smoke {
		n = 400_000
	}
	rng := rand.New(rand.NewPCG(2024, 5))
	d := len(v.parameters)
	z, x := make([]float64, d), make([]float64, d)
	kept := make([][]float64, len(v.key))
	for range n {
		for j := range z {
			z[j] = rng.NormFloat64()
		}
		for j := range x {
			x[j] = p.Center[j]
			for k, l := range p.Factor[j] {
				x[j] += l * z[k]
			}
		}
		if !keep(x) {
			continue
		}
		for i, k := range v.key {
			kept[i] = append(kept[i], v.quantities[k].of(x))
		}
	}
	for i, c := range kept {
		mean, sd := diag.Mean(c), diag.SD(c)
		fourth := 0.0
		for _, y := range c {
			fourth += math.Pow((y-mean)/sd, 4) / float64(len(c))
		}
		m := float64(len(c))
		out[i] = [4]float64{mean, sd, sd / math.Sqrt(m), sd * math.Sqrt((fourth-1)/4/m)}
	}
	return out
}

// deviations are the largest ones from the exact law: of means and standard deviations,
// each in standard errors and in exact standard deviations; and the error of the modes.
type deviations struct{ MeanZ, MeanSD, SDZ, SDShare, Error float64 }

func (o *own) worst() deviations {
	w := deviations{Error: o.error()}
	for i, f := range o.Found {
		e := o.Exact[i]
		w.MeanZ = max(w.MeanZ, math.Abs(f.Mean-e[0])/math.Hypot(f.MCSE, e[2]))
		w.MeanSD = max(w.MeanSD, math.Abs(f.Mean-e[0])/e[1])
		w.SDZ = max(w.SDZ, math.Abs(f.SD-e[1])/math.Hypot(f.SDMCSE, e[3]))
		w.SDShare = max(w.SDShare, math.Abs(f.SD/e[1]-1))
	}
	return w
}

// error is that of the modes.
func (o *own) error() float64 {
	sum := 0.0
	for i, k := range o.v.key {
		e := o.Found[i].Mode/o.v.quantities[k].truth - 1
		sum += e * e / float64(len(o.v.key))
	}
	return math.Sqrt(sum)
}
