package ode

import "testing"

// lotka is Lotka–Volterra: prey grows by p0 and is eaten by p1; the predator
// grows by p2 from prey and dies by p3.
func lotka() Parametric {
	return Parametric{Dim: 2, Parameters: 4, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		u, v := y[0], y[1]
		_ = p[3]
		f[0], f[1] = p[0]*u-p[1]*u*v, p[2]*u*v-p[3]*v
		if jy != nil {
			jy[0], jy[1], jy[2], jy[3] = p[0]-p[1]*v, -p[1]*u, p[2]*v, p[2]*u-p[3]
		}
		if jp != nil {
			uv := u * v
			jp[0], jp[1], jp[2], jp[3] = u, -uv, 0, 0
			jp[4], jp[5], jp[6], jp[7] = 0, 0, uv, -v
		}
	}}
}

func BenchmarkSensitive(b *testing.B) {
	for _, m := range []Method{DormandPrince, DOP853} {
		b.Run(string(m), func(b *testing.B) {
			v, err := NewSensitive(lotka(), Options{Method: m})
			if err != nil {
				b.Fatal(err)
			}
			times := make([]float64, 21)
			for i := range times {
				times[i] = float64(i)
			}
			y, s := make([]float64, 42), make([]float64, 42*6)
			y0, p := []float64{30, 4}, []float64{0.55, 0.028, 0.026, 0.84}
			for b.Loop() {
				if err := v.Solve(0, y0, p, times, y, s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(v.Stats().Evaluations), "evals")
		})
	}
}
