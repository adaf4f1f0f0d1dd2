package domain_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/domain"
)

// A step that is ten times as long as the box ends inside it.
func ExampleNewReflector() {
	box, _ := domain.NewBox([]float64{0, 0}, []float64{1, 2})
	r, _ := domain.NewReflector(box, domain.Specular, 0)
	to, v := []float64{10.25, 0.5}, []float64{10, 0.25}
	hits, ok := r.Reflect([]float64{0.25, 0.25}, to, v)
	fmt.Println(to, v, hits, ok)
	// Output: [0.25 0.5] [10 0.25] 10 true
}

// Constraints that exclude each other are named.
func ExampleInterior() {
	p, _ := domain.NewPolytope(
		[][]float64{{-1, 0}, {1, 1}, {0, -1}, {0, 1}},
		[]float64{-3, 2, 0, 9},
		[]string{"x > 3", "x + y < 2", "y > 0", "y < 9"})
	_, err := domain.Interior(context.Background(), p, rand.New(rand.NewPCG(1, 1)))
	fmt.Println(err)
	// Output: the domain is empty: "x > 3" and "x + y < 2" and "y > 0" exclude each other: loosen or drop one of them
}

// Uniform draws from the part of a disk above a line, by rejection.
func ExampleUniform() {
	disk, _ := domain.NewBall([]float64{0, 0}, 1)
	above, _ := domain.NewHalfSpace([]float64{1, -1}, 0)
	d, _ := domain.NewIntersection(disk, above)
	law, _ := domain.Uniform(context.Background(), d)
	rng, x, n := rand.New(rand.NewPCG(1, 1)), make([]float64, 2), 0
	for range 1000 {
		if law.Draw(context.Background(), x, rng) == nil && x[1] >= x[0] {
			n++
		}
	}
	fmt.Println(n)
	// Output: 1000
}

func ExampleProjection() {
	simplex, err := domain.NewSimplex(2, 1)
	if err != nil {
		panic(err)
	}
	project, err := domain.Projection(simplex)
	if err != nil {
		panic(err)
	}
	nearest, p := project(), make([]float64, 2)
	outside := nearest(p, []float64{1, 0.5})
	fmt.Println(p, outside)
	// Output: [0.75 0.25] true
}

func ExampleMirror() {
	box, err := domain.NewBox([]float64{0, -1}, []float64{4, 1})
	if err != nil {
		panic(err)
	}
	m, err := domain.NewMirror(box)
	if err != nil {
		panic(err)
	}
	x, y := make([]float64, 2), []float64{0, 900}
	m.Primal(x, y)
	fmt.Printf("%.3g %v\n", x, box.Contains(x))
	m.Dual(y, []float64{3, 0})
	fmt.Printf("%.3g\n", y)
	// Output:
	// [2 1] true
	// [1.1 0]
}
