//go:build !nohub

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// A yard is a broker that keeps cases, a list of them, and who did which.
type yard struct {
	t      testing.TB
	broker *Broker
	dir    string // of the broker
	list   *cases.List
	board  *Board

	mu   sync.Mutex
	made map[int][]string // by case, who did it
	told []string
}

// newYard has a list of n cases whose outcome is a file with their number.
func newYard(t testing.TB, n int) *yard {
	y := &yard{t: t, dir: t.TempDir(), made: map[int][]string{}}
	y.listen("127.0.0.1:0")
	y.board = &Board{Name: "test", ID: "a1", Program: "1", Dir: t.TempDir(), Tell: y.tell,
		Connect: func() (*nats.Conn, error) { return Connect(y.broker.URL()) }}
	y.list = &cases.List{Hands: 1, Others: y.board, Do: func(_ context.Context, i int) error { y.note(i, "here"); return nil },
		Case: func(i int) (cases.Case, error) {
			return cases.Case{Title: fmt.Sprint("case ", i), Command: "test", Config: fmt.Appendf(nil, `{"number": %d}`, i)}, nil
		}}
	y.list.Home = func(i int, dir, by string) error {
		text, err := os.ReadFile(filepath.Join(dir, "number"))
		if err == nil && string(text) != fmt.Sprint(i) {
			err = fmt.Errorf("it is %q, not %d", text, i)
		}
		if err == nil {
			y.note(i, by)
		}
		return err
	}
	for i := range n {
		y.list.Left = append(y.list.Left, i)
	}
	return y
}

// listen has a broker listen. Where it has done so before, its port may be in use for a moment: a client that asks for
// it again and again may be given it as its own.
func (y *yard) listen(address string) {
	b, err := Listen(address, "token", y.dir, nil)
	for begun := time.Now(); err != nil && y.broker != nil && time.Since(begun) < time.Minute; {
		time.Sleep(20 * time.Millisecond)
		b, err = Listen(address, "token", y.dir, nil)
	}
	if err != nil {
		y.t.Fatal(err)
	}
	y.broker = b
	y.t.Cleanup(b.Close)
}

func (y *yard) tell(s string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.told = append(y.told, s)
}

func (y *yard) note(i int, who string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.made[i] = append(y.made[i], who)
}

// numberOf reads the case that a worker is to do.
func numberOf(c cases.Case) (of struct{ Number int }) {
	_ = json.Unmarshal(c.Config, &of)
	return of
}

// leaves does a case.
func leaves(c cases.Case, dir string) error {
	_ = os.MkdirAll(dir, 0o777)
	return os.WriteFile(filepath.Join(dir, "number"), fmt.Append(nil, numberOf(c).Number), 0o666)
}

type doing = func(ctx context.Context, c cases.Case, place func(string) string, dir string) error

// worker starts a worker, and returns what has it vanish and what has it leave.
func (y *yard) worker(name, program string, slots int, do doing) (vanish, leave func()) {
	ctx, stop := context.WithCancel(context.Background())
	conn, err := Connect(y.broker.URL())
	if err != nil {
		y.t.Fatal(err)
	}
	w := &Worker{Name: name, Host: "host", Version: "1", Program: program, Slots: slots, Dir: y.t.TempDir(), Tell: y.tell, Case: do}
	var over sync.WaitGroup
	over.Go(func() { _ = w.Work(ctx, conn) })
	leave = sync.OnceFunc(func() { stop(); over.Wait(); conn.Close() })
	y.t.Cleanup(leave)
	return func() { conn.Close(); leave() }, leave
}

// work works the list off, and wants every case done once.
func (y *yard) work() {
	y.t.Helper()
	ctx, stop := context.WithTimeout(y.t.Context(), time.Minute)
	defer stop()
	if err := y.list.Work(ctx); err != nil {
		y.t.Fatalf("%v; told: %q", err, y.told)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	for i := range len(y.list.Begun) + len(y.list.Left) {
		if len(y.made[i]) != 1 {
			y.t.Errorf("case %d is done by %q", i, y.made[i])
		}
	}
}

// by is how many cases one has done whose name contains this.
func (y *yard) by(who string) (n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, all := range y.made {
		for _, name := range all {
			if strings.Contains(name, who) {
				n++
			}
		}
	}
	return n
}

// saidOf reports whether something was told.
func (y *yard) saidOf(what string) bool {
	return strings.Contains(y.all(), what)
}

// all is what was told, a line each.
func (y *yard) all() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return strings.Join(y.told, "\n")
}

// TestCases: every case is done once, whoever does it, no worker holds more than it has slots,
// all take part, and nothing is left at the broker.
func TestCases(t *testing.T) {
	const n = 24
	for _, workers := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			y := newYard(t, n)
			y.list.Begun, y.list.Left = []int{0}, y.list.Left[1:]
			y.list.Do = func(_ context.Context, i int) error { time.Sleep(50 * time.Millisecond); y.note(i, "here"); return nil }
			for k := range workers {
				var held atomic.Int32
				y.worker(fmt.Sprint("w", k), "1", 2, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
					defer held.Add(-1)
					if held.Add(1) > 2 {
						t.Error("a worker of two slots has three cases")
					}
					time.Sleep(50 * time.Millisecond)
					return leaves(c, dir)
				})
			}
			y.work()
			for k := range workers {
				if y.by(fmt.Sprint("w", k)) == 0 {
					t.Errorf("worker %d does nothing: %v", k, y.made)
				}
			}
			if y.made[0][0] != "here" {
				t.Error("a case of which a part is here is done elsewhere")
			}
			js, _ := jetstream.New(y.conn())
			for info := range js.ListStreams(t.Context()).Info() {
				t.Errorf("%s is left at the broker", info.Config.Name)
			}
		})
	}
}

func (y *yard) conn() *nats.Conn {
	conn, err := y.broker.Connect()
	if err != nil {
		y.t.Fatal(err)
	}
	y.t.Cleanup(conn.Close)
	return conn
}

// TestCaseFails: one that fails elsewhere is done here.
func TestCaseFails(t *testing.T) {
	t.Parallel()
	y := newYard(t, 6)
	y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
		if n := numberOf(c).Number; n%2 == 0 {
			return errors.New("no room")
		}
		return leaves(c, dir)
	})
	y.list.Do = func(_ context.Context, i int) error {
		time.Sleep(300 * time.Millisecond)
		y.note(i, "here")
		return nil
	}
	y.work()
	if !y.saidOf("since elsewhere it failed: no room") {
		t.Errorf("nobody tells of it: %q", y.told)
	}
}

// TestUnfitForCases: workers that may not do a case, or have another program, leave it to others.
func TestUnfitForCases(t *testing.T) {
	t.Parallel()
	y := newYard(t, 8)
	y.list.Do = func(_ context.Context, i int) error {
		time.Sleep(200 * time.Millisecond)
		y.note(i, "here")
		return nil
	}
	var asked atomic.Int32
	y.worker("shy", "1", 1, func(context.Context, cases.Case, func(string) string, string) error {
		asked.Add(1)
		return &Unfit{errors.New("it runs a program")}
	})
	y.worker("other", "2", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
	y.worker("good", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
	y.work()
	if n := asked.Load(); n != 1 {
		t.Errorf("the worker that may not is asked %d times", n)
	}
	if y.by("shy")+y.by("other") > 0 || !y.saidOf("it runs a program") || !y.saidOf("take the same program") ||
		!y.saidOf("worker shy on host does no more of these cases: it runs a program") || !y.saidOf("worker other on host does no more of these cases") {
		t.Errorf("%v %q", y.made, y.told)
	}
}

// TestDenials: which workers may not do the cases is told once of each, and of so many; what is none is not.
func TestDenials(t *testing.T) {
	t.Parallel()
	var told []string
	p := &posting{Board: &Board{Tell: func(s string) { told = append(told, s) }}}
	refused := map[string]bool{}
	for _, bad := range []string{"", "{", `{"worker": "a b", "host": "h"}`, `{"worker": "a", "host": "h\nh"}`, `{"worker": "", "host": "h"}`, `[]`} {
		p.hear([]byte(bad), refused)
	}
	if told != nil {
		t.Errorf("%q", told)
	}
	for i := range 3 * mostDenials {
		for range 2 {
			b, err := json.Marshal(denial{fmt.Sprint("w-", i), "host", "may not\nworker x " + strings.Repeat("y", 1<<20)})
			if err != nil {
				t.Fatal(err)
			}
			p.hear(b, refused)
		}
	}
	if len(told) != mostDenials+1 || !strings.HasPrefix(told[0], "worker w-0 on host does no more of these cases: may not\n    worker x y") ||
		len(told[0]) > 2*mostText || !strings.HasPrefix(told[mostDenials], "more workers") {
		t.Errorf("%d lines: %.100q … %q", len(told), told[0], told[len(told)-1])
	}
}

// TestEndIsTold: workers that have done cases of a list say when it has ended, others do not.
func TestEndIsTold(t *testing.T) {
	t.Parallel()
	y := newYard(t, 8)
	y.list.Do = func(ctx context.Context, i int) error {
		for ctx.Err() == nil && y.by("good") == 0 {
			time.Sleep(time.Millisecond)
		}
		y.note(i, "here")
		return nil
	}
	_, leaveShy := y.worker("shy", "1", 1, func(context.Context, cases.Case, func(string) string, string) error {
		return &Unfit{errors.New("it runs a program")}
	})
	_, leave := y.worker("good", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
	y.work()
	for begun := time.Now(); !y.saidOf("has ended") && time.Since(begun) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	leaveShy()
	leave()
	if all := y.all(); strings.Count(all, "has ended") != 1 || !y.saidOf("test has ended") {
		t.Errorf("it is told by others, or not at all: %q", y.all())
	}
}

// TestCaseGoesOn: a case whose worker vanishes, or leaves, goes on elsewhere from what it had
// saved.
func TestCaseGoesOn(t *testing.T) {
	for _, how := range []string{"vanish", "leave"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, 2)
			y.list.Do = func(ctx context.Context, i int) error { // here is enough to do
				y.note(i, "here")
				for y.by("second") == 0 && ctx.Err() == nil {
					time.Sleep(20 * time.Millisecond)
				}
				return ctx.Err()
			}
			begun := make(chan struct{}, 2)
			vanish, leave := y.worker("first", "1", 1, func(ctx context.Context, _ cases.Case, _ func(string) string, dir string) error {
				err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "half"), nil, 0o666),
					os.WriteFile(filepath.Join(dir, ".r2sgld.files"), []byte("a checkpoint"), 0o666))
				begun <- struct{}{}
				<-ctx.Done()
				return errors.Join(err, ctx.Err())
			})
			go func() {
				<-begun
				for y.by("here") == 0 && t.Context().Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
				if how == "vanish" {
					time.Sleep(4 * glance) // it is saved meanwhile
					vanish()
				} else {
					leave()
				}
				y.worker("second", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
					if _, err := os.Stat(filepath.Join(dir, "half")); err != nil {
						t.Error("it begins anew")
					}
					return leaves(c, dir)
				})
			}()
			y.work()
			if y.by("second") != 1 {
				t.Errorf("%v", y.made)
			}
		})
	}
}

// shelf makes the shelf of a list.
func (y *yard) shelf(id string) *shelf {
	js, err := jetstream.New(y.conn())
	if err != nil {
		y.t.Fatal(err)
	}
	s, err := declare(y.t.Context(), js, id, nil)
	if err != nil {
		y.t.Fatal(err)
	}
	return s
}

// TestKeysOfPrograms: what a case comes to depends on the program that it starts, whose files are the same
// wherever it is done.
func TestKeysOfPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.py")
	keys := map[string]bool{}
	for _, text := range []string{"", "print(1)", "print(2)"} {
		c := cases.Case{}
		if text != "" {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			c.Programs = []string{file}
		}
		e, err := newErrand("1", c, catalogue{})
		if err != nil || len(e.Case.Executed) != len(c.Programs) || Unchanged(e.Case.Executed) != nil {
			t.Fatalf("%q: %+v, %v", text, e, err)
		}
		keys[e.Key] = true
		if text == "" {
			continue
		}
		for name, spoil := range map[string]func() error{
			"another": func() error { return os.WriteFile(file, []byte("print(3)"), 0o666) },
			"none":    func() error { return os.Remove(file) },
		} {
			if err := spoil(); err != nil {
				t.Fatal(err)
			}
			if err := Unchanged(e.Case.Executed); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("%s program: %v", name, err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(keys) != 3 {
		t.Errorf("%d keys of 3 programs", len(keys))
	}
}

// TestFirstOutcomeHolds: of a case that is delivered twice one outcome is taken home, and the
// other's folder is thrown away, whether it is small or not.
func TestFirstOutcomeHolds(t *testing.T) {
	t.Parallel()
	y := newYard(t, 0)
	s := y.shelf("b2")
	e, err := newErrand("1", cases.Case{Config: []byte(`{"number": 3}`)}, catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // which puts it there once
		if err := s.put(t.Context(), []*errand{e}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range []int{0, 1 << 20} {
		e.Key = fmt.Sprintf("%032x", more)
		firstHolds(t, y, s, e, more)
	}
	m, err := s.next(t.Context(), time.Second)
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	_ = m.Ack()
	if again, _ := s.next(t.Context(), time.Second); again != nil {
		t.Error("it is there twice")
	}
}

// firstHolds has two workers do a case that leaves so many bytes besides its number.
func firstHolds(t *testing.T, y *yard, s *shelf, e *errand, more int) {
	waste := make([]byte, more) // which no archive makes smaller
	_, _ = rand.NewChaCha8([32]byte{}).Read(waste)
	for _, name := range []string{"a", "b"} {
		k := newCasework(&Worker{Name: name, Dir: t.TempDir(), Tell: y.tell,
			Case: func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
				return errors.Join(leaves(c, dir), os.WriteFile(filepath.Join(dir, "waste"), waste, 0o666))
			}}, s.js.Conn(), nil)
		d, err := k.make(t.Context(), s, e, false)
		if err == nil {
			err = k.commit(t.Context(), s, e, d)
		}
		if err == nil {
			err = k.commit(t.Context(), s, e, d) // whose answer was lost
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := s.what(t.Context(), e.Key)
	if err != nil || o.Worker != "a" || (o.Folder != nil) != (more == 0) {
		t.Fatalf("%v %v", o, err)
	}
	to := filepath.Join(t.TempDir(), "case")
	if err := s.home(t.Context(), o, to); err != nil {
		t.Errorf("the folder that holds: %v", err)
	}
	if left, err := os.ReadFile(filepath.Join(to, "waste")); err != nil || !bytes.Equal(left, waste) {
		t.Errorf("%d bytes came home, want %d: %v", len(left), more, err)
	}
	if _, err := s.things.GetInfo(t.Context(), nameOfMade(e.Key, "b")); !errors.Is(err, jetstream.ErrObjectNotFound) {
		t.Errorf("the other one: %v", err)
	}
}

// TestBrokerComesBack: while the broker is away cases are done here, and what workers did
// meanwhile comes home once it is back.
func TestBrokerComesBack(t *testing.T) {
	t.Parallel()
	y := newYard(t, 4)
	address := strings.Split(y.broker.URL(), "@")[1]
	var asked atomic.Int32
	begun, away := make(chan struct{}), make(chan struct{})
	y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
		if asked.Add(1) > 1 {
			return &Unfit{errors.New("it has done enough")}
		}
		close(begun)
		<-away
		return leaves(c, dir)
	})
	y.list.Do = func(_ context.Context, i int) error {
		if y.by("here") == 0 {
			<-begun
			y.broker.Close()
			close(away)
			time.Sleep(2 * silence / 3)
			y.listen(address)
		}
		y.note(i, "here")
		time.Sleep(100 * time.Millisecond)
		return nil
	}
	y.work()
	if y.by("worker w") == 0 {
		t.Errorf("what the worker did is lost: %v", y.made)
	}
}

// TestWhatWasDoneIsKept: what the broker does not take is tried again while it is away, and given up once
// the list is no more.
func TestWhatWasDoneIsKept(t *testing.T) {
	t.Parallel()
	y := newYard(t, 0)
	s := y.shelf("b3")
	if err := s.js.DeleteStream(t.Context(), shelfPrefix+s.id); err != nil {
		t.Fatal(err)
	}
	k := newCasework(&Worker{Name: "w", Dir: t.TempDir(), Tell: y.tell}, s.js.Conn(), nil)
	if err := k.insist(t.Context(), s, func(context.Context) error { return errors.New("it is no more") }); !errors.Is(err, errEnded) {
		t.Errorf("of a list that is no more: %v", err)
	}
	s = y.shelf("b4")
	y.broker.Close()
	tries := 0
	err := k.insist(t.Context(), s, func(context.Context) error {
		if tries++; tries > 1 {
			return nil
		}
		return errors.New("it is away")
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries: %v", tries, err)
	}
}

// away are the things of a broker that does not answer.
type away struct{ jetstream.ObjectStore }

func (away) Get(context.Context, string, ...jetstream.GetObjectOpt) (jetstream.ObjectResult, error) {
	return nil, nats.ErrTimeout
}

// TestPassingErrors: a broker that does not answer for a moment is no outcome of a case, and nothing begins anew for it.
func TestPassingErrors(t *testing.T) {
	t.Parallel()
	y := newYard(t, 1)
	s := &shelf{things: away{}}
	k := &casework{Worker: &Worker{Name: "w", Dir: t.TempDir(), Tell: y.tell}}
	e := &errand{Key: "k"}
	if d, err := k.make(t.Context(), s, e, true); !errors.Is(err, nats.ErrTimeout) || d.Failed != "" || d.Made != "" {
		t.Errorf("its part: %+v, %v", d.outcome, err)
	}
	e.Files = []File{{Path: "a", Size: 1, SHA256: strings.Repeat("0", 64)}}
	var unfit *Unfit
	if d, err := k.make(t.Context(), s, e, false); !errors.Is(err, nats.ErrTimeout) || errors.As(err, &unfit) || d.Failed != "" {
		t.Errorf("its file: %+v, %v", d.outcome, err)
	}
	e.Files[0].SHA256 = "no sum"
	if d, err := k.make(t.Context(), s, e, false); !errors.As(err, &unfit) || d.Failed != "" {
		t.Errorf("a file that is none: %+v, %v", d.outcome, err)
	}
	p := &posting{Board: y.board, list: y.list, ctx: t.Context(), conn: y.conn(), errand: map[int]*errand{0: e},
		stage: map[int]stage{0: coming}, left: 1}
	if p.fetch(s, 0, &outcome{Worker: "w", Made: "made"}) || p.stage[0] != offered {
		t.Errorf("its folder: stage %v", p.stage[0])
	}
	if !p.fetch(s, 0, &outcome{Worker: "w", Failed: "no"}) || p.stage[0] != ours {
		t.Errorf("a case that fails: stage %v", p.stage[0])
	}
}

// TestRunIsOverFirst: where a run that asked for states is over before a long case of another slot, cases are done again.
// Kills: a slot that left for the run comes back with the last of the others alone.
func TestRunIsOverFirst(t *testing.T) {
	t.Parallel()
	y := newYard(t, 6)
	release, again := make(chan struct{}), make(chan struct{})
	y.list.Do = func(_ context.Context, i int) error { <-release; y.note(i, "here"); return nil }
	var wanted atomic.Bool
	var calls atomic.Int32
	w := &Worker{Name: "w", Program: "1", Slots: 2, Dir: t.TempDir(), Tell: y.tell}
	k := newCasework(w, y.conn(), func(context.Context) bool { return wanted.Load() })
	w.Case = func(ctx context.Context, c cases.Case, _ func(string) string, dir string) error {
		switch calls.Add(1) {
		case 1: // the long one
			<-release
		case 2:
			for wanted.Store(true); !k.leave.Load(); {
				pause(ctx, moment)
			}
			wanted.Store(false)
		case 3:
			close(again)
		}
		return leaves(c, dir)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for !k.work(t.Context()) {
			pause(t.Context(), moment)
		}
	})
	all.Go(func() {
		select {
		case <-again:
		case <-time.After(time.Minute):
			t.Error("a slot is idle while there are cases")
		}
		close(release)
	})
	y.work()
	all.Wait()
}

// TestMessagesAreLost: what nobody is asked for any more is done here.
func TestMessagesAreLost(t *testing.T) {
	t.Parallel()
	y := newYard(t, 4)
	y.list.Do = func(ctx context.Context, i int) error {
		if y.by("here") == 0 {
			js, _ := jetstream.New(y.conn())
			queue, err := js.Stream(ctx, shelfPrefix+"a1")
			if err == nil {
				err = queue.Purge(ctx)
			}
			if err != nil {
				t.Error(err)
			}
		}
		y.note(i, "here")
		return nil
	}
	y.work()
}

// TestBrokerIsFull: what a broker has no room for is done here, and told of once; when there is
// room again the others are offered.
func TestBrokerIsFull(t *testing.T) {
	t.Parallel()
	y := newYard(t, 6)
	room := func(bytes int64) {
		limits := server.JetStreamAccountLimits{MaxMemory: bytes, MaxStore: bytes, MaxStreams: -1, MaxConsumers: -1}
		if err := y.broker.server.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": limits}); err != nil {
			t.Fatal(err)
		}
	}
	room(1)
	y.list.Do = func(_ context.Context, i int) error {
		if y.note(i, "here"); y.by("here") == 2 {
			room(-1)
			y.worker("w", "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error { return leaves(c, dir) })
			for y.by("worker w") == 0 && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		return nil
	}
	y.work()
	if told := y.all(); strings.Count(told, "cannot be offered") != 1 || !strings.Contains(told, "the disk of the broker is full") {
		t.Errorf("told: %s", told)
	}
}

// A reluctant broker refuses to create some streams first.
type reluctant struct {
	jetstream.JetStream
	refuses int
	code    jetstream.ErrorCode
}

func (r *reluctant) CreateOrUpdateStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	if r.refuses--; r.refuses >= 0 {
		return nil, fmt.Errorf("a stream: %w", &jetstream.APIError{Code: 500, ErrorCode: r.code, Description: "error creating store for stream"})
	}
	return r.JetStream.CreateOrUpdateStream(ctx, c)
}

// TestShelfOfReluctantBroker: a broker that does not create a stream at once is asked again for a while, one
// that has another reason is not.
func TestShelfOfReluctantBroker(t *testing.T) {
	t.Parallel()
	js, err := jetstream.New(newYard(t, 0).conn())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		refuses, left int
		code          jetstream.ErrorCode
		made          bool
	}{{2, -1, 10049, true}, {1 << 20, 1<<20 - mostAsked, 10049, false}, {2, 1, 10047, false}} {
		r := &reluctant{js, c.refuses, c.code}
		_, err := declare(t.Context(), r, "other", nil)
		if refusal := new(jetstream.APIError); (err == nil) != c.made || r.refuses != c.left || !c.made && (!errors.As(err, &refusal) || refusal.ErrorCode != c.code) {
			t.Errorf("%+v: %v, %d left", c, err, r.refuses)
		}
	}
}

// TestBrokerThatKeepsNothing is told of.
func TestBrokerThatKeepsNothing(t *testing.T) {
	b, err := Listen("127.0.0.1:0", NewToken(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	conn, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := KeepsCases(conn); err == nil || !strings.Contains(err.Error(), "keeps no cases") {
		t.Error(err)
	}
	y := newYard(t, 0)
	if err := KeepsCases(y.conn()); err != nil {
		t.Error(err)
	}
}

// BenchmarkCases is 40 cases of 250 ms by so many workers of one slot: the efficiency is the time
// of the cases by the workers and this machine over what it takes, of whole cases.
func BenchmarkCases(b *testing.B) {
	for _, workers := range []int{0, 1, 3, 7} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			const n, each = 40, 250 * time.Millisecond
			for b.Loop() {
				y := newYard(b, n)
				y.list.Do = func(_ context.Context, i int) error { time.Sleep(each); y.note(i, "here"); return nil }
				for k := range workers {
					y.worker(fmt.Sprint("w", k), "1", 1, func(_ context.Context, c cases.Case, _ func(string) string, dir string) error {
						time.Sleep(each)
						return leaves(c, dir)
					})
				}
				time.Sleep(askEvery) // so that they wait
				begun := time.Now()
				y.work()
				rounds := time.Duration((n + workers) / (workers + 1))
				b.ReportMetric(float64(rounds*each)/float64(time.Since(begun)), "efficiency")
			}
		})
	}
}
