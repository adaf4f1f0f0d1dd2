package r2sgld_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A tape keeps the bytes of every draw. It fails at a draw, if one is given.
type tape struct {
	b     []byte
	draws int
	fail  int
}

var errTape = errors.New("the tape is full")

func (t *tape) Keep(x [][]float64, energy []float64) error {
	if t.draws++; t.draws == t.fail {
		return errTape
	}
	for r, row := range x {
		t.b, _ = binary.Append(t.b, binary.LittleEndian, row)
		t.b, _ = binary.Append(t.b, binary.LittleEndian, energy[r])
	}
	return nil
}

func (t *tape) AppendBinary(b []byte) ([]byte, error) {
	return append(binary.LittleEndian.AppendUint64(b, uint64(t.draws)), t.b...), nil
}

func (t *tape) UnmarshalBinary(b []byte) error {
	t.draws, t.b = int(binary.LittleEndian.Uint64(b)), slices.Clone(b[8:])
	return nil
}

// taped gives s a keeper per ladder and returns what they keep.
func taped(s *r2sgld.Settings) []*tape {
	all := make([]*tape, max(1, s.Ladders))
	s.Keeper = func(l int) r2sgld.Keeper { all[l] = &tape{}; return all[l] }
	return all
}

// finished is a result without what depends on how it came about.
func finished(res *r2sgld.Result) *r2sgld.Result {
	for i := range res.Ladders {
		res.Ladders[i].Resumed = 0
	}
	return res
}

// With MaxDraws at most so many draws are held, every Stride-th of those of an
// unlimited run, and the keeper is given all of them, in order, as they are. It
// kills: dropping draws that were to stay, strides that lag behind, a keeper that
// is given held draws only, or states in the kernel's coordinates.
func TestHeldDrawsAndKeptDraws(t *testing.T) {
	p, s := small()
	s.Iterations, s.Whitening, s.Kernel = 1000, shear, kernel.Momentum{Mu: 0.8}
	s.Temperature[2] = infinity
	tapes := taped(&s)
	whole := sample(t, p, s)
	for i, l := range whole.Ladders {
		want := &tape{}
		for k := range l.Energy[0] {
			x, u := make([][]float64, 3), make([]float64, 3)
			for r := range x {
				x[r], u[r] = l.X[r][2*k:2*k+2], l.Energy[r][k]
			}
			_ = want.Keep(x, u)
		}
		if l.Stride != 1 || want.draws != 300 || !bytes.Equal(want.b, tapes[i].b) {
			t.Fatalf("ladder %d: the %d draws held are not those kept", i+1, want.draws)
		}
	}
	for _, most := range []int{1, 2, 3, 7, 100, 299, 300} {
		s.MaxDraws = most
		again := taped(&s)
		for i, l := range sample(t, p, s).Ladders {
			n := 300 / l.Stride
			if n > most || 2*n+1 < most || l.Stride > 1 && n <= most/2-1 || len(l.Energy[0]) != n {
				t.Errorf("of at most %d draws %d are held, one in %d of 300", most, len(l.Energy[0]), l.Stride)
			}
			for r := range l.Energy {
				for k, u := range l.Energy[r] {
					at := (k+1)*l.Stride - 1
					if all := whole.Ladders[i]; u != all.Energy[r][at] || !slices.Equal(l.X[r][2*k:2*k+2], all.X[r][2*at:2*at+2]) {
						t.Fatalf("at most %d: draw %d of rung %d is not draw %d", most, k+1, r+1, at+1)
					}
				}
			}
			if !bytes.Equal(again[i].b, tapes[i].b) {
				t.Errorf("at most %d: the keeper was given other draws", most)
			}
		}
	}
}

// A checkpoint does not grow with the iterations if draws in memory are bounded.
func TestCheckpointDoesNotGrow(t *testing.T) {
	p, s := small()
	s.Ladders, s.MaxDraws, s.Kernel = 1, 50, kernel.Momentum{Mu: 0.5}
	size := 0
	s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, states [][]byte) error { size = len(states[0]); return nil }}
	const fixed, each = 2000, 3 * 3 * 8 // bytes, the latter of a draw: three rungs of two coordinates and an energy
	for _, n := range []int{200, 2000, 20_000} {
		s.Iterations = n
		sample(t, p, s)
		if size > fixed+50*each {
			t.Errorf("%d bytes after %d iterations", size, n)
		}
	}
}

// review asks for one more round as long as there are fewer than most iterations,
// of a length that depends on the draws.
func review(most int) func(*r2sgld.Result) (int, error) {
	return func(res *r2sgld.Result) (int, error) {
		n := res.Ladders[0].Iterations
		if n >= most {
			return 0, nil
		}
		sum := 0.0
		for _, l := range res.Ladders {
			for _, u := range l.Energy[0] {
				sum += u
			}
		}
		return n + 20 + int(math.Float64bits(sum)%64), nil
	}
}

// halting stops one ladder at an iteration, and so the others, none later.
type halting struct{ ladder, at int }

func (h halting) recorder(l int) r2sgld.Recorder {
	if l != h.ladder {
		return nil
	}
	return stopper(h.at)
}

var flower = must(domain.NewFlower(5, 3, 2))

// anyRun draws a problem and settings of every sort.
func anyRun(t *rapid.T) (r2sgld.Problem, r2sgld.Settings) {
	p := r2sgld.Problem{Potential: potential.Noisy(multimodal, 0.05, 0.05), Domain: flower}
	s := r2sgld.Settings{Seed: rapid.Uint64().Draw(t, "seed"), Ladders: rapid.IntRange(1, 3).Draw(t, "ladders"),
		Iterations: rapid.IntRange(20, 150).Draw(t, "iterations"), Thin: rapid.IntRange(1, 4).Draw(t, "thin"),
		MaxDraws: rapid.SampledFrom([]int{0, 0, 1, 5, 20}).Draw(t, "max draws"), FullEnergies: rapid.Bool().Draw(t, "full")}
	s.BurnIn = rapid.IntRange(0, s.Iterations-1).Draw(t, "burn-in")
	rungs := rapid.IntRange(1, 5).Draw(t, "rungs")
	for r := range rungs {
		s.Temperature = append(s.Temperature, math.Pow(1.6, float64(r)))
		s.StepSize = append(s.StepSize, 2e-3/float64(1+(r+rungs)%3))
	}
	if rungs > 1 && rapid.Bool().Draw(t, "infinite") {
		s.Temperature[rungs-1] = infinity
	}
	s.Kernel = rapid.SampledFrom([]kernel.Kernel{nil, kernel.Momentum{Mu: 0.5}, kernel.Momentum{Mu: 0.9, NoiseEstimate: 0.05}}).Draw(t,
		"momentum")
	s.Whitening = rapid.SampledFrom([]*r2sgld.Whitening{nil, shear}).Draw(t, "whitening")
	s.Decay = rapid.SampledFrom([]kernel.Decay{{}, {Kind: kernel.Cosine, Cycles: 3},
		{Kind: kernel.Exponential, Rate: 0.99, After: 30}}).Draw(t, "schedule")
	s.Swap.Every = rapid.IntRange(1, 3).Draw(t, "every")
	s.Swap.Scheme = rapid.SampledFrom([]string{"", "adj", "ape", "seo", "windowed-deo"}).Draw(t, "scheme")
	s.Swap.Rule = rapid.SampledFrom([]string{"", "threshold", "indicator"}).Draw(t, "rule")
	s.Swap.Estimate.Every = rapid.SampledFrom([]int{0, 7}).Draw(t, "estimate")
	if rapid.Bool().Draw(t, "rounds") {
		s.Review = review(2 * s.Iterations)
	}
	return p, s
}

// Whatever the settings, a run that is stopped at random iterations, in any round,
// and resumed each time with some number of threads ends with the result and the
// kept bytes of the run that was not. It kills: any state that is not saved (the
// keeper, momenta, spreads, the stride, labels, the place in the scheme, streams),
// rounds that end with the first or start anew, and a round's length forgotten.
func TestInterruptedRunsOfEverySort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyRun(t)
		s.Threads = 1
		tapes := taped(&s)
		want, err := r2sgld.Sample(context.Background(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		kept := tapes
		var states [][]byte
		s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, now [][]byte) error { states = now; return nil }}
		for range rapid.IntRange(1, 4).Draw(t, "stops") {
			h := halting{rapid.IntRange(0, s.Ladders-1).Draw(t, "ladder"), rapid.IntRange(1, 2*s.Iterations).Draw(t, "at")}
			s.Recorder, s.Threads, s.Resume = h.recorder, rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "threads"), states
			taped(&s)
			if _, err := r2sgld.Sample(context.Background(), p, s); err != nil && !errors.Is(err, errStop) {
				t.Fatal(err)
			}
		}
		s.Recorder, s.Resume, s.Threads = nil, states, rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "threads")
		tapes = taped(&s)
		got, err := r2sgld.Sample(context.Background(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(finished(got), want) {
			t.Fatalf("the result is not that of the whole run: %+v, want %+v", got, want)
		}
		for i := range tapes {
			if !bytes.Equal(tapes[i].b, kept[i].b) {
				t.Fatalf("ladder %d: %d bytes kept, %d by the whole run, or other ones", i+1, len(tapes[i].b), len(kept[i].b))
			}
		}
	})
}

// Every checkpoint that a run in rounds writes while it runs leads to its end,
// under a schedule that depends on the length of the round too: no checkpoint
// mixes a ladder in the second round with one whose copy is of the first. With
// one thread ladders wait for each other, so copies are of different ages. It
// kills rounds that do not renew the copies at their ends.
func TestEveryCheckpointOfRounds(t *testing.T) {
	p, s := small()
	s.Ladders, s.Iterations, s.Threads, s.MaxDraws = 3, 3000, 1, 100
	s.Review = func(res *r2sgld.Result) (int, error) {
		if n := res.Ladders[0].Iterations; n < 12_000 {
			return 2 * n, nil
		}
		return 0, nil
	}
	var mu sync.Mutex
	var saved [][][]byte
	s.Checkpoint = &r2sgld.Checkpoint{Every: time.Millisecond, Save: func(_ int, states [][]byte) error {
		mu.Lock()
		defer mu.Unlock()
		saved = append(saved, states)
		return nil
	}}
	tapes := taped(&s)
	want := sample(t, p, s)
	s.Checkpoint, s.Threads = nil, 2
	if want.Ladders[0].Iterations != 12_000 {
		t.Fatalf("%d iterations", want.Ladders[0].Iterations)
	}
	for n := 0; n < len(saved); n += 1 + len(saved)/12 {
		s.Resume = saved[n]
		again := taped(&s)
		if !reflect.DeepEqual(finished(sample(t, p, s)), want) {
			t.Fatalf("checkpoint %d of %d leads elsewhere", n+1, len(saved))
		}
		for i := range again {
			if !bytes.Equal(again[i].b, tapes[i].b) {
				t.Fatalf("checkpoint %d of %d: ladder %d keeps other draws", n+1, len(saved), i+1)
			}
		}
	}
}

// An error of Review ends the run, with the result so far.
func TestReviewFails(t *testing.T) {
	p, s := small()
	s.Iterations = 150
	s.Review = func(*r2sgld.Result) (int, error) { return 0, errStop }
	if res, err := r2sgld.Sample(context.Background(), p, s); !errors.Is(err, errStop) || res.Ladders[4].Iterations != 150 {
		t.Errorf("%v", err)
	}
}

// A keeper that fails within an iteration, as when the disk is full, ends the run,
// and the state that is saved is one from before: resumed, the draws are those of
// the whole run, none missing.
func TestKeeperFails(t *testing.T) {
	p, s := small()
	s.Iterations, s.Ladders = 400, 2
	tapes := taped(&s)
	want := sample(t, p, s)
	var states [][]byte
	s.Checkpoint = &r2sgld.Checkpoint{Every: time.Millisecond, Save: func(_ int, now [][]byte) error { states = now; return nil }}
	s.Keeper = func(l int) r2sgld.Keeper { return &tape{fail: 60 * (1 + l)} }
	if _, err := r2sgld.Sample(context.Background(), p, s); !errors.Is(err, errTape) {
		t.Fatalf("%v", err)
	}
	s.Resume = states
	again := taped(&s)
	if !reflect.DeepEqual(finished(sample(t, p, s)), want) || !bytes.Equal(again[0].b, tapes[0].b) || !bytes.Equal(again[1].b, tapes[1].b) {
		t.Error("the resumed run is not the whole run")
	}
}
