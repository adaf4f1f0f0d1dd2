package config

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

// A Training is what a configuration of the command train asks for.
type Training struct {
	Name      string
	Network   bnn.Network
	Data      bnn.Data
	Settings  bnn.Settings // of the first repetition
	Precision string
	Save      bool // kept models are written for other programs
	Repeats   int
	Devices   []string
	Warnings  []string
	Resolved  ResolvedTraining
}

// ResolvedTraining is the configuration of a training with every default filled in.
// Its JSON is a configuration again, which loads to the same run.
type ResolvedTraining struct {
	Name      string       `json:"name"`
	Data      ImageData    `json:"data"`
	Network   bnn.Network  `json:"network"`
	Sampler   TrainSampler `json:"sampler"`
	Average   AverageKeys  `json:"average"`
	Measure   bnn.Measure  `json:"measure"`
	Repeats   int          `json:"repeats"`
	Device    []string     `json:"device"`
	Precision string       `json:"precision"`
}

// ImageData says where images are.
type ImageData struct {
	Kind    string           `json:"kind"`
	Folder  string           `json:"folder"` // absolute
	SHA256  string           `json:"sha256"` // of the examples used
	Train   int              `json:"train"`  // examples
	Test    int              `json:"test"`
	Augment bnn.Augmentation `json:"augment"`
	Outside *OutsideSet      `json:"outside,omitempty"`
}

// An OutsideSet says where images are that belong to none of the classes.
type OutsideSet struct {
	Kind   string `json:"kind"`
	Folder string `json:"folder"`
	Test   int    `json:"test"`
}

// TrainSampler is the sampler section of a training.
type TrainSampler struct {
	Method        string               `json:"method"`
	Epochs        int                  `json:"epochs"`
	Batch         int                  `json:"batch"`
	Order         string               `json:"order"`
	StepSize      []float64            `json:"step_size"` // divided by the number of training examples
	Temperature   sampler.Temperatures `json:"temperature,omitempty"`
	Anneal        *bnn.Anneal          `json:"anneal,omitempty"`
	Schedule      kernel.Decay         `json:"schedule"`
	Momentum      float64              `json:"momentum"`
	NoiseEstimate float64              `json:"noise_estimate"`
	WeightDecay   float64              `json:"weight_decay"`
	Bound         float64              `json:"bound,omitempty"`
	Reflect       []bnn.Role           `json:"reflect,omitempty"`
	AsReleased    bool                 `json:"as_released"`
	Members       int                  `json:"members,omitempty"` // of method ensemble
	SWAG          *bnn.SWAG            `json:"swag,omitempty"`    // of method swag
	Swap          *sampler.Swap        `json:"swap,omitempty"`
	Seed          uint64               `json:"seed"`
}

// AverageKeys say which models are averaged, and whether they are kept.
type AverageKeys struct {
	bnn.Averaging
	Save bool `json:"save"`
}

// LoadTraining reads a configuration of the command train and the images that it
// names, with overrides such as "sampler.epochs=3". What it does not say is filled
// in. The error is of type [Problems] and holds every fault.
func LoadTraining(path string, set []string) (*Training, error) {
	return loaded("train", path, nil, set, (*loader).training)
}

// ParseTraining is [LoadTraining] of a text; name stands for the path.
func ParseTraining(name string, text []byte, set []string) (*Training, error) {
	return loaded("train", name, text, set, (*loader).training)
}

func (l *loader) training(string) (*Training, error) {
	root := l.root
	t := &Training{Devices: []string{"cpu"}, Precision: "float32", Repeats: 1}
	r, keys := &t.Resolved, l.trainingKeys(t)
	l.Only(root, keys)
	t.Name = l.readName()
	l.readTrainSampler(root.Field("sampler"), &t.Settings)
	l.readNetwork(root.Field("network"), &t.Network)
	t.Network = t.Network.WithDefaults()
	l.Take(root, keys, "average", "measure", "repeats", "device", "precision")
	l.readImages(root.Field("data"), t)
	if len(l.Problems) == 0 {
		l.suitImages(t)
	}
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	t.Warnings = t.Settings.Bias(t.Network.Norm == "batch")
	r.Name, r.Repeats, r.Device, r.Precision = t.Name, t.Repeats, t.Devices, t.Precision
	r.Network = bnn.Network{Kind: t.Network.Kind, Norm: t.Network.Norm}
	if t.Network.Norm == "none" { // others have their own
		r.Network.Activation = t.Network.Activation
	}
	if t.Network.Kind == "mlp" {
		r.Network.Hidden = append([]int{}, t.Network.Hidden...)
	}
	r.resolve(t)
	return t, nil
}

// trainingKeys declares a configuration of train.
func (l *loader) trainingKeys(t *Training) []key.Key {
	return []key.Key{
		l.nameKey(),
		key.Mapping("data", imageKeys(&t.Settings.Augment)).By(nil).Must().Tells("", "the images"),
		key.Mapping("network", networkKeys(&t.Network)).By(nil).Tells("resnet20", "the network"),
		key.Mapping("sampler", l.trainKeys(&t.Settings)).By(nil).Tells("", "how its weights move"),
		key.Mapping("average", t.averageKeys()).Tells("", "which models are averaged"),
		key.Mapping("measure", measureKeys(&t.Settings.Measure)).Tells("", "how often costly measurements are made"),
		key.Whole("repeats", &t.Repeats, 1, sampler.MostLadders).
			Tells("1", "repetitions with other random numbers; the tables have mean and 95 % interval"),
		key.Given("device", "text, or list", key.AnyOf(key.Object("type", "string", "pattern", devicePattern.String()),
			key.ListOf(key.Object("type", "string", "pattern", devicePattern.String()))), t.readDevices).Tells("`cpu`",
			"one thread per network that moves, as many networks at once as `--threads` (ResNet20 at batch 2048 takes 3.8 GB for each); "+
				"or a list, `[cuda:0, cuda:1]`: a process for each, rungs dealt to them in turn"),
		key.Word("precision", &t.Precision, bnn.Precisions()...).Tells("`float32`",
			"of products; weights stay float32 but for `float64`"),
	}
}

func networkKeys(w *bnn.Network) []key.Key {
	return []key.Key{
		key.Word("kind", &w.Kind, bnn.Kinds()...).Tells("`resnet20`", "`resnet8`, `20`, `32`, `44`, `56`, `110` (basic blocks), `bottleneck56` "+
			"(the net that the paper's code calls ResNet56: 892,660 parameters at 100 classes), `lenet`, `mlp`"),
		key.Word("norm", &w.Norm, "batch", "frn", "none").Tells("batch; none of lenet and mlp", "normalisation"),
		key.Word("activation", &w.Activation, "relu", "tanh", "swish").Tells("`relu`",
			"of `mlp` (with `norm: frn` it is swish without normalisation, having no spatial extent), and of lenet, which takes images from 16 × "+
				"16 on"),
		key.Given("hidden", "list of whole numbers", key.Object("type", "array", "items",
			key.Object("type", "integer", "minimum", 1, "maximum", 1_000_000)), nil).
			Tells("[100]", "widths of the layers of `mlp`; `[]` is a linear map"),
	}
}

// averageKeys declares which models are averaged.
func (t *Training) averageKeys() []key.Key {
	a := &t.Settings.Average
	const share = "is the share of the epochs before the first model that counts, at least 0 and below 1"
	return []key.Key{
		key.Number("from", &a.From, key.NotNegative, key.Below(1).Says(share)).Tells("0.6",
			"the share of the epochs before the first model that counts. "+
				"Of cosine cycles the first three quarters, where steps are large, explore and are left out"),
		key.Whole("every", &a.Every, 1, key.Many).Tells("1", "epochs between"),
		key.Whole("draws", &a.Draws, 1, 1_000_000).Tells("1", "models per epoch"),
		key.Word("of", &a.Of, "probabilities", "logits").Tells("`probabilities`", "`logits`, as the paper's code"),
		key.Whole("recompute", &a.Recompute, 0, key.Many).Tells("0; of swag 2048",
			"batch-norm statistics of a kept model are taken anew over so many training examples; 0 keeps those it ran with"),
		key.Boolean("save", &t.Save).Tells("false", "kept models as safetensors in `models/`"),
	}
}

func measureKeys(m *bnn.Measure) []key.Key {
	return []key.Key{
		key.Whole("every", &m.Every, 0, key.Many).Tells("a tenth of the epochs", "epochs between measurements of the layers; 0 is never"),
		key.Whole("batches", &m.Batches, 2, 10_000).Tells("8", "minibatches of such a measurement"),
		key.Whole("test", &m.Test, 1, key.Many).Tells("1", "epochs between evaluations"),
	}
}

// readNetwork reads the kind of network.
func (l *loader) readNetwork(n *yamlpos.Node, w *bnn.Network) {
	w.Kind = "resnet20"
	keys := networkKeys(w)
	if !l.Only(n, keys) {
		return
	}
	l.Take(n, keys, "kind")
	plain := w.WithDefaults().Norm == "none"
	if l.Take(n, keys, "norm"); w.Norm == "none" && !plain {
		l.Report(n.Field("norm"), "norm none goes with lenet and mlp; %s needs batch or frn", w.Kind)
	}
	if l.Take(n, keys, "activation"); w.Activation != "" {
		if norm := w.WithDefaults().Norm; norm != "none" {
			l.Report(n.Field("activation"), "activation goes with lenet and mlp without normalisation; %s with norm %s has its own", w.Kind, norm)
		}
	}
	if k := n.Field("hidden"); k != nil {
		if w.Kind != "mlp" {
			l.Report(n.Key("hidden"), "hidden goes with network mlp; found %s", w.Kind)
		} else if k.Kind != yamlpos.List || len(k.Items) > 0 { // [] is a linear map
			w.Hidden = l.widths(k)
		}
	} else if w.Kind == "mlp" {
		w.Hidden = []int{100}
	}
}

// widths reads how wide hidden layers are.
func (l *loader) widths(n *yamlpos.Node) (out []int) {
	if !l.List(n, "widths") {
		return nil
	}
	for _, item := range n.Items {
		if v, ok := l.Int(item, 1, 1_000_000); ok {
			out = append(out, v)
		}
	}
	return out
}

var devicePattern = regexp.MustCompile(`^(cpu|cuda:[0-9]+)$`)

// readDevices reads where networks move.
func (t *Training) readDevices(l *key.Reader, n *yamlpos.Node) {
	if n.Kind == yamlpos.Scalar {
		t.Devices = []string{n.Text}
	} else if l.List(n, "devices") {
		t.Devices = l.Texts(n)
	}
	for _, d := range t.Devices {
		if !devicePattern.MatchString(d) {
			l.Report(n, "device %q is not known: use cpu, or cuda:0, cuda:1, …", d)
		}
	}
}

// suitImages reports what does not fit the images that were found, and fills in what
// depends on them.
func (l *loader) suitImages(t *Training) {
	train := t.Data.Train
	t.Network.Input = [3]int{train.Channels, train.Height, train.Width}
	if t.Network.Outputs = train.Classes; train.Targets != nil {
		t.Network.Outputs, t.Network.Loss = len(train.Targets)/train.Len(), "squared"
	}
	s := &t.Settings
	batch := l.root.Field("sampler").Field("batch")
	switch n := train.Len(); {
	case batch == nil:
		s.Batch = min(s.Batch, n)
	case s.Batch > n:
		l.Report(batch, "batch must be at most the number of training examples, %d; found %d", n, s.Batch)
	}
	if l.root.Field("sampler").Field("step_size") == nil {
		l.stepsInProportion(s, t.Network.Norm)
	}
	if side := min(train.Height, train.Width); t.Network.Kind == "lenet" && side < leastLeNet {
		l.Report(l.root.Field("network"), "lenet needs images of %d × %d or more; found %d × %d: take mlp or resnet8", leastLeNet, leastLeNet,
			train.Height, train.Width)
	}
	if t.Data.Test.Labels != nil && t.Data.Test.Len() < 2 {
		l.Report(l.root.Field("data"), "scores need two test images at least; found %d", t.Data.Test.Len())
	}
	s.Average.Recompute = min(s.Average.Recompute, train.Len())
	if side := min(train.Height, train.Width); s.Augment.Crop > side {
		l.Report(l.root.Field("data").Field("augment"), "crop must be at most the side of an image, %d; found %d", side, s.Augment.Crop)
	}
	if train.Values != nil && (s.Augment.Crop > 0 || s.Augment.Flip || s.Augment.Erase > 0) {
		l.Report(l.root.Field("data").Key("augment"), "these examples are numbers, not pixels: there is nothing to crop, flip or erase; write "+
			"augment: none")
	}
	if len(l.Problems) > 0 {
		return
	}
	if err := s.Validate(train.Len()); err != nil {
		l.Report(cmp.Or(l.root.Field("sampler"), l.root), "%v", err)
	}
}

// resolve fills in the keys of what was read.
func (r *ResolvedTraining) resolve(t *Training) {
	s := t.Settings
	r.Average = AverageKeys{s.Average, t.Save}
	r.Measure = s.Measure
	p := &r.Sampler
	*p = TrainSampler{Method: s.Method, Epochs: s.Epochs, Batch: s.Batch, Order: s.Order, StepSize: s.StepSize,
		Schedule: s.Decay, Momentum: s.Momentum, NoiseEstimate: s.NoiseEstimate, WeightDecay: s.WeightDecay,
		Bound: s.Bound, Reflect: s.Reflect, AsReleased: s.AsReleased, Seed: s.Seed}
	p.Schedule.Kind = cmp.Or(p.Schedule.Kind, kernel.Constant)
	if slices.Max(s.Temperature) > 0 {
		p.Temperature = s.Temperature
	}
	if s.Anneal.Divide > 1 {
		p.Anneal = &s.Anneal
	}
	switch {
	case s.Method == "ensemble":
		p.Members = s.Members
	case s.Method == "swag":
		p.SWAG = &s.SWAG
	case s.Rungs() > 1:
		p.Swap = &sampler.Swap{Settings: s.Swap}
		if s.FullEnergies {
			p.Swap.Energies = "full"
		}
	}
}

// Law is a fingerprint of all that a training that goes on from a checkpoint must
// share with the one that made it: everything but the devices. 64 hexadecimal digits.
func (r ResolvedTraining) Law() (string, error) {
	r.Device = nil
	return r.Hash()
}

// Hash is a fingerprint of all that determines a training, wherever its images lie. 64
// hexadecimal digits.
func (r ResolvedTraining) Hash() (string, error) {
	r.Data.Folder = filepath.Base(r.Data.Folder)
	if o := r.Data.Outside; o != nil {
		elsewhere := *o
		elsewhere.Folder = filepath.Base(o.Folder)
		r.Data.Outside = &elsewhere
	}
	return hashOf(r)
}
