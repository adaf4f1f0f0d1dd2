package domain_test

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
)

func ExampleNewFlower() {
	flower, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		panic(err)
	}
	log, _, err := domain.Volume(context.Background(), flower, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("area %.6f\n", math.Exp(log))
	fmt.Println(flower.Contains([]float64{0, 2.2}), flower.Contains([]float64{2.2, 0}))
	// Output:
	// area 9.745349
	// true false
}

func ExampleNewCurve() {
	// A stadium-like superellipse; corners would be allowed as well.
	curve, err := domain.NewCurve("squircle", func(theta float64) (x, y float64) {
		sin, cos := math.Sincos(theta)
		r := math.Pow(cos*cos*cos*cos+sin*sin*sin*sin, -0.25)
		return 2 * r * cos, r * sin
	})
	if err != nil {
		panic(err)
	}
	tracer := curve.Tracer()
	t, wall := tracer.Exit([]float64{0, 0}, []float64{4, 0}, domain.None)
	fmt.Printf("leaves at t = %.3f through wall %d\n", t, wall)
	// Output:
	// leaves at t = 0.500 through wall 0
}

func ExampleNewPolygon() {
	_, err := domain.NewPolygon([][2]float64{{0, 0}, {1, 1}, {1, 0}, {0, 1}})
	fmt.Println(err)
	// Output:
	// polygon: edge 1–2 meets edge 3–4; edges may share only the vertex between neighbours
}

// A ball as an implicit surface with its curvature, so that crossings are found
// without exception.
type ball struct{}

func (ball) Dim() int                   { return 2 }
func (b ball) Bind() domain.SurfaceEval { return b }
func (ball) Curvature() float64         { return 2 }
func (ball) Value(x []float64) float64 {
	return x[0]*x[0] + x[1]*x[1] - 1
}

func (b ball) Gradient(g, x []float64) float64 {
	g[0], g[1] = 2*x[0], 2*x[1]
	return b.Value(x)
}

func ExampleNewImplicit() {
	set, err := domain.NewImplicit([]domain.Surface{ball{}}, []string{"x^2 + y^2 <= 1"}, []float64{-1, -1}, []float64{1, 1})
	if err != nil {
		panic(err)
	}
	reflector, err := domain.NewReflector(set, domain.Specular, 0)
	if err != nil {
		panic(err)
	}
	to := []float64{1.5, 0}
	hits, ok := reflector.Reflect([]float64{0, 0}, to, nil)
	fmt.Printf("%.1f %d %v\n", to, hits, ok)
	// Output:
	// [0.5 0.0] 1 true
}
