package multimodal

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/significance"
)

// A Relaxation is the time in which the slowest statistic of a process forgets,
// 1/λ₁ in the theory's words: its autocorrelation falls like exp(-t/Time).
type Relaxation struct {
	Time     float64 `json:"time"`
	Low      float64 `json:"low"` // 95 % interval
	High     float64 `json:"high"`
	LogError float64 `json:"log_error"` // standard error of ln Time
	Runs     int     `json:"runs"`
	Lag      float64 `json:"lag"`      // of the autocorrelation, in time
	AtTwice  float64 `json:"at_twice"` // Time at twice that lag: equal, where one decay is left
	Symmetry string  `json:"symmetry"` // of the slowest statistic
}

// features are the values of k functions along every run: runs[i][c] is run i,
// frame by frame, k values each. Copies c have equal laws, by symmetry, so that
// what is estimated from them is averaged; their functions have mean 0.
type features struct {
	k    int
	runs [][][]float64
}

// covariances are sums of products of features: at one time, and a lag apart.
// Both are symmetric, as they are for a reversible process.
type covariances struct {
	now, later *mat.SymDense
}

func newCovariances(k int) covariances {
	return covariances{mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)}
}

// add adds s times v.
func (c covariances) add(s float64, v covariances) {
	for i := range c.now.SymmetricDim() {
		for j := range i + 1 {
			c.now.SetSym(i, j, c.now.At(i, j)+s*v.now.At(i, j))
			c.later.SetSym(i, j, c.later.At(i, j)+s*v.later.At(i, j))
		}
	}
}

// covariances sums over run i.
func (f *features) covariances(i, lag int) covariances {
	k := f.k
	now, later := make([]float64, k*k), make([]float64, k*k)
	for _, x := range f.runs[i] {
		for t := 0; t+k*(lag+1) <= len(x); t += k {
			u, v := x[t:t+k], x[t+k*lag:t+k*lag+k]
			for a := range k {
				for b := range a + 1 {
					now[a*k+b] += u[a]*u[b] + v[a]*v[b]
					later[a*k+b] += u[a]*v[b] + v[a]*u[b]
				}
			}
		}
	}
	c := newCovariances(k)
	for a := range k {
		for b := range a + 1 {
			c.now.SetSym(a, b, now[a*k+b])
			c.later.SetSym(a, b, later[a*k+b])
		}
	}
	return c
}

// slowest is the largest autocorrelation that a linear combination of the features
// has at the lag: the variational estimate of the slowest eigenvalue (Noé and
// Nüske 2013), of which finitely many functions give a lower bound.
func (c covariances) slowest() float64 {
	values := generalised(c.later, c.now)
	if len(values) == 0 {
		return math.NaN()
	}
	return values[len(values)-1]
}

// generalised returns the ascending λ of a v = λ m v for symmetric a and m, m positive
// but for directions that rounding cannot tell from nothing, which are left out; nil if
// there are none.
func generalised(a, m mat.Symmetric) []float64 {
	var eig mat.EigenSym
	if !eig.Factorize(m, true) {
		return nil
	}
	n := m.SymmetricDim()
	spread := eig.Values(nil)
	var q mat.Dense
	eig.VectorsTo(&q)
	first := 0
	for first < n && !(spread[first] > 1e-12*spread[n-1]) {
		first++
	}
	if first == n {
		return nil
	}
	white := mat.DenseCopyOf(q.Slice(0, n, first, n))
	white.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(spread[first+j]) }, white)
	var t, b mat.Dense
	t.Mul(a, white)
	b.Mul(white.T(), &t)
	s := mat.NewSymDense(n-first, nil)
	for i := range n - first {
		for j := range i + 1 {
			s.SetSym(i, j, (b.At(i, j)+b.At(j, i))/2)
		}
	}
	if !eig.Factorize(s, true) { // values without vectors differ in their last bits
		return nil
	}
	return eig.Values(nil)
}

// errFast says that a decay is over before the next frame, errShort that it
// is not over when a run ends.
var (
	errFast  = errors.New("relaxation: gone within a frame: record more often")
	errShort = errors.New("relaxation: not over within a tenth of a run: run longer")
)

// relaxation estimates the relaxation time in units in which frames are frame
// apart. The lag is at least half the time that it gives: shorter ones see faster
// decays too, longer ones more noise. The error is that of the delete-one
// jackknife over runs, for the logarithm, of which it takes the bias too.
func (f *features) relaxation(frame float64) (Relaxation, error) {
	n := len(f.runs)
	if n < 2 {
		return Relaxation{}, fmt.Errorf("relaxation: %d runs have no spread", n)
	}
	frames := len(f.runs[0][0]) / f.k
	lag := 1
	for {
		t, err := f.at(lag).time(lag)
		switch {
		case err != nil:
			return Relaxation{}, err
		case lag > frames/10:
			return Relaxation{}, errShort
		}
		if t <= 2*float64(lag) {
			break
		}
		lag = int(math.Ceil(t / 2))
	}
	each := make([]covariances, n)
	sum := newCovariances(f.k)
	for i := range each {
		each[i] = f.covariances(i, lag)
		sum.add(1, each[i])
	}
	t, err := sum.time(lag)
	if err != nil {
		return Relaxation{}, err
	}
	without := make([]float64, n)
	for i, c := range each {
		sum.add(-1, c)
		w, err := sum.time(lag)
		if err != nil {
			return Relaxation{}, err
		}
		without[i] = math.Log(w)
		sum.add(1, c)
	}
	twice, err := f.at(2 * lag).time(2 * lag)
	if err != nil {
		twice = math.NaN()
	}
	log, se := significance.Jackknife(math.Log(t), without)
	q := tQuantile(float64(n-1)) * se
	return Relaxation{Time: frame * math.Exp(log), Low: frame * math.Exp(log-q), High: frame * math.Exp(log+q),
		LogError: se, Runs: n, Lag: frame * float64(lag), AtTwice: frame * twice}, nil
}

// at sums over all runs.
func (f *features) at(lag int) covariances {
	sum := newCovariances(f.k)
	for i := range f.runs {
		sum.add(1, f.covariances(i, lag))
	}
	return sum
}

// time is the relaxation time in frames.
func (c covariances) time(lag int) (float64, error) {
	r := c.slowest()
	if !(r > 0 && r < 1) {
		return 0, errFast
	}
	return -float64(lag) / math.Log(r), nil
}

// A Power is a law t = factor·r^power fitted to the logarithms by weighted least
// squares.
type Power struct {
	Power  float64 `json:"power"`
	Low    float64 `json:"low"` // 95 % interval
	High   float64 `json:"high"`
	Error  float64 `json:"error"`  // standard error; where the law does not fit, that much larger
	DF     float64 `json:"df"`     // degrees of freedom of Error (Welch and Satterthwaite; at most n − 2 where it is larger)
	Factor float64 `json:"factor"` // t at r = 1
	Misfit float64 `json:"misfit"` // χ² per degree of freedom: about 1, if it is a power
}

// fitPower fits a power of r to t, whose logarithms have standard errors se, each
// of df degrees of freedom.
func fitPower(r, t, se []float64, df int) Power {
	var w, wx, wy float64
	for i := range r {
		g := 1 / (se[i] * se[i])
		w, wx, wy = w+g, wx+g*math.Log(r[i]), wy+g*math.Log(t[i])
	}
	x0, y0 := wx/w, wy/w
	var xx, xy, fourth float64
	for i := range r {
		x, g := math.Log(r[i])-x0, 1/(se[i]*se[i])
		xx, xy, fourth = xx+g*x*x, xy+g*x*(math.Log(t[i])-y0), fourth+g*g*x*x*x*x
	}
	p := Power{Power: xy / xx, Error: 1 / math.Sqrt(xx), DF: float64(df) * xx * xx / fourth}
	p.Factor = math.Exp(y0 - p.Power*x0)
	for i := range r {
		z := (math.Log(t[i]) - y0 - p.Power*(math.Log(r[i])-x0)) / se[i]
		p.Misfit += z * z / float64(len(r)-2)
	}
	if p.Misfit > 1 { // the error is then that of the distances from the line, n − 2 of which are free
		p.Error *= math.Sqrt(p.Misfit)
		p.DF = min(p.DF, float64(len(r)-2))
	}
	q := tQuantile(p.DF) * p.Error
	p.Low, p.High = p.Power-q, p.Power+q
	return p
}

// at is the fitted t at r.
func (p Power) at(r float64) float64 { return p.Factor * math.Pow(r, p.Power) }
