package deep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// study puts everything together.
func (m *inquiry) study() (*study.Study, error) {
	s := m.Begin("cifar", Title)
	u := m.subjects[0]
	s.Effort = fmt.Sprintf("%s, %s training images, %d epochs%s, %s a method", toldNet(u.kind), text.Count(m.source.data.Train.Len()), m.epochs, m.longer(), times(u.repeats))
	s.Rule = ruleText()
	pictures, err := m.pictures()
	if err != nil {
		return nil, err
	}
	s.Claims = m.claims()
	s.Results = m.results()
	s.Sections = m.sections(pictures)
	s.Hint = "They are for r2sgld train, with all repetitions of a method."
	for _, o := range slices.Concat(m.outcomes, m.swept) {
		s.Settings = append(s.Settings, study.Setting{Name: o.name(), Text: m.yaml(o.item, len(o.runs))})
	}
	return s, nil
}

// A metric is a column of the tables of scores.
type metric struct {
	name   string
	better int                       // +1 if more is better, −1 if less is
	most   float64                   // it is in [0, most]
	of     func(bnn.Scores) float64  // NaN where it is not known
	guess  func(classes int) float64 // that of a model that knows nothing
}

// metrics are the columns, those that the claims are about first.
func (m *inquiry) metrics() []metric {
	miss := func(k int) float64 { return 1 - 1/float64(k) }
	out := []metric{
		{"accuracy, %", 1, 100, func(j bnn.Scores) float64 { return 100 * j.Accuracy }, func(k int) float64 { return 100 / float64(k) }},
		{"NLL", -1, math.Inf(1), func(j bnn.Scores) float64 { return j.NLL }, func(k int) float64 { return math.Log(float64(k)) }},
		{"Brier", -1, 2, func(j bnn.Scores) float64 { return j.Brier }, miss},
		{"ECE", -1, 1, func(j bnn.Scores) float64 { return j.ECE }, func(int) float64 { return 0 }},
		{"NLL, scaled", -1, math.Inf(1), func(j bnn.Scores) float64 { return j.ScaledNLL }, func(k int) float64 { return math.Log(float64(k)) }},
		{"AURC", -1, 1, func(j bnn.Scores) float64 { return j.AURC }, miss},
	}
	if m.source.data.Outside != nil {
		out = append(out, metric{"AUROC, outside", 1, 1, func(j bnn.Scores) float64 { return j.Detection.AUROC }, func(int) float64 { return 0.5 }},
			metric{"FPR95, outside", -1, 1, func(j bnn.Scores) float64 { return j.Detection.FPR95 }, func(int) float64 { return 0.95 }})
	}
	return out
}

func average(r *run) bnn.Scores { return r.average }
func single(r *run) bnn.Scores  { return r.single }

// sections are the parts of the report.
func (m *inquiry) sections(pictures map[string]study.Picture) []study.Section {
	some := func(names ...string) (out []study.Picture) {
		for _, n := range names {
			for _, u := range m.subjects {
				if p, ok := pictures[n+"-"+u.kind]; ok {
					out = append(out, p)
				}
			}
			if p, ok := pictures[n]; ok {
				out = append(out, p)
			}
		}
		return out
	}
	var scores []study.Table
	for _, u := range m.subjects {
		scores = append(scores, m.scoreTable(u, "Average of models", average), m.scoreTable(u, "Single model, that of the last epoch", single))
	}
	return []study.Section{
		{Title: "Images, networks, settings", Text: m.settingsTold(), Tables: []study.Table{m.settingsTable()}},
		{Title: "How well the methods predict", Text: m.scoresTold(), Tables: scores, Pictures: some("cifar-scores")},
		{Title: "Learning", Text: "The model of each epoch and the average so far, on the test images.", Pictures: some("cifar-curves")},
		{Title: "The first step size", Text: m.sweepTold(), Tables: []study.Table{m.sweepTable()}, Pictures: some("cifar-sweep")},
		{Title: "What the walls did", Text: m.wallsTold(), Tables: []study.Table{m.wallTable()}},
		{Title: "What swaps are here", Text: m.swapsTold(), Tables: []study.Table{m.planTable(), m.swapTable()}, Pictures: some("cifar-index")},
		{Title: "Temperatures of layers", Text: m.layersTold(), Pictures: some("cifar-layers")},
		{Title: "Time", Text: m.timeTold(), Tables: []study.Table{m.spentTable()}},
	}
}

func (m *inquiry) settingsTold() string {
	d := m.source.data
	told := fmt.Sprintf("%s: %s training and %s test images in %d classes. Every number is of the last epoch, never of the epoch that is best on the test images. ",
		m.source.told, text.Count(d.Train.Len()), text.Count(d.Test.Len()), d.Train.Classes)
	if m.Scale == study.Paper {
		told += "The settings are those of the paper and its released code: 1000 epochs of batches of 2,048, step 2 constant for 300 epochs and then × 0.99 an epoch, rungs 1 to 4, momentum 0.9, weight decay 5, every weight within [−4, 4], temperatures 0.05 and × 5 from rung to rung, divided by 1.02 in each of 600 epochs. "
	} else {
		cycles := ""
		if m.cycled > 1 {
			cycles = fmt.Sprintf(" The cyclical methods have %d times the epochs: of cycles of %d epochs, looked at before, the last quarter was a single epoch, whose average was no better than the last model.", m.cycled, m.epochs/3)
		}
		told += fmt.Sprintf("The paper has CIFAR-100, 50,000 images, %d epochs and batches of 2,048; scale %s has batches of %d. Steps are divided by the number of training images. The base step is %g, of all methods, in place of 2: twice what a step in proportion to the batch would be, chosen after short pilots of one seed. Steps are constant for the first 30 %% of the epochs and then fall, here to %g %% in place of %g %%: with the paper's fall the few models that are averaged hardly differ. That choice, and the share of the epochs that is averaged, were made after looking at scores of such pilots on the test images: whether averages beat single models here is no independent evidence. Temperatures 0.05, 0.25, 1.25 and 6.25 fall by a factor of %.3g in the first 60 %%, as those of the released code do in 600 epochs: the models that are averaged, those after %g %% of the epochs, are of an optimiser with very little added noise. Momentum 0.9, weight decay 5, walls at ±4, three cosine cycles and four rungs of steps 1 : 1.59 : 2.52 : 4 around the base step are the paper's. There is no augmentation.%s ",
			paperEpochs, m.Scale, m.batch, m.step, 100*m.fall, 100*paperFall, cooled, 100*m.from, cycles)
	}
	told += "A method and its reflected partner share first weights, minibatches and noise.\n\n"
	return told + "Four rungs cost four times one chain; so does the ensemble of four nets, trained as SGDM is: these three have the same compute. SWAG costs one chain and the evaluation of its models."
}

// longer tells of the epochs of the cyclical methods, if they have more than others.
func (m *inquiry) longer() string {
	if m.cycled == 1 {
		return ""
	}
	return fmt.Sprintf(" (of the cyclical methods, for their three cycles, %d)", m.cycled*m.epochs)
}

func (m *inquiry) settingsTable() study.Table {
	t := study.Table{Title: "Settings", Columns: []string{"network", "parameters", "method", "chains", "step", "temperature", "repetitions", "models averaged"}}
	for _, o := range m.outcomes {
		kept, parameters := "–", "–"
		if c := o.complete(); len(c) > 0 {
			kept = fmt.Sprint(c[0].kept)
		}
		if p := m.planOf(o.network.Kind); p != nil {
			parameters = text.Count(p.Parameters)
		}
		t.Rows = append(t.Rows, []string{toldNet(o.network.Kind), parameters, told(o.settings.Method), fmt.Sprint(o.settings.Replicas()), span(o.settings.StepSize), span(o.settings.Temperature), fmt.Sprint(len(o.runs)), kept})
	}
	return t
}

// span tells the first and the last of some numbers.
func span(v []float64) string {
	if len(v) == 1 {
		return fmt.Sprintf("%.3g", v[0])
	}
	return fmt.Sprintf("%.3g … %.3g", v[0], v[len(v)-1])
}

func (m *inquiry) planOf(kind string) *bnn.Plan {
	for i, u := range m.subjects {
		if u.kind == kind && i < len(m.plans) {
			return m.plans[i]
		}
	}
	return nil
}

func (m *inquiry) scoresTold() string {
	told := "Means and 95 % t intervals over repetitions. NLL and Brier are means over images, ECE has 15 bins of equal width, the temperature of the scaled NLL is fitted to one half of the test images and judged on the other, AURC is the area under the risk–coverage curve. Best means are bold."
	if m.source.data.Outside != nil {
		told += fmt.Sprintf(" AUROC and FPR95 tell %s images of no class from the test images by the entropy of predictions.", text.Count(m.source.data.Outside.Len()))
	}
	if n := broken(m.outcomes); n > 0 {
		told += fmt.Sprintf(" %d trainings diverged: their losses were not finite. They are counted, and means are over the others.", n)
	}
	return told
}

// broken counts the runs of some outcomes that have no scores.
func broken(all []*outcome) (n int) {
	for _, o := range all {
		n += o.broken()
	}
	return n
}

func (m *inquiry) scoreTable(u subject, title string, which func(*run) bnn.Scores) study.Table {
	t := study.Table{Title: toldNet(u.kind) + ": " + strings.ToLower(title[:1]) + title[1:], Columns: []string{"method"}}
	metrics := m.metrics()
	for _, c := range metrics {
		t.Columns = append(t.Columns, c.name)
	}
	t.Columns = append(t.Columns, "diverged")
	best := make([]int, len(metrics))
	means := make([][]float64, len(metrics))
	for i, name := range u.methods {
		o := m.find(u.kind, name)
		row := []string{told(name)}
		for k, c := range metrics {
			v := study.IntervalOf(o.column(func(r *run) float64 { return c.of(which(r)) }))
			row = append(row, v.PlusMinus())
			means[k] = append(means[k], float64(c.better)*v.Mean)
			if b := means[k][best[k]]; math.IsNaN(b) || means[k][i] > b {
				best[k] = i
			}
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%d of %d", o.broken(), len(o.runs))))
	}
	if len(u.methods) > 1 {
		for k, i := range best {
			if !math.IsNaN(means[k][i]) {
				t.Best = append(t.Best, [2]int{i, 1 + k})
			}
		}
	}
	return t
}

func (m *inquiry) wallsTold() string {
	text := "Every coordinate of a reflected method is held in [−4, 4]: weights, biases, and scale and shift of batch norm. Where no coordinate meets a wall, a reflected method is its unreflected partner, bit for bit."
	same, pairs := 0, 0
	for _, u := range m.subjects {
		for _, p := range mirrored() {
			a, b := m.find(u.kind, p[0]), m.find(u.kind, p[1])
			if a == nil || b == nil {
				continue
			}
			pairs++
			if a.identical(b) {
				same++
			}
		}
	}
	if pairs > 0 {
		text += fmt.Sprintf(" That is so in %d of %d pairs in all repetitions.", same, pairs)
	}
	return text
}

// identical reports whether two items found the same scores in all repetitions.
func (o *outcome) identical(p *outcome) bool {
	for i, r := range o.runs {
		if i >= len(p.runs) || (r.fault == nil) != (p.runs[i].fault == nil) || r.average.NLL != p.runs[i].average.NLL || r.single.NLL != p.runs[i].single.NLL {
			return false
		}
	}
	return true
}

func (m *inquiry) wallTable() study.Table {
	t := study.Table{Title: "Coordinates that met a wall in a step", Columns: []string{"network", "method", "share, first epoch", "largest share of an epoch, cold rung", "any rung"},
		Caption: "Shares of all coordinates, means over the steps of an epoch, the largest of all repetitions."}
	for _, o := range slices.Concat(m.outcomes, m.swept) {
		if !bnn.Reflects(o.settings.Method) {
			continue
		}
		first, cold := 0.0, 0.0
		for _, r := range o.runs {
			for i, e := range r.epochs {
				if i == 0 {
					first = max(first, slices.Max(e.Reflected))
				}
				cold = max(cold, e.Reflected[0])
			}
		}
		name := told(o.settings.Method)
		if o.about != "" {
			name += ", " + o.about
		}
		t.Rows = append(t.Rows, []string{toldNet(o.network.Kind), name, fmt.Sprintf("%.2g", first), fmt.Sprintf("%.2g", cold), fmt.Sprintf("%.2g", o.reflected())})
	}
	return t
}

func (m *inquiry) layersTold() string {
	return "Kinetic temperature from the momenta, configurational temperature from θ·∇U over fresh minibatches, both of the cold rung at one time, and which share of all noise is injected: where it is little, the temperature is that of the minibatches. With batch norm U does not depend on the scale of the weights before it, so that their configurational temperature is that of the prior alone."
}

func (m *inquiry) timeTold() string {
	n := map[string]int{}
	for _, d := range m.devices {
		n[d]++
	}
	var on []string
	for _, d := range slices.Compact(slices.Sorted(slices.Values(m.devices))) {
		on = append(on, fmt.Sprintf("%d on %s", n[d], d))
	}
	return fmt.Sprintf("Trainings that ran at once: %s, one thread each.", strings.Join(on, ", "))
}

func (m *inquiry) spentTable() study.Table {
	t := study.Table{Title: "Where the time went", Columns: []string{"part", "seconds", "images × replicas", "a second"}}
	for _, s := range m.spent {
		row := []string{s.what, fmt.Sprintf("%.1f", s.seconds), "–", "–"}
		if s.images > 0 && s.seconds > 0 {
			row[2], row[3] = text.Count(s.images), fmt.Sprintf("%.0f", float64(s.images)/s.seconds)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
