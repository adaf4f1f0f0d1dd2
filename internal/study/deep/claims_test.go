package deep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/bnn/torch"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
)

// invented is a study with scores that a test sets: accuracy and NLL of a method's
// repetition, and of the sweep.
func invented(accuracy func(method string, repeat int) float64,
	swept func(method string, step float64) (nll float64, broken bool)) *inquiry {
	from, e := tiny()
	e.subjects[0].repeats, e.steps, from.data.Outside = 5, []float64{1, 10, 100}, nil
	m := &inquiry{Options: study.Options{Scale: study.Small}, effort: e, source: from,
		plans: []*bnn.Plan{{Parameters: 100, Temperature: []float64{1, 2, 3}, LogAcceptance: []float64{-50, -40}, Exact: []float64{-1, -1},
			Expected: []float64{1, 1}, PairNoise: []float64{1, 1}, Barrier: 30, Needed: 61}}}
	made := func(nll float64) bnn.Scores {
		var j bnn.Scores
		j.Accuracy, j.NLL, j.Brier = 1-nll/3, nll, nll/2
		return j
	}
	for _, name := range everyone() {
		c, err := m.caseOf("mlp", name, 0)
		if err != nil {
			panic(err)
		}
		o := &outcome{item: c}
		for r := range 5 {
			nll := 3 * (1 - accuracy(name, r))
			o.runs = append(o.runs, &run{Average: made(nll), Single: made(nll + 0.01 + 0.001*float64(r)),
				Epochs: []bnn.Epoch{{Reflected: []float64{0}}}})
		}
		m.outcomes = append(m.outcomes, o)
	}
	for _, name := range sweeping() {
		for _, eta := range m.steps {
			c, err := m.caseOf("mlp", name, eta)
			if err != nil {
				panic(err)
			}
			o := &outcome{item: c}
			for range m.sweeps {
				nll, broken := swept(name, eta)
				r := &run{Average: made(nll), Epochs: []bnn.Epoch{{Reflected: []float64{0}}}}
				if broken {
					r.Fault = "the loss is NaN"
				}
				o.runs = append(o.runs, r)
			}
			m.swept = append(m.swept, o)
		}
	}
	return m
}

// verdicts are those of all claims.
func (m *inquiry) verdicts() map[string]study.Verdict {
	out := map[string]study.Verdict{}
	for _, c := range m.claims() {
		out[c.ID] = c.Verdict
	}
	return out
}

func noise(r int) float64 { return 0.002 * math.Sin(float64(7*r)) }

// Verdicts follow the scores.
func TestVerdictsFollowScores(t *testing.T) {
	fine := func(string, float64) (float64, bool) { return 0.5, false }
	// As the paper says: reflection adds 5 %, exchange 10 %, and walls hold at large steps.
	paper := invented(func(method string, r int) float64 {
		a := 0.6 + noise(r)
		if bnn.Reflects(method) {
			a += 0.05 + 0.1*noise(r+len(method))
		}
		if strings.HasPrefix(method, "resghmc") || strings.HasPrefix(method, "r2sghmc") {
			a += 0.1 + 0.1*noise(2*r)
		}
		return a + 0.01*noise(r*len(method))
	}, func(method string, step float64) (float64, bool) {
		return 0.5, step >= 10 && !bnn.Reflects(method)
	})
	for id, want := range map[string]study.Verdict{"cifar-reflected-accuracy": study.Holds, "cifar-reflected-nll": study.Holds,
		"cifar-reflected-brier": study.Holds,
		"cifar-best":            study.Holds, "cifar-larger-steps": study.Holds, "cifar-exchange": study.Holds, "cifar-average": study.Holds,
		"cifar-against-ensemble": study.Holds, "cifar-against-swag": study.Holds, "cifar-figures-accuracy": study.Untestable,
		"cifar-swaps-sample": study.Fails} {
		if got := paper.verdicts()[id]; got != want { // kills claims with a and b exchanged
			t.Errorf("scores as the paper says: %s %s, want %s", id, got, want)
		}
	}
	// Reflection changes nothing, exchange harms.
	same := invented(func(method string, r int) float64 {
		a := 0.6 + noise(r)
		if strings.HasPrefix(method, "resghmc") || strings.HasPrefix(method, "r2sghmc") {
			a -= 0.1 + 0.1*noise(2*r)
		}
		return a
	}, fine)
	for id, want := range map[string]study.Verdict{"cifar-reflected-accuracy": study.Fails, "cifar-best": study.Fails,
		"cifar-exchange":     study.Fails,
		"cifar-larger-steps": study.Untestable, "cifar-against-ensemble": study.Fails} {
		if got := same.verdicts()[id]; got != want {
			t.Errorf("scores against the paper: %s %s, want %s", id, got, want)
		}
	}
}

// A step is too large if a loss is not finite or the average is as good as a guess.
func TestLargerSteps(t *testing.T) {
	guess := math.Log(3)
	for _, x := range []struct {
		about string
		swept func(method string, step float64) (float64, bool)
		want  study.Verdict
	}{
		{"one pair of two", func(n string, s float64) (float64, bool) { return 0.5, s >= 10 && n != "r-sgdm" }, study.Depends},
		{"both fail alike", func(n string, s float64) (float64, bool) { return 0.5, s >= 10 }, study.Fails},
		{"the reflected fail sooner", func(n string, s float64) (float64, bool) { return 0.5, s >= 100 || s >= 10 && bnn.Reflects(n) },
			study.Fails},
		{"the unreflected guess", func(n string, s float64) (float64, bool) {
			if s >= 10 && !bnn.Reflects(n) {
				return 0.995 * guess, false // kills guessing = 1
			}
			return 0.98 * guess, false // kills guessing = 0.9
		}, study.Holds},
		{"not a number", func(n string, s float64) (float64, bool) {
			if s >= 10 && !bnn.Reflects(n) {
				return math.NaN(), false
			}
			return 0.5, false
		}, study.Holds},
	} {
		m := invented(func(string, int) float64 { return 0.5 }, x.swept)
		if c := m.largerSteps(); c.Verdict != x.want {
			t.Errorf("%s: %s, want %s: %s", x.about, c.Verdict, x.want, c.Why)
		}
	}
}

// A training that diverges at the base step counts as a guess, and tables say so.
func TestDivergedIsAGuess(t *testing.T) {
	m := invented(func(string, int) float64 { return 0.9 }, func(string, float64) (float64, bool) { return 0.5, false })
	o := m.find("mlp", "sghmc")
	for _, r := range o.runs {
		r.Fault = "the loss is NaN"
	}
	acc := m.metrics()[0]
	if v := o.scores(acc, average); math.Abs(v[0]-100.0/3) > 1e-12 {
		t.Errorf("accuracy of a diverged training in three classes: %g", v[0])
	}
	sections, err := m.prose().Sections(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row := strings.Join(sections[1].Tables[0].Rows[1], "|"); !strings.HasPrefix(row, "SGHMC|–|–") ||
		!strings.HasSuffix(row, "5 of 5|–|–|–") {
		t.Errorf("the row is %s", row)
	}
	if text := sections[1].Text; !strings.Contains(text, "5 trainings diverged") {
		t.Error(text)
	}
	if c := m.reflectedBetter(0); c.Verdict != study.Depends { // one of four pairs, the others the same
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

// infinite is an engine whose predictions overflow.
type infinite struct{ bnn.Engine }

func (e infinite) Predict(replica, set int) ([]float32, error) {
	out, err := e.Engine.Predict(replica, set)
	if len(out) > 0 {
		out[0] = float32(math.Inf(1))
	}
	return out, err
}

// What ends a study, and what is counted.
func TestFaults(t *testing.T) {
	from, e := tiny()
	e.steps = nil
	o := study.Options{Scale: study.Smoke, Seed: 1}
	m := &inquiry{Options: o, effort: e, source: from, machine: on("cpu"),
		open: func(_ context.Context, s bnn.Setup, _ string) (bnn.Engine, error) {
			e, err := bnntest.Open(s)
			return infinite{e}, err
		}}
	c, err := m.caseOf("mlp", "sgdm", 0)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := m.once(context.Background(), c, 0, "cpu"); err != nil || r.Fault == "" {
		t.Errorf("outputs that are not finite: %v, want a training that is counted", err)
	}
	for _, x := range []struct {
		err     error
		refused bool
		says    string
	}{{&torch.Missing{Tried: []string{"bin/r2sgld-torch"}}, true, "make torch"},
		{&torch.Failed{Device: "cuda:7", Reason: torch.NoDevice, Text: "no such device"}, true, "R2SGLD_DEVICES"},
		{&torch.Failed{Device: "cuda:0", Reason: torch.OutOfMemory, Text: "out of memory"}, false, "memory"}} {
		_, err := conduct(context.Background(), o, e, from, on("cpu"), func(context.Context, bnn.Setup, string) (bnn.Engine, error) {
			return nil, fmt.Errorf("open: %w", x.err)
		})
		var refused *job.Refused
		if errors.As(err, &refused) != x.refused || !strings.Contains(fmt.Sprint(err), x.says) ||
			!strings.Contains(fmt.Sprint(err), "repetition") {
			t.Errorf("%v: want refused %t and a word of %s", err, x.refused, x.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := conduct(ctx, o, e, from, on("cpu"), inMemory); !errors.Is(err, context.Canceled) {
		t.Errorf("a study that is stopped ends with %v", err)
	}
}
