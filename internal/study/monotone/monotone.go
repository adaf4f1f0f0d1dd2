// Package monotone answers what walls for the weights of a net are worth where they stand for
// something that is known: a response to mixtures of two chemicals that falls with their dose. The
// posterior of such a net, given few rows, is sampled with reflection at the walls, by
// projection, by clipping afterwards, in logarithms, and without the constraint, and what each
// predicts of the other rows is compared.
package monotone

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Title says what the study is about.
const Title = "A monotone net: walls for weights that mean something, on doses and growth"

// Results are all numbers of the study.
type Results struct {
	Rows    int            `json:"rows"`                 // of the table
	Learn   int            `json:"learned"`              // of them, in each repetition
	Weights int            `json:"weights"`              // with a wall
	Params  int            `json:"unknowns"`             // all parameters
	Ladders [][2][]float64 `json:"inverse_temperatures"` // by repetition, of the constrained and of the free law of mixtures
	Methods []Method       `json:"methods"`
	Runs    []Trial        `json:"repetitions"`

	table  study.Tidy
	shares map[string][]float64      // of weights by distance from 0, mean over repetitions
	rays   map[string][][3][]float64 // of the first repetition
	first  *split
}

// A Method is means over repetitions.
type Method struct {
	Name    string         `json:"method"`
	Density study.Interval `json:"log_density"`
	RMSE    study.Interval `json:"rmse"`
	Covered study.Interval `json:"coverage"`
	Rising  study.Interval `json:"rising"`
	Somehow study.Interval `json:"rising_draws"`
	Near    study.Interval `json:"near_wall"`
	Wall    study.Interval `json:"at_wall"`
	Fit     study.Interval `json:"posterior_density"`
	RHat    float64        `json:"largest_rhat"`
	ESS     float64        `json:"least_ess"`
}

// A Trial is a method in a repetition.
type Trial struct {
	Method string `json:"method"`
	Number int    `json:"repetition"` // from 1
	marks
}

// effort is how much is run.
type effort struct {
	repetitions int
	learn       int // rows
	exact       int // trajectories of a ladder after burn-in
	walk        int // iterations of a ladder of Langevin dynamics
	keep        int // draws of a ladder
	rounds      int // of a warm-up at most: chains of free nets may mix too slowly for it to settle
	// how many times as many trajectories and iterations chains without the constraint make, which mix more slowly
	longer, further int
}

func effortOf(s study.Scale) effort {
	if s == study.Smoke {
		return effort{2, 36, 100, 2000, 50, 3, 1, 1}
	}
	return effort{10, 36, 1000, 40_000, 500, 6, 3, 3}
}

// Run runs the study of the monotone net. It fails if a run does, or ctx ends.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) { return effortOf(o.Scale).study(ctx, o) })
}

// study makes all runs and tells them.
func (e effort) study(ctx context.Context, o study.Options) (*study.Study, error) {
	r, err := e.results(ctx, o)
	if err != nil {
		return nil, err
	}
	s := o.Begin("monotone", Title)
	s.Claims, s.Results = r.claims(), r
	s.Effort = fmt.Sprintf("%d repetitions of %d rows to learn from and %d to predict; %d ladders a method, of %s trajectories (exact) or %s "+
		"iterations, without the constraint %s and %s", e.repetitions, e.learn, r.Rows-e.learn, ladders, text.Count(e.exact), text.Count(e.walk),
		text.Count(e.longer*e.exact), text.Count(e.further*e.walk))
	s.Rule = study.Rule("paired t over repetitions, which share their rows", "")
	s.Sections, err = r.sections()
	return s, err
}

// results makes all runs: first those by exact kernels, whose ladders and curvatures the others take.
func (e effort) results(ctx context.Context, o study.Options) (*Results, error) {
	n, laws := e.repetitions, posings()
	refs, err := study.Gather(ctx, o, "monotone: exact", len(laws)*n, func(ctx context.Context, i int) (reference, error) {
		return e.refer(ctx, o.Seed, i/len(laws), laws[i%len(laws)])
	})
	if err != nil {
		return nil, err
	}
	all := walks()
	walked, err := study.Gather(ctx, o, "monotone: Langevin", len(all)*n, func(ctx context.Context, i int) (outcome, error) {
		k, w := i/len(all), all[i%len(all)]
		of := &refs[len(laws)*k]
		if w.free {
			of = &refs[len(laws)*k+1]
		}
		return e.run(ctx, o.Seed, k, w, of)
	})
	if err != nil {
		return nil, err
	}
	_, end := mixture.walls()
	r := &Results{Rows: len(rows()), Learn: e.learn, Weights: end - atV, Params: dim, shares: map[string][]float64{},
		rays: map[string][][3][]float64{}, first: e.repetition(mixture, o.Seed, 0)}
	for k := range n {
		found := map[string]outcome{}
		for _, ref := range refs[len(laws)*k : len(laws)*(k+1)] {
			for m, out := range ref.Marks {
				found[m] = out
			}
		}
		for i, w := range all {
			found[w.method] = walked[k*len(all)+i]
		}
		r.Ladders = append(r.Ladders, [2][]float64{refs[len(laws)*k].Beta, refs[len(laws)*k+1].Beta})
		for _, m := range methods() {
			r.add(m, found[m], k, n)
		}
	}
	r.settle()
	return r, nil
}

// add adds what a method came to in repetition k of n.
func (r *Results) add(method string, out outcome, k, n int) {
	r.Runs = append(r.Runs, Trial{method, k + 1, out.Marks})
	if r.shares[method] == nil {
		r.shares[method] = make([]float64, bins)
	}
	for i, v := range out.Shares {
		r.shares[method][i] += v / float64(n)
	}
	if k == 0 {
		r.rays[method] = out.Rays
	}
}

// settle sums the runs up.
func (r *Results) settle() {
	r.table, r.Methods = study.Tidy{}, nil
	for _, x := range r.Runs {
		for metric, v := range map[string]float64{"density": x.Density, "loss": -x.Density, "rmse": x.RMSE, "covered": x.Covered,
			"rising": x.Rising, "somehow": x.Somehow, "near": x.Near, "wall": x.Wall, "rhat": x.RHat, "ess": x.ESS, "fit": x.Fit} {
			r.table.Add(x.Method, metric, v)
		}
	}
	for _, m := range methods() {
		of := func(metric string) study.Interval { return r.table.Interval(m, metric) }
		x := Method{Name: m, Density: of("density"), RMSE: of("rmse"), Covered: of("covered"), Rising: of("rising"), Somehow: of("somehow"),
			Near: of("near"), Wall: of("wall"), Fit: of("fit")}
		x.RHat, x.ESS = r.worst(m)
		r.Methods = append(r.Methods, x)
	}
}
