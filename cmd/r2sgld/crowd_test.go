//go:build !nohub

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// TestCrowd: one hub, a process of its own, and many workers, which sleep: how long it is until so many
// states were brought to them and back, and what that takes of the hub. R2SGLD_SOAK=1 has 200 workers
// and a million states, and then the memory of the hub must not grow with what went through.
func TestCrowd(t *testing.T) {
	pace.Slow(t)
	y := newYard(t)
	hub := y.start("hub.log", "hub", filepath.Join(y.dir, "r2sgld"), "--listen", y.port)
	hub.says("runs:", 1)
	workers, each := pace.Soak(20, 200), 10*time.Millisecond
	u := potential.Func(10, func(grad, x []float64) float64 {
		time.Sleep(each)
		copy(grad, x)
		return x[0]
	})
	conn, err := fleet.Connect(y.url())
	if err != nil {
		t.Fatal(err)
	}
	crew, err := fleet.Open(conn, fleet.Run{Name: "crowd", Version: "1", Brief: fleet.Brief{Config: []byte("{}")}, Tell: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var over sync.WaitGroup
	for i := range workers {
		c, err := fleet.Connect(y.url())
		if err != nil {
			t.Fatal(err)
		}
		w := &fleet.Worker{Name: fmt.Sprint("w", i), Host: "here", Version: "1", Slots: 1, Dir: t.TempDir(), Tell: func(string) {},
			Make: func(context.Context, fleet.Brief, func(string) string) (potential.Potential, error) { return u, nil }}
		over.Go(func() { defer c.Close(); _ = w.Work(ctx, c) })
	}
	r := 2 * workers
	e := crew.Potential(u).Evaluator(r, nil)
	energy, grad, x := make([]float64, r), make([]float64, 10*r), make([]float64, 10*r)
	for end := time.Now().Add(pace.Soak(2*time.Second, 20*time.Second)); time.Now().Before(end); { // they come
		e.Eval(energy, grad, x)
	}
	before, begun, cpu, early := crew.Tally(), time.Now(), hub.cpu(), hub.resident()
	want, now := pace.Soak[int64](4_000, 1_000_000), before
	for now.Elsewhere-before.Elsewhere < want && now.States-before.States < 10*want && potential.Err(e) == nil {
		e.Eval(energy, grad, x)
		now = crew.Tally()
	}
	took, late := time.Since(begun).Seconds(), hub.resident()
	states, messages := now.Elsewhere-before.Elsewhere, now.Messages-before.Messages
	t.Logf("%d workers: %d states elsewhere of %d, %.0f a second, %.0f messages and %.1f MB a second; the hub took %.1f %% of a core, "+
		"%.1f µs a message, and %d MB, %d before", workers, states, now.States-before.States, float64(states)/took, float64(messages)/took,
		float64(now.Bytes-before.Bytes)/took/1e6, 100*(hub.cpu()-cpu)/took, 1e6*(hub.cpu()-cpu)/float64(messages), late>>20, early>>20)
	if err := potential.Err(e); err != nil || states < want {
		t.Errorf("workers evaluated too little: %v", err)
	}
	if pace.Soaking() && late > 2*early+32<<20 {
		t.Errorf("the hub has grown from %d to %d bytes", early, late)
	}
	if err := crew.Close(); err != nil {
		t.Error(err)
	}
	stop()
	over.Wait()
}

// cpu is how many seconds the process has computed, by Linux' ticks of 10 ms.
func (h *hand) cpu() float64 {
	f := h.proc("stat")
	f = f[len(f)-50:] // from the state on
	user, err := strconv.ParseFloat(f[11], 64)
	system, err2 := strconv.ParseFloat(f[12], 64)
	if err != nil || err2 != nil {
		h.t.Fatal(err, err2)
	}
	return (user + system) / 100
}

// resident is how many bytes of memory it holds.
func (h *hand) resident() int {
	pages, err := strconv.Atoi(h.proc("statm")[1])
	if err != nil {
		h.t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// proc are the fields of a file of Linux on the process.
func (h *hand) proc(file string) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", h.Process.Pid, file))
	if err != nil {
		h.t.Skip(err)
	}
	return strings.Fields(string(b))
}
