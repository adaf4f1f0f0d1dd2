package tune

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// chains is a result of two ladders with one parameter of white noise each, the
// second shifted by shift in one of them.
func chains(n int, shift float64) *r2sgld.Result {
	rng := rand.New(rand.NewPCG(3, 4))
	res := &r2sgld.Result{Names: []string{"a", "b"}}
	for i := range 2 {
		x := make([]float64, 0, 2*n)
		for range n {
			x = append(x, rng.NormFloat64(), rng.NormFloat64()+shift*float64(i))
		}
		res.Ladders = append(res.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, n)}},
			Stride: 1, Iterations: n})
	}
	return res
}

// Mutants: the first parameter alone judged; R̂ or ESS not looked at; NaN taken
// for good, or forgotten where another parameter comes after.
func TestUntilMet(t *testing.T) {
	u := Until{RHat: 1.01, ESS: 400, Iterations: 1000}
	cases := []struct {
		name string
		u    Until
		res  *r2sgld.Result
		want bool
	}{
		{"good", u, chains(2000, 0), true},
		{"apart", u, chains(2000, 1), false},
		{"short", u, chains(120, 0), false},
		{"only R̂", Until{RHat: 1.2}, chains(120, 0), true},
		{"only ESS", Until{RHat: math.Inf(1), ESS: 5000}, chains(2000, 0), false},
	}
	for _, c := range cases {
		if j := c.u.Judge(c.res); j.Met != c.want {
			t.Errorf("%s: R̂ %g, ESS %g: %v", c.name, j.RHat, j.ESS, j.Met)
		}
	}
	for _, stuck := range [][]int{{0}, {1}, {0, 1}} {
		res := chains(500, 0)
		for _, l := range res.Ladders {
			for k := range l.Energy[0] {
				for _, j := range stuck {
					l.X[0][2*k+j] = 0
				}
			}
		}
		if j := u.Judge(res); j.Met || j.RHat == j.RHat || j.ESS == j.ESS {
			t.Errorf("parameters %d stuck: R̂ %g, ESS %g: %v", stuck, j.RHat, j.ESS, j.Met)
		}
	}
}

// Sds must be known as well as those of so many draws of a normal law: of an exponential law, of kurtosis 9,
// draws are worth a quarter; 400 suffice. They are waited for until 16 times as many draws are there, for a lognormal
// law does not know it then, or half of the draws of a longer run that are held. Draws are quantiles in an order of chance, which leaves the sizes an error of 10 %, five
// standard errors; the lognormal's are below 300. Quantities that follow are judged like parameters. Mutants: sds
// not looked at; waited for without end; as of a normal law.
func TestUntilSpread(t *testing.T) {
	normal := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	exponential := func(p float64) float64 { return -math.Log1p(-p) }
	lognormal := func(p float64) float64 { return math.Exp(normal(p)) }
	for _, c := range []struct {
		name     string
		n        int
		stride   int
		ess      float64
		quantile func(p float64) float64
		want     bool
	}{
		{"normal", 1000, 1, 400, normal, true},
		{"exponential", 1000, 1, 400, exponential, false},
		{"less asked for", 1000, 1, 100, exponential, true},
		{"more of it", 4000, 1, 400, exponential, true},
		{"more asked for", 4000, 1, 3000, exponential, true},
		{"lognormal", 4000, 1, 400, lognormal, false},
		{"waited for", 8000, 1, 400, lognormal, true},
		{"held", 4000, 2, 400, lognormal, true},
	} {
		x := [][]float64{make([]float64, c.n/2), make([]float64, c.n/2)}
		for i, k := range rand.New(rand.NewPCG(9, 10)).Perm(c.n) {
			x[i%2][i/2] = c.quantile((float64(k) + 0.5) / float64(c.n))
		}
		res, u := chains(c.n/2, 0), Until{RHat: 1.02, ESS: c.ess}
		for i := range res.Ladders {
			res.Ladders[i].Stride = c.stride
		}
		if j := u.judge(r2sgld.Problem{}, res, nil, [][][]float64{x}); j.Met != c.want || !j.Met && !j.Spread || c.name == "normal" && j.Spread {
			t.Errorf("%s: R̂ %g, ESS %g, of an sd %v: %v", c.name, j.RHat, j.ESS, j.Spread, j.Met)
		}
	}
}

// A run goes on until further quantities mix, which hear of every round. Mutants: they are not asked.
func TestFurtherIsJudged(t *testing.T) {
	p := r2sgld.Problem{Names: []string{"x"}, Potential: potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})}
	for _, stuck := range []bool{false, true} {
		rounds := 0
		o := Options{Further: func(res *r2sgld.Result) ([][][]float64, error) {
			rounds++
			x := res.Chains(0)
			if stuck {
				for _, chain := range x {
					clear(chain)
				}
			}
			return [][][]float64{x}, nil
		}}
		out, err := Run(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 2, Start: []float64{0}, Kernel: kernel.HMC{Leapfrog: 4}},
			Until{Iterations: 4000}, o)
		if err != nil {
			t.Fatal(err)
		}
		if out.Judgement.Met == stuck || (rounds == 3) != stuck {
			t.Errorf("stuck %v: %d rounds, %v", stuck, rounds, out.Judgement)
		}
	}
}

// Mutants: seconds taken as those of one iteration; the limit of iterations left
// out; a last round of no use (less than a twentieth) begun; a number below n.
func TestUntilNext(t *testing.T) {
	cases := []struct {
		u       Until
		n       int
		seconds float64
		want    int
	}{
		{Until{Iterations: 1000}, 100, 1, 200},
		{Until{Iterations: 150}, 100, 1, 150},
		{Until{Iterations: 100}, 100, 1, 100},
		{Until{Iterations: 50}, 100, 1, 100},
		{Until{Iterations: 1000, Seconds: 10}, 100, 1, 200},
		{Until{Iterations: 1000, Seconds: 10}, 100, 8, 125},
		{Until{Iterations: 1000, Seconds: 10}, 100, 9.7, 100},
		{Until{Iterations: 1000, Seconds: 10}, 100, 30, 100},
		{Until{Iterations: 110, Seconds: 10}, 100, 8, 110},
	}
	for i, c := range cases {
		if got := c.u.Next(c.n, c.n, c.seconds); got != c.want {
			t.Errorf("case %d: %d, want %d", i, got, c.want)
		}
	}
}

// Of 128 ladders of 300 draws that take 19 for one, in all 2,020, nested R̂ is asked for, and met, where R̂ is 1.04 or
// more. See TestNestedRHatOfShortChains of package diag for the chances.
//
// Mutants: R̂ of many short ladders.
func TestUntilOfManyShortLadders(t *testing.T) {
	rng, res := rand.New(rand.NewPCG(1, 2)), &r2sgld.Result{Names: []string{"a"}}
	for range 128 {
		x, v := make([]float64, 300), rng.NormFloat64()
		for i := range x {
			x[i] = v
			v = 0.9*v + rng.NormFloat64()
		}
		res.Ladders = append(res.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, len(x))}},
			Stride: 1, Iterations: len(x)})
	}
	if j := (Until{RHat: 1.0115, ESS: 400}).Judge(res); !j.Met {
		t.Errorf("R̂ %.4f, ESS %.0f", j.RHat, j.ESS)
	}
}

// biased is chains(n, 0) with draws at half the step, and at a quarter, that lie apart by
// off and by chance, so that the bias of both parameters is 2·off ± 2·apart/√(2n) and 2.5 %.
func biased(n int, off, apart float64) *r2sgld.Result {
	rng := rand.New(rand.NewPCG(5, 6))
	res := chains(n, 0)
	for i, l := range res.Ladders {
		half, quarter := make([]float64, len(l.X[0])), make([]float64, len(l.X[0]))
		for k, v := range l.X[0] {
			d := off + apart*rng.NormFloat64()
			half[k], quarter[k] = v-d, v-1.5*d
		}
		res.Ladders[i].Half = r2sgld.Draws{X: [][]float64{half}, Energy: l.Energy}
		res.Ladders[i].Quarter = r2sgld.Draws{X: [][]float64{quarter}, Energy: l.Energy}
	}
	return res
}

// A bias that is asked for must be known to be small; one known to be too large ends
// the run, once R̂ and ESS are good. Mutants: the standard error left out, or taken off
// where it is added; one parameter alone judged; a run without certificate taken for one
// without bias.
func TestUntilBias(t *testing.T) {
	u := Until{RHat: 1.01, ESS: 400, Bias: 0.05}
	late := u
	late.ESS = 1e6
	for _, c := range []struct {
		name      string
		u         Until
		res       *r2sgld.Result
		met, done bool
	}{
		{"small", u, biased(2000, 0.01, 0.1), true, true},
		{"not known", u, biased(2000, 0.01, 1), false, false}, // ± 0.032
		{"too large", u, biased(2000, 0.05, 0.1), false, true},
		{"near", u, biased(2000, 0.026, 0.2), false, false},
		{"too early", late, biased(2000, 0.05, 0.1), false, false},
		{"not asked for", Until{RHat: 1.01, ESS: 400}, biased(2000, 0.05, 0.1), true, true},
		{"no certificate", u, chains(2000, 0), false, false},
	} {
		if j := c.u.Judge(c.res); j.Met != c.met || j.Done != c.done {
			least, most := stepBias(c.res)
			t.Errorf("%s: met %v, done %v (bias %.3f to %.3f)", c.name, j.Met, j.Done, least, most)
		}
	}
}

// A run holds as many draws as the rule says, or as it is told. Mutants: all held; the
// number that is given forgotten.
func TestSampleHolds(t *testing.T) {
	p, _ := leaning(t)
	u := Until{ESS: 1, Iterations: 4000}
	for _, given := range []int{0, 100} {
		res, s, err := Sample(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 2000, Thin: 1, MaxDraws: given}, u)
		if err != nil {
			t.Fatal(err)
		}
		want := cmp.Or(given, u.WithDefaults(2000).hold(s, p.Potential.Dim()))
		if s.MaxDraws != want || len(res.Ladders[0].Energy[0]) > want {
			t.Errorf("given %d: %d of at most %d draws held, want %d", given, len(res.Ladders[0].Energy[0]), s.MaxDraws, want)
		}
	}
}

// sorted is the symmetry of numbers that may change places.
type sorted struct{}

func (sorted) Shuffle(x []float64, rng *rand.Rand) {
	rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
}

func (sorted) Images([]float64) [][]float64 { return nil }

func (sorted) Agree(draws [][]float64) [][]float64 {
	var all [][]float64
	for _, x := range draws {
		all = append(all, slices.Sorted(slices.Values(x)))
	}
	return all
}

// Where one of three far components moves slowly, draws look as if they mixed once they are
// shuffled: it is in the middle. What they agree on tells.
// Mutants: R̂ and ESS of draws as they are told alone; the first ladder for all.
func TestUntilMetUpToASymmetry(t *testing.T) {
	rng, of := rand.New(rand.NewPCG(7, 8)), sorted{}
	u := Until{RHat: 1.01, ESS: 400, Iterations: 1000}
	p := r2sgld.Problem{Chart: &r2sgld.Chart{Symmetry: of}}
	for _, c := range []struct {
		memory, apart float64 // in time, and between ladders
		want          bool
	}{{0, 0, true}, {0.995, 0, false}, {0, 0.6, false}} {
		res := &r2sgld.Result{Names: []string{"a", "b", "c"}}
		for i := range 2 {
			const n = 4000
			slow := rng.NormFloat64()
			x := make([]float64, 0, 3*n)
			for range n {
				slow = c.memory*slow + math.Sqrt(1-c.memory*c.memory)*rng.NormFloat64()
				draw := []float64{rng.NormFloat64() - 20, slow + c.apart*float64(i), rng.NormFloat64() + 20}
				of.Shuffle(draw, rng)
				x = append(x, draw...)
			}
			res.Ladders = append(res.Ladders, r2sgld.Ladder{Draws: r2sgld.Draws{X: [][]float64{x}, Energy: [][]float64{make([]float64, n)}},
				Stride: 1, Iterations: n})
		}
		if !u.Judge(res).Met {
			t.Errorf("%v: draws as they are told do not mix", c)
		}
		if j := u.judge(p, res, nil, nil); j.Met != c.want {
			t.Errorf("%v: met %v with R̂ %g and ESS %g", c, j.Met, j.RHat, j.ESS)
		}
	}
}
