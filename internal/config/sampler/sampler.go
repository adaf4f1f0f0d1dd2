package sampler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/tune"
)

// The largest numbers that a configuration may ask for.
const (
	MostLadders = 1024
	maxRungs    = key.MostNumbers
	maxLeapfrog = 100_000
	maxDisk     = 256 << 30 // bytes of draws
)

// The least length of the first round of method auto, if it is given.
const (
	autoLeast      = 1000
	autoLeastPaths = 100 // of kernels without bias
)

// Keys of the sampler that go with method auto: a section of none but some of the latter is
// one of that method. Others auto sets itself.
var (
	leaveAuto  = []string{"method", "iterations"}
	goWithAuto = []string{"swap", "ladders", "kernel", "init", "seed", "until", "certificate", "minibatch"}
)

// aPoint is the schema of a place by names.
var aPoint = key.MapOf(key.Object("type", "number"))

// Keys declares the sampler section.
func (l *Choice) Keys() []key.Key {
	return append(l.ladderKeys(), l.moveKeys()...)
}

// ladderKeys declares how long and on which rungs a run is.
func (l *Choice) ladderKeys() []key.Key {
	s := &l.Sampler
	return []key.Key{
		key.Given("method", "word", key.Object("enum", MethodNames()), nil).
			Tells("auto, or r2sgld where keys tell more", "rungs, boundary and schedule"),
		key.Whole("iterations", &s.Iterations, 1, key.Many).
			Tells("sample 100,000; identify 200,000; `kernel: harmonic` 20,000",
				"steps of each ladder, burn-in included; of auto: of the first round"),
		key.Whole("burn_in", &s.BurnIn, 0, key.Many).In("0 … below iterations").
			Tells("sample 10,000; identify 20,000; `kernel: harmonic` 1,000; at most iterations/10", "steps whose draws are not kept"),
		key.Whole("thin", &s.Thin, 1, key.Many).Tells("sample 10; identify 20; `kernel: harmonic` 1",
			"every so-manieth draw is kept; at least 4 of each ladder must be, and all must fit in 256 GiB on disk"),
		key.Positives("step_size", &s.StepSize).In("number > 0, or a list, one per rung").Tells("[measured](#the-measured-step)",
			"η; one number serves all rungs. Of a rung at infinite temperature it is ητ"),
		key.Given("temperature", "increasing numbers > 0, at most 512; the last may be `inf`", temperatureShape(),
			key.With(l.samplerTemperature)).
			Tells("sample [1, 10] on a bounded domain, else [1, 3]; identify [1, 3]; one rung: 1", "τ of the rungs, cold first; "+
				"the length is the number of rungs. `inf` is the uniform law on a bounded domain: [the evidence](#evidence) starts there"),
		ScheduleKey().Tells("constant; cosine for `*cyc*` methods", "[step size over time](#schedules)"),
		key.Mapping("swap", s.Swap.Keys()).By(key.With(l.samplerSwap)).Tells("", "[exchange of rungs](#swap)"),
		key.Whole("ladders", &s.Ladders, 1, MostLadders).Tells("4", "independent copies, for R̂ and error bars"),
	}
}

// moveKeys declares how rungs move, from where, and when they end.
func (l *Choice) moveKeys() []key.Key {
	s := &l.Sampler
	return []key.Key{
		key.Word("boundary", &s.Boundary, "specular", "nearest", "refuse", "project").
			Tells("`specular`", "[rule at the wall](#boundary-rules); reflected methods only"),
		key.Whole("cap", &s.Cap, 1, math.MaxInt32).Tells("1000; `nearest`, `project` 20",
			"mirrorings of one step before it is given up and counted; reflected methods only"),
		key.Given("penalty", "number ≥ 0, or `{strength: ξ, form: force}`",
			key.AnyOf(key.Object("type", "number", "minimum", 0), key.Section((&Penalty{}).keys())),
			key.With(l.samplerPenalty)).Tells("1; form `distance` 1/(4η)", "ξ; form `force`: outside the domain ξ·x is added to the gradient, "+
			"a pull to the origin that is no energy (the paper's); form `distance`: ½ξ·(distance from the domain)² is added to the energy; "+
			"`p-` methods only"),
		key.Number("smoothing", &s.Smoothing, key.Positive).Tells("4η", "λ of [`myula`](#methods)"),
		key.Given("kernel", "`"+strings.Join(KernelNames(), "`, `")+"`", key.Object("enum", KernelNames()), key.With(l.samplerKernel)).
			Tells("`sgld`; for auto `harmonic` where `kernel: auto` would take it (no more than 400 variables, no certificate), "+
				"`hmc` with `likelihood: trajectory` and with programs, else [the better one](#method-auto) of `sgld` and `hmc`",
				"[how a rung moves](#kernels); reflected methods and those without walls"),
		key.Whole("leapfrog", &s.Leapfrog, 1, maxLeapfrog).Tells("10", "steps of a trajectory of `kernel: hmc`, one gradient each"),
		key.Number("momentum", &s.Momentum, key.NotNegative).Also("exclusiveMaximum", 1).In("0 … below 1").Tells("0.9",
			"μ of the methods with momentum: v ← μv − η∇U(x) + √(2η(1 − μ − β̂)τ)·N(0, I), x ← x + v"),
		key.Number("noise_estimate", &s.NoiseEstimate, key.NotNegative).Also("exclusiveMaximum", 1).In("0 … below 1 − μ").
			Tells("0", "β̂: the share of the noise that the gradient's own noise is trusted to bring"),
		key.Given("init", "`uniform`, `prior`, `{x: 0, …}` or a list of such points",
			key.AnyOf(key.Object("enum", l.InitWords()), aPoint, key.ListOf(aPoint)), nil).
			Tells("[see below](#where-replicas-start)", "where replicas start; `uniform` needs a bounded domain, `prior` "+
				"(identify) a prior, or bounds on both sides, for every parameter; a point must name every variable and, for reflected "+
				"methods, lie in the domain; ladders take those of a list by turns, and method auto looks for [modes](modes.md) from "+
				"there too"),
		key.Seed("seed", &s.Seed).Tells("1", "determines every draw"),
		key.Mapping("until", UntilKeys(&tune.Until{})).By(key.With(l.samplerUntil)).Tells("", "[when method auto ends](#method-auto)"),
		key.Boolean("certificate", &s.Certificate).Tells("false", "estimates the [bias of the step](#certificate): seven gradients "+
			"in place of one, the same draws; kernel sgld, boundary specular and refuse, and methods without walls"),
		key.Boolean("whiten", &s.Whiten).Tells("true", "identify only, method auto aside: steps in z of x = c + L z, "+
			"c the posterior mode without constraints, L Lᵀ the inverse of the posterior's precision there; step sizes are then of z"),
		key.Given("minibatch", "rows ≥ 1, `auto`, `none`", key.AnyOf(key.Object("type", "integer", "minimum", 1),
			key.Object("enum", []string{"auto", "none"})),
			key.With(l.samplerMinibatch)).Tells("`none`", "fit only: every gradient takes as many rows, [drawn afresh](#minibatches); `auto` "+
			"takes them if that "+
			"saves work, and as many as make little noise"),
	}
}

// Known are the keys that a sampler section may have: those of sample have no whiten, and
// those of fit alone a minibatch.
func (l *Choice) Known() []key.Key {
	return slices.DeleteFunc(l.Keys(), func(k key.Key) bool {
		return k.Name == "whiten" && !l.OfModel || k.Name == "minibatch" && !l.OfRows
	})
}

// samplerMinibatch reads how many rows a gradient takes.
func (l *Choice) samplerMinibatch(n *yamlpos.Node) {
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	if n.Kind == yamlpos.Scalar && (n.Text == "auto" || n.Text == "none") {
		if n.Text == "auto" {
			l.Sampler.Minibatch = n.Text
		}
		return
	}
	if rows, ok := l.Int(n, 1, key.Many); ok {
		l.Sampler.Minibatch = rows
	}
}

// UntilKeys declares when method auto ends.
func UntilKeys(u *tune.Until) []key.Key {
	return []key.Key{
		key.Number("rhat", &u.RHat, key.Positive, key.Above(1)).Tells("1.01", "the R̂ of every parameter is at most this; of 16 ladders or more the nested R̂, which they may be shorter for"),
		key.Number("ess", &u.ESS, key.Positive).Tells("400", "its effective sample sizes, bulk and tail, are at least this"),
		key.Number("evidence", &u.Evidence, key.Positive).Tells("not asked",
			"the standard error of log Z, from the draws of all ladders, is at most "+
				"this, and log Z is not lost in a [bottleneck](#evidence). `rhat` and `ess` are then waited for only if they are given "+
				"too; the summary says where draws of parameters are rough. It needs a bounded domain (or priors) and energies without noise. "+
				"The error of an estimated volume comes on top and is told"),
		key.Number("bias", &u.Bias, key.Positive).Tells("not asked",
			"also: \\|bias\\| + 2 standard errors of every mean are at most so many standard "+
				"deviations. Implies `certificate`. Where R̂ and ESS are met and \\|bias\\| − 2 standard errors is above it, the run ends with a "+
				"warning: only a smaller step would help"),
		key.Number("seconds", &u.Seconds, key.Positive).
			Tells("no limit", "sampling has taken, or the next round would take, so long: the length then depends on the machine"),
		key.Whole("iterations", &u.Iterations, 1, key.Many).Tells("64 × `iterations`", "each ladder has done so many"),
	}
}

func (p *Penalty) keys() []key.Key {
	return []key.Key{
		key.Number("strength", &p.Strength, key.NotNegative).Tells("1; form `distance` 1/(4η)", "ξ"),
		key.Word("form", &p.Form, Force, Distance).Tells("`force`", "of the pull"),
	}
}

// Load reads the sampler section; what is not given stays at
// its zero value, for the defaults to fill in.
func (l *Choice) Load(n *yamlpos.Node) {
	s, keys := &l.Sampler, l.Keys()
	l.Node = n
	if !l.samplerMethod(keys) {
		l.Only(n, l.Known()) // what else is right depends on the method
		return
	}
	if l.Only(n, l.Known()) {
		l.Take(n, keys, "iterations", "burn_in", "thin", "ladders", "seed")
		l.samplerKernel(n.Field("kernel"))
		l.samplerMomentum(keys)
		l.Take(n, keys, "step_size", "temperature")
		l.samplerRungs()
		l.samplerSwap(n.Field("swap"))
		l.samplerWall(keys)
		l.Take(n, keys, "until", "certificate", "minibatch")
		l.certificate()
	}
	if !l.Method.Auto() {
		l.ReadSchedule(n.Field("schedule"))
	}
	s.Method = l.Method.Name
}

// samplerMethod reads the method's name. It returns false where there is no such method.
func (l *Choice) samplerMethod(keys []key.Key) bool {
	n := l.Node
	l.Method = Methods()[0]
	if n == nil || n.Kind == yamlpos.Null {
		l.Method = methodOf("auto")
		return true
	}
	if n.Kind != yamlpos.Map {
		return true
	}
	given := func(f yamlpos.Field) bool {
		return f.Value.Kind != yamlpos.Null && !slices.Contains(goWithAuto, f.Key.Text)
	}
	if at := n.Field("method"); at != nil {
		if slices.Contains(KernelNames(), at.Text) && !slices.Contains(MethodNames(), at.Text) {
			l.Report(at, "%s is a kernel: write kernel: %s, with a method such as auto or r2sgld", at.Text, at.Text)
			return false
		}
		name, ok := l.Word(at, MethodNames()...)
		if !ok {
			return false
		}
		l.Method = methodOf(name)
	} else if !slices.ContainsFunc(n.Fields, given) {
		l.Method = methodOf("auto")
	}
	for _, f := range n.Fields {
		known := slices.Contains(key.Names(keys), f.Key.Text) && !slices.Contains(leaveAuto, f.Key.Text)
		if l.Method.Auto() && known && given(f) {
			l.Report(f.Key, "method auto sets %s itself: drop the key, or take method: r2sgld", f.Key.Text)
		}
	}
	return true
}

// Note tells of a section that is not of method auto for its length alone.
func (l *Choice) Note() string {
	if l.Node == nil || l.Node.Kind != yamlpos.Map || l.Node.Field("method") != nil || l.Node.Field("iterations") == nil ||
		slices.ContainsFunc(l.Node.Fields, func(f yamlpos.Field) bool {
			return f.Key.Text != "iterations" && !slices.Contains(goWithAuto, f.Key.Text)
		}) || l.Method.Auto() {
		return ""
	}
	return fmt.Sprintf("sampler.iterations without sampler.method: method %s, whose steps and temperatures nothing tunes. Method auto tunes "+
		"them, and takes iterations as its first round: sampler.method: auto", l.Method.Name)
}

// samplerKernel reads how a rung moves.
func (l *Choice) samplerKernel(k *yamlpos.Node) {
	m, s, n := &l.Method, &l.Sampler, l.Node
	word, ok := l.Word(k, KernelNames()...)
	switch {
	case !ok:
	case m.Move.Name == Momentum:
		l.Report(k, "method %s steps with momentum: drop kernel, or take %s", m.Name, strings.Replace(m.Name, Momentum, Langevin, 1))
	case m.Move.Name != Langevin && word != m.Move.Name:
		l.Report(k, "method %s goes with kernel %s; found %s", m.Name, m.Move.Name, word)
	case word != Langevin && m.Wall != Free && m.Wall != Reflected:
		l.Report(k, "kernel %s goes with the methods that reflect, such as r2sgld, and with those without walls; found method %s", word, m.Name)
	case word == Auto: // chosen once the potential is known
		s.Kernel = word
	case word == Langevin && m.Auto(): // else another may be taken
		s.Kernel = word
	case word != Langevin:
		l.MoveBy(word)
	}
	steps := slices.Contains(m.Move.keys, "leapfrog")
	if at := n.Field("leapfrog"); at != nil && !steps && (l.Traits().Metropolis || !m.Auto()) {
		l.Report(at, "leapfrog belongs to kernel hmc; found method %s with kernel %s", m.Name, cmp.Or(word, Langevin))
		return
	}
	accepts := l.Traits().Metropolis
	if b := n.Field("boundary"); b != nil && (accepts || s.Kernel == Auto) &&
		(b.Text == string(domain.Nearest) || b.Text == string(domain.Project)) {
		l.Report(b, "kernel %s keeps the law under boundary specular and refuse only; found %s", cmp.Or(word, m.Move.Name), b.Text)
	}
	if accepts { // by its method or by the key
		l.MoveBy(m.Move.Name)
		l.Take(n, l.Keys(), "leapfrog")
	}
}

// samplerMomentum reads what concerns momentum.
func (l *Choice) samplerMomentum(keys []key.Key) {
	s, n := &l.Sampler, l.Node
	for _, name := range []string{"momentum", "noise_estimate"} {
		before := len(l.Problems)
		l.Take(n, keys, name)
		if k := n.Field(name); k != nil && len(l.Problems) == before && l.Method.Move.Name != Momentum && !l.Method.Auto() {
			l.Report(k, "%s belongs to the methods with momentum, such as r2sghmc; found method %s", name, l.Method.Name)
		}
	}
	if l.Method.Move.Name != Momentum {
		return
	}
	m := l.Traits().Momentum
	s.Momentum, s.NoiseEstimate = &m.Mu, &m.NoiseEstimate
	l.MomentumFaults(n, m)
}

// MomentumFaults reports what is wrong with the momentum of the section n.
func (l *Choice) MomentumFaults(n *yamlpos.Node, m kernel.Momentum) {
	if err := m.Validate(); err != nil {
		l.Report(cmp.Or(n.Field("momentum"), n.Field("noise_estimate"), n), "%v", err)
	}
}

// samplerUntil reads when a run of method auto ends.
func (l *Choice) samplerUntil(k *yamlpos.Node) {
	if !l.Method.Auto() {
		add := ""
		if l.Node.Field("method") == nil { // other keys chose it
			add = ": add method: auto"
		}
		l.Report(k, "until belongs to method auto, which decides how long to run; method %s runs sampler.iterations%s", l.Method.Name, add)
		return
	}
	u := &tune.Until{}
	if l.Read(k, UntilKeys(u)) {
		l.Sampler.Until = u
	}
}

// temperatureShape is the schema of temperatures.
func temperatureShape() key.Ordered {
	number := key.Object("type", "number", "exclusiveMinimum", 0)
	entry := key.AnyOf(number, key.Object("enum", []string{"inf", ".inf", "Inf", ".Inf"}))
	return key.AnyOf(number, key.ListOf(entry).With("maxItems", maxRungs+1))
}

// samplerTemperature reads temperatures: positive numbers that increase, the last perhaps
// infinite.
func (l *Choice) samplerTemperature(n *yamlpos.Node) {
	t := &l.Sampler.Temperature
	*t = l.temperatures(n)
	l.Increasing(n, *t)
}

func (l *Choice) temperatures(n *yamlpos.Node) Temperatures {
	if n.Kind != yamlpos.List || len(n.Items) < 2 {
		return l.Positives(n)
	}
	last := n.Items[len(n.Items)-1]
	if last.Kind != yamlpos.Scalar || !slices.Contains([]string{"inf", ".inf", "+.inf", "Inf", ".Inf"}, last.Text) {
		return l.Positives(n)
	}
	finite := *n
	finite.Items = n.Items[:len(n.Items)-1]
	t := l.Positives(&finite)
	if t == nil {
		return nil
	}
	l.Infinite = last
	return append(t, math.Inf(1))
}

// Increasing reports temperatures that do not increase.
func (l *Choice) Increasing(n *yamlpos.Node, t []float64) {
	for i := 1; i < len(t); i++ {
		if !(t[i] > t[i-1]) {
			l.Report(n.Items[i], "temperatures must increase, cold first; found %s after %s", n.Items[i].Text, n.Items[i-1].Text)
		}
	}
}

// samplerRungs reports numbers of step sizes and temperatures that are not those of the
// method.
func (l *Choice) samplerRungs() {
	s, n := &l.Sampler, l.Node
	if l.Method.Auto() {
		return
	}
	rungs := l.RungsFault(n.Field("temperature"), len(s.Temperature), "[1, 10]")
	if got := len(s.StepSize); got > 1 && got != rungs {
		l.Report(n.Field("step_size"), "step_size must have one entry per rung, %d; found %d", rungs, got)
	}
}

// RungsFault reports a number of temperatures that does not go with the method, and
// returns one that does; ladder is an example of temperatures.
func (l *Choice) RungsFault(n *yamlpos.Node, rungs int, ladder string) int {
	switch exchanges := l.Method.Exchanges(); {
	case rungs == 1 && exchanges:
		l.Report(n, "method %s exchanges rungs: give two temperatures or more, such as %s", l.Method.Name, ladder)
	case rungs > 1 && !exchanges:
		l.Report(n, "method %s has one rung; found %d temperatures", l.Method.Name, rungs)
	case exchanges == (rungs > 1):
		return rungs
	}
	if l.Method.Exchanges() {
		return 2
	}
	return 1
}

// samplerWall reads what concerns the boundary of the domain.
func (l *Choice) samplerWall(keys []key.Key) {
	s, n, m := &l.Sampler, l.Node, l.Method
	for _, key := range []string{"boundary", "cap"} {
		if k := n.Field(key); k != nil && !m.Wall.Reflects() && !m.Auto() {
			l.Report(k, "%s belongs to the reflected methods; %s does not reflect", key, m.Name)
		}
	}
	l.Take(n, keys, "boundary")
	if m.Wall == Projected && s.Boundary != "" && s.Boundary != string(domain.Project) {
		l.Report(n.Field("boundary"), "method %s goes with boundary project; found %s", m.Name, s.Boundary)
	}
	l.Take(n, keys, "cap", "penalty", "smoothing")
	if s.Smoothing > 0 && m.Wall != Proximal && !m.Auto() {
		l.Report(n.Field("smoothing"), "smoothing belongs to method myula; found method %s", m.Name)
	}
	l.Take(n, keys, "whiten")
}

// samplerPenalty reads what pulls states back into the domain.
func (l *Choice) samplerPenalty(n *yamlpos.Node) {
	if l.Method.Auto() {
		return
	}
	if l.Method.Wall != Penalised {
		l.Report(n, "penalty belongs to the methods whose names begin with p-, such as p-sgld; found method %s", l.Method.Name)
		return
	}
	p := &Penalty{Strength: 1, Form: Force}
	strength := n
	if n.Kind == yamlpos.Map {
		if !l.Only(n, p.keys()) {
			return
		}
		l.Take(n, p.keys(), "form")
		strength = n.Field("strength")
	}
	least := key.NotNegative
	if p.Form == Distance {
		p.Strength, least = 0, key.Positive // 0 until the step size is known
	}
	if v, ok := l.Limited(strength, least); ok {
		p.Strength = v
	}
	l.Sampler.Penalty = p
}

// Lengths reports iterations that leave nothing, or too much, to keep.
func (l *Choice) Lengths(d int) {
	s, n := &l.Sampler, l.Node
	kept := (s.Iterations - *s.BurnIn) / s.Thin
	bytes := 8 * float64(kept) * float64(d+1) * float64(s.Ladders*len(s.Temperature))
	switch iterations := n.Field("iterations"); {
	case *s.BurnIn >= s.Iterations:
		l.Report(cmp.Or(n.Field("burn_in"), iterations), "burn_in must be less than iterations; found %d of %d", *s.BurnIn, s.Iterations)
	case kept < 4:
		l.Report(cmp.Or(n.Field("thin"), iterations), "only %d draws of each ladder would be kept: raise iterations or lower thin", kept)
	case bytes > maxDisk:
		l.Report(cmp.Or(iterations, n), "%d draws of each rung of each ladder take %.0f GiB on disk: raise thin or lower iterations", kept,
			bytes/(1<<30))
	}
}
