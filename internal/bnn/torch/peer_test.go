package torch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A program tells what it has: its library, and devices that can be opened. One that is none is refused
// as by Open.
func TestInspect(t *testing.T) {
	pace.Slow(t)
	path := worker(t)
	library, devices, err := Inspect(t.Context(), path)
	if err != nil || !strings.HasPrefix(library, "libtorch ") || !slices.Contains(devices, "cpu") {
		t.Errorf("%s, %v, %v", library, devices, err)
	}
	for _, d := range devices {
		open(t, mlp(1), Options{Worker: path, Devices: []string{d}})
	}
	var wrong *Mismatch
	if _, _, err := Inspect(t.Context(), "true"); !errors.As(err, new(*Missing)) {
		t.Errorf("a program that is not there: %v", err)
	}
	t.Setenv("R2SGLD_FAKE_WORKER", "version")
	if _, _, err := Inspect(t.Context(), os.Args[0]); !errors.As(err, &wrong) {
		t.Errorf("another version: %v", err)
	}
}

// A program that was started by somebody else has the numbers of one that Open has started, and replicas
// those that they have among others.
func TestJoin(t *testing.T) {
	pace.Slow(t)
	s := mlp(4)
	whole := open(t, s, Options{Threads: 2})
	get[[]bnn.Outcome](t)(whole.Start(batch))
	want := states(t, whole)
	some := s
	some.Replicas, some.Numbers = 2, []int{3, 1}
	peer := get[*Local](t)(StartOn(worker(t), device))
	e := get[bnn.Engine](t)(Join(t.Context(), some, peer, "a program", Within(device), 2))
	defer e.Close()
	set := pictures(20, s.Network)
	mean, sd := make([]float64, set.Channels), make([]float64, set.Channels)
	for c := range mean {
		mean[c], sd[c] = 0.45+0.01*float64(c), 0.25+0.02*float64(c)
	}
	must(t, e.Load(0, set, mean, sd))
	get[[]bnn.Outcome](t)(e.Start(batch))
	if got := states(t, e); !reflect.DeepEqual(got, []*bnn.State{want[3], want[1]}) {
		t.Error("other numbers")
	}
	must(t, e.Close())
	if !peer.Stopped() {
		t.Error("it was not ended with the engine")
	}
}

// A reply that is longer than any that is due is refused before it is read.
func TestReplyTooLong(t *testing.T) {
	t.Setenv("R2SGLD_FAKE_WORKER", "endless")
	peer := get[*Local](t)(Start(os.Args[0]))
	e := get[bnn.Engine](t)(Join(t.Context(), mlp(1), peer, "a program", "cpu", 1))
	defer e.Close()
	if _, err := e.State(0); !errors.Is(err, errLength) {
		t.Errorf("%v", err)
	}
}

// A program finds the device alone that it is started on.
func TestStartOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\necho \"$CUDA_VISIBLE_DEVICES\"\n"), 0o700))
	for _, c := range []struct{ known, device, want, within string }{
		{"5,7", "cuda:1", "7", "cuda:0"}, {"5,7", "cuda", "5", "cuda:0"}, {"5,7", "cpu", "", "cpu"},
	} {
		t.Setenv(visible, c.known)
		p := get[*Local](t)(StartOn(path, c.device))
		said := get[[]byte](t)(io.ReadAll(p))
		p.Stop(grace)
		if string(said) != c.want+"\n" || Within(c.device) != c.within {
			t.Errorf("%+v: %q, %s", c, said, Within(c.device))
		}
	}
	for _, d := range []string{"cuda:2", "cuda:-1", "cuda:x"} {
		if p, err := StartOn(path, d); err == nil {
			p.Stop(0)
			t.Errorf("%s was started", d)
		}
	}
	must(t, os.Unsetenv(visible))
	p := get[*Local](t)(StartOn(path, "cuda:3"))
	if said := get[[]byte](t)(io.ReadAll(p)); string(said) != "3\n" {
		t.Errorf("%q", said)
	}
	p.Stop(grace)
}
