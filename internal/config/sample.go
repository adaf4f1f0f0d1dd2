package config

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/command"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/derived"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

func (l *loader) sample() (*Run, error) {
	root := l.root
	l.Only(root, l.sampleKeys())
	s := &Run{Command: "sample", Name: l.readName()}
	var u potential.Potential
	at := root.Field("potential")
	elsewhere := at != nil && at.Kind == yamlpos.Map
	var model *stanModel
	var program *external
	if elsewhere && at.Field("stan") != nil {
		model = l.readStan(at)
	} else {
		l.readNames(root.Field("variables"))
	}
	if !elsewhere {
		u = l.readPotential(at)
	} else if at.Field("stan") == nil {
		program = l.external(at)
	}
	noise := l.readNoise(root.Field("noise"))
	l.readDomain(model.walls, program.telling(l))
	l.Load(root.Field("sampler"))
	l.readInit(l.Node.Field("init"))
	model.starts(l)
	l.reference()
	l.suits()
	s.Resolved = Resolved{Name: s.Name, Variables: l.names, Noise: noise, Domain: l.region.Plain(root.Field("domain"))}
	switch {
	case model != nil:
		s.Resolved.Potential, u = model.Stan, model.potential(l, at.Field("stan"))
	case program != nil: // started only if nothing else is wrong, or for its constraints
		s.Resolved.Potential, u = program.Command, program.potential(l)
	case !elsewhere:
		s.Resolved.Potential = l.region.Plain(at)
	}
	l.absentVariables(at)
	var more *derived.Formulas
	more, s.Resolved.Outputs = l.formulas(root.Field("outputs"))
	s.Resolved.Figures = l.readFigures(root.Field("figures"), l.names)
	model.explain(l.Problems)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	if noise != nil {
		u = potential.Noisy(u, noise.Gradient, noise.Energy)
		s.Warnings = jumps(s.Resolved.Potential)
	}
	if of, ok := u.(*command.Potential); ok && len(of.OutputNames()) > 0 {
		s.Outputs, s.Program = of, of.OutputNames()
	}
	l.follow(s, root.Field("outputs"), more)
	s.Problem = l.target(u)
	l.settleInit(s.Problem)
	l.settle(s, usualTemperatures(l.region.Domain), 100_000, 10_000, 10)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// usualTemperatures are those of two rungs where none are given: hotter between walls, which hold the hot one.
func usualTemperatures(d domain.Domain) []float64 {
	if bounded(d) {
		return []float64{1, 10}
	}
	return []float64{1, 3}
}

// sampleKeys declares a configuration of sample.
func (l *loader) sampleKeys() []key.Key {
	return []key.Key{
		l.nameKey(),
		variablesKey(),
		key.Given("potential", "[expression](#expressions), or map", key.AnyOf(key.PlainText(), key.Section((&Command{}).keys()),
			key.Section((&Stan{}).keys())), nil).Must().
			Tells("", "U in the variables, or [a program](#a-potential-in-another-program) that computes it, or [a Stan program](#a-stan-program)"),
		key.Mapping("noise", (&Noise{}).keys()).By(nil).Tells("none", "[synthetic noise](#noise-of-sample)"),
		region.Key().Tells("all of ℝᵈ", "[domain](#domain)"),
		key.Mapping("sampler", l.Known()).By(nil).Tells("[method auto](#method-auto)", "[how to draw](#sampler)"),
		outputsKey(nil).Tells("none", "[numbers that follow](#outputs) from the variables, such as `x^2 + y^2`"),
		figuresKey(),
	}
}

func (s *Noise) keys() []key.Key {
	return []key.Key{
		key.Number("gradient", &s.Gradient, key.NotNegative).Tells("0", "standard deviation added to every partial derivative"),
		key.Number("energy", &s.Energy, key.NotNegative).
			Tells("0", "standard deviation added to every energy; `swap.variance` becomes 2·energy² unless given"),
	}
}

// settle fills in the sampler's defaults and makes the settings of the run.
func (l *loader) settle(s *Run, temperature []float64, iterations, burnIn, thin int) {
	section := l.Node
	l.chooseKernel(s)
	l.certify(s)
	if l.Traits().Metropolis && math.IsNaN(potential.EnergyNoise(s.Problem.Potential)) {
		l.Report(section.Key("kernel"), "kernel %s accepts by the energy over all data: drop the minibatches (model.batch), or take kernel: sgld",
			l.Sampler.Kernel)
		return
	}
	l.suitsPaths(s.Problem)
	if l.Method.Exchanges() {
		l.Sampler.NoisyEnergies(s.Problem.Potential, section.Field("swap").Field("variance") != nil)
	}
	if l.Method.Auto() {
		l.LongEnough()
		l.Sampler.SettleAuto(s.firstRound(l.Traits().Exact))
		s.Until = l.Sampler.Until
		l.checkAuto(s.Problem)
		l.suitsEvidence(s.Problem)
	} else {
		if l.Traits().Paths { // whose draws are nearly independent
			iterations, burnIn, thin = 20_000, 1_000, 1
		}
		l.Sampler.Settle(l.Method, iterations, burnIn, thin, temperature)
		l.Lengths(len(l.names))
		if len(l.Problems) == 0 {
			l.measureSteps(s.Problem)
		}
	}
	if len(l.Problems) > 0 {
		return
	}
	if l.Method.Wall == sampler.Proximal && l.Sampler.Smoothing == 0 {
		l.Sampler.Smoothing = smoothingSteps * slices.Max(l.Sampler.StepSize)
	}
	if p := l.Sampler.Penalty; p != nil && p.Form == sampler.Distance && p.Strength == 0 {
		p.Strength = 1 / (smoothingSteps * slices.Max(l.Sampler.StepSize))
	}
	s.Settings = l.Sampler.Settings(l.Method, len(l.names))
	s.Settings.Whitening = l.white
	if points := l.starts(); points != nil {
		s.Settings.Start, s.Settings.MoreStarts = points[0], points[1:]
	}
	s.Resolved.Sampler = l.Sampler
	l.overshoots(s.Settings)
}

// overshoots reports a pull to the nearest point of the domain that throws a state
// farther out than it was: steps of η at strength ξ do for ηξ > 2, and with momentum
// for ηξ > 2(1 + μ).
func (l *loader) overshoots(s r2sgld.Settings) {
	p, most, section := s.Penalty, 2.0, l.Node
	if p == nil || !p.Distance || s.Traits().Metropolis {
		return
	}
	most *= 1 + s.Traits().Momentum.Mu
	for _, eta := range s.StepSize {
		switch {
		case eta*p.Strength <= most:
			continue
		case l.Method.Wall == sampler.Proximal:
			l.Report(section.Field("smoothing"), "smoothing %g is less than half the step size %g: the pull to the domain would overshoot. Raise "+
				"it, or take a smaller step_size", l.Sampler.Smoothing, eta)
		default:
			l.Report(section.Field("penalty"), "strength %g is more than %g over the step size %g: the pull to the domain would overshoot. Lower "+
				"it, or take a smaller step_size", p.Strength, most, eta)
		}
		return
	}
}

// smoothingSteps is λ of method myula, and 1/ξ of a penalty of the distance, in
// the largest of the steps, where it is not given: the pull then goes a quarter of
// the way in a step.
const smoothingSteps = 4

// suits reports a domain that the method cannot do with.
func (l *loader) suits() {
	m := l.Method
	var err error
	switch {
	case len(l.Problems) > 0:
		return
	case m.Wall == sampler.Free || m.Wall == sampler.Reflected || m.Wall == sampler.Penalised &&
		(l.Sampler.Penalty == nil || l.Sampler.Penalty.Form == sampler.Force && l.Sampler.Penalty.Strength == 0):
		return
	case l.region.Domain == nil:
		err = fmt.Errorf("method %s needs a domain", m.Name)
	case m.Wall == sampler.Mirrored:
		if _, none := domain.NewMirror(l.region.Domain); none != nil {
			err = fmt.Errorf("method %s needs a domain {simplex: [x, y, …]}, or a {box: …} that is bounded on every side: take r2sgld", m.Name)
		}
	case m.Wall == sampler.Proximal && !domain.Convex(l.region.Domain):
		err = fmt.Errorf("method %s needs a domain that is convex, and this one is not, or not known to be: take r2sgld", m.Name)
	case m.Wall == sampler.Proximal || m.Wall == sampler.Penalised && l.Sampler.Penalty.Form == sampler.Distance:
		_, err = domain.Projection(l.region.Domain)
	}
	if err != nil {
		l.Report(l.Node.Key("method"), "%v", err)
	}
}

// reference checks that there is a uniform law where a temperature is infinite.
func (l *loader) reference() {
	if l.Infinite != nil && (!l.Method.Wall.Reflects() || !bounded(l.region.Domain)) {
		l.Report(l.Infinite, "an infinite temperature, the uniform law, needs a bounded domain and a method that reflects")
	}
}

// measureSteps sets the step sizes that are not given.
func (l *loader) measureSteps(p r2sgld.Problem) {
	s := &l.Sampler
	var err error
	if s.StepSize == nil && (!l.Traits().Paths || l.Infinite != nil) {
		start := l.from()
		if l.Method.Wall == sampler.Mirrored {
			p, start = l.dual(p)
		}
		if l.white != nil && l.Method.Wall != sampler.Mirrored {
			s.StepSize, err = tune.WhitenedSteps(l.programs.Context, p, l.white, s.Temperature, *s.Seed)
		} else {
			s.StepSize, err = tune.Steps(l.programs.Context, p, s.Temperature, start, *s.Seed)
		}
	} else {
		err = tune.Finite(l.programs.Context, p, l.from(), *s.Seed)
	}
	if err != nil {
		l.Report(l.root.Key("potential"), "%v", err)
	}
}

// dual is p, and an inner point, in the dual coordinates of a mirror map.
func (l *loader) dual(p r2sgld.Problem) (r2sgld.Problem, []float64) {
	m, err := domain.NewMirror(l.region.Domain)
	if err != nil { // reported before
		return p, l.start()
	}
	y := make([]float64, len(l.names))
	m.Dual(y, l.region.Inside)
	return r2sgld.Problem{Potential: potential.Mirrored(p.Potential, m, l.Sampler.Temperature[0])}, y
}

// checkAuto reports what would stop the warm-up of method auto at once: a potential
// that is nowhere finite or, where nothing else bounds the steps, without
// curvature.
func (l *loader) checkAuto(p r2sgld.Problem) {
	if p.Base != nil { // the fit has found where it is finite
		return
	}
	var err error
	if bounded(p.Domain) {
		err = tune.Finite(l.programs.Context, p, l.start(), *l.Sampler.Seed)
	} else {
		err = tune.Curved(l.programs.Context, p, l.start(), *l.Sampler.Seed)
	}
	if err != nil {
		l.Report(l.root.Key("potential"), "%v", err)
	}
}

// readPotential compiles the potential.
func (l *loader) readPotential(n *yamlpos.Node) potential.Potential {
	if n == nil {
		l.ReportBare(l.root, "the potential is missing: add, for instance, potential: \"x^2/2\"")
		return nil
	}
	text, ok := l.Text(n)
	if !ok || l.names == nil {
		return nil
	}
	e, err := expression.Compile(text, l.names)
	if err != nil {
		if !l.Formula(n, err) {
			l.Report(n, "%v", err)
		}
		return nil
	}
	return potential.FromExpression(e)
}

// jumps warns of functions that Langevin steps cannot see jump, where noise hides the jumps
// from what looks for them along steps.
func jumps(formula any) []string {
	text, _ := formula.(string)
	if m := regexp.MustCompile(`\b(floor|sign)\s*\(`).FindStringSubmatch(text); m != nil {
		return []string{fmt.Sprintf("the potential has the function %s, which jumps: its gradient does not know of the jump, and draws on its "+
			"two sides have wrong shares. Write the pieces as domains of their own.", m[1])}
	}
	return nil
}

// endless reports whether a variable may go on alone without end, one way or the other,
// from the point inside the domain.
func (l *loader) endless(j int) bool {
	if l.region.Domain == nil || l.region.Inside == nil {
		return true
	}
	far := slices.Clone(l.region.Inside)
	for _, far[j] = range []float64{-1e50, 1e50} {
		if l.region.Domain.Contains(far) {
			return true
		}
	}
	return false
}

// tied reports whether an equation ties a variable to others: it cannot move alone.
func (l *loader) tied(j int) bool {
	if l.region.Slice == nil {
		return false
	}
	x, z := slices.Clone(l.region.Slice.Origin), make([]float64, l.region.Slice.Dim())
	x[j]++
	l.region.Slice.Reduced(z, x)
	there := make([]float64, len(x))
	l.region.Slice.Full(there, z)
	for i, v := range there {
		if math.Abs(v-x[i]) > 1e-6*(1+math.Abs(x[i])) {
			return true
		}
	}
	return false
}

// absentVariables reports variables that neither the potential nor the domain holds:
// there is no density in them.
func (l *loader) absentVariables(n *yamlpos.Node) {
	if n == nil || n.Kind != yamlpos.Scalar || len(l.Problems) > 0 {
		return
	}
	used, err := expression.Names(n.Text)
	if err != nil {
		return
	}
	lo, hi := domain.BoundsOf(l.region.Domain, len(l.names))
	for j, name := range l.names {
		if !slices.Contains(used, name) && math.IsInf(hi[j]-lo[j], 1) && !l.tied(j) && l.endless(j) {
			l.Report(n, "%q is not in the potential, and no bounds of it are known: it has no density. Add a box, or drop it from the variables",
				name)
		}
	}
}

// readNoise reads synthetic noise.
func (l *loader) readNoise(n *yamlpos.Node) *Noise {
	s := &Noise{}
	if !l.Read(n, s.keys()) {
		return nil
	}
	if max(s.Gradient, s.Energy) > 1e100 {
		l.Report(cmp.Or(n.Field("gradient"), n.Field("energy")), "noise above 1e100 leaves no number intact: measure it in the units of the "+
			"potential")
	}
	return s
}

// settleInit chooses where to start: uniformly on a bounded domain, else at
// the origin if it is inside, else at an interior point, or near it if the
// potential is not finite there or beyond the wall that it lies on.
func (l *loader) settleInit(p r2sgld.Problem) {
	if l.Sampler.Init != nil {
		return
	}
	if bounded(l.region.Domain) {
		l.Sampler.Init = sampler.FromUniform
		return
	}
	x := l.somewhere()
	if l.region.Slice == nil {
		x = tune.Start(p, x, l.region.Inside)
	}
	l.Sampler.Init = named(l.names, x)
}

// somewhere is the origin if it is inside, else an interior point.
func (l *loader) somewhere() []float64 {
	x := make([]float64, len(l.names))
	if l.region.Domain != nil && !l.region.Domain.Contains(x) {
		copy(x, l.region.Inside)
	}
	return x
}

// target is the problem of a potential on the domain: with equations in coordinates
// of the slice that they leave, which are called z1, z2 …
func (l *loader) target(u potential.Potential) r2sgld.Problem {
	p := r2sgld.Problem{Potential: u, Domain: l.region.Domain, Names: l.names}
	if s := l.region.Slice; s != nil {
		var rows [][]float64
		for j := range s.Origin {
			rows = append(rows, s.Span.RawRowView(j))
		}
		p.Potential, p.Domain = potential.Affine(u, s.Origin, rows), s.Domain
		p.Names = nil
		for k := range s.Dim() {
			p.Names = append(p.Names, fmt.Sprintf("z%d", k+1))
		}
		p.Chart = &r2sgld.Chart{Names: l.names, Point: s.Full, Coordinates: s.Reduced, Domain: s.Whole}
	}
	return p
}

// reduced is a point of the domain in the coordinates of the target; nil stays nil.
func (l *loader) reduced(x []float64) []float64 {
	if l.region.Slice == nil || x == nil {
		return x
	}
	z := make([]float64, l.region.Slice.Dim())
	l.region.Slice.Reduced(z, x)
	return z
}

// starts are the points where a run starts in the coordinates of the target; none where
// draws are uniform.
func (l *loader) starts() [][]float64 {
	var all [][]float64
	for _, x := range l.Sampler.Starts() {
		all = append(all, l.reduced(x))
	}
	return all
}

// start is the first of them, or nil.
func (l *loader) start() []float64 {
	if points := l.starts(); points != nil {
		return points[0]
	}
	return nil
}
