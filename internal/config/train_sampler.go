package config

import (
	"cmp"
	"math"
	"path/filepath"
	"regexp"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

var devicePattern = regexp.MustCompile(`^(cpu|cuda:[0-9]+)$`)

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
	s.Epochs, s.Seed = trainEpochs, 1
	l.method = method{name: name, momentum: true, exchanges: bnn.Exchanges(name), cycles: s.Decay.Kind == kernel.Cosine}
	if n != nil && !l.Section(n, "method", "epochs", "batch", "order", "step_size", "temperature", "anneal", "schedule", "momentum",
		"noise_estimate", "weight_decay", "bound", "reflect", "as_released", "members", "swag", "swap", "seed") {
		return
	}
	if v, ok := l.Int(n.Field("epochs"), 1, 1_000_000); ok {
		s.Epochs = v
	}
	if v, ok := l.Int(n.Field("batch"), 1, maxIterations); ok {
		s.Batch = v
	}
	if word, ok := l.Word(n.Field("order"), "shuffle", "independent"); ok {
		s.Order = word
	}
	if v, ok := l.Uint64(n.Field("seed")); ok {
		s.Seed = v
	}
	l.trainRungs(n, s)
	l.trainMoves(n, s)
	l.trainWalls(n, s)
	l.trainBaselines(n, s)
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
func (l *loader) trainRungs(n *yamlpos.Node, s *bnn.Settings) {
	step, temperature := n.Field("step_size"), n.Field("temperature")
	switch {
	case temperature == nil:
	case s.Temperature[0] == 0:
		l.Report(n.Key("temperature"), "method %s optimises, at temperature 0: drop temperature, or take sghmc or r2sghmc", s.Method)
		return
	default:
		if t := l.positives(temperature); t != nil {
			s.Temperature = t
			l.increasing(temperature, t)
		}
	}
	switch rungs := len(s.Temperature); {
	case rungs == 1 && l.method.exchanges:
		l.Report(temperature, "method %s exchanges rungs: give two temperatures or more, such as [0.05, 0.25]", s.Method)
	case rungs > 1 && !l.method.exchanges:
		l.Report(temperature, "method %s has one rung; found %d temperatures", s.Method, rungs)
	case step == nil && len(s.StepSize) != rungs:
		s.StepSize = geometric(1, 4, rungs)
	}
	if eta := l.positives(step); eta != nil {
		if s.StepSize = eta; len(eta) > 1 && len(eta) != len(s.Temperature) {
			l.Report(step, "step_size must have one entry per rung, %d; found %d", len(s.Temperature), len(eta))
		}
	}
	k := n.Field("anneal")
	if k != nil && s.Temperature[0] == 0 {
		l.Report(k, "method %s has no temperature to anneal", s.Method)
		return
	}
	if !l.Section(k, "divide", "until") {
		return
	}
	if v, ok := l.required(k, "divide", l.Positive); ok {
		if s.Anneal.Divide = v; v < 1 {
			l.Report(k.Field("divide"), "divide must be at least 1; found %s", k.Field("divide").Text)
		}
	}
	s.Anneal.Until, _ = l.Int(k.Field("until"), 0, maxIterations)
}

// increasing reports temperatures that do not increase.
func (l *loader) increasing(n *yamlpos.Node, t []float64) {
	for i := 1; i < len(t); i++ {
		if !(t[i] > t[i-1]) {
			l.Report(n.Items[i], "temperatures must increase, cold first; found %s after %s", n.Items[i].Text, n.Items[i-1].Text)
		}
	}
}

// geometric returns n numbers from low to high.
func geometric(low, high float64, n int) []float64 {
	out := []float64{low}
	for i := 1; i < n; i++ {
		out = append(out, low*math.Pow(high/low, float64(i)/float64(n-1)))
	}
	return out
}

// trainMoves reads momentum and weight decay.
func (l *loader) trainMoves(n *yamlpos.Node, s *bnn.Settings) {
	for key, at := range map[string]*float64{"momentum": &s.Momentum, "noise_estimate": &s.NoiseEstimate, "weight_decay": &s.WeightDecay} {
		if v, ok := l.NotNegative(n.Field(key)); ok {
			*at = v
		}
	}
	if err := (kernel.Momentum{Mu: s.Momentum, NoiseEstimate: s.NoiseEstimate}).Validate(); err != nil {
		l.Report(cmp.Or(n.Field("momentum"), n.Field("noise_estimate"), n), "%v", err)
	}
}

// trainWalls reads what concerns the walls.
func (l *loader) trainWalls(n *yamlpos.Node, s *bnn.Settings) {
	for _, key := range []string{"bound", "reflect"} {
		if n.Field(key) != nil && !bnn.Reflects(s.Method) {
			l.Report(n.Key(key), "%s belongs to the reflected methods, such as r2sghmc; %s does not reflect", key, s.Method)
		}
	}
	if v, ok := l.Positive(n.Field("bound")); ok {
		if s.Bound = v; v < leastBound || v > mostBound {
			l.Report(n.Field("bound"), "bound must be between %g and %g, which single precision can hold; found %s", leastBound, mostBound, n.Field("bound").Text)
		}
	}
	if k := n.Field("reflect"); k != nil && k.Kind == yamlpos.List {
		l.List(k, "roles, or the word all")
		for _, item := range k.Items {
			if word, ok := l.Word(item, string(bnn.Weight), string(bnn.Bias), string(bnn.Scale), string(bnn.Shift)); ok {
				s.Reflect = append(s.Reflect, bnn.Role(word))
			}
		}
	} else {
		l.Word(k, "all")
	}
	if word, ok := l.Word(n.Field("as_released"), "true", "false"); ok {
		s.AsReleased = word == "true"
	}
}

// trainBaselines reads what ensembles and SWAG need.
func (l *loader) trainBaselines(n *yamlpos.Node, s *bnn.Settings) {
	if k := n.Field("members"); k != nil && s.Method != "ensemble" {
		l.Report(n.Key("members"), "members belongs to method ensemble; found %s", s.Method)
	} else if v, ok := l.Int(k, 2, maxRungs); ok {
		s.Members = v
	}
	k := n.Field("swag")
	if k != nil && s.Method != "swag" {
		l.Report(n.Key("swag"), "swag belongs to method swag; found %s", s.Method)
		return
	}
	if !l.Section(k, "rank", "draws", "scale") {
		return
	}
	s.SWAG.Rank, _ = l.Int(k.Field("rank"), 2, 10_000)
	s.SWAG.Draws, _ = l.Int(k.Field("draws"), 1, 1_000_000)
	s.SWAG.Scale, _ = l.Positive(k.Field("scale"))
}

// trainSchedule reads how step sizes vary with the epochs. Without a word of it they
// stay for samplers, whose averages live on differences, and for optimisers begin to
// decay as the paper's do, in proportion, and less.
func (l *loader) trainSchedule(n *yamlpos.Node, s *bnn.Settings) {
	if k := n.Field("schedule"); k != nil {
		l.samplerSchedule(k)
		d := l.sampler.Schedule
		if k.Kind == yamlpos.Map && k.Field("cycles") == nil && d.Kind == string(kernel.Cosine) {
			d.Cycles = cyclesDefault
		}
		s.Decay = kernel.Decay{Kind: kernel.Kind(d.Kind), Rate: d.Decay, After: d.After, Cycles: d.Cycles, A: d.A, B: d.B, Gamma: d.Gamma}
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
	if n != nil || l.method.exchanges {
		w := s.Swap
		l.swapKeys(n)
		read := l.sampler.Swap.settings()
		if read.Rule == "metropolis" { // windows are for swaps that need not be exact
			w.Scheme = "deo"
		}
		read.Scheme, read.Rule = cmp.Or(read.Scheme, w.Scheme), cmp.Or(read.Rule, w.Rule)
		if read.Scheme == "windowed-deo" || read.Rule == "indicator" {
			read.Target = cmp.Or(read.Target, w.Target)
		}
		full := l.sampler.Swap.Energies == "full"
		if read.Rule == "metropolis" && n.Field("variance") == nil && !full {
			read.Estimate = exchange.Estimate{Every: 100, Batches: 10, Smoothing: 0.1}
		}
		s.FullEnergies = full
		with := read.WithDefaults(max(2, len(s.Temperature)))
		s.Swap = read
		s.Swap.Every, s.Swap.Correction = with.Every, with.Correction
		l.swapFaults(n, s.Swap)
	}
}

// scheduleOf is the schedule section of a decay.
func scheduleOf(d kernel.Decay) Schedule {
	return Schedule{Kind: string(cmp.Or(d.Kind, kernel.Constant)), Cycles: d.Cycles, Decay: d.Rate, After: d.After, A: d.A, B: d.B, Gamma: d.Gamma}
}

// swapOf is the swap section of settings.
func swapOf(e exchange.Settings, full bool) *Swap {
	w := &Swap{Scheme: e.Scheme, Rule: e.Rule, Every: e.Every, Correction: e.Correction, Variance: e.Variance,
		Threshold: e.Threshold, Target: e.Target, Gain: e.Gain, Window: e.Window, Gate: e.Gate, Parity: e.Parity}
	if full {
		w.Energies = "full"
	}
	if v := e.Estimate; v.Every > 0 {
		w.Estimate = &Estimate{v.Every, v.Batches, v.Smoothing}
	}
	return w
}

// readImages reads where the images are, and them.
func (l *loader) readImages(n *yamlpos.Node, t *Training) {
	if n == nil {
		l.reportBare(l.root, "data are missing: add, for instance, data: {kind: idx, folder: /usr/share/datasets/fashion-mnist}")
		return
	}
	if !l.Section(n, "kind", "folder", "sha256", "train", "test", "augment", "outside") {
		return
	}
	r := &t.Resolved.Data
	l.readAugment(n.Field("augment"), t)
	s, ok := l.imagesOf(n, n.Field("folder"))
	if !ok {
		return
	}
	r.Kind, r.Folder = s.kind, s.folder
	if s.test == nil {
		l.Report(n.Field("folder"), "there are no test images in %s: predictions are judged on images that were not trained on", s.folder)
		return
	}
	t.Data.Train = l.fewer(n.Field("train"), s.train, t.Settings.Seed)
	t.Data.Test = l.fewer(n.Field("test"), s.test, t.Settings.Seed)
	r.Train, r.Test = t.Data.Train.Len(), t.Data.Test.Len()
	l.readOutside(n.Field("outside"), t)
	t.Data.Mean, t.Data.SD = t.Data.Train.Moments()
	var err error
	if r.SHA256, err = fingerprint(t.Data.Train, t.Data.Test, t.Data.Outside); err != nil {
		l.Report(n, "%v", err)
	}
	if h := n.Field("sha256"); h != nil && h.Text != r.SHA256 {
		l.Report(h, "the images in %s are not those that this run began with", s.folder)
	}
}

// sets are a training and a test set, and where they are from.
type sets struct {
	kind, folder string
	train, test  *images.Set
}

// imagesOf reads the images of a section with kind and folder.
func (l *loader) imagesOf(n, folder *yamlpos.Node) (s sets, ok bool) {
	var kinds []string
	for _, k := range images.Kinds() {
		kinds = append(kinds, string(k))
	}
	if n.Field("kind") == nil {
		l.Report(n, "%s needs a kind: one of %v", n.Name, kinds)
	}
	kind, known := l.Word(n.Field("kind"), kinds...)
	path, given := l.Text(folder)
	if folder == nil {
		l.Report(n, "%s needs a folder: where the images are", n.Name)
	}
	if !known || !given {
		return s, false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.file), path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	s = sets{kind: kind, folder: path}
	var err error
	if s.train, s.test, err = images.Load(images.Kind(kind), path); err != nil {
		l.Report(folder, "%v", err)
		return s, false
	}
	return s, true
}

// fewer takes some of a set, if n says so.
func (l *loader) fewer(n *yamlpos.Node, s *images.Set, seed uint64) *images.Set {
	v, ok := l.Int(n, 1, maxIterations)
	switch {
	case !ok || v == s.Len():
		return s
	case v > s.Len():
		l.Report(n, "%s: there are %d examples; found %d", n.Name, s.Len(), v)
		return s
	}
	some, err := s.Subset(v, seed)
	if err != nil {
		l.Report(n, "%v", err)
		return s
	}
	return some
}

// readAugment reads how training images are changed.
func (l *loader) readAugment(n *yamlpos.Node, t *Training) {
	a := &t.Settings.Augment
	if n != nil && n.Kind == yamlpos.Scalar {
		l.Word(n, "none")
	} else if l.Section(n, "crop", "flip", "erase") {
		a.Crop, _ = l.Int(n.Field("crop"), 0, 1_000_000)
		if word, ok := l.Word(n.Field("flip"), "true", "false"); ok {
			a.Flip = word == "true"
		}
		if v, ok := l.NotNegative(n.Field("erase")); ok {
			if a.Erase = v; v > 1 {
				l.Report(n.Field("erase"), "erase is a probability, at most 1; found %s", n.Field("erase").Text)
			}
		}
	}
	t.Resolved.Data.Augment = AugmentKeys{a.Crop, a.Flip, a.Erase}
}

// readOutside reads images that belong to none of the classes.
func (l *loader) readOutside(n *yamlpos.Node, t *Training) {
	if !l.Section(n, "kind", "folder", "test") {
		return
	}
	s, ok := l.imagesOf(n, n.Field("folder"))
	if !ok {
		return
	}
	from := s.test
	if from == nil {
		from = s.train
	}
	from = l.fewer(n.Field("test"), from, t.Settings.Seed)
	in := t.Data.Train
	fitted, err := from.Fit(in.Channels, in.Height, in.Width)
	if err != nil {
		l.Report(n, "%v", err)
		return
	}
	t.Data.Outside = fitted
	t.Resolved.Data.Outside = &OutsideSet{s.kind, s.folder, fitted.Len()}
}
