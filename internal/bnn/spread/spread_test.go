package spread

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	_ "github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/vector"
)

// A desk is a place whose engine is in memory.
type desk struct {
	slots int
	wrong float64      // added to what the engine tells of losses
	left  atomic.Int64 // calls until it is lost; never if it began below 1
	open  atomic.Int64 // engines
	hangs bool         // in place of an error, until it is cut off
	cut   chan struct{}
	once  sync.Once
}

func newDesk(slots, left int) *desk {
	d := &desk{slots: slots, cut: make(chan struct{})}
	d.left.Store(int64(left))
	return d
}

func (d *desk) Slots() int { return d.slots }

func (d *desk) Open(_ context.Context, s bnn.Setup) (bnn.Engine, error) {
	if d.strikes() {
		if d.hangs {
			<-d.cut
		}
		return nil, errLine
	}
	e, err := bnntest.Open(s)
	if err != nil {
		return nil, err
	}
	d.open.Add(1)
	return &away{Engine: e, desk: d}, nil
}

var errLine = errors.New("the line is cut")

// strikes reports whether a call finds the place lost.
func (d *desk) strikes() bool {
	return d.left.Add(-1) == 0 || d.left.Load() < 0 && d.left.Load() > -1<<20
}

// never is how many calls a place that is not lost has left.
const never = -1 << 30

// away is an engine of a desk.
type away struct {
	*bnntest.Engine
	desk *desk
}

func (a *away) struck() error {
	if a.desk.strikes() {
		if a.desk.hangs {
			<-a.desk.cut
		}
		a.Fail = errLine
	}
	return a.Fail
}

func (a *away) Load(n int, s *images.Set, mean, sd []float64) error {
	return errors.Join(a.struck(), a.Engine.Load(n, s, mean, sd))
}

func (a *away) Start(b bnn.Batch) ([]bnn.Outcome, error) { _ = a.struck(); return a.Engine.Start(b) }

func (a *away) Advance(m []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	_ = a.struck()
	out, err := a.Engine.Advance(m, b)
	for i := range out {
		out[i].Loss += a.desk.wrong
	}
	return out, err
}

func (a *away) Losses(b bnn.Batch) ([]float64, error) { _ = a.struck(); return a.Engine.Losses(b) }

func (a *away) Gradient(i int, b bnn.Batch) (float64, []float64, error) {
	_ = a.struck()
	return a.Engine.Gradient(i, b)
}

func (a *away) Predict(i, set int) ([]float32, error) {
	_ = a.struck()
	return a.Engine.Predict(i, set)
}

func (a *away) Recompute(i int, b []bnn.Batch) error { _ = a.struck(); return a.Engine.Recompute(i, b) }
func (a *away) State(i int) (*bnn.State, error)      { _ = a.struck(); return a.Engine.State(i) }
func (a *away) SetState(i int, s *bnn.State) error   { _ = a.struck(); return a.Engine.SetState(i, s) }
func (a *away) Usage() (bnn.Usage, error)            { _ = a.struck(); return a.Engine.Usage() }

func (a *away) Close() error {
	a.desk.open.Add(-1)
	return a.Engine.Close()
}

// A crowd is places that come at calls that were drawn, and what is heard of them.
type crowd struct {
	when                 map[int][]Place // by the calls of Come
	calls                int
	taken, refused, lost []Place
	most                 int // replicas elsewhere at the same time
	moved, away          int // times that replicas were, and elsewhere
	holds                map[Place]int
}

func (c *crowd) Come() []Place {
	c.calls++
	return c.when[c.calls]
}

func (c *crowd) Moved(p Place, n int) {
	if _, away := c.holds[p]; away {
		c.away += n
	}
	c.moved += n
}

func (c *crowd) Cut(p Place, _ time.Duration) {
	d := p.(*desk)
	d.once.Do(func() { close(d.cut) })
}

func (c *crowd) Taken(p Place)            { c.taken = append(c.taken, p) }
func (c *crowd) Refused(p Place, _ error) { c.refused = append(c.refused, p) }

func (c *crowd) Lost(p Place, _ error) {
	c.lost = append(c.lost, p)
	delete(c.holds, p)
}

func (c *crowd) Holds(p Place, n int) {
	if c.holds == nil {
		c.holds = map[Place]int{}
	}
	c.holds[p] = n
	sum := 0
	for _, n := range c.holds {
		sum += n
	}
	c.most = max(c.most, sum)
}

// patient is an engine that waits, before each move, until all places that have come are judged, so
// that nothing depends on when they are.
type patient struct {
	*Engine
	crowd *crowd
}

func (p *patient) Advance(m []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	for !p.crowd.judged() {
		if err := p.welcome(); err != nil {
			return nil, err
		}
		runtime.Gosched()
	}
	return p.Engine.Advance(m, b)
}

// judged reports whether something was heard of all places that have come.
func (c *crowd) judged() bool {
	for call, places := range c.when {
		for _, p := range places {
			if call <= c.calls && !slices.Contains(slices.Concat(c.taken, c.refused, c.lost), p) {
				return false
			}
		}
	}
	return true
}

// settings are those of a short training.
func settings(t testing.TB, method string) bnn.Settings {
	t.Helper()
	s, err := bnn.Method(method)
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, s.Batch, s.Seed, s.WeightDecay = 3, 16, 7, 1
	s.Average = bnn.Averaging{From: 0.3, Recompute: 20}
	s.Measure = bnn.Measure{Every: 1, Batches: 2}
	for i := range s.StepSize {
		s.StepSize[i] *= 0.1
	}
	if bnn.Reflects(method) {
		s.Bound = 0.5
	}
	return s
}

var network = bnn.Network{Kind: "mlp", Norm: "batch", Activation: "tanh", Hidden: []int{4}, Input: [3]int{1, 1, 2}, Outputs: 3}

func clouds() bnn.Data {
	return bnn.Data{Train: bnntest.Clouds(50, 0.4, 1), Test: bnntest.Clouds(30, 0.4, 2)}
}

func still() float64 { return 0 }

// An end is what a training comes to, usage aside, and where its replicas are then.
type end struct {
	result *bnn.Result
	states []*bnn.State
}

// result trains to the end.
func result(t testing.TB, engine bnn.Engine, s bnn.Settings) (e end) {
	t.Helper()
	var err error
	if e.result, err = bnn.Train(t.Context(), engine, clouds(), s, bnn.Observer{Seconds: still}); err != nil {
		t.Fatal(err)
	}
	e.result.Usage = bnn.Usage{}
	for r := range engine.Replicas() {
		state, err := engine.State(r)
		if err != nil {
			t.Fatal(err)
		}
		e.states = append(e.states, state)
	}
	return e
}

// alone is the result on one machine.
func alone(t testing.TB, s bnn.Settings) end {
	t.Helper()
	e, err := bnntest.Open(s.Setup(network))
	if err != nil {
		t.Fatal(err)
	}
	return result(t, e, s)
}

// TestSameNumbers: whichever places come, and at whichever of their calls they are lost, the
// training is that of one machine, and nothing stays open.
func TestSameNumbers(t *testing.T) {
	want := map[string]end{}
	methods := []string{"r2sghmc", "ensemble", "swag"}
	all := map[string]bnn.Settings{}
	for _, m := range methods {
		s := settings(t, m)
		if m == "ensemble" {
			s.Members = 5
		}
		if m == "swag" {
			s.SWAG.Draws = 2
		}
		all[m], want[m] = s, alone(t, s)
	}
	moved, lost := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		method := rapid.SampledFrom(methods).Draw(r, "method")
		s := all[method]
		home := newDesk(rapid.IntRange(1, 3).Draw(r, "slots"), never)
		c := &crowd{when: map[int][]Place{}}
		var desks []*desk
		for i := range rapid.IntRange(0, 4).Draw(r, "places") {
			left := never
			if rapid.Bool().Draw(r, fmt.Sprintf("is lost %d", i)) {
				left = rapid.IntRange(1, 60).Draw(r, fmt.Sprintf("calls %d", i))
			}
			d := newDesk(rapid.IntRange(1, 3).Draw(r, fmt.Sprintf("slots %d", i)), left)
			at := rapid.IntRange(1, 9).Draw(r, fmt.Sprintf("comes %d", i))
			c.when[at] = append(c.when[at], d)
			desks = append(desks, d)
		}
		e, err := Open(t.Context(), s.Setup(network), Options{Home: home, Others: c, Agree: vector.Same,
			Most: rapid.SampledFrom([]int{0, 300}).Draw(r, "most")})
		if err != nil {
			r.Fatal(err)
		}
		got := result(t, &patient{e, c}, s)
		if err := e.Close(); err != nil {
			r.Fatal(err)
		}
		if !reflect.DeepEqual(got, want[method]) {
			r.Fatalf("%s differs", method)
		}
		for _, d := range append(desks, home) {
			if n := d.open.Load(); n != 0 {
				r.Fatalf("%d engines are open", n)
			}
		}
		moved, lost = moved+c.most, lost+len(c.lost)
		if c.moved != s.Epochs*s.Steps(50)*s.Replicas() || c.away > c.moved || c.away > 0 && c.most == 0 {
			r.Fatalf("replicas were moved %d times, %d elsewhere, %d at most", c.moved, c.away, c.most)
		}
	})
	if moved == 0 || lost == 0 {
		t.Errorf("%d replicas moved elsewhere, %d places were lost", moved, lost)
	}
}

// TestOtherNumbers: a place that has other numbers is refused, and changes nothing.
func TestOtherNumbers(t *testing.T) {
	s := settings(t, "r2sghmc")
	bad, good := newDesk(2, never), newDesk(2, never)
	bad.wrong = 1e-15
	c := &crowd{when: map[int][]Place{2: {bad, good}}}
	e, err := Open(t.Context(), s.Setup(network), Options{Home: newDesk(1, never), Others: c, Agree: vector.Same})
	if err != nil {
		t.Fatal(err)
	}
	if got := result(t, &patient{e, c}, s); !reflect.DeepEqual(got, alone(t, s)) {
		t.Error("the training differs")
	}
	if !slices.Equal(c.refused, []Place{bad}) || !slices.Equal(c.taken, []Place{good}) || c.holds[good] == 0 {
		t.Errorf("refused %v, taken %v, holds %v", c.refused, c.taken, c.holds)
	}
}

// TestHangs: a place that does not answer any more is cut off, at whichever of its calls, also of its
// proof, and the training is that of one machine. That a place is slow changes nothing either.
func TestHangs(t *testing.T) {
	s := settings(t, "r2sghmc")
	want, lost := alone(t, s), 0
	for left := 1; left < 45; left++ {
		d := newDesk(3, left)
		d.hangs = true
		c := &crowd{when: map[int][]Place{2: {d}}}
		e, err := Open(t.Context(), s.Setup(network), Options{Home: newDesk(1, never), Others: c, Agree: vector.Same, Patience: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if got := result(t, &patient{e, c}, s); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d calls the training differs", left)
		}
		lost += len(c.lost)
	}
	if lost < 20 {
		t.Errorf("%d were lost", lost)
	}
}

// TestHomeIsLost: what goes wrong on this machine ends the training, with its error.
func TestHomeIsLost(t *testing.T) {
	s := settings(t, "r2sghmc")
	for left := range 40 {
		home := newDesk(1, left+1)
		c := &crowd{when: map[int][]Place{2: {newDesk(1, never)}}}
		e, err := Open(t.Context(), s.Setup(network), Options{Home: home, Others: c, Agree: vector.Same})
		if err == nil {
			_, err = bnn.Train(t.Context(), &patient{e, c}, clouds(), s, bnn.Observer{Seconds: still})
		}
		if !errors.Is(err, errLine) {
			t.Fatalf("after %d calls: %v", left, err)
		}
	}
}

// TestDeal: slots are filled alike, home has one replica at least, and no replica moves that need not.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "replicas")
		e := &Engine{setup: bnn.Setup{Replicas: n}}
		for i := range rapid.IntRange(1, 5).Draw(r, "seats") {
			e.seats = append(e.seats, &seat{place: newDesk(rapid.IntRange(1, 4).Draw(r, fmt.Sprint(i)), never)})
		}
		order := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(r, "order"))).Perm(n)
		for k := range rapid.IntRange(0, n).Draw(r, "held") {
			s := e.seats[k%len(e.seats)]
			s.holds = append(s.holds, order[k])
		}
		for _, s := range e.seats {
			slices.Sort(s.holds)
		}
		dealt := e.deal()
		var all []int
		for _, s := range e.seats {
			all = append(all, dealt[s]...)
			stays := 0
			for _, k := range s.holds {
				if slices.Contains(dealt[s], k) {
					stays++
				}
			}
			if stays != min(len(s.holds), len(dealt[s])) {
				r.Fatalf("%v of %v stay", dealt[s], s.holds)
			}
			for _, o := range e.seats {
				if o != e.seats[0] || len(dealt[o]) > 1 { // the one at home stays
					if (len(dealt[s])+1)*o.place.Slots() < len(dealt[o])*s.place.Slots() {
						r.Fatalf("%d of %d slots beside %d of %d", len(dealt[s]), s.place.Slots(), len(dealt[o]), o.place.Slots())
					}
				}
			}
		}
		slices.Sort(all)
		if !slices.Equal(all, e.every()) || len(dealt[e.seats[0]]) == 0 {
			r.Fatalf("dealt are %v", all)
		}
	})
}

// Numbers are near that are rounded, however small all of them are, and not those of another
// gradient.
//
// Mutant: differences beside 1.
func TestNear(t *testing.T) {
	g := []float64{3e-3, -2e-3, 8e-3, math.Inf(1), math.NaN()}
	with := func(f func(v float64) float64) []float64 {
		out := slices.Clone(g)
		for i := range out[:3] {
			out[i] = f(out[i])
		}
		return out
	}
	if !Near(with(func(v float64) float64 { return v * 1.004 }), g) {
		t.Error("rounded numbers are not near")
	}
	for name, other := range map[string][]float64{
		"zeros":    with(func(float64) float64 { return 0 }),
		"opposite": with(func(v float64) float64 { return -v }),
		"infinite": with(func(v float64) float64 { return math.Copysign(math.Inf(1), v) }),
		"fewer":    g[:4],
	} {
		if Near(other, g) {
			t.Errorf("%s are near", name)
		}
	}
}
