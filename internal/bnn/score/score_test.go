package score

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// A reference is what script/score-reference.py prints.
type reference struct {
	Classes                 int
	Labels                  []int32
	Logits, Second, Outside []float32
	Accuracy, NLL, Brier    float64
	ECE, AURC, Entropy      float64
	Temperature             float64
	ScaledNLL               float64 `json:"nll_scaled"`
	AUROC, FPR95, Agreement float64
	TotalVariation          float64 `json:"total_variation"`
	AverageNLL              float64 `json:"average_nll"`
	AverageLogitsNLL        float64 `json:"average_logits_nll"`
}

func load(t *testing.T) (r reference) {
	t.Helper()
	b, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func predict(t testing.TB, logits []float32, classes int) *Predictions {
	t.Helper()
	p, err := FromLogits(logits, classes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Scores are those of scikit-learn and torch-uncertainty. 1e-6 kills the mutants that
// count the bins from another edge, forget a half in the trapezia, take log₂, divide
// the Brier score by the classes, score the temperature where it was fitted.
func TestReference(t *testing.T) {
	r := load(t)
	p, q, o := predict(t, r.Logits, r.Classes), predict(t, r.Second, r.Classes), predict(t, r.Outside, r.Classes)
	s, err := Score(p, r.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Detect(p, o)
	if err != nil {
		t.Fatal(err)
	}
	agreement, err := Agreement(p, q)
	if err != nil {
		t.Fatal(err)
	}
	variation, err := TotalVariation(p, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"accuracy", s.Accuracy, r.Accuracy}, {"NLL", s.NLL, r.NLL}, {"Brier", s.Brier, r.Brier},
		{"ECE", s.ECE, r.ECE}, {"AURC", s.AURC, r.AURC}, {"entropy", s.Entropy, r.Entropy},
		{"temperature", s.Temperature, r.Temperature}, {"scaled NLL", s.ScaledNLL, r.ScaledNLL},
		{"AUROC", d.AUROC, r.AUROC}, {"FPR95", d.FPR95, r.FPR95},
		{"agreement", agreement, r.Agreement}, {"total variation", variation, r.TotalVariation},
		{"NLL of the average", averaged(t, r, Probabilities), r.AverageNLL},
		{"NLL of the average logits", averaged(t, r, Logits), r.AverageLogitsNLL},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-6) {
			t.Errorf("%s is %.9g, want %.9g", c.name, c.got, c.want)
		}
	}
}

// averaged is the NLL of the average of both models, once through a checkpoint.
func averaged(t *testing.T, r reference, of Of) float64 {
	t.Helper()
	n := len(r.Labels)
	a, err := NewAverage(of, n, r.Classes)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(r.Logits); err != nil {
		t.Fatal(err)
	}
	saved, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewAverage(of, n, r.Classes)
	if err == nil {
		err = b.UnmarshalBinary(saved)
	}
	if err == nil {
		err = b.Add(r.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Predictions()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Score(p, r.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.NLL
}

// A temperature fitted on the same examples is no worse than 1 there and undoes a
// factor of the logits.
func TestHeld(t *testing.T) {
	r := load(t)
	p := predict(t, r.Logits, r.Classes)
	one, err := Score(p, r.Labels, &Held{p, r.Labels})
	if err != nil {
		t.Fatal(err)
	}
	if one.ScaledNLL > one.NLL {
		t.Errorf("scaled NLL %g above %g", one.ScaledNLL, one.NLL)
	}
	hot := slices.Clone(r.Logits)
	for i := range hot {
		hot[i] *= 4 // exact in float32
	}
	q := predict(t, hot, r.Classes)
	four, err := Score(q, r.Labels, &Held{q, r.Labels})
	if err != nil {
		t.Fatal(err)
	}
	// Both are zeros of one derivative, to 1e-13 relative; kills a bracket without Newton's end.
	if math.Abs(four.Temperature/one.Temperature-4) > 1e-9 || math.Abs(four.ScaledNLL-one.ScaledNLL) > 1e-12 {
		t.Errorf("temperature %g and NLL %g after a factor of 4, %g and %g before", four.Temperature, four.ScaledNLL,
			one.Temperature, one.ScaledNLL)
	}
}

// table draws logits and labels.
func table(t *rapid.T) (logits []float32, labels []int32, classes int) {
	classes = rapid.IntRange(2, 6).Draw(t, "classes")
	n := rapid.IntRange(2, 30).Draw(t, "n")
	logits = rapid.SliceOfN(rapid.Float32Range(-50, 50), n*classes, n*classes).Draw(t, "logits")
	labels = rapid.SliceOfN(rapid.Int32Range(0, int32(classes-1)), n, n).Draw(t, "labels")
	return logits, labels, classes
}

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits, labels, classes := table(t)
		p, err := FromLogits(logits, classes)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Score(p, labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		const eps = 1e-12 // of rounding
		for name, v := range map[string][2]float64{
			"accuracy": {s.Accuracy, 1}, "nll": {s.NLL, 200}, "brier": {s.Brier, 2}, "ece": {s.ECE, 1},
			"scaled": {s.ScaledNLL, 1e5}, "aurc": {s.AURC, 1}, "entropy": {s.Entropy, math.Log(float64(classes))},
			"temperature": {s.Temperature - 0.01, 100},
		} {
			if !(v[0] >= -eps && v[0] <= v[1]+eps) {
				t.Errorf("%s is %g", name, v[0])
			}
		}
		count := 0
		for _, b := range s.Reliability {
			count += b.Count
		}
		if count != len(labels) {
			t.Errorf("%d examples in the bins, want %d", count, len(labels))
		}
	})
}

// The order of examples and of classes is no matter, but for the halves of the
// temperature. Top probabilities may tie: AURC must not see how.
func TestPermuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits, labels, classes := table(t)
		for i := range logits {
			logits[i] = float32(math.Round(float64(logits[i]) / 20)) // ties
		}
		for i := range labels { // one top class, so that it does not depend on places
			logits[i*classes+int(labels[i]+int32(i%2))%classes] = 4
		}
		n := len(labels)
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		column := rapid.Permutation(indices(classes)).Draw(t, "columns")
		moved, movedLabels := make([]float32, len(logits)), make([]int32, n)
		for i, from := range order {
			for j, c := range column {
				moved[i*classes+j] = logits[from*classes+c]
			}
			movedLabels[i] = int32(slices.Index(column, int(labels[from])))
		}
		a, b := score(t, logits, labels, classes), score(t, moved, movedLabels, classes)
		for name, v := range map[string][2]float64{
			"accuracy": {a.Accuracy, b.Accuracy}, "nll": {a.NLL, b.NLL}, "brier": {a.Brier, b.Brier},
			"ece": {a.ECE, b.ECE}, "aurc": {a.AURC, b.AURC}, "entropy": {a.Entropy, b.Entropy},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9) { // kills AURC without its groups of ties: jumps of 1/n²
				t.Errorf("%s is %.12g, permuted %.12g", name, v[0], v[1])
			}
		}
	})
}

func indices(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

func score(t *rapid.T, logits []float32, labels []int32, classes int) *Scores {
	p, err := FromLogits(logits, classes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Score(p, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Perfect and constant predictors have exact scores.
func TestExact(t *testing.T) {
	const n, classes = 40, 4
	labels, perfect := make([]int32, n), make([]float32, n*classes)
	for i := range labels {
		labels[i] = int32(i % classes)
		perfect[i*classes+i%classes] = 1000
	}
	s, err := Score(predict(t, perfect, classes), labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Accuracy != 1 || s.NLL != 0 || s.Brier != 0 || s.ECE != 0 || s.AURC != 0 || s.Entropy != 0 || s.ScaledNLL != 0 ||
		s.Reliability[Bins-1].Count != n {
		t.Errorf("a perfect predictor: %+v", s)
	}
	for i := range perfect {
		perfect[i] /= 500 // still right, and less sure than it might be
	}
	if v, err := Score(predict(t, perfect, classes), labels, nil); err != nil || v.Accuracy != 1 || v.Temperature != 0.01 ||
		v.ScaledNLL > 1e-80 {
		t.Errorf("a predictor that is right: %+v, %v", v, err)
	}
	u, err := Score(predict(t, make([]float32, n*classes), classes), labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-14*n }
	if u.Accuracy != 0.25 || !near(u.NLL, math.Log(4)) || !near(u.Brier, 0.75) || !near(u.ECE, 0) || !near(u.AURC, 0.75) ||
		!near(u.Entropy, math.Log(4)) || !near(u.ScaledNLL, math.Log(4)) || u.Temperature != 1 {
		t.Errorf("a constant predictor: %+v", u)
	}
	for i := range labels {
		labels[i] = (labels[i] + 1) % classes
	}
	for i := range perfect {
		perfect[i] *= 500
	}
	w, err := Score(predict(t, perfect, classes), labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	// finite where p underflows to 0
	if w.Accuracy != 0 || w.NLL != 1000 || w.Brier != 2 || w.ECE != 1 || w.AURC != 1 || w.Temperature != 100 {
		t.Errorf("a predictor that is always sure and wrong: %+v", w)
	}
}

// Detection against its definition by pairs and thresholds, with ties.
func TestDetect(t *testing.T) {
	check := func(t rapid.TB, in, out []float64) {
		pairs, best := 0.0, 1.0
		for _, b := range out {
			for _, a := range in {
				switch {
				case b > a:
					pairs++
				case b == a:
					pairs += 0.5
				}
			}
		}
		for _, threshold := range out {
			above := func(v []float64) (n int) {
				for _, x := range v {
					if x >= threshold {
						n++
					}
				}
				return n
			}
			if 100*above(out) >= 95*len(out) {
				best = min(best, float64(above(in))/float64(len(in)))
			}
		}
		auroc, fpr95 := detect(in, out)
		if want := pairs / float64(len(in)*len(out)); math.Abs(auroc-want) > 1e-12 || fpr95 != best {
			t.Errorf("%v and %v: AUROC %g, FPR95 %g, want %g, %g", in, out, auroc, fpr95, want, best)
		}
	}
	small := rapid.Map(rapid.IntRange(0, 8), func(i int) float64 { return float64(i) })
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.SliceOfN(small, 1, 30).Draw(t, "in"), rapid.SliceOfN(small, 1, 30).Draw(t, "out"))
	})
	// Without ties every share of the outside occurs, 95 % of 20 and 40 among them.
	var all []float64
	for n := range 40 {
		all = append(all, float64(n))
		check(t, all, all)
	}
}

// Averages are what the plain sum of probabilities makes, and no model comes before
// another.
func TestAverage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, classes = 3, 4
		models := rapid.SliceOfN(rapid.SliceOfN(rapid.Float32Range(-300, 300), n*classes, n*classes), 1, 6).Draw(t, "models")
		a, err := NewAverage(Probabilities, n, classes)
		if err != nil {
			t.Fatal(err)
		}
		sum := make([]float64, n*classes)
		for _, m := range models {
			if err := a.Add(m); err != nil {
				t.Fatal(err)
			}
			p, err := FromLogits(m, classes)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range p.Probabilities() {
				sum[i] += v / float64(len(models))
			}
		}
		p, err := a.Predictions()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range p.Probabilities() {
			// log p is of size 600 at most: 600 ε a step. Kills log(count) forgotten.
			if math.Abs(v-sum[i]) > 1e-11*sum[i]+1e-300 {
				t.Errorf("probability %d is %g, want %g", i, v, sum[i])
			}
			if math.IsInf(p.logs[i], 0) {
				t.Errorf("log p %d is infinite", i)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	p := predict(t, make([]float32, 8), 2)
	q := predict(t, make([]float32, 8), 4)
	average, err := NewAverage(Probabilities, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, noModel := average.Predictions()
	_, nan := FromLogits([]float32{0, float32(math.NaN())}, 2)
	_, ragged := FromLogits([]float32{0, 1, 2}, 2)
	_, sum := FromProbabilities([]float64{0.5, 0.6}, 2)
	_, negative := FromProbabilities([]float64{-0.5, 1.5}, 2)
	_, few := Score(p, []int32{0, 1}, nil)
	_, label := Score(p, []int32{0, 1, 2, 0}, nil)
	_, held := Score(p, []int32{0, 1, 1, 0}, &Held{p, nil})
	_, agreement := Agreement(p, q)
	_, detect := Detect(p, q)
	_, of := NewAverage("weights", 4, 2)
	other, err := NewAverage(Logits, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := other.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{noModel, "no models"}, {nan, "logit 1 of example 1"}, {ragged, "3 numbers"}, {sum, "sum 1.1"}, {negative, "in [0, 1]"},
		{few, "2 labels"}, {label, "label 2 of example 3"}, {held, "for the temperature"}, {agreement, "cannot be compared"},
		{detect, "2 classes inside"}, {of, `"weights"`}, {average.Add(make([]float32, 4)), "4 logits"},
		{average.UnmarshalBinary(saved), "not that of"}, {average.UnmarshalBinary(saved[:7]), "7 bytes"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", c.err, c.want)
		}
	}
}

// A zero probability costs 744.4 nats, not infinity.
func TestZero(t *testing.T) {
	p, err := FromProbabilities([]float64{0, 1, 1, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Score(p, []int32{0, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := -math.Log(math.SmallestNonzeroFloat64) / 2; s.NLL != want || s.Brier != 1 || s.Entropy > 1e-300 {
		t.Errorf("%+v, want an NLL of %g", s, want)
	}
}
