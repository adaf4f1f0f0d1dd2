package config

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A method is what a name such as r-cycsgld stands for.
type method struct {
	name      string
	wall      wall
	cycles    bool // cosine cycles
	exchanges bool // several rungs
	momentum  bool // SGHMC
	auto      bool // finds its own settings
	hmc       bool // kernel HMC
	single    bool // likewise, of single steps: MALA
	harmonic  bool // kernel harmonic
}

// exact reports whether the kernel has no bias from its step.
func (m method) exact() bool { return m.hmc || m.harmonic }

// A wall is what a method makes of the domain.
type wall string

const (
	free      wall = ""          // nothing: steps go where they go
	penalised wall = "p"         // pulls back by a penalty
	reflected wall = "r"         // reflects, by the rule boundary
	projected wall = "project"   // boundary project
	proximal  wall = "proximal"  // a penalty that is the envelope of the domain, of width smoothing
	mirrored  wall = "mirror"    // moves in the dual coordinates of a mirror map
	rejected  wall = "rejection" // drops draws outside
)

// reflects reports that steps end inside, by a rule.
func (w wall) reflects() bool { return w == reflected || w == projected }

// methods are the known methods, the default of a sampler section that sets
// anything by hand first.
func methods() []method {
	all := []method{{name: "r2sgld", wall: reflected, exchanges: true}, {name: "auto", wall: reflected, exchanges: true, auto: true}}
	for _, kernel := range []string{"sgld", "sghmc"} {
		for _, w := range []wall{free, penalised, reflected} {
			for _, kind := range []string{"", "cyc", "re"} {
				name := kind + kernel
				if w != free {
					name = string(w) + "-" + name
				}
				all = append(all, method{name: name, wall: w, cycles: kind == "cyc", exchanges: kind == "re", momentum: kernel == "sghmc"})
			}
		}
	}
	return append(all, method{name: "r2sghmc", wall: reflected, exchanges: true, momentum: true},
		method{name: "r-hmc", wall: reflected, hmc: true},
		method{name: "projected-sgld", wall: projected},
		method{name: "myula", wall: proximal},
		method{name: "mirror-sgld", wall: mirrored},
		method{name: "rejection-sgld", wall: rejected})
}

// The largest numbers that a configuration may ask for.
const (
	maxIterations = 1_000_000_000_000
	maxLadders    = 1024
	maxRungs      = 512
	maxLeapfrog   = 100_000
	maxDisk       = 256 << 30 // bytes of draws
)

// The lengths of a run of method auto.
const (
	autoIterations  = 100_000 // of the first round; each further one doubles the draws
	autoCurved      = 20_000  // of models that are not linear, whose gradients go through all rows
	autoLeast       = 1000    // of the first round, if it is given
	autoBurnIn      = 500     // after a warm-up
	autoThin        = 10
	autoPaths       = 1000 // iterations of the first round with kernel hmc, all kept
	autoCurvedPaths = 500  // of models that are not linear in their parameters
	autoLeastPaths  = 100
	autoBurnPaths   = 25
	defaultLeapfrog = 10 // steps of a trajectory of kernel hmc
)

// autoKeys are those that a sampler section of method auto may have; a section
// that gives no others, and no method, is one.
func autoKeys() []string {
	return []string{"ladders", "init", "seed", "swap", "until", "certificate", "kernel"}
}

// sampler reads the sampler section into l.sampler; what is not given stays at
// its zero value, for the defaults to fill in.
func (l *loader) readSampler(n *yamlpos.Node) {
	s := &l.sampler
	l.method = methods()[0]
	known := []string{"method", "iterations", "burn_in", "thin", "step_size", "temperature", "schedule", "swap", "ladders",
		"boundary", "cap", "penalty", "smoothing", "kernel", "leapfrog", "momentum", "noise_estimate", "init", "seed", "until", "certificate"}
	if l.identify {
		known = append(known, "whiten")
	}
	l.samplerMethod(n)
	if l.Section(n, known...) {
		s.Iterations, _ = l.Int(n.Field("iterations"), 1, maxIterations)
		if k := n.Field("burn_in"); k != nil {
			if v, ok := l.Int(k, 0, maxIterations); ok {
				s.BurnIn = &v
			}
		}
		s.Thin, _ = l.Int(n.Field("thin"), 1, maxIterations)
		s.Ladders, _ = l.Int(n.Field("ladders"), 1, maxLadders)
		if v, ok := l.Uint64(n.Field("seed")); ok {
			s.Seed = &v
		}
		l.samplerKernel(n)
		l.samplerMomentum(n)
		l.samplerRungs(n)
		l.samplerSwap(n.Field("swap"))
		l.samplerWall(n)
		l.samplerUntil(n)
		l.samplerCertificate(n)
	}
	if !l.method.auto {
		l.samplerSchedule(n.Field("schedule"))
	}
	s.Method = l.method.name
}

// samplerMethod reads the method's name.
func (l *loader) samplerMethod(n *yamlpos.Node) {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	auto := methods()[slices.Index(names, "auto")]
	switch {
	case n == nil || n.Kind == yamlpos.Null:
		l.method = auto
	case n.Kind != yamlpos.Map:
	case n.Field("method") != nil:
		if name, ok := l.Word(n.Field("method"), names...); ok {
			l.method = methods()[slices.Index(names, name)]
		}
	case !slices.ContainsFunc(n.Fields, func(f yamlpos.Field) bool {
		return f.Value.Kind != yamlpos.Null && !slices.Contains(autoKeys(), f.Key.Text)
	}):
		l.method = auto
	}
	if !l.method.auto || n == nil || n.Kind != yamlpos.Map {
		return
	}
	for _, f := range n.Fields {
		if f.Value.Kind == yamlpos.Null {
			continue
		}
		switch key := f.Key.Text; key {
		case "burn_in", "thin", "step_size", "temperature", "schedule", "boundary", "cap", "penalty", "smoothing", "leapfrog", "momentum", "noise_estimate", "whiten":
			l.Report(f.Key, "method auto sets %s itself: drop the key, or take method: r2sgld", key)
		}
	}
}

// samplerKernel reads how a rung moves.
func (l *loader) samplerKernel(n *yamlpos.Node) {
	m, k := &l.method, n.Field("kernel")
	word, ok := l.Word(k, "sgld", "mala", "hmc", "harmonic", "auto")
	switch {
	case !ok:
	case m.momentum:
		l.Report(k, "method %s steps with momentum: drop kernel, or take %s", m.name, strings.Replace(m.name, "sghmc", "sgld", 1))
	case m.hmc && word != "hmc":
		l.Report(k, "method %s goes with kernel hmc; found %s", m.name, word)
	case word != "sgld" && m.wall != free && m.wall != reflected:
		l.Report(k, "kernel %s goes with the methods that reflect, such as r2sgld, and with those without walls; found method %s", word, m.name)
	case word == "auto":
		l.sampler.Kernel = word // chosen once the potential is known
	case word == "harmonic":
		m.harmonic, l.sampler.Kernel = true, word
	case word == "sgld" && m.auto:
		l.sampler.Kernel = word // else another may be taken
	default:
		m.hmc, m.single = word != "sgld", word == "mala"
	}
	s, at := &l.sampler, n.Field("leapfrog")
	if at != nil && (m.single || !m.hmc && !m.auto) {
		l.Report(at, "leapfrog belongs to kernel hmc; found method %s with kernel %s", m.name, cmp.Or(word, "sgld"))
		return
	}
	if b := n.Field("boundary"); b != nil && (m.hmc || s.Kernel == "auto") && (b.Text == string(domain.Nearest) || b.Text == string(domain.Project)) {
		l.Report(b, "kernel %s keeps the law under boundary specular and refuse only; found %s", cmp.Or(word, "hmc"), b.Text)
	}
	if !m.hmc {
		return
	}
	l.takeHMC()
	if v, ok := l.Int(at, 1, maxLeapfrog); ok {
		s.Leapfrog = v
	}
}

// takeHMC makes the kernel HMC, or MALA, which is HMC of single steps; method auto
// finds the lengths of trajectories.
func (l *loader) takeHMC() {
	l.method.hmc, l.sampler.Kernel = true, "hmc"
	switch {
	case l.method.single:
		l.sampler.Kernel = "mala"
	case !l.method.auto:
		l.sampler.Leapfrog = defaultLeapfrog
	}
}

// chooseKernel settles kernel auto: harmonic where it will do, else hmc, which is exact,
// where energies are, else sgld. Method auto takes harmonic without being asked.
func (l *loader) chooseKernel(s *Run, section *yamlpos.Node) {
	free := l.sampler.Kernel == "" && l.method.auto && !l.method.hmc && !l.sampler.Certificate
	if l.sampler.Kernel != "auto" && !free {
		return
	}
	if l.gaussian(s, section) {
		l.method.harmonic, l.sampler.Kernel = true, "harmonic"
		return
	}
	if free {
		return
	}
	l.sampler.Kernel = ""
	if _, noisy := potential.Exact(s.Problem.Potential); noisy {
		s.Warnings = append(s.Warnings, "kernel auto took sgld, whose steps have a bias: energies and gradients carry noise, and kernels without bias need exact ones.")
		return
	}
	l.takeHMC()
}

// samplerMomentum reads what concerns momentum.
func (l *loader) samplerMomentum(n *yamlpos.Node) {
	s := &l.sampler
	for key, at := range map[string]**float64{"momentum": &s.Momentum, "noise_estimate": &s.NoiseEstimate} {
		k := n.Field(key)
		if k == nil {
			continue
		}
		if v, ok := l.NotNegative(k); ok {
			*at = &v
			if !l.method.momentum && !l.method.auto {
				l.Report(k, "%s belongs to the methods with momentum, such as r2sghmc; found method %s", key, l.method.name)
			}
		}
	}
	if !l.method.momentum {
		return
	}
	if s.Momentum == nil {
		mu := 0.9
		s.Momentum = &mu
	}
	if s.NoiseEstimate == nil {
		s.NoiseEstimate = new(float64)
	}
	if err := (kernel.Momentum{Mu: *s.Momentum, NoiseEstimate: *s.NoiseEstimate}).Validate(); err != nil {
		l.Report(cmp.Or(n.Field("momentum"), n.Field("noise_estimate"), n), "%v", err)
	}
}

// samplerUntil reads when a run of method auto ends.
func (l *loader) samplerUntil(n *yamlpos.Node) {
	s, k := &l.sampler, n.Field("until")
	if k != nil && !l.method.auto {
		add := ""
		if n.Field("method") == nil { // other keys chose it
			add = ": add method: auto"
		}
		l.Report(k, "until belongs to method auto, which decides how long to run; method %s runs sampler.iterations%s", l.method.name, add)
		return
	}
	if !l.Section(k, "rhat", "ess", "evidence", "bias", "seconds", "iterations") {
		return
	}
	s.Until = &tune.Until{}
	if v, ok := l.Positive(k.Field("rhat")); ok {
		if s.Until.RHat = v; v <= 1 {
			l.Report(k.Field("rhat"), "rhat must be above 1; found %s", k.Field("rhat").Text)
		}
	}
	s.Until.ESS, _ = l.Positive(k.Field("ess"))
	s.Until.Evidence, _ = l.Positive(k.Field("evidence"))
	s.Until.Bias, _ = l.Positive(k.Field("bias"))
	s.Until.Seconds, _ = l.Positive(k.Field("seconds"))
	s.Until.Iterations, _ = l.Int(k.Field("iterations"), 1, maxIterations)
}

// samplerRungs reads step sizes and temperatures.
func (l *loader) samplerRungs(n *yamlpos.Node) {
	step, temperature := n.Field("step_size"), n.Field("temperature")
	s := &l.sampler
	s.StepSize = l.positives(step)
	s.Temperature = l.temperatures(temperature)
	for i := 1; i < len(s.Temperature); i++ {
		if !(s.Temperature[i] > s.Temperature[i-1]) {
			l.Report(temperature.Items[i], "temperatures must increase, cold first; found %s after %s",
				temperature.Items[i].Text, temperature.Items[i-1].Text)
		}
	}
	if l.method.auto {
		return
	}
	rungs := len(s.Temperature)
	switch {
	case rungs == 1 && l.method.exchanges:
		l.Report(temperature, "method %s exchanges rungs: give two temperatures or more, such as [1, 10]", l.method.name)
	case rungs > 1 && !l.method.exchanges:
		l.Report(temperature, "method %s has one rung; found %d temperatures", l.method.name, rungs)
	}
	if l.method.exchanges != (rungs > 1) { // none given, or a wrong number
		rungs = 1
		if l.method.exchanges {
			rungs = 2
		}
	}
	if got := len(s.StepSize); got > 1 && got != rungs {
		l.Report(step, "step_size must have one entry per rung, %d; found %d", rungs, got)
	}
}

// temperatures reads temperatures: positive numbers, the last perhaps infinite.
func (l *loader) temperatures(n *yamlpos.Node) Temperatures {
	if n == nil || n.Kind != yamlpos.List || len(n.Items) < 2 {
		return l.positives(n)
	}
	last := n.Items[len(n.Items)-1]
	if last.Kind != yamlpos.Scalar || !slices.Contains([]string{"inf", ".inf", "+.inf", "Inf", ".Inf"}, last.Text) {
		return l.positives(n)
	}
	finite := *n
	finite.Items = n.Items[:len(n.Items)-1]
	t := l.positives(&finite)
	if t == nil {
		return nil
	}
	l.infinite = last
	return append(t, math.Inf(1))
}

// positives reads a positive number or a list of them; nil if absent or wrong.
func (l *loader) positives(n *yamlpos.Node) []float64 {
	if n == nil {
		return nil
	}
	if n.Kind != yamlpos.List {
		if v, ok := l.Positive(n); ok {
			return []float64{v}
		}
		return nil
	}
	if !l.List(n, "numbers") {
		return nil
	}
	if len(n.Items) > maxRungs {
		l.Report(n, "%s must have at most %d entries; found %d", n.Name, maxRungs, len(n.Items))
		return nil
	}
	var out []float64
	for _, item := range n.Items {
		if v, ok := l.Positive(item); ok {
			out = append(out, v)
		}
	}
	if len(out) < len(n.Items) {
		return nil
	}
	return out
}

// samplerSchedule reads how step sizes vary.
func (l *loader) samplerSchedule(n *yamlpos.Node) {
	d := &l.sampler.Schedule
	d.Kind = string(kernel.Constant)
	if l.method.cycles {
		d.Kind, d.Cycles = string(kernel.Cosine), 5
	}
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	kind := n
	if n.Kind != yamlpos.Scalar {
		if !l.Section(n, "kind", "cycles", "decay", "after", "a", "b", "gamma") {
			return
		}
		kind = n.Field("kind")
	}
	if word, ok := l.Word(kind, "constant", "cosine", "exponential", "polynomial"); ok {
		if l.method.cycles && word != d.Kind {
			l.Report(kind, "method %s goes with the cosine schedule; found %q", l.method.name, word)
		}
		if word != d.Kind {
			*d = Schedule{Kind: word}
		}
	}
	l.scheduleNumbers(n, d)
}

// scheduleNumbers reads the numbers that the kind of schedule needs.
func (l *loader) scheduleNumbers(n *yamlpos.Node, d *Schedule) {
	belongs := map[string]kernel.Kind{"cycles": kernel.Cosine, "decay": kernel.Exponential, "after": kernel.Exponential,
		"a": kernel.Polynomial, "b": kernel.Polynomial, "gamma": kernel.Polynomial}
	for _, f := range n.Fields {
		if kind, ok := belongs[f.Key.Text]; ok && d.Kind != string(kind) {
			l.Report(f.Key, "%s belongs to the schedule %s, not %s", f.Key.Text, kind, d.Kind)
		}
	}
	switch kernel.Kind(d.Kind) {
	case kernel.Cosine:
		if v, ok := l.Int(n.Field("cycles"), 1, maxIterations); ok {
			d.Cycles = v
		} else if d.Cycles == 0 {
			d.Cycles = 5
		}
	case kernel.Exponential:
		d.Decay, _ = l.required(n, "decay", l.Positive)
		d.After, _ = l.Int(n.Field("after"), 0, maxIterations)
		if d.Decay > 1 {
			l.Report(n.Field("decay"), "decay must be at most 1; found %s", n.Field("decay").Text)
		}
	case kernel.Polynomial:
		d.A, _ = l.required(n, "a", l.Positive)
		d.B, _ = l.required(n, "b", l.NotNegative)
		d.Gamma, _ = l.required(n, "gamma", l.NotNegative)
	}
}

// required reads a number that must be there.
func (l *loader) required(n *yamlpos.Node, key string, read func(*yamlpos.Node) (float64, bool)) (float64, bool) {
	if n.Field(key) == nil {
		l.Report(n, "%s needs the key %q", n.Name, key)
		return 0, false
	}
	return read(n.Field(key))
}

// samplerWall reads what concerns the boundary of the domain.
func (l *loader) samplerWall(n *yamlpos.Node) {
	s := &l.sampler
	for _, key := range []string{"boundary", "cap"} {
		if k := n.Field(key); k != nil && !l.method.wall.reflects() && !l.method.auto {
			l.Report(k, "%s belongs to the reflected methods; %s does not reflect", key, l.method.name)
		}
	}
	s.Boundary, _ = l.Word(n.Field("boundary"), "specular", "nearest", "refuse", "project")
	if l.method.wall == projected && s.Boundary != "" && s.Boundary != string(domain.Project) {
		l.Report(n.Field("boundary"), "method %s goes with boundary project; found %s", l.method.name, s.Boundary)
	}
	s.Cap, _ = l.Int(n.Field("cap"), 1, math.MaxInt32)
	l.samplerPenalty(n.Field("penalty"))
	if k := n.Field("smoothing"); k != nil {
		if v, ok := l.Positive(k); ok {
			if s.Smoothing = v; l.method.wall != proximal && !l.method.auto {
				l.Report(k, "smoothing belongs to method myula; found method %s", l.method.name)
			}
		}
	}
	if k := n.Field("whiten"); k != nil {
		if word, ok := l.Word(k, "true", "false"); ok {
			v := word == "true"
			s.Whiten = &v
		}
	}
}

// samplerPenalty reads what pulls states back into the domain.
func (l *loader) samplerPenalty(n *yamlpos.Node) {
	if n == nil || l.method.auto {
		return
	}
	if l.method.wall != penalised {
		l.Report(n, "penalty belongs to the methods whose names begin with p-, such as p-sgld; found method %s", l.method.name)
		return
	}
	p := &Penalty{Strength: 1, Form: penaltyForce}
	strength := n
	if n.Kind == yamlpos.Map {
		if !l.Section(n, "strength", "form") {
			return
		}
		if word, ok := l.Word(n.Field("form"), penaltyForce, penaltyDistance); ok {
			p.Form = word
		}
		strength = n.Field("strength")
	}
	read := l.NotNegative
	if p.Form == penaltyDistance {
		p.Strength, read = 0, l.Positive // 0 until the step size is known
	}
	if v, ok := read(strength); ok {
		p.Strength = v
	}
	l.sampler.Penalty = p
}

// lengths reports iterations that leave nothing, or too much, to keep.
func (l *loader) lengths(n *yamlpos.Node, d int) {
	s := &l.sampler
	if *s.BurnIn >= s.Iterations {
		at := n.Field("burn_in")
		if at == nil {
			at = n.Field("iterations")
		}
		l.Report(at, "burn_in must be less than iterations; found %d of %d", *s.BurnIn, s.Iterations)
		return
	}
	if kept := (s.Iterations - *s.BurnIn) / s.Thin; kept < 4 {
		at := n.Field("thin")
		if at == nil {
			at = n.Field("iterations")
		}
		l.Report(at, "only %d draws of each ladder would be kept: raise iterations or lower thin", kept)
	} else if bytes := 8 * float64(kept) * float64(d+1) * float64(s.Ladders*len(s.Temperature)); bytes > maxDisk {
		at := n.Field("iterations")
		if at == nil {
			at = n
		}
		l.Report(at, "%d draws of each rung of each ladder take %.0f GiB on disk: raise thin or lower iterations", kept, bytes/(1<<30))
	}
}
