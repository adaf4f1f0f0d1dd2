package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawn are candidates of a random regression: columns correlated with one
// another, coefficients of the given sizes. The design is n × d by rows.
func drawn(rng *rand.Rand, n int, beta []float64) (*candidates, potential.Column) {
	d := len(beta)
	col := potential.Column{Index: make([]int, d), Weight: 1}
	for range n {
		common, y := rng.NormFloat64(), rng.NormFloat64()
		for j := range d {
			x := (common + rng.NormFloat64()) * math.Exp(float64(j)-1)
			col.Design = append(col.Design, x)
			y += beta[j] * x
		}
		col.Response = append(col.Response, y)
	}
	return must(newCandidates(col)), col
}

// bruteForce is the posterior from dense matrices over the rows, every support
// by itself and g by 280 nodes: nothing of it is shared with candidates.
func bruteForce(c *candidates, col potential.Column) (inclusion, mean, sd []float64) {
	n, d := len(col.Response), len(c.rhs)
	x, y := mat.NewDense(n, d, col.Design), mat.NewVecDense(n, col.Response)
	inclusion, mean, sd = make([]float64, d), make([]float64, d), make([]float64, d)
	var held []int
	for j := range d {
		if c.forced != nil && c.forced[j] {
			held = append(held, j)
		}
	}
	noise := projector(x, n)
	noise.Scale(c.inflation-1, noise)
	addUnit(noise)
	rest := mat.NewDense(n, n, nil) // off the forced
	if held != nil {
		rest.Scale(-1, projector(columnsOf(x, held), n))
	}
	addUnit(rest)
	free, total := float64(n-len(held)), 0.0
	m := math.Max(float64(n)/c.inflation, float64(d))
	for code := range 1 << d {
		if slices.ContainsFunc(held, func(j int) bool { return code>>j&1 == 1 }) {
			continue
		}
		var chosen []int
		for j := range d {
			if code>>j&1 == 1 {
				chosen = append(chosen, j)
			}
		}
		in := append(slices.Clone(held), chosen...)
		var own *mat.Dense // chosen columns off the forced
		if chosen != nil {
			own = mat.NewDense(n, len(chosen), nil)
			own.Mul(rest, columnsOf(x, chosen))
		}
		for node := range 280 {
			g, density := nodeOf(node, 280, m)
			w, b, v := givenG(y, noise, rest, columnsOf(x, in), own, g*c.inflation, free, len(held))
			w *= density * priorOf(c, code)
			total += w
			for _, j := range chosen {
				inclusion[j] += w
			}
			for i, j := range in {
				mean[j] += w * b[i]
				sd[j] += w * (v[i] + b[i]*b[i])
			}
		}
	}
	for j := range d {
		inclusion[j] /= total
		mean[j] /= total
		sd[j] = math.Sqrt(sd[j]/total - mean[j]*mean[j])
	}
	for _, j := range held {
		inclusion[j] = 1
	}
	return inclusion, mean, sd
}

// nodeOf is a node of g and its prior weight: 1/g ~ χ²₁/m.
func nodeOf(node, nodes int, m float64) (g, weight float64) {
	const step = 0.1
	u := math.Log(m) - 6 + step*float64(node)
	g = math.Exp(u)
	if node == nodes-1 { // where only supports without a slab have any weight left
		return g, math.Erf(math.Sqrt(m / (2 * g)))
	}
	return g, step * math.Exp(0.5*(math.Log(m)-u-math.Log(2*math.Pi))-m/(2*g))
}

func columnsOf(x *mat.Dense, places []int) *mat.Dense {
	if len(places) == 0 {
		return nil
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, len(places), nil)
	for i, j := range places {
		out.SetCol(i, mat.Col(nil, j, x))
	}
	return out
}

// priorOf is the prior probability of the support whose bits are in code.
func priorOf(c *candidates, code int) float64 {
	size, members := 0, 0
	for j := range c.rhs {
		if c.forced == nil || !c.forced[j] {
			members++
			size += code >> j & 1
		}
	}
	if c.prior > 0 {
		return math.Pow(c.prior, float64(size)) * math.Pow(1-c.prior, float64(members-size))
	}
	return math.Exp(-logChoose(members, size)) / float64(members+1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

func addUnit(m *mat.Dense) {
	n, _ := m.Dims()
	for i := range n {
		m.Set(i, i, m.At(i, i)+1)
	}
}

// projector is X(XᵀX)⁻¹Xᵀ.
func projector(x *mat.Dense, n int) *mat.Dense {
	var g, inverse, half mat.Dense
	g.Mul(x.T(), x)
	if err := inverse.Inverse(&g); err != nil {
		panic(err)
	}
	half.Mul(x, &inverse)
	out := mat.NewDense(n, n, nil)
	out.Mul(&half, x.T())
	return out
}

// givenG is, up to a factor, the marginal likelihood of y given g and a support,
// and the mean and variance of its coefficients.
func givenG(y *mat.VecDense, noise, rest, x, own *mat.Dense, slab, free float64, held int) (w float64, mean, variance []float64) {
	n := y.Len()
	// The covariance of y off the forced has their directions as its kernel: put
	// ones there, which are the same for all supports.
	v := mat.NewDense(n, n, nil)
	v.Mul(rest, noise)
	v.Mul(v, rest)
	if own != nil {
		p := projector(own, n)
		p.Scale(slab, p)
		v.Add(v, p)
	}
	back := mat.NewDense(n, n, nil)
	back.Scale(-1, rest)
	addUnit(back)
	v.Add(v, back)
	var z, s mat.VecDense
	z.MulVec(rest, y)
	if err := s.SolveVec(v, &z); err != nil {
		panic(err)
	}
	square := mat.Dot(&z, &s)
	logDet, _ := mat.LogDet(v)
	w = math.Exp(-logDet/2 - free/2*math.Log(square))
	if x == nil {
		return w, nil, nil
	}
	_, k := x.Dims()
	var inverse, half, precision, cov mat.Dense
	if err := inverse.Inverse(noise); err != nil {
		panic(err)
	}
	half.Mul(x.T(), &inverse)
	precision.Mul(&half, x)
	if own != nil {
		var g mat.Dense
		g.Mul(own.T(), own)
		for i := held; i < k; i++ {
			for j := held; j < k; j++ {
				precision.Set(i, j, precision.At(i, j)+g.At(i-held, j-held)/slab)
			}
		}
	}
	if err := cov.Inverse(&precision); err != nil {
		panic(err)
	}
	var b, r mat.VecDense
	r.MulVec(&half, y)
	b.MulVec(&cov, &r)
	for i := range k {
		mean = append(mean, b.AtVec(i))
		variance = append(variance, cov.At(i, i)*square/(free-2))
	}
	return w, mean, variance
}

// Against brute force. The tolerance of 1e-6 is that of the nodes of g; it
// kills degrees of freedom that forget the forced, a slab without the inflation, g
// averaged over its prior, a variance without that of g, and a prior that is not
// beta-binomial.
func TestPosteriorOfSupports(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, c := range map[string]struct {
		beta      []float64
		forced    []bool
		prior     float64
		inflation float64
	}{
		"one":       {beta: []float64{0.5}, inflation: 1},
		"three":     {beta: []float64{0.5, 0, -0.1}, inflation: 1},
		"forced":    {beta: []float64{0.5, 0.3, -0.1}, forced: []bool{false, true, false}, inflation: 1},
		"inflated":  {beta: []float64{1, 0.2, 0}, forced: []bool{false, false, true}, inflation: 2.5},
		"bernoulli": {beta: []float64{0.3, 0.2, 0}, prior: 0.2, inflation: 1},
	} {
		own, col := drawn(rng, 12, c.beta)
		own.forced, own.prior, own.inflation = c.forced, c.prior, c.inflation
		got := own.posterior()
		inclusion, mean, sd := bruteForce(own, col)
		for j := range c.beta {
			for _, v := range [][2]float64{{got.Inclusion[j], inclusion[j]}, {got.Mean[j], mean[j]}, {got.SD[j], sd[j]}} {
				if !(math.Abs(v[0]-v[1]) <= 1e-6*math.Max(math.Abs(v[1]), 1e-3)) {
					t.Errorf("%s: candidate %d: got %v %v %v, want %v %v %v", name, j,
						got.Inclusion[j], got.Mean[j], got.SD[j], inclusion[j], mean[j], sd[j])
					break
				}
			}
		}
	}
}

// The chain agrees with the enumeration: 30 chains of different seeds, for each
// of 8 + 8 numbers |mean − exact| < 7 standard errors, a false alarm in 1e-6 of
// Student's law with 29 degrees of freedom. It kills a swap accepted by the
// inverse ratio and a Gibbs step whose probability is the other one's.
func TestChainAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	c, _ := drawn(rng, 30, []float64{0.5, 0.2, 0, 0.03, 0, 0.004, 0, 0})
	exact := c.posterior()
	const chains = 30
	var inclusion, mean [8][]float64
	for seed := range uint64(chains) {
		p := newEvidence(c).sample(300, rand.New(rand.NewPCG(seed, 1)))
		for j := range 8 {
			inclusion[j], mean[j] = append(inclusion[j], p.Inclusion[j]), append(mean[j], p.Mean[j])
		}
	}
	for j := range 8 {
		for what, v := range map[string]struct {
			draws []float64
			want  float64
		}{"inclusion": {inclusion[j], exact.Inclusion[j]}, "mean": {mean[j], exact.Mean[j]}} {
			m, s := meanSD(v.draws)
			if z := (m - v.want) / (s / math.Sqrt(chains)); math.Abs(z) > 7 {
				t.Errorf("%s of %d: %v ± %v, want %v", what, j, m, s/math.Sqrt(chains), v.want)
			}
		}
	}
}

func meanSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// Of the candidates whose inclusion probability is p a share of p belongs to the
// model, when truths are drawn from the prior: z = Σ(truth − p)/√Σp(1−p) in five
// ranges of p and over all, |z| < 5.2, a false alarm in 1e-6 of six. It kills a
// slab of half the width (z = −20 over all).
func TestInclusionIsCalibrated(t *testing.T) {
	pace.Slow(t)
	const d, n = 5, 30
	rng := rand.New(rand.NewPCG(9, 9))
	var excess, variance [6]float64
	repeats := 4000
	if pace.Soaking() {
		repeats = 200000
	}
	for range repeats {
		k := rng.IntN(d + 1)
		in := rng.Perm(d)[:k]
		c, col := drawn(rng, n, make([]float64, d))
		chi := rng.NormFloat64()
		if k > 0 { // β ~ normal(0, g(XᵀX)⁻¹)
			g := mat.NewSymDense(k, nil)
			for a := range k {
				for b := range k {
					g.SetSym(a, b, c.gram[in[a]*d+in[b]]*chi*chi/n)
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(g) {
				t.Fatal("singular")
			}
			var u mat.TriDense
			chol.UTo(&u)
			z, beta := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
			for a := range k {
				z.SetVec(a, rng.NormFloat64())
			}
			if err := beta.SolveVec(&u, z); err != nil {
				continue // g beyond 1e16
			}
			for row := range n {
				for a := range k {
					col.Response[row] += col.Design[row*d+in[a]] * beta.AtVec(a)
				}
			}
			c = must(newCandidates(col))
		}
		for j, p := range c.posterior().Inclusion {
			truth := 0.0
			if slices.Contains(in, j) {
				truth = 1
			}
			for _, bin := range []int{min(int(p*5), 4), 5} {
				excess[bin] += truth - p
				variance[bin] += p * (1 - p)
			}
		}
	}
	for bin := range excess {
		if z := excess[bin] / math.Sqrt(variance[bin]); math.Abs(z) > 5.2 {
			t.Errorf("range %d: z = %.1f", bin, z)
		}
	}
}

// The scores of regressors and noise that are both autoregressive with ρ = 0.9
// have (1 + ρ²)/(1 − ρ²) = 9.5 times the variance of independent ones; over 40
// blocks and 20 directions the estimate has an sd of √(2/800) = 5 %, and 27 % are
// 5.4 of them. It kills blocks that are not counted.
func TestInflationByAutocorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const d, n, rho = 20, 20000, 0.9
	for _, noise := range []float64{0, rho} {
		col := potential.Column{Index: make([]int, d), Weight: 1}
		x, e := make([]float64, d), 0.0
		for range n {
			for j := range x {
				x[j] = rho*x[j] + math.Sqrt(1-rho*rho)*rng.NormFloat64()
			}
			e = noise*e + math.Sqrt(1-noise*noise)*rng.NormFloat64()
			col.Design, col.Response = append(col.Design, x...), append(col.Response, e)
		}
		c := must(newCandidates(col))
		c.inflate(col, c.fit)
		if want := (1 + rho*noise) / (1 - rho*noise); math.Abs(c.inflation/want-1) > 0.27 {
			t.Errorf("inflation %v, want %v", c.inflation, want)
		}
		// A second fit that differs by one residual sd per row in one direction
		// adds n/d.
		second := append([]float64(nil), c.fit...)
		second[3] += math.Sqrt(c.rss / (n - d) * n / c.gram[3*d+3])
		before := c.inflation
		c.inflate(col, second)
		if got := c.inflation - before; math.Abs(got/(n/d)-1) > 1e-9 {
			t.Errorf("systematic errors add %v, want %v", got, n/d)
		}
	}
}
