package config

import (
	"cmp"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
)

// A method is what a name such as r-cycsgld stands for.
type method struct {
	name      string
	wall      string // "" lets steps go, "p" pulls back, "r" reflects
	cycles    bool   // cosine cycles
	exchanges bool   // several rungs
}

// methods are the known methods, the default first.
func methods() []method {
	return []method{
		{"r2sgld", "r", false, true},
		{"sgld", "", false, false}, {"cycsgld", "", true, false}, {"resgld", "", false, true},
		{"p-sgld", "p", false, false}, {"p-cycsgld", "p", true, false}, {"p-resgld", "p", false, true},
		{"r-sgld", "r", false, false}, {"r-cycsgld", "r", true, false},
		{"r-resgld", "r", false, true},
	}
}

// The largest numbers that a configuration may ask for.
const (
	maxIterations = 1_000_000_000_000
	maxLadders    = 1024
	maxRungs      = 512
	maxMemory     = 32 << 30 // bytes of draws
)

// sampler reads the sampler section into l.sampler; what is not given stays at
// its zero value, for the defaults to fill in.
func (l *loader) readSampler(n *yamlpos.Node) {
	s := &l.sampler
	l.method = methods()[0]
	known := []string{"method", "iterations", "burn_in", "thin", "step_size", "temperature", "schedule", "swap", "ladders",
		"boundary", "cap", "penalty", "kernel", "init", "seed"}
	if l.identify {
		known = append(known, "whiten")
	}
	if l.Section(n, known...) {
		l.samplerMethod(n)
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
		_, _ = l.Word(n.Field("kernel"), "sgld")
		l.samplerRungs(n)
		l.samplerSwap(n.Field("swap"))
		l.samplerWall(n)
	}
	l.samplerSchedule(n.Field("schedule"))
	s.Method = l.method.name
	s.Kernel = "sgld"
}

// samplerMethod reads the method's name.
func (l *loader) samplerMethod(n *yamlpos.Node) {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	if name, ok := l.Word(n.Field("method"), names...); ok {
		l.method = methods()[slices.Index(names, name)]
	}
}

// samplerRungs reads step sizes and temperatures.
func (l *loader) samplerRungs(n *yamlpos.Node) {
	step, temperature := n.Field("step_size"), n.Field("temperature")
	s := &l.sampler
	s.StepSize = l.positives(step)
	s.Temperature = l.positives(temperature)
	for i := 1; i < len(s.Temperature); i++ {
		if !(s.Temperature[i] > s.Temperature[i-1]) {
			l.Report(temperature.Items[i], "temperatures must increase, cold first; found %s after %s",
				temperature.Items[i].Text, temperature.Items[i-1].Text)
		}
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

// samplerSwap reads how rungs trade.
func (l *loader) samplerSwap(n *yamlpos.Node) {
	s := &l.sampler.Swap
	if n != nil && n.Kind != yamlpos.Null && !l.method.exchanges {
		l.Report(n, "method %s has one rung and swaps nothing: drop swap, or use r2sgld", l.method.name)
		return
	}
	if !l.Section(n, "scheme", "rule", "every", "correction", "variance") {
		return
	}
	s.Scheme, _ = l.Word(n.Field("scheme"), "deo")
	s.Rule, _ = l.Word(n.Field("rule"), "metropolis")
	s.Every, _ = l.Int(n.Field("every"), 1, maxIterations)
	s.Correction, _ = l.Positive(n.Field("correction"))
	s.Variance, _ = l.NotNegative(n.Field("variance"))
}

// samplerWall reads what concerns the boundary of the domain.
func (l *loader) samplerWall(n *yamlpos.Node) {
	s := &l.sampler
	for _, key := range []string{"boundary", "cap"} {
		if k := n.Field(key); k != nil && l.method.wall != "r" {
			l.Report(k, "%s belongs to the reflected methods; %s does not reflect", key, l.method.name)
		}
	}
	s.Boundary, _ = l.Word(n.Field("boundary"), "specular", "nearest", "refuse", "project")
	s.Cap, _ = l.Int(n.Field("cap"), 1, math.MaxInt32)
	if k := n.Field("penalty"); k != nil {
		if v, ok := l.NotNegative(k); ok && l.method.wall != "p" {
			l.Report(k, "penalty belongs to the methods p-sgld, p-cycsgld and p-resgld; found method %s", l.method.name)
		} else if ok {
			s.Penalty = &v
		}
	}
	if k := n.Field("whiten"); k != nil {
		if word, ok := l.Word(k, "true", "false"); ok {
			v := word == "true"
			s.Whiten = &v
		}
	}
}

// settle fills the defaults that do not depend on the problem into the sampler.
func (s *Sampler) settle(m method, iterations, burnIn, thin int, temperature []float64) {
	if s.Iterations == 0 {
		s.Iterations = iterations
	}
	if s.BurnIn == nil {
		v := min(burnIn, s.Iterations/10)
		s.BurnIn = &v
	}
	s.Thin = cmp.Or(s.Thin, thin)
	s.Ladders = cmp.Or(s.Ladders, 4)
	if s.Seed == nil {
		seed := uint64(1)
		s.Seed = &seed
	}
	if s.Temperature == nil {
		s.Temperature = temperature
		if !m.exchanges {
			s.Temperature = temperature[:1]
		}
	}
	if len(s.StepSize) == 1 {
		s.StepSize = slices.Repeat(s.StepSize, len(s.Temperature))
	}
	if m.exchanges {
		w := &s.Swap
		w.Scheme, w.Rule = cmp.Or(w.Scheme, "deo"), cmp.Or(w.Rule, "metropolis")
		w.Every, w.Correction = cmp.Or(w.Every, 1), cmp.Or(w.Correction, 2)
	}
	switch m.wall {
	case "r":
		s.Boundary = cmp.Or(s.Boundary, string(domain.Specular))
	case "p":
		if s.Penalty == nil {
			one := 1.0
			s.Penalty = &one
		}
	}
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
	kept := (s.Iterations - *s.BurnIn) / s.Thin
	if kept < 4 {
		at := n.Field("thin")
		if at == nil {
			at = n.Field("iterations")
		}
		l.Report(at, "only %d draws of each ladder would be kept: raise iterations or lower thin", kept)
	}
	bytes := 8 * float64(kept) * float64(d+1) * float64(s.Ladders*len(s.Temperature))
	if bytes > maxMemory {
		at := n.Field("iterations")
		if at == nil {
			at = n
		}
		l.Report(at, "%d draws of each rung of each ladder take %.0f GiB: raise thin or lower iterations", kept, bytes/(1<<30))
	}
}

// settings turns the resolved sampler into settings of a run.
func (s *Sampler) settings(m method) r2sgld.Settings {
	out := r2sgld.Settings{
		Seed: *s.Seed, Ladders: s.Ladders, Iterations: s.Iterations, BurnIn: *s.BurnIn, Thin: s.Thin,
		StepSize: s.StepSize, Temperature: s.Temperature,
		Decay: kernel.Decay{Kind: kernel.Kind(s.Schedule.Kind), Rate: s.Schedule.Decay, After: s.Schedule.After,
			Cycles: s.Schedule.Cycles, A: s.Schedule.A, B: s.Schedule.B, Gamma: s.Schedule.Gamma},
		Swap: exchange.Settings{Scheme: s.Swap.Scheme, Rule: s.Swap.Rule, Every: s.Swap.Every,
			Correction: s.Swap.Correction, Variance: s.Swap.Variance},
		Boundary: domain.Rule(s.Boundary), Cap: s.Cap,
	}
	if m.wall != "r" {
		out.Boundary = domain.Free
	}
	if s.Penalty != nil {
		out.Penalty = *s.Penalty
	}
	return out
}
