package store

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers of a log that are not known are null, alone and in lists; others are as they are.
func TestLogOfWhatIsNotKnown(t *testing.T) {
	f, err := Create(Disk{}, filepath.Join(t.TempDir(), "run"), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	l, err := f.Logger()
	if err != nil {
		t.Fatal(err)
	}
	l.Info("round", "rhat", math.NaN(), "ess", math.Inf(1), "rejection", []float64{0.25, math.NaN()}, "none", []float64(nil), "seconds", 1.5)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := f.ReadFile("log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const want = `"rhat":null,"ess":null,"rejection":[0.25,null],"none":null,"seconds":1.5}`
	if !json.Valid(text) || !strings.Contains(string(text), want) {
		t.Errorf("%s", text)
	}
}
