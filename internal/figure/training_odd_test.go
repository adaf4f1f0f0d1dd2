package figure

import (
	"math"
	"strings"
	"testing"
)

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
