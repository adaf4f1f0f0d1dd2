package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/ode"
)

// readLikelihood reads how the equations are compared with the data.
func (l *Reader) readLikelihood(n *yamlpos.Node, keys []key.Key, m *dynamics.Model, r *Model) {
	before := len(l.Problems)
	if l.Take(n, keys, "likelihood"); len(l.Problems) > before {
		l.unread = true // what else there is to tell depends on it
		return
	}
	l.belongs(n, r.Likelihood)
	if word, ok := l.Word(n.Field("states"), statesObserved, statesSimulated); ok && word == statesSimulated {
		r.States = word
	}
	l.Take(n, keys, "sparse", "weak", "solver")
	if strings.HasSuffix(r.Likelihood, "derivative") {
		l.readSlopes(n.Field("derivative"), m, r)
	}
	if r.Likelihood == Trajectory {
		l.readDataNoise(n.Field("noise"), m, r)
	} else {
		l.readResidualNoise(n.Field("noise"), m, r)
	}
}

// Trajectory is the likelihood of data about solutions of the equations.
const Trajectory = "trajectory"

// The values of model.states.
const (
	statesObserved  = "observed"
	statesSimulated = "simulated"
)

// belongs reports keys that go with other likelihoods.
func (l *Reader) belongs(n *yamlpos.Node, likelihood string) {
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
		l.Report(n.Key("solver"), "solver goes with likelihood trajectory, or with likelihood derivative and states: simulated; as it is, no "+
			"trajectory is computed")
	}
}

// readSparse reads how the terms of a library that belong to the model are found.
func (r *Model) readSparse(l *key.Reader, n *yamlpos.Node) {
	s := &dynamics.Sparse{}
	if n.Kind == yamlpos.Scalar {
		if word, ok := l.Word(n, "true", "false"); ok && word == "true" {
			r.Sparse = s
		}
	} else if l.Read(n, SparseKeys(s)) {
		r.Sparse = s
	}
}

func SparseKeys(s *dynamics.Sparse) []key.Key {
	return []key.Key{
		key.Texts("keep", &s.Keep, "names of coefficients").Tells("none",
			"terms that belong to the model in any case; those of parameters with a "+
				"prior or in a constraint do so by themselves"),
		key.Number("prior", &s.Prior, key.Probability()...).Tells("beta-binomial(1, 1)", "probability of each other term"),
		key.Number("threshold", &s.Threshold, key.Probability()...).
			Tells("0.5", "least inclusion probability of a term that is kept: 0.5 is the median probability model"),
	}
}

func weakKeys(w *dynamics.Weak) []key.Key {
	return []key.Key{key.Whole("width", &w.Width, 5, 1_000_001).Tells("from the data", "rows that a test function spans")}
}

// readWeak reads how equations are integrated.
func (r *Model) readWeak(l *key.Reader, n *yamlpos.Node) {
	w := dynamics.Weak{}
	if l.Read(n, weakKeys(&w)); w.Width > 0 {
		r.Weak = &w
	}
}

func (s *Solver) Keys() []key.Key {
	return []key.Key{
		key.Word("method", &s.Method, string(ode.DormandPrince), string(ode.DOP853), string(ode.LSODA)).
			Tells("the cheapest whose error of U about the mode is below 0.002", "how equations are solved"),
		key.Number("rtol", &s.RTol, key.Positive, key.Below(0.1)).Tells("chosen", "relative tolerance"),
		key.Number("atol", &s.ATol, key.Positive).Tells("chosen", "absolute tolerance"),
	}
}

// readResidualNoise reads what the residuals of derivatives and integrals are
// taken for.
func (l *Reader) readResidualNoise(n *yamlpos.Node, m *dynamics.Model, r *Model) {
	if !l.noiseWord(n, m, r, "estimate", "paper") {
		m.Noise.Kind = "given"
		m.Noise.SD, r.Noise = l.scales(n.Fields)
	}
}

// readDataNoise reads the law of the data about a trajectory.
func (l *Reader) readDataNoise(n *yamlpos.Node, m *dynamics.Model, r *Model) {
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
	var o key.Ordered
	m.Noise.SD, o = l.scales(scales)
	r.Noise = append(key.Object("kind", m.Noise.Kind), o...)
}

// noiseWord reads the kind of noise, by default the first of the words, and reports
// whether that is all there is: not a map of numbers.
func (l *Reader) noiseWord(n *yamlpos.Node, m *dynamics.Model, r *Model, words ...string) bool {
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
func (l *Reader) scales(fields []yamlpos.Field) (values []dynamics.Value, o key.Ordered) {
	for _, f := range fields {
		v, ok := l.Limited(f.Value, key.Positive)
		if !ok {
			v = 1 // reported; it is not missing
		}
		values = append(values, dynamics.Value{Name: f.Key.Text, Value: v})
		o = o.With(f.Key.Text, v)
	}
	return values, o
}

// readSlopes reads how derivatives come from the data: a word, a word with its
// settings ({savgol: {window: 5, order: 2}}), or kind beside the settings.
func (l *Reader) readSlopes(n *yamlpos.Node, m *dynamics.Model, r *Model) {
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
	kinds := SlopeKinds(&m.Derivative)
	word, ok := l.Word(kind, kinds.Names()...)
	if !ok {
		return
	}
	m.Derivative.Kind, r.Derivative = word, word
	keys := kinds.Of(word)
	if settings.Kind == yamlpos.Map && !l.Section(settings, append(key.Names(keys), "kind")...) {
		return
	}
	if n.Kind == yamlpos.Map && settings.Kind != yamlpos.Map && settings.Kind != yamlpos.Null {
		takes := "no settings: write derivative: " + word
		if len(keys) > 0 {
			takes = fmt.Sprintf("settings by name, such as {%s: {%s: …}}", word, keys[0].Name)
		}
		l.Report(settings, "%s takes %s; found %s", word, takes, settings)
		return
	}
	d := &m.Derivative
	if word == "savgol" {
		d.Window, d.Order = 5, 2
	}
	l.Take(settings, keys, key.Names(keys)...)
	switch {
	case word == "savgol":
		if d.Window%2 == 0 {
			l.Report(settings.Field("window"), "window must be odd; found %d", d.Window)
		}
		if d.Order >= d.Window {
			l.Report(kind, "order must be below window; found order %d, window %d", d.Order, d.Window)
		}
		r.Derivative = key.Object("kind", word, "window", d.Window, "order", d.Order)
	case word == "spline" && settings.Field("smoothing") != nil:
		r.Derivative = key.Object("kind", word, "smoothing", d.Smoothing)
	}
}

// SlopeKinds are the ways in which derivatives come from the data.
func SlopeKinds(d *dynamics.Derivative) key.Kinds {
	return key.Kinds{
		{Name: "central", Doc: "(f[t+1] − f[t−1])/(time[t+1] − time[t−1]) at the interior rows"},
		{Name: "savgol", Doc: "slope of the least-squares polynomial over a centred window, at rows with a whole window", Keys: []key.Key{
			key.Whole("window", &d.Window, 3, 1_000_001).Tells("5", "rows, odd"),
			key.Whole("order", &d.Order, 1, 20).Tells("2", "of the polynomial, below window")}},
		{Name: "spline", Doc: "slope of the cubic smoothing spline, which minimises Σ(value − g)² + smoothing·∫g″²", Keys: []key.Key{
			key.Number("smoothing", &d.Smoothing, key.NotNegative).Tells("0", "0 chooses that of each state by cross-validation")}},
		{Name: "column", Doc: "the columns of `data.derivatives`, at all rows"},
	}
}

// slopeShape is the schema of derivative: a kind, also as the one key that holds its own.
func slopeShape() key.Ordered {
	kinds := SlopeKinds(&dynamics.Derivative{})
	all := []key.Ordered{kinds.Shape()}
	for _, v := range kinds {
		all = append(all, key.Section([]key.Key{key.Mapping(v.Name, v.Keys)}).With("required", []string{v.Name}))
	}
	return key.AnyOf(all...)
}
