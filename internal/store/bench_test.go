package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// The time that a number costs from Keep to the file, and what a folder of 10⁷
// draws costs to finish.
func BenchmarkKeep(b *testing.B) {
	for _, c := range []struct{ dim, rungs int }{{2, 1}, {2, 8}, {10, 8}, {100, 8}, {1000, 8}} {
		b.Run(fmt.Sprintf("d=%d/rungs=%d", c.dim, c.rungs), func(b *testing.B) {
			s, x, u := benchStream(b, c.dim, c.rungs)
			w := s.Chain(0)
			for b.Loop() {
				if err := w.Keep(x, u); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.l.width()), "ns/number")
		})
	}
}

func benchStream(b *testing.B, dim, rungs int) (*Writer, [][]float64, []float64) {
	d := &Run{}
	for j := range dim {
		d.Names = append(d.Names, fmt.Sprintf("x%d", j))
	}
	x, u := make([][]float64, rungs), make([]float64, rungs)
	for r := range x {
		d.Temperature = append(d.Temperature, float64(r+1))
		x[r] = make([]float64, dim)
		for j := range x[r] {
			x[r][j] = rand.Float64()
		}
	}
	s, err := onRecord(b, b.TempDir(), Disk{}).NewWriter(d, 4)
	if err != nil {
		b.Fatal(err)
	}
	return s, x, u
}

func BenchmarkFinish(b *testing.B) {
	s, x, u := benchStream(b, 2, 1)
	for i := range 4 {
		for range 1_000_000 {
			x[0][0], x[0][1], u[0] = rand.NormFloat64(), rand.NormFloat64(), rand.ExpFloat64()
			if err := s.Chain(i).Keep(x, u); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		if err := s.Finish(1); err != nil {
			b.Fatal(err)
		}
	}
	size := int64(0)
	for i := range 4 {
		info, err := os.Stat(s.folder.Path(fmt.Sprintf("draws-%d.csv", i+1)))
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	b.SetBytes(size)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(4_000_000*b.N), "ns/draw")
}
