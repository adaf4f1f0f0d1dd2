package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
)

// The correction is the one at which the share asked for is made. Kills: the halves
// exchanged, a step too few.
func TestThreshold(t *testing.T) {
	c, err := Threshold(-8, 8, 0.3, 30, func(c float64) (float64, error) { return c / (1 + c), nil })
	if want := 0.3 / 0.7; err != nil || math.Abs(c/want-1) > 16*math.Exp2(-30) {
		t.Errorf("correction %g, not %g: %v", c, want, err)
	}
	broken := errors.New("no")
	if _, err := Threshold(-8, 8, 0.3, 3, func(float64) (float64, error) { return 0, broken }); err != broken {
		t.Error(err)
	}
}

// Every part is done once, and none after an error. Kills: parts that begin though one
// has failed, an error that is lost.
func TestEach(t *testing.T) {
	var done [40]atomic.Int32
	if err := (Options{Threads: 3}).Each(t.Context(), "parts", len(done), func(_ context.Context, i int) error {
		done[i].Add(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("part %d is done %d times", i, n)
		}
	}
	broken, begun := errors.New("no"), 0
	err := Options{Threads: 1}.Each(t.Context(), "parts", 9, func(_ context.Context, i int) error {
		begun++
		return broken
	})
	if err != broken || begun != 1 {
		t.Errorf("%v after %d parts", err, begun)
	}
}

// How long a study took is noted, and a part that fails is an error of its own.
func TestConduct(t *testing.T) {
	if s, err := (Options{Scale: Smoke}).Conduct(func() (*Study, error) { return &Study{Seconds: -1}, nil }); err != nil || !(s.Seconds >= 0) {
		t.Error(err)
	}
	if s, err := (Options{Scale: Smoke}).Conduct(func() (*Study, error) { return nil, errors.New("no") }); err == nil || s != nil {
		t.Errorf("%v, %v", s, err)
	}
	var spent Spells
	broken := errors.New("no")
	if err := spent.Time(Options{}, "study", "part", func() (int64, error) { return 7, broken }); err != broken || len(spent) != 1 ||
		spent[0].Amount != 7 {
		t.Errorf("%v, %v", err, spent)
	}
}

// Pairs are told with r2SGLD first, and labels come one by one or in lists.
func TestSamplers(t *testing.T) {
	labels := []string{"SGLD", "r2SGLD", "R-SGLD"}
	if got := Leading(labels); !slices.Equal(got, []string{"r2SGLD", "SGLD", "R-SGLD"}) || labels[0] != "SGLD" {
		t.Errorf("%v of %v", got, labels)
	}
	if got := Rivals(labels); len(got) != 2 || got[1] != [2]string{"r2SGLD", "R-SGLD"} {
		t.Error(got)
	}
	if got := Labels("a", []string{"b", "c"}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Error(got)
	}
}
