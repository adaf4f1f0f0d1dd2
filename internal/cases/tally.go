package cases

import (
	"slices"
	"sync"
	"time"
)

// A Tally is how far lists of cases are that follow each other, for those who watch; nil counts
// nothing.
type Tally struct {
	mu  sync.Mutex
	now Standing
}

// A Standing is how far the newest list is, and who has done cases, of this list and those before.
type Standing struct {
	List string `json:"list"`
	Of   int    `json:"of"`
	Done int    `json:"done"`
	By   []By   `json:"by"` // in the order in which they came
}

// By is somebody who has done cases.
type By struct {
	Who  string    `json:"who"` // "" is this machine
	Done int       `json:"done"`
	Last time.Time `json:"last"`
}

// Begin counts a list of so many cases, of which some were done before.
func (t *Tally) Begin(list string, of, done int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.List, t.now.Of, t.now.Done = list, of, done
}

// did counts a case.
func (t *Tally) did(who string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Done++
	k := slices.IndexFunc(t.now.By, func(b By) bool { return b.Who == who })
	if k < 0 {
		k = len(t.now.By)
		t.now.By = append(t.now.By, By{Who: who})
	}
	t.now.By[k].Done++
	t.now.By[k].Last = time.Now()
}

// Now is how far it is.
func (t *Tally) Now() Standing {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.now
	s.By = append([]By{}, s.By...)
	return s
}
