package report

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// A long run is noted ever less often, at least whenever a hundredth more of its time, and a
// second, has passed: in three days a thousand times at most.
//
// Mutants it kills: notes at every tick; notes at the start alone.
func TestNotedEverLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long = 3 * 24 * time.Hour
		begun := time.Now()
		var at []time.Duration
		stop := noting(func() { at = append(at, time.Since(begun)) })
		time.Sleep(long)
		stop()
		n := len(at)
		if n == 0 || at[0] != 0 {
			t.Fatal("nothing is noted at once")
		}
		time.Sleep(time.Hour)
		if len(at) != n {
			t.Error("noted after its end")
		}
		// the ticks that are noted grow by 1 % from 100 s on, each rounded up to a second
		if most := 100 + math.Log(long.Seconds()/100)/math.Log(1.01) + 1; float64(n) > most {
			t.Errorf("%d notes, more than %.0f", n, most)
		}
		for i, now := range at[1:] {
			if gap := now - at[i]; gap < time.Second || gap > now/100+2*time.Second {
				t.Fatalf("%v after %v", gap, at[i])
			}
		}
	})
}

// lines are what a log says, without when.
func lines(t *testing.T, log *bytes.Buffer) (out []map[string]any) {
	for line := range bytes.Lines(log.Bytes()) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		delete(m, "time")
		out = append(out, m)
	}
	return out
}

// quiet logs to a buffer; numbers that are not known are left to the store.
func quiet(log *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if v, ok := a.Value.Any().(float64); ok && math.IsNaN(v) {
			return slog.Any(a.Key, nil)
		}
		return a
	}}))
}

// The log is told how far a run is, what it does meanwhile, and nothing once it has ended.
func TestProgressIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := NewProgress("run", r2sgld.Settings{Iterations: 100, Ladders: 2, Temperature: []float64{1, 2}})
		p.Start(text.Fixed(io.Discard, 80, false))
		p.NotedIn(quiet(&log))
		for k := 1; k <= 48; k++ {
			b := kernel.NewBlock(2, 1)
			b.Rung[0] = k % 2
			for ladder := range 2 {
				if err := p.Recorder(ladder).Record(k, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		p.Doing("judging the draws")
		time.Sleep(1500 * time.Millisecond)
		p.Stop()
		time.Sleep(time.Minute)
		got := lines(t, &log)
		if len(got) != 2 || got[0]["iterations"] != 0.0 || got[0]["of"] != 200.0 || got[0]["swaps"] != nil {
			t.Fatal(got)
		}
		// replica 0 traded 47 of 48 times, where a pair is tried every other iteration
		if m := got[1]; m["msg"] != "progress" || m["doing"] != "judging the draws" || m["iterations"] != 96.0 || m["per_second"] != 96.0 ||
			m["rhat"] != nil || math.Abs(m["swaps"].(float64)-2*47./48) > 1e-12 {
			t.Error(m)
		}
	})
}

// The log is told what work is done, and which share of it where that is known.
func TestWorkIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		warming := StartWarming(io.Discard, "warm", 1)
		warming.NotedIn(quiet(&log))
		warming.Round(2, 8)
		warming.reached[0].Store(2)
		time.Sleep(1500 * time.Millisecond)
		warming.Stop()
		time.Sleep(time.Minute)
		got := lines(t, &log)
		if len(got) != 2 || got[0]["doing"] != "warm-up 1" || got[0]["share"] != nil || got[1]["doing"] != "warm-up 2" ||
			got[1]["share"] != 0.25 {
			t.Error(got)
		}
	})
}
