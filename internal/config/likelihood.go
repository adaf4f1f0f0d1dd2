package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/ode"
)

// readLikelihood reads how the equations are compared with the data.
func (l *loader) readLikelihood(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	word, ok := l.Word(n.Field("likelihood"), "derivative", "log-derivative", "weak", "trajectory")
	if n.Field("likelihood") != nil && !ok {
		l.unread = true // what else there is to tell depends on it
		return
	}
	m.Likelihood = word
	m.Likelihood = cmp.Or(m.Likelihood, "derivative")
	r.Likelihood = m.Likelihood
	l.belongs(n, m.Likelihood)
	if word, ok := l.Word(n.Field("states"), "observed", "simulated"); ok && word == "simulated" {
		m.Simulated, r.States = m.Likelihood == "derivative", word // of others it is reported
	}
	l.readSparse(n.Field("sparse"), m, r)
	if q := n.Field("weak"); l.Section(q, "width") {
		if v, ok := l.Int(q.Field("width"), 5, 1_000_001); ok {
			m.Weak.Width, r.Weak = v, &Weak{v}
		}
	}
	l.readSolver(n.Field("solver"), m, r)
	if strings.HasSuffix(m.Likelihood, "derivative") {
		l.readSlopes(n.Field("derivative"), m, r)
	}
	if m.Likelihood == "trajectory" {
		l.readDataNoise(n.Field("noise"), m, r)
	} else {
		l.readResidualNoise(n.Field("noise"), m, r)
	}
}

// belongs reports keys that go with other likelihoods.
func (l *loader) belongs(n *yamlpos.Node, likelihood string) {
	for _, k := range []struct {
		key  string
		with []string
	}{
		{"derivative", []string{"derivative", "log-derivative"}},
		{"states", []string{"derivative"}},
		{"weak", []string{"weak"}},
		{"solver", []string{"trajectory", "derivative"}},
		{"sparse", []string{"derivative", "log-derivative", "weak"}},
		{"batch", []string{"derivative", "log-derivative"}},
	} {
		if n.Field(k.key) != nil && !slices.Contains(k.with, likelihood) {
			l.Report(n.Key(k.key), "%s goes with likelihood %s; found likelihood %s", k.key, strings.Join(k.with, " or "), likelihood)
		}
	}
	if states := n.Field("states"); n.Field("solver") != nil && likelihood == "derivative" && (states == nil || states.Text == "observed") {
		l.Report(n.Key("solver"), "solver goes with likelihood trajectory, or with likelihood derivative and states: simulated; as it is, no trajectory is computed")
	}
}

// readSparse reads how the terms of a library that belong to the model are found.
func (l *loader) readSparse(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	if n == nil {
		return
	}
	s := &dynamics.Sparse{}
	if n.Kind == yamlpos.Scalar {
		if word, ok := l.Word(n, "true", "false"); !ok || word == "false" {
			return
		}
		m.Sparse, r.Sparse = s, &Sparse{}
		return
	}
	if !l.Section(n, "keep", "prior", "threshold") {
		return
	}
	if k := n.Field("keep"); l.List(k, "names of coefficients") {
		s.Keep = l.texts(k)
	}
	s.Prior, s.Threshold = l.probability(n.Field("prior")), l.probability(n.Field("threshold"))
	m.Sparse, r.Sparse = s, &Sparse{s.Keep, s.Prior, s.Threshold}
}

// probability reads a number between 0 and 1; 0 if there is none.
func (l *loader) probability(n *yamlpos.Node) float64 {
	v, ok := l.Float(n)
	if ok && !(v > 0 && v < 1) {
		l.Report(n, "%s is a probability between 0 and 1, both ends excluded; found %s", n.Name, n.Text)
		return 0
	}
	return v
}

// readSolver reads how trajectories are computed.
func (l *loader) readSolver(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	if !l.Section(n, "method", "rtol", "atol") {
		return
	}
	s := &Solver{}
	s.Method, _ = l.Word(n.Field("method"), string(ode.DormandPrince), string(ode.DOP853), string(ode.LSODA))
	for key, at := range map[string]*float64{"rtol": &s.RTol, "atol": &s.ATol} {
		if v, ok := l.Positive(n.Field(key)); ok {
			if *at = v; key == "rtol" && v >= 0.1 {
				l.Report(n.Field(key), "rtol must be below 0.1; found %s", n.Field(key).Text)
			}
		}
	}
	m.Solver = ode.Options{Method: ode.Method(s.Method), RTol: s.RTol}
	if s.ATol > 0 {
		m.Solver.ATol = []float64{s.ATol}
	}
	r.Solver = s
}

// readResidualNoise reads what the residuals of derivatives and integrals are
// taken for.
func (l *loader) readResidualNoise(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	if !l.noiseWord(n, m, r, "estimate", "paper") {
		m.Noise.Kind = "given"
		m.Noise.SD, r.Noise = l.scales(n.Fields)
	}
}

// readDataNoise reads the law of the data about a trajectory.
func (l *loader) readDataNoise(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	if l.noiseWord(n, m, r, "normal", "lognormal") {
		return
	}
	var scales []yamlpos.Field
	for _, f := range n.Fields {
		if f.Key.Text != "kind" {
			scales = append(scales, f)
		} else if word, ok := l.Word(f.Value, "normal", "lognormal"); ok {
			m.Noise.Kind = word
		}
	}
	var o Ordered
	m.Noise.SD, o = l.scales(scales)
	r.Noise = append(Ordered{{"kind", m.Noise.Kind}}, o...)
}

// noiseWord reads the kind of noise, by default the first of the words, and reports
// whether that is all there is: not a map of numbers.
func (l *loader) noiseWord(n *yamlpos.Node, m *dynamics.Model, r *Model, words ...string) bool {
	m.Noise.Kind, r.Noise = words[0], words[0]
	if n == nil || n.Kind == yamlpos.Map {
		return n == nil
	}
	if word, ok := l.Word(n, words...); ok {
		m.Noise.Kind, r.Noise = word, word
	}
	return true
}

// scales reads standard deviations.
func (l *loader) scales(fields []yamlpos.Field) (values []dynamics.Value, o Ordered) {
	for _, f := range fields {
		v, ok := l.Positive(f.Value)
		if !ok {
			v = 1 // reported; it is not missing
		}
		values = append(values, dynamics.Value{Name: f.Key.Text, Value: v})
		o = append(o, Entry{f.Key.Text, v})
	}
	return values, o
}

// readSlopes reads how derivatives come from the data: a word, a word with its
// settings ({savgol: {window: 5, order: 2}}), or kind beside the settings.
func (l *loader) readSlopes(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	m.Derivative.Kind, r.Derivative = "central", "central"
	if n == nil {
		return
	}
	kind, settings := n, n
	if n.Kind == yamlpos.Map {
		if kind = n.Field("kind"); kind == nil && len(n.Fields) == 1 {
			kind, settings = n.Fields[0].Key, n.Fields[0].Value
		}
		if kind == nil {
			l.Report(n, "derivative needs the key \"kind\"")
			return
		}
	} else if n.Kind != yamlpos.Scalar {
		l.Report(n, "derivative must be central, column, spline or {kind: savgol, window: 5, order: 2}; found %s", n)
		return
	}
	word, ok := l.Word(kind, "central", "savgol", "spline", "column")
	if !ok {
		return
	}
	m.Derivative.Kind, r.Derivative = word, word
	known := map[string][]string{"savgol": {"window", "order"}, "spline": {"smoothing"}}[word]
	if settings.Kind == yamlpos.Map && !l.Section(settings, append(known, "kind")...) {
		return
	}
	switch word {
	case "savgol":
		l.readSavgol(kind, settings, m)
		r.Derivative = Ordered{{"kind", word}, {"window", m.Derivative.Window}, {"order", m.Derivative.Order}}
	case "spline":
		if v, ok := l.NotNegative(settings.Field("smoothing")); ok {
			m.Derivative.Smoothing = v
			r.Derivative = Ordered{{"kind", word}, {"smoothing", v}}
		}
	}
}

func (l *loader) readSavgol(kind, n *yamlpos.Node, m *dynamics.Model) {
	m.Derivative.Window, m.Derivative.Order = 5, 2
	if v, ok := l.Int(n.Field("window"), 3, 1_000_001); ok {
		if v%2 == 0 {
			l.Report(n.Field("window"), "window must be odd; found %d", v)
		}
		m.Derivative.Window = v
	}
	if v, ok := l.Int(n.Field("order"), 1, 20); ok {
		m.Derivative.Order = v
	}
	if m.Derivative.Order >= m.Derivative.Window {
		l.Report(kind, "order must be below window; found order %d, window %d", m.Derivative.Order, m.Derivative.Window)
	}
}
