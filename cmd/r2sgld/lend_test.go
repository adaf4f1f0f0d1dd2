//go:build !nohub

package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn/spread"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// lender starts a worker of the yard that lends its processor.
func (y *yard) lender(name string) *hand {
	return y.start(name+".log", "work", y.url(), "--allow", "torch", "--devices", "cpu", "--slots", "2", "--dir", filepath.Join(y.dir, name))
}

// TestNetworksOfHosts: a training whose networks move at workers, of which one is killed, or its program
// is, and one whose own process is killed and that is resumed, leave the bytes of the training by
// itself.
//
// Mutants it kills: moves that are not made again after a loss, states that are not taken along, a
// program that finds another seed or number of its replicas.
func TestNetworksOfHosts(t *testing.T) {
	pace.Slow(t)
	worker(t)
	alone := newYard(t)
	config := write(t, alone.dir, "fashion.yaml", strings.NewReplacer("resnet8", "lenet, norm: frn", "epochs: 3", "epochs: 60",
		"[0.05, 0.5]", "[0.05, 0.2, 0.5]", "[0.5, 1]", "[0.05, 0.07, 0.1]", "repeats: 2", "repeats: 1").Replace(onSmallFashion(t)))
	whole := filepath.Join(alone.dir, "run")
	alone.start("whole.log", "train", config, "--out", whole, "--threads", "1").done(exitDone)
	want := foldertest.Results(t, whole)
	for name, killed := range map[string]func(y *yard, out string){
		"worker": func(y *yard, out string) {
			one := y.lender("one")
			one.says("waiting for it", 1)
			run := y.start("run.log", "train", config, "--out", out, "--threads", "1", "--listen", y.port)
			run.says(" joins; 1 worker, 2 at once", 1)
			one.end(syscall.SIGKILL)
			two := y.lender("two")
			run.done(exitDone)
			run.says("its networks go on elsewhere", 1)
			run.says(" workers moved networks ", 1)
			if code := two.end(syscall.SIGTERM); code != exitDone {
				y.t.Errorf("a worker that is stopped: exit %d: %s", code, two.said())
			}
		},
		"program": func(y *yard, out string) {
			one := y.lender("one")
			one.says("waiting for it", 1)
			run := y.start("run.log", "train", config, "--out", out, "--threads", "1", "--listen", y.port)
			run.says(" joins", 1)
			killChildren(one.Process.Pid)
			run.done(exitDone)
		},
		"run": func(y *yard, out string) {
			one := y.lender("one")
			one.says("waiting for it", 1)
			run := y.start("killed.log", "train", config, "--out", out, "--threads", "1", "--listen", y.port, "--checkpoint", "20ms")
			run.says(" joins", 1)
			run.saved(out)
			if code := run.end(syscall.SIGKILL); code != -1 {
				y.t.Errorf("the run had ended: exit %d", code)
			}
			y.start("resumed.log", "resume", out, "--listen", y.port).done(exitDone)
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			out := filepath.Join(y.dir, "run")
			killed(y, out)
			same(t, name, want, foldertest.Results(t, out))
		})
	}
}

// TestLendRefused: a worker without the program, or without the device, says so and does not begin; one
// that was not allowed to lend says so, as does the run, which goes on alone.
func TestLendRefused(t *testing.T) {
	pace.Slow(t)
	worker(t)
	y := newYard(t)
	for said, args := range map[string][]string{
		"r2sgld-torch, libtorch ":                       {"work", y.url(), "--allow", "torch", "--devices", "cuda:97"},
		"--devices are for r2sgld-torch":                {"work", y.url(), "--devices", "cpu"},
		"what can be allowed is command and torch":      {"work", y.url(), "--allow", "everything"},
		"--any-bits is about workers":                   {"train", write(t, y.dir, "any.yaml", onSmallFashion(t)), "--any-bits"},
		"workers come one way or the other":             {"train", filepath.Join(y.dir, "any.yaml"), "--hub", y.url(), "--listen", y.port},
		"is no URL of a broker, such as nats://TOKEN@H": {"train", filepath.Join(y.dir, "any.yaml"), "--hub", "here"},
	} {
		h := y.start("refused.log", args...)
		h.done(exitUsage)
		h.says(said, 1)
	}
	stingy := y.start("stingy.log", "work", y.url(), "--dir", filepath.Join(y.dir, "stingy"))
	stingy.says("waiting for it", 1)
	run := y.start("run.log", "train", filepath.Join(y.dir, "any.yaml"), "--listen", y.port, "--out", filepath.Join(y.dir, "run"))
	run.says("a worker with --allow torch lends its devices; the run goes on alone", 1)
	stingy.says("a worker with --allow torch lends its devices", 1)
	run.done(exitDone)
	single := y.start("single.log", "train", filepath.Join(y.dir, "any.yaml"), "--listen", y.port, "--out", filepath.Join(y.dir, "single"),
		"--set", "sampler={method: sghmc, epochs: 1, batch: 100}")
	single.done(exitDone)
	single.says("workers cannot help: there is one network", 1)
	t.Setenv("R2SGLD_TORCH", filepath.Join(y.dir, "none"))
	bare := y.start("bare.log", "work", y.url(), "--allow", "torch")
	bare.done(exitUsage)
	bare.says("--allow torch: no worker program r2sgld-torch", 1)
}

var errBroken = errors.New("it is broken")

// TestUnfitDevices: a worker with another library, or devices of another kind alone, is sent away and
// told why, unless any bits do; of one with both kinds the fitting ones are taken.
func TestUnfitDevices(t *testing.T) {
	t.Parallel()
	broker, err := fleet.Listen("127.0.0.1:0", fleet.NewToken(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	for name, c := range map[string]struct {
		kit     fleet.Kit
		anyBits bool
		comes   string
		told    string
	}{
		"library":          {fleet.Kit{Library: "lib 2", Devices: []string{"cpu"}}, false, "", "has lib 2, and this machine lib 1"},
		"kind":             {fleet.Kit{Library: "lib 1", Devices: []string{"cuda:0"}}, false, "", "lends cuda:0, and this machine"},
		"both":             {fleet.Kit{Library: "lib 1", Devices: []string{"cuda:0", "cpu"}}, false, "cpu", ""},
		"any bits":         {fleet.Kit{Library: "lib 2", Devices: []string{"cuda:0"}}, true, "cuda:0", ""},
		"lost three times": {fleet.Kit{Library: "lib 1", Devices: []string{"cpu"}}, false, "cpu", "was lost 3 times, at last as it is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMarket(t, broker, name, c.kit)
			a := &afar{crew: m.crew, home: &atHome{devices: []string{"cpu"}}, library: "lib 1", anyBits: c.anyBits, places: map[string]*lentPlace{}}
			var all []spread.Place
			for len(all) == 0 && !m.heard(c.told, 2) {
				all = a.Come()
				time.Sleep(time.Millisecond)
			}
			if c.comes == "" && len(all) > 0 {
				t.Fatalf("what comes is %v", all)
			}
			for range strings.Count(c.told, "lost") * mostLost {
				a.Lost(all[0], errBroken)
			}
			if c.told != "" && !m.heard(c.told, 1) {
				t.Fatalf("told is %q", m.told)
			}
			for c.told != "" && !m.heard(c.told, 2) {
				time.Sleep(time.Millisecond)
			}
			if len(all) > 1 || (c.comes != "") != (len(all) == 1) || len(all) == 1 && all[0].(*lentPlace).Name != c.comes {
				t.Errorf("what comes is %v", all)
			}
			if again := a.Come(); len(again) != 0 {
				t.Errorf("what comes twice is %v", again)
			}
		})
	}
}

// TestLostNowAndThen: a place that was lost often, but has moved networks for long after each loss, is sent
// away no sooner than one that was lost once. That time goes by is not enough.
func TestLostNowAndThen(t *testing.T) {
	t.Parallel()
	broker, err := fleet.Listen("127.0.0.1:0", fleet.NewToken(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	m := newMarket(t, broker, "now and then", fleet.Kit{Library: "lib 1", Devices: []string{"cpu"}})
	a := &afar{crew: m.crew, home: &atHome{devices: []string{"cpu"}}, library: "lib 1", places: map[string]*lentPlace{}}
	var all []spread.Place
	for len(all) == 0 {
		all = a.Come()
		time.Sleep(time.Millisecond)
	}
	p := all[0].(*lentPlace)
	for range 2 * mostLost {
		a.Lost(p, errBroken)
		p.since = time.Now().Add(-2 * forgotten)
		a.Moved(p, 1)
	}
	if m.heard("was lost", 1) {
		t.Errorf("told is %q", m.told)
	}
	for range mostLost {
		a.Lost(p, errBroken)
		p.since = time.Now().Add(-2 * forgotten)
	}
	if !m.heard("was lost 3 times", 1) {
		t.Errorf("told is %q", m.told)
	}
}

// A market is a crew and a worker that lends something, and what both tell.
type market struct {
	crew *fleet.Crew
	mu   sync.Mutex
	told []string
}

func newMarket(t *testing.T, broker *fleet.Broker, name string, kit fleet.Kit) *market {
	t.Helper()
	m := &market{}
	tell := func(what string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.told = append(m.told, what)
	}
	ours, err := broker.Connect()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := broker.Connect()
	if err != nil {
		t.Fatal(err)
	}
	m.crew, err = fleet.Open(ours, fleet.Run{Name: name, Version: "1", Tell: tell,
		Brief: fleet.Brief{Command: fleet.Lending, Config: []byte("{}")}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	w := fleet.Worker{Name: "w1", Host: "here", Version: "1", Slots: 1, Dir: t.TempDir(), Tell: tell, Kit: kit,
		Start: func(string) (fleet.Program, error) { return nil, errBroken }}
	var over sync.WaitGroup
	over.Go(func() { _ = w.Work(ctx, theirs) })
	t.Cleanup(func() {
		stop()
		over.Wait()
		if err := m.crew.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// heard reports whether something was told on so many sides.
func (m *market) heard(what string, sides int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return what != "" && strings.Count(strings.Join(m.told, "\n"), what) >= sides
}
