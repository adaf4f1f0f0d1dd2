package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
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

func sameReckonings(a, b []reckoning) bool {
	return slices.EqualFunc(a, b, func(x, y reckoning) bool {
		same := math.Float64bits(x.Mean) == math.Float64bits(y.Mean) || x.Mean != x.Mean && y.Mean != y.Mean
		return same && slices.Equal(x.Draws, y.Draws) && reflect.DeepEqual(x.By, y.By) && reflect.DeepEqual(x.Inner, y.Inner)
	})
}

// A study that ends at any case goes on after those that are kept, and comes to the same; of two
// lists of cases, and of two studies, none is taken for another's. When the study has ended its
// cases are gone.
func TestGatherGoesOn(t *testing.T) {
	const n = 12
	want := make([]reckoning, n)
	for i := range want {
		want[i] = reckon(i)
	}
	dir, task := t.TempDir()+"/run", Task{"all", Smoke, 1, "program"}
	var mu sync.Mutex
	computed := map[string]int{}
	enough := errors.New("enough")
	// a session computes at most so many cases, of two lists of two studies
	session := func(most int) (all [][]reckoning, err error) {
		d, err := Open(dir, task, false)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		left := most
		for _, study := range []string{"one", "two"} {
			for _, list := range []string{"a", "b"} {
				o := Options{Threads: 3, Keeper: d.Cases(study)}
				found, err := Gather(context.Background(), o, list, n, func(_ context.Context, i int) (reckoning, error) {
					mu.Lock()
					defer mu.Unlock()
					if left--; left < 0 {
						return reckoning{}, enough
					}
					computed[fmt.Sprint(study, list, i)]++
					return reckon(i + 100*len(study+list) + int(list[0]) + int(study[0])), nil
				})
				if err != nil {
					return nil, err
				}
				all = append(all, found)
			}
		}
		return all, nil
	}
	var all [][]reckoning
	for err, stops := enough, 0; err != nil; stops++ {
		if all, err = session(7); err != nil && !errors.Is(err, enough) || stops > 20 {
			t.Fatal(err)
		}
	}
	for k, found := range all {
		study, list := []string{"one", "two"}[k/2], []string{"a", "b"}[k%2]
		for i := range want {
			want[i] = reckon(i + 100*len(study+list) + int(list[0]) + int(study[0]))
		}
		if !sameReckonings(found, want) {
			t.Errorf("study %s, list %s: %v, want %v", study, list, found, want)
		}
	}
	if len(computed) != 4*n {
		t.Errorf("%d cases were computed, want %d", len(computed), 4*n)
	}
	for name, times := range computed {
		if times != 1 {
			t.Errorf("case %s was computed %d times", name, times)
		}
	}
	d, err := Open(dir, task, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for k, study := range []string{"one", "two"} {
		if left := len(d.list("cases/x")); left != 2*n*(2-k) || !d.Begun() {
			t.Errorf("before study %s ended there are %d cases", study, left)
		}
		if _, err := d.Keep(&Study{Name: study}); err != nil {
			t.Fatal(err)
		}
	}
	if left := d.list("cases/x"); len(left) > 0 || d.Begun() {
		t.Errorf("left of the cases: %v", left)
	}
}

// A memory keeps cases.
type memory map[string][]byte

func (m memory) Find(name string) []byte { return m[name] }

func (m memory) Keep(name string, text []byte) error {
	m[name] = text
	return nil
}

// A case of which any byte is damaged, or that is cut off, is computed again.
func TestGatherDamaged(t *testing.T) {
	kept, computed := memory{}, 0
	gather := func() {
		found, err := Gather(context.Background(), Options{Threads: 1, Keeper: kept}, "a", 5, func(_ context.Context, i int) (float64, error) {
			computed++
			return float64(i), nil
		})
		if err != nil || !slices.Equal(found, []float64{0, 1, 2, 3, 4}) {
			t.Fatalf("found %v: %v", found, err)
		}
	}
	gather()
	whole, n := kept["a 3"], 5
	for at := range whole {
		for _, damaged := range [][]byte{slices.Concat(whole[:at], []byte{whole[at] ^ 1}, whole[at+1:]), whole[:at]} {
			kept["a 3"] = damaged
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
		!refused(Gather(ctx, o, "a", 1, func(context.Context, int) (*struct{ F func() }, error) { panic("computed") })) {
		t.Error("what cannot be kept is not refused")
	}
	if _, err := Gather(ctx, o, "a", 1, func(context.Context, int) (struct{ At time.Time }, error) {
		return struct{ At time.Time }{}, nil
	}); err != nil {
		t.Errorf("what encodes itself: %v", err)
	}
}
