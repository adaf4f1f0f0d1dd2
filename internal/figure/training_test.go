package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var netMethods = []string{"sgdm", "sghmc", "cycsghmc", "resghmc", "r-sgdm", "r-sghmc", "r-cycsghmc", "r2sghmc"}

// lessons are accuracies and losses of methods that learn for some epochs, averaged
// from the third part on.
func lessons(epochs int, methods []string) Learning {
	r := rand.New(rand.NewPCG(51, 52))
	q := Learning{Start: float64(epochs / 3), Caption: "mean and 95 % band of 3 repeats",
		Panels: []LearningPanel{{Metric: Axis{"test accuracy", "%"}}, {Metric: Axis{"test NLL", "nats"}}}}
	for k := range q.Panels {
		for m, name := range methods {
			l := Learned{Method: name}
			for e := 1; e <= epochs; e++ {
				u := float64(e) / float64(epochs)
				v := 60 + 2*float64(m) - 50*math.Exp(-12*u) + 0.8*r.NormFloat64()
				better, noise := 63+2*float64(m)-12*math.Exp(-6*u)+0.1*r.NormFloat64(), 1.0
				if k == 1 {
					v, better, noise = 2.4-v/40, 2.4-better/38, 0.02
				}
				add := func(t *Trail, v, half float64) {
					t.Epoch, t.Value = append(t.Epoch, float64(e)), append(t.Value, v)
					t.Low, t.High = append(t.Low, v-half), append(t.High, v+half)
				}
				add(&l.Single, v, noise)
				if e > epochs/3 {
					add(&l.Average, better, noise/2)
				}
			}
			q.Panels[k].Methods = append(q.Panels[k].Methods, l)
		}
	}
	return q
}

// calibrated is a predictor of some classes, too confident by a factor.
func calibrated(title string, classes int, over float64) Calibration {
	c := Calibration{Title: title}
	for k := range 15 {
		b := ConfidenceBin{Low: float64(k) / 15, High: float64(k+1) / 15}
		b.Confidence = (b.Low + b.High) / 2
		if b.Confidence > 1/float64(classes) {
			b.Count = 20 + int(4000*math.Pow(b.Confidence, 6))
			b.Accuracy = b.Confidence * (1 - over*b.Confidence*(1.1-b.Confidence))
		}
		c.Bins = append(c.Bins, b)
	}
	return c
}

// unsure are the entropies of a predictor of 10 classes.
func unsure(title string, out float64) Uncertainty {
	r := rand.New(rand.NewPCG(53, 54))
	u := Uncertainty{Title: title, AUROC: 0.8 + 0.1*out, FPR95: 0.41}
	for range 4000 {
		u.In = append(u.In, math.Log(10)*math.Pow(r.Float64(), 5))
		u.Out = append(u.Out, math.Log(10)*math.Pow(r.Float64(), 1/(1+out)))
	}
	return u
}

func entropies() Entropies {
	return Entropies{Panels: []Uncertainty{unsure("single model", 0.2), unsure("average", 1)}, Classes: 10, In: "Fashion-MNIST",
		Out: "MNIST", Caption: "invented"}
}

// netLayers are the layers of a ResNet 6n+2 with their temperatures, at one set.
func netLayers(n int, set float64) []Layer {
	r := rand.New(rand.NewPCG(55, 56))
	about := func(v, half float64) Estimate {
		v *= set * math.Exp(0.05*r.NormFloat64())
		return Estimate{v, v * (1 - half), v * (1 + half)}
	}
	names := []string{"conv1"}
	for stage := range 3 {
		for block := range n {
			for k := range 2 {
				names = append(names, fmt.Sprintf("layer%d.%d.conv%d.weight", stage+1, block, k+1))
			}
		}
	}
	names = append(names, "linear.weight", "linear.bias")
	out := make([]Layer, len(names))
	for i, name := range names {
		share := math.Exp(-float64(i) / 20)
		out[i] = Layer{Name: name, Kinetic: about(1+0.5*(1-share), 0.05), Configurational: about(1, 0.1), Injected: share, Minibatch: 1 - share}
	}
	return out
}

func reflections(n, epochs int) Reflections {
	q := Reflections{Caption: "walls at ±4"}
	for i, l := range netLayers(n, 1) {
		q.Layers = append(q.Layers, l.Name)
		row := make([]float64, epochs)
		for e := range row {
			row[e] = 0.1 * math.Exp(-6*float64(e)/float64(epochs)) * math.Exp(-float64(i)/15)
		}
		q.Share = append(q.Share, row)
	}
	for e := range epochs {
		q.Epoch = append(q.Epoch, float64(e+1))
	}
	return q
}

// sweep fails from some step on, without reflection.
func sweep() Sweep {
	q := Sweep{X: Axis{"first step size η₀·N", ""}, Metrics: []Axis{{"accuracy", "%"}, {"NLL", "nats"}},
		Caption: "mean and 95 % interval of the runs that did not diverge, of 3"}
	for m, name := range netMethods {
		l := SweepLine{Method: name, Values: make([][]Estimate, 2)}
		for k, s := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10} {
			failed := 0
			if m < 4 {
				failed = min(max(k-3-m/2, 0), 3)
			}
			v := 80 + float64(m) - 3*math.Pow(math.Log(s), 2)
			acc, nll := Estimate{v, v - 1, v + 0.8}, Estimate{2 - v/60, 1.97 - v/60, 2.05 - v/60}
			if failed == 3 {
				acc.Value, nll.Value = math.NaN(), math.NaN()
			}
			l.Step, l.Runs, l.Failed = append(l.Step, s), append(l.Runs, 3), append(l.Failed, failed)
			l.Values[0], l.Values[1] = append(l.Values[0], acc), append(l.Values[1], nll)
		}
		q.Lines = append(q.Lines, l)
	}
	return q
}

func scores() ScoreTable {
	q := ScoreTable{Caption: "mean and 95 % interval of 3 repeats", Metrics: []Metric{
		{Axis: Axis{"accuracy", "%"}, Better: 1}, {Axis: Axis{"NLL", "nats"}, Better: -1}, {Axis: Axis{"Brier", ""},
			Better: -1}, {Axis: Axis{"ECE", ""}, Better: -1}}}
	for m, name := range append(netMethods[:8:8], "ensemble", "swag") {
		row := ScoreRow{Method: name}
		for k := range q.Metrics {
			v := [...]float64{88 + float64(m)/3, 0.4 - float64(m)/60, 0.2 - float64(m)/200, 0.05 - float64(m%4)/200}[k]
			half := 0.004 * v
			row.Average = append(row.Average, Estimate{v, v - half, v + half})
			row.Single = append(row.Single, Estimate{v * (1 - 0.02*float64(1-2*min(k, 1))), v * (0.99 - 0.02*float64(1-2*min(k, 1))),
				v * (1.01 - 0.02*float64(1-2*min(k, 1)))})
		}
		q.Rows = append(q.Rows, row)
	}
	q.Rows[8].Single = nil
	return q
}

// agreement compares samplers with a reference.
func agreement() ScoreTable {
	q := ScoreTable{Reference: "the reference's halves", Caption: "2,000 test images", Metrics: []Metric{
		{Axis: Axis{"agreement", "%"}, Better: 1, Reference: &Estimate{96, 95.5, 96.5}},
		{Axis: Axis{"total variation", ""}, Better: -1, Reference: &Estimate{0.05, 0.045, 0.055}}}}
	for m, name := range []string{"sghmc", "r2sghmc", "ensemble", "swag"} {
		v := float64(m)
		q.Rows = append(q.Rows, ScoreRow{Method: name,
			Average: []Estimate{{95 - v, 94.6 - v, 95.4 - v}, {0.06 + 0.01*v, 0.055 + 0.01*v, 0.065 + 0.01*v}}})
	}
	return q
}

// netIndex is the record of four rungs in 30 epochs of 20 iterations.
func netIndex() Index {
	q := index(4, 600)
	q.First, q.Temperature, q.Names, q.Epoch, q.Window = 0, nil, []string{"η 1.0", "η 1.59", "η 2.52", "η 4.0"}, 20, 600
	return q
}

// trainingGallery draws the pictures of trainings that are kept.
func trainingGallery(keep func(string) func(*Figure, error)) {
	keep("learning.png")(LearningCurves(lessons(200, []string{"sghmc", "r-sghmc", "r2sghmc"})))
	keep("learning.svg")(LearningCurves(lessons(20, []string{"r2sghmc"})))
	keep("reliability.png")(Reliability([]Calibration{calibrated("single model", 10, 0.5), calibrated("average of 20 models", 10, 0.1)}, ""))
	keep("reliability.svg")(Reliability([]Calibration{calibrated("single model", 100, 0.3)}, ""))
	keep("epochs.png")(IndexProcess(netIndex()))
	keep("entropy.png")(EntropyHistograms(entropies()))
	keep("layers.png")(LayerTemperatures(netLayers(9, 0.05), 0.05, "means and 95 % intervals of 40 epochs"))
	keep("reflections.png")(ReflectionMap(reflections(1, 1000)))
	keep("sweep.png")(SweepCurves(sweep()))
	keep("scores.png")(Scores(scores()))
	keep("agreement.png")(Scores(agreement()))
}

// refused checks that drawing fails with words.
func refused(t *testing.T, want string, f func() (*Figure, error)) {
	t.Helper()
	if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: want %q", err, want)
	}
}

// What cannot be drawn of a training is refused with what is wrong.
func TestPredictionsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, change := range map[string]func(*Learning){
		"no panels":        func(q *Learning) { q.Panels = nil },
		"nothing to draw":  func(q *Learning) { q.Panels[1].Methods = nil },
		"without a name":   func(q *Learning) { q.Panels[1].Metric = Axis{} },
		"epochs must rise": func(q *Learning) { q.Panels[0].Methods[0].Single.Epoch[2] = 1 },
		"equally long":     func(q *Learning) { q.Panels[0].Methods[0].Average.Value = nil },
		"two ends":         func(q *Learning) { q.Panels[0].Methods[0].Average.Low = nil },
		"value 9 is NaN":   func(q *Learning) { q.Panels[0].Methods[0].Single.Value[8] = nan },
		"value 9 is +Inf":  func(q *Learning) { q.Panels[0].Methods[0].Single.High[8] = inf },
		"no colour":        func(q *Learning) { q.Panels[0].Methods[0].Method = "adam" },
		"rule averaging":   func(q *Learning) { q.Start = inf },
		"from 2 to 1":      func(q *Learning) { q.Panels[0].View = [2]float64{2, 1} },
	} {
		q := lessons(30, netMethods)
		change(&q)
		refused(t, want, func() (*Figure, error) { return LearningCurves(q) })
	}
	for want, change := range map[string]func(*Calibration){
		"no images":       func(c *Calibration) { c.Bins = nil },
		"not overlap":     func(c *Calibration) { c.Bins[3].Low = 0 },
		"fewer than none": func(c *Calibration) { c.Bins[3].Count = -1 },
		"accuracy NaN":    func(c *Calibration) { c.Bins[9].Accuracy = nan },
		"confidence 1.5":  func(c *Calibration) { c.Bins[9].Confidence = 1.5 },
	} {
		c := calibrated("a", 10, 0.5)
		change(&c)
		refused(t, want, func() (*Figure, error) { return Reliability([]Calibration{c}, "") })
	}
	refused(t, "no predictor", func() (*Figure, error) { return Reliability(nil, "") })
	for want, change := range map[string]func(*Entropies){
		"no predictor":          func(q *Entropies) { q.Panels = nil },
		"1 classes":             func(q *Entropies) { q.Classes = 1 },
		"MNIST: no imag":        func(q *Entropies) { q.Panels[0].Out = nil },
		"is NaN":                func(q *Entropies) { q.Panels[0].In[5] = nan },
		"from 0 to 2.3":         func(q *Entropies) { q.Panels[0].In[5] = 2.4 },
		"AUROC: value 1 is 1.2": func(q *Entropies) { q.Panels[0].AUROC = 1.2 },
	} {
		q := entropies()
		change(&q)
		refused(t, want, func() (*Figure, error) { return EntropyHistograms(q) })
	}
}

func TestLayersRefused(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(l []Layer) ([]Layer, float64){
		"none is given":      func(l []Layer) ([]Layer, float64) { return nil, 1 },
		"temperature set is": func(l []Layer) ([]Layer, float64) { return l, nan },
		"does not hold":      func(l []Layer) ([]Layer, float64) { l[2].Kinetic.Low = 9; return l, 1 },
		"variance of noise":  func(l []Layer) ([]Layer, float64) { l[2].Minibatch = -1; return l, 1 },
		"has a temperature": func(l []Layer) ([]Layer, float64) {
			return []Layer{{Kinetic: Estimate{Value: nan}, Configurational: Estimate{Value: nan}}}, 1
		},
	} {
		l, set := change(netLayers(1, 1))
		refused(t, want, func() (*Figure, error) { return LayerTemperatures(l, set, "") })
	}
	for want, change := range map[string]func(*Reflections){
		"nothing to draw":        func(q *Reflections) { q.Layers = nil },
		"2 rows for":             func(q *Reflections) { q.Share = q.Share[:2] },
		"epochs must rise":       func(q *Reflections) { q.Epoch[3] = 0 },
		"equally long":           func(q *Reflections) { q.Share[1] = nil },
		"epochs: value 4 is NaN": func(q *Reflections) { q.Share[1][3] = nan },
	} {
		q := reflections(1, 9)
		change(&q)
		refused(t, want, func() (*Figure, error) { return ReflectionMap(q) })
	}
}

func TestComparisonsRefused(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(*Sweep){
		"give metrics":     func(q *Sweep) { q.Lines = nil },
		"no colour":        func(q *Sweep) { q.Lines[0].Method = "adam" },
		"must be above 0":  func(q *Sweep) { q.Lines[0].Step[0] = 0 },
		"and no more fail": func(q *Sweep) { q.Lines[0].Failed[0] = 4 },
		"give one of each": func(q *Sweep) { q.Lines[0].Runs = nil },
		"0 values for 7":   func(q *Sweep) { q.Lines[0].Values[1] = nil },
		"not all runs":     func(q *Sweep) { q.Lines[4].Values[1][0].Value = nan },
		"does not hold":    func(q *Sweep) { q.Lines[4].Values[1][0].Low = 99 },
	} {
		q := sweep()
		change(&q)
		refused(t, want, func() (*Figure, error) { return SweepCurves(q) })
	}
	for want, change := range map[string]func(*ScoreTable){
		"methods and metrics": func(q *ScoreTable) { q.Rows = nil },
		"no colour":           func(q *ScoreTable) { q.Rows[1].Method = "adam" },
		"no values":           func(q *ScoreTable) { q.Rows[1].Average, q.Rows[1].Single = nil, nil },
		"3 values for 4":      func(q *ScoreTable) { q.Rows[1].Average = q.Rows[1].Average[:3] },
		"does not hold":       func(q *ScoreTable) { q.Rows[1].Average[2].High = -1 },
		"better by 2":         func(q *ScoreTable) { q.Metrics[1].Better = 2 },
		"reference of NLL":    func(q *ScoreTable) { q.Metrics[1].Reference = &Estimate{Value: nan} },
		"leave the metric": func(q *ScoreTable) {
			*q = ScoreTable{Metrics: q.Metrics[:1], Rows: []ScoreRow{{Single: []Estimate{{Value: nan}}}}}
		},
	} {
		q := scores()
		change(&q)
		refused(t, want, func() (*Figure, error) { return Scores(q) })
	}
	q := netIndex()
	q.Temperature = []float64{1, 2}
	refused(t, "4 names for 2", func() (*Figure, error) { return IndexProcess(q) })
	q = netIndex()
	q.Epoch = -1
	refused(t, "Epoch", func() (*Figure, error) { return IndexProcess(q) })
}

// Odd trainings are drawn, and equal data give equal bytes.
func TestOddTrainings(t *testing.T) {
	svg := svgOf(t)
	none := Estimate{Value: math.NaN()}
	for name, f := range map[string]func() (*Figure, error){
		"one epoch": func() (*Figure, error) {
			return LearningCurves(Learning{Start: math.NaN(),
				Panels: []LearningPanel{{Metric: Axis{Name: "accuracy"},
					Methods: []Learned{{Single: Trail{Epoch: []float64{1}, Value: []float64{0.5}}}}}}})
		},
		"one image": func() (*Figure, error) {
			return Reliability([]Calibration{{Bins: []ConfidenceBin{{0, 1, 1, 1, 1}}},
				{Bins: []ConfidenceBin{{0, 0.5, 0, math.NaN(), math.NaN()}, {0.5, 1, 1, 0.7, 0}}}}, "")
		},
		"five predictors": func() (*Figure, error) {
			c := calibrated("one of many predictors with a name that does not fit", 100, 0.2)
			return Reliability([]Calibration{c, c, c, c, c}, "")
		},
		"sure of all": func() (*Figure, error) {
			return EntropyHistograms(Entropies{Classes: 100, In: "a", Out: "b",
				Panels: []Uncertainty{{In: []float64{0}, Out: []float64{0, math.Log(100)}, AUROC: math.NaN(), FPR95: math.NaN()}}})
		},
		"cold layer": func() (*Figure, error) {
			return LayerTemperatures([]Layer{{Name: "all", Kinetic: Estimate{}, Configurational: Estimate{-1, -2, 3}}}, 0, "")
		},
		"half a layer": func() (*Figure, error) {
			return LayerTemperatures([]Layer{{Name: "a", Kinetic: none, Configurational: Estimate{1, 1, 1}, Injected: 1}}, 1, "")
		},
		"no reflection": func() (*Figure, error) {
			return ReflectionMap(Reflections{Layers: []string{"all"}, Epoch: []float64{1}, Share: [][]float64{{0}}})
		},
		"one setting": func() (*Figure, error) {
			return SweepCurves(Sweep{Metrics: []Axis{{}},
				Lines: []SweepLine{{Step: []float64{1}, Runs: []int{1}, Values: [][]Estimate{{{1, 1, 1}}}}}})
		},
		"four metrics of a sweep": func() (*Figure, error) {
			q := sweep()
			q.Metrics = append(q.Metrics, q.Metrics...)
			for i := range q.Lines {
				q.Lines[i].Values = append(q.Lines[i].Values, q.Lines[i].Values...)
			}
			return SweepCurves(q)
		},
		"one score": func() (*Figure, error) {
			return Scores(ScoreTable{Metrics: []Metric{{}}, Rows: []ScoreRow{{Name: strings.Repeat("long ", 20), Single: []Estimate{{}}}}})
		},
	} {
		if a, b := svg(f()), svg(f()); a != b {
			t.Errorf("%s: equal data gave different bytes", name)
		}
	}
}

// What is said is what was given.
func TestTrainingWords(t *testing.T) {
	svg := svgOf(t)
	half := Calibration{Bins: []ConfidenceBin{{0, 0.5, 10, 0.25, 0.45}, {0.5, 1, 30, 0.9, 0.8}}}
	for want, got := range map[string]string{
		"ECE 0.125":                 svg(Reliability([]Calibration{half}, "")),
		"accuracy 0.713":            svg(Reliability([]Calibration{half}, "")),
		"confidence 0.738":          svg(Reliability([]Calibration{half}, "")),
		"AUROC 0.900":               svg(EntropyHistograms(entropies())),
		"from 0 to ln 10":           svg(EntropyHistograms(entropies())),
		"averaging starts":          svg(LearningCurves(lessons(20, netMethods))),
		"one epoch in 7 is drawn":   svg(LearningCurves(lessons(1000, append(netMethods, "ensemble", "swag", "r-sgld", "r2sgld")))),
		"1,000 epochs in 400 colum": svg(ReflectionMap(reflections(1, 1000))),
		"no coordinate was":         svg(ReflectionMap(Reflections{Layers: []string{"a"}, Epoch: []float64{1}, Share: [][]float64{{0}}})),
		"set: 0.05":                 svg(LayerTemperatures(netLayers(9, 0.05), 0.05, "")),
		"layer3.8.conv2.weight":     svg(LayerTemperatures(netLayers(9, 0.05), 0.05, "")),
		"some runs diverged":        svg(SweepCurves(sweep())),
		"less is better":            svg(Scores(scores())),
		">epoch<":                   svg(IndexProcess(netIndex())),
		">η 2.52<":                  svg(IndexProcess(netIndex())),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said", want)
		}
	}
}

// Rows of several heights follow each other without overlap, and stay on the page.
func TestRowsDoNotOverlap(t *testing.T) {
	c := calibrated("a", 10, 0.3)
	for n := 1; n <= 7; n++ {
		var q []Calibration
		for range n {
			q = append(q, c)
		}
		f, err := Reliability(q, "a caption")
		if err != nil {
			t.Fatal(err)
		}
		if len(f.cells) != 2*n {
			t.Errorf("%d predictors in %d cells", n, len(f.cells))
		}
		for i, a := range f.cells {
			if a.left < 0 || a.left+a.width > f.width || a.top < 0 || a.top+a.height+a.panel.belowRoom() > f.height {
				t.Errorf("%d predictors: cell %d leaves the page", n, i)
			}
			for _, b := range f.cells[:i] {
				if a.left < b.left+b.width && b.left < a.left+a.width && a.top < b.top+b.height+b.panel.belowRoom() &&
					b.top < a.top+a.height+a.panel.belowRoom() {
					t.Errorf("%d predictors: cell %d overlaps another", n, i)
				}
			}
		}
	}
}

// The first layer is the uppermost row of the map, which has its last pixels; roots
// of the means of neighbouring epochs are exact to rounding (1e-12). It kills a map
// upside down, one without roots, and one that leaves epochs out.
func TestReflectionPixels(t *testing.T) {
	q := Reflections{Layers: []string{"first", "last"}, Share: [][]float64{make([]float64, 800), make([]float64, 800)}}
	for e := range 800 {
		q.Epoch = append(q.Epoch, float64(e))
		q.Share[0][e] = 0.2 * float64(e%2)
	}
	v := q.pixels()
	if len(v) != q.columns()*q.wide()*2*layerPixels {
		t.Fatalf("%d pixels", len(v))
	}
	for k := range v {
		want := 0.0
		if k >= len(v)/2 {
			want = math.Sqrt(0.1)
		}
		if math.Abs(v[k]-want) > 1e-12 {
			t.Fatalf("pixel %d is %g, want %g", k, v[k], want)
		}
	}
}

// Every image is in one bin, those that know nothing in the last.
func TestSharesOfEntropies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Entropies{Classes: rapid.IntRange(2, 1000).Draw(t, "classes")}
		v := rapid.SliceOfN(rapid.Float64Range(0, q.most()), 1, 50).Draw(t, "entropies")
		shares := q.shares(append(v, q.most()))
		sum := 0.0
		for _, s := range shares {
			sum += s
		}
		if math.Abs(sum-1) > 1e-12 || shares[entropyBins-1] == 0 {
			t.Errorf("shares %v sum to %g", shares, sum)
		}
	})
}

// The first tenth of the epochs does not flatten the rest, and everything after it,
// bands too, is on the axis.
func TestSettledView(t *testing.T) {
	q := lessons(100, []string{"sghmc", "r2sghmc"})
	q.Panels[0].Methods[0].Single.Value[3] = -1000
	q.Panels[0].Methods[1].Single.High[60] = 99
	p, err := q.Panels[0].lines(1, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.View[0] < 0 || p.View[0] > 60 || p.View[1] < 99 {
		t.Errorf("from %g to %g", p.View[0], p.View[1])
	}
	q.Panels[0].View = [2]float64{1, 2}
	if p, _ = q.Panels[0].lines(1, false); p.View != q.Panels[0].View {
		t.Errorf("a view that was given became %v", p.View)
	}
}

// Methods of which no run failed have no row of crosses, and a metric with all runs
// failed has no range.
func TestFailures(t *testing.T) {
	q := sweep()
	if got := fmt.Sprint(q.failed()); got != "[0 1 2 3]" {
		t.Errorf("failed: %s", got)
	}
	for i := range q.Lines {
		q.Lines[i].Failed = nil
	}
	if got := q.failed(); got != nil {
		t.Errorf("failed: %v", got)
	}
	all := SweepLine{Step: []float64{1}, Runs: []int{2}, Failed: []int{2}, Values: [][]Estimate{{{Value: math.NaN()}}}}
	if _, err := SweepCurves(Sweep{Metrics: []Axis{{}}, Lines: []SweepLine{all}}); err == nil ||
		!strings.Contains(err.Error(), "every run failed") {
		t.Error(err)
	}
}

// The axis of temperatures has the one that was set and most of the others, however far
// off a few are, and shows all where they are near each other. Kills an axis that holds
// what is far, one without the temperature set, and arrows where nothing is off.
func TestTemperatureFences(t *testing.T) {
	near := []float64{0.05, 0.03, 0.06, 0.1, 0.08, -0.02, 0.04, 0.07}
	if lo, hi, clipped := fences(near, 0.05); lo != -0.02 || hi != 0.1 || clipped {
		t.Errorf("near each other: from %g to %g, %v", lo, hi, clipped)
	}
	far := append([]float64{-9, 300}, near...)
	if lo, hi, clipped := fences(far, 0.05); !clipped || !(lo > -1 && lo < -0.02 && hi > 0.1 && hi < 1) {
		t.Errorf("with two far off: from %g to %g, %v", lo, hi, clipped)
	}
	if lo, hi, _ := fences(append(far, 20), 20); !(lo > -1 && hi == 20) {
		t.Errorf("set far from all: from %g to %g", lo, hi)
	}
	if lo, hi, _ := fences(append(far, -5), -5); !(lo == -5 && hi < 1) {
		t.Errorf("set far below all: from %g to %g", lo, hi)
	}
}

// One method is drawn through, in the legend too, and two as they always are.
func TestLoneMethodIsSolid(t *testing.T) {
	for n, methods := range [][]string{{"sghmc"}, {"sghmc", "r2sghmc"}} {
		q := lessons(20, methods)
		p, err := q.Panels[0].lines(1, q.lone())
		if err != nil {
			t.Fatal(err)
		}
		if dashed := p.Lines[0].style().Dashes != nil; dashed != (n == 1) {
			t.Errorf("%v: dashed %v", methods, dashed)
		}
	}
}
