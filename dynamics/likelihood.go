package dynamics

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Data is the number of data that the likelihood explains: the observed values
// of all responses.
func (p *Problem) Data() int {
	n := 0
	for _, r := range p.Responses {
		n += len(r.Observed)
	}
	return n
}

// LogLikelihood writes the log density of every datum at parameters x into dst
// (length [Problem.Data]): response after response, in the order of the names of
// their states, row by row. A datum is an observed derivative of [Response], of a state or of its logarithm, and its
// law given x is normal about what the equation predicts, with the standard
// deviation of Noise times the SD of the response. Where data hang together
// (derivatives by savgol or spline, integrals of the weak form) it is the law
// given the data before it. The density has all its constants. Minibatches play
// no part. A datum of a trajectory is a value of the series itself. With noise:
// paper there is no likelihood, and the answer is false.
func (p *Problem) LogLikelihood(dst, x []float64) bool {
	if p.path != nil {
		p.pathTerms(dst, x)
		return true
	}
	if p.Noise == nil {
		return false
	}
	if p.joint != nil {
		p.jointTerms(dst, x)
		return true
	}
	for _, c := range p.byName {
		r, sd, white := p.Responses[c], p.Noise[c], p.white[c]
		terms := dst[:len(r.Observed)]
		dst = dst[len(terms):]
		p.fitted(terms, c, x)
		for t, f := range terms {
			terms[t] = r.Observed[t] - f
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
	return true
}

// LogLikelihoodOf returns [Problem.LogLikelihood] of some data alone, given by their
// places there in rising order. Where data are independent the others cost nothing. The
// function has a workspace of its own.
func (p *Problem) LogLikelihoodOf(data []int) func(dst, x []float64) bool {
	if p.part == nil || len(data) == p.Data() || slices.ContainsFunc(p.white, func(w *whitener) bool { return w != nil && w.sd == nil }) {
		all := make([]float64, p.Data())
		return func(dst, x []float64) bool {
			ok := p.LogLikelihood(all, x)
			for i, t := range data {
				dst[i] = all[t]
			}
			return ok
		}
	}
	q := *p
	q.Responses, q.white = slices.Clone(p.Responses), slices.Clone(p.white)
	fitted := make([]func(dst, x []float64), len(p.Responses))
	from := 0
	for _, c := range p.byName {
		r, rows := &q.Responses[c], []int(nil)
		for len(data) > 0 && data[0] < from+len(r.Observed) {
			rows, data = append(rows, data[0]-from), data[1:]
		}
		from += len(r.Observed)
		r.Observed, fitted[c] = pick(r.Observed, rows), p.part(c, rows)
		if w := p.white[c]; w != nil {
			q.white[c] = &whitener{sd: pick(w.sd, rows)}
		}
	}
	q.fitted = func(dst []float64, c int, x []float64) { fitted[c](dst, x) }
	return q.LogLikelihood
}

const logRoot2Pi = 0.91893853320467274178

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
func (p *Problem) LogConstant() float64 {
	if p.path != nil {
		return 0
	}
	if p.Noise == nil {
		return math.NaN()
	}
	if p.joint != nil {
		n := len(p.joint.data)
		return -float64(n)*logRoot2Pi - p.joint.white.logDet(n)
	}
	sum := 0.0
	for c, sd := range p.Noise {
		n := len(p.Responses[c].Observed)
		sum -= float64(n)*(math.Log(sd)+logRoot2Pi) + p.white[c].logDet(n)
	}
	return sum
}

// LikelihoodName says what the data of the likelihood are: for instance
// "log-derivative of H, L (central)".
func (p *Problem) LikelihoodName() string {
	var states []string
	for _, c := range p.byName {
		states = append(states, p.Responses[c].State)
	}
	if p.path != nil {
		return fmt.Sprintf("trajectory of %s (%s noise)", strings.Join(states, ", "), p.NoiseKind())
	}
	if p.joint != nil {
		return fmt.Sprintf("weak form of %s (width %d)", strings.Join(states, ", "), p.rows.width)
	}
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
	return fmt.Sprintf("%s of %s (%s)", kind, strings.Join(states, ", "), how)
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

// NoiseKind says where Noise is from: estimate, given or paper, as in [Noise]; of
// a trajectory its law: normal or lognormal.
func (p *Problem) NoiseKind() string {
	switch {
	case p.path == nil:
	case p.path.lognormal:
		return "lognormal"
	default:
		return "normal"
	}
	if k := p.model.Noise.Kind; k != "" {
		return k
	}
	return "estimate"
}
