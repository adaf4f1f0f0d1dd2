package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// singlesOf reads a column of cells as float32.
func singlesOf(cells []string) (*Series, error) {
	return DecodeSeries(strings.NewReader("x,y\n"+strings.Join(cells, ",0\n")+",0\n"), "f.csv",
		Columns{Singles: []Named{{"x", "x"}}, Untimed: true, Noun: "column"})
}

// Numbers are rounded to the nearest float32, to even in the middle, and gaps stay gaps.
func TestSingles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-3.4e38, 3.4e38), 3, 50).Draw(t, "values")
		if rapid.Bool().Draw(t, "middles") { // between two numbers of 24 bits
			for i, v := range values {
				low := math.Abs(float64(float32(v)))
				values[i] = low + (float64(math.Nextafter32(float32(low), 0))-low)/2
			}
		}
		var cells []string
		for _, v := range values {
			cells = append(cells, fmt.Sprint(v))
		}
		s, err := singlesOf(append(cells, "NA"))
		most := max(slices.Max(values), -slices.Min(values))
		if tiny := most > 0 && most < 1e-150; (err != nil) != tiny {
			t.Fatalf("numbers of at most %g: %v", most, err)
		} else if tiny {
			return
		}
		got := s.Singles["x"]
		if len(got) != len(values)+1 || cap(got) > len(values)+3 || got[len(values)] == got[len(values)] || s.Values["x"] != nil {
			t.Fatalf("%d numbers of %d, with room for %d: %v", len(got), len(values)+1, cap(got), got)
		}
		for i, v := range values {
			below, above := float64(math.Nextafter32(got[i], -math.MaxFloat32)), float64(math.Nextafter32(got[i], math.MaxFloat32))
			off := math.Abs(float64(got[i]) - v)
			if odd := math.Float32bits(got[i])&1 == 1; off > v-below || off > above-v || odd && (off == v-below || off == above-v) {
				t.Fatalf("%v became %v", v, got[i])
			}
		}
	})
}

// Float32 is too coarse for whole numbers that it does not hold, and for numbers that it hardly tells apart.
func TestCoarseSingles(t *testing.T) {
	for text, coarse := range map[string]bool{
		"1 2 16777216":                            false, // all counts up to 2^24
		"1 2 16777217":                            true,
		"1 2 16777218":                            false,
		"1 2 16777217 NA":                         true,
		"1.5 2 16777217":                          false, // no counts
		"1e20 3e20 7.1e20":                        false, // too large to count by
		"1600000000 1600000001 1600000002":        true,
		"1600000000.5 1600000001.5 1600000002.25": true,
		"20000.25 20001.5 20002.75":               false, // days since 1970
		"2459000.1 2459001.2 2459002.3":           true,  // Julian days
		"0.1 0.1 0.1":                             false,
		"0.1 0.1 0.1000000001":                    true,
		"1e-50 1e-50 1e-50":                       true,
		"1e-50 0 2e-50":                           true,
		"290.15 291.25 300.35":                    false, // kelvins
		"-16777217 0 1":                           true,
		"3.4028235e38 0.5 1":                      false,
		"3.40282355e38 0.5 1":                     false, // rounded down
	} {
		s, err := singlesOf(strings.Fields(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := s.Coarse != nil; got != coarse {
			t.Errorf("%s: too coarse %v", text, got)
		}
	}
}

// Numbers beyond float32, and cells that are none, are told at their places.
func TestFaultsOfSingles(t *testing.T) {
	for cell, want := range map[string]string{
		"3.5e38":  "f.csv:3:1: \"3.5e38\" in column \"x\": too large for float32 (at most 3.402823e+38): change the unit, or take float64",
		"-1e100":  "f.csv:3:1: \"-1e100\" in column \"x\": too large for float32 (at most 3.402823e+38): change the unit, or take float64",
		"1e200":   "f.csv:3:1: \"1e200\" in column \"x\": too large to compute with (at most 1e+150): change the unit",
		"Inf":     "f.csv:3:1: \"Inf\" in column \"x\": not a finite number",
		"x":       "f.csv:3:1: \"x\" in column \"x\": not a number",
		"1,2,3,4": "f.csv:3:1: 5 cells in this row, 2 in the header",
	} {
		if _, err := singlesOf([]string{"1", cell, "2"}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", cell, err, want)
		}
	}
}
