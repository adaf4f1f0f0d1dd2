package domain

import (
	"math/rand/v2"
	"testing"
)

// benchSteps returns uniform points of the flower and steps from them.
func benchSteps(b *testing.B, sd float64, pick func(d *curve, from, to []float64) bool) (*curve, [][2][2]float64) {
	d := must[*curve](b)(NewFlower(5, 3, 2))
	rng := rand.New(rand.NewPCG(3, 5))
	var lo, hi [2]float64
	d.Bounds(lo[:], hi[:])
	var out [][2][2]float64
	for len(out) < 4096 {
		var s [2][2]float64
		uniformIn(d, rng, s[0][:], lo[:], hi[:])
		s[1] = [2]float64{s[0][0] + sd*rng.NormFloat64(), s[0][1] + sd*rng.NormFloat64()}
		if pick == nil || pick(d, s[0][:], s[1][:]) {
			out = append(out, s)
		}
	}
	return d, out
}

func BenchmarkFlowerClear(b *testing.B) {
	d, steps := benchSteps(b, 0.0316, nil)
	tr := d.Tracer()
	yes := 0
	i := 0
	for b.Loop() {
		s := &steps[i&4095]
		i++
		if tr.Clear(s[0][:], s[1][:]) {
			yes++
		}
	}
	b.ReportMetric(float64(yes)/float64(i), "clear/op")
}

func BenchmarkFlowerContains(b *testing.B) {
	d, steps := benchSteps(b, 0.0316, nil)
	i := 0
	for b.Loop() {
		d.Contains(steps[i&4095][1][:])
		i++
	}
}

// BenchmarkFlowerExitInside times Exit on steps that Clear is unsure of and that
// do not leave.
func BenchmarkFlowerExitInside(b *testing.B) {
	tr, steps, dirs := exitSteps(b, func(d *curve, from, to []float64) bool {
		return !d.grid.clear(from, to) && d.Contains(to)
	})
	i := 0
	for b.Loop() {
		tr.Exit(steps[i&4095][0][:], dirs[i&4095][:], None)
		i++
	}
}

// BenchmarkFlowerExitCrossing times Exit and Normal on steps that leave.
func BenchmarkFlowerExitCrossing(b *testing.B) {
	tr, steps, dirs := exitSteps(b, func(d *curve, from, to []float64) bool { return !d.Contains(to) })
	var n [2]float64
	i := 0
	for b.Loop() {
		x, dir := &steps[i&4095][0], &dirs[i&4095]
		i++
		t, w := tr.Exit(x[:], dir[:], None)
		if w != None {
			p := [2]float64{x[0] + t*dir[0], x[1] + t*dir[1]}
			tr.Normal(n[:], p[:], w)
		}
	}
}

func exitSteps(b *testing.B, pick func(d *curve, from, to []float64) bool) (Tracer, [][2][2]float64, [][2]float64) {
	d, steps := benchSteps(b, 0.0316, pick)
	dirs := make([][2]float64, len(steps))
	for i, s := range steps {
		dirs[i] = [2]float64{s[1][0] - s[0][0], s[1][1] - s[0][1]}
	}
	return d.Tracer(), steps, dirs
}

func BenchmarkFlowerReflectCrossing(b *testing.B) {
	d, steps := benchSteps(b, 0.0316, func(d *curve, from, to []float64) bool { return !d.Contains(to) })
	r := must[Reflector](b)(NewReflector(d, Specular, 0))
	i := 0
	for b.Loop() {
		to := steps[i&4095][1]
		r.Reflect(steps[i&4095][0][:], to[:], nil)
		i++
	}
}

// BenchmarkFlowerWalk times a chain of reflected steps without noise
// generation; sd as of the cold rung of the paper.
func BenchmarkFlowerWalk(b *testing.B) {
	d, _ := benchSteps(b, 0.0316, nil)
	r := must[Reflector](b)(NewReflector(d, Specular, 0))
	rng := rand.New(rand.NewPCG(3, 5))
	var noise [4096][2]float64
	for i := range noise {
		noise[i] = [2]float64{0.0316 * rng.NormFloat64(), 0.0316 * rng.NormFloat64()}
	}
	var x, to [2]float64
	i := 0
	for b.Loop() {
		e := &noise[i&4095]
		i++
		to = [2]float64{x[0] + e[0], x[1] + e[1]}
		r.Reflect(x[:], to[:], nil)
		x = to
	}
}

func BenchmarkFlowerNearest(b *testing.B) {
	d, steps := benchSteps(b, 0.0316, func(d *curve, from, to []float64) bool { return !d.Contains(to) })
	tr := d.Tracer()
	var p, n [2]float64
	i := 0
	for b.Loop() {
		tr.Nearest(p[:], n[:], steps[i&4095][1][:])
		i++
	}
}

func BenchmarkNewFlower(b *testing.B) {
	for b.Loop() {
		must[*curve](b)(NewFlower(5, 3, 2))
	}
}

// BenchmarkImplicitWalk times reflected steps in the peanut, whose curvature is
// not known.
func BenchmarkImplicitWalk(b *testing.B) {
	s := implicitShapes(b)[2]
	r := must[Reflector](b)(NewReflector(s.d, Specular, 0))
	rng := rand.New(rand.NewPCG(3, 5))
	x, to := append([]float64(nil), s.inside...), make([]float64, 2)
	for b.Loop() {
		to[0], to[1] = x[0]+0.0316*rng.NormFloat64(), x[1]+0.0316*rng.NormFloat64()
		r.Reflect(x, to, nil)
		copy(x, to)
	}
}
