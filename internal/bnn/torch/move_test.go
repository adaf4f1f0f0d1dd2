package torch

import (
	"math"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// near tells whether two vectors agree to a tolerance, relative to the larger of 1
// and their size.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= tolerance*max(1, math.Abs(want[i]))) {
			t.Errorf("%s %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// formula is bnn.Move's, without noise and walls, in place.
func formula(s *bnn.State, m bnn.Move) {
	for j, x := range s.Parameters {
		g := m.Weight*s.Gradient[j] + m.Decay*x
		v := m.Scale*s.Momenta[j] + m.Lean*g
		v = m.Momentum*v - m.StepSize*g
		s.Momenta[j] = v
		s.Parameters[j] = x + v
	}
}

// The program's own check of a device: Philox's known answers, its vectorised loop
// and its tensors against the definition, moves by tensors against the loop.
func TestCheck(t *testing.T) {
	pace.Slow(t)
	c := exec.Command(worker(t), "check", device)
	c.Env = environment()
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Kills: Lean forgotten or applied after the friction, decay without the step size,
// the gradient of the batch before, θ moved by the old v. The tolerances are those
// promised, about ten roundings.
func TestMove(t *testing.T) {
	pace.Slow(t)
	for precision, tolerance := range map[string]float64{"float32": 1e-6, "float64": 1e-12} {
		s := mlp(2)
		s.Precision = precision
		e := open(t, s, Options{})
		get[[]bnn.Outcome](t)(e.Start(batch))
		m := []bnn.Move{plain, {Scale: 0.7, Lean: 0.003, Weight: 20, Decay: 2, StepSize: 0.004, Momentum: 0.9, Bound: 1e3}}
		for step := range 3 {
			want := states(t, e)
			other := bnn.Batch{Indices: []int32{int32(step), 17, 13}}
			outcomes := get[[]bnn.Outcome](t)(e.Advance(m, other))
			for r, got := range states(t, e) {
				formula(want[r], m[r])
				near(t, precision+" parameter", got.Parameters, want[r].Parameters, tolerance)
				near(t, precision+" momentum", got.Momenta, want[r].Momenta, tolerance)
				square := 0.0
				for _, x := range got.Parameters {
					square += x * x
				}
				near(t, "Σθ²", []float64{outcomes[r].Square}, []float64{square}, 1e-12)
				loss, gradient, err := e.Gradient(r, other)
				must(t, err)
				near(t, "loss", []float64{outcomes[r].Loss}, []float64{loss}, 0)
				near(t, "gradient", got.Gradient, gradient, 0)
			}
		}
	}
}

// push moves replica 0 by v from θ, both repeated over the parameters, and returns
// what comes of the first of them.
func push(t testing.TB, e bnn.Engine, x, v, bound float64, released bool) (newX, newV float64, o bnn.Outcome) {
	n := e.Layout().Size()
	s := &bnn.State{Buffers: []float64{}}
	for range n {
		s.Parameters = append(s.Parameters, x)
		s.Momenta = append(s.Momenta, 2*v) // halved by the friction
		s.Gradient = append(s.Gradient, 0)
	}
	if err := e.SetState(0, s); err != nil {
		t.Fatal(err)
	}
	got, err := e.Advance([]bnn.Move{{Scale: 1, Momentum: 0.5, Bound: bound, AsReleased: released}}, batch)
	if err != nil {
		t.Fatal(err)
	}
	after, err := e.State(0)
	if err != nil {
		t.Fatal(err)
	}
	for j := range n {
		if after.Parameters[j] != after.Parameters[0] || after.Momenta[j] != after.Momenta[0] {
			t.Fatalf("parameter %d of %d went another way", j, n)
		}
	}
	return after.Parameters[0], after.Momenta[0], got[0]
}

// mirror folds x into [−b, b] mirror by mirror.
func mirror(x, v, b float64) (float64, float64, bool) {
	met := false
	for math.Abs(x) > b {
		x, v, met = math.Copysign(2*b, x)-x, -v, true
	}
	return x, v, met
}

// Kills: one mirroring only, v not turned, v turned at every step beyond the wall,
// period 2b, folding at −b wrong. Steps of up to 30 b against mirror by mirror; up to
// 10⁶ b for the bounds alone, where a number of type float32 is known to b/16.
func TestFold(t *testing.T) {
	pace.Slow(t)
	for precision, tolerance := range map[string]float64{"float32": 1e-5, "float64": 1e-12} {
		s := mlp(1)
		s.Precision = precision
		e := open(t, s, Options{})
		get[[]bnn.Outcome](t)(e.Start(batch))
		n := int64(e.Layout().Size())
		rapid.Check(t, func(rt *rapid.T) {
			b := math.Exp(rapid.Float64Range(-6, 6).Draw(rt, "log b"))
			x := float64(float32(b * rapid.Float64Range(-0.999, 0.999).Draw(rt, "x/b")))
			reach := rapid.SampledFrom([]float64{0.5, 3, 30, 1e6}).Draw(rt, "reach")
			v := float64(float32(b * reach * rapid.Float64Range(-1, 1).Draw(rt, "v/b")))
			gotX, gotV, o := push(t, e, x, v, b, false)
			if math.Abs(gotX) > b {
				rt.Fatalf("%v is beyond %v", gotX, b)
			}
			if math.Abs(gotV) != math.Abs(v) {
				rt.Fatalf("momentum %v became %v", v, gotV)
			}
			if reach > 30 {
				return
			}
			wantX, wantV, met := mirror(x+v, v, b)
			if math.Abs(b-math.Abs(wantX)) < 1e-4*b { // rounding decides
				return
			}
			if math.Abs(gotX-wantX) > tolerance*b*reach || gotV != wantV {
				rt.Fatalf("(%v, %v), want (%v, %v)", gotX, gotV, wantX, wantV)
			}
			if met != (o.Reflected == n) || !met && o.Reflected != 0 {
				rt.Fatalf("%d of %d reflected, wall met: %v", o.Reflected, n, met)
			}
		})
	}
}

// A move so far that folding gives nothing but rounding says so and stays in bounds.
// Kills a reach without the bound, one of float64 for float32, and none.
func TestTooFarToFold(t *testing.T) {
	pace.Slow(t)
	for precision, reach := range map[string]float64{"float32": 1 << 20, "float64": 1 << 48} {
		s := mlp(1)
		s.Precision = precision
		e := open(t, s, Options{})
		get[[]bnn.Outcome](t)(e.Start(batch))
		for _, bound := range []float64{1e-3, 1, 300} {
			for far, lost := range map[float64]bool{-0.99: false, 0.99: false, 1.01: true, -1.01: true, 1e9: true} {
				x, _, o := push(t, e, 0, far*reach*bound, bound, false)
				if math.IsNaN(o.Square) != lost || math.Abs(x) > bound {
					t.Errorf("%s, bound %g, %g reaches: θ %g, Σθ² %g", precision, bound, far, x, o.Square)
				}
			}
			if _, _, o := push(t, e, 0, 2*reach*bound, bound, true); math.IsNaN(o.Square) {
				t.Errorf("%s: mirrored once is not folded", precision)
			}
		}
	}
}

// Kills: as released and the default exchanged, v turned, two mirrorings.
func TestAsReleased(t *testing.T) {
	pace.Slow(t)
	s := mlp(1)
	s.Precision = "float64"
	e := open(t, s, Options{})
	get[[]bnn.Outcome](t)(e.Start(batch))
	for _, c := range []struct{ x, v, want float64 }{
		{0.5, 0.25, 0.75}, {0.5, 1, 0.5}, {0.5, 5, -3.5}, {-0.5, -1, -0.5}, {-0.5, -5, 3.5},
	} {
		x, v, _ := push(t, e, c.x, c.v, 1, true)
		if x != c.want || v != c.v {
			t.Errorf("from %v by %v: (%v, %v), want (%v, %v)", c.x, c.v, x, v, c.want, c.v)
		}
	}
}

// Kills: roles that are ignored, or their complement taken; a segment shifted by one.
func TestRoles(t *testing.T) {
	pace.Slow(t)
	for _, roles := range [][]bnn.Role{{}, {bnn.Weight, bnn.Shift}} {
		s := resnet8(1)
		s.Reflect = roles
		e := open(t, s, Options{})
		get[[]bnn.Outcome](t)(e.Start(batch))
		state := get[*bnn.State](t)(e.State(0))
		for j := range state.Parameters {
			state.Parameters[j], state.Momenta[j] = 0.25, 1
		}
		must(t, e.SetState(0, state))
		o := get[[]bnn.Outcome](t)(e.Advance([]bnn.Move{{Scale: 1, Momentum: 0.5, Bound: 0.5}}, batch))
		got := get[*bnn.State](t)(e.State(0))
		var reflected int64
		for _, p := range e.Layout().Parameters {
			want := 0.75
			if slices.Contains(roles, p.Role) {
				want = 0.25
				reflected += int64(p.Size)
			}
			for j := p.Offset; j < p.Offset+p.Size; j++ {
				if got.Parameters[j] != want {
					t.Fatalf("reflect %v: %s is %v, want %v", roles, p.Name, got.Parameters[j], want)
				}
			}
		}
		if o[0].Reflected != reflected {
			t.Errorf("reflect %v: %d reflected, want %d", roles, o[0].Reflected, reflected)
		}
	}
}

// Kills: a mean over examples in place of batches, buffers of
// before counted in, a momentum other than that of training.
func TestRecompute(t *testing.T) {
	pace.Slow(t)
	e := open(t, resnet8(1), Options{})
	batches := []bnn.Batch{{Indices: []int32{0, 1, 2, 3}}, {Indices: []int32{4, 5, 6, 7, 8, 9}}, {Indices: []int32{10, 11, 12}}}
	before := get[*bnn.State](t)(e.State(0))
	want := make([]float64, len(before.Buffers))
	for _, b := range batches {
		s := *before
		s.Buffers = make([]float64, len(before.Buffers))
		must(t, e.SetState(0, &s))
		get[[]bnn.Outcome](t)(e.Start(b)) // buffers move from zero by a tenth of the way
		for j, x := range get[*bnn.State](t)(e.State(0)).Buffers {
			want[j] += 10 * x / float64(len(batches))
		}
	}
	must(t, e.SetState(0, before))
	must(t, e.Recompute(0, batches))
	got := get[*bnn.State](t)(e.State(0))
	near(t, "buffer", got.Buffers, want, 1e-5)
	got.Buffers = before.Buffers
	if !reflect.DeepEqual(got, before) {
		t.Error("more than buffers changed")
	}
}
