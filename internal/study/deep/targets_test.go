package deep

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/study"
)

// Targets are the sixteen cells of each column, as printed, in our units.
func TestTargets(t *testing.T) {
	for metric, want := range [][2]float64{{79.39, 0.30}, {0.7155, 0.0091}, {0.289, 0.002}} {
		all := targets(metric)
		last := all[len(all)-1]
		if len(all) != 16 || last.network != "resnet56" || last.method != "r2sghmc" || math.Abs(last.mean-want[0]) > 1e-9 ||
			math.Abs(last.spread-want[1]) > 1e-9 {
			t.Errorf("column %d: %d cells, the last %+v, want %v", metric, len(all), last, want)
		}
		for i, x := range all { // of each method the reflected one stands four further
			if x.method != eight()[i%8] {
				t.Errorf("column %d, cell %d is of %s", metric, i, x.method)
			}
		}
	}
}

// table is a study of ResNet20 at scale paper whose accuracies are those of Table 1, shifted.
func table(shift float64) *inquiry {
	cells := map[string]float64{}
	for _, x := range targets(0)[:8] {
		cells[x.method] = x.mean
	}
	m := invented(func(method string, r int) float64 {
		return (cells[method] + shift + []float64{-0.1, 0.1, 0, 0.05, -0.05}[r]) / 100
	},
		func(string, float64) (float64, bool) { return 0.5, false })
	m.Scale, m.subjects[0].kind = study.Paper, "resnet20"
	for _, o := range append(m.outcomes, m.swept...) {
		o.network.Kind = "resnet20"
	}
	return m
}

// Means on either side of the paper's are told from it, and its own are not. What was not run
// decides nothing.
func TestFiguresAreTwoSided(t *testing.T) {
	for _, x := range []struct {
		shift float64
		want  study.Verdict
	}{{0, study.Holds}, {2, study.Fails}, {-2, study.Fails}} { // kills one-sided targets
		m := table(x.shift)
		if c := m.figures(0); c.Verdict != x.want {
			t.Errorf("accuracies %g above the paper's: %s, want %s: %s", x.shift, c.Verdict, x.want, c.Why)
		}
		rows := m.targetRows()
		if n := len(rows); n != 48 || rows[0][5] == "not run" || rows[8][5] != "not run" {
			t.Errorf("%d cells, %q of ResNet20, %q of ResNet56", n, rows[0][5], rows[8][5])
		}
	}
	m := table(0)
	m.Scale = study.Small
	if c := m.figures(0); c.Verdict != study.Untestable || !strings.Contains(c.Why, "--scale paper") {
		t.Errorf("at scale small: %s, %s", c.Verdict, c.Why)
	}
}

const nets = 4 // of a ladder

// ladders gives all trainings with swaps these round trips, and 𝒞 after each epoch.
func ladders(m *inquiry, trips func(repeat int) int64, level ...float64) {
	for _, o := range m.laddered(false) {
		o.settings.Temperature = make([]float64, nets)
		for i, r := range o.runs {
			r.RoundTrips, r.Epochs = trips(i), nil
			for k, v := range level {
				r.Epochs = append(r.Epochs, bnn.Epoch{Epoch: k + 1, Level: v, Reflected: []float64{0}})
			}
		}
	}
}

// Round trips of a net are weighed at scale paper alone, against three and four.
func TestRoundTripsVerdict(t *testing.T) {
	for _, x := range []struct {
		scale study.Scale
		least int64
		want  study.Verdict
	}{{study.Paper, 3, study.Holds}, {study.Paper, 0, study.Fails}, {study.Paper, 9, study.Fails}, {study.Small, 3, study.Untestable}} {
		m := table(0)
		m.Scale = x.scale
		ladders(m, func(i int) int64 { return nets * (x.least + int64(i%2)) }, -1)
		if c := m.roundTrips(); c.Verdict != x.want || len(c.Numbers) != 4 {
			t.Errorf("scale %s, %d round trips and more: %s of %d numbers, want %s", x.scale, x.least, c.Verdict, len(c.Numbers), x.want)
		}
	}
}

// 𝒞 is at a fixed point if it hardly moves in the last quarter.
func TestThresholdVerdict(t *testing.T) {
	for _, x := range []struct {
		level []float64
		want  study.Verdict
	}{{[]float64{-1, -2, -2, -2, -2, -2, -2.05, -2.1}, study.Holds}, {[]float64{-1, -2, -3, -4, -5, -6, -7, -8}, study.Fails},
		{[]float64{-1, -2, -2, -2, -2, -2, -2.05, -2.22}, study.Fails}, // kills the last epoch against the one before it
		{[]float64{-1, -2, -2, -2, -2, -2, -2.3, -2}, study.Fails},     // kills the end alone
		{[]float64{0, 0, 0, 0}, study.Holds},
		{[]float64{-2, -2, -2, -2, -2, -2, -2, -2.15}, study.Holds}} { // kills a range that does not begin at 0
		m := table(0)
		ladders(m, func(int) int64 { return 1 }, x.level...)
		if c := m.settled(); c.Verdict != x.want || len(c.Numbers) != 3 {
			t.Errorf("𝒞 %v: %s of %d numbers, want %s", x.level, c.Verdict, len(c.Numbers), x.want)
		}
	}
}

// Steps above 10 are good if accuracies are above 70 % with all of their intervals.
func TestStableVerdict(t *testing.T) {
	for _, x := range []struct {
		nll  func(step float64) float64 // accuracy is 1 − nll/3
		want study.Verdict
	}{{func(float64) float64 { return 0.6 }, study.Holds}, {func(float64) float64 { return 1.2 }, study.Fails},
		{func(s float64) float64 { return map[bool]float64{true: 0.6, false: 1.2}[s > 10] }, study.Holds}} {
		m := invented(func(string, int) float64 { return 0.5 }, func(_ string, s float64) (float64, bool) { return x.nll(s), false })
		if c := m.stable(); c.Verdict != x.want || len(c.Numbers) != 2 {
			t.Errorf("%s of %d numbers, want %s", c.Verdict, len(c.Numbers), x.want)
		}
	}
}

// At scale paper a step of 2 is about the best if it beats those far from it, and 3 may be better.
func TestOptimumVerdict(t *testing.T) {
	for _, x := range []struct {
		best float64
		want study.Verdict
	}{{3, study.Holds}, {30, study.Fails}} {
		m := table(0)
		m.steps, m.swept = []float64{0.1, 2, 3, 30}, nil
		for _, name := range sweeping() {
			for _, eta := range m.steps {
				c, err := m.caseOf("mlp", name, eta)
				if err != nil {
					t.Fatal(err)
				}
				o := &outcome{item: c}
				for r := range 3 {
					nll := 1 + 0.001*float64(r)*(1+eta/100)
					switch {
					case eta == x.best:
						nll -= 0.6
					case eta == 2:
						nll -= 0.5
					}
					var s bnn.Scores
					s.NLL, s.Accuracy = nll, 1-nll/3
					o.runs = append(o.runs, &run{Average: s, Epochs: []bnn.Epoch{{Reflected: []float64{0}}}})
				}
				m.swept = append(m.swept, o)
			}
		}
		c := m.optimum()
		if c.Verdict != x.want || c.Numbers[0].Value != x.best {
			t.Errorf("the best step is %g: %s, want %s: %s", x.best, c.Verdict, x.want, c.Why)
		}
		if m.Scale = study.Small; m.optimum().Verdict != study.Untestable {
			t.Errorf("scale small decides on a step of 2: %s", m.optimum().Verdict)
		}
	}
}
