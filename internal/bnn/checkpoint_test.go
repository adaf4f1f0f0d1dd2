package bnn_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// journal is all that a training tells, times apart.
type journal struct {
	Result *bnn.Result
	Draws  []bnn.Draw
	Last   []byte // the last checkpoint
}

// record trains to the end, from a checkpoint if b is not nil, and calls each with the
// bytes of a checkpoint after every iteration.
func record(t *testing.T, s bnn.Settings, b []byte, each func([]byte)) journal {
	t.Helper()
	j := journal{}
	o := bnn.Observer{Seconds: still, Due: func() bool { return each != nil }}
	o.Keep = func(d bnn.Draw) error { j.Draws = append(j.Draws, d); return nil }
	o.Save = func(c *bnn.Checkpoint) error {
		var err error
		if j.Last, err = c.AppendBinary(nil); err == nil && each != nil {
			each(j.Last)
		}
		return err
	}
	if b != nil {
		o.Resume = new(bnn.Checkpoint)
		if err := o.Resume.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	j.Result = train(t, s, perceptron, cloudData(), o)
	return j
}

var exact = cmp.Options{cmp.AllowUnexported(score.Predictions{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmp.Exporter(func(reflect.Type) bool { return true })}

// A training that is interrupted after any iteration, in the middle of an epoch or at
// its end, goes on to the same bytes: results, kept models, last checkpoint.
func TestResumeAnywhere(t *testing.T) {
	pace.Slow(t)
	for _, method := range bnn.Methods() {
		t.Run(method, func(t *testing.T) {
			s := small(t, method)
			switch method {
			case "r2sghmc":
				s.Augment.Crop, s.Average.Recompute = 1, 20
				s.Swap.Rule, s.Swap.Estimate.Every, s.Swap.Estimate.Batches = "metropolis", 3, 2
				s.Average.Draws = 2
			case "resghmc":
				s.Order, s.Average.Of, s.Anneal = "independent", "logits", bnn.Anneal{Divide: 1.1}
				s.Swap.Target, s.Swap.Window = 0.4, 1
			}
			var marks [][]byte
			whole := record(t, s, nil, func(b []byte) { marks = append(marks, bytes.Clone(b)) })
			if len(marks) != 24 {
				t.Fatalf("%d checkpoints of 6 epochs of 4 iterations", len(marks))
			}
			for k, mark := range marks {
				rest := record(t, s, mark, nil)
				seen := len(whole.Draws) - len(rest.Draws)
				if diff := cmp.Diff(whole.Draws[seen:], rest.Draws, exact); diff != "" {
					t.Fatalf("after iteration %d, other models are kept: %s", k+1, diff)
				}
				if diff := cmp.Diff(whole.Result, rest.Result, exact); diff != "" {
					t.Fatalf("after iteration %d, another result: %s", k+1, diff)
				}
				if k+1 < len(marks) && !bytes.Equal(whole.Last, rest.Last) {
					t.Fatalf("after iteration %d, another last checkpoint", k+1)
				}
			}
		})
	}
}

// Checkpoints survive being read and written, and serve two trainings.
func TestCheckpointServesTwice(t *testing.T) {
	s := small(t, "r2sghmc")
	var held *bnn.Checkpoint
	whole := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Due: func() bool { return true },
		Save: func(c *bnn.Checkpoint) error {
			if c.Iteration == 9 {
				held = c
			}
			return nil
		}})
	first := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Resume: held})
	second := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Resume: held})
	for _, again := range []*bnn.Result{first, second} {
		if diff := cmp.Diff(whole, again, exact); diff != "" {
			t.Error(diff)
		}
	}
	b, _ := held.AppendBinary([]byte("x"))
	var again bnn.Checkpoint
	if err := again.UnmarshalBinary(b[1:]); err != nil {
		t.Fatal(err)
	}
	if c, _ := again.AppendBinary(nil); !bytes.Equal(c, b[1:]) {
		t.Error("a checkpoint that was read is written otherwise")
	}
}

// Every prefix of a checkpoint is an error, as is one of another training.
func TestForeignCheckpoint(t *testing.T) {
	s := small(t, "resghmc")
	s.Epochs = 2
	b := record(t, s, nil, nil).Last
	for n := 0; n < len(b); n += 1 + n/50 {
		if err := new(bnn.Checkpoint).UnmarshalBinary(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes were taken for a checkpoint", n, len(b))
		}
	}
	var c bnn.Checkpoint
	if err := c.UnmarshalBinary(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many was not noticed")
	}
	if err := c.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"sghmc", "ensemble"} {
		if _, err := bnn.Train(context.Background(), open(t, small(t, method), perceptron), cloudData(), small(t, method),
			bnn.Observer{Resume: &c}); err == nil {
			t.Errorf("%s went on from a ladder", method)
		}
	}
	s.Batch = 20
	if _, err := bnn.Train(context.Background(), open(t, s, perceptron), cloudData(), s, bnn.Observer{Resume: &c}); err == nil {
		t.Error("went on with another batch")
	}
}

// A cancelled training gives its place to Save and goes on to the same end.
func TestCancel(t *testing.T) {
	s := small(t, "r2sghmc")
	ctx, cancel := context.WithCancel(context.Background())
	var at *bnn.Checkpoint
	o := bnn.Observer{Seconds: still, Save: func(c *bnn.Checkpoint) error { at = c; return nil },
		Step: func(p bnn.Progress) {
			if p.Iteration == 6 {
				cancel()
			}
		}}
	_, err := bnn.Train(ctx, open(t, s, perceptron), cloudData(), s, o)
	if !errors.Is(err, context.Canceled) || at == nil || at.Iteration != 6 || at.Epoch != 1 {
		t.Fatalf("cancelled after iteration 6: %v, checkpoint %+v", err, at)
	}
	rest := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Resume: at})
	whole := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still})
	if diff := cmp.Diff(whole, rest, exact); diff != "" {
		t.Error(diff)
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte("r2sgld bnn 4\n\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c bnn.Checkpoint
		if c.UnmarshalBinary(b) == nil {
			if again, err := c.AppendBinary(nil); err != nil || len(again) == 0 {
				t.Error("a checkpoint that was read cannot be written")
			}
		}
	})
}
