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

// What is said is what was given.
func TestTrainingWords(t *testing.T) {
	svg := svgOf(t)
	half := Calibration{Bins: []ConfidenceBin{{0, 0.5, 10, 0.25, 0.45}, {0.5, 1, 30, 0.9, 0.8}}}
	alike := agreement()
	alike.Filled = "mean of runs"
	if strings.Contains(svg(Scores(alike)), "average of models") {
		t.Error("what is no average of models is called one")
	}
	for want, got := range map[string]string{
		">mean of runs<":            svg(Scores(alike)),
		">average of models<":       svg(Scores(agreement())),
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
