package command

import (
	"bufio"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

func settings(mode ...string) Settings {
	return Settings{Args: append([]string{os.Args[0], "program"}, mode...), Names: []string{"x", "y"}}
}

// open returns an evaluator of a program, closed at the test's end.
func open(t testing.TB, s Settings, r int, streams *stream.Set) *evaluator {
	t.Helper()
	p, err := New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	e := p.Evaluator(r, streams).(*evaluator)
	t.Cleanup(func() {
		if err := potential.Close(e); err != nil {
			t.Error(err)
		}
		if e.process != nil && e.process.State() == nil {
			t.Error("the process goes on after Close")
		}
	})
	return e
}

// settled fails the test if there are more goroutines than before, for a second.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func same(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}

// The answers of a program are those of the same potential in memory, bit for
// bit, for any number of states and any finite numbers, whether it answers line
// by line, block by block or in frames.
func TestSameAsInMemory(t *testing.T) {
	for _, mode := range []string{"ok", "blocks", "frames"} {
		var far, near []potential.Evaluator
		for r := 1; r <= 4; r++ {
			far, near = append(far, open(t, settings(mode), r, nil)), append(near, uneven.Evaluator(r, nil))
		}
		rapid.Check(t, func(t *rapid.T) {
			r := rapid.IntRange(1, 4).Draw(t, "states")
			x := rapid.SliceOfN(rapid.Float64(), 2*r, 2*r).Draw(t, "x")
			u, g, v, h := make([]float64, r), make([]float64, 2*r), make([]float64, r), make([]float64, 2*r)
			far[r-1].Eval(u, g, x)
			near[r-1].Eval(v, h, x)
			if err := potential.Err(far[r-1]); err != nil {
				t.Fatal(err)
			}
			if !same(u, v) || !same(g, h) {
				t.Fatalf("%v %v, in memory %v %v", u, g, v, h)
			}
		})
	}
}

// A block that is larger than all pipes passes both ways with programs that
// answer line by line, at its end, and in frames.
func TestLargeBlocks(t *testing.T) {
	const r = 10000
	x := make([]float64, 2*r)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	u, g, v, h := make([]float64, r), make([]float64, 2*r), make([]float64, r), make([]float64, 2*r)
	uneven.Evaluator(r, nil).Eval(v, h, x)
	for _, mode := range []string{"ok", "blocks", "frames"} {
		e := open(t, settings(mode), r, nil)
		for range 2 {
			e.Eval(u, g, x)
			if e.Err() != nil || !same(u, v) || !same(g, h) {
				t.Fatal(mode, e.Err())
			}
		}
	}
}

// Standard error never blocks a program, and not finite answers are the
// sampler's to judge.
func TestFloodsAndInfinities(t *testing.T) {
	e := open(t, settings("flood"), 2, nil)
	u, g, x := make([]float64, 2), make([]float64, 4), []float64{1, 2, 3, 4}
	for range 5 {
		if e.Eval(u, g, x); e.Err() != nil {
			t.Fatal(e.Err())
		}
	}
	e = open(t, settings("infinite"), 5, nil)
	u, g = make([]float64, 5), make([]float64, 10)
	e.Eval(u, g, make([]float64, 10))
	if e.Err() != nil || !math.IsNaN(u[4]) || !math.IsInf(g[4], -1) || !math.IsInf(g[9], 1) {
		t.Error(u, g, e.Err())
	}
}

// Seeds come from the ladder's stream for minibatches, one a block, whole 63
// bits of them; programs that are not stochastic draw none.
func TestSeeds(t *testing.T) {
	const r = 3
	u, g, x := make([]float64, r), make([]float64, 2*r), []float64{4, 5, 6, 7, 8, 9}
	var last float64
	for _, s := range []Settings{settings("seeds"), settings("seeds exact")} {
		exact := s.Args[2] == "seeds exact"
		streams, twin := stream.New(7, 1), stream.New(7, 1).Of(0, stream.Batch)
		e := open(t, s, r, streams)
		if got := math.IsNaN(potential.EnergyNoise(e.p)); got == exact || e.p.Stochastic() == exact {
			t.Errorf("%v: noise %v", s, potential.EnergyNoise(e.p))
		}
		p, noisy := potential.Exact(e.p)
		if noisy == exact || (p == nil) == exact {
			t.Errorf("%v: Exact is %v, %v", s, p, noisy)
		}
		for range 20 {
			var seed int64
			if !exact {
				seed = twin.Int64()
			}
			if e.Eval(u, g, x); e.Err() != nil {
				t.Fatal(e.Err())
			}
			for i := range u {
				if u[i] != float64(seed>>32) || g[i] != float64(seed&math.MaxUint32) || g[r+i] != x[i] {
					t.Fatalf("%v: state %d: %v %v, the seed is %d", s, i, u[i], g[i], seed)
				}
			}
			if !exact && u[0] == last {
				t.Error("two blocks have the same seed")
			}
			last = u[0]
		}
		if !exact && streams.Of(0, stream.Batch).Int64() != twin.Int64() {
			t.Error("the stream is not where one draw a block leaves it")
		}
	}
}

// What a program can do wrong in the handshake is told before the run.
func TestHandshakeFailures(t *testing.T) {
	before := runtime.NumGoroutine()
	missing := settings("ok")
	missing.Args = []string{"no-such-program-here"}
	slow := settings("mute")
	slow.Timeout = 100 * time.Millisecond
	negative := settings("ok")
	negative.Timeout = -1
	for _, c := range []struct {
		s    Settings
		want []string
	}{
		{Settings{Names: []string{"x"}}, []string{"empty"}},
		{Settings{Args: []string{"cat"}}, []string{"variable"}},
		{negative, []string{"negative"}},
		{missing, []string{"cannot start", "no-such-program-here", "PATH"}},
		{slow, []string{"no answer within 100ms", "line 1", "more time, to start", "longer timeout", "or it does not flush"}},
		{settings("no hello"), []string{"ended (exit status 3) where line 1", "no data.csv here"}},
		{settings("half hello"), []string{"ended (exit status 0) within line 1", `"{\"r2sgld\": 1,"`}},
		{settings("text"), []string{`"hello there"`, `{"r2sgld": 1, "dimension": 2}`}},
		{settings("version"), []string{`"r2sgld" is 3`, "here are 1, lines, and 2, frames"}},
		{settings("lines"), []string{`"lanewise" is for version 2`}},
		{settings("dimension"), []string{`"dimension" is 3`, "2 variables: x, y"}},
		{settings("names"), []string{"y, x", "x, y"}},
		{settings("babble"), []string{"more than it is asked for", "bytes", "after 1 line that begin with \"0 0 0\"", "for answers alone"}},
		{settings("key"), []string{"stochastc"}},
		{settings("lined walls"), []string{`"constraints" are for version 2`, `"r2sgld": 2`}},
		{settings("twice a wall"), []string{`"disc" is twice among its "constraints"`}},
		{settings("nameless wall"), []string{`one of its "constraints" has no name`}},
		{settings("two"), []string{"first line"}},
	} {
		p, err := New(t.Context(), c.s)
		if err == nil {
			t.Errorf("%v: no error, %v", c.s, p)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v: %q does not say %q", c.s, err, w)
			}
		}
	}
	settled(t, before)
}

// What a program can do wrong in its answers makes NaN of all later ones, and
// is told with the line.
func TestAnswerFailures(t *testing.T) {
	pace.Slow(t)
	before := runtime.NumGoroutine()
	for mode, want := range map[string][]string{
		"crash":     {"ended (exit status 7) where line 6", "Traceback:\n  ZeroDivisionError"},
		"exit":      {"ended (exit status 0) where line 6", "its standard error is empty"},
		"half line": {"ended (exit status 0) within line 6", `"0.25 0."`},
		"close":     {"closed its output, and went on, where line 6"},
		"hang":      {"no answer within 1s", "line 6", "flush"},
		"garbage":   {"line 6", `"epoch 5"`, `"epoch" is no number`, "2 partial derivatives of a state, 3 numbers"},
		"few":       {"line 6", `"1 2"`, "2 numbers"},
		"many":      {"line 6", `"1 2 3 4"`, "4 numbers"},
		"empty":     {"line 6", "0 numbers"},
		"long":      {"line 6", "65536 bytes without a newline"},
		"talk":      {"epoch 5"},
		"fickle":    {"stochastic"},
	} {
		s := settings(mode)
		s.Timeout = 10 * time.Second
		if mode == "hang" || mode == "close" {
			s.Timeout = time.Second
		}
		e := open(t, s, 2, nil)
		u, g := make([]float64, 2), make([]float64, 4)
		for k := 0; k < 6 && e.Err() == nil; k++ {
			e.Eval(u, g, []float64{1, 2, 3, 4})
		}
		err := e.Err()
		if err == nil {
			t.Errorf("%s: no failure", mode)
			continue
		}
		for _, w := range append(want, "program "+mode) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", mode, err, w)
			}
		}
		if e.process != nil && e.process.State() == nil {
			t.Errorf("%s: the process goes on after its failure", mode)
		}
		clear(u)
		clear(g)
		e.Eval(u, g, []float64{1, 2, 3, 4})
		for _, v := range append(u, g...) {
			if !math.IsNaN(v) {
				t.Errorf("%s: %v %v after the failure", mode, u, g)
			}
		}
		if e.Err() != err {
			t.Errorf("%s: the failure became %v", mode, e.Err())
		}
	}
	settled(t, before)
}

// A line that comes after its answer is never taken for the next one. Kills looking at
// what was read alone.
func TestAhead(t *testing.T) {
	e := open(t, settings("ahead"), 1, nil)
	u, g, x := make([]float64, 1), make([]float64, 2), []float64{1, 2}
	e.Eval(u, g, x)
	for k := 0; k < 1000 && !e.process.early.ready(); k++ {
		time.Sleep(10 * time.Millisecond)
	}
	e.Eval(u, g, x)
	if err := e.Err(); err == nil ||
		!strings.Contains(err.Error(), `more than it is asked for, 6 bytes after 2 lines that begin with "7 7 7"`) {
		t.Errorf("%v, %v", u, err)
	}
}

// The end of a context ends programs that do not answer, before and after their
// handshake, and those to come; its cause is told.
func TestContext(t *testing.T) {
	pace.Slow(t)
	before := runtime.NumGoroutine()
	cause := errors.New("the house is on fire")
	for _, mode := range []string{"mute", "hang"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		s := settings(mode)
		s.Timeout = time.Hour
		p, err := New(ctx, s)
		if err == nil {
			e := p.Evaluator(1, nil)
			u, g := make([]float64, 1), make([]float64, 2)
			for k := 0; k < 6; k++ {
				e.Eval(u, g, []float64{1, 2})
			}
			err = errors.Join(potential.Err(e), potential.Close(e))
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v", mode, err)
		}
		if _, err := New(ctx, settings("ok")); !errors.Is(err, cause) {
			t.Errorf("a program was started: %v", err)
		}
	}
	settled(t, before)
}

// Close ends the process, one that ignores the end of its input too, and the
// programs that it started; it may be called twice, and before the first Eval.
func TestClose(t *testing.T) {
	pace.Slow(t)
	before := runtime.NumGoroutine()
	file := filepath.Join(t.TempDir(), "beats")
	shell := settings("deaf", file)
	shell.Args = []string{"sh", "-c", `"$@"; true`, "sh", shell.Args[0], "program", "deaf", file}
	for _, s := range []Settings{settings("ok"), settings("deaf", file), shell} {
		p, err := New(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		potential.Close(p.Evaluator(1, nil))
		e := p.Evaluator(1, nil)
		u, g, x := make([]float64, 1), make([]float64, 2), make([]float64, 2)
		e.Eval(u, g, x)
		if potential.Err(e) != nil || potential.Close(e) != nil || potential.Close(e) != nil || potential.Err(e) != nil {
			t.Error(potential.Err(e))
		}
		old, _ := os.ReadFile(file)
		time.Sleep(50 * time.Millisecond)
		if now, _ := os.ReadFile(file); len(now) != len(old) {
			t.Errorf("%v: it lives on", s)
		}
		e.Eval(u, g, x)
		if !math.IsNaN(u[0]) || potential.Err(e) == nil {
			t.Errorf("%v: an evaluation after Close", s)
		}
	}
	if b, _ := os.ReadFile(file); len(b) == 0 {
		t.Error("the deaf programs never beat")
	}
	settled(t, before)
}

// When this side is killed the program's input ends.
func TestOwnerKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "end")
	c := exec.Command(os.Args[0], "program", "owner", file)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write([]byte("\n"))
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "ready <nil>\n" {
		t.Error(line, err)
	}
	_ = os.Remove(file) // the handshake's process has ended already
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	for range 500 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the program does not know that its owner has ended")
}

// Evaluations allocate nothing on this side.
func TestAllocations(t *testing.T) {
	for _, mode := range []string{"ok", "frames"} {
		e := open(t, settings(mode), 2, nil)
		u, g, x := make([]float64, 2), make([]float64, 4), []float64{math.Pi, -math.E, 1e-300, 1. / 3}
		e.Eval(u, g, x)
		if n := testing.AllocsPerRun(200, func() { e.Eval(u, g, x) }); n > 0 || e.Err() != nil {
			t.Errorf("%s: %v allocations, %v", mode, n, e.Err())
		}
	}
}

// Numbers of an answer are decimal.
func TestHexadecimal(t *testing.T) {
	for _, s := range []string{"0x1p3", "-0X1P3", "0x1p9999", "2_000", "1e1_0"} {
		if v, ok := number([]byte(s)); ok {
			t.Errorf("%s is read as %v", s, v)
		}
	}
	if v, ok := number([]byte("-nan(0x1)")); !ok || !math.IsNaN(v) {
		t.Errorf("-nan(0x1) is read as %v, %v", v, ok)
	}
}

// An answer is read as its blank-separated numbers or refused, never half.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"1 2 3", " 1\t-2.5e-3  +inf\r", "nan -nan -nan(0x1)", "NaN Infinity -INF", "1 2", "1 2 3 4",
		"", "1e999 0x1p-2 1", "1,2,3", "1 2 x", "1D0 2 3", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, g := []float64{-1, -1}, []float64{-1, -1, -1, -1}
		err := readAnswer([]byte(s), u, g, 1)
		words := strings.FieldsFunc(s, func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' })
		good := len(words) == 3
		var v [3]float64
		for i := 0; i < len(words) && good; i++ {
			v[i], good = number([]byte(words[i]))
		}
		if (err == nil) != good || good && !same(v[:], []float64{u[1], g[1], g[3]}) {
			t.Errorf("%q: %v %v, %v", s, u, g, err)
		}
		if u[0] != -1 || g[0] != -1 || g[2] != -1 {
			t.Errorf("%q writes into another state: %v %v", s, u, g)
		}
	})
}
