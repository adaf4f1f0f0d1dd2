package config

import (
	"cmp"
	"math"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

// The defaults of a training that has no say in them.
const (
	trainEpochs   = 100
	decayShare    = 0.3  // of the epochs before step sizes decay, as the paper's 300 of 1000
	decayInAll    = 0.02 // what is left of them at the end; the paper's 0.99^700 leaves averages of few epochs nothing to average
	cyclesDefault = 3
	measurements  = 10 // of layers, in a training
	leastBound    = 1e-30
	mostBound     = 1e30
	// The steps of the paper are for batches of paperBatch; plainSteps is what they are
	// divided by for nets without normalisation, whose loss depends on the scale of the
	// weights.
	paperBatch = 2048
	plainSteps = 5
	leastLeNet = 16 // pixels of a side
)

// ofBounds is what single precision can hold.
const ofBounds = "must be between 1e-30 and 1e+30, which single precision can hold"

// trainKeys declares the sampler section of a training.
func (l *loader) trainKeys(s *bnn.Settings) []key.Key {
	return []key.Key{
		key.Given("method", "word", key.Object("enum", bnn.Methods()), nil).Tells("`r2sghmc`",
			"`sgdm`, `sghmc`, `cycsghmc` (cosine cycles), `resghmc` "+
				"(replica exchange); reflected: `r-sgdm`, `r-sghmc`, `r-cycsghmc`, `r2sghmc`; `ensemble` (independent sgdm runs), `swag`"),
		key.Whole("epochs", &s.Epochs, 1, 1_000_000).Tells("100", "burn-in included"),
		key.Whole("batch", &s.Batch, 1, key.Many).
			Tells("2048", "at most so many examples; the minibatches of an epoch differ in size by one at most"),
		key.Word("order", &s.Order, "shuffle", "independent").Tells("`shuffle`", "`independent`: every minibatch drawn anew"),
		key.Positives("step_size", &l.Sampler.StepSize).Tells("2·batch/2048; of ladders half to twice that; a fifth without normalisation",
			"per rung or for all, divided by N: the usual learning rate of a mean loss. If nothing is learnt, which the end of a run tells, "+
				"take a tenth"),
		key.Positives("temperature", (*[]float64)(&l.Sampler.Temperature)).Tells("0.05; of ladders 0.05, 0.25, 1.25, 6.25",
			"per rung, increasing"),
		key.Mapping("anneal", annealKeys(&s.Anneal)).Tells("none", "`{divide: 1.02, until: 600}`: temperatures are divided after every epoch"),
		sampler.ScheduleKey().Tells("constant; of optimisers exponential",
			"by epochs: `{kind: exponential, decay, after}`, `constant`, `polynomial`; "+
				"by iterations: `{kind: cosine, cycles: 3}`. Exponential by default is constant for 30 % of the epochs, then down to a fiftieth"),
		key.Number("momentum", &s.Momentum, key.NotNegative).Also("exclusiveMaximum", 1).Tells("0.9", "μ"),
		key.Number("noise_estimate", &s.NoiseEstimate, key.NotNegative).Also("exclusiveMaximum", 1).Tells("0", "β̂"),
		key.Number("weight_decay", &s.WeightDecay, key.NotNegative).Tells("5", "λ"),
		key.Number("bound", &s.Bound, key.Positive, key.AtLeast(leastBound).Says(ofBounds),
			key.AtMost(mostBound).Says(ofBounds)).In("1e-30 … 1e30").
			Tells("4", "b, of the reflected methods"),
		key.Given("reflect", "`all`, or list of roles", key.AnyOf(key.Object("const", "all"), key.ListOf(key.Object("enum", roles()))),
			readReflect(s)).
			Tells("`all`", "which tensors: a list of `weight`, `bias`, `scale`, `shift` (of batch norm)"),
		key.Boolean("as_released", &s.AsReleased).Tells("false",
			"what the paper's code does: one mirroring that leaves the momentum alone, momenta not rescaled in swaps"),
		key.Whole("members", &s.Members, 2, key.MostNumbers).Tells("", "of method `ensemble`: independent runs"),
		key.Mapping("swag", swagKeys(&s.SWAG)).Tells("", "of method `swag`: the Gaussian that is fitted"),
		key.Mapping("swap", l.Sampler.Swap.Keys()).Tells("windowed-deo, indicator, target 0.1; with rule metropolis scheme deo",
			"as in [configuration.md](configuration.md#swap); rule indicator counts in mean losses; with rule metropolis `variance: online` "+
				"(the default) or `energies: full`, over all data"),
		key.Seed("seed", &l.Sampler.Seed).Tells("1", "determines every draw"),
	}
}

func annealKeys(a *bnn.Anneal) []key.Key {
	return []key.Key{
		key.Number("divide", &a.Divide, key.Positive, key.AtLeast(1)).Must().Tells("", "what temperatures are divided by after every epoch"),
		key.Whole("until", &a.Until, 0, key.Many).Tells("all", "the last such epoch"),
	}
}

func swagKeys(g *bnn.SWAG) []key.Key {
	return []key.Key{
		key.Whole("rank", &g.Rank, 2, 10_000).Tells("20", "of the low-rank part: the last so many iterates"),
		key.Whole("draws", &g.Draws, 1, 1_000_000).Tells("30", "models drawn at the end"),
		key.Number("scale", &g.Scale, key.Positive).Tells("1", "of the covariance"),
	}
}

// roles are those of tensors that walls may hold back.
func roles() []string {
	return []string{string(bnn.Weight), string(bnn.Bias), string(bnn.Scale), string(bnn.Shift)}
}

// readReflect reads which tensors walls hold back.
func readReflect(s *bnn.Settings) func(*key.Reader, *yamlpos.Node) {
	return func(l *key.Reader, n *yamlpos.Node) {
		if n.Kind != yamlpos.List {
			l.Word(n, "all")
			return
		}
		l.List(n, "roles, or the word all")
		for _, item := range n.Items {
			if word, ok := l.Word(item, roles()...); ok {
				s.Reflect = append(s.Reflect, bnn.Role(word))
			}
		}
	}
}

// readTrainSampler reads the sampler section of a training.
func (l *loader) readTrainSampler(n *yamlpos.Node, s *bnn.Settings) {
	name := "r2sghmc"
	if word, ok := l.Word(n.Field("method"), bnn.Methods()...); ok {
		name = word
	}
	var err error
	if *s, err = bnn.Method(name); err != nil {
		l.Report(n, "%v", err)
		return
	}
	seed := uint64(1)
	s.Epochs, l.Sampler.Seed = trainEpochs, &seed
	l.Method = sampler.Method{Name: name, Move: sampler.MoverOf(sampler.Momentum), Schedule: s.Decay.Kind}
	if bnn.Exchanges(name) {
		l.Method.Rungs = sampler.Several
	}
	keys := l.trainKeys(s)
	if n != nil && !l.Only(n, keys) {
		return
	}
	l.Take(n, keys, "epochs", "batch", "order", "seed")
	s.Seed = *l.Sampler.Seed
	l.trainRungs(n, s, keys)
	l.Take(n, keys, "momentum", "noise_estimate", "weight_decay")
	l.MomentumFaults(n, kernel.Momentum{Mu: s.Momentum, NoiseEstimate: s.NoiseEstimate})
	for _, name := range []string{"bound", "reflect"} {
		if n.Field(name) != nil && !bnn.Reflects(s.Method) {
			l.Report(n.Key(name), "%s belongs to the reflected methods, such as r2sghmc; %s does not reflect", name, s.Method)
		}
	}
	l.Take(n, keys, "bound", "reflect", "as_released")
	for _, k := range []struct{ name, of string }{{"members", "ensemble"}, {"swag", "swag"}} {
		if n.Field(k.name) != nil && s.Method != k.of {
			l.Report(n.Key(k.name), "%s belongs to method %s; found %s", k.name, k.of, s.Method)
			continue
		}
		l.Take(n, keys, k.name)
	}
	l.trainSchedule(n, s)
	l.trainSwap(n.Field("swap"), s)
	s.Measure.Every = cmp.Or(s.Measure.Every, (s.Epochs+measurements-1)/measurements)
	*s = s.WithDefaults()
}

// stepsInProportion makes default steps of those of the paper: in proportion to the
// batch, as Goyal et al. (2017) found that they should be.
func (l *loader) stepsInProportion(s *bnn.Settings, norm string) {
	factor := min(1, float64(s.Batch)/paperBatch)
	if norm == "none" {
		factor /= plainSteps
	}
	for i := range s.StepSize {
		s.StepSize[i] *= factor
	}
}

// trainRungs reads step sizes and temperatures.
func (l *loader) trainRungs(n *yamlpos.Node, s *bnn.Settings, keys []key.Key) {
	step, temperature, read := n.Field("step_size"), n.Field("temperature"), &l.Sampler
	if temperature != nil && s.Temperature[0] == 0 {
		l.Report(n.Key("temperature"), "method %s optimises, at temperature 0: drop temperature, or take sghmc or r2sghmc", s.Method)
		return
	}
	if l.Take(n, keys, "temperature"); read.Temperature != nil {
		s.Temperature = read.Temperature
		l.Increasing(temperature, s.Temperature)
	}
	rungs := len(s.Temperature)
	if l.RungsFault(temperature, rungs, "[0.05, 0.25]") == rungs && step == nil && len(s.StepSize) != rungs {
		s.StepSize = geometric(1, 4, rungs)
	}
	if l.Take(n, keys, "step_size"); read.StepSize != nil {
		if s.StepSize = read.StepSize; len(s.StepSize) > 1 && len(s.StepSize) != rungs {
			l.Report(step, "step_size must have one entry per rung, %d; found %d", rungs, len(s.StepSize))
		}
	}
	if k := n.Field("anneal"); k != nil && s.Temperature[0] == 0 {
		l.Report(k, "method %s has no temperature to anneal", s.Method)
		return
	}
	l.Take(n, keys, "anneal")
}

// geometric returns n numbers from low to high.
func geometric(low, high float64, n int) []float64 {
	out := []float64{low}
	for i := 1; i < n; i++ {
		out = append(out, low*math.Pow(high/low, float64(i)/float64(n-1)))
	}
	return out
}

// trainSchedule reads how step sizes vary with the epochs. Without a word of it they
// stay for samplers, whose averages live on differences, and for optimisers begin to
// decay as the paper's do, in proportion, and less.
func (l *loader) trainSchedule(n *yamlpos.Node, s *bnn.Settings) {
	if k := n.Field("schedule"); k != nil {
		l.ReadSchedule(k)
		d := l.Sampler.Schedule
		if k.Kind == yamlpos.Map && k.Field("cycles") == nil && d.Kind == kernel.Cosine {
			d.Cycles = cyclesDefault
		}
		s.Decay = d
		return
	}
	switch {
	case s.Decay.Kind == kernel.Cosine:
	case s.Temperature[0] > 0:
		s.Decay = kernel.Decay{Kind: kernel.Constant}
	default:
		s.Decay.After = int(decayShare * float64(s.Epochs))
		s.Decay.Rate = math.Pow(decayInAll, 1/float64(s.Epochs-s.Decay.After))
	}
}

// trainSwap reads how rungs trade.
func (l *loader) trainSwap(n *yamlpos.Node, s *bnn.Settings) {
	if n == nil && !l.Method.Exchanges() {
		return
	}
	w := s.Swap
	l.ReadSwap(n)
	read := l.Sampler.Swap.Settings
	if read.Rule == "metropolis" { // windows are for swaps that need not be exact
		w.Scheme = "deo"
	}
	read.Scheme, read.Rule = cmp.Or(read.Scheme, w.Scheme), cmp.Or(read.Rule, w.Rule)
	if read.Scheme == "windowed-deo" || read.Rule == "indicator" {
		read.Target = cmp.Or(read.Target, w.Target)
	}
	s.FullEnergies = l.Sampler.Swap.Full()
	if read.Rule == "metropolis" && n.Field("variance") == nil && !s.FullEnergies {
		read.Estimate = sampler.OnLine()
	}
	with := read.WithDefaults(max(2, len(s.Temperature)))
	read.Every, read.Correction = with.Every, with.Correction
	s.Swap = read
	l.SwapFaults(n, s.Swap)
}
