package deep

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/kernel"
)

// An effort is how much is run.
type effort struct {
	subjects            []subject // the first is that of the sweep
	train, test         int       // images; 0 is all
	epochs, batch       int
	step                float64    // base step, divided by N: 2 in the paper
	heat                float64    // what the temperatures of the released code are multiplied by
	bound               float64    // of the walls: 4 in the paper
	walled              []bnn.Role // what the walls hold; nil is all, as in the paper
	target              float64    // 𝕊, which the paper does not name
	fall                float64    // what the steps fall to at the end: 8.8e-4 in the paper
	from                float64    // share of the epochs after which models are averaged
	augment             bnn.Augmentation
	draws               int       // of SWAG
	steps               []float64 // of the sweep, rising
	sweepEpochs, sweeps int       // of each training of the sweep, and repeats
}

// A subject is a network with the methods that train it, each so often.
type subject struct {
	kind    string
	methods []string
	repeats int
}

// The paper's training.
const (
	paperEpochs = 1000
	paperBatch  = 2048
	paperStep   = 2.0
	paperBound  = 4.0
	constant    = 0.3    // share of the epochs before steps decay
	paperFall   = 8.8e-4 // 0.99^700
	sweptFrom   = 0.5    // share of the epochs after which the sweep averages
	warm        = 0.6    // share of the epochs in which temperatures fall
	cooled      = 1.45e5 // 1.02^600, what the temperatures of the released code fall by
	snapshots   = 3      // models at least of the last quarter of a cycle (Zhang et al. 2020)
)

// effortOf is the effort of a scale. That of small was chosen by pilots of one seed, of which swaps,
// round trips, training losses and shares at walls were looked at, and no score: so that there are five
// round trips or more in a training of every ladder, and weights meet walls in every epoch.
func effortOf(s study.Scale) effort {
	all := everyone()
	switch s {
	case study.Smoke:
		return effort{subjects: []subject{{"lenet", all, 2}, {"resnet8", []string{"r2sghmc"}, 1}}, train: 2000, test: 500, epochs: 4,
			batch: 128, step: 0.25, fall: 0.05, heat: 1, bound: paperBound, target: 0.1, from: 0.5, draws: 5,
			steps: []float64{0.1, 2, 10, 30}, sweepEpochs: 2, sweeps: 1}
	case study.Small:
		return effort{subjects: []subject{{"lenet", all, 5}}, train: 2000, test: 1000, epochs: 12, batch: 64,
			step: 0.025, fall: 0.05, heat: 0.004, bound: 0.1, walled: []bnn.Role{bnn.Weight}, target: 0.6, from: 0.75, draws: 10,
			steps: paperSteps(), sweepEpochs: 4, sweeps: 3}
	}
	return effort{subjects: []subject{{"resnet20", all, 10}, {"resnet56", all, 10}, {"bottleneck56", []string{"resghmc", "r2sghmc"}, 10}},
		epochs: paperEpochs, batch: paperBatch, step: paperStep, fall: paperFall, heat: 1, bound: paperBound, target: 0.1, from: 0.6,
		augment: bnn.Augmentation{Crop: 4, Flip: true, Erase: 0.5}, draws: 30, steps: paperSteps(), sweepEpochs: 200, sweeps: 3}
}

// paperSteps are the first steps of the sweep. The paper begins at 0.1, finds 2 the best and
// speaks of steps over 10; it does not name the others.
func paperSteps() []float64 { return []float64{0.1, 0.3, 1, paperStep, 3, 10, 30, 100} }

// sweeping are the methods of the sweep, the unreflected one of a pair first.
func sweeping() []string { return []string{"sgdm", "r-sgdm", "sghmc", "r-sghmc"} }

// exact ends the name of a method that trades as [exchange] has it by default: the pairs of a
// parity attempt once, at the end of a window. Without it a method trades by Algorithm 2 as the
// paper prints it: the gates of all pairs open at the beginning of a window, a swap closes that
// of its pair, and 𝒞 moves by the energies after the swaps.
const exact = "-exact"

// swaps are the settings of a method's swaps.
func swaps(method string, target float64) exchange.Settings {
	s := exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: target}
	if !strings.HasSuffix(method, exact) {
		s.Gate, s.Parity, s.Adapt = "once", "off", "after"
	}
	return s
}

// eight are the methods that the paper compares, in the order of its tables.
func eight() []string {
	return []string{"sgdm", "sghmc", "cycsghmc", "resghmc", "r-sgdm", "r-sghmc", "r-cycsghmc", "r2sghmc"}
}

// everyone are all methods: those, ladders with exact gates, and the baselines.
func everyone() []string {
	return append(eight(), "resghmc"+exact, "r2sghmc"+exact, "ensemble", "swag")
}

// mirrored are the pairs of the paper's methods, with and without reflection.
func mirrored() [][2]string {
	return [][2]string{{"r-sgdm", "sgdm"}, {"r-sghmc", "sghmc"}, {"r-cycsghmc", "cycsghmc"}, {"r2sghmc", "resghmc"},
		{"r2sghmc" + exact, "resghmc" + exact}}
}

// rivals pairs r2SGHMC with the seven others.
func rivals() (out [][2]string) {
	for _, name := range eight() {
		if name != "r2sghmc" {
			out = append(out, [2]string{"r2sghmc", name})
		}
	}
	return out
}

// told is a method's name in the paper's letters.
func told(method string) string {
	if of, ok := strings.CutSuffix(method, exact); ok {
		return told(of) + ", exact gates"
	}
	switch method {
	case "cycsghmc":
		return "cycSGHMC"
	case "r-cycsghmc":
		return "R-cycSGHMC"
	case "resghmc":
		return "reSGHMC"
	case "r2sghmc":
		return "r2SGHMC"
	case "ensemble":
		return "deep ensemble"
	}
	return strings.ToUpper(method)
}

// toldNet is a network's name in the paper's letters.
func toldNet(kind string) string {
	switch {
	case strings.HasPrefix(kind, "resnet"):
		return "ResNet" + strings.TrimPrefix(kind, "resnet")
	case kind == "bottleneck56":
		return "bottleneck ResNet56"
	case kind == "lenet":
		return "LeNet"
	}
	return kind
}

// An item is a way to train a network.
type item struct {
	method   string // as the study calls it
	network  bnn.Network
	settings bnn.Settings
	about    string // what is unlike the settings of the study: "step 10"; "" is nothing
}

// name is one that no other item of the study has.
func (c item) name() string {
	parts := []string{toldNet(c.network.Kind), told(c.method)}
	if c.about != "" {
		parts = append(parts, c.about)
	}
	return strings.Join(parts, " · ")
}

// cost is how many images the replicas are trained on.
func (c item) cost(examples int) int64 {
	return int64(c.settings.Replicas()) * int64(c.settings.Epochs) * int64(examples)
}

// caseOf is how the study trains a network by a method, or, if step is above 0, with
// that step at the effort of the sweep.
func (m *inquiry) caseOf(kind, method string, step float64) (item, error) {
	s, err := bnn.Method(strings.TrimSuffix(method, exact))
	if err != nil {
		return item{}, err
	}
	if bnn.Exchanges(s.Method) {
		s.Swap = swaps(method, m.target)
	}
	if bnn.Reflects(s.Method) {
		s.Bound, s.Reflect = m.bound, m.walled
	}
	for i := range s.Temperature {
		s.Temperature[i] *= m.heat
	}
	s.Batch, s.Order, s.Augment, s.Seed, s.SWAG.Draws = m.batch, "shuffle", m.augment, m.Seed, m.draws
	epochs, base, about := m.epochs, m.step, ""
	if step > 0 {
		epochs, base, about = m.sweepEpochs, step, fmt.Sprintf("step %g", step)
	}
	for i := range s.StepSize {
		s.StepSize[i] *= base / paperStep
	}
	if step > 0 {
		s.StepSize = []float64{step} // without rounding
	}
	s.Average.From = m.from
	lasting(&s, epochs, m.fall)
	if step > 0 {
		s.Measure, s.Average.From = bnn.Measure{Test: epochs}, sweptFrom
	}
	t := m.source.data.Train
	w := bnn.Network{Kind: kind, Norm: "batch", Input: [3]int{t.Channels, t.Height, t.Width}, Outputs: t.Classes}
	switch kind {
	case "lenet": // without normalisation some first weights lead nowhere in a few epochs
		w.Norm = "frn"
	case "mlp":
		w.Norm, w.Activation, w.Hidden = "none", "relu", []int{8}
	}
	return item{method, w, s, about}, nil
}

// lasting sets how long a training lasts, and what the paper does by epochs in the
// same proportion: steps are constant for the first 0.3 and then fall, temperatures fall
// for the first 0.6. Short cycles give several models an epoch.
func lasting(s *bnn.Settings, epochs int, fall float64) {
	s.Epochs = epochs
	if s.Decay.Kind == kernel.Exponential {
		s.Decay.After = int(constant * float64(epochs))
		s.Decay.Rate = math.Pow(fall, 1/float64(epochs-s.Decay.After))
	}
	if s.Decay.Kind == kernel.Cosine {
		s.Average.Draws = max(1, snapshots*4*s.Decay.Cycles/epochs)
	}
	if s.Temperature[0] > 0 {
		until := max(1, int(math.Round(warm*float64(epochs))))
		s.Anneal = bnn.Anneal{Divide: math.Pow(cooled, 1/float64(until)), Until: until}
	}
	s.Measure = bnn.Measure{Every: max(1, epochs/4), Batches: 8, Test: max(1, epochs/50)}
}

// yaml is the configuration of an item for r2sgld train.
func (m *inquiry) yaml(c item, repeats int) string {
	var b strings.Builder
	s, d := c.settings, m.source
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	words := strings.Fields(strings.NewReplacer("·", "", ",", "").Replace(strings.ToLower(c.name())))
	line("name: %s", strings.Join(words, "-"))
	images := fmt.Sprintf("kind: %s, folder: %q, train: %d, test: %d", d.kind, d.folder, d.data.Train.Len(), d.data.Test.Len())
	if a := s.Augment; a != (bnn.Augmentation{}) {
		images += fmt.Sprintf(", augment: {crop: %d, flip: %t, erase: %g}", a.Crop, a.Flip, a.Erase)
	}
	if d.data.Outside != nil {
		images += fmt.Sprintf(", outside: {kind: %s, folder: %q, test: %d}", d.outsideKind, d.outsideFolder, d.data.Outside.Len())
	}
	line("data: {%s}", images)
	line("network: {kind: %s, norm: %s%s}", c.network.Kind, c.network.Norm, hiddenOf(c.network))
	line("sampler:\n  method: %s\n  epochs: %d\n  batch: %d\n  step_size: %s", s.Method, s.Epochs, s.Batch, list(s.StepSize))
	if s.Temperature[0] > 0 {
		line("  temperature: %s\n  anneal: {divide: %g, until: %d}", list(s.Temperature), s.Anneal.Divide, s.Anneal.Until)
	}
	line("  schedule: %s", scheduleOf(s.Decay))
	line("  momentum: %g\n  weight_decay: %g", s.Momentum, s.WeightDecay)
	if s.Bound > 0 {
		line("  bound: %g", s.Bound)
	}
	if s.Bound > 0 && s.Reflect != nil {
		line("  reflect: %s", s.Reflect)
	}
	switch {
	case s.Method == "ensemble":
		line("  members: %d", s.Members)
	case s.Method == "swag":
		line("  swag: {draws: %d}", s.SWAG.Draws)
	case bnn.Exchanges(s.Method):
		printed := ""
		if w := s.Swap; w.Gate != "" {
			printed = fmt.Sprintf("parity: %q, gate: %s, adapt: %s, ", w.Parity, w.Gate, w.Adapt)
		}
		line("  swap: {scheme: %s, %srule: %s, target: %g}", s.Swap.Scheme, printed, s.Swap.Rule, s.Swap.Target)
	}
	line("  seed: %d\naverage: {from: %g, draws: %d}\nmeasure: {every: %d, test: %d}\nrepeats: %d\ndevice: [%s]\nprecision: %s",
		s.Seed, s.Average.From, max(1, s.Average.Draws), max(1,
			s.Measure.Every), s.Measure.Test, repeats, strings.Join(m.kinds(), ", "), m.precision)
	return b.String()
}

func hiddenOf(w bnn.Network) string {
	if w.Kind != "mlp" {
		return ""
	}
	return fmt.Sprintf(", hidden: [%d]", w.Hidden[0])
}

// list prints numbers as YAML.
func list(v []float64) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = fmt.Sprintf("%g", x)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func scheduleOf(d kernel.Decay) string {
	if d.Kind == kernel.Cosine {
		return fmt.Sprintf("{kind: cosine, cycles: %d}", d.Cycles)
	}
	return fmt.Sprintf("{kind: %s, decay: %g, after: %d}", d.Kind, d.Rate, d.After)
}
