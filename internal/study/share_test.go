package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// A tale is a study whose second list depends on what the first came to, and the third on the second.
// It counts what is computed.
type tale struct {
	mu       sync.Mutex
	preludes int
	computed map[string]int
	waits    chan struct{} // if there is one, case 0 of the second list waits for it
}

const pages = 5

func (s *tale) count(of string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.computed[of]++
}

func (s *tale) run(ctx context.Context, o Options) (*Study, error) {
	s.mu.Lock()
	s.preludes++
	s.mu.Unlock()
	all := []float64{float64(o.Seed)}
	for _, what := range []string{"tale: first", "tale: nothing", "tale: second", "tale: third"} {
		n := pages
		if what == "tale: nothing" {
			n = 0
		}
		before := slices.Clone(all)
		found, err := Gather(ctx, o, what, n, func(_ context.Context, i int) (reckoning, error) {
			if s.waits != nil && what == "tale: second" && i == 0 {
				<-s.waits
			}
			s.count(fmt.Sprint(o.Seed, what, i))
			r := reckon(i)
			r.Draws = before
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		for i, r := range found {
			all = append(all, (r.Draws[len(r.Draws)-1]+float64(i))/3)
		}
	}
	st := o.Begin("tale", "A tale")
	st.Results = all
	return st, nil
}

// Fellows are machines that do cases, each with replays of its own.
type fellows struct {
	t      *testing.T
	of     []*Replays
	spoilt func(text []byte) []byte // what is made of what they did; nil is nothing

	mu           sync.Mutex
	did          map[string]bool
	left, undone []int
	over         chan struct{}
	homeless     []error
}

func newFellows(t *testing.T, n int, s *tale) *fellows {
	f := &fellows{t: t, did: map[string]bool{}}
	for range n {
		r := &Replays{Threads: 1, Program: "program", Study: func(name string) (func(context.Context, Options) (*Study, error), error) {
			if name != "tale" {
				return nil, errors.New("no such study")
			}
			return s.run, nil
		}}
		t.Cleanup(r.Close)
		f.of = append(f.of, r)
	}
	return f
}

func (f *fellows) take() (i int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.left) == 0 {
		return 0, false
	}
	i, f.left = f.left[0], f.left[1:]
	return i, true
}

// Offer implements cases.Others: of two cases the fellows do one.
func (f *fellows) Offer(ctx context.Context, l *cases.List) (cases.Source, error) {
	f.left, f.over = slices.Clone(l.Left), make(chan struct{})
	var all sync.WaitGroup
	for _, of := range f.of {
		all.Go(func() {
			for {
				i, ok := f.take()
				if !ok {
					return
				}
				if err := f.do(ctx, of, l, i); err != nil {
					f.mu.Lock()
					f.homeless, f.undone = append(f.homeless, err), append(f.undone, i)
					f.mu.Unlock()
				}
			}
		})
	}
	go func() { all.Wait(); close(f.over) }()
	return f, nil
}

func (f *fellows) do(ctx context.Context, of *Replays, l *cases.List, i int) error {
	c, err := l.Case(i)
	if err != nil {
		return err
	}
	dir := filepath.Join(f.t.TempDir(), "made")
	moved := filepath.Join(f.t.TempDir(), "files")
	place := func(path string) string { return filepath.Join(moved, path) }
	for _, path := range c.Files {
		text, err := os.ReadFile(path)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(place(path)), 0o777), os.WriteFile(place(path), text, 0o666))
		}
		if err != nil {
			return err
		}
	}
	if err := of.Do(ctx, c.Config, place, dir); err != nil {
		return err
	}
	f.mu.Lock()
	f.did[string(c.Config)] = true
	f.mu.Unlock()
	if f.spoilt != nil {
		text, err := os.ReadFile(filepath.Join(dir, outcome))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, outcome), f.spoilt(text), 0o666)
		}
		if err != nil {
			return err
		}
	}
	return l.Home(i, dir, "a fellow")
}

// Next implements cases.Source: what the fellows failed to do.
func (f *fellows) Next(context.Context) (int, bool) {
	<-f.over
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.undone) == 0 {
		return 0, false
	}
	i := f.undone[0]
	f.undone = f.undone[1:]
	return i, true
}

func (f *fellows) Done(int)     {}
func (f *fellows) Close() error { return nil }

// shared runs a tale with fellows.
func (f *fellows) shared(s *tale, dir string, seed uint64) (*Study, error) {
	d, err := Open(dir, Task{"tale", Smoke, seed, "program"}, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return s.run(f.t.Context(), Options{Scale: Smoke, Seed: seed, Threads: 1, Keeper: d.Cases("tale"),
		Share: d.Share("tale", func(string) cases.Others { return f })})
}

func newTale() *tale { return &tale{computed: map[string]int{}} }

// Whoever does the cases of a study, it comes to the same, each case is computed once, and what a study
// does besides its cases is done once on a machine.
func TestShared(t *testing.T) {
	want, err := newTale().run(t.Context(), Options{Scale: Smoke, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		s := newTale()
		f := newFellows(t, n, s)
		got, err := f.shared(s, t.TempDir()+"/run", 1)
		if err != nil || len(f.homeless) > 0 {
			t.Fatal(err, f.homeless)
		}
		if !slices.Equal(got.Results.([]float64), want.Results.([]float64)) {
			t.Errorf("%d fellows: %v in place of %v", n, got.Results, want.Results)
		}
		if len(s.computed) != 3*pages || len(f.did) != 3*pages {
			t.Errorf("%d fellows: %d cases were computed, %d by fellows", n, len(s.computed), len(f.did))
		}
		for of, times := range s.computed {
			if times != 1 {
				t.Errorf("%d fellows: %s was computed %d times", n, of, times)
			}
		}
		if s.preludes < 2 || s.preludes > 1+n {
			t.Errorf("%d fellows: the study was begun %d times", n, s.preludes)
		}
	}
}

// A study that goes on in its folder asks for nothing that is kept, and sends the same files along.
func TestSharedGoesOn(t *testing.T) {
	s, dir := newTale(), t.TempDir()+"/run"
	one := newFellows(t, 1, s)
	if _, err := one.shared(s, dir, 1); err != nil {
		t.Fatal(err)
	}
	var third string
	files, _ := filepath.Glob(filepath.Join(dir, "cases", "*.case"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := unseal(text, &kept[reckoning]{}); err != nil {
			t.Fatal(err)
		}
		if l := (&list{Options: Options{Scale: Smoke, Seed: 1}, what: "tale: third"}); mustTake(l, 4, text) {
			third = file
		}
	}
	if err := os.Remove(third); err != nil {
		t.Fatal(err)
	}
	again := newFellows(t, 1, s)
	if _, err := again.shared(s, dir, 1); err != nil || len(again.did) != 1 || len(again.homeless) > 0 {
		t.Fatal(err, again.did, again.homeless)
	}
	for config := range again.did {
		if !one.did[config] || s.computed["1tale: third4"] != 2 || !strings.Contains(config, `"number":4`) {
			t.Errorf("%s was not asked for before", config)
		}
	}
}

func mustTake(l *list, i int, text []byte) bool {
	_, err := l.took(i, text)
	return err == nil
}

// A result of another seed, or of another case, or one that is damaged is not taken: it is computed here.
func TestSharedRefuses(t *testing.T) {
	other, o := []byte(nil), Options{Scale: Smoke, Seed: 2, Threads: 1, Keeper: &memory{cases: map[string][]byte{}}}
	if _, err := newTale().run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	other = o.Keeper.Find("tale: first 0")
	for name, spoil := range map[string]func(text []byte) []byte{
		"another seed": func([]byte) []byte { return other },
		"cut off":      func(text []byte) []byte { return text[:len(text)-1] },
		"nothing":      func([]byte) []byte { return nil },
	} {
		s := newTale()
		f := newFellows(t, 2, s)
		f.spoilt = spoil
		got, err := f.shared(s, t.TempDir()+"/run", 1)
		if err != nil || len(f.homeless) != 3*pages {
			t.Errorf("%s: %v, %d refused", name, err, len(f.homeless))
			continue
		}
		want, _ := newTale().run(t.Context(), Options{Scale: Smoke, Seed: 1})
		if !slices.Equal(got.Results.([]float64), want.Results.([]float64)) {
			t.Errorf("%s: %v", name, got.Results)
		}
	}
}

// asked is a case of a tale, with the files of the lists before it.
func asked(seed uint64, list string, number int, before []string) []byte {
	text, _ := json.Marshal(Case{"program", "tale", Smoke, seed, list, number, before})
	return text
}

// listsOf are the files that cases of a tale need.
func listsOf(t *testing.T, seed uint64) []string {
	s := newTale()
	d, err := Open(t.TempDir()+"/run", Task{"tale", Smoke, seed, "program"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	o := Options{Scale: Smoke, Seed: seed, Threads: 1, Keeper: d.Cases("tale"),
		Share: d.Share("tale", func(string) cases.Others { return nil })}
	if _, err := s.run(t.Context(), o); err != nil || len(o.Share.before) != 3 {
		t.Fatal(err, o.Share.before)
	}
	return o.Share.before
}

// Cases of several seeds and lists, in any order, are each what they are at home; what was begun for one
// seed does not serve another, and files of another seed are refused.
func TestReplays(t *testing.T) {
	s := newTale()
	r := newFellows(t, 1, s).of[0]
	here := func(path string) string { return path }
	files := map[uint64][]string{1: listsOf(t, 1), 2: listsOf(t, 2)}
	do := func(config []byte) ([]byte, error) {
		dir := filepath.Join(t.TempDir(), "made")
		if err := r.Do(t.Context(), config, here, dir); err != nil {
			return nil, err
		}
		return os.ReadFile(filepath.Join(dir, outcome))
	}
	lists := []string{"tale: first", "tale: second", "tale: third"}
	for _, k := range []int{0, 2, 1, 2, 0} {
		for _, seed := range []uint64{1, 2} {
			text, err := do(asked(seed, lists[k], 3, files[seed][:k]))
			if err != nil {
				t.Fatal(seed, lists[k], err)
			}
			l := &list{Options: Options{Scale: Smoke, Seed: seed}, what: lists[k]}
			var c kept[reckoning]
			if _, err := l.took(3, text); err != nil || unseal(text, &c) != nil || len(c.Value.Draws) != 1+k*pages ||
				c.Value.Draws[0] != float64(seed) {
				t.Errorf("seed %d, %s: %v, %+v", seed, lists[k], err, c)
			}
		}
	}
	foreign := bytes.Replace(asked(1, lists[0], 3, nil), []byte(`"program":"program"`), []byte(`"program":"another"`), 1)
	if _, err := do(foreign); !errors.Is(err, ErrBuild) {
		t.Errorf("a case of another build: %v", err)
	}
	for name, config := range map[string][]byte{
		"a list that does not follow": asked(1, "tale: third", 0, files[1][:1]),
		"a case beyond the last":      asked(1, "tale: first", pages, nil),
		"a case before the first":     asked(1, "tale: first", -1, nil),
		"files of another seed":       asked(1, "tale: second", 0, files[2][:1]),
		"files of another list":       asked(1, "tale: second", 0, files[1][1:2]),
		"lists beyond the last":       asked(1, "tale: fourth", 0, files[1]),
		"another study":               []byte(`{"program": "program", "study": "evidence", "scale": "smoke", "list": "a", "number": 0}`),
		"no file":                     asked(1, "tale: second", 0, []string{filepath.Join(t.TempDir(), "none")}),
	} {
		if _, err := do(config); err == nil {
			t.Errorf("%s: is done", name)
		}
	}
	if text, err := do(asked(1, "tale: first", 3, nil)); err != nil || len(text) == 0 {
		t.Errorf("after all that: %v", err)
	}
	if len(r.all) > mostReplays {
		t.Errorf("%d studies are kept", len(r.all))
	}
}

// A study does not go on to a later list while a case is in hand, and ends with those who ask.
func TestReplayWaits(t *testing.T) {
	files := listsOf(t, 1)
	synctest.Test(t, func(t *testing.T) {
		s := newTale()
		s.waits = make(chan struct{})
		r := newFellows(t, 1, s).of[0]
		done := make(chan error, 2)
		ask := func(ctx context.Context, config []byte) {
			done <- r.Do(ctx, config, filepath.Clean, filepath.Join(t.TempDir(), "made"))
		}
		go ask(t.Context(), asked(1, "tale: second", 0, files[:1]))
		synctest.Wait()
		if in := r.all[0].inHand; in != 1 {
			t.Fatalf("%d cases are in hand", in)
		}
		ctx, stop := context.WithCancel(t.Context())
		go ask(ctx, asked(1, "tale: third", 0, files[:2]))
		synctest.Wait()
		if n := len(r.all[0].passed); n != 2 {
			t.Errorf("%d lists are passed", n)
		}
		if s.computed["1tale: third0"] > 0 {
			t.Error("the study went on while a case was in hand")
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("who asked for the third list: %v", err)
		}
		close(s.waits)
		if err := <-done; err != nil {
			t.Error(err)
		}
		ask(t.Context(), asked(1, "tale: third", 0, files[:2]))
		if err := <-done; err != nil || s.preludes != 1 {
			t.Errorf("%v, the study was begun %d times", err, s.preludes)
		}
	})
}

// Cases of more studies at once than are kept are all done.
func TestReplaysMakeRoom(t *testing.T) {
	s := newTale()
	r := newFellows(t, 1, s).of[0]
	var all sync.WaitGroup
	for seed := range uint64(3 * mostReplays) {
		for i := range pages {
			dir := filepath.Join(t.TempDir(), "made")
			all.Go(func() {
				err := r.Do(t.Context(), asked(seed, "tale: first", i, nil), filepath.Clean, dir)
				if text, none := os.ReadFile(filepath.Join(dir, outcome)); err != nil || none != nil ||
					!mustTake(&list{Options: Options{Scale: Smoke, Seed: seed}, what: "tale: first"}, i, text) {
					t.Errorf("seed %d, case %d: %v, %v", seed, i, err, none)
				}
			})
		}
	}
	all.Wait()
}
