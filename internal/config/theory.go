package config

import (
	"context"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/spare"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A Theory is what a configuration of the command theory asks for.
type Theory struct {
	Name        string
	Problem     theory.Problem
	Settings    theory.Settings
	Intensities []float64 // of swaps, rising, at which the gap is measured as well; nil is none
	Resolved    ResolvedTheory
	Fault       func(error) error // at the place of the potential, what its cells tell is wrong with it
}

// ResolvedTheory is the configuration of the command theory with every default filled
// in. Its JSON is a configuration again, which loads to the same.
type ResolvedTheory struct {
	Name      string     `json:"name"`
	Variables []string   `json:"variables"`
	Potential string     `json:"potential"`
	Domain    any        `json:"domain"` // as written
	Theory    TheoryKeys `json:"theory"`
}

// TheoryKeys is the theory section.
type TheoryKeys struct {
	Temperature []float64  `json:"temperature"`
	Intensity   float64    `json:"intensity"`
	Intensities []float64  `json:"intensities,omitempty"`
	Grid        int        `json:"grid"`
	Eigenvalues int        `json:"eigenvalues"`
	Decay       *DecayKeys `json:"decay,omitempty"`
}

// DecayKeys say which law is followed, and when it is measured.
type DecayKeys struct {
	Start Ordered   `json:"start"`
	Times []float64 `json:"times"`
	Of    []string  `json:"of"`
}

// LoadTheory reads a configuration of the command theory, with overrides such as
// "theory.grid=200". What it does not say is filled in. The error is of type [Problems]
// and holds every fault.
func LoadTheory(path string, set []string) (*Theory, error) {
	return loaded("theory", path, nil, set, (*loader).theory)
}

// ParseTheory is [LoadTheory] of a text; name stands for the path.
func ParseTheory(name string, text []byte, set []string) (*Theory, error) {
	return loaded("theory", name, text, set, (*loader).theory)
}

func (of *loader) theory(string) (*Theory, error) {
	l, root := &theoryLoader{loader: of}, of.root
	l.Only(root, l.theoryRootKeys())
	t := &Theory{Name: l.readName()}
	l.readNames(root.Field("variables"))
	if n := len(l.names); n > 2 {
		l.Report(root.Field("variables"), "theory cuts an interval or a part of the plane into cells: one or two variables; found %d", n)
	}
	u := l.theoryPotential(root.Field("potential"))
	l.boundedDomain(root)
	l.readTheory(root.Field("theory"))
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	if err := tune.Finite(context.Background(), r2sgld.Problem{Potential: u, Domain: l.region.Domain, Names: l.names}, l.region.Inside,
		1); err != nil {
		l.Report(root.Key("potential"), "%v", err)
		return nil, l.Problems.Err()
	}
	t.Problem = theory.Problem{Potential: u, Domain: l.region.Domain, Names: l.names}
	t.Resolved = ResolvedTheory{Name: t.Name, Variables: l.names, Potential: root.Field("potential").Text,
		Domain: l.region.Plain(root.Field("domain")), Theory: l.keys}
	t.Settings, t.Intensities = l.keys.settings(), l.keys.Intensities
	t.Fault = func(err error) error { return root.Field("potential").Problem(err.Error()) }
	return t, nil
}

// theoryRootKeys declares a configuration of theory.
func (l *theoryLoader) theoryRootKeys() []key.Key {
	return []key.Key{
		l.nameKey(),
		variablesKey(),
		key.Given("potential", "[expression](#expressions)", key.PlainText(), nil).Must().Tells("", "U in the variables"),
		region.Key().Must().Tells("", "[domain](#domain), bounded"),
		key.Mapping("theory", l.theoryKeys()).Tells("", "what is measured"),
	}
}

// theoryKeys declares the theory section.
func (l *theoryLoader) theoryKeys() []key.Key {
	k, number1 := &l.keys, key.Object("type", "number", "exclusiveMinimum", 0)
	return []key.Key{
		key.Given("temperature", "number > 0, or two that increase", key.AnyOf(number1, key.ListOf(number1).With("maxItems", 2)),
			key.With(l.readRungs)).
			Tells("1", "τ; two are two replicas that swap"),
		key.Number("intensity", &k.Intensity, key.NotNegative).Tells("0",
			"r: replicas swap at rate r·min(1, S). Swaps tried every k iterations of step "+
				"size η are intensity 1/(kη), and half of that with scheme `deo`, which tries two rungs in every second sweep; at fixed times they "+
				"gain a little more than at random ones (24 % at most in what was measured), which is what r stands for"),
		key.Given("intensities", "list of numbers > 0", key.ListOf(number1), key.With(l.readIntensities)).Tells("none",
			"intensities for a curve of the gap, and the one beyond "+
				"which next to nothing is gained"),
		key.Whole("grid", &k.Grid, leastGrid, mostGrid).In("8 … 4096 (plane), 5,000,000 (line), and 5,000,000 states in all").
			Tells("400; two rungs: 300 on a line, 24 in the plane", "cells along the longest side. A wall thinner than the cells is refused "+
				"where it parts the domain, and told elsewhere. So are barriers and wells of the potential between the points of the grid, down to "+
				"a width of a millionth of the domain on a line (a 10⁻⁵th of it in the plane); the error of the gap is not known then"),
		key.Whole("eigenvalues", &k.Eigenvalues, 1, theory.MostEigenvalues).Tells("5", "how many, and how many modes are drawn"),
		key.Part("decay", &k.Decay, l.decayKeys).Tells("none", "how distances to the target decay from a point on"),
	}
}

func (l *theoryLoader) decayKeys(d *DecayKeys) []key.Key {
	d.Of = theory.DistanceNames()
	return []key.Key{
		key.Given("start", "`{x: 0.1, …}`", key.MapOf(key.Object("type", "number")), key.With(func(n *yamlpos.Node) {
			if l.names == nil {
				return
			}
			if x, ok := l.point(n); ok {
				if d.Start = named(l.names, x); l.region.Domain != nil && !l.region.Domain.Contains(x) {
					l.Report(n, "the start %s lies outside the domain", pointText(l.names, x))
				}
			}
		})).Must().Tells("", "a point, where both replicas start"),
		key.Given("times", "increasing numbers ≥ 0", key.ListOf(key.Object("type", "number", "minimum", 0)).With("maxItems", theory.MostTimes),
			key.With(func(n *yamlpos.Node) {
				d.Times = l.Numbers(n, theory.MostTimes, key.NotNegative)
				l.rising(n, d.Times)
			})).Must().Tells("", "when distances are measured"),
		key.Given("of", "list of words", key.ListOf(key.Object("enum", theory.DistanceNames())), key.With(func(n *yamlpos.Node) {
			at, _ := l.Members(n, "distance", "accepted", theory.DistanceNames())
			d.Of = nil
			for _, i := range at {
				d.Of = append(d.Of, theory.DistanceNames()[i])
			}
		})).Tells("all", "which: `chi2`, `kl`, `w2`, `tv`"),
	}
}

// A theoryLoader is a configuration of the command theory being read.
type theoryLoader struct {
	*loader
	keys  TheoryKeys
	rungs int // 0 if that is not known
}

// theoryPotential reads a formula.
func (l *theoryLoader) theoryPotential(n *yamlpos.Node) potential.Potential {
	if n != nil && n.Kind == yamlpos.Map {
		l.Report(n, "theory needs the potential as a formula, such as \"x^2/2\": it is asked for at every cell and face")
		return nil
	}
	return l.readPotential(n)
}

// boundedDomain reads the domain and reports one that has no walls all around.
func (l *theoryLoader) boundedDomain(root *yamlpos.Node) {
	before := len(l.Problems)
	l.readDomain(nil, nil)
	switch {
	case l.names == nil || len(l.names) > 2 || len(l.Problems) > before:
	case l.region.Slice != nil:
		l.ReportBare(root.Key("domain"), "theory takes no equations (substitute one of the variables) and no domain a million times as long as "+
			"wide")
	case l.region.Domain == nil:
		l.ReportBare(root, "the domain is missing: theory needs walls all around, such as domain: {box: {%s: [0, 1]}}", l.names[0])
	case !bounded(l.region.Domain):
		lo, hi := domain.BoundsOf(l.region.Domain, len(l.names))
		for j, name := range l.names {
			if math.IsInf(hi[j]-lo[j], 1) {
				l.ReportBare(root.Key("domain"), "the domain does not bound %q: cells cover a bounded domain alone. Add a box so large that nothing "+
					"is beyond it", name)
			}
		}
	}
}

// Limits of what can be asked for.
const (
	mostGrid   = 5_000_000
	mostStates = 5_000_000 // of package theory
	leastGrid  = 8         // of which half are cells enough to see the error of the grid
)

// readTheory reads the theory section, which may be missing.
func (l *theoryLoader) readTheory(n *yamlpos.Node) {
	k := &l.keys
	k.Temperature, k.Eigenvalues, l.rungs = []float64{1}, 5, 1
	if l.Read(n, l.theoryKeys()) && l.rungs == 1 {
		for name, asked := range map[string]bool{"intensity": k.Intensity > 0, "intensities": k.Intensities != nil} {
			if asked {
				l.Report(n.Field(name), "one temperature has none to swap with: give two, such as temperature: [1, 10], or drop the %s", name)
			}
		}
	}
	l.settleGrid(n)
}

// readRungs reads one or two temperatures.
func (l *theoryLoader) readRungs(n *yamlpos.Node) {
	t := l.Positives(n)
	if l.rungs = len(t); l.rungs > 2 {
		l.Report(n, "theory knows one rung or two: give one temperature or two; found %d", l.rungs)
		l.rungs = 0
	}
	if l.rungs > 0 {
		l.Increasing(n, t)
		l.keys.Temperature = t
	}
}

// readIntensities reads the intensities of a curve.
func (l *theoryLoader) readIntensities(n *yamlpos.Node) {
	l.keys.Intensities = l.Numbers(n, key.MostNumbers, key.Positive)
	l.rising(n, l.keys.Intensities)
}

// rising reports the first entry of n that is not larger than the one before it.
func (l *theoryLoader) rising(n *yamlpos.Node, v []float64) {
	for i := 1; i < len(v); i++ {
		if !(v[i] > v[i-1]) {
			l.Report(n.Items[i], "%s must rise; found %g after %g", n.Name, v[i], v[i-1])
			return
		}
	}
}

// settleGrid fills in the grid, and reports one whose states are fewer than the
// eigenvalues or do not fit into memory.
func (l *theoryLoader) settleGrid(n *yamlpos.Node) {
	k := &l.keys
	given := n.Field("grid")
	if k.Grid == 0 {
		k.Grid = theory.DefaultGrid(len(l.names), len(k.Temperature))
	}
	if !bounded(l.region.Domain) || len(l.names) > 2 {
		return
	}
	cells := k.settings().Cells(l.region.Domain)
	states := math.Pow(cells, float64(len(k.Temperature)))
	if float64(k.Eigenvalues) > states/2 {
		l.Report(n.Field("eigenvalues"), "%d eigenvalues of a process with about %.0f states are not those of a diffusion: ask for fewer, or "+
			"raise the grid", k.Eigenvalues, states)
	}
	need, there := k.settings().Bytes(cells), spare.Memory()
	if need > there && given != nil {
		l.Report(given, "%d cells along the longest side are up to %.3g states, which take about %.3g GiB of memory; there are %.3g GiB: take "+
			"a grid of about %d", k.Grid, states, need/(1<<30), there/(1<<30),
			fitting(k.Grid, max(need/there, states/mostStates), len(l.names)*len(k.Temperature)))
	}
}

// fitting is the grid whose states, of a process in so many dimensions, fit where those
// of this one need too much by a factor.
func fitting(grid int, factor float64, dim int) int {
	return max(leastGrid, int(float64(grid)*math.Pow(factor, -1/float64(dim))*0.98))
}

// settings makes settings of the keys.
func (k *TheoryKeys) settings() theory.Settings {
	s := theory.Settings{Temperature: k.Temperature, Intensity: k.Intensity, Grid: k.Grid, Eigenvalues: k.Eigenvalues}
	if k.Decay != nil {
		start := make([]float64, len(k.Decay.Start))
		for i, e := range k.Decay.Start {
			start[i] = e.Value.(float64)
		}
		s.Decay = &theory.Decay{Start: start, Times: k.Decay.Times, Of: k.Decay.Of}
	}
	return s
}

// Hash is a fingerprint of all that determines the numbers. 64 hexadecimal digits.
func (r ResolvedTheory) Hash() (string, error) {
	return hashOf(r)
}
