package command

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// wallsOf are the constraints that the program tells, without symmetry.
var wallsOf = map[string]potential.Potential{
	"disc": potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 2*x[0], 6*x[1]
		return x[0]*x[0] + 3*x[1]*x[1] - 1
	}),
	"line": potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 1, -2
		return x[0] - 2*x[1] - 0.5
	}),
}

// walled is a program with constraints, as modes that begin with "walls" say. It adds a line to the
// file at its start and at its end.
func walled(mode, file string, states int, in *bufio.Reader, out *bufio.Writer) int {
	note := func(what string) {
		if file == mode { // none is given
			return
		}
		if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(f, what)
			_ = f.Close()
		}
	}
	note("begins")
	names := `"disc", "line"`
	switch {
	case mode == "walls fickle" && states > 1:
		names = `"line", "disc"`
	case mode == "walls none":
		names = ""
	}
	fmt.Printf("{\"r2sgld\": 2, \"dimension\": 2, \"lanewise\": true, \"constraints\": [%s]}\n", names)
	of := map[uint32]potential.Evaluator{}
	for kind, u := range map[uint32]potential.Potential{0: uneven, 2: wallsOf["disc"], 3: wallsOf["line"]} {
		of[kind] = u.Evaluator(1, nil)
	}
	u, g, x := make([]float64, 1), make([]float64, 2), make([]float64, 2)
	for k := 1; ; k++ {
		var ask struct {
			States, Kind uint32
			Seed         int64
		}
		if err := binary.Read(in, binary.LittleEndian, &ask); err != nil {
			note("ends")
			return 0
		}
		var values, gradients []float64
		for range ask.States {
			_ = binary.Read(in, binary.LittleEndian, x)
			of[ask.Kind].Eval(u, g, x)
			values, gradients = append(values, u[0]+float64(ask.Seed)), append(gradients, g...)
		}
		if mode == "walls raise" && ask.Kind == 3 {
			const why = "Traceback:\nZeroDivisionError\n"
			_ = binary.Write(out, binary.LittleEndian, [2]uint32{uint32(len(why)), 1})
			_, _ = out.WriteString(why)
			_ = out.Flush()
			return 1
		}
		_ = binary.Write(out, binary.LittleEndian, [2]uint32{ask.States, 0})
		_ = binary.Write(out, binary.LittleEndian, append(values, gradients...))
		_ = out.Flush()
	}
}

// bounded returns the potential of a program with constraints whose processes rest soon, and the file in
// which they tell that they begin and end.
func bounded(t testing.TB, mode string, linger time.Duration) (p *Potential, told func(what string) int) {
	t.Helper()
	s, file := settings(mode), filepath.Join(t.TempDir(), "told")
	s.Args = append(s.Args, file)
	p, err := New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	p.pool.linger = linger
	t.Cleanup(p.pool.end)
	return p, func(what string) int {
		b, _ := os.ReadFile(file)
		return strings.Count(string(b), what)
	}
}

// Constraints have the values and gradients that they have in memory, bit for bit, for blocks of any
// number of states, one after the other and between energies; they are called as the program says.
//
// Mutants it kills: one constraint for the other, states for coordinates, energies for constraints.
func TestConstraints(t *testing.T) {
	p, told := bounded(t, "walls", time.Second)
	if names := strings.Join(p.ConstraintNames(), " "); names != "disc line" || p.Constraint("disk") != nil {
		t.Error(names)
	}
	energy := p.Evaluator(2, nil)
	rapid.Check(t, func(t *rapid.T) {
		name, n := rapid.SampledFrom([]string{"disc", "line"}).Draw(t, "name"), rapid.IntRange(1, 300).Draw(t, "states")
		x := rapid.SliceOfN(rapid.Float64(), 2*n, 2*n).Draw(t, "x")
		v, g, w, h := make([]float64, n), make([]float64, 2*n), make([]float64, n), make([]float64, 2*n)
		eval := p.Constraint(name).Bind().(domain.BlockEval)
		eval.Block(v, g, x)
		wallsOf[name].Evaluator(n, nil).Eval(w, h, x)
		if !same(v, w) || !same(g, h) {
			t.Fatalf("%s: %v %v, in memory %v %v", name, v, g, w, h)
		}
		at, grad := []float64{x[0], x[n]}, make([]float64, 2)
		if got := eval.Gradient(grad, at); !same([]float64{got, eval.Value(at)}, []float64{w[0], w[0]}) || !same(grad, []float64{h[0], h[n]}) {
			t.Fatalf("%s: %v %v, in memory %v", name, got, grad, w[0])
		}
		if n > 1 {
			energy.Eval(v[:2], g[:4], x[:4])
			uneven.Evaluator(2, nil).Eval(w[:2], h[:4], x[:4])
			if !same(v[:2], w[:2]) || !same(g[:4], h[:4]) {
				t.Fatalf("energies %v, in memory %v", v[:2], w[:2])
			}
		}
	})
	if err := errors.Join(p.Constraint("disc").(*constraint).Err(), potential.Err(energy), potential.Close(energy)); err != nil {
		t.Error(err)
	}
	if told("begins") != 1 {
		t.Errorf("%d processes for one goroutine", told("begins"))
	}
}

// There are no more processes than goroutines that ask at the same time, whatever they ask; they end a
// while after the last energy, and all of them; and begin again where they are asked again.
//
// Mutants it kills: a process for each evaluator, processes that are not given back, that never rest, that
// rest while energies are to come.
func TestPoolOfProcesses(t *testing.T) {
	before := runtime.NumGoroutine()
	const linger = 50 * time.Millisecond
	p, told := bounded(t, "walls", linger)
	energies := make([]potential.Evaluator, 12)
	for i := range energies {
		energies[i] = p.Evaluator(3, nil)
	}
	var group sync.WaitGroup
	for i := range 3 {
		group.Go(func() {
			v, g, x := make([]float64, 3), make([]float64, 6), []float64{1, 2, 3, 4, 5, float64(i)}
			w, h := make([]float64, 3), make([]float64, 6)
			for k := range 200 {
				energies[4*i+k%4].Eval(v, g, x)
				p.Constraint("line").Bind().(domain.BlockEval).Block(w, h, x)
				if w[2] != x[2]-2*x[5]-0.5 || h[5] != -2 || math.IsNaN(v[0]) {
					t.Errorf("%v %v %v", v, w, h)
					return
				}
			}
		})
	}
	group.Wait()
	if n := told("begins"); n > 3 {
		t.Errorf("%d processes for three goroutines", n)
	}
	time.Sleep(2 * linger)
	if told("ends") > 0 {
		t.Error("processes rest before the evaluators are closed")
	}
	for _, e := range energies {
		if err := errors.Join(potential.Err(e), potential.Close(e), potential.Close(e)); err != nil {
			t.Error(err)
		}
	}
	settled(t, before)
	if told("ends") != told("begins") {
		t.Errorf("%d of %d processes have ended", told("ends"), told("begins"))
	}
	if v := p.Constraint("line").Bind().Value([]float64{1, 1}); v != -1.5 {
		t.Errorf("%v after the processes rested", v)
	}
	settled(t, before)
	if told("ends") != told("begins") {
		t.Errorf("%d of %d processes have ended, the last without energies", told("ends"), told("begins"))
	}
}

// Evaluators of a lanewise program, all of them open, share a process where they are asked one after the
// other, as the ladders of a run are for their starts.
//
// Mutants it kills: a process for each evaluator of a program without constraints.
func TestLanewiseProgramsArePooled(t *testing.T) {
	before := runtime.NumGoroutine()
	p, told := bounded(t, "walls none", time.Millisecond)
	all := make([]potential.Evaluator, 40)
	v, g, w, h := make([]float64, 2), make([]float64, 4), make([]float64, 2), make([]float64, 4)
	for i := range all {
		all[i] = p.Evaluator(2, nil)
		x := []float64{1, float64(i), 3, 4}
		all[i].Eval(v, g, x)
		uneven.Evaluator(2, nil).Eval(w, h, x)
		if !same(v, w) || !same(g, h) {
			t.Errorf("%v %v, in memory %v %v", v, g, w, h)
		}
	}
	if n := told("begins"); n > 2 { // that of the handshake may have ended before
		t.Errorf("%d processes for %d evaluators", n, len(all))
	}
	for _, e := range all {
		if err := errors.Join(potential.Err(e), potential.Close(e)); err != nil {
			t.Error(err)
		}
	}
	settled(t, before)
}

// A program that cannot tell a constraint ends every later question, of energies too, and the reason is
// told by both.
//
// Mutants it kills: energies that go on, NaN that is silent.
func TestConstraintFailures(t *testing.T) {
	pace.Slow(t)
	before := runtime.NumGoroutine()
	const why = "it cannot go on:\n  Traceback:\n  ZeroDivisionError"
	for mode, want := range map[string]string{"walls raise": why, "walls fickle": "constraints it has"} {
		p, told := bounded(t, mode, 10*time.Millisecond)
		if mode == "walls fickle" {
			p.pool.end()
		}
		e := p.Evaluator(2, nil)
		v, g, x := make([]float64, 2), make([]float64, 4), []float64{1, 2, 3, 4}
		p.Constraint("line").Bind().(domain.BlockEval).Block(v, g, x)
		err := domain.Err(must(domain.NewImplicit([]domain.Surface{p.Constraint("disc")}, []string{"g"}, []float64{-1, -1}, []float64{1, 1})))
		if err == nil || !strings.Contains(err.Error(), want) || !math.IsNaN(v[1]) || !math.IsNaN(g[3]) {
			t.Errorf("%s: %v %v, %v", mode, v, g, err)
		}
		clear(v)
		if e.Eval(v, g, x); potential.Err(e) == nil || potential.Err(e).Error() != err.Error() || !math.IsNaN(v[0]) {
			t.Errorf("%s: energies go on: %v, %v", mode, v, potential.Err(e))
		}
		began := told("begins")
		if v := p.Constraint("disc").Bind().Value([]float64{1, 1}); !math.IsNaN(v) || told("begins") != began {
			t.Errorf("%s: %v after the failure, of %d processes", mode, v, told("begins"))
		}
		if err := potential.Close(e); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := New(ctx, settings("walls"))
	if err != nil {
		t.Fatal(err)
	}
	p.pool.linger = time.Millisecond
	p.pool.end()
	cause := errors.New("enough")
	cancel(cause)
	if v := p.Constraint("disc").Bind().Value([]float64{1, 1}); !math.IsNaN(v) || !errors.Is(p.pool.failure(), cause) {
		t.Error(v, p.pool.failure())
	}
	settled(t, before)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Questions of constraints allocate nothing on this side.
func TestAllocationsOfConstraints(t *testing.T) {
	p, _ := bounded(t, "walls", time.Minute)
	v, g, x := make([]float64, 3), make([]float64, 6), make([]float64, 6)
	eval := p.Constraint("disc").Bind().(domain.BlockEval)
	eval.Block(v, g, x)
	if n := testing.AllocsPerRun(200, func() { eval.Block(v, g, x) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
