package kernel_test

import (
	"math"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// BenchmarkHarmonicPolytope draws from N(0, sd² I) on the polytope of 500 random
// unit normals in 50 coordinates, b = 1, that of bench/c/harmonic.c. Effective draws
// (ess) are those of the mean of the coordinate that has least; draws are negatively
// correlated, so that there may be more of them than draws. Times are processor time.
func BenchmarkHarmonicPolytope(b *testing.B) {
	for name, sd := range map[string]float64{"sd0.5": 0.5, "sd1": 1} {
		b.Run(name, func(b *testing.B) {
			const m, d = 500, 50
			p, err := domain.NewPolytope(unitNormals(m, d), ones(m), nil)
			if err != nil {
				b.Fatal(err)
			}
			precision := mat.NewSymDense(d, nil)
			for j := range d {
				precision.SetSym(j, j, 1/(sd*sd))
			}
			f, err := kernel.NewFlow(&kernel.Gaussian{Mean: make([]float64, d), Precision: precision}, p, kernel.Harmonic{})
			if err != nil {
				b.Fatal(err)
			}
			o, block, at := f.Orbit(), kernel.NewBlock(1, d), kernel.NewAt(1)
			(&kernel.Schedule{StepSize: []float64{1}, Temperature: []float64{1}}).Set(at, 1)
			noise := stream.New(1, 0).Lanes(1, stream.Kernel)
			for range 100 {
				o.Move(block, at, noise)
			}
			draws := make([][]float64, d)
			for j := range draws {
				draws[j] = make([]float64, b.N)
			}
			hits := 0
			b.ResetTimer()
			begun := processorTime(b)
			for k := range b.N {
				o.Move(block, at, noise)
				hits += block.Hits[0]
				for j := range draws {
					draws[j][k] = block.X[j]
				}
			}
			b.StopTimer()
			spent := processorTime(b) - begun
			least, squares := math.Inf(1), math.Inf(1)
			for _, x := range draws {
				least = min(least, diag.ESSMean([][]float64{x}))
				for k, v := range x {
					x[k] = v * v
				}
				squares = min(squares, diag.ESSMean([][]float64{x}))
			}
			n := float64(b.N)
			b.ReportMetric(float64(hits)/n, "hits/draw")
			b.ReportMetric(least/n, "ess/draw")
			b.ReportMetric(squares/n, "ess-of-squares/draw")
			b.ReportMetric(float64(spent.Nanoseconds())/n, "cpu-ns/draw")
			b.ReportMetric(least/spent.Seconds(), "ess/s")
		})
	}
}

// processorTime is that of this process: the machine may be shared.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// unitNormals are m directions in d coordinates, those of bench/c/harmonic.c:
// normal numbers by Box and Muller on splitmix64 from 1.
func unitNormals(m, d int) [][]float64 {
	state := uint64(1)
	uniform := func() float64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return (float64((z^z>>31)>>11) + 0.5) * 0x1p-53
	}
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, d)
		sum := 0.0
		for j := range a[i] {
			r := math.Sqrt(-2 * math.Log(uniform()))
			a[i][j] = r * math.Cos(2*math.Pi*uniform())
			sum += a[i][j] * a[i][j]
		}
		for j := range a[i] {
			a[i][j] /= math.Sqrt(sum)
		}
	}
	return a
}
