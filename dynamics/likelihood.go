package dynamics

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/ode"
)

// A Likelihood is the law of the data of a problem given its parameters. There are four:
// of slopes that are estimated from the data, of slopes at simulated states, of integrals
// against test functions (the weak form), and of the data themselves about a trajectory.
type Likelihood interface {
	// Name says what the data are: for instance "log-derivative of H, L (central)".
	Name() string
	// NoiseKind says where Noise is from: estimate, given or paper, as in [Noise]; of
	// a trajectory its law: normal or lognormal.
	NoiseKind() string
	// Datum is what the data are counted in, "row" or "test function", and how many rows
	// that spans.
	Datum() (unit string, rows int)
	// Fitted returns what writes the predictions of equation c at parameters x for some
	// rows of its response, nil being all, with a workspace of its own.
	Fitted(c int, rows []int) func(dst, x []float64)
	// LogDensity returns what writes the log density at parameters x of some data, given
	// by their places in rising order, nil being all: response after response, in the
	// order of the names of their states, row by row. A datum is an observed value of
	// [Response], and its law given x is normal about what the equation predicts, with
	// the standard deviation of Noise times the SD of the response. Where data hang
	// together (derivatives by savgol or spline, integrals of the weak form) it is the
	// law given the data before it. The density has all its constants. Minibatches play
	// no part. A datum of a trajectory is a value of the series itself. With noise:
	// paper there is no likelihood, and the answer is false. The function has a workspace
	// of its own; where data are independent those that are left out cost nothing.
	LogDensity(data []int) func(dst, x []float64) bool
	// LogConstant is what U leaves out. For every x in the support of the priors
	//
	//	log p(data | x) + log density of Prior at x = −U(x) + LogConstant,
	//
	// U being Whole, and the log marginal likelihood on a domain Ω within that
	// support, where the prior is proportional to its density, is
	//
	//	log ∫_Ω exp(−U) + LogConstant − log mass of Prior on Ω;
	//
	// the last term is the log volume of Ω without priors.
	// Integrals are over the parameters: whitened coordinates z add log |det Factor|
	// to both. With noise: paper there is no likelihood and the constant is NaN. A
	// trajectory leaves out nothing.
	LogConstant() float64
	// ObservationNoise writes into dst, for each state of the data, the standard
	// deviation of an observation about the trajectory with parameters x, that of its
	// logarithm if logNormal is true. A trajectory knows it; others know the
	// noise of what they make of the data only, and dst is NaN.
	ObservationNoise(dst, x []float64) (logNormal bool)
	// Solver returns options with which every trajectory of the posterior can be
	// computed, stiff ones too, at least as well as the likelihood does. Those of other
	// likelihoods are the model's.
	Solver() ode.Options
	// Effort says what a gradient takes, where that is much: a solution of the equations
	// at the mode, by how often the solver evaluates them and which it is, or many rows
	// that do not come down to sums. It is empty if that is little.
	Effort() string
	// Undecided counts the evaluations of a trajectory's potential that took too many
	// steps, even those of the method for stiff equations: their energy was taken for
	// +Inf, so that a part of the posterior may be missing.
	Undecided() int64
}

var _ = []Likelihood{(*slopes)(nil), (*simulated)(nil), (*weakly)(nil), (*trajectory)(nil)}

const logRoot2Pi = 0.91893853320467274178

// chosen is LogDensity of some data, by that of all.
func chosen(l Likelihood, n int, data []int) func(dst, x []float64) bool {
	all, density := make([]float64, n), l.LogDensity(nil)
	return func(dst, x []float64) bool {
		ok := density(all, x)
		for i, t := range data {
			dst[i] = all[t]
		}
		return ok
	}
}

// picked is fitted, which writes n predictions, at some rows; nil is all.
func picked(n int, rows []int, fitted func(dst, x []float64)) func(dst, x []float64) {
	if rows == nil {
		return fitted
	}
	all := make([]float64, n)
	return func(dst, x []float64) {
		fitted(all, x)
		for i, t := range rows {
			dst[i] = all[t]
		}
	}
}

// NoiseKind is that of [Likelihood].
func (p *table) NoiseKind() string { return cmp.Or(p.model.Noise.Kind, "estimate") }

// Datum is that of [Likelihood].
func (p *table) Datum() (unit string, rows int) { return "row", 1 }

// ObservationNoise is that of [Likelihood].
func (p *table) ObservationNoise(dst, _ []float64) (logNormal bool) {
	for i := range p.model.States {
		dst[i] = math.NaN()
	}
	return false
}

// Solver is that of [Likelihood].
func (p *table) Solver() ode.Options { return p.model.Solver }

// Undecided is that of [Likelihood].
func (p *table) Undecided() int64 { return 0 }

// Fitted is that of [Likelihood].
func (p *slopes) Fitted(c int, rows []int) func(dst, x []float64) { return p.fitted(c, rows) }

// dependent reports whether data of a response hang together.
func (p *slopes) dependent() bool {
	return slices.ContainsFunc(p.white, func(w *whitener) bool { return w != nil && w.sd == nil })
}

// LogDensity is that of [Likelihood].
func (p *slopes) LogDensity(data []int) func(dst, x []float64) bool {
	if p.Noise == nil {
		return func(_, _ []float64) bool { return false }
	}
	if len(data) == p.Data() {
		data = nil
	}
	if data != nil && p.dependent() {
		return chosen(p, p.Data(), data)
	}
	var parts []func(dst, x []float64) int
	from := 0
	for _, c := range p.byName {
		observed, white, rows := p.Responses[c].Observed, p.white[c], []int(nil)
		if data != nil {
			rows = []int{}
			for len(data) > 0 && data[0] < from+len(observed) {
				rows, data = append(rows, data[0]-from), data[1:]
			}
		}
		from += len(observed)
		if rows != nil {
			observed = pick(observed, rows)
			if white != nil {
				white = &whitener{sd: pick(white.sd, rows)}
			}
		}
		fitted, sd := p.fitted(c, rows), p.Noise[c]
		parts = append(parts, func(dst, x []float64) int {
			normalTerms(dst[:len(observed)], x, observed, fitted, white, sd)
			return len(observed)
		})
	}
	return func(dst, x []float64) bool {
		for _, part := range parts {
			dst = dst[part(dst, x):]
		}
		return true
	}
}

// normalTerms writes the log densities of observed values about what is fitted.
func normalTerms(terms, x, observed []float64, fitted func(dst, x []float64), white *whitener, sd float64) {
	fitted(terms, x)
	for t, f := range terms {
		terms[t] = observed[t] - f
	}
	white.apply(terms)
	constant := math.Log(sd) + logRoot2Pi
	for t, e := range terms {
		z := e / sd
		terms[t] = -z*z/2 - constant
		if white != nil {
			terms[t] -= math.Log(white.at(t))
		}
	}
}

// LogConstant is that of [Likelihood].
func (p *slopes) LogConstant() float64 {
	if p.Noise == nil {
		return math.NaN()
	}
	sum := 0.0
	for c, sd := range p.Noise {
		n := len(p.Responses[c].Observed)
		sum -= float64(n)*(math.Log(sd)+logRoot2Pi) + p.white[c].logDet(n)
	}
	return sum
}

// Name is that of [Likelihood].
func (p *slopes) Name() string {
	d, kind := p.model.Derivative, "derivative"
	if p.logarithmic() {
		kind = "log-derivative"
	}
	how := "central"
	switch d.Kind {
	case "savgol":
		how = fmt.Sprintf("savgol, window %d, order %d", d.Window, d.Order)
	case "spline":
		if how = "spline, smoothing by cross-validation"; d.Smoothing > 0 {
			how = fmt.Sprintf("spline, smoothing %g", d.Smoothing)
		}
	case "column":
		how = "column"
	}
	return fmt.Sprintf("%s of %s (%s)", kind, p.observedStates(), how)
}

// observedStates are the names of the states of the responses, in their order.
func (p *Problem) observedStates() string {
	var states []string
	for _, c := range p.byName {
		states = append(states, p.Responses[c].State)
	}
	return strings.Join(states, ", ")
}

// Data is the number of data that the likelihood explains: the observed values
// of all responses.
func (p *Problem) Data() int {
	n := 0
	for _, r := range p.Responses {
		n += len(r.Observed)
	}
	return n
}

// DataSHA256 identifies the data that the likelihood explains: it is the
// SHA-256, in hexadecimal, of the labels, times and observed values to ten
// digits. Likelihoods of problems that differ in it cannot be compared.
func (p *Problem) DataSHA256() string {
	h := sha256.New()
	fmt.Fprintf(h, "r2sgld data 1\n%.9e\n", p.Time)
	for _, c := range p.byName {
		r := p.Responses[c]
		if len(r.Time) != len(p.Time) {
			fmt.Fprintf(h, "%.9e\n", r.Time)
		}
		fmt.Fprintf(h, "%s\n%.9e\n", r.Label, r.Observed)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
