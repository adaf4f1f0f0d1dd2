package scheme

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

func flat(float64) (float64, float64) { return 0, 0 }

// One step on the disk is what the domain does to normal points; Bessel's function joins;
// the diffusion has the rate of the disk, and the law of steps tends to its law.
func TestDisk(t *testing.T) {
	for _, z := range []float64{29.9999999, 30.0000001} {
		// I₀(30) e^{−30}, from its integral over the circle.
		sum, n := 0.0, 4000
		for i := range n {
			sum += math.Exp(z * (math.Cos(2*math.Pi*float64(i)/float64(n)) - 1))
		}
		if want := sum / float64(n); math.Abs(scaledBessel(z)/want-1) > 1e-13 {
			t.Errorf("Bessel at %g: %.16g, not %.16g", z, scaledBessel(z), want)
		}
	}
	step := Step{Hi: 1, Temperature: 1, StepSize: 0.02, Rule: domain.Nearest, Disk: true}
	k, err := New(step)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []float64{0, 0.4, 0.9} {
		start, err := Point(0, 1, from)
		if err != nil {
			t.Fatal(err)
		}
		law, err := k.After(start, 1)
		if err != nil {
			t.Fatal(err)
		}
		// 4.9 standard errors of a mean are exceeded once in a million.
		const draws = 200_000
		ball, err := domain.NewBall([]float64{0, 0}, 1)
		if err != nil {
			t.Fatal(err)
		}
		mirror, err := domain.NewReflector(ball, domain.Nearest, 20)
		if err != nil {
			t.Fatal(err)
		}
		rng := stream.New(3, 0).Of(0, stream.Start)
		var sum, squares float64
		for range draws {
			x := []float64{from + 0.2*rng.NormFloat64(), 0.2 * rng.NormFloat64()}
			mirror.Reflect([]float64{from, 0}, x, nil)
			r := math.Hypot(x[0], x[1])
			sum, squares = sum+r, squares+r*r
		}
		mean := sum / draws
		se := math.Sqrt((squares/draws - mean*mean) / draws)
		if off := math.Abs(mean - law.Moment(1)); !(off < 4.9*se) {
			t.Errorf("from %g: mean distance %g ± %g, by the kernel %g", from, mean, se, law.Moment(1))
		}
	}
	u := potential.Func(1, Radial(flat, 1))
	d, err := NewDiffusion(u, 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	const j = 3.8317059702075125 // first zero of J₁: the slowest mode that depends on the distance alone
	if rate := d.Rates()[1]; math.Abs(rate/(j*j)-1) > 1e-9 {
		t.Errorf("rate %.12g of the disk, exactly %.12g", rate, j*j)
	}
	target, err := Target(u, 0, 1, 1)
	if err != nil || math.Abs(target.Moment(1)-2.0/3) > 1e-12 {
		t.Errorf("mean distance %g, exactly 2/3 (%v)", target.Moment(1), err)
	}
	if _, err := New(Step{Hi: 1, Temperature: 1, StepSize: 0.02, Disk: true}); err == nil {
		t.Error("a disk by another rule was taken")
	}
}
