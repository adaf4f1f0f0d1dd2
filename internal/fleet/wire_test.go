package fleet

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
	"github.com/r2sgld/r2sgld/internal/vector"
)

var same = vector.Same

// TestFrames: blocks and answers are read as they were written.
func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 9).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		b := &block{id: rapid.Uint64().Draw(t, "id"), variant: rapid.StringMatching("[xfr]{0,8}").Draw(t, "variant"), n: n, d: d,
			x: rapid.SliceOfN(rapid.Float64(), n*d, n*d).Draw(t, "x")}
		got, err := readBlock(b.append(nil))
		if err != nil || got.id != b.id || got.variant != b.variant || got.n != n || got.d != d || !same(got.x, b.x) {
			t.Fatalf("%+v read as %+v, %v", b, got, err)
		}
		a := &answer{id: b.id, held: 7, took: 3, n: n, d: d, values: rapid.SliceOfN(rapid.Float64(), n*(d+1), n*(d+1)).Draw(t, "values")}
		back, err := readAnswer(a.append(nil))
		if err != nil || back.id != a.id || back.held != 7 || back.took != 3 || back.n != n || back.d != d || !same(back.values, a.values) {
			t.Fatalf("%+v read as %+v, %v", a, back, err)
		}
		why := rapid.StringN(1, 50, 100).Draw(t, "why")
		if back, err = readAnswer((&answer{id: 3, failed: why}).append(nil)); err != nil || back.failed != why || back.id != 3 {
			t.Fatalf("%q read as %+v, %v", why, back, err)
		}
	})
}

// TestSame: not a number is the same as another, 0 is not −0, and rounding is near.
func TestSame(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		a, b       float64
		same, near bool
	}{
		{1, 1, true, true}, {nan, -nan, true, true}, {0, zero, false, true}, {1, 1 + 1e-12, false, true}, {1e9, 1e9 + 1e-3, false, true},
		{1, 1.001, false, false}, {nan, 1, false, false}, {math.Inf(1), math.Inf(-1), false, false}, {math.Inf(1), 1e308, false, false},
	} {
		a, b := []float64{c.a}, []float64{c.b}
		if same(a, b) != c.same || near(a, b) != c.near {
			t.Errorf("%v and %v: same %v, near %v", c.a, c.b, same(a, b), near(a, b))
		}
	}
	if same([]float64{1}, nil) || near(nil, []float64{1}) {
		t.Error("numbers of another count are the same")
	}
}

// FuzzBlock: whatever comes is read or refused, takes no more memory than it has bytes, and is
// written as it was read.
func FuzzBlock(f *testing.F) {
	f.Add((&block{id: 1, variant: "xf", n: 2, d: 2, x: []float64{1, 2, 3, 4}}).append(nil))
	f.Add(bytes.Repeat([]byte{255}, blockHead))
	f.Fuzz(func(t *testing.T, m []byte) {
		b, err := readBlock(m)
		if err == nil && (len(b.x) != b.n*b.d || len(b.x) > len(m)/8 || len(b.variant) > variantBytes || !bytes.Equal(b.append(nil), m)) {
			t.Errorf("%d bytes read as %d × %d, %d numbers", len(m), b.n, b.d, len(b.x))
		}
	})
}

// FuzzAnswer is [FuzzBlock] of answers.
func FuzzAnswer(f *testing.F) {
	f.Add((&answer{id: 1, n: 2, d: 2, values: []float64{1, 2, 3, 4, 5, 6}}).append(nil))
	f.Add((&answer{id: 1, failed: "no"}).append(nil))
	f.Add(bytes.Repeat([]byte{255}, answerHead))
	f.Fuzz(func(t *testing.T, m []byte) {
		a, err := readAnswer(m)
		switch {
		case err != nil:
		case a.failed != "" && (len(a.values) > 0 || len(a.failed) > max(mostText, 20)):
			t.Errorf("a failure with %d numbers", len(a.values))
		case a.failed == "" && (len(a.values) != a.n*(a.d+1) || len(a.values) > len(m)/8 || !bytes.Equal(a.append(nil), m)):
			t.Errorf("%d bytes read as %d × %d, %d numbers", len(m), a.n, a.d, len(a.values))
		}
	})
}
