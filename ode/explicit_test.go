package ode

import (
	"context"
	"math"
	"testing"
)

func TestSmoke(t *testing.T) {
	s := System{Dim: 2, F: func(dy []float64, t float64, y []float64) { dy[0], dy[1] = y[1], -y[0] }}
	for _, m := range []Method{DormandPrince, DOP853} {
		r, err := Solve(context.Background(), s, 0, []float64{0, 1}, []float64{0, 1, 2, 10}, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.T {
			t.Log(x, r.Y[i][0]-math.Sin(x), r.Y[i][1]-math.Cos(x), r.Stats)
		}
	}
}
