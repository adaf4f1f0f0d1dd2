package images

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// numbered is a set whose pixel is the number of the example.
func numbered(labels []int32, classes int) *Set {
	s := &Set{Name: "numbered", Channels: 1, Height: 1, Width: 2, Labels: labels, Classes: classes}
	for i := range labels {
		s.Pixels = append(s.Pixels, byte(i), byte(i))
	}
	return s
}

// A subset has no example twice, the classes in proportion to less than one, and is
// the same for the same seed.
func TestSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Int32Range(0, 4), 1, 200).Draw(t, "labels")
		n := rapid.IntRange(1, len(labels)).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		s := numbered(labels, 5)
		a, err := s.Subset(n, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Subset(n, seed)
		if err != nil {
			t.Fatal(err)
		}
		if a.Len() != n || !slices.Equal(a.Pixels, b.Pixels) || !slices.Equal(s.Labels, labels) {
			t.Fatal(a.Len(), a.Pixels, b.Pixels)
		}
		for i, p := range a.Select([]int{n - 1, 0}).Index { // where an example was in the whole set
			if want := int(a.Pixels[[]int{2*n - 2, 0}[i]]); p != want || len(a.Index) != n {
				t.Fatalf("example %d is said to come from %d", want, p)
			}
		}
		was, is := make([]int, 5), make([]int, 5)
		for i, l := range a.Labels {
			is[l]++
			if labels[a.Pixels[2*i]] != l || (i > 0 && a.Pixels[2*i] <= a.Pixels[2*i-2]) {
				t.Fatal("examples are torn or not in order:", a.Labels, a.Pixels)
			}
		}
		for _, l := range labels {
			was[l]++
		}
		for c := range was {
			if d := float64(is[c]) - float64(n*was[c])/float64(len(labels)); math.Abs(d) >= 1 {
				t.Errorf("class %d: %d of %d for %d of %d", c, is[c], n, was[c], len(labels))
			}
		}
	})
}

// Every example of a class is drawn equally often: 60 examples, 20 drawn, 3,000 seeds.
// Counts of the chosen are binomial(3000, 1/3) of sd 25.8; 60 of them stay within 5.6
// sd but for 1e-6. Kills a shuffle that starts from j = 0 … and one that leaves out
// the last.
func TestSubsetUniform(t *testing.T) {
	labels := make([]int32, 60)
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	s, times := numbered(labels, 3), make([]int, 60)
	for seed := range uint64(3000) {
		a, err := s.Subset(20, seed)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Labels {
			times[a.Pixels[2*i]]++
		}
	}
	for i, k := range times {
		// Largest remainder gives the classes 7, 7 and 6 of their 20 each.
		p := 7.0 / 20
		if labels[i] == 2 {
			p = 6.0 / 20
		}
		if z := (float64(k) - 3000*p) / math.Sqrt(3000*p*(1-p)); math.Abs(z) > 5.6 {
			t.Errorf("example %d was drawn %d times, %g expected (z = %.1f)", i, k, 3000*p, z)
		}
	}
}

func TestSelect(t *testing.T) {
	s := numbered([]int32{1, 0, 1}, 2)
	if a := s.Select([]int{0, 1}); !slices.Equal(a.Pixels, []byte{0, 0, 1, 1}) || !slices.Equal(a.Labels, []int32{1, 0}) || a.Classes != 2 {
		t.Errorf("%+v", a)
	}
	for _, n := range []int{0, 4} {
		if _, err := s.Subset(n, 1); err == nil {
			t.Error("no error for", n)
		}
	}
}

// Moments against the two-pass formula; colours apart, a constant channel.
func TestMoments(t *testing.T) {
	s := &Set{Channels: 2, Height: 1, Width: 2, Pixels: []byte{0, 51, 7, 7, 102, 255, 7, 7}}
	mean, sd := s.Moments()
	// (0 + 0.2 + 0.4 + 1)/4 = 0.4, (0.16 + 0.04 + 0 + 0.36)/4 = 0.14. Kills n − 1.
	if math.Abs(mean[0]-0.4) > 1e-15 || math.Abs(sd[0]-math.Sqrt(0.14)) > 1e-15 || mean[1] != 7.0/255 || sd[1] != 1 {
		t.Error(mean, sd)
	}
}

func TestFit(t *testing.T) {
	s := &Set{Name: "digits", Channels: 1, Height: 2, Width: 1, Pixels: []byte{1, 2, 3, 4}, Labels: []int32{0, 1}, Classes: 2}
	a, err := s.Fit(3, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	one := []byte{0, 0, 1, 0, 2, 0, 0, 0}
	two := []byte{0, 0, 3, 0, 4, 0, 0, 0}
	if want := slices.Concat(one, one, one, two, two, two); !slices.Equal(a.Pixels, want) || a.Len() != 2 || s.Len() != 2 || s.Channels != 1 {
		t.Errorf("%v, want %v", a.Pixels, want)
	}
	if b, err := s.Fit(1, 2, 1); err != nil || b != s {
		t.Error(b, err)
	}
	if _, err := a.Fit(1, 4, 2); err == nil {
		t.Error("colours became grey")
	}
	if _, err := s.Fit(1, 1, 1); err == nil {
		t.Error("pictures were cut")
	}
}
