package theory_test

import (
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/theory"
)

// The 25-mode energy on the flower, 400 × 400: five eigenpairs.
func BenchmarkFlower(b *testing.B) {
	d, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		b.Fatal(err)
	}
	p := theory.Problem{Potential: modes25(), Domain: d}
	b.ReportAllocs()
	for b.Loop() {
		modes, err := process(b, p, []float64{1}, 0, 400).Modes(b.Context(), 5)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(modes[0].Value, "gap")
	}
}

// Two rungs on 300 cells each: five eigenpairs.
func BenchmarkProduct(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := process(b, twoWells(b), []float64{0.3, 2}, 1, 300).Modes(b.Context(), 5); err != nil {
			b.Fatal(err)
		}
	}
}

// The swaps and everything else that Measure does with two rungs on the plane.
func BenchmarkMeasurePlane(b *testing.B) {
	p := theory.Problem{Potential: modes25(), Domain: disk(b, 0, 0, 2)}
	s := theory.Settings{Temperature: []float64{1, 10}, Intensity: 1,
		Decay: &theory.Decay{Start: []float64{0, 0}, Times: []float64{0.1, 1, 10}}}
	b.ReportAllocs()
	for b.Loop() {
		measure(b, p, s)
	}
}
