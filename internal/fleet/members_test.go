//go:build !nohub

package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/potential"
)

// What is known of a crew: who evaluates how many states and how fast, and of those that went,
// why; of these the last ones alone.
//
// Mutants it kills: workers that were not taken among those of now; the first that went kept in
// place of the last.
func TestMembers(t *testing.T) {
	const r, wait = 12, time.Millisecond
	s := newSite(t, quartic(wait))
	b := s.trial(r, quartic(0))
	s.worker(3, quartic(wait))
	s.taken(1)
	b.blocks(20)
	m := s.crew.Members()
	if len(m.Now) != 1 || len(m.Gone) != 0 || m.Sent == 0 || m.Bytes == 0 {
		t.Fatalf("%+v", m)
	}
	w := m.Now[0]
	if w.Host != "here" || w.Slots != 3 || w.Answered == 0 || w.Fault != "" {
		t.Errorf("%+v", w)
	}
	// a state sleeps for so long at least
	if most := 1 / wait.Seconds(); w.PerSecond <= 0 || w.PerSecond > 3*most || m.Here.PerSecond <= 0 || m.Here.PerSecond > most*float64(m.Here.Slots) {
		t.Errorf("%g states a second there, %g here", w.PerSecond, m.Here.PerSecond)
	}

	s.worker(1, potential.Func(3, func([]float64, []float64) float64 { return 0 })) // has other bits
	for range 2000 {
		if m = s.crew.Members(); len(m.Gone) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(m.Gone) != 1 || !strings.Contains(m.Gone[0].Fault, "other bits") || m.Gone[0].Answered != 0 || m.Gone[0].At.IsZero() ||
		len(m.Now) != 1 {
		t.Fatalf("%+v", m)
	}

	s.crew.mu.Lock()
	for range mostGone - 1 {
		s.crew.remember(&worker{}, "went")
	}
	s.crew.dismiss(s.crew.workers[w.Name], farewell{"is lost", true})
	s.crew.workers["new"] = &worker{name: "new", seen: time.Now()}
	s.crew.mu.Unlock()
	m = s.crew.Members()
	if len(m.Now) != 0 || len(m.Gone) != mostGone || m.Gone[0].Fault != "went" {
		t.Fatalf("%+v", m)
	}
	if last := m.Gone[mostGone-1]; last.Name != w.Name || last.Answered < w.Answered || last.Fault != "is lost" {
		t.Errorf("%+v", last)
	}
	s.crew.join([]byte(`{"worker": "old", "host": "there", "version": "0", "arch": "any", "slots": 2}`))
	gone := s.crew.Members().Gone
	if last := gone[len(gone)-1]; last.Name != "old" || last.Slots != 2 || !strings.Contains(last.Fault, "is of version 1") {
		t.Errorf("%+v", last)
	}
}
