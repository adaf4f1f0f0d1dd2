package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A reckoning is what a case of these tests comes to.
type reckoning struct {
	Mean  float64
	Draws []float64
	By    map[string]int
	Inner *struct{ Text string }
}

func reckon(i int) reckoning {
	r := reckoning{Mean: math.NaN(), Draws: make([]float64, i%3), By: map[string]int{fmt.Sprint(i): i}}
	if i%2 == 0 {
		r.Mean, r.Inner = 1/float64(i), &struct{ Text string }{fmt.Sprint("case ", i)}
	}
	return r
}

// is reports whether two are the same, NaN included.
func (r reckoning) is(x reckoning) bool {
	same := math.Float64bits(x.Mean) == math.Float64bits(r.Mean) || x.Mean != x.Mean && r.Mean != r.Mean
	return same && slices.Equal(x.Draws, r.Draws) && reflect.DeepEqual(x.By, r.By) && reflect.DeepEqual(x.Inner, r.Inner)
}

// Two studies of two lists of cases each, of which a session computes so many at most.
type sessions struct {
	t        *testing.T
	dir      string
	mu       sync.Mutex
	computed map[string]int
}

const casesOfEach = 12

var errEnough = errors.New("enough")

// reckoned is case i of a list of a study.
func reckoned(study, list string, i int) reckoning { return reckon(i + 100*len(study) + int(list[0])) }

func (s *sessions) open() *Desk {
	d, err := Open(s.dir, Task{"all", Smoke, 1, "program"}, false)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// run is a session.
func (s *sessions) run(most int) error {
	d := s.open()
	defer d.Close()
	for _, study := range []string{"one", "second"} {
		o := Options{Threads: 3, Keeper: d.Cases(study)}
		for _, list := range []string{"a", "b"} {
			found, err := Gather(context.Background(), o, list, casesOfEach, func(_ context.Context, i int) (reckoning, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if most--; most < 0 {
					return reckoning{}, errEnough
				}
				s.computed[fmt.Sprint(study, list, i)]++
				return reckoned(study, list, i), nil
			})
			if err != nil {
				return err
			}
			for i, r := range found {
				if !r.is(reckoned(study, list, i)) {
					s.t.Errorf("study %s, list %s, case %d: %+v", study, list, i, r)
				}
			}
		}
	}
	return nil
}

// A study that ends at any case goes on after those that are kept, and comes to the same; of two
// lists of cases, and of two studies, none is taken for another's. When the study has ended its
// cases are gone.
func TestGatherGoesOn(t *testing.T) {
	s := &sessions{t: t, dir: t.TempDir() + "/run", computed: map[string]int{}}
	for stops := 0; ; stops++ {
		err := s.run(7)
		if err == nil {
			break
		}
		if !errors.Is(err, errEnough) || stops > 20 {
			t.Fatal(err)
		}
	}
	if len(s.computed) != 4*casesOfEach {
		t.Errorf("%d cases were computed, want %d", len(s.computed), 4*casesOfEach)
	}
	for name, times := range s.computed {
		if times != 1 {
			t.Errorf("case %s was computed %d times", name, times)
		}
	}
	for k, study := range []string{"one", "second"} {
		d := s.open() // each by a session of its own
		if left := len(d.list("cases/x", ".case")); left != 2*casesOfEach*(2-k) || !d.Begun() {
			t.Errorf("before study %s ended there are %d cases", study, left)
		}
		if _, err := d.Keep(&Study{Name: study}); err != nil {
			t.Fatal(err)
		}
		d.Close()
	}
	d := s.open()
	defer d.Close()
	if left := d.list("cases/x", ".case"); len(left) > 0 || d.Begun() {
		t.Errorf("left of the cases: %v", left)
	}
}

// Cases of a study that was kept, but killed before they were gone, are gone when it is looked at
// again; a study that goes on when the folder is closed keeps nothing.
func TestCasesThatAreLeft(t *testing.T) {
	s := &sessions{t: t, dir: t.TempDir() + "/run", computed: map[string]int{}}
	if err := s.run(30); !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	d := s.open()
	text, err := pack(&Study{Name: "one"})
	if err == nil {
		err = d.write(sheet("one"), text)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	if err := d.Cases("second").Keep("b 11", []byte("late")); err == nil {
		t.Error("a case is kept in a closed folder")
	}
	d = s.open()
	defer d.Close()
	if left := d.list("cases/x", ".case"); len(left) != 30-2*casesOfEach {
		t.Errorf("%d cases are left, want %d", len(left), 30-2*casesOfEach)
	}
}

// Kept cases that were damaged, one cut off and one of other bytes, are told and computed again; of what
// else was changed in the folder nothing is removed.
func TestDamagedCasesAreTold(t *testing.T) {
	s := &sessions{t: t, dir: t.TempDir() + "/run", computed: map[string]int{}}
	if err := s.run(30); !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	d := s.open()
	files := slices.Sorted(maps.Keys(d.cases))[:3]
	d.Close()
	damage := func(name string, how func([]byte) []byte) {
		text, err := os.ReadFile(d.Path(name))
		if err == nil {
			err = os.WriteFile(d.Path(name), how(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	damage(files[0], func(text []byte) []byte { return text[:len(text)-1] })
	damage(files[1], bytes.ToUpper)
	d = s.open()
	if got := d.Changed(); !slices.Equal(got, files[:2]) || d.cases[files[1]] || !d.cases[files[2]] {
		t.Errorf("damaged are %q, want %q", got, files[:2])
	}
	d.Close()
	if err := s.run(1 << 20); err != nil {
		t.Error(err)
	}
	times := 0
	for _, n := range s.computed {
		times += n
	}
	if times != 4*casesOfEach+2 {
		t.Errorf("%d cases were computed, want two again", times)
	}
	d = s.open()
	name := sheet("one")
	if err := d.write(name, []byte("one")); err != nil {
		t.Fatal(err)
	}
	d.Close()
	damage(name, bytes.ToUpper)
	if _, err := Open(s.dir, d.Task(), false); err == nil || !strings.Contains(err.Error(), name+" in it was changed") {
		t.Errorf("%v with a changed study", err)
	}
}

// Cases that depend on other things are not found.
func TestDepending(t *testing.T) {
	in, computed := &memory{cases: map[string][]byte{}}, 0
	for _, on := range [][]any{{"data", 1}, {"data", 1}, {"data", 2}, {"other data", 1}, {"data", 2}} {
		_, err := Gather(context.Background(), Options{Keeper: in}.Depending(on...), "a", 1, func(context.Context, int) (int, error) {
			computed++
			return 0, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if computed != 3 {
		t.Errorf("computed %d times, want 3", computed)
	}
}

// How long a study and its parts took counts what cases had taken that are found, by so many at once.
func TestGatherTime(t *testing.T) {
	o := Options{Scale: Smoke, Threads: 2, Keeper: &memory{cases: map[string][]byte{}}}
	l := &list{Options: o, what: "a", n: 6}
	for i := range 6 {
		text, err := seal(&kept[int]{l.of(i), time.Hour, 1})
		if err != nil {
			t.Fatal(err)
		}
		_ = o.Keeper.Keep(fmt.Sprint("a ", i), text)
	}
	var spent Spells
	s, err := o.Conduct(func() (*Study, error) {
		return &Study{}, spent.Time(o, "study", "part", func() (int64, error) {
			_, err := Gather(context.Background(), o, "a", 6, func(context.Context, int) (int, error) { return 0, errEnough })
			return 6, err
		})
	})
	const hours = 3 * 3600
	if err != nil || !(s.Seconds >= hours && s.Seconds < hours+60) || !(spent[0].Seconds >= hours && spent[0].Seconds <= s.Seconds) {
		t.Errorf("%+v, %v: %v", s, spent, err)
	}
}

// A memory keeps cases.
type memory struct {
	cases   map[string][]byte
	earlier atomic.Int64
}

func (m *memory) Find(name string) []byte { return m.cases[name] }

func (m *memory) Keep(name string, text []byte) error {
	m.cases[name] = text
	return nil
}

func (m *memory) Earlier(more time.Duration) time.Duration {
	return time.Duration(m.earlier.Add(int64(more)))
}

// A case of which any byte is damaged, or that is cut off, is computed again.
func TestGatherDamaged(t *testing.T) {
	in, computed := &memory{cases: map[string][]byte{}}, 0
	gather := func() {
		found, err := Gather(context.Background(), Options{Threads: 1, Keeper: in}, "a", 5, func(_ context.Context, i int) (float64, error) {
			computed++
			return float64(i), nil
		})
		if err != nil || !slices.Equal(found, []float64{0, 1, 2, 3, 4}) {
			t.Fatalf("found %v: %v", found, err)
		}
	}
	gather()
	whole, n := in.cases["a 3"], 5
	for at := range whole {
		for _, damaged := range [][]byte{slices.Concat(whole[:at], []byte{whole[at] ^ 1}, whole[at+1:]), whole[:at]} {
			in.cases["a 3"] = damaged
			if gather(); computed != n+1 {
				t.Fatalf("byte %d: %d cases computed", at, computed-n)
			}
			n = computed
		}
	}
}

// What would be kept in part, or not at all, is refused before anything is computed.
func TestGatherRefuses(t *testing.T) {
	refused := func(_ any, err error) bool { return err != nil }
	ctx, o := context.Background(), Options{}
	if !refused(Gather(ctx, o, "a", 1, func(context.Context, int) (struct{ x int }, error) { panic("computed") })) ||
		!refused(Gather(ctx, o, "a", 1, func(context.Context, int) (map[string][]error, error) { panic("computed") })) ||
		!refused(Gather(ctx, o, "a", 1, func(context.Context, int) (*struct{ F func() }, error) { panic("computed") })) ||
		!refused(Gather(ctx, o, "a", 1, func(context.Context, int) (struct{ X *float64 }, error) { panic("computed") })) {
		t.Error("what cannot be kept is not refused")
	}
	if _, err := Gather(ctx, o, "a", 1, func(context.Context, int) (struct{ At time.Time }, error) {
		return struct{ At time.Time }{}, nil
	}); err != nil {
		t.Errorf("what encodes itself: %v", err)
	}
}

// Things of several kinds that are gathered together come to their places, with and without a
// keeper, and what is kept of them is found; of a kind there may be none.
func TestBatch(t *testing.T) {
	in, computed := &memory{cases: map[string][]byte{}}, 0
	for _, o := range []Options{{Threads: 1}, {Threads: 1, Keeper: in}, {Threads: 1, Keeper: in}} {
		b := o.Batch("a")
		first := Join(b, 3, func(_ context.Context, i int) (float64, error) { computed++; return float64(i), nil })
		none := Join(b, 0, func(context.Context, int) (bool, error) { panic("there is none") })
		last := Join(b, 2, func(_ context.Context, i int) (string, error) { computed++; return fmt.Sprint("text ", i), nil })
		if err := b.Gather(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first, []float64{0, 1, 2}) || len(none) != 0 || !slices.Equal(last, []string{"text 0", "text 1"}) {
			t.Errorf("%v, %v, %v", first, none, last)
		}
	}
	if computed != 10 {
		t.Errorf("%d things were computed, want 5 twice", computed)
	}
	b := Options{}.Batch("a")
	Join(b, 1, func(context.Context, int) (int, error) { panic("computed") })
	Join(b, 1, func(context.Context, int) (struct{ x int }, error) { panic("computed") })
	if b.Gather(t.Context()) == nil {
		t.Error("what cannot be kept is not refused")
	}
}
