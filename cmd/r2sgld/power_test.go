//go:build linux && !nohub

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// What a hub has acknowledged is there after it, at any moment under load, is killed. R2SGLD_SOAK=1 does
// so 50 times and, as root, loses the power 50 times: its file system ends without what was not synced.
// Kills, where the power is lost: a broker without SyncAlways.
func TestHubKeepsWhatItTook(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	for name, kind := range map[string]struct {
		lose  func(*platter, *process)
		rare  bool
		times int
	}{"killed": {func(*platter, *process) {}, false, pace.Soak(2, 50)}, "power": {(*platter).fail, true, 50}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, true) // whose hub is started below
			var d *platter
			if kind.rare {
				if !pace.Soaking() || os.Geteuid() != 0 {
					t.Skip("mounts a file system: R2SGLD_SOAK=1, as root")
				}
				d = newPlatter(t, f.dir)
			}
			f.startHub()
			took, rng := acknowledged{of: map[string][]byte{}}, rand.New(rand.NewPCG(11, uint64(len(name))))
			for round := range kind.times {
				kv, things := took.check(f)
				before := len(took.of)
				wait := took.load(kv, things, uint64(round))
				for took.count() == before && f.hub.alive() {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(rng.IntN(500)) * time.Millisecond)
				kind.lose(d, f.hub)
				f.kill(f.hub)
				wait()
				if kind.rare {
					d.comeBack()
				}
				f.startHub()
			}
			took.check(f)
			t.Logf("%d times; %d acknowledged things are all there", kind.times, len(took.of))
		})
	}
}

// A run that loses the power, at moments that nobody chose, and is resumed leaves the bytes of the run
// that was never interrupted, and once it has ended they are there after a loss as well.
// Kills: draws that are not synced before a checkpoint.
func TestLostPower(t *testing.T) {
	if !pace.Soaking() || os.Geteuid() != 0 {
		t.Skip("mounts a file system: R2SGLD_SOAK=1, as root")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	seen := map[string]int{}
	for name, text := range killed() {
		t.Run(name, func(t *testing.T) {
			dir, at := t.TempDir(), t.TempDir()
			file, whole := write(t, dir, name+".yaml", text), filepath.Join(dir, "whole")
			must(t, exitDone, "sample", file, "--out", whole, "--quiet")
			d := newPlatter(t, at)
			k := &killer{t: t, rng: rand.New(rand.NewPCG(seed, uint64(len(name)))), file: file, out: filepath.Join(at, "run"), seen: seen,
				kill: func(p *process, after time.Duration) {
					p.signal(syscall.SIGSTOP, after)
					d.fail(p)
					_ = p.Process.Signal(syscall.SIGKILL)
					<-p.ended
					d.comeBack()
				}}
			want := foldertest.Results(t, whole)
			for k.kills < 50 {
				k.run(1 + k.rng.IntN(4))
				d.powerLoss()
				d.comeBack()
				same(t, fmt.Sprintf("after %v", k.moments), want, foldertest.Results(t, k.out))
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
	t.Logf("power lost during: %v", seen)
}

// awaitStop waits until every thread of a process that was sent SIGSTOP stands still, or it has ended.
func (p *process) awaitStop() {
	for p.alive() {
		states, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Process.Pid))
		if !slices.ContainsFunc(states, func(file string) bool {
			b, err := os.ReadFile(file)
			_, state, _ := bytes.Cut(b, []byte(") "))
			return err == nil && !bytes.HasPrefix(state, []byte("T"))
		}) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// An acknowledged is what a hub acknowledged, by name.
type acknowledged struct {
	mu sync.Mutex
	of map[string][]byte
}

func (k *acknowledged) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.of)
}

// large is the size beyond which a thing goes to the object store, in parts.
const large = 200_000

// at returns the stores of a hub, as those of a list of cases are made, once it answers.
func (k *acknowledged) at(f *fleetOf) (jetstream.KeyValue, jetstream.ObjectStore) {
	f.t.Helper()
	var last error
	for range 1000 {
		kv, things, err := storesOf("nats://" + f.token() + "@" + f.address)
		if err == nil {
			return kv, things
		}
		last = err
		time.Sleep(10 * time.Millisecond)
	}
	f.t.Fatalf("the hub does not come back: %v; it says %s", last, f.hub.stderr.String())
	return nil, nil
}

func storesOf(url string) (kv jetstream.KeyValue, things jetstream.ObjectStore, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := nats.Connect(url, nats.NoReconnect())
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(c)
	if err == nil {
		kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "took"})
	}
	if err == nil {
		things, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "took"})
	}
	if err != nil {
		c.Close()
	}
	return kv, things, err
}

// load gives the hub things, several at once, until it answers no more, for which the function returned waits.
func (k *acknowledged) load(kv jetstream.KeyValue, things jetstream.ObjectStore, round uint64) (wait func()) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	var all sync.WaitGroup
	for hand := range uint64(4) {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(round, hand))
			for i := 0; ; i++ {
				name, value := fmt.Sprintf("%d.%d.%d", round, hand, i), make([]byte, 1+rng.IntN(4000))
				if i%8 == 7 {
					value = make([]byte, large+rng.IntN(large))
				}
				for j := range value {
					value[j] = byte(rng.Uint32())
				}
				var err error
				once, done := context.WithTimeout(ctx, 2*time.Second)
				if len(value) < large {
					_, err = kv.Create(once, name, value)
				} else {
					_, err = things.PutBytes(once, name, value)
				}
				done()
				if err != nil {
					return
				}
				k.mu.Lock()
				k.of[name] = value
				k.mu.Unlock()
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// check compares all with what the hub has, and returns its stores.
func (k *acknowledged) check(f *fleetOf) (jetstream.KeyValue, jetstream.ObjectStore) {
	f.t.Helper()
	kv, things := k.at(f)
	for name, value := range k.of {
		k.one(f.t, kv, things, name, value)
	}
	return kv, things
}

// one compares a thing.
func (k *acknowledged) one(t *testing.T, kv jetstream.KeyValue, things jetstream.ObjectStore, name string, value []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	var got []byte
	var err error
	if len(value) < large {
		var e jetstream.KeyValueEntry
		if e, err = kv.Get(ctx, name); err == nil {
			got = e.Value()
		}
	} else {
		got, err = things.GetBytes(ctx, name)
	}
	if err != nil || !bytes.Equal(got, value) {
		t.Fatalf("%s of %d bytes was acknowledged: the hub has %d: %v", name, len(value), len(got), err)
	}
}

// A platter is an ext4 file system in a file, mounted.
type platter struct {
	t         *testing.T
	image, at string
}

func newPlatter(t *testing.T, at string) *platter {
	d := &platter{t, filepath.Join(t.TempDir(), "disk"), at}
	for _, c := range [][]string{{"truncate", "-s", "1G", d.image}, {"mkfs.ext4", "-q", "-F", d.image}} {
		d.do(c...)
	}
	d.mount()
	t.Cleanup(func() { _ = exec.Command("umount", "-l", at).Run() })
	return d
}

func (d *platter) do(command ...string) {
	d.t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		d.t.Fatalf("%q: %v: %s", command, err, out)
	}
}

// fail loses the power of a process, which does nothing meanwhile: what cannot be synced any more is
// acknowledged to nobody.
func (d *platter) fail(p *process) {
	_ = p.Process.Signal(syscall.SIGSTOP)
	p.awaitStop()
	d.powerLoss()
}

// powerLoss ends the file system: nothing more is written, neither of files nor of its journal.
func (d *platter) powerLoss() {
	const shutdown, withoutJournal = 0x8004587d, 2 // EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH
	f, err := os.Open(d.at)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), shutdown, withoutJournal)
		_ = f.Close()
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *platter) mount() { d.do("mount", "-o", "loop", d.image, d.at) }

// comeBack mounts it anew, as it is on the disk.
func (d *platter) comeBack() {
	d.do("umount", d.at)
	d.mount()
}
